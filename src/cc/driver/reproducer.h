/* The input of a compile in one file, kept when the compiler died of it. */
#ifndef CY_CC_DRIVER_REPRODUCER_H
#define CY_CC_DRIVER_REPRODUCER_H

#include "cc/driver/request.h"

/* Files are kept in $TMPDIR or /tmp, of each input one, and no more than the last 16.  `dependencies` is the rule by clang
 * of what it has read, or "": those files are kept too.  The path has PATH_MAX bytes.  False: `error` says why not. */
bool cc_reproducer_save(const struct cc_request *request, const char *dependencies, char *path, char *error,
                        size_t room);

struct cc_reproducer {
    struct cc_request request;
    unsigned char *bytes;
    void *arrays;
};
bool cc_reproducer_load(struct cc_reproducer *reproducer, const char *path, char *error, size_t room);
void cc_reproducer_free(struct cc_reproducer *reproducer);

#endif
