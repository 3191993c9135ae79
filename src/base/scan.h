/* Tokens of line-oriented texts: names and numbers, strings, marks, ends of lines.  The texts of both IRs are read with it.
 *
 * A semicolon starts a comment; a line that begins with --- ends the text.  The first error is reported, later ones may
 * follow from it: once `failed` is set, tokens are neither accepted nor complained of. */
#ifndef CY_BASE_SCAN_H
#define CY_BASE_SCAN_H

#include "base/diag.h"

enum cy_scan_kind {
    CY_SCAN_END,
    CY_SCAN_LINE,   /* the end of a line */
    CY_SCAN_STRING, /* in quotes; \ and two hex digits stand for a byte */
    CY_SCAN_MARK,   /* one of `marks` */
    CY_SCAN_RUN     /* anything else, up to white space, a mark, a string or a comment */
};

struct cy_scan {
    struct cy_source source;
    struct cy_diags *diags;
    const char *marks; /* characters that are tokens */
    enum cy_scan_kind kind;
    uint32_t at, size, line; /* the token */
    struct cy_buf string;    /* the text of a string */
    bool failed;
};

/* Scans the first token, behind empty lines. */
void cy_scan_start(struct cy_scan *scan, const char *name, const char *text, size_t size, const char *marks,
                   struct cy_diags *diags);
void cy_scan_free(struct cy_scan *scan);
void cy_scan_next(struct cy_scan *scan);

struct cy_loc cy_scan_here(const struct cy_scan *scan);
const char *cy_scan_token(const struct cy_scan *scan);
/* Both return false. */
bool cy_scan_error(struct cy_scan *scan, const struct cy_loc *loc, const char *format, ...) CY_PRINTF(3, 4);
bool cy_scan_wanted(struct cy_scan *scan, const char *what);

bool cy_scan_is(const struct cy_scan *scan, const char *word);
bool cy_scan_accept(struct cy_scan *scan, const char *word);
bool cy_scan_expect(struct cy_scan *scan, const char *word);
bool cy_scan_end_of_line(struct cy_scan *scan); /* and empty lines */
/* A number that takes up the rest of the run from `from`: decimal, or hexadecimal after 0x. */
bool cy_scan_parse(const struct cy_scan *scan, uint32_t from, uint64_t highest, uint64_t *value);

/* A string as it is read. */
void cy_scan_quote(struct cy_buf *out, const char *text, size_t size);

#endif
