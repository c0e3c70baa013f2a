"""Validation of boards with error messages, the phase of a game, and the points of a finished game."""

from libc.stdint cimport uint32_t

from bgfast.core.row cimport bg_greater, bg_highest, bg_load_board, bg_lowest, bg_negate

from bgfast.errors import too_many_checkers


def fault_of(const int8_t[::1] cells, int checkers):
    """Return the fault of 26 numbers, FAULT_NONE for a valid position."""
    cdef Board board
    board_read(&board, &cells[0])
    return board_fault(&board, checkers)


def fault_text(Fault fault, const int8_t[::1] cells, int checkers):
    """Return the error message for a fault of 26 numbers."""
    cdef Board board
    board_read(&board, &cells[0])
    if fault == FAULT_OWN_BAR:
        return f"index 25, the mover's bar, is {cells[BAR]}; expected 0 or more"
    if fault == FAULT_OPPONENT_BAR:
        return f"index 0, the opponent's bar, is {cells[0]}; expected 0 or less"
    if fault == FAULT_OWN_COUNT:
        return too_many_checkers("the mover", board_checkers(&board), checkers)
    if fault == FAULT_OPPONENT_COUNT:
        opponent = -sum([cell for cell in cells if cell < 0])
        return too_many_checkers("the opponent", opponent, checkers)
    if fault == FAULT_EMPTY:
        return "nobody has a checker on the board; expected at least one, as a game ends when a side has none"
    return "both sides are on the bar against closed home boards; expected a side that can move"


cdef Phase board_phase(const Board *board) noexcept nogil:
    cdef uint32_t own = bg_greater(bg_load_board(board.point), 0)
    cdef uint32_t opponent = bg_greater(bg_negate(bg_load_board(board.point)), 0)
    cdef int highest, lowest   # rearmost checkers of both sides, in the mover's numbering
    if not own or not opponent:
        return PHASE_OVER
    highest = bg_highest(own)
    lowest = bg_lowest(opponent)
    if highest > lowest:
        return PHASE_CONTACT
    return PHASE_BEAROFF if highest <= 6 and lowest >= 19 else PHASE_RACE


# ---- points of finished games: 1 to 3, depending on the loser's checkers (docs/RULES.md, `win_scheme`) ----


STANDARD_GAME = GameRules(WIN_STANDARD, CHECKERS, True)


cdef int _win_points(const Board *board, int opponent, int checkers, WinScheme scheme) noexcept nogil:
    """Return the points of a mover who has borne off all checkers; the opponent has `opponent` left."""
    cdef bint has_borne_off = opponent < checkers
    cdef bint has_rear_checker = False
    cdef int i
    for i in range(19 if scheme == WIN_NOT_ALL_HOME else 7):
        has_rear_checker |= board.point[i] < 0
    if scheme == WIN_STANDARD and has_borne_off:
        return 1
    if has_rear_checker:
        return 3
    return 1 if has_borne_off else 2


cdef int board_result(const Board *board, WinScheme scheme, int checkers) noexcept nogil:
    cdef Board flipped
    cdef int own = board_checkers(board)
    cdef int opponent = board_checkers_opponent(board)
    if own == 0:
        return _win_points(board, opponent, checkers, scheme)
    if opponent == 0:
        board_flip(board, &flipped)
        return -_win_points(&flipped, own, checkers, scheme)
    return 0
