"""Rollouts of positions and plays, and their results."""

from typing import TYPE_CHECKING

from bgfast.analysis.rollouts.result import Estimate, RolloutResult
from bgfast.analysis.rollouts.rollout import rollout
from bgfast.common import lazy_names

__all__ = ["Estimate", "RolloutResult", "rollout"]

if not TYPE_CHECKING:
    __getattr__, _ = lazy_names(__name__, {})
