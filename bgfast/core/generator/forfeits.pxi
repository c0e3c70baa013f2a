# Plays with forfeits where each die bears off from its own point only, straight into the sink (the rules `exact`).
#
# Section 1 of docs/RULES.md: a sequence is legal iff "(1) none of its unused dice has an ordinary move in its
# final state, (2) it used at least L dice (a forfeit counts as a use)", (3) on the higher die. So to the plays
# of the generator, which use L dice and forfeit none, come those that make fewer moves and forfeit what they
# need.
#
# Nothing is met twice: an ordinary move with a die d takes d pips here, also where it bears off. So a position
# tells which dice have moved, and for these the generator's own arguments hold.

cdef inline bint _all_home(uint32_t own) noexcept nogil:
    """Return whether none of the checkers on the board, of which there must be one, is outside home."""
    return own != 0 and own & OUTSIDE == 0


# ---- doubles ----------------------------------------------------------------------------------------------
#
# "F(d) is allowed when no own checker is on the bar or on 7-24, at least one is on the board, and own[d] == 0":
# at that moment any number of dice can be forfeited. Can these moves, in some order, meet such a moment? Those
# from outside come first. Then point d, if it is held, has to be cleared by bearing off, which can be done at
# once and is best done at once, as others may only join: enough of the moves have to be bear-offs. At least one
# checker is left, since more moves than these are possible.

cdef struct ForfeitSearch:
    const Doubles *roll
    int longest          # L, "the greatest number of dice used by any sequence made of ordinary moves only"
    int[4] path          # the points that the moves leave, in non-increasing order


cdef inline uint64_t _moves_with_forfeits(const ForfeitSearch *search, int moves, int held) noexcept nogil:
    """The moves of a play: those from outside, what clears the die's point, forfeits, the others.

    All dice that make no move have to be forfeited, since one more move is possible: how far each checker can run
    does not depend on the others, so that every order comes to the same number of moves, L or more.
    """
    cdef int die = search.roll.die
    cdef int slot = 0, cleared = 0
    cdef int i, part
    cdef bint early
    cdef uint64_t played = 0
    for part in range(2):
        cleared = 0
        for i in range(moves):
            early = search.path[i] > HOME
            if search.path[i] == die:
                early = cleared < held
                cleared += 1
            if early == (part == 0):
                played |= MOVE[slot][die][search.path[i]]
                slot += 1
        if part == 0:
            for i in range(4 - moves):
                played |= BG_MOVE(slot, <uint64_t> die, <uint64_t> die)
                slot += 1
    return played


cdef int _plays_with_forfeits(
    Output sink, int n, ForfeitSearch *search, const bg_row *base, Masks own, uint32_t hits, uint32_t limit,
    int moves, int held, int borne_off,
) noexcept nogil:
    """The plays with forfeits that begin with the `moves` moves of the path and end with these or more.

    `held` is how many checkers stood on the die's point when the last one from outside had moved, `borne_off` how
    many have left it.
    """
    cdef const Doubles *roll = search.roll
    cdef uint32_t sources = _sources(own.one, roll.landings, roll.die, roll.bearoff_die)
    cdef uint32_t source
    cdef uint64_t played = 0
    cdef bg_row row
    cdef int p
    if _all_home(own.one) and borne_off >= held:
        if Output is RowsMoves:
            played = _moves_with_forfeits(search, moves, held)
        n = _emit_one(sink, n, base[0], played)
    if moves + 1 >= min(search.longest, 4):   # 4: for the compiler, which unrolls this
        return n
    sources &= limit
    while sources:
        source = sources & (0 - sources)
        sources ^= source
        p = bg_lowest(source)
        if Output is not Counter:
            row = bg_add(base[0], roll.step[2 * p + ((hits >> p) & 1)])
        search.path[moves] = p
        n = _plays_with_forfeits(
            sink, n, search, &row, _moved(own, source, roll.die), hits & ~source, _up_to(source), moves + 1,
            held + (p > HOME and p - roll.die == roll.die), borne_off + (p == roll.die))
    return n


cdef int _doubles_or_forfeits(Output sink, const Root *root, int die) noexcept nogil:
    cdef Doubles roll
    cdef ForfeitSearch search
    cdef uint32_t hits = root.blots << die
    cdef int n
    _set_double(&roll, sink.tables, root, die)
    n = _longest_plays(sink, &roll, &root.row, root.own, hits, 0, 0, &search.longest)
    if n == 0:
        return 0   # "L == 0: there is no legal play, the turn passes (forfeits are not listed)"
    search.roll = &roll
    return _plays_with_forfeits(sink, n, &search, &root.row, root.own, hits, POINTS, 0, max(root.board[die], 0), 0)


