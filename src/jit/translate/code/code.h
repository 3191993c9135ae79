/* The guest's code, and what is known about each instruction before its values are.
 *
 *     cfg.c      instructions, blocks, reconvergence points, liveness
 *     shape.c    what an instruction does with its operands: pairs, prefixes
 *     groups.c   accesses that share a base and are checked together
 *     compare_exchange.c  LR and SC that are one */
#ifndef CY_JIT_TRANSLATE_CODE_H
#define CY_JIT_TRANSLATE_CODE_H

#include "isa/effects.h"

#include <stdbool.h>
#include <stdint.h>

struct translator;

#define NONE UINT32_MAX

struct regs { /* a set of registers */
    uint64_t x, v[4];
};

struct inst {
    struct cy_insn insn;
    struct cy_effects effects;
    uint32_t pc;
    bool reachable, is_leader;
    bool is_wide;          /* computes with 64-bit elements, in register pairs */
    bool pairs;            /* a prefix makes pairs of even-numbered operands */
    uint8_t abs, neg;      /* modified sources: bit 0 src1, 1 src2, 2 src3 */
    bool is_far;           /* accesses: by a 64-bit address */
    uint8_t space;         /* accesses: enum cy_place */
    uint8_t words;         /* accesses: consecutive words, in consecutive registers */
    bool moves_pair;       /* with the next one, from one even-numbered pair of vGPRs to another */
    bool is_interpreted;   /* is left to the interpreter, with its registers */
    bool is_across;        /* of these: looks at registers of other lanes, or at what they have printed */
    uint32_t next, target; /* instruction numbers; NONE: no fall-through, no target */
    uint32_t rpc;          /* vector branches: the reconvergence point */
    uint32_t store;        /* LR: the SC with which it is a compare-exchange; NONE */
    uint8_t expected;      /* of these: the register with what it compares with */
    bool is_apart;         /* LR and SC of a compare-exchange that are executed one by one, as that is counted */
    bool is_done;          /* vector branches that belong to one: all lanes go on at `next` */
    uint8_t is_zero;       /* vector branches: vs1 is 0 (1), vs2 is (2) */
    bool is_inside; /* vector branches: follows another one with the same join, which may have left lanes waiting */
    bool is_target_first; /* vector branches: lanes that take it go on first, the others wait at `next` */
    bool is_return;       /* jumps through a register: to one of the return sites */
    bool by_lane;         /* vector branches: when lanes diverge, each one runs on its own up to the join */
    bool is_alone_first;  /* and also when all take the same way */
    unsigned alone_up_to; /* only if they are at most so many; 0: however many there are */
    const struct tagged_loop
        *tagged;     /* such a loop's branch, its first instruction, the one that adds the tag; or NULL */
    bool differs;    /* vector branches: not all strips of a workgroup take the same way */
    bool is_passed;  /* joins: lanes that run on their own may pass it on their way to another join */
    bool is_spread;  /* accesses: the addresses of a strip are neither one nor consecutive */
    bool is_gather;  /* and have no constant stride */
    bool is_line;    /* but a step that is known when the code runs, such as a row's length */
    bool may_be_row; /* but may well turn out to be one or consecutive, where all lanes are active */
    struct regs uses, defs;
    struct regs changed; /* vector branches by lane: registers that code up to the join changes */
    struct regs live;    /* before it */
    struct regs keep;    /* registers that lanes waiting elsewhere still need: masked writes must not change them */
    uint32_t block;
    uint32_t group;  /* of accesses; NONE */
    uint32_t access; /* in the image's table; NONE */
};

struct block {
    uint32_t first, last; /* instructions, inclusive */
};

static inline bool in_x(const struct regs *set, unsigned r)
{
    return set->x >> r & 1;
}
static inline bool in_v(const struct regs *set, unsigned r)
{
    return set->v[r >> 6] >> (r & 63) & 1;
}
static inline const struct cy_insn_info *row_of(const struct inst *inst)
{
    return &cy_insns[inst->insn.op];
}
static inline int32_t field(const struct inst *inst, enum cy_field id)
{
    return cy_insn_field(&inst->insn, id, -1);
}

/* cfg.c */
bool find_code(struct translator *t);
bool is_vector_branch(const struct inst *inst);
/* May the lanes of a strip be of two warps? */
bool may_straddle_warps(const struct translator *t);
void unite(struct regs *into, const struct regs *other);
/* shape.c */
bool find_shape(struct translator *t, struct inst *inst);
/* How many registers an operand has, from the one that is written. */
unsigned register_count(const struct inst *inst, enum cy_field which);

/* groups.c */
bool regs_meet(const struct regs *a, const struct regs *b); /* have they a register in common? */
enum { READ = 1, WRITE = 2 };                               /* rights of a group: enum cy_access */
bool group_accesses(struct translator *t);
bool is_access(const struct inst *inst);
bool is_private(const struct inst *inst);
unsigned access_size(const struct inst *inst);
int32_t access_offset(const struct inst *inst);

/* compare_exchange.c */
void find_compare_exchanges(struct translator *t);

#endif
