/* against_interpreter [-march=TARGET] [-O0] FILE|DIRECTORY...: launches leave the same in memory, or fault at the same instruction, whether the
 * interpreter executes them or they are imported and evaluated.  Files are kernels of tests/kernels, assembly (*.s) with a
 * kernel k that has a buffer, or what assembly.py (tests/fuzz/engines) writes: random programs. */
#define _GNU_SOURCE
#include "base/file.h"
#include "chengying/cc.h"
#include "gpu_device/guest.h"
#include "jit/import/import.h"
#include "jit/import/machine.h"
#include "jit/import/request.h"
#include "kernels/case.h"

#include <dirent.h>
#include <sys/stat.h>

enum { LOCAL_ARGUMENTS = 1 << 19, METADATA_BYTES = 256, MOST_BUFFERS = MAX_DATA };

static struct {
    bool is_wide, is_plain;
    enum cy_target target;
    unsigned agreed, differed, faulted, interpreted, rejected;
} the;

/* ---- a launch on two machines ---- */

struct buffer {
    const void *bytes;
    size_t size;
    bool is_compared;
};

struct job {
    const char *name; /* for messages */
    struct cy_object *program;
    const char *kernel;
    unsigned threads, dimensions;
    uint32_t offset[3];
    struct launch launch;
    bool exchanges;
    const uint8_t *arguments;
    size_t argument_bytes;
};

/* Buffers have the same addresses on both. */
static bool place_buffers(struct machine *machine, const struct buffer *buffers, size_t count, uint64_t *places)
{
    for (size_t i = 0; i < count; i++) {
        places[i] = the.is_wide ? cy_memory_alloc_far(&machine->memory, buffers[i].size + 1, 0, false)
                                : cy_memory_alloc(&machine->memory, buffers[i].size + 1, 0);
        if (!CHECK(places[i] != 0))
            return false;
        memcpy(machine_at(machine, places[i]), buffers[i].bytes, buffers[i].size);
    }
    return true;
}

static void put_metadata(struct machine *machine, const struct cy_jit_request *request, const struct job *job)
{
    enum { ARGUMENTS = 1, WORK_DIM = 2, GLOBAL_SIZE = 3, LOCAL_SIZE = 6, OFFSET = 9 };
    uint32_t words[CY_JIT_METADATA_WORDS];
    memcpy(words, request->metadata, sizeof(words));
    words[ARGUMENTS] = MACHINE_WORDS + METADATA_BYTES;
    words[WORK_DIM] = job->dimensions;
    for (unsigned i = 0; i < 3; i++) {
        words[GLOBAL_SIZE + i] = job->launch.global[i];
        words[LOCAL_SIZE + i] = job->launch.local[i];
        words[OFFSET + i] = job->offset[i];
    }
    uint8_t *to = machine_at(machine, MACHINE_WORDS);
    memcpy(to, words, sizeof(words));
    memcpy(to + METADATA_BYTES, job->arguments, job->argument_bytes);
}

/* What is known of the request depends on the launch's dimensions and offset. */
static bool describe_launch(const struct job *job, struct cy_buf *out)
{
    enum { WORK_DIM = 2, OFFSET = 9, PRIVATE_WORD = 16 };
    const uint32_t *local = job->launch.local;
    const struct shape shape = {job->threads, {local[0], local[1], local[2]}, job->exchanges, false};
    if (!make_request(job->program, job->kernel, &shape, the.target, out))
        return false;
    struct cy_jit_request *request = (struct cy_jit_request *)(void *)out->data;
    request->metadata[WORK_DIM] = job->dimensions;
    request->metadata[PRIVATE_WORD] = request->private_bytes = job->launch.private_bytes;
    for (unsigned i = 0; i < 3; i++)
        if (job->offset[i])
            request->known &= ~(1u << (OFFSET + i));
    for (unsigned i = 0; i < 3; i++)
        request->whole &= job->launch.global[i] % local[i] == 0;
    return true;
}

static bool is_same(const struct job *job, struct machine machines[2], const struct buffer *buffers, size_t count,
                    uint64_t places[2][MOST_BUFFERS])
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *want = machine_at(&machines[0], places[0][i]), *got = machine_at(&machines[1], places[1][i]);
        size_t at = 0;
        while (at < buffers[i].size && want[at] == got[at])
            at++;
        if (at < buffers[i].size && buffers[i].is_compared) {
            printf("%s: buffer %zu differs from byte %zu on\n", job->name, i, at);
            return false;
        }
    }
    return true;
}

