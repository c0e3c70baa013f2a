"""Arrays of environments: DLPack export and import, boolean masks, and arguments of `gymnasium.make`."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import bgfast
from bgfast.common.validation import as_array
from tests.support.environments import environments

envs = environments()

import gymnasium  # noqa: E402

CLASSES = (
    envs.BackgammonEnv,
    envs.BackgammonMatchEnv,
    envs.BackgammonVectorEnv,
    envs.BackgammonMatchVectorEnv,
)
DOCS_PAGE = Path(__file__).resolve().parents[3] / "docs" / "ENVIRONMENTS.md"


class Tensor:
    """Array that exports its memory only through DLPack."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("make_env", CLASSES)
def test_observations_are_exported_without_a_copy(make_env: Any) -> None:
    env = make_env()
    observations, info = env.reset(seed=3)
    plays = info["successors"]
    for array in (observations, info["action_mask"], env.action_masks(), plays.boards, plays.offsets):
        tensor = np.from_dlpack(array)
        assert tensor.size
        assert np.shares_memory(tensor, array)
        assert (tensor == array).all()


def test_evaluations_are_imported_without_a_copy() -> None:
    values = np.random.default_rng(1).random(50)
    assert np.shares_memory(as_array(Tensor(values)), values)
    offsets = np.array([0, 20, 50])
    for equities in (values, values.astype(np.float32)):
        rows = bgfast.best_rows(Tensor(equities), Tensor(offsets))
        assert rows.tolist() == [int(values[:20].argmax()), 20 + int(values[20:].argmax())]
    start = bgfast.Position.start().to_array()[None]
    assert bgfast.successors(Tensor(start), (3, 1)).boards.shape == (16, 26)
    row = np.array([[0.6, 0.2, 0.0, 0.1, 0.0]], np.float32)
    decision = bgfast.Decision(position=bgfast.Position.start())
    assert (
        bgfast.cube.cubeful_equities(Tensor(row), decision) == bgfast.cube.cubeful_equities(row, decision)
    ).all()


@pytest.mark.parametrize("make_env", CLASSES)
def test_an_opponent_may_return_tensors(make_env: Any) -> None:
    """Games are the same with tensors as with arrays."""
    network = bgfast.Network.builtin_fast()

    def tensor_opponent(boards: npt.NDArray[np.int8]) -> Any:
        return Tensor(np.asarray(network(boards)))

    def array_opponent(boards: npt.NDArray[np.int8]) -> Any:
        return np.asarray(network(boards))

    def play(opponent: Any) -> list[Any]:
        env = make_env(opponent=opponent)
        observations, info = env.reset(seed=1)
        results = []
        for _ in range(20):
            masks = np.atleast_2d(info["action_mask"])
            actions: Any = masks.argmax(axis=1)
            observations, reward, *_, info = env.step(
                Tensor(actions) if hasattr(env, "num_envs") else int(actions[0])
            )
            results += [observations.tolist(), np.asarray(reward).tolist()]
        return results

    assert play(tensor_opponent) == play(array_opponent)


@pytest.mark.parametrize("make_env", CLASSES)
def test_action_masks_are_boolean(make_env: Any) -> None:
    env = make_env()
    assert not env.action_masks().any()
    _, info = env.reset(seed=1)
    for _ in range(30):
        masks = env.action_masks()
        assert masks.dtype == np.bool_
        assert masks.shape == info["action_mask"].shape
        assert (masks == info["action_mask"]).all()
        actions = np.atleast_2d(masks).argmax(axis=1)
        _, _, ended, _, info = env.step(actions if masks.ndim == 2 else actions[0])
        if np.all(ended):
            break
    shared_env = make_env(**({"copy": False} if "copy" in inspect.signature(make_env).parameters else {}))
    shared_env.reset(seed=1)
    assert np.shares_memory(shared_env.action_masks(), shared_env.action_masks()) == hasattr(env, "num_envs")


# ---- gymnasium.make ----

ARGUMENTS: dict[str, Any] = {
    "opponent": bgfast.evaluators.PipCount(),
    "length": 5,
    "rules": bgfast.FIVE_STACK,
    "start": bgfast.Position.hypergammon(),
    "max_plays": 2500,
    "illegal": "lose",
    "threads": 2,
    "copy": False,
    "render_mode": "ansi",
}


@pytest.mark.parametrize("name", ["Backgammon", "BackgammonMatch"])
def test_gymnasium_make_passes_all_arguments(name: str) -> None:
    single_class, vector_class = getattr(envs, f"{name}Env"), getattr(envs, f"{name}VectorEnv")
    for cls in (single_class, vector_class):
        options = {key: ARGUMENTS[key] for key in inspect.signature(cls).parameters if key != "num_envs"}
        if cls is single_class:
            env = gymnasium.make(f"bgfast/{name}-v0", **options)
        else:
            env = gymnasium.make_vec(f"bgfast/{name}-v0", num_envs=3, **options)
            assert env.num_envs == 3
        assert isinstance(env.unwrapped, cls)
        assert env.render_mode == "ansi"
        games = env.unwrapped._games
        assert games.max_plays == 2500
        assert games.rules is bgfast.FIVE_STACK
        assert games.start == bgfast.Position.hypergammon()
        assert games.illegal == "lose"
        assert games.opponent.policy is not None
        observations, _ = env.reset(seed=1)
        assert (np.atleast_2d(observations)[:, 28:][:, 2:4] == 5).all()
        assert env.get_wrapper_attr("action_masks")().any() if cls is single_class else games.copy is False
    with pytest.raises(TypeError, match="length"):
        gymnasium.make("bgfast/Backgammon-v0", length=5)


def test_the_documentation_lists_every_argument() -> None:
    if not DOCS_PAGE.exists():
        pytest.skip("the pages are not part of a wheel")
    text = DOCS_PAGE.read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip(" `") for line in text.splitlines() if line.startswith("| `")]
    for cls in (*CLASSES, envs.BackgammonAEC, envs.BackgammonMatchAEC):
        assert set(inspect.signature(cls).parameters) <= set(rows)
