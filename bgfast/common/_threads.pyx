# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Threads that stay: to wake one takes microseconds, to make one for a call takes many times that.

Workers are made when a call first wants them and sleep between calls, each on a lock of its own. They run nothing
but `Task.work`, without the GIL, and never touch a Python object. A call takes idle workers for itself; one that
has not woken up when all is done is sent back to sleep, so that a call waits for nobody who does not work for it.
A forked child begins with none; at exit they are told to end.
"""

import atexit
import os
from time import monotonic

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.pythread cimport (
    WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_release_lock, PyThread_start_new_thread,
    PyThread_type_lock,
)
from libc.stdint cimport int64_t

cdef extern from "pythread.h" nogil:
    void PyThread_free_lock(PyThread_type_lock)   # Cython's own declaration forgets that it needs no GIL

cdef struct Job:
    PyThread_type_lock lock   # over what follows
    void *task                # borrowed from the caller, who waits for everyone who works
    int64_t next              # item that nobody has begun
    int64_t items
    int64_t length
    int slots                 # given out so far
    bint stopped


cdef struct Worker:
    PyThread_type_lock wake       # opened to wake it
    PyThread_type_lock finished   # opened by it when it has done with its job
    Worker *next                  # among the idle ones, or those of a call
    Job *job                      # these four under the lock of the pool
    bint woken                    # `wake` is open, or soon closed again
    bint begun                    # it works on the job: `finished` will be opened
    bint ending


cdef PyThread_type_lock pool_lock = PyThread_allocate_lock()
cdef Worker *idle = NULL
cdef int64_t generation = 0   # counts the forks that have led to this process
if pool_lock == NULL:
    raise MemoryError


cdef class Task:
    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        return False


# ---- a job ------------------------------------------------------------------------------------------------------

cdef int64_t _work_on(Job *job, int slot, int64_t ranges) noexcept nogil:
    """Work on so many ranges, or until nothing is left to begin; return how many there were."""
    cdef int64_t first, last, done
    cdef bint going
    for done in range(ranges):
        PyThread_acquire_lock(job.lock, WAIT_LOCK)
        first = job.items if job.stopped else job.next
        last = min(first + job.length, job.items)
        if first < last:
            job.next = last
        PyThread_release_lock(job.lock)
        if first >= last:
            return done
        going = (<Task> job.task).work(slot, first, last)
        if not going:
            _stop(job)
    return ranges


cdef void _stop(Job *job) noexcept nogil:
    PyThread_acquire_lock(job.lock, WAIT_LOCK)
    job.stopped = True
    PyThread_release_lock(job.lock)


cdef int _slot(Job *job) noexcept nogil:
    cdef int slot
    PyThread_acquire_lock(job.lock, WAIT_LOCK)
    slot = job.slots
    job.slots += 1
    PyThread_release_lock(job.lock)
    return slot


# ---- workers ----------------------------------------------------------------------------------------------------

cdef void _live(void *argument) noexcept nogil:
    """A worker's life."""
    cdef Worker *worker = <Worker *> argument
    cdef Job *job
    cdef bint ending
    while True:
        PyThread_acquire_lock(worker.wake, WAIT_LOCK)
        PyThread_acquire_lock(pool_lock, WAIT_LOCK)
        worker.woken = False
        job = worker.job
        worker.begun = job != NULL
        ending = worker.ending
        PyThread_release_lock(pool_lock)
        if ending:
            _free(worker)
            return
        if job != NULL:
            _work_on(job, _slot(job), job.items)
            PyThread_release_lock(worker.finished)


cdef void _free(Worker *worker) noexcept nogil:
    if worker.wake != NULL:
        PyThread_free_lock(worker.wake)
    if worker.finished != NULL:
        PyThread_free_lock(worker.finished)
    PyMem_RawFree(worker)


cdef Worker *_new_worker() noexcept:
    """A sleeping worker; NULL if there can be no more."""
    cdef Worker *worker = <Worker *> PyMem_RawMalloc(sizeof(Worker))
    if worker == NULL:
        return NULL
    worker.next = NULL
    worker.job = NULL
    worker.woken = worker.begun = worker.ending = False
    worker.wake = PyThread_allocate_lock()
    worker.finished = PyThread_allocate_lock()
    if worker.wake != NULL and worker.finished != NULL:
        PyThread_acquire_lock(worker.wake, WAIT_LOCK)
        PyThread_acquire_lock(worker.finished, WAIT_LOCK)
        if PyThread_start_new_thread(_live, worker) != <unsigned long> -1:
            return worker
    _free(worker)
    return NULL


