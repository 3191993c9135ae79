/* Chengying's assembler as a library: text in, an ELF object and messages out.
 *
 *     struct cy_asm_result result;
 *     if (cy_asm("kernel.s", text, size, NULL, &result))
 *         use(result.object, result.object_size);
 *     fputs(result.messages, stderr);
 *     cy_asm_result_free(&result);
 *
 * Nothing is printed and no process is left behind; files are read only for .include and .incbin.  Calls from different
 * threads are independent. */
#ifndef CHENGYING_ASM_H
#define CHENGYING_ASM_H

#include "chengying/api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cy_asm_flags {
    CY_ASM_LISTING = 1,        /* fill result.listing */
    CY_ASM_NO_FILES = 2,       /* .include and .incbin are errors: for untrusted text */
    CY_ASM_NO_WARNINGS = 4,    /* suppress warnings */
    CY_ASM_FATAL_WARNINGS = 8, /* a warning is an error */
    CY_ASM_FILL_PREFIXES =
        16, /* a prefix that says 0 for the registers' high bits gets those that its instruction needs */
};

struct cy_asm_options {
    const char *march;               /* "ventus" (also when NULL), "ventus-gen2", "epic", "epic-fpga" */
    const char *const *include_dirs; /* searched by .include and .incbin after the including file's directory */
    size_t include_dir_count;
    const char *const *defines; /* "NAME" (1) or "NAME=VALUE", VALUE a number or an expression of numbers */
    size_t define_count;
    unsigned flags;             /* set of cy_asm_flags */
    unsigned error_limit;       /* errors to show; 0: 100 */
    size_t max_output_bytes;    /* of all sections together; 0: 256 MiB */
    size_t max_expansion_bytes; /* of text expanded from macros and repetitions; 0: 512 MiB */
};

struct cy_asm_result {
    unsigned char *object; /* the ELF file; NULL on error */
    size_t object_size;
    char *messages; /* errors and warnings, ready to print; never NULL */
    char *listing;  /* source with addresses and bytes, if requested; else NULL */
    char *files;    /* the files read by .include and .incbin, one name per line; NULL: none */
    unsigned errors, warnings;
};

/* Assembles `size` bytes at `text`; `name` is the file name in messages.  `options` may be NULL.  True: there is an
 * object.  False: the messages say why, out of memory included.  Free the result with cy_asm_result_free in both
 * cases. */
CY_API bool cy_asm(const char *name, const char *text, size_t size, const struct cy_asm_options *options,
                   struct cy_asm_result *result);
/* The same for a file; "-" is standard input. */
CY_API bool cy_asm_file(const char *path, const struct cy_asm_options *options, struct cy_asm_result *result);
CY_API void cy_asm_result_free(struct cy_asm_result *result);

#ifdef __cplusplus
}
#endif

#endif
