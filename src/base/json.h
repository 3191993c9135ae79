/* JSON, written piece by piece (RFC 8259).  Commas and quotes are put by the writer, so what comes out is one valid text:
 *
 *     struct cy_json json = {.out = &buf};
 *     cy_json_begin(&json, '{');
 *     cy_json_key(&json, "names");
 *     cy_json_begin(&json, '[');
 *     cy_json_string(&json, "a");
 *     cy_json_end(&json);
 *     cy_json_end(&json);                  // {"names":["a"]}
 */
#ifndef CY_BASE_JSON_H
#define CY_BASE_JSON_H

#include "base/mem.h"

enum { CY_JSON_DEPTH = 64 }; /* objects and arrays inside each other */

struct cy_json {
    struct cy_buf *out;
    bool any_bytes; /* strings that are not UTF-8 go out as they are, for readers that know file names; else U+FFFD */

    /* private to json.c */
    unsigned depth;
    bool has_key; /* the value of a key comes next */
    char closing[CY_JSON_DEPTH];
    bool has_items[CY_JSON_DEPTH];
};

void cy_json_begin(struct cy_json *json, char bracket); /* '{' or '[' */
void cy_json_end(struct cy_json *json);
void cy_json_key(struct cy_json *json, const char *key);
void cy_json_string(struct cy_json *json, const char *text);
void cy_json_bytes(struct cy_json *json, const char *text, size_t size); /* a string that may hold zeros */
void cy_json_int(struct cy_json *json, int64_t number);
void cy_json_uint(struct cy_json *json, uint64_t number);
void cy_json_double(struct cy_json *json, double number); /* read back exactly; infinities and NaNs are null */
void cy_json_bool(struct cy_json *json, bool value);
void cy_json_null(struct cy_json *json);

#endif
