"""Stakes for Python, models of cube efficiency, and cubeful values of rows.

`stakes.py` constructs the stakes from decisions.

GNU Backgammon's model has constants for contact positions and bear-offs, and for races a linear function of the
mover's pips. The model of bgfast is linear in the winning probability, with separate lines for an owned, a centred
and an unavailable cube. In races, the lines also depend on the pips of the side that is ahead; in contact, on
gammons.
"""

from libc.stdint cimport int8_t
from libc.string cimport memcpy, memset

from bgfast.core.board cimport (
    PHASE_BEAROFF, PHASE_CONTACT, PHASE_RACE, Board, Phase, board_phase, board_pips, board_pips_opponent,
    board_read,
)
from bgfast.core.probabilities cimport PROBABILITIES, Probabilities

import numpy as np

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

    int cube_of_block_portable(const CubeTask *task, CubeBlock *block, double *x, double *out) noexcept
    int cube_of_block_x86_v3(const CubeTask *task, CubeBlock *block, double *x, double *out) noexcept
    void cube_small_block_portable(const Stakes *stakes, CubeBlock *block, const double *x, double *out) noexcept
    void cube_small_block_x86_v3(const Stakes *stakes, CubeBlock *block, const double *x, double *out) noexcept
    void efficiency_small_block_portable(const EfficiencyLines *lines, const CubeBlock *block, double *x) noexcept
    void efficiency_small_block_x86_v3(const EfficiencyLines *lines, const CubeBlock *block, double *x) noexcept


ctypedef fused real:
    float
    double


# ---- stakes ----

MAX_LEVELS = STAKES_LEVELS


cdef inline Probabilities _row(object values) except *:
    cdef Probabilities row
    cdef int i
    for i in range(PROBABILITIES):
        (<double *> &row)[i] = values[i]
    return row


cdef class CubeStakes:
    """Stakes of a game for the mover; see `stakes_of`, and `Stakes` in cube_values.h for the arguments.

    `levels`, float64 (n, 2, 3), has the values of a single game, a gammon and a backgammon, won and lost, with the
    cube as it is, doubled, and so on. `away` is (0, 0) in money play.
    """

    def __init__(
        self, const double[:, :, ::1] levels, double total, bint endless, int owner, object away, bint beavers,
    ):
        memset(&self.stakes, 0, sizeof(Stakes))
        memcpy(self.stakes.level, &levels[0, 0, 0], levels.shape[0] * sizeof(StakesLevel))
        self.stakes.total = total
        self.stakes.levels = <int> levels.shape[0]
        self.stakes.endless = endless
        self.stakes.owner = owner
        self.stakes.away[0], self.stakes.away[1] = away
        self.stakes.beavers = beavers

    def _levels(self):
        cdef double *values = self.stakes.level[0].win
        return np.array(<double[:self.stakes.levels, :2, :3]> values)

    def __reduce__(self):
        cdef Stakes *stakes = &self.stakes
        return CubeStakes, (
            self._levels(), stakes.total, bool(stakes.endless), stakes.owner, tuple(stakes.away),
            bool(stakes.beavers))

    @property
    def owner(self):
        """Owner of the cube: 1 the mover, 0 nobody, -1 the opponent."""
        return self.stakes.owner

    @property
    def single_games(self):
        """Values of single games won and lost at the levels of the cube; None without a cube limit."""
        return None if self.stakes.endless else tuple(map(tuple, self._levels()[:, :, 0].tolist()))

    @property
    def may_double(self):
        """True if the rules allow the mover to double."""
        return bool(stakes_may_double(&self.stakes))

    @property
    def may_double_freely(self):
        """True if the mover may double without risk: a loss at the present cube costs him the match."""
        return bool(stakes_may_double_freely(&self.stakes))

    @property
    def may_beaver(self):
        """True if the rules allow the opponent to beaver a double."""
        return bool(stakes_may_beaver(&self.stakes))

    @property
    def may_beaver_below_limit(self):
        """True if beavers are allowed and the cube is limited: a beaver is then not worth exactly two takes."""
        return bool(stakes_may_beaver(&self.stakes) and not self.stakes.endless)

    @property
    def is_match(self):
        """True if values are match-winning chances, False if they are points."""
        return self.stakes.total == 1

    @property
    def double_drop(self):
        """Value of a double that is dropped."""
        return stakes_double_drop(&self.stakes)

    def value(self, probabilities, double efficiency):
        """Return the cubeful value of five probabilities."""
        cdef Probabilities row = _row(probabilities)
        return stakes_value(&self.stakes, &row.win, efficiency)

    def dead_value(self, probabilities):
        """Return the value of five probabilities with a dead cube."""
        cdef Probabilities row = _row(probabilities)
        return stakes_dead_value(&self.stakes, &row.win)

    def double_take(self, probabilities, double efficiency):
        """Return the value of a double that is taken or beavered; the mover must be allowed to double."""
        cdef Probabilities row = _row(probabilities)
        return stakes_double_take(&self.stakes, &row.win, efficiency)

    def of_points(self, int points):
        """Return the value of a finished game: 1 to 3 points won, or -1 to -3 lost."""
        return stakes_of_points(&self.stakes, points)

    def flip(self):
        """Return the stakes from the opponent's side."""
        cdef CubeStakes result = CubeStakes.__new__(CubeStakes)
        stakes_flip(&self.stakes, &result.stakes)
        return result

    def after_double(self):
        """Return the mover's stakes after a double and a take; the mover must be allowed to double."""
        cdef CubeStakes result = CubeStakes.__new__(CubeStakes)
        stakes_double(&self.stakes, &result.stakes)
        return result

    def normalize(self, values):
        """Return the equity (EMG) of a value, or of an array of values."""
        cdef double middle = stakes_denormalize(&self.stakes, 0)
        cdef double unit = stakes_denormalize(&self.stakes, 1) - middle
        return (values - middle) / unit

    def denormalize(self, equities):
        """Return the value of an equity (EMG), or of an array of equities."""
        cdef double middle = stakes_denormalize(&self.stakes, 0)
        cdef double unit = stakes_denormalize(&self.stakes, 1) - middle
        return middle + equities * unit


