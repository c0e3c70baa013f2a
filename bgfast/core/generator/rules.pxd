"""The rules other than `standard` as the generator takes them, with the memory that it needs for them.

Wherever the core takes `const Rules *rules`, NULL stands for the `standard` rules.
"""

from libc.stdint cimport int8_t, uint16_t, uint64_t

cdef enum BearoffDie:
    BEAROFF_STANDARD = 0
    BEAROFF_EXACT = 1
    BEAROFF_REARMOST = 2

cdef enum:
    # Positions that a roll can reach with 0, 1, ... of its dice, all of them together. Moves with one die of a
    # double: a position says no more than how often each of the 15 checkers has moved, 1 + 15 + 120 + 680 + 3060.
    # Where a die may be forfeited at most 9 points can be moved from (see levels.pxi), which are fewer. Two
    # dice: 1 + 2 * 16 + 240. One more, which turns out to be there already.
    MAX_NODES = 3877
    # Of the hash table of positions: a power of two above twice the positions of one number of dice.
    TABLE_SIZE = 8192


# A position in the middle of a turn.
cdef struct Node:
    int8_t point[32]   # mover's side
    uint64_t key       # the same for equal positions
    uint64_t played    # the moves up to here, forfeits as (d, d)
    uint16_t index     # in the table of the workspace
    int8_t used        # dice, forfeited ones among them
    int8_t forfeits    # as few as possible


cdef struct Workspace:
    Node nodes[MAX_NODES]
    uint16_t table[TABLE_SIZE]          # node + 1, or 0: free. All free between two calls


cdef struct Rules:
    BearoffDie bearoff_die
    bint bearoff_compulsory
    bint forfeit
    int stack_max           # 0, or 1..14: with 15 checkers a side a greater one limits nothing
    bint changes_bearoff    # whether anything but stack_max differs from `standard`
    Workspace *workspace    # for one thread at a time


# The rules of one call from Python, with the memory for its thread.
cdef class HeldRules:
    cdef Rules rules
    cdef const Rules *get(self) noexcept nogil
