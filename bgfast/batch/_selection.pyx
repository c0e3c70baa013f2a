"""Selection of a row from each segment by value, without the GIL: the best or a random one.

The caller has checked that no value is NaN, and that offsets begin with 0, never decrease, and end with the number
of values. The caller may change offsets at any time, so they are checked again where they are used; invalid ones
make an empty segment. `sign` is 1 if the maximum is the best value, -1 if the minimum is.
"""

cimport cython
from libc.math cimport NAN, exp, isfinite
from libc.stdint cimport int64_t, uint64_t

from bgfast.common._threads cimport Task, range_length, run, useful_threads
from bgfast.core.random_stream cimport SAMPLE_SUCCESSORS, stream_of, stream_uniform

ctypedef fused Number:
    float
    double

cdef enum:
    MIN_SHARE = 2048   # minimum number of segments per thread; a segment takes tens of nanoseconds
    MAX_RANGE = 4096   # maximum number of segments that a thread takes at a time


cdef struct Segment:
    int64_t begin
    int64_t end


cdef inline Segment _segment(const int64_t *offsets, int64_t j, int64_t value_count) noexcept nogil:
    """Return the rows of segment j; none if the offsets have become invalid."""
    cdef Segment segment
    # Volatile: the check and the use must share a single load.
    segment.begin = (<const volatile int64_t *> offsets)[j]
    segment.end = (<const volatile int64_t *> offsets)[j + 1]
    if not 0 <= segment.begin <= segment.end <= value_count:
        segment.begin = segment.end = 0
    return segment


cdef inline int64_t _best(const Number *values, int64_t begin, int64_t end, double sign) noexcept nogil:
    """Return the first row with the best value of a segment; -1 if it is empty."""
    cdef int64_t i, best_row = begin
    cdef double value, max_value
    if begin == end:
        return -1
    max_value = sign * values[begin]
    for i in range(begin + 1, end):
        value = sign * values[i]
        if value > max_value:
            max_value = value
            best_row = i
    return best_row


cdef inline int64_t _sample(
    const Number *values, int64_t begin, int64_t end, double sign, double temperature, uint64_t *state,
) noexcept nogil:
    """Return a row with probability proportional to exp(sign * value / temperature); -1 if there is none."""
    cdef int64_t i, row = -1
    cdef double max_value, difference, weight, total = 0
    if begin == end:
        return -1
    # Relative to the best value, weights are at most 1, and one is 1: no overflow, and a row is always selected.
    max_value = sign * values[_best(values, begin, end, sign)]
    for i in range(begin, end):
        difference = (sign * values[i] - max_value) / temperature
        if not isfinite(difference):
            difference = (sign * values[i] / 2 - max_value / 2) / (temperature / 2)   # halves do not overflow
        weight = exp(difference)
        total += weight
        # A row replaces the selected one with a probability equal to its share of the weights so far.
        if stream_uniform(state) * total < weight:
            row = i
    return row


cdef class SegmentTask(Task):
    """Task on the segments of an array of values."""

    cdef const float[::1] floats      # the values are `floats` or `doubles`; the other is None
    cdef const double[::1] doubles
    cdef const int64_t[::1] offsets
    cdef int64_t value_count
    cdef double sign

    def __init__(self, values, const int64_t[::1] offsets not None, double sign):
        self.floats, self.doubles = (values, None) if values.dtype == "float32" else (None, values)
        self.value_count = values.shape[0]
        self.offsets = offsets
        self.sign = sign

    cdef int share(self, int64_t items, int64_t min_share, int64_t threads) except -1:
        cdef int slots = useful_threads(items, min_share, threads)
        run(self, items, range_length(items, MAX_RANGE, slots), slots)
        return 0


