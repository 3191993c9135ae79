/* Inside the checker: a launch under observation, shadow memory, reports.
 *
 *     check.c    the host's side: buffers, launches          observe.c  instructions, decoded once per launch
 *     memory.c   is the access inside what it may touch?     race.c     who accessed it before?
 *     sync.c     barriers and asynchronous copies            init.c     was it ever written?
 *     shadow.c   what is known of each word                  bytes.c    and of its bytes
 *     touch.c    the common case                             report.c   reports, and where they come from */
#ifndef CY_CHECK_CHECK_PRIV_H
#define CY_CHECK_CHECK_PRIV_H

#include "check/check.h"

#include "abi/abi.h"
#include "gpu/engine/engine.h"
#include "isa/effects.h"
#include "obj/lines.h"
#include "obj/obj.h"
#include "sources/sources.h"

#include <pthread.h>

#define CY_CHECK_SECTION ".cy.check" /* the compiler's table of variables, see add_table */

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ---- shadow memory ---- */

/* What is known of one word: the last write, one of the reads since the last barrier, and which bytes are defined.  16
 * bytes per word: 4 per byte of guest memory.  The bytes of a word can have different histories (bytes.c). */
struct cell {
    uint32_t writer, reader; /* work-item + 1; 0: none */
    uint32_t w;              /* site << 16 | epoch << 4 | defined bytes */
    uint32_t r;              /* site << 16 | epoch << 4 | MANY_ | BYTES_ */
};
/* An atomic operation that changes a word reads it, too.  Where another one replaced it as the writer, or the last plain
 * write still matters to other work-groups, it is the reader. */
enum { MANY_IN = 1, MANY_OUT = 2 }; /* other readers, of the same work-group or of others */
/* Of a word whose bytes differ: by consecutive work-items, from `writer` and `reader` on; or anyhow, and `writer` is a
 * number in the launch's list of such words. */
enum { BYTES_CONSECUTIVE = 4, BYTES_APART = 8, BYTES_MASK = 12 };
#define EPOCH_BITS 12
#define EPOCH_OLD 0xfffu /* ordered before everything its work-group does now */
static inline uint32_t info_site(uint32_t info)
{
    return info >> 16;
}
/* Flags of a site: an atomic operation; one that changes nothing. */
#define SITE_ATOMIC 0x8000u
#define SITE_READS 0x4000u
#define SITE_NUMBER 0x3fffu
static inline bool info_atomic(uint32_t info)
{
    return info >> 16 & SITE_ATOMIC;
}
static inline uint32_t info_epoch(uint32_t info)
{
    return info >> 4 & EPOCH_OLD;
}

#define PAGE_SHIFT 12
#define PAGE_BYTES (1u << PAGE_SHIFT)
struct page {
    struct cell *cells; /* 1024; NULL: nothing but `defined` is known */
    bool defined;       /* without cells: all of it or nothing */
    bool bytes;         /* the bytes of a word may differ */
    bool touched;       /* by this launch */
};
/* 4 GiB: one of generation 1, of generation 2 those that buffers are in. */
struct span_of_pages {
    uint32_t number;
    struct page *pages;
};
struct shadow {
    CY_VEC(struct span_of_pages) spans;
    struct span_of_pages last; /* used */
    CY_VEC(uint64_t) touched;  /* numbers of pages */
};
bool shadow_init(struct shadow *shadow);
void shadow_free(struct shadow *shadow);
/* The page of an address; NULL: no memory. */
struct page *shadow_other_page(struct shadow *shadow, uint64_t address);
static inline struct page *shadow_page(struct shadow *shadow, uint64_t address)
{
    return LIKELY(address >> 32 == shadow->last.number) ? &shadow->last.pages[(uint32_t)address >> PAGE_SHIFT]
                                                        : shadow_other_page(shadow, address);
}
/* The page's cells; NULL: no memory. */
struct cell *shadow_cells(struct shadow *shadow, uint64_t address);
void shadow_define(struct shadow *shadow, uint64_t address, uint64_t size, bool defined);
bool shadow_is_defined(struct shadow *shadow, uint64_t address);
void shadow_copy(struct shadow *shadow, uint64_t to, uint64_t from, uint64_t size);
void shadow_forget(struct shadow *shadow);                              /* who accessed it: the launch has ended */
void shadow_age(struct shadow *shadow, uint32_t group, unsigned shift); /* epochs of a work-group begin anew */

