"""N-ply search: equities of positions after the next rolls, and the best plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.batch.selection import best_rows
from bgfast.batch.successors import WIN_SCHEMES, Successors, results, successors
from bgfast.batch.validation import BoardsLike, checked_boards
from bgfast.common.probabilities import (
    EQUITY,
    EVALUATION,
    PROBABILITIES,
    Numbers,
    equities_of,
    evaluations_of_points,
    flipped_evaluations,
)
from bgfast.common.rolls import ROLL_WEIGHTS, ROLLS
from bgfast.common.threads import parallel_map
from bgfast.common.validation import (
    dice_pair,
    generated_switches,
    real_number,
    rule_set,
    thread_count,
    whole_number,
)
from bgfast.common.vocabulary import CHECKERS, Boards, Roll
from bgfast.errors import BgfastError, InvalidPositionError, shown
from bgfast.evaluation.cube.efficiency import efficiency_model
from bgfast.evaluation.cube.match_equity import MatchEquityTable
from bgfast.evaluation.cube.stakes import checked_table
from bgfast.evaluation.evaluators._lookahead import CoreLookahead
from bgfast.evaluation.evaluators._network import CoreNetwork
from bgfast.evaluation.evaluators._with_bearoff import CoreWithBearoff
from bgfast.evaluation.evaluators.at_stakes import AtStakes
from bgfast.evaluation.evaluators.equality import EqualBySettings
from bgfast.evaluation.evaluators.evaluators import (
    Evaluator,
    Player,
    Rows,
    TimedEvaluator,
    evaluator_name,
    tells_points,
    under_rules,
)
from bgfast.evaluation.evaluators.ranked_plays import RankedPlay, RankedPlays
from bgfast.position.decision import Decision, refuse_offer, roll_to_play
from bgfast.position.objects import Play, Position
from bgfast.rules import STANDARD, RuleSet, RuleSetLike

__all__ = ["CANDIDATES", "MAX_PLY", "THRESHOLDS", "Evaluation", "Lookahead"]

MAX_PLY = 2
CANDIDATES = (8, 4)
THRESHOLDS = (0.16, 0.04)
MAX_CANDIDATES = 9999
IN_CORE = (CoreNetwork, CoreWithBearoff)
OUT_OF_REACH = 1000.0  # larger than any score of an evaluator that does not return points
BATCH = 128  # boards whose successors after all rolls are in memory at the same time


class Evaluation(NamedTuple):
    """Evaluation of a position for the player on roll.

    Attributes
    ----------
    equity : float
        Cubeful, normalised (EMG), if cube and score count: in money play points in units of the cube; in a
        match 1 for winning as many points as the cube shows, and -1 for losing them. Else cubeless, in points
        at cube 1.
    probabilities : tuple of 5 float, or None
        To win, to win a gammon or more, to win a backgammon, to lose a gammon or more, to lose a backgammon;
        None if the evaluator returns equities.
    cubeful : bool
        True if `equity` is cubeful.
    cubeless_equity : float
        In points at cube 1.
    mwc : float or None
        The chance to win the match, where that counts.
    """

    equity: float
    probabilities: tuple[float, ...] | None
    cubeful: bool
    cubeless_equity: float
    mwc: float | None


class Lookahead(EqualBySettings, Player):
    """N-ply search with another evaluator.

    At 0 plies the evaluation of a position is the evaluator's. At n plies it is the mean over the 21 rolls of
    the (n - 1)-ply evaluation after the evaluator's best play, or, for the last roll, the policy's. Finished
    games count as their result.

    Cube and score of a `Decision` count by default: equities are cubeful, with the cube as it is, both for
    plays and for means. In later turns the player on roll doubles if the formula says that it gains. Equities
    of an evaluator that returns no probabilities stay cubeless.

    Candidates are chosen as by GNU Backgammon's move filters. All plays are evaluated at 0 plies; those of
    the best `candidates` that are within `threshold` of the first are evaluated at 1 ply; the best few of
    these, if `ply` is 2, at 2 plies.

    Parameters
    ----------
    evaluator : evaluator
        The search with a `bgfast.Network` or `WithBearoff` runs in the core, also in rollouts under rules
        whose plays are those of `standard`. Any other evaluator is called with batches of boards.
    ply : {1, 2, 0}
    policy : evaluator, optional
        Chooses the plays of the last roll. A fast policy makes the search fast: it evaluates all successors,
        and `evaluator` only the best of them. By default ``Network.builtin_fast()``
        where the evaluator is ``Network.builtin()``, with bear-off databases or alone, and else `evaluator`
        itself. It must be a `bgfast.Network` if the search runs in the core; databases are the evaluator's.
    candidates : int, or one for each ply, optional
        Maximum number of plays searched one ply deeper: 8, then 4 by default.
    threshold : float, or one for each ply, optional
        Maximum equity loss of plays searched one ply deeper: 0.16, then 0.04 by default.
    rules : RuleSet, or the name of a preset
        Rules of the search. A rollout needs the same.

    Raises
    ------
    BgfastError
        If an argument is wrong. At 1 ply or more `Pubeval` is refused: its values are not in points and
        have no mean. At 0 plies they put plays in order, those that win a game first.

    Notes
    -----
    Called with boards it returns what `evaluator` does, equities or probabilities, in float64. Picklable, and
    safe to call from several threads, if `evaluator` is.

    Examples
    --------
    >>> import bgfast
    >>> player = bgfast.evaluators.Lookahead(bgfast.evaluators.PipCount(), ply=1)
    >>> player(bgfast.random_positions(3, seed=1)).shape
    (3,)
    >>> str(player.best_plays(bgfast.Position.start(), (3, 1))[0].play)
    '8/5 6/5'
    """

    def __new__(cls, evaluator: Any = None, **options: Any) -> Lookahead:
        """Return an instance that plays in the core, if possible."""
        plain = generated_switches(options.get("rules", STANDARD)) is None
        if cls is Lookahead and plain and isinstance(evaluator, IN_CORE):
            return CoreLookahead.__new__(_InCore)
        return super().__new__(cls)

    def __init__(
        self,
        evaluator: Evaluator,
        *,
        ply: int = 1,
        policy: Evaluator | None = None,
        candidates: int | Sequence[int] | None = None,
        threshold: float | Sequence[float] | None = None,
        rules: RuleSetLike = STANDARD,
    ) -> None:
        if not callable(evaluator):
            raise BgfastError(f"evaluator is {shown(evaluator)}; expected a callable on boards")
        if policy is not None and not callable(policy):
            raise BgfastError(f"policy is {shown(policy)}; expected a callable on boards")
        if policy is not None and isinstance(evaluator, IN_CORE) and not isinstance(policy, CoreNetwork):
            raise BgfastError(
                f"policy is {shown(policy)}; expected a Network, since the search runs in the core"
            )
        number = whole_number(ply)
        if number is None or not 0 <= number <= MAX_PLY:
            raise BgfastError(f"ply is {shown(ply)}; expected 0, 1 or {MAX_PLY}")
        if (number and not tells_points(evaluator)) or (policy is not None and not tells_points(policy)):
            raise BgfastError("Pubeval's values are not in points and have no mean; expected ply 0")
        if policy is None and number and isinstance(evaluator, IN_CORE):
            policy = evaluator._usual_policy()
        self.evaluator = evaluator
        self.policy = policy
        self.ply: int = number
        self.rules: RuleSet = rule_set(rules)
        self.candidates: tuple[int, ...] = _each_ply(candidates, CANDIDATES, number, _candidates)
        self.threshold: tuple[float, ...] = _each_ply(threshold, THRESHOLDS, number, _threshold)
        asked = under_rules(evaluator, self.rules)
        self._timed = TimedEvaluator(asked)
        self._timed_policy = (
            self._timed if policy is None else TimedEvaluator(under_rules(policy, self.rules))
        )
        self._with_bearoff = asked if isinstance(asked, CoreWithBearoff) else None
        self._core = self._ahead_in_core(asked) if isinstance(asked, IN_CORE) else None
        if isinstance(asked, IN_CORE):
            self._timed.probabilities = True

    def _ahead_in_core(self, evaluator: CoreNetwork | CoreWithBearoff) -> CoreLookahead | None:
        """Return the search of the core."""
        return CoreLookahead(evaluator, self._core_policy(), *self._core_arguments())

    def _core_policy(self) -> CoreNetwork | None:
        return self.policy if isinstance(self.policy, CoreNetwork) else None

    def _core_arguments(self) -> tuple[Any, ...]:
        scheme = WIN_SCHEMES[self.rules.win_scheme]
        return self.candidates, self.threshold, generated_switches(self.rules), scheme

    def __call__(self, boards: BoardsLike) -> Numbers:
        """Return equities (n,) or probabilities (n, 5) of boards for the player on roll."""
        probabilities = self.returns_probabilities
        evaluations = self._evaluations(checked_boards(boards, CHECKERS), self.ply, CHECKERS)
        return evaluations[:, :PROBABILITIES] if probabilities else evaluations[:, EQUITY]

    def equities(self, boards: BoardsLike) -> Numbers:
        """Return equities of boards for the player on roll, in points at cube 1, shape (n,)."""
        return self._evaluations(checked_boards(boards, CHECKERS), self.ply, CHECKERS)[:, EQUITY]

    def evaluation(
        self,
        position: Position | Decision,
        *,
        cubeless: bool = False,
        met: MatchEquityTable | None = None,
        efficiency: str = "bgfast",
    ) -> Evaluation:
        """Return the evaluation of a position for the player on roll, before the roll and any double.

        Parameters
        ----------
        position : Position or Decision
            Of a decision cube and score count; its dice are not looked at.
        cubeless, met, efficiency
            As `best_plays` has them.

        Returns
        -------
        Evaluation

        Raises
        ------
        InvalidPositionError, InvalidDiceError, BgfastError
            If these are no position, a double waits for an answer, or another argument is wrong.
        """
        decision = position if isinstance(position, Decision) else None
        refuse_offer(decision)
        start = _position(position if decision is None else decision.position)
        at = self._at_stakes(decision, cubeless, met, efficiency)
        probabilities = self.returns_probabilities
        row = self._evaluations(start.to_array()[None], self.ply, start.checkers, at=at)[0]
        (equity,), (mwc,) = _counted(row[None], at)
        told = tuple(row[:PROBABILITIES].tolist()) if probabilities else None
        return Evaluation(row[EQUITY].item(), told, at is not None, equity, mwc)

    def best_plays(
        self,
        position: Position | Decision,
        roll: Roll | None = None,
        *,
        cubeless: bool = False,
        met: MatchEquityTable | None = None,
        efficiency: str = "bgfast",
        threads: int = 1,
    ) -> RankedPlays:
        """Return the plays of a roll, best first, each with the plies it was searched to.

        Parameters
        ----------
        position : Position or Decision
            Of a decision cube and score count, and the thresholds are of normalised equities (EMG); a
            position alone is judged without a cube.
        roll : (int, int), optional
            Not needed for a decision with dice.
        cubeless : bool
            Let cube and score of a decision not count.
        met : MatchEquityTable, optional
            The one that comes with bgfast unless said otherwise.
        efficiency : {"bgfast", "gnubg"}
            How efficient the cube is taken to be, as `bgfast.cube.cube_efficiencies` has it.
        threads : int
            How many share the positions to look ahead from. The result is the same for any number, if an
            evaluator in Python gives the same for a board whatever boards stand beside it; it has to be safe
            for threads then.

        Returns
        -------
        RankedPlays
            A tuple of `RankedPlay`; those that were looked at furthest first. Where no play is legal the one
            thing that may be done, the pass: a `Play` without moves.

        Raises
        ------
        InvalidPositionError, InvalidDiceError
            If the game is over, these are no dice, or others than those of the decision, or a double waits
            for an answer.
        BgfastError
            If `threads` is no number of threads.
        """
        return self._best_plays(position, roll, cubeless, met, efficiency, thread_count(threads))

    def _best_plays(
        self,
        position: Position | Decision,
        roll: Roll | None,
        cubeless: bool,
        met: MatchEquityTable | None,
        efficiency: str,
        threads: int,
        *,
        alone: bool = True,
    ) -> RankedPlays:
        """Return the plays of a roll, best first; `alone` as of `_ranked`."""
        decision = position if isinstance(position, Decision) else None
        at = self._at_stakes(decision, cubeless, met, efficiency)
        start = _position(position if decision is None else decision.position)
        dice = roll_to_play(decision, None if roll is None else dice_pair(roll))
        legal = start.plays(dice, self.rules)
        plays: Sequence[Play] = [*legal] or [legal._pass()]
        probabilities = self.returns_probabilities
        boards = -legal.boards[:, ::-1] if len(legal) else start.flip().to_array()[None]
        next_at = None if at is None else at.flipped()
        if self.ply == 0 and self._with_bearoff is None:  # nothing but a sort: a third of the time
            evaluations = self._evaluations(np.ascontiguousarray(boards), 0, start.checkers, threads, next_at)
            order = evaluations[:, EQUITY].argsort(kind="stable")
            plies = [0] * len(order)
        else:
            found = Successors(np.ascontiguousarray(boards), np.array([0, len(boards)], np.int64), None)
            order, evaluations, judged = self._ranked(
                found, start.checkers, alone=alone, threads=threads, at=next_at
            )
            plies = judged[order].tolist()
        own = flipped_evaluations(evaluations[order])
        cubeless_equities, mwc = _counted(own, at)
        rows: list[list[float]] = own.tolist()
        best = rows[0][EQUITY]
        return RankedPlays(
            [
                RankedPlay(
                    plays[play],
                    row[EQUITY],
                    row[EQUITY] - best,
                    tuple(row[:PROBABILITIES]) if probabilities else None,
                    ply,
                    at is not None,
                    cubeless_equity,
                    chance,
                )
                for play, row, ply, cubeless_equity, chance in zip(
                    order.tolist(), rows, plies, cubeless_equities, mwc, strict=True
                )
            ]
        )

    def roll_equities(
        self,
        position: Position | Decision,
        *,
        cubeless: bool = False,
        met: MatchEquityTable | None = None,
        efficiency: str = "bgfast",
    ) -> Numbers:
        """Return the equity of each roll after the play that is best at 0 plies.

        Parameters, errors
            As `evaluation` has them.

        Returns
        -------
        ndarray of float64, shape (21,)
            In the order of `bgfast.ROLLS`: equities, cubeful and normalised (EMG) if cube and score count.

        Examples
        --------
        >>> import bgfast
        >>> player = bgfast.evaluators.Lookahead(bgfast.evaluators.PipCount(), ply=0)
        >>> bgfast.ROLLS[int(player.roll_equities(bgfast.Position.start()).argmax())]
        (6, 6)
        """
        decision = position if isinstance(position, Decision) else None
        refuse_offer(decision)
        start = _position(position if decision is None else decision.position)
        at = self._at_stakes(decision, cubeless, met, efficiency)
        found = successors(start.to_array()[None], "all", rules=self.rules, flip=True, passes="keep")
        next_at = None if at is None else at.flipped()
        equities = self._evaluations(found.boards, 0, start.checkers, at=next_at)[:, EQUITY]
        if self._with_bearoff is not None:
            equities = np.where(self._with_bearoff.left_out(*found[:2]), np.inf, equities)
        best: Numbers = -np.minimum.reduceat(equities, found.offsets[:-1])
        return best

    def chosen(self, found: Successors, checkers: int) -> Rows:
        """Return the row of the best play of each segment; -1 for an empty one."""
        rows = np.full(len(found.offsets) - 1, -1, np.int64)
        order, _, _ = self._ranked(found, checkers, alone=False)
        filled = found.offsets[1:] > found.offsets[:-1]
        rows[filled] = order[found.offsets[:-1][filled]]
        return rows

    def _ranked(
        self,
        found: Successors,
        checkers: int,
        *,
        alone: bool = True,
        threads: int = 1,
        at: AtStakes | None = None,
    ) -> tuple[Rows, Numbers, Rows]:
        """Sort the rows of each segment, best first; the values are the next player's.

        With `alone` a play that is left over alone is looked at as far as others would be. `at` is the next
        player's, too; None without a cube.
        """
        owners = found.owners
        evaluations = np.empty((len(found.boards), EVALUATION))
        judged = np.zeros(len(found.boards), np.int64)
        rows = np.arange(len(found.boards))
        left_out = None if self._with_bearoff is None else self._with_bearoff.left_out(*found[:2])
        dropped: list[Rows] = []  # at each ply
        for ply in range(self.ply + 1):
            asked = rows if alone else rows[in_company(owners[rows])]
            evaluations[asked] = self._evaluations(found.boards[asked], ply, checkers, threads, at)
            judged[asked] = ply
            rows = rows[np.lexsort((evaluations[rows, EQUITY], owners[rows]))]
            if ply == 0 and left_out is not None:
                dropped.append(rows[left_out[rows]])
                rows = rows[~left_out[rows]]
            if ply < self.ply:
                limits = self.threshold[ply], self.candidates[ply]
                passed = near_best(evaluations[rows, EQUITY], owners[rows], *limits)
                dropped.append(rows[~passed])
                rows = rows[passed]
        order = np.concatenate([rows, *reversed(dropped)])
        return order[np.argsort(owners[order], kind="stable")], evaluations, judged

    def _evaluations(
        self, boards: Boards, ply: int, checkers: int, threads: int = 1, at: AtStakes | None = None
    ) -> Numbers:
        """Return the five probabilities and the equity of boards, finished or not, at `ply` plies."""
        if self._core is not None:
            return _in_core(self._core, boards, ply, checkers, threads, at)
        result = results(boards, self.rules, checkers)
        if ply == 0:
            evaluations = self._timed.evaluations(boards, result)
            if at is not None:
                at.make_cubeful(evaluations, boards)
            elif not tells_points(self.evaluator):  # whose values may be above those of a finished game
                evaluations[result != 0, EQUITY] *= OUT_OF_REACH
            return evaluations
        evaluations = evaluations_of_points(result)
        if at is not None:
            at.make_cubeful(evaluations, boards)  # for those that are finished
        (unfinished,) = np.nonzero(result == 0)
        step = min(BATCH, max(1, -(-len(unfinished) // threads)))
        parts = [unfinished[at : at + step] for at in range(0, len(unfinished), step)]
        means = parallel_map(lambda part: self._means(boards[part], ply, checkers, at), parts, threads)
        for part, found in zip(parts, means, strict=True):
            evaluations[part] = found
        return evaluations

    def _means(self, boards: Boards, ply: int, checkers: int, at: AtStakes | None) -> Numbers:
        """Return the means over the rolls for unfinished boards."""
        other_side = None if at is None else at.flipped()
        found = successors(boards, "all", rules=self.rules, flip=True, passes="keep")
        result = results(found.boards, self.rules, checkers)
        chooser = self._timed_policy if ply == 1 else self._timed
        evaluations = chooser.evaluations(found.boards, result)
        if other_side is not None and chooser.probabilities:
            other_side.make_cubeful(evaluations, found.boards)
        best = best_rows(evaluations[:, EQUITY], found.offsets, best="min")
        if ply == 1 and self.policy is None:
            after = evaluations[best]
        else:
            after = self._evaluations(found.boards[best], ply - 1, checkers, at=other_side)
        if other_side is not None:
            other_side.let_double(after, found.boards[best])
        by_roll = flipped_evaluations(after).reshape(len(boards), len(ROLLS), EVALUATION)
        total = np.zeros((len(boards), EVALUATION))
        for roll, weight in enumerate(ROLL_WEIGHTS):  # in this order for any batch
            total += weight * by_roll[:, roll]
        return total / sum(ROLL_WEIGHTS)

    def _at_stakes(
        self, decision: Decision | None, cubeless: bool, met: MatchEquityTable | None, efficiency: str
    ) -> AtStakes | None:
        """Return the stakes from the mover's side; None for cubeless equities."""
        if not isinstance(cubeless, bool):
            raise BgfastError(f"cubeless is {shown(cubeless)}; expected True or False")
        checked_table(met)
        efficiency_model(efficiency)
        if decision is None or cubeless or not self.returns_probabilities:
            return None
        return AtStakes.of(decision, met, efficiency)

    @property
    def returns_probabilities(self) -> bool:
        """True if the evaluator returns five probabilities, False if equities."""
        if self._timed.probabilities is None:
            self._timed.evaluations(Position.start().to_array()[None], np.zeros(1, np.int8))
        return bool(self._timed.probabilities)

    @property
    def name(self) -> str:
        """Fingerprint for rollouts and their checkpoints."""
        more = "" if self.rules == STANDARD else f", rules={self.rules}"
        filters = f", candidates={self.candidates}, threshold={self.threshold}" if self.ply else ""
        policy = "" if self.policy is None else f", policy={evaluator_name(self.policy)}"
        return f"Lookahead({evaluator_name(self.evaluator)}, ply={self.ply}{policy}{filters}{more})"

    def __repr__(self) -> str:
        """Return the name."""
        return self.name

    def _settings(self) -> tuple[Any, ...]:
        return self.evaluator, self.policy, self.ply, self.candidates, self.threshold, self.rules

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the constructor call."""
        options: dict[str, Any] = {
            "ply": self.ply,
            "policy": self.policy,
            "candidates": self.candidates,
            "threshold": self.threshold,
            "rules": self.rules,
        }
        return partial(Lookahead, **options), (self.evaluator,)


class _InCore(Lookahead, CoreLookahead):
    """N-ply search that runs in the core, also as a player of rollouts."""

    def _ahead_in_core(self, evaluator: CoreNetwork | CoreWithBearoff) -> CoreLookahead | None:
        CoreLookahead.__init__(self, evaluator, self._core_policy(), *self._core_arguments())
        return None  # a reference to itself would keep it alive

    def _evaluations(
        self, boards: Boards, ply: int, checkers: int, threads: int = 1, at: AtStakes | None = None
    ) -> Numbers:
        return _in_core(self, boards, ply, checkers, threads, at)


def _in_core(
    player: CoreLookahead, boards: Boards, ply: int, checkers: int, threads: int, at: AtStakes | None
) -> Numbers:
    evaluations = np.empty((len(boards), EVALUATION))
    stakes, model = (None, 0) if at is None else at
    player.evaluations_into(boards, ply, checkers, evaluations, threads, stakes, model)
    return evaluations


def _counted(evaluations: Numbers, at: AtStakes | None) -> tuple[list[float], list[float] | list[None]]:
    """Return cubeless equities and match-winning chances."""
    if at is None:
        return evaluations[:, EQUITY].tolist(), [None] * len(evaluations)
    cubeless: list[float] = equities_of(evaluations[:, :PROBABILITIES]).tolist()
    return cubeless, at.mwc(evaluations[:, EQUITY])


def _position(given: Any) -> Position:
    if not isinstance(given, Position):
        raise InvalidPositionError(f"position is {shown(given)}; expected a Position")
    return given


def near_best(equities: Numbers, owners: Rows, threshold: float, most: float) -> npt.NDArray[np.bool_]:
    """Return which rows are among the first few of their segment and near its first, in ascending order."""
    first = np.searchsorted(owners, owners)
    near = equities <= equities[first] + threshold
    passed: npt.NDArray[np.bool_] = near & (np.arange(len(owners)) - first < most)
    return passed


def in_company(owners: Rows) -> npt.NDArray[np.bool_]:
    """Return which rows have others in their segment."""
    company: npt.NDArray[np.bool_] = np.bincount(owners)[owners] > 1 if len(owners) else np.empty(0, bool)
    return company


def _each_ply(given: Any, default: tuple[Any, ...], ply: int, read: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Return one number for each ply of the search."""
    if given is None:
        return default[:ply]
    if isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, str):
        numbers = tuple(map(read, given))
        if len(numbers) != ply:
            raise BgfastError(
                f"{shown(given)} has {len(numbers)} numbers for {ply} plies; expected one for each"
            )
        return numbers
    return (read(given),) * ply


def _candidates(value: Any) -> int:
    number = whole_number(value)
    if number is None or not 1 <= number <= MAX_CANDIDATES:
        raise BgfastError(
            f"candidates is {shown(value)}; expected a whole number from 1 to {MAX_CANDIDATES:,}, "
            "or one for each ply"
        )
    return number


def _threshold(value: Any) -> float:
    number = real_number(value)
    if number is None or not number >= 0:
        raise BgfastError(
            f"threshold is {shown(value)}; expected points, 0 or more, or a number for each ply"
        )
    return number
