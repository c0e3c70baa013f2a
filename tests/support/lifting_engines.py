"""Engines that break single rules: a generator with a switch for each rule of docs/RULES.md.

The generator is independent of `bgfast.reference` and of the cross-check, whose diagnosis it tests. Rules are
named as in docs/CROSSCHECK.md. A way of lifting a rule follows a colon: "blocked-point:added-up" lifts
"blocked-point" and adds up the checkers on the point.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bgfast.common.validation import Board
from bgfast.conformance.protocol import ANY_RULES, Capabilities, Case
from bgfast.rules import RuleSet

BAR = 25
OFF = 0

LIFTS: dict[str, tuple[str, ...]] = {
    "pass-though-a-play-exists": ("",),
    "pass-listed": ("",),
    "must-play-both": ("", "broken-off"),
    "must-play-both-last-checker": ("",),
    "higher-die": ("",),
    "as-many-as-possible": ("",),
    "bar-first": ("",),
    "blocked-point": ("", "all-hit", "gone", "added-up", "swallowed"),
    "bear-off-before-all-home": ("", "rear-of-all"),
    "bear-off-too-far": ("",),
    "bear-off-higher-point": ("", "next-below"),
    "bear-off-exact-number": ("", "as-standard"),
    "bear-off-rearmost-only": ("", "as-standard"),
    "bear-off-compulsory": ("",),
    "full-point": ("",),
    "hit-not-taken": ("", "added-up", "swallowed"),
    "forfeit-before-all-home": ("",),
    "forfeit-occupied-point": ("",),
    "too-many-dice": ("", "same-number-twice"),
}
"""Rules and the ways to lift them; the default way is an empty string."""


def rules_of(rules: RuleSet) -> list[str]:
    """Return the names of the rules that apply under a rule set."""
    absent = {
        "bear-off-higher-point": rules.bearoff_die != "standard",
        "bear-off-exact-number": rules.bearoff_die != "exact",
        "bear-off-rearmost-only": rules.bearoff_die != "rearmost",
        "bear-off-compulsory": not rules.bearoff_compulsory,
        "full-point": rules.stack_max == 0,
        "forfeit-before-all-home": rules.forfeit == "never",
        "forfeit-occupied-point": rules.forfeit == "never",
    }
    return [rule for rule in LIFTS if not absent.get(rule, False)]


class AnyEngine:
    """Engine that supports all rules and numbers of checkers."""

    def __init__(self, name: str, **capabilities: Any) -> None:
        self.name = name
        self.version = "1"
        defaults: dict[str, Any] = {"rules": (ANY_RULES,), "checkers": tuple(range(1, 16))}
        self.capabilities = Capabilities(**defaults | capabilities)

    def close(self) -> None:
        pass


class LiftingEngine(AnyEngine):
    """Engine that follows all rules except `lifted`: names in `LIFTS`, optionally with a colon and a way."""

    def __init__(self, *lifted: str) -> None:
        super().__init__("+".join(lifted) or "correct")
        self._ways = {rule: way for rule, _, way in (name.partition(":") for name in lifted)}
        for rule, way in self._ways.items():
            assert way in LIFTS[rule], f"{rule}:{way}"

    def successors(self, case: Case) -> list[Board]:
        return sorted(self._legal_boards(case.board, case.roll, case.rules))

    def _legal_boards(self, start: Board, roll: tuple[int, int], rules: RuleSet) -> set[Board]:
        is_double = roll[0] == roll[1]
        legal: set[Board] = set()
        max_used = 0
        outcomes = []
        for dice in self._dice_options(roll):
            # "enumerate every sequence of ordinary moves and forfeits"
            reachable = self._reachable_boards(start, dice, rules, forfeits=False)
            # "L = the greatest number of dice used by any sequence made of ordinary moves only"
            max_used = max(max_used, *(len(dice) - len(rest) for rest, boards in reachable.items() if boards))
            if rules.forfeit != "never":
                reachable = self._reachable_boards(start, dice, rules, forfeits=True)
            outcomes += [(dice, rest, boards) for rest, boards in reachable.items()]
        if max_used == 0:
            # "L == 0: there is no legal play, the turn passes (forfeits are not listed)"
            return {start} if "pass-listed" in self._ways else set()
        for dice, rest, boards in outcomes:
            used = len(dice) - len(rest)
            for board in boards:
                # "(1) none of its unused dice has an ordinary move in its final state"
                is_ended = not any(self._next_boards(board, die, rules) for die in set(rest))
                # "(2) it used at least L dice (a forfeit counts as a use)"
                is_long = used >= max_used
                if not (is_ended and is_long) and not self._may_be_short(is_double, is_ended, used, board):
                    continue
                # "(3) when L == 1 on a non-double and it used one die: that die is the higher of those that
                # had an ordinary move at the start of the turn"
                if not is_double and used == max_used == 1 and "higher-die" not in self._ways:
                    higher_die = max((die for die in dice if self._next_boards(start, die, rules)), default=0)
                    if rest.count(higher_die) == dice.count(higher_die):
                        continue
                legal.add(board)
        if "pass-though-a-play-exists" in self._ways:
            legal.add(start)
        return legal

    def _may_be_short(self, is_double: bool, is_ended: bool, used: int, board: Board) -> bool:
        """Return whether a play may use fewer dice because (1) and (2), or only (2), are lifted."""
        if used == 0:
            return False
        if "must-play-both-last-checker" in self._ways and not is_double and max(board[1:]) <= 0:
            return True
        if is_double:  # the engine may end a double early
            return "as-many-as-possible" in self._ways
        way = self._ways.get("must-play-both")
        return way == "broken-off" or (way is not None and is_ended)

    def _dice_options(self, roll: tuple[int, int]) -> list[tuple[int, ...]]:
        """Return the dice that a turn may use: "doubles give four dice, other rolls two, in either order"."""
        dice = (roll[0],) * 4 if roll[0] == roll[1] else roll
        if self._ways.get("too-many-dice") == "same-number-twice" and roll[0] != roll[1]:
            return [dice, (roll[0],) * 2, (roll[1],) * 2]
        if "too-many-dice" in self._ways:
            return [(*dice, *roll)]
        return [dice]

    def _reachable_boards(
        self, start: Board, dice: tuple[int, ...], rules: RuleSet, *, forfeits: bool
    ) -> dict[tuple[int, ...], set[Board]]:
        dice = tuple(sorted(dice))
        boards_after: dict[tuple[int, ...], set[Board]] = {dice: {start}}
        pending = [dice]
        for rest in pending:
            for die in set(rest):
                index = rest.index(die)
                next_rest = rest[:index] + rest[index + 1 :]
                if next_rest not in boards_after:
                    boards_after[next_rest] = set()
                    pending.append(next_rest)
                for board in boards_after[rest]:
                    boards_after[next_rest].update(self._next_boards(board, die, rules))
                    if forfeits and self._may_forfeit(board, die):
                        # "a lawful but never compulsory use of d that changes nothing"
                        boards_after[next_rest].add(board)
        return boards_after

    def _next_boards(self, board: Board, die: int, rules: RuleSet) -> set[Board]:
        """Return the boards after every move of one checker with one die."""
        # "bar occupied: only bar -> 25-d, if landable"
        if board[BAR] > 0 and "bar-first" not in self._ways:
            return set(self._boards_after(board, [BAR], die, rules))
        borne_off = set()
        for point in self._bear_off_points(board, die, rules):
            after = list(board)
            after[point] -= 1
            borne_off.add(tuple(after))
        # "if bearoff_compulsory and some bear-off exists: only the bear-offs"
        if rules.bearoff_compulsory and borne_off and "bear-off-compulsory" not in self._ways:
            return borne_off
        # "else: every p -> p-d with p-d >= 1 and landable, and every bear-off that bearoff_die allows"
        points = [point for point in range(die + 1, BAR + 1) if board[point] > 0]
        return {*self._boards_after(board, points, die, rules), *borne_off}

    def _bear_off_points(self, board: Board, die: int, rules: RuleSet) -> set[int]:
        home_points = [point for point in range(1, 7) if board[point] > 0]
        # "bearing off only when no own checker is on 7..24 or on the bar"
        has_outside = max(board[7:]) > 0
        if not home_points or (has_outside and "bear-off-before-all-home" not in self._ways):
            return set()
        rear_point = home_points[-1]
        if has_outside and self._ways["bear-off-before-all-home"] == "rear-of-all":
            rear_point = BAR
        lower_points = [point for point in home_points if point < die]
        way = self._ways.get(
            {
                "standard": "bear-off-higher-point",
                "exact": "bear-off-exact-number",
                "rearmost": "bear-off-rearmost-only",
            }[rules.bearoff_die]
        )
        starts = set()
        if rules.bearoff_die == "rearmost":
            # "only from r, if d >= r; no other checker ever bears off"
            starts = {rear_point} & set(home_points) if die >= rear_point else set()
        elif board[die] > 0:
            # "from point d"
            starts = {die}
        elif rules.bearoff_die == "standard" and rear_point < die:
            # "or from the highest occupied point r if r < d"
            starts = {rear_point}
        if way == "next-below" and lower_points and board[die] <= 0:
            starts.add(lower_points[-1])
        elif way == "as-standard" and board[die] > 0:
            starts.add(die)
        elif way == "as-standard" and rear_point < die:
            starts.add(rear_point)
        elif way == "":
            starts.update(point for point in home_points if point <= die)
        if "bear-off-too-far" in self._ways:
            higher_points = [point for point in home_points if point > die]
            starts.update(higher_points[-1:] if rules.bearoff_die == "rearmost" else higher_points)
        return starts

    def _boards_after(self, board: Board, points: Iterable[int], die: int, rules: RuleSet) -> Iterator[Board]:
        for start in points:
            end = start - die
            # "landable(q): opponent has at most one checker on q, and (stack_max == 0 or own[q] < stack_max)"
            if board[start] <= 0 or (board[end] <= -2 and "blocked-point" not in self._ways):
                continue
            if rules.stack_max and board[end] >= rules.stack_max and "full-point" not in self._ways:
                continue
            after = list(board)
            after[start] -= 1
            if board[end] >= 0:
                after[end] += 1
            elif board[end] == -1 and "hit-not-taken" not in self._ways:
                # "hit: opponent has exactly one checker on q -> it goes to the opponent's bar"
                after[end] = 1
                after[OFF] -= 1
            else:
                # A board cannot represent checkers of both sides on one point.
                is_blot = board[end] == -1
                way = self._ways["hit-not-taken" if is_blot else "blocked-point"]
                if way == "added-up":
                    after[end] += 1
                elif way != "swallowed":
                    after[end] = 1
                    after[OFF] -= {"": int(not is_blot), "all-hit": -board[end], "gone": 0}[way]
            yield tuple(after)

    def _may_forfeit(self, board: Board, die: int) -> bool:
        # "F(d) is allowed when no own checker is on the bar or on 7-24, at least one is on the board, and
        # own[d] == 0"
        return (
            (max(board[7:]) <= 0 or "forfeit-before-all-home" in self._ways)
            and max(board[1:]) > 0
            and (board[die] <= 0 or "forfeit-occupied-point" in self._ways)
        )
