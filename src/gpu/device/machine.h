/* Device internals: programs, launches, SMs, and what they share.
 *
 *     device.c    opening, memory, capabilities            loader.c   reading ELF files, loading images
 *     config.c    the machine's configuration              launch.c   starting, waiting for and ending launches
 *     arguments.c the packed argument buffer               dispatch.c which workgroup goes to which SM
 *     space.c     page tables for guests                   sm.c       running the warps of an SM
 *     print.c     draining print buffers                   report.c   fault messages
 *     observers.c public observers on the engine's         translated.c launches on the fast engine
 *     turns.c     time slicing between launches            threads.c  leader and helpers
 *     paths.c     lanes that wait for each other           sampling.c which workgroups a profile counts
 *     launch_validate.c, launch_layout.c, launch_run.c     checking a launch, its device memory, running it
 *     cosim.c     stepping a launch from outside           cosim_check.c comparing it with another implementation
 *     verify.c, difference.c  comparing translated with interpreted launches
 *     order.c     other orders of workgroups and warps */
#ifndef CY_GPU_DEVICE_MACHINE_H
#define CY_GPU_DEVICE_MACHINE_H

#include "abi/abi.h"
#include "base/sha256.h"
#include "chengying/device.h"
#include "gpu/engine/engine.h"
#include "gpu/memory/snapshot.h"
#include "obj/obj.h"

/* ---- messages ---- */

/* Ends a public function: moves the text to *message if the status is an error, frees it otherwise. */
enum cy_status cy_finish(enum cy_status status, struct cy_diags *diags, char **message);

/* ---- configuration ---- */

void cy_config_resolve(struct cy_config *config);             /* replaces zeros by their defaults */
uint32_t cy_config_lds_slice(const struct cy_config *config); /* bytes of the LDS window per SM */

/* ---- programs ---- */

struct cy_program {
    atomic_uint references;
    char *name;
    char *elf; /* the file; segments point into it */
    size_t elf_size;
    struct cy_object object;
    struct cy_kernel_info *kernels; /* the host's, then the initialisers */
    size_t kernel_count, initialiser_count;
    enum cy_target target;
    uint32_t code_base, code_size; /* range of the executable segments */
    struct cy_code *code;
    struct cy_symbol_table *symbols;
    const char *formats; /* .cy.printf */
    size_t formats_size;
    struct {
        const char *names; /* of kernels, each NUL-terminated; NULL: there are none */
        size_t size;
    } marks[CY_MARK_COUNT];
    struct cy_translation *translations; /* of its kernels, see translated.c */
    _Atomic(struct cy_digest *) digest;  /* of its code; NULL: nobody wanted it */
    uint8_t *variables; /* contents of its writable segments, saved when another program took its place */
};
bool cy_program_read(struct cy_program *program, const char *name, const void *elf, size_t size,
                     const struct cy_config *config, struct cy_diags *diags);
void cy_program_clear(struct cy_program *program);
/* Its code as it was loaded: code_size bytes. */
void cy_program_code(const struct cy_program *program, void *bytes);
const struct cy_kernel_info *cy_program_kernel_by_name(const struct cy_program *program, const char *name);

/* Symbols sorted by address, for pc -> name + offset; valid as long as the object. */
struct cy_symbol_table *cy_symbols_create(const struct cy_object *object); /* in a scope */
void cy_symbols_free(struct cy_symbol_table *table);
/* The function or label at or before pc in its section; NULL: none. */
const char *cy_symbols_find(const struct cy_symbol_table *table, uint32_t pc, uint32_t *offset);
/* The source line of pc, with its file appended to `path`; 0: no line table, or pc is not in it. */
uint32_t cy_symbols_line(const struct cy_symbol_table *table, uint32_t pc, struct cy_buf *path);

/* Copies every PT_LOAD segment to memory and clears the part beyond its file contents. */
void cy_image_copy(const struct cy_object *object, struct cy_memory *memory);
/* The same with the page rights set; variables are as the program left them.  False: out of memory, nothing is
 * mapped. */
bool cy_image_load(const struct cy_program *program, struct cy_memory *memory);
/* Makes room for another program.  False: no memory to save the variables in; the program is still loaded. */
bool cy_image_unload(struct cy_program *program, struct cy_memory *memory);
void cy_image_clear_bss(const struct cy_program *program, struct cy_memory *memory); /* of a program that is loaded */

