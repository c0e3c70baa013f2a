"""Generator of all legal plays of one position and roll under the `standard` rules.

Compiled into `portable.pyx` (any processor) and `x86_v3.pyx` (x86-64 processors with AVX2, BMI and POPCNT);
`generator.pyx` selects the build at import. levels.pyx handles other rules. Quotations are from docs/RULES.md.

Overview:
1. The root board becomes bit masks (bit p = point p): points with at least 1, 2, 3, 4 own checkers, opposing
   blots, open points.
2. A move updates a few of these masks. A successor's row is the root's row plus a precomputed difference row for
   each move.
3. The enumeration reaches each result exactly once, so results are never compared with each other. The proofs are
   at `Doubles`, `_pairs` and `_bearoff_plays`.
4. As many dice as possible must be played: doubles fall back from four moves to three, two and one, and two
   different dice to one move with the higher playable die.
5. A `Sink` of sinks.pxi selects the output (count, rows, rows and moves); Cython compiles the code once for each.
"""

from bgfast.core.row cimport bg_greater, bg_highest
from bgfast.core.generator.kernels cimport Rules

cdef enum:
    # Rows stored per test of the loop condition.
    BATCH_DOUBLES = 3
    BATCH_TWO_DICE = 6


# ---- masks ------------------------------------------------------------------------------------------------

cdef struct Masks:
    # Points where the mover has at least 1, 2, 3, 4 checkers.
    uint32_t one, two, three, four

cdef struct Root:
    bg_row row        # from the side of the successors' rows
    Masks own
    uint32_t blots    # points with exactly one opposing checker
    uint32_t open     # points where the mover may land
    bint is_over


cdef inline Root _root(const int8_t *board, bint flip) noexcept nogil:
    """Read the 26 numbers of a board; `row` is from the next player's side if `flip`."""
    cdef Root root
    cdef bg_row row = bg_load_board(board)
    cdef uint32_t opponent, blocked
    root.own.one = bg_greater(row, 0)
    root.own.two = bg_greater(row, 1)
    root.own.three = bg_greater(row, 2)
    root.own.four = bg_greater(row, 3)
    opponent = ~bg_greater(row, -1)
    blocked = ~bg_greater(row, -2)
    root.blots = opponent & ~blocked & POINTS
    root.open = POINTS & ~blocked
    # Bits 26..31 of `opponent` are clear, since the padding is 0.
    root.is_over = root.own.one == 0 or opponent == 0
    root.row = bg_load_flipped(board) if flip else row
    return root


cdef inline Masks _move_checker(Masks own, uint32_t source, int die) noexcept nogil:
    """Return the masks after one checker moves from the bit `source`; `four` may miss a point that still has four.

    Each move of a play needs one mask fewer than the move before it, so four masks suffice for four moves.
    Bit 0, where a borne-off checker would land, stays clear.
    """
    cdef Masks after
    cdef uint32_t target = (source >> die) & ~1U
    after.one = (own.one & (~source | own.two)) | target
    after.two = (own.two & (~source | own.three)) | (target & own.one)
    after.three = (own.three & (~source | own.four)) | (target & own.two)
    after.four = (own.four & ~source) | (target & own.three)
    return after


cdef inline uint32_t _sources(uint32_t own, uint32_t landings, int die) noexcept nogil:
    """Return the points from which a checker may move with `die` if none is on the bar.

    `landings` are the points from which `die` lands on an open point of the board.
    """
    cdef uint32_t exact
    if own & OUTSIDE:
        return own & landings
    # All home: "from point d, or from the highest occupied point r if r < d".
    exact = 1U << die
    if own & ~((exact << 1) - 1):   # a checker is above the die's point
        return own & (landings | exact)
    return 1U << bg_highest(own) if own else 0


cdef inline uint32_t _bearoff_point(uint32_t own, int die) noexcept nogil:
    """Return the point from which `die` bears off when all checkers are home, as a bit, or 0."""
    cdef uint32_t exact = 1U << die
    if own & exact:
        return exact
    if own == 0 or own & ~((exact << 1) - 1):
        return 0
    return 1U << bg_highest(own)


# ---- doubles ----------------------------------------------------------------------------------------------
#
# Sources are taken in non-increasing order, so each multiset of sources is reached once. No play is missed: a
# play can always be reordered so that the rear checkers move first (own landings never obstruct, and a bear-off
# requires only that the rear checkers have moved). No result is reached twice: counted from the rear, the final
# position determines how many checkers left each point, and thus the multiset.

