"""Portable generator for rules other than `standard`, following section 1 of docs/RULES.md.

A breadth-first search over the positions reachable with 0, 1, 2, ... dice, with one node for each position and
set of dice.

The continuations of a turn depend on the position and the unused dice only, not on the path. So each position is
stored once, with a path that has the fewest forfeits:
* L, "the greatest number of dice used by any sequence made of ordinary moves only", is the greatest number of
  dice of a node without forfeits;
* legal plays end at nodes with L or more dice that also meet conditions (1) and (3) of docs/RULES.md;
* the path with the fewest forfeits to a result is among those stored.

No buffer overflows. Without forfeits, the number of moves of each checker determines the position, so doubles have
at most C(18, 4) results, as under `standard`. A forfeit requires all checkers home, so at most three of them were
outside and came home in three moves: a turn plays from at most 6 + 3 points and has at most C(9 + 4, 4) = 715
results. With two different dice, at most one checker was outside, which allows at most 7 * 8 * 2 + 2 * 7 + 1
= 127 results; without forfeits, 15 * 14 pairs of checkers and 2 * 15 runs of one checker, as under `standard`.
"""

cimport cython
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport uint16_t
from libc.string cimport memcmp, memset

from bgfast.core.board cimport CHECKERS
from bgfast.core.random_stream cimport stream_next
from bgfast.core.row cimport bg_greater, bg_highest
from bgfast.core.generator.kernels cimport (
    BEAROFF_EXACT, BEAROFF_STANDARD, TABLE_SIZE, BearoffDie, Node, Rules, Workspace,
)

include "sinks.pxi"


@cython.final
cdef class GeneratorRules:
    """Rules and workspace of a thread.

    `switches` comes from `bgfast.common.validation.generator_switches`; None stands for `standard`.
    """

    def __cinit__(self, switches):
        if switches is None:
            return
        self.rules.bearoff_die, self.rules.bearoff_compulsory, self.rules.forfeit, self.rules.stack_max = switches
        if self.rules.stack_max >= CHECKERS:
            self.rules.stack_max = 0
            if switches == (BEAROFF_STANDARD, False, False, switches[3]):
                return   # no point can become too full
        self.rules.workspace = <Workspace *> PyMem_RawMalloc(sizeof(Workspace))
        if self.rules.workspace == NULL:
            raise MemoryError
        # Nodes are written before they are read; clearing their 300 KB would take longer than a call.
        memset(self.rules.workspace.table, 0, sizeof(self.rules.workspace.table))

    def __dealloc__(self):
        PyMem_RawFree(self.rules.workspace)

    cdef const Rules *get(self) noexcept nogil:
        return &self.rules if self.rules.workspace != NULL else NULL


cdef struct Root:
    const int8_t *board
    bg_row row    # seen from the same side as the successors' rows
    bint is_over


cdef inline Root _root(const int8_t *board, bint flip) noexcept nogil:
    """Read the 26 numbers of a board; `row` is from the next player's side if `flip`."""
    cdef Root root
    cdef bg_row row = bg_load_board(board)
    root.board = board
    root.is_over = bg_greater(row, 0) == 0 or ~bg_greater(row, -1) == 0
    root.row = bg_load_flipped(board) if flip else row
    return root


cdef uint64_t STEP_KEY[7][64]   # STEP_KEY[die][2 * p + hit]: the change of the position's key by a move


cdef void _fill_step_keys() noexcept:
    """Fill `STEP_KEY`. The key is linear in the 26 numbers, so it does not depend on the path."""
    cdef uint64_t weights[32]
    cdef uint64_t state = 0
    cdef uint64_t landing_key
    cdef int die, p, hit
    for p in range(32):
        weights[p] = stream_next(&state)
    for die in range(1, 7):
        for p in range(1, BAR + 1):
            for hit in range(2):
                landing_key = (1 + hit) * weights[max(p - die, 0)] - hit * weights[0] if p > die else 0
                STEP_KEY[die][2 * p + hit] = landing_key - weights[p]

_fill_step_keys()


cdef inline uint32_t _bearoff_point(uint32_t own, int die, BearoffDie bearoff_die) noexcept nogil:
    """Return the point from which `die` bears off when all checkers are home, as a bit, or 0."""
    cdef uint32_t rearmost = 1U << bg_highest(own)
    # "exact: from point d only"; "standard: from point d, or from the highest occupied point r if r < d"
    if bearoff_die == BEAROFF_EXACT or bearoff_die == BEAROFF_STANDARD and own >> die & 1:
        return own & 1U << die
    # "rearmost: only from r, if d >= r; no other checker ever bears off"
    return rearmost if rearmost <= 1U << die else 0


