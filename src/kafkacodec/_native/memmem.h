/* memmem where the C library has it (glibc, musl, macOS, the BSDs), and one of our own where it has not. */

#ifndef KAFKACODEC_MEMMEM_H
#define KAFKACODEC_MEMMEM_H

#include <string.h>

#if defined(_WIN32)
static const void *kafkacodec_memmem(const void *data, size_t size, const void *needle, size_t length)
{
    const unsigned char *p = (const unsigned char *) data, *end = p + size;
    const unsigned char first = *(const unsigned char *) needle;
    while ((size_t) (end - p) >= length) {
        p = (const unsigned char *) memchr(p, first, (size_t) (end - p) - length + 1);
        if (p == NULL || memcmp(p, needle, length) == 0)
            return p;
        p++;
    }
    return NULL;
}
#else
#define kafkacodec_memmem memmem
#endif

#endif
