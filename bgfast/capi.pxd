"""The C interface of bgfast, for other Cython modules: `from bgfast.capi cimport bgfast_position, generate`.

Append-only: names, signatures and the struct never change; later versions only add to them. Compile with
`include_dirs=[bgfast.get_include()]`. All other modules of bgfast may change and must not be cimported.

All functions:
* The rules are `standard`, with at most BGFAST_CHECKERS checkers per side.
* The position must be valid (see `is_valid`) and the dice 1..6: nothing is checked, and invalid values may corrupt
  any memory. Exceptions: `is_valid` takes any position, and the batch functions check their boards and dice.
* Except for `network_of`, they need no GIL, raise nothing, have no state and allocate no memory, so they may run
  on any number of threads.
* Pointers must not be NULL unless documented.
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

    # bgfast.h documents the indices. Elements may also be set directly; 26..31 must be 0.
    ctypedef struct bgfast_position:
        int8_t point[32]

    ctypedef struct bgfast_network:
        pass


# Convert BGFAST_BOARD_SIZE numbers, or a row of `generate`, to a position. Any numbers are allowed.
cdef void read(bgfast_position *position, const int8_t *numbers) noexcept nogil

# Return whether a position is valid for the other functions: at most `checkers` a side (1..15, 3 in hypergammon),
# bars without checkers of the wrong side, at least one checker, not both sides on the bar against closed home
# boards, and zeros after the board. `bgfast.Position.from_array` raises an error that names the fault.
cdef bint is_valid(const bgfast_position *position, int checkers) noexcept nogil

# Write each distinct successor as a row of BGFAST_BOARD_SIZE bytes, in the order of `bgfast.Position.plays`.
# Return the number of rows; 0 for a pass or a finished game, see `is_over`.
#
# `flip`: rows are from the side of the next player instead of the mover.
# `moves`: NULL, or a buffer for the moves, BGFAST_MOVES_SIZE bytes a row: four (from, to) pairs of int8_t in
# a playable order; from = 25 is the bar, to = 0 is off, unused pairs are -1. Points are always the mover's.
#
# Both buffers must hold BGFAST_SLACK_ROWS more rows than there are successors, since rows are stored 32 bytes wide
# (the next row overwrites the last 6) and several at a time. So BGFAST_MAX_SUCCESSORS + BGFAST_SLACK_ROWS rows
# suffice for any roll, BGFAST_MAX_SUCCESSORS_TWO_DICE + BGFAST_SLACK_ROWS for two different dice, `count` +
# BGFAST_SLACK_ROWS for this roll. The memory after the last successor becomes undefined.
cdef int generate(
    const bgfast_position *position, int die1, int die2, int8_t *rows, uint64_t *moves, bint flip) noexcept nogil

# Return the number of rows that `generate` would write, in a fraction of its time.
cdef int count(const bgfast_position *position, int die1, int die2) noexcept nogil

# Write the position from the other side: out[i] = -position[25 - i]. `out` may be `position` itself.
cdef void flip(const bgfast_position *position, bgfast_position *out) noexcept nogil

# Return the pip count of the mover, or of the opponent.
cdef int pip_count(const bgfast_position *position) noexcept nogil
cdef int pip_count_opponent(const bgfast_position *position) noexcept nogil

# Return whether one side has borne off its last checker.
cdef bint is_over(const bgfast_position *position) noexcept nogil

cdef bint equal(const bgfast_position *a, const bgfast_position *b) noexcept nogil

# Return a 64-bit hash. It may differ between versions of bgfast and between byte orders, so it must not be stored
# in files.
cdef uint64_t hash(const bgfast_position *position) noexcept nogil


# ---- batches ----

# `boards` has `number` rows of BGFAST_BOARD_SIZE numbers. With a pair of `dice` for each board, segment i has the
# successors of board i; with NULL every board has the BGFAST_ROLL_COUNT rolls of `bgfast.ROLLS`, and segment
# BGFAST_ROLL_COUNT * i + r has the successors of board i with roll r. Boards and rolls are checked as they are
# read: the first invalid board or roll ends the call with the result -2 - i for board i. A negative `number`
# counts as 0. Threads may divide a batch by calling with separate boards and buffers.

# Write the number of successors of each segment to `sizes`, unless it is NULL. Return their sum.
cdef int64_t count_batch(const int8_t *boards, const int8_t *dice, int64_t number, int64_t *sizes) noexcept nogil

# Write the rows of all segments one after another as `generate` does, the moves unless `moves` is NULL, and the
# number of rows of each segment unless `sizes` is NULL. Return the number of rows, or BGFAST_NO_ROOM if there are
# more than `room`. Unlike `generate`, nothing is written after the last row or beyond `room` rows; after a
# negative result the buffers are undefined. `scratch` has BGFAST_SCRATCH_WORDS.
cdef int64_t generate_batch(
    const int8_t *boards, const int8_t *dice, int64_t number, bint flip, int8_t *rows, uint64_t *moves,
    int64_t room, int64_t *sizes, uint64_t *scratch) noexcept nogil


# ---- networks ----

# Return the network of a `bgfast.Network`, or raise a TypeError for any other object. Requires the GIL.
#
# The pointer is borrowed: it is valid as long as the object exists, so store a reference next to the pointer, in a
# `cdef object` attribute or a local variable. Networks are immutable, so any number of threads may share one.
cdef const bgfast_network *network_of(object network) except NULL

# Write the BGFAST_PROBABILITIES probabilities of the mover; for a finished game, its result. Like all functions of
# networks, this returns the same bits as `bgfast.Network`.
cdef void evaluate(
    const bgfast_network *network, const bgfast_position *position, float *probabilities) noexcept nogil

# Return the equity, in points at cube 1, that BGFAST_PROBABILITIES probabilities give for the same player.
cdef float equity(const float *probabilities) noexcept nogil

# Write the best successor for the mover, from the next player's side, its moves as in `generate`, and its equity
# for the mover in points at cube 1; `moves` and `value` may be NULL. Return the number of successors. For a pass
# or a finished game it is 0, and the flipped position is written, with moves of -1. `successor` may be `position`
# itself. `scratch` has BGFAST_SCRATCH_WORDS.
cdef int best_successor(
    const bgfast_network *network, const bgfast_position *position, int die1, int die2, bgfast_position *successor,
    uint64_t *moves, float *value, uint64_t *scratch) noexcept nogil

# Batch versions: `boards` has `number` rows of BGFAST_BOARD_SIZE numbers, `dice` a pair for each board. Boards and
# rolls are checked as they are read: the first invalid board or roll ends the call with the result -2 - i for
# board i. Otherwise return `number`; a negative `number` counts as 0. The output per board is BGFAST_PROBABILITIES
# probabilities, or a successor of BGFAST_BOARD_SIZE numbers; `moves` and `values` may be NULL. Nothing is written
# after the last element.
cdef int64_t evaluate_batch(
    const bgfast_network *network, const int8_t *boards, int64_t number, float *probabilities) noexcept nogil
cdef int64_t best_successor_batch(
    const bgfast_network *network, const int8_t *boards, const int8_t *dice, int64_t number, int8_t *successors,
    uint64_t *moves, float *values, uint64_t *scratch) noexcept nogil
