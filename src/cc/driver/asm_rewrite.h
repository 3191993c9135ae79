/* Inline assembly on its way through clang, whose target spir knows none of our registers and constraints.
 *
 * The preprocessed program is rewritten: in each asm statement clang sees plain constraints, and a string that carries what
 * was written, in hexadecimal after CC_ASM_TAG.  The importer reads it back (import_asm.c).  It is a list of lines:
 *
 *     F <file>                      where the statement is
 *     O <constraint> <name>         an operand, in order; without a name if it has none
 *     C <register>                  a clobber
 *     R <offset> <line> <column>    from this byte of the text on, characters are at this place of the file
 *     T<text>                       the rest */
#ifndef CY_CC_DRIVER_ASM_REWRITE_H
#define CY_CC_DRIVER_ASM_REWRITE_H

#include "base/mem.h"

#define CC_ASM_TAG "cyasm:"

/* May the program have inline assembly of its own (included files aside)? */
bool cc_has_asm(const char *source, size_t size);
/* Could these messages of clang's be about constraints or registers that it does not know? */
bool cc_blames_asm(const char *messages);
/* False: there is nothing to rewrite. */
bool cc_rewrite_asm(const char *preprocessed, size_t size, struct cy_buf *out);

#endif
