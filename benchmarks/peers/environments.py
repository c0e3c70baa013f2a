"""Environments for learning side by side: how fast they are stepped by a policy that plays at random.

Run from a clone: ``python -m benchmarks.peers.environments``. The others come with
``pip install '.[peers]'``; those that are not there are named as missing. A step is something else in each,
so plays are counted, too: whole turns of one side, passes included. All are timed in turn, in this one run,
the choice of actions included.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

if not __package__:  # started by its path; behind all else, so that an installed bgfast is taken first
    sys.path.append(str(Path(__file__).resolve().parents[2]))

import numpy as np

from benchmarks.peers.report import rate, table
from bgfast.common import machine
from bgfast.common.timing import Task, Timing, interleave
from bgfast.common.version import __version__

GAMES = 1024  # at once, where there are many
SEED = 1
HEAD = ("environment", "games at once", "a step is", "steps/s", "plays/s", "plays/s, median")


class Contender(NamedTuple):
    """An environment to be timed.

    `make` is called with a number of steps and returns the work, which takes so many (in each game) from new
    games on, always the same, and returns the plays that were made.
    """

    name: str
    games: int
    step: str
    make: Callable[[int], Callable[[], int]]
    distribution: str = "bgfast"


def single(steps: int) -> Callable[[], int]:
    """`BackgammonEnv`: the learner's play and the opponent's answer, both at random."""
    environments = importlib.import_module("bgfast.environments")
    env = environments.BackgammonEnv()

    def work() -> int:
        choose = random.Random(SEED).random
        _, info = env.reset(seed=SEED)
        plays = 0
        for _ in range(steps):
            count = len(info["successors"].boards)
            _, reward, ended, _, info = env.step(int(choose() * count))
            plays += 1 if reward > 0 else 2  # who has won gets no answer
            if ended:
                _, info = env.reset()
        return plays

    return work


def vector(copy: bool, threads: int = 1) -> Callable[[int], Callable[[], int]]:
    """`BackgammonVectorEnv`, with the same plays."""

    def make(steps: int) -> Callable[[], int]:
        environments = importlib.import_module("bgfast.environments")
        env = environments.BackgammonVectorEnv(GAMES, copy=copy, threads=threads)

        def work() -> int:
            choose = np.random.default_rng(SEED).random
            _, info = env.reset(seed=SEED)
            won = 0
            for _ in range(steps):
                actions = choose(GAMES) * np.diff(info["successors"].offsets)
                _, rewards, _, _, info = env.step(actions.astype(np.int64))
                won += np.count_nonzero(rewards > 0)
            return 2 * GAMES * steps - int(won)

        return work

    return make


def matches(length: int | None, threads: int = 1) -> Callable[[int], Callable[[], int]]:
    """`BackgammonMatchVectorEnv`: both sides double one time in fifty, and take three doubles of four."""

    def make(steps: int) -> Callable[[], int]:
        environments = importlib.import_module("bgfast.environments")
        roll, double, take, drop = (
            environments.MAX_PLAYS + environments.MATCH_ACTIONS.index(name)
            for name in ("roll", "double", "take", "drop")
        )
        answer = environments.MATCH_PHASES.index("doubled")

        class Counted(environments.BackgammonMatchVectorEnv):  # type: ignore[misc, name-defined]
            plays = 0  # of the opponent

            def _played(self, rows: Any) -> Any:
                self.plays += len(rows)
                return super()._played(rows)

        env = Counted(GAMES, length=length, copy=False, threads=threads)

        def work() -> int:
            choose = np.random.default_rng(SEED).random
            env.plays = own = 0
            seen, info = env.reset(seed=SEED)
            for _ in range(steps):
                chances = choose(GAMES)
                sizes = np.diff(info["successors"].offsets)
                actions = (chances * sizes).astype(np.int64)
                others = np.flatnonzero(sizes == 0)
                own += GAMES - len(others)
                doubled, some = seen[others, 33] == answer, chances[others]
                actions[others] = np.where(
                    doubled, np.where(some < 3 / 4, take, drop), np.where(some < 1 / 50, double, roll)
                )
                seen, _, _, _, info = env.step(actions)
            return own + env.plays

        return work

    return make


def two_agents(steps: int) -> Callable[[], int]:
    """`env`, with PettingZoo's wrappers: one play."""
    environments = importlib.import_module("bgfast.environments")
    env = environments.env()

    def work() -> int:
        choose = random.Random(SEED).random
        env.reset(seed=SEED)
        for _ in range(steps):
            _, _, _, _, info = env.last()
            env.step(int(choose() * len(info["successors"].boards)))
            if all(env.terminations.values()):
                env.reset()
        return steps

    return work


def open_spiel(steps: int) -> Callable[[], int]:
    """OpenSpiel's states: one action of a player, the chance events between them not counted."""
    pyspiel = importlib.import_module("pyspiel")
    game = pyspiel.load_game("backgammon(scoring_type=full_scoring)")

    def work() -> int:
        rng = random.Random(SEED)
        state, taken, rolls = game.new_initial_state(), 0, 0
        while taken < steps:
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, chances)[0])
                rolls += 1
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                taken += 1
                if state.is_terminal():
                    state = game.new_initial_state()
        return rolls  # one for each turn

    return work


