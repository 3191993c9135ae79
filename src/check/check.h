/* Finds what a wrong kernel does wrong: accesses outside of what they may touch, races, barriers that not everybody
 * reaches, values that nobody wrote.  An observer of launches (engine.h): nothing costs anything when it is off.
 *
 *     struct cy_check *check = cy_check_create(&options);
 *     cy_check_allocated(check, machine, address, size);            // what the host allocated, and
 *     cy_check_written(check, machine, address, size, true);        // what it wrote
 *     struct cy_check_launch *launch = cy_check_begin(check, &info);
 *     desc.engine_observer = cy_check_observer(launch);
 *     ... run it on a deterministic device ...
 *     cy_check_end(launch);
 *     cy_check_finish(check);                                       // the summary
 *
 * Reports are printed as they occur.  Launches under one checker run one after the other. */
#ifndef CY_CHECK_CHECK_H
#define CY_CHECK_CHECK_H

#include "base/mem.h"
#include "chengying/device.h"

enum cy_check_tool {
    CY_CHECK_MEMORY = 1,
    CY_CHECK_INIT = 2,
    CY_CHECK_RACE = 4,
    CY_CHECK_SYNC = 8,
    CY_CHECK_API = 16,
    CY_CHECK_ALL = 31,
};

struct cy_check_options {
    unsigned tools;           /* set of enum cy_check_tool; 0: all */
    unsigned max_reports;     /* of each kind in full, the rest is counted; 0: 10 */
    bool no_same_value;       /* no notes about races in which both wrote the same value */
    const char *log;          /* a file to which each report is appended as a line of JSON; NULL: none */
    bool sarif;               /* the lines are results of SARIF */
    bool quiet;               /* nothing is printed on standard error */
    bool stop;                /* a launch ends at its first report, with a fault: for a debugger */
    const char *suppressions; /* text of a suppressions file, or NULL */
    /* Told of every race of different values, reported or only counted: which bytes it is about.  NULL: nobody is. */
    void (*raced)(void *context, bool is_local, uint64_t address, unsigned size);
    void *context;
};

/* "memory,race": false: `bad` is the word that is no tool. */
bool cy_check_parse_tools(const char *text, unsigned *tools, const char **bad, size_t *bad_length);
/* Kinds of reports, numbered from 0; false: there are no more. */
bool cy_check_kind(unsigned number, const char **id, const char **title, bool *is_note);
/* What the environment asks for (CHENGYING_CHECK ...); false: nothing. */
bool cy_check_from_environment(struct cy_check_options *options);

struct cy_check;
struct cy_check *cy_check_create(const struct cy_check_options *options); /* NULL: no memory */
unsigned cy_check_tools(const struct cy_check *check);
/* Prints the summary; `found`: reports that count, without notes. */
void cy_check_finish(struct cy_check *check, uint64_t *found);
void cy_check_destroy(struct cy_check *check);

/* ---- what the host does.  `machine` names the device, whose addresses these are. ---- */

enum cy_check_rights { CY_CHECK_READ = 1, CY_CHECK_WRITE = 2 };
void cy_check_allocated(struct cy_check *check, const void *machine, uint64_t address, uint64_t size);
void cy_check_freed(struct cy_check *check, const void *machine, uint64_t address);
/* The host wrote these bytes, or wrote what is undefined (the contents of a new buffer). */
void cy_check_written(struct cy_check *check, const void *machine, uint64_t address, uint64_t size, bool defined);
void cy_check_copied(struct cy_check *check, const void *machine, uint64_t to, uint64_t from, uint64_t size);
/* Are all of them defined? */
bool cy_check_is_defined(struct cy_check *check, const void *machine, uint64_t address, uint64_t size);
/* A finding of the host's side, tool api. */
void cy_check_api(struct cy_check *check, const char *kind, const char *format, ...) CY_PRINTF(3, 4);

void cy_check_leak(struct cy_check *check, const char *objects, unsigned count); /* never released */

/* ---- launches ---- */

struct cy_check_argument {
    const char *name;   /* "" or NULL: not known */
    unsigned parameter; /* of the kernel, from 0 */
    bool is_buffer, is_local;
    bool is_shared; /* no argument, but shared virtual memory, which pointers can lead to */
    uint64_t address;
    uint64_t size;   /* of the buffer as the kernel sees it, or of the local memory */
    unsigned rights; /* of a buffer */
    unsigned mapped; /* what a kernel must not do while the host has it mapped: a set of enum cy_check_rights */
};
struct cy_check_info {
    const void *machine;
    const char *program; /* its name in reports */
    const char *source;  /* its text if that is not in a file; NULL: read the file */
    const void *elf;     /* stays valid until the launch ends */
    size_t elf_size;
    const char *kernel;
    uint32_t lds_bytes;      /* its local variables */
    uint32_t argument_bytes; /* its packed arguments */
    bool may_spin;           /* its work-items may wait for each other: atomic operations then order accesses */
    const struct cy_check_argument *arguments;
    size_t argument_count;
};
struct cy_check_launch;
struct cy_check_launch *cy_check_begin(struct cy_check *check, const struct cy_check_info *info); /* NULL: no memory */
const struct cy_observer *cy_check_observer(struct cy_check_launch *launch);
/* Before the end: from where to where the launch has read, or written, what is inside these bytes; tool memory only. */
struct cy_check_touch {
    uint64_t low, high; /* low >= high: nothing */
};
void cy_check_touched(struct cy_check_launch *launch, uint64_t address, uint64_t size, bool write,
                      struct cy_check_touch *touch);
/* Which of these bytes exactly, in ascending order; one that it has written counts as read only if it was read by somebody
 * else.  False: it is not known, without tool race. */
bool cy_check_runs(struct cy_check_launch *launch, const struct cy_check_touch *touch, bool write,
                   void (*see)(void *context, uint64_t low, uint64_t high), void *context);
void cy_check_end(struct cy_check_launch *launch);

#endif