#define CY_TRANSLATION_WHY 160

/* ---- arguments ---- */

struct cy_local_argument {
    uint32_t offset; /* of the pointer in the buffer */
    uint32_t size;
};
struct cy_arguments {
    struct cy_buf bytes;
    CY_VEC(struct cy_local_argument) locals;
    bool has_wide_pointers; /* of 8 bytes */
    bool incomplete;        /* memory ran out: launches reject it */
};

/* ---- resources of a workgroup on an SM ---- */

enum cy_resource { CY_RES_WARPS, CY_RES_SLOTS, CY_RES_LDS, CY_RES_SGPRS, CY_RES_VGPRS, CY_RES_COUNT };
extern const char *const cy_resource_names[CY_RES_COUNT];

struct cy_needs {
    uint32_t of[CY_RES_COUNT];
};

/* A pool allocated in contiguous ranges, best fit. */
struct cy_range {
    uint32_t start, size;
};
struct cy_pool {
    uint32_t size, granule;
    struct cy_range *used; /* sorted by start; room for one per workgroup slot */
    size_t used_count;
};
bool cy_pool_take(struct cy_pool *pool, uint32_t size, uint32_t *start);
void cy_pool_give(struct cy_pool *pool, uint32_t start, uint32_t size);

/* ---- SMs ---- */

struct cy_workgroup {
    bool live;
    uint32_t slot;
    uint32_t id[3];
    uint32_t lds;        /* start of its range */
    unsigned warps;      /* live ones */
    unsigned waiting;    /* of these, at a barrier */
    uint32_t barrier_pc; /* the pc at which the last of them waits */
    bool scattered;      /* they wait at different barriers */
    uint64_t members;    /* bit set of warp slots */
    bool passed;         /* no longer observed */
    uint64_t retired;    /* instructions of its warps that have ended */
};

struct cy_warp_slot {
    struct cy_warp warp; /* its `owner` is this slot */
    struct cy_sm *sm;
    unsigned index;
    uint32_t barrier_pc; /* where it waits */
    struct cy_workgroup *group;
    struct cy_path **paths; /* paths.c: those that do not run now, in the order of their turns; NULL: never any */
    unsigned path_count;
    uint64_t waited; /* instructions since its paths were looked at */
};

/* Counters of a running launch. */
struct cy_figures {
    uint64_t instructions, groups, warps, items, barriers;
    uint64_t splits;     /* paths.c */
    uint64_t translated; /* of the items */
    uint64_t instructions_translated;
    uint64_t counted, sampled; /* of the groups: added to launch->counts, to launch->sampled */
    struct cy_lane_counters lanes;
};

#define CY_SM_WORKERS 4
struct cy_sm {
    struct cy_device *device;
    unsigned index;
    struct cy_warp_slot *slots;  /* config.warps */
    unsigned stored;             /* the first ones, which have registers and a stack */
    unsigned prepared;           /* of these, the first ones, which are those of the present launch */
    struct cy_workgroup *groups; /* config.workgroups */
    unsigned live_groups, live_warps;
    uint64_t occupied, ready; /* bit sets of warp slots: with a warp; of these, not at a barrier */
    struct cy_pool lds;
    struct cy_tlb *tlb;
    struct cy_figures fresh;                      /* not yet added to the launch's counters */
    unsigned quiet_turns;                         /* since the last poll */
    unsigned most_groups, most_warps;             /* since the launch began */
    unsigned next_slot;                           /* the slot to run next */
    unsigned chosen;                              /* choices of a random order so far */
    bool is_waiting;                              /* a warp of the launch has paths */
    struct cy_jit_worker *workers[CY_SM_WORKERS]; /* of the last launches that ran translated, the latest first */
    struct cy_jit_worker *worker,
        *counter;             /* of these: that of this launch, and that of its counted workgroups, if only some are */
    unsigned at_once;         /* workgroups that are taken together; 0: none in this launch yet */
    uint64_t taken_ns;        /* and when they were */
    atomic_ullong next_group; /* of its own range of a translated launch, */
    atomic_bool takes_own;    /* its thread has taken some of them */
    uint64_t first_group, end_group; /* from here up to there; other threads that are done with theirs take some, too */
    uint32_t first_column, columns;  /* of the grid that its range consists of; columns is 0: of whole rows */
    struct cy_sm *next_set;          /* list of spare sets, linked through their first SM */
};
/* Waking a thread takes longer than many launches: helpers are woken after this many instructions, or after this time in
 * translated code, if there is work left. */
