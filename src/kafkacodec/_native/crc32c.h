/* CRC-32C (Castagnoli), the checksum of Kafka's record batches, by the fastest way this processor knows. */
#ifndef KAFKACODEC_CRC32C_H
#define KAFKACODEC_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The CRC-32C of `length` bytes that follow bytes whose CRC-32C is `crc` (0 where nothing precedes), as zlib's crc32()
 * counts: inversion before and after happens inside. Needs no setup, may be called from any thread without the GIL. */
uint32_t kafkacodec_crc32c(uint32_t crc, const uint8_t *data, size_t length);

/* The name of the implementation that kafkacodec_crc32c() uses in this process. */
const char *kafkacodec_crc32c_name(void);

/* For tests: the implementations that this processor can run are numbered from 0, the fastest first. Returns the name
 * of number `which`, or NULL past the last. */
const char *kafkacodec_crc32c_available(int which);

/* For tests: as kafkacodec_crc32c(), by implementation number `which`, which must be an available one. */
uint32_t kafkacodec_crc32c_with(int which, uint32_t crc, const uint8_t *data, size_t length);

#endif
