"""Training steps of a first layer and its heads: gradient and Adam.

Results are bitwise identical for any number of threads; see `network_learning.h`.
"""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.math cimport sqrt
from libc.stdint cimport int8_t, int64_t, uint8_t
from libc.string cimport memcpy

from bgfast.common._threads cimport Task, run
from bgfast.core.network.network cimport (
    BUCKETS, OUTPUTS, TILE, BgLearner, BgSample, BgStep, learner_size, network_bucket, network_kernel,
)

import numpy as np

cdef enum:
    SAMPLES_PER_TASK = 16

cdef double MEAN_DECAY = 0.9        # beta 1 of Adam
cdef double SQUARE_DECAY = 0.999    # beta 2


def weights_size(int64_t hidden, int64_t heads, int64_t dense, bint triples, bint squares):
    """Return the number of weights of a first layer with its heads, padding included."""
    cdef BgLearner net
    net.hidden, net.heads, net.dense = <int> hidden, <int> heads, <int> dense
    net.has_triples, net.squares = triples, squares
    return learner_size(&net)


@cython.final
cdef class Learner(Task):
    """First layer and its heads in training.

    `hidden` is the size of the first layer; `dense` is the size of each head's hidden dense layer, or 0.
    `heads` has the index of each bucket's head, or -1 for buckets of another first layer. `Settings` describes
    `features`, `triples` and `squares`. `weights`, `mean` and `square` (Adam's moments), of `weights_size`
    numbers, are changed in place; `network_layout.h` describes their order.
    """

    cdef readonly int64_t steps   # number of steps taken
    cdef BgLearner net
    cdef BgSample *samples
    cdef float *activations     # the first layer's, tile by tile, for all samples
    cdef uint8_t *has_stepped   # for each tile and the tail: 1 if it has taken the current step
    cdef int[BUCKETS] heads
    cdef int64_t batch, tiles
    cdef object arrays   # keeps the memory of `net` alive

    # Arguments and results of the current step
    cdef bint is_forward_pass
    cdef const int8_t[:, ::1] boards
    cdef const float[:, ::1] targets
    cdef const int64_t[::1] rows
    cdef float *equity_errors   # one per sample
    cdef BgStep step_

    def __init__(
        self, int64_t hidden, int64_t dense, heads, bint features, bint triples, bint squares,
        float[::1] weights not None, float[::1] mean not None, float[::1] square not None, int64_t steps,
        int64_t batch,
    ):
        for bucket in range(BUCKETS):
            self.heads[bucket] = heads[bucket]
        self.net.hidden, self.net.heads, self.net.dense = <int> hidden, <int> (max(heads) + 1), <int> dense
        self.net.has_features, self.net.has_triples, self.net.squares = features, triples, squares
        self.net.weights, self.net.mean, self.net.square = &weights[0], &mean[0], &square[0]
        self.arrays = weights, mean, square
        self.steps = steps
        self.batch = batch
        self.tiles = hidden // TILE
        self.net.gradient = <float *> PyMem_Calloc(weights.shape[0], sizeof(float))
        self.samples = <BgSample *> PyMem_Malloc(batch * sizeof(BgSample))
        self.activations = <float *> PyMem_Malloc(batch * hidden * sizeof(float))
        self.equity_errors = <float *> PyMem_Malloc(batch * sizeof(float))
        self.has_stepped = <uint8_t *> PyMem_Calloc(self.tiles + 1, 1)
        if (
            self.net.gradient == NULL or self.samples == NULL or self.activations == NULL
            or self.equity_errors == NULL or self.has_stepped == NULL
        ):
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.net.gradient)
        PyMem_Free(self.samples)
        PyMem_Free(self.activations)
        PyMem_Free(self.equity_errors)
        PyMem_Free(self.has_stepped)

    def learn(
        self, const int8_t[:, ::1] boards not None, const float[:, ::1] targets not None,
        const int64_t[::1] rows not None, double rate, int64_t threads,
    ):
        """Take a step towards the targets of some rows: unfinished boards in the buckets of this layer.

        Return the sum of the squared equity errors. After Ctrl-C the step has been taken completely or not at
        all; `steps` shows which.
        """
        cdef int64_t i, n = rows.shape[0]
        cdef double total = 0, steps
        self._forward(boards, targets, rows, threads)
        for i in range(n):
            total += <double> self.equity_errors[i] * self.equity_errors[i]
        steps = self.steps + 1
        self.step_.mean_decay, self.step_.square_decay = <float> MEAN_DECAY, <float> SQUARE_DECAY
        self.step_.length = <float> (rate * sqrt(1 - SQUARE_DECAY ** steps) / (1 - MEAN_DECAY ** steps))
        self.is_forward_pass = False
        for i in range(self.tiles + 1):
            self.has_stepped[i] = False
        try:
            run(self, self.tiles + 1, 1, <int> threads)
        finally:   # completes a step that was interrupted between two tiles
            with nogil:
                for i in range(self.tiles + 1):
                    if not self.has_stepped[i]:
                        self._step(i)
            self.steps += 1
        return total

    cdef int _forward(
        self, const int8_t[:, ::1] boards, const float[:, ::1] targets, const int64_t[::1] rows, int64_t threads,
    ) except -1:
        self.boards, self.targets, self.rows = boards, targets, rows
        self.is_forward_pass = True
        run(self, rows.shape[0], SAMPLES_PER_TASK, <int> threads)
        return 0

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef int64_t i
        if not self.is_forward_pass:
            for i in range(first, last):
                self._step(i)
            return True
        cdef float share = 1 / <float> self.rows.shape[0]
        cdef const int8_t *board
        for i in range(first, last):
            board = &self.boards[self.rows[i], 0]
            self.equity_errors[i] = network_kernel().learn_forward(
                &self.net, board, self.heads[network_bucket(board)], &self.targets[self.rows[i], 0], share,
                self.samples + i, self.activations + i * TILE, self.batch * TILE)
        return True

    cdef void _step(self, int64_t tile) noexcept nogil:
        """Update a tile or, for the index after the last tile, the tail: the other weights of the heads."""
        cdef int64_t n = self.rows.shape[0]
        if tile < self.tiles:
            network_kernel().learn_tile(
                &self.net, <int> tile, self.samples, n, self.activations + tile * self.batch * TILE, &self.step_)
        else:
            network_kernel().learn_tail(&self.net, self.samples, n, &self.step_)
        self.has_stepped[tile] = True

    def first_layer_activations(
        self, const int8_t[:, ::1] boards not None, const int64_t[::1] rows not None, int64_t threads,
    ):
        """Return the activations of the first layer for some rows, float32 (n, hidden)."""
        cdef int64_t first, i, tile
        activations = np.empty((rows.shape[0], self.net.hidden), np.float32)
        cdef float[:, ::1] out = activations
        targets = np.zeros((boards.shape[0], OUTPUTS), np.float32)
        for first in range(0, rows.shape[0], self.batch):
            self._forward(boards, targets, rows[first : first + self.batch], threads)
            for tile in range(self.tiles):
                for i in range(self.rows.shape[0]):
                    memcpy(
                        &out[first + i, tile * TILE], self.activations + (tile * self.batch + i) * TILE,
                        TILE * sizeof(float))
        return activations
