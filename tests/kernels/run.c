/* Runs kernel files on our platform, without and with optimisation, and holds what they leave in their buffers against
 * another implementation of OpenCL: against its recorded results (the `gives` lines), or, if the loader shows a second
 * platform, against that platform itself, element by element.
 *
 *     run [--live | --update | --self | --run] [--with=OPTIONS] FILE|DIRECTORY...
 *
 * --live fails without a second platform, --update writes what it computes into the files; --self compares only our two
 * levels with each other; --run compares nothing, for options by which the levels may differ.  --with gives our compiler more options.
 * case.h says what a file looks like. */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <dirent.h>
#include <sys/stat.h>

#include "case.h"
#include "support/test.h"

/* One configuration in which to run a file. */
struct config {
    const char *title, *options;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

/* One configuration's results in the buffers of one case; bytes[i] is NULL if it did not get that far. */
struct result {
    unsigned char *bytes[MAX_DATA];
};

enum { MAX_CONFIGS = 3 };

static struct {
    struct config configs[MAX_CONFIGS];
    size_t count;
    const struct config *reference; /* NULL: none available */
    bool live, update, self, run;
    const char *with;
} the;

static bool add_config(cl_platform_id platform, const char *title, const char *options)
{
    struct config *config = &the.configs[the.count++];
    *config = (struct config){.title = title, .options = options};
    cl_int error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &config->device, NULL);
    if (error == CL_SUCCESS)
        config->context = clCreateContext(NULL, 1, &config->device, NULL, NULL, &error);
    if (error == CL_SUCCESS)
        config->queue = clCreateCommandQueue(config->context, config->device, 0, &error);
    return CHECK_EQ(error, CL_SUCCESS);
}

static bool find_platforms(void)
{
    cl_platform_id platforms[4];
    cl_uint count = 0;
    bool good = CHECK_EQ(clGetPlatformIDs(4, platforms, &count), CL_SUCCESS), ours = false;
    for (cl_uint i = 0; good && i < count && i < 4; i++) {
        char name[64] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL);
        if (strcmp(name, "Chengying") == 0) {
            ours = true;
            good = add_config(platforms[i], "-O0", "-cl-opt-disable") && add_config(platforms[i], "-O2", "");
        } else if (the.count < MAX_CONFIGS && !the.reference && !the.self && !the.run) {
            the.reference = &the.configs[the.count];
            good = add_config(platforms[i], "reference", "-cl-opt-disable"); /* faster, and easier to trust */
        }
    }
    return good && CHECK(ours || the.update);
}

static cl_program build(const struct config *config, const struct kernel_file *file)
{
    char options[512];
    snprintf(options, sizeof(options), "%s %s %s", config->options, file->options,
             config == the.reference || !the.with ? "" : the.with);
    cl_int error;
    const char *source = file->source;
    cl_program program = clCreateProgramWithSource(config->context, 1, &source, NULL, &error);
    if (error == CL_SUCCESS)
        error = clBuildProgram(program, 1, &config->device, options, NULL, NULL);
    if (!CHECK_EQ(error, CL_SUCCESS)) {
        static char log[65536];
        log[0] = '\0';
        clGetProgramBuildInfo(program, config->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        fprintf(stderr, "%s: does not build at %s\n%s\n", file->path, config->title, log);
        clReleaseProgram(program);
        return NULL;
    }
    return program;
}

static cl_int launch(const struct config *config, cl_program program, const struct run *run, const cl_mem *buffers)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, run->kernel, &error);
    if (error != CL_SUCCESS)
        return error;
    for (size_t i = 0; i < run->arg_count && error == CL_SUCCESS; i++) {
        const struct arg *arg = &run->args[i];
        bool data = arg->kind == ARG_DATA;
        error = clSetKernelArg(kernel, (cl_uint)i, data ? sizeof(cl_mem) : arg->size,
                               data                     ? (const void *)&buffers[arg->data]
                               : arg->kind == ARG_VALUE ? arg->value
                                                        : NULL);
    }
    cl_event event;
    if (error == CL_SUCCESS)
        error = clEnqueueNDRangeKernel(config->queue, kernel, run->dims, run->offset, run->global,
                                       run->has_local ? run->local : NULL, 0, NULL, &event);
    if (error == CL_SUCCESS) {
        error = clWaitForEvents(1, &event); /* a fault is not an error of the queue */
        clReleaseEvent(event);
    }
    clReleaseKernel(kernel);
    return error;
}

