/* Kernel arguments as written by a user: buffer:f32:1024=iota, i32:7, 3.5, local:4096. */
#ifndef CY_TOOLS_RUN_ARGUMENTS_H
#define CY_TOOLS_RUN_ARGUMENTS_H

#include "chengying/device.h"
#include "run_values.h"

struct cy_run_argument {
    enum { CY_ARG_VALUE, CY_ARG_BUFFER, CY_ARG_LOCAL } kind;
    const struct cy_value_type *type; /* NULL for local */
    struct cy_buf bytes;              /* a value's; or a buffer's initial contents, as far as they are not zero */
    const char *file;                 /* their source; NULL: no file.  Part of the argument's text */
    uint64_t size;                    /* size of a buffer or of local memory */
    uint64_t address;                 /* of the buffer, once allocated */
    uint64_t virtual_address;         /* what the kernel gets instead, with page tables; 0: the same */
    bool is_wide;                     /* its pointer has 8 bytes */
    uint32_t align;                   /* of a value; 0: by its size */
    uint32_t offset;                  /* in the packed arguments, once it is there */
    const char *text;                 /* as given by the user */
    bool is_untyped;                  /* a number alone, with a guessed type */
    bool is_written;                  /* a buffer with contents: `cy check` calls others uninitialised */
    bool no_read, no_write;           /* what kernels must not do with a buffer, for `cy check` */
};

/* Returns false after a diagnostic. */
bool cy_run_argument_parse(struct cy_run_argument *argument, const char *text, struct cy_diags *diags);
/* Parses an untyped value again, as numbers of another type; false: they are not. */
bool cy_run_argument_retype(struct cy_run_argument *argument, const struct cy_value_type *type);
void cy_run_argument_free(struct cy_run_argument *argument);
/* Allocates and fills the buffer, above 4 GiB if the kernel has 64-bit pointers, and adds the argument to the packed
 * ones. */
bool cy_run_argument_give(struct cy_run_argument *argument, struct cy_device *device, struct cy_arguments *arguments,
                          struct cy_diags *diags);

#endif
