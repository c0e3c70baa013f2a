"""Training of a network by self-play, in rounds that can be looked at, kept and gone on with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bgfast.analysis.evaluators.network import Network
from bgfast.analysis.evaluators.network_weights import Dense, FirstLayer, Head, Weights
from bgfast.analysis.training._training import SelfPlay
from bgfast.common.validation import real_number, seed_number, thread_count, whole_number
from bgfast.common.vocabulary import CHECKERS
from bgfast.errors import BgfastError, shown
from bgfast.position.objects import Position

__all__ = ["Schedule", "Training"]

ROUND = 128  # games of each worker between two looks at what the others have learnt
LANES = 8  # of the outputs' bias, as the core wants it


@dataclass(frozen=True)
class Schedule:
    """How fast a network learns: the step falls geometrically from the first game to the last.

    Attributes
    ----------
    first, last : float
        The length of a step at the beginning and at the end.
    trace : float
        Lambda: how much of the game's end, not only of the next position, a position is taught; 0 to 1.
    """

    first: float = 0.02
    last: float = 0.0003
    trace: float = 0.7

    def rate(self, share: float) -> float:
        """Return the step after a share of all games."""
        return float(self.first * (self.last / self.first) ** min(share, 1.0))


class Training:
    """A network that plays against itself and learns from it.

    The same for a seed and a number of threads, whatever machine they run on.

    Parameters
    ----------
    games : int
        How many in all.
    network : Network
        Where it begins. What its `about` has under "before" is kept: how it was trained until then.
    seed : int
        Of the dice.
    threads : int
        So many workers, each with a copy of the network; what they have learnt is added up after each round.
    schedule : Schedule
    start : Position, optional
        Where each game begins, with 15 checkers a side; the start of backgammon by default.

    Raises
    ------
    BgfastError
        If an argument is wrong.

    Examples
    --------
    >>> from bgfast.analysis.evaluators.network import Network
    >>> training = Training(256, Network.random(hidden=32), seed=1)
    >>> [played for played in training.play()]
    [128, 256]
    >>> training.network.about["games"]
    256
    """

    def __init__(
        self,
        games: int,
        network: Network,
        *,
        seed: int = 0,
        threads: int = 1,
        schedule: Schedule = Schedule(),
        start: Position | None = None,
    ) -> None:
        number = whole_number(games)
        if number is None or not 0 < number <= 10**12:
            raise BgfastError(f"games is {shown(games)}; expected a whole number from 1 on")
        if len(set(network.hidden)) > 1:
            raise BgfastError(f"{network!r}; expected as many hidden units for all kinds of positions")
        self.games = number
        self.seed = seed_number(seed)
        self.threads = thread_count(threads)
        self.schedule = schedule
        self._start = Position.start() if start is None else start
        if self._start.checkers != CHECKERS or self._start.result:
            raise BgfastError(
                f"start is {shown(start)}; expected a game to be played, with 15 checkers a side"
            )
        played = whole_number(network.about.get("games", 0)) if self.goes_on(network) else 0
        if played is None or not 0 <= played <= number:
            raise BgfastError(
                f"the network says that it has played {shown(network.about['games'])} of {number:,} games; "
                "expected a whole number up to them"
            )
        self.played: int = played
        self.cut: int = (whole_number(network.about.get("cut")) or 0) if played else 0
        self._before = {word: network.about[word] for word in ("before",) if word in network.about}
        layers, heads = network.weights
        if len(layers) < len(heads) or any(len(head.dense) > 1 for head in heads):
            raise BgfastError(
                f"{network!r}; expected a first layer for each part, and heads of outputs alone"
            )
        outputs = [head.dense[0] for head in heads]
        rows = [layers[head.first_layer].rows for head in heads]
        self._weights = np.stack([np.concatenate((r, o.weights)) for r, o in zip(rows, outputs, strict=True)])
        self._has_features = [layers[head.first_layer].has_features for head in heads]
        self._output_bias = np.zeros((len(heads), LANES), np.float32)
        self._output_bias[:, :5] = [dense.bias for dense in outputs]

    @classmethod
    def resumed(cls, network: Network) -> Training:
        """Return the training that has left a network, to be gone on with.

        Raises
        ------
        BgfastError
            If none has.

        Examples
        --------
        >>> from bgfast.analysis.evaluators.network import Network
        >>> training = Training(256, Network.random(hidden=32), seed=1)
        >>> next(training.play())
        128
        >>> list(Training.resumed(training.network).play())
        [256]
        """
        found: Training | None = None
        try:
            kept = network.about["training"]
            first, last, trace = map(_share, kept["schedule"])
            training = cls(
                kept["games"],
                network,
                seed=kept["seed"],
                threads=kept["threads"],
                schedule=Schedule(first, last, trace),
                start=Position.from_gnubg_id(kept["start"]) if "start" in kept else None,
            )
            if training.goes_on(network):
                found = training
        except (KeyError, TypeError, ValueError):  # such as errors of bgfast
            pass
        if found is None:
            raise BgfastError(f"{network!r} is none that a training has left; expected one to go on with")
        return found

    def goes_on(self, network: Network) -> bool:
        """Return whether the network is one that this training has left."""
        return network.about.get("training") == self._settings()

    def _settings(self) -> dict[str, Any]:
        schedule = self.schedule
        settings: dict[str, Any] = {
            "games": self.games,
            "seed": self.seed,
            "threads": self.threads,
            "schedule": [schedule.first, schedule.last, schedule.trace],
        }
        if self._start != Position.start():
            settings["start"] = self._start.gnubg_id
        return settings

    def play(self) -> Iterator[int]:
        """Play the games that are left; after each round yield how many are played in all."""
        copies = np.repeat(self._weights[None], self.threads, axis=0)
        biases = np.repeat(self._output_bias[None], self.threads, axis=0)
        work = SelfPlay(self._start.to_array(), copies, biases, self.seed, self._has_features)
        while self.played < self.games:
            left = -(-(self.games - self.played) // self.threads)
            games = min(ROUND, left)
            rate = self.schedule.rate(self.played / self.games)
            _, cut = work.play(self.played, games, rate, self.schedule.trace)
            weights, output_bias = (
                own + (of_workers - own).sum(axis=0)
                for own, of_workers in ((self._weights, copies), (self._output_bias, biases))
            )
            # Ctrl-C comes before all of this or after it: what is counted has been learnt.
            played, cut = self.played + games * self.threads, self.cut + cut
            self._weights, self._output_bias, self.played, self.cut = weights, output_bias, played, cut
            copies[:], biases[:] = weights, output_bias
            if not np.isfinite(self._weights).all():
                raise BgfastError(
                    f"the weights have left all bounds after {self.played:,} games; expected a smaller step"
                )
            yield self.played

    @property
    def features(self) -> bool:
        """Whether it learns of more than how many checkers stand where."""
        return any(self._has_features)

    @property
    def network(self) -> Network:
        """The network as it is now."""
        parts = Weights(
            tuple(
                FirstLayer.of_rows(rows[:-5], np.zeros(rows.shape[1], np.float32), has_features)
                for rows, has_features in zip(self._weights, self._has_features, strict=True)
            ),
            tuple(
                Head(number, (Dense(rows[-5:].copy(), bias[:5].copy()),))
                for number, (rows, bias) in enumerate(zip(self._weights, self._output_bias, strict=True))
            ),
        )
        about = {"games": self.played, "cut": self.cut, "training": self._settings(), **self._before}
        return Network(parts, about)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Keep the network as it is now, for use and for going on."""
        self.network.save(path)


def _share(value: Any) -> float:
    number = real_number(value)
    if number is None or not 0 <= number <= 1:
        raise BgfastError(f"{shown(value)} in a schedule; expected a number from 0 to 1")
    return number
