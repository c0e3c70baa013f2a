"""Work shared by threads that stay, without the GIL; the thread that calls works, too.

What to do is a `Task` with a method `work`, called on ranges that make up 0 .. `items`, in their order: a range is
begun when all before it have been. Calls at the same time are on different slots, from 0 on, so that memory of its
own for each slot needs no lock.
"""

from libc.stdint cimport int64_t


cdef class Task:
    cdef object raised   # by a signal's handler meanwhile

    # Returns whether to go on. After a False what has begun is ended, and nothing new is begun.
    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil


# How many of these threads are worth waking if `smallest` items keep one busy for long enough; 1 or more.
cdef int worthwhile(int64_t items, int64_t smallest, int64_t threads) noexcept

# A length for ranges: at most `most`, and short enough for some more ranges than threads, since some items take
# much longer than others.
cdef int64_t range_length(int64_t items, int64_t most, int threads) noexcept

# Does the work on ranges of `length` items, on as many slots as `threads` or fewer. After `pause` seconds nothing
# is begun any more, after `stop` seconds nobody goes on. Signals are looked at between ranges, where the work
# asks `goes_on`, and while this thread waits for the others: what a handler raises is raised here, after all that
# has begun is ended. Returns whether all is done.
cdef bint run(Task task, int64_t items, int64_t length, int threads, double pause=*, double stop=*) except -1

# Whether the work that this thread is in is to go on; True outside of `run`. Asked by what takes long, some
# hundred times a second or more often; it costs a look at the clock. After a False what was begun is worth
# nothing, nor is what is made of it.
cdef bint goes_on() noexcept nogil

# Whether anything new is to be begun: a range, or a part of one that can be gone on with later.
cdef bint begins() noexcept nogil

# Whether `goes_on` has said, or would say to another thread, that it is not: costs nothing, but looks at nothing.
cdef bint given_up() noexcept nogil