#define CY_ALONE_INSTRUCTIONS 5000
#define CY_ALONE_NS 10000
/* Threads of a device look out for each other for so long before they sleep: waking up would take longer. */
#define CY_AWAKE_NS 20000
bool cy_sm_init(struct cy_sm *sm, struct cy_device *device, unsigned index); /* false: no memory; destroy it anyway */
void cy_sm_destroy(struct cy_sm *sm);
/* Empties the SM for a new launch with at most this many resident warps.  False: no memory for them. */
bool cy_sm_reset(struct cy_sm *sm, struct cy_launch *launch, unsigned warps);
/* Reserves room for a workgroup; NULL: there is none. */
struct cy_workgroup *cy_sm_reserve(struct cy_sm *sm, const struct cy_launch *launch);
void cy_sm_release(struct cy_sm *sm, const struct cy_launch *launch, struct cy_workgroup *group);
/* The place of a workgroup in the grid. */
void cy_sm_locate(const uint32_t grid[3], uint64_t number, uint32_t id[3]);
/* Writes the metadata and arguments at `view` as the warps of a workgroup see them whose local memory is at `lds`. */
void cy_sm_write_view(const struct cy_launch *launch, const struct cy_memory *memory, uint32_t view, uint32_t print,
                      uint32_t lds);
/* Starts workgroup `number` of the launch in its reserved room. */
void cy_sm_start(struct cy_sm *sm, struct cy_launch *launch, struct cy_workgroup *group, uint64_t number);
/* Does nothing but the engine compute while the launch runs?  Then a thread sets up the host's floating-point unit once
 * for all turns (fp_host_begin), not once per warp run. */
bool cy_sm_is_alone(const struct cy_launch *launch);
/* sampling.c.  The first workgroup from this one on whose accesses' addresses are counted, and the first that is counted for others. */
uint64_t cy_sm_next_looked(const struct cy_launch *launch, uint64_t number);
uint64_t cy_sm_next_sampled(const struct cy_launch *launch, uint64_t number);
/* Where a workgroup is counted; NULL: it is not. */
struct cy_insn_counts *cy_sm_counts(const struct cy_sm *sm, const struct cy_launch *launch, uint64_t number,
                                    bool *is_sample);
void cy_launch_no_memory(struct cy_launch *launch); /* stops it */
/* The interpreter runs one workgroup of a translated launch.  False: the launch is stopped. */
bool cy_sm_interpret(struct cy_sm *sm, struct cy_launch *launch, uint64_t number);
/* One turn: every runnable warp gets a slice.  False: the SM has nothing left to run, and its counters are in the
 * launch. */
bool cy_sm_turn(struct cy_sm *sm, struct cy_launch *launch);
/* After a launch's last turn for the time being, where instructions are counted. */
void cy_sm_deliver(struct cy_sm *sm, struct cy_launch *launch);

enum { CY_SHORT_TURN = 1024 }; /* instructions: of warps and paths, once a launch is known to wait */
/* paths.c.  Storage for the sGPRs of waiting lanes, without which there are no paths; forgets all paths; and frees them. */
bool cy_paths_give(struct cy_warp *warp);
void cy_paths_clear(struct cy_warp_slot *slot);
void cy_paths_destroy(struct cy_warp_slot *slot);
/* A warp has run: gives lanes that have waited too long a path, and the next path its turn. */
void cy_paths_ran(struct cy_launch *launch, struct cy_warp_slot *slot, uint64_t instructions);
/* The running path is at a barrier.  True: all of them are, so the warp is; otherwise the next one runs. */
bool cy_paths_arrive(struct cy_launch *launch, struct cy_warp_slot *slot, bool *is_scattered);
/* It has ended: it was the last one; the next one runs; all others are at a barrier. */
enum cy_path_end { CY_PATH_LAST, CY_PATH_NEXT, CY_PATH_BARRIER };
enum cy_path_end cy_paths_end(struct cy_launch *launch, struct cy_warp_slot *slot, bool *is_scattered);

