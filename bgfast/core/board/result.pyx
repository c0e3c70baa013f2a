# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""The points of a finished game: 1, 2 or 3 points, by the state of the loser (docs/RULES.md, `win_scheme`)."""

from bgfast.core.board.board cimport Board, board_checkers, board_checkers_opponent, board_flip


cdef bint _any_opponent(const Board *board, int first, int last) noexcept nogil:
    """Return whether a checker of the opponent stands on one of these indices, 0 the opponent's bar."""
    cdef int i
    for i in range(first, last + 1):
        if board.point[i] < 0:
            return True
    return False


cdef int _won(const Board *board, int opponent, int checkers, WinScheme scheme) noexcept nogil:
    """The points of a mover without checkers, against an opponent with so many."""
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
        return _won(board, opponent, checkers, scheme)
    if opponent == 0:
        board_flip(board, &flipped)
        return -_won(&flipped, own, checkers, scheme)
    return 0
