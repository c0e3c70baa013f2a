"""Rules other than `standard` for the generator, with its workspace.

Wherever the core takes `const Rules *rules`, NULL stands for the `standard` rules.
"""

from libc.stdint cimport int8_t, uint16_t, uint64_t

cdef enum BearoffDie:
    BEAROFF_STANDARD = 0
    BEAROFF_EXACT = 1
    BEAROFF_REARMOST = 2

cdef enum:
    # Positions reachable with 0, 1, ... dice of a roll. The number of moves of each of the 15 checkers determines
    # a position after doubles: 1 + 15 + 120 + 680 + 3060. If a die may be forfeited, moves leave at most 9 points
    # (see levels.pyx), which gives fewer. Two different dice: 1 + 2 * 16 + 240. One more holds a position until it
    # is looked up.
    MAX_NODES = 3877
    # Hash table of positions: a power of two above twice the positions of a level.
    TABLE_SIZE = 8192


# A position in the middle of a turn.
cdef struct Node:
    int8_t point[32]   # mover's side
    uint64_t key       # equal for equal positions
    uint64_t played    # the moves so far, a forfeit as (d, d)
    uint16_t index     # in the table of the workspace
    int8_t used        # dice used, forfeits included
    int8_t forfeits    # minimum over all paths


cdef struct Workspace:
    Node nodes[MAX_NODES]
    uint16_t table[TABLE_SIZE]          # node index + 1, or 0 if free; all free between calls


cdef struct Rules:
    BearoffDie bearoff_die
    bint bearoff_compulsory
    bint forfeit
    int stack_max           # 1..14, or 0 if there is no limit
    Workspace *workspace    # for one thread at a time


# Rules and workspace of a thread.
cdef class GeneratorRules:
    cdef Rules rules
    cdef const Rules *get(self) noexcept nogil
