/* The debugger's parts:
 *
 *     link.c      packets                         serve.c     GDB's requests while the machine stands still
 *     control.c   running warps until a stop      inspect.c   work-items, their registers and memory
 *     points.c    breakpoints and watchpoints     agent.c     their conditions, in GDB's bytecode
 *     describe.c  the machine in XML              monitor.c   the `monitor` commands
 *     open.c      connections, opening, closing   widen.c     64-bit programs for GDB
 *
 * All of it runs on the thread that runs the launch. */
#ifndef CY_DEBUG_DEBUG_PRIV_H
#define CY_DEBUG_DEBUG_PRIV_H

#include "debug/debug.h"
#include "debug/link.h"
#include "gpu/device/machine.h"

/* ---- what GDB sees ---- */

/* A work-item on the machine. */
struct debug_item {
    struct cy_warp_slot *slot; /* NULL: none */
    unsigned lane;
};

/* Registers by GDB's numbers. */
enum {
    DEBUG_X = 0,
    DEBUG_PC = 32,
    DEBUG_X32 = 33,
    DEBUG_V = 65,
    DEBUG_CSR = DEBUG_V + CY_VGPRS,
};

struct debug_condition {
    uint8_t *code; /* NULL: always true */
    size_t size;
};
struct debug_break {
    uint32_t address;
    CY_VEC(struct debug_condition) conditions; /* none: unconditional */
};
struct debug_watch {
    uint64_t address;
    uint32_t size;
    uint8_t access;  /* CY_READ, CY_WRITE */
    char kind;       /* as in GDB's packet: '2' write, '3' read, '4' both */
    uint64_t thread; /* private memory is this work-item's; 0: not private */
};

/* ---- stops ---- */

enum debug_reason { STOP_NONE, STOP_SIGNAL, STOP_BREAK, STOP_WATCH, STOP_LIBRARY };
struct debug_stop {
    enum debug_reason reason;
    unsigned signal;
    uint64_t thread;
    uint64_t address; /* STOP_WATCH */
    char kind;
};

/* How GDB wants to go on. */
struct debug_resume {
    uint64_t thread;     /* that steps or runs; 0: all run */
    bool steps, others;  /* one instruction of `thread`; may others run meanwhile? */
    uint32_t start, end; /* steps while its pc is in here */
};

struct cy_debugger {
    struct cy_controller controller;
    pthread_mutex_t turn; /* one launch at a time */
    struct debug_link link;
    char *path; /* of the socket, to be removed */
    bool met;   /* GDB has been connected once: later launches do not wait for it */
    bool killed;
    bool has_swbreak;
    unsigned programs;          /* seen so far */
    struct cy_program *program; /* the last one, held */
    bool is_open;               /* GDB has it open */
    bool is_wide;               /* GDB sees a machine of 64 bits: the first program was for generation 2 */
    struct cy_buf wide_file;    /* the program as such a machine's */

    struct cy_launch *launch; /* NULL: none */
    uint64_t first_thread;    /* of its work-items */
    uint64_t general;         /* thread whose registers and memory GDB asks for */
    struct debug_stop stop;
    struct debug_resume resume;
    CY_VEC(struct debug_break) breaks;
    CY_VEC(struct debug_watch) watches;
    uint8_t *marked; /* by code word: there is a breakpoint */
    uint32_t marked_words;

    /* the breakpoint that was reported last, for lanes that GDB has not heard of */
    const struct cy_warp_slot *hit_slot;
    uint64_t hit_retired, hit_lanes;
    uint64_t shadows;  /* lanes that GDB believes to have stepped off it */
    bool is_presented; /* GDB has shown the stop to its user */

    /* After a watchpoint the warp is shown before the instruction that touched it: GDB expects that on RISC-V, and then steps
     * over the instruction, which has in fact been executed. */
    const struct cy_warp_slot *late_slot;
    uint64_t late_retired;
    uint32_t late_pc;

    struct cy_observer watcher; /* while there are watchpoints */
    const struct cy_observer *other;
    struct debug_stop touched; /* by the instruction that runs */

    struct cy_buf reply, text; /* of the request; what a transfer consists of */
    char transfer[80];         /* which transfer `text` is */
};

/* inspect.c */
bool debug_find(const struct cy_debugger *debugger, uint64_t thread, struct debug_item *item);
/* The work-items in order: the first has `item` zero; false: no more. */
bool debug_next(const struct cy_debugger *debugger, struct debug_item *item);
uint64_t debug_thread(const struct cy_debugger *debugger, const struct cy_warp_slot *slot, unsigned lane);
bool debug_is_active(const struct debug_item *item);
uint32_t debug_pc(const struct cy_debugger *debugger, const struct debug_item *item);
/* "active", "masked: waits at the join" ... */
const char *debug_state(const struct debug_item *item);
void debug_put_name(struct cy_buf *out, const struct cy_debugger *debugger, const struct debug_item *item);
unsigned debug_register_count(void);
const char *debug_csr_name(unsigned index); /* NULL after the last */
uint32_t debug_read_register(const struct cy_debugger *debugger, const struct debug_item *item, unsigned number);
bool debug_write_register(struct debug_item *item, unsigned number, uint32_t value);
/* Reads or writes as much as is mapped, and returns how much. */
size_t debug_read_memory(const struct cy_debugger *debugger, uint64_t thread, uint64_t address, void *to, size_t size);
size_t debug_write_memory(struct cy_debugger *debugger, uint64_t thread, uint64_t address, const void *from,
                          size_t size);
/* Where a byte of private memory is; false: there is none. */
bool debug_private_address(const struct debug_item *item, uint64_t address, uint64_t *physical);

/* points.c: a request `Z` or `z`; the reply is in the debugger. */
void debug_point_request(struct cy_debugger *debugger, const char *packet);
void debug_clear_points(struct cy_debugger *debugger);
/* A launch has begun: its code may be another one's. */
void debug_mark_begin(struct cy_debugger *debugger);
/* Lanes of a warp for which a breakpoint is due before the instruction at its pc. */
uint64_t debug_lanes_at_break(struct cy_debugger *debugger, struct cy_warp_slot *slot);
void debug_watch_begin(struct cy_debugger *debugger); /* sets or removes the launch's observer */

/* agent.c: is the condition true?  A faulty one is. */
bool debug_evaluate(const struct cy_debugger *debugger, const struct debug_item *item, const uint8_t *code,
                    size_t size);

/* control.c */
void debug_control(void *context, struct cy_launch *launch);

/* serve.c: answers requests until GDB resumes the program, leaves, or kills it. */
void debug_serve(struct cy_debugger *debugger);
void debug_report_stop(struct cy_debugger *debugger);

/* describe.c */
void debug_describe_target(bool is_wide, struct cy_buf *out);
void debug_describe_threads(const struct cy_debugger *debugger, struct cy_buf *out);
void debug_describe_libraries(const struct cy_debugger *debugger, struct cy_buf *out);
void debug_program_name(const struct cy_debugger *debugger, struct cy_buf *out);

/* widen.c: the ELF32 file as ELF64; false: it is damaged. */
bool debug_widen(const void *file, size_t size, struct cy_buf *out);

/* monitor.c */
void debug_monitor(struct cy_debugger *debugger, const char *command, struct cy_buf *out);

/* Hexadecimal digits; `at` moves over them.  False: there are none, or the number is too large. */
bool debug_parse_hex(const char **at, uint64_t *value);

#endif
