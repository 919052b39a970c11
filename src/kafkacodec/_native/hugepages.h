/* Large pages for large results, where the system has them: fresh memory is given out page by page when it is first
 * written, which takes longer than writing it. numpy does the same for its arrays. */
#ifndef KAFKACODEC_HUGEPAGES_H
#define KAFKACODEC_HUGEPAGES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#define KAFKACODEC_HUGE_PAGE ((uintptr_t) 2 << 20)

/* Ask for them in whatever part of `size` bytes at `data` they fit; the system may not care. */
static inline void kafkacodec_want_huge_pages(void *data, size_t size)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    uintptr_t begin = ((uintptr_t) data + KAFKACODEC_HUGE_PAGE - 1) & ~(KAFKACODEC_HUGE_PAGE - 1);
    uintptr_t end = ((uintptr_t) data + size) & ~(KAFKACODEC_HUGE_PAGE - 1);

    if (size >= 2 * KAFKACODEC_HUGE_PAGE && begin < end)
        (void) madvise((void *) begin, end - begin, MADV_HUGEPAGE);
#else
    (void) data;
    (void) size;
#endif
}

#endif
