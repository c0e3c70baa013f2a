"""Rule sets: switches for the differences between printed rules.

Source: five printed backgammon leaflets, compared sentence by sentence; tournament rules where the
leaflets state no rule. Every switch defaults to its value in `STANDARD`: ``RuleSet()`` equals `STANDARD`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Literal

from bgfast.errors import InvalidRulesError, short_repr

__all__ = ["EXACT", "FIVE_STACK", "REAR_FIRST", "STANDARD", "RuleSet", "RuleSetLike"]

_CHOICES = MappingProxyType(
    {
        "bearoff_die": ("standard", "exact", "rearmost"),
        "forfeit": ("never", "empty_point"),
        "opening": ("high_die", "colour_lot"),
        "win_scheme": ("standard", "bar_home_beats_off", "not_all_home"),
        "premature_roll": ("stands", "void"),
    }
)
_SWITCHES = ("bearoff_compulsory", "beavers", "jacoby")
_NUMBERS = ("stack_max", "automatic_doubles", "cube_limit")


@dataclass(frozen=True, kw_only=True)
class RuleSet:
    """Set of backgammon rules, immutable and hashable.

    Parameters
    ----------
    bearoff_die : {"standard", "exact", "rearmost"}
        Checker that a die may bear off. *standard*: a checker on the die's point, or the rearmost one
        if that is lower. *exact*: only from the die's point. *rearmost*: only the rearmost
        checker, if the die reaches far enough.
    bearoff_compulsory : bool
        True if a die that can bear a checker off must be used to do so.
    forfeit : {"never", "empty_point"}
        *empty_point*: with all checkers home, a die whose point is empty may be forfeited.
    stack_max : int
        Maximum number of own checkers on a point; 0 means no limit.
    opening : {"high_die", "colour_lot"}
        Method that determines the first player and the first roll.
    win_scheme : {"standard", "bar_home_beats_off", "not_all_home"}
        Conditions under which a win counts double or triple.
    automatic_doubles : int
        Number of ties of the opening roll that double the centred cube, up to 2**30.
    beavers : bool
        True if the doubled player may redouble at once and keep the cube.
    jacoby : bool
        True if double and triple wins count 1 unless a double was accepted.
    cube_limit : int
        Maximum value of the cube, a power of two; 0 means no limit.
    premature_roll : {"stands", "void"}
        Effect of a roll thrown before the opponent's turn has ended.

    Raises
    ------
    InvalidRulesError
        If a switch has an invalid value, or two switches contradict each other.

    See Also
    --------
    STANDARD, EXACT, REAR_FIRST, FIVE_STACK : Presets.

    Notes
    -----
    Immutable; safe to share between threads. docs/RULES.md defines the values of the switches.

    Examples
    --------
    >>> from bgfast import EXACT, RuleSet
    >>> RuleSet.named("exact") == EXACT
    True
    >>> RuleSet(stack_max=3).stack_max
    3
    """

    bearoff_die: Literal["standard", "exact", "rearmost"] = "standard"
    bearoff_compulsory: bool = False
    forfeit: Literal["never", "empty_point"] = "never"
    stack_max: int = 0
    opening: Literal["high_die", "colour_lot"] = "high_die"
    win_scheme: Literal["standard", "bar_home_beats_off", "not_all_home"] = "standard"
    automatic_doubles: int = 0
    beavers: bool = False
    jacoby: bool = False
    cube_limit: int = 0
    premature_roll: Literal["stands", "void"] = "stands"

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if not isinstance(value, str) or value not in choices:
                expected = ", ".join(map(repr, choices))
                raise InvalidRulesError(f"{name} is {short_repr(value)}; expected one of {expected}")
        for name in _SWITCHES:
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise InvalidRulesError(f"{name} is {short_repr(value)}; expected True or False")
        for name in _NUMBERS:
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise InvalidRulesError(f"{name} is {short_repr(value)}; expected a whole number, 0 or more")
        if self.cube_limit & (self.cube_limit - 1):
            raise InvalidRulesError(
                f"cube_limit is {short_repr(self.cube_limit)}; expected a power of two, or 0 for no limit"
            )
        if self.automatic_doubles and self.opening == "colour_lot":
            raise InvalidRulesError(
                "automatic_doubles needs opening='high_die': under 'colour_lot' no tie can happen"
            )

    @classmethod
    def named(cls, name: str) -> RuleSet:
        """Return a preset by its name: "standard", "exact", "rear_first" or "five_stack".

        Raises `InvalidRulesError` if no preset has the name.

        Examples
        --------
        >>> from bgfast import RuleSet
        >>> RuleSet.named("five_stack").stack_max
        5
        """
        if not isinstance(name, str) or name not in PRESETS:
            expected = ", ".join(map(repr, PRESETS))
            raise InvalidRulesError(f"no rule set is named {short_repr(name)}; expected one of {expected}")
        return PRESETS[name]

    def __repr__(self) -> str:
        values = [(field.name, getattr(self, field.name), field.default) for field in fields(self)]
        settings = [f"{name}={value!r}" for name, value, default in values if value != default]
        return f"RuleSet({', '.join(settings)})"


STANDARD = RuleSet()
EXACT = RuleSet(
    bearoff_die="exact", forfeit="empty_point", opening="colour_lot", win_scheme="bar_home_beats_off"
)
REAR_FIRST = RuleSet(bearoff_die="rearmost", win_scheme="not_all_home")
FIVE_STACK = RuleSet(stack_max=5, bearoff_compulsory=True)

PRESETS = MappingProxyType(
    {"standard": STANDARD, "exact": EXACT, "rear_first": REAR_FIRST, "five_stack": FIVE_STACK}
)

RuleSetLike = RuleSet | Literal["standard", "exact", "rear_first", "five_stack"]
"""A rule set, or a preset by its name."""


def rule_set(rules: Any) -> RuleSet:
    """Return `rules`, or the preset of that name; raise `InvalidRulesError` for anything else."""
    if isinstance(rules, str):
        return RuleSet.named(rules)
    if not isinstance(rules, RuleSet):
        raise InvalidRulesError(
            f"rules is {short_repr(rules)}; expected a RuleSet, such as bgfast.STANDARD, or its name"
        )
    return rules
