# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Network with bear-off databases in the core.

Where both sides bear off the databases are asked, elsewhere the network. Of the successors of a position some may
be the databases' and others the network's. A network is some hundredths of a point off in races, so that a race in
which a checker is still outside is left out beside one in which all are home: to have come home is right nearly
always, and who compares what the two say loses 40 thousandths of a point instead of 2 (docs/BEAROFF.md). With
contact they are compared.
"""

cimport cython
from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t

from bgfast.evaluation.bearoff._bearoff cimport (
    BearoffDatabases, Sides, read_sides, sides_probabilities, two_sided_has,
)
from bgfast.evaluation.cube._efficiency cimport EfficiencyModel
from bgfast.evaluation.cube._stakes cimport Stakes, gammon_weight
from bgfast.evaluation.evaluators._evaluators cimport equity_at, equity_of_points_at
from bgfast.evaluation.evaluators._network cimport CoreNetwork, NetworkPlayer, best_by_network
from bgfast.batch._request cimport BoardTask, read_board
from bgfast.core.board.board cimport (
    BOARD_SIZE, CHECKERS, PHASE_BEAROFF, PHASE_CONTACT, PHASE_OVER, PHASE_RACE, Board, board_phase, board_read,
)
from bgfast.core.network.network cimport (
    LANES, BgNet, BgNetAccumulators, network_equity, network_kernel,
)
from bgfast.core.board.result cimport WIN_STANDARD, WinScheme, board_result
from bgfast.core.board.probabilities cimport (
    EVALUATION, PROBABILITIES, Evaluation, evaluation_of_points, probabilities_equity, probabilities_of_floats,
)
from bgfast.core.board.row cimport bg_greater, bg_load_board, bg_negated, bg_popcount

import numpy as np

from bgfast.batch.validation import given_boards
from bgfast.errors import BgfastError

cdef enum:
    HOME = 6
    MAX_DICE = 4
    RANGE = 256          # boards between two checks of signals
    NOT_HOME = 0x7FFFF   # where the opponent's checkers are not at home: its bar and the points 1 to 18


cdef inline bint _may_come_home(const Board *before) noexcept nogil:
    """Return False if not all checkers can be at home after a play."""
    cdef uint32_t outside
    if bg_greater(bg_negated(bg_load_board(before.point)), 0) & NOT_HOME:
        return False
    outside = bg_greater(bg_load_board(before.point), 0) >> (HOME + 1)
    return outside == 0 or bg_popcount(outside) <= MAX_DICE


cdef Known known_evaluation(
    const BearoffDatabases *bearoff, const Board *board, int checkers, Evaluation *out,
) noexcept nogil:
    cdef Sides sides
    if board_phase(board) != PHASE_BEAROFF or not read_sides(board.point, checkers, &sides):
        return UNKNOWN
    if bearoff.rolls == NULL:   # of a player that was allocated and never made
        return UNKNOWN
    sides_probabilities(bearoff, &sides, checkers, &out.probabilities)
    out.equity = probabilities_equity(&out.probabilities)
    # With all checkers left a gammon may be lost, and the table has single wins only.
    if two_sided_has(bearoff, &sides) and sides.count[0] < checkers and sides.count[1] < checkers:
        return EXACT
    return ONE_SIDED


cdef int64_t _best_near_home(
    const Stakes *stakes, EfficiencyModel model, const BgNet *nets, const BearoffDatabases *bearoff,
    const int8_t *rows, int64_t n, WinScheme scheme, int checkers, double *equity,
) noexcept nogil:
    """Return the row as `best_with_bearoff` does; -1 if the databases cover no row."""
    cdef float[LANES] outputs
    cdef Evaluation known
    cdef Board board
    cdef double found, score, least = INFINITY, weight = 0 if stakes == NULL else gammon_weight(stakes)
    cdef bint some = False
    cdef int phase, points
    cdef int64_t i, best = -1
    for i in range(n):
        board_read(&board, rows + i * BOARD_SIZE)
        if board_phase(&board) >= PHASE_BEAROFF:
            some = True
            break
    if not some:
        return -1
    equity[0] = INFINITY
    for i in range(n):
        board_read(&board, rows + i * BOARD_SIZE)
        phase = board_phase(&board)
        if phase == PHASE_OVER:
            points = board_result(&board, scheme, checkers)
            known.equity = points
            found = equity_of_points_at(stakes, points)
        else:
            if phase == PHASE_CONTACT:
                network_kernel().evaluate(nets, board.point, outputs)
                known = Evaluation(probabilities_of_floats(outputs), network_equity(outputs))
            elif not known_evaluation(bearoff, &board, checkers, &known):
                continue
            found = known.equity if stakes == NULL else equity_at(stakes, model, &board, &known.probabilities)
        score = found + weight * known.equity
        if score < least:
            least = score
            equity[0] = found
            best = i
    return best


cdef int64_t best_with_bearoff(
    const Stakes *stakes, EfficiencyModel model, const BgNet *nets, BgNetAccumulators *accumulators,
    const BearoffDatabases *bearoff, const Board *before, const int8_t *rows, int64_t n, WinScheme scheme,
    int checkers, double *equity,
) noexcept nogil:
    cdef int64_t best = -1
    if _may_come_home(before):
        best = _best_near_home(stakes, model, nets, bearoff, rows, n, scheme, checkers, equity)
    if best < 0:
        best = best_by_network(stakes, model, nets, accumulators, rows, n, scheme, checkers, equity)
    return best


cdef bint mark_left_out(const int8_t *rows, int64_t n, uint8_t *left_out) noexcept nogil:
    cdef Board board
    cdef bint home = False, outside = False
    cdef int phase
    cdef int64_t i
    for i in range(n):
        board_read(&board, rows + i * BOARD_SIZE)
        phase = board_phase(&board)
        left_out[i] = phase == PHASE_RACE
        outside |= phase == PHASE_RACE
        home |= phase >= PHASE_BEAROFF
    if home and outside:
        return True
    for i in range(n):
        left_out[i] = False
    return False


cdef class CoreWithBearoff(NetworkPlayer):
    """A network with bear-off databases, as a player of rollouts.

    Parameters
    ----------
    network : CoreNetwork
    rolls, firsts, wins : ndarray of float64
        The arrays of the one-sided database and that of the two-sided one.
    """

    def __cinit__(self, *args, **options):
        self.tells_points = True
        self.network = CoreNetwork.__new__(CoreNetwork)   # empty until __init__

    def __init__(
        self, CoreNetwork network not None, const double[:, ::1] rolls, const double[:, ::1] firsts,
        const double[:, ::1] wins,
    ):
        if self.held is not None:   # another thread may be reading it
            raise BgfastError("a player is made once; expected a new one for another network or other databases")
        self.network = network
        self.held = rolls, firsts, wins
        self.bearoff = BearoffDatabases(&rolls[0, 0], &firsts[0, 0], &wins[0, 0], <int32_t> wins.shape[0])

    def under(self, switches):
        """Return the network alone under rules with other plays than `standard`, where databases are wrong."""
        return self if switches is None else self.network

    def _usual_policy(self):
        return self.network._usual_policy()

    cdef double equity(self, const Board *board, bint race) noexcept nogil:
        cdef Evaluation found
        self.evaluation(board, CHECKERS, &found)
        return found.equity

    cdef int64_t choose_next(
        self, const Stakes *stakes, EfficiencyModel model, BgNetAccumulators *accumulators, const Board *before,
        const int8_t *rows, int64_t n, WinScheme scheme, int checkers,
    ) noexcept nogil:
        cdef double equity
        return best_with_bearoff(
            stakes, model, self.network.nets, accumulators, &self.bearoff, before, rows, n, scheme, checkers,
            &equity)

    cdef void evaluation(self, const Board *board, int checkers, Evaluation *out) noexcept nogil:
        if not known_evaluation(&self.bearoff, board, checkers, out):
            self.network.evaluation(board, checkers, out)

    def probabilities(self, boards):
        """Return the five probabilities of boards (n, 26) with 15 checkers a side, finished or not, float64."""
        cdef _Probabilities work = _Probabilities()
        rows = given_boards(boards, CHECKERS)
        found = np.empty((len(rows), EVALUATION), np.float64)
        work.player = self
        work.evaluations = found
        work.take(rows, CHECKERS, 1, 1)
        work.share(RANGE)
        return found[:, :PROBABILITIES]

    def left_out(self, const int8_t[:, ::1] boards not None, const int64_t[::1] offsets not None):
        """Return which successors are not to be compared with the others of their segment, bool of shape (n,)."""
        found = np.zeros(boards.shape[0], np.uint8)
        cdef uint8_t[::1] out = found
        cdef int64_t i
        with nogil:
            for i in range(offsets.shape[0] - 1):
                if offsets[i + 1] > offsets[i]:
                    mark_left_out(&boards[offsets[i], 0], offsets[i + 1] - offsets[i], &out[offsets[i]])
        return found.view(np.bool_)


@cython.final
cdef class _Probabilities(BoardTask):
    """Boards to be evaluated."""

    cdef CoreWithBearoff player
    cdef double[:, ::1] evaluations

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef Evaluation *out
        cdef Board board
        cdef int64_t i
        cdef int points
        for i in range(first, last):
            if not read_board(self, slot, i, &board):
                return False
            out = <Evaluation *> &self.evaluations[i, 0]
            points = board_result(&board, WIN_STANDARD, CHECKERS)
            if points:
                out[0] = evaluation_of_points(points)
            else:
                self.player.evaluation(&board, CHECKERS, out)
        return True
