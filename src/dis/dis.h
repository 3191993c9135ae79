/* The disassembler: objects, executables, raw bytes and words to text.
 *
 * For standard code the default output is llvm-objdump's, line for line.  A prefix and its instruction are one line
 * with the full register names; in `raw` form every word has its own line, as in the vendor's llvm-objdump. */
#ifndef CY_DIS_DIS_H
#define CY_DIS_DIS_H

#include "isa/isa.h"
#include "obj/obj.h"

struct cy_dis {
    enum cy_target target;
    unsigned print_flags; /* set of cy_print_flags */
    bool raw;             /* one word per line, bytes in memory order, no comments, runs of zeros as "..." */
    bool relocs;          /* relocations below the instructions they patch */
    bool comments;        /* "# knl" after CSR numbers, the target after setrpc */
    bool lines, sources;  /* the source file and line above the instructions; the line's text */
    const char *symbol;   /* only the code of this symbol; NULL: everything */
    bool has_range;       /* only addresses start <= a < stop */
    uint32_t start, stop;
};

/* The instruction set that an object's header names. */
enum cy_target cy_dis_target(const struct cy_object *object);

/* Appends the disassembly of every section with code.  Returns false after a diagnostic (something is missing, or
 * memory ran out); `out` is unchanged then.  (Functions here without diagnostics end their caller's scope:
 * base/mem.h.) */
bool cy_dis_object(const struct cy_dis *listing, const struct cy_object *object, struct cy_buf *out,
                   struct cy_diags *diags);
/* The same for bytes without a file format, starting at address `base`; without a name there are no headings. */
void cy_dis_bytes(const struct cy_dis *listing, const char *name, const void *bytes, size_t size, uint32_t base,
                  struct cy_buf *out);

/* Assembler source that reproduces the same sections, symbols and relocations. */
bool cy_dis_source(const struct cy_dis *listing, const struct cy_object *object, struct cy_buf *out,
                   struct cy_diags *diags);

/* The symbol table, and the contents of every section, in the format of llvm-objdump -t and -s. */
void cy_dis_header(const struct cy_object *object, struct cy_buf *out);
void cy_dis_symbols(const struct cy_object *object, struct cy_buf *out);
void cy_dis_contents(const struct cy_object *object, struct cy_buf *out);
/* What the compiler says of the program and its kernels. */
void cy_dis_notes(struct cy_object *object, struct cy_buf *out);

#endif
