/* Folders of recorded launches: their files, in the order in which they are written but the executable last, with a line "=====" between
 * them.  What is read can be run, and written again; both may fail, and what was written can be read. */
#define _GNU_SOURCE /* mkdtemp */
#include "base/file.h"
#include "fuzz/fuzz.h"
#include "gpu/replay/record.h"

#include <string.h>
#include <unistd.h>

#define SEPARATOR "=====\n"

/* What would only take long: all memory is compared. */
enum { MOST_BYTES = 16 << 20, MOST_SMS = 4, MOST_THREADS_BYTES = 64 << 10, INSTRUCTIONS = 2000 };

static const char *const order[] = {"launch.metadata", "launch.data", "launch.after",
                                    "launch.printed",  "launch.toml", "launch.riscv"};
static char folder[512], again[520];

static void remove_folders(void)
{
    char path[640];
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, order[i]);
        unlink(path);
        snprintf(path, sizeof(path), "%s/%s", again, order[i]);
        unlink(path);
    }
    rmdir(again);
    rmdir(folder);
}

static void make_folder(void)
{
    if (*folder)
        return;
    const char *directory = getenv("CY_TMP");
    snprintf(folder, sizeof(folder), "%s/record-XXXXXX", directory ? directory : ".");
    FUZZ_CHECK(mkdtemp(folder));
    snprintf(again, sizeof(again), "%s/again", folder);
    atexit(remove_folders);
}

static void write_file(const char *name, const uint8_t *bytes, size_t size)
{
    char path[640];
    struct cy_diags diags = {0};
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    FUZZ_CHECK(file && fwrite(bytes, 1, size, file) == size);
    FUZZ_CHECK(fclose(file) == 0);
    cy_diags_free(&diags);
}

/* Every byte that it points to is there. */
static uint64_t sum(const void *bytes, uint64_t size)
{
    uint64_t result = 0;
    for (uint64_t i = 0; i < size; i++)
        result += ((const uint8_t *)bytes)[i];
    return result;
}

static bool is_quick(const struct cy_record *record)
{
    uint64_t bytes = record->print_bytes + (uint64_t)record->lds_bytes + record->constants.size;
    for (size_t i = 0; i < record->memory.count; i++)
        bytes += record->memory.at[i].size < MOST_BYTES ? record->memory.at[i].size : MOST_BYTES;
    return bytes < MOST_BYTES && record->machine.sms <= MOST_SMS && record->private_bytes < MOST_THREADS_BYTES;
}

static void use(const struct cy_record *record)
{
    struct cy_diags diags = {0};
    struct cy_record_result result = {0};
    const struct cy_record_settings settings = {
        .engine = CY_ENGINE_INTERP, .deterministic = true, .watchdog_instructions = INSTRUCTIONS};
    if (is_quick(record)) {
        const bool ran = cy_record_run(record, &settings, &result, &diags);
        FUZZ_CHECK(ran == (diags.errors == 0));
        FUZZ_CHECK(!ran || result.is_same || !result.same_status || !result.same_printed || result.first.count);
        cy_record_result_free(&result);
    }
    cy_diags_free(&diags);
    if (cy_record_write(record, again, &diags)) {
        struct cy_record second;
        FUZZ_CHECK(cy_record_read(&second, again, &diags));
        FUZZ_CHECK(second.memory.count == record->memory.count && second.arguments.count == record->arguments.count);
        cy_record_free(&second);
    } else {
        FUZZ_CHECK(diags.errors);
    }
    cy_diags_free(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t files = sizeof(order) / sizeof(order[0]);
    make_folder();
    for (size_t i = 0; i < files; i++) {
        const uint8_t *end = i + 1 < files ? memmem(data, size, SEPARATOR, strlen(SEPARATOR)) : NULL;
        const size_t part = end ? (size_t)(end - data) : size;
        write_file(order[i], data, part);
        data += part;
        size -= part;
        if (end) {
            data += strlen(SEPARATOR);
            size -= strlen(SEPARATOR);
        }
    }
    struct cy_record record;
    struct cy_diags diags = {0};
    const bool ok = cy_record_read(&record, folder, &diags);
    FUZZ_CHECK(ok == (diags.errors == 0));
    cy_diags_free(&diags);
    if (ok) {
        volatile uint64_t all = sum(record.argument_bytes.data, record.argument_bytes.size);
        for (size_t i = 0; i < record.memory.count; i++) {
            all += sum(record.memory.at[i].before, record.memory.at[i].before_bytes);
            if (record.memory.at[i].is_changed)
                all += sum(record.memory.at[i].after, record.memory.at[i].after_bytes);
        }
        use(&record);
    }
    cy_record_free(&record);
    return 0;
}
