/* Input that users write on a command line and in small files.  Byte 0 selects what the rest is: settings of a machine
 * or of the cycle model, a file of either, an argument of `cy run`, the file (.npy, .txt, raw) that an argument names, or a page
 * table. */
#define _GNU_SOURCE /* memfd_create */
#include "run_arguments.h"
#include "base/file.h"
#include "chengying/device.h"
#include "chengying/timing.h"
#include "fuzz/file.h"
#include "page_table.h"

#include <string.h>
#include <unistd.h>

static void try_settings(const char *text, size_t size, bool is_file)
{
    struct cy_config config;
    char *message = NULL;
    cy_config_default(&config);
    enum cy_status status =
        is_file ? cy_config_parse(&config, "file", text, size, &message) : cy_config_set(&config, text, &message);
    FUZZ_CHECK((status == CY_OK) == !message);
    FUZZ_CHECK(config.threads >= 4 && config.threads <= 64 && config.warps >= 1 && config.warps <= 64);
    free(message);
}

static void try_timing(const char *text, size_t size, bool is_file)
{
    struct cy_timing_config config;
    char *message = NULL;
    cy_timing_config_default(&config);
    enum cy_status status = is_file ? cy_timing_config_parse(&config, "file", text, size, &message)
                                    : cy_timing_config_set(&config, text, &message);
    FUZZ_CHECK((status == CY_OK) == !message);
    FUZZ_CHECK(cy_timing_config_get(&config, "memory_latency") >= 1);
    free(message);
}

static void try_page_table(const char *text, size_t size)
{
    struct cy_run_argument arguments[2] = {{.kind = CY_ARG_BUFFER, .size = 100},
                                           {.kind = CY_ARG_BUFFER, .size = 10000}};
    struct cy_page_table table = {0};
    struct cy_diags diags = {0};
    struct fuzz_file file = fuzz_file_open(text, size);
    bool ok = cy_page_table_read(&table, file.path, arguments, 2, &diags);
    FUZZ_CHECK(ok == (diags.errors == 0));
    cy_page_table_free(&table);
    cy_diags_free(&diags);
    fuzz_file_close(&file);
}

/* Numbers of elements that would only fill memory are not tried: an argument without more than five digits in a row. */
static bool is_small(const char *text)
{
    for (size_t digits = 0; *text; text++) {
        digits = (*text >= '0' && *text <= '9') || strchr("abcdefxABCDEFX", *text) ? digits + 1 : 0;
        if (digits > 5)
            return false;
    }
    return true;
}

static void try_argument(const char *text)
{
    struct cy_run_argument argument = {0};
    struct cy_diags diags = {0};
    bool ok = cy_run_argument_parse(&argument, text, &diags);
    FUZZ_CHECK(ok == (diags.errors == 0));
    FUZZ_CHECK(!ok || argument.kind != CY_ARG_BUFFER || (argument.size && argument.bytes.size <= argument.size));
    cy_run_argument_free(&argument);
    cy_diags_free(&diags);
}

static void try_file(unsigned kind, const char *bytes, size_t size)
{
    static const char *const suffixes[] = {".npy", ".txt", ".bin"}, *const types[] = {"f32", "i8", "u64", "f16", "f64"};
    char path[128], text[256];
    const char *directory = getenv("CY_TMP");
    struct cy_diags diags = {0};
    snprintf(path, sizeof(path), "%s/values-%ld%s", directory ? directory : "/tmp", (long)getpid(), suffixes[kind % 3]);
    FUZZ_CHECK(cy_file_write(path, bytes, size, false, &diags));
    snprintf(text, sizeof(text), "buffer:%s=@%s", types[kind / 3 % 5], path);
    try_argument(text);
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cy_buf text = {0};
    if (size < 2)
        return 0;
    cy_buf_append(&text, data + 1, size - 1);
    if (data[0] == 6)
        try_page_table(text.data, text.size);
    else if (data[0] % 4 < 2 && data[0] & 4)
        try_timing(text.data, text.size, data[0] % 4);
    else if (data[0] % 4 < 2)
        try_settings(text.data, text.size, data[0] % 4);
    else if (data[0] % 4 == 2 && !strchr(text.data, '@') && is_small(text.data))
        try_argument(text.data);
    else if (data[0] % 4 == 3)
        try_file(data[0] >> 2, text.data, text.size);
    cy_buf_free(&text);
    return 0;
}
