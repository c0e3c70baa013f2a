"""All mutations, and the files of tests that are to notice them: the lists of the rooms together."""

from __future__ import annotations

from typing import NamedTuple

from tests.tools.mutations.of_analysis import ANALYSIS_MUTATIONS, ANALYSIS_TESTS
from tests.tools.mutations.of_batch import BATCH_MUTATIONS, BATCH_TESTS
from tests.tools.mutations.of_bearoff import BEAROFF_MUTATIONS, BEAROFF_TESTS
from tests.tools.mutations.of_binary_records import BINARY_RECORD_MUTATIONS, BINARY_RECORD_TESTS
from tests.tools.mutations.of_cli import CLI_MUTATIONS, CLI_TESTS
from tests.tools.mutations.of_core import CORE_MUTATIONS, CORE_TESTS
from tests.tools.mutations.of_core_rules import CORE_RULES_MUTATIONS, CORE_RULES_TESTS
from tests.tools.mutations.of_crosscheck import CROSSCHECK_MUTATIONS, CROSSCHECK_TESTS
from tests.tools.mutations.of_cube import CUBE_MUTATIONS, CUBE_TESTS
from tests.tools.mutations.of_decisions import DECISION_MUTATIONS, DECISION_TESTS
from tests.tools.mutations.of_engines import ENGINE_MUTATIONS, ENGINE_TESTS
from tests.tools.mutations.of_environments import ENVIRONMENT_MUTATIONS, ENVIRONMENT_TESTS
from tests.tools.mutations.of_files import FILE_MUTATIONS, FILE_TESTS
from tests.tools.mutations.of_games import GAME_MUTATIONS, GAME_TESTS
from tests.tools.mutations.of_lookahead import LOOKAHEAD_MUTATIONS, LOOKAHEAD_TESTS
from tests.tools.mutations.of_matches import MATCH_MUTATIONS, MATCH_TESTS
from tests.tools.mutations.of_network import NETWORK_MUTATIONS, NETWORK_TESTS
from tests.tools.mutations.of_position import POSITION_MUTATIONS, POSITION_TESTS
from tests.tools.mutations.of_records import RECORD_MUTATIONS, RECORD_TESTS
from tests.tools.mutations.of_rollouts import ROLLOUT_MUTATIONS, ROLLOUT_TESTS
from tests.tools.mutations.of_strength import STRENGTH_MUTATIONS, STRENGTH_TESTS
from tests.tools.mutations.of_suite import SUITE_MUTATIONS, SUITE_TESTS
from tests.tools.mutations.of_training import TRAINING_MUTATIONS, TRAINING_TESTS

__all__ = ["MUTATIONS", "Mutation"]

TESTS = {
    **CORE_TESTS,
    **CORE_RULES_TESTS,
    **BATCH_TESTS,
    **POSITION_TESTS,
    **ANALYSIS_TESTS,
    **BEAROFF_TESTS,
    **CROSSCHECK_TESTS,
    **CUBE_TESTS,
    **DECISION_TESTS,
    **ENGINE_TESTS,
    **ENVIRONMENT_TESTS,
    **FILE_TESTS,
    **RECORD_TESTS,
    **BINARY_RECORD_TESTS,
    **GAME_TESTS,
    **LOOKAHEAD_TESTS,
    **MATCH_TESTS,
    **NETWORK_TESTS,
    **CLI_TESTS,
    **ROLLOUT_TESTS,
    **STRENGTH_TESTS,
    **SUITE_TESTS,
    **TRAINING_TESTS,
}


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


MUTATIONS = [
    Mutation(*broken)
    for broken in (
        *CORE_MUTATIONS,
        *NETWORK_MUTATIONS,
        *LOOKAHEAD_MUTATIONS,
        *CORE_RULES_MUTATIONS,
        *BATCH_MUTATIONS,
        *POSITION_MUTATIONS,
        *ANALYSIS_MUTATIONS,
        *BEAROFF_MUTATIONS,
        *CUBE_MUTATIONS,
        *DECISION_MUTATIONS,
        *CROSSCHECK_MUTATIONS,
        *ENGINE_MUTATIONS,
        *ENVIRONMENT_MUTATIONS,
        *FILE_MUTATIONS,
        *RECORD_MUTATIONS,
        *BINARY_RECORD_MUTATIONS,
        *GAME_MUTATIONS,
        *CLI_MUTATIONS,
        *MATCH_MUTATIONS,
        *ROLLOUT_MUTATIONS,
        *STRENGTH_MUTATIONS,
        *SUITE_MUTATIONS,
        *TRAINING_MUTATIONS,
    )
]
