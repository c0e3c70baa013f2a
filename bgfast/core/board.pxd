"""Packed board: 26 bytes from the mover's side, padded to 32.

Index 25 of `Board.point` is the mover's bar, 24..1 are the points (own > 0, opponent < 0), 0 is the opponent's bar
(<= 0), 26..31 are zeros. Functions require a valid board (see `fault_of`).
"""

from libc.stdint cimport int8_t, uint64_t
from libc.string cimport memcmp, memcpy

from bgfast.core.row cimport (
    bg_greater, bg_load_board, bg_load_flipped, bg_negate, bg_store, bg_sum_positive,
)

cdef enum:
    BOARD_SIZE = 26   # numbers in a board
    BAR = 25          # the mover's bar; the opponent's is index 0
    CHECKERS = 15     # default number of checkers per side


cdef struct Board:
    int8_t point[32]


cdef inline void board_read(Board *board, const int8_t *cells) noexcept nogil:
    """Pack 26 numbers; comparison and hash read all 32 bytes, so the padding is zeroed."""
    bg_store(board.point, bg_load_board(cells))


cdef inline void board_flip(const Board *board, Board *out) noexcept nogil:
    """Write the board from the other side: out[i] = -board[25 - i]."""
    bg_store(out.point, bg_load_flipped(board.point))


cdef inline bint board_equal(const Board *a, const Board *b) noexcept nogil:
    return memcmp(a, b, sizeof(Board)) == 0


cdef inline uint64_t board_hash(const Board *board) noexcept nogil:
    """Return a 64-bit hash; it depends on the byte order of the machine."""
    cdef uint64_t words[4]
    cdef uint64_t h = 0x9E3779B97F4A7C15U
    cdef int i
    memcpy(words, board.point, 32)
    for i in range(4):
        h = (h ^ words[i]) * 0xD6E8FEB86659FD93U
        h ^= h >> 32
    return h


cdef inline uint64_t board_hash_opponent(const Board *board) noexcept nogil:
    """Return a hash of the opponent's checkers only."""
    cdef Board opponent
    cdef int i
    for i in range(32):   # compiled to vector instructions
        opponent.point[i] = min(board.point[i], 0)
    return board_hash(&opponent)


cdef inline int board_pips(const Board *board) noexcept nogil:
    cdef int i, pips = 0
    for i in range(1, BAR + 1):
        if board.point[i] > 0:
            pips += i * board.point[i]
    return pips


cdef inline int board_pips_opponent(const Board *board) noexcept nogil:
    cdef int i, pips = 0
    for i in range(BAR):
        if board.point[i] < 0:
            pips -= (BAR - i) * board.point[i]
    return pips


cdef inline int board_checkers(const Board *board) noexcept nogil:
    """Return the number of the mover's checkers on the points and the bar."""
    return bg_sum_positive(bg_load_board(board.point))


cdef inline int board_checkers_opponent(const Board *board) noexcept nogil:
    return bg_sum_positive(bg_negate(bg_load_board(board.point)))


cdef inline bint board_over(const Board *board) noexcept nogil:
    """Return whether one side has borne off its last checker."""
    return board_checkers(board) == 0 or board_checkers_opponent(board) == 0


cpdef enum Fault:
    FAULT_NONE = 0
    FAULT_OWN_BAR = 1        # a negative number on the mover's bar
    FAULT_OPPONENT_BAR = 2   # a positive number on the opponent's bar
    FAULT_OWN_COUNT = 3      # more checkers than a side has
    FAULT_OPPONENT_COUNT = 4
    FAULT_EMPTY = 5          # no checkers: a game ends when one side has none
    FAULT_DEADLOCK = 6       # both sides on the bar against closed home boards


cdef inline bint board_closed(const int8_t *home, int sign) noexcept nogil:
    """Return whether the side of `sign` has at least two checkers on each of the six points from `home` on."""
    cdef int i
    for i in range(6):
        if sign * home[i] < 2:
            return False
    return True


# Inline: each build of the generator uses its own vector instructions.
cdef inline Fault board_fault(const Board *board, int checkers) noexcept nogil:
    cdef int own, opponent
    if board.point[BAR] < 0:
        return FAULT_OWN_BAR
    if board.point[0] > 0:
        return FAULT_OPPONENT_BAR
    own = board_checkers(board)
    opponent = board_checkers_opponent(board)
    if ~bg_greater(bg_load_board(board.point), -128):
        return FAULT_OPPONENT_COUNT   # -128 is not in the counts, since its negation overflows
    if own > checkers:
        return FAULT_OWN_COUNT
    if opponent > checkers:
        return FAULT_OPPONENT_COUNT
    if own == 0 and opponent == 0:
        return FAULT_EMPTY
    # The mover enters on points 19..24, the opponent on 1..6.
    if board.point[BAR] > 0 and board.point[0] < 0:
        if board_closed(&board.point[19], -1) and board_closed(&board.point[1], 1):
            return FAULT_DEADLOCK
    return FAULT_NONE


# The phases of a game follow this order; some may be skipped.
cpdef enum Phase:
    PHASE_CONTACT = 0   # the sides can still meet
    PHASE_RACE = 1      # the sides have passed each other
    PHASE_BEAROFF = 2   # a race with all checkers home or off
    PHASE_OVER = 3      # one side has borne off its last checker


cdef Phase board_phase(const Board *board) noexcept nogil


cpdef enum WinScheme:
    # Points of a win, by the locations of the loser's checkers.
    WIN_STANDARD = 0             # 1 if one is off, else 3 if one is on the bar or in the winner's home, else 2
    WIN_BAR_HOME_BEATS_OFF = 1   # 3 if one is on the bar or in the winner's home, else 1 if one is off, else 2
    WIN_NOT_ALL_HOME = 2         # 3 if one is outside the loser's home, else 1 if one is off, else 2


# Settings of a game that determine the possible results of its positions.
cdef struct GameRules:
    WinScheme scheme
    int checkers           # number for each side
    bint standard_plays    # True if plays follow the `standard` rules


cdef GameRules STANDARD_GAME   # `standard`, 15 checkers per side

# Return 1..3 if the mover has won, -1..-3 if the mover has lost, 0 if the game is not over.
cdef int board_result(const Board *board, WinScheme scheme, int checkers) noexcept nogil
