"""Thread pool, since waking a thread takes microseconds and creating one takes many times as long.

Workers are created on demand and sleep between calls, each on its own lock. They run only `Task.work`, without the
GIL, and never touch a Python object. A call reserves idle workers. It waits only for workers that have started on
its job; workers that wake up later find no job and sleep again. A forked child starts without workers; at exit,
idle workers end.
"""

import atexit
import os

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from cpython.pythread cimport (
    WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_release_lock, PyThread_start_new_thread,
    PyThread_type_lock,
)
from libc.math cimport INFINITY
from libc.stdint cimport int64_t

cdef extern from "pythread.h" nogil:
    void PyThread_free_lock(PyThread_type_lock)   # Cython's declaration lacks nogil
    int PyThread_acquire_lock_timed(PyThread_type_lock, long long microseconds, int)

cdef extern from * nogil:
    """
    #if defined(_WIN32)
    #include <windows.h>
    #else
    #include <time.h>
    #endif

    #if defined(_MSC_VER)
    #define BG_THREAD_LOCAL __declspec(thread)
    #else
    #define BG_THREAD_LOCAL __thread
    #endif

    /* Monotonic time in seconds. */
    static inline double bg_now(void)
    {
    #if defined(_WIN32)
        LARGE_INTEGER count, frequency;
        QueryPerformanceCounter(&count);
        QueryPerformanceFrequency(&frequency);
        return (double) count.QuadPart / (double) frequency.QuadPart;
    #else
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
    #endif
    }

    /* A flag is raised once and never lowered. It orders no other memory accesses. */
    typedef int bg_flag;

    static inline int bg_raised(const bg_flag *flag)
    {
    #if defined(_MSC_VER)
        return *(const volatile bg_flag *) flag;
    #else
        return __atomic_load_n(flag, __ATOMIC_RELAXED);
    #endif
    }

    static inline void bg_raise(bg_flag *flag)
    {
    #if defined(_MSC_VER)
        *(volatile bg_flag *) flag = 1;
    #else
        __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
    #endif
    }

    /* Job of this thread, and whether the thread is the calling one. */
    typedef struct {
        void *job;
        int is_caller;
    } bg_thread_job;
    static BG_THREAD_LOCAL bg_thread_job bg_job;
    """
    ctypedef int bg_flag
    ctypedef struct bg_thread_job:
        void *job
        int is_caller
    double bg_now()
    bint bg_raised(const bg_flag *)
    void bg_raise(bg_flag *)
    bg_thread_job bg_job   # thread-local

cdef double POLL_SECONDS = 0.05   # interval between checks for signals

cdef struct Job:
    PyThread_type_lock lock   # protects `next` and `slots`
    void *task                # borrowed from the caller, which waits for all workers
    int64_t next              # first item that no thread has taken
    int64_t items
    int64_t length
    int slots                 # number of slots assigned so far
    bg_flag stopped           # all threads stop
    bg_flag paused            # no thread starts a new range
    double pause_at, stop_at, poll_at   # read by the calling thread only
    int64_t generation        # generation of the process that started the job


cdef struct Worker:
    PyThread_type_lock wake       # released to wake the worker
    PyThread_type_lock finished   # released by the worker when its job is done
    Worker *next                  # next in the list of idle workers, or of a call's workers
    Job *job                      # this field and the next three are protected by pool_lock
    bint woken                    # `wake` is released but not yet acquired again
    bint started                  # the worker is working on the job and will release `finished`
    bint ending                   # the worker ends when it wakes up


cdef PyThread_type_lock pool_lock = PyThread_allocate_lock()
cdef Worker *idle_workers = NULL
cdef int64_t generation = 0   # number of forks that led to this process
if pool_lock == NULL:
    raise MemoryError


cdef class Task:
    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        return False


# ---- a job ------------------------------------------------------------------------------------------------------