cdef inline uint32_t _ordinary_sources(const Rules *rules, bg_row row, int die) noexcept nogil:
    """Return the points from which `die` has an ordinary move; `row` is the board from the mover's side."""
    cdef uint32_t own = bg_greater(row, 0)
    cdef uint32_t landable = bg_greater(row, -2) & POINTS
    cdef uint32_t sources, off
    # "landable(q): opponent has at most one checker on q, and (stack_max == 0 or own[q] < stack_max)"
    if rules.stack_max:
        landable &= ~bg_greater(row, rules.stack_max - 1)
    # "bar occupied: only bar -> 25-d, if landable"
    if own & BAR_BIT:
        return BAR_BIT & (landable << die)
    sources = own & (landable << die)
    # "bearing off only when no own checker is on 7..24 or on the bar"
    if own & OUTSIDE or own == 0:
        return sources
    off = _bearoff_point(own, die, rules.bearoff_die)
    # "if die d can bear a checker off now, other moves with d do not exist"
    return off if rules.bearoff_compulsory and off else sources | off


cdef inline bint _may_forfeit(const Rules *rules, bg_row row, int die) noexcept nogil:
    cdef uint32_t own = bg_greater(row, 0)
    # "F(d) is allowed when no own checker is on the bar or on 7-24, at least one is on the board, and own[d] == 0"
    return rules.forfeit and own != 0 and own & (OUTSIDE | 1U << die) == 0


cdef inline int _find_or_add(Workspace *space, int n, uint64_t key) noexcept nogil:
    """Return the node in the table with the position of node `n`; add `n` and return it if there is none."""
    cdef uint32_t index = <uint32_t> (key >> 40) & (TABLE_SIZE - 1)
    cdef int other
    while space.table[index]:
        other = space.table[index] - 1
        if space.nodes[other].key == key and memcmp(
                space.nodes[other].point, space.nodes[n].point, BOARD_SIZE) == 0:
            return other
        index = (index + 1) & (TABLE_SIZE - 1)
    space.table[index] = <uint16_t> (n + 1)
    space.nodes[n].index = <uint16_t> index
    return n


cdef inline void _remove(Workspace *space, int first, int last) noexcept nogil:
    """Remove the nodes from `first` to `last` - 1 from the table."""
    cdef int i
    for i in range(first, last):
        space.table[space.nodes[i].index] = 0


cdef inline int _add_node(
    Workspace *space, int n, const Node *before, bg_row row, uint64_t key, uint64_t move, int forfeits,
    bint first,
) noexcept nogil:
    """Store a position as node `n` unless the table already has it; return the number of nodes."""
    cdef Node *node = &space.nodes[n]
    cdef int match
    bg_store(node.point, row)
    node.key = key
    match = n if first else _find_or_add(space, n, key)
    if match == n or forfeits < space.nodes[match].forfeits:
        space.nodes[match].played = before.played | move
        space.nodes[match].used = before.used + 1
        space.nodes[match].forfeits = <int8_t> forfeits
    return n + (match == n)


cdef int _next_level(const Rules *rules, int n, int begin, int end, int die, bint first) noexcept nogil:
    """Expand nodes `begin` to `end` - 1 by `die`, adding nodes from index `n`; return the new node count.

    Positions already in the table get no second node. Positions after the first die bypass the table,
    since the moves of one die from one position all have different results.
    """
    cdef Workspace *space = rules.workspace
    cdef const Node *node
    cdef bg_row row
    cdef uint32_t sources, hits
    cdef int i, p, step
    for i in range(begin, end):
        node = &space.nodes[i]
        row = bg_load_board(node.point)
        sources = _ordinary_sources(rules, row, die)
        # "hit: opponent has exactly one checker on q"
        hits = (bg_greater(row, -2) & ~bg_greater(row, -1) & POINTS) << die
        if _may_forfeit(rules, row, die):
            n = _add_node(space, n, node, row, node.key,
                          BG_MOVE(node.used, <uint64_t> die, <uint64_t> die), node.forfeits + 1, first)
        while sources:
            p = bg_lowest(sources)
            sources &= sources - 1
            step = 2 * p + ((hits >> p) & 1)
            n = _add_node(space, n, node, bg_add(row, FROM_MOVER.step[die][step]),
                          node.key + STEP_KEY[die][step], MOVE[node.used][die][p], node.forfeits, first)
    return n


