"""All legal plays of one position and one roll, under the `standard` rules or another `bearoff_die`.

This file is compiled four times: into `portable.pyx` for any processor of the platform, into `x86_v3.pyx` for
x86-64 processors with AVX2, BMI and POPCNT (`generator.pyx` chooses when it is imported), and for other rules than
`standard` into `portable_rules.pyx` and `x86_v3_rules.pyx`.

How it works, in six lines:
1. The root board becomes bit masks (bit p = point p): own checkers >= 1, 2, 3, 4, opposing blots, open points.
2. Moving one checker updates a few of those masks; a successor's row is the root's row plus one difference
   row for each move, taken from tables made when the module is imported.
3. Nothing has to be compared with what was found before: the enumeration itself meets each result once
   (see `_doubles`, `_pairs`, `_bearing_off` for the argument of each).
4. The greatest number of dice is decided before anything is left out: doubles fall back level by level, two
   dice fall back to one move with the higher die that has one.
5. Whether `bearoff_die` is always that of `standard` is said by standard.pxi or any_rules.pxi
   (`_effective_bearoff_die`).
6. A `Sink` says what is wanted (count, rows, rows and moves, ...); Cython compiles the same code once for each.
"""

from libc.stdint cimport int8_t, uint32_t, uint64_t
from libc.string cimport memset

from bgfast.core.board.board cimport BAR, BOARD_SIZE
from bgfast.core.board.row cimport (
    BG_MOVE, bg_add, bg_greater, bg_highest, bg_load_board, bg_load_flipped, bg_lowest, bg_popcount, bg_row,
    bg_store,
)
from bgfast.core.generator.rules cimport BEAROFF_EXACT, BEAROFF_REARMOST, BEAROFF_STANDARD, BearoffDie


cdef enum:
    POINTS = 0x01FFFFFE    # bits of the points 1..24
    BAR_BIT = 0x02000000
    HOME = 6               # the last point of the mover's home
    OUTSIDE = 0x03FFFF80   # points 7..24 and the bar
    BATCH_DOUBLES = 3      # rows stored without asking before the loop looks whether it is done
    BATCH_TWO_DICE = 6     # at most six, the number of bits in NO_POINTS
    LONGEST = 12           # one more than the longest run of two different dice, 6 + 5

cdef uint32_t NO_POINTS = 0xFC000000   # bits whose rows change nothing in every table


# ---- tables, filled once at import and only read afterwards -----------------------------------------------

cdef struct StepTables:
    # step[n][2 * p]: the difference that a checker makes which leaves p and lands n pips further down, or is
    # borne off if p <= n; step[n][2 * p + 1]: the same with a hit on the landing point.
    bg_row step[12][64]
    # hit[q]: the difference that a hit on q makes where the hitting checker does not stay.
    bg_row hit[32]

cdef StepTables FROM_MOVER     # rows seen from the mover's side
cdef StepTables FROM_NEXT      # rows seen from the next player's side
cdef uint64_t MOVE[4][7][32]   # MOVE[slot][die][p]: the (from, to) pair of one move, in its slot of a play
cdef uint64_t UNUSED[5]        # UNUSED[n]: -1 in every slot from n on


cdef void _fill_tables() noexcept:
    cdef int n, p, slot, hit
    cdef int8_t row[32]
    for n in range(1, LONGEST):
        for hit in range(2):
            for p in range(32):
                memset(row, 0, 32)
                if 1 <= p <= BAR:
                    row[p] -= 1
                    if p > n:
                        row[p - n] += 1 + hit
                        row[0] -= hit
                FROM_MOVER.step[n][2 * p + hit] = bg_load_board(row)
                FROM_NEXT.step[n][2 * p + hit] = bg_load_flipped(row)
    for p in range(32):
        memset(row, 0, 32)
        if 1 <= p < BAR:
            row[p] += 1
            row[0] -= 1
        FROM_MOVER.hit[p] = bg_load_board(row)
        FROM_NEXT.hit[p] = bg_load_flipped(row)
    for slot in range(4):
        for n in range(1, 7):
            for p in range(32):
                MOVE[slot][n][p] = BG_MOVE(slot, <uint64_t> p, <uint64_t> (p - n if p > n else 0))
    for n in range(5):
        UNUSED[n] = 0
        for slot in range(n, 4):
            UNUSED[n] |= BG_MOVE(slot, <uint64_t> 255, <uint64_t> 255)