cdef void _wake(Worker *worker) noexcept nogil:
    """Under the lock of the pool."""
    if not worker.woken:
        worker.woken = True
        PyThread_release_lock(worker.wake)


cdef Worker *_engage(Job *job, int number) noexcept:
    """Idle workers, or new ones, put on the job: as many as wanted, or as there can be."""
    global idle
    cdef Worker *engaged = NULL
    cdef Worker *worker
    for _ in range(number):
        PyThread_acquire_lock(pool_lock, WAIT_LOCK)
        worker = idle
        if worker != NULL:
            idle = worker.next
        PyThread_release_lock(pool_lock)
        if worker == NULL:
            worker = _new_worker()
            if worker == NULL:
                break
        worker.next = engaged
        engaged = worker
        PyThread_acquire_lock(pool_lock, WAIT_LOCK)
        worker.job = job
        _wake(worker)
        PyThread_release_lock(pool_lock)
    return engaged


cdef void _dismiss(Worker *engaged) noexcept nogil:
    """Wait for those who work on the job, and let all of them be idle."""
    global idle
    cdef Worker *worker
    cdef bint begun
    while engaged != NULL:
        worker = engaged
        engaged = worker.next
        PyThread_acquire_lock(pool_lock, WAIT_LOCK)
        begun = worker.begun
        worker.job = NULL   # one that comes too late finds nothing
        PyThread_release_lock(pool_lock)
        if begun:
            PyThread_acquire_lock(worker.finished, WAIT_LOCK)
        PyThread_acquire_lock(pool_lock, WAIT_LOCK)
        worker.begun = False
        worker.next = idle
        idle = worker
        PyThread_release_lock(pool_lock)


# ---- a call -----------------------------------------------------------------------------------------------------

cdef int worthwhile(int64_t items, int64_t smallest, int64_t threads) noexcept:
    return <int> max(1, min(items // smallest, threads))


cdef int64_t range_length(int64_t items, int64_t most, int threads) noexcept:
    return most if threads == 1 else max(1, min(most, items // (8 * threads)))


cdef bint run(Task task, int64_t items, int64_t length, int threads) except -1:
    # Not on the stack: while the interpreter ends, a daemon thread that wants the GIL back is gone with its stack,
    # and workers may still be at work for it. The job stays behind then, with the task and its arrays.
    cdef Job *job = <Job *> PyMem_RawMalloc(sizeof(Job))
    if job == NULL:
        raise MemoryError
    job.task = <void *> task
    job.next = 0
    job.items = items
    job.length = length
    job.slots = 1   # this thread's is 0
    job.stopped = False
    job.lock = PyThread_allocate_lock()
    if job.lock == NULL:
        PyMem_RawFree(job)
        raise MemoryError
    try:
        return _run(job, threads)
    finally:
        PyThread_free_lock(job.lock)
        PyMem_RawFree(job)


cdef bint _run(Job *job, int threads) except -1:
    cdef Worker *engaged
    cdef int64_t begun_in = generation
    cdef int64_t ranges = 16   # between two looks at signals: as many as take about a tenth of a second
    cdef int64_t done
    engaged = _engage(job, threads - 1)
    try:
        while True:
            began = monotonic()
            with nogil:
                done = _work_on(job, 0, ranges)
                if done < ranges:
                    _dismiss(engaged)
            if done < ranges:
                return not job.stopped
            if monotonic() - began < 0.05:
                ranges *= 2
            PyErr_CheckSignals()
            if generation != begun_in:
                raise RuntimeError("forked in the middle of a call: its other threads are gone")
    except BaseException:
        if generation == begun_in:   # else a signal's handler has forked, and nobody is there to wait for
            with nogil:
                _stop(job)
                _dismiss(engaged)
        raise


def _forget():
    """In a forked child: the workers have stayed with the parent."""
    global pool_lock, idle, generation
    pool_lock = PyThread_allocate_lock()   # the old one may be anybody's
    idle = NULL
    generation += 1


def _end():
    """Let the idle workers end; one that works for a daemon thread ends with the process."""
    global idle
    cdef Worker *worker
    PyThread_acquire_lock(pool_lock, WAIT_LOCK)
    while idle != NULL:
        worker = idle
        idle = worker.next
        worker.ending = True
        _wake(worker)
    PyThread_release_lock(pool_lock)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
atexit.register(_end)
