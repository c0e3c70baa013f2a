"""Networks in the core: tables of weights, evaluation of boards, best successors."""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from bgfast.evaluation._cubeful cimport (
    EFFICIENCY_BGFAST, SMALL_BLOCK, CubeBlock, EfficiencyLines, EfficiencyModel, Stakes, cube_efficiency,
    fill_efficiencies, fill_equities, gammon_weight, lines_in_contact,
)
from bgfast.evaluation.evaluators._evaluators cimport NativeEvaluator, equity_of_points_at
from bgfast.batch._successors cimport BoardTask, Request, read_turn
from bgfast.core.board cimport (
    BOARD_SIZE, CHECKERS, WIN_STANDARD, Board, GameRules, WinScheme, board_read, board_result,
)
from bgfast.core.generator.generator cimport MAX_SUCCESSORS, ROWS_BYTES, SLACK_ROWS
from bgfast.core.network.network cimport (
    ALL_READY, BUCKET_RACE, BUCKETS, CHUNK, FEATURE_BYTES, FEATURES, LANES, NETS_NAME, OUTPUTS, WEIGHT_PARTS,
    BgNetAccumulators,
    allocate_tables, first_layer_bytes, head_bytes, network_best_successor, network_bucket, network_evaluate,
    network_forget, network_kernel,
)
from bgfast.core.probabilities cimport (
    Evaluation, Probabilities, evaluation_of_points, evaluation_of_probabilities, probabilities_of_floats,
)

import numpy as np

from bgfast.batch.successors import validate_boards
from bgfast.errors import BgfastError

cdef enum:
    MIN_SHARE = 256   # minimum number of boards for which a thread is woken
    RANGE = 1024      # boards that a thread takes at a time
    ROWS = MAX_SUCCESSORS + SLACK_ROWS


cdef int64_t _best_at(
    const Stakes *stakes, EfficiencyModel model, const BgNet *nets, BgNetAccumulators *accumulators,
    const int8_t *rows, int64_t n, const GameRules *game, double *equity, double *scores,
) noexcept nogil:
    """Return the first row of lowest score: cubeful + `gammon_weight` * cubeless equity, both the next player's.

    `scores`, unless NULL, receives the score of each row.
    """
    cdef float[OUTPUTS * CHUNK] outputs
    cdef int8_t[CHUNK] buckets
    cdef double[SMALL_BLOCK] efficiencies, equities
    cdef CubeBlock block
    cdef EfficiencyLines contact_lines
    cdef Probabilities probabilities
    cdef Board board
    cdef int64_t begin = 0, best = 0
    cdef int first, i, k, count, points
    cdef double cubeless, score, lowest = INFINITY, weight = gammon_weight(stakes)
    lines_in_contact(model, stakes, &contact_lines)
    equity[0] = INFINITY
    while begin < n:
        count = <int> min(n - begin, CHUNK)
        # The outputs are 0 after the last row and for finished games.
        network_kernel().evaluate_successors(
            nets, accumulators, rows + begin * BOARD_SIZE, count, game, outputs, buckets)
        first = 0
        while first < count:
            for k in range(OUTPUTS):
                for i in range(SMALL_BLOCK):
                    block.probabilities[k][i] = outputs[k * CHUNK + first + i]
            fill_efficiencies(&contact_lines, &block, efficiencies)
            for i in range(min(SMALL_BLOCK, count - first)):
                if buckets[first + i] == BUCKET_RACE:
                    board_read(&board, rows + (begin + first + i) * BOARD_SIZE)
                    probabilities.win = block.probabilities[0][i]
                    probabilities.win_gammon = block.probabilities[1][i]
                    probabilities.lose_gammon = block.probabilities[3][i]
                    efficiencies[i] = cube_efficiency(model, stakes, &board, &probabilities)
            fill_equities(stakes, &block, efficiencies, equities)
            for i in range(min(SMALL_BLOCK, count - first)):
                points = 0
                if buckets[first + i] == BUCKETS:
                    board_read(&board, rows + (begin + first + i) * BOARD_SIZE)
                    points = board_result(&board, game.scheme, game.checkers)
                    equities[i] = equity_of_points_at(stakes, points)
                score = equities[i]
                if weight:
                    cubeless = points if points else (
                        2 * block.probabilities[0][i] - 1 + block.probabilities[1][i] + block.probabilities[2][i]
                        - block.probabilities[3][i] - block.probabilities[4][i])
                    score += weight * cubeless
                if scores != NULL:
                    scores[begin + first + i] = score
                if score < lowest:
                    lowest = score
                    equity[0] = equities[i]
                    best = begin + first + i
            first += SMALL_BLOCK
        begin += CHUNK
    return best