_fill_tables()


# ---- what is wanted of the successors ---------------------------------------------------------------------

cdef struct Counter:   # only how many there are
    const StepTables *tables

cdef struct Rows:      # their boards
    const StepTables *tables
    int8_t *rows

cdef struct RowsMoves:   # their boards and moves
    const StepTables *tables
    int8_t *rows
    uint64_t *moves

cdef struct CounterUnderLimit:   # how many there are, and how many of them keep a limit
    const StepTables *tables
    int limit            # checkers on each of `points`
    uint32_t points
    int *under_limit     # has those added that hold no more

ctypedef fused Sink:
    Counter
    Rows
    RowsMoves
    CounterUnderLimit

ctypedef fused Output:   # what can be asked for
    Counter
    Rows
    RowsMoves


cdef inline bint _is_under_limit(CounterUnderLimit sink, bg_row row) noexcept nogil:
    return bg_greater(row, sink.limit) & sink.points == 0


cdef inline int _count_under_limit(CounterUnderLimit sink, bg_row base, uint32_t sources, int die) noexcept nogil:
    """Return the number of moves of `die` from the points `sources` that leave no point above the limit."""
    cdef uint32_t above = bg_greater(base, sink.limit) & sink.points
    sources &= ~((bg_greater(base, sink.limit - 1) & sink.points) << die)
    if above:   # there must be one, one checker above, and be left
        sources &= above if above & (above - 1) == 0 and not bg_greater(base, sink.limit + 1) & above else 0
    return bg_popcount(sources)


cdef inline int _emit(
    Sink sink, int n, const bg_row *base, const bg_row *step, uint32_t sources, uint32_t hits,
    uint64_t played, const uint64_t *move, int die, int batch,
) noexcept nogil:
    """One successor for each source bit: `base` plus that checker's step, hitting where `hits` says so.

    Stores go in unconditional batches: a mispredicted loop end costs more than a few rows too many, which
    the next rows overwrite. Those find the bits of `NO_POINTS`.
    """
    cdef int total = bg_popcount(sources)
    cdef int left = total
    cdef int _, p
    cdef int8_t *row
    cdef uint64_t *pairs
    if Sink is CounterUnderLimit:
        sink.under_limit[0] += _count_under_limit(sink, base[0], sources, die)
    elif Sink is not Counter:
        row = sink.rows + n * BOARD_SIZE
        if Sink is RowsMoves:
            pairs = sink.moves + n
        sources |= NO_POINTS
        while left > 0:
            for _ in range(batch):
                p = bg_lowest(sources)
                bg_store(row, bg_add(base[0], step[2 * p + ((hits >> p) & 1)]))
                row += BOARD_SIZE
                if Sink is RowsMoves:
                    pairs[0] = played | move[p]
                    pairs += 1
                sources &= sources - 1
            left -= batch
    return n + total


cdef inline int _emit_one(Sink sink, int n, bg_row row, uint64_t played) noexcept nogil:
    if Sink is CounterUnderLimit:
        sink.under_limit[0] += _is_under_limit(sink, row)
    elif Sink is not Counter:
        bg_store(sink.rows + n * BOARD_SIZE, row)
        if Sink is RowsMoves:
            sink.moves[n] = played
    return n + 1


# ---- masks ------------------------------------------------------------------------------------------------

cdef struct Masks:
    # Where the mover has at least 1, 2, 3, 4 checkers.
    uint32_t one, two, three, four

cdef struct Root:
    const int8_t *board
    bg_row row        # as the successors are to be seen
    Masks own
    uint32_t blots    # points with exactly one opposing checker
    uint32_t open     # points where the mover may land
    bint over
    BearoffDie bearoff_die


cdef inline Root _root(const int8_t *board, bint flip) noexcept nogil:
    """Read the 26 numbers of a board; its rows are to be written from the next player's side if `flip`."""
    cdef Root root
    cdef bg_row row = bg_load_board(board)
    cdef uint32_t opponent, blocked
    root.board = board
    root.own.one = bg_greater(row, 0)
    root.own.two = bg_greater(row, 1)
    root.own.three = bg_greater(row, 2)
    root.own.four = bg_greater(row, 3)
    opponent = ~bg_greater(row, -1)
    blocked = ~bg_greater(row, -2)
    root.blots = opponent & ~blocked & POINTS
    root.open = POINTS & ~blocked
    # Padding is 0, so that bits 26..31 of `opponent` are clear.
    root.over = root.own.one == 0 or opponent == 0
    root.row = bg_load_flipped(board) if flip else row
    root.bearoff_die = BEAROFF_STANDARD
    return root


