/* CRC-32 (the one of zlib), the checksum of Kafka's messages of formats 0 and 1, by the fastest way this processor
 * knows. */
#ifndef KAFKACODEC_CRC32_H
#define KAFKACODEC_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The CRC-32 of `length` bytes, as zlib's crc32(0, data, length). Needs no setup, may be called from any thread
 * without the GIL. */
uint32_t kafkacodec_crc32(const uint8_t *data, size_t length);

#endif
