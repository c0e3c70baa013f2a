"""Environments whose opponent or output fails in the middle of a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bgfast.errors import BgfastError, IllegalActionError
from bgfast.evaluators import PipCount
from tests.support.environments import environments

envs = environments()
SINGLE_ENVS = {"BackgammonEnv": {}, "BackgammonMatchEnv": {"length": 3}}
VEC_ENVS = {"BackgammonVectorEnv": {"num_envs": 3}, "BackgammonMatchVectorEnv": {"num_envs": 3, "length": 3}}
AGENT_ENVS = {"BackgammonAEC": {}, "BackgammonMatchAEC": {"length": 3}}


class FailingOpponent:
    """Opponent that raises `error` unless it is None."""

    error: BaseException | None = None

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        if self.error is not None:
            raise self.error
        return PipCount()(boards)


def first_actions(info: dict[str, Any]) -> Any:
    """Return the first legal action of each game."""
    return info["action_mask"].argmax(axis=-1)


def interrupt(env: Any, opponent: FailingOpponent, method: str, error: BaseException) -> Any:
    """Call `step` or `reset` until the opponent is called and fails; return the actions."""
    for seed in range(50):
        actions = first_actions(env.reset(seed=seed)[1])
        opponent.error = error
        try:
            env.step(actions) if method == "step" else env.reset(seed=seed)
        except type(error):
            return actions
        finally:
            opponent.error = None
    return pytest.fail("the opponent was not called")


@pytest.mark.parametrize("error", [RuntimeError("failed"), KeyboardInterrupt(), IllegalActionError("failed")])
@pytest.mark.parametrize(("name", "options"), [*SINGLE_ENVS.items(), *VEC_ENVS.items()])
def test_reset_is_required_after_a_failure(name: str, options: dict[str, Any], error: BaseException) -> None:
    opponent = FailingOpponent()
    env, other_env = (getattr(envs, name)(opponent=opponent, **options) for _ in range(2))
    for method in ("step", "reset"):
        actions = interrupt(env, opponent, method, error)
        for _ in range(2):
            with pytest.raises(IllegalActionError, match="interrupted the last step or reset; expected"):
                env.step(actions)
        if name in SINGLE_ENVS:
            assert not env.action_masks().any()
        env.render()
        actual, expected = env.reset(seed=3), other_env.reset(seed=3)
        assert (actual[0] == expected[0]).all()
        assert (env.step(first_actions(actual[1]))[0] == other_env.step(first_actions(expected[1]))[0]).all()


@pytest.mark.parametrize(("name", "options"), [*SINGLE_ENVS.items(), *VEC_ENVS.items()])
def test_refused_actions_do_not_interrupt_a_step(name: str, options: dict[str, Any]) -> None:
    env = getattr(envs, name)(**options)
    _, info = env.reset(seed=1)
    actions = first_actions(info)
    for invalid_action in (actions - 5, "x", None, [[1, [2]], 3]):
        with pytest.raises(BgfastError):
            env.step(invalid_action)
    env.step(actions)


@pytest.mark.parametrize(("name", "options"), AGENT_ENVS.items())
def test_full_disks_need_a_reset(name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    env = getattr(envs, name)(**options, render_mode="human")
    with pytest.raises(IllegalActionError, match="expected reset"):
        env.step(0)
    monkeypatch.setattr("builtins.print", lambda *values, **options: None)
    env.reset(seed=1)

    def fail_to_print(*values: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    action = int(env.observe(env.agent_selection)["action_mask"].argmax())
    with pytest.raises(IllegalActionError, match="action is -1"):
        env.step(-1)
    with monkeypatch.context() as patch:
        patch.setattr("builtins.print", fail_to_print)
        with pytest.raises(OSError, match="No space"):
            env.step(action)
    with pytest.raises(IllegalActionError, match="an exception interrupted the last step or reset; expected"):
        env.step(action)
    env.reset(seed=1)
    env.step(action)


@pytest.mark.parametrize(("name", "options"), VEC_ENVS.items())
def test_shared_masks_are_rewritten_completely(name: str, options: dict[str, Any]) -> None:
    """Changes that the caller makes to a shared mask do not affect the next mask."""
    sharing_env, copying_env = (getattr(envs, name)(**options, copy=copy) for copy in (False, True))
    overwrite: Callable[[np.ndarray], None]
    for overwrite in (lambda mask: mask.fill(0), lambda mask: mask.fill(1)):
        masks, expected = (env.reset(seed=2)[1]["action_mask"] for env in (sharing_env, copying_env))
        for _ in range(20):
            assert (masks == expected).all()
            actions = expected.argmax(axis=-1)
            overwrite(masks)
            masks, expected = (env.step(actions)[4]["action_mask"] for env in (sharing_env, copying_env))
