/* Chengying's Ventus machine as a library: the driver API.
 *
 *     struct cy_config config;
 *     cy_config_default(&config);
 *     struct cy_device *device;
 *     char *why = NULL;
 *     if (cy_device_open(&config, &device, &why) != CY_OK) { fputs(why, stderr); free(why); return 1; }
 *
 *     struct cy_program *program;
 *     cy_program_load(device, "vecadd.riscv", elf, elf_size, &program, &why);
 *
 *     uint32_t a;                                             // addresses are the guest's: 32 bits, unless far
 *     cy_device_alloc(device, 4096, 0, &a);
 *     cy_device_write(device, a, data, 4096);
 *
 *     struct cy_arguments *arguments = cy_arguments_create();
 *     cy_arguments_pointer(arguments, a);
 *     float scale = 3.5f;
 *     cy_arguments_value(arguments, &scale, sizeof scale);
 *
 *     struct cy_launch_desc desc = {.program = program, .kernel = "vecadd", .arguments = arguments,
 *                                   .dimensions = 1, .global = {1024, 1, 1}, .local = {256, 1, 1}};
 *     struct cy_launch *launch;
 *     cy_launch_start(device, &desc, &launch, &why);          // returns at once
 *     if (cy_launch_wait(launch) != CY_OK)
 *         fputs(cy_launch_message(launch), stderr);           // describes the fault
 *     cy_launch_release(launch);
 *     cy_device_read(device, a, data, 4096);
 *
 * General rules:
 * - Every function may be called from any thread, even on the same device at the same time.  Different devices share
 *   nothing.
 * - Launches of one device run one after the other, in the order in which they were started, unless they are
 * `independent`:
 *   these are time-sliced, by some milliseconds, while others wait.  Inside a launch the SMs run in parallel on host
 *   threads.
 * - Host access to device memory (read, write, copy, fill, map) happens immediately and is not ordered with launches:
 * wait
 *   for a launch before reading what it wrote.
 * - A guest fault fails the launch and nothing else: the device, its memory and later launches are unaffected.
 * - Where a function takes `char **message`, it may be NULL; otherwise a failing function stores a text that the caller
 *   frees with free(), or NULL when there is no memory for one; a succeeding one leaves it alone.
 * - A host without memory or threads is CY_ERROR_HOST (CY_ERROR_MEMORY if it lacks device memory): nothing has
 *   changed, and the same call succeeds once there is some again.
 * - Structs are filled with zeros first ({0} or a function named in their comment), so that new fields keep their
 *   default meaning. */
#ifndef CHENGYING_DEVICE_H
#define CHENGYING_DEVICE_H

#include "chengying/api.h"
#include "chengying/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cy_status {
    CY_OK,
    CY_RUNNING,         /* cy_launch_poll: not finished yet */
    CY_ERROR_INVALID,   /* an argument is invalid */
    CY_ERROR_MEMORY,    /* out of device memory */
    CY_ERROR_HOST,      /* the host refused memory, a thread or a file */
    CY_ERROR_IMAGE,     /* the ELF file cannot be used */
    CY_ERROR_RESOURCES, /* a workgroup of the kernel does not fit even in an empty SM */
    CY_ERROR_FAULT,     /* the guest faulted, or the watchdog stopped it */
    CY_ERROR_CANCELLED, /* cy_launch_cancel, or the device was closed */
    CY_ERROR_DIFFERENT, /* cy_cosim_check: the other implementation did something else */
};
CY_API const char *cy_status_text(enum cy_status status); /* a few words; never NULL */

/* ---- the machine's configuration ---- */

enum cy_mask_kind {
    CY_MASK_PACKED, /* v0.t reads bit i of v0's lane 0 element (as hardware) */
    CY_MASK_LANE,   /* v0.t reads bit 0 of lane i's element (as the documents) */
};