# ---- efficiency ----

cdef enum:
    OWNERS = 3         # the opponent, nobody, the mover
    RACE_LENGTHS = 9   # pip counts of races at which there are lines


# Constants derived from GNU Backgammon's output.
cdef double GNUBG_CONTACT = 0.68, GNUBG_BEAROFF = 0.6
cdef double GNUBG_RACE = 0.55, GNUBG_PIPS = 800., GNUBG_MIN = 0.6, GNUBG_MAX = 0.7

# Fitted to exact bear-offs and to rollouts by `python -m benchmarks.tables.cube_lines --lines`, for an
# unavailable, a centred and an owned cube: efficiencies at winning probabilities 0 and 1, and in contact
# the slope by gammon probabilities.
cdef double[RACE_LENGTHS] PIPS = [2, 6, 10, 14, 18, 22, 28, 60, 100]   # pip counts of the side that is ahead
cdef double[OWNERS][RACE_LENGTHS][2] RACE_LINES = [
    [[0.30, 0.57], [0.66, 0.35], [0.83, 0.26], [0.98, 0.20], [1.16, -0.01],
     [1.20, -0.03], [0.96, 0.19], [0.95, 0.42], [0.94, 0.54]],
    [[0.40, -0.07], [0.65, 0.37], [0.79, 0.42], [0.92, 0.45], [1.13, 0.49],
     [1.23, 0.54], [0.81, 0.75], [0.83, 0.80], [0.83, 0.79]],
    [[0.15, -0.03], [0.21, 0.45], [0.24, 0.54], [0.24, 0.62], [0.29, 0.71],
     [0.34, 0.78], [0.35, 0.86], [0.51, 0.89], [0.44, 0.90]],
]
cdef double[OWNERS][3] CONTACT_LINE = [[0.86, 0.59, 0.03], [0.91, 0.85, -0.81], [0.69, 0.85, -0.26]]


