"""Rollouts: positions played to the end of the game many times, with any evaluator."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import closing, nullcontext
from dataclasses import fields, replace
from functools import partial
from math import ceil
from operator import attrgetter
from os import PathLike
from pickle import PicklingError
from typing import Any, TypeVar

import numpy as np

from bgfast.analysis.branches import roll_argument
from bgfast.analysis.rollouts.candidates import (
    MIN_TRIALS,
    Branch,
    CubeUse,
    RolloutOptions,
    StopCriterion,
    common_context,
    cube_branches,
    cube_evaluator,
    equity_evaluator_name,
    read_candidates,
    remove_offer,
)
from bgfast.analysis.rollouts.checkpoint import RolloutCheckpoint
from bgfast.analysis.rollouts.estimates import (
    GROUP_TRIALS,
    TrialResults,
    cube_verdict,
    estimates,
    half_equities,
)
from bgfast.analysis.rollouts.result import CubeVerdict, Estimate, RolloutResult
from bgfast.analysis.rollouts.trials import (
    BLOCK,
    Block,
    BlockExecutor,
    Job,
    breakdown_errors,
    check_probabilities,
    forget,
    join_arrays,
    local_blocks,
)
from bgfast.common.foreign_names import names_arguments
from bgfast.common.pace import STEP_SECONDS, Limit, Pace
from bgfast.common.validation import RollLike, generator_switches, rule_set, thread_count, validate_progress
from bgfast.errors import BgfastError, RolloutError, short_repr
from bgfast.evaluation.cubeful import cubeful_conditions, cubeless_conditions
from bgfast.evaluation.evaluators.evaluators import EvaluatorLike, evaluator_name, under_rules
from bgfast.evaluation.evaluators.exact_tables import exact_tables
from bgfast.evaluation.evaluators.names import display_name, evaluator_of
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import DecisionLike, stakes_of, validate_table
from bgfast.position.decision import Decision
from bgfast.position.formats import format_xgid
from bgfast.position.objects import Play, Position
from bgfast.position.position_text import refuse_offer
from bgfast.rules import STANDARD, RuleSetLike

INTERIM_TRIALS = 1296  # trials between interim analyses, which test the stopping rules
HISTORY_POINTS = 50  # approximate number of points of a convergence history
MAX_PENDING_BLOCKS = 64  # maximum number of blocks submitted to an executor and not yet fetched
FIRST_PENDING_BLOCKS = 8  # maximum number while blocks are small
FIRST_BLOCK_TRIALS = 4  # trials of the first blocks for an executor; later blocks take `BLOCK_SECONDS`
BLOCK_SECONDS = 1.0

DEFAULT_OPTIONS = RolloutOptions()
MONEY = Decision(position=Position.start())
"""Money play with a centred cube, the default context of positions."""

T = TypeVar("T")


@names_arguments
def rollout(
    subject: DecisionLike | Play | Iterable[Any],
    dice: RollLike | None = None,
    *,
    evaluator: EvaluatorLike | None = None,
    trials: int = 1296,
    truncate: int | None = None,
    seed: int = 0,
    variance_reduction: bool = False,
    quasi_random: bool = True,
    policy: EvaluatorLike | None = None,
    luck_evaluator: EvaluatorLike | None = None,
    rules: RuleSetLike = STANDARD,
    threads: int = 1,
    executor: Executor | None = None,
    progress: Callable[[float], None] | None = None,
    checkpoint: str | PathLike[str] | None = None,
    stop: Mapping[StopCriterion, float] | None = None,
    context: DecisionLike | None = None,
    cubeless: bool = False,
    efficiency: str = "bgfast",
    met: MatchEquityTable | None = None,
) -> RolloutResult:
    """Estimate equities by playing positions to the end of the game many times.

    Parameters
    ----------
    subject : Position, Play, RankedPlay, Decision, Game, str or board of 26 numbers, or several of them
        A position is rolled out for the player on roll, a play for the player who makes it. Several of them,
        such as ``position.plays((3, 1))[:5]``, are candidates, which share the dice and are ranked. A play
        that ends the game counts the points it wins; a `PlayList` without plays is the pass. Text as for
        `Decision.read`: ``"start 31"``, an XGID, a GNU Backgammon ID. All plays of a roll are
        candidates.

        Cube and score come from the subject or `context`. The default is money play with a centred cube,
        without the Jacoby rule and beavers, or no cube if an evaluator returns no probabilities. A single
        position before the roll, with a legal double, has the candidates "no double" and "double, take";
        `RolloutResult.cube` has the proper action and the proper answer to a double, a beaver or a raccoon on
        offer. `RolloutResult.conditions` describes cube, score and rules.
    dice : (int, int) or str, optional
        The roll, as ``(3, 1)`` or ``"31"``, if the position has no roll.
    evaluator : evaluator, name or file, optional
        Chooses plays, evaluates truncated games and estimates luck, as `bgfast.evaluators` describes; the
        default is ``"builtin"``.
    trials : int
        Games per candidate, 2 or more.
    truncate : int, optional
        Plies, 1 or more, after which the evaluator's evaluation replaces the rest of the game.
    seed : int
        0 to 2**64 - 1. The dice of a trial depend on seed, trial and ply alone.
    variance_reduction : bool
        Subtract the luck of every roll: the evaluation after its best play less the mean over all rolls. A
        trial of the built-in network takes 20 times as long, and the variance is 40 to 240 times smaller.
    quasi_random : bool
        Stratify the first rolls: any 36 consecutive trials begin with all 36 rolls, any 1,296 with all pairs
        of rolls.
    policy, luck_evaluator : evaluator, name or file, optional
        Choose plays and estimate luck instead of `evaluator`.
    rules : RuleSet, or the name of a preset
        Games are scored by its `win_scheme`; the `Decision` has the cube rules.
    threads : int
        Number of threads. Results do not depend on it.
    executor : concurrent.futures.Executor, optional
        Plays the blocks of trials in place of this process: a process pool, or the executor of a Dask
        client. Evaluators must be picklable.
    progress : callable, optional
        Called with the fraction of the trials that is done, 0 to 1.
    checkpoint : path, optional
        File that stores finished blocks, and from which a rollout resumes.
    stop : mapping, optional
        Stopping rules; the first that is met ends the rollout. Rules on errors are tested every 1,296 trials.
        ``{"standard_error": x}``: all standard errors, of equities and of differences from the best
        candidate, are at most x. ``{"settled": x}``: the best candidate is at least x standard errors better
        than every other one, as defined by `RolloutResult.settled`. ``{"seconds": x}``: time limit; trials
        finished for all candidates count, and there must be at least two.
    context : Decision, or position or text as for `analyse`, optional
        Cube and score for positions and plays without their own.
    cubeless : bool
        Ignore cube and score: money play without a cube.
    efficiency : {"bgfast", "gnubg"}
        Model of cube efficiency, as for `cubeful_equities`.
    met : MatchEquityTable, optional
        Match equity table; the built-in table by default.

    Returns
    -------
    RolloutResult
        Estimates of the candidates, best first.

    Raises
    ------
    InvalidPositionError, InvalidDiceError, NotationError
        If the game is over in all candidates, a candidate is not a position, or a text cannot be parsed.
    IllegalActionError
        If the rules forbid the offer.
    RolloutError
        If the executor breaks down (`RolloutError.result` has the trials played until then), or the time
        limit is reached before two trials are finished.
    BgfastError
        If an evaluator returns invalid values, a checkpoint cannot be used, a double may be beavered while
        the cube has a maximum, or another argument is invalid. Exceptions of evaluators are propagated.

    See Also
    --------
    analyse, cube_decision : Evaluate the same subjects without playing.
    bgfast.evaluators.Lookahead : N-ply search, which can be the evaluator of a rollout.

    Notes
    -----
    If all evaluators are built in (`Network`, `WithBearoff`, `Random`, `PipCount`, `Pubeval`), games are
    played in compiled code without the GIL. An evaluator in Python is called with the boards of all
    games that wait for it, usually a few hundred; built-in evaluators still run in compiled code.

    The clock and signals are checked about every quarter of a second. Games are independent, except that an
    evaluator in Python gets boards of several games in one batch, and sums are formed in the order of the
    trials. Results are therefore identical to the last bit regardless of threads, executor and interruptions,
    provided that an evaluation does not depend on the rest of its batch. The dice of a seed stay the same in
    later versions. A game that is not over after 100,000 plies is an error.

    With a cube the player on roll doubles if the formula of `cubeful_equities`, applied to the evaluator's
    static evaluation, finds that correct; takes, drops and beavers are decided in the same way. After six
    doubles in a game, at 64 times the initial cube, nobody doubles any more. Policy, luck evaluator and the
    evaluator of truncated games must return probabilities.

    References
    ----------
    David Montgomery, "Variance Reduction", GammOnLine, February 2000.

    Examples
    --------
    >>> import bgfast
    >>> plays = bgfast.Position().plays("31")[:4]
    >>> result = bgfast.rollout(plays, evaluator="pubeval", trials=360, seed=1)
    >>> result.best.name
    '8/5 6/5'
    >>> round(result.equity, 2), round(result.equity_se, 2)
    (0.24, 0.08)
    """
    arguments = locals()
    report = validate_progress(progress)
    options = RolloutOptions(**{item.name: arguments[item.name] for item in fields(RolloutOptions)})
    run = Rollout(subject, evaluator, options, roll_argument(dice), executor)
    last_fraction = 0.0
    for fraction in run.play(threads=threads, executor=executor, checkpoint=checkpoint):
        if fraction > last_fraction:
            last_fraction = fraction
            report(fraction)
    return run.result()


class Rollout:
    """Rollout whose interim results can be read while it runs."""

    def __init__(
        self,
        subject: Any,
        evaluator: Any = None,
        options: RolloutOptions = DEFAULT_OPTIONS,
        dice: Any = None,
        executor: Executor | None = None,
    ) -> None:
        self._report_settings: dict[str, str] = {}
        self._blocks: list[Block] = []
        self.trials = options.trials  # may be changed between two calls of `play`
        evaluator = evaluator_of(evaluator)
        options.check_evaluators(evaluator)
        rules = rule_set(options.rules)
        candidates, contexts = read_candidates(subject, rules, dice)
        if any(candidate.branch == "play" for candidate in candidates):
            refuse_offer(options.context)
        contexts = [remove_offer(options.context) if context is None else context for context in contexts]
        equity_evaluator = None  # name of an evaluator that returns no probabilities
        if not options.cubeless and not any(contexts):
            evaluators = [evaluator, options.policy, options.luck_evaluator]
            board = next(item.position for item in candidates if not item.points).to_array()
            equity_evaluator = equity_evaluator_name(evaluators, board, partial(self._call, executor))
        is_cubeless = options.cubeless or equity_evaluator is not None
        decision = None if is_cubeless else common_context([context or MONEY for context in contexts])
        if decision is None:
            reason = f"; {equity_evaluator} returns no probabilities, which the cube needs"
            self._conditions = cubeless_conditions(*contexts) + (reason if equity_evaluator else "")
        else:
            candidates = cube_branches(candidates, decision, stakes_of(decision, options.met))
            self._conditions = cubeful_conditions(
                decision, validate_table(options.met).name, options.efficiency
            )
        self._candidates = candidates
        boards_and_dice = {candidate.board_and_dice for candidate in candidates}
        (board_and_dice,) = boards_and_dice if len(boards_and_dice) == 1 else (None,)
        if board_and_dice is not None:
            position, roll = board_and_dice
            context = replace(contexts[0] or MONEY, position=position, dice=roll)
            self._report_settings["position"] = format_xgid(tuple(position), context)
        self._stop = options.stop or {}
        open_candidates = [candidate for candidate in candidates if not candidate.points]
        checkers = candidates[0].position.checkers
        if open_candidates:
            position = open_candidates[0].position
            # Exact tables raise an error for numbers of checkers that they do not cover.
            exact_tables(evaluator, Decision(position=position), [position], None)
        self._report_settings["evaluator_name"] = display_name(evaluator)
        evaluator = under_rules(evaluator, rules)
        policy = evaluator if options.policy is None else under_rules(options.policy, rules)
        luck_evaluator = evaluator if options.luck_evaluator is None else options.luck_evaluator
        cube = None
        if decision is not None:
            branches: tuple[Branch, ...] = tuple(candidate.branch for candidate in open_candidates)
            static_evaluator = cube_evaluator(evaluator)
            cube = CubeUse(decision, static_evaluator, branches, options.efficiency, options.met, checkers)
        boards = np.array([candidate.position.to_array() for candidate in open_candidates], np.int8)
        dice_options = options.seed, options.quasi_random, options.truncate
        luck = under_rules(luck_evaluator, rules) if options.variance_reduction else None
        self.job = Job(boards, rules, checkers, *dice_options, policy, evaluator, luck, cube)
        check_probabilities(self.job)
        self.resumed = 0  # trials per candidate read from a checkpoint
        self._decisions = 0  # plies of the trials played by this object
        self._elapsed = 0.0
        self._is_playing = False

    @property
    def done(self) -> int:
        """Number of trials played per candidate."""
        return self._blocks[-1].last if self._blocks else 0

    def play(
        self,
        *,
        threads: int = 1,
        executor: Executor | None = None,
        checkpoint: str | PathLike[str] | None = None,
    ) -> Iterator[float]:
        """Play the remaining trials; yield the fraction done about every quarter of a second.

        The iterator may be abandoned: a later call resumes with the next trial. Once all trials are played,
        or a stopping rule is met, a call yields nothing.
        """
        threads = thread_count(threads)
        if executor is not None and not hasattr(executor, "submit"):
            raise BgfastError(f"executor is {short_repr(executor)}; expected a concurrent.futures.Executor")
        if self._is_playing:
            raise BgfastError("the rollout is being played; expected the first `play` to end before another")
        start, earlier_seconds = time.monotonic(), self._elapsed
        limit = Limit(self._stop.get("seconds"))
        self._is_playing = True
        try:
            with (
                nullcontext()
                if checkpoint is None
                else closing(self._open_checkpoint(checkpoint, executor)) as journal
            ):
                if self._blocks and not self.done % INTERIM_TRIALS and self._is_precise():
                    self._save(journal)
                    return
                for _ in self._advance(threads, executor, journal, limit):
                    self._elapsed = earlier_seconds + time.monotonic() - start
                    yield self.done / self.trials
                    if self._is_finished(limit):
                        return
                self._elapsed = earlier_seconds + time.monotonic() - start
        finally:
            self._is_playing = False
            limit.end()
            forget(self.job)
        if self.done < MIN_TRIALS:
            raise RolloutError(
                f"{self._stop['seconds']:g} s passed before {MIN_TRIALS} trials of each candidate were "
                "finished; expected more time, fewer candidates or faster evaluators"
            )

    def _open_checkpoint(self, path: str | PathLike[str], executor: Any) -> RolloutCheckpoint:
        return RolloutCheckpoint(path, self._settings(), self.job, partial(self._call, executor))

    def _call(self, executor: Any, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function that uses evaluators in the process that will call them in games."""
        if not hasattr(executor, "submit"):
            return function(*arguments)
        return self._fetch(self._submit(executor.submit, function, *arguments))

    def _advance(
        self, threads: int, executor: Executor | None, journal: RolloutCheckpoint | None, limit: Limit
    ) -> Iterator[None]:
        """Add the blocks of the checkpoint, then play and add new ones."""
        for saved_block in () if journal is None else tuple(journal.blocks):
            if saved_block.last > self.done:
                self._blocks.append(saved_block.part(self.done, self.trials))
                self.resumed += self._blocks[-1].last - self._blocks[-1].first
                yield
            if self.done >= self.trials:
                return
        self._save(journal)  # stores trials of earlier calls without a checkpoint
        for block in self._play_blocks(threads, executor, limit):
            if block is not None:
                self._blocks.append(block)
                self._decisions += int(block.plies.sum())
                self._save(journal)  # the block counts even if this fails
            yield

    def _save(self, journal: RolloutCheckpoint | None) -> None:
        if journal is None:
            return
        for block in self._blocks[bisect_right(self._blocks, journal.end, key=attrgetter("last")) :]:
            journal.append(block.part(journal.end, block.last))

    def _play_blocks(self, threads: int, executor: Executor | None, limit: Limit) -> Iterator[Block | None]:
        """Yield the blocks in order as they are played, and None while none is ready."""
        if executor is None and (threads == 1 or self.job.in_core):
            first = self.done
            while first < self.trials and not limit.is_over():
                last = self._block_end(first, limit)
                yield from local_blocks(self.job, first, last, threads, limit)
                first = last
            return
        if executor is not None:
            yield from self._play_on_executor(executor, limit, None)
            return
        pool = ThreadPoolExecutor(threads)
        try:
            yield from self._play_on_executor(pool, limit, limit)
        finally:
            limit.end()  # threads give up their blocks
            pool.shutdown(cancel_futures=True)

    def _block_end(self, first: int, limit: Limit) -> int:
        """Return the end of the block that begins with trial `first`."""
        last = min(self.job.block_end(first), self.trials)
        if self.job.in_core or not limit.timed or not self._blocks:
            return last
        # With evaluators in Python, games count only once all are over: plan for half of the remaining time.
        previous = self._blocks[-1]
        max_trials = limit.seconds_left() * (previous.last - previous.first) / max(previous.seconds, 1e-9)
        return min(last, first + max(1, int(max_trials / 2)))

    def _play_on_executor(
        self, executor: Executor, limit: Limit, shared_limit: Limit | None
    ) -> Iterator[Block | None]:
        first = self.done
        blocks = BlockExecutor(executor, self.job, shared_limit)
        futures: list[Future[Block | None]] = []
        max_pending = FIRST_PENDING_BLOCKS
        pace = Pace(FIRST_BLOCK_TRIALS if self.job.in_core else BLOCK, BLOCK, BLOCK_SECONDS)
        try:
            while not limit.is_over():
                while first < self.trials and len(futures) < max_pending:
                    count = self._block_end(first, limit) - first
                    last = first + ceil(count / ceil(count / pace.size))  # equal parts, no short remainder
                    futures.append(self._submit(blocks.submit, first, last))
                    first = last
                if not futures:
                    return
                if not wait(futures[:1], min(STEP_SECONDS, limit.seconds_left())).done:
                    yield None
                    continue
                block = self._fetch(futures.pop(0))
                if block is None:  # the time limit was reached
                    return
                self._check_block(block, first)
                if self.job.in_core:
                    pace.record(block.last - block.first, block.seconds)
                # Sending small blocks takes longer than playing them: submit few until blocks are large.
                if not self.job.in_core or block.seconds >= BLOCK_SECONDS / 4 or pace.size == BLOCK:
                    max_pending = MAX_PENDING_BLOCKS
                yield block
        finally:
            blocks.end(futures)

    def _check_block(self, block: Any, last: int) -> None:
        """Raise `RolloutError` unless the executor has returned the next trials, at most up to `last`."""
        is_next = isinstance(block, Block) and block.first == self.done < block.last <= last
        if not is_next or block.points.shape != (len(self.job.boards), block.last - block.first):
            raise self._executor_error(
                f"it returned {short_repr(block)}; expected trials from {self.done:,} on"
            )

    def _submit(self, submit: Callable[..., Future[T]], *arguments: Any) -> Future[T]:
        # concurrent.futures raises RuntimeError after shutdown.
        failures: tuple[type[BaseException], ...] = (*breakdown_errors(), RuntimeError)
        try:
            future = submit(*arguments)
        except failures as error:
            raise self._executor_error(error) from error
        if not isinstance(future, Future):
            raise self._executor_error(f"submit returned {short_repr(future)}; expected a Future")
        return future

    def _fetch(self, future: Future[T]) -> T:
        try:
            return future.result()
        except (PicklingError, AttributeError, TypeError) as error:
            if "pickle" not in str(error):
                raise
            problem = f"an evaluator cannot be sent to other processes: {error}"
            raise BgfastError(f"{problem}; expected a module-level function or class, or threads") from error
        except breakdown_errors() as error:
            raise self._executor_error(error) from error

    def _executor_error(self, error: BaseException | str) -> RolloutError:
        reason = str(error) or type(error).__name__
        return RolloutError(
            f"the executor has failed after {self.done:,} of {self.trials:,} trials: {reason}",
            self.result() if self.done >= MIN_TRIALS else None,
        )

    def _is_finished(self, limit: Limit) -> bool:
        if self.done < MIN_TRIALS or limit.is_over():
            return self.done >= MIN_TRIALS
        last, first = self._blocks[-1].last, self._blocks[-1].first
        return last // INTERIM_TRIALS != first // INTERIM_TRIALS and self._is_precise()

    def _is_precise(self) -> bool:
        """Return whether a stopping rule other than the time limit is met."""
        if not self._stop.keys() & {"standard_error", "settled"}:
            return False
        result, max_error = self.result(), self._stop.get("standard_error", -1.0)
        errors = [max(estimate.equity_se, estimate.difference_se) for estimate in result.estimates]
        return max(errors) <= max_error or ("settled" in self._stop and result.settled(self._stop["settled"]))

    def history(self) -> list[RolloutResult]:
        """Return the convergence history: results after increasing numbers of trials, finally `result`."""
        # Whole groups of trials give precise standard errors; short rollouts need smaller steps for a plot.
        step = max(self.done // HISTORY_POINTS // GROUP_TRIALS, 1) * GROUP_TRIALS
        if self.done < 10 * GROUP_TRIALS:
            step = max(self.done // 10, 2)
        return [*map(self.result, range(step, self.done, step)), self.result()]

    def result(self, trials: int | None = None) -> RolloutResult:
        """Return the result of all trials played, or of the first `trials`.

        Raises `BgfastError` if fewer than two trials of each candidate are done.
        """
        results = self._trials(trials)
        ranking = estimates(results, self.job.quasi_random)
        seconds = sum(block.seconds for block in self._blocks)
        share = sum(block.evaluator_seconds for block in self._blocks) / seconds if seconds else 0.0
        speed = self._decisions / self._elapsed if self._elapsed else 0.0
        settings, verdict = self._settings() | self._report_settings, self._cube_verdict(ranking)
        settings["conditions"] = self._conditions
        return RolloutResult(ranking, results.points.shape[1], settings, self._elapsed, speed, share, verdict)

    def half_equities(self) -> tuple[dict[str, float], dict[str, float]]:
        """Return the equities of the candidates, by name, in two halves of the trials played.

        Luck that favours a candidate in one half does not affect the other half.
        """
        return half_equities(self._trials(), self.job.quasi_random)

    def _trials(self, trials: int | None = None) -> TrialResults:
        """Return the results of all trials played, or of the first `trials`."""
        if self.done < MIN_TRIALS:
            raise BgfastError(
                f"{self.done} trials of each candidate are done; expected {MIN_TRIALS} or more, played by "
                "`play`"
            )
        points, plies, adjusted = join_arrays(self._blocks)
        if adjusted is not None:
            adjusted = adjusted[:, :trials]
        stakes = None if self.job.cube is None else self.job.cube.stakes()
        return TrialResults.of(self._candidates, points[:, :trials], plies[:, :trials], adjusted, stakes)

    def _cube_verdict(self, ranking: Sequence[Estimate]) -> CubeVerdict | None:
        """Return the cube verdict if the candidates are the branches of a cube decision."""
        if self._candidates[0].branch != "no double":
            return None
        assert self.job.cube is not None
        no_double, double_take = (
            next(estimate for estimate in ranking if estimate.name == candidate.name)
            for candidate in self._candidates
        )
        stakes = self.job.cube.stakes()
        return cube_verdict(no_double, double_take, redouble=stakes.owner > 0, beavers=stakes.may_beaver)

    def _settings(self) -> dict[str, Any]:
        job = self.job
        settings: dict[str, Any] = {
            "candidates": [[candidate.position.gnubg_id, candidate.sign] for candidate in self._candidates],
            **{name: getattr(job, name) for name in ("checkers", "seed", "quasi_random", "truncate")},
            "evaluator": evaluator_name(job.evaluator),
            "policy": evaluator_name(job.policy),
            "luck_evaluator": None if job.luck_evaluator is None else evaluator_name(job.luck_evaluator),
            "win_scheme": job.rules.win_scheme,
        }
        switches = generator_switches(job.rules)
        if switches is not None:
            settings["switches"] = list(switches)
        if job.cube is not None:
            settings["cube"] = job.cube.settings()
        return settings
