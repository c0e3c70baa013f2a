"""Diagnosis of wrong successors: rules broken by illegal successors, and kinds of missing plays.

For an illegal successor, a search moves one checker with one die at a time, regardless of the rules, and
records the rules broken on every path. The minimal sets of broken rules are the *causes*: without these rules
the successor would be legal. Missing plays have causes as well: an engine that lifts a rule can play more
numbers, and omits plays that use fewer. A single successor cannot tell several causes apart; `attribution`
decides over all cases of an engine. Quotations in comments are from RULES.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from bgfast.common.validation import BAR, OFF, Board
from bgfast.conformance.adapters import legal_successors
from bgfast.conformance.crosscheck.lifted_turn import LiftedTurn, repeat_dice
from bgfast.conformance.protocol import (
    MOVER,
    Case,
    CrashedError,
    Engine,
    EngineError,
    HungError,
    MissingEngineError,
    Perspective,
    RubbishError,
    UnreachableError,
    impossible_board,
    plausible_perspectives,
)
from bgfast.position.explain import RULES
from bgfast.position.objects import PlayList, Position
from bgfast.position.turn import (
    CAPTURES,
    NONE,
    STEP_RULES,
    Step,
    Turn,
    TurnState,
    paths_to,
    rearmost,
    step_rules,
    steps,
)

Rules = tuple[str, ...]
"""Tuple of rules that are broken together, as names from `RULE_ORDER`."""
RuleNames = frozenset[str]  # unordered set of rules, used in the search
Causes = tuple[Rules, ...]
"""Minimal sets of rules without which the engine would be correct, in order of preference."""

MAX_RULES = 2
"""Maximum size of a cause: larger sets are reported as "several-rules"."""

ILLEGAL_RULES: Mapping[str, str] = {
    **RULES,
    "several-rules": "It breaks three rules or more at once.",
    "not-reachable": "No moves with these dice lead there, whatever the rules.",
}
"""Sentences by the names of the rules that an illegal successor can break."""

PASSES = ("pass-though-a-play-exists", "pass-listed")
"""Rules broken by an illegal pass."""

MISSING_PLAYS: Mapping[str, str] = {
    "pass": "The engine lists no play, though a legal play exists.",
    "forfeits": "A play that forfeits a number.",
    "one-die-only": "A play of the only number that can be played.",
    "hits": "A play that hits.",
    "enters-from-bar": "A play that enters a checker from the bar.",
    "bears-off": "A play that bears a checker off.",
    "double": "A play of a double.",
    "runs-with-one-checker": "A play with one checker alone.",
    "plain": "A play of two checkers that neither enter nor hit nor are borne off.",
}
"""Sentences by the kinds of missing plays; the first kind that fits applies."""

RULE_ORDER = (*(rule for rule in RULES if rule not in ("hit-not-taken", "blocked-point")), *CAPTURES)
"""Names of causes, in order of preference; the variants in `CAPTURES` replace the two excluded rules."""

RANKS = {rule: rank for rank, rule in enumerate(RULE_ORDER)}


# ---- Causes of illegal successors ----


def illegal_causes(turn: Turn, result: Board) -> tuple[str, Causes]:
    """Return the fallback rule for the class of an illegal successor, and the causes.

    The fallback, used if no cause applies, is "several-rules", or "not-reachable" if no moves lead there.
    """
    broken_sets = (rules for rules in _broken_rules(turn, result, MAX_RULES) if len(rules) <= MAX_RULES)
    minimal_sets = [sorted(rules, key=RANKS.__getitem__) for rules in _minimal_sets(broken_sets)]
    # Prefer fewer rules, then rules that come first in `RULE_ORDER`.
    minimal_sets.sort(key=lambda rules: (len(rules), [RANKS[rule] for rule in rules]))
    causes = tuple(map(tuple, minimal_sets))
    if causes or any(_broken_rules(turn, result, len(ILLEGAL_RULES))):
        return "several-rules", causes
    return "not-reachable", ()


def _minimal_sets(sets: Iterable[RuleNames]) -> set[RuleNames]:
    """Return the minimal sets: those that contain no other set."""
    unique = set(sets)
    return {candidate for candidate in unique if not any(other < candidate for other in unique)}


def _broken_rules(turn: Turn, result: Board, max_rules: int) -> Iterator[RuleNames]:
    """Yield sets of rules broken on the paths to a successor, including all minimal ones."""
    board, dice = turn.start
    if result == board:
        yield from _rules_broken_by_pass(turn)
        if turn.longest == 0:
            return
    for dice_left, sets in _search(turn, result, turn.start, NONE, max_rules):
        used = len(dice) - len(dice_left)
        for broken in sets:
            # "(2) it used at least L dice (a forfeit counts as a use)"
            if used < turn.longest:
                yield from _rules_broken_by_short_play(turn, result, broken)
            elif broken:
                yield broken
            # "(3) when L == 1 on a non-double and it used one die: that die is the higher ...".
            # "(1) none of its unused dice has an ordinary move in its final state" cannot be broken here.
            # Without a forfeit, that die could be used, which contradicts (2). After a forfeit, every
            # remaining die could be forfeited as well, unless no checker has moved.
            elif result != board:
                yield frozenset({"higher-die"})
                # If both dice can be played with a rule lifted, the play is also too short.
                for rule in step_rules(turn.rules):
                    if LiftedTurn(turn, frozenset({rule})).longest > turn.longest:
                        yield from (frozenset({rule, short}) for short in _rules_on_short_plays(turn, result))
    extended = repeat_dice(turn.start)
    for dice_left, sets in _search(turn, result, extended, frozenset({"too-many-dice"}), max_rules):
        if not Counter(extended.dice) - Counter(dice_left) <= Counter(dice):
            yield from sets


def _rules_broken_by_pass(turn: Turn) -> Iterator[RuleNames]:
    """Yield the sets of rules that an unchanged board breaks if no die was forfeited."""
    if turn.longest:
        yield frozenset({PASSES[0]})
        return
    yield frozenset({PASSES[1]})
    # "L == 0: there is no legal play, the turn passes (forfeits are not listed)". With a rule lifted, the
    # unchanged board may result from forfeits only, or be illegal because another play exists.
    for rule in step_rules(turn.rules):
        lifted = LiftedTurn(turn, frozenset({rule}))
        if lifted.lists(turn.start.board):
            yield frozenset({rule})
        elif lifted.longest:
            yield frozenset({rule, PASSES[0]})


def _rules_broken_by_short_play(turn: Turn, result: Board, broken: RuleNames) -> Iterator[RuleNames]:
    """Yield the sets of rules broken by a play with too few dice; `broken` has the rules on its path."""
    # Checkers that vanish in illegal captures leave fewer to play with, which excuses a short play.
    if broken.isdisjoint(CAPTURES):
        yield from (broken | {rule} for rule in _rules_on_short_plays(turn, result))
    else:
        yield broken
    # With some rules lifted, no play may be longer than this one: the mover's checkers vanish where they hit,
    # or "if bearoff_compulsory and some bear-off exists: only the bear-offs" excludes longer plays.
    lifted_rules = [rule for rule in CAPTURES if rule.startswith("hit-not-taken")]
    if turn.rules.bearoff_compulsory:
        lifted_rules += [rule for rule in step_rules(turn.rules) if rule.startswith("bear-off")]
    for rule in lifted_rules:
        if broken <= {rule} and LiftedTurn(turn, frozenset({rule})).lists(result):
            yield frozenset({rule})


def _rules_on_short_plays(turn: Turn, result: Board) -> list[str]:
    if len(turn.start.dice) == 4:
        return ["as-many-as-possible"]
    return ["must-play-both"] if rearmost(result) else ["must-play-both-last-checker", "must-play-both"]


def _search(
    turn: Turn, result: Board, start: TurnState, broken: RuleNames, max_rules: int
) -> Iterator[tuple[Sequence[int], Collection[RuleNames]]]:
    """Yield the remaining dice on reaching a successor, with the minimal sets of rules broken on the path."""

    def all_steps(board: Board, die: int, lowest: Sequence[int]) -> Iterable[Step]:
        return steps(board, die, turn.rules, STEP_RULES, lowest)

    def add_broken(rules: RuleNames, step: Step) -> RuleNames | None:
        # Forfeiting a surplus die changes nothing.
        if broken and step.is_forfeit:
            return None
        extended = rules | step.broken
        return extended if len(extended) <= max_rules else None

    for state, sets in paths_to(result, start, all_steps, broken, add_broken, _minimal_sets):
        if state.board == result and state != start:
            yield state.dice, sets


# ---- Kinds and causes of missing plays ----


def missing_kind(plays: PlayList, row: int) -> str:
    """Return the kind of the missing play in a row: a name of `MISSING_PLAYS` except "pass"."""
    moves = [(int(start), int(end)) for start, end in plays.moves[row] if start >= 0]
    before, after = plays.position.to_array(), plays.boards[row]
    if any(start == end for start, end in moves):
        return "forfeits"
    if len(moves) == 1:
        return "one-die-only"
    if after[0] < before[0]:
        return "hits"
    if any(start == BAR for start, _ in moves):
        return "enters-from-bar"
    if any(end == OFF for _, end in moves):
        return "bears-off"
    if plays.roll[0] == plays.roll[1]:
        return "double"
    return "runs-with-one-checker" if moves[0][1] == moves[1][0] else "plain"


def missing_causes(turn: Turn, results: Sequence[Board], causes_of_illegal: Iterable[Causes]) -> list[Causes]:
    """Return the causes of each missing play: single rules that, when lifted, let other plays replace it.

    `causes_of_illegal` has the causes of the illegal successors in the same case.
    """
    # An engine that plays the lower number instead of the higher one omits the legal plays.
    is_wrong_die = any(("higher-die",) in causes for causes in causes_of_illegal)
    all_causes: list[list[Rules]] = [[("higher-die",)] if is_wrong_die else [] for _ in results]
    for rule in sorted(step_rules(turn.rules), key=RANKS.__getitem__) if results else ():
        engine = LiftedTurn(turn, frozenset({rule}))
        if not engine.lists_all_legal(turn.longest):
            for result, causes in zip(results, all_causes, strict=True):
                if not engine.reaches_legally(result):
                    causes.append((rule,))
    return list(map(tuple, all_causes))


# ---- Disagreements of an engine with bgfast in one case, with all rules that may explain them ----

FAILURES = ("hang", "crash", "rubbish")
"""Kinds of disagreements in which the engine gave no list of successors."""

MAX_EXAMINED = 16
"""Maximum number of successors of one kind to examine in a case; broken engines list thousands."""

PERSPECTIVE_SENTENCES: Mapping[str, str] = {
    "whole-board": "The boards are seen from the opponent's side.",
    "points-only": "The points are counted from the opponent's side, though the signs are the mover's.",
    "signs-only": "The signs are the opponent's, though the points are counted from the mover's side.",
}
"""Sentences for the wrong perspectives, by the names of `PERSPECTIVES`."""

UNEXAMINED = "unexamined"
"""Pseudo-rule of the successors beyond `MAX_EXAMINED`; they belong to no class."""


class ClassKey(NamedTuple):
    """Class of disagreements: their kind and the rule that is broken."""

    kind: str
    rule: str


SENTENCES: Mapping[ClassKey, str] = {
    **{ClassKey("illegal", rule): text for rule, text in ILLEGAL_RULES.items()},
    **{
        ClassKey("missing", rule): f"Every legal play must be listed. {text}"
        for rule, text in MISSING_PLAYS.items()
    },
    ClassKey("repeated", "each-once"): (
        "Plays that end in the same position are one play, and the engine promises to list it once."
    ),
    **{
        ClassKey("flipped", name): f"{text} They must be from the mover's side, as in the question."
        for name, text in PERSPECTIVE_SENTENCES.items()
    },
    ClassKey("hang", "no-answer"): "The engine did not answer within the time limit.",
    ClassKey("crash", "ended"): "The engine exited before it answered, or reported a failure.",
    ClassKey("rubbish", "unreadable"): "The answer cannot be read, or lists an impossible position.",
}
"""Sentences that explain the classes."""


class Difference(NamedTuple):
    """Difference between listed and legal successors: distinct boards, sorted, from the mover's side."""

    missing: tuple[Board, ...]
    illegal: tuple[Board, ...]
    repeated: tuple[Board, ...]