enum cy_engine {
    CY_ENGINE_INTERP, /* the interpreter: the reference */
    CY_ENGINE_JIT,    /* kernels are translated to host code before they run, where that is possible */
    CY_ENGINE_AUTO, /* the same for kernels that run for long; the interpreter runs them until the translation is there */
    CY_ENGINE_VERIFY, /* as jit, and then interpreted; what both leave is compared (struct cy_verifier) */
};

struct cy_config {
    uint32_t sms;                   /* streaming multiprocessors; 0: as many as the host has cores */
    uint32_t warps;                 /* warps per SM */
    uint32_t threads;               /* threads (lanes) per warp: 4, 8, 16, 32 or 64 */
    uint32_t sgprs, vgprs;          /* physical registers per SM; a warp takes what its kernel needs, in fours */
    uint32_t lds_bytes;             /* local memory per SM */
    uint32_t workgroups;            /* workgroup slots per SM */
    uint32_t stack_depth;           /* entries of a warp's SIMT stack; 0: twice the threads */
    uint64_t memory_bytes;          /* total size of buffers; 0: limited by the address space only */
    uint64_t watchdog_instructions; /* a launch that retires more instructions faults; 0: no limit */
    uint32_t watchdog_seconds;      /* a launch that runs for longer faults; 0: no limit */
    uint32_t host_threads;          /* host threads that run SMs; 0: as many as the host has cores */
    uint32_t slice_instructions;    /* time slice of a warp, in instructions */
    uint32_t spin_instructions;     /* lanes that wait this long for a path of their warp go on without it, in kernels
                                     * whose work-items may wait for each other; 0: never */
    uint32_t engine_level;          /* of the interpreter, see cy_engine_level_name; 0: the best available */
    uint32_t strip;                 /* for tests: lanes that translated code executes together, where the kernel allows
                                     * it; 0: as many as is fastest */
    enum cy_engine engine;
    uint64_t
        verify_every; /* with CY_ENGINE_VERIFY: of so many launches with translated code one is verified, and the first with
                            * each translation; 0: all */
    uint32_t order; /* in which the interpreter takes workgroups and warps: 0 by their numbers, 1 the reverse, else a
                            * random one with this seed; work-items that may wait for each other: always by their numbers */
    enum cy_mask_kind mask;
    bool guards;        /* an unmapped page around every buffer, so that overruns fault */
    bool deterministic; /* one host thread, SMs round-robin: even races are reproducible */
    bool sir;           /* for tests: translate by the strip IR */
    bool clear_bss; /* .bss is zero at the start of every launch; otherwise a program's variables keep their values */
    bool checking;  /* endprg and barrier under divergence, and warps of one workgroup waiting at different
                           barriers, are faults */
};
/* The defaults: as many SMs as the host has cores, 8 warps, 32 threads. */
CY_API void cy_config_default(struct cy_config *config);
/* A preset by name ("default", "rtl", "rtl32", "manual"); false: no such preset. */
CY_API bool cy_config_preset(struct cy_config *config, const char *name);
CY_API const char *cy_config_preset_name(size_t index); /* NULL after the last */
/* One setting: "sms=4", "lds=64K", "preset=rtl".  docs/machine.md lists the keys. */
CY_API enum cy_status cy_config_set(struct cy_config *config, const char *assignment, char **message);
/* Lines "key = value" with comments from # on; `name` is the file name in messages, which point at the character. */
CY_API enum cy_status cy_config_parse(struct cy_config *config, const char *name, const char *text, size_t size,
                                      char **message);
/* The interpreter is compiled several times, for instruction set extensions of the host's architecture ("sse2", "avx2",
 * "avx512"; "neon"); results do not depend on it.  Levels are numbered from 1, the lowest; NULL: no such level, or this
 * processor does not support it (then no higher one either). */
CY_API const char *cy_engine_level_name(uint32_t level);
/* Checks the values for consistency, as cy_device_open does. */
CY_API enum cy_status cy_config_check(const struct cy_config *config, char **message);

/* ---- devices ---- */

