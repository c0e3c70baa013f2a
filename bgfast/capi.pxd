"""The C interface of bgfast, for other Cython modules: `from bgfast.capi cimport bgfast_position, generate`.

Append-only: names, signatures and the struct stay as they are for good; a later version may only add to them.
Compile with `include_dirs=[bgfast.get_include()]`; cimport nothing else of bgfast, the rest may change.

What every function here has in common:
* It plays the `standard` rules with at most BGFAST_CHECKERS checkers a side.
* It assumes a valid position (see `is_valid`) and dice of 1..6; nothing is checked, and with anything else it may
  write anywhere. Exceptions: `is_valid` takes any position, and the functions for many positions check theirs.
* It needs no GIL, raises nothing, keeps no state and takes no memory: it may run on any number of threads.
  The one exception is `network_of`.
* Pointers must not be NULL unless it is said that they may be.
"""

from libc.stdint cimport int8_t, int64_t, uint64_t


cdef extern from "bgfast.h" nogil:
    enum:
        BGFAST_BOARD_SIZE
        BGFAST_BAR
        BGFAST_CHECKERS
        BGFAST_MAX_SUCCESSORS
        BGFAST_MAX_SUCCESSORS_TWO_DICE
        BGFAST_SLACK_ROWS
        BGFAST_MOVES_SIZE
        BGFAST_ROLL_COUNT
        BGFAST_SCRATCH_WORDS
        BGFAST_NO_ROOM
        BGFAST_PROBABILITIES

    # bgfast.h says which index is what. The numbers may also be set one by one, if 26..31 are set to 0.
    ctypedef struct bgfast_position:
        int8_t point[32]

    ctypedef struct bgfast_network:
        pass


# Makes a position of BGFAST_BOARD_SIZE numbers, or of a row of `generate`. Takes any numbers.
cdef void read(bgfast_position *position, const int8_t *numbers) noexcept nogil

# Whether the other functions may be given this position: with at most `checkers` a side, which is 1..15 (3 in
# hypergammon), each bar with its own side's checkers only, at least one checker somewhere, a way to go on for
# one side, and zeros behind the board. `bgfast.Position.from_array` says in words what is wrong.
cdef bint is_valid(const bgfast_position *position, int checkers) noexcept nogil

# Writes each position that a legal play leads to, once, as a row of BGFAST_BOARD_SIZE bytes, in the order of
# `bgfast.Position.plays`. Returns the number of rows; 0 is a pass or a finished game, which `is_over` tells apart.
#
# `flip`: rows are seen from the side of the next player, who is then the mover; otherwise still from this one's.
# `moves`: NULL, or where each row's moves go, BGFAST_MOVES_SIZE bytes a row: in memory four (from, to) pairs of
# int8_t, single moves in an order that can be played, from 25 = bar, to 0 = off, unused pairs -1. Always in the
# mover's numbers.
#
# Room: both buffers must hold BGFAST_SLACK_ROWS more rows than there are successors, since a row is stored 32
# bytes wide (its last 6 spill into the next row) and several rows at a time. So BGFAST_MAX_SUCCESSORS +
# BGFAST_SLACK_ROWS rows are enough for any roll, BGFAST_MAX_SUCCESSORS_TWO_DICE + BGFAST_SLACK_ROWS for two
# different dice, `count` + BGFAST_SLACK_ROWS for this roll. What is behind the last successor is undefined then.
cdef int generate(
    const bgfast_position *position, int die1, int die2, int8_t *rows, uint64_t *moves, bint flip) noexcept nogil

# The number of rows that `generate` would write, in a fraction of its time.
cdef int count(const bgfast_position *position, int die1, int die2) noexcept nogil

# The same position from the other side: out[i] = -position[25 - i]. `out` may be `position` itself.
cdef void flip(const bgfast_position *position, bgfast_position *out) noexcept nogil

# The pips that the mover, or the opponent, still needs to bear off every checker.
cdef int pip_count(const bgfast_position *position) noexcept nogil
cdef int pip_count_opponent(const bgfast_position *position) noexcept nogil

# Whether one side has borne off its last checker.
cdef bint is_over(const bgfast_position *position) noexcept nogil

