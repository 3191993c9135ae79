/* forms [-march=TARGET] FILE|DIRECTORY...: code in the forms of AVX2 and AVX-512 (jit/abi.h: rows stored under masks, words
 * gathered and scattered at once, wide registers), made for this processor, whichever it is, leaves in memory what the
 * interpreter does.
 *
 * A file is a kernel file (kernels/case.h), compiled here.  Random programs have an option of their own (fuzz/engines/assembly_run.c).
 * The forms are chosen by the device's translator, which is this test's own: no setting of the machine selects them. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "chengying/cc.h"
#include "gpu_device/guest.h"
#include "jit/abi.h"
#include "jit/translate/translate.h"
#include "kernels/case.h"

#include <dirent.h>
#include <sys/stat.h>

static const struct {
    const char *name;
    enum cy_jit_forms forms;
} forms[] = {{"masked rows", CY_JIT_FORMS_256}, {"gathers", CY_JIT_FORMS_512}};

static struct {
    const char *march;
    enum cy_jit_forms forms;
    unsigned translated, rejected;
} the = {.march = "ventus"};

/* ---- translating ---- */

static bool translate(void *context, const void *request, size_t size, void **image, size_t *image_size, char *why,
                      size_t room)
{
    struct cy_buf copy = {0}, made = {0}, reason = {0};
    (void)context;
    cy_buf_append(&copy, request, size);
    ((struct cy_jit_request *)(void *)copy.data)->forms = the.forms;
    const bool ok = cy_jit_translate(NULL, copy.data, copy.size, &made, &reason);
    if (ok) {
        *image = malloc(made.size);
        *image_size = made.size;
        memcpy(*image, made.data, made.size);
        the.translated++;
    } else {
        snprintf(why, room, "%s", reason.data);
        the.rejected++;
    }
    cy_buf_free(&copy);
    cy_buf_free(&made);
    cy_buf_free(&reason);
    return ok;
}

static bool is_wide(void)
{
    return strcmp(the.march, "ventus-gen2") == 0;
}

/* ---- a launch ---- */

/* Where pointers of the generation's size reach. */
static uint64_t place_buffer(struct cy_device *device, const void *bytes, size_t size)
{
    uint64_t address = 0;
    uint32_t near = 0;
    if (is_wide()) {
        CHECK_EQ(cy_device_alloc_far(device, size, 0, &address), CY_OK);
    } else {
        CHECK_EQ(cy_device_alloc(device, size, 0, &near), CY_OK);
        address = near;
    }
    CHECK_EQ(cy_device_write(device, address, bytes, size), CY_OK);
    return address;
}

static bool start(struct cy_device *device, struct cy_program *program, const struct run *run, const uint64_t *places)
{
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch = NULL;
    struct cy_kernel_info info = {0};
    for (size_t i = 0; i < cy_program_kernel_count(program); i++)
        if (cy_program_kernel(program, i, &info) && strcmp(info.name, run->kernel) == 0)
            break;
    cy_arguments_set_pointer_bytes(arguments, is_wide() ? 8 : 4);
    for (size_t i = 0; i < run->arg_count; i++) {
        const struct arg *arg = &run->args[i];
        if (arg->kind == ARG_DATA)
            cy_arguments_pointer(arguments, places[arg->data]);
        else if (arg->kind == ARG_LOCAL)
            cy_arguments_local(arguments, (uint32_t)arg->size);
        else
            cy_arguments_aligned(arguments, arg->value, arg->size, info.arguments[i].align);
    }
    struct cy_launch_desc desc = {
        .program = program, .kernel = run->kernel, .arguments = arguments, .dimensions = run->dims};
    for (unsigned i = 0; i < run->dims; i++) {
        desc.global[i] = (uint32_t)run->global[i];
        desc.local[i] = run->has_local ? (uint32_t)run->local[i] : 0;
        desc.offset[i] = (uint32_t)run->offset[i];
    }
    const enum cy_status status = guest_launch(device, &desc, &launch);
    if (!CHECK_EQ(status, CY_OK) && launch)
        fputs(cy_launch_message(launch), stderr);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    return status == CY_OK;
}

/* ---- cases ---- */

struct guest { /* a program on both engines */
    struct cy_device *device[2];
    struct cy_program *program[2];
};