cdef int64_t best_by_network(
    const Stakes *stakes, EfficiencyModel model, const BgNet *nets, BgNetAccumulators *accumulators,
    const int8_t *rows, int64_t n, const GameRules *game, double *equity,
) noexcept nogil:
    cdef float cubeless
    cdef int64_t best
    if stakes != NULL:
        return _best_at(stakes, model, nets, accumulators, rows, n, game, equity, NULL)
    best = network_kernel().best_for_mover(nets, accumulators, rows, n, game, &cubeless)
    equity[0] = cubeless
    return best


cdef void scores_by_network(
    const Stakes *stakes, EfficiencyModel model, const BgNet *nets, BgNetAccumulators *accumulators,
    const int8_t *rows, int64_t n, const GameRules *game, double *scores,
) noexcept nogil:
    cdef float[MAX_SUCCESSORS + LANES] equities
    cdef double equity
    cdef int64_t i
    if stakes != NULL:
        _best_at(stakes, model, nets, accumulators, rows, n, game, &equity, scores)
        return
    network_kernel().successor_equities(nets, accumulators, rows, n, game, equities)
    for i in range(n):
        scores[i] = equities[i]


cdef class NetworkEvaluator(NativeEvaluator):
    """Native evaluator that chooses plays with a network, for one roll or for all rolls of a board."""

    returns_probabilities = True

    def _default_policy(self):
        """Return the default policy of a search; None for the evaluator itself."""
        return None

    cdef int64_t choose_next(
        self, const Stakes *stakes, EfficiencyModel model, BgNetAccumulators *accumulators, const Board *before,
        const int8_t *rows, int64_t n, const GameRules *game,
    ) noexcept nogil:
        return 0

    cdef int64_t choose(
        self, const Board *before, const int8_t *rows, int64_t n, const GameRules *game, uint64_t random,
    ) noexcept nogil:
        return self.choose_at(NULL, EFFICIENCY_BGFAST, before, rows, n, game, random)

    cdef int64_t choose_at(
        self, const Stakes *stakes, EfficiencyModel model, const Board *before, const int8_t *rows, int64_t n,
        const GameRules *game, uint64_t random,
    ) noexcept nogil:
        cdef BgNetAccumulators accumulators
        network_forget(&accumulators)
        return self.choose_next(stakes, model, &accumulators, before, rows, n, game)

    cdef void best_evaluations(
        self, const Board *before, const int8_t *rows, const int64_t *sizes, int64_t rolls,
        const GameRules *game, Evaluation *out,
    ) noexcept nogil:
        cdef BgNetAccumulators accumulators   # shared by all rolls: their successors are similar
        cdef Board best
        cdef int64_t roll, row
        cdef int points
        network_forget(&accumulators)
        for roll in range(rolls):
            row = self.choose_next(NULL, EFFICIENCY_BGFAST, &accumulators, before, rows, sizes[roll], game)
            board_read(&best, rows + row * BOARD_SIZE)
            points = board_result(&best, game.scheme, game.checkers)
            if points:
                out[roll] = evaluation_of_points(points)
            else:
                self.evaluation(&best, game, &out[roll])
            rows += sizes[roll] * BOARD_SIZE


