# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""The dice of a rollout: the roll of each ply of each trial, whoever plays it and whenever.

A roll depends on seed, trial and ply alone; candidates have the same. The numbers are promised to stay.

Quasi-random dice: of any 36 trials in a row each has another of the 36 first rolls, of any 1,296 each another pair
of the first two, and of any 46,656 another three. Within 36 trials the second rolls differ, too, and the third, so
that the mean over 36 trials has little of the luck of these plies in it.
"""

from libc.stdint cimport int8_t, int64_t, uint64_t

from bgfast.core.board.random_stream cimport ROLLOUT_DICE, stream_at, stream_below, stream_die, stream_of

cdef enum:
    ROLLS = 36   # ordered ones


cdef void dice_begin(Dice *dice, uint64_t seed, bint quasi_random) noexcept nogil:
    cdef uint64_t state
    cdef int ply, i, j
    cdef int8_t roll
    dice.seed = seed
    dice.quasi_random = quasi_random
    for ply in range(EVEN_PLIES):
        state = stream_of(seed, ROLLOUT_DICE, <uint64_t> -1 - ply)   # no trial has these streams
        for i in range(ROLLS):
            dice.order[ply][i] = i
        for i in range(ROLLS - 1, 0, -1):
            j = <int> stream_below(&state, i + 1)
            roll = dice.order[ply][i]
            dice.order[ply][i] = dice.order[ply][j]
            dice.order[ply][j] = roll


cdef void dice_roll(const Dice *dice, int64_t trial, int64_t ply, int8_t *roll) noexcept nogil:
    cdef uint64_t state
    cdef int64_t first, second, third, place
    if dice.quasi_random and ply < EVEN_PLIES:
        # Each has all values while those before it stay the same; the sums let them change within 36 trials, too.
        first = trial % ROLLS
        second = (trial // ROLLS + first) % ROLLS
        third = (trial // (ROLLS * ROLLS) + 5 * (trial // ROLLS) + 7 * first) % ROLLS
        place = dice.order[ply][first if ply == 0 else second if ply == 1 else third]
        roll[0] = <int8_t> (place // 6 + 1)
        roll[1] = <int8_t> (place % 6 + 1)
        return
    state = stream_at(dice.seed, ROLLOUT_DICE, <uint64_t> trial, <uint64_t> ply)
    roll[0] = <int8_t> stream_die(&state)
    roll[1] = <int8_t> stream_die(&state)


def rollout_dice(
    uint64_t seed, bint quasi_random, const int64_t[::1] trials not None, const int64_t[::1] plies not None,
    int8_t[:, ::1] out not None,
):
    """Write the rolls of these plies of these trials."""
    cdef Dice dice
    cdef int64_t i
    with nogil:
        dice_begin(&dice, seed, quasi_random)
        for i in range(trials.shape[0]):
            dice_roll(&dice, trials[i], plies[i], &out[i, 0])
