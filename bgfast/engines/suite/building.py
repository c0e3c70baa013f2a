"""Builder of a suite: named cases, random cases with the generator's results, and perft tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bgfast.batch.perft.perft import perft
from bgfast.engines.adapters.bgfast import legal_successors
from bgfast.engines.protocol import Case
from bgfast.engines.suite.hashing import set_hash
from bgfast.engines.suite.named_cases import defect_cases, rule_cases
from bgfast.engines.suite.rule_positions import RULE_SETS
from bgfast.engines.suite.samples import DrawnCase, draw_cases
from bgfast.engines.suite.suite_file import PerftLine, Suite, SuiteCase, suite_lines
from bgfast.position.objects import Position

PUBLISHED = "bgfast-suite-1.txt"
"""File name of the published suite in the package's data."""
PUBLISHED_SEED = 1

PERFT_POSITIONS = {
    "start": "4HPwATDgc/ABMA",
    "nackgammon": "4Dl4ADbgOXgANg",
    "contact": "v3sAAAhmdzMAAQ",
    "race": "v90EAIC3BgAAAA",
    "bearoff": "33sAADC2bQAAAA",
}
PERFT_DEPTHS = {name: 3 if name == "standard" else 2 for name in RULE_SETS}
DRAWN = "positions of random games and some that are made to be hard, two rolls each"
COMMENTS = {
    "": (
        "Conformance suite for backgammon move generators. bgfast's docs/SUITE.md describes it in full.\n"
        "case  ID RULES BOARD ROLL COUNT HASH | REASON\n"
        "perft ID RULES BOARD DEPTH LEAVES21 LEAVES36\n"
        "BOARD from the mover's side: number 0 the opponent's bar (<= 0), 1 to 24 the points (own > 0),\n"
        "25 the own bar; checkers that are not on the board are borne off, 15 a side.\n"
        "ROLL: two dice in the order in which they are to be given.\n"
        "COUNT: the distinct positions after a legal play; 0 is a pass.\n"
        "HASH: the sum modulo 2^64 over these positions, before sides are swapped, of the mixed FNV-1a-64.\n"
        "LEAVES: sides swapped after each play, a pass is one child, a finished game one leaf; over the\n"
        "21 rolls, and over the 36 ordered ones. REASON: for people."
    ),
    "named": "One case for each rule, switch and rule set that they decide.",
    "defects": "Plays that other engines got wrong, both orders of the dice.",
    "contact": "Positions of random games in which the sides can still meet, four ordered rolls each.",
    "race": "The same once they have passed each other.",
    "bearoff": "The same once all checkers are home or off, too.",
    "hard": "On the bar, behind a wall, blots, few checkers, stacks, bearing off against contact.",
    "exact": f"Rule set exact: {DRAWN}.",
    "rear_first": f"Rule set rear_first: {DRAWN}.",
    "five_stack": f"Rule set five_stack: {DRAWN}.",
    "strict": f"Rule set strict: {DRAWN}.",
    "perft": "Five positions, rule set by rule set.",
}


def build_suite(seed: int, progress: Callable[[float], None] = lambda done: None) -> Suite:
    """Build the suite of a seed, 0 to 2**64 - 1, deterministically; `progress` receives the fraction done."""
    cases = [*rule_cases(), *defect_cases()]
    random_cases = list(draw_cases(seed))
    for done, case in enumerate(_with_results(random_cases)):
        cases.append(case)
        progress(0.8 * done / len(random_cases))
    return Suite(seed, dict(RULE_SETS), tuple(cases), tuple(_perft_lines()))


def suite_bytes(suite: Suite) -> bytes:
    """Return the content of a suite file."""
    return "".join(f"{line}\n" for line in suite_lines(suite, COMMENTS)).encode("ascii")


def _with_results(random_cases: list[DrawnCase]) -> Iterator[SuiteCase]:
    for case in random_cases:
        boards = legal_successors(Case(case.board, case.roll, RULE_SETS[case.rules]))
        yield SuiteCase(
            id=f"{case.section}{case.number}-{case.roll[0]}{case.roll[1]}",
            section=case.section,
            rules=case.rules,
            board=case.board,
            roll=case.roll,
            count=len(boards),
            digest=set_hash(boards),
        )


def _perft_lines() -> Iterator[PerftLine]:
    for rules, max_depth in PERFT_DEPTHS.items():
        for name, text in PERFT_POSITIONS.items():
            position = Position.from_gnubg_id(text)
            board = tuple(position)
            for depth in range(1, max_depth + 1):
                leaves = (
                    perft(position, depth, rules=RULE_SETS[rules]),
                    perft(position, depth, rules=RULE_SETS[rules], weighted=True),
                )
                yield PerftLine(f"perft-{name}-{rules}-{depth}", "perft", rules, board, depth, leaves)
