"""Named schemes of match analysis: static screen, search and rollouts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

from bgfast.analysis.branches import search_of
from bgfast.analysis.matches.judging.judge import Deepening
from bgfast.analysis.matches.judging.match_rollout import fast_policy
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.evaluators import Evaluator
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.rules import RuleSetLike

PresetName = Literal["quick", "normal", "deep", "rollout"]
"""Names of the presets of `analyse_match`."""
THRESHOLDS = (0.12, 0.06)
"""Search filter by ply, narrower than the default of a `Lookahead`; docs/MATCH_ANALYSIS.md has the effect."""


class Preset(NamedTuple):
    """Scheme of a match analysis. Any change of its results needs another version."""

    name: PresetName
    version: int
    ply: int  # search depth in plies
    thresholds: tuple[float, ...] = THRESHOLDS  # maximum equity loss of plays searched 1 ply, then 2 plies
    candidates: tuple[int, ...] | None = None  # maximum number of these plays; None: those of a `Lookahead`
    mean_margin: float | None = None  # `Deepening.margin`; None: no second search
    mean_candidates: int = 2
    rolls_out: bool = False  # True: contested decisions are rolled out

    def __str__(self) -> str:
        """Return name and version, as ``normal@3``."""
        return f"{self.name}@{self.version}"

    def search(self, evaluator: Evaluator | None, rules: RuleSetLike) -> Lookahead:
        """Return the search of an evaluator; that of `analyse_match` by default."""
        return search_of(evaluator, self.ply, self.ply, rules, self.thresholds, self.candidates)

    def deepening(self, search: Lookahead) -> Deepening | None:
        """Return the deeper search of contested plays.

        Its evaluator is a search, too, which chooses the plays of the last two plies without the cube.
        """
        if self.mean_margin is None:
            return None
        inner = Lookahead(search.evaluator, ply=self.ply, rules=search.rules)
        deeper = Lookahead(inner, ply=1, policy=fast_policy(search.evaluator), rules=search.rules)
        return Deepening(deeper, self.mean_margin, self.mean_candidates)


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        preset.name: preset
        for preset in (
            Preset("quick", 3, ply=1, thresholds=THRESHOLDS[:1]),
            Preset("normal", 3, ply=2),
            Preset("deep", 3, ply=2, thresholds=(0.16, 0.08), candidates=(16, 8), mean_margin=0.02),
            Preset("rollout", 6, ply=2, rolls_out=True),
        )
    }
)
"""Presets by name; docs/MATCH_ANALYSIS.md has their accuracy and time."""
DEFAULT_PRESET = "normal"


def chosen_preset(preset: Any, evaluator: Any, ply: Any, rollout: bool) -> Preset | None:
    """Return the preset of an analysis; None if a `Lookahead`, `ply` or `rollout` determines it.

    Raises `BgfastError` if there is no such preset, or it contradicts the other arguments.
    """
    if preset is None:
        is_default = ply is None and not rollout and not isinstance(evaluator, Lookahead)
        return PRESETS[DEFAULT_PRESET] if is_default else None
    if not isinstance(preset, str) or preset not in PRESETS:
        raise BgfastError(f"preset is {shown(preset)}; expected {', '.join(get_args(PresetName))}")
    for name, is_set in (
        ("ply", ply is not None),
        ("rollout", rollout),
        ("a Lookahead", isinstance(evaluator, Lookahead)),
    ):
        if is_set:
            raise BgfastError(f"preset {preset!r} and {name}; expected one of them")
    return PRESETS[preset]
