/* CPython waits by sem_clockwait where a lock has a limit of time. ThreadSanitizer of gcc 12 does not know it, and takes
 * what the two threads do before and after for a race; so it becomes sem_timedwait, which it does know. */
#define _GNU_SOURCE
#include <semaphore.h>
#include <time.h>

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
    const long second = 1000000000L;
    struct timespec now, end;
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += until->tv_sec - now.tv_sec - 1;
    end.tv_nsec += until->tv_nsec - now.tv_nsec + second;
    end.tv_sec += end.tv_nsec / second;
    end.tv_nsec %= second;
    return sem_timedwait(semaphore, &end);
}
