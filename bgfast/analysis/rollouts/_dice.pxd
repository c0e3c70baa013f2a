"""Dice of a rollout: the roll of every ply of every trial."""

from libc.stdint cimport int8_t, int64_t, uint64_t

cdef enum:
    EVEN_PLIES = 3   # plies with stratified rolls, for quasi-random dice


cdef struct Dice:
    uint64_t seed
    bint quasi_random
    int8_t order[3][36]   # order of the 36 rolls, by stratified ply


cdef void dice_begin(Dice *dice, uint64_t seed, bint quasi_random) noexcept nogil
cdef void dice_roll(const Dice *dice, int64_t trial, int64_t ply, int8_t *roll) noexcept nogil
