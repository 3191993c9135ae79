/* The source text in an executable: what the compiler read, and how to compile it again.
 *
 * A note of the type CY_NOTE_SOURCE (obj/notes.h) holds, packed (base/pack.h): the format's version, the size of what
 * follows when unpacked, and a zlib stream of
 *     0 or 2, -O; limits of scalar and vector registers; the number of arguments, and each (text)
 *     the number of files, and of each its kind, name (text) and contents (bytes); the program itself is the first
 * Files have the names that clang used: those of line tables.  Readers trust nothing. */
#ifndef CY_SOURCES_SOURCES_H
#define CY_SOURCES_SOURCES_H

#include "chengying/cc.h"
#include "obj/notes.h"

enum cy_source_kind {
    CY_SOURCE_PROGRAM,
    CY_SOURCE_HEADER, /* given to the compiler, by its name in #include */
    CY_SOURCE_FILE    /* found by #include */
};
struct cy_source_file {
    enum cy_source_kind kind;
    const char *name, *text; /* NUL-terminated; the text may contain further ones */
    size_t size;
};
struct cy_sources {
    struct cy_buf bytes; /* where the rest is */
    uint32_t optimize, sgprs, vgprs;
    CY_VEC(const char *) args;
    CY_VEC(struct cy_source_file) files; /* at least one */
};

/* Appends the note's contents; the options' parts do not matter. */
void cy_sources_pack(const struct cy_cc_options *options, const struct cy_source_file *files, size_t count,
                     struct cy_buf *note);

/* False: there is no such note, or it is damaged; there is nothing to free. */
bool cy_sources_read(struct cy_sources *sources, const struct cy_object *object);
void cy_sources_free(struct cy_sources *sources);

/* The file that a line table calls `path`: of that name, or with the longest name at the path's end.  NULL: none that is
 * text. */
const struct cy_source_file *cy_sources_find(const struct cy_sources *sources, const char *path);
/* Appends the text of that file; if the executable does not have it, of the file on this machine.  False: neither. */
bool cy_sources_text(const struct cy_sources *sources, const char *path, struct cy_buf *text);

/* How to compile it again: the program is the first file.  `more` are arguments that come first.  Names of files that are
 * relative are relative to `directory`.  It lasts as long as the sources and the arena. */
void cy_sources_options(const struct cy_sources *sources, const char *const *more, size_t count, const char *directory,
                        struct cy_arena *arena, struct cy_cc_options *options);

#endif