struct cy_device;
CY_API enum cy_status cy_device_open(const struct cy_config *config, struct cy_device **device, char **message);
/* Cancels running launches, waits for them, and frees everything of the device except launches still held (they stay
 * readable). */
CY_API void cy_device_close(struct cy_device *device);

/* What turns guest code into host code, for the engines jit and auto (jit/abi.h): usually the compile server.  Without one the
 * interpreter runs everything.  `translate` returns true and an image, which is freed with free(), or false and the reason in
 * a few words; it may be called from any thread.  `find` does the same if that takes no time, because it was done before;
 * else it returns false and no reason.  `leave` is called at the end of the process, for code that would have been translated
 * had the process gone on: `find` of a later one may know it; it returns false and waits for nothing.  `is_started` says whether
 * `translate` has what it needs, so that calling it soon costs little.  All three may be NULL. */
typedef bool cy_translate_fn(void *context, const void *request, size_t size, void **image, size_t *image_size,
                             char *why, size_t room);
struct cy_translator {
    cy_translate_fn *translate;
    void *context;
    cy_translate_fn *find, *leave;
    bool (*is_started)(void *context);
};
/* Before the first launch. */
CY_API void cy_device_set_translator(struct cy_device *device, const struct cy_translator *translator);

struct cy_capabilities {
    struct cy_config config;     /* with every 0 replaced by its default here */
    uint32_t max_workgroup_size; /* work-items: warps per SM times threads per warp */
    uint64_t memory_bytes;       /* total size of buffers */
    uint64_t memory_used_bytes;
    uint32_t memory_base;      /* lowest buffer address */
    uint64_t far_memory_bytes; /* total size of buffers for kernels of generation 2 */
};
CY_API void cy_device_capabilities(struct cy_device *device, struct cy_capabilities *capabilities);

/* ---- memory ---- */

/* A buffer of whole pages that reads as zero; `align` is 0 or a power of two (at least 4096 is guaranteed). */
CY_API enum cy_status cy_device_alloc(struct cy_device *device, uint64_t size, uint32_t align, uint32_t *address);
/* The same at a given page address from 0x90000000 up. */
CY_API enum cy_status cy_device_alloc_at(struct cy_device *device, uint32_t address, uint64_t size);
/* The same above 4 GiB, where only kernels of generation 2 reach it: the space is sparse, and memory is used where it is
 * touched. */
CY_API enum cy_status cy_device_alloc_far(struct cy_device *device, uint64_t size, uint64_t align, uint64_t *address);
/* One buffer shared by several devices, each at its own address, above 4 GiB where `far` says so (NULL: nowhere): what
 * one writes the others read.  Every device frees its own address; the memory is released with the last. */
CY_API enum cy_status cy_device_alloc_shared(struct cy_device *const *devices, size_t count, const bool *far,
                                             uint64_t size, uint64_t *addresses);
/* Shared virtual memory: the same address on the host and on all these devices, for kernels of generation 2. */
CY_API enum cy_status cy_device_alloc_svm(struct cy_device *const *devices, size_t count, uint64_t size, uint64_t align,
                                          void **pointer);
CY_API void cy_device_free_svm(struct cy_device *const *devices, size_t count, void *pointer);
/* Returns the memory to the host.  `address` is the buffer's first. */
CY_API enum cy_status cy_device_free(struct cy_device *device, uint64_t address);

/* Ranges must be inside one buffer (or, for read, in the image of the program that ran last). */
CY_API enum cy_status cy_device_read(struct cy_device *device, uint64_t address, void *to, uint64_t size);
CY_API enum cy_status cy_device_write(struct cy_device *device, uint64_t address, const void *from, uint64_t size);
CY_API enum cy_status cy_device_copy(struct cy_device *device, uint64_t to, uint64_t from,
                                     uint64_t size); /* may overlap */
/* Repeats a pattern of 1 to 128 bytes; `size` is a multiple of it. */
CY_API enum cy_status cy_device_fill(struct cy_device *device, uint64_t address, const void *pattern,
                                     size_t pattern_size, uint64_t size);
