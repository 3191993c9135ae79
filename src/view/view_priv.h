/* The trace file's framing and numbers: docs/view.md. */
#ifndef CY_VIEW_VIEW_PRIV_H
#define CY_VIEW_VIEW_PRIV_H

#include "view/view.h"

#define VIEW_MAGIC "CYTRACE\n"
#define VIEW_VERSION 1u

enum { VIEW_HEADER = 12, VIEW_CHUNK = 12, VIEW_MOST_LANES = 64 };

/* Flags of an instruction. */
enum {
    INSN_JUMP = 1,   /* not the instruction after the last one */
    INSN_MASK = 2,   /* other lanes are active */
    INSN_STACK = 4,  /* the SIMT stack has changed */
    INSN_MEMORY = 8, /* accesses follow */
    INSN_WIDE = 16,  /* 8 bytes: it has a prefix */
    INSN_RPC = 32,   /* another reconvergence point */
    INSN_FLAGS = 63,
};
/* Flags of an access to memory: bits 4 and 5 are the size's logarithm, 6 and 7 the pattern. */
enum {
    ACCESS_READ = 1,
    ACCESS_WRITE = 2,
    ACCESS_MORE = 4,  /* of the same instruction */
    ACCESS_LANES = 8, /* not those that are active */
    PATTERN_SAME = 0, /* every lane has the same address */
    PATTERN_STRIDE = 1,
    PATTERN_ANY = 2,
};
/* A stretch of cycles: bits 0 to 3 are the stall, 4 and 5 the step of the ordinal, 6 and 7 the length. */
enum { STEP_NONE, STEP_NEXT, STEP_BACK, STEP_ANY };

/* CRC-32, which zlib has too: but the OpenCL library needs none of its compression, and would load it into every process.  Begins
 * with 0. */
uint32_t view_crc(uint32_t crc, const void *bytes, size_t size);

static inline void view_put32(unsigned char *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}
static inline uint64_t view_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}
static inline int64_t view_unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* Appends the program's JSON. */
void view_program(struct cy_buf *out, const struct cy_view_info *info);

#endif
