# Plays under any rules: the generator of the `standard` rules where the switches cannot matter in this turn, the
# same with a filter where only stack_max matters, `_search_levels` otherwise.

from libc.string cimport memcpy

from bgfast.core.board.row cimport bg_negated


cdef inline bint _may_bear_off(Masks own, int a, int b) noexcept nogil:
    """Return whether all checkers can be home while a die is left, if no point is blocked; a >= b.

    Otherwise nothing can be borne off or forfeited, and only stack_max can differ from `standard`.
    """
    cdef uint32_t outside = own.one & OUTSIDE
    if outside == 0:
        return True
    if a != b:   # one die brings one checker home
        return outside & (outside - 1) == 0 and (own.two & OUTSIDE) == 0 and (outside >> a) & OUTSIDE == 0
    # Three dice bring them home: count the steps of each checker until it is inside.
    return own.four & OUTSIDE == 0 and (outside >> 3 * a) & OUTSIDE == 0 and (
        bg_popcount(outside) + bg_popcount(own.two & OUTSIDE) + bg_popcount(own.three & OUTSIDE)
        + bg_popcount(outside >> a & OUTSIDE) + bg_popcount(own.two >> a & OUTSIDE)
        + bg_popcount(outside >> 2 * a & OUTSIDE)) <= 3


cdef inline uint32_t _at_least(bg_row row, int n) noexcept nogil:
    """Return the points with at least n own checkers, all points if n <= 0."""
    return bg_greater(row, n - 1) & POINTS if n > 0 else POINTS


cdef inline uint32_t _points_that_may_overfill(
    const Rules *rules, Masks own, bg_row row, int a, int b,
) noexcept nogil:
    """Return the points that would exceed stack_max if every checker that can land there in this turn did."""
    cdef int limit = rules.stack_max
    cdef uint32_t once, twice
    if a != b:
        once = own.one >> a | own.one >> b | own.one >> (a + b)
        # Two on one point: one with each die.
        twice = own.one >> a & own.one >> b
        return once & _at_least(row, limit) | twice & _at_least(row, limit - 1)
    # A checker j * a pips behind uses j of the four dice.
    once = own.one >> a | own.one >> 2 * a | own.one >> 3 * a | own.one >> 4 * a
    twice = own.two >> a | own.one >> a & (own.one >> 2 * a | own.one >> 3 * a) | own.two >> 2 * a
    return (once & _at_least(row, limit) | twice & _at_least(row, limit - 1)
            | (own.three >> a | own.two >> a & own.one >> 2 * a) & _at_least(row, limit - 2)
            | own.four >> a & _at_least(row, limit - 3))


# ---- stack_max while no checker can be borne off ----------------------------------------------------------
#
# "no landing (move or entry) on a point that already holds n own checkers". Consider moves that are legal in some
# order without this limit. If no point holds more than n checkers at the start, some order obeys the limit if and
# only if no point holds more than n at the end:
# * A point above n at the end received a checker while it held n, whatever the order.
# * Otherwise let p be the lowest point that a remaining move leaves. If a checker is on p, it can move: no
#   remaining move leaves its landing point, which must hold at most n - 1 because it holds at most n at the end.
#   If p is empty, it waits for a checker from p + d, which may land there, as an empty point is open under any
#   limit; if p + d is empty, too, the same holds for p + 2d, and so on up to an occupied point.
# (Two different dice: at most one landing can need the other checker to leave first, and that move goes second.)
# Bar entries always come first, so their point must have room for all of them before any checker leaves it.
#
# A point above n is open only after at least two checkers have left it: never with two different dice, and with
# doubles only if a checker can arrive from behind with the remaining dice. Otherwise the point is closed.
#
# So the results are the `standard` ones without the rows above n. If none remains, L is smaller than without the
# limit, and `_search_levels` takes over.

ctypedef fused RowSink:
    Rows
    RowsMoves