def difference(listed: Sequence[Board], legal: Sequence[Board], *, distinct: bool) -> Difference:
    """Compare an engine's list with the legal one; a `distinct` engine promises no repetitions."""
    counts = Counter(listed)
    legal_boards = set(legal)
    return Difference(
        missing=tuple(sorted(legal_boards - counts.keys())),
        illegal=tuple(sorted(counts.keys() - legal_boards)),
        repeated=tuple(sorted(board for board, n in counts.items() if n > 1)) if distinct else (),
    )


class Symptom(NamedTuple):
    """Diagnosis of wrong successors in one case; kind and rule name the class if no cause applies."""

    kind: str
    rule: str
    causes: Causes = ()


class Disagreement(NamedTuple):
    """Successors of one case that are wrong in the same way; no boards if the engine did not answer.

    The message describes the engine's failure. For a wrong perspective it quotes the first board as listed
    and from the mover's side. Otherwise it is empty.
    """

    symptom: Symptom
    boards: tuple[Board, ...] = ()
    message: str = ""


class Comparison(NamedTuple):
    """Outcome of one case."""

    case_index: int  # index of the case, from 0
    case: Case
    reached: bool  # False if the engine cannot be set to the position
    disagreements: tuple[Disagreement, ...] = ()

    @property
    def failed(self) -> bool:
        """True if the engine gave no list of successors."""
        return any(disagreement.symptom.kind in FAILURES for disagreement in self.disagreements)

    @property
    def difference(self) -> Difference:
        """All wrong successors together."""
        boards: dict[str, list[Board]] = {kind: [] for kind in Difference._fields}
        for disagreement in self.disagreements:
            boards.setdefault(disagreement.symptom.kind, []).extend(disagreement.boards)
        return Difference(*(tuple(sorted(boards[kind])) for kind in Difference._fields))


