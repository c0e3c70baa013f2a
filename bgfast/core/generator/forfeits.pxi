# Plays with forfeits if each die bears off from its own point only (the rules `exact`), emitted without a table.
#
# Section 1 of docs/RULES.md: a sequence is legal iff "(1) none of its unused dice has an ordinary move in its
# final state, (2) it used at least L dice (a forfeit counts as a use)", (3) on the higher die. So the plays of the
# generator, which use L dice without a forfeit, are joined by plays that make fewer moves and forfeit other dice.
#
# No result is reached twice: an ordinary move with die d takes exactly d pips under these rules, bear-offs
# included. So the position determines which dice moved, and for these the proofs in kernel.pxi hold.

cdef inline bint _all_home(uint32_t own) noexcept nogil:
    """Return whether there are checkers on the board and none of them is outside home."""
    return own != 0 and own & OUTSIDE == 0


# ---- doubles ----------------------------------------------------------------------------------------------
#
# "F(d) is allowed when no own checker is on the bar or on 7-24, at least one is on the board, and own[d] == 0":
# from then on any number of dice can be forfeited. A set of moves reaches such a position if it does so in this
# order: moves from outside home come first; then bear-offs clear point d, at once, because other moves can only
# add checkers to it. So enough of the moves must be bear-offs. At least one checker remains, since more moves than
# these are possible.

cdef struct ForfeitSearch:
    const Doubles *roll
    int longest          # L, "the greatest number of dice used by any sequence made of ordinary moves only"
    int[4] path          # the points that the moves leave, in non-increasing order


cdef inline uint64_t _moves_with_forfeits(const ForfeitSearch *search, int moves, int to_clear) noexcept nogil:
    """Return the moves of a play: from outside home, bear-offs that clear the die's point, forfeits, the rest.

    All other dice must be forfeited, since one more move is possible: how far a checker can run does not depend on
    the other checkers, so every order reaches the same number of moves, L or more.
    """
    cdef int die = search.roll.die
    cdef int slot = 0, cleared = 0
    cdef int i, part   # 0: before the forfeits, 1: after them
    cdef bint early
    cdef uint64_t played = 0
    for part in range(2):
        cleared = 0
        for i in range(moves):
            early = search.path[i] > HOME
            if search.path[i] == die:
                early = cleared < to_clear
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
    Output sink, int n, ForfeitSearch *search, const bg_row *base, Masks own, uint32_t hits, uint32_t allowed,
    int moves, int to_clear, int borne_off,
) noexcept nogil:
    """Emit the plays with forfeits that start with the first `moves` moves of the path.

    `to_clear` is the number of checkers on the die's point once the last checker has come home, `borne_off` the
    number that have left it.
    """
    cdef const Doubles *roll = search.roll
    cdef uint32_t sources = _sources(own.one, roll.landings, roll.die, roll.bearoff_die)
    cdef uint32_t source
    cdef uint64_t played = 0
    cdef bg_row row
    cdef int p
    if _all_home(own.one) and borne_off >= to_clear:
        if Output is RowsMoves:
            played = _moves_with_forfeits(search, moves, to_clear)
        n = _emit_row(sink, n, base[0], played)
    if moves + 1 >= min(search.longest, 4):   # the constant 4 lets the compiler unroll this
        return n
    sources &= allowed
    while sources:
        source = sources & (0 - sources)
        sources ^= source
        p = bg_lowest(source)
        if Output is not Counter:
            row = bg_add(base[0], roll.step[2 * p + ((hits >> p) & 1)])
        search.path[moves] = p
        n = _plays_with_forfeits(
            sink, n, search, &row, _moved(own, source, roll.die), hits & ~source, _up_to(source), moves + 1,
            to_clear + (p > HOME and p - roll.die == roll.die), borne_off + (p == roll.die))
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

cdef inline int _move_and_forfeit(
    Output sink, int n, const Root *root, const bg_row *step, uint32_t landings, uint32_t hits, int die, int other,
) noexcept nogil:
    """Emit the plays that move with `die` and forfeit the `other` die before or after it."""
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
        n = _emit_row(sink, n, bg_add(root.row, step[2 * p + ((hits >> p) & 1)]),
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
    # The same lines as in `_two_dice`: a shared function makes counting 3 % slower.
    n = _pairs(sink, 0, root, &dice)
    n = _runs(sink, n, root, &dice, root.own.one)
    if _at_most_one_outside(root.own):
        n = _bearoff_plays(sink, n, root, &dice)
    if n:
        n = _move_and_forfeit(sink, n, root, dice.step_a, dice.landings_a, dice.hits_a, a, b)
        n = _move_and_forfeit(sink, n, root, dice.step_b, dice.landings_b, dice.hits_b, b, a)
    else:
        # "when L == 1 on a non-double and it used one die: that die is the higher of those that had an ordinary
        # move at the start of the turn"; a single forfeit is legal as well if "(1) none of its unused dice has an
        # ordinary move".
        sources_a = _sources(own, dice.landings_a, a, root.bearoff_die)
        sources_b = _sources(own, dice.landings_b, b, root.bearoff_die)
        if sources_a:
            n = _emit(sink, n, &root.row, dice.step_a, sources_a, dice.hits_a, UNUSED[1], MOVE[0][a],
                      a, BATCH_TWO_DICE)
            n = _move_and_forfeit(sink, n, root, dice.step_b, dice.landings_b, dice.hits_b, b, a)
            if forfeit_a and not sources_b:
                return _emit_row(sink, n, root.row, BG_MOVE(0, <uint64_t> a, <uint64_t> a) | UNUSED[1])
        elif sources_b:
            n = _emit(sink, n, &root.row, dice.step_b, sources_b, dice.hits_b, UNUSED[1], MOVE[0][b],
                      b, BATCH_TWO_DICE)
            if forfeit_b:
                return _emit_row(sink, n, root.row, BG_MOVE(0, <uint64_t> b, <uint64_t> b) | UNUSED[1])
        else:
            return 0   # "L == 0: there is no legal play, the turn passes (forfeits are not listed)"
    if forfeit_a and forfeit_b:
        n = _emit_row(sink, n, root.row, BG_MOVE(0, <uint64_t> a, <uint64_t> a)
                      | BG_MOVE(1, <uint64_t> b, <uint64_t> b) | UNUSED[2])
    return n


cdef int _plays_or_forfeits(Output sink, const Root *root, int a, int b) noexcept nogil:
    """Emit all plays of an unfinished game with none on the bar, a >= b; `root.bearoff_die` must be exact."""
    if a == b:
        return _doubles_or_forfeits(sink, root, a)
    return _two_dice_or_forfeits(sink, root, a, b)
