/* Shared by the parts of the EpicGPU machine.
 *
 *   device.c   create, destroy, memory, counters: the public functions without a file of their own
 *   stream.c   the command stream: loading and packing
 *   image.c    predecoded programs: one `struct insn` per word, with the functions that run it
 *   lanes.c    the lane loops: every EXPR row of the table, expanded
 *   float.h .c the f_ functions of those rows
 *   control.c  jump, branch, call, ret, sync, exit
 *   memory.c   lw, sw, sz, disp
 *   core.c     a core runs a block: lane scheduling, watchdog, observers
 *   launch.c   blocks over host threads, committed in order; frames
 *   order.c    speculative reads and writes of blocks other than the lowest
 *   fault.c    fault messages
 *
 * The table (isa/epic.def) is the only list of instructions.  A row has its semantics (EXPR, expanded in lanes.c) or
 * needs the function declared here under its name (HOOK): without it the machine does not link. */
#ifndef CY_EPIC_EPIC_PRIV_H
#define CY_EPIC_EPIC_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "chengying/epic.h"
#include "isa/isa.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "guest words are host words");

enum {
    REGISTERS = 32,
    ROW_NOWHERE = REGISTERS, /* sink for writes to read-only registers */
    ROW_PRED,                /* the predicate of each lane: 0 or ~0 */
    ROW_ACTIVE,              /* lanes that run the current instruction: 0 or ~0 */
    ROWS,
    CHUNK = 8,           /* rows are padded to this many lanes: lane loops need no remainder */
    MAX_WORDS = 1 << 24, /* of instruction memory: xstart has 24 bits of address */
    SLICE = 1 << 15,     /* instructions between two readings of the clock */
    LOG_PAGES = 512,     /* 4 KiB pages that a block may touch before its turn */
};

struct core;
struct insn;

/* Runs one instruction for the active lanes.  Returns their next instruction, or core->end: they have been dealt with
 * (they diverged, wait, ended or faulted) and core_pick has to choose the next group. */
typedef const struct insn *run_insn(struct core *core, const struct insn *insn);

struct insn {
    run_insn *full;            /* for when every live lane is active */
    run_insn *masked;          /* only the lanes of ROW_ACTIVE, and with a predicate only those of ROW_PRED */
    const struct insn *target; /* of jump and branch; NULL: there is no program */
    uint16_t rd, rs1, rs2;     /* offsets of rows in core->rows */
    uint16_t op;               /* enum cy_op */
    uint32_t always;           /* ~0, or 0 if predicated: enabled = active & (pred | always) */
    uint32_t imm;
    uint32_t pc;
    uint32_t word;
};

/* The functions of a row. */
struct row_code {
    run_insn *full, *masked;
};
struct row_code cy_epic_row_code(enum cy_op op); /* of an EXPR or HOOK row; both NULL: not for lanes */

struct loader;
#define HOOK_ealu(id) run_insn cy_exec_##id;
#define HOOK_emem(id) run_insn cy_exec_##id;
#define HOOK_ectl(id) run_insn cy_exec_##id;
#define HOOK_ecmd(id) bool cy_command_##id(struct loader *loader, const struct cy_insn *insn);
#define EXPR(id, mnemonic, format, match, gens, sched, flags, ...)
#define HOOK(id, mnemonic, format, match, gens, sched, flags, text) HOOK_##sched(id)
#include "isa/epic.def"
#undef EXPR
#undef HOOK
#undef HOOK_ealu
#undef HOOK_emem
#undef HOOK_ectl
#undef HOOK_ecmd

/* ---- programs ---- */

struct slot {
    bool loaded;
    uint32_t address; /* word address */
    uint32_t count;
    uint32_t *words;
    char *file; /* source, for faults; NULL: not known */
    struct cy_epic_line *lines;
    size_t line_count;
};

/* All loaded programs, by address; after each one an instruction that faults.  Instructions are in pc order, so that
 * lanes can be scheduled by pointer. */
struct image {
    struct insn *insns;
    size_t count;
    struct range {
        uint32_t first_pc, end_pc;
        const struct insn *first;
    } ranges[CY_EPIC_PROGRAMS];
    unsigned range_count;
    const struct insn *starts[CY_EPIC_PROGRAMS]; /* of each slot; NULL: empty */
};
bool cy_epic_image_build(struct image *image, const struct slot slots[CY_EPIC_PROGRAMS], enum cy_target target,
                         uint32_t stride); /* false: no memory */
/* NULL: no program there, or not a multiple of 4. */
const struct insn *cy_epic_image_find(const struct image *image, uint32_t pc);
run_insn cy_epic_illegal, cy_epic_fell_off;

/* ---- a core ---- */

typedef _Atomic uint32_t guest_word; /* blocks on several threads may race on it; that is the guest's business, and must
                                      * not be undefined behaviour */

struct core {
    uint32_t *rows; /* ROWS rows of `stride` words */
    uint32_t stride;
    uint32_t memory_words;
    guest_word *memory;
    guest_word *depth; /* XORed with DEPTH_FAR, so that fresh memory is far */
    const struct insn *end;
    uint64_t live;                            /* lanes that have not ended */
    uint64_t waiting;                         /* at a sync */
    uint64_t active;                          /* run the current instruction */
    uint64_t all;                             /* every existing lane */
    const struct insn *at[CY_EPIC_MAX_LANES]; /* the next instruction of each inactive lane */

