"""Cubeful values and live cube points of many rows of probabilities, block by block."""

from bgfast.evaluation._efficiency cimport BoardEfficiency, EfficiencyLines
from bgfast.evaluation._stakes cimport CubeStakes, Stakes, stakes_denormalized
from bgfast.core.probabilities cimport PROBABILITIES

from bgfast.core.generator.generator import BUILD as _BUILD

cdef extern from "cube_values.h" nogil:
    void cube_shares(int n, CubeBlock *block) noexcept
    void cube_find_points(const Stakes *stakes, int n, const CubeBlock *block, CubePoints *points) noexcept

    ctypedef struct CubeTask:
        const Stakes *stakes
        const EfficiencyLines *lines
        double slack
        double excess
        double middle
        double unit

    ctypedef int (*CubeOfBlock)(const CubeTask *task, CubeBlock *block, double *x, double *out) noexcept
    CubeOfBlock cube_of_block_portable
    CubeOfBlock cube_of_block_x86_v3
    ctypedef void (*CubeOfFew)(const Stakes *stakes, CubeBlock *block, const double *x, double *out) noexcept
    CubeOfFew cube_of_few_portable
    CubeOfFew cube_of_few_x86_v3
    ctypedef void (*EfficienciesOfFew)(
        const EfficiencyLines *lines, const CubeBlock *block, double *x) noexcept
    EfficienciesOfFew efficiencies_of_few_portable
    EfficienciesOfFew efficiencies_of_few_x86_v3


ctypedef fused real:
    float
    double

cdef double SLACK = 1e-6
cdef bint VECTORS = _BUILD == "x86_v3"
cdef CubeOfBlock of_block = cube_of_block_x86_v3 if VECTORS else cube_of_block_portable
cdef CubeOfFew equities_of_few = cube_of_few_x86_v3 if VECTORS else cube_of_few_portable
cdef EfficienciesOfFew efficiencies_of_few = (
    efficiencies_of_few_x86_v3 if VECTORS else efficiencies_of_few_portable)


cdef inline void _read(const real *rows, int count, CubeBlock *block) noexcept nogil:
    """Fill a block with `count` rows of probabilities, followed by zeros."""
    cdef int i, k
    for i in range(count):
        for k in range(PROBABILITIES):
            block.probabilities[k][i] = rows[PROBABILITIES * i + k]
    for k in range(PROBABILITIES):
        for i in range(count, CUBE_BLOCK):
            block.probabilities[k][i] = 0


def fill_values(
    CubeStakes stakes, const real[:, ::1] rows, const double[::1] efficiency, BoardEfficiency lines, double excess,
    bint normalized, double[::1] out,
):
    """Write cubeful values of rows, or equities (EMG); return the number of rows before the first invalid block.

    Efficiencies are those of `lines` or, if it is None, `efficiency`: a single number or one per row. `cube_sound`
    defines invalid.
    """
    cdef Py_ssize_t at = 0, total = rows.shape[0]
    cdef int i, count
    cdef bint per_row = lines is None and efficiency.shape[0] == total
    cdef double[CUBE_BLOCK] x, values
    cdef CubeBlock block
    cdef CubeTask task
    task.stakes, task.lines = &stakes.stakes, NULL if lines is None else &lines.lines
    task.slack, task.excess = SLACK, excess
    task.middle = stakes_denormalized(&stakes.stakes, 0) if normalized else 0
    task.unit = stakes_denormalized(&stakes.stakes, 1) - task.middle if normalized else 1
    with nogil:
        for i in range(CUBE_BLOCK):
            x[i] = 0 if per_row or task.lines != NULL else efficiency[0]
        while at < total:
            count = <int> min(total - at, CUBE_BLOCK)
            _read(&rows[at, 0], count, &block)
            if per_row:
                for i in range(count):
                    x[i] = efficiency[at + i]
            if not of_block(&task, &block, x, values):
                break
            for i in range(count):
                out[at + i] = values[i]
            at += count
    return at


cdef void few_efficiencies(const EfficiencyLines *lines, const CubeBlock *block, double *x) noexcept nogil:
    efficiencies_of_few(lines, block, x)


cdef void few_equities(const Stakes *stakes, CubeBlock *block, const double *x, double *out) noexcept nogil:
    equities_of_few(stakes, block, x, out)


def fill_live_points(CubeStakes stakes, const real[:, ::1] rows, double[:, ::1] out):
    """Write the take and cash points (n, 2) of rows with a fully live cube that either player may turn."""
    cdef const Stakes *game = &stakes.stakes
    cdef Py_ssize_t at = 0, total = rows.shape[0]
    cdef int i, count
    cdef CubeBlock block
    cdef CubePoints points
    with nogil:
        while at < total:
            count = <int> min(total - at, CUBE_BLOCK)
            _read(&rows[at, 0], count, &block)
            cube_shares(CUBE_BLOCK, &block)
            cube_find_points(game, CUBE_BLOCK, &block, &points)
            for i in range(count):
                out[at + i, 0] = points.take[i]
                out[at + i, 1] = points.cash[i]
            at += count