static void count_ending(const struct job *job, const struct ending *want, const struct ending *got,
                         bool is_same_memory)
{
    if (want->is_done && got->is_done && is_same_memory) {
        the.agreed++;
    } else if (want->has_faulted && got->has_faulted && want->pc == got->pc) {
        the.faulted++;
    } else {
        the.differed++;
        CHECK(!"it ends as the interpreter's");
        if (!want->is_done || !got->is_done)
            printf("%s: %s at 0x%x; the interpreter: %s at 0x%x\n", job->name, got->is_done ? "it ends" : got->why,
                   got->pc, want->is_done ? "it ends" : want->why, want->pc);
    }
}

/* Of these launches the later ones see what the earlier ones have stored. */
static bool run_job(const struct job *job, struct machine machines[2], const struct buffer *buffers, size_t count,
                    uint64_t places[2][MOST_BUFFERS])
{
    struct cy_buf request = {0}, why = {0};
    bool goes_on = false;
    if (!describe_launch(job, &request))
        return false;
    struct cy_sir_func *func = cy_jit_import((const void *)request.data, request.size, &why);
    if (func) {
        for (unsigned m = 0; m < 2; m++)
            put_metadata(&machines[m], (const void *)request.data, job);
        const struct ending want = machine_interpret(&machines[0], &job->launch),
                            got = machine_evaluate(&machines[1], &job->launch, func);
        goes_on = want.is_done && got.is_done && is_same(job, machines, buffers, count, places);
        count_ending(job, &want, &got, goes_on);
        the.interpreted += machines[1].interpreted != 0;
    } else {
        printf("%s: %s\n", job->name, why.data);
        the.rejected++;
    }
    cy_sir_free(func);
    cy_buf_free(&request);
    cy_buf_free(&why);
    return goes_on;
}

static bool open_machines(struct machine machines[2], struct cy_object *program, unsigned threads,
                          const struct buffer *buffers, size_t count, uint64_t places[2][MOST_BUFFERS])
{
    bool is_open = true;
    for (unsigned m = 0; m < 2; m++)
        is_open &= CHECK(machine_open(&machines[m], program, the.target, threads)) &&
                   place_buffers(&machines[m], buffers, count, places[m]);
    return is_open;
}

/* ---- kernels of tests/kernels ---- */

enum { THREADS = 32 };

static void choose_sizes(const struct run *run, struct job *job)
{
    struct launch *launch = &job->launch;
    job->dimensions = run->dims;
    for (unsigned i = 0; i < 3; i++) {
        launch->global[i] = i < run->dims ? (uint32_t)run->global[i] : 1;
        launch->local[i] = i < run->dims && run->has_local ? (uint32_t)run->local[i] : 1;
        job->offset[i] = i < run->dims ? (uint32_t)run->offset[i] : 0;
    }
    for (uint32_t size = 64; size && !run->has_local; size--)
        if (launch->global[0] % size == 0) {
            launch->local[0] = size;
            break;
        }
}

static size_t put_arguments(uint8_t *bytes, const struct run *run, const struct cy_kernel_info *info,
                            const uint64_t *places)
{
    const size_t pointer = the.is_wide ? 8 : 4;
    size_t at = 0, local = LOCAL_ARGUMENTS;
    for (size_t i = 0; i < run->arg_count; i++) {
        const struct arg *arg = &run->args[i];
        const bool is_value = arg->kind == ARG_VALUE;
        const size_t size = is_value ? arg->size : pointer, align = is_value ? info->arguments[i].align : pointer;
        const uint64_t place = arg->kind == ARG_DATA ? places[arg->data] : MACHINE_LDS + local;
        at += (align - at % align) % align;
        memcpy(bytes + at, is_value ? (const void *)arg->value : &place, size);
        at += size;
        local += arg->kind == ARG_LOCAL ? (arg->size + 255) & ~(size_t)255 : 0;
    }
    return at;
}