# ---- two different dice -----------------------------------------------------------------------------------

cdef inline int _one_forfeited(
    Output sink, int n, const Root *root, const bg_row *step, uint32_t landings, uint32_t hits, int die, int other,
) noexcept nogil:
    """One move with `die`, and the `other` die forfeited before or after it."""
    cdef uint32_t sources = _sources(root.own.one, landings, die, root.bearoff_die)
    cdef uint32_t point = 1U << other
    cdef bint before = _all_home(root.own.one) and root.own.one & point == 0
    cdef uint32_t source, after
    cdef uint64_t played
    cdef int p
    while sources:
        source = sources & (0 - sources)
        sources ^= source
        after = root.own.one & (~source | root.own.two) | (source >> die & ~1U)
        if not before and not (_all_home(after) and after & point == 0):
            continue
        p = bg_lowest(source)
        played = BG_MOVE(0 if before else 1, <uint64_t> other, <uint64_t> other) | UNUSED[2]
        n = _emit_one(sink, n, bg_add(root.row, step[2 * p + ((hits >> p) & 1)]),
                      played | MOVE[1 if before else 0][die][p])
    return n


cdef int _two_dice_or_forfeits(Output sink, const Root *root, int a, int b) noexcept nogil:
    cdef Dice dice
    cdef uint32_t own = root.own.one
    cdef bint forfeit_a = _all_home(own) and not own >> a & 1
    cdef bint forfeit_b = _all_home(own) and not own >> b & 1
    cdef uint32_t sources_a, sources_b
    cdef int n
    _set_dice(&dice, sink.tables, root, a, b)
    # As in `_two_dice`, which counts 3 % slower if it shares these lines.
    n = _pairs(sink, 0, root, &dice)
    n = _runs(sink, n, root, &dice, root.own.one)
    if _bears_off(root.own):
        n = _bearing_off(sink, n, root, &dice)
    if n:
        n = _one_forfeited(sink, n, root, dice.step_a, dice.landings_a, dice.hits_a, a, b)
        n = _one_forfeited(sink, n, root, dice.step_b, dice.landings_b, dice.hits_b, b, a)
    else:
        # "when L == 1 on a non-double and it used one die: that die is the higher of those that had an ordinary
        # move at the start of the turn"; a forfeit alone is such a sequence, too, if "(1) none of its unused dice
        # has an ordinary move".
        sources_a = _sources(own, dice.landings_a, a, root.bearoff_die)
        sources_b = _sources(own, dice.landings_b, b, root.bearoff_die)
        if sources_a:
            n = _emit(sink, n, &root.row, dice.step_a, sources_a, dice.hits_a, UNUSED[1], MOVE[0][a],
                      a, BATCH_TWO_DICE)
            n = _one_forfeited(sink, n, root, dice.step_b, dice.landings_b, dice.hits_b, b, a)
            if forfeit_a and not sources_b:
                return _emit_one(sink, n, root.row, BG_MOVE(0, <uint64_t> a, <uint64_t> a) | UNUSED[1])
        elif sources_b:
            n = _emit(sink, n, &root.row, dice.step_b, sources_b, dice.hits_b, UNUSED[1], MOVE[0][b],
                      b, BATCH_TWO_DICE)
            if forfeit_b:
                return _emit_one(sink, n, root.row, BG_MOVE(0, <uint64_t> b, <uint64_t> b) | UNUSED[1])
        else:
            return 0   # "L == 0: there is no legal play, the turn passes (forfeits are not listed)"
    if forfeit_a and forfeit_b:
        n = _emit_one(sink, n, root.row, BG_MOVE(0, <uint64_t> a, <uint64_t> a)
                      | BG_MOVE(1, <uint64_t> b, <uint64_t> b) | UNUSED[2])
    return n


cdef int _plays_or_forfeits(Output sink, const Root *root, int a, int b) noexcept nogil:
    """All plays of an unfinished game with none on the bar, a >= b; `root.bearoff_die` must be exact."""
    if a == b:
        return _doubles_or_forfeits(sink, root, a)
    return _two_dice_or_forfeits(sink, root, a, b)