static void run_case(const struct config *config, cl_program program, const struct kernel_file *file,
                     const struct test_case *c, struct result *result)
{
    cl_mem buffers[MAX_DATA] = {0};
    cl_int error = CL_SUCCESS;
    const char *what = "a buffer";
    for (size_t i = 0; i < c->data_count && error == CL_SUCCESS; i++)
        buffers[i] = clCreateBuffer(config->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                    c->data[i].count * element_sizes[c->data[i].type], c->data[i].initial, &error);
    for (size_t i = 0; i < c->run_count && error == CL_SUCCESS; i++) {
        what = c->runs[i].kernel;
        error = launch(config, program, &c->runs[i], buffers);
    }
    for (size_t i = 0; i < c->data_count && error == CL_SUCCESS; i++) {
        size_t size = c->data[i].count * element_sizes[c->data[i].type];
        result->bytes[i] = malloc(size);
        error = clEnqueueReadBuffer(config->queue, buffers[i], CL_TRUE, 0, size, result->bytes[i], 0, NULL, NULL);
    }
    if (!CHECK_EQ(error, CL_SUCCESS))
        fprintf(stderr, "%s:%u: %s fails at %s\n", file->path, c->line, what, config->title);
    for (size_t i = 0; i < c->data_count; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
}

static double as_float(const unsigned char *bytes)
{
    float value;
    memcpy(&value, bytes, sizeof(value));
    return (double)value;
}

/* The first element in which two results differ; the count of the buffer if there is none. */
static size_t first_difference(const struct data *d, const unsigned char *a, const unsigned char *b, double near)
{
    size_t size = element_sizes[d->type], i = 0;
    while (i < d->count &&
           (memcmp(a + i * size, b + i * size, size) == 0 ||
            (near > 0 && d->type == E_FLOAT && close_enough(as_float(a + i * size), as_float(b + i * size), near))))
        i++;
    return i;
}

static void print_element(const struct data *d, const unsigned char *bytes, size_t i)
{
    uint64_t bits = 0;
    memcpy(&bits, bytes + i * element_sizes[d->type], element_sizes[d->type]);
    fprintf(stderr, "0x%" PRIx64, bits);
    if (d->type == E_FLOAT)
        fprintf(stderr, " (%.9g)", as_float(bytes + i * 4));
}

static void compare_live(const struct kernel_file *file, const struct test_case *c, const struct result *got,
                         const struct result *expected, const char *titles[2])
{
    for (size_t i = 0; i < c->data_count; i++) {
        if (!got->bytes[i] || !expected->bytes[i])
            continue; /* said already */
        size_t at = first_difference(&c->data[i], got->bytes[i], expected->bytes[i], c->near);
        if (CHECK_EQ(at, c->data[i].count))
            continue;
        fprintf(stderr, "%s:%u: %s: %s[%zu] is ", file->path, c->line, c->runs[0].kernel, c->data[i].name, at);
        print_element(&c->data[i], got->bytes[i], at);
        fprintf(stderr, " at %s, ", titles[0]);
        print_element(&c->data[i], expected->bytes[i], at);
        fprintf(stderr, " at %s\n", titles[1]);
    }
}

static void compare_recorded(const struct kernel_file *file, const struct test_case *c, const struct result *got,
                             const char *title)
{
    for (size_t i = 0; i < c->data_count; i++) {
        char text[256];
        if (!got->bytes[i])
            continue; /* said already */
        describe(text, sizeof(text), &c->data[i], got->bytes[i], c->near);
        if (!CHECK(agrees(text, c->data[i].gives, c->near)))
            fprintf(stderr, "%s:%u: %s: %s at %s is %s, recorded is %s\n", file->path, c->line, c->runs[0].kernel,
                    c->data[i].name, title, text, c->data[i].gives[0] ? c->data[i].gives : "nothing");
    }
}

/* Rewrites the file with the reference's results on the `gives` line of each case, after its last `run`. */
static void rewrite(const struct kernel_file *file, struct result results[][MAX_CASES])
{
    const struct result *reference = results[the.reference - the.configs];
    FILE *stream = fopen(file->path, "wb");
    if (!CHECK(stream != NULL))
        return;
    size_t c = 0;
    bool pending = false; /* launches without their `gives` have been copied */
    for (const char *line = file->source; *line;) {
        size_t length = strcspn(line, "\n") + 1;
        bool gives = strncmp(line, "// gives:", 9) == 0;
        bool more = strncmp(line, "// ", 3) == 0;
        if (pending && (gives || !more)) {
            fprintf(stream, "// gives:");
            for (size_t i = 0; i < file->cases[c].data_count; i++) {
                char text[256] = "";
                if (CHECK(reference[c].bytes[i] != NULL))
                    describe(text, sizeof(text), &file->cases[c].data[i], reference[c].bytes[i], file->cases[c].near);
                fprintf(stream, " %s=%s", file->cases[c].data[i].name, text);
            }
            fputc('\n', stream);
            pending = false;
            c++;
        }
        if (strncmp(line, "// run:", 7) == 0)
            pending = true;
        if (!gives)
            fwrite(line, 1, length, stream);
        line += length;
    }
    fclose(stream);
}

static void compare(const struct kernel_file *file, struct result results[][MAX_CASES])
{
    for (size_t i = 0; i < file->case_count; i++)
        for (size_t j = 0; j < the.count; j++) {
            const struct config *config = &the.configs[j];
            const struct config *other = the.self ? &the.configs[0] : the.reference;
            if (config == other)
                continue;
            if (other)
                compare_live(file, &file->cases[i], &results[j][i], &results[other - the.configs][i],
                             (const char *[]){config->title, other->title});
            else
                compare_recorded(file, &file->cases[i], &results[j][i], config->title);
        }
}

static void run_file(const char *path)
{
    static struct result results[MAX_CONFIGS][MAX_CASES];
    struct kernel_file file;
    if (CHECK(kernel_file_open(&file, path)) && CHECK(!file.has_images)) {
        unsigned long failed = test_counts.failed;
        for (size_t j = 0; j < the.count; j++) {
            cl_program program = build(&the.configs[j], &file);
            for (size_t i = 0; program && i < file.case_count; i++)
                run_case(&the.configs[j], program, &file, &file.cases[i], &results[j][i]);
            if (program)
                clReleaseProgram(program);
        }
        if (the.update && the.reference)
            rewrite(&file, results);
        else if (!the.run)
            compare(&file, results);
        printf("%s %s\n", test_counts.failed == failed ? "ok  " : "FAIL", path);
        fflush(stdout);
    }
    for (size_t j = 0; j < the.count; j++)
        for (size_t i = 0; file.cases && i < file.case_count; i++)
            for (size_t k = 0; k < MAX_DATA; k++) {
                free(results[j][i].bytes[k]);
                results[j][i].bytes[k] = NULL;
            }
    kernel_file_close(&file);
}

static int is_kernel(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".cl") == 0;
}

static void run_path(const char *path)
{
    struct stat status;
    struct dirent **entries;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
        run_file(path);
        return;
    }
    int count = scandir(path, &entries, is_kernel, alphasort);
    CHECK(count > 0);
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
        run_file(name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

int main(int argc, char **argv)
{
    int first = 1;
    for (; first < argc && argv[first][0] == '-'; first++) {
        the.live = the.live || strcmp(argv[first], "--live") == 0;
        the.update = the.update || strcmp(argv[first], "--update") == 0;
        the.self = the.self || strcmp(argv[first], "--self") == 0;
        the.run = the.run || strcmp(argv[first], "--run") == 0;
        the.with = strncmp(argv[first], "--with=", 7) == 0 ? argv[first] + 7 : the.with;
    }
    if (!find_platforms() || !CHECK((!the.live && !the.update) || the.reference))
        return test_finish();
    for (int i = first; i < argc; i++)
        run_path(argv[i]);
    for (size_t i = 0; i < the.count; i++) {
        clReleaseCommandQueue(the.configs[i].queue);
        clReleaseContext(the.configs[i].context);
    }
    return test_finish();
}
