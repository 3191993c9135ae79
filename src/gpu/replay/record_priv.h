/* Between the writer, the reader and the runner of recorded launches. */
#ifndef CY_GPU_REPLAY_RECORD_PRIV_H
#define CY_GPU_REPLAY_RECORD_PRIV_H

#include "gpu/device/machine.h"
#include "gpu/replay/record.h"
#include "gpu/replay/replay.h"

/* The files of a folder, in the order in which they are written.  Their names are fixed: nothing in one of them names another file. */
enum cy_record_file {
    RECORD_METADATA,
    RECORD_DATA,
    RECORD_ELF,
    RECORD_AFTER,
    RECORD_PRINTED,
    RECORD_TOML,
    RECORD_FILES
};
extern const char *const cy_record_files[RECORD_FILES];

extern const char *const cy_record_kinds[];  /* by enum cy_record_kind; NULL after the last */
extern const char *const cy_record_places[]; /* by enum cy_record_place; likewise */
/* -1: no such name. */
int cy_record_find(const char *const *names, const char *name);

/* A key of launch.toml. */
enum cy_record_type { RECORD_U32, RECORD_U64, RECORD_BOOL, RECORD_TEXT, RECORD_TRIPLE, RECORD_BYTES };
struct cy_record_field {
    const char *table, *key;
    enum cy_record_type type;
    bool is_required;
    size_t offset; /* in its struct */
};
enum {
#define RECORD_FIELD(table, key, kind, of, member, text) +1
    cy_record_field_count = 0
#include "gpu/replay/record_fields.def"
};
_Static_assert(cy_record_field_count <= 64, "the reader keeps a bit for each");
extern const struct cy_record_field cy_record_fields[cy_record_field_count];

/* The size in whole pages; UINT64_MAX: too large for any. */
uint64_t cy_record_pages(uint64_t size);
/* The launch of a record, not started, for what follows from its sizes: needs, warps, where local memory lies.  In a scope; free
 * it with cy_record_forget.  NULL: it does not fit the machine, or there is no such kernel; after a diagnostic. */
struct cy_launch *cy_record_imagine(const struct cy_record *record, struct cy_object *object, struct cy_diags *diags);
void cy_record_forget(struct cy_launch *launch);
/* Appends the argument buffer and the places in it of __local pointers.  In a scope. */
void cy_record_arguments(const struct cy_record *record, struct cy_arguments *arguments);

/* The first line of a marked pair.  It has no hexadecimal digit, so that a reader that skips what it does not know is not misled, and
 * others stop here; the number of buffers then has MARKED_COUNT in its high half, which no reader can allocate. */
#define RECORD_MARK "NOT WITHOUT TOML"
#define RECORD_MARKED_COUNT 0x7fffffffu

/* Lines of words, as in .data, into a new array; `is_marked` NULL: a mark is an error. */
bool cy_recording_words(const char *name, const struct cy_buf *text, bool *is_marked, uint32_t **words, size_t *count,
                        struct cy_diags *diags);
/* The pair of a folder, marked or not.  In a scope. */
bool cy_recording_read_pair(struct cy_recording *recording, const char *name, const struct cy_buf *metadata,
                            const char *data_name, const struct cy_buf *data, bool *is_marked, struct cy_diags *diags);

#endif
