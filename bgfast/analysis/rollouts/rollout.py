"""Rollouts: positions played to their end many times, with anyone's evaluator."""

from __future__ import annotations

import sys
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor, wait
from contextlib import closing, nullcontext
from operator import attrgetter
from os import PathLike
from typing import Any, Literal, TypeVar, get_args

import numpy as np

from bgfast.analysis.cube.efficiency import efficiency_model
from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.cube.played_for import played_for
from bgfast.analysis.cube.stakes import checked_table, stakes_of
from bgfast.analysis.evaluators.evaluators import (
    Evaluator,
    check_rules,
    evaluator_name,
    tells_points,
    under_rules,
)
from bgfast.analysis.rollouts.candidates import Given, before_offer, candidates, common_context, cube_branches
from bgfast.analysis.rollouts.checkpoint import RolloutCheckpoint
from bgfast.analysis.rollouts.cube_use import CubeUse, cube_evaluator
from bgfast.analysis.rollouts.judged_as import judged_as
from bgfast.analysis.rollouts.result import (
    GROUP,
    CubeValues,
    CubeVerdict,
    Estimate,
    RolloutResult,
    cube_verdict,
    estimates,
)
from bgfast.analysis.rollouts.trials import (
    BLOCK,
    Block,
    Job,
    blocks_here,
    check_probabilities,
    forget,
    play_block,
)
from bgfast.common.pace import STEP, Limit, Pace
from bgfast.common.probabilities import EVALUATION, Numbers, evaluations_of_points
from bgfast.common.validation import (
    checked_progress,
    generated_switches,
    real_number,
    rule_set,
    seed_number,
    thread_count,
    whole_number,
)
from bgfast.errors import BgfastError, RolloutError, shown
from bgfast.position.decision import Decision, refuse_offer
from bgfast.rules import STANDARD, RuleSetLike

__all__ = ["FEWEST", "Given", "Rollout", "StopWord", "rollout"]

StopWord = Literal["standard_error", "settled", "seconds"]
STOP_WORDS: tuple[StopWord, ...] = get_args(StopWord)
LOOK = 1296  # trials between two looks at the standard error
COURSE = 50  # points that a course has, more or less
WAITING = 64  # blocks that an executor is given at a time
FIRST_WAITING = 8  # before the first is back
FIRST_SENT = 4  # trials of these, where the clock decides; then as many as take a second
SENT_SECONDS = 1.0
FEWEST = 2  # trials that have a standard error
MOST_TRIALS = 10**9


T = TypeVar("T")