/* The host's view of a range of a buffer: the same memory, valid until the buffer is freed.  NULL: no such range. */
CY_API void *cy_device_map(struct cy_device *device, uint64_t address, uint64_t size);

/* ---- address spaces: SV39 page tables, for guests that run with translation ---- */

enum cy_space_rights { CY_SPACE_READ = 1, CY_SPACE_WRITE = 2, CY_SPACE_EXECUTE = 4 };
struct cy_space;
CY_API enum cy_status cy_space_create(struct cy_device *device, struct cy_space **space);
/* Maps a page range, with 1 GiB and 2 MiB pages where alignment allows.  All arguments are multiples of 4096. */
CY_API enum cy_status cy_space_map(struct cy_space *space, uint64_t virtual_address, uint64_t address, uint64_t size,
                                   unsigned rights);
CY_API enum cy_status cy_space_unmap(struct cy_space *space, uint64_t virtual_address,
                                     uint64_t size); /* large pages are split */
/* Writes a page-table entry as it is, on level 0 (4 KiB), 1 (2 MiB) or 2 (1 GiB): for tests of translation. */
CY_API enum cy_status cy_space_set_entry(struct cy_space *space, uint64_t virtual_address, unsigned level,
                                         uint64_t entry);
CY_API uint64_t cy_space_root(const struct cy_space *space); /* PTBR */
CY_API void cy_space_destroy(struct cy_space *space);        /* call it before its device is closed, after its launches
                                                              * have ended */

/* ---- programs ---- */

struct cy_program;
/* An executable by the Ventus ABI.  The bytes are copied.  `name` is used in messages. */
CY_API enum cy_status cy_program_load(struct cy_device *device, const char *name, const void *elf, size_t size,
                                      struct cy_program **program, char **message);
CY_API void cy_program_release(struct cy_program *program); /* launches that use it keep a reference */

/* Strings and arguments are valid as long as the program. */
CY_API size_t cy_program_kernel_count(const struct cy_program *program);
CY_API bool cy_program_kernel(const struct cy_program *program, size_t index, struct cy_kernel_info *info);
CY_API bool cy_program_find_kernel(const struct cy_program *program, const char *name, struct cy_kernel_info *info);
/* The address of a symbol; false: no such symbol. */
CY_API bool cy_program_symbol(const struct cy_program *program, const char *name, uint32_t *address);
/* Its code: the address of the first word, and how many places counts of its instructions need per SM. */
CY_API uint32_t cy_program_code_base(const struct cy_program *program);
CY_API size_t cy_program_count_words(const struct cy_program *program);
/* May counting all of a kernel's instructions (struct cy_launch_desc) take more than half as long again as running it?  By its branches. */
CY_API bool cy_program_is_slow_to_count(const struct cy_program *program, const char *kernel);
/* The size of its writable variables. */
CY_API uint64_t cy_program_variable_bytes(const struct cy_program *program);

/* ---- arguments ---- */

/* The packed argument buffer: one call per kernel argument, in order. */
struct cy_arguments;
CY_API struct cy_arguments *cy_arguments_create(void); /* NULL: the host is out of memory */
CY_API void cy_arguments_destroy(struct cy_arguments *arguments);
CY_API void cy_arguments_clear(struct cy_arguments *arguments);
/* Bytes of the pointers that follow: 4, as in generation 1, or 8, as in kernels compiled for generation 2. */
CY_API void cy_arguments_set_pointer_bytes(struct cy_arguments *arguments, unsigned bytes);
CY_API void cy_arguments_pointer(struct cy_arguments *arguments, uint64_t address);
/* A scalar or vector, aligned to max(4, its size rounded up to a power of two). */
CY_API void cy_arguments_value(struct cy_arguments *arguments, const void *value, size_t size);
/* The same with an explicit alignment (structs). */
CY_API void cy_arguments_aligned(struct cy_arguments *arguments, const void *value, size_t size, size_t align);
/* A __local pointer to `size` bytes: every workgroup gets the address inside its own local memory. */
CY_API void cy_arguments_local(struct cy_arguments *arguments, uint32_t size);
CY_API size_t cy_arguments_size(const struct cy_arguments *arguments); /* bytes so far */
/* False: memory ran out for one of them, and a launch with them would fail with CY_ERROR_HOST. */
CY_API bool cy_arguments_complete(const struct cy_arguments *arguments);

