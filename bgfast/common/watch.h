/* Clock, shared flags and thread-local job of working threads, without the GIL. */

#ifndef BGFAST_WATCH_H
#define BGFAST_WATCH_H

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

/* Job of a thread, and whether the thread is the calling one. */
typedef struct {
    void *job;
    int is_caller;
} bg_thread_job;

static BG_THREAD_LOCAL bg_thread_job bg_job;

static inline bg_thread_job bg_current_job(void)
{
    return bg_job;
}

static inline void bg_set_job(bg_thread_job job)
{
    bg_job = job;
}

#endif
