/* Runs files of kernels (tests/kernels/case.h), on the first platform that the loader finds and its first device, and prints what is
 * in all buffers and images afterwards, and what the kernels printed.  What is compared, and with what, is up to the caller
 * (opencl.py), who chooses by the environment what runs them.
 *
 *     run_engines [--hex] [--binaries] [--options=OPTIONS] FILE...
 *
 * For each case of a file, by the number of its first launch's line:
 *
 *     case FILE LINE
 *     words NAME DIGEST     or with --hex all bytes
 *     printed TEXT          a line for each that was printed
 *     fault KERNEL ERROR    a launch that failed; what follows it is not launched
 *     end
 *
 * With --binaries the program that was compiled of FILE is left as FILE.riscv.  Or `build FILE FAILED`, with the compiler's log on standard error. */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/case.h"

static struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    FILE *out;   /* what was standard output, which belongs to the kernels */
    int printed; /* the file that has taken its place */
    bool hex, keeps_binaries;
    const char *options;
} the;

static bool open_device(void)
{
    cl_platform_id platform;
    cl_int error = clGetPlatformIDs(1, &platform, NULL);
    if (error == CL_SUCCESS)
        error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &the.device, NULL);
    if (error == CL_SUCCESS)
        the.context = clCreateContext(NULL, 1, &the.device, NULL, NULL, &error);
    if (error == CL_SUCCESS)
        the.queue = clCreateCommandQueueWithProperties(the.context, the.device, NULL, &error);
    if (error != CL_SUCCESS)
        fprintf(stderr, "no device: error %d\n", error);
    return error == CL_SUCCESS;
}

/* Kernels print to standard output: it becomes a file, which is read after each case. */
static bool take_output(void)
{
    const int own = dup(STDOUT_FILENO);
    FILE *file = tmpfile(); /* open as long as the process */
    the.printed = file ? fileno(file) : -1;
    the.out = own < 0 ? NULL : fdopen(own, "w");
    return the.out && the.printed >= 0 && dup2(the.printed, STDOUT_FILENO) >= 0;
}

static void show_printed(void)
{
    fflush(stdout);
    const off_t size = lseek(the.printed, 0, SEEK_END);
    char *text = size > 0 ? malloc((size_t)size + 1) : NULL;
    if (text && pread(the.printed, text, (size_t)size, 0) == (ssize_t)size) {
        char *rest = NULL;
        text[size] = '\0';
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            fprintf(the.out, "printed %s\n", line);
    }
    free(text);
    if (ftruncate(the.printed, 0) != 0 || lseek(the.printed, 0, SEEK_SET) != 0)
        abort();
}

static cl_program build(const struct kernel_file *file)
{
    char options[512];
    const char *source = file->source;
    cl_int error;
    snprintf(options, sizeof(options), "%s %s", file->options, the.options);
    cl_program program = clCreateProgramWithSource(the.context, 1, &source, NULL, &error);
    if (error == CL_SUCCESS)
        error = clBuildProgram(program, 1, &the.device, options, NULL, NULL);
    if (error == CL_SUCCESS)
        return program;
    static char log[65536];
    log[0] = '\0';
    if (program)
        clGetProgramBuildInfo(program, the.device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
    fprintf(stderr, "%s: does not build\n%s\n", file->path, log);
    fprintf(the.out, "build %s FAILED\n", file->path);
    if (program)
        clReleaseProgram(program);
    return NULL;
}

static void keep_binary(cl_program program, const char *path)
{
    size_t size = 0;
    clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL);
    unsigned char *bytes = malloc(size ? size : 1);
    char name[4096];
    snprintf(name, sizeof(name), "%s.riscv", path);
    FILE *file = bytes ? fopen(name, "wb") : NULL;
    if (file && clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL) == CL_SUCCESS)
        fwrite(bytes, 1, size, file);
    if (file)
        fclose(file);
    free(bytes);
}

/* ---- objects ---- */

union object {
    cl_mem mem;
    cl_sampler sampler;
};

static cl_int create(const struct data *d, union object *object)
{
    cl_int error;
    if (d->kind == A_BUFFER) {
        object->mem = clCreateBuffer(the.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                     d->count * element_sizes[d->type], d->initial, &error);
    } else if (d->kind == AN_IMAGE) {
        static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D};
        const cl_image_format format = {d->order, d->channel};
        const cl_image_desc desc = {.image_type = types[d->dims - 1],
                                    .image_width = d->size[0],
                                    .image_height = d->size[1],
                                    .image_depth = d->size[2]};
        object->mem =
            clCreateImage(the.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc, d->initial, &error);
    } else {
        const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                                    d->is_normalised,
                                                    CL_SAMPLER_ADDRESSING_MODE,
                                                    d->addressing,
                                                    CL_SAMPLER_FILTER_MODE,
                                                    d->filter,
                                                    0};
        object->sampler = clCreateSamplerWithProperties(the.context, properties, &error);
    }
    return error;
}