static bool open_guest(struct guest *guest, const char *name, const void *elf, size_t size)
{
    bool ok = true;
    for (unsigned i = 0; i < 2; i++) {
        char *message = NULL;
        /* one thread: of workgroups that store to the same word the last one wins */
        guest->device[i] = guest_device(i ? "engine=jit host-threads=1" : "engine=interp host-threads=1");
        cy_device_set_translator(guest->device[i], &(struct cy_translator){.translate = translate});
        ok &= CHECK_EQ(cy_program_load(guest->device[i], name, elf, size, &guest->program[i], &message), CY_OK);
        if (message)
            fputs(message, stderr);
        free(message);
    }
    return ok;
}

static void close_guest(struct guest *guest)
{
    for (unsigned i = 0; i < 2; i++) {
        cy_program_release(guest->program[i]);
        cy_device_close(guest->device[i]);
    }
}

static size_t size_of(const struct data *data)
{
    return data->count * element_sizes[data->type];
}

static void compare(const char *path, const struct test_case *c, unsigned char *bytes[2][MAX_DATA])
{
    for (size_t i = 0; i < c->data_count; i++) {
        size_t at = 0;
        while (at < size_of(&c->data[i]) && bytes[0][i][at] == bytes[1][i][at])
            at++;
        if (!CHECK_EQ(at, size_of(&c->data[i])))
            fprintf(stderr, "%s:%u: %s: %s differs at byte %zu\n", path, c->line, c->runs[0].kernel, c->data[i].name,
                    at);
    }
}

static void run_case(struct guest *guest, const char *path, const struct test_case *c)
{
    unsigned char *bytes[2][MAX_DATA];
    bool ok = true;
    for (unsigned e = 0; e < 2; e++) {
        uint64_t places[MAX_DATA];
        for (size_t i = 0; i < c->data_count; i++)
            places[i] = place_buffer(guest->device[e], c->data[i].initial, size_of(&c->data[i]));
        for (size_t i = 0; ok && i < c->run_count; i++)
            ok = start(guest->device[e], guest->program[e], &c->runs[i], places);
        for (size_t i = 0; i < c->data_count; i++) {
            bytes[e][i] = malloc(size_of(&c->data[i]));
            CHECK_EQ(cy_device_read(guest->device[e], places[i], bytes[e][i], size_of(&c->data[i])), CY_OK);
            CHECK_EQ(cy_device_free(guest->device[e], places[i]), CY_OK);
        }
    }
    if (ok)
        compare(path, c, bytes);
    for (size_t i = 0; i < c->data_count; i++) {
        free(bytes[0][i]);
        free(bytes[1][i]);
    }
}

/* ---- files ---- */

static void run_kernels(const char *path)
{
    struct kernel_file file;
    struct guest guest;
    if (CHECK(kernel_file_open(&file, path))) {
        char *args[16], *rest = NULL;
        struct cy_cc_options options = {
            .args = (const char *const *)args, .optimize = 2, .generation = is_wide() ? 2 : 1};
        for (char *word = strtok_r(file.options, " ", &rest); word && options.arg_count < 16;
             word = strtok_r(NULL, " ", &rest))
            args[options.arg_count++] = word;
        struct cy_cc_result result;
        if (!CHECK(cy_cc(path, file.source, strlen(file.source), &options, &result)))
            fputs(result.log, stderr);
        else if (open_guest(&guest, path, result.elf, result.elf_size)) {
            for (size_t i = 0; i < file.case_count; i++)
                run_case(&guest, path, &file.cases[i]);
            close_guest(&guest);
        }
        cy_cc_result_free(&result);
    }
    kernel_file_close(&file);
}

static bool ends_in(const char *path, const char *end)
{
    return strlen(path) > strlen(end) && strcmp(path + strlen(path) - strlen(end), end) == 0;
}

static int is_program(const struct dirent *entry)
{
    return ends_in(entry->d_name, ".cl");
}

static void run_path(const char *path)
{
    struct stat status;
    struct dirent **entries;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
        run_kernels(path);
        return;
    }
    const int count = scandir(path, &entries, is_program, alphasort);
    CHECK(count > 0);
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
        run_path(name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-march=", 7) == 0)
            the.march = argv[i] + 7;
        else
            for (size_t k = 0; k < sizeof(forms) / sizeof(forms[0]); k++) {
                the.forms = forms[k].forms;
                the.translated = the.rejected = 0;
                run_path(argv[i]);
                printf("%s, %s: %u translated, %u not\n", argv[i], forms[k].name, the.translated, the.rejected);
                CHECK(the.translated > 2 * the.rejected);
            }
    }
    return test_finish();
}
