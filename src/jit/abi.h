/* The interface between the translator, its output and the process that runs the output.
 *
 * The translator (src/jit/translate) runs in the compile server's worker, because it needs LLVM.  Its input is a
 * request: guest code and the shape of a launch.  It answers with an image: position-independent host code for one
 * function,
 *
 *     uint32_t run(struct cy_jit_frame *frame);
 *
 * which runs frame->groups workgroups, one after the other in the order of their numbers, and returns 0, or CY_JIT_STOPPED if a helper has recorded why it
 * cannot continue; frame->group is then the one that stopped.  Its only
 * references to the outside are the frame's pointers; the functions it calls are in frame->helpers.  The user's process
 * (src/jit/run) maps the image and fills in frames.
 *
 * Both sides are built from one source, and version and sizes are part of the request, hence of its cache key. */
#ifndef CY_JIT_ABI_H
#define CY_JIT_ABI_H

#include <stddef.h>
#include <stdint.h>

#define CY_JIT_VERSION 22u
#define CY_JIT_MAX_STRIP 32u

/* ---- the request ---- */

enum cy_jit_host { CY_JIT_AARCH64 = 1, CY_JIT_X86_64 = 2 };

/* Which shapes of code the processor's vector unit is good at: registers of 128 bits; of 256, with rows that are stored under
 * masks; of 512, with words that are gathered and scattered at once; of 256 with both.  Not which instructions it has: LLVM makes code of every
 * form for every host and level, so that the tests run all of them on whichever processor they have. */
enum cy_jit_forms { CY_JIT_FORMS_128, CY_JIT_FORMS_256, CY_JIT_FORMS_512, CY_JIT_FORMS_256_GATHERS };

/* Metadata words (their order is the ABI's, struct cy_metadata of the device), as far as the launch's shape fixes them. */
#define CY_JIT_METADATA_WORDS 23u
#define CY_JIT_GLOBAL_SIZE 3u /* three words; their upper halves are further behind */
#define CY_JIT_GLOBAL_SIZE_HIGH 17u

struct cy_jit_request {
    uint32_t version;     /* CY_JIT_VERSION */
    uint32_t frame_bytes; /* sizeof(struct cy_jit_frame): a translator of another build rejects it */
    uint32_t target;      /* enum cy_target: the guest's generation */
    uint32_t host;        /* enum cy_jit_host */
    uint32_t level;       /* what the processor supports: an index into the host's list of levels */
    uint32_t forms;       /* enum cy_jit_forms */
    uint32_t strip;       /* lanes that run together, at most the warp's threads; the translator may take others */
    uint32_t is_fixed;    /* the strip is: it was asked for */
    uint32_t threads;     /* of a warp */
    uint32_t warps;       /* of a workgroup */
    uint32_t local[3];
    uint32_t start; /* where warps start */
    uint32_t code_base, code_bytes;
    uint32_t argument_bytes; /* of the argument buffer, whose address is metadata word 1 */
    uint32_t private_bytes;  /* per thread; 0: not checked */
    uint32_t known;          /* set of metadata words whose value is part of the shape */
    uint32_t metadata[CY_JIT_METADATA_WORDS];
    uint32_t whole;     /* all workgroups are: none is cut off at the range's border */
    uint32_t exchanges; /* lanes of a warp exchange values: they must run in lockstep */
    uint32_t counts;    /* enum cy_jit_counting */
    uint32_t uses_sir;  /* the translator by the strip IR (src/jit/sir), not the other one */
    uint8_t digest[32]; /* of the code, so that nobody need read that to know the request again */
    /* the code follows, code_bytes of it */
};

/* What is counted, as the interpreter does; then a strip is a warp. */
enum cy_jit_counting {
    CY_JIT_COUNT_NOTHING,
    CY_JIT_COUNT_LANES, /* enum cy_jit_count */
    CY_JIT_COUNT_INSNS  /* struct cy_jit_tally */
};

/* ---- the image ---- */

#define CY_JIT_MAGIC "CYJIT1\r\n"

