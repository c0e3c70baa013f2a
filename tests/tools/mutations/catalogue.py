"""All mutations of compiled code, and the test files that are to notice them."""

from __future__ import annotations

from typing import NamedTuple

from tests.tools.mutations import (
    of_analysis,
    of_batch,
    of_bearoff,
    of_core,
    of_core_rules,
    of_cube,
    of_environments,
    of_lookahead,
    of_network,
    of_position,
    of_records,
    of_rollouts,
    of_training,
)

__all__ = ["MUTATIONS", "Mutation"]

PACKAGES = (
    of_analysis,
    of_batch,
    of_bearoff,
    of_core,
    of_core_rules,
    of_cube,
    of_environments,
    of_lookahead,
    of_network,
    of_position,
    of_records,
    of_rollouts,
    of_training,
)
TESTS = {source: tests for package in PACKAGES for source, tests in package.TESTS.items()}


class Mutation(NamedTuple):
    """A change of a source: every place of `old` becomes `new`."""

    name: str
    old: str
    new: str
    source: str
    only: str = ""  # the one file of tests that can notice, instead of those of the source

    @property
    def tests(self) -> list[str]:
        """The files of tests that are to notice, the likeliest first."""
        return [self.only] if self.only else TESTS[self.source]


MUTATIONS = [Mutation(*broken) for package in PACKAGES for broken in package.MUTATIONS]