cdef class CoreNetwork(NetworkEvaluator):
    """Network with a head for each of its five buckets.

    `first_layers` has up to five tuples, each with the arrays of a `FirstLayer`, contiguous float16 or float32.
    `heads` has five pairs: the index of a first layer, and one or two dense layers, each of weights, (units,
    inputs), and a bias, (units,). The inputs of the first dense layer are the `hidden` activations,
    optionally followed by their squares; see `validate_weights`. Tables are made when a board first needs them.
    """

    def __cinit__(self, *args, **options):
        self.returns_points = True
        for bucket in range(BUCKETS):   # empty until __init__
            self.nets[bucket].first_layer = &self.first_layers[bucket]
            self.nets[bucket].ready = ALL_READY

    def __init__(self, first_layers, heads):
        cdef const uint8_t[::1] weights
        cdef const float[:, ::1] hidden_weights, output_weights
        cdef const float[::1] hidden_bias, output_bias
        cdef const void *parts[WEIGHT_PARTS]
        cdef int64_t hidden, inputs, units
        cdef int bucket, layer, part
        if self.layers:   # another thread may be reading the weights
            raise BgfastError("the network has weights already; expected a new object for other weights")
        self.weights = []
        for arrays in first_layers:
            hidden = len(arrays[4])
            for part in range(WEIGHT_PARTS):
                weights = arrays[part].reshape(-1).view(np.uint8)
                parts[part] = &weights[0] if weights.size else NULL
                self.weights.append(weights.base)
            self.layer_memory[self.layers] = allocate_tables(first_layer_bytes(<int> hidden))
            if self.layer_memory[self.layers] == NULL:
                raise MemoryError
            network_kernel().make_first_layer(
                &self.first_layers[self.layers], <int> hidden, arrays[3].size, parts, 8 * arrays[0].itemsize,
                self.layer_memory[self.layers])
            self.layers += 1
        for bucket, (layer, dense) in enumerate(heads):
            inputs, units = dense[0][0].shape[1], 0
            *hidden_layers, (output_weights, output_bias) = [
                [np.asarray(array, np.float32) for array in layers] for layers in dense]
            if hidden_layers:
                ((hidden_weights, hidden_bias),) = hidden_layers
                units = hidden_weights.shape[0]
            self.head_memory[bucket] = allocate_tables(head_bytes(<int> inputs, <int> units))
            if self.head_memory[bucket] == NULL:
                raise MemoryError
            network_kernel().make_head(
                &self.nets[bucket], &self.first_layers[layer], layer, <int> inputs, <int> units,
                &hidden_weights[0, 0] if units else NULL, &hidden_bias[0] if units else NULL,
                &output_weights[0, 0], &output_bias[0], self.head_memory[bucket])

    def __dealloc__(self):
        for bucket in range(BUCKETS):
            free(self.layer_memory[bucket])
            free(self.head_memory[bucket])

    cdef int64_t choose_next(
        self, const Stakes *stakes, EfficiencyModel model, BgNetAccumulators *accumulators, const Board *before,
        const int8_t *rows, int64_t n, const GameRules *game,
    ) noexcept nogil:
        cdef double equity
        return best_by_network(stakes, model, self.nets, accumulators, rows, n, game, &equity)

    cdef void evaluation(self, const Board *board, const GameRules *game, Evaluation *out) noexcept nogil:
        cdef float[LANES] outputs
        cdef Probabilities probabilities
        network_kernel().evaluate(self.nets, board, 1, game, outputs)
        probabilities = probabilities_of_floats(outputs)
        out[0] = evaluation_of_probabilities(&probabilities)

    @property
    def _tables_made(self):
        """State of each bucket's tables: 0 if none are made, 1 if the float tables are, 2 if all are."""
        return tuple(self.nets[bucket].ready for bucket in range(BUCKETS))

    @property
    def _nets(self):
        """Capsule for the C interface, valid as long as this object lives."""
        return PyCapsule_New(&self.nets[0] if self.layers else NULL, NETS_NAME, NULL)

    def _evaluate_into(
        self, boards, float[:, ::1] out not None, int64_t threads, WinScheme scheme=WIN_STANDARD,
        int checkers=CHECKERS, bint standard_plays=True,
    ):
        cdef _Evaluation task = _Evaluation()
        task.network = self
        task.game = GameRules(scheme, checkers, standard_plays)
        task.out = out
        task.take(boards, checkers, MIN_SHARE, threads)
        task.share(RANGE)

    def _values(self, boards, WinScheme scheme, int checkers, bint standard_plays):
        probabilities = np.empty((len(boards), OUTPUTS), np.float32)
        self._evaluate_into(boards, probabilities, 1, scheme, checkers, standard_plays)
        return probabilities.astype(np.float64)


