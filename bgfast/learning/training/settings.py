"""What a training is to do: the network, the positions, the steps, the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from bgfast.common.validation import real_number, seed_number, whole_number
from bgfast.common.vocabulary import CHECKERS
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.network_weights import LANES, MOST_HIDDEN, MOST_UNITS
from bgfast.position.objects import Position

__all__ = ["Settings"]

MOST = 10**9  # of what is counted


@dataclass(frozen=True)
class Settings:
    """What a training is to do; with the same settings it comes to the same network.

    Attributes
    ----------
    hidden, race_hidden : int
        Units of the first layer for contact, and of that for races; a multiple of 32. 0 for races: as many.
    dense : int
        Units of a dense layer between first layers and outputs, a multiple of 32, or 0 for none.
    shared : bool
        Whether the four parts for contact share a first layer. Without `dense` each has its own in any case.
    features : bool
        Whether the parts for contact know more of a position than how many checkers stand where.
    seed : int
        Of the first weights, dice, plays by lot and the order of positions.
    opening : int
        Positions of own games that it learns by temporal differences, before anything is looked ahead from;
        about so many. Not those of a training that begins with another network's games.
    rounds : int
        That come then.
    positions : int
        New ones of a round, at most.
    keep : int
        The newest ones, which it learns from in each round; the oldest round among them may be cut off.
    noise : float
        The share of plays by lot among all legal ones, 0 to 1, in the plies that have such.
    trace : float
        Lambda of the rounds, 0 to 1: how much less each later ply of a game tells what a position is worth.
        With 1 all of the game counts, with 0 the next ply alone.
    steps : tuple of float
        The length of Adam's steps at the beginning and at the end of a round, and of the last anneal.
    anneal : int
        Passes of that.
    time_limit : float, optional
        Seconds. The rounds, their sizes and the steps follow it: `rounds` plays no part.
    bearoff : bool
        Whether bear-off databases are asked where they know better.
    start : str
        The position that games begin with, as its GNU Backgammon ID.
    teachers : tuple of str
        Names of evaluators. The targets of the rounds are the mean of their probabilities at 0 plies, instead
        of the network's own at 1 ply.

    Raises
    ------
    BgfastError
        If one of them cannot be.
    """

    hidden: int = 128
    race_hidden: int = 0
    dense: int = 32
    shared: bool = True
    features: bool = True
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
        for name, least, most, unit in (
            ("hidden", LANES, MOST_HIDDEN, LANES),
            ("race_hidden", 0, MOST_HIDDEN, LANES),
            ("dense", 0, MOST_UNITS, LANES),
            ("opening", 0, 1000 * MOST, 1),
            ("rounds", 0, MOST, 1),
            ("positions", 1, MOST, 1),
            ("keep", 1, MOST, 1),
            ("anneal", 0, MOST, 1),
        ):
            number = whole_number(getattr(self, name))
            if number is None or not least <= number <= most or number % unit:
                multiple = f"a multiple of {unit}" if unit > 1 else "a whole number"
                raise BgfastError(
                    f"{name} is {shown(getattr(self, name))}; expected {multiple} from {least} to {most}"
                )
            object.__setattr__(self, name, number)
        seed_number(self.seed)
        for name in ("noise", "trace", "steps"):
            numbers = tuple(self.steps) if name == "steps" else (getattr(self, name),)
            found = tuple(map(real_number, numbers))
            if len(found) != (3 if name == "steps" else 1) or not all(
                number is not None and 0 <= number <= 1 for number in found
            ):
                raise BgfastError(f"{name} is {shown(getattr(self, name))}; expected numbers from 0 to 1")
        object.__setattr__(self, "steps", tuple(map(float, self.steps)))
        if min(self.steps) <= 0:
            raise BgfastError(f"steps is {shown(self.steps)}; expected three numbers greater than 0")
        if self.time_limit is not None and not (real_number(self.time_limit) or 0) > 0:
            raise BgfastError(f"time_limit is {shown(self.time_limit)}; expected seconds, or None")
        if not isinstance(self.teachers, tuple) or not all(isinstance(name, str) for name in self.teachers):
            raise BgfastError(f"teachers is {shown(self.teachers)}; expected names of evaluators")
        if self.position.checkers != CHECKERS or self.position.result:
            raise BgfastError(
                f"start is {shown(self.position)}; expected a game to be played, with 15 checkers a side"
            )

    @property
    def position(self) -> Position:
        """The one that games begin with."""
        return Position.from_gnubg_id(self.start)

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` takes."""
        return {**asdict(self), "steps": list(self.steps), "teachers": list(self.teachers)}

    @classmethod
    def from_json(cls, content: Any) -> Settings:
        """Return settings that have been written.

        Raises
        ------
        BgfastError
            If these are none.
        """
        names = {field.name for field in fields(cls)}
        if isinstance(content, Mapping):
            content = {"teachers": [], **content}  # absent in states written before there were teachers
        if (
            not isinstance(content, Mapping)
            or set(content) != names
            or not isinstance(content["steps"], list)
            or not isinstance(content["teachers"], list)
        ):
            raise BgfastError(f"settings are {shown(content)}; expected those of a training")
        return cls(**{**content, "steps": tuple(content["steps"]), "teachers": tuple(content["teachers"])})