cdef struct Doubles:
    int die
    uint32_t landings        # points from which the die lands on an open point
    const bg_row *step


cdef inline uint32_t _up_to(uint32_t source) noexcept nogil:
    """Return the bits up to and including `source`."""
    return source | (source - 1)


cdef inline int _one_move(
    Sink sink, int n, const Doubles *roll, const bg_row *base, Masks own, uint32_t hits, uint32_t allowed,
    uint64_t played, int slot,
) noexcept nogil:
    """Emit the plays that end with one move from the points `allowed`."""
    cdef uint32_t sources = _sources(own.one, roll.landings, roll.die) & allowed
    return _emit(
        sink, n, base, roll.step, sources, hits,
        played | UNUSED[slot + 1], MOVE[slot][roll.die], BATCH_DOUBLES,
    )


cdef inline int _two_moves(
    Sink sink, int n, const Doubles *roll, const bg_row *base, Masks own, uint32_t hits, uint32_t allowed,
    uint64_t played, int slot,
) noexcept nogil:
    cdef uint32_t sources = _sources(own.one, roll.landings, roll.die) & allowed
    cdef uint32_t source, outside
    cdef bg_row row
    cdef int p, k
    if Sink is Counter:
        outside = own.one & OUTSIDE
        if outside & (outside - 1) or own.two & OUTSIDE:
            # Two or more checkers are outside, so neither move bears off; count pairs of sources in closed form.
            # A pair is two different points, one point twice, or a point and its landing point. The last is new
            # only if the landing point was empty: an occupied one is already a source.
            k = bg_popcount(sources)
            return n + (k * (k - 1) >> 1) + bg_popcount(sources & own.two) + bg_popcount(
                (sources >> roll.die) & ~own.one & roll.landings)
    while sources:
        source = sources & (0 - sources)
        sources ^= source
        p = bg_lowest(source)
        if Sink is not Counter:
            row = bg_add(base[0], roll.step[2 * p + ((hits >> p) & 1)])
        n = _one_move(sink, n, roll, &row, _move_checker(own, source, roll.die), hits & ~source, _up_to(source),
                      played | MOVE[slot][roll.die][p], slot + 1)
    return n


cdef inline int _three_moves(
    Sink sink, int n, const Doubles *roll, const bg_row *base, Masks own, uint32_t hits, uint32_t allowed,
    uint64_t played, int slot,
) noexcept nogil:
    cdef uint32_t sources = _sources(own.one, roll.landings, roll.die) & allowed
    cdef uint32_t source
    cdef bg_row row
    cdef int p
    while sources:
        source = sources & (0 - sources)
        sources ^= source
        p = bg_lowest(source)
        if Sink is not Counter:
            row = bg_add(base[0], roll.step[2 * p + ((hits >> p) & 1)])
        n = _two_moves(sink, n, roll, &row, _move_checker(own, source, roll.die), hits & ~source, _up_to(source),
                       played | MOVE[slot][roll.die][p], slot + 1)
    return n


cdef inline int _four_moves(
    Sink sink, int n, const Doubles *roll, const bg_row *base, Masks own, uint32_t hits, uint32_t allowed,
    uint64_t played, int slot,
) noexcept nogil:
    cdef uint32_t sources = _sources(own.one, roll.landings, roll.die) & allowed
    cdef uint32_t source
    cdef bg_row row
    cdef int p
    while sources:
        source = sources & (0 - sources)
        sources ^= source
        p = bg_lowest(source)
        if Sink is not Counter:
            row = bg_add(base[0], roll.step[2 * p + ((hits >> p) & 1)])
        n = _three_moves(sink, n, roll, &row, _move_checker(own, source, roll.die), hits & ~source, _up_to(source),
                         played | MOVE[slot][roll.die][p], slot + 1)
    return n