cdef double _gnubg_efficiency(Phase phase, const Board *board) noexcept nogil:
    if phase == PHASE_CONTACT:
        return GNUBG_CONTACT
    if phase == PHASE_RACE:
        return min(max(GNUBG_RACE + board_pips(board) / GNUBG_PIPS, GNUBG_MIN), GNUBG_MAX)
    return GNUBG_BEAROFF


cdef struct RaceLength:
    # The length is `fraction` of the way from line `first` to the next line.
    int first
    double fraction


cdef RaceLength _race_length(const Board *board) noexcept nogil:
    cdef double pips = min(board_pips(board), board_pips_opponent(board))
    cdef int k
    if pips <= PIPS[0]:
        return RaceLength(0, 0)
    for k in range(1, RACE_LENGTHS):
        if pips < PIPS[k]:
            return RaceLength(k - 1, (pips - PIPS[k - 1]) / (PIPS[k] - PIPS[k - 1]))
    return RaceLength(RACE_LENGTHS - 1, 0)


cdef EfficiencyLine _line(int owner, Phase phase, const RaceLength *length) noexcept nogil:
    """Return the line for a phase and an owner of the cube."""
    cdef const double *line = CONTACT_LINE[owner + 1]
    cdef const double *next_line
    if phase == PHASE_CONTACT:
        return EfficiencyLine(line[0], line[1], line[2])
    line = RACE_LINES[owner + 1][length.first]
    if length.fraction == 0:
        return EfficiencyLine(line[0], line[1], 0)
    next_line = RACE_LINES[owner + 1][length.first + 1]
    return EfficiencyLine(
        line[0] + length.fraction * (next_line[0] - line[0]),
        line[1] + length.fraction * (next_line[1] - line[1]), 0)


cdef void _find_lines(
    EfficiencyModel model, const Stakes *stakes, Phase phase, const Board *board, EfficiencyLines *out,
) noexcept nogil:
    cdef double efficiency
    cdef RaceLength length = RaceLength(0, 0)
    cdef int owner
    out.centred = False
    if model == EFFICIENCY_GNUBG:
        efficiency = _gnubg_efficiency(phase, board)
        out.line = EfficiencyLine(efficiency, efficiency, 0)
        return
    if stakes_is_doubled_next(stakes):
        # The opponent doubles at the next turn, so the cube is nearly turned already. The roll before that matters
        # only in bear-offs, as exact tables show.
        out.line = EfficiencyLine(1, 1, 0) if phase < PHASE_BEAROFF else EfficiencyLine(0.6, 1, 0)
        return
    owner = stakes.owner
    if owner == 0:
        # A player who wins the match with the present cube does not double, so the other player in effect owns it.
        owner = (stakes.away[1] == 1) - (stakes.away[0] == 1)
    if phase != PHASE_CONTACT:
        length = _race_length(board)
    out.line = _line(owner, phase, &length)
    if owner == 0:
        out.centred = True
        out.unavailable = _line(-1, phase, &length)
        out.owned = _line(1, phase, &length)


cdef double cube_efficiency(
    EfficiencyModel model, const Stakes *stakes, const Board *board, const Probabilities *probabilities,
) noexcept nogil:
    cdef EfficiencyLines lines
    _find_lines(model, stakes, board_phase(board), board, &lines)
    return efficiency_at(&lines, probabilities.win, probabilities.win_gammon + probabilities.lose_gammon)


cdef void lines_in_contact(EfficiencyModel model, const Stakes *stakes, EfficiencyLines *out) noexcept nogil:
    _find_lines(model, stakes, PHASE_CONTACT, NULL, out)   # the lines do not depend on the board