/* ---- the host's side ---- */

struct region {
    uint64_t address, size;
    bool freed;
};
struct machine {
    const void *key;
    struct shadow shadow;
    CY_VEC(struct region) regions; /* by address; freed ones until another takes the place */
};

enum severity { ERROR, NOTE };
struct kind_info {
    const char *id, *title;
    enum cy_check_tool tool;
    enum severity severity;
};
/* KIND(name, id, tool, severity, title) */
#define KINDS(KIND)                                                                                                    \
    KIND(OUT_OF_BOUNDS, "out-of-bounds", MEMORY, ERROR, "access outside of the object")                                \
    KIND(INDEX, "array-index", MEMORY, ERROR, "array index out of range")                                              \
    KIND(NULL_POINTER, "null-pointer", MEMORY, ERROR, "access through a null pointer")                                 \
    KIND(FREED, "use-after-release", MEMORY, ERROR, "access to a released buffer")                                     \
    KIND(READ_ONLY, "write-to-read-only", MEMORY, ERROR, "write to memory that kernels may only read")                 \
    KIND(WRITE_ONLY, "read-of-write-only", MEMORY, ERROR, "read of memory that kernels may only write")                \
    KIND(MISALIGNED, "misaligned", MEMORY, ERROR, "misaligned access")                                                 \
    KIND(MAPPED, "used-while-mapped", MEMORY, ERROR, "access to a buffer that the host has mapped")                    \
    KIND(RACE, "data-race", RACE, ERROR, "data race")                                                                  \
    KIND(RACE_SAME, "data-race-same-value", RACE, NOTE, "data race in which both write the same value")                \
    KIND(BARRIER, "barrier-divergence", SYNC, ERROR, "barrier that not all work-items of the group reach")             \
    KIND(ASYNC, "async-copy-divergence", SYNC, ERROR, "asynchronous copy that not all work-items start alike")         \
    KIND(HANG, "lock-hang", SYNC, ERROR, "work-items that wait for each other forever")                                \
    KIND(EVENT, "event-not-waited-for", SYNC, ERROR, "asynchronous copy that nobody waits for")                        \
    KIND(BRANCH_UNDEFINED, "uninitialised-branch", INIT, ERROR, "branch on a value that was never written")            \
    KIND(ADDRESS_UNDEFINED, "uninitialised-address", INIT, ERROR, "address from a value that was never written")       \
    KIND(STORE_UNDEFINED, "uninitialised-store", INIT, ERROR, "store of a value that was never written")               \
    KIND(MISSING_WAIT, "missing-wait", API, ERROR, "commands that depend on each other and do not wait")               \
    KIND(UNMAPPED, "write-after-unmap", API, ERROR, "write through a pointer that is no longer mapped")                \
    KIND(RELEASED_ARGUMENT, "released-argument", API, ERROR, "kernel enqueued with an argument that was released")     \
    KIND(FREED_IN_USE, "freed-while-in-use", API, ERROR, "memory freed while a command uses it")                       \
    KIND(NEVER_COMPLETED, "event-never-completed", API, ERROR, "user event that nobody completes")                     \
    KIND(RELEASED, "released-while-mapped", API, ERROR, "buffer released while the host has it mapped")                \
    KIND(API, "api", API, ERROR, "wrong use of the interface")                                                         \
    KIND(LEAK, "leak", API, NOTE, "objects that were never released")
enum kind {
#define KIND(name, id, tool, severity, title) K_##name,
    KINDS(KIND)
#undef KIND
        K_COUNT
};
extern const struct kind_info kinds[K_COUNT];

struct reported {
    enum kind kind;
    char *kernel;
    uint32_t pc, other_pc;
    uint64_t object;
    char *api; /* the whole text of a finding of tool api */
    size_t
        first; /* index of the report that counts for all instructions of its place: this one's, or an earlier one's */
    uint64_t count;
    unsigned number; /* from 1; 0: suppressed, or counted by another */
};

struct suppression {
    char kind[48], kernel[64], file[128]; /* patterns with * */
};

struct cy_check {
    struct cy_check_options options;
    CY_VEC(struct machine *) machines;
    CY_VEC(struct reported) reports;
    CY_VEC(struct suppression) suppressions;
    unsigned shown[K_COUNT];
    unsigned numbers; /* given out */
    uint64_t found, notes, suppressed;
    int log; /* file descriptor; -1: none */
    pthread_mutex_t lock;
    pthread_cond_t idle; /* with lock: no launch runs */
    bool busy;           /* a launch runs, and has the shadow to itself */
    bool said_what_is_not_seen, has_launched;
};

