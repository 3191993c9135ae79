/* The disassembler: objects, executables, raw bytes and words to text.
 *
 * The default text of standard code is llvm-objdump's, line for line.  A prefix and its instruction are one line with
 * the full register names; in `raw` form every word has a line of its own, as the vendor's llvm-objdump shows it. */
#ifndef CY_ASM_LISTING_H
#define CY_ASM_LISTING_H

#include "isa/isa.h"
#include "obj/obj.h"

struct cy_listing {
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
enum cy_target cy_listing_target(const struct cy_object *object);

/* Appends the disassembly of every section with code.  False: a message says what is missing, or that memory ran out;
 * `out` is as it was.  (Functions here without messages end the scope of their caller: base/mem.h.) */
bool cy_listing_object(const struct cy_listing *listing, const struct cy_object *object, struct cy_buf *out,
                       struct cy_diags *diags);
/* The same of bytes without any file format, the first of them at `base`; without a name there are no headings. */
void cy_listing_bytes(const struct cy_listing *listing, const char *name, const void *bytes, size_t size, uint32_t base,
                      struct cy_buf *out);

/* Assembler source that gives the same sections, symbols and relocations back. */
bool cy_listing_source(const struct cy_listing *listing, const struct cy_object *object, struct cy_buf *out,
                       struct cy_diags *diags);

/* Is this text a listing, as cy_listing_object (or llvm-objdump -d) prints it? */
bool cy_listing_is_listing(const char *text, size_t size);
/* Turns a listing back into assembler source of its code: labels, and the text of the instructions with addresses
 * replaced by labels.  Symbol tables, relocations and contents of other sections are passed over. */
void cy_listing_to_source(enum cy_target target, const char *text, size_t size, struct cy_buf *out);

/* The symbol table, and the contents of every section, as llvm-objdump -t and -s print them. */
void cy_listing_header(const struct cy_object *object, struct cy_buf *out);
void cy_listing_symbols(const struct cy_object *object, struct cy_buf *out);
void cy_listing_contents(const struct cy_object *object, struct cy_buf *out);

#endif
