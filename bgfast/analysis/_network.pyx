# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""The built-in network as the core asks it: tables of sums, evaluation of boards, choice of successors."""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.string cimport memcpy

from bgfast.analysis._evaluators cimport EQUITY, VECTOR, BuiltIn, vector_of_points
from bgfast.batch._request cimport BoardTask, Request, read_board
from bgfast.core.board cimport (
    BOARD_SIZE, CHECKERS, FAULT_NONE, Board, board_fault, board_over, board_read,
)
from bgfast.core.generator cimport MAX_SUCCESSORS, ROWS_BYTES, SLACK_ROWS
from bgfast.core.kernel cimport Batch
from bgfast.core.network cimport (
    COUNTS, LANES, NETS_NAME, OFF_COUNTS, OUTPUTS, PLACES, BgNet, network_best, network_equity, network_evaluate,
    network_kernel,
)
from bgfast.core.outcome cimport WinScheme, board_outcome

cdef enum:
    PARTS = 2   # contact, race
    SMALLEST_SHARE = 256   # boards worth waking a thread
    RANGE = 256
    ROWS = MAX_SUCCESSORS + SLACK_ROWS


cdef class Tables(BuiltIn):
    """Two networks, for contact and for races, as tables that are added up; a player of rollouts.

    Parameters
    ----------
    contact, race : tuple of five float32 arrays
        ``bias`` (h,), ``place`` (26, 31, h), ``off`` (2, 16, h), ``output`` (5, h), ``output_bias`` (5,); h is
        a multiple of 32.
    """

    cdef BgNet[PARTS] nets
    cdef list _arrays   # they keep the memory of `nets`
    cdef int checkers

    def __cinit__(self, *args, **options):
        self.judges = True

    def __init__(self, contact, race):
        self._arrays = []
        self.checkers = 15
        self._hold(0, contact)
        self._hold(1, race)

    cdef int _hold(self, int part, tuple arrays) except -1:
        bias, place, off, output, output_bias = arrays
        cdef const float[::1] b = bias
        cdef const float[:, :, ::1] p = place
        cdef const float[:, :, ::1] o = off
        cdef const float[:, ::1] w = output
        cdef const float[::1] v = output_bias
        cdef int64_t hidden = b.shape[0]
        assert hidden % 32 == 0 and hidden > 0
        assert (p.shape[0], p.shape[1], p.shape[2]) == (PLACES, COUNTS, hidden)
        assert (o.shape[0], o.shape[1], o.shape[2]) == (2, OFF_COUNTS, hidden)
        assert (w.shape[0], w.shape[1], v.shape[0]) == (OUTPUTS, hidden, OUTPUTS)
        self._arrays.append((b, p, o, w, v))
        self.nets[part] = BgNet(
            hidden=<int> hidden, bias=&b[0], place=&p[0, 0, 0], off=&o[0, 0, 0], output=&w[0, 0],
            output_bias=&v[0])
        return 0

    cdef double value(self, const Board *board, bint race) noexcept nogil:
        cdef float[LANES] out
        network_kernel().evaluate(self.nets, board.point, self.checkers, out)
        return network_equity(out)

    cdef int64_t choose(
        self, const Board *before, const int8_t *rows, int64_t n, WinScheme scheme, int checkers, uint64_t random,
    ) noexcept nogil:
        cdef float worth
        return network_kernel().least(self.nets, before.point, rows, n, scheme, checkers, &worth)

    cdef void vector(self, const Board *board, double *out) noexcept nogil:
        cdef float[LANES] found
        cdef int i
        network_kernel().evaluate(self.nets, board.point, self.checkers, found)
        for i in range(OUTPUTS):
            out[i] = found[i]
        out[EQUITY] = 2 * out[0] - 1 + out[1] - out[3] + out[2] - out[4]

    cdef void least(
        self, const Board *before, const int8_t *rows, const int64_t *sizes, int64_t rolls, WinScheme scheme,
        int checkers, double *out,
    ) noexcept nogil:
        cdef Board best
        cdef float worth
        cdef int64_t roll, chosen
        for roll in range(rolls):
            chosen = network_kernel().least(
                self.nets, before.point, rows, sizes[roll], scheme, self.checkers, &worth)
            board_read(&best, rows + chosen * BOARD_SIZE)
            if board_over(&best):
                vector_of_points(board_outcome(&best, scheme, checkers), out)
            else:
                self.vector(&best, out)
            rows += sizes[roll] * BOARD_SIZE
            out += VECTOR

    @property
    def _nets(self):
        """A capsule for the C interface: valid as long as this object lives."""
        return PyCapsule_New(&self.nets[0] if self.nets[0].hidden else NULL, NETS_NAME, NULL)

    def evaluate_into(self, boards, float[:, ::1] out not None, int64_t threads):
        """Write the five probabilities of each board."""
        cdef _Evaluation work = _Evaluation()
        work.tables = self
        work.out = out
        work.take(boards, self.checkers, SMALLEST_SHARE, threads)
        work.share(RANGE)


