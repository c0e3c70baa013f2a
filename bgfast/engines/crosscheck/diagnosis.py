"""Which rules decide a disagreement: those that an illegal result breaks, the kind of play that is missing.

An illegal result is looked for by moving one checker with one die at a time, whatever the rules say, and on
each way it is noted which ones it breaks. The smallest sets of rules that some way breaks are its *causes*:
without these rules the result would be legal. A missing play has causes, too: an engine that lifts a rule can
play more numbers, and leaves out what plays fewer. Which of several causes it is cannot be told from one
result; `attribution` decides it over all that an engine did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from bgfast.common.vocabulary import BAR, OFF
from bgfast.engines.protocol import Board
from bgfast.position.objects import PlayList
from bgfast.position.rule_book.lifted_turn import LiftedTurn, more_dice
from bgfast.position.rule_book.sentences import RULES
from bgfast.position.rule_book.steps import CAPTURES, NONE, STEP_RULES, Step, rearmost, step_rules, steps
from bgfast.position.rule_book.turn import Turn, TurnState, leading_to

__all__ = [
    "ILLEGAL_RULES",
    "MISSING_PLAYS",
    "PASSES",
    "RULE_ORDER",
    "Causes",
    "Rules",
    "illegal_causes",
    "missed_play",
    "missing_causes",
]

Rules = tuple[str, ...]
"""Rules that are broken together, by the names of `RULE_ORDER`."""
Causes = tuple[Rules, ...]
"""The smallest sets of rules without which an engine is right, in the order in which they are preferred."""

MOST = 2
"""Rules that are broken together are told up to this number."""

ILLEGAL_RULES: Mapping[str, str] = MappingProxyType(
    {
        **RULES,
        "several-rules": "It breaks three rules or more at once.",
        "not-reachable": "No moves with these dice lead there, whatever the rules.",
    }
)
"""What an illegal result can break: name and sentence."""

PASSES = ("pass-though-a-play-exists", "pass-listed")
"""Rules that a result without any move breaks."""

WHOLE_PLAYS = frozenset(
    {*PASSES, "must-play-both-last-checker", "must-play-both", "higher-die", "as-many-as-possible"}
)
"""Rules on whole plays: an engine that lifts them lists all that is legal."""

MISSING_PLAYS: Mapping[str, str] = MappingProxyType(
    {
        "pass": "The engine lists no play at all, though there are some.",
        "forfeits": "A play that forfeits a number.",
        "one-die-only": "The only number that can be played has to be.",
        "enters-from-bar": "A play that enters a checker from the bar.",
        "bears-off": "A play that bears a checker off.",
        "hits": "A play that hits.",
        "double": "A play of a double.",
        "runs-with-one-checker": "A play with one checker alone.",
        "plain": "A play of two checkers that neither enter nor hit nor are borne off.",
    }
)
"""What a missing result can be, the first that fits: name and sentence."""

RULE_ORDER = (*(rule for rule in RULES if rule not in ("hit-not-taken", "blocked-point")), *CAPTURES)
"""The names that causes have; two of `RULES` come in several forms.

