/* The complete input of a compile in one file, saved when the compiler crashes on it. */
#ifndef CY_CC_DRIVER_REPRODUCER_H
#define CY_CC_DRIVER_REPRODUCER_H

#include "cc/driver/request.h"

/* Saved in $TMPDIR or /tmp, one file per input, at most the last 16.  `dependencies` is clang's makefile rule, or "":
 * the files it names are included.  The path has PATH_MAX bytes.  False: `error` has the reason. */
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