def model_efficiencies(
    const int8_t[:, ::1] boards, EfficiencyModel model, CubeStakes stakes, const real[:, ::1] rows,
):
    """Return the cube efficiencies of rows of probabilities, for a single board or one board per row."""
    efficiencies = np.empty(rows.shape[0])
    cdef double[::1] out = efficiencies
    cdef Py_ssize_t i
    cdef bint is_per_row = boards.shape[0] > 1
    cdef EfficiencyLines lines
    cdef Board board
    with nogil:
        for i in range(rows.shape[0]):
            if is_per_row or i == 0:
                board_read(&board, &boards[i, 0])
                _find_lines(model, &stakes.stakes, board_phase(&board), &board, &lines)
            out[i] = efficiency_at(&lines, rows[i, 0], <double> rows[i, 1] + rows[i, 3])
    return efficiencies


# ---- values of rows, block by block ----

cdef double SLACK = 1e-6
cdef bint USES_AVX2 = _BUILD == "x86_v3"
fill_equities = cube_small_block_x86_v3 if USES_AVX2 else cube_small_block_portable
fill_efficiencies = efficiency_small_block_x86_v3 if USES_AVX2 else efficiency_small_block_portable


cdef inline void _fill_block(const real *rows, int count, CubeBlock *block) noexcept nogil:
    """Fill a block with `count` rows of probabilities, followed by zeros."""
    cdef int i, k
    for i in range(count):
        for k in range(PROBABILITIES):
            block.probabilities[k][i] = rows[PROBABILITIES * i + k]
    for k in range(PROBABILITIES):
        for i in range(count, CUBE_BLOCK):
            block.probabilities[k][i] = 0


def fill_values(
    CubeStakes stakes, const real[:, ::1] rows, const double[::1] efficiency, const int8_t[:, ::1] boards,
    EfficiencyModel model, double excess, bint normalized, double[::1] out,
):
    """Write cubeful values of rows; return the number of rows before the first invalid block.

    With `normalized`, values are equities (EMG). `efficiency` is a single number or one per row, or None to use
    `model` with the first board. `cube_is_valid` defines which rows are valid.
    """
    cdef Py_ssize_t first = 0, total = rows.shape[0]
    cdef int i, count
    cdef bint is_per_row = efficiency is not None and efficiency.shape[0] == total
    cdef double[CUBE_BLOCK] x, values
    cdef CubeBlock block
    cdef CubeTask task
    cdef EfficiencyLines lines
    cdef Board board
    task.stakes, task.lines = &stakes.stakes, NULL
    if efficiency is None:
        board_read(&board, &boards[0, 0])
        _find_lines(model, &stakes.stakes, board_phase(&board), &board, &lines)
        task.lines = &lines
    task.slack, task.excess = SLACK, excess
    task.middle = stakes_denormalize(&stakes.stakes, 0) if normalized else 0
    task.unit = stakes_denormalize(&stakes.stakes, 1) - task.middle if normalized else 1
    with nogil:
        for i in range(CUBE_BLOCK):
            x[i] = 0 if is_per_row or task.lines != NULL else efficiency[0]
        while first < total:
            count = <int> min(total - first, CUBE_BLOCK)
            _fill_block(&rows[first, 0], count, &block)
            if is_per_row:
                for i in range(count):
                    x[i] = efficiency[first + i]
            if not (cube_of_block_x86_v3 if USES_AVX2 else cube_of_block_portable)(&task, &block, x, values):
                break
            for i in range(count):
                out[first + i] = values[i]
            first += count
    return first


def live_points(CubeStakes stakes, const real[:, ::1] rows):
    """Return the take and cash points (n, 2) of rows with a fully live cube that either player may turn."""
    result = np.empty((rows.shape[0], 2))
    cdef double[:, ::1] out = result
    cdef const Stakes *c_stakes = &stakes.stakes
    cdef Py_ssize_t first = 0, total = rows.shape[0]
    cdef int i, count
    cdef CubeBlock block
    cdef CubePoints points
    with nogil:
        while first < total:
            count = <int> min(total - first, CUBE_BLOCK)
            _fill_block(&rows[first, 0], count, &block)
            cube_shares(CUBE_BLOCK, &block)
            cube_find_points(c_stakes, CUBE_BLOCK, &block, &points)
            for i in range(count):
                out[first + i, 0] = points.take[i]
                out[first + i, 1] = points.cash[i]
            first += count
    return result