/* One instruction of a warp that is ready, with all its consequences. */
void cy_sm_step(struct cy_sm *sm, struct cy_launch *launch, struct cy_warp_slot *slot);

/* ---- launches ---- */

/* Takes over a launch, for a debugger: `run` is called on one host thread with everything loaded and nothing placed, and
 * returns when no work-item is left (cy_dispatch_all, cy_sm_step) or the launch has been stopped. */
struct cy_controller {
    void *context;
    void (*run)(void *context, struct cy_launch *launch);
};

/* Device memory used by the driver, kept from launch to launch; it grows on demand. */
struct cy_scratch {
    uint32_t address;
    uint64_t size;
};
struct cy_launch_buffers {
    struct cy_scratch constants, prints, pds;
};

struct cy_launch {
    atomic_uint references;
    struct cy_device *device; /* valid until the launch has ended */
    struct cy_memory *memory; /* that it runs on: the device's, or a view of it */
    struct cy_launch *next;   /* in a list */
    atomic_int state;         /* enum cy_status; CY_RUNNING until it has ended */
    pthread_cond_t ended;     /* with lock */

    /* as requested */
    struct cy_program *program;
    struct cy_kernel_info kernel;
    struct cy_arguments arguments;
    unsigned dimensions;
    uint64_t global[3], offset[3];
    uint32_t local[3], grid[3];
    uint32_t lds_bytes, stack_bytes, pds_bytes, print_bytes;
    void (*print)(void *context, const char *text, size_t size);
    void *print_context;
    struct cy_space *space;
    uint64_t ptbr;
    uint32_t gds;
    bool scalar_atomics, count_lanes, independent;
    uint32_t order; /* order.c */
    struct cy_observers observers;
    const struct cy_observer *engine_observer;
    const struct cy_controller *controller;
    void (*done)(void *context, struct cy_launch *launch);
    void *done_context;

    /* derived from the above */
    struct cy_needs needs;
    unsigned warps; /* of a workgroup */
    uint64_t group_count;
    unsigned slots_per_sm; /* resident workgroups per SM at most, private memory included */
    unsigned fitting;      /* the same before the grid size and private memory are considered */
    unsigned sm_count;     /* SMs in use */
    unsigned parts;        /* host threads that may run it, in this turn */
    const char *limited_by;
    uint32_t locals_offset; /* of the first __local argument inside the workgroup's LDS */

    /* in device memory, while it runs */
    bool alone;         /* cy_sm_is_alone */
    bool views;         /* metadata and arguments differ between warps */
    uint32_t constants; /* metadata and arguments: one copy, or one view per warp slot */
    uint32_t view_bytes;
    uint32_t prints; /* print buffers, one per warp slot */
    uint32_t pds;
    struct cy_run run;
    struct cy_run unobserved;       /* the same for workgroups that the observer lets pass */
    struct cy_jit_code *translated; /* NULL: the interpreter runs it, */
    const char *not_translated;     /* because of this */
    const char *interpreted;        /* instructions of translated code that are left to the interpreter; "": none */
    struct cy_translation *awaited; /* until this is there; NULL: to the end */
    struct cy_translation
        *counter;               /* for workgroups that are counted, if only some are; NULL: the interpreter runs them */
    struct cy_observer watcher; /* the public observers as an engine observer */
    struct cy_start *start;     /* of its warps, computed once; NULL: not */
    struct cy_code *watched;    /* the program's code under a checker; NULL: none */
    struct cy_verification *verification; /* NULL: it is not verified */

    /* its turns */
    struct cy_sm *sms;
    bool begun;
    bool needs_memory;                /* that suspended launches hold */
    atomic_bool makes_way;            /* its turn is over */
    uint64_t turn_start_ns;           /* protected by `lock`, like ran_ns */
    uint64_t ran_ns;                  /* in earlier turns */
    struct cy_launch_buffers buffers; /* while it is suspended, like lds */
    uint8_t *lds;