cdef int _doubles(Sink sink, const Root *root, int die) noexcept nogil:
    cdef Doubles roll
    cdef Masks own = root.own
    cdef bg_row row = root.row
    cdef uint32_t hits = root.blots << die
    cdef uint64_t played = 0
    cdef int slot = 0
    cdef int n = 0
    cdef int moves
    roll.die = die
    roll.landings = root.open << die
    roll.step = sink.tables.step[die]
    # "bar occupied: only bar -> 25-d, if landable": the entries are forced and come first.
    while own.one & BAR_BIT and slot < 4:
        if not roll.landings & BAR_BIT:
            return 0
        row = bg_add(row, roll.step[2 * BAR + ((hits >> BAR) & 1)])
        own = _move_checker(own, BAR_BIT, die)
        hits &= ~BAR_BIT
        played |= MOVE[slot][die][BAR]
        slot += 1
    moves = 4 - slot
    while n == 0 and moves > 0:
        if moves == 4:
            n = _four_moves(sink, n, &roll, &row, own, hits, POINTS, played, slot)
        elif moves == 3:
            n = _three_moves(sink, n, &roll, &row, own, hits, POINTS, played, slot)
        elif moves == 2:
            n = _two_moves(sink, n, &roll, &row, own, hits, POINTS, played, slot)
        else:
            n = _one_move(sink, n, &roll, &row, own, hits, POINTS, played, slot)
        moves -= 1
    if n == 0 and slot:   # only the entries are possible
        n = _emit_row(sink, n, row, played | UNUSED[slot])
    return n


# ---- two different dice -----------------------------------------------------------------------------------

cdef struct Dice:
    int a, b                             # a > b
    const bg_row *step_a
    const bg_row *step_b
    const bg_row *step_ab                # one checker with both dice
    uint32_t landings_a, landings_b      # points from which the die lands on an open point
    uint32_t hits_a, hits_b              # points from which the die lands on a blot


cdef inline int _pairs(Sink sink, int n, const Root *root, const Dice *dice) noexcept nogil:
    """Emit the plays that move two checkers, one with each die; none is on the bar.

    Different pairs (from i by a, from j by b) give different results unless one checker could play both dice,
    that is j = i - a or i = j - b; `_runs` emits these plays.
    """
    cdef uint32_t sources_a = root.own.one & dice.landings_a
    cdef uint32_t sources_b = root.own.one & dice.landings_b
    cdef uint32_t source, sources
    cdef bg_row row
    cdef int p
    if Sink is Counter:
        n += (
            bg_popcount(sources_a) * bg_popcount(sources_b)
            - bg_popcount(sources_a & sources_b & ~root.own.two)
            - bg_popcount(sources_a & (sources_b << dice.a))
            - bg_popcount(sources_a & (sources_b >> dice.b))
        )
    else:
        while sources_a:
            source = sources_a & (0 - sources_a)
            sources_a ^= source
            p = bg_lowest(source)
            sources = sources_b & ~((source >> dice.a) | (source << dice.b) | (source & ~root.own.two))
            row = bg_add(root.row, dice.step_a[2 * p + ((dice.hits_a >> p) & 1)])
            # A blot on which both checkers land is hit once, by the first.
            n = _emit(sink, n, &row, dice.step_b, sources, dice.hits_b & ~((source >> dice.a) << dice.b),
                      MOVE[0][dice.a][p] | UNUSED[2], MOVE[1][dice.b], BATCH_TWO_DICE)
    return n


cdef inline uint64_t _run_moves(int p, int first, int second) noexcept nogil:
    return BG_MOVE(0, <uint64_t> p, <uint64_t> (p - first)) | BG_MOVE(
        1, <uint64_t> (p - first), <uint64_t> (p - first - second)) | UNUSED[2]