cdef inline Masks _moved(Masks own, uint32_t source, int die) noexcept nogil:
    """The masks after one checker has left the point of the bit `source`; `four` is only a lower bound.

    Each level of a play therefore needs one mask fewer than the level before it: four suffice for four moves.
    Point 0, where a borne-off checker would land, is no point.
    """
    cdef Masks after
    cdef uint32_t target = (source >> die) & ~1U
    after.one = (own.one & (~source | own.two)) | target
    after.two = (own.two & (~source | own.three)) | (target & own.one)
    after.three = (own.three & (~source | own.four)) | (target & own.two)
    after.four = (own.four & ~source) | (target & own.three)
    return after


cdef inline uint32_t _sources(uint32_t own, uint32_t landings, int die, BearoffDie bearoff_die) noexcept nogil:
    """The points one checker may leave with `die`, once no checker is on the bar.

    `landings` has the bits of the points from which `die` lands on an open point of the board.
    """
    cdef uint32_t exact
    bearoff_die = _effective_bearoff_die(bearoff_die)
    if own & OUTSIDE:
        return own & landings
    # All home: "from point d, or from the highest occupied point r if r < d".
    exact = 1U << die
    if own & ~((exact << 1) - 1):   # someone stands higher than the die's point
        # rearmost: "only from r, if d >= r; no other checker ever bears off"
        return own & (landings if bearoff_die == BEAROFF_REARMOST else landings | exact)
    if bearoff_die == BEAROFF_EXACT:   # "from point d only"
        return own & exact
    return 1U << bg_highest(own) if own else 0


cdef inline uint32_t _bearing(uint32_t own, int die, BearoffDie bearoff_die) noexcept nogil:
    """The one point from which `die` bears a checker off when all are home, as a bit, or 0."""
    cdef uint32_t exact = 1U << die
    bearoff_die = _effective_bearoff_die(bearoff_die)
    if own & exact and bearoff_die != BEAROFF_REARMOST or bearoff_die == BEAROFF_EXACT:
        return own & exact
    if own == 0 or own & ~((exact << 1) - 1):
        return 0
    return 1U << bg_highest(own)


# ---- doubles ----------------------------------------------------------------------------------------------
#
# With the sources taken in non-increasing order each multiset of sources is met once. Nothing is missed: a
# play can always be reordered so that the rear checkers move first (an own landing never obstructs, and the
# bear-off asks for nothing but that the rear checkers have moved). And nothing is met twice: the final
# position tells how many checkers left each point, counting from the rear, so it determines the multiset.
# All this holds for each `bearoff_die`: what moved before a bear-off in some order and may come after it, can.

cdef struct Doubles:
    int die
    BearoffDie bearoff_die
    uint32_t landings        # the points from which the die lands on an open point
    const bg_row *step


cdef inline uint32_t _up_to(uint32_t source) noexcept nogil:
    """The bits up to and including that of `source`."""
    return source | (source - 1)


cdef inline int _one_move(
    Sink sink, int n, const Doubles *roll, const bg_row *base, Masks own, uint32_t hits, uint32_t limit,
    uint64_t played, int slot,
) noexcept nogil:
    """The last move of a play, from one of the points up to `limit`."""
    cdef uint32_t sources = _sources(own.one, roll.landings, roll.die, roll.bearoff_die) & limit
    return _emit(
        sink, n, base, roll.step, sources, hits,
        played | UNUSED[slot + 1], MOVE[slot][roll.die], roll.die, BATCH_DOUBLES,
    )


