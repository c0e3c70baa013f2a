# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Faults of a board, and the sentence that says so; how far a game has come."""

from libc.stdint cimport uint32_t

from bgfast.core.row cimport bg_greater, bg_highest, bg_load_board, bg_lowest, bg_negated

from bgfast.errors import too_many_checkers


cdef bint _closed(const int8_t *home, int sign) noexcept nogil:
    """Whether the six points from `home` on hold at least two checkers each of the side of `sign`."""
    cdef int i
    for i in range(6):
        if sign * home[i] < 2:
            return False
    return True


cdef Fault board_fault(const Board *board, int checkers) noexcept nogil:
    cdef int own, opponent
    if board.point[BAR] < 0:
        return FAULT_OWN_BAR
    if board.point[0] > 0:
        return FAULT_OPPONENT_BAR
    own = board_checkers(board)
    opponent = board_checkers_opponent(board)
    if ~bg_greater(bg_load_board(board.point), -128):
        return FAULT_OPPONENT_COUNT   # -128, the one number that has no opposite: it was not counted
    if own > checkers:
        return FAULT_OWN_COUNT
    if opponent > checkers:
        return FAULT_OPPONENT_COUNT
    if own == 0 and opponent == 0:
        return FAULT_EMPTY
    # The mover enters on the opponent's home, points 19..24; the opponent on the mover's, 1..6.
    if board.point[BAR] > 0 and board.point[0] < 0:
        if _closed(&board.point[19], -1) and _closed(&board.point[1], 1):
            return FAULT_DEADLOCK
    return FAULT_NONE


def fault_of(const int8_t[::1] numbers, int checkers):
    """Return the fault of these 26 numbers, FAULT_NONE if they make a position."""
    cdef Board board
    board_read(&board, &numbers[0])
    return board_fault(&board, checkers)


def fault_text(Fault fault, const int8_t[::1] numbers, int checkers):
    """Return the sentence for a fault that `board_fault` found in these 26 numbers."""
    cdef Board board
    board_read(&board, &numbers[0])
    if fault == FAULT_OWN_BAR:
        return f"index 25, the mover's bar, is {numbers[BAR]}; expected 0 or more"
    if fault == FAULT_OPPONENT_BAR:
        return f"index 0, the opponent's bar, is {numbers[0]}; expected 0 or less"
    if fault == FAULT_OWN_COUNT:
        return too_many_checkers("the mover", board_checkers(&board), checkers)
    if fault == FAULT_OPPONENT_COUNT:
        opponent = -sum([number for number in numbers if number < 0])
        return too_many_checkers("the opponent", opponent, checkers)
    if fault == FAULT_EMPTY:
        return "nobody has a checker on the board; expected at least one, as a game ends with the first side off"
    return "both sides are on the bar against closed home boards, so that nobody can ever move"


cdef Phase board_phase(const Board *board) noexcept nogil:
    cdef uint32_t own = bg_greater(bg_load_board(board.point), 0)
    cdef uint32_t opponent = bg_greater(bg_negated(bg_load_board(board.point)), 0)
    cdef int highest, lowest   # the rearmost checkers, both in the mover's numbers
    if not own or not opponent:
        return PHASE_OVER
    highest = bg_highest(own)
    lowest = bg_lowest(opponent)
    if highest > lowest:
        return PHASE_CONTACT
    return PHASE_BEAROFF if highest <= 6 and lowest >= 19 else PHASE_RACE
