/* What users read of a launch that differs, and the folder that it leaves. */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "verify/verify.h"
#include "verify/wrong.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 1000, LOCAL = 64 };

/* Where V is, the two programs differ. */
static const char source[] =
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "#define I uint i = get_global_id(0)\n"
    "kernel void halves(global half *a, global uint *f) { I; a[i] = i == 77 ? V : 1; }\n"
    "kernel void doubles(global double2 *a, global uint *f) { I; if (i % 2 == 0) a[i / 2].y = (int)(i == 76 ? V : 1); "
    "}\n"
    "kernel void bytes(global char *a, global uint *f) { I; a[i] = i == 77 ? -V : 1; }\n"
    "struct pair { float x; int y; };\n"
    "kernel void structures(global struct pair *a, global uint *f) { I; a[i].y = i == 77 ? V : 1; }\n"
    "global float kept[1000];\n"
    "kernel void variable(global uint *a, global uint *f) { I; kept[i] = i == 77 ? V : 1; }\n"
    "kernel void parts(global uint *a, global uint *f) { I; (a + 100)[i] = i == 77 ? V : 1; }\n"
    "kernel void same(global uint *a, global uint *f) { I; if (i & 1) f[0] = 1; a[i] = i == 77 ? V : 1; }\n"
    "kernel void elsewhere(global uint *a, global uint *f) { I; f[0] = i & 7; a[i] = i == 77 ? V : 1; }\n"
    "kernel void here(global uint *a, global uint *f) { I; f[0] = (i & 7) + V; a[i] = 1; }\n"
    "kernel void both(global uint *a, global uint *f) { I; a[0] = (i & 7) + V; if (i) a[i] = i == 77 ? V : 1; }\n"
    "kernel void local_race(global uint *a, global uint *f) { I; local uint t[64]; uint l = get_local_id(0);\n"
    "  t[l] = 1; t[(l + 9) & 63] = l; barrier(CLK_LOCAL_MEM_FENCE); a[i] = t[l] + (i == 77 ? V : 1); }\n";

static const char *march;

static const struct {
    const char *kernel;
    const char *texts[5]; /* that the report has; NULL: no more */
    bool depends_on_order;
} reports[] = {
    {"halves",
     {"the first: argument 0 ('a', half*), element [77], at 0x", "translated  0x4a00 (12)\n",
      "interpreted 0x4980 (11), written by work-item (77, 0, 0) at wrong.cl:3\n"},
     false},
    {"doubles",
     {"('a', double2*), element [77], at 0x", "translated  0x4028000000000000 (12)\n",
      "interpreted 0x4026000000000000 (11), written by work-item (76, 0, 0) at wrong.cl:4\n"},
     false},
    {"bytes",
     {"('a', char*), element [77], at 0x", "translated  0xf4 (-12)\n",
      "interpreted 0xf5 (-11), written by work-item (77, 0, 0)"},
     false},
    {"structures", {"argument 0 ('a', struct pair*), word [155], at 0x", "translated  0x0000000c (12)\n"}, false},
    {"variable", {"1 word differs; the first: variable 'kept' of the program, word [77], at 0x8"}, false},
    {"parts", {"('a', uint*), element [177]"}, false},
    {"same", {"1 word differs", "('a', uint*), element [77]"}, false},
    {"elsewhere",
     {"('a', uint*), element [77]", "other words have a race, on which this may depend: wrong.cl:12: data race on"},
     false},
    {"here",
     {"depends on the order of work-items: wrong.cl:13: data race on", "argument 1 ('f', uint*), element [0]"},
     true},
    {"both", {"('a', uint*), element [77]", "other words have a race"}, false},
    {"local_race", {"depends on the order of work-items: wrong.cl:16: data race on"}, true},
};

/* ---- one launch ---- */

struct ending {
    struct cy_verified sums;
    uint64_t differences;
};

static const char *path_of(const char *name)
{
    static char path[4200];
    snprintf(path, sizeof(path), "%s/%s", test_env("CY_TMP"), name);
    return path;
}