cdef inline int _two_moves(
    Sink sink, int n, const Doubles *roll, const bg_row *base, Masks own, uint32_t hits, uint32_t limit,
    uint64_t played, int slot,
) noexcept nogil:
    cdef uint32_t sources = _sources(own.one, roll.landings, roll.die, roll.bearoff_die) & limit
    cdef uint32_t source, outside
    cdef bg_row row
    cdef int p, k
    if Sink is Counter:
        outside = own.one & OUTSIDE
        if outside & (outside - 1) or own.two & OUTSIDE:
            # Two checkers are outside, so neither move bears off: count the pairs of sources without looking
            # at each. Two different ones, the same point twice, or a checker that goes on from a point which
            # it has just taken (one that was held already is among the sources).
            k = bg_popcount(sources)
            return n + (k * (k - 1) >> 1) + bg_popcount(sources & own.two) + bg_popcount(
                (sources >> roll.die) & ~own.one & roll.landings)
    while sources:
        source = sources & (0 - sources)
        sources ^= source
        p = bg_lowest(source)
        if Sink is not Counter:
            row = bg_add(base[0], roll.step[2 * p + ((hits >> p) & 1)])
        n = _one_move(sink, n, roll, &row, _moved(own, source, roll.die), hits & ~source, _up_to(source),
                      played | MOVE[slot][roll.die][p], slot + 1)
    return n


cdef inline int _three_moves(
    Sink sink, int n, const Doubles *roll, const bg_row *base, Masks own, uint32_t hits, uint32_t limit,
    uint64_t played, int slot,
) noexcept nogil:
    cdef uint32_t sources = _sources(own.one, roll.landings, roll.die, roll.bearoff_die) & limit
    cdef uint32_t source
    cdef bg_row row
    cdef int p
    while sources:
        source = sources & (0 - sources)
        sources ^= source
        p = bg_lowest(source)
        if Sink is not Counter:
            row = bg_add(base[0], roll.step[2 * p + ((hits >> p) & 1)])
        n = _two_moves(sink, n, roll, &row, _moved(own, source, roll.die), hits & ~source, _up_to(source),
                       played | MOVE[slot][roll.die][p], slot + 1)
    return n


cdef inline int _four_moves(
    Sink sink, int n, const Doubles *roll, const bg_row *base, Masks own, uint32_t hits, uint32_t limit,
    uint64_t played, int slot,
) noexcept nogil:
    cdef uint32_t sources = _sources(own.one, roll.landings, roll.die, roll.bearoff_die) & limit
    cdef uint32_t source
    cdef bg_row row
    cdef int p
    while sources:
        source = sources & (0 - sources)
        sources ^= source
        p = bg_lowest(source)
        if Sink is not Counter:
            row = bg_add(base[0], roll.step[2 * p + ((hits >> p) & 1)])
        n = _three_moves(sink, n, roll, &row, _moved(own, source, roll.die), hits & ~source, _up_to(source),
                         played | MOVE[slot][roll.die][p], slot + 1)
    return n


cdef inline void _set_double(Doubles *roll, const StepTables *tables, const Root *root, int die) noexcept nogil:
    roll.die = die
    roll.bearoff_die = root.bearoff_die
    roll.landings = root.open << die
    roll.step = tables.step[die]


cdef inline int _longest_plays(
    Sink sink, const Doubles *roll, const bg_row *row, Masks own, uint32_t hits, uint64_t played, int slot,
    int *dice,
) noexcept nogil:
    """The plays that use as many dice as any can, `slot` of them used before; `dice` becomes how many in all."""
    cdef int n = 0
    cdef int moves = 4 - slot
    while n == 0 and moves > 0:
        dice[0] = slot + moves
        if moves == 4:
            n = _four_moves(sink, n, roll, row, own, hits, POINTS, played, slot)
        elif moves == 3:
            n = _three_moves(sink, n, roll, row, own, hits, POINTS, played, slot)
        elif moves == 2:
            n = _two_moves(sink, n, roll, row, own, hits, POINTS, played, slot)
        else:
            n = _one_move(sink, n, roll, row, own, hits, POINTS, played, slot)
        moves -= 1
    return n


cdef int _doubles(Sink sink, const Root *root, int die) noexcept nogil:
    cdef Doubles roll
    cdef Masks own = root.own
    cdef bg_row row = root.row
    cdef uint32_t hits = root.blots << die
    cdef uint64_t played = 0
    cdef int slot = 0
    cdef int n, dice
    _set_double(&roll, sink.tables, root, die)
    # "bar occupied: only bar -> 25-d, if landable": the entries are forced and come first.
    while own.one & BAR_BIT and slot < 4:
        if not roll.landings & BAR_BIT:
            return 0
        row = bg_add(row, roll.step[2 * BAR + ((hits >> BAR) & 1)])
        own = _moved(own, BAR_BIT, die)
        hits &= ~BAR_BIT
        played |= MOVE[slot][die][BAR]
        slot += 1
    n = _longest_plays(sink, &roll, &row, own, hits, played, slot, &dice)
    if n == 0 and slot:   # nothing but the entries
        n = _emit_one(sink, n, row, played | UNUSED[slot])
    return n