cdef void _work_on(Job *job, int slot) noexcept nogil:
    """Work until no range is left, or the job is paused or stopped."""
    global bg_job
    cdef bg_thread_job outer_job = bg_job   # job of a call interrupted by a signal handler
    cdef int64_t first, last
    bg_job = bg_thread_job(job, slot == 0)
    cdef bint is_running = should_continue()
    while is_running:
        PyThread_acquire_lock(job.lock, WAIT_LOCK)
        first = job.next
        last = min(first + job.length, job.items)
        job.next = last
        PyThread_release_lock(job.lock)
        if first >= last:
            break
        if not (<Task> job.task).work(slot, first, last):
            bg_raise(&job.stopped)
        is_running = may_begin()   # after the work: at least one range is done, however short the time limit
    bg_job = outer_job


cdef bint should_continue() noexcept nogil:
    cdef Job *job = <Job *> bg_job.job
    if job == NULL:
        return True
    if bg_job.is_caller:
        _poll(job)
    return not bg_raised(&job.stopped)


cdef bint is_stopped() noexcept nogil:
    cdef Job *job = <Job *> bg_job.job
    return job != NULL and bg_raised(&job.stopped)


cdef bint may_begin() noexcept nogil:
    cdef Job *job = <Job *> bg_job.job
    return should_continue() and (job == NULL or not bg_raised(&job.paused))


cdef void _poll(Job *job) noexcept nogil:
    """Check the clock and, from time to time, signals; only for the calling thread."""
    cdef double now = bg_now()
    if now >= job.pause_at:
        bg_raise(&job.paused)
    if now >= job.stop_at:
        bg_raise(&job.stopped)
    if now >= job.poll_at and not bg_raised(&job.stopped):
        _run_signal_handlers(job)
        job.poll_at = bg_now() + POLL_SECONDS


cdef void _run_signal_handlers(Job *job) noexcept with gil:
    """Run signal handlers; an exception stops the job and is raised at its end."""
    try:
        PyErr_CheckSignals()
        if generation != job.generation:
            raise RuntimeError("forked during a call: its other threads do not exist here")
    except BaseException as error:
        (<Task> job.task).exception = error
        bg_raise(&job.stopped)


cdef int _take_slot(Job *job) noexcept nogil:
    cdef int slot
    PyThread_acquire_lock(job.lock, WAIT_LOCK)
    slot = job.slots
    job.slots += 1
    PyThread_release_lock(job.lock)
    return slot


# ---- workers ----------------------------------------------------------------------------------------------------

cdef void _worker_loop(void *argument) noexcept nogil:
    cdef Worker *worker = <Worker *> argument
    cdef Job *job
    cdef bint ending
    while True:
        PyThread_acquire_lock(worker.wake, WAIT_LOCK)
        PyThread_acquire_lock(pool_lock, WAIT_LOCK)
        worker.woken = False
        job = worker.job
        worker.started = job != NULL
        ending = worker.ending
        PyThread_release_lock(pool_lock)
        if ending:
            _free(worker)
            return
        if job != NULL:
            _work_on(job, _take_slot(job))
            PyThread_release_lock(worker.finished)


cdef void _free(Worker *worker) noexcept nogil:
    if worker.wake != NULL:
        PyThread_free_lock(worker.wake)
    if worker.finished != NULL:
        PyThread_free_lock(worker.finished)
    PyMem_RawFree(worker)


cdef Worker *_new_worker() noexcept:
    """Create a sleeping worker; return NULL if that fails."""
    cdef Worker *worker = <Worker *> PyMem_RawMalloc(sizeof(Worker))
    if worker == NULL:
        return NULL
    worker.next = NULL
    worker.job = NULL
    worker.woken = worker.started = worker.ending = False
    worker.wake = PyThread_allocate_lock()
    worker.finished = PyThread_allocate_lock()
    if worker.wake != NULL and worker.finished != NULL:
        PyThread_acquire_lock(worker.wake, WAIT_LOCK)
        PyThread_acquire_lock(worker.finished, WAIT_LOCK)
        if PyThread_start_new_thread(_worker_loop, worker) != <unsigned long> -1:
            return worker
    _free(worker)
    return NULL


cdef void _wake(Worker *worker) noexcept nogil:
    """Wake a worker; the caller holds pool_lock."""
    if not worker.woken:
        worker.woken = True
        PyThread_release_lock(worker.wake)


