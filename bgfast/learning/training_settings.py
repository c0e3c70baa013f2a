"""Settings of a training run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from bgfast.common.validation import CHECKERS, real_number, seed_number, time_limit_seconds, whole_number
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.evaluators.network_file import LANES, MAX_HIDDEN, MAX_UNITS
from bgfast.position.objects import Position

MAX_COUNT = 10**9


@dataclass(frozen=True)
class Settings:
    """Settings of a training run. The same settings give the same network, except with a time limit.

    Attributes
    ----------
    hidden, race_hidden : int
        Units of the first layers for contact and for races; multiples of 32. A `race_hidden` of 0 means
        `hidden`.
    dense : int
        Units of the dense layer between the first layers and the outputs; a multiple of 32, or 0 for none.
    shared : bool
        True if the four contact buckets share a first layer. Without `dense`, each bucket has its own.
    features : bool
        True if the contact buckets use hand-written features in addition to the checker counts.
    triples : bool
        True if first layers have rows of weights for three adjacent points.
    squares : bool
        True if the layer after the first also reads the squares of the activations.
    seed : int
        Seed of the initial weights, dice, random plays and the order of positions.
    opening : int
        Approximate number of self-play positions learnt by temporal differences before the rounds. Not used
        by a run that begins with another network.
    rounds : int
        Number of rounds after the opening.
    positions : int
        Maximum number of new positions in a round.
    keep : int
        Number of the newest positions that each round learns from, rounded up to whole rounds.
    noise : float
        Share of random plays, 0 to 1, in 32 of every 96 plies.
    trace : float
        Lambda of the rounds, 0 to 1: the weight of each later ply of a game relative to the ply before it.
        With 1 the whole game counts, and with 0 only the next ply.
    steps : tuple of float
        Adam's learning rates at the beginning and at the end of a round, and at the end of the anneal.
    anneal : int
        Number of passes of the anneal.
    time_limit : float, optional
        Time limit in seconds; it determines the number and size of the rounds instead of `rounds`.
    bearoff : bool
        True if positions in the bear-off databases get exact targets.
    start : str
        GNU Backgammon ID of the position that games begin with; converted from any text of a `Position`.
    teachers : tuple of str
        Names of evaluators. The targets of the rounds are the mean of their probabilities at 0 plies, instead
        of the network's own 1-ply probabilities.

    Raises
    ------
    BgfastError
        If a setting is invalid.
    """

    hidden: int = 128
    race_hidden: int = 0
    dense: int = 32
    shared: bool = True
    features: bool = True
    triples: bool = True
    squares: bool = True
    seed: int = 0
    opening: int = 12_000_000
    rounds: int = 12
    positions: int = 400_000
    keep: int = 5_000_000
    noise: float = 0.3
    trace: float = 0.95
    steps: tuple[float, float, float] = (1.5e-3, 1e-4, 2e-5)
    anneal: int = 3
    time_limit: float | None = None
    bearoff: bool = True
    start: str = Position.start().gnubg_id
    teachers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, minimum, maximum, unit in (
            ("hidden", LANES, MAX_HIDDEN, LANES),
            ("race_hidden", 0, MAX_HIDDEN, LANES),
            ("dense", 0, MAX_UNITS, LANES),
            ("opening", 0, 1000 * MAX_COUNT, 1),
            ("rounds", 0, MAX_COUNT, 1),
            ("positions", 1, MAX_COUNT, 1),
            ("keep", 1, MAX_COUNT, 1),
            ("anneal", 0, MAX_COUNT, 1),
        ):
            setting = whole_number(getattr(self, name))
            if setting is None or not minimum <= setting <= maximum or setting % unit:
                multiple = f"a multiple of {unit}" if unit > 1 else "a whole number"
                raise BgfastError(
                    f"{name} is {short_repr(getattr(self, name))}; expected {multiple} from {minimum} "
                    f"to {maximum}"
                )
            object.__setattr__(self, name, setting)
        seed_number(self.seed)
        for name, count in (("noise", 1), ("trace", 1), ("steps", 3)):
            value = getattr(self, name)
            values = [real_number(item) for item in (value if count > 1 else [value])]
            if len(values) != count or not all(n is not None and 0 <= n <= 1 for n in values):
                raise BgfastError(f"{name} is {short_repr(value)}; expected numbers from 0 to 1")
        object.__setattr__(self, "steps", tuple(map(float, self.steps)))
        if min(self.steps) <= 0:
            raise BgfastError(f"steps is {short_repr(self.steps)}; expected three numbers greater than 0")
        time_limit_seconds(self.time_limit)
        if not isinstance(self.teachers, tuple) or not all(isinstance(name, str) for name in self.teachers):
            raise BgfastError(f"teachers is {short_repr(self.teachers)}; expected names of evaluators")
        start = Position(self.start)
        if start.checkers != CHECKERS or start.result:
            raise BgfastError(
                f"start is {short_repr(start)}; expected an unfinished game with 15 checkers per side"
            )
        object.__setattr__(self, "start", start.gnubg_id)

    @property
    def position(self) -> Position:
        """Position that games begin with."""
        return Position.from_gnubg_id(self.start)

    def to_json(self) -> dict[str, Any]:
        """Return the settings as JSON content for `from_json`."""
        return {**asdict(self), "steps": list(self.steps), "teachers": list(self.teachers)}

    @classmethod
    def from_json(cls, content: Any) -> Settings:
        """Return the settings from JSON content of `to_json`; raise `BgfastError` if it is invalid."""
        names = {field.name for field in fields(cls)}
        if (
            not isinstance(content, Mapping)
            or set(content) != names
            or not isinstance(content["steps"], list)
            or not isinstance(content["teachers"], list)
        ):
            raise BgfastError(f"settings are {short_repr(content)}; expected the settings of a training run")
        return cls(**{**content, "steps": tuple(content["steps"]), "teachers": tuple(content["teachers"])})
