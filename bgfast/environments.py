"""Backgammon as Gymnasium and PettingZoo environments.

`BackgammonEnv` is a game against an opponent, and `BackgammonVectorEnv` is a batch of games; importing this
module registers both with Gymnasium as ``bgfast/Backgammon-v0``. `BackgammonAEC` is a game of two agents for
PettingZoo; `raw_env` is the same class, and `env` returns an instance with the usual wrappers.
`BackgammonMatchEnv`, `BackgammonMatchVectorEnv` and `BackgammonMatchAEC` add the cube and the score, for
matches and money games; ``bgfast/BackgammonMatch-v0`` and `match_env` create them.

An action is the index of a play in the list of legal plays. Observations come with an action mask and the
successors. `MAX_PLAYS` actions, 3,060, suffice for any roll; the actions of `MATCH_ACTIONS` follow them.

The extra ``rl`` installs both packages. `import bgfast` imports neither them nor this module.
"""

from typing import TYPE_CHECKING

from bgfast.common import lazy_names
from bgfast.common.extras import import_optional

for _package in ("gymnasium", "pettingzoo"):
    import_optional(_package, "'bgfast[rl]'", "bgfast.environments")

# The modules below import the packages, so they follow the checks.
import gymnasium  # noqa: E402

from bgfast.learning.environments._lockstep import MAX_PLAYS  # noqa: E402
from bgfast.learning.environments.gymnasium_envs import (  # noqa: E402
    BackgammonEnv,
    BackgammonMatchEnv,
    BackgammonMatchVectorEnv,
    BackgammonVectorEnv,
)
from bgfast.learning.environments.opponent_policy import MATCH_ACTIONS, MATCH_PHASES  # noqa: E402
from bgfast.learning.environments.pettingzoo_envs import (  # noqa: E402
    BackgammonAEC,
    BackgammonMatchAEC,
    env,
    match_env,
    raw_env,
)

__all__ = [
    "MATCH_ACTIONS",
    "MATCH_PHASES",
    "MAX_PLAYS",
    "BackgammonAEC",
    "BackgammonEnv",
    "BackgammonMatchAEC",
    "BackgammonMatchEnv",
    "BackgammonMatchVectorEnv",
    "BackgammonVectorEnv",
    "env",
    "match_env",
    "raw_env",
]

if not TYPE_CHECKING:
    __getattr__, _ = lazy_names(__name__, {})

gymnasium.register(
    "bgfast/Backgammon-v0",
    entry_point="bgfast.environments:BackgammonEnv",
    vector_entry_point="bgfast.environments:BackgammonVectorEnv",
)
gymnasium.register(
    "bgfast/BackgammonMatch-v0",
    entry_point="bgfast.environments:BackgammonMatchEnv",
    vector_entry_point="bgfast.environments:BackgammonMatchVectorEnv",
)
