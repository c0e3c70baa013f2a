"""The dice of a rollout: the roll of each ply of each trial, whoever plays it and whenever."""

from libc.stdint cimport int8_t, int64_t, uint64_t

cdef enum:
    EVEN_PLIES = 3   # whose rolls come equally often, with quasi-random dice


cdef struct Dice:
    uint64_t seed
    bint quasi_random
    int8_t order[3][36]   # of the 36 rolls, for each of these plies


cdef void dice_begin(Dice *dice, uint64_t seed, bint quasi_random) noexcept nogil
cdef void dice_roll(const Dice *dice, int64_t trial, int64_t ply, int8_t *roll) noexcept nogil