struct cy_jit_image {
    char magic[8];
    uint32_t version, frame_bytes;
    uint32_t vector_bytes; /* of the registers that the code is made for; 0: it does not depend on them */
    uint32_t entry;        /* offset of the function in the code */
    uint32_t code_bytes;   /* the code follows the tables */
    uint32_t access_count; /* struct cy_jit_access */
    uint32_t group_count;  /* struct cy_jit_group */
    uint32_t site_count;   /* needed by a frame */
    uint32_t strip;
    uint32_t row;          /* of so many work-items, with which strips end; one row is the workgroup */
    uint32_t record_bytes; /* per strip: registers live across barriers */
    uint32_t instructions; /* number of guest instructions translated */
    uint32_t interpreted;  /* of these, the number that calls `interpret` */
    uint32_t loops;        /* some may be executed more than once */
    uint32_t tally_count;  /* struct cy_jit_tally */
    uint32_t counters;     /* of these, needed by a frame */
};

/* Work-items whose numbers in the workgroup, and whose ids in one dimension, are consecutive. */
static inline uint32_t cy_jit_row(const uint32_t local[3])
{
    return local[0] > 1 ? local[0] : local[1] > 1 ? local[1] : local[2];
}

/* Of a workgroup of so many work-items. */
static inline uint32_t cy_jit_strip_count(uint32_t items, uint32_t row, uint32_t strip)
{
    return items / row * ((row + strip - 1) / strip);
}

/* An instruction that can fault. */
struct cy_jit_access {
    uint32_t pc, word, prefix;
    int32_t offset;
    uint16_t op;    /* enum cy_op */
    uint8_t size;   /* bytes of each lane's access */
    uint8_t access; /* CY_READ, CY_WRITE */
    uint32_t words; /* of this size, one after the other, in consecutive registers */
    uint32_t is_interpreted;
    uint32_t is_far;   /* atomic operations: by 64-bit addresses */
    uint32_t is_apart; /* LR and SC: not one operation */
};

/* Accesses of a straight-line sequence with the same base: checked together, once. */
struct cy_jit_group {
    uint32_t first, count; /* in the table of accesses */
    int32_t low, high;     /* the range of offsets: bytes [low, high) from the base are accessed */
    uint8_t rights, is_private;
    uint8_t align; /* log2: base + low is a multiple of it, or some access is misaligned */
    uint8_t reserved;
};

/* What a counter of the frame says of the instructions in words [first, end) of the code. */
enum cy_jit_tally_kind {
    CY_JIT_ISSUED, /* by warps */
    CY_JIT_LANES,  /* active ones of these issues, of those that `idle` says are not */
    CY_JIT_IDLE,   /* lanes that were not active, besides `idle` */
    CY_JIT_SPLIT,  /* the warp split at `first`: the join in [join, end) was issued twice more */
};
struct cy_jit_tally {
    uint32_t kind, counter;
    uint32_t first, end, join;
    uint32_t insns; /* in the range */
    uint32_t idle;  /* of issues: so many lanes are not active each time */
};

/* ---- running ---- */

/* Accesses to the group's whole range starting at low + i * alignment, i < count, are allowed.  Filled in by
 * `check`. */
struct cy_jit_site {
    uint32_t low, count;
};

/* The same for 64-bit addresses: three entries of the table.  What is allowed is one piece of the host's memory, too. */
struct cy_jit_far_site {
    uint64_t low, count;
    uint64_t bias; /* host address minus guest address */
};
#define CY_JIT_FAR_SITES (sizeof(struct cy_jit_far_site) / sizeof(struct cy_jit_site))

