"""Random numbers by counting: each row of a result has a stream of its own, whatever thread comes to it.

SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, with the constants
of Vigna's splitmix64.c. The numbers of `random_positions` and `random_dice` are promised to stay: nothing here may
change them.
"""

from libc.stdint cimport uint64_t

cdef enum Purpose:
    # Functions that are given the same seed must not draw the same numbers: a roll would decide on the choice that
    # another one makes for the same row.
    RANDOM_POSITIONS = 0
    RANDOM_SUCCESSORS = 1
    SAMPLE_SUCCESSORS = 2
    RANDOM_DICE = 3
    ROLLOUT_DICE = 4
    ROLLOUT_PLAYS = 5
    TRAINING_DICE = 6


cdef inline uint64_t stream_mixed(uint64_t x) noexcept nogil:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9U
    x = (x ^ x >> 27) * 0x94D049BB133111EBU
    return x ^ x >> 31


cdef inline uint64_t stream_next(uint64_t *state) noexcept nogil:
    state[0] += 0x9E3779B97F4A7C15U
    return stream_mixed(state[0])


cdef inline uint64_t stream_of(uint64_t seed, Purpose purpose, uint64_t row) noexcept nogil:
    """The first state of a row's stream: no two rows of a seed and purpose share one."""
    return stream_mixed(stream_mixed(seed + (1 + <uint64_t> purpose) * 0x9E3779B97F4A7C15U) + row)


cdef inline uint64_t stream_at(uint64_t seed, Purpose purpose, uint64_t row, uint64_t step) noexcept nogil:
    """A state for each step of a row, far from those of the others; known without those before."""
    return stream_of(seed, purpose, row) + step * 0xD1342543DE82EF95U


cdef inline uint64_t stream_below(uint64_t *state, uint64_t bound) noexcept nogil:
    """A number from 0 to bound - 1; off from uniform by less than bound / 2**32."""
    return (stream_next(state) >> 32) * bound >> 32


cdef inline int stream_die(uint64_t *state) noexcept nogil:
    return <int> stream_below(state, 6) + 1


cdef inline double stream_uniform(uint64_t *state) noexcept nogil:
    """A multiple of 2**-53, at least 0 and less than 1."""
    return <double> (stream_next(state) >> 11) * (1 / <double> (1ULL << 53))