def rollout(
    position_or_plays: Given | Iterable[Given],
    evaluator: Evaluator,
    *,
    trials: int = 1296,
    truncate: int | None = None,
    seed: int = 0,
    variance_reduction: bool = False,
    quasi_random: bool = True,
    policy: Evaluator | None = None,
    luck_evaluator: Evaluator | None = None,
    rules: RuleSetLike = STANDARD,
    threads: int = 1,
    executor: Executor | None = None,
    progress: Callable[[float], None] | None = None,
    checkpoint: str | PathLike[str] | None = None,
    stop: Mapping[StopWord, float] | None = None,
    context: Decision | None = None,
    cubeless: bool = False,
    efficiency: str = "bgfast",
    met: MatchEquityTable | None = None,
) -> RolloutResult:
    """Play positions to their end many times; return what they are worth, with errors.

    Parameters
    ----------
    position_or_plays : Position, Play, Decision or str, or several of them
        A position is rolled out for the player on roll, a play for the player who makes it. Several, such as
        ``position.plays((3, 1))[:5]``, are candidates: all have the same dice, and are ranked. A play
        that ends the game counts what it wins; a `PlayList` without plays is the pass.

        Text is what ``bgfast rollout`` reads: ``"start"``, an XGID, a GNU Backgammon ID. With a roll, in the
        XGID or behind the position as in ``"start 31"``, all plays of the roll are the candidates.

        What comes with a cube and a score, a `Decision` or an XGID, is played with them. Without dice the
        candidates are then not to double, and to double and have it taken: `cube` of the result says what to
        do, and how to answer a double, a beaver or a raccoon that is on offer. `judged_as` of the result says
        what equities are counted for.
    evaluator : evaluator
        Chooses the plays, ends truncated games and judges luck, as `bgfast.evaluators` describes.
    trials : int
        Games for each candidate, 2 or more.
    truncate : int, optional
        After so many plies, 1 or more, a game ends with what the evaluator makes of it.
    seed : int
        0 to 2**64 - 1. The dice of a trial depend on seed, trial and ply alone.
    variance_reduction : bool
        Subtract from each game the luck of each roll: what its best play is worth more than the mean over the
        21 rolls. Divides the variance by about 14 with a good evaluator, and costs some 25 evaluations where
        one was.
    quasi_random : bool
        Whether the first rolls come equally often: of any 36 trials in a row each begins with another one, of
        any 1,296 with another pair.
    policy, luck_evaluator : evaluator, optional
        Instead of `evaluator`, who chooses the plays, and who judges luck.
    rules : RuleSet, or the name of a preset
        Games are scored by its `win_scheme`; rules of the cube are those of the `Decision`.
    threads : int
        How many threads share the work. The result is the same for any number.
    executor : concurrent.futures.Executor, optional
        Who plays the blocks of trials instead of this process: processes, or the executor of a Dask client.
        The evaluators have to be picklable then.
    progress : callable, optional
        Called with the share of the trials that is done, 0 to 1.
    checkpoint : path, optional
        A file to keep finished blocks in, and to go on from.
    stop : mapping, optional
        ``{"standard_error": x}``: stop at the first 1,296 trials after which the standard error of each
        equity, and of each difference from the best, is no more than x. ``{"settled": x}``: after which the
        best candidate is x standard errors better than each other, as `RolloutResult.settled` says.
        ``{"seconds": x}``: after so many; what counts then are the trials that are over for all candidates,
        two or more. Or several of them: whichever comes first.
    context : Decision, optional
        The cube and the score of positions and plays that come without.
    cubeless : bool
        Leave cube and score out, as if for money without a cube.
    efficiency : {"bgfast", "gnubg"}
        The model of the cube's efficiency, as for `cubeful_equities`.
    met : MatchEquityTable, optional
        For matches; the one that comes with bgfast by default.

    Returns
    -------
    RolloutResult
        Candidates best first.

    Raises
    ------
    InvalidPositionError, InvalidDiceError, NotationError
        If all are finished, one is no position, or a text cannot be read.
    IllegalActionError
        If what is on offer is against the rules.
    RolloutError
        If the executor breaks down; its `result` is that of the trials before. If the seconds are over before
        two trials are.
    BgfastError
        If an evaluator returns anything but what it has to, if a checkpoint cannot be used, if a double may
        be beavered and the cube has a greatest value, or if another argument is wrong. What an evaluator
        raises is passed on as it is.

    Notes
    -----
    Where all that are asked are evaluators of the core, a `Network`, `WithBearoff`, `Random`, `PipCount` or
    `Pubeval`, games are played there without the GIL. If one is not, it is asked once for all successors of
    a ply of some hundred games.

    Work follows the clock: every quarter of a second or so it looks at the time and at signals. Games have
    nothing to do with each other but for the boards that an evaluator in Python is asked about at the same
    time, and sums are made in the order of the trials. So results are the same to the last bit for any
    threads and executor, and however the time was divided, if the evaluator says the same of a board in any
    company. The dice of a seed stay the same in later versions. A game that is not over after 100,000 plies
    is an error.

    Standard errors with quasi-random dice come from the means of groups of 36 trials.

    With a cube the player on roll doubles before a roll where that is right by the formula of
    `cubeful_equities` for what the policy says of the position at sight; so does the opponent take, pass or
    beaver. The cube may be doubled six times in a game, to 64 times what it showed; then nobody doubles any
    more. Policy, luck evaluator and the evaluator of truncated games have to return probabilities.

    Examples
    --------
    >>> import bgfast
    >>> plays = bgfast.Position.start().plays((3, 1))[:4]
    >>> result = bgfast.rollout(plays, bgfast.evaluators.Pubeval(), trials=360, seed=1)
    >>> result.best.name
    '8/5 6/5'
    >>> round(result.equity, 2), round(result.equity_se, 2)
    (0.24, 0.08)
    """
    tell = checked_progress(progress)
    run = Rollout(
        position_or_plays,
        evaluator,
        trials=trials,
        truncate=truncate,
        seed=seed,
        variance_reduction=variance_reduction,
        quasi_random=quasi_random,
        policy=policy,
        luck_evaluator=luck_evaluator,
        rules=rules,
        stop=stop,
        context=context,
        cubeless=cubeless,
        efficiency=efficiency,
        met=met,
    )
    told = 0.0
    for share in run.play(threads=threads, executor=executor, checkpoint=checkpoint):
        if share > told:
            told = share
            tell(share)
    return run.result()


