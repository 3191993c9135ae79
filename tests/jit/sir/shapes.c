/* shapes [--update]: what is known of values is what stands behind them, as comments, in the functions of tests/jit/sir/shapes. */
#include "jit/analyse/shape.h"

#include "base/file.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

static const char *const files[] = {"ids", "known", "parted", "cells"};

static void check_file(const char *name, bool updates)
{
    char path[64];
    struct cy_buf text = {0}, printed = {0};
    struct cy_diags diags = {0};
    snprintf(path, sizeof(path), "tests/jit/sir/shapes/%s.sir", name);
    struct cy_sir_func *func =
        cy_file_read(path, &text, &diags) ? cy_sir_read(path, text.data, text.size, &diags) : NULL;
    if (CHECK(func != NULL) && CHECK_STR(cy_sir_validate(func), NULL)) {
        cy_sir_print_shapes(func, &printed);
        if (updates)
            CHECK(cy_file_write(path, printed.data, printed.size, false, &diags));
        else if (!CHECK(printed.size == text.size && !memcmp(printed.data, text.data, text.size)))
            fprintf(stderr, "%s:\n%.*s", path, (int)printed.size, printed.data);
    }
    if (diags.text.size)
        fprintf(stderr, "%.*s", (int)diags.text.size, diags.text.data);
    cy_sir_free(func);
    cy_buf_free(&text);
    cy_buf_free(&printed);
    cy_diags_free(&diags);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < CY_COUNT(files); i++)
        check_file(files[i], argc > 1 && strcmp(argv[1], "--update") == 0);
    return test_finish();
}
