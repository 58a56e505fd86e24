// Stands in for ICU's tables: a package of data with nothing in it, as stubdata.cpp of ICU's own sources is. What asks it is told that
// there is no such thing.
#include <stdint.h>

__attribute__((aligned(16))) const struct {
    uint16_t header_size;
    uint8_t magic[2];
    uint16_t info_size, info_reserved;
    uint8_t is_big_endian, character_set, unit_size, unit_reserved;
    char format[4];
    uint8_t format_version[4], data_version[4], padding[8];
    uint32_t count, reserved;
} TABLES = {
    .header_size = 32,
    .magic = {0xda, 0x27},
    .info_size = 20,
    .is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
    .unit_size = 2,
    .format = {'T', 'o', 'C', 'P'},
    .format_version = {1},
};
