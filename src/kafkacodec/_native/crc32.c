/* CRC-32 by eight tables, eight bytes per step: any processor, any byte order. The tables are made when the module is
 * loaded, by kafkacodec_crc32's first caller; two threads that make them at once write the same numbers. */
#include "crc32.h"

#define POLYNOMIAL 0xEDB88320u /* 0x04C11DB7 reflected */

static uint32_t tables[8][256]; /* tables[k][b]: the byte b followed by k bytes of zeros */

static void build_tables(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
        tables[0][byte] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (int byte = 0; byte < 256; byte++)
            tables[k][byte] = tables[k - 1][byte] >> 8 ^ tables[0][tables[k - 1][byte] & 0xFF];
}

uint32_t kafkacodec_crc32(const uint8_t *data, size_t length)
{
    uint32_t crc = 0xFFFFFFFFu;
    if (tables[7][255] == 0)
        build_tables();
    for (; length >= 8; data += 8, length -= 8) {
        uint32_t low = crc ^ ((uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 |
                              (uint32_t)data[3] << 24);
        crc = tables[7][low & 0xFF] ^ tables[6][low >> 8 & 0xFF] ^ tables[5][low >> 16 & 0xFF] ^
              tables[4][low >> 24] ^ tables[3][data[4]] ^ tables[2][data[5]] ^ tables[1][data[6]] ^
              tables[0][data[7]];
    }
    for (; length > 0; data++, length--)
        crc = tables[0][(crc ^ *data) & 0xFF] ^ crc >> 8;
    return ~crc;
}