    struct cy_epic *device;
    struct launch *launch;
    const struct image *image;
    uint32_t block;
    struct log *log; /* NULL: it is the lowest block's turn, or the only thread: it accesses memory directly */
    bool abandoned;  /* the block need not complete: it is not needed any more, or has to be rerun */
    bool again;
    struct cy_epic_fault fault;
    struct cy_epic_counters counters; /* of this block */
};

static inline uint32_t *core_row(const struct core *core, unsigned row)
{
    return core->rows + (size_t)row * core->stride;
}

bool cy_epic_core_init(struct core *core, struct cy_epic *device); /* false: no memory */
void cy_epic_core_free(struct core *core);
/* False: core->fault says why, or core->abandoned. */
bool cy_epic_core_run(struct core *core, const struct insn *start, uint32_t block);

/* Lanes for which the instruction takes effect: active and not predicated off. */
uint64_t cy_epic_enabled(const struct core *core, const struct insn *insn);
uint64_t cy_epic_predicates(const struct core *core);

/* Records the fault of a lane and returns core->end. */
const struct insn *cy_epic_fault(struct core *core, const struct insn *insn, enum cy_epic_fault_kind kind,
                                 unsigned lane, uint32_t address);
void cy_epic_fault_describe(const struct cy_epic *device, struct cy_epic_fault *fault);
void cy_epic_disassemble(const struct cy_epic *device, uint32_t word, uint32_t pc, char *text, size_t size);

static inline unsigned lowest_lane(uint64_t lanes)
{
    return (unsigned)__builtin_ctzll(lanes);
}

/* ---- order.c ---- */

struct log {
    struct log *next;   /* spare ones */
    size_t first_depth; /* memory's pages come first */
    unsigned count;
    uint32_t used[LOG_PAGES]; /* numbers of the pages present */
    struct page *spare;
    struct page *pages[]; /* NULL: not touched */
};
struct log *cy_epic_log_create(uint32_t memory_words); /* NULL: no memory */
void cy_epic_log_clear(struct log *log);
void cy_epic_log_free(struct log *log);
/* Makes room for a word of memory or of the depth buffer; false: there is none. */
bool cy_epic_log_cover(struct log *log, bool is_depth, uint32_t word);
/* Words that are covered.  `from`: all of memory, or of the depth buffer. */
uint32_t cy_epic_log_load(struct log *log, bool is_depth, uint32_t word, const guest_word *from);
void cy_epic_log_store(struct log *log, bool is_depth, uint32_t word, uint32_t value);
/* The block's turn has come: commits its writes, unless something it read has changed since (false).  Clears the
 * log. */
bool cy_epic_log_commit(struct cy_epic *device, struct log *log);

/* ---- a launch ---- */

struct launch {
    uint32_t blocks;
    const struct insn *start;
    bool has_deadline;
    int64_t deadline_seconds, deadline_nanoseconds; /* of the monotonic clock */
    unsigned workers;                               /* host threads that run blocks */
    _Atomic uint64_t next;                          /* next block to hand out */
    _Atomic uint64_t ended;                         /* number of blocks that have ended: all below this one */
    _Atomic uint64_t stop_from;                     /* this block and those above it are not needed any more */

    /* protected by the device's launch_lock; device->launch_changed signals that one of them, `ended` or stop_from
     * changed */
    unsigned running;                 /* workers that have not ended */
    unsigned waiters;                 /* of these, waiting for their block's turn */
    struct finished *finished;        /* blocks that ran before their turn: block b is at b mod (2 * workers) */
    struct log *logs;                 /* spare ones */
    struct cy_epic_counters counters; /* of the blocks that have ended: only the lowest block's thread uses it */
    struct cy_epic_fault fault;
    bool stopped;     /* by a callback */
    bool frame_ready; /* to be shown by the launching thread */
    struct cy_epic_frame frame;
};

/* A block that ran before its turn. */
struct finished {
    struct log *log; /* NULL: none is here */
    struct cy_epic_counters counters;
    struct cy_epic_fault fault;
};

/* Waits until every lower block has ended; from then on the block accesses memory directly.  False: it is abandoned. */
bool cy_epic_take_turn(struct core *core);
static inline bool cy_epic_is_turn(const struct core *core)
{
    return atomic_load_explicit(&core->launch->ended, memory_order_acquire) == core->block;
}
/* Shows the frame that starts at `address`; it is the block's turn.  False: the launch is over. */
bool cy_epic_show(struct core *core, uint32_t address);
bool cy_epic_past_deadline(const struct launch *launch);

struct cy_epic {
    pthread_mutex_t lock; /* error-checking: a call from inside a callback gets EDEADLK */
    struct cy_epic_config config;
    enum cy_target target;
    guest_word *memory, *depth;
    unsigned char *bytes; /* the memory, while no launch runs */
    uint32_t *frame_pixels;
    struct slot slots[CY_EPIC_PROGRAMS];
    struct image image;
    struct core *cores; /* as many as host threads */
    unsigned core_count;
    struct pool *pool; /* NULL until a launch needs it */
    struct launch launch;
    pthread_mutex_t launch_lock;
    pthread_cond_t launch_changed;
    uint64_t frames_shown;
    struct cy_epic_counters counters;
    bool (*on_frame)(void *user, const struct cy_epic_frame *frame);
    void *frame_user;
    bool (*on_step)(void *user, const struct cy_epic_step *step);
    void *step_user;
};

/* Takes the device's lock; false: this thread already has it. */
bool cy_epic_enter(struct cy_epic *device);
void cy_epic_leave(struct cy_epic *device);
void cy_epic_free_slots(struct slot slots[CY_EPIC_PROGRAMS]);
void cy_epic_pool_free(struct pool *pool);

#endif
