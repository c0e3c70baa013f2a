"""Results that the rules leave possible in an unfinished position, and probabilities within them.

The bounds hold for any rolls and any legal plays of both sides. They follow from the number of rolls needed:

* A checker on point p needs at least ceil(p / 6) dice to leave the board, and ceil((p - 6) / 6) to come home. A
  roll has at most four dice.
* In a race with `standard` plays, every die is played. Each roll moves at least three pips, unless a die
  finds checkers on the ace point only and bears off one of them. So n checkers with P pips are off after at most
  (2 P + n + 4) / 6 rolls. Proof: let n' be left before the roll after which all are on the ace point; at most
  (P - n' - 3) / 3 rolls precede it, or (P - n' - 1) / 3 if this roll bears one off, and (n' + 1) / 2 or n' / 2
  rolls follow. If all n are on the ace point already, they need (n + 1) / 2 rolls.
* While no checker is off and one is on point q or above, the side has at least n + q - 1 pips, so it has
  played at most (P - n - q + 1) / 3 rolls.
* With contact, a side may be blocked forever. There are two exceptions: a side with an even number of checkers,
  all on the ace point (they cannot be hit there), and a side that bears off its last checkers with this roll.
"""

from libc.stdint cimport int8_t, uint32_t

from bgfast.core.board cimport BAR, WIN_NOT_ALL_HOME, WIN_STANDARD, GameRules, WinScheme
from bgfast.core.row cimport (
    BgSideSums, bg_greater, bg_highest, bg_load_board, bg_lowest, bg_negate, bg_sum_absolute, bg_sums_of_sides,
)

cdef enum:
    # Results as bits: 1, 2 and 4 for 1, 2 and 3 points won by the player on roll; 8, 16 and 32 for the opponent.
    ANY_POINTS = 7
    ANY_RESULT = 63
    OPPONENT_SHIFT = 3    # shift of the opponent's bits
    NEVER = 9999    # exceeds every number of rolls
    HOME = 6
    WINNER_HOME = 18   # from the loser's side; the points above it are the winner's home


# Rolls until a side has all checkers off (finish), one off (save), or none where a loss is triple (escape).
cdef struct Rolls:
    int min_finish, max_finish
    int min_save, max_save
    int min_escape, max_escape


cdef inline Rolls rolls_of_side(
    const BgSideSums *side, unsigned int area_dice, bint contact, bint is_sure, const GameRules *game,
) noexcept nogil:
    """Return a side's bounds. With contact, `is_sure` is True if nothing can stop the side from bearing off."""
    cdef Rolls rolls
    rolls.min_finish = (side.dice + 3) // 4
    rolls.min_save = (side.dice - side.checkers + 4) // 4
    rolls.min_escape = (area_dice + 3) // 4
    rolls.max_finish = rolls.max_save = rolls.max_escape = NEVER
    if game.standard_plays and (is_sure or not contact):
        rolls.max_finish = (2 * side.pips + side.checkers + 4) // 6
        if side.pips == side.checkers:   # all on the ace point
            rolls.max_finish = (side.checkers + 1) // 2
    if not contact:
        if area_dice == 0:
            rolls.max_escape = 0
        elif game.standard_plays:
            rolls.max_escape = (side.pips - side.checkers - _area_edge(game)) // 3 + 1
        if game.standard_plays:
            rolls.max_save = (side.pips - side.checkers) // 3 + 1
    if side.checkers < game.checkers:
        rolls.min_save = rolls.max_save = 0
    elif side.checkers == 1:   # the first checker off is the last
        rolls.min_save = rolls.max_save = NEVER
    return rolls


cdef inline unsigned int _area_edge(const GameRules *game) noexcept nogil:
    """Return the highest point outside the area where a loss counts triple."""
    return HOME if game.scheme == WIN_NOT_ALL_HOME else WINNER_HOME


cdef inline unsigned int _area_dice(
    const BgSideSums *side, int rearmost, const int8_t *rear, int step, const GameRules *game,
) noexcept nogil:
    """Return the minimum number of dice that bring a side's checkers out of the area where a loss counts triple.

    `rearmost` is the side's highest occupied point, `rear` points to its point 19, and `step` leads to the
    next higher point.
    """
    cdef int checkers = 0, p
    if game.scheme == WIN_NOT_ALL_HOME:
        return side.dice - side.checkers
    if rearmost <= WINNER_HOME:
        return 0
    for p in range(6):
        checkers += max(step * rear[step * p], 0)
    return checkers + 2 * max(step * rear[step * 6], 0)   # the bar