def compare_case(engine: Engine, case_index: int, case: Case) -> Comparison:
    """Ask an engine for the successors of a case and compare them with the legal ones."""
    capabilities = engine.capabilities
    if case.checkers not in capabilities.checkers or not (capabilities.positions or case.game is not None):
        return Comparison(case_index, case, reached=False)
    try:
        listed = engine.successors(case)
    except UnreachableError:
        return Comparison(case_index, case, reached=False)
    except EngineError as error:
        return Comparison(case_index, case, True, (failure_of(error),))
    return Comparison(case_index, case, True, diagnose_list(case, listed, distinct=capabilities.distinct))


def failure_of(error: EngineError | MissingEngineError) -> Disagreement:
    """Return the disagreement for an engine that fails to answer."""
    symptom = Symptom("rubbish", "unreadable")
    if isinstance(error, HungError):
        symptom = Symptom("hang", "no-answer")
    elif isinstance(error, (CrashedError, MissingEngineError)):
        symptom = Symptom("crash", "ended")
    return Disagreement(symptom, message=str(error))


def diagnose_list(case: Case, listed: Sequence[Board], *, distinct: bool) -> tuple[Disagreement, ...]:
    """Return the disagreements of a list; `distinct` is true if the engine promises no repetitions.

    Lists from another perspective are diagnosed after conversion to the mover's side.
    """
    legal = legal_successors(case)
    diff = difference(listed, legal, distinct=distinct)
    if not any(diff):
        return ()
    perspective = detect_perspective(case, listed, legal)
    if perspective is MOVER:
        problem = impossible_board(listed, case.board, (MOVER,))
        return (failure_of(RubbishError(problem)),) if problem else disagreements(case, diff)
    converted = list(map(perspective.from_mover, listed))
    message = f"the first was listed as {_board_text(listed[0])}; the mover sees {_board_text(converted[0])}"
    flipped = Disagreement(Symptom("flipped", perspective.name), message=message)
    return flipped, *disagreements(case, difference(converted, legal, distinct=distinct))


