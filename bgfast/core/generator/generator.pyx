"""Dispatch to the build of the generator for this processor.

The environment variable BGFAST_CPU selects a build, e.g. BGFAST_CPU=portable in tests.
"""

import importlib
import os

from cpython.pycapsule cimport PyCapsule_GetPointer

cdef extern from "cpu.h" nogil:
    bint bg_cpu_runs_x86_v3()


def _build_name():
    requested = os.environ.get("BGFAST_CPU", "")
    builds = ["x86_v3", "portable"] if bg_cpu_runs_x86_v3() else ["portable"]
    if requested and requested not in builds:
        raise ImportError(
            f"BGFAST_CPU is {requested!r:.60}; expected nothing, or a build for this processor: "
            + ", ".join(builds))
    return requested or builds[0]


BUILD = _build_name()


cdef const Kernel *_kernel_of(build) except NULL:
    module = importlib.import_module(f"bgfast.core.generator.{build}")
    return <const Kernel *> PyCapsule_GetPointer(module.KERNEL, KERNEL_NAME)


cdef const Kernel *_standard = _kernel_of(BUILD)
cdef const Kernel *_levels = _kernel_of("levels")


cdef inline const Kernel *_kernel(const Rules *rules) noexcept nogil:
    return _standard if rules == NULL else _levels


cdef int generate(
    const Rules *rules, const Board *board, int die1, int die2, int8_t *rows, uint64_t *moves, bint flip,
) noexcept nogil:
    return _kernel(rules).generate(rules, board, die1, die2, rows, moves, flip)


cdef int count(const Rules *rules, const Board *board, int die1, int die2) noexcept nogil:
    return _kernel(rules).count(rules, board, die1, die2)


cdef int64_t count_batch(
    const Batch *batch, int64_t first, int64_t last, int64_t *sizes, InvalidRow *invalid,
) noexcept nogil:
    return _kernel(batch.rules).count_batch(batch, first, last, sizes, invalid)


cdef int64_t generate_batch(
    const Batch *batch, int64_t first, int64_t last, int8_t *rows, uint64_t *moves, int64_t capacity,
    int64_t *sizes, uint64_t *scratch, InvalidRow *invalid,
) noexcept nogil:
    return _kernel(batch.rules).generate_batch(batch, first, last, rows, moves, capacity, sizes, scratch, invalid)