@cython.final
cdef class RowChoice(SegmentTask):
    cdef uint64_t seed
    cdef double temperature
    cdef double epsilon
    cdef int64_t[::1] rows

    def into(self, uint64_t seed, double temperature, double epsilon, int64_t[::1] rows not None, int64_t threads):
        """Write the selected row of each segment, -1 for an empty segment.

        With a `temperature` above 0 the row is drawn by the softmax of the values, which are finite; otherwise it
        is uniformly random with probability `epsilon`, else the first with the best value.
        """
        self.seed, self.temperature, self.epsilon = seed, temperature, epsilon
        self.rows = rows
        self.share(rows.shape[0], MIN_SHARE, threads)

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        if self.floats is not None:
            _choose_rows(self, &self.floats[0] if self.value_count else NULL, first, last)
        else:
            _choose_rows(self, &self.doubles[0] if self.value_count else NULL, first, last)
        return True


cdef void _choose_rows(RowChoice choice, const Number *values, int64_t first, int64_t last) noexcept nogil:
    cdef Segment segment
    cdef uint64_t state
    cdef int64_t j
    for j in range(first, last):
        segment = _segment(&choice.offsets[0], j, choice.value_count)
        if choice.temperature > 0 or choice.epsilon > 0:
            state = stream_of(choice.seed, SAMPLE_SUCCESSORS, j)
        if choice.temperature > 0:
            choice.rows[j] = _sample(
                values, segment.begin, segment.end, choice.sign, choice.temperature, &state)
        elif choice.epsilon > 0 and segment.begin < segment.end and stream_uniform(&state) < choice.epsilon:
            choice.rows[j] = segment.begin + <int64_t> (stream_uniform(&state) * (segment.end - segment.begin))
        else:
            choice.rows[j] = _best(values, segment.begin, segment.end, choice.sign)


@cython.final
cdef class Mean(SegmentTask):
    """Weighted mean, for each board, of the best values of its segments, one segment per weight.

    `empty` has the values of empty segments by board; it may be None if no segment is empty.
    """

    cdef const double[::1] weights
    cdef const double[::1] empty
    cdef double weight_sum
    cdef double[::1] means

    def into(
        self, const double[::1] weights not None, const double[::1] empty, double[::1] means not None,
        int64_t threads,
    ):
        self.weights = weights
        self.empty = empty
        self.means = means
        self.weight_sum = sum(weights)
        self.share(means.shape[0], MIN_SHARE // weights.shape[0], threads)

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        if self.floats is not None:
            _write_means(self, &self.floats[0] if self.value_count else NULL, first, last)
        else:
            _write_means(self, &self.doubles[0] if self.value_count else NULL, first, last)
        return True


cdef double _total(Mean mean, const Number *values, int64_t i, double scale) noexcept nogil:
    cdef Segment segment
    cdef int64_t r, row
    cdef int64_t rolls = mean.weights.shape[0]
    cdef double value, total = 0
    for r in range(rolls):
        segment = _segment(&mean.offsets[0], i * rolls + r, mean.value_count)
        row = _best(values, segment.begin, segment.end, mean.sign)
        value = values[row] if row >= 0 else mean.empty[i] if mean.empty is not None else NAN
        total += mean.weights[r] * (value * scale)
    return total


cdef void _write_means(Mean mean, const Number *values, int64_t first, int64_t last) noexcept nogil:
    cdef int64_t i
    cdef int64_t rolls = mean.weights.shape[0]
    cdef double total
    for i in range(first, last):
        if mean.empty is not None and mean.offsets[i * rolls] == mean.offsets[(i + 1) * rolls]:
            mean.means[i] = mean.empty[i]   # exactly, unlike a computed mean
            continue
        total = _total(mean, values, i, 1)
        if isfinite(total):
            mean.means[i] = total / mean.weight_sum
        else:
            # Near the limit of float64 the sum may overflow though the mean does not; infinities stay infinite.
            mean.means[i] = _total(mean, values, i, 2.0 ** -10) / mean.weight_sum * 2.0 ** 10
