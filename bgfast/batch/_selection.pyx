# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""One row out of each segment, by the value of each row, without the GIL: the best or a random one.

The caller has checked that no value is NaN, and that offsets begin with 0, never fall, and end with the number of
values. Since their memory may change at any time, offsets are looked at once more where they are used: those that
have changed into nonsense make an empty segment.
`sign` is 1 if great values are good, -1 if small ones are. `first` and `last` choose segments (boards, for
`fill_means`), so that threads can share a call.
"""

from libc.math cimport NAN, exp
from libc.stdint cimport int64_t, uint64_t

from bgfast.core.random_stream cimport SAMPLE_SUCCESSORS, stream_of, stream_uniform

ctypedef fused Number:
    float
    double


cdef struct Segment:
    int64_t begin
    int64_t end


cdef inline Segment _segment(const int64_t *offsets, int64_t j, int64_t values) noexcept nogil:
    """The rows of segment j; none where the offsets are no longer those that were checked."""
    cdef Segment segment
    segment.begin = offsets[j]
    segment.end = offsets[j + 1]
    if not 0 <= segment.begin <= segment.end <= values:
        segment.begin = segment.end = 0
    return segment


cdef inline int64_t _best(const Number *values, int64_t begin, int64_t end, double sign) noexcept nogil:
    """The first row with the best value of a segment; -1 if it has no row."""
    cdef int64_t i, best = begin
    cdef double value, greatest
    if begin == end:
        return -1
    greatest = sign * values[begin]
    for i in range(begin + 1, end):
        value = sign * values[i]
        if value > greatest:
            greatest = value
            best = i
    return best


cdef inline int64_t _weighted(
    const Number *values, int64_t begin, int64_t end, double sign, double temperature, uint64_t *state,
) noexcept nogil:
    """A row, each with a probability in proportion to exp(sign * value / temperature); -1 if there is none."""
    cdef int64_t i, chosen = -1
    cdef double greatest, weight, total = 0
    if begin == end:
        return -1
    # Relative to the best value no weight is above 1 and one is 1: no overflow, and a row is always chosen.
    greatest = sign * values[_best(values, begin, end, sign)]
    for i in range(begin, end):
        weight = exp((sign * values[i] - greatest) / temperature)
        total += weight
        # Each row takes the place of those before it with its share of the weights up to here.
        if stream_uniform(state) * total < weight:
            chosen = i
    return chosen


def fill_best(
    const Number[::1] values, const int64_t[::1] offsets, double sign, int64_t first, int64_t last,
    int64_t[::1] out,
):
    """Write the first row with the best value of each segment, -1 for an empty one."""
    cdef const Number *of = &values[0] if values.shape[0] else NULL
    cdef Segment segment
    cdef int64_t j
    with nogil:
        for j in range(first, last):
            segment = _segment(&offsets[0], j, values.shape[0])
            out[j] = _best(of, segment.begin, segment.end, sign)


def fill_softmax(
    const Number[::1] values, const int64_t[::1] offsets, double sign, uint64_t seed, double temperature,
    int64_t first, int64_t last, int64_t[::1] out,
):
    """Write a random row of each segment by the softmax of its values, which are finite; -1 for an empty one."""
    cdef const Number *of = &values[0] if values.shape[0] else NULL
    cdef Segment segment
    cdef uint64_t state
    cdef int64_t j
    with nogil:
        for j in range(first, last):
            state = stream_of(seed, SAMPLE_SUCCESSORS, j)
            segment = _segment(&offsets[0], j, values.shape[0])
            out[j] = _weighted(of, segment.begin, segment.end, sign, temperature, &state)


def fill_epsilon(
    const Number[::1] values, const int64_t[::1] offsets, double sign, uint64_t seed, double epsilon,
    int64_t first, int64_t last, int64_t[::1] out,
):
    """Write any row of each segment with the probability `epsilon`, else the best; -1 for an empty segment."""
    cdef const Number *of = &values[0] if values.shape[0] else NULL
    cdef Segment segment
    cdef uint64_t state
    cdef int64_t j, begin, end
    with nogil:
        for j in range(first, last):
            segment = _segment(&offsets[0], j, values.shape[0])
            begin, end = segment.begin, segment.end
            state = stream_of(seed, SAMPLE_SUCCESSORS, j)
            if begin < end and stream_uniform(&state) < epsilon:
                out[j] = begin + <int64_t> (stream_uniform(&state) * (end - begin))
            else:
                out[j] = _best(of, begin, end, sign)


def fill_means(
    const Number[::1] values, const int64_t[::1] offsets, const double[::1] weights, double sign,
    const double[::1] empty, int64_t first, int64_t last, double[::1] out,
):
    """Write for each board the weighted mean of the best values of its segments, one segment for each weight.

    `empty` has what a board's empty segments are worth; it may be None if there are none.
    """
    cdef const Number *of = &values[0] if values.shape[0] else NULL
    cdef Segment rows
    cdef int64_t i, segment, r, best
    cdef int64_t rolls = weights.shape[0]
    cdef double total, value, all_weights = 0
    with nogil:
        for r in range(rolls):
            all_weights += weights[r]
        for i in range(first, last):
            segment = i * rolls
            if empty is not None and offsets[segment] == offsets[segment + rolls]:
                out[i] = empty[i]   # to the last digit, which a mean would not be
                continue
            total = 0
            for r in range(rolls):
                rows = _segment(&offsets[0], segment + r, values.shape[0])
                best = _best(of, rows.begin, rows.end, sign)
                value = of[best] if best >= 0 else empty[i] if empty is not None else NAN
                total += weights[r] * value
            out[i] = total / all_weights