def pgx(steps: int) -> Callable[[], int]:
    """pgx: one checker, or a pass; all steps are compiled into one function, its fastest way.

    New games are copies of some that were dealt before: pgx's own `auto_reset` deals one for each game at
    each step, which takes several times as long.
    """
    jax: Any = importlib.import_module("jax")
    jnp: Any = importlib.import_module("jax.numpy")
    env: Any = importlib.import_module("pgx").make("backgammon")
    one = jax.vmap(env.step)

    def all_steps(key: Any) -> Any:
        first, rest = jax.random.split(key)
        dealt = jax.vmap(env.init)(jax.random.split(first, GAMES))

        def body(state: Any, key: Any) -> tuple[Any, Any]:
            choose, go = jax.random.split(key)
            chances = jnp.log(state.legal_action_mask.astype(jnp.float32))
            after = one(state, jax.random.categorical(choose, chances, axis=1), jax.random.split(go, GAMES))
            over = after.terminated

            def again(going: Any, new: Any) -> Any:
                return jnp.where(over.reshape((GAMES,) + (1,) * (going.ndim - 1)), new, going)

            plays = ((after._turn != state._turn) | over).sum()
            return jax.tree_util.tree_map(again, after, dealt), plays

        return jax.lax.scan(body, dealt, jax.random.split(rest, steps))[1].sum()

    compiled = jax.jit(all_steps)

    def work() -> int:
        return int(compiled(jax.random.PRNGKey(SEED)))

    return work


BOTH = "a play and the opponent's answer"
DECISION = "a decision, and what the opponent does until the next"
CONTENDERS = (
    Contender("`BackgammonEnv`", 1, BOTH, single),
    Contender("`BackgammonVectorEnv`", GAMES, BOTH, vector(True)),
    Contender("`BackgammonVectorEnv`, `copy=False`", GAMES, BOTH, vector(False)),
    Contender("`BackgammonVectorEnv`, `copy=False, threads=2`", GAMES, BOTH, vector(False, 2)),
    Contender("`BackgammonMatchVectorEnv`, money, `copy=False`", GAMES, DECISION, matches(None)),
    Contender("`BackgammonMatchVectorEnv`, matches to 7, `copy=False`", GAMES, DECISION, matches(7)),
    Contender("`env`, PettingZoo", 1, "a play", two_agents),
    Contender(
        "`state.apply_action`",
        1,
        "an action: two dice, half of a double, or a pass",
        open_spiel,
        "open_spiel",
    ),
    Contender("`jit(scan(vmap(step)))`, CPU", GAMES, "a checker, or a pass", pgx, "pgx"),
)


def measure(
    steps: int, repetitions: int, least: float, clock: Callable[[], float] = time.perf_counter
) -> tuple[list[tuple[Contender, Timing]], list[str]]:
    """Return the times of what is installed, and why the others are missing."""
    found: list[Contender] = []
    tasks: list[Task] = []
    missing: list[str] = []
    for contender in CONTENDERS:
        try:
            work = contender.make(steps)
            work()
        # Whatever a foreign package does on import, the others are still to be measured.
        except Exception as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            missing.append(f"{contender.distribution}, {contender.name}: **missing** ({reason})")
            continue
        found.append(contender)
        calls = steps * contender.games
        tasks.append(Task("environments", contender.distribution, contender.name, "plays", calls, work))
    timings = interleave(
        tasks, repetitions, least, lambda line: print(line, file=sys.stderr, flush=True), clock
    )
    return list(zip(found, timings, strict=True)), missing


def markdown(
    measured: Sequence[tuple[Contender, Timing]],
    missing: Sequence[str],
    steps: int,
    about: Mapping[str, str | int],
) -> str:
    """Return the table, and what it was measured on."""
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
    said = (
        f"{steps:,} steps of each game from new games on; best of {len(measured[0][1].seconds)} repetitions, "
        f"side by side. {about['cpu']}, {about['usable cores']} cores, load {about['load']}, "
        f"{about['python']}."
    )
    return "\n\n".join([table(HEAD, rows), *(f"* {line}" for line in missing), said])


def _version(distribution: str) -> str:
    return __version__ if distribution == "bgfast" else version(distribution)


def main(words: Sequence[str] | None = None) -> int:
    """Measure, and print the table; return 0."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers.environments", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="fewer steps and repetitions, for a first look")
    parser.add_argument(
        "--processor-time", action="store_true", help="seconds of all threads together, for a busy machine"
    )
    asked = parser.parse_args(words)
    steps, repetitions, least = (20, 2, 0.01) if asked.quick else (400, 7, 0.3)
    about = machine.description()  # the load before we add to it
    clock = time.process_time if asked.processor_time else time.perf_counter
    print(markdown(*measure(steps, repetitions, least, clock), steps, about))
    return 0


if __name__ == "__main__":
    sys.exit(main())