/* ---- a launch ---- */

/* What an instruction is to the tools; decoded once. */
enum op_kind {
    OP_NONE,
    OP_SCALAR_ALU,
    OP_VECTOR_ALU,
    OP_LANES,   /* load or store with an address in every lane */
    OP_PRIVATE, /* the same in private memory */
    OP_SCALAR,  /* scalar load or store */
    OP_UNIT,    /* vle32, vse32 */
    OP_STRIDED, /* vlse32, vsse32 */
    OP_INDEXED, /* vluxei32, vsuxei32 */
    OP_AMO,
    OP_BARRIER,
    OP_FENCE,
    OP_END,
    OP_BRANCH,
    OP_VECTOR_BRANCH,
    OP_JUMP,
};
struct op {
    uint8_t kind;                 /* enum op_kind */
    uint8_t size;                 /* bytes of an access, */
    uint8_t words;                /* which is of so many words, to or from adjacent registers */
    uint8_t align;                /* that it needs */
    uint8_t space;                /* of generation 2's prefixes: enum cy_place; rows with a space of their own: 0 */
    bool wide;                    /* the address is in a pair of registers */
    bool may_read;                /* an atomic operation that changes nothing if its operand is 0 */
    bool masked;                  /* by v0 */
    uint8_t pairs;                /* of registers: PAIR_ */
    bool store, atomic, any_lane; /* any_lane: any result depends on all lanes */
    uint8_t d, a, b, c;           /* registers */
    uint8_t forms;                /* D_V ... */
    uint8_t rule;                 /* how undefined bits spread: enum rule of init.c */
    int32_t imm;
    uint16_t site; /* of an access, from 1, with flags */
    /* where the last access of this instruction was allowed: absolute, or an offset in the group's local memory */
    uint64_t start, end;
    uint64_t low, high; /* of the accesses in start to end, high included; none: high < low */
    uint32_t local_start, local_end;
    const struct cy_insn *insn;
};
enum { D_V = 1, D_X = 2, A_V = 4, A_X = 8, B_V = 16, B_X = 32, C_V = 64, MASKED = 128 };
enum { PAIR_D = 1, PAIR_A = 2, PAIR_B = 4 };

/* A variable that the compiler tells of, or an argument. */
struct object {
    const char *name;
    uint64_t start; /* address, or offset in the group's local memory or a work-item's private memory */
    uint64_t size;
    uint8_t rights, mapped; /* sets of enum cy_check_rights; mapped: the host has what it must not do */
    bool is_argument;
    unsigned index; /* of an argument */
    struct cy_check_touch read, written;
};
struct objects {
    CY_VEC(struct object) at; /* by start */
};

struct async {
    uint32_t to, from, count, size, to_step, from_step; /* elements, and bytes */
    uint32_t event, pc, item;
    uint32_t local_epoch, global_epoch;
};

/* A work-group that is running. */
struct group {
    struct group *next;
    uint32_t number, first; /* item number of its local id 0 */
    unsigned warps;         /* live ones */
    unsigned ended;
    uint32_t lds, lds_size, stacks;
    struct cell *local; /* by word of its local memory */
    bool bytes;         /* the bytes of a word may differ */
    uint32_t local_epoch, global_epoch;
    CY_VEC(uint32_t) barriers;             /* pc of each, by the warp that came first */
    CY_VEC(struct async) asyncs;           /* asynchronous copies, by the warp that came first */
    CY_VEC(uint32_t) waits;                /* events waited for, likewise */
    unsigned fewest_at_end, fewest_asyncs; /* barriers and copies of an ended warp; UINT_MAX: none ended */
    uint32_t end_item;
    uint32_t last_event; /* + 1 */
};

enum { MOST_PENDING = 32, MOST_SPINS = 4096 };
#define ORDER_OLD UINT32_MAX

/* A warp that comes back to the same load again and again while nothing in memory changes.  If its registers are the same
 * too, it will do so until somebody else changes something. */
struct poll {
    uint64_t changes; /* the launch's, since when it is watched */
    uint32_t pc;
    unsigned visits, others; /* of this load, and of other loads since */
    bool has_state;
    uint64_t mask;
    unsigned depth;
    uint32_t x[64];
    uint32_t *v; /* all vector registers; NULL: not looked at yet */
};

