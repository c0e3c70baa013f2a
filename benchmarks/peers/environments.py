"""Speed of learning environments with a random policy.

Run from a clone: ``python -m benchmarks.peers.environments``. ``pip install '.[peers]'`` installs the other
environments; the output lists missing environments. Since a step differs between environments, whole turns
of one side, passes included, are counted as plays. All environments are timed in turn, in one run; the times
include the choice of actions.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers.report import rate, table
from bgfast.common import __version__, machine
from bgfast.common.machine import Task, Timing, interleave

GAMES = 1024
"""Number of games in a vector environment."""
SEED = 1
HEAD = ("environment", "games at once", "step", "steps/s", "plays/s", "plays/s, median")


class Contender(NamedTuple):
    """An environment to be timed.

    `make(steps)` returns a function that begins new games, takes `steps` steps in each, the same on every
    call, and returns the number of plays.
    """

    name: str
    games: int
    step: str
    make: Callable[[int], Callable[[], int]]
    distribution: str = "bgfast"


def make_single(steps: int) -> Callable[[], int]:
    """Return a function that steps `BackgammonEnv`; a step is a play and the opponent's answer."""
    environments = importlib.import_module("bgfast.environments")
    env = environments.BackgammonEnv()

    def work() -> int:
        draw = random.Random(SEED).random
        _, info = env.reset(seed=SEED)
        plays = 0
        for _ in range(steps):
            count = len(info["successors"].boards)
            _, reward, is_over, _, info = env.step(int(draw() * count))
            plays += 1 if reward > 0 else 2  # no answer after a winning play
            if is_over:
                _, info = env.reset()
        return plays

    return work


def make_vector(copy: bool, threads: int = 1) -> Callable[[int], Callable[[], int]]:
    """Return a `make` for `BackgammonVectorEnv`; its steps are as in `make_single`."""

    def make(steps: int) -> Callable[[], int]:
        environments = importlib.import_module("bgfast.environments")
        env = environments.BackgammonVectorEnv(GAMES, copy=copy, threads=threads)

        def work() -> int:
            draw = np.random.default_rng(SEED).random
            _, info = env.reset(seed=SEED)
            wins = 0
            for _ in range(steps):
                actions = draw(GAMES) * np.diff(info["successors"].offsets)
                _, rewards, _, _, info = env.step(actions.astype(np.int64))
                wins += np.count_nonzero(rewards > 0)
            return 2 * GAMES * steps - int(wins)

        return work

    return make


def make_matches(length: int | None, threads: int = 1) -> Callable[[int], Callable[[], int]]:
    """Return a `make` for `BackgammonMatchVectorEnv`; players double 1 time in 50 and take 3 of 4 doubles."""

    def make(steps: int) -> Callable[[], int]:
        environments = importlib.import_module("bgfast.environments")
        roll, double, take, drop = (
            environments.MAX_PLAYS + environments.MATCH_ACTIONS.index(name)
            for name in ("roll", "double", "take", "drop")
        )
        answer_phase = environments.MATCH_PHASES.index("doubled")

        env = environments.BackgammonMatchVectorEnv(GAMES, length=length, copy=False, threads=threads)
        games, opponent_play_count = env._games, 0
        after_plays = games._after_plays

        def count_plays(opponent: Any, boards: Any, dice: Any) -> Any:
            nonlocal opponent_play_count
            opponent_play_count += len(boards)
            return after_plays(opponent, boards, dice)

        games._after_plays = count_plays

        def work() -> int:
            nonlocal opponent_play_count
            draw = np.random.default_rng(SEED).random
            opponent_play_count = learner_play_count = 0
            observations, info = env.reset(seed=SEED)
            for _ in range(steps):
                draws = draw(GAMES)
                sizes = np.diff(info["successors"].offsets)
                actions = (draws * sizes).astype(np.int64)
                cube_rows = np.flatnonzero(sizes == 0)
                learner_play_count += GAMES - len(cube_rows)
                is_answer, cube_draws = observations[cube_rows, 33] == answer_phase, draws[cube_rows]
                actions[cube_rows] = np.where(
                    is_answer,
                    np.where(cube_draws < 3 / 4, take, drop),
                    np.where(cube_draws < 1 / 50, double, roll),
                )
                observations, _, _, _, info = env.step(actions)
            return learner_play_count + opponent_play_count

        return work

    return make


def make_two_agents(steps: int) -> Callable[[], int]:
    """Return a function that steps `env` with PettingZoo's wrappers; a step is one play."""
    environments = importlib.import_module("bgfast.environments")
    env = environments.env()

    def work() -> int:
        draw = random.Random(SEED).random
        env.reset(seed=SEED)
        for _ in range(steps):
            _, _, _, _, info = env.last()
            env.step(int(draw() * len(info["successors"].boards)))
            if all(env.terminations.values()):
                env.reset()
        return steps

    return work


def make_open_spiel(steps: int) -> Callable[[], int]:
    """Return a function that steps OpenSpiel's states; a step is a player's action, not a chance event."""
    pyspiel = importlib.import_module("pyspiel")
    game = pyspiel.load_game("backgammon(scoring_type=full_scoring)")

    def work() -> int:
        rng = random.Random(SEED)
        state, action_count, roll_count = game.new_initial_state(), 0, 0
        while action_count < steps:
            if state.is_chance_node():
                outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, probabilities)[0])
                roll_count += 1
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                action_count += 1
                if state.is_terminal():
                    state = game.new_initial_state()
        return roll_count  # each turn has one roll

    return work