    /* while it runs */
    pthread_mutex_t lock;     /* protects faults, prints, the end */
    atomic_ullong next_group; /* with ranges: how many have been taken */
    unsigned ranges;          /* the first SMs have each a range of workgroups; 0: they all take the next ones */
    unsigned last_sm;         /* that received a workgroup from cy_dispatch_all */
    atomic_bool stop, cancel;
    atomic_ullong instructions, groups_done, warps_done, items_done, items_translated, barriers, splits;
    atomic_ullong instructions_translated, groups_counted, groups_sampled;
    struct cy_lane_counters lanes;  /* with lock */
    struct cy_insn_counts *counts;  /* the caller's; NULL: not counted; count_words for each SM */
    struct cy_insn_counts *sampled; /* likewise, for workgroups that stand for others; NULL: all are counted */
    uint64_t counted_before;        /* launches that were counted there */
    size_t count_words;
    uint64_t prints_done, prints_dropped;
    unsigned most_groups, most_warps;

    /* how it ended */
    struct cy_buf message;
    bool faulted;
    bool no_memory; /* protected by `lock`: none for the text of a printf, or for what a translated launch needs */
    struct cy_fault_info fault;
    struct cy_arena arena; /* the fault's strings */
};

/* dispatch.c */
/* Fills in needs, slots_per_sm and limited_by; false: a workgroup can never fit, and the message says why. */
bool cy_dispatch_plan(struct cy_launch *launch, const struct cy_config *config, struct cy_diags *diags);
/* Places workgroups until no SM has room, starting at the SM after the last one used (once per turn of a deterministic
 * device). */
void cy_dispatch_all(struct cy_launch *launch);
/* order.c: with an order of its own, the workgroup that comes at this place; which of the ready warps is next; and for how long. */
uint64_t cy_order_group(const struct cy_launch *launch, uint64_t number);
unsigned cy_order_warp(const struct cy_launch *launch, struct cy_sm *sm, uint64_t ready);
uint64_t cy_order_budget(const struct cy_launch *launch, struct cy_sm *sm, uint64_t budget);
/* Has every workgroup been placed? */
bool cy_dispatch_empty(const struct cy_launch *launch);
/* Places workgroups on this SM while it has room. */
void cy_dispatch_to(struct cy_launch *launch, struct cy_sm *sm);

/* print.c: passes a warp's records to the host. */
void cy_print_drain(struct cy_launch *launch, struct cy_warp_slot *slot);
void cy_print_drain_at(struct cy_launch *launch, const struct cy_memory *memory, uint32_t address);
uint32_t cy_print_buffer(const struct cy_launch *launch, const struct cy_warp_slot *slot);
/* Appends one record as text, in a scope; exported for tests. */
void cy_print_format(struct cy_buf *out, const struct cy_memory *memory, const char *format, size_t format_size,
                     const uint8_t *arguments, size_t size, unsigned pointer_bytes);

/* report.c: fails the launch with this fault, unless another came first, and stops it. */
void cy_report_fault(struct cy_launch *launch, const struct cy_sm *sm, const struct cy_warp_slot *slot,
                     const struct cy_fault *fault);
void cy_report_deadlock(struct cy_launch *launch, const struct cy_sm *sm, const struct cy_workgroup *group);
void cy_report_watchdog(struct cy_launch *launch, const struct cy_sm *sm, bool seconds);
const char *cy_fault_name(enum cy_fault_kind kind);
const char *cy_fault_text(enum cy_fault_kind kind);
/* "access to unmapped memory: read of 4 bytes at 0x10 ..." and the instruction's registers; in a scope. */
void cy_fault_describe(struct cy_buf *out, const struct cy_warp *warp, const struct cy_fault *fault,
                       const struct cy_symbol_table *symbols, enum cy_target target);

/* observers.c */
void cy_watch_init(struct cy_launch *launch);
/* What the public observers are told about an instruction; insn NULL: only where it is. */
void cy_watch_event(struct cy_event *event, uint32_t sm, const struct cy_warp *warp, uint32_t pc,
                    const struct cy_insn *insn);

/* turns.c: called only while the device runs nothing. */
bool cy_turns_init(struct cy_device *device); /* false: no memory */
void cy_turns_destroy(struct cy_device *device);
/* Suspends the launch, so that the device is free for another; false: the host has no memory for that. */
bool cy_turns_set_aside(struct cy_launch *launch);
void cy_turns_take_back(struct cy_launch *launch);
/* With the device's lock held. */
void cy_turns_queue(struct cy_device *device, struct cy_launch *launch);
void cy_turns_postpone(struct cy_device *device, struct cy_launch *launch); /* until another launch has ended */
struct cy_launch *cy_turns_next(struct cy_device *device);                  /* NULL: none can run */
void cy_turns_ended(struct cy_device *device);
/* Another launch waits, and this one has run for turn_ns: is its turn over? */
bool cy_turns_is_over(const struct cy_launch *launch, uint64_t turn_ns);