# ---- two different dice -----------------------------------------------------------------------------------

cdef struct Dice:
    int a, b                             # a > b
    const bg_row *step_a
    const bg_row *step_b
    const bg_row *step_ab                # one checker with both dice
    uint32_t landings_a, landings_b      # the points from which the die lands on an open point
    uint32_t hits_a, hits_b              # ... on a blot


cdef inline int _pairs(Sink sink, int n, const Root *root, const Dice *dice) noexcept nogil:
    """One checker with `a`, another (or a second one of the same point) with `b`, none on the bar.

    Two different pairs (i by a, j by b) give different results unless one checker runs both dice:
    j = i - a, or i = j - b. Those are left to `_runs`.
    """
    cdef uint32_t first = root.own.one & dice.landings_a
    cdef uint32_t second = root.own.one & dice.landings_b
    cdef uint32_t source, others
    cdef bg_row row
    cdef int p
    if Sink is Counter:
        n += (
            bg_popcount(first) * bg_popcount(second)
            - bg_popcount(first & second & ~root.own.two)
            - bg_popcount(first & (second << dice.a))
            - bg_popcount(first & (second >> dice.b))
        )
    else:
        while first:
            source = first & (0 - first)
            first ^= source
            p = bg_lowest(source)
            others = second & ~((source >> dice.a) | (source << dice.b) | (source & ~root.own.two))
            row = bg_add(root.row, dice.step_a[2 * p + ((dice.hits_a >> p) & 1)])
            # Where both checkers land on the same blot it is hit once, by the first.
            n = _emit(sink, n, &row, dice.step_b, others, dice.hits_b & ~((source >> dice.a) << dice.b),
                      MOVE[0][dice.a][p] | UNUSED[2], MOVE[1][dice.b], dice.b, BATCH_TWO_DICE)
    return n


cdef inline uint64_t _run_moves(int p, int first, int second) noexcept nogil:
    return BG_MOVE(0, <uint64_t> p, <uint64_t> (p - first)) | BG_MOVE(
        1, <uint64_t> (p - first), <uint64_t> (p - first - second)) | UNUSED[2]


cdef inline int _runs(
    Sink sink, int n, const Root *root, const Dice *dice, uint32_t runners,
) noexcept nogil:
    """One checker of `runners` with both dice: by either stop without a hit, hitting on one, or on the other.

    Where the stop is an own point, this is also the result of two checkers that follow each other.
    """
    cdef uint32_t ends = runners & (root.open << (dice.a + dice.b))
    cdef uint32_t by_a = ends & dice.landings_a
    cdef uint32_t by_b = ends & dice.landings_b
    cdef uint32_t quiet_a = by_a & ~dice.hits_a
    cdef uint32_t quiet = quiet_a | (by_b & ~dice.hits_b)
    cdef uint32_t hits = root.blots << (dice.a + dice.b)
    cdef uint32_t hitting_a = by_a & dice.hits_a
    cdef uint32_t hitting_b = by_b & dice.hits_b
    cdef bg_row row
    cdef int p
    if Sink is Counter:
        n += bg_popcount(quiet) + bg_popcount(hitting_a) + bg_popcount(hitting_b)
    else:
        while quiet:
            p = bg_lowest(quiet)
            quiet &= quiet - 1
            n = _emit_one(
                sink, n, bg_add(root.row, dice.step_ab[2 * p + ((hits >> p) & 1)]),
                _run_moves(p, dice.a, dice.b) if (quiet_a >> p) & 1 else _run_moves(p, dice.b, dice.a))
        while hitting_a:
            p = bg_lowest(hitting_a)
            hitting_a &= hitting_a - 1
            row = bg_add(root.row, sink.tables.hit[p - dice.a])
            n = _emit_one(sink, n, bg_add(row, dice.step_ab[2 * p + ((hits >> p) & 1)]),
                          _run_moves(p, dice.a, dice.b))
        while hitting_b:
            p = bg_lowest(hitting_b)
            hitting_b &= hitting_b - 1
            row = bg_add(root.row, sink.tables.hit[p - dice.b])
            n = _emit_one(sink, n, bg_add(row, dice.step_ab[2 * p + ((hits >> p) & 1)]),
                          _run_moves(p, dice.b, dice.a))
    return n


