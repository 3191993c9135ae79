/* The files that a compile read by #include. */
#ifndef CY_CC_DRIVER_INCLUDED_H
#define CY_CC_DRIVER_INCLUDED_H

#include "cc/driver/request.h"

enum { CC_MOST_INCLUDED = 256 };
struct cc_included {
    struct cy_cc_header files[CC_MOST_INCLUDED];
    size_t count;
};

/* Those that clang's makefile rule names, under the names clang used, without the program itself, clang's own headers and
 * those of the options; what cannot be read is left out. */
void cc_included_read(struct cc_included *included, const struct cc_request *request, const char *rule);
void cc_included_free(struct cc_included *included);

/* A regular file, allocated by malloc; NULL: it cannot be read. */
char *cc_read_whole(const char *path, size_t *size);

#endif