struct cy_jit_frame;
struct cy_jit_helpers {
    /* The lanes' base addresses of the group are not in the site.  Looks them up; nonzero: a fault was recorded.
     * `item` is the number of the strip's first work-item in the workgroup. */
    uint32_t (*check)(struct cy_jit_frame *frame, uint32_t group, uint32_t site, uint32_t base, uint32_t stride,
                      uint32_t mask, uint32_t item);
    /* The same under a mask: the next site is filled in, too, for single lanes, of which the first and the last active one
     * are in it if they are in one extent. */
    uint32_t (*check_edges)(struct cy_jit_frame *frame, uint32_t group, uint32_t site, uint32_t base, uint32_t stride,
                            uint32_t mask, uint32_t item);
    uint32_t (*check_lanes)(struct cy_jit_frame *frame, uint32_t group, uint32_t site, const uint32_t *base,
                            uint32_t mask, uint32_t item);
    /* Private addresses, before they are interleaved, of which one is too large. */
    uint32_t (*check_private)(struct cy_jit_frame *frame, uint32_t group, const uint32_t *base, uint32_t mask,
                              uint32_t item);
    /* Results are put in place of operands.  A compare-exchange has the access of its LR, which that of its SC follows; what it
     * stores is CY_JIT_MAX_STRIP after what it compares with.  So it is for an SC that is apart from its LR, but of lanes with the
     * same word the first one that stores lets the others fail: they get something else than what they compare with.  The site is filled in for single words, and is one for 64-bit
     * addresses if the access has these.  `memory` is the frame's, given so that LLVM does not take its contents for
     * unchanged. */
    uint32_t (*atomic)(struct cy_jit_frame *frame, uint32_t access, uint32_t site, const uint64_t *address,
                       uint64_t *data, uint32_t mask, uint32_t item, uint8_t *memory);
    /* The value of a row's expression, for rows that the translator cannot emit. */
    uint32_t (*eval)(uint32_t op, uint32_t a, uint32_t b, uint32_t d);
    /* The same of one operand, for some lanes, in place of what is in `to`; returns 0. */
    uint32_t (*eval_lanes)(struct cy_jit_frame *frame, uint32_t op, const uint32_t *b, uint32_t *to, uint32_t mask);
    /* The interpreter executes one instruction on the registers in frame->x and frame->v. */
    uint32_t (*interpret)(struct cy_jit_frame *frame, uint32_t access, uint32_t mask, uint32_t item, uint8_t *memory);
    /* Nonzero: the launch was stopped. */
    uint32_t (*poll)(struct cy_jit_frame *frame);
    /* Records that this instruction faults: `kind` is enum cy_jit_trap. */
    void (*trap)(struct cy_jit_frame *frame, uint32_t access, uint32_t kind, uint32_t mask, uint32_t item);
    /* The lanes of a strip that are work-items of the range. */
    uint32_t (*lanes)(struct cy_jit_frame *frame, uint32_t item);

    /* 64-bit addresses.  `far_check` fills in the site, for accesses to `length` bytes from `lowest` on; 0: they are not
     * all in one extent, so that `far_access` must do them lane by lane, or find the fault.  Data are in rows, one per
     * word, of CY_JIT_MAX_STRIP lanes. */
    uint32_t (*far_check)(struct cy_jit_frame *frame, uint32_t group, uint32_t site, uint64_t lowest, uint64_t length);
    uint32_t (*far_access)(struct cy_jit_frame *frame, uint32_t access, const uint64_t *address, uint32_t *data,
                           uint32_t mask, uint32_t item);
    /* As `eval`, for elements of 64 bits, or widening from 32 to 64. */
    uint64_t (*eval_wide)(uint32_t op, uint32_t bits, uint64_t a, uint64_t b, uint64_t d);
};

/* What is counted, by warps; the same as the interpreter's. */
enum cy_jit_count {
    CY_JIT_INSTRUCTIONS,
    CY_JIT_INTERPRETED, /* of these */
    CY_JIT_VECTORS,
    CY_JIT_PARTIAL,
    CY_JIT_ACTIVE,
    CY_JIT_BRANCHES,
    CY_JIT_SPLITS,
    CY_JIT_COUNTS
};

enum cy_jit_trap { CY_JIT_TRAP, CY_JIT_DIVERGED, CY_JIT_MIXED_BARRIERS };
enum { CY_JIT_STOPPED = 1 };

struct cy_jit_frame {
    uint8_t *memory; /* host address of guest address 0 */
    const struct cy_jit_helpers *helpers;
    struct cy_jit_site *sites;
    uint8_t *records;   /* one per strip */
    uint32_t *x, *v;    /* registers of a warp, for `interpret`: x[number], v[number * threads + lane] */
    uint64_t *counters; /* for the image's table of tallies */
    uint32_t group[3];
    uint32_t metadata; /* guest addresses */
    uint32_t arguments;
    uint32_t lds, pds;
    uint32_t workgroup;    /* its slot on the SM */
    uint32_t whole;        /* the workgroup is: not cut off at the range's border */
    uint32_t whole_strips; /* so many strips from the first on are not cut off there */
    uint32_t barriers;     /* barriers passed */
    uint32_t groups;       /* workgroups to run: counted down */
    uint32_t grid[2];      /* workgroups in x and y */
    uint64_t counts[CY_JIT_COUNTS];
};

#define CY_JIT_POLL 65536 /* loop iterations between two polls */

#endif