cdef inline bint _any_without_forfeit(const Workspace *space, int begin, int end) noexcept nogil:
    """Return whether one of these nodes was reached by ordinary moves only."""
    cdef int i
    for i in range(begin, end):
        if space.nodes[i].forfeits == 0:
            return True
    return False


cdef int _emit_nodes(Sink sink, const Workspace *space, int begin, int end) noexcept nogil:
    """Emit one successor for each of these nodes except those with `used` -1."""
    cdef const Node *node
    cdef int i, n = 0
    for i in range(begin, end):
        node = &space.nodes[i]
        if node.used >= 0:
            n = _emit_row(
                sink, n,
                bg_load_flipped(node.point) if sink.tables == &FROM_NEXT else bg_load_board(node.point),
                node.played | UNUSED[node.used])
    return n


cdef int _emit_legal(Sink sink, Workspace *space, int n) noexcept nogil:
    """Emit one successor for each distinct position of the first n nodes except those with `used` -1."""
    cdef int i
    for i in range(n):
        # A position's first node has the fewest forfeits: later nodes use more dice for the same number of moves.
        if space.nodes[i].used >= 0 and _find_or_add(space, i, space.nodes[i].key) < i:
            space.nodes[i].used = -1
    for i in range(n):
        if space.nodes[i].used >= 0:
            space.table[space.nodes[i].index] = 0
    return _emit_nodes(sink, space, 0, n)


cdef int _search_double(Sink sink, const Rules *rules, int die) noexcept nogil:
    cdef Workspace *space = rules.workspace
    cdef int[6] begin
    cdef int dice, longest = 0, i
    begin[0], begin[1] = 0, 1
    for dice in range(1, 5):
        begin[dice + 1] = _next_level(rules, begin[dice], begin[dice - 1], begin[dice], die, dice == 1)
        if dice > 1:
            _remove(space, begin[dice], begin[dice + 1])
        if _any_without_forfeit(space, begin[dice], begin[dice + 1]):
            longest = dice
    if longest == 0:
        return 0   # "L == 0: there is no legal play, the turn passes (forfeits are not listed)"
    if longest == 4 or not rules.forfeit:
        return _emit_nodes(sink, space, begin[longest], begin[longest + 1])
    for i in range(begin[4]):
        # "(2) it used at least L dice", "(1) none of its unused dice has an ordinary move in its final state"
        if space.nodes[i].used < longest or _ordinary_sources(rules, bg_load_board(space.nodes[i].point), die):
            space.nodes[i].used = -1
    return _emit_legal(sink, space, begin[5])


cdef int _search_two_dice(Sink sink, const Rules *rules, int a, int b) noexcept nogil:
    cdef Workspace *space = rules.workspace
    cdef int end_a, end_b, end_both, i
    cdef bint can_play_higher
    end_a = _next_level(rules, 1, 0, 1, a, True)
    end_b = _next_level(rules, end_a, 0, 1, b, True)
    end_both = _next_level(rules, end_b, 1, end_a, b, False)
    end_both = _next_level(rules, end_both, end_a, end_b, a, False)
    _remove(space, end_b, end_both)
    if _any_without_forfeit(space, end_b, end_both):
        return _emit_nodes(sink, space, end_b, end_both)
    # "(3) when L == 1 on a non-double and it used one die: that die is the higher of those that had an ordinary
    # move at the start of the turn"
    can_play_higher = _any_without_forfeit(space, 1, end_a)
    if not can_play_higher and not _any_without_forfeit(space, end_a, end_b):
        return 0   # "L == 0: there is no legal play, the turn passes (forfeits are not listed)"
    if not rules.forfeit:
        return _emit_nodes(sink, space, 1, end_a) if can_play_higher else _emit_nodes(sink, space, end_a, end_b)
    for i in range(end_b):
        # "(1) none of its unused dice has an ordinary move in its final state"
        if (i == 0 or (i < end_a) != can_play_higher
                or _ordinary_sources(rules, bg_load_board(space.nodes[i].point), b if can_play_higher else a)):
            space.nodes[i].used = -1
    return _emit_legal(sink, space, end_both)


cdef int _plays(Sink sink, const Rules *rules, const Root *root, int die1, int die2) noexcept nogil:
    cdef Node *start = &rules.workspace.nodes[0]
    if root.is_over:
        return 0
    bg_store(start.point, bg_load_board(root.board))
    start.key = 0
    start.played = 0
    start.used = 0
    start.forfeits = 0
    if die1 == die2:
        return _search_double(sink, rules, die1)
    return _search_two_dice(sink, rules, max(die1, die2), min(die1, die2))


include "batches.pxi"
