"""Points of finished games, 1 to 3 by the loser's checkers (docs/RULES.md, `win_scheme`)."""

from bgfast.core.board cimport CHECKERS, Board, board_checkers, board_checkers_opponent, board_flip


STANDARD_GAME = GameRules(WIN_STANDARD, CHECKERS, True)


cdef bint _any_opponent(const Board *board, int first, int last) noexcept nogil:
    """Return whether the opponent has a checker on one of the indices `first` to `last`."""
    cdef int i
    for i in range(first, last + 1):
        if board.point[i] < 0:
            return True
    return False


cdef int _win_points(const Board *board, int opponent, int checkers, WinScheme scheme) noexcept nogil:
    """Return the points of a mover without checkers against an opponent with `opponent` checkers left."""
    cdef bint borne_off = opponent < checkers
    cdef bint far_back = _any_opponent(board, 0, 18 if scheme == WIN_NOT_ALL_HOME else 6)
    if scheme == WIN_STANDARD and borne_off:
        return 1
    if far_back:
        return 3
    return 1 if borne_off else 2


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
