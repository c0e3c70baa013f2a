/* Untouched memory has no pages. The first write to a page waits for the system to clear it, and so do all other
 * threads that write to it meanwhile; a page may have 2 MiB, enough for many blocks. */

#ifndef BGFAST_NEW_PAGES_H
#define BGFAST_NEW_PAGES_H

#include <stdint.h>

#if defined(__linux__)
#include <sys/mman.h>
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23   /* since Linux 5.14; older kernels refuse it, without harm */
#endif
#endif

/* When a thread reserves the memory from `begin` to `end` and thereby enters a new large page, let the system prepare
 * the next page, unless that reaches beyond `limit`; the other threads still have room before it. No byte changes. */
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