class Rollout:
    """A rollout that can be looked at while it runs.

    Its parameters are those of `rollout`.
    """

    def __init__(
        self,
        position_or_plays: Any,
        evaluator: Evaluator,
        *,
        trials: int = 1296,
        truncate: int | None = None,
        seed: int = 0,
        variance_reduction: bool = False,
        quasi_random: bool = True,
        policy: Evaluator | None = None,
        luck_evaluator: Evaluator | None = None,
        rules: RuleSetLike = STANDARD,
        stop: Mapping[StopWord, float] | None = None,
        context: Decision | None = None,
        cubeless: bool = False,
        efficiency: str = "bgfast",
        met: MatchEquityTable | None = None,
    ) -> None:
        rules = rule_set(rules)
        found, own = candidates(position_or_plays, rules)
        if any(each.branch == "play" for each in found):
            refuse_offer(context)
        contexts = [before_offer(context) if each is None else each for each in own]
        decision = None if cubeless else common_context(contexts)
        if decision is None:
            self._judged_as = judged_as(*contexts)
        else:
            found = cube_branches(found, decision, stakes_of(decision, met))
            self._judged_as = played_for(decision, checked_table(met).name, efficiency)
        self._candidates = found
        self.trials = _whole("trials", trials, 2, MOST_TRIALS)
        self._stop = _stop(stop)
        cut = None if truncate is None else _whole("truncate", truncate, 1, 10_000)
        of_luck = luck_evaluator if luck_evaluator is not None else evaluator
        _check_evaluators(evaluator, policy, luck_evaluator, cut, bool(variance_reduction))
        for each in (evaluator, policy, luck_evaluator):
            check_rules(each, rules)
        efficiency_model(efficiency)
        played = [each for each in found if not each.points]
        plays = under_rules(evaluator if policy is None else policy, rules)
        self.job = Job(
            np.array([each.position.to_array() for each in played], np.int8),
            rules,
            found[0].position.checkers,
            seed_number(seed),
            bool(quasi_random),
            cut,
            plays,
            under_rules(evaluator, rules),
            under_rules(of_luck, rules) if variance_reduction else None,
            None
            if decision is None
            else CubeUse(
                decision,
                cube_evaluator(plays),
                tuple(each.branch for each in played),
                efficiency,
                met,
                found[0].position.checkers,
            ),
        )
        check_probabilities(self.job)
        self._blocks: list[Block] = []
        self.resumed = 0  # trials of each candidate that another run has played
        self._decisions = 0  # of those that this one has
        self._elapsed = 0.0
        self._playing = False

    @property
    def done(self) -> int:
        """How many trials of each candidate are played."""
        return self._blocks[-1].last if self._blocks else 0

    def play(
        self,
        *,
        threads: int = 1,
        executor: Executor | None = None,
        checkpoint: str | PathLike[str] | None = None,
    ) -> Iterator[float]:
        """Play what is left; every quarter of a second or so yield the share of the trials that is done.

        It can be left and called again: it goes on with the trial that follows, and once all are played, or
        precise enough, nothing is left to do.
        """
        number = thread_count(threads)
        if executor is not None and not hasattr(executor, "submit"):
            raise BgfastError(f"executor is {shown(executor)}; expected a concurrent.futures.Executor")
        if self._playing:
            raise BgfastError("the rollout is being played; expected that to end before it goes on")
        began, before = time.monotonic(), self._elapsed
        limit = Limit(self._stop.get("seconds"))
        self._playing = True
        try:
            with (
                nullcontext()
                if checkpoint is None
                else closing(self._checkpoint(checkpoint, executor)) as kept
            ):
                if self._blocks and not self.done % LOOK and self._precise():
                    self._keep(kept)
                    return
                for _ in self._steps(number, executor, kept, limit):
                    self._elapsed = before + time.monotonic() - began
                    yield self.done / self.trials
                    if self._enough(limit):
                        return
                self._elapsed = before + time.monotonic() - began
        finally:
            self._playing = False
            limit.end()
            forget(self.job)
        if self.done < FEWEST:
            raise RolloutError(
                f"{self._stop['seconds']:g} s were over before {FEWEST} trials of each candidate were; "
                "expected more time, fewer candidates, or players that take less of it"
            )

    def _checkpoint(self, path: str | PathLike[str], executor: Any) -> RolloutCheckpoint:
        """Open a checkpoint; evaluators are asked where they will be."""

        def ask(function: Callable[..., Any], *given: Any) -> Any:
            if executor is None:
                return function(*given)
            return self._fetched(self._submit(executor, function, *given))

        return RolloutCheckpoint(path, self._settings(), self.job, ask)

    def _steps(
        self, threads: int, executor: Executor | None, kept: RolloutCheckpoint | None, limit: Limit
    ) -> Iterator[None]:
        """Go on block by block: with those that are kept, then with those that are played."""
        for known in () if kept is None else tuple(kept.blocks):
            if known.last > self.done:
                self._blocks.append(known.part(self.done, self.trials))
                self.resumed += self._blocks[-1].last - self._blocks[-1].first
                yield
            if self.done >= self.trials:
                return
        self._keep(kept)  # what was played before there was a checkpoint
        for block in self._played(threads, executor, limit):
            if block is not None:
                self._blocks.append(block)
                self._decisions += int(block.plies.sum())
                self._keep(kept)  # if that fails it is known nevertheless
            yield

    def _keep(self, kept: RolloutCheckpoint | None) -> None:
        if kept is None:
            return
        for block in self._blocks[bisect_right(self._blocks, kept.end, key=attrgetter("last")) :]:
            kept.keep(block.part(kept.end, block.last))

    def _played(self, threads: int, executor: Executor | None, limit: Limit) -> Iterator[Block | None]:
        """Yield the blocks that are played, in their order; in between, None now and then."""
        if executor is None and (threads == 1 or self.job.in_core):
            first = self.done
            while first < self.trials and not limit.over():
                last = self._block_end(first, limit)
                yield from blocks_here(self.job, first, last, threads, limit)
                first = last
            return
        if executor is not None:
            yield from self._submitted(executor, limit, ())
            return
        own = ThreadPoolExecutor(threads)
        try:
            yield from self._submitted(own, limit, (limit,))
        finally:
            limit.end()  # whatever they are at
            own.shutdown(cancel_futures=True)

    def _block_end(self, first: int, limit: Limit) -> int:
        """Return where the block is to end that begins with this trial."""
        last = min(self.job.block_end(first), self.trials)
        if self.job.in_core or not limit.timed or not self._blocks:
            return last
        # Side by side games are worth nothing before all are over: half of the time that is left is for them.
        before = self._blocks[-1]
        fitting = limit.left() * (before.last - before.first) / max(before.seconds, 1e-9)
        return min(last, first + max(1, int(fitting / 2)))

    def _submitted(self, executor: Any, limit: Limit, arguments: tuple[Limit, ...]) -> Iterator[Block | None]:
        first = self.done
        waiting: list[Future[Block | None]] = []
        room = FIRST_WAITING
        pace = Pace(FIRST_SENT if self.job.in_core else BLOCK, BLOCK, SENT_SECONDS)
        try:
            while not limit.over():
                while first < self.trials and len(waiting) < room:
                    last = min(self._block_end(first, limit), first + pace.size)
                    waiting.append(self._submit(executor, play_block, self.job, first, last, *arguments))
                    first = last
                if not waiting:
                    return
                if not wait(waiting[:1], min(STEP, limit.left())).done:
                    yield None
                    continue
                block = self._fetched(waiting.pop(0))
                if block is None:  # the time is over
                    return
                if self.job.in_core:
                    pace.took(block.last - block.first, block.seconds)
                room = WAITING
                yield block
        finally:
            for future in waiting:
                future.cancel()

    def _submit(self, executor: Any, function: Callable[..., T], *given: Any) -> Future[T]:
        try:
            future: Future[T] = executor.submit(function, *given)
        except _breakdowns() as error:
            raise self._broken(error) from error
        except RuntimeError as error:  # an executor of ours says so when it is shut down
            raise self._broken(error) from error
        return future

    def _fetched(self, future: Future[T]) -> T:
        try:
            return future.result()
        except _breakdowns() as error:
            raise self._broken(error) from error

    def _broken(self, error: BaseException) -> RolloutError:
        why = str(error) or type(error).__name__
        return RolloutError(
            f"the executor has failed after {self.done:,} of {self.trials:,} trials: {why}",
            self.result() if self.done >= FEWEST else None,
        )

    def _enough(self, limit: Limit) -> bool:
        if self.done < FEWEST or limit.over():
            return self.done >= FEWEST
        last, first = self._blocks[-1].last, self._blocks[-1].first
        return last // LOOK != first // LOOK and self._precise()

    def _precise(self) -> bool:
        """Whether the standard errors are small enough to stop, or the decision is settled."""
        limit, errors = self._stop.get("standard_error"), self._stop.get("settled")
        if limit is None and errors is None:
            return False
        found = self.result()
        return (errors is not None and found.settled(errors)) or (
            limit is not None
            and all(max(each.equity_se, each.difference_se) <= limit for each in found.estimates)
        )

    def course(self) -> list[RolloutResult]:
        """Return what was known after more and more of the trials; the last is `result`.

        Raises
        ------
        BgfastError
            If fewer than two trials of each candidate are done.
        """
        # Groups of trials, whose errors are known best, unless there are too few of them for a picture.
        step = max(self.done // COURSE // GROUP, 1) * GROUP
        if self.done < 10 * GROUP:
            step = max(self.done // 10, 2)
        return [*map(self.result, range(step, self.done, step)), self.result()]

    def result(self, trials: int | None = None) -> RolloutResult:
        """Return what is known so far, or was after so many trials.

        Raises
        ------
        BgfastError
            If fewer than two trials of each candidate are done.
        """
        if self.done < FEWEST:
            raise BgfastError(
                f"{self.done} trials of each candidate are done; expected a rollout that has run until "
                f"{FEWEST} are"
            )
        played = np.concatenate([block.points for block in self._blocks], axis=1)[:, :trials]
        lengths = np.concatenate([block.plies for block in self._blocks], axis=1)[:, :trials]
        ends = [block.adjusted for block in self._blocks if block.adjusted is not None]
        open_ones = np.array([not candidate.points for candidate in self._candidates])
        shape = len(open_ones), played.shape[1]
        points = np.repeat(np.array([[candidate.points] for candidate in self._candidates]), shape[1], axis=1)
        plies = np.zeros(shape, np.int32)
        points[open_ones], plies[open_ones] = played, lengths
        adjusted = values = None
        if ends:
            adjusted = evaluations_of_points(points.reshape(-1)).reshape(*shape, -1)
            known = np.concatenate(ends, axis=1)[:, :trials]
            adjusted[open_ones] = known[..., :EVALUATION]
            if self.job.cube is not None:
                values = CubeValues(self.job.cube.stakes(), self._ended_values()[:, None].repeat(shape[1], 1))
                values.numbers[open_ones] = known[..., EVALUATION]
        found = estimates(
            [candidate.name for candidate in self._candidates],
            [candidate.position.gnubg_id for candidate in self._candidates],
            [candidate.sign for candidate in self._candidates],
            points,
            plies,
            adjusted,
            self.job.quasi_random,
            values,
        )
        seconds = sum(block.seconds for block in self._blocks)
        share = sum(block.evaluator_seconds for block in self._blocks) / seconds if seconds else 0.0
        speed = self._decisions / self._elapsed if self._elapsed else 0.0
        settings = {**self._settings(), "judged_as": self._judged_as}
        return RolloutResult(
            found, points.shape[1], settings, self._elapsed, speed, share, self._cube_verdict(found)
        )

    def _ended_values(self) -> Numbers:
        """Return what each candidate is worth for its player on roll that has ended the game, else 0."""
        assert self.job.cube is not None
        stakes = self.job.cube.stakes()
        of_opponent = stakes.flipped()
        return np.array(
            [
                0.0 if not each.points else (of_opponent if each.sign < 0 else stakes).of_points(each.points)
                for each in self._candidates
            ]
        )

    def _cube_verdict(self, found: Sequence[Estimate]) -> CubeVerdict | None:
        """Return what the two branches of a decision about the cube say of it."""
        if self._candidates[0].branch != "no double":
            return None
        assert self.job.cube is not None
        no_double, double_take = (
            next(each for each in found if each.name == candidate.name) for candidate in self._candidates
        )
        stakes = self.job.cube.stakes()
        return cube_verdict(no_double, double_take, redouble=stakes.owner > 0, beavers=stakes.may_beaver)

    def _settings(self) -> dict[str, Any]:
        job = self.job
        settings: dict[str, Any] = {
            "candidates": [[candidate.position.gnubg_id, candidate.sign] for candidate in self._candidates],
            "checkers": job.checkers,
            "seed": job.seed,
            "quasi_random": job.quasi_random,
            "truncate": job.truncate,
            "evaluator": evaluator_name(job.evaluator),
            "policy": evaluator_name(job.policy),
            "luck_evaluator": None if job.luck_evaluator is None else evaluator_name(job.luck_evaluator),
            "win_scheme": job.rules.win_scheme,
        }
        switches = generated_switches(job.rules)
        if switches is not None:
            settings["switches"] = list(switches)
        if job.cube is not None:
            settings["cube"] = job.cube.settings()
        return settings


def _breakdowns() -> tuple[type[BaseException], ...]:
    """Return what executors and futures raise when they have broken down, not what they were to do."""
    dask = sys.modules.get("distributed")
    if dask is None:
        return BrokenExecutor, CancelledError
    # Dask sends a task elsewhere when its worker dies, but not for ever.
    return BrokenExecutor, CancelledError, dask.KilledWorker, dask.client.ClosedClientError


def _check_evaluators(
    evaluator: Any, policy: Any, luck_evaluator: Any, truncate: int | None, variance_reduction: bool
) -> None:
    for name, given in (("evaluator", evaluator), ("policy", policy), ("luck_evaluator", luck_evaluator)):
        if not callable(given) and (given is not None or name == "evaluator"):
            raise BgfastError(
                f"{name} is {shown(given)}; expected a callable, as bgfast.evaluators describes"
            )
    if luck_evaluator is not None and not variance_reduction:
        raise BgfastError("luck_evaluator is given without variance_reduction=True; expected both or none")
    of_luck = evaluator if luck_evaluator is None else luck_evaluator
    if (truncate is not None and not tells_points(evaluator)) or (
        variance_reduction and not tells_points(of_luck)
    ):
        raise BgfastError(
            "Pubeval's values are no points: it can be the policy, but neither end games nor judge luck"
        )


def _whole(name: str, value: Any, least: int, most: int) -> int:
    number = whole_number(value)
    if number is None or not least <= number <= most:
        raise BgfastError(f"{name} is {shown(value)}; expected a whole number from {least} to {most:,}")
    return number


def _stop(given: Any) -> dict[str, float]:
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not given or not set(given) <= set(STOP_WORDS):
        raise BgfastError(
            f"stop is {shown(given)}; expected a mapping with 'standard_error', 'settled' or 'seconds'"
        )
    found = {}
    for word, value in given.items():
        number = real_number(value)
        if number is None or not number > 0:
            raise BgfastError(f"stop: {word} is {shown(value)}; expected a number greater than 0")
        found[word] = number
    return found
