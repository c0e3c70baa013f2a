# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Cubeful values and live points of many rows of probabilities, block by block."""

from bgfast.analysis.cube._stakes cimport HeldStakes, Stakes
from bgfast.core.board.probabilities cimport PROBABILITIES

cdef extern from "cube_values.h" nogil:
    int cube_sound(const CubeBlock *block, double slack, double excess) noexcept
    void cube_shares(int n, CubeBlock *block) noexcept
    void cube_find_points(const Stakes *stakes, int n, const CubeBlock *block, CubePoints *points) noexcept
    void cube_values(
        const Stakes *stakes, int n, const CubeBlock *block, const CubePoints *points, const double *x,
        double *out,
    ) noexcept
    double stakes_dead(const Stakes *stakes, const double *given) noexcept


ctypedef fused real:
    float
    double

cdef double SLACK = 1e-6


cdef inline void _read(const real *rows, int count, CubeBlock *block) noexcept nogil:
    """Begin a block with so many rows of probabilities, and zeros behind them."""
    cdef int i, k
    for i in range(count):
        for k in range(PROBABILITIES):
            block.given[k][i] = rows[PROBABILITIES * i + k]
    for k in range(PROBABILITIES):
        for i in range(count, CUBE_BLOCK):
            block.given[k][i] = 0
    cube_shares(CUBE_BLOCK, block)


def fill_values(
    HeldStakes stakes, const real[:, ::1] rows, const double[::1] efficiency, double excess, double[::1] out,
):
    """Write the cubeful value of each row with the cube as it is; one efficiency for all, or one for each.

    Returns the number of rows before the first block with what is no probability, or with more gammons or
    backgammons than there are games or gammons, by more than `excess`.
    """
    cdef const Stakes *game = &stakes.stakes
    cdef Py_ssize_t at = 0, total = rows.shape[0]
    cdef int i, count
    cdef bint each = efficiency.shape[0] == total
    cdef double[CUBE_BLOCK] x, found
    cdef CubeBlock block
    cdef CubePoints points
    with nogil:
        for i in range(CUBE_BLOCK):
            x[i] = 0 if each else efficiency[0]
        while at < total:
            count = <int> min(total - at, CUBE_BLOCK)
            _read(&rows[at, 0], count, &block)
            if not cube_sound(&block, SLACK, excess):
                break
            if each:
                for i in range(count):
                    x[i] = efficiency[at + i]
            cube_find_points(game, CUBE_BLOCK, &block, &points)
            cube_values(game, CUBE_BLOCK, &block, &points, x, found)
            for i in range(count):
                out[at + i] = found[i]
            at += count
    return at


cdef void equities_of_few(const Stakes *stakes, CubeBlock *block, const double *x, double *out) noexcept nogil:
    cdef double win = stakes.level[0].win[0], lose = stakes.level[0].lose[0]
    cdef double[PROBABILITIES] given
    cdef CubePoints points
    cdef int i, k
    if stakes.levels == 1:
        for i in range(FEW):
            for k in range(PROBABILITIES):
                given[k] = block.given[k][i]
            out[i] = stakes_dead(stakes, given)
    else:
        cube_shares(FEW, block)
        cube_find_points(stakes, FEW, block, &points)
        cube_values(stakes, FEW, block, &points, x, out)
    for i in range(FEW):
        out[i] = (2 * out[i] - (win + lose)) / (win - lose)


def fill_live_points(HeldStakes stakes, const real[:, ::1] rows, double[:, ::1] out):
    """Write for each row the win probabilities below which the mover passes and above which the opponent does.

    They are those of a fully live cube that either may turn. Rows are probabilities.
    """
    cdef const Stakes *game = &stakes.stakes
    cdef Py_ssize_t at = 0, total = rows.shape[0]
    cdef int i, count
    cdef CubeBlock block
    cdef CubePoints points
    with nogil:
        while at < total:
            count = <int> min(total - at, CUBE_BLOCK)
            _read(&rows[at, 0], count, &block)
            cube_find_points(game, CUBE_BLOCK, &block, &points)
            for i in range(count):
                out[at + i, 0] = points.take[i]
                out[at + i, 1] = points.cash[i]
            at += count