static struct ending launch(const char *kernel, bool stop)
{
    char folder[4200];
    struct ending ending;
    struct cy_device *device = guest_device("engine=verify");
    struct cy_program *programs[2];
    snprintf(folder, sizeof(folder), "%s", path_of(stop ? "stopped" : "found"));
    struct cy_verifying *verifying = cy_verifying_create(&(struct cy_verifying_options){folder, stop});
    CHECK(verifying && cy_verifying_attach(verifying, device));
    cy_device_set_translator(device, &(struct cy_translator){.translate = translate});
    for (unsigned i = 0; i < 2; i++)
        CHECK_EQ(cy_program_load(device, "wrong", elfs[i].data, elfs[i].size, &programs[i], NULL), CY_OK);
    other = programs[1];
    struct cy_arguments *arguments = cy_arguments_create();
    const bool is_far = strcmp(march, "ventus-gen2") == 0;
    cy_arguments_set_pointer_bytes(arguments, is_far ? 8 : 4);
    for (unsigned i = 0; i < 2; i++) {
        uint64_t address = 0;
        uint32_t near = 0;
        CHECK_EQ(is_far ? cy_device_alloc_far(device, ITEMS * 8, 0, &address)
                        : cy_device_alloc(device, ITEMS * 8, 0, &near),
                 CY_OK);
        cy_arguments_pointer(arguments, address + near);
    }
    struct cy_launch_desc desc = {
        .program = programs[0], .kernel = kernel, .arguments = arguments, .global = {ITEMS}, .local = {LOCAL}};
    struct cy_launch *done = NULL;
    CHECK_EQ(cy_launch_run(device, &desc, &done, NULL), CY_OK);
    ending.differences = cy_verifying_finish(verifying);
    cy_device_verified(device, &ending.sums);
    cy_launch_release(done);
    cy_arguments_destroy(arguments);
    for (unsigned i = 0; i < 2; i++)
        cy_program_release(programs[i]);
    cy_device_close(device);
    cy_verifying_destroy(verifying);
    other = NULL;
    return ending;
}

/* What standard error got meanwhile. */
static struct cy_buf said;

static struct ending listen(const char *kernel)
{
    struct cy_diags diags = {0};
    FILE *file = fopen(path_of("said"), "w");
    const int before = dup(STDERR_FILENO);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    const struct ending ending = launch(kernel, false);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    fclose(file);
    said.size = 0;
    CHECK(cy_file_read(path_of("said"), &said, &diags));
    return ending;
}

static bool says(const char *text)
{
    const bool is_there = strstr(said.data, text) != NULL;
    if (!is_there)
        fprintf(stderr, "no '%s' in:\n%s", text, said.data);
    return is_there;
}

/* ---- the tests ---- */

static void test_reports(void)
{
    for (size_t i = 0; i < CY_COUNT(reports); i++) {
        char first[200], folder[200];
        const struct ending ending = listen(reports[i].kernel);
        const bool ordered = reports[i].depends_on_order;
        CHECK_EQ(ending.sums.verified, 1);
        CHECK_EQ(ending.sums.different, !ordered);
        CHECK_EQ(ending.sums.ordered, ordered);
        CHECK_EQ(ending.differences, !ordered);
        snprintf(first, sizeof(first), "verify: kernel '%s', launch 1: %s", reports[i].kernel,
                 ordered ? "depends on the order of work-items: " : "translated code (");
        snprintf(folder, sizeof(folder), "/found/%s-1' runs it again, anywhere\n", reports[i].kernel);
        CHECK(says(first));
        CHECK(ordered || says(", strips of "));
        CHECK(ordered || says(folder));
        CHECK(ordered || says("please report it: pack that folder (tar czf difference.tar.gz "));
        for (unsigned k = 0; k < CY_COUNT(reports[i].texts) && reports[i].texts[k]; k++)
            CHECK(says(reports[i].texts[k]));
    }
}

/* What was recorded is the interpreter's: a sound translator gives the same in another directory, wherever the folder is. */
static void test_folders(void)
{
    struct cy_buf command = {0};
    const char *folder = path_of("found");
    cy_buf_printf(&command,
                  "mv '%s' '%s-elsewhere' && cd / && '%s' verify '%s-elsewhere'/*-1 > '%s-said' && test $(grep -c "
                  "'translated code.*as expected' '%s-said') = %u",
                  folder, folder, test_env("CY"), folder, folder, folder, (unsigned)CY_COUNT(reports) - 2);
    CHECK_EQ(system(command.data), 0);
    cy_buf_free(&command);
}

static void test_stop(void)
{
    int status;
    fflush(stderr);
    const pid_t child = fork();
    if (!child) {
        freopen("/dev/null", "w", stderr);
        launch("bytes", true);
        _exit(0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

int main(void)
{
    static const char *const generations[] = {"ventus", "ventus-gen2"};
    for (unsigned i = 0; i < 2; i++) {
        march = generations[i];
        compile(source, march);
        test_reports();
        if (!i)
            test_folders();
        test_stop();
    }
    for (unsigned i = 0; i < 2; i++)
        cy_buf_free(&elfs[i]);
    cy_buf_free(&said);
    return test_finish();
}
