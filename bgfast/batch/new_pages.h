/* Memory that nobody has touched yet has no pages. Whoever writes to one first waits for the system to clear it, and
 * so does every other thread that wants to write to it meanwhile; a page may be 2 MiB, room for many blocks. */

#ifndef BGFAST_NEW_PAGES_H
#define BGFAST_NEW_PAGES_H

#include <stdint.h>

#if defined(__linux__)
#include <sys/mman.h>
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23   /* since Linux 5.14; an older one refuses it, and nothing is lost */
#endif
#endif

/* Whoever takes the memory from `begin` to `end`, and with it enters a new large page, lets the system make the page
 * behind it, unless that reaches beyond `limit`: the others still have room in front of it. No byte is changed. */
static inline void bg_prepare_page(void *begin, void *end, void *limit)
{
#if defined(__linux__)
    const uintptr_t size = (uintptr_t) 1 << 21;
    const uintptr_t entered = ((uintptr_t) begin + size - 1) & ~(size - 1);
    const uintptr_t next = ((uintptr_t) end + size - 1) & ~(size - 1);
    if (entered != next && next + size <= (uintptr_t) limit)
        (void) madvise((void *) next, size, MADV_POPULATE_WRITE);
#else
    (void) begin;
    (void) end;
    (void) limit;
#endif
}

#endif