cdef bint equal(const bgfast_position *a, const bgfast_position *b) noexcept nogil

# 64 well-mixed bits, the same for equal positions. Nothing to keep in files: another version of bgfast, or a
# machine of another byte order, may give others.
cdef uint64_t hash(const bgfast_position *position) noexcept nogil


# ---- many positions ----

# `boards` is `number` rows of BGFAST_BOARD_SIZE numbers. `dice` is a pair for each, and each board with its roll
# is a segment of successors; or NULL, and each board has the BGFAST_ROLL_COUNT rolls of `bgfast.ROLLS`: segment
# BGFAST_ROLL_COUNT * i + r is board i with roll r. Each board and roll is checked as it is read; the first that
# cannot be, that of board i, ends the call, which returns -2 - i. A negative `number` counts as 0. To share the
# work of many boards, let each thread call with boards and buffers of its own.

# Writes the number of successors of each segment to `sizes`, unless it is NULL; returns their sum.
cdef int64_t count_batch(const int8_t *boards, const int8_t *dice, int64_t number, int64_t *sizes) noexcept nogil

# Writes the rows of all segments, one behind the other, as `generate` does, and returns how many there are; the
# moves, unless `moves` is NULL; and the number of each segment, unless `sizes` is NULL. BGFAST_NO_ROOM if there
# are more than `room`. Unlike `generate` it writes nothing behind the last row, nor beyond `room` rows; after
# a negative result the buffers hold anything. `scratch` is BGFAST_SCRATCH_WORDS for itself.
cdef int64_t generate_batch(
    const int8_t *boards, const int8_t *dice, int64_t number, bint flip, int8_t *rows, uint64_t *moves,
    int64_t room, int64_t *sizes, uint64_t *scratch) noexcept nogil


# ---- a network ----

# The network of a `bgfast.Network`. Needs the GIL; raises a TypeError if the object is anything else.
#
# The pointer is borrowed: it is good as long as the object lives. Keep a reference where the pointer is kept, in
# an attribute `cdef object` or a local variable. A network never changes, so any number of threads may use it.
cdef const bgfast_network *network_of(object network) except NULL

# Writes BGFAST_PROBABILITIES numbers: those of the player on roll, the mover, or what a finished game ended with.
# As all functions of networks it gives what `bgfast.Network` does, to the last bit.
cdef void evaluate(
    const bgfast_network *network, const bgfast_position *position, float *probabilities) noexcept nogil

# What BGFAST_PROBABILITIES are worth in points at cube 1, for the same player.
cdef float equity(const float *probabilities) noexcept nogil

# Writes the successor that is best for the mover, seen from the side of the next player, who is the mover in it.
# `moves` and `value` may be NULL: where its moves go, as in `generate`, and what it is worth in points at cube 1
# for the mover of `position`. Returns how many successors there are; if none, where the turn passes and of a
# finished game, the position itself counts as one, flipped, with moves of -1. `successor` may be `position`
# itself. `scratch` is BGFAST_SCRATCH_WORDS for the function itself.
cdef int best_successor(
    const bgfast_network *network, const bgfast_position *position, int die1, int die2, bgfast_position *successor,
    uint64_t *moves, float *value, uint64_t *scratch) noexcept nogil

# The same for many: `boards` is `number` rows of BGFAST_BOARD_SIZE numbers, `dice` a pair for each. Each board and
# roll is checked as it is read. Returns `number`, or -2 - i if board i, or its roll, cannot be; the first that
# cannot ends the call. A negative `number` counts as 0. BGFAST_PROBABILITIES numbers a board; BGFAST_BOARD_SIZE
# numbers a successor; `moves` and `values` may be NULL. Nothing behind the last is written.
cdef int64_t evaluate_batch(
    const bgfast_network *network, const int8_t *boards, int64_t number, float *probabilities) noexcept nogil
cdef int64_t best_successor_batch(
    const bgfast_network *network, const int8_t *boards, const int8_t *dice, int64_t number, int8_t *successors,
    uint64_t *moves, float *values, uint64_t *scratch) noexcept nogil
