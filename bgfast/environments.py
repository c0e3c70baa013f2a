"""Environments: backgammon for learning loops, as Gymnasium and PettingZoo define them.

`BackgammonEnv` is one game against an opponent, `BackgammonVectorEnv` many of them at once, in batch calls;
Gymnasium knows both as ``bgfast/Backgammon-v0`` once this module is imported. `BackgammonAEC` is a game of
two agents for PettingZoo; as in its own modules, `raw_env` is the class and `env` makes one with the usual
wrappers. `BackgammonMatchEnv`, `BackgammonMatchVectorEnv` and `BackgammonMatchAEC` are the same with the cube
and the score: matches, or games for money; ``bgfast/BackgammonMatch-v0`` and `match_env` make them.

An action is the place of a whole play in the list of legal ones, and comes with an action mask and with the
positions that plays lead to. `MAX_PLAYS` actions, 3,060, are enough for any roll; the actions of
`MATCH_ACTIONS` follow them.

Both packages come with the extra ``rl``. Nothing else of bgfast imports them, and `import bgfast` does not
import this module.
"""

from bgfast.common.extras import imported

for _package in ("gymnasium", "pettingzoo"):
    imported(_package, "'bgfast[rl]'", "bgfast.environments")

# Only now: each of these imports one of the two.
import gymnasium  # noqa: E402

from bgfast.learning.environments.aec_env import BackgammonAEC, env, raw_env  # noqa: E402
from bgfast.learning.environments.ground import MAX_PLAYS  # noqa: E402
from bgfast.learning.environments.gymnasium_env import BackgammonEnv  # noqa: E402
from bgfast.learning.environments.match_aec import BackgammonMatchAEC, match_env  # noqa: E402
from bgfast.learning.environments.match_env import BackgammonMatchEnv  # noqa: E402
from bgfast.learning.environments.match_ground import MATCH_ACTIONS, MATCH_PHASES  # noqa: E402
from bgfast.learning.environments.match_vector_env import BackgammonMatchVectorEnv  # noqa: E402
from bgfast.learning.environments.vector_env import BackgammonVectorEnv  # noqa: E402

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