/* ---- observers ---- */

/* The subject of an event; valid only during the call. */
struct cy_simt_entry { /* of a warp's SIMT stack: lanes that wait, and where they continue */
    uint32_t rpc, pc;
    uint64_t mask;
};
struct cy_event {
    uint32_t sm;
    uint32_t workgroup[3];
    uint32_t warp;         /* in its workgroup */
    uint32_t number;       /* of the warp in the launch, in dispatch order */
    uint32_t lanes;        /* threads per warp */
    uint32_t pc;           /* of the instruction, after its prefix */
    uint32_t word, prefix; /* 0: no prefix */
    const char *mnemonic;  /* never NULL */
    const char *unit;      /* the class of the instruction: "salu", "valu", "lsu" ... */
    uint64_t active;       /* active lanes */
    const uint32_t *x;     /* the warp's 64 sGPRs */
    const uint32_t *v;     /* its vGPRs: v[number * lanes + lane] */
    uint32_t rpc;          /* its reconvergence point */
    uint32_t depth;        /* entries of its SIMT stack, the innermost last */
    const struct cy_simt_entry *stack;
    const uint32_t *ahead; /* with wants_addresses: those that its lanes will access, or NULL, */
    uint32_t ahead_count;  /* and how many: one for a scalar instruction */
};
struct cy_memory_event {
    bool read, write;        /* both: atomic */
    uint32_t size;           /* bytes per lane */
    uint64_t lanes;          /* lanes that access memory; bit 0 for scalar instructions */
    const uint64_t *address; /* by lane */
    const uint32_t *value;   /* by lane: what was loaded or stored */
};
/* The machine and the NDRange of a launch, as they are when it begins. */
struct cy_launch_shape {
    uint32_t sms, warps, threads; /* SMs, warp slots of each, threads per warp */
    uint32_t host_sms;            /* `sm` of an event is below this */
    uint32_t grid[3];             /* workgroups */
    uint32_t group_warps;         /* warps of a whole workgroup */
    uint32_t resident_groups;     /* workgroups that an SM holds at a time */
};
struct cy_fault_info;
/* Functions that are NULL are not called; without an observer there is no cost.  They are called on the threads that
 * run SMs, concurrently for different SMs (`sm` tells them apart), unless the device is deterministic.  They must not
 * call the device. */
struct cy_observers {
    void *context;
    bool
        wants_addresses; /* and no values: `before` has the addresses of most accesses, faster; `memory` only gets the rest */
    void (*launch)(void *context, const struct cy_launch_shape *shape); /* once, before anything else */
    void (*before)(void *context, const struct cy_event *event);        /* registers as they were */
    void (*retired)(void *context, const struct cy_event *event);       /* with the register values afterwards */
    /* With wants_addresses and without `retired`, instead of `before` and after it was executed: an instruction whose operands do not
     * matter.  The event says where, which, and with which lanes; no registers.  One that accesses memory, divides, or branches to the
     * next instruction gets `before`.  NULL: all get it. */
    void (*ran)(void *context, const struct cy_event *event);
    void (*memory)(void *context, const struct cy_event *event, const struct cy_memory_event *access);
    void (*branch)(void *context, const struct cy_event *event, uint64_t taken); /* vector branches */
    void (*barrier)(void *context, const struct cy_event *event);
    void (*workgroup_start)(void *context, uint32_t sm, const uint32_t workgroup[3]);
    void (*workgroup_end)(void *context, uint32_t sm, const uint32_t workgroup[3]);
    void (*fault)(void *context, const struct cy_fault_info *fault);
    /* Asked at the start of a workgroup and now and then while it runs.  True: the instructions that are left of it are not observed,
     * and run as fast as without observers; `passed` is called before its workgroup_end, with all instructions that it executed. */
    bool (*passes)(void *context, const uint32_t workgroup[3]);
    void (*passed)(void *context, const uint32_t workgroup[3], uint64_t instructions);
};