cdef inline int _runs(
    Sink sink, int n, const Root *root, const Dice *dice, uint32_t runners,
) noexcept nogil:
    """Emit the plays that move one checker of `runners` with both dice.

    A checker has at most one result without a hit on the way, and one more for each stop where it hits.

    If the stop is an own point, two checkers that move one die each give the same result.
    """
    cdef uint32_t runs = runners & (root.open << (dice.a + dice.b))
    cdef uint32_t runs_a = runs & dice.landings_a
    cdef uint32_t runs_b = runs & dice.landings_b
    cdef uint32_t quiet_runs_a = runs_a & ~dice.hits_a
    cdef uint32_t quiet_runs = quiet_runs_a | (runs_b & ~dice.hits_b)
    cdef uint32_t hits = root.blots << (dice.a + dice.b)
    cdef uint32_t hit_runs_a = runs_a & dice.hits_a
    cdef uint32_t hit_runs_b = runs_b & dice.hits_b
    cdef bg_row row
    cdef int p
    if Sink is Counter:
        n += bg_popcount(quiet_runs) + bg_popcount(hit_runs_a) + bg_popcount(hit_runs_b)
    else:
        while quiet_runs:
            p = bg_lowest(quiet_runs)
            quiet_runs &= quiet_runs - 1
            n = _emit_row(
                sink, n, bg_add(root.row, dice.step_ab[2 * p + ((hits >> p) & 1)]),
                _run_moves(p, dice.a, dice.b) if (quiet_runs_a >> p) & 1 else _run_moves(p, dice.b, dice.a))
        while hit_runs_a:
            p = bg_lowest(hit_runs_a)
            hit_runs_a &= hit_runs_a - 1
            row = bg_add(root.row, sink.tables.hit[p - dice.a])
            n = _emit_row(sink, n, bg_add(row, dice.step_ab[2 * p + ((hits >> p) & 1)]),
                          _run_moves(p, dice.a, dice.b))
        while hit_runs_b:
            p = bg_lowest(hit_runs_b)
            hit_runs_b &= hit_runs_b - 1
            row = bg_add(root.row, sink.tables.hit[p - dice.b])
            n = _emit_row(sink, n, bg_add(row, dice.step_ab[2 * p + ((hits >> p) & 1)]),
                          _run_moves(p, dice.b, dice.a))
    return n


cdef int _bar_plays(Sink sink, const Root *root, const Dice *dice) noexcept nogil:
    """Emit the plays of two different dice with a checker on the bar. None of them can bear off."""
    cdef uint32_t own = root.own.one & POINTS
    cdef uint32_t sources
    cdef bint can_enter_a = (dice.landings_a & BAR_BIT) != 0
    cdef bint can_enter_b = (dice.landings_b & BAR_BIT) != 0
    cdef bg_row row_a = bg_add(root.row, dice.step_a[2 * BAR + ((dice.hits_a >> BAR) & 1)])
    cdef bg_row row_b = bg_add(root.row, dice.step_b[2 * BAR + ((dice.hits_b >> BAR) & 1)])
    cdef int n = 0
    if root.own.two & BAR_BIT:
        # Two checkers must enter; if only one can, the play ends there.
        if can_enter_a and can_enter_b:
            return _emit_row(
                sink, n, bg_add(row_a, dice.step_b[2 * BAR + ((dice.hits_b >> BAR) & 1)]),
                MOVE[0][dice.a][BAR] | MOVE[1][dice.b][BAR] | UNUSED[2])
    else:
        # Enter with one die, then move another checker. As in `_pairs`, `_runs` emits the plays of
        # one checker, and a blot on which both land is hit by the entering checker.
        if can_enter_a:
            sources = own & dice.landings_b & ~(BAR_BIT >> dice.a)
            n = _emit(sink, n, &row_a, dice.step_b, sources, dice.hits_b & ~((BAR_BIT >> dice.a) << dice.b),
                      MOVE[0][dice.a][BAR] | UNUSED[2], MOVE[1][dice.b], BATCH_TWO_DICE)
        if can_enter_b:
            sources = own & dice.landings_a & ~(BAR_BIT >> dice.b)
            n = _emit(sink, n, &row_b, dice.step_a, sources, dice.hits_a & ~((BAR_BIT >> dice.b) << dice.a),
                      MOVE[0][dice.b][BAR] | UNUSED[2], MOVE[1][dice.a], BATCH_TWO_DICE)
        n = _runs(sink, n, root, dice, BAR_BIT)
    if n:
        return n
    # "when L == 1 on a non-double ... that die is the higher of those that had an ordinary move"
    if can_enter_a:
        return _emit_row(sink, n, row_a, MOVE[0][dice.a][BAR] | UNUSED[1])
    if can_enter_b:
        return _emit_row(sink, n, row_b, MOVE[0][dice.b][BAR] | UNUSED[1])
    return 0


cdef inline bint _at_most_one_outside(Masks own) noexcept nogil:
    """Return whether at most one checker is outside home: only then can two different dice bear one off."""
    cdef uint32_t outside = own.one & OUTSIDE
    return outside & (outside - 1) == 0 and own.two & OUTSIDE == 0