/* launch_validate.c: fills in the launch; in a scope. */
enum cy_status cy_launch_describe(struct cy_launch *launch, const struct cy_launch_desc *desc, struct cy_diags *diags);

/* launch_layout.c: memory for the launch, once; the image, before every turn. */
enum cy_status cy_launch_prepare(struct cy_launch *launch);
bool cy_launch_load_image(struct cy_launch *launch);
/* Metadata and arguments, as they are in guest memory at `at`: CY_METADATA_BYTES, and those of the arguments. */
void cy_launch_metadata(const struct cy_launch *launch, uint32_t at, void *to);
/* Is this one of its program's segments with variables? */
bool cy_segment_is_writable(const struct cy_segment *segment);

/* launch_run.c */
uint64_t cy_now_ns(void);
/* Runs the device's current launch to its end: true.  False: the leader will resume it.  `tell`: call `done` at the end. */
bool cy_launch_run_current(struct cy_launch *launch, bool tell);
/* SMs `part`, `part + parts` ... until they run out of work or the launch yields. */
void cy_launch_run_share(struct cy_launch *launch, unsigned part, unsigned parts);

/* threads.c */
bool cy_device_is_idle(const struct cy_device *device); /* nothing runs or waits; with the lock held */
bool cy_threads_start(struct cy_device *device);
void cy_device_shutdown(struct cy_device *device); /* cancels launches and joins threads */

/* space.c: identity-maps a range, for memory that the driver fills. */
bool cy_space_identity(struct cy_space *space, uint32_t start, uint64_t size, unsigned rights);

/* ---- devices ---- */

struct cy_launch_list {
    struct cy_launch *head, *tail;
};

/* verify.c */
struct cy_verify_sums {
    atomic_ullong translated, verified, different, ordered, skipped, unfit, interpreted;
};
struct cy_device_verify {
    struct cy_verifier verifier;
    struct cy_verify_sums sums;
    struct cy_snapshot views[3]; /* for the translated run, the interpreted one, others */
};

struct cy_device {
    struct cy_config config;
    struct cy_translator translator;
    struct cy_memory memory;
    struct cy_sm *sms;       /* for the running launch */
    struct cy_sm *spare_sms; /* sets of them */
    unsigned spare_sets;
    struct cy_program *loaded; /* the program whose image is in memory */
    struct cy_launch_buffers buffers;
    struct cy_device_verify verify;

    pthread_mutex_t lock;        /* protects the queue and the threads */
    pthread_cond_t queued;       /* for the leader: a launch was queued, the device is idle again, or it closes */
    pthread_cond_t wanted;       /* for the helpers: one is wanted, or the device closes */
    pthread_cond_t helped;       /* for the thread that runs the launch: the last helper has finished; for the one that
                                  * closes: it is idle */
    struct cy_launch_list queue; /* not begun */
    struct cy_launch_list aside; /* between two turns */
    struct cy_launch *current;   /* NULL: idle */
    uint64_t turn_ns;            /* the time slice while others wait, */
    uint64_t later_turn_ns;      /* after its first turn, while new ones wait */
    uint64_t new_ns;             /* time given to new launches since a suspended one was resumed */
    atomic_bool new_waits, other_waits; /* a new launch could run if the current one yields; any launch could */
    pthread_t *threads;                 /* the first one is the leader */
    unsigned thread_count;
    unsigned parts;   /* of the current launch: the SMs are divided among this many threads */
    unsigned helpers; /* wanted for it */
    unsigned joined;  /* helpers that have taken their share */
    atomic_uint busy; /* helpers that have not finished it; grows with the lock held */
    bool closing;
    atomic_bool awaited;  /* a thread waits until none is busy, with the lock and `helped` */
    atomic_uint calls;    /* of helpers so far; changes with the lock held */
    bool is_called_often; /* the last one came soon after the end of the launch before */
    uint64_t helped_ns;   /* when the last launch with helpers ended */
};

#endif
