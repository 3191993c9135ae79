/* Compiled programs on disk, keyed by a hash of everything that went into them. */
#ifndef CY_CC_DRIVER_CACHE_H
#define CY_CC_DRIVER_CACHE_H

#include "base/mem.h"
#include "base/sha256.h"

/* The cache directory; NULL: none ($CHENGYING_CACHE=0, or no home directory).  Freed by the caller. */
char *cc_cache_directory(void);

/* The bytes stored under a key, freed by the caller; false: none, or damaged. */
bool cc_cache_load(const char *directory, const struct cy_digest *key, struct cy_buf *bytes);
/* Marks an entry as just used. */
void cc_cache_touch(const char *directory, const struct cy_digest *key);
/* A directory that cannot be written is not an error: nothing is stored. */
void cc_cache_store(const char *directory, const struct cy_digest *key, const struct cy_buf *bytes);

/* How entries start that are no compiled programs but answers of the translator (src/jit). */
#define CC_CACHE_TRANSLATION "CYHOST1\n"
enum { CC_CACHE_TAG_BYTES = sizeof(CC_CACHE_TRANSLATION) }; /* with a byte: 1 before an image, 0 before a reason */
/* What such an answer is as an entry; false: no memory. */
bool cc_cache_pack_translation(struct cy_buf *entry, bool ok, const void *bytes, size_t size);

/* What has been found out about LLVM: whether something holds, by a name that says what and of which LLVM.  False: it is not known. */
bool cc_cache_recall(const char *directory, const char *name, bool *holds);
void cc_cache_remember(const char *directory, const char *name, bool holds);

/* A key as text, and back. */
struct cc_key_text {
    char text[2 * sizeof(struct cy_digest) + 1];
};
struct cc_key_text cc_key_print(const struct cy_digest *key);
bool cc_key_parse(const char *text, struct cy_digest *key);

struct cc_cache_size {
    size_t kernels, translations; /* entries */
    size_t bytes, limit;          /* of all */
};
struct cc_cache_size cc_cache_measure(const char *directory);
void cc_cache_clear(const char *directory);

#endif
