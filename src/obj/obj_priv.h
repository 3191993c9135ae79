/* ELF32 on disk: sizes, the field offsets shared by reader and writer, and byte-wise little-endian access (so that
 * neither the host's byte order nor an unaligned image matters). */
#ifndef CY_OBJ_OBJ_PRIV_H
#define CY_OBJ_OBJ_PRIV_H

#include "obj/obj.h"

enum {
    EHDR_SIZE = 52,
    PHDR_SIZE = 32,
    SHDR_SIZE = 40,
    SYM_SIZE = 16,
    RELA_SIZE = 12,

    ELFCLASS32 = 1,
    ELFDATA2LSB = 1,
    EV_CURRENT = 1,

    SHT_NULL = 0,
    SHT_REL = 9,
    SHT_GROUP = 17,
    SHT_SYMTAB_SHNDX = 18,
    SHT_LLVM_ADDRSIG = 0x6fff4c03,
    SHT_LLVM_CALL_GRAPH_PROFILE = 0x6fff4c09,

    SHF_INFO_LINK = 0x40,
    SHF_LINK_ORDER = 0x80,
    SHF_GROUP = 0x200,
    SHF_TLS = 0x400,

    SHN_LORESERVE = 0xff00,
    SHN_XINDEX = 0xffff,
    PN_XNUM = 0xffff,

    PT_LOAD = 1,
    PF_X = 1,
    PF_W = 2,
    PF_R = 4,
};

/* One section header. */
struct shdr {
    uint32_t name, type, flags, address, offset, size, link, info, align, entry_size;
};

static inline uint16_t load16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t load32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline bool is_power_of_two(uint32_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

#endif
