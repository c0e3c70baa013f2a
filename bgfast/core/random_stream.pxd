"""Counter-based random streams: each row of a result has a separate stream, on any thread.

SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, with the constants
of Vigna's splitmix64.c. `random_positions` and `random_dice` guarantee their numbers, so no stream may change.
"""

from libc.stdint cimport uint64_t

cdef enum Purpose:
    # Different purposes draw different numbers from the same seed: otherwise the roll of a row would determine the
    # play chosen for it.
    RANDOM_POSITIONS = 0
    RANDOM_SUCCESSORS = 1
    SAMPLE_SUCCESSORS = 2
    RANDOM_DICE = 3
    ROLLOUT_DICE = 4
    ROLLOUT_PLAYS = 5
    TRAINING_DICE = 6


cdef inline uint64_t stream_mix(uint64_t x) noexcept nogil:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9U
    x = (x ^ x >> 27) * 0x94D049BB133111EBU
    return x ^ x >> 31


cdef inline uint64_t stream_next(uint64_t *state) noexcept nogil:
    state[0] += 0x9E3779B97F4A7C15U
    return stream_mix(state[0])


cdef inline uint64_t stream_of(uint64_t seed, Purpose purpose, uint64_t row) noexcept nogil:
    """Return the initial state of a row's stream, unique among the rows of a seed and purpose."""
    return stream_mix(stream_mix(seed + (1 + <uint64_t> purpose) * 0x9E3779B97F4A7C15U) + row)


cdef inline uint64_t stream_at(uint64_t seed, Purpose purpose, uint64_t row, uint64_t step) noexcept nogil:
    """Return the state at a step of a row's stream, computed directly; steps are far apart in the sequence."""
    return stream_of(seed, purpose, row) + step * 0xD1342543DE82EF95U


cdef inline uint64_t stream_below(uint64_t *state, uint64_t bound) noexcept nogil:
    """Return a number from 0 to bound - 1; the bias is less than bound / 2**32."""
    return (stream_next(state) >> 32) * bound >> 32


cdef inline int stream_die(uint64_t *state) noexcept nogil:
    return <int> stream_below(state, 6) + 1


cdef inline double stream_uniform(uint64_t *state) noexcept nogil:
    """Return a multiple of 2**-53 in [0, 1)."""
    return <double> (stream_next(state) >> 11) * (1 / <double> (1ULL << 53))