cdef int _bearoff_plays(Sink sink, int n, const Root *root, const Dice *dice) noexcept nogil:
    """Emit the plays that bear at least one checker off; at most one checker is outside home.

    A die can bear off from at most one point. Moving with one die and then bearing off with the other
    reaches all plays with one checker off: a bear-off that can come first can also come second, from the same
    point. Two such plays have the same result only if one checker plays both dice, in either order without a hit.
    """
    cdef uint32_t own = root.own.one
    cdef uint32_t outside = own & OUTSIDE
    cdef uint32_t quiet_runs = 0    # checkers borne off by a, then b, without a hit
    cdef uint32_t sources, hits, source, target, off_point, own_after
    cdef const bg_row *step
    cdef const bg_row *step_off
    cdef int order, die, die_off, p, q
    cdef bg_row row
    for order in range(2):
        if order == 0:
            die, die_off, step, step_off = dice.a, dice.b, dice.step_a, dice.step_b
            sources, hits = own & dice.landings_a, dice.hits_a
        else:
            die, die_off, step, step_off = dice.b, dice.a, dice.step_b, dice.step_a
            sources, hits = own & dice.landings_b, dice.hits_b
        if outside:
            # "bearing off only when no own checker is on 7..24": the checker outside must come home first.
            sources &= outside
            if (sources >> die) & OUTSIDE:
                continue
        while sources:
            source = sources & (0 - sources)
            sources ^= source
            target = source >> die
            own_after = (own & (~source | root.own.two)) | target
            off_point = _bearoff_point(own_after, die_off)
            if off_point == 0:
                continue
            if off_point == target and not hits & source:
                if order == 0:
                    quiet_runs |= source
                elif quiet_runs & source:
                    continue
            p = bg_lowest(source)
            q = bg_lowest(off_point)
            row = bg_add(root.row, step[2 * p + ((hits >> p) & 1)])
            n = _emit_row(sink, n, bg_add(row, step_off[2 * q]),
                          MOVE[0][die][p] | MOVE[1][die_off][q] | UNUSED[2])
    if outside == 0:
        # Two bear-offs: if either order is legal, playing the higher die first is.
        source = _bearoff_point(own, dice.a)
        if source:
            off_point = _bearoff_point(own & (~source | root.own.two), dice.b)
            if off_point:
                p = bg_lowest(source)
                q = bg_lowest(off_point)
                row = bg_add(root.row, dice.step_a[2 * p])
                n = _emit_row(sink, n, bg_add(row, dice.step_b[2 * q]),
                              MOVE[0][dice.a][p] | MOVE[1][dice.b][q] | UNUSED[2])
    return n


cdef int _two_dice(Sink sink, const Root *root, int a, int b) noexcept nogil:
    cdef Dice dice
    cdef uint32_t sources
    cdef int n
    dice.a, dice.b = a, b
    dice.step_a = sink.tables.step[a]
    dice.step_b = sink.tables.step[b]
    dice.step_ab = sink.tables.step[a + b]
    dice.landings_a = root.open << a
    dice.landings_b = root.open << b
    dice.hits_a = root.blots << a
    dice.hits_b = root.blots << b
    if root.own.one & BAR_BIT:
        return _bar_plays(sink, root, &dice)
    n = _pairs(sink, 0, root, &dice)
    n = _runs(sink, n, root, &dice, root.own.one)
    if _at_most_one_outside(root.own):
        n = _bearoff_plays(sink, n, root, &dice)
    if n:
        return n
    # Only one die: "that die is the higher of those that had an ordinary move at the start of the turn".
    sources = _sources(root.own.one, dice.landings_a, a)
    if sources:
        return _emit(sink, n, &root.row, dice.step_a, sources, dice.hits_a, UNUSED[1], MOVE[0][a],
                     BATCH_TWO_DICE)
    sources = _sources(root.own.one, dice.landings_b, b)
    return _emit(sink, n, &root.row, dice.step_b, sources, dice.hits_b, UNUSED[1], MOVE[0][b],
                 BATCH_TWO_DICE)


cdef inline int _plays(Sink sink, const Rules *rules, const Root *root, int die1, int die2) noexcept nogil:
    """Emit all plays; `rules` must be NULL."""
    if root.is_over:
        return 0
    if die1 == die2:
        return _doubles(sink, root, die1)
    if die1 > die2:
        return _two_dice(sink, root, die1, die2)
    return _two_dice(sink, root, die2, die1)