static const struct cy_kernel_info *find_kernel(struct cy_object *program, const char *name)
{
    struct cy_kernel_info *kernels;
    const size_t count = cy_object_kernels(program, &kernels);
    for (size_t i = 0; i < count; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

static void run_case(const char *path, struct cy_object *program, const struct test_case *c)
{
    static struct machine machines[2];
    static uint8_t arguments[CY_PAGE_SIZE - METADATA_BYTES];
    struct buffer buffers[MAX_DATA];
    uint64_t places[2][MOST_BUFFERS];
    char name[512];
    for (size_t i = 0; i < c->data_count; i++)
        buffers[i] = (struct buffer){c->data[i].initial, c->data[i].count * element_sizes[c->data[i].type], true};
    bool goes_on = open_machines(machines, program, THREADS, buffers, c->data_count, places);
    for (size_t i = 0; i < c->run_count && goes_on; i++) {
        const struct run *run = &c->runs[i];
        const struct cy_kernel_info *info = find_kernel(program, run->kernel);
        struct job job = {.name = name, .program = program, .kernel = run->kernel, .threads = THREADS};
        snprintf(name, sizeof(name), "%s:%u: %s", path, c->line, run->kernel);
        if (!CHECK(info))
            break;
        choose_sizes(run, &job);
        job.launch.private_bytes = (info->pds_bytes + 3) & ~3u;
        job.arguments = arguments;
        job.argument_bytes = put_arguments(arguments, run, info, places[0]);
        goes_on = run_job(&job, machines, buffers, c->data_count, places);
    }
    for (unsigned m = 0; m < 2; m++)
        machine_close(&machines[m]);
}

static void run_program(const char *path, const struct kernel_file *file, const void *elf, size_t size)
{
    struct cy_object program;
    struct cy_diags diags = {0};
    if (CHECK(cy_object_read(&program, path, elf, size, &diags))) {
        for (size_t i = 0; i < file->case_count; i++)
            run_case(path, &program, &file->cases[i]);
        cy_object_free(&program);
    }
    cy_diags_free(&diags);
}

/* ---- random programs ---- */

/* A line `program NUMBER TARGET SETTINGS DIMENSIONS GX GY GZ LX LY LZ SOURCE-BYTES BUFFERS`. */
struct random {
    unsigned long long number;
    char target[32], settings[128], *source;
    struct job job;
    struct buffer buffers[8];
    unsigned buffer_count;
    bool is_ordered; /* its lanes see in which order they run */
};

static bool read_random(char **at, struct random *r)
{
    uint32_t *global = r->job.launch.global, *local = r->job.launch.local;
    size_t bytes;
    int used = 0;
    memset(r, 0, sizeof(*r));
    r->is_ordered = true;
    if (sscanf(*at, "program %llu %31s %127s %u %u %u %u %u %u %u %zu %u\n%n", &r->number, r->target, r->settings,
               &r->job.dimensions, &global[0], &global[1], &global[2], &local[0], &local[1], &local[2], &bytes,
               &r->buffer_count, &used) != 12)
        return false;
    r->source = strndup(*at + used, bytes);
    *at += (size_t)used + bytes;
    for (unsigned i = 0; i < r->buffer_count; i++) {
        int is_compared = 0;
        if (!CHECK_EQ(sscanf(*at, "buffer %zu %d%n", &r->buffers[i].size, &is_compared, &used), 2))
            return false;
        r->buffers[i].bytes = *at + used + 1;
        r->buffers[i].is_compared = is_compared;
        *at += (size_t)used + 1 + r->buffers[i].size;
    }
    return true;
}

static void run_random_program(struct random *r, struct cy_object *program)
{
    static struct machine machines[2];
    uint64_t places[2][MOST_BUFFERS], all[8];
    uint32_t near[8];
    char name[64];
    const struct cy_kernel_info *info = find_kernel(program, "k");
    const char *threads = strstr(r->settings, "threads=");
    snprintf(name, sizeof(name), "program %llu", r->number);
    r->job.name = name;
    r->job.program = program;
    r->job.kernel = "k";
    r->job.threads = threads ? (unsigned)atoi(threads + 8) : THREADS;
    r->job.exchanges = r->is_ordered;
    r->job.launch.private_bytes = info ? (info->pds_bytes + 3) & ~3u : 0;
    if (open_machines(machines, program, r->job.threads, r->buffers, r->buffer_count, places)) {
        for (unsigned i = 0; i < r->buffer_count; i++) {
            all[i] = places[0][i];
            near[i] = (uint32_t)all[i];
        }
        r->job.arguments = (const uint8_t *)near;
        r->job.argument_bytes = r->buffer_count * sizeof(near[0]);
        run_job(&r->job, machines, r->buffers, r->buffer_count, places);
    }
    for (unsigned m = 0; m < 2; m++)
        machine_close(&machines[m]);
}

static void run_random(const char *path)
{
    struct cy_buf text = {0}, elf = {0};
    struct cy_diags diags = {0};
    struct cy_object program;
    struct random r;
    if (!CHECK(cy_file_read(path, &text, &diags)))
        return;
    cy_buf_append(&text, "", 1);
    for (char *at = text.data; read_random(&at, &r);) {
        the.is_wide = false; /* these take near addresses */
        if (strstr(r.settings, "mask=lane"))
            the.rejected++;
        else if (guest_build(r.source, r.target, &elf) &&
                 CHECK(cy_object_read(&program, path, elf.data, elf.size, &diags))) {
            the.target = strcmp(r.target, "ventus-gen2") == 0 ? CY_GEN2 : CY_GEN1;
            run_random_program(&r, &program);
            cy_object_free(&program);
        }
        free(r.source);
        cy_buf_free(&elf);
    }
    cy_buf_free(&text);
    cy_diags_free(&diags);
}

/* ---- assembly ---- */

/* With warps that are full, and one that is not. */
static void run_assembly(const char *path)
{
    enum { WORDS = 1024 };
    uint32_t noise[WORDS], word = 1;
    struct cy_buf text = {0}, elf = {0};
    struct cy_diags diags = {0};
    struct cy_object program;
    for (unsigned i = 0; i < WORDS; i++)
        noise[i] = word = word * 1664525 + 1013904223;
    for (unsigned i = 0; i < WORDS; i++)
        noise[i] >>= 16;
    if (!CHECK(cy_file_read(path, &text, &diags)))
        return;
    cy_buf_append(&text, "", 1);
    if (guest_build(text.data, the.target == CY_GEN2 ? "ventus-gen2" : "ventus", &elf) &&
        CHECK(cy_object_read(&program, path, elf.data, elf.size, &diags))) {
        struct random r = {.settings = "threads=32", .job.dimensions = 1, .buffer_count = 1};
        r.job.launch = (struct launch){.global = {168, 1, 1}, .local = {56, 1, 1}};
        r.buffers[0] = (struct buffer){noise, sizeof(noise), true};
        the.is_wide = false;
        run_random_program(&r, &program);
        cy_object_free(&program);
    }
    cy_buf_free(&text);
    cy_buf_free(&elf);
}

/* ---- files ---- */

static void run_file(const char *path)
{
    struct kernel_file file;
    if (CHECK(kernel_file_open(&file, path)) && CHECK(!file.has_images)) {
        char *args[16], *rest = NULL;
        struct cy_cc_options options = {
            .args = (const char *const *)args, .optimize = the.is_plain ? 0 : 2, .generation = the.is_wide ? 2 : 1};
        for (char *word = strtok_r(file.options, " ", &rest); word && options.arg_count < 16;
             word = strtok_r(NULL, " ", &rest))
            args[options.arg_count++] = word;
        struct cy_cc_result result;
        if (!CHECK(cy_cc(path, file.source, strlen(file.source), &options, &result)))
            fputs(result.log, stderr);
        else
            run_program(path, &file, result.elf, result.elf_size);
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
    return ends_in(entry->d_name, ".cl") || ends_in(entry->d_name, ".s");
}

static void run_path(const char *path)
{
    struct stat status;
    struct dirent **entries;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
        if (ends_in(path, ".cl"))
            run_file(path);
        else if (ends_in(path, ".s"))
            run_assembly(path);
        else
            run_random(path);
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
        the.is_wide |= strcmp(argv[i], "-march=ventus-gen2") == 0;
        the.is_plain |= strcmp(argv[i], "-O0") == 0;
        the.target = the.is_wide ? CY_GEN2 : CY_GEN1;
        if (argv[i][0] != '-')
            run_path(argv[i]);
    }
    printf("%u launches agree, %u fault where they should, %u differ, %u are not imported, %u needed the interpreter\n",
           the.agreed, the.faulted, the.differed, the.rejected, the.interpreted);
    CHECK(the.agreed > 0);
    return test_finish();
}
