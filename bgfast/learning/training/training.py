"""Training of a network in rounds: self-play, targets, learning."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.common.validation import MAX_STORED, thread_count
from bgfast.common.vocabulary import Boards
from bgfast.errors import BgfastError
from bgfast.evaluation.evaluators._network import equities_of_outputs, position_buckets
from bgfast.evaluation.evaluators.evaluators import Evaluator
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.network_weights import BUCKETS, Floats, Weights
from bgfast.evaluation.evaluators.with_bearoff import WithBearoff
from bgfast.learning.training._positions import exact_targets, play_on
from bgfast.learning.training.alternatives import Alternatives, alternatives
from bgfast.learning.training.learning_layer import BATCH, LearningLayer
from bgfast.learning.training.settings import Settings
from bgfast.learning.training.targets import (
    Lesson,
    distinct,
    mean_probabilities,
    temporal_differences,
    with_later_errors,
)

__all__ = ["Training"]

GAMES = 1024  # in lockstep
OPENING_PLIES = 128  # of a round of the opening
FIRST_PLIES = 384  # of each of the first rounds, whose games hardly end
FIRST_ROUNDS = 3
FIRST_PASSES = 8  # through the positions of the first round, if another network has played it
TARGETS_AT_ONCE = 2048
STEPS_AT_ONCE = 64
MIN_STEPS = 200  # of a round
CALIBRATING = 20_000  # positions
OPENING_TRACE = 0.7  # the lambda of the opening
LATER = 5  # a round's share of the average grows with this power of its number
# Shares of a time limit: the opening, a round, and at least the anneal.
OPENING_SHARE, ROUND_SHARE, ANNEAL_SHARE = 0.6, 0.08, 0.12


_PROGRESS = {
    "round": int,
    "exact_rounds": int,
    "kind": str,
    "phase": str,
    "ply": int,
    "games_played": int,
    "positions": int,
    "judged": int,
    "caught_up": bool,
    "pass_began": int,
    "seconds_before": float,
    "round_began": float,
    "anneal_began": float,
}
"""Attributes, beside arrays, that a run resumes with, and their types."""


class Training:
    """Training run of a network on positions of its own games.

    In the opening the network plays itself and learns by temporal differences, from later positions and final
    results. Then come rounds. Each adds new positions of its games, whose targets are 1-ply values of the
    current network corrected by the errors of later positions in the same game. The anneal goes through the
    newest positions some more times with falling learning rates.

    A run that begins with another network has no opening: that network plays and evaluates until the new one
    is as near to the 1-ply values. If both have the same shape, training begins with its weights; a first
    layer that buckets share may become one for each.

    With teachers the targets of the rounds are the mean of their probabilities. The games stay its own.

    The network is made of an average of the weights at the ends of the rounds, since the weights themselves
    stray around the optimum with each step. Round t counts as about t⁵. The averaged network plays and
    evaluates. The anneal begins with the average and keeps none of its own.

    The same settings give the same network for any number of threads, unless there is a time limit.

    Parameters
    ----------
    settings : Settings
    begin : Network, optional
        Plays and evaluates in the first rounds, instead of an opening.
    lessons : sequence of Lesson
        Additional positions for the first rounds, kept by another run.
    teachers : sequence of evaluator
        The evaluators that `settings.teachers` names.
    threads : int

    Attributes
    ----------
    network : Network
        The current network.
    round : int
        Number of finished rounds, including those of the opening and the anneal.
    done : bool
    off : float
        Root mean square error of the equities in the last pass, before learning; NaN before the first pass.

    Raises
    ------
    BgfastError
        If an argument is invalid.

    Examples
    --------
    >>> small = Settings(hidden=32, dense=0, opening=0, rounds=1, positions=300, anneal=0, seed=1)
    >>> training = Training(small, begin=Network.random(hidden=32, seed=1))
    >>> for share in training.train():
    ...     pass
    >>> training.done, training.network.about["training"]["rounds"]
    (True, 1)

    Notes
    -----
    Source: Sutton, "Learning to predict by the methods of temporal differences" (1988); Tesauro, "Temporal
    difference learning and TD-Gammon" (1995), for the opening; Kingma, Ba, "Adam: a method for stochastic
    optimization" (2015); Shamir, Zhang, "Stochastic gradient descent for non-smooth optimization" (2013), for
    the average, whose shares are (1 + η) / (t + η).
    """

    def __init__(
        self,
        settings: Settings,
        begin: Network | None = None,
        lessons: Sequence[Lesson] = (),
        *,
        teachers: Sequence[Evaluator] = (),
        threads: int = 1,
    ) -> None:
        if len(teachers) != len(settings.teachers):
            raise BgfastError(
                f"{len(teachers)} teachers are passed; expected the {len(settings.teachers)} of the settings"
            )
        self.settings = settings
        self.teachers = [*teachers]
        self.begin = begin
        self.threads = thread_count(threads)
        of_contact, of_races = settings.hidden, settings.race_hidden or settings.hidden
        buckets = [[bucket] for bucket in range(BUCKETS)]
        if settings.dense and settings.shared:
            buckets = [[*range(BUCKETS - 1)], [BUCKETS - 1]]
        self.layers = [
            LearningLayer(
                of_layer,
                of_races if BUCKETS - 1 in of_layer else of_contact,
                settings.dense,
                settings.features and BUCKETS - 1 not in of_layer,
                self._random("weights", number),
            )
            for number, of_layer in enumerate(buckets)
        ]
        self._fits = begin is not None and all(layer.fits(begin.weights) for layer in self.layers)
        if begin is not None and self._fits:
            for layer in self.layers:
                layer.begin_with(begin.weights)
        # Average of the weights at the ends of the rounds; later ones weigh more.
        self.averages = [layer.arrays["weights"].copy() for layer in self.layers]
        self._layer_of_bucket = np.array(
            [number for bucket in range(BUCKETS) for number, own in enumerate(buckets) if bucket in own]
        )
        self._opening_rounds = 0
        if settings.opening and begin is None:
            self._opening_rounds = FIRST_ROUNDS + -(-settings.opening // (self._game_count() * OPENING_PLIES))
        # Progress: with the arrays, all that is needed to resume.
        self.round = 0
        self.phase = "play"  # then "judge", then "learn"
        self.kind = "opening" if self._opening_rounds else "round"  # then "anneal", then "done"
        self.games = np.repeat(settings.position.to_array()[None], self._game_count(), axis=0)
        self.ply = self.games_played = self.positions = 0  # of each game; in all
        self.judged = 0  # positions of `fresh` with targets
        self.fresh: Lesson | None = None
        # For the positions of games, the first in `fresh`: True if the next one has nothing to say about it.
        self.cut = np.zeros(0, np.bool_)
        self.beside = np.zeros(0, np.int64)  # for each alternative: the position reached instead
        # By round; lessons of another run come before the first.
        self.kept: dict[int, Lesson] = {place - len(lessons): own for place, own in enumerate(lessons)}
        self.caught_up = begin is None  # True if the network itself plays and evaluates
        self._made: tuple[int, Boards, Weights] | None = None  # round, positions, their network
        self.pass_began = 0  # in steps
        self.exact_rounds = 0
        self.seconds_before = 0.0
        self.anneal_began = self.round_began = 0.0  # seconds
        self._going_since: float | None = None
        self.off = math.nan
        self.passes = 1

    def _game_count(self) -> int:
        """Return the number of games in lockstep: fewer if few positions are wanted."""
        return max(8, min(GAMES, max(self.settings.opening, self.settings.positions) // 16))

    def _random(self, *purpose: Any) -> np.random.PCG64:
        """Return raw random numbers for a purpose, the same with every version of NumPy."""
        entropy = [self.settings.seed, *(int.from_bytes(str(word).encode(), "big") for word in purpose)]
        return np.random.PCG64(np.random.SeedSequence(entropy))

    # ---------------------------------------------------------------- results

    @property
    def done(self) -> bool:
        """True if the run has ended."""
        return self.kind == "done"

    @property
    def steps(self) -> int:
        """Steps of all first layers."""
        return sum(layer.steps for layer in self.layers)

    @property
    def seconds(self) -> float:
        """Training time until now."""
        since = self._going_since
        return self.seconds_before + (0.0 if since is None else time.monotonic() - since)

    @property
    def network(self) -> Network:
        """Network after the last round."""
        if self.begin is not None and self._fits and not self.round:
            return Network(self.begin.weights, self._about())
        lessons = [*self.kept.values()][-1:] or ([] if self.fresh is None else [self.fresh])
        boards = lessons[0].boards if lessons else self.games
        made = self._made
        if made is None or made[0] != self.round or made[1] is not boards:
            layers = [
                layer.as_network(average, number, boards[:CALIBRATING], self.threads)
                for number, (layer, average) in enumerate(zip(self.layers, self.averages, strict=True))
            ]
            weights = Weights(
                tuple(first_layer for first_layer, _ in layers),
                tuple(head for _, own in layers for head in own),
            )
            self._made = made = (self.round, boards, weights)
        return Network(made[2], self._about())

    def _about(self) -> dict[str, Any]:
        about: dict[str, Any] = {
            "training": self.settings.to_json(),
            "round": self.round,
            "games": self.games_played,
            "positions": self.positions,
            "seconds": round(self.seconds),
        }
        if self.begin is not None:
            about["before"] = self.begin.about
        return about

    # ---------------------------------------------------------------- its state

    def progress(self) -> dict[str, Any]:
        """Return the progress without arrays, as JSON content."""
        return {name: getattr(self, name) for name in _PROGRESS} | {"seconds_before": self.seconds}

    def resume(
        self,
        progress: Mapping[str, Any],
        games: Boards,
        fresh: Lesson,
        cut: npt.NDArray[np.bool_],
        beside: npt.NDArray[np.int64],
        kept: Mapping[int, Lesson],
        averages: Sequence[Floats],
    ) -> None:
        """Resume another run, whose first layers have been loaded already.

        Raises
        ------
        ValueError
            If a run of these settings cannot be in that state.
        """
        if (
            set(progress) != set(_PROGRESS)
            or any(type(progress[name]) is not kind for name, kind in _PROGRESS.items())
            or not all(0 <= number <= MAX_STORED for number in progress.values() if type(number) is not str)
            or games.shape != self.games.shape
            or games.dtype != np.int8
            or progress["phase"] not in ("play", "judge", "learn")
            or progress["kind"] not in ("opening", "round", "anneal", "done")
            or cut.dtype != np.bool_
            or any(map(_differ, averages, self.averages))
            or beside.dtype != np.int64
            or (
                progress["phase"] == "judge"
                and not progress["judged"] <= len(fresh.boards) == len(cut) + len(beside)
            )
            or not ((beside >= 0) & (beside < len(cut))).all()
            or (progress["phase"] == "learn" and not kept)
        ):
            raise ValueError(progress)
        for name in _PROGRESS:
            setattr(self, name, progress[name])
        self.games, self.cut, self.beside, self.kept, self._made = games, cut, beside, dict(kept), None
        self.averages = [*averages]
        self.fresh = fresh if len(fresh.boards) else None

    def add_rounds(self, rounds: int) -> None:
        """Raise the number of rounds and anneal after the last of them.

        An anneal that has begun or ended stops there; what it learnt stays.

        Raises
        ------
        BgfastError
            If there are fewer rounds than planned, or there is a time limit.
        """
        planned = self.settings.rounds
        if rounds <= planned or self.settings.time_limit is not None:
            limit = self.settings.time_limit
            asked = f"more than {planned}" if limit is None else f"none beside a time limit of {limit:g} s"
            raise BgfastError(f"rounds are {rounds}; expected {asked}")
        if self.kind in ("anneal", "done"):
            self.kind, self.phase, self.pass_began = "round", "play", self.steps
        self.settings = replace(self.settings, rounds=rounds)

    # ---------------------------------------------------------------- rounds

    def train(self) -> Iterator[float]:
        """Train to the end; yield the share of work done after each portion of about a second.

        Between two portions and after Ctrl-C the run can be resumed, by this or another object.
        """
        self._going_since = time.monotonic()
        try:
            while not self.done:
                for _ in {"play": self._play, "judge": self._judge, "learn": self._learn}[self.phase]():
                    yield self.share
                    if self.done:
                        break
            yield 1.0
        finally:
            self.seconds_before, self._going_since = self.seconds, None

    @property
    def share(self) -> float:
        """Approximate share of all work that is done."""
        settings = self.settings
        if self.done:
            return 1.0
        if settings.time_limit is not None:
            return min(1.0, self.seconds / settings.time_limit)
        # Costs: an opening position as much as learning from one, a target 25 times that.
        opening = self._opening_rounds * len(self.games) * OPENING_PLIES
        each = 25 * settings.positions + min(settings.keep, settings.positions * settings.rounds)
        last = settings.anneal * min(settings.keep, settings.positions * settings.rounds)
        total = opening + settings.rounds * each + last
        if self.kind == "opening":
            return min(1.0, self.round * len(self.games) * OPENING_PLIES / max(1, total))
        if self.kind == "round":
            share = self.judged / settings.positions if self.phase == "judge" else self.phase == "learn"
            return min(1.0, (opening + (self.exact_rounds + min(share, 0.95)) * each) / max(1, total))
        return max(0.0, 1.0 - last / max(1, total))

    def _player(self) -> Any:
        """Return the evaluator that plays and makes targets."""
        network = self.network if self.begin is None or self.caught_up else self.begin
        return WithBearoff(network) if self.settings.bearoff and self.kind == "round" else network

    def _play(self) -> Iterator[None]:
        """Continue the games and collect their positions."""
        settings = self.settings
        self.round_began = self.seconds
        of_games = -(-settings.positions // 2)  # of the positions of a round
        if self.kind == "opening":
            plies = FIRST_PLIES if self.round < FIRST_ROUNDS else OPENING_PLIES
        else:
            plies = -(-of_games // len(self.games))
        player = self._player()
        games, met, points, by_lot = play_on(
            player,
            settings.position.to_array(),
            self.games,
            self.ply,
            plies,
            settings.seed,
            settings.noise,
            self.threads,
        )
        finished = int(np.count_nonzero(points))
        if self.kind == "opening":
            trace = 1.0 if self.round < FIRST_ROUNDS else OPENING_TRACE
            fresh = temporal_differences(player, met, points, trace, self.threads)
            cut, beside = np.zeros(0, np.bool_), np.zeros(0, np.int64)
            phase, positions, kept = "learn", len(fresh.boards), {self.round: fresh}
        else:
            # Game by game, so that each position is followed by the next one of its game.
            boards = met.swapaxes(0, 1).reshape(-1, met.shape[2])[:of_games]
            cut = (points != 0) | by_lot
            cut[-1] = True
            cut = cut.T.reshape(-1)[:of_games]
            cut[-1] = True
            others, beside = self._alternatives(player, boards, cut)
            boards = np.concatenate((boards, others))
            fresh = Lesson(boards, np.zeros((len(boards), 5), np.float32))
            phase, positions, kept = "judge", 0, self.kept
        # All or nothing on Ctrl-C.
        self.fresh, self.cut, self.beside, self.kept = fresh, cut, beside, kept
        self.judged, self.phase = 0, phase
        self.pass_began = self.steps
        self.games, self.ply = games, self.ply + plies
        self.games_played, self.positions = self.games_played + finished, self.positions + positions
        yield

    def _alternatives(self, player: Any, boards: Boards, cut: npt.NDArray[np.bool_]) -> Alternatives:
        """Return alternatives to randomly chosen positions of a round, with the rows they replace."""
        random = self._random("alternatives", self.round)
        rows = np.flatnonzero(~cut)
        rows = rows[np.argsort(random.random_raw(len(rows)), kind="stable")]
        found = alternatives(
            player, boards[rows], int(random.random_raw()) >> 1, self.settings.positions // 2
        )
        return Alternatives(found.boards, rows[found.rows] + 1)

    def _judge(self) -> Iterator[None]:
        """Compute the targets of the new positions."""
        assert self.fresh is not None
        boards, targets = self.fresh
        player = self._player()
        while self.judged < len(boards) and not (self.judged and self._late()):
            some = slice(self.judged, self.judged + TARGETS_AT_ONCE)
            if self.teachers:
                targets[some] = mean_probabilities(self.teachers, boards[some])
            else:
                targets[some] = exact_targets(player, boards[some], self.threads)
            self.judged = min(some.stop, len(boards))
            yield
        judged = Lesson(boards[: self.judged], targets[: self.judged])
        cut, beside = self.cut[: self.judged], self.beside[: max(0, self.judged - len(self.cut))]
        if not self.teachers:
            judged = with_later_errors(judged, player, cut, beside, self.settings.trace)
        fresh = distinct(judged)
        kept = {**self.kept, self.round: fresh}
        sizes = np.cumsum([len(lesson.boards) for lesson in reversed(kept.values())])
        number = 1 + int(np.searchsorted(sizes, self.settings.keep))
        kept = dict([*kept.items()][-number:])
        learnt = self.round > 0
        caught_up = self.caught_up or (learnt and _off(self.network, fresh) <= _off(self.begin, fresh))
        self.kept, self.fresh, self.phase, self.pass_began = kept, None, "learn", self.steps
        self.positions += len(fresh.boards)
        self.caught_up = caught_up
        yield

    def _late(self) -> bool:
        """Return whether the rest of a round's time is for learning."""
        limit = self.settings.time_limit
        return limit is not None and self.seconds - self.round_began > 0.75 * ROUND_SHARE * limit

    # ---------------------------------------------------------------- learning

    def _learn(self) -> Iterator[None]:
        """Learn from the kept positions, usually in one pass."""
        if self.kind == "anneal" and self.steps == self.pass_began:
            for own, average in zip(self.layers, self.averages, strict=True):
                own.arrays["weights"][:] = average
        boards, targets = (np.concatenate(arrays) for arrays in zip(*self.kept.values(), strict=True))
        layers = self._layer_of_bucket[position_buckets(boards)]
        number = 0
        self.passes = self._passes(len(boards))
        while True:
            batches = self._batches(layers, number)
            done = self.steps - self.pass_began - number * len(batches)
            total = 0.0
            seen = 0
            for place in range(max(0, done), len(batches)):
                share = self._pass_share(number + place / len(batches))
                if self.kind == "anneal" and share >= 1:
                    break
                layer, rows = batches[place]
                total += self.layers[layer].learn(boards, targets, rows, self._rate(share), self.threads)
                seen += len(rows)
                if (place + 1) % STEPS_AT_ONCE == 0:
                    yield
            if seen:
                self.off = math.sqrt(total / seen)
            number += 1
            if self.kind == "opening" or self._pass_share(number) >= 1:
                break
        self._end_round()
        yield

    def _batches(self, layers: npt.NDArray[np.int64], number: int) -> list[tuple[int, npt.NDArray[np.int64]]]:
        """Return the batches of a pass: shuffled positions, each first layer's spread over the pass."""
        keys = self._random("order", self.round, number).random_raw(len(layers))
        order = np.argsort(keys, kind="stable")
        found: list[tuple[float, int, npt.NDArray[np.int64]]] = []
        for layer in range(len(self.layers)):
            rows = order[layers[order] == layer]
            count = -(-len(rows) // BATCH)
            for place, batch in enumerate(np.array_split(rows, count) if count else []):
                found.append(((place + 0.5) / count, layer, batch))
        return [batch[1:] for batch in sorted(found, key=lambda batch: batch[:2])]

    def _pass_share(self, passes: float) -> float:
        """Return the share of the current phase after so many passes."""
        settings = self.settings
        if self.kind == "opening":
            share = (self.round + passes) / self._opening_rounds
            if settings.time_limit is not None:
                share = max(share, self.seconds / (OPENING_SHARE * settings.time_limit))
            return share
        if self.kind == "round" or settings.time_limit is None:
            return passes / self.passes
        left = settings.time_limit - self.anneal_began
        return (self.seconds - self.anneal_began) / left if left > 0 else 1.0

    def _passes(self, positions: int) -> int:
        """Return the number of passes through so many positions without a time limit."""
        if self.kind == "anneal":
            passes = self.settings.anneal
        else:
            passes = FIRST_PASSES if self.begin is not None and not self._fits and not self.round else 1
        return max(passes, -(-MIN_STEPS * BATCH // positions))

    def _rate(self, share: float) -> float:
        first, last, end = self.settings.steps
        if self.kind == "anneal":
            last = end
        return float(first * (last / first) ** min(share, 1.0))

    def _end_round(self) -> None:
        """Advance to the next round."""
        settings, limit = self.settings, self.settings.time_limit
        kind, exact, now, steps = self.kind, self.exact_rounds, self.seconds, self.steps
        share = (1 + LATER) / (1 + exact + LATER) if kind == "round" else 1.0
        averages = [
            average + np.float32(share) * (layer.arrays["weights"] - average)
            for layer, average in zip(self.layers, self.averages, strict=True)
        ]
        if kind == "opening":
            enough = limit is not None and now >= OPENING_SHARE * limit
            if enough or self.round + 1 == self._opening_rounds:
                kind = "round"
        elif kind == "round":
            exact += 1
        else:
            kind = "done"
        if kind == "round":
            if limit is None:
                over = exact == settings.rounds
            else:
                took = now - self.round_began if exact else ROUND_SHARE * limit
                over = now + took + ANNEAL_SHARE * limit > limit
            if over:
                anneal = settings.anneal and self.kept and exact and (limit is None or now < limit)
                kind = "anneal" if anneal else "done"
        kept = {} if self.kind == "opening" and kind == "round" else self.kept
        phase = "learn" if kind == "anneal" else "play"
        # All or nothing on Ctrl-C.
        self.kind, self.phase, self.exact_rounds, self.round = kind, phase, exact, self.round + 1
        self.kept, self.averages, self.pass_began, self.anneal_began = kept, averages, steps, now


def _differ(one: Floats, other: Floats) -> bool:
    return (one.shape, one.dtype) != (other.shape, other.dtype)


def _off(network: Network | None, lesson: Lesson) -> float:
    """Return the mean squared error of a network's equities in the first positions."""
    assert network is not None
    boards, targets = lesson.boards[:CALIBRATING], lesson.targets[:CALIBRATING]
    off = equities_of_outputs(network.evaluate(boards)) - equities_of_outputs(targets)
    return float(np.mean(np.square(off), dtype=np.float64))
