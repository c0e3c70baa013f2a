"""pgx: an environment for JAX that plays many games at once, one checker per step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp

from benchmarks.peers.engines import Case
from bgfast.conformance.adapters import PgxAdapter, first_stage, pad_batch

BATCH_SIZE = 1024
"""Boards per timed call; the padding of the last batch is counted."""


class Adapter(PgxAdapter):
    """Adapter for `env.step`, compiled for a batch; pgx has no call for the results of a whole turn."""

    unit = "single-checker steps"
    note = f"`jit(vmap(env.step))`, one checker each, JAX {jax.__version__} ({jax.default_backend()})"
    check_limit = 30

    def workload(self, cases: Sequence[Case]) -> Callable[[], int]:
        batches = []
        for first in range(0, len(cases), BATCH_SIZE):
            batch = pad_batch(list(cases[first : first + BATCH_SIZE]), BATCH_SIZE)
            stages = [first_stage(case.board, case.roll) for case in batch]
            state = self.states(stages, [case.roll for case in batch])
            batches.append((state, jnp.argmax(state.legal_action_mask, axis=1)))

        def work() -> int:
            jax.block_until_ready([self.step(state, actions) for state, actions in batches])
            return BATCH_SIZE * len(batches)

        return work