cdef Worker *_engage(Job *job, int count) noexcept:
    """Assign `count` idle or new workers to the job, or as many as can be created."""
    global idle_workers
    cdef Worker *workers = NULL
    cdef Worker *worker
    for _ in range(count):
        PyThread_acquire_lock(pool_lock, WAIT_LOCK)
        worker = idle_workers
        if worker != NULL:
            idle_workers = worker.next
        PyThread_release_lock(pool_lock)
        if worker == NULL:
            worker = _new_worker()
            if worker == NULL:
                break
        worker.next = workers
        workers = worker
        PyThread_acquire_lock(pool_lock, WAIT_LOCK)
        worker.job = job
        _wake(worker)
        PyThread_release_lock(pool_lock)
    return workers


cdef void _dismiss(Job *job, Worker *workers) noexcept nogil:
    """Wait for the workers that have started on the job, and make all of them idle."""
    global idle_workers
    cdef Worker *worker
    cdef bint started
    while workers != NULL:
        worker = workers
        workers = worker.next
        PyThread_acquire_lock(pool_lock, WAIT_LOCK)
        started = worker.started
        worker.job = NULL   # a worker that wakes up too late finds no job
        PyThread_release_lock(pool_lock)
        if started and not _wait_for(job, worker):
            return
        PyThread_acquire_lock(pool_lock, WAIT_LOCK)
        worker.started = False
        worker.next = idle_workers
        idle_workers = worker
        PyThread_release_lock(pool_lock)


cdef bint _wait_for(Job *job, Worker *worker) noexcept nogil:
    """Wait for a worker; return False after a fork in a signal handler, where the worker does not exist."""
    cdef long long interval = <long long> (1e6 * POLL_SECONDS)
    while generation == job.generation:
        if PyThread_acquire_lock_timed(worker.finished, interval, 0):
            return True
        _poll(job)
    return False


# ---- a call -----------------------------------------------------------------------------------------------------

cdef int useful_threads(int64_t items, int64_t min_share, int64_t threads) noexcept:
    return <int> max(1, min(items // min_share, threads))


cdef int64_t range_length(int64_t items, int64_t max_length, int threads) noexcept:
    return max_length if threads == 1 else max(1, min(max_length, items // (8 * threads)))


cdef bint run(
    Task task, int64_t items, int64_t length, int threads, double pause=INFINITY, double stop=INFINITY,
) except -1:
    # The job is not on the stack: at interpreter exit, a daemon thread that requests the GIL loses its stack
    # while workers may still use the job. The job then leaks, together with the task and its arrays.
    cdef Job *job = <Job *> PyMem_RawMalloc(sizeof(Job))
    cdef double now = bg_now()
    if job == NULL:
        raise MemoryError
    job.task = <void *> task
    job.next = 0
    job.items = items
    job.length = length
    job.slots = 1   # slot 0 belongs to this thread
    job.stopped = job.paused = 0
    job.pause_at = now + pause
    job.stop_at = now + stop
    job.poll_at = now + POLL_SECONDS
    job.generation = generation
    job.lock = PyThread_allocate_lock()
    if job.lock == NULL:
        PyMem_RawFree(job)
        raise MemoryError
    try:
        return _run(job, task, threads)
    finally:
        PyThread_free_lock(job.lock)
        PyMem_RawFree(job)


cdef bint _run(Job *job, Task task, int threads) except -1:
    cdef Worker *workers = _engage(job, threads - 1)
    with nogil:
        _work_on(job, 0)
        if generation == job.generation:   # otherwise a signal handler has forked: no workers to wait for
            _dismiss(job, workers)
    exception, task.exception = task.exception, None
    if exception is not None:
        raise exception
    return job.next >= job.items and not job.stopped


def _reset_after_fork():
    """Reset the pool in a forked child, where the workers do not exist."""
    global pool_lock, idle_workers, generation
    pool_lock = PyThread_allocate_lock()   # the old one may be held by a thread of the parent
    idle_workers = NULL
    generation += 1


def _end_idle_workers():
    """End the idle workers; workers of a daemon thread end with the process."""
    global idle_workers
    cdef Worker *worker
    PyThread_acquire_lock(pool_lock, WAIT_LOCK)
    while idle_workers != NULL:
        worker = idle_workers
        idle_workers = worker.next
        worker.ending = True
        _wake(worker)
    PyThread_release_lock(pool_lock)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
atexit.register(_end_idle_workers)
