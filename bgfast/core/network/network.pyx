"""Dispatch to the build of the network arithmetic for this processor."""

import importlib
import os

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.string cimport memcpy

from bgfast.core.board cimport (
    BOARD_SIZE, FAULT_NONE, Board, GameRules, board_fault, board_flip, board_read, board_result,
)
from bgfast.core.generator.generator cimport Rules, generate
from bgfast.core.probabilities cimport Probabilities, probabilities_of_points, probabilities_to_floats

from bgfast.core.generator.generator import BUILD as _BUILD_OF_GENERATOR

cdef extern from "../generator/cpu.h":
    bint bg_cpu_runs_x86_vnni()


def _build_name():
    """Return the generator's build, or the build with dot products, which only networks use."""
    return "x86_vnni" if bg_cpu_runs_x86_vnni() and not os.environ.get("BGFAST_CPU") else _BUILD_OF_GENERATOR


BUILD = _build_name()

cdef const NetworkKernel *_kernel = <const NetworkKernel *> PyCapsule_GetPointer(
    importlib.import_module(f"bgfast.core.network.{BUILD}_network").NETWORK, NETWORK_NAME)


cdef const NetworkKernel *network_kernel() noexcept nogil:
    return _kernel


cdef int64_t network_evaluate(
    const BgNet *nets, const int8_t *rows, int64_t n, const GameRules *game, float *out, Board *invalid,
) noexcept nogil:
    cdef Board[CHUNK] boards
    cdef float[CHUNK * LANES] outputs
    cdef Probabilities probabilities
    cdef int64_t i, count, done = 0
    cdef int result
    cdef bint is_valid = True
    while is_valid and done < n:
        count = result = 0
        while is_valid and not result and count < min(n - done, CHUNK):
            board_read(boards + count, rows + (done + count) * BOARD_SIZE)
            is_valid = board_fault(boards + count, game.checkers) == FAULT_NONE
            result = board_result(boards + count, game.scheme, game.checkers)
            count += is_valid and not result
        _kernel.evaluate(nets, boards, count, game, outputs)
        for i in range(count):
            memcpy(out + (done + i) * OUTPUTS, outputs + i * LANES, OUTPUTS * sizeof(float))
        done += count
        if not is_valid:
            invalid[0] = boards[count]
        elif result:
            probabilities = probabilities_of_points(result)
            probabilities_to_floats(&probabilities, out + done * OUTPUTS)
            done += 1
    return done


cdef int network_best_successor(
    const BgNet *nets, const Rules *rules, const Board *board, int die1, int die2, const GameRules *game,
    int8_t *rows, uint64_t *row_moves, Board *best, uint64_t *moves, float *equity,
) noexcept nogil:
    cdef BgNetAccumulators accumulators
    cdef float[LANES] outputs
    cdef int64_t index
    cdef int result = board_result(board, game.scheme, game.checkers)
    cdef int n = 0 if result else generate(rules, board, die1, die2, rows, row_moves, True)
    if n:
        network_forget(&accumulators)
        index = _kernel.best_for_mover(nets, &accumulators, rows, n, game, equity)
        board_read(best, rows + index * BOARD_SIZE)
        moves[0] = row_moves[index]
        equity[0] = -equity[0]
        return n
    board_flip(board, best)
    moves[0] = <uint64_t> -1
    if result:
        equity[0] = result
    else:
        _kernel.evaluate(nets, best, 1, game, outputs)
        equity[0] = -network_equity(outputs)
    return 0
