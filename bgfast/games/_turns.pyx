"""Replay of recorded turns, up to the first that is illegal or not in plain notation."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int8_t
from libc.string cimport memcmp

from bgfast.core.board cimport BAR, BOARD_SIZE, Board, board_flip, board_over, board_read
from bgfast.core.generator.generator cimport ROWS_BYTES, generate

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef enum:
    MAX_HOPS = 4       # maximum hops of a turn: one per die
    NO_POINT = -1

cdef struct Hops:
    int count
    int start[4]
    int end[4]


cdef inline bint is_blank(char letter) noexcept nogil:
    return letter == c" " or letter == c"\t"


cdef int read_point(const char *text, Py_ssize_t size, Py_ssize_t *pos) noexcept nogil:
    """Read a point: 1 to 24, 25 or "bar", 0 or "off"; return NO_POINT for anything else."""
    cdef Py_ssize_t cursor = pos[0]
    cdef int point = 0, digits = 0
    while cursor < size and digits < 3 and c"0" <= text[cursor] <= c"9":
        point = 10 * point + text[cursor] - c"0"
        digits += 1
        cursor += 1
    if digits:
        pos[0] = cursor
        return point if digits < 3 and point <= BAR else NO_POINT
    if cursor + 3 > size:
        return NO_POINT
    pos[0] = cursor + 3
    # | 32 makes letters lowercase.
    if text[cursor] | 32 == c"b" and text[cursor + 1] | 32 == c"a" and text[cursor + 2] | 32 == c"r":
        return BAR
    if text[cursor] | 32 == c"o" and text[cursor + 1] | 32 == c"f" and text[cursor + 2] | 32 == c"f":
        return 0
    return NO_POINT


cdef bint read_hops(const char *text, Py_ssize_t size, Hops *hops) noexcept nogil:
    """Read hops such as ``24/18*/13 8/5(2)``; return whether the whole text was read."""
    cdef Py_ssize_t pos = 0
    cdef int start, end, first, length, copies, i
    hops.count = 0
    while True:
        while pos < size and is_blank(text[pos]):
            pos += 1
        if pos == size:
            return hops.count > 0
        first = hops.count
        start = read_point(text, size, &pos)
        if start == NO_POINT or pos == size or text[pos] != c"/":
            return False
        while pos < size and text[pos] == c"/":
            pos += 1
            end = read_point(text, size, &pos)
            if end == NO_POINT or end >= start or hops.count == MAX_HOPS:
                return False
            hops.start[hops.count] = start
            hops.end[hops.count] = end
            hops.count += 1
            start = end
            if pos < size and text[pos] == c"*":
                pos += 1
        if pos + 2 < size and text[pos] == c"(" and c"1" <= text[pos + 1] <= c"4" and text[pos + 2] == c")":
            copies = text[pos + 1] - c"1"
            length = hops.count - first
            if hops.count + copies * length > MAX_HOPS:
                return False
            for i in range(copies * length):
                hops.start[hops.count] = hops.start[first + i]
                hops.end[hops.count] = hops.end[first + i]
                hops.count += 1
            pos += 3
            if pos < size and text[pos] == c"*":
                pos += 1
        if pos < size and not is_blank(text[pos]):
            return False


cdef inline bint move_checker(Board *board, int start, int end) noexcept nogil:
    """Move a checker if there is one and its landing point is not blocked; return whether it moved."""
    if board.point[start] < 1 or (end and board.point[end] < -1):
        return False
    board.point[start] -= 1
    if end:
        if board.point[end] == -1:
            board.point[0] -= 1
            board.point[end] = 0
        board.point[end] += 1
    return True


cdef inline bint fits_die(int start, int end, int die) noexcept nogil:
    """Return whether a die fits a hop; the generator checks whether a bear-off is legal."""
    return start - end == die or (end == 0 and die > start)


cdef bint move_with_double(Board *board, const Hops *hops, int die) noexcept nogil:
    """Make hops one die at a time; return whether they fit. The generator checks the number of dice."""
    cdef int i, point, target
    for i in range(hops.count):
        point = hops.start[i]
        if hops.end[i] and (point - hops.end[i]) % die:
            return False
        while point > hops.end[i]:
            target = point - die if point > die else 0
            if not move_checker(board, point, target):
                return False
            point = target
    return True


cdef bint move_with_two_dice(Board *board, const Hops *hops, int die1, int die2) noexcept nogil:
    """Make hops with two different dice; return whether the hops fit and are unambiguous."""
    cdef int start, end, i, stop
    if hops.count > 2:
        return False
    start, end = hops.start[0], hops.end[0]
    if hops.count == 2:
        if not (
            (fits_die(start, end, die1) and fits_die(hops.start[1], hops.end[1], die2))
            or (fits_die(start, end, die2) and fits_die(hops.start[1], hops.end[1], die1))
        ):
            return False
        return move_checker(board, start, end) and move_checker(board, hops.start[1], hops.end[1])
    if end == 0 or start - end == die1 + die2:
        if start - end > die1 + die2:
            return False
        for i in range(2):   # ambiguous if a blot could be hit on the way
            stop = start - (die2 if i else die1)
            if stop > 0 and board.point[stop] == -1:
                return False
    return move_checker(board, start, end)


cdef bint apply_play(
    Board *board, const char *text, Py_ssize_t size, int die1, int die2, int8_t *rows,
) noexcept nogil:
    """Make the play in `text` and flip the board; return False if it is illegal or not in plain notation."""
    cdef Hops hops
    cdef Board after
    cdef int count, i
    cdef bint is_legal
    if size:
        if not read_hops(text, size, &hops):
            return False
        after = board[0]
        is_legal = move_with_double(&after, &hops, die1) if die1 == die2 else move_with_two_dice(
            &after, &hops, die1, die2)
        if not is_legal:
            return False
        count = generate(NULL, board, die1, die2, rows, NULL, False)
        for i in range(count):
            if memcmp(rows + i * BOARD_SIZE, after.point, BOARD_SIZE) == 0:
                board_flip(&after, board)
                return True
        return False
    if generate(NULL, board, die1, die2, rows, NULL, False):
        return False
    after = board[0]
    board_flip(&after, board)
    return True


def follow_turns(const int8_t[::1] start, int player, list turns, Py_ssize_t first):
    """Play turns under the `standard` rules from a valid, unfinished board of 26 numbers from the mover's side.

    `turns` has (player, (die, die), text) from index `first` on; an empty text is a pass. Stop at the end of the
    game, or at a turn that is the wrong player's, illegal, or not in plain notation. Return the number of turns
    played, and the board after them from the next player's side.
    """
    cdef Board board
    cdef const char *text
    cdef Py_ssize_t size, index = first
    cdef int die1, die2, i
    cdef bint is_legal
    cdef int8_t *rows = <int8_t *> PyMem_Malloc(ROWS_BYTES)
    if rows == NULL:
        raise MemoryError
    try:
        board_read(&board, &start[0])
        while index < len(turns) and not board_over(&board):
            turn = turns[index]
            if turn is None:
                break
            turn_player, dice, play = turn
            if turn_player != player or dice is None or type(play) is not str or not (<str> play).isascii():
                break
            die1, die2 = dice
            if not (1 <= die1 <= 6 and 1 <= die2 <= 6):
                break
            text = PyUnicode_AsUTF8AndSize(play, &size)
            with nogil:
                is_legal = apply_play(&board, text, size, die1, die2, rows)
            if not is_legal:
                break
            player = 1 - player
            index += 1
        return index - first, [board.point[i] for i in range(BOARD_SIZE)]
    finally:
        PyMem_Free(rows)
