/* What a viewer shows of a run: every warp instruction with its cycle, active lanes, SIMT stack, addresses and stalls, next to the
 * source and the disassembly.
 *
 *   write.c      records launches into a trace file, while they run
 *   program.c    the source and the disassembly of a program
 *   read.c       checks a trace file, and walks its records
 *   page.c       turns a trace file into one HTML page, which page/ is the source of
 *
 * docs/view.md describes the file. */
#ifndef CY_VIEW_VIEW_H
#define CY_VIEW_VIEW_H

#include <stdio.h>

#include "base/diag.h"
#include "chengying/device.h"
#include "chengying/timing.h"

#define CY_VIEW_LIMIT 20000000 /* warp instructions of a trace, unless told otherwise */

/* ---- writing; one thread at a time, or with the writer's lock: every function takes it ---- */

struct cy_view_writer;
/* Writes to `file`, which stays the caller's.  NULL: no memory. */
struct cy_view_writer *cy_view_open(FILE *file, const struct cy_config *config, const struct cy_timing_config *timing,
                                    uint64_t limit);
/* Writes the rest.  False: something could not be written (errno says why, 0: no memory), and the file is of no use. */
bool cy_view_close(struct cy_view_writer *writer);

struct cy_view_buffer { /* what an address belongs to */
    const char *name;
    uint64_t address, size;
};
struct cy_view_info {
    const void *key;  /* tells programs apart; the same one must not be reused for another */
    const char *name; /* of the program: its file */
    const void *elf;
    size_t elf_size;
    const char *source; /* text of a source that is in no file; NULL: there is none */
    const char *kernel;
    uint32_t global[3], local[3]; /* local 0: unknown */
    const struct cy_view_buffer *buffers;
    size_t buffer_count;
};
/* Is the program with this key in the trace already?  If not, whoever owns it must keep its address from being reused. */
bool cy_view_knows(const struct cy_view_writer *writer, const void *key);
struct cy_view_launch;
/* NULL: no memory, and the writer knows. */
struct cy_view_launch *cy_view_begin(struct cy_view_writer *writer, const struct cy_view_info *info);
/* For the launch; `also` gets every event too, afterwards: the cycle model must not be ahead. */
struct cy_observers cy_view_observers(struct cy_view_launch *launch, const struct cy_observers *also);
/* For cy_timing_profile; `also` gets every event too. */
struct cy_timing_events cy_view_events(struct cy_view_launch *launch, const struct cy_timing_events *also);
/* It has ended, with `message` if it failed; cycles UINT64_MAX: unknown. */
void cy_view_end(struct cy_view_launch *launch, uint64_t cycles, const char *message);
/* Instructions that were left out because of the limit. */
uint64_t cy_view_left_out(const struct cy_view_writer *writer);

/* ---- reading ---- */

struct cy_view_access {
    bool read, write;
    uint32_t size; /* bytes per lane */
    uint64_t lanes;
    uint64_t address[64]; /* by lane */
};
struct cy_view_insn {
    uint32_t launch, warp, sm; /* sm: of the host's machine */
    uint64_t group, ordinal;
    uint32_t pc, size, rpc;
    uint64_t active;
    uint32_t depth;
    const struct cy_simt_entry *stack;
    uint32_t access_count; /* the last one is in `access` if there are several */
    struct cy_view_access access;
};
struct cy_view_stretch {
    uint32_t launch, warp, sm, slot;
    uint64_t group, begin, end;
    uint64_t ordinal;
    enum cy_stall stall;
};
/* Functions may be NULL. */
struct cy_view_visitor {
    void *context;
    void (*json)(void *context, const char *type, const char *text, size_t size); /* MACH, PROG, LNCH, DONE, END */
    void (*insn)(void *context, const struct cy_view_insn *insn);
    void (*stretch)(void *context, const struct cy_view_stretch *stretch);
};
struct cy_view_summary {
    uint64_t launches, warps, instructions, left_out;
};
/* Reads and checks a whole trace.  False: it is damaged, truncated or of another version, and diags say where.  In a scope. */
bool cy_view_read(const char *name, const void *bytes, size_t size, const struct cy_view_visitor *visitor,
                  struct cy_view_summary *summary, struct cy_diags *diags);

/* What a trace holds that was not written to its end, as a trace with an end.  False: there is no launch in it.  In a scope. */
bool cy_view_salvage(const void *bytes, size_t size, struct cy_buf *out);

/* The page of a trace that cy_view_read has accepted.  False: see errno.  In a scope. */
bool cy_view_page(const char *title, const void *trace, size_t size, FILE *out);

#endif
