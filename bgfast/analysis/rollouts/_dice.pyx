# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Dice of a rollout: the roll of every ply of every trial.

A roll depends on seed, trial and ply alone, so candidates share the dice. The dice of a seed never change.

Quasi-random dice: any 36 consecutive trials begin with all 36 rolls, any 1,296 with all pairs of rolls, and any
46,656 with all triples. Within 36 trials the second rolls differ, too, and so do the third, so that the mean over
36 trials contains little luck of these plies.
"""

from libc.stdint cimport int8_t, int64_t, uint64_t

from bgfast.core.board.random_stream cimport ROLLOUT_DICE, stream_at, stream_below, stream_die, stream_of

cdef enum:
    ROLLS = 36   # ordered: 2-1 and 1-2 are two rolls


cdef void dice_begin(Dice *dice, uint64_t seed, bint quasi_random) noexcept nogil:
    cdef uint64_t state
    cdef int ply, i, j
    cdef int8_t roll
    dice.seed = seed
    dice.quasi_random = quasi_random
    for ply in range(EVEN_PLIES):
        state = stream_of(seed, ROLLOUT_DICE, <uint64_t> -1 - ply)   # streams that no trial uses
        for i in range(ROLLS):
            dice.order[ply][i] = i
        for i in range(ROLLS - 1, 0, -1):
            j = <int> stream_below(&state, i + 1)
            roll = dice.order[ply][i]
            dice.order[ply][i] = dice.order[ply][j]
            dice.order[ply][j] = roll


cdef void dice_roll(const Dice *dice, int64_t trial, int64_t ply, int8_t *roll) noexcept nogil:
    cdef uint64_t state
    cdef int64_t first, second, third, index
    if dice.quasi_random and ply < EVEN_PLIES:
        # Every index takes all values while the previous ones are fixed; the sums vary it within 36 trials, too.
        first = trial % ROLLS
        second = (trial // ROLLS + first) % ROLLS
        third = (trial // (ROLLS * ROLLS) + 5 * (trial // ROLLS) + 7 * first) % ROLLS
        index = dice.order[ply][first if ply == 0 else second if ply == 1 else third]
        roll[0] = <int8_t> (index // 6 + 1)
        roll[1] = <int8_t> (index % 6 + 1)
        return
    state = stream_at(dice.seed, ROLLOUT_DICE, <uint64_t> trial, <uint64_t> ply)
    roll[0] = <int8_t> stream_die(&state)
    roll[1] = <int8_t> stream_die(&state)


def rollout_dice(
    uint64_t seed, bint quasi_random, const int64_t[::1] trials not None, const int64_t[::1] plies not None,
    int8_t[:, ::1] out not None,
):
    """Write the rolls of the plies of the trials to `out`."""
    cdef Dice dice
    cdef int64_t i
    with nogil:
        dice_begin(&dice, seed, quasi_random)
        for i in range(trials.shape[0]):
            dice_roll(&dice, trials[i], plies[i], &out[i, 0])
