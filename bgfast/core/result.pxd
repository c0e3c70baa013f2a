"""Points of finished games."""

from bgfast.core.board cimport Board


cpdef enum WinScheme:
    # Points by the loser's checkers.
    WIN_STANDARD = 0             # one off: 1; else one on the bar or in the winner's home: 3; else 2
    WIN_BAR_HOME_BEATS_OFF = 1   # one on the bar or in the winner's home: 3; else one off: 1; else 2
    WIN_NOT_ALL_HOME = 2         # one outside the loser's home: 3; else one off: 1; else 2


# Settings of a game that decide the results its positions can have.
cdef struct GameRules:
    WinScheme scheme
    int checkers           # of each side
    bint standard_plays    # True if plays are those of `standard`


cdef GameRules STANDARD_GAME   # `standard`, 15 checkers a side

# Return 1..3 if the mover has won, -1..-3 if the mover has lost, 0 if the game is not over.
cdef int board_result(const Board *board, WinScheme scheme, int checkers) noexcept nogil