Of rules that explain as much the first one is named."""

_PLACES = {rule: place for place, rule in enumerate(RULE_ORDER)}


# Illegal results.


def illegal_causes(turn: Turn, result: Board) -> tuple[str, Causes]:
    """Return which rules an illegal result may break.

    Parameters
    ----------
    turn : Turn
        The position, the roll and the rule set.
    result : tuple of 26 int
        The board after a play that is not legal, mover's side.

    Returns
    -------
    rule : str
        What to call it where no cause counts: "several-rules" or "not-reachable".
    causes : Causes
        Of up to `MOST` rules each; none where it takes more, or nothing leads there.
    """
    found = (rules for rules in _ways_broken(turn, result, MOST) if len(rules) <= MOST)
    causes = _in_order(_smallest(found))
    if causes or any(_ways_broken(turn, result, len(ILLEGAL_RULES))):
        return "several-rules", causes
    return "not-reachable", ()


def _smallest(sets: Iterable[frozenset[str]]) -> set[frozenset[str]]:
    """Return the sets that hold no other one."""
    found = set(sets)
    return {those for those in found if not any(other < those for other in found)}


def _in_order(sets: Iterable[frozenset[str]]) -> Causes:
    return tuple(tuple(sorted(those, key=_PLACES.__getitem__)) for those in sorted(sets, key=_preference))


def _preference(rules: frozenset[str]) -> tuple[int, list[int]]:
    """Return where a set of rules stands among others: few before many, the ordinary before the exotic."""
    return len(rules), sorted(_PLACES[rule] for rule in rules)


def _ways_broken(turn: Turn, result: Board, most: int) -> Iterator[frozenset[str]]:
    """Yield sets of rules that are broken by what leads to a result, the smallest among them."""
    board, dice = turn.start
    if result == board:
        yield from _passes(turn)
        if turn.longest == 0:
            return
    for rest, sets in _searched(turn, result, turn.start, NONE, most):
        used = len(dice) - len(rest)
        for broken in sets:
            # "(2) it used at least L dice (a forfeit counts as a use)"
            if used < turn.longest:
                yield from _short_play_broken(turn, result, broken)
            elif broken:
                yield broken
            # "(3) when L == 1 on a non-double and it used one die: that die is the higher ...". It cannot be
            # "(1) none of its unused dice has an ordinary move in its final state": without forfeits one more
            # die could be used, so that (2) does not hold; and next to a forfeit every die left could be
            # forfeited, too, or nothing has moved.
            elif result != board:
                yield frozenset({"higher-die"})
                # Without some rule both can be played.
                for rule in step_rules(turn.rules):
                    if LiftedTurn(turn, frozenset({rule})).longest > turn.longest:
                        yield from (frozenset({rule, short}) for short in _rules_on_short_plays(turn, result))
    more = more_dice(turn.start)
    for rest, sets in _searched(turn, result, more, frozenset({"too-many-dice"}), most):
        if not Counter(more.dice) - Counter(rest) <= Counter(dice):
            yield from sets


def _passes(turn: Turn) -> Iterator[frozenset[str]]:
    """Yield what is broken when nothing has moved, unless it is for numbers that were forfeited."""
    if turn.longest:
        yield frozenset({PASSES[0]})
        return
    yield frozenset({PASSES[1]})
    # "L == 0: there is no legal play, the turn passes (forfeits are not listed)". Without some rule there may
    # be a play, so that it is a pass though a play exists, or one of forfeits only.
    for rule in step_rules(turn.rules):
        lifted = LiftedTurn(turn, frozenset({rule}))
        if lifted.lists(turn.start.board):
            yield frozenset({rule})
        elif lifted.longest:
            yield frozenset({rule, PASSES[0]})


def _short_play_broken(turn: Turn, result: Board, broken: frozenset[str]) -> Iterator[frozenset[str]]:
    """Yield what a play breaks that uses too few dice and breaks these rules on its way."""
    # Checkers that vanish where they meet leave fewer to play with.
    if broken.isdisjoint(CAPTURES):
        yield from (broken | {rule} for rule in _rules_on_short_plays(turn, result))
    else:
        yield broken
    # With some rules lifted no play is longer than this one: the mover's checkers vanish where they hit, or
    # "if bearoff_compulsory and some bear-off exists: only the bear-offs".
    shorter = [rule for rule in CAPTURES if rule.startswith("hit-not-taken")]
    if turn.rules.bearoff_compulsory:
        shorter += [rule for rule in step_rules(turn.rules) if rule.startswith("bear-off")]
    for rule in shorter:
        if broken <= {rule} and LiftedTurn(turn, frozenset({rule})).lists(result):
            yield frozenset({rule})


def _rules_on_short_plays(turn: Turn, result: Board) -> list[str]:
    """Return the rules that say that more dice must be used."""
    if len(turn.start.dice) == 4:
        return ["as-many-as-possible"]
    return ["must-play-both"] if rearmost(result) else ["must-play-both-last-checker", "must-play-both"]


def _searched(
    turn: Turn, result: Board, start: TurnState, broken: frozenset[str], most: int
) -> Iterator[tuple[Sequence[int], Collection[frozenset[str]]]]:
    """Yield the dice left whenever a result is reached, with the smallest sets of rules broken on the way."""

    def every_step(board: Board, die: int, lowest: Sequence[int]) -> Iterable[Step]:
        return steps(board, die, turn.rules, STEP_RULES, lowest)

    def also_broken(those: frozenset[str], step: Step) -> frozenset[str] | None:
        # A die too many may well be forfeited, but it changes nothing.
        if broken and step.is_forfeit:
            return None
        more = those | step.broken
        return more if len(more) <= most else None

    for state, sets in leading_to(result, start, every_step, broken, also_broken, _smallest):
        if state.board == result and state != start:
            yield state.dice, sets


# Missing plays.


def missed_play(plays: PlayList, row: int) -> str:
    """Return what kind of play a missing one is: a name of `MISSING_PLAYS`, but "pass".

    Parameters
    ----------
    plays : PlayList
        The legal plays of the position and roll.
    row : int
        Which one is missing.

    Returns
    -------
    str
    """
    steps = [(int(start), int(end)) for start, end in plays.moves[row] if start >= 0]
    before, after = plays.position.to_array(), plays.boards[row]
    if any(start == end for start, end in steps):
        return "forfeits"
    if len(steps) == 1:
        return "one-die-only"
    if any(start == BAR for start, _ in steps):
        return "enters-from-bar"
    if any(end == OFF for _, end in steps):
        return "bears-off"
    if after[0] < before[0]:
        return "hits"
    if plays.roll[0] == plays.roll[1]:
        return "double"
    return "runs-with-one-checker" if steps[0][1] == steps[1][0] else "plain"


def missing_causes(turn: Turn, results: Sequence[Board], illegal: Iterable[Causes]) -> list[Causes]:
    """Return why legal plays may be missing: which rule lifted lets others use more dice, or other moves.

    Parameters
    ----------
    turn : Turn
        The position, the roll and the rule set.
    results : sequence of tuple of 26 int
        The boards after the plays that are missing.
    illegal : iterable of Causes
        Those of what the engine lists in the same case though it is illegal.

    Returns
    -------
    list of Causes
        For each of the results, of one rule each.
    """
    # Whoever plays the lower number instead of the higher leaves out what is legal.
    first: list[Rules] = [("higher-die",)] if any(("higher-die",) in causes for causes in illegal) else []
    found = [list(first) for _ in results]
    for rule in sorted(step_rules(turn.rules), key=_PLACES.__getitem__) if results else ():
        engine = LiftedTurn(turn, frozenset({rule}))
        if not engine.keeps_all(turn.longest):
            for result, causes in zip(results, found, strict=True):
                if not engine.keeps(result):
                    causes.append((rule,))
    return list(map(tuple, found))
