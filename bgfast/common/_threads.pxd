"""Work shared by a pool of threads without the GIL; the calling thread works as well.

A `Task` has a method `work`, which is called on consecutive ranges of 0 .. `items`; ranges start in order.
Concurrent calls have different slots, numbered from 0; separate memory for every slot needs no lock.
"""

from libc.stdint cimport int64_t


cdef class Task:
    cdef object exception   # raised by a signal handler during the work

    # Returns whether to continue. After False all threads stop, as after `stop` seconds of `run`.
    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil


# Largest number of threads, from 1 to `threads`, that leaves at least `min_share` items for each.
cdef int useful_threads(int64_t items, int64_t min_share, int64_t threads) noexcept

# Length of ranges: at most `max_length`, and short enough for several ranges per thread, since some items take
# much longer than others.
cdef int64_t range_length(int64_t items, int64_t max_length, int threads) noexcept

# Does the work on ranges of `length` items, on at most `threads` slots. After `pause` seconds no range is begun;
# after `stop` seconds all threads stop. Signals are checked between ranges, where the work calls
# `should_continue`, and while this thread waits for the others: a handler's exception is raised here, after
# the running ranges have ended. Returns whether all items are done.
cdef bint run(Task task, int64_t items, int64_t length, int threads, double pause=*, double stop=*) except -1

# Whether this thread's work should continue; True outside of `run`. Long work calls it a hundred times a second or
# more often; a call reads the clock. After False, the result of the current range is invalid, as is everything
# computed from it.
cdef bint should_continue() noexcept nogil

# Whether new work may be begun: a range, or a resumable part of a range.
cdef bint may_begin() noexcept nogil

# Whether `should_continue` has reported a stop; cheap, as it checks neither the clock nor signals.
cdef bint is_stopped() noexcept nogil