/* ---- launches ---- */

struct cy_launch;
struct cy_observer;   /* of the engine: gpu/engine/engine.h, for tools inside the tree */
struct cy_controller; /* a debugger: gpu/device/machine.h, likewise */

/* What the warps did at one instruction. */
struct cy_insn_counts {
    uint64_t issued;     /* by warps */
    uint64_t idle_lanes; /* vector instructions: inactive lanes, out of `issued` times the threads of a warp */
    uint64_t divergent;  /* vector branches: how often the warp split */
    /* memory instructions; lines have CY_COUNT_LINE bytes and are counted once per access.  In large launches only some
     * workgroups are looked at, and the sums are those of `looked` issues, in proportion to all. */
    uint64_t looked, accesses, access_lanes, lines;
    /* local memory of CY_COUNT_BANKS banks of one word: an access takes as many passes as the busiest bank has words */
    uint64_t local_accesses, local_lanes, local_passes;
};
enum { CY_COUNT_LINE = 128, CY_COUNT_BANKS = 32 };
/* Adds the counts of all SMs to `sums`, by word of the code: sums[(pc - base) / 4], where pc is that of the prefix, if an
 * instruction has one (its other word counts too, and does not matter), and idle_lanes those of vector instructions. */
CY_API void cy_insn_counts_sum(const struct cy_insn_counts *raw, uint32_t sms, size_t words,
                               struct cy_insn_counts *sums);

struct cy_launch_desc {
    struct cy_program *program;
    const char *kernel;
    const struct cy_arguments *arguments; /* copied; NULL: none */

    /* The NDRange in work-items.  local 0: chosen by the driver.  The global size need not be a multiple of the local
     * size: the last workgroups are then smaller, and the surplus lanes of their warps stay inactive. */
    uint32_t dimensions; /* 1 to 3; 0: 1 */
    uint32_t global[3], local[3], offset[3];
    uint32_t global_high[3], offset_high[3]; /* kernels of generation 2: the high words */

    uint32_t lds_bytes;        /* local memory on top of the kernel's own and its __local arguments */
    uint32_t stack_bytes;      /* sGPR stack per warp; 0: 1024 */
    const uint32_t *pds_bytes; /* private memory per thread, overriding the kernel's record; NULL: as in the record */

    /* printf: a buffer of this size per warp (0: 64 KiB if the program has formats, else none).  `print` receives whole
     * texts, in order for each warp, one call at a time; `dropped` counts records that did not fit. */
    uint32_t print_bytes;
    void (*print)(void *context, const char *text, size_t size);
    void *print_context;

    struct cy_space *space; /* the launch runs with these page tables; the driver maps its own ranges into them, but for
                             * the entries that the program has set */
    uint64_t ptbr;          /* or: the caller's own page tables, which must map everything */
    uint32_t gds;           /* generation 2: CSR gds, the base that pre_m_global adds */
    bool scalar_atomics;    /* AMO, LR and SC operate on x registers, for old binaries */
    bool count_lanes;       /* fill in `lanes` in struct cy_counters: about a third slower */
    /* What the warps do is added here: cy_program_count_words(program) elements for each SM, in a form that cy_insn_counts_sum
     * reads.  At most half as slow again, where observers cost several times.  NULL: not counted. */
    struct cy_insn_counts *insn_counts;
    /* NULL: every workgroup is counted.  Else only some are, which stand for all, and most of these are added here instead: of a
     * kernel's first launch those at its start, and of the rest one in up to 32 (all if there are fewer than 128), of later ones one
     * in 32.  For kernels that cy_program_is_slow_to_count. */
    struct cy_insn_counts *insn_counts_sampled;
    uint64_t insn_counts_before; /* launches that have been counted there: decides which workgroups are looked at */
    bool independent;            /* may run concurrently with other such launches, and overtake them */
    const struct cy_observers *observers; /* copied; NULL: none */
    const struct cy_observer *engine_observer;
    const struct cy_controller *controller; /* decides which warp runs; NULL: the machine does */

