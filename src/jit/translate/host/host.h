/* A host, as the translator sees it: how LLVM is told of it, and which of two ways to the same bits is the better one there.  Each host is
 * described in its own file; other files ask for these properties, not for the host. */
#ifndef CY_JIT_TRANSLATE_HOST_H
#define CY_JIT_TRANSLATE_HOST_H

#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include <stdint.h>

struct translator;

struct host_level { /* as in the request */
    const char *cpu, *features;
    bool has_fma;         /* and instructions that round to integers */
    bool converts_halves; /* by an instruction that keeps what a NaN says */
    bool gathers_slowly;  /* element by element: lanes that part are better alone */
    bool stores_narrow;   /* rows of bytes or halves, under a mask */
    bool aligns_jumps;    /* so that none crosses a boundary of 32 bytes or ends there */
    const struct host_level
        *for_gathers; /* kernels that gather much are better at this level, in its forms of 256 bits; NULL: none */
    /* Bytes of the registers, where instructions do not say so; 0: they do.  LLVM 19 takes some vectors apart that fill one: these
     * functions do the same at once. */
    unsigned vector_bytes;
    /* i1: some lane of a mask is set, or each one is. */
    LLVMValueRef (*some_lane)(struct translator *t, LLVMValueRef mask, bool each);
    LLVMValueRef (*lane_bits)(struct translator *t, LLVMValueRef mask); /* i32: a bit for each that is set */
    LLVMValueRef (*are_below)(struct translator *t, LLVMValueRef numbers, LLVMValueRef limit); /* i1: each lane's is */
    /* Bytes, halves or words of a strip, at 32-bit distances from a pointer; the rows have words. */
    LLVMValueRef (*load_apart)(struct translator *t, LLVMValueRef pointer, LLVMValueRef distances, unsigned size,
                               bool zero_extend, LLVMValueRef mask);
    void (*store_apart)(struct translator *t, LLVMValueRef row, LLVMValueRef pointer, LLVMValueRef distances,
                        unsigned size, LLVMValueRef mask);
    /* llvm.experimental.constrained.*, and conversions to integers, which saturate; NaNs become 0. */
    LLVMValueRef (*strict)(struct translator *t, const char *name, LLVMValueRef a, LLVMValueRef b);
    LLVMValueRef (*to_integers)(struct translator *t, LLVMValueRef x, bool is_signed);
    void (*finish)(struct translator *t); /* after all passes over LLVM's code */
};

struct host {
    const char *triple;
    const struct host_level *levels;
    uint32_t level_count;
    LLVMCodeModel model;                                /* constants are near the code */
    void (*initialise)(const struct host_level *level); /* LLVM, for the next code of this level */
    /* Puts the distance into the word at a relocation.  False: it cannot(). */
    bool (*relocate)(struct translator *t, uint32_t *word, int64_t distance, uint32_t type);

    unsigned registers_of_128;  /* vector registers, if they have 128 bits */
    bool has_one_nan;           /* arithmetic gives the guest's NaN and no other */
    bool has_mask_moves;        /* makes a number of a mask, but takes long to find a vector's greatest element */
    bool has_fast_extremes;     /* minima and maxima of floats by instructions, which take zeros for equal */
    bool has_exact_extremes;    /* or which are the guest's, but for signalling NaNs */
    bool divides_as_doubles;    /* vectors of integers: faster than number by number */
    bool saturates_vectors;     /* converting floats to integers; else LLVM 19 does it lane by lane */
    bool clears_upper_halves;   /* of 64-bit registers, by most instructions with results of 32 bits */
    bool adds_in_accesses;      /* an index and a displacement to an address */
    bool takes_lanes_by_memory; /* numbers out of vectors: faster than one by one from the register */
    bool keeps_elements;        /* of several parts in memory's order where that can be: no access transposes */
    bool jumps_by_table;        /* and its relocations are known */
    bool moves_pairs;           /* of 32-bit numbers from vectors as fast as one, and extends them in accesses */
    bool indexes_unsigned;      /* gathers and scatters, by 32 bits; else with a sign */
    bool complements_operands;  /* of logical operations, and selects by bits */
    bool keeps_registers;       /* in functions that preserve all; else LLVM 19 ends them with vzeroupper */
};

/* The value, at the builder's position, of which LLVM does not see where it is from; no instruction.  Of 32 or 64 bits, or a vector of
 * these. */
LLVMValueRef fenced(struct translator *t, LLVMValueRef value);

extern const struct host host_x86, host_aarch64;

#endif
