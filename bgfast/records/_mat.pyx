"""Fast reader of plain lines of .mat files: rolls with plays, and cube actions, in the usual spelling.

`mat` reads all other lines; for a plain line it would return the same events.
"""

from libc.string cimport memcmp, strlen

from bgfast.records.record import Event, Place

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef enum:
    MAX_CELLS = 2
    MAX_DIGITS = 9      # maximum digits of a number that fits an int
    MAX_LINE_LENGTH = 200        # maximum characters of a plain line

cdef enum Kind:
    TURN = 0
    DOUBLE = 1
    TAKE = 2
    DROP = 3
    WINS = 4

cdef struct Cell:
    Kind kind
    Py_ssize_t at        # index of its first letter
    int die1, die2       # dice of a roll
    Py_ssize_t begin     # bounds of its play
    Py_ssize_t end
    int value            # value of a cube, or points of a win
    bint match           # True for a win of the match

cdef object _tuple = tuple.__new__
cdef dict _ROLLS = {10 * first + second: (first, second) for first in range(1, 7) for second in range(1, 7)}
cdef tuple _KINDS = ("turn", "double", "take", "drop", "wins")


cdef inline bint is_end(const char *text, Py_ssize_t size, Py_ssize_t at) noexcept nogil:
    return at == size or text[at] == c" "


cdef inline bint is_play_letter(char letter) noexcept nogil:
    """Return whether a plain play may contain this character."""
    return (
        c"0" <= letter <= c"9" or letter == c"/" or letter == c"*" or letter == c"(" or letter == c")"
        or letter == c"b" or letter == c"a" or letter == c"r" or letter == c"o" or letter == c"f"
    )


cdef inline bint is_roll(const char *text, Py_ssize_t size, Py_ssize_t at) noexcept nogil:
    return at + 2 < size and c"1" <= text[at] <= c"6" and c"1" <= text[at + 1] <= c"6" and text[at + 2] == c":"


cdef bint skip_word(const char *text, Py_ssize_t size, Py_ssize_t *at, const char *word) noexcept nogil:
    """Skip a word; return whether it was there."""
    cdef Py_ssize_t length = strlen(word)
    if at[0] + length > size or memcmp(text + at[0], word, length) != 0:
        return False
    at[0] += length
    return True


cdef int read_number(const char *text, Py_ssize_t size, Py_ssize_t *at) noexcept nogil:
    """Read a number; return 0 if there is none or it has more than nine digits."""
    cdef int value = 0, digits = 0
    while at[0] < size and c"0" <= text[at[0]] <= c"9":
        digits += 1
        if digits > MAX_DIGITS:
            return 0
        value = 10 * value + text[at[0]] - c"0"
        at[0] += 1
    return value


cdef bint read_cell(const char *text, Py_ssize_t size, Py_ssize_t *at, Cell *cell) noexcept nogil:
    """Read a cell and advance to the next; return False if it is not plain."""
    cdef bint has_slash
    cell.at = at[0]
    cell.value = 0
    cell.match = False
    if is_roll(text, size, at[0]):
        cell.kind = TURN
        cell.die1 = text[at[0]] - c"0"
        cell.die2 = text[at[0] + 1] - c"0"
        at[0] += 3
        cell.begin = cell.end = at[0]
        while True:
            while at[0] < size and text[at[0]] == c" ":
                at[0] += 1
            if at[0] == size or is_roll(text, size, at[0]) or c"A" <= text[at[0]] <= c"Z":
                return True
            if cell.begin == cell.end:
                cell.begin = at[0]
            if not (c"0" <= text[at[0]] <= c"9" or text[at[0]] == c"b" or text[at[0]] == c"o"):
                return False   # a remark
            has_slash = False
            while at[0] < size and is_play_letter(text[at[0]]):
                has_slash = has_slash or text[at[0]] == c"/"
                at[0] += 1
            cell.end = at[0]
            if not has_slash or not is_end(text, size, at[0]):
                return False   # a token without a slash may be a roll
    elif skip_word(text, size, at, b"Doubles => "):
        cell.kind = DOUBLE
        cell.value = read_number(text, size, at)
        if not cell.value:
            return False
    elif skip_word(text, size, at, b"Takes"):
        cell.kind = TAKE
    elif skip_word(text, size, at, b"Drops"):
        cell.kind = DROP
    elif skip_word(text, size, at, b"Wins "):
        cell.kind = WINS
        cell.value = read_number(text, size, at)
        if not cell.value or not skip_word(text, size, at, b" point"):
            return False
        skip_word(text, size, at, b"s")
        cell.match = skip_word(text, size, at, b" and the match")
    else:
        return False
    if not is_end(text, size, at[0]):
        return False
    while at[0] < size and text[at[0]] == c" ":
        at[0] += 1
    return True


cdef int read_cells(const char *text, Py_ssize_t size, Cell *cells) noexcept nogil:
    """Read the cells of a line; return their count, or 0 if the line is not plain."""
    cdef Py_ssize_t at = 0, number_begin
    cdef int count = 0
    while at < size and text[at] == c" ":
        at += 1
    number_begin = at
    while at < size and c"0" <= text[at] <= c"9":
        at += 1
    if at == size or text[at] != c")":
        at = number_begin   # a line without a number
    elif not 1 <= at - number_begin <= 5:
        return 0
    else:
        at += 1
    while at < size and text[at] == c" ":
        at += 1
    while at < size:
        if count == MAX_CELLS or not read_cell(text, size, &at, &cells[count]):
            return 0
        count += 1
    return count


def read_plain_line(str line not None, Py_ssize_t line_number, Py_ssize_t right, list events not None):
    """Append the events of a plain line; return whether the line is plain.

    `line_number` counts the lines of the file from 1, and `right` is the first column of the right cells.
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
        events.append(_tuple(Event, (
            _KINDS[<int> cell.kind],
            i if has_both else <int> (5 * (cell.at + 1) > 3 * right),
            _tuple(Place, (line_number, cell.at + 1)),
            _ROLLS[10 * cell.die1 + cell.die2] if cell.kind == TURN else None,
            line[cell.begin:cell.end] if cell.kind == TURN else "",
            0 if cell.kind == WINS else cell.value,
            cell.match,
            (),
            -1,
            cell.value if cell.kind == WINS else 0,
            "error",
            None,
        )))
    return True