    void (*done)(void *context, struct cy_launch *launch); /* called once, at the end, on the thread that ran it */
    void *done_context;
};

/* Checks everything that can be checked now, queues the launch and returns. */
CY_API enum cy_status cy_launch_start(struct cy_device *device, const struct cy_launch_desc *desc,
                                      struct cy_launch **launch, char **message);
/* The same, waits for the end, and returns what cy_launch_wait would: CY_ERROR_FAULT if the kernel faulted.  `launch` is
 * NULL if it could not be started, and must be released in every other case, failed or not.  The calling thread runs an
 * idle device itself: no other thread has to wake up for a short launch. */
CY_API enum cy_status cy_launch_run(struct cy_device *device, const struct cy_launch_desc *desc,
                                    struct cy_launch **launch, char **message);
/* The same without waiting.  CY_RUNNING: the launch was queued or must share the device; only then is `done` called, on
 * another thread and perhaps already, and only there is the launch available, which must be released.  Otherwise the
 * calling thread has run it to its end with this status, or it could not be started (`launch` is NULL). */
CY_API enum cy_status cy_launch_try(struct cy_device *device, const struct cy_launch_desc *desc,
                                    struct cy_launch **launch, char **message);
CY_API enum cy_status cy_launch_poll(struct cy_launch *launch); /* CY_RUNNING while it is queued or running */
CY_API enum cy_status cy_launch_wait(struct cy_launch *launch);
CY_API void
cy_launch_cancel(struct cy_launch *launch); /* takes effect within a time slice; wait still has to be called */
CY_API void cy_launch_release(struct cy_launch *launch); /* a running launch continues */

/* After the end: why it failed, whole lines; "" if it did not.  Valid as long as the launch. */
CY_API const char *cy_launch_message(const struct cy_launch *launch);

struct cy_fault_info {
    const char *kind; /* "UNMAPPED", "STACK_OVERFLOW" ...: the names in src/gpu/engine/faults.def */
    const char *text; /* its description */
    const char *kernel;
    const char *symbol; /* "" when no symbol covers the pc */
    uint32_t offset;    /* pc - symbol */
    const char *file;   /* the source, if the program has a line table, else "" and line 0 */
    uint32_t line;
    uint32_t pc, word, prefix;
    const char *instruction; /* disassembled */
    uint32_t workgroup[3], warp;
    int32_t lane;       /* -1: the warp as a whole */
    uint64_t address;   /* of a memory fault */
    const char *report; /* all of the above and the registers involved, several lines */
};
/* NULL if the launch did not fault.  Valid as long as the launch. */
CY_API const struct cy_fault_info *cy_launch_fault(const struct cy_launch *launch);

/* Lane utilisation of the warps that have ended, if the launch counts it. */
struct cy_lane_counters {
    uint64_t vectors;  /* vector instructions */
    uint64_t partial;  /* of these, with some lanes inactive */
    uint64_t active;   /* active lanes in them, out of `vectors` times the threads of a warp */
    uint64_t branches; /* vector branches */
    uint64_t splits;   /* of these, divergent */
};

