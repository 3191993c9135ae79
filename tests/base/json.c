/* The JSON writer, read back by Python's parser: json_read.py runs this program and compares.  Without arguments it checks the text. */
#include "base/json.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* An array: every byte as a string, every pair of bytes around the borders of UTF-8's ranges, numbers, nested things. */
static void put_everything(struct cy_json *json)
{
    static const unsigned char borders[] = {0x00, 0x1f, 0x20, 0x22, 0x5c, 0x7f, 0x80, 0x8f, 0x90, 0x9f,
                                            0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed,
                                            0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff};
    static const double numbers[] = {0.0, -0.0, 1.5, 0.1, 1e300, -2.2250738585072014e-308, 5e-324, INFINITY, NAN};
    cy_json_begin(json, '[');
    for (unsigned byte = 0; byte < 256; byte++)
        cy_json_bytes(json, &(char){(char)byte}, 1);
    for (size_t i = 0; i < sizeof(borders); i++)
        for (size_t k = 0; k < sizeof(borders); k++) {
            const char text[] = {(char)borders[i], (char)borders[k], (char)0x80, (char)0x80, 'x'};
            for (size_t size = 2; size <= sizeof(text); size++)
                cy_json_bytes(json, text, size);
        }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        cy_json_double(json, numbers[i]);
    cy_json_int(json, INT64_MIN);
    cy_json_uint(json, UINT64_MAX);
    cy_json_begin(json, '{');
    cy_json_key(json, "a\"b\n");
    cy_json_begin(json, '[');
    cy_json_end(json);
    cy_json_key(json, "");
    cy_json_begin(json, '{');
    cy_json_end(json);
    cy_json_key(json, "last");
    cy_json_bool(json, true);
    cy_json_end(json);
    cy_json_null(json);
    cy_json_end(json);
}

static void test_text(void)
{
    struct cy_buf out = {0};
    struct cy_json json = {.out = &out};
    cy_json_begin(&json, '{');
    cy_json_key(&json, "names");
    cy_json_begin(&json, '[');
    cy_json_string(&json, "a\"\\\t\x01");
    cy_json_string(&json, "\xff");
    json.any_bytes = true;
    cy_json_string(&json, "\xff");
    cy_json_end(&json);
    cy_json_key(&json, "n");
    cy_json_int(&json, -1);
    cy_json_end(&json);
    CHECK_STR(out.data, "{\"names\":[\"a\\\"\\\\\\t\\u0001\",\"\xef\xbf\xbd\",\"\xff\"],\"n\":-1}");
    cy_buf_free(&out);
}

int main(int argc, char **argv)
{
    struct cy_buf out = {0};
    struct cy_json json = {.out = &out};
    if (argc == 1) {
        test_text();
        return test_finish();
    }
    (void)argv;
    put_everything(&json);
    fwrite(out.data, 1, out.size, stdout);
    cy_buf_free(&out);
    return 0;
}
