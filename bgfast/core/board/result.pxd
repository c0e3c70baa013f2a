"""The points of a finished game."""

from bgfast.core.board.board cimport Board


cpdef enum WinScheme:
    WIN_STANDARD = 0             # something off: 1; else on the bar or in the winner's home: 3; else 2
    WIN_BAR_HOME_BEATS_OFF = 1   # on the bar or in the winner's home: 3; else something off: 1; else 2
    WIN_NOT_ALL_HOME = 2         # outside the own home: 3; else something off: 1; else 2


# +1..3 if the mover has won, -1..-3 if the mover has lost, 0 if the game is not over.
cdef int board_result(const Board *board, WinScheme scheme, int checkers) noexcept nogil