def make_pgx(steps: int) -> Callable[[], int]:
    """Return a function that steps pgx; a step moves one checker or passes, and the whole loop is compiled.

    Finished games restart from the first states, since pgx's `auto_reset` creates a game for each row at each
    step, which takes several times as long.
    """
    jax: Any = importlib.import_module("jax")
    jnp: Any = importlib.import_module("jax.numpy")
    env: Any = importlib.import_module("pgx").make("backgammon")
    step = jax.vmap(env.step)

    def all_steps(key: Any) -> Any:
        start_key, step_keys = jax.random.split(key)
        initial = jax.vmap(env.init)(jax.random.split(start_key, GAMES))

        def body(state: Any, key: Any) -> tuple[Any, Any]:
            action_key, dice_key = jax.random.split(key)
            logits = jnp.log(state.legal_action_mask.astype(jnp.float32))
            next_state = step(
                state, jax.random.categorical(action_key, logits, axis=1), jax.random.split(dice_key, GAMES)
            )
            is_over = next_state.terminated

            def restart(array: Any, initial_array: Any) -> Any:
                return jnp.where(is_over.reshape((GAMES,) + (1,) * (array.ndim - 1)), initial_array, array)

            plays = ((next_state._turn != state._turn) | is_over).sum()
            return jax.tree_util.tree_map(restart, next_state, initial), plays

        return jax.lax.scan(body, initial, jax.random.split(step_keys, steps))[1].sum()

    compiled = jax.jit(all_steps)

    def work() -> int:
        return int(compiled(jax.random.PRNGKey(SEED)))

    return work


TWO_PLAYS = "a play and the opponent's answer"
DECISION = "a decision and the opponent's actions until the next one"
CONTENDERS = (
    Contender("`BackgammonEnv`", 1, TWO_PLAYS, make_single),
    Contender("`BackgammonVectorEnv`", GAMES, TWO_PLAYS, make_vector(True)),
    Contender("`BackgammonVectorEnv`, `copy=False`", GAMES, TWO_PLAYS, make_vector(False)),
    Contender("`BackgammonVectorEnv`, `copy=False, threads=2`", GAMES, TWO_PLAYS, make_vector(False, 2)),
    Contender("`BackgammonMatchVectorEnv`, money, `copy=False`", GAMES, DECISION, make_matches(None)),
    Contender("`BackgammonMatchVectorEnv`, matches to 7, `copy=False`", GAMES, DECISION, make_matches(7)),
    Contender("`env`, PettingZoo", 1, "a play", make_two_agents),
    Contender(
        "`state.apply_action`",
        1,
        "an action: two dice, half of a double, or a pass",
        make_open_spiel,
        "open_spiel",
    ),
    Contender("`jit(scan(vmap(step)))`, CPU", GAMES, "a checker, or a pass", make_pgx, "pgx"),
)


def measure(
    steps: int, repetitions: int, min_seconds: float, clock: Callable[[], float] = time.perf_counter
) -> tuple[list[tuple[Contender, Timing]], list[str]]:
    """Return the times of the installed environments, and a line for each missing environment."""
    contenders: list[Contender] = []
    tasks: list[Task] = []
    missing: list[str] = []
    for contender in CONTENDERS:
        try:
            work = contender.make(steps)
            work()
        # An external package may raise anything on import; the other environments are still measured.
        except Exception as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            missing.append(f"{contender.distribution}, {contender.name}: **missing** ({reason})")
            continue
        contenders.append(contender)
        calls = steps * contender.games
        tasks.append(Task("environments", contender.distribution, contender.name, "plays", calls, work))
    timings = interleave(
        tasks, repetitions, min_seconds, lambda line: print(line, file=sys.stderr, flush=True), clock
    )
    return list(zip(contenders, timings, strict=True)), missing


def markdown(
    measured: Sequence[tuple[Contender, Timing]],
    missing: Sequence[str],
    steps: int,
    host: Mapping[str, str | int],
) -> str:
    """Return the table, the missing environments and the conditions of the measurement."""
    rows = [
        (
            f"{contender.distribution} {_version(contender.distribution)}, {contender.name}",
            f"{contender.games:,}",
            contender.step,
            rate(timing.task.calls / timing.best),
            rate(timing.units / timing.best),
            rate(timing.units / timing.median),
        )
        for contender, timing in measured
    ]
    note = (
        f"{steps:,} steps in each game; best of {len(measured[0][1].seconds)} repetitions, timed "
        f"in turn. {host['cpu']}, {host['usable cores']} cores, load {host['load']}, "
        f"{host['python']}."
    )
    return "\n\n".join([table(HEAD, rows), *(f"* {line}" for line in missing), note])


def _version(distribution: str) -> str:
    return __version__ if distribution == "bgfast" else version(distribution)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers.environments", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="use fewer steps and repetitions")
    parser.add_argument(
        "--processor-time",
        action="store_true",
        help="measure processor time of all threads, for a busy machine",
    )
    options = parser.parse_args(arguments)
    steps, repetitions, min_seconds = (20, 2, 0.01) if options.quick else (400, 7, 0.3)
    host = machine.description()  # first, since it includes the load before the run
    clock = time.process_time if options.processor_time else time.perf_counter
    print(markdown(*measure(steps, repetitions, min_seconds, clock), steps, host))
    return 0


if __name__ == "__main__":
    sys.exit(main())