struct warp_state {
    struct warp_state *next, *next_spare;
    struct group *group;
    unsigned barriers; /* reached */
    uint32_t local_epoch, global_epoch;
    uint64_t synced;                    /* lanes that have executed an atomic operation */
    unsigned spins;                     /* atomic operations in a row that changed nothing, */
    uint64_t spun_at;                   /* while the launch's `changes` was this */
    bool at_barrier;                    /* it waits there */
    struct poll poll;                   /* does it wait by plain loads? */
    bool paused;                        /* a debugger shows the report about the next instruction, */
    uint64_t refused;                   /* which these lanes will not execute */
    uint32_t last_event[CY_MAX_LANES];  /* + 1 */
    bool copying;                       /* between the compiler's notes that a block is copied */
    uint32_t bound;                     /* of the array index that a note is about */
    uint32_t image_how;                 /* CHECK_NOTE_IMAGE_HOW */
    uint32_t (*image_at)[CY_MAX_LANES]; /* coordinates: x, y, z by lane; NULL: no image was used */
    struct async async;                 /* the next asynchronous copy */
    unsigned async_count;               /* begun, */
    bool async_differs;                 /* the next one's arguments are not the same in all lanes */
    bool async_active;                  /* the accesses now are those of one */
    bool wait_differs;                  /* the events of the next wait are not the same in all lanes */
    bool wait_unknown;                  /* one of them belongs to no copy */
    unsigned wait_count;                /* events waited for */
    unsigned pending_count;             /* copies that have not been waited for: */
    uint32_t pending[MOST_PENDING];     /* numbers in the group's list */
    uint32_t order;                     /* of atomic operations now, from the note; ORDER_OLD: those of OpenCL C 1.x */
    /* undefined bits: of the registers in the sets, 1 = undefined */
    uint64_t undefined_x, undefined_v[4];
    uint32_t x[64];
    uint32_t *v; /* by register and lane; NULL: none yet */
};

struct sync_event;
struct searches;
struct stamp;
struct apart {
    struct cell byte[4];
    bool is_local, is_used;
    uint32_t next_free; /* + 1 */
};

/* From this address on the code comes from inlined functions: "name line column file" of each call; empty: from none. */
struct inlined {
    uint32_t pc;
    char *calls;
};

struct program {
    const void *elf;
    size_t size;
    bool is_read;
    struct cy_object object;
    struct cy_diags diags;
    struct cy_lines lines;
    bool has_lines;
    struct cy_sources sources;      /* the program's own, if it has them */
    CY_VEC(struct inlined) inlined; /* by function, then ascending */
};

struct cy_check_launch {
    struct cy_check *check;
    struct machine *machine;
    struct cy_check_info info;
    struct cy_check_argument *arguments;
    CY_VEC(char *) names; /* texts of the objects */
    struct cy_observer observer;
    struct program program;
    const char *kernel;
    unsigned tools;
    size_t report; /* index of the newest */

    struct op *ops;
    uint32_t base, op_count;
    CY_VEC(uint32_t) sites; /* pc of each, from 1 */

    struct objects global, local, private_;
    bool has_local, has_private; /* the compiler told */
    bool has_calls;
    uint32_t lds_bytes; /* of the kernel's own variables */

    bool is_known; /* what follows, which comes from the first warp */
    uint32_t global_size[3], local_size[3], offset[3], grid[3], dimensions;
    uint32_t group_items;
    unsigned shift; /* item = group << shift | local id */
    unsigned lanes;
    uint32_t knl_bytes;
    uint8_t *memory;

    struct group *groups;
    struct warp_state *warps, *spare; /* all that were allocated; of these, not in use */
    uint32_t stacks;                  /* bytes of scalar stacks at the start of a group's local memory */
    uint32_t stack;                   /* of one warp: at its end lanes exchange values */
    uint32_t ours_start, ours_end;    /* the library's own local memory: offsets, empty if it has none */
    uint32_t *private_undefined;      /* bits of the device's private memory, from private_base */
    uint32_t private_base;
    uint64_t private_bytes;
    bool no_memory;

    CY_VEC(struct apart) apart; /* words whose bytes have different histories */
    uint32_t apart_free;        /* + 1: the first that is not in use */