cdef inline void _reorder_moves(const int8_t *board, int8_t *pairs, int moves, int limit) noexcept nogil:
    """Reorder the (from, to) pairs of a play to obey the limit: always move the lowest checker that can move."""
    cdef int8_t own[32]
    cdef int8_t source, target
    cdef int j, k, chosen
    memcpy(own, board, BOARD_SIZE)
    for j in range(moves):
        chosen = -1
        for k in range(j, moves):
            source, target = pairs[2 * k], pairs[2 * k + 1]
            if own[source] <= 0 or own[target] >= limit or (own[BAR] > 0 and source != BAR):
                continue
            if chosen < 0 or source < pairs[2 * chosen]:
                chosen = k
        if chosen < 0:
            return   # unreachable by the argument above
        source, target = pairs[2 * chosen], pairs[2 * chosen + 1]
        pairs[2 * chosen], pairs[2 * chosen + 1] = pairs[2 * j], pairs[2 * j + 1]
        pairs[2 * j], pairs[2 * j + 1] = source, target
        own[source] -= 1
        own[target] = max(own[target], 0) + 1


cdef void _reorder_plays(
    const int8_t *board, uint64_t *played, int n, uint32_t may_overfill, int limit,
) noexcept nogil:
    """Reorder the moves of each of n plays that lands on a point of `may_overfill`."""
    cdef int8_t *pairs
    cdef uint32_t landed
    cdef int i, moves
    for i in range(n):
        pairs = <int8_t *> &played[i]
        landed = 0
        moves = 0
        while moves < 4 and pairs[2 * moves] >= 0:
            landed |= 1U << pairs[2 * moves + 1]
            moves += 1
        if landed & may_overfill:
            _reorder_moves(board, pairs, moves, limit)


cdef int _filter_rows_under_limit(RowSink sink, int n, uint32_t full, int limit) noexcept nogil:
    """Drop the rows with more than `limit` checkers on a point outside `full`; return the number of the others."""
    cdef bint flipped = sink.tables == &FROM_NEXT
    cdef bg_row row
    cdef int i, remaining_rows = 0
    for i in range(n):
        row = bg_load_board(sink.rows + i * BOARD_SIZE)
        if flipped:
            row = bg_negated(row)
        if remaining_rows < i:
            memcpy(sink.rows + remaining_rows * BOARD_SIZE, sink.rows + i * BOARD_SIZE, BOARD_SIZE)
            if RowSink is RowsMoves:
                sink.moves[remaining_rows] = sink.moves[i]
        remaining_rows += bg_greater(row, limit) & POINTS & ~full == 0
    return remaining_rows


cdef inline uint32_t _full_points(const Rules *rules, const Root *root, bg_row row, int a, int b) noexcept nogil:
    """Return the points that own checkers close to landings; POINTS if that may change during this turn."""
    cdef uint32_t full = _at_least(row, rules.stack_max + 1)
    cdef int entry, entering
    if a != b:
        if root.own.one & BAR_BIT:
            full |= _at_least(row, rules.stack_max) & (BAR_BIT >> a | BAR_BIT >> b)
        return full
    if root.own.one >> a & full & ~_at_least(row, rules.stack_max + 3):
        return POINTS   # a checker from behind could land there after two or three have left
    if root.own.one >> 2 * a & full & ~_at_least(row, rules.stack_max + 2):
        return POINTS
    if root.own.one & BAR_BIT:
        entry = max(root.board[BAR - a], 0)
        entering = min(root.board[BAR], 4)
        if entry <= rules.stack_max < entry + entering:
            return POINTS
    return full


cdef int _plays_under_limit(
    RowSink sink, const Rules *rules, const Root *root, int a, int b, uint32_t may_overfill, uint32_t full,
) noexcept nogil:
    """Emit the plays where only stack_max matters; the points `full` are closed to landings."""
    cdef Root closed = root[0]
    cdef uint32_t full_in_rows = 0   # `full` from the side of the rows
    cdef uint32_t remaining = full
    cdef int n, remaining_rows
    closed.open &= ~full
    n = _plays(sink, &closed, a, b)
    if n == 0:
        return 0
    if sink.tables == &FROM_NEXT:
        while remaining:
            full_in_rows |= 1U << (BAR - bg_lowest(remaining))
            remaining &= remaining - 1
    else:
        full_in_rows = full
    remaining_rows = _filter_rows_under_limit(sink, n, full_in_rows, rules.stack_max)
    if remaining_rows == 0:
        return _search_levels(sink, rules, root, a, b)
    if RowSink is RowsMoves:
        _reorder_plays(root.board, sink.moves, remaining_rows, may_overfill, rules.stack_max)
    return remaining_rows


