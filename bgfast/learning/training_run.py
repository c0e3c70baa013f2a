"""Training of a network in rounds: self-play, targets, learning."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.common.foreign_names import names_missing
from bgfast.common.validation import Boards, thread_count, validate_number
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.evaluators._network import position_buckets
from bgfast.evaluation.evaluators.evaluators import Evaluator
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.network_file import BUCKETS, Weights
from bgfast.evaluation.evaluators.with_bearoff import WithBearoff
from bgfast.learning._targets import continue_games, one_ply_targets
from bgfast.learning.learning_layer import BATCH, LearningLayer
from bgfast.learning.targets import (
    Lesson,
    find_alternatives,
    mean_probabilities,
    merge_positions,
    squared_error,
    temporal_differences,
    with_later_errors,
)
from bgfast.learning.training_settings import Settings

GAMES = 1024  # in lockstep
OPENING_PLIES = 128  # in a round of the opening
FIRST_PLIES = 384  # in each of the first rounds, when an untrained network seldom ends games
FIRST_ROUNDS = 3
FIRST_PASSES = 8  # through the first round's positions, if another network plays that round
TARGET_BATCH = 2048  # positions
STEPS_PER_YIELD = 64
MIN_STEPS = 200  # in a round
CALIBRATION_POSITIONS = 20_000
OPENING_TRACE = 0.7  # lambda of the opening
AVERAGE_POWER = 5  # round t counts as t**AVERAGE_POWER in the average
# Shares of a time limit: the opening, each round, the minimum for the anneal.
OPENING_SHARE, ROUND_SHARE, ANNEAL_SHARE = 0.6, 0.08, 0.12


@names_missing
class Training:
    """Training run of a network on positions of its own games.

    docs/NETWORK.md describes the opening, the rounds, the anneal and the targets. A run that begins with
    another network has no opening: that network plays and evaluates until the new one fits the 1-ply values
    as closely. If both have the same shape, training begins with the old weights; a shared first layer may be
    copied for each bucket. With teachers, the network still plays the games.

    The result is an average of the weights at the ends of the rounds, since the weights themselves oscillate
    around the optimum. Round t has a weight of about t⁵. The averaged network plays and evaluates. The anneal
    begins with the average and is not averaged.

    The same settings give the same network for any number of threads, except with a time limit.

    Parameters
    ----------
    settings : Settings
    begin : Network, optional
        Network that plays and evaluates in the first rounds, instead of an opening.
    lessons : sequence of Lesson
        Positions of an earlier run, added to the first rounds.
    teachers : sequence of evaluator
        The evaluators named in `settings.teachers`.
    threads : int

    Attributes
    ----------
    network : Network
        The current network.
    round : int
        Number of finished rounds, including opening and anneal.
    done : bool
    rms_error : float
        Root mean square equity error in the last pass, measured before each step; NaN before the first pass.

    Raises
    ------
    BgfastError
        If an argument is invalid.

    References
    ----------
    Sutton, "Learning to predict by the methods of temporal differences" (1988); Tesauro, "Temporal difference
    learning and TD-Gammon" (1995), for the opening; Kingma, Ba, "Adam: a method for stochastic optimization"
    (2015); Shamir, Zhang, "Stochastic gradient descent for non-smooth optimization" (2013), for the average,
    to which round t contributes the fraction (1 + η) / (t + η).

    Examples
    --------
    >>> small = Settings(hidden=32, dense=0, opening=0, rounds=1, positions=300, anneal=0, seed=1)
    >>> training = Training(small, begin=Network.random(hidden=32, seed=1))
    >>> for share in training.train():
    ...     pass
    >>> training.done, training.network.about["training"]["rounds"]
    (True, 1)
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
        if not isinstance(settings, Settings):
            raise BgfastError(f"settings is {short_repr(settings)}; expected Settings")
        if begin is not None and not isinstance(begin, Network):
            raise BgfastError(f"begin is {short_repr(begin)}; expected a Network")
        if len(teachers) != len(settings.teachers):
            expected = len(settings.teachers)
            raise BgfastError(f"teachers has length {len(teachers)}; expected {expected}, as in the settings")
        for lesson in lessons:  # the learner reads them unchecked
            if not isinstance(lesson, Lesson) or np.shape(lesson.targets) != (len(lesson.boards), 5):
                raise BgfastError(f"lessons has {short_repr(lesson)}; expected a Lesson with targets (n, 5)")
        self.settings = settings
        self.teachers = [*teachers]
        self.begin = begin
        self.threads = thread_count(threads)
        race = BUCKETS - 1
        layer_buckets = [[bucket] for bucket in range(BUCKETS)]
        if settings.dense and settings.shared:
            layer_buckets = [[*range(race)], [race]]
        self.layers = [
            LearningLayer(
                buckets,
                (settings.race_hidden or settings.hidden) if race in buckets else settings.hidden,
                settings.dense,
                settings.features and race not in buckets,
                settings.triples,
                settings.squares,
                self._random("weights", index),
            )
            for index, buckets in enumerate(layer_buckets)
        ]
        self._begins_with_weights = begin is not None and all(
            layer.fits(begin.weights) for layer in self.layers
        )
        if begin is not None and self._begins_with_weights:
            for layer in self.layers:
                layer.begin_with(begin.weights)
        # Average of the weights at the ends of the rounds; later rounds weigh more.
        self.averages = [layer.arrays["weights"].copy() for layer in self.layers]
        self._layer_of_bucket = np.zeros(BUCKETS, np.int64)
        for index, buckets in enumerate(layer_buckets):
            self._layer_of_bucket[buckets] = index
        self._opening_rounds = 0
        if settings.opening and begin is None:
            self._opening_rounds = FIRST_ROUNDS + -(-settings.opening // (self._game_count() * OPENING_PLIES))
        # training_state.py saves and loads the attributes up to `anneal_began`, except `_average_cache`.
        self.round = 0
        self.phase = "play"  # then "judge" (targets are computed), then "learn"
        self.kind = "opening" if self._opening_rounds else "round"  # then "anneal", then "done"
        self.games = np.repeat(settings.position.to_array()[None], self._game_count(), axis=0)
        self.ply = 0  # plies played in each game
        self.games_played = self.positions = 0
        self.new_lesson: Lesson | None = None  # the round's positions: positions of games, then alternatives
        self.judged = 0  # number of positions of `new_lesson` that have targets
        self.cut = np.zeros(0, np.bool_)  # for each position of games; see `with_later_errors`
        self.replaced_rows = np.zeros(0, np.int64)  # for each alternative: index of the position it replaces
        # Lessons by round; rounds of an earlier run are negative.
        self.lessons: dict[int, Lesson] = dict(enumerate(lessons, -len(lessons)))
        self.caught_up = begin is None  # True if the new network plays and evaluates
        self._average_cache: tuple[int, Boards, Weights] | None = None  # round, calibration boards, weights
        self.pass_began = 0  # value of `steps` when learning began in this round
        self.exact_rounds = 0  # rounds after the opening
        self.seconds_before = 0.0
        self.anneal_began = self.round_began = 0.0  # seconds
        self._started: float | None = None  # monotonic time
        self.rms_error = math.nan
        self.passes = 1

    def _game_count(self) -> int:
        """Return the number of games in lockstep, fewer if the run has few positions."""
        return max(8, min(GAMES, max(self.settings.opening, self.settings.positions) // 16))

    def _random(self, *purpose: Any) -> np.random.PCG64:
        """Return the generator for a purpose; its raw numbers are the same in all versions of NumPy."""
        entropy = [self.settings.seed, *(int.from_bytes(str(part).encode(), "big") for part in purpose)]
        return np.random.PCG64(np.random.SeedSequence(entropy))

    @property
    def done(self) -> bool:
        """True if the run has ended."""
        return self.kind == "done"

    @property
    def steps(self) -> int:
        """Number of steps of all first layers."""
        return sum(layer.steps for layer in self.layers)

    @property
    def seconds(self) -> float:
        """Training time so far."""
        return self.seconds_before + (0.0 if self._started is None else time.monotonic() - self._started)

    @property
    def network(self) -> Network:
        """Network after the last round."""
        if self.begin is not None and self._begins_with_weights and not self.round:
            return Network(self.begin.weights, self._about())
        lessons = [*self.lessons.values()] or ([] if self.new_lesson is None else [self.new_lesson])
        boards = lessons[-1].boards if lessons else self.games
        cache = self._average_cache
        if cache is None or cache[0] != self.round or cache[1] is not boards:
            layers = [
                layer.as_network(average, index, boards[:CALIBRATION_POSITIONS], self.threads)
                for index, (layer, average) in enumerate(zip(self.layers, self.averages, strict=True))
            ]
            heads = tuple(head for _, heads in layers for head in heads)
            weights = Weights(tuple(first_layer for first_layer, _ in layers), heads)
            self._average_cache = cache = (self.round, boards, weights)
        return Network(cache[2], self._about())

    def _about(self) -> dict[str, Any]:
        about = {"training": self.settings.to_json(), "round": self.round, "games": self.games_played}
        about |= {"positions": self.positions, "seconds": round(self.seconds)}
        return about if self.begin is None else about | {"before": self.begin.about}

    def add_rounds(self, rounds: int) -> None:
        """Increase the number of rounds; the anneal follows the last round.

        An anneal that has begun is abandoned, but its changes to the weights stay. `BgfastError` is raised if
        `rounds` is not greater than the current number or there is a time limit.
        """
        rounds, limit = validate_number("rounds", rounds), self.settings.time_limit
        if limit is not None:
            raise BgfastError(f"rounds cannot be combined with a time limit, here {limit:g} s")
        if rounds <= self.settings.rounds:
            raise BgfastError(f"rounds is {rounds}; expected more than {self.settings.rounds}")
        if self.kind in ("anneal", "done"):
            self.kind, self.phase, self.pass_began = "round", "play", self.steps
        self.settings = replace(self.settings, rounds=rounds)

    def train(self) -> Iterator[float]:
        """Train to the end; about once a second, yield the share of work done.

        At each yield and after Ctrl-C the run can be saved and resumed.
        """
        self._started = time.monotonic()
        phases = {"play": self._play, "judge": self._compute_targets, "learn": self._learn}
        try:
            while not self.done:
                for _ in phases[self.phase]():
                    yield self.share
                    if self.done:
                        break
            yield 1.0
        finally:
            self.seconds_before, self._started = self.seconds, None

    @property
    def share(self) -> float:
        """Approximate share of work done."""
        settings = self.settings
        if self.done:
            return 1.0
        if settings.time_limit is not None:
            return min(1.0, self.seconds / settings.time_limit)
        # Relative cost: 1 for a position of the opening or of a pass, 25 for a target.
        opening_cost = self._opening_rounds * len(self.games) * OPENING_PLIES
        pass_cost = min(settings.keep, settings.positions * settings.rounds)
        round_cost = 25 * settings.positions + pass_cost
        anneal_cost = settings.anneal * pass_cost
        total = max(1, opening_cost + settings.rounds * round_cost + anneal_cost)
        if self.kind == "opening":
            return min(1.0, self.round * len(self.games) * OPENING_PLIES / total)
        if self.kind == "round":
            share = self.judged / settings.positions if self.phase == "judge" else self.phase == "learn"
            return min(1.0, (opening_cost + (self.exact_rounds + min(share, 0.95)) * round_cost) / total)
        return max(0.0, 1.0 - anneal_cost / total)

    def _evaluator(self) -> Any:
        """Return the evaluator that plays the games and makes the targets."""
        network = self.network if self.begin is None or self.caught_up else self.begin
        return WithBearoff(network) if self.settings.bearoff and self.kind == "round" else network

    def _play(self) -> Iterator[None]:
        """Continue the games and collect their positions."""
        settings = self.settings
        self.round_began = self.seconds
        game_positions = -(-settings.positions // 2)  # the other positions of a round are alternatives
        if self.kind == "opening":
            plies = FIRST_PLIES if self.round < FIRST_ROUNDS else OPENING_PLIES
        else:
            plies = -(-game_positions // len(self.games))
        evaluator = self._evaluator()
        start, seed, noise = settings.position.to_array(), settings.seed, settings.noise
        games, visited, points, is_random = continue_games(
            evaluator, start, self.games, self.ply, plies, seed, noise, self.threads
        )
        finished_games = int(np.count_nonzero(points))
        if self.kind == "opening":
            trace = 1.0 if self.round < FIRST_ROUNDS else OPENING_TRACE
            lesson = temporal_differences(evaluator, visited, points, trace, self.threads)
            cut, replaced_rows = np.zeros(0, np.bool_), np.zeros(0, np.int64)
            phase, positions, lessons = "learn", len(lesson.boards), {self.round: lesson}
        else:
            # Order by game: each position is followed by the next position of its game.
            boards = visited.swapaxes(0, 1).reshape(-1, visited.shape[2])[:game_positions]
            cut = (points != 0) | is_random
            cut[-1] = True
            cut = cut.T.reshape(-1)[:game_positions]
            cut[-1] = True
            # Append alternatives: each stands in for the game's position in `replaced_rows`.
            random = self._random("alternatives", self.round)
            rows = np.flatnonzero(~cut)
            rows = rows[np.argsort(random.random_raw(len(rows)), kind="stable")]
            dice_seed = int(random.random_raw()) >> 1
            alternatives = find_alternatives(evaluator, boards[rows], dice_seed, settings.positions // 2)
            boards, replaced_rows = np.concatenate((boards, alternatives.boards)), rows[alternatives.rows] + 1
            lesson = Lesson(boards, np.zeros((len(boards), 5), np.float32))
            phase, positions, lessons = "judge", 0, self.lessons
        steps = self.steps
        # Ctrl-C must not interrupt the assignments, so no calls below: signal handlers run at calls.
        self.new_lesson, self.cut, self.replaced_rows, self.lessons = lesson, cut, replaced_rows, lessons
        self.judged, self.phase, self.pass_began = 0, phase, steps
        self.games, self.ply = games, self.ply + plies
        self.games_played, self.positions = self.games_played + finished_games, self.positions + positions
        yield

    def _compute_targets(self) -> Iterator[None]:
        """Compute the targets of the new positions and decide whether the new network has caught up."""
        assert self.new_lesson is not None
        boards, targets = self.new_lesson
        evaluator = self._evaluator()
        limit = math.inf if self.settings.time_limit is None else self.settings.time_limit
        while self.judged < len(boards):
            # The rest of the round's time is needed for learning.
            if self.judged and self.seconds - self.round_began > 0.75 * ROUND_SHARE * limit:
                break
            batch = slice(self.judged, self.judged + TARGET_BATCH)
            if self.teachers:
                targets[batch] = mean_probabilities(self.teachers, boards[batch])
            else:
                targets[batch] = one_ply_targets(evaluator, boards[batch], self.threads)
            self.judged = min(batch.stop, len(boards))
            yield
        lesson = Lesson(boards[: self.judged], targets[: self.judged])
        if not self.teachers:
            cut = self.cut[: self.judged]
            replaced_rows = self.replaced_rows[: max(0, self.judged - len(self.cut))]
            lesson = with_later_errors(lesson, evaluator, cut, replaced_rows, self.settings.trace)
        lesson = merge_positions(lesson)
        lessons = {**self.lessons, self.round: lesson}
        sizes = np.cumsum([len(lesson.boards) for lesson in reversed(lessons.values())])
        kept_count = 1 + int(np.searchsorted(sizes, self.settings.keep))
        lessons = dict([*lessons.items()][-kept_count:])
        caught_up = self.caught_up or (
            self.begin is not None
            and self.round > 0
            and squared_error(self.network, lesson, CALIBRATION_POSITIONS)
            <= squared_error(self.begin, lesson, CALIBRATION_POSITIONS)
        )
        positions, steps = self.positions + len(lesson.boards), self.steps
        self.lessons, self.new_lesson, self.phase, self.pass_began = lessons, None, "learn", steps
        self.positions, self.caught_up = positions, caught_up
        yield

    def _learn(self) -> Iterator[None]:
        """Learn from the newest positions, usually in one pass."""
        if self.kind == "anneal" and self.steps == self.pass_began:
            for learning_layer, average in zip(self.layers, self.averages, strict=True):
                learning_layer.arrays["weights"][:] = average
        boards, targets = (np.concatenate(arrays) for arrays in zip(*self.lessons.values(), strict=True))
        layers = self._layer_of_bucket[position_buckets(boards)]
        first_rate, last_rate, anneal_rate = self.settings.steps
        if self.kind == "anneal":
            last_rate = anneal_rate
        pass_number = 0
        is_first = self.begin is not None and not self._begins_with_weights and not self.round
        passes = self.settings.anneal if self.kind == "anneal" else FIRST_PASSES if is_first else 1
        self.passes = max(passes, -(-MIN_STEPS * BATCH // len(boards)))  # not used by a timed anneal
        while True:
            batches = self._batches(layers, pass_number)
            steps_done = self.steps - self.pass_began - pass_number * len(batches)
            error_sum, positions = 0.0, 0
            for step in range(max(0, steps_done), len(batches)):
                share = self._pass_share(pass_number + step / len(batches))
                if self.kind == "anneal" and share >= 1:
                    break
                layer, rows = batches[step]
                rate = float(first_rate * (last_rate / first_rate) ** min(share, 1.0))
                error_sum += self.layers[layer].learn(boards, targets, rows, rate, self.threads)
                positions += len(rows)
                if (step + 1) % STEPS_PER_YIELD == 0:
                    yield
            if positions:
                self.rms_error = math.sqrt(error_sum / positions)
            pass_number += 1
            if self.kind == "opening" or self._pass_share(pass_number) >= 1:
                break
        self._end_round()
        yield

    def _batches(
        self, layers: npt.NDArray[np.int64], pass_number: int
    ) -> list[tuple[int, npt.NDArray[np.int64]]]:
        """Return the shuffled batches of a pass, (layer, rows), with each layer's batches spread evenly."""
        keys = self._random("order", self.round, pass_number).random_raw(len(layers))
        order = np.argsort(keys, kind="stable")
        batches: list[tuple[float, int, npt.NDArray[np.int64]]] = []
        for layer in range(len(self.layers)):
            rows = order[layers[order] == layer]
            count = -(-len(rows) // BATCH)
            for index, batch in enumerate(np.array_split(rows, count) if count else []):
                batches.append(((index + 0.5) / count, layer, batch))
        return [batch[1:] for batch in sorted(batches, key=lambda batch: batch[:2])]

    def _pass_share(self, passes: float) -> float:
        """Return the completed share of the opening, the round or the anneal after a number of passes."""
        limit = self.settings.time_limit
        if self.kind == "opening":
            share = (self.round + passes) / self._opening_rounds
            return share if limit is None else max(share, self.seconds / (OPENING_SHARE * limit))
        if self.kind == "round" or limit is None:
            return passes / self.passes
        anneal_seconds = limit - self.anneal_began
        return (self.seconds - self.anneal_began) / anneal_seconds if anneal_seconds > 0 else 1.0

    def _end_round(self) -> None:
        """Advance to the next round."""
        settings, limit = self.settings, self.settings.time_limit
        kind, exact_rounds, now, steps = self.kind, self.exact_rounds, self.seconds, self.steps
        share = (1 + AVERAGE_POWER) / (1 + exact_rounds + AVERAGE_POWER) if kind == "round" else 1.0
        averages = [
            average + np.float32(share) * (layer.arrays["weights"] - average)
            for layer, average in zip(self.layers, self.averages, strict=True)
        ]
        if kind == "opening":
            is_time_up = limit is not None and now >= OPENING_SHARE * limit
            if is_time_up or self.round + 1 == self._opening_rounds:
                kind = "round"
        elif kind == "round":
            exact_rounds += 1
        else:
            kind = "done"
        if kind == "round":
            if limit is None:
                is_last = exact_rounds == settings.rounds
            else:
                round_seconds = now - self.round_began if exact_rounds else ROUND_SHARE * limit
                is_last = now + round_seconds + ANNEAL_SHARE * limit > limit
            if is_last:
                anneals = settings.anneal and self.lessons and exact_rounds and (limit is None or now < limit)
                kind = "anneal" if anneals else "done"
        lessons = {} if self.kind == "opening" and kind == "round" else self.lessons
        phase = "learn" if kind == "anneal" else "play"
        # Ctrl-C must not interrupt the assignments: no calls below.
        self.kind, self.phase, self.exact_rounds, self.round = kind, phase, exact_rounds, self.round + 1
        self.lessons, self.averages, self.pass_began, self.anneal_began = lessons, averages, steps, now