def position_features(boards):
    """Return the features of unfinished boards, uint8 (n, 20): the mover's, then the opponent's."""
    cdef const int8_t[:, ::1] rows = validate_boards(boards, CHECKERS)
    features = np.empty((rows.shape[0], 2 * FEATURES), np.uint8)
    cdef uint8_t[:, ::1] out = features
    cdef uint8_t[FEATURE_BYTES] values
    cdef int64_t i
    for i in range(rows.shape[0]):
        network_kernel().features(&rows[i, 0], values)
        memcpy(&out[i, 0], values, 2 * FEATURES)
    return features


def position_buckets(boards):
    """Return the bucket of each board, uint8 (n,): 4 for races, 5 for finished games."""
    cdef const int8_t[:, ::1] rows = validate_boards(boards, CHECKERS)
    buckets = np.empty(rows.shape[0], np.uint8)
    cdef uint8_t[::1] out = buckets
    cdef int64_t i
    for i in range(rows.shape[0]):
        out[i] = network_bucket(&rows[i, 0])
    return buckets


@cython.final
cdef class _Evaluation(BoardTask):
    cdef CoreNetwork network
    cdef GameRules game
    cdef float[:, ::1] out

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef Board invalid
        cdef int64_t n = network_evaluate(
            self.network.nets, &self.boards[first, 0], last - first, &self.game, &self.out[first, 0], &invalid)
        return first + n == last or self.mark_invalid(slot, first + n, &invalid, 0, 0)


@cython.final
cdef class BestSuccessor(Request):
    """Best successor of each board and roll; the flipped board itself for a pass."""

    cdef CoreNetwork network
    cdef GameRules game
    cdef int8_t[:, ::1] out
    cdef int8_t[:, :, ::1] moves
    cdef float[::1] equities
    cdef int8_t *rows          # successors of one board for each slot
    cdef uint64_t *row_moves   # moves of each row for each slot

    def __init__(
        self, CoreNetwork network not None, switches, WinScheme scheme, boards, dice, int64_t threads,
        int8_t[:, ::1] out not None, int8_t[:, :, ::1] moves not None, float[::1] equities not None,
    ):
        """Write successors from the next player's side, their moves, and their equities for the mover."""
        Request.__init__(self, switches, boards, dice, True, False, MIN_SHARE, threads)
        self.network = network
        self.game = GameRules(scheme, CHECKERS, switches is None)
        self.out, self.moves, self.equities = out, moves, equities
        self.rows = <int8_t *> PyMem_Malloc(self.threads * ROWS_BYTES)
        self.row_moves = <uint64_t *> PyMem_Malloc(self.threads * ROWS * sizeof(uint64_t))
        if self.rows == NULL or self.row_moves == NULL:
            raise MemoryError
        self.share(RANGE)

    def __dealloc__(self):
        PyMem_Free(self.rows)
        PyMem_Free(self.row_moves)

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef Board board
        cdef int[2] dice
        cdef int64_t i
        cdef int bucket
        for i in range(first, last):
            if not read_turn(self, slot, &self.batches[slot], i, &board, dice):
                return False
        for bucket in range(BUCKETS + 1):   # bucket by bucket, so that the tables stay in the cache
            for i in range(first, last):
                if network_bucket(&self.boards[i, 0]) == bucket and not self.choose(slot, i):
                    return False
        return True

    cdef bint choose(self, int slot, int64_t i) noexcept nogil:
        cdef Board board, best
        cdef int[2] dice
        cdef uint64_t moves
        if not read_turn(self, slot, &self.batches[slot], i, &board, dice):   # the array may have changed
            return False
        network_best_successor(
            self.network.nets, self.batches[slot].rules, &board, dice[0], dice[1], &self.game,
            self.rows + slot * ROWS_BYTES, self.row_moves + slot * ROWS, &best, &moves, &self.equities[i])
        memcpy(&self.out[i, 0], best.point, BOARD_SIZE)
        memcpy(&self.moves[i, 0, 0], &moves, sizeof(moves))
        return True