cdef int _count_plays_under_limit(
    Counter sink, const Rules *rules, const Root *root, bg_row row, int a, int b, uint32_t full,
) noexcept nogil:
    """Return the number of plays that `_plays_under_limit` emits; `row` is the board from the mover's side."""
    cdef Root closed = root[0]
    cdef int under_limit = 0
    closed.row = row
    closed.open &= ~full
    if _plays(_counter_under_limit(rules.stack_max, POINTS & ~full, &under_limit), &closed, a, b) == 0:
        return 0
    return under_limit if under_limit else _search_levels(sink, rules, root, a, b)


# ---- compulsory bear-offs ---------------------------------------------------------------------------------

cdef inline int _forced_bearoffs(Output sink, const Root *root, int a, int b) noexcept nogil:
    """Emit the only play if all checkers are home and every die bears off in any order; return 0 otherwise.

    "if die d can bear a checker off now, other moves with d do not exist": the play is forced.
    """
    cdef uint32_t own = root.own.one
    cdef Masks left = root.own
    cdef bg_row row = root.row
    cdef uint64_t played = 0
    cdef uint32_t first, second
    cdef int p, slot
    if a == b:
        for slot in range(4):
            first = _bearoff_point(left.one, a, root.bearoff_die)
            if first == 0:
                # No bear-off: other moves are possible, or no checker is left.
                return 0 if left.one else _emit_row(sink, 0, row, played | UNUSED[slot])
            p = bg_lowest(first)
            row = bg_add(row, sink.tables.step[a][2 * p])
            played |= MOVE[slot][a][p]
            left = _moved(left, first, a)
        return _emit_row(sink, 0, row, played)
    first = _bearoff_point(own, a, root.bearoff_die)
    if first == 0 or _bearoff_point(own, b, root.bearoff_die) == 0:
        return 0
    second = _bearoff_point(own & (~first | root.own.two), b, root.bearoff_die)
    if own & (own - 1) == 0 and not root.own.two:   # the last checker bears off with the higher die
        return _emit_row(sink, 0, bg_add(root.row, sink.tables.step[a][2 * bg_lowest(first)]),
                         MOVE[0][a][bg_lowest(first)] | UNUSED[1])
    if second == 0:
        return 0
    # The other order is legal as well and bears off the same two checkers: those on a and b or, where these points
    # are empty, the highest ones.
    row = bg_add(root.row, sink.tables.step[a][2 * bg_lowest(first)])
    return _emit_row(sink, 0, bg_add(row, sink.tables.step[b][2 * bg_lowest(second)]),
                     MOVE[0][a][bg_lowest(first)] | MOVE[1][b][bg_lowest(second)] | UNUSED[2])


# ---- any position -----------------------------------------------------------------------------------------

cdef inline BearoffDie _effective_bearoff_die(BearoffDie bearoff_die) noexcept nogil:
    return bearoff_die


cdef inline Root _root_under(const Rules *rules, const int8_t *board, bint flip) noexcept nogil:
    cdef Root root = _root(board, flip)
    root.bearoff_die = rules.bearoff_die
    return root


cdef int _plays_under(Output sink, const Rules *rules, const Root *root, int die1, int die2) noexcept nogil:
    cdef int a = max(die1, die2)
    cdef int b = min(die1, die2)
    cdef bg_row row = root.row
    cdef uint32_t may_overfill = 0
    cdef uint32_t full
    cdef int n
    if root.over:
        return 0
    if rules.bearoff_compulsory and not rules.forfeit and root.own.one & OUTSIDE == 0:
        n = _forced_bearoffs(sink, root, a, b)
        if n:
            return n
    if rules.stack_max:
        row = bg_load_board(root.board)
        may_overfill = _points_that_may_overfill(rules, root.own, row, a, b)
    if _may_bear_off(root.own, a, b) and (may_overfill or rules.changes_bearoff):
        if may_overfill or rules.bearoff_compulsory or rules.forfeit and rules.bearoff_die != BEAROFF_EXACT:
            return _search_levels(sink, rules, root, a, b)
        if rules.forfeit:
            return _plays_or_forfeits(sink, root, a, b)
        return _plays(sink, root, a, b)
    if may_overfill == 0:
        return _plays(sink, root, a, b)
    full = _full_points(rules, root, row, a, b)
    if full == POINTS:
        return _search_levels(sink, rules, root, a, b)
    if Output is Counter:
        return _count_plays_under_limit(sink, rules, root, row, a, b, full)
    else:
        return _plays_under_limit(sink, rules, root, a, b, may_overfill, full)
