/* The disassembler: objects, executables, raw bytes and words to text.
 *
 * The default text of standard code is llvm-objdump's, line for line.  A prefix and its instruction are one line with
 * the full register names; in `raw` form every word has a line of its own, as the vendor's llvm-objdump shows it. */
#ifndef CY_DIS_DIS_H
#define CY_DIS_DIS_H

#include "isa/isa.h"
#include "obj/obj.h"

struct cy_dis {
    enum cy_target target;
    unsigned print_flags; /* set of cy_print_flags */
    bool raw;             /* one word a line, bytes in memory order, no comments, runs of zeros as "..." */
    bool relocs;          /* relocations below the instructions they change */
    bool comments;        /* "# knl" behind CSR numbers, the target behind setrpc */
    bool lines, sources;  /* above the instructions: which line of which file they come from; its text */
    const char *symbol;   /* only the code of this symbol; NULL: everything */
    bool has_range;       /* only addresses start <= a < stop */
    uint32_t start, stop;
};

/* The instruction set that an object's header names. */
enum cy_target cy_dis_target(const struct cy_object *object);

/* Appends the disassembly of every section with code.  False: a message says what is missing, or that memory ran out;
 * `out` is as it was.  (Functions here without messages end the scope of their caller: base/mem.h.) */
bool cy_dis_object(const struct cy_dis *listing, const struct cy_object *object, struct cy_buf *out,
                   struct cy_diags *diags);
/* The same of bytes without any file format, the first of them at `base`; without a name there are no headings. */
void cy_dis_bytes(const struct cy_dis *listing, const char *name, const void *bytes, size_t size, uint32_t base,
                  struct cy_buf *out);

/* Assembler source that gives the same sections, symbols and relocations back. */
bool cy_dis_source(const struct cy_dis *listing, const struct cy_object *object, struct cy_buf *out,
                   struct cy_diags *diags);

/* The symbol table, and the contents of every section, as llvm-objdump -t and -s print them. */
void cy_dis_header(const struct cy_object *object, struct cy_buf *out);
void cy_dis_symbols(const struct cy_object *object, struct cy_buf *out);
void cy_dis_contents(const struct cy_object *object, struct cy_buf *out);

#endif
