/* CPython waits for locks with a timeout by sem_clockwait, which ThreadSanitizer of gcc 12 does not know and takes for a
 * race. This wrapper calls sem_timedwait instead. */
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