cdef int _entering(Sink sink, const Root *root, const Dice *dice) noexcept nogil:
    """Two dice with a checker on the bar. No checker can be borne off in such a play."""
    cdef uint32_t own = root.own.one & POINTS
    cdef uint32_t others
    cdef bint by_a = (dice.landings_a & BAR_BIT) != 0
    cdef bint by_b = (dice.landings_b & BAR_BIT) != 0
    cdef bg_row row_a = bg_add(root.row, dice.step_a[2 * BAR + ((dice.hits_a >> BAR) & 1)])
    cdef bg_row row_b = bg_add(root.row, dice.step_b[2 * BAR + ((dice.hits_b >> BAR) & 1)])
    cdef int n = 0
    if root.own.two & BAR_BIT:
        # Both dice must enter; if only one can, that is the whole play.
        if by_a and by_b:
            return _emit_one(
                sink, n, bg_add(row_a, dice.step_b[2 * BAR + ((dice.hits_b >> BAR) & 1)]),
                MOVE[0][dice.a][BAR] | MOVE[1][dice.b][BAR] | UNUSED[2])
    else:
        # Enter with one die and move another checker with the other. As in `_pairs`, the entering checker's
        # own run is left to `_runs`, and a blot on which both land is hit by the entering one.
        if by_a:
            others = own & dice.landings_b & ~(BAR_BIT >> dice.a)
            n = _emit(sink, n, &row_a, dice.step_b, others, dice.hits_b & ~((BAR_BIT >> dice.a) << dice.b),
                      MOVE[0][dice.a][BAR] | UNUSED[2], MOVE[1][dice.b], dice.b, BATCH_TWO_DICE)
        if by_b:
            others = own & dice.landings_a & ~(BAR_BIT >> dice.b)
            n = _emit(sink, n, &row_b, dice.step_a, others, dice.hits_a & ~((BAR_BIT >> dice.b) << dice.a),
                      MOVE[0][dice.b][BAR] | UNUSED[2], MOVE[1][dice.a], dice.a, BATCH_TWO_DICE)
        n = _runs(sink, n, root, dice, BAR_BIT)
    if n:
        return n
    # "when L == 1 on a non-double ... that die is the higher of those that had an ordinary move"
    if by_a:
        return _emit_one(sink, n, row_a, MOVE[0][dice.a][BAR] | UNUSED[1])
    if by_b:
        return _emit_one(sink, n, row_b, MOVE[0][dice.b][BAR] | UNUSED[1])
    return 0


cdef inline bint _bears_off(Masks own) noexcept nogil:
    """Return whether two different dice could bear a checker off: at most one checker is not yet home."""
    cdef uint32_t outside = own.one & OUTSIDE
    return outside & (outside - 1) == 0 and own.two & OUTSIDE == 0


