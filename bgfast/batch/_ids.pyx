"""GNU Backgammon position IDs of arrays of boards, without the GIL.

bgfast/position/position_ids.py describes the format and the errors; this module only detects bad rows.
Texts are rows of 14 code points, the memory layout of numpy's 'U14'.
"""

from libc.stdint cimport int8_t, int64_t, uint32_t, uint64_t

from bgfast.core.board cimport BAR, BOARD_SIZE, CHECKERS, Board, board_read
from bgfast.core.row cimport bg_lowest

cdef enum:
    CHARACTERS = 14
    OUTSIDE = 64   # value of characters outside base64

cdef const char *_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


cdef struct Bits:
    # The 80 bits of an ID, least significant bit first.
    uint64_t low
    uint64_t high


cdef inline void _put_run(Bits *bits, int start, int length) noexcept nogil:
    """Set `length` bits, at most 15, from bit `start` on."""
    cdef uint64_t run = ((<uint64_t> 1) << length) - 1
    if start < 64:
        bits.low |= run << start
        if start + length > 64:
            bits.high |= run >> (64 - start)
    else:
        bits.high |= run << (start - 64)


cdef inline int _take_run(Bits *bits) noexcept nogil:
    """Remove a run of ones and the following zero; return the number of ones, or 16 for more than 15."""
    cdef int length = bg_lowest(<uint32_t> ~bits.low | 1 << (CHECKERS + 1))
    bits.low = bits.low >> (length + 1) | bits.high << (63 - length)
    bits.high >>= length + 1
    return length


cdef inline int _byte(const Bits *bits, int index) noexcept nogil:
    return (bits.low >> 8 * index if index < 8 else bits.high >> 8 * (index - 8)) & 255


cdef inline void _or_byte(Bits *bits, int index, uint64_t value) noexcept nogil:
    if index < 8:
        bits.low |= value << 8 * index
    else:
        bits.high |= value << 8 * (index - 8)


cdef inline uint32_t _value(uint32_t character) noexcept nogil:
    """Return the six bits of a base64 character, or OUTSIDE."""
    if 65 <= character <= 90:        # A-Z
        return character - 65
    if 97 <= character <= 122:       # a-z
        return character - 71
    if 48 <= character <= 57:        # 0-9
        return character + 4
    if character == 43:              # +
        return 62
    return 63 if character == 47 else OUTSIDE


cdef bint _encode(const int8_t *board, uint32_t *text) noexcept nogil:
    """Write the ID of any 26 numbers; return False, without writing, if they have no ID."""
    cdef Bits bits = [0, 0]
    cdef uint32_t word
    cdef int i, j, count, bit = 0, mover = 0, opponent = 0
    if board[0] > 0 or board[BAR] < 0:
        return False
    for i in range(BOARD_SIZE):
        count = board[i]
        if count > 0:
            mover += count
        else:
            opponent -= count
    if mover > CHECKERS or opponent > CHECKERS:
        return False
    for i in range(BAR - 1, -1, -1):   # the opponent's points 1 to 24, then the bar
        count = -board[i] if board[i] < 0 else 0
        _put_run(&bits, bit, count)
        bit += count + 1
    for i in range(1, BAR + 1):
        count = board[i] if board[i] > 0 else 0
        _put_run(&bits, bit, count)
        bit += count + 1
    # Three bytes are four characters; the bytes after the tenth are zeros and are omitted.
    for i in range(0, CHARACTERS, 4):
        j = i // 4 * 3
        word = _byte(&bits, j) << 16 | _byte(&bits, j + 1) << 8 | _byte(&bits, j + 2)
        for j in range(min(4, CHARACTERS - i)):
            text[i + j] = _BASE64[word >> (18 - 6 * j) & 63]
    return True


cdef bint _decode(const uint32_t *text, int8_t *board) noexcept nogil:
    """Write the board of any 14 code points; return False, with `board` undefined, if they are not an ID."""
    cdef Bits bits = [0, 0]
    cdef uint32_t value, word
    cdef int i, j, count, mover = 0, opponent = 0
    for i in range(0, CHARACTERS, 4):
        word = 0
        for j in range(4):
            value = _value(text[i + j]) if i + j < CHARACTERS else 0
            if value == OUTSIDE:
                return False
            word = word << 6 | value
        j = i // 4 * 3
        _or_byte(&bits, j, word >> 16)
        if i + 4 > CHARACTERS:
            if word & 0xFFFF:
                return False   # bits beyond the first 80
        else:
            _or_byte(&bits, j + 1, word >> 8 & 255)
            _or_byte(&bits, j + 2, word & 255)
    board[BAR] = 0   # the only number that the opponent's runs do not write
    for i in range(BAR - 1, -1, -1):
        count = _take_run(&bits)
        opponent += count
        board[i] = -count
    for i in range(1, BAR + 1):
        count = _take_run(&bits)
        mover += count
        if count:
            if board[i]:
                return False   # both sides hold the point
            board[i] = count
    # With at most 15 checkers per side, the 50 runs and their zeros fit in 80 bits; the rest is in the low word.
    return not bits.low and mover <= CHECKERS and opponent <= CHECKERS


def encode_ids(const int8_t[:, ::1] boards, uint32_t[:, ::1] texts):
    """Write the IDs of boards, 14 code points per row; return the first row without an ID, or -1."""
    cdef Board board
    cdef int64_t i, bad_row = -1
    with nogil:
        for i in range(boards.shape[0]):
            board_read(&board, &boards[i, 0])   # a copy: the caller's memory may change
            if not _encode(board.point, &texts[i, 0]):
                bad_row = i
                break
    return bad_row


def decode_ids(const uint32_t[:, ::1] texts, int8_t[:, ::1] boards):
    """Write the boards of IDs, 14 code points per row; return the first row that is not an ID, or -1."""
    cdef int64_t i, bad_row = -1
    with nogil:
        for i in range(texts.shape[0]):
            if not _decode(&texts[i, 0], &boards[i, 0]):
                bad_row = i
                break
    return bad_row
