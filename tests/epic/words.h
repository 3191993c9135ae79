/* EpicGPU machine words built by hand from the ISA document, independent of the instruction tables. */
#ifndef CY_TESTS_EPIC_WORDS_H
#define CY_TESTS_EPIC_WORDS_H

#include <stddef.h>
#include <stdint.h>

enum { PREDICATED = 1 << 28 };

/* Func5 of R and I; F has its own. */
enum r_func5 {
    ADD = 0,
    SUB = 1,
    MUL = 2,
    MAC = 3,
    DIV = 4,
    REM = 5,
    ABS = 6,
    AND = 7,
    OR = 8,
    XOR = 9,
    SLL = 10,
    SRL = 11,
    SRA = 12,
    MIN = 24,
    MINU = 25,
    MAX = 26,
    MAXU = 27,
    SLT = 28,
    SEQ = 29,
};
enum f_func5 {
    FADD = 0,
    FSUB = 1,
    FMUL = 2,
    FMAC = 3,
    FDIV = 4,
    FABS = 6,
    FRCP = 7,
    FSQRT = 8,
    FRSQRT = 9,
    FSIN = 10,
    FCOS = 11,
    FLOG = 12,
    FEXP = 13,
    CVTIF = 16,
    CVTFI = 17,
    CVTFR = 18,
    CVTFC = 19,
    FMIN = 24,
    FMAX = 26,
    FSLT = 28,
    FSEQ = 29,
};

static inline uint32_t r_type(unsigned func5, unsigned rd, unsigned rs1, unsigned rs2)
{
    return 0u << 29 | rs2 << 15 | func5 << 10 | rs1 << 5 | rd;
}

static inline uint32_t i_type(unsigned func5, unsigned rd, unsigned rs1, int imm)
{
    return 1u << 29 | ((uint32_t)imm & 0x1fff) << 15 | func5 << 10 | rs1 << 5 | rd;
}

static inline uint32_t lui(unsigned rd, uint32_t imm18)
{
    return 2u << 29 | (imm18 >> 5 & 0x1fff) << 15 | 31u << 10 | (imm18 & 31) << 5 | rd;
}

static inline uint32_t f_type(unsigned func5, unsigned rd, unsigned rs1, unsigned rs2)
{
    return 3u << 29 | rs2 << 15 | func5 << 10 | rs1 << 5 | rd;
}

static inline uint32_t lw(unsigned rd, unsigned rs1)
{
    return 4u << 29 | rs1 << 5 | rd;
}

static inline uint32_t sw(unsigned rs2, unsigned rs1)
{
    return 4u << 29 | rs2 << 15 | 1u << 10 | rs1 << 5;
}

static inline uint32_t sz(unsigned rs2, unsigned rs1)
{
    return 4u << 29 | rs2 << 15 | 3u << 10 | rs1 << 5;
}

static inline uint32_t disp(unsigned rs1)
{
    return 6u << 29 | rs1 << 5;
}

static inline uint32_t c_jump(unsigned func3, int32_t offset)
{
    uint32_t imm = (uint32_t)offset;
    return 7u << 29 | (imm >> 12 & 0xffff) << 13 | func3 << 10 | (imm >> 2 & 0x3ff);
}

static inline uint32_t jump(int32_t offset)
{
    return c_jump(0, offset);
}

static inline uint32_t branch(int32_t offset)
{
    return c_jump(1, offset);
}

static inline uint32_t call(unsigned rd, int32_t imm, unsigned rs1)
{
    return 7u << 29 | ((uint32_t)imm >> 2 & 0xffff) << 13 | 2u << 10 | rs1 << 5 | rd;
}

static inline uint32_t ret(unsigned rs1)
{
    return 7u << 29 | 3u << 10 | rs1 << 5;
}

#define SYNC (7u << 29 | 6u << 10)
#define EXIT (7u << 29 | 7u << 10)

static inline uint32_t xstart(unsigned program, uint32_t word_address)
{
    return 5u << 29 | 0u << 27 | program << 24 | word_address;
}
#define XINSTR (5u << 29 | 1u << 27)
#define XEND (5u << 29 | 2u << 27)

/* A program under construction. */
struct code {
    uint32_t words[4096];
    size_t count;
};

static inline void emit(struct code *code, uint32_t word)
{
    if (code->count < sizeof(code->words) / sizeof(code->words[0]))
        code->words[code->count++] = word;
}

/* Any 32-bit value: lui leaves 14 bits, an addi has 13 of which one is the sign. */
static inline void load_value(struct code *code, unsigned rd, uint32_t value)
{
    emit(code, lui(rd, value >> 14));
    emit(code, i_type(ADD, rd, rd, (int)(value & 0x3fff) / 4));
    emit(code, i_type(ADD, rd, rd, (int)(value & 0x3fff) / 4));
    emit(code, i_type(ADD, rd, rd, (int)(value & 0x3fff) / 4));
    emit(code, i_type(ADD, rd, rd, (int)(value & 0x3fff) - 3 * ((int)(value & 0x3fff) / 4)));
}

/* The stream of one program; returns its words. */
static inline size_t make_stream(const struct code *code, unsigned program, uint32_t address, uint32_t *stream)
{
    size_t at = 0;
    stream[at++] = xstart(program, address);
    for (size_t i = 0; i < code->count; i++) {
        stream[at++] = XINSTR;
        stream[at++] = code->words[i];
    }
    stream[at++] = XEND;
    return at;
}

#endif