cdef int _bearing_off(Sink sink, int n, const Root *root, const Dice *dice) noexcept nogil:
    """The plays with at least one checker borne off; at most one checker stands outside home.

    A die has at most one point to bear off from. Moving inside with one die and bearing off with the other
    reaches all plays with one checker off: if the bear-off could come first, it can also come second, from the
    same point. Two of these plays end the same only if one checker goes off by either stop without a hit.
    """
    cdef uint32_t own = root.own.one
    cdef uint32_t outside = own & OUTSIDE
    cdef uint32_t run_off = 0    # checkers that have gone off with a first, b second, and no hit
    cdef uint32_t first, hits, source, target, off, after
    cdef const bg_row *step
    cdef const bg_row *step_off
    cdef int order, die, die_off, p, q
    cdef bg_row row
    for order in range(2):
        if order == 0:
            die, die_off, step, step_off = dice.a, dice.b, dice.step_a, dice.step_b
            first, hits = own & dice.landings_a, dice.hits_a
        else:
            die, die_off, step, step_off = dice.b, dice.a, dice.step_b, dice.step_a
            first, hits = own & dice.landings_b, dice.hits_b
        if outside:
            # "bearing off only when no own checker is on 7..24": the one outside has to come home first.
            first &= outside
            if (first >> die) & OUTSIDE:
                continue
        while first:
            source = first & (0 - first)
            first ^= source
            target = source >> die
            after = (own & (~source | root.own.two)) | target
            off = _bearing(after, die_off, root.bearoff_die)
            if off == 0:
                continue
            if off == target and not hits & source:
                if order == 0:
                    run_off |= source
                elif run_off & source:
                    continue
            p = bg_lowest(source)
            q = bg_lowest(off)
            row = bg_add(root.row, step[2 * p + ((hits >> p) & 1)])
            n = _emit_one(sink, n, bg_add(row, step_off[2 * q]),
                          MOVE[0][die][p] | MOVE[1][die_off][q] | UNUSED[2])
    if outside == 0:
        # Both off: if any order can do it, the higher die first can.
        source = _bearing(own, dice.a, root.bearoff_die)
        if source:
            off = _bearing(own & (~source | root.own.two), dice.b, root.bearoff_die)
            if off:
                p = bg_lowest(source)
                q = bg_lowest(off)
                row = bg_add(root.row, dice.step_a[2 * p])
                n = _emit_one(sink, n, bg_add(row, dice.step_b[2 * q]),
                              MOVE[0][dice.a][p] | MOVE[1][dice.b][q] | UNUSED[2])
    return n


cdef inline void _set_dice(Dice *dice, const StepTables *tables, const Root *root, int a, int b) noexcept nogil:
    dice.a, dice.b = a, b
    dice.step_a = tables.step[a]
    dice.step_b = tables.step[b]
    dice.step_ab = tables.step[a + b]
    dice.landings_a = root.open << a
    dice.landings_b = root.open << b
    dice.hits_a = root.blots << a
    dice.hits_b = root.blots << b


cdef int _two_dice(Sink sink, const Root *root, int a, int b) noexcept nogil:
    cdef Dice dice
    cdef uint32_t sources
    cdef int n
    _set_dice(&dice, sink.tables, root, a, b)
    if root.own.one & BAR_BIT:
        return _entering(sink, root, &dice)
    n = _pairs(sink, 0, root, &dice)
    n = _runs(sink, n, root, &dice, root.own.one)
    if _bears_off(root.own):
        n = _bearing_off(sink, n, root, &dice)
    if n:
        return n
    # Not both numbers: "that die is the higher of those that had an ordinary move at the start of the turn".
    sources = _sources(root.own.one, dice.landings_a, a, root.bearoff_die)
    if sources:
        return _emit(sink, n, &root.row, dice.step_a, sources, dice.hits_a, UNUSED[1], MOVE[0][a],
                     a, BATCH_TWO_DICE)
    sources = _sources(root.own.one, dice.landings_b, b, root.bearoff_die)
    return _emit(sink, n, &root.row, dice.step_b, sources, dice.hits_b, UNUSED[1], MOVE[0][b],
                 b, BATCH_TWO_DICE)


# ---- one position -----------------------------------------------------------------------------------------

cdef inline int _plays(Sink sink, const Root *root, int die1, int die2) noexcept nogil:
    if root.over:
        return 0
    if die1 == die2:
        return _doubles(sink, root, die1)
    if die1 > die2:
        return _two_dice(sink, root, die1, die2)
    return _two_dice(sink, root, die2, die1)


cdef inline Counter _counter() noexcept nogil:
    cdef Counter sink
    sink.tables = &FROM_MOVER
    return sink


cdef inline Rows _rows(int8_t *rows, bint flip) noexcept nogil:
    cdef Rows sink
    sink.tables = &FROM_NEXT if flip else &FROM_MOVER
    sink.rows = rows
    return sink


cdef inline RowsMoves _rows_moves(int8_t *rows, uint64_t *moves, bint flip) noexcept nogil:
    cdef RowsMoves sink
    sink.tables = &FROM_NEXT if flip else &FROM_MOVER
    sink.rows = rows
    sink.moves = moves
    return sink


cdef inline CounterUnderLimit _counter_under_limit(int limit, uint32_t points, int *under_limit) noexcept nogil:
    cdef CounterUnderLimit sink
    sink.tables = &FROM_MOVER
    sink.limit = limit
    sink.points = points
    sink.under_limit = under_limit
    return sink