@cython.final
cdef class _Evaluation(BoardTask):
    """Boards to be evaluated."""

    cdef Tables tables
    cdef float[:, ::1] out

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef Board board
        cdef float[LANES] outputs
        cdef int64_t i
        for i in range(first, last):
            if not read_board(self, slot, i, &board):
                return False
            network_evaluate(self.tables.nets, &board, self.checkers, outputs)
            memcpy(&self.out[i, 0], outputs, OUTPUTS * sizeof(float))
        return True


@cython.final
cdef class Choice(Request):
    """The best successor of each board with its roll; the board itself, flipped, where the turn passes."""

    cdef Tables tables
    cdef WinScheme scheme
    cdef int8_t[:, ::1] out
    cdef int8_t[:, :, ::1] moves
    cdef float[::1] values
    cdef int8_t *rows      # of each slot, one behind the other
    cdef uint64_t *steps   # of each slot: the moves of each row

    def __init__(self, Tables tables not None, switches, WinScheme scheme, boards, dice, int64_t threads):
        Request.__init__(self, switches, boards, dice, True, False, SMALLEST_SHARE, threads)
        self.tables = tables
        self.scheme = scheme
        self.rows = <int8_t *> PyMem_Malloc(self.threads * ROWS_BYTES)
        self.steps = <uint64_t *> PyMem_Malloc(self.threads * ROWS * sizeof(uint64_t))
        if self.rows == NULL or self.steps == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.rows)
        PyMem_Free(self.steps)

    def into(self, int8_t[:, ::1] out not None, int8_t[:, :, ::1] moves not None, float[::1] values not None):
        """Write successors, seen by the next player, their moves, and what they are worth for the mover."""
        self.out = out
        self.moves = moves
        self.values = values
        self.share(RANGE)

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef const Batch *batch = &self.batches[slot]
        cdef int8_t *rows = self.rows + slot * ROWS_BYTES
        cdef uint64_t *steps = self.steps + slot * ROWS
        cdef Board board, best
        cdef uint64_t moves
        cdef int64_t i
        cdef int die1, die2
        for i in range(first, last):
            board_read(&board, &self.boards[i, 0])
            die1 = batch.dice[batch.dice_step * i]
            die2 = batch.dice[batch.dice_step * i + 1]
            if not (board_fault(&board, CHECKERS) == FAULT_NONE and 1 <= die1 <= 6 and 1 <= die2 <= 6):
                return self.refuse(slot, i, &board, die1, die2)
            network_best(
                self.tables.nets, batch.rules, &board, die1, die2, self.scheme, CHECKERS, rows, steps, &best,
                &moves, &self.values[i])
            memcpy(&self.out[i, 0], best.point, BOARD_SIZE)
            memcpy(&self.moves[i, 0, 0], &moves, sizeof(moves))
        return True
