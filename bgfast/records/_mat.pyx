"""Fast reader of plain lines of .mat files: rolls with plays, cube actions and results, in the usual spelling.

`mat` reads all other lines; for a plain line it would return the same events.
"""

from libc.string cimport memcmp, strlen

from bgfast.records.record import Event, Place

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef enum:
    MAX_CELLS = 2
    MAX_DIGITS = 9      # maximum number of digits that always fits an int
    MAX_LINE_LENGTH = 200        # maximum number of characters in a plain line

cdef enum Kind:
    TURN = 0
    DOUBLE = 1
    TAKE = 2
    DROP = 3
    WINS = 4

cdef struct Cell:
    Kind kind
    Py_ssize_t start     # index of the first letter of the cell
    int die1, die2       # dice of a roll
    Py_ssize_t play_start, play_end     # bounds of the play after a roll
    int value            # value of a cube, or points of a win
    bint wins_match      # True for a win of the match

cdef object _new_tuple = tuple.__new__
cdef dict _ROLLS = {10 * first + second: (first, second) for first in range(1, 7) for second in range(1, 7)}
cdef tuple _KINDS = ("turn", "double", "take", "drop", "wins")


cdef inline bint is_end(const char *text, Py_ssize_t size, Py_ssize_t index) noexcept nogil:
    return index == size or text[index] == c" "


cdef inline bint is_play_letter(char letter) noexcept nogil:
    """Return whether a plain play may contain this character."""
    return (
        c"0" <= letter <= c"9" or letter == c"/" or letter == c"*" or letter == c"(" or letter == c")"
        or letter == c"b" or letter == c"a" or letter == c"r" or letter == c"o" or letter == c"f"
    )


cdef inline bint is_roll(const char *text, Py_ssize_t size, Py_ssize_t i) noexcept nogil:
    return i + 2 < size and c"1" <= text[i] <= c"6" and c"1" <= text[i + 1] <= c"6" and text[i + 2] == c":"


cdef bint skip_word(const char *text, Py_ssize_t size, Py_ssize_t *index, const char *word) noexcept nogil:
    """Skip a word; return whether the text has it at the index."""
    cdef Py_ssize_t length = strlen(word)
    if index[0] + length > size or memcmp(text + index[0], word, length) != 0:
        return False
    index[0] += length
    return True


cdef int read_number(const char *text, Py_ssize_t size, Py_ssize_t *index) noexcept nogil:
    """Read a number; return 0 if there is none or it has more than nine digits."""
    cdef int value = 0, digits = 0
    while index[0] < size and c"0" <= text[index[0]] <= c"9":
        digits += 1
        if digits > MAX_DIGITS:
            return 0
        value = 10 * value + text[index[0]] - c"0"
        index[0] += 1
    return value


cdef bint read_cell(const char *text, Py_ssize_t size, Py_ssize_t *index, Cell *cell) noexcept nogil:
    """Read a cell and advance to the next; return False if it is not plain."""
    cdef bint has_slash
    cell.start = index[0]
    cell.value = 0
    cell.wins_match = False
    if is_roll(text, size, index[0]):
        cell.kind = TURN
        cell.die1 = text[index[0]] - c"0"
        cell.die2 = text[index[0] + 1] - c"0"
        index[0] += 3
        cell.play_start = cell.play_end = index[0]
        while True:
            while index[0] < size and text[index[0]] == c" ":
                index[0] += 1
            if index[0] == size or is_roll(text, size, index[0]) or c"A" <= text[index[0]] <= c"Z":
                return True
            if cell.play_start == cell.play_end:
                cell.play_start = index[0]
            if not (c"0" <= text[index[0]] <= c"9" or text[index[0]] == c"b" or text[index[0]] == c"o"):
                return False   # the token belongs to a remark
            has_slash = False
            while index[0] < size and is_play_letter(text[index[0]]):
                has_slash = has_slash or text[index[0]] == c"/"
                index[0] += 1
            cell.play_end = index[0]
            if not has_slash or not is_end(text, size, index[0]):
                return False   # a token without a slash may be a roll
    elif skip_word(text, size, index, b"Doubles => "):
        cell.kind = DOUBLE
        cell.value = read_number(text, size, index)
        if not cell.value:
            return False
    elif skip_word(text, size, index, b"Takes"):
        cell.kind = TAKE
    elif skip_word(text, size, index, b"Drops"):
        cell.kind = DROP
    elif skip_word(text, size, index, b"Wins "):
        cell.kind = WINS
        cell.value = read_number(text, size, index)
        if not cell.value or not skip_word(text, size, index, b" point"):
            return False
        skip_word(text, size, index, b"s")
        cell.wins_match = skip_word(text, size, index, b" and the match")
    else:
        return False
    if not is_end(text, size, index[0]):
        return False
    while index[0] < size and text[index[0]] == c" ":
        index[0] += 1
    return True


cdef int read_cells(const char *text, Py_ssize_t size, Cell *cells) noexcept nogil:
    """Read the cells of a line; return their count, or 0 if the line is not plain."""
    cdef Py_ssize_t index = 0, number_start
    cdef int count = 0
    while index < size and text[index] == c" ":
        index += 1
    number_start = index
    while index < size and c"0" <= text[index] <= c"9":
        index += 1
    if index == size or text[index] != c")":
        index = number_start   # the line has no number
    elif not 1 <= index - number_start <= 5:
        return 0
    else:
        index += 1
    while index < size and text[index] == c" ":
        index += 1
    while index < size:
        if count == MAX_CELLS or not read_cell(text, size, &index, &cells[count]):
            return 0
        count += 1
    return count


def read_plain_line(str line not None, Py_ssize_t line_number, Py_ssize_t right_column, list events not None):
    """Append the events of a plain line; return whether the line is plain.

    `line_number` counts the lines of the file from 1, and `right_column` is the first column of the right cells.
    """
    cdef Cell[MAX_CELLS] cells
    cdef Cell *cell
    cdef Py_ssize_t size
    cdef const char *text
    cdef int cell_count, i
    cdef bint has_both
    if not line.isascii():
        return False
    text = PyUnicode_AsUTF8AndSize(line, &size)
    if size > MAX_LINE_LENGTH:
        return False
    while size and (text[size - 1] == c" " or text[size - 1] == c"\n" or text[size - 1] == c"\r"):
        size -= 1
    cell_count = read_cells(text, size, cells)
    if not cell_count:
        return False
    has_both = cell_count == MAX_CELLS and cells[0].kind != WINS and cells[1].kind != WINS
    for i in range(cell_count):
        cell = &cells[i]
        events.append(_new_tuple(Event, (
            _KINDS[<int> cell.kind],
            i if has_both else <int> (5 * (cell.start + 1) > 3 * right_column),
            _new_tuple(Place, (line_number, cell.start + 1)),
            _ROLLS[10 * cell.die1 + cell.die2] if cell.kind == TURN else None,
            line[cell.play_start:cell.play_end] if cell.kind == TURN else "",
            0 if cell.kind == WINS else cell.value,
            cell.wins_match,
            (),
            -1,
            cell.value if cell.kind == WINS else 0,
            "error",
            None,
        )))
    return True
