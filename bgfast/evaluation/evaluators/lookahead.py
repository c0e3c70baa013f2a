"""N-ply search: equities of positions after the next rolls, and the best plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from bgfast.batch.selection import best_rows
from bgfast.batch.successors import (
    WIN_SCHEMES,
    BoardsLike,
    Successors,
    results,
    successors,
    unbatch,
    validate_boards,
)
from bgfast.common.foreign_names import names_arguments, names_missing
from bgfast.common.probabilities import (
    EQUITY,
    EVALUATION,
    PROBABILITIES,
    Numbers,
    equities_of,
    evaluations_of_points,
    flip_evaluations,
)
from bgfast.common.threads import parallel_map
from bgfast.common.validation import (
    CHECKERS,
    ROLL_WEIGHTS,
    ROLLS,
    Boards,
    RollLike,
    flag,
    generator_switches,
    real_number,
    rule_set,
    thread_count,
    whole_number,
)
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.cubeful import CubeModel
from bgfast.evaluation.efficiency import efficiency_model
from bgfast.evaluation.evaluators._lookahead import SHORTLISTS, CoreLookahead, make_ranked_plays
from bgfast.evaluation.evaluators._network import CoreNetwork
from bgfast.evaluation.evaluators._with_bearoff import CoreWithBearoff
from bgfast.evaluation.evaluators.evaluators import (
    EqualBySettings,
    EvaluatorLike,
    PolicyEvaluator,
    Rows,
    TimedEvaluator,
    evaluator_name,
    returns_points,
    under_rules,
)
from bgfast.evaluation.evaluators.exact_tables import exact_tables, table_for
from bgfast.evaluation.evaluators.names import evaluator_of
from bgfast.evaluation.evaluators.ranked_plays import Evaluation, RankedPlay, RankedPlays
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import DecisionLike, subject_decision, validate_table
from bgfast.position.decision import Decision, after_turn
from bgfast.position.objects import Play, Position
from bgfast.position.position_text import refuse_offer, roll_to_play
from bgfast.rules import STANDARD, RuleSet, RuleSetLike

MAX_PLY = 2
CANDIDATES = (8, 4)
THRESHOLDS = (0.16, 0.04)
MAX_CANDIDATES = 9999
CORE_EVALUATORS = (CoreNetwork, CoreWithBearoff)
FINISHED_FACTOR = 1000.0  # makes finished games outweigh values that are not points
BATCH = 128  # boards whose successors after all rolls are in memory at the same time


@names_missing
class Lookahead(EqualBySettings, PolicyEvaluator):
    """N-ply search with an evaluator.

    The 0-ply evaluation of a position is the evaluator's. The n-ply evaluation is the mean over the 21 rolls
    of the (n - 1)-ply evaluation after the best play, which the evaluator chooses at 0 plies, from the plays
    that the policy shortlists. Finished games count as their result. Plays are searched ply by ply;
    `candidates` and `threshold` limit them as GNU Backgammon's move filters do.

    With a `Decision`, equities are cubeful by default; plays are chosen with the cube in its current state.
    In later turns the player on roll doubles if the cube formula shows a gain. Equities of an evaluator that
    returns no probabilities are cubeless.

    Parameters
    ----------
    evaluator : evaluator, name or file, optional
        A search with `bgfast.Network` or `WithBearoff` runs in the core (in rollouts, only under rules with
        the same plays as `standard`). Other evaluators are called with batches of boards.
    ply : {1, 2, 0}
        Depth of the search.
    policy : evaluator, name or file, optional
        Shortlists the plays of each roll: for the last roll up to three within 0.06 points of the best,
        otherwise up to six within 0.12. It evaluates all successors, `evaluator` only the shortlist. The
        default is ``Network.builtin_fast()`` if the evaluator is ``Network.builtin()``, with or without
        bear-off databases, else the evaluator itself. In the core it must be a `bgfast.Network`, which is
        combined with the evaluator's databases; only the network of a `WithBearoff` is used.
    candidates : int, or sequence of int (one per ply), optional
        Maximum number of plays searched one ply deeper; default 8, then 4.
    threshold : float, or sequence of float (one per ply), optional
        Maximum equity loss of plays searched one ply deeper; default 0.16, then 0.04.
    rules : RuleSet, or the name of a preset
        Rules of the search. A rollout with the search needs the same rules.

    Raises
    ------
    BgfastError
        If an argument is invalid. `Pubeval` needs `ply` 0, since its values cannot be averaged.

    See Also
    --------
    bgfast.Network.best_plays : Search with a network.

    Notes
    -----
    A call with boards returns float64 equities or probabilities, as `evaluator` does. Picklable and
    thread-safe if `evaluator` is.

    Examples
    --------
    >>> import bgfast
    >>> player = bgfast.evaluators.Lookahead("pip-count", ply=1)
    >>> player(bgfast.random_positions(3, seed=1)).shape
    (3,)
    >>> str(player.best_plays(bgfast.Position(), "31")[0].play)
    '8/5 6/5'
    """

    def __init__(
        self,
        evaluator: EvaluatorLike | None = None,
        *,
        ply: int = 1,
        policy: EvaluatorLike | None = None,
        candidates: int | Sequence[int] | None = None,
        threshold: float | Sequence[float] | None = None,
        rules: RuleSetLike = STANDARD,
    ) -> None:
        evaluator = evaluator_of(evaluator)
        policy = None if policy is None else evaluator_of(policy, "policy")
        is_native = isinstance(evaluator, CORE_EVALUATORS)
        if is_native:  # a policy only orders candidates, so only the network of a `WithBearoff` is used
            policy = getattr(policy, "network", policy)
        if policy is not None and is_native and not isinstance(policy, CoreNetwork):
            raise BgfastError(
                f"policy is {short_repr(policy)}; expected a Network, since the search runs in the core"
            )
        depth = whole_number(ply)
        if depth is None or not 0 <= depth <= MAX_PLY:
            raise BgfastError(f"ply is {short_repr(ply)}; expected 0, 1 or {MAX_PLY}")
        if (depth and not returns_points(evaluator)) or (policy is not None and not returns_points(policy)):
            raise BgfastError("Pubeval's values are not points and cannot be averaged; expected ply 0")
        if policy is None and depth and isinstance(evaluator, CORE_EVALUATORS):
            policy = evaluator._default_policy()
        self.evaluator = evaluator
        self.policy = policy
        self.ply: int = depth
        self.rules: RuleSet = rule_set(rules)
        self.candidates: tuple[int, ...] = _by_ply(candidates, CANDIDATES, depth, _validate_candidates)
        self.threshold: tuple[float, ...] = _by_ply(threshold, THRESHOLDS, depth, _validate_threshold)
        search_evaluator, search_policy = (under_rules(item, self.rules) for item in (evaluator, policy))
        self._timed = TimedEvaluator(search_evaluator, rules=self.rules)
        self._timed_policy = TimedEvaluator(search_policy, rules=self.rules)
        self._with_bearoff = search_evaluator if isinstance(search_evaluator, CoreWithBearoff) else None
        self._core: CoreLookahead | None = None
        switches = generator_switches(self.rules)
        if is_native:
            limits = self.candidates, self.threshold, switches, WIN_SCHEMES[self.rules.win_scheme]
            self._core = CoreLookahead(search_evaluator, search_policy, *limits)
        # A core policy generates `standard` plays and would ignore the overrides of a subclass.
        self._native = self._core if switches is None and type(self) is Lookahead else None

    def __call__(self, boards: BoardsLike) -> Numbers:
        """Return equities (n,) or probabilities (n, 5) of boards, a float or (5,) for one board."""
        probabilities = self.returns_probabilities
        evaluations = self._evaluations(validate_boards(boards, CHECKERS), self.ply, CHECKERS)
        values = evaluations[:, :PROBABILITIES] if probabilities else evaluations[:, EQUITY]
        result: Numbers = unbatch(boards, values)
        return result

    @overload
    def equities(self, boards: Position) -> float: ...  # pyright: ignore[reportOverlappingOverload]
    @overload
    def equities(self, boards: BoardsLike) -> Numbers: ...
    def equities(self, boards: BoardsLike) -> Numbers | float:
        """Return equities of boards for the player on roll, in points at cube 1: (n,), or a float for one."""
        evaluations = self._evaluations(validate_boards(boards, CHECKERS), self.ply, CHECKERS)
        equities: Numbers | float = unbatch(boards, evaluations[:, EQUITY])
        return equities

    def evaluation(
        self,
        position: DecisionLike,
        *,
        cubeless: bool = False,
        met: MatchEquityTable | None = None,
        efficiency: str = "bgfast",
    ) -> Evaluation:
        """Return the evaluation of a position for the player on roll, before the roll and any double.

        The equity of a decision, which has a cube and a score, is cubeful; the equity of a position is
        cubeless. Dice are ignored. Parameters and errors are as for `best_plays`.
        """
        start, cube_model = self._position_and_cube_model(position, cubeless, met, efficiency)
        probabilities = self.returns_probabilities
        row = self._evaluations(start.to_array()[None], self.ply, start.checkers, cube_model=cube_model)[0]
        (equity,), (mwc,) = _cubeless_and_mwc(row[None], cube_model)
        chances = tuple(row[:PROBABILITIES].tolist()) if probabilities else None
        return Evaluation(row[EQUITY].item(), chances, cube_model is not None, equity, mwc)

    @names_arguments
    def best_plays(
        self,
        position: DecisionLike,
        roll: RollLike | None = None,
        *,
        cubeless: bool = False,
        met: MatchEquityTable | None = None,
        efficiency: str = "bgfast",
        threads: int = 1,
    ) -> RankedPlays:
        """Return the plays of a roll, best first, with the depth each was searched to.

        Parameters
        ----------
        position : Position, Decision, Game, text, or board of 26 numbers
            For a decision, which has cube and score, `threshold` applies to normalised equities (EMG). After
            each play the opponent doubles if that gains equity. Equities are exact at any ply if the
            evaluator's tables cover all resulting positions with cube and score; probabilities and cubeless
            equities always come from the search. A position is evaluated without a cube.
        roll : (int, int) or text, optional
            Not needed for a decision with dice.
        cubeless : bool
            True to ignore the cube and the score of a decision.
        met : MatchEquityTable, optional
            Default: the match equity table of the evaluator's exact tables, if any, else the built-in table.
        efficiency : {"bgfast", "gnubg"}
            Model of the cube efficiency; see `bgfast.cube.cube_efficiencies`.
        threads : int
            The result is the same for any number, provided that values of a Python evaluator do not depend on
            the rest of the batch. A Python evaluator must be thread-safe.

        Returns
        -------
        RankedPlays
            Deepest evaluations first. If no play is legal, a pass: a `Play` without moves.

        Raises
        ------
        InvalidPositionError, InvalidDiceError, BgfastError
            If the game is over, the dice are invalid or differ from the decision's, a double is to be
            answered, or another argument is invalid.
        """
        return self._best_plays(position, roll, cubeless, met, efficiency, thread_count(threads))

    def _best_plays(
        self,
        position: DecisionLike,
        roll: RollLike | None,
        cubeless: bool,
        met: MatchEquityTable | None,
        efficiency: str,
        threads: int,
        *,
        search_lone: bool = True,
    ) -> RankedPlays:
        """Return the plays of a roll, best first; `search_lone` as for `_rank_rows`."""
        decision, start = _decision_and_position(position)
        if decision is not None and met is None and hasattr(self.evaluator, "exact_tables"):
            met = table_for(self.evaluator, after_turn(decision, start), met, self.rules)
        cube_model = self._cube_model(decision, cubeless, met, efficiency)
        legal_plays = start.plays(roll_to_play(decision, roll), self.rules)
        plays: list[Play] = [*legal_plays] or [legal_plays._pass()]
        has_probabilities = self.returns_probabilities
        boards = start.flip().to_array()[None]
        if len(legal_plays):
            boards = np.negative(legal_plays.boards[:, ::-1], order="C")
        next_model = None if cube_model is None else cube_model.flip()
        if self.ply == 0 and self._with_bearoff is None:  # sorting is enough and takes a third of the time
            evaluations = self._evaluations(boards, 0, start.checkers, threads, next_model)
            order = evaluations[:, EQUITY].argsort(kind="stable")
            depths = np.zeros(len(order), np.int64)
        else:
            segment = Successors(boards, np.array([0, len(boards)], np.int64), None)
            order, evaluations, depths = self._rank_rows(
                segment, start.checkers, search_lone=search_lone, threads=threads, cube_model=next_model
            )
        if decision is not None and next_model is not None:
            equities_before = evaluations[:, EQUITY].copy()
            next_model.let_double(evaluations, boards)
            self._make_exact(decision, plays, evaluations, depths, met)
            if (evaluations[:, EQUITY] != equities_before).any():
                order = order[np.lexsort((evaluations[order, EQUITY], -depths[order]))]
        return _make_ranked_plays(plays, evaluations, order, depths, has_probabilities, cube_model)

    def _make_exact(
        self, decision: Decision, plays: list[Play], evaluations: Numbers, depths: Rows, met: Any
    ) -> None:
        """Replace equities after plays by exact ones if the evaluator's tables cover all unfinished games."""
        if not hasattr(self.evaluator, "exact_tables"):
            return
        after = after_turn(decision, decision.position)
        rows = [row for row, play in enumerate(plays) if play.position.winner is None]
        positions = [plays[row].position for row in rows]
        tables = exact_tables(self.evaluator, after, positions, met, self.rules)
        if tables is not None:
            boards = np.stack([position.to_array() for position in positions])
            evaluations[rows, EQUITY] = tables.cube_actions(boards, after, met=met).best
            depths[:] = self.ply

    def _search_play(
        self, decision: Decision, play: Play, met: MatchEquityTable | None, efficiency: str
    ) -> RankedPlay:
        """Return a play that does not end the game, as `best_plays` evaluates it at full depth."""
        cube_model = self._cube_model(decision, False, met, efficiency)
        assert cube_model is not None
        next_model = cube_model.flip()
        board = play.position.to_array()[None]
        evaluations = self._evaluations(board, self.ply, play.position.checkers, cube_model=next_model)
        next_model.let_double(evaluations, board)
        zero = np.zeros(1, np.int64)
        return _make_ranked_plays([play], evaluations, zero, zero + self.ply, True, cube_model)[0]

    def roll_equities(
        self,
        position: DecisionLike,
        *,
        cubeless: bool = False,
        met: MatchEquityTable | None = None,
        efficiency: str = "bgfast",
    ) -> Numbers:
        """Return the equity of each roll after the best play at 0 plies, float64 (21,).

        Parameters and errors are as for `evaluation`. Equities are in the order of `bgfast.ROLLS`, cubeful
        and normalised (EMG) for a decision, unless `cubeless`.

        Examples
        --------
        >>> import bgfast
        >>> player = bgfast.evaluators.Lookahead("pip-count", ply=0)
        >>> bgfast.ROLLS[int(player.roll_equities(bgfast.Position()).argmax())]
        (6, 6)
        """
        start, cube_model = self._position_and_cube_model(position, cubeless, met, efficiency)
        plays = successors(start.to_array()[None], "all", rules=self.rules, flip=True, passes="keep")
        next_model = None if cube_model is None else cube_model.flip()
        equities = self._evaluations(plays.boards, 0, start.checkers, cube_model=next_model)[:, EQUITY]
        if self._with_bearoff is not None:
            equities = np.where(self._with_bearoff._exclusion_mask(*plays[:2]), np.inf, equities)
        best: Numbers = -np.minimum.reduceat(equities, plays.offsets[:-1])
        return best

    def _position_and_cube_model(
        self, position: Any, cubeless: bool, met: MatchEquityTable | None, efficiency: str
    ) -> tuple[Position, CubeModel | None]:
        """Return the position and its cube model from the mover's side; refuse an offered double."""
        decision, start = _decision_and_position(position)
        refuse_offer(decision)
        return start, self._cube_model(decision, cubeless, met, efficiency)

    def _choose_rows(self, plays: Successors, checkers: int) -> Rows:
        """Return the row of the best play of each segment; -1 for an empty segment."""
        rows = np.full(len(plays.offsets) - 1, -1, np.int64)
        order, _, _ = self._rank_rows(plays, checkers, search_lone=False)
        is_nonempty = plays.offsets[1:] > plays.offsets[:-1]
        rows[is_nonempty] = order[plays.offsets[:-1][is_nonempty]]
        return rows

    def _rank_rows(
        self,
        plays: Successors,
        checkers: int,
        *,
        search_lone: bool = True,
        threads: int = 1,
        cube_model: CubeModel | None = None,
    ) -> tuple[Rows, Numbers, Rows]:
        """Return the order of the rows in each segment, best first, their evaluations and depths.

        Evaluations and `cube_model` are from the next player's side. Unless `search_lone`, a candidate
        without rivals left in its segment is not searched deeper.
        """
        owners = plays.owners
        evaluations = np.empty((len(plays.boards), EVALUATION))
        depths = np.zeros(len(plays.boards), np.int64)
        rows = np.arange(len(plays.boards))
        is_excluded = None if self._with_bearoff is None else self._with_bearoff._exclusion_mask(*plays[:2])
        removed_rows: list[Rows] = []  # by ply
        for ply in range(self.ply + 1):
            searched_rows = rows if search_lone else rows[has_rivals(owners[rows])]
            evaluations[searched_rows] = self._evaluations(
                plays.boards[searched_rows], ply, checkers, threads, cube_model
            )
            depths[searched_rows] = ply
            rows = rows[np.lexsort((evaluations[rows, EQUITY], owners[rows]))]
            if ply == 0 and is_excluded is not None:
                removed_rows.append(rows[is_excluded[rows]])
                rows = rows[~is_excluded[rows]]
            if ply < self.ply:
                limits = self.threshold[ply], self.candidates[ply]
                is_within = filter_mask(evaluations[rows, EQUITY], owners[rows], *limits)
                removed_rows.append(rows[~is_within])
                rows = rows[is_within]
        order = np.concatenate([rows, *reversed(removed_rows)])
        return order[np.argsort(owners[order], kind="stable")], evaluations, depths

    def _evaluations(
        self, boards: Boards, ply: int, checkers: int, threads: int = 1, cube_model: CubeModel | None = None
    ) -> Numbers:
        """Return the five probabilities and the equity of boards, finished or not, at `ply` plies."""
        if self._core is not None:
            evaluations = np.empty((len(boards), EVALUATION))
            stakes, model = (None, 0) if cube_model is None else cube_model
            self._core._evaluations_into(boards, ply, checkers, evaluations, threads, stakes, model)
            return evaluations
        result = results(boards, self.rules, checkers)
        if ply == 0:
            evaluations = _evaluate(self._timed, boards, result, checkers, cube_model)
            if not returns_points(self.evaluator):  # values may exceed the points of a finished game
                evaluations[result != 0, EQUITY] *= FINISHED_FACTOR
            return evaluations
        evaluations = evaluations_of_points(result)
        if cube_model is not None:
            cube_model.make_cubeful(evaluations, boards)  # for finished games; unfinished games follow below
        (unfinished,) = np.nonzero(result == 0)
        step = min(BATCH, max(1, -(-len(unfinished) // threads)))
        batches = [unfinished[first : first + step] for first in range(0, len(unfinished), step)]
        means = parallel_map(
            lambda batch: self._means(boards[batch], ply, checkers, cube_model), batches, threads
        )
        for batch, batch_means in zip(batches, means, strict=True):
            evaluations[batch] = batch_means
        return evaluations

    def _means(self, boards: Boards, ply: int, checkers: int, cube_model: CubeModel | None) -> Numbers:
        """Return the mean evaluations over the rolls for unfinished boards."""
        next_model = None if cube_model is None else cube_model.flip()
        plays = successors(boards, "all", rules=self.rules, flip=True, passes="keep")
        result = results(plays.boards, self.rules, checkers)
        rows = np.arange(len(plays.boards))
        if self.policy is not None:
            equities = _evaluate(self._timed_policy, plays.boards, result, checkers, next_model)[:, EQUITY]
            max_rows, loss = SHORTLISTS[ply - 1]
            order = np.lexsort((equities, plays.owners))
            rows = np.sort(order[filter_mask(equities[order], plays.owners[order], loss, max_rows)])
        evaluations = np.empty((len(plays.boards), EVALUATION))
        evaluations[rows] = _evaluate(self._timed, plays.boards[rows], result[rows], checkers, next_model)
        owners = plays.owners[rows]
        offsets = np.searchsorted(owners, np.arange(len(plays.offsets)))
        best = rows[best_rows(evaluations[rows, EQUITY], offsets, best="min")]
        after = evaluations[best]
        if ply > 1:
            after = self._evaluations(plays.boards[best], ply - 1, checkers, cube_model=next_model)
        if next_model is not None:
            next_model.let_double(after, plays.boards[best])
        by_roll = flip_evaluations(after).reshape(len(boards), len(ROLLS), EVALUATION)
        total = np.zeros((len(boards), EVALUATION))
        for roll, weight in enumerate(ROLL_WEIGHTS):  # a fixed order, independent of the batch
            total += weight * by_roll[:, roll]
        return total / sum(ROLL_WEIGHTS)

    def _cube_model(
        self, decision: Decision | None, cubeless: bool, met: MatchEquityTable | None, efficiency: str
    ) -> CubeModel | None:
        """Return the cube model from the mover's side; None for cubeless equities."""
        is_cubeless = flag("cubeless", cubeless)
        validate_table(met)
        efficiency_model(efficiency)
        if decision is None or is_cubeless or not self.returns_probabilities:
            return None
        return CubeModel.of(decision, met, efficiency)

    @property
    def returns_probabilities(self) -> bool:
        """True if the evaluator returns five probabilities, False if equities."""
        if self._timed.probabilities is None:
            self._timed.evaluations(Position.start().to_array()[None], np.zeros(1, np.int8))
        return bool(self._timed.probabilities)

    @property
    def _only_orders(self) -> bool:
        return not returns_points(self.evaluator)

    @property
    def name(self) -> str:
        """Fingerprint for rollouts and their checkpoints."""
        rules = "" if self.rules == STANDARD else f", rules={self.rules}"
        filters = f", candidates={self.candidates}, threshold={self.threshold}" if self.ply else ""
        policy = "" if self.policy is None else f", policy={evaluator_name(self.policy)}"
        return f"Lookahead({evaluator_name(self.evaluator)}, ply={self.ply}{policy}{filters}{rules})"

    def __repr__(self) -> str:
        return self.name

    def _settings(self) -> tuple[Any, ...]:
        return self.evaluator, self.policy, self.ply, self.candidates, self.threshold, self.rules

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the constructor call."""
        names = ("ply", "policy", "candidates", "threshold", "rules")
        return partial(Lookahead, **{name: getattr(self, name) for name in names}), (self.evaluator,)


def _make_ranked_plays(
    plays: list[Play],
    evaluations: Numbers,
    order: Rows,
    depths: Rows,
    has_probabilities: bool,
    cube_model: CubeModel | None,
) -> RankedPlays:
    """Return plays in `order`; evaluations are from the next player's side, `cube_model` from the mover's."""
    cubeless_equities = mwc = None
    if cube_model is not None:
        cubeless_equities, mwc = _cubeless_and_mwc(flip_evaluations(evaluations[order]), cube_model)
    return make_ranked_plays(plays, evaluations, order, depths, has_probabilities, cubeless_equities, mwc)


def _evaluate(
    evaluator: TimedEvaluator,
    boards: Boards,
    result: npt.NDArray[np.int8],
    checkers: int,
    cube_model: CubeModel | None,
) -> Numbers:
    """Return evaluations at 0 plies, cubeful with `cube_model` if the evaluator returns probabilities."""
    evaluations = evaluator.evaluations(boards, result, checkers)
    if cube_model is not None and evaluator.probabilities:
        cube_model.make_cubeful(evaluations, boards)
    return evaluations


def _cubeless_and_mwc(
    evaluations: Numbers, cube_model: CubeModel | None
) -> tuple[list[float], list[float] | list[None]]:
    if cube_model is None:
        return evaluations[:, EQUITY].tolist(), [None] * len(evaluations)
    cubeless: list[float] = equities_of(evaluations[:, :PROBABILITIES]).tolist()
    return cubeless, cube_model.mwc(evaluations[:, EQUITY])


def _decision_and_position(position: Any) -> tuple[Decision | None, Position]:
    if isinstance(position, Position):
        return None, position
    subject = position if isinstance(position, Decision) else subject_decision(position)
    return (None, subject) if isinstance(subject, Position) else (subject, subject.position)


def filter_mask(equities: Numbers, owners: Rows, threshold: float, max_rows: int) -> npt.NDArray[np.bool_]:
    """Return the mask of the first `max_rows` rows of each segment that are within `threshold` of its first.

    Equities ascend in each segment.
    """
    first = np.searchsorted(owners, owners)
    is_near = equities <= equities[first] + threshold
    return is_near & (np.arange(len(owners)) - first < max_rows)


def has_rivals(owners: Rows) -> npt.NDArray[np.bool_]:
    """Return the mask of the rows that are not alone in their segment."""
    return np.bincount(owners)[owners] > 1 if len(owners) else np.empty(0, bool)


def _by_ply(value: Any, default: tuple[Any, ...], ply: int, read: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Return a number for each ply of the search."""
    if value is None:
        return default[:ply]
    if isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str):
        items = tuple(map(read, value))
        if len(items) == ply:
            return items
        raise BgfastError(f"{short_repr(value)} has {len(items)} numbers for ply={ply}; expected one per ply")
    return (read(value),) * ply


def _validate_candidates(value: Any) -> int:
    count = whole_number(value)
    if count is None or not 1 <= count <= MAX_CANDIDATES:
        raise BgfastError(
            f"candidates is {short_repr(value)}; expected a whole number from 1 to {MAX_CANDIDATES:,}, "
            "or one for each ply"
        )
    return count


def _validate_threshold(value: Any) -> float:
    points = real_number(value)
    if points is None or not points >= 0:
        raise BgfastError(
            f"threshold is {short_repr(value)}; expected points, 0 or more, or a number for each ply"
        )
    return points