static cl_int read_back(const struct data *d, cl_mem mem, unsigned char *bytes)
{
    if (d->kind == A_BUFFER)
        return clEnqueueReadBuffer(the.queue, mem, CL_TRUE, 0, d->count * element_sizes[d->type], bytes, 0, NULL, NULL);
    const size_t origin[3] = {0}, region[3] = {d->size[0], d->dims > 1 ? d->size[1] : 1, d->dims > 2 ? d->size[2] : 1};
    return clEnqueueReadImage(the.queue, mem, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL);
}

static void show_words(const struct data *d, const unsigned char *bytes)
{
    char text[64];
    if (!the.hex) {
        describe(text, sizeof(text), d, bytes, 0);
        fprintf(the.out, "words %s %s\n", d->name, text);
        return;
    }
    fprintf(the.out, "words %s ", d->name);
    for (size_t i = 0; i < d->count * element_sizes[d->type]; i++)
        fprintf(the.out, "%02x", bytes[i]);
    fputc('\n', the.out);
}

/* ---- launches ---- */

static cl_int launch(cl_program program, const struct run *run, const struct data *data, const union object *objects)
{
    cl_int error;
    cl_event event = NULL;
    cl_kernel kernel = clCreateKernel(program, run->kernel, &error);
    if (error != CL_SUCCESS)
        return error;
    for (size_t i = 0; i < run->arg_count && error == CL_SUCCESS; i++) {
        const struct arg *arg = &run->args[i];
        const void *value = arg->kind == ARG_VALUE ? arg->value : NULL;
        size_t size = arg->size;
        if (arg->kind == ARG_DATA) {
            const bool is_sampler = data[arg->data].kind == A_SAMPLER;
            value = is_sampler ? (const void *)&objects[arg->data].sampler : (const void *)&objects[arg->data].mem;
            size = is_sampler ? sizeof(cl_sampler) : sizeof(cl_mem);
        }
        error = clSetKernelArg(kernel, (cl_uint)i, size, value);
    }
    if (error == CL_SUCCESS)
        error = clEnqueueNDRangeKernel(the.queue, kernel, run->dims, run->offset, run->global,
                                       run->has_local ? run->local : NULL, 0, NULL, &event);
    if (error == CL_SUCCESS)
        error = clWaitForEvents(1, &event); /* a fault is not an error of the queue */
    if (event)
        clReleaseEvent(event);
    clReleaseKernel(kernel);
    return error;
}

static void run_case(const struct kernel_file *file, cl_program program, const struct test_case *c)
{
    union object objects[MAX_DATA] = {{0}};
    cl_int error = CL_SUCCESS;
    fprintf(the.out, "case %s %u\n", file->path, c->line);
    for (size_t i = 0; i < c->data_count && error == CL_SUCCESS; i++)
        if ((error = create(&c->data[i], &objects[i])) != CL_SUCCESS)
            fprintf(the.out, "fault %s %d\n", c->data[i].name, error);
    for (size_t i = 0; i < c->run_count && error == CL_SUCCESS; i++)
        if ((error = launch(program, &c->runs[i], c->data, objects)) != CL_SUCCESS)
            fprintf(the.out, "fault %s %d\n", c->runs[i].kernel, error);
    for (size_t i = 0; i < c->data_count; i++) {
        const struct data *d = &c->data[i];
        unsigned char *bytes = d->kind == A_SAMPLER ? NULL : malloc(d->count * element_sizes[d->type]);
        if (bytes && objects[i].mem && read_back(d, objects[i].mem, bytes) == CL_SUCCESS)
            show_words(d, bytes);
        free(bytes);
        if (d->kind == A_SAMPLER && objects[i].sampler)
            clReleaseSampler(objects[i].sampler);
        else if (d->kind != A_SAMPLER && objects[i].mem)
            clReleaseMemObject(objects[i].mem);
    }
    show_printed();
    fprintf(the.out, "end\n");
    fflush(the.out);
}

static bool run_file(const char *path)
{
    struct kernel_file file;
    const bool good = kernel_file_open(&file, path);
    cl_program program = good ? build(&file) : NULL;
    if (program && the.keeps_binaries)
        keep_binary(program, path);
    for (size_t i = 0; program && i < file.case_count; i++)
        run_case(&file, program, &file.cases[i]);
    if (program)
        clReleaseProgram(program);
    kernel_file_close(&file);
    return good;
}

int main(int argc, char **argv)
{
    bool good = take_output() && open_device();
    int first = 1;
    the.options = "";
    for (; first < argc && argv[first][0] == '-'; first++) {
        the.hex |= strcmp(argv[first], "--hex") == 0;
        the.keeps_binaries |= strcmp(argv[first], "--binaries") == 0;
        the.options = strncmp(argv[first], "--options=", 10) == 0 ? argv[first] + 10 : the.options;
    }
    for (int i = first; good && i < argc; i++)
        good = run_file(argv[i]);
    if (the.queue)
        clReleaseCommandQueue(the.queue);
    if (the.context)
        clReleaseContext(the.context);
    return good ? 0 : 1;
}
