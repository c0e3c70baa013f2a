"""Rollouts of positions and plays, and their results."""

from bgfast.analysis.rollouts.result import Estimate, RolloutResult
from bgfast.analysis.rollouts.rollout import rollout

__all__ = ["Estimate", "RolloutResult", "rollout"]