def detect_perspective(case: Case, listed: Sequence[Board], legal: Sequence[Board]) -> Perspective:
    """Return the perspective from which most listed boards are legal; `MOVER` if there is none."""
    legal_boards = {*legal, case.board}  # some engines list the unchanged board for a pass
    boards = set(listed)
    counts = {
        perspective: sum(perspective.from_mover(board) in legal_boards for board in boards)
        for perspective in plausible_perspectives(listed, case.board)
    }
    best = max(counts, key=counts.__getitem__, default=MOVER)  # the first one in a tie
    return best if counts.get(best) else MOVER


def _board_text(board: Board) -> str:
    return " ".join(map(str, board))


def disagreements(case: Case, diff: Difference) -> tuple[Disagreement, ...]:
    """Group wrong successors by their symptoms."""
    if not any(diff):
        return ()
    plays = Position.from_array(case.board, case.checkers).plays(case.roll, case.rules)
    turn = Turn(case.board, case.roll, case.rules)
    boards: dict[Symptom, list[Board]] = {}
    illegal, rest = _split_sample(diff.illegal)
    symptoms = [Symptom("illegal", *illegal_causes(turn, board)) for board in illegal]
    for board, symptom in zip(illegal, symptoms, strict=True):
        boards.setdefault(symptom, []).append(board)
    boards[Symptom("illegal", UNEXAMINED)] = rest
    missing, rest = _split_sample(diff.missing)
    causes = missing_causes(turn, missing, (symptom.causes for symptom in symptoms))
    legal = list(map(tuple, plays.boards.tolist()))
    is_pass = len(diff.missing) == len(legal) and not diff.illegal
    for board, board_causes in zip(missing, causes, strict=True):
        rule = "pass" if is_pass else missing_kind(plays, legal.index(board))
        boards.setdefault(Symptom("missing", rule, board_causes), []).append(board)
    boards[Symptom("missing", UNEXAMINED)] = rest
    boards[Symptom("repeated", "each-once")] = list(diff.repeated)
    return tuple(Disagreement(symptom, tuple(group)) for symptom, group in boards.items() if group)


def _split_sample(boards: Sequence[Board]) -> tuple[list[Board], list[Board]]:
    """Split boards into an evenly spaced sample of at most `MAX_EXAMINED` and the rest."""
    size = min(len(boards), MAX_EXAMINED)
    sample = {index * len(boards) // size for index in range(size)}
    parts: tuple[list[Board], list[Board]] = [], []
    for index, board in enumerate(boards):
        parts[index not in sample].append(board)
    return parts