struct cy_counters {
    uint64_t instructions; /* retired by all warps; a prefix and its instruction count as one */
    uint64_t workgroups, workgroups_total;
    uint64_t warps, work_items;
    uint64_t barriers; /* workgroup barriers released */
    uint64_t splits;   /* how often lanes went on by themselves because others span (spin_instructions) */
    uint64_t prints, prints_dropped;
    double seconds; /* for which it has had the device so far */
    struct cy_lane_counters lanes;
    /* occupancy: what an SM holds when it is full of this kernel, and the limiting resource */
    enum cy_engine engine; /* that was asked for */
    bool translated;       /* it ran as translated code from the start, */
    uint64_t work_items_translated;
    uint64_t instructions_translated;                /* if the launch counts lanes */
    uint64_t workgroups_counted, workgroups_sampled; /* added to insn_counts, and to insn_counts_sampled */
    const char *interpreted;    /* instructions of translated code that the interpreter executes; "": none */
    const char *not_translated; /* or not, because of this */
    const char *engine_level;   /* the level it runs at, see cy_engine_level_name */
    uint32_t resident_workgroups, resident_warps; /* per SM */
    uint32_t most_workgroups, most_warps;         /* actually resident on one SM at a time */
    const char
        *limited_by; /* "warps", "workgroup slots", "local memory", "sGPRs", "vGPRs", "grid" or "private memory" */
};
/* May be called while it runs: the counters are at most a time slice old. */
CY_API void cy_launch_counters(struct cy_launch *launch, struct cy_counters *counters);

/* ---- verification: CY_ENGINE_VERIFY ----
 *
 * A launch that is verified runs translated and interpreted, each on a copy-on-write view of memory.  Afterwards memory has what the
 * interpreter gave.  If both differ, the interpreter runs again in other orders of workgroups and warps: what changes with them
 * depends on the program, not on the engine. */

enum cy_difference_kind {
    CY_DIFFERENT_NOTHING,
    CY_DIFFERENT_WORDS,  /* in memory */
    CY_DIFFERENT_TEXT,   /* printed */
    CY_DIFFERENT_END,    /* one run faulted, or both with different kinds of faults */
    CY_DIFFERENT_COUNTS, /* counters of instructions */
};
struct cy_difference {
    enum cy_difference_kind kind;
    const char *kernel;
    uint64_t launch;       /* its number among those of the device that ran translated code, from 1 */
    const char *level;     /* of the translated code, and */
    uint32_t strip;        /* lanes that it computes together */
    bool depends_on_order; /* of the work-items: the interpreter's own results differ, or the verifier knows a race */
    /* words: how many differ; the first of them, its values, and the buffer that it is in (0: it is in none) */
    uint64_t words, address, buffer, buffer_bytes;
    uint32_t translated, interpreted;
    bool is_written; /* by the interpreter: last by this work-item, at this place */
    uint64_t item[3];
    uint32_t pc, line; /* line 0: not known */
    const char *file;
    const char *texts[2];     /* of the translated code, of the interpreter: what was printed; how the run ended */
    uint64_t instructions[2]; /* counted */
};
/* Functions are called on the thread that runs the launch, and must not start others on its device.  NULL: not called. */
struct cy_verifier {
    void *context;
    /* A launch differs, for a reason that no order of the interpreter explains: an observer for one more run of it (NULL: none), and
     * after that run, whether the verifier knows a race. */
    const struct cy_observer *(*watch)(void *context, struct cy_launch *launch);
    bool (*watched)(void *context, struct cy_launch *launch, const struct cy_difference *difference);
    /* Everything that is known of the difference.  The device's memory is as it was before the launch. */
    void (*differs)(void *context, struct cy_launch *launch, const struct cy_difference *difference);
};
/* Before the first launch. */
CY_API void cy_device_set_verifier(struct cy_device *device, const struct cy_verifier *verifier);
struct cy_verified {      /* launches so far */
    uint64_t verified;    /* compared, */
    uint64_t different;   /* of which these differed, */
    uint64_t ordered;     /* and these depend on the order of their work-items */
    uint64_t skipped;     /* ran translated only */
    uint64_t unfit;       /* could not be compared: cancelled, stopped by the watchdog, no memory */
    uint64_t interpreted; /* ran interpreted only */
};
CY_API void cy_device_verified(struct cy_device *device, struct cy_verified *verified);

#ifdef __cplusplus
}
#endif

#endif