    /* sync edges: what atomic operations order, in kernels that fence or wait */
    uint32_t stops; /* there was a report about this item + 1, and a debugger wants to see it; 0: no */
    bool tracks_sync;
    uint64_t changes;                 /* stores, and atomic operations that changed something */
    uint32_t last_write_event;        /* + 1: the last event that wrote */
    CY_VEC(struct sync_event) events; /* the last ones, in a ring */
    uint32_t event_count;             /* of all */
    uint64_t steps_back;              /* through them, in searches */
    struct searches *searches;        /* likewise, that are kept; NULL: none yet */
    struct stamp *stamps;             /* open addressing by address */
    size_t stamp_count, stamp_room;
};

/* An atomic operation or a fence, which may let others see what its work-item did, or let it see what others did. */
struct sync_event {
    uint64_t address; /* 0: a fence */
    uint32_t item;
    uint32_t global_epoch, local_epoch;
    uint8_t what;                                /* SYNC_ */
    uint8_t scope;                               /* memory_scope */
    uint8_t spaces;                              /* whose accesses it orders: IN_LOCAL | IN_GLOBAL */
    uint32_t before_in_group, before_at_address; /* + 1: the last event there */
};
enum {
    SYNC_RELEASES = 1,
    SYNC_ACQUIRES = 2,
    SYNC_READS = 4,
    SYNC_WRITES = 8,
    SYNC_REPLACES = 16, /* writes without reading */
    SYNC_MEETS = 32,    /* a barrier of the warp */
};
enum { IN_LOCAL = 1, IN_GLOBAL = 2 };
/* When a word was last accessed, in events: only known of work-items that have taken part in one; and the last one there. */
struct stamp {
    uint64_t address;              /* 0: free */
    uint32_t written, read, event; /* event: + 1 */
};

/* ---- observe.c ---- */
struct access {
    const struct op *op;
    struct cy_warp *warp;
    struct warp_state *state;
    uint32_t pc;
    uint64_t lanes;       /* that access memory */
    uint64_t base;        /* a multiple of 4 GiB, in which the addresses are */
    uint32_t *address;    /* by lane: the low words */
    const uint32_t *data; /* what they store, by lane; NULL: nothing */
    bool uniform;         /* a scalar instruction: for all active work-items at address[0] */
};
static inline uint32_t item_of(const struct cy_check_launch *l, const struct access *a, unsigned lane)
{
    /* an asynchronous copy is not the work-item's doing: it has the number after the last one's */
    return a->state->group->first + 1 + (a->state->async_active ? l->group_items : a->warp->tid + lane);
}

static inline uint64_t address_of(const struct access *a, unsigned lane)
{
    return a->base | a->address[a->uniform ? 0 : lane];
}

/* Shared virtual memory: who waits there may wait for the host. */
static inline bool may_host_write(const struct access *a)
{
    return a->lanes && address_of(a, (unsigned)__builtin_ctzll(a->lanes)) >= CY_FAR_END;
}
/* What is there now. */
static inline const uint8_t *value_at(const struct cy_check_launch *l, const struct access *a, uint64_t address)
{
    return LIKELY(!(address >> 32)) ? l->memory + address : cy_memory_host(a->warp->run->memory, address);
}
static inline uint32_t site_pc(const struct cy_check_launch *l, uint32_t site)
{
    return site & SITE_NUMBER ? l->sites.at[(site & SITE_NUMBER) - 1] : 0;
}

void observe_init(struct cy_check_launch *l);
void observe_free(struct cy_check_launch *l);
void effects_of(const struct cy_insn *insn, struct cy_effects *effects);
/* check.c: the group's local memory begins with the warps' stacks. */
void place_locals(struct cy_check_launch *l, uint32_t stacks);

/* ---- init.c ---- */
void init_decode(struct op *op, const struct cy_insn *insn, const struct cy_effects *effects);
/* Before an instruction that does not access memory. */
void init_step(struct cy_check_launch *l, struct cy_warp *warp, struct warp_state *state, uint32_t pc,
               const struct op *op);
void init_address(struct cy_check_launch *l, const struct access *a); /* is the address undefined? */
void init_access(struct cy_check_launch *l, const struct access *a, bool local);
bool init_is_clean(const struct warp_state *state); /* no register of the warp has undefined bits */
void init_private(struct cy_check_launch *l, const struct access *a);
void init_forget_private(struct cy_check_launch *l, const struct cy_warp *warp); /* a warp begins */
void init_driver(struct cy_check_launch *l, const struct access *a);
void init_undefined(struct cy_check_launch *l, const struct access *a); /* the destination becomes undefined */
void init_defined(struct cy_check_launch *l, const struct access *a);

