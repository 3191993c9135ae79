/* Files that `cy epic` can load: command streams, objects and executables, sources. */
#ifndef CY_TOOLS_EPIC_PROGRAM_H
#define CY_TOOLS_EPIC_PROGRAM_H

#include "base/diag.h"
#include "chengying/epic.h"

struct epic_program {
    const char *file;
    bool is_stream; /* the words themselves name the slots */
    unsigned slot;
    uint32_t word_address;
    CY_VEC(uint32_t) code; /* or the stream */
    CY_VEC(struct cy_epic_line) lines;
    CY_VEC(struct epic_data) data; /* sections that go into data memory */
};
struct epic_data {
    uint32_t address;
    struct cy_buf bytes;
};

struct epic_load_options {
    const char *march;          /* "epic" or "epic-fpga" */
    uint32_t data_address;      /* address of the first non-code section */
    const char *const *defines; /* -D of sources */
    size_t define_count;
};

/* Reads a file for this slot and address (unless it is a stream).  False: the messages are in `diags` or on standard
 * error. */
bool epic_program_read(struct epic_program *program, const char *path, unsigned slot, uint32_t word_address,
                       const struct epic_load_options *options, struct cy_diags *diags);
void epic_program_free(struct epic_program *program);

#endif
