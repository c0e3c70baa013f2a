/* State checked by working threads without the GIL: a clock, shared flags, and the thread's own job. */

#ifndef BGFAST_WATCH_H
#define BGFAST_WATCH_H

#if defined(_WIN32)
#include <windows.h>
#else
#include <time.h>
#endif

#if defined(_MSC_VER)
#define BG_OF_THREAD __declspec(thread)
#else
#define BG_OF_THREAD __thread
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

/* Job of a thread, and whether the thread is the calling one. */
typedef struct {
    void *job;
    int calling;
} bg_at_work;

static BG_OF_THREAD bg_at_work bg_own_work;

static inline bg_at_work bg_work(void)
{
    return bg_own_work;
}

static inline void bg_set_work(bg_at_work work)
{
    bg_own_work = work;
}

#endif