/* ---- notes.c: what the compiler tells by accesses that no memory is behind; the lanes to refuse ---- */
uint64_t note_access(struct cy_check_launch *l, const struct access *a);

/* ---- memory.c: the lanes whose access is not allowed, which it has reported ---- */
uint64_t memory_check(struct cy_check_launch *l, struct op *op, const struct access *a);
uint64_t memory_check_private(struct cy_check_launch *l, struct op *op, const struct access *a);
struct object *find_object(const struct objects *objects, uint64_t at);
void memory_flush(struct cy_check_launch *l, struct op *op); /* its object learns what it has touched */

/* ---- touch.c: the common case of races and definedness; false: nothing was done ---- */
bool shadow_touch(struct cy_check_launch *l, struct access *a, bool local, uint32_t low, uint32_t high);

/* ---- race.c ---- */
void race_check(struct cy_check_launch *l, const struct access *a, bool local);
/* The cell of the word that is accessed; NULL: no memory. */
struct cell *cell_of(struct cy_check_launch *l, struct group *group, bool local, uint64_t address, unsigned size);

/* ---- bytes.c ---- */
void bytes_unpack(const struct cy_check_launch *l, const struct cell *cell, struct cell byte[4]);
void bytes_pack(struct cy_check_launch *l, struct cell *cell, const struct cell byte[4], bool local);
void bytes_age(struct cy_check_launch *l, bool local, uint32_t group); /* epochs of a work-group begin anew */

/* ---- order.c ---- */
void order_atomic(struct cy_check_launch *l, const struct access *a, bool local);
void order_fence(struct cy_check_launch *l, const struct access *a, uint32_t fence); /* the value of the note */
/* A plain access of a work-item that has executed atomic operations. */
void order_stamp(struct cy_check_launch *l, uint64_t address, bool write);
/* Has the access of `other` been released, and has this work-item, or its group, acquired it, perhaps through others?
 * `other` 0: by several. */
bool happened_before(struct cy_check_launch *l, const struct access *a, unsigned lane, bool local, uint32_t other,
                     uint32_t other_info, bool other_write);
void order_free(struct cy_check_launch *l);

/* ---- sync.c ---- */
void sync_barrier(struct cy_check_launch *l, struct cy_warp *warp, struct warp_state *state, uint32_t pc,
                  unsigned flags);
void sync_end(struct cy_check_launch *l, struct cy_warp *warp, struct warp_state *state, uint32_t pc);

void sync_note(struct cy_check_launch *l, const struct access *a, uint32_t note);
uint32_t sync_event_of(const struct warp_state *state); /* the event that the next asynchronous copy returns */
/* A plain load: is the warp waiting by it?  Then `spins` says so. */
void sync_poll(struct cy_check_launch *l, const struct access *a);
/* A store to private memory or to the warp's stack: one that changes something there does not wait. */
void sync_own_store(const struct cy_check_launch *l, const struct access *a);
/* Do all warps wait for a value that none of them will change?  Then the launch ends. */
bool sync_hangs(struct cy_check_launch *l, const struct access *a, bool local);
/* Does it touch what a copy that nobody has waited for still reads or writes? */
void sync_pending(struct cy_check_launch *l, const struct access *a, bool local);

/* ---- report.c ---- */

/* One side of a report. */
struct side {
    uint32_t pc;
    uint32_t item;    /* + 1; 0: not known */
    const char *what; /* "write of 4 bytes" */
};
struct finding {
    enum kind kind;
    struct side self, other; /* other.what NULL: none */
    const struct object *object;
    char text[384];
};
/* True: it is new, and `finding` has to be filled in and given to report_show; false: it is known, counted, or off. */
bool report_is_new(struct cy_check_launch *l, enum kind kind, uint32_t pc, uint32_t other_pc, uint64_t object);
bool report_is_known(struct cy_check_launch *l, enum kind kind, uint32_t pc, uint32_t other_pc, uint64_t object);
void report_show(struct cy_check_launch *l, const struct finding *finding);
void program_read(struct program *program);
void program_free(struct program *program);

#endif
