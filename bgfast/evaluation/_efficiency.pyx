"""Cube efficiency models.

GNU Backgammon's model has constants for contact positions and bear-offs, and in races a linear function of the
mover's pips. The model of bgfast is linear in the winning probability, with separate lines for an owned, a centred
and an unavailable cube. In races the lines also depend on the pips of the side that is ahead, with contact on
gammons.
"""

from libc.stdint cimport int8_t

from bgfast.evaluation._stakes cimport CubeStakes, Stakes, stakes_is_doubled_next
from bgfast.core.board cimport (
    PHASE_BEAROFF, PHASE_CONTACT, PHASE_RACE, Board, Phase, board_phase, board_pips, board_pips_opponent,
    board_read,
)
from bgfast.core.probabilities cimport Probabilities

ctypedef fused real:
    float
    double


cdef enum:
    OWNERS = 3         # the opponent, nobody, the mover
    RACE_LENGTHS = 9   # pip counts of races at which there are lines


# Constants derived from GNU Backgammon's output.
cdef double GNUBG_CONTACT = 0.68, GNUBG_BEAROFF = 0.6
cdef double GNUBG_RACE = 0.55, GNUBG_PIPS = 800., GNUBG_MIN = 0.6, GNUBG_MAX = 0.7

cdef EfficiencyLine[OWNERS] IN_CONTACT
cdef double[RACE_LENGTHS] PIPS
cdef EfficiencyLine[OWNERS][RACE_LENGTHS] IN_RACES


def _store_lines(pips, lines_by_owner):
    """Store the lines for races, by pip counts of the side that is ahead, and for contact."""
    cdef int owner, k
    cdef EfficiencyLine *line
    for k in range(RACE_LENGTHS):
        PIPS[k] = pips[k]
    for owner in range(OWNERS):
        in_races, in_contact = lines_by_owner[owner]
        line = &IN_CONTACT[owner]
        line.lost, line.won, line.gammons = in_contact
        for k in range(RACE_LENGTHS):
            line = &IN_RACES[owner][k]
            line.lost, line.won = in_races[k]
            line.gammons = 0


# Fitted to exact bear-offs and to rollouts by `python -m benchmarks.tables.cube_lines --lines`, with the cube
# unavailable, centred and owned. Constant after import.
_store_lines(
    (2, 6, 10, 14, 18, 22, 28, 60, 100),
    (
        (((0.30, 0.57), (0.66, 0.35), (0.83, 0.26), (0.98, 0.20), (1.16, -0.01),
          (1.20, -0.03), (0.96, 0.19), (0.95, 0.42), (0.94, 0.54)),
         (0.86, 0.59, 0.03)),
        (((0.40, -0.07), (0.65, 0.37), (0.79, 0.42), (0.92, 0.45), (1.13, 0.49),
          (1.23, 0.54), (0.81, 0.75), (0.83, 0.80), (0.83, 0.79)),
         (0.91, 0.85, -0.81)),
        (((0.15, -0.03), (0.21, 0.45), (0.24, 0.54), (0.24, 0.62), (0.29, 0.71),
          (0.34, 0.78), (0.35, 0.86), (0.51, 0.89), (0.44, 0.90)),
         (0.69, 0.85, -0.26)),
    ),
)


cdef double _gnubg_efficiency(Phase phase, const Board *board) noexcept nogil:
    if phase == PHASE_CONTACT:
        return GNUBG_CONTACT
    if phase == PHASE_RACE:
        return min(max(GNUBG_RACE + board_pips(board) / GNUBG_PIPS, GNUBG_MIN), GNUBG_MAX)
    return GNUBG_BEAROFF


cdef struct RaceLength:
    # Length of a race as a position between the lines `first` and `first` + 1.
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
    cdef const EfficiencyLine *lines
    if phase == PHASE_CONTACT:
        return IN_CONTACT[owner + 1]
    lines = &IN_RACES[owner + 1][length.first]
    if length.fraction == 0:
        return lines[0]
    return EfficiencyLine(
        lines[0].lost + length.fraction * (lines[1].lost - lines[0].lost),
        lines[0].won + length.fraction * (lines[1].won - lines[0].won), 0,
    )


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
        # A player who wins the match with the present cube does not double: the other player in effect owns it.
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


def fill_efficiencies(
    const int8_t[:, ::1] boards, EfficiencyModel model, CubeStakes stakes, const real[:, ::1] rows,
    double[::1] out,
):
    """Write the cube efficiencies of rows of probabilities, on a single board or on a board per row."""
    cdef Py_ssize_t i
    cdef bint per_row = boards.shape[0] > 1
    cdef EfficiencyLines lines
    cdef Board board
    with nogil:
        for i in range(rows.shape[0]):
            if per_row or i == 0:
                board_read(&board, &boards[i, 0])
                _find_lines(model, &stakes.stakes, board_phase(&board), &board, &lines)
            out[i] = efficiency_at(&lines, rows[i, 0], <double> rows[i, 1] + rows[i, 3])


cdef class BoardEfficiency:
    """Python owner of the efficiency lines of a board for the mover's stakes."""

    def __init__(self, const int8_t[::1] board, EfficiencyModel model, CubeStakes stakes):
        cdef Board copy
        board_read(&copy, &board[0])
        _find_lines(model, &stakes.stakes, board_phase(&copy), &copy, &self.lines)