cdef inline int _points_of_loser(
    const Rolls *loser, int min_rolls, int max_rolls, WinScheme scheme,
) noexcept nogil:
    """Return the possible points of a win, as bits, if the loser has `min_rolls` to `max_rolls` rolls first."""
    cdef bint may_save = loser.min_save <= max_rolls, may_not_save = loser.max_save > min_rolls
    cdef bint may_escape = loser.min_escape <= max_rolls
    cdef bint may_not_escape = loser.max_escape > min_rolls and (max_rolls > 0 or loser.min_escape > 0)
    if scheme == WIN_STANDARD:   # a checker off saves the gammon, wherever the others are
        return may_save | (may_not_save and may_escape) << 1 | (may_not_save and may_not_escape) << 2
    return (may_save and may_escape) | (may_not_save and may_escape) << 1 | may_not_escape << 2


cdef inline int possible_results(const int8_t *cells, const GameRules *game) noexcept nogil:
    """Return the possible results of an unfinished board of 26 numbers, as bits."""
    cdef uint32_t own = bg_greater(bg_load_board(cells), 0)
    cdef uint32_t opponent = bg_greater(bg_negate(bg_load_board(cells)), 0)
    cdef uint32_t blocks = bg_greater(bg_negate(bg_load_board(cells)), 1)
    cdef int rearmost = bg_highest(own), other_rearmost = BAR - bg_lowest(opponent), results = 0, max_rolls
    cdef unsigned int area_dice
    cdef bint contact = rearmost + other_rearmost > BAR, is_sure
    cdef BgSideSums side, other_side
    cdef Rolls mover, other
    if contact and bg_sum_absolute(bg_load_board(cells)) == 2 * game.checkers and game.checkers > 1:
        return ANY_RESULT   # the result for most positions
    bg_sums_of_sides(bg_load_board(cells), &side, &other_side)
    # An even number is left, all on the ace point, or the mover bears off the last ones with this roll.
    is_sure = (rearmost == 1 and side.checkers & 1 == 0) or (
        2 * side.pips + side.checkers < 8 and not blocks & ((<uint32_t> 1 << rearmost) - 2))
    area_dice = _area_dice(&side, rearmost, cells + WINNER_HOME + 1, 1, game)
    mover = rolls_of_side(&side, area_dice, contact, is_sure, game)
    is_sure = other_rearmost == 1 and other_side.checkers & 1 == 0
    area_dice = _area_dice(&other_side, other_rearmost, cells + BAR - WINNER_HOME - 1, -1, game)
    other = rolls_of_side(&other_side, area_dice, contact, is_sure, game)
    if mover.min_finish <= other.max_finish:
        max_rolls = min(mover.max_finish, other.max_finish) - 1
        results = _points_of_loser(&other, mover.min_finish - 1, max_rolls, game.scheme)
    if other.min_finish < mover.max_finish:
        max_rolls = min(other.max_finish, mover.max_finish - 1)
        results |= _points_of_loser(&mover, other.min_finish, max_rolls, game.scheme) << OPPONENT_SHIFT
    return results


ctypedef fused real:
    float
    double


cdef inline void _bound_points(real *gammon, real *backgammon, real total, int points) noexcept nogil:
    """Limit the gammon and backgammon probabilities of wins with the probability `total`."""
    if not points & 6:
        gammon[0] = 0
    elif not points & 1 or gammon[0] > total:
        gammon[0] = total
    if not points & 4:
        backgammon[0] = 0
    elif points == 4 or backgammon[0] > gammon[0]:
        backgammon[0] = gammon[0]
    if points & 6 == 4:   # no gammon without a backgammon
        gammon[0] = backgammon[0]


cdef inline void bound_probabilities(real *probabilities, int stride, int results) noexcept nogil:
    """Limit five probabilities, `stride` numbers apart, to the possible results."""
    if not results & ANY_POINTS:
        probabilities[0] = 0
    elif not results >> OPPONENT_SHIFT:
        probabilities[0] = 1
    _bound_points(&probabilities[stride], &probabilities[2 * stride], probabilities[0], results & ANY_POINTS)
    _bound_points(
        &probabilities[3 * stride], &probabilities[4 * stride], 1 - probabilities[0], results >> OPPONENT_SHIFT)


cdef inline double bound_equity(double equity, int results) noexcept nogil:
    """Return the nearest equity, in points at cube 1, that the possible results allow."""
    cdef int highest = -1, lowest = 1
    if results & ANY_POINTS:
        highest = bg_highest(results & ANY_POINTS) + 1
        if not results >> OPPONENT_SHIFT:
            lowest = bg_lowest(results) + 1
    if results >> OPPONENT_SHIFT:
        lowest = -1 - bg_highest(results >> OPPONENT_SHIFT)
        if not results & ANY_POINTS:
            highest = -1 - bg_lowest(results >> OPPONENT_SHIFT)
    return min(max(equity, <double> lowest), <double> highest)
