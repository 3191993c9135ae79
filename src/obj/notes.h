/* Notes: the compiler's description of a program, in section .note.chengying of its ELF file.
 *
 * Each is an ELF note of the owner "Chengying"; `cy dis --notes` prints them.  Their descriptors are packed
 * (base/pack.h):
 *     PROGRAM   format version, kind, whether it requires uniform workgroups
 *     KERNEL    format version, then the output of cy_facts_pack: struct cy_kernel_info except entry and resources
 *     COMPILER  the compiler's version, as text
 *     OPTIONS   its options, as text
 *     CHECKSUM  32 bytes: SHA-256 of the whole file, these bytes taken as zeros
 *     SOURCE    the source, compressed (sources/sources.h)
 * docs/dis.md describes them for users. */
#ifndef CY_OBJ_NOTES_H
#define CY_OBJ_NOTES_H

#include "base/pack.h"
#include "obj/obj.h"

#define CY_NOTE_SECTION ".note.chengying"
#define CY_NOTE_OWNER "Chengying"
#define CY_NOTE_VERSION 2 /* of PROGRAM and KERNEL */
enum cy_note_type {
    CY_NOTE_PROGRAM = 0x43590001, /* readelf has its own names for small numbers */
    CY_NOTE_KERNEL,
    CY_NOTE_COMPILER,
    CY_NOTE_OPTIONS,
    CY_NOTE_CHECKSUM,
    CY_NOTE_SOURCE,
};
enum cy_program_kind { CY_PROGRAM_EXECUTABLE = 1, CY_PROGRAM_OBJECT, CY_PROGRAM_LIBRARY };
#define CY_BITCODE_SECTION ".llvmbc" /* of CY_PROGRAM_OBJECT and CY_PROGRAM_LIBRARY */

void cy_note_add(struct cy_object *object, enum cy_note_type type, const void *bytes, size_t size);
void cy_note_add_text(struct cy_object *object, enum cy_note_type type, const char *text);
void cy_note_add_program(struct cy_object *object, enum cy_program_kind kind, bool uniform_groups);
void cy_note_add_kernel(struct cy_object *object, const struct cy_kernel_info *kernel);
/* Reserves space for a checksum, which cy_checksum_set fills in once the file is written. */
void cy_note_add_checksum(struct cy_object *object);

/* Iterates over our notes: start with {0}; false: no more, or what follows is not a note. */
struct cy_note {
    size_t section, at; /* where to look for the next one */
    uint32_t type;
    struct cy_unpack bytes; /* of this one */
};
bool cy_note_next(const struct cy_object *object, struct cy_note *note);
/* The first note of a type. */
bool cy_note_find(const struct cy_object *object, enum cy_note_type type, struct cy_note *note);

struct cy_program_note {
    uint32_t version; /* if it is not CY_NOTE_VERSION, the rest is 0 */
    enum cy_program_kind kind;
    bool uniform_groups;
};
bool cy_note_read_program(const struct cy_object *object,
                          struct cy_program_note *program); /* false: none, or damaged */

/* A kernel's facts except its entry and resources.  Reading leaves strings in place; after the first half the caller
 * allocates `argument_count` arguments.  Values that the compiler cannot have written set `failed`: launches divide by
 * these numbers and allocate from them. */
void cy_facts_pack(const struct cy_kernel_info *kernel, struct cy_buf *out);
void cy_facts_unpack(struct cy_unpack *in, struct cy_kernel_info *kernel);
void cy_facts_unpack_arguments(struct cy_unpack *in, struct cy_kernel_info *kernel);

/* The checksum of a whole ELF file.  False: the file has no room for one. */
enum cy_checksum { CY_CHECKSUM_NONE, CY_CHECKSUM_WRONG, CY_CHECKSUM_RIGHT };
bool cy_checksum_set(void *file, size_t size);
enum cy_checksum cy_checksum_check(const void *file, size_t size);

#endif
