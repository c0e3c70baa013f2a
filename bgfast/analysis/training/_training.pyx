# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Self-play of a network that learns from it, in the core: temporal differences, backwards after each game.

Source: Sutton, "Learning to predict by the methods of temporal differences" (1988); Tesauro, "Temporal difference
learning and TD-Gammon" (1995). Updates are those of a lambda-return, from the end of a game to its beginning.
"""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.string cimport memcpy

from bgfast.analysis.evaluators._network cimport check_weights
from bgfast.common._threads cimport Task, run
from bgfast.core.board.board cimport BOARD_SIZE, CHECKERS, Board, board_flip, board_read
from bgfast.core.generator.generator cimport ROWS_BYTES, generate
from bgfast.core.network.network cimport (
    LANES, OUTPUTS, PARTS, WEIGHT_ROWS, BgFirstLayer, BgNet, BgNetAccumulators, network_forget, first_layer_bytes, head_bytes, network_kernel,
    network_part,
)
from bgfast.core.board.result cimport WIN_STANDARD, board_result
from bgfast.core.board.probabilities cimport (
    Probabilities, probabilities_flipped, probabilities_of_floats, probabilities_of_points,
    probabilities_to_floats,
)
from bgfast.core.board.random_stream cimport TRAINING_DICE, stream_at, stream_die

import numpy as np

from bgfast.errors import BgfastError

cdef enum:
    MOST_PLIES = 3000    # a network that knows nothing yet can play for ever
    GAMES_A_TABLE = 8    # games that are played with the same tables


cdef int64_t _table_bytes(int64_t hidden) noexcept nogil:
    """The bytes of a part: its first layer, the tables of it and those of its head."""
    return 64 + first_layer_bytes(<int> hidden) + head_bytes(<int> hidden, 0)


cdef void _make_part(
    BgNet *net, int part, int64_t hidden, bint has_features, const float *weights, const float *output_bias,
    char *memory,
) noexcept nogil:
    cdef BgFirstLayer *layer = <BgFirstLayer *> memory
    cdef char *behind = memory + 64 + first_layer_bytes(<int> hidden)
    network_kernel().make_first_layer(layer, <int> hidden, has_features, weights, NULL, memory + 64)
    network_kernel().make_head(
        net, layer, part, 0, NULL, NULL, weights + WEIGHT_ROWS * hidden, output_bias, behind)


@cython.final
cdef class SelfPlay(Task):
    """Workers that play against themselves, each with weights of its own, which it changes after each game.

    Parameters
    ----------
    start : int8 array (26,)
    weights : float32 array (workers, PARTS, WEIGHT_ROWS, h)
    output_bias : float32 array (workers, PARTS, 8)
    seed : int
    features : sequence of bool
        Whether each part has them.
    """

    cdef int8_t[::1] start
    cdef float[:, :, :, ::1] weights
    cdef float[:, :, ::1] output_bias
    cdef uint64_t seed
    cdef int64_t first_game, games
    cdef float learning_rate, trace
    cdef char *tables      # of each worker: those of all parts, for playing
    cdef int8_t *rows
    cdef int8_t *played    # the positions of each worker's game
    cdef int64_t *counts   # of each worker: plies, games that were cut off
    cdef int64_t hidden, table_bytes
    cdef bint[PARTS] with_features

    def __init__(
        self, int8_t[::1] start not None, float[:, :, :, ::1] weights not None,
        float[:, :, ::1] output_bias not None, uint64_t seed, features,
    ):
        cdef int64_t workers = weights.shape[0]
        self.start = start
        self.weights = weights
        self.output_bias = output_bias
        self.seed = seed
        self.hidden = check_weights(weights.shape[2] - OUTPUTS, weights.shape[3])
        for part in range(PARTS):
            self.with_features[part] = features[part]
        if (
            weights.shape[1] != PARTS or start.shape[0] != BOARD_SIZE or output_bias.shape[0] != workers
            or output_bias.shape[1] != PARTS or output_bias.shape[2] != LANES
        ):
            raise BgfastError(
                f"a start, weights and biases of shapes {np.shape(start)}, {np.shape(weights)} and "
                f"{np.shape(output_bias)}; expected ({BOARD_SIZE},), (n, {PARTS}, {WEIGHT_ROWS + OUTPUTS}, h) and "
                f"(n, {PARTS}, {LANES})")
        self.table_bytes = _table_bytes(self.hidden)
        self.tables = <char *> PyMem_Malloc(workers * PARTS * self.table_bytes)
        self.rows = <int8_t *> PyMem_Malloc(workers * ROWS_BYTES)
        self.played = <int8_t *> PyMem_Malloc(workers * MOST_PLIES * BOARD_SIZE)
        self.counts = <int64_t *> PyMem_Malloc(workers * 2 * sizeof(int64_t))
        if self.tables == NULL or self.rows == NULL or self.played == NULL or self.counts == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.tables)
        PyMem_Free(self.rows)
        PyMem_Free(self.played)
        PyMem_Free(self.counts)

    def play(self, int64_t first_game, int64_t games, float learning_rate, float trace):
        """Let each worker play so many games, with numbers from `first_game` on, and learn from them.

        `trace` is the lambda of TD(lambda).

        Returns the plies played, and how many games were cut off and not learnt from.
        """
        cdef int64_t workers = self.weights.shape[0]
        self.first_game = first_game
        self.games = games
        self.learning_rate = learning_rate
        self.trace = trace
        run(self, workers, 1, <int> workers)
        return (
            sum(self.counts[2 * worker] for worker in range(workers)),
            sum(self.counts[2 * worker + 1] for worker in range(workers)),
        )

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef int64_t worker
        for worker in range(first, last):
            self._worker(worker)
        return True

    cdef void _worker(self, int64_t worker) noexcept nogil:
        cdef BgNet[PARTS] nets
        cdef int64_t game, plies, all_plies = 0, cut = 0
        for game in range(self.games):
            if game % GAMES_A_TABLE == 0:
                self._make_tables(worker, nets)
            plies = self._game(worker, nets, self.first_game + worker * self.games + game)
            all_plies += plies
            cut += plies == MOST_PLIES
        self.counts[2 * worker] = all_plies
        self.counts[2 * worker + 1] = cut

    cdef void _make_tables(self, int64_t worker, BgNet *nets) noexcept nogil:
        """Make the tables of the weights as they are now."""
        cdef int part
        for part in range(PARTS):
            _make_part(
                nets + part, part, self.hidden, self.with_features[part], &self.weights[worker, part, 0, 0],
                &self.output_bias[worker, part, 0], self.tables + (worker * PARTS + part) * self.table_bytes)

    cdef int64_t _game(self, int64_t worker, BgNet *nets, int64_t number) noexcept nogil:
        """Play one game and learn from it; return its plies."""
        cdef int8_t *played = self.played + worker * MOST_PLIES * BOARD_SIZE
        cdef int8_t *rows = self.rows + worker * ROWS_BYTES
        cdef Board board, flipped
        cdef uint64_t state
        cdef int64_t ply, chosen
        cdef int first, second, n, result
        cdef float equity
        cdef BgNetAccumulators accumulators
        board_read(&board, &self.start[0])
        for ply in range(MOST_PLIES):
            memcpy(played + ply * BOARD_SIZE, board.point, BOARD_SIZE)
            state = stream_at(self.seed, TRAINING_DICE, <uint64_t> number, <uint64_t> ply)
            first, second = stream_die(&state), stream_die(&state)
            while ply == 0 and first == second:   # "each rolls one die, the higher starts"
                first, second = stream_die(&state), stream_die(&state)
            n = generate(NULL, &board, first, second, rows, NULL, True)
            if n == 0:
                board_flip(&board, &flipped)
                board = flipped
                continue
            chosen = 0
            network_forget(&accumulators)
            if n > 1:
                chosen = network_kernel().best_for_mover(
                    nets, &accumulators, rows, n, WIN_STANDARD, CHECKERS, &equity)
            board_read(&board, rows + chosen * BOARD_SIZE)
            result = board_result(&board, WIN_STANDARD, CHECKERS)
            if result:
                self._learn(worker, nets, played, ply + 1, -result)
                return ply + 1
        return MOST_PLIES

    cdef void _learn(
        self, int64_t worker, const BgNet *nets, const int8_t *played, int64_t plies, int points,
    ) noexcept nogil:
        """Learn from the positions of a game, the last first; its last mover has won so many points."""
        cdef float[OUTPUTS] target
        cdef float[LANES] outputs
        cdef Probabilities probabilities
        cdef int64_t ply
        cdef int part, k
        probabilities = probabilities_of_points(points)
        probabilities_to_floats(&probabilities, target)
        for ply in range(plies - 1, -1, -1):
            part = network_part(played + ply * BOARD_SIZE)
            network_kernel().learn(
                nets + part, &self.weights[worker, part, 0, 0], &self.output_bias[worker, part, 0],
                played + ply * BOARD_SIZE, target, self.learning_rate, outputs)
            for k in range(OUTPUTS):
                target[k] = self.trace * target[k] + (1 - self.trace) * outputs[k]
            probabilities = probabilities_of_floats(target)
            probabilities = probabilities_flipped(&probabilities)   # for the player before
            probabilities_to_floats(&probabilities, target)


def train_supervised(
    float[:, ::1] weights not None, float[::1] output_bias not None, const int8_t[:, ::1] boards not None,
    const float[:, ::1] targets not None, double learning_rate, bint has_features,
):
    """Take one step of gradient descent for each board, in their order, towards its five probabilities.

    `weights` (WEIGHT_ROWS, h) and `output_bias` (8,) are those of the part that all the boards belong to, and are
    changed. The tables are made once, before: of the steps before it one sees biases and output weights alone.
    """
    cdef BgNet net
    cdef int64_t hidden = check_weights(weights.shape[0] - OUTPUTS, weights.shape[1])
    cdef float[LANES] outputs
    cdef int64_t i
    cdef char *memory
    if (
        output_bias.shape[0] != LANES or boards.shape[1] != BOARD_SIZE or targets.shape[1] != OUTPUTS
        or boards.shape[0] != targets.shape[0]
    ):
        raise BgfastError(
            f"a bias, boards and targets of shapes {np.shape(output_bias)}, {np.shape(boards)} and "
            f"{np.shape(targets)}; expected ({LANES},), (n, {BOARD_SIZE}) and (n, {OUTPUTS})")
    memory = <char *> PyMem_Malloc(_table_bytes(hidden))
    if memory == NULL:
        raise MemoryError
    with nogil:
        _make_part(&net, 0, hidden, has_features, &weights[0, 0], &output_bias[0], memory)
        for i in range(boards.shape[0]):
            network_kernel().learn(
                &net, &weights[0, 0], &output_bias[0], &boards[i, 0], &targets[i, 0], <float> learning_rate,
                outputs)
    PyMem_Free(memory)
