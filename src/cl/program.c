/* Programs: made from source or binaries, built, compiled, linked, asked about. */
#define _POSIX_C_SOURCE 200809L
#include "cl/cl_priv.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef void(CL_CALLBACK *done_function)(cl_program program, void *data);

static cl_program create(cl_context context)
{
    cl_program program = cy_cl_create(CY_CL_PROGRAM, sizeof(*program));
    program->context = context;
    program->status = CL_BUILD_NONE;
    program->options = strdup("");
    program->log = strdup("");
    pthread_mutex_init(&program->lock, NULL);
    cy_cl_retain(context);
    return program;
}

void cy_cl_program_destroy(cl_program program)
{
    cy_cl_build_release(program->build);
    free(program->source);
    free(program->options);
    free(program->log);
    pthread_mutex_destroy(&program->lock);
    cy_cl_release(program->context);
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                                              const size_t *lengths, cl_int *errcode_ret)
{
    CHECK_CREATE(cy_cl_is(context, CY_CL_CONTEXT), CL_INVALID_CONTEXT);
    CHECK_CREATE(count && texts, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++)
        CHECK_CREATE(texts[i], CL_INVALID_VALUE);
    struct cy_buf source = {0};
    for (cl_uint i = 0; i < count; i++)
        cy_buf_append(&source, texts[i], lengths && lengths[i] ? lengths[i] : strlen(texts[i]));
    cl_program program = create(context);
    program->source = source.data ? source.data : strdup("");
    cy_cl_set_error(errcode_ret, CL_SUCCESS);
    return program;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                              const cl_device_id *devices, const size_t *lengths,
                                                              const unsigned char **binaries, cl_int *status,
                                                              cl_int *errcode_ret)
{
    CHECK_CREATE(cy_cl_is(context, CY_CL_CONTEXT), CL_INVALID_CONTEXT);
    CHECK_CREATE(count && devices && lengths && binaries, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++)
        CHECK_CREATE(cy_cl_is(devices[i], CY_CL_DEVICE), CL_INVALID_DEVICE);
    for (cl_uint i = 0; i < count; i++)
        if (!lengths[i] || !binaries[i]) {
            if (status)
                status[i] = CL_INVALID_VALUE;
            CHECK_CREATE(false, CL_INVALID_VALUE);
        }
    struct cy_cl_build *build = cy_cl_build_create();
    bool ok = cy_cl_binary_read(build, binaries[0], lengths[0]);
    if (status)
        status[0] = ok ? CL_SUCCESS : CL_INVALID_BINARY;
    if (!ok)
        cy_cl_build_release(build);
    CHECK_CREATE(ok, CL_INVALID_BINARY);
    cl_program program = create(context);
    program->build = build;
    program->has_binary = true;
    cy_cl_set_error(errcode_ret, CL_SUCCESS);
    return program;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count,
                                                                      const cl_device_id *devices, const char *names,
                                                                      cl_int *errcode_ret)
{
    CHECK_CREATE(cy_cl_is(context, CY_CL_CONTEXT), CL_INVALID_CONTEXT);
    CHECK_CREATE(count && devices && names, CL_INVALID_VALUE);
    cy_cl_set_error(errcode_ret, CL_INVALID_VALUE); /* there are none */
    return NULL;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void *il, size_t length,
                                                          cl_int *errcode_ret)
{
    (void)il, (void)length;
    CHECK_CREATE(cy_cl_is(context, CY_CL_CONTEXT), CL_INVALID_CONTEXT);
    cy_cl_set_error(errcode_ret, CL_INVALID_OPERATION); /* no intermediate language */
    return NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program program, cl_uint id, size_t size,
                                                                   const void *value)
{
    (void)id, (void)size, (void)value;
    CHECK(cy_cl_is(program, CY_CL_PROGRAM), CL_INVALID_PROGRAM);
    return CL_INVALID_OPERATION;
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramReleaseCallback(cl_program program,
                                                            void(CL_CALLBACK *call)(cl_program, void *), void *data)
{
    (void)call, (void)data;
    CHECK(cy_cl_is(program, CY_CL_PROGRAM), CL_INVALID_PROGRAM);
    return CL_INVALID_OPERATION; /* no program scope constructors and destructors */
}

CL_API_ENTRY cl_int CL_API_CALL clRetainProgram(cl_program program)
{
    CHECK(cy_cl_is(program, CY_CL_PROGRAM), CL_INVALID_PROGRAM);
    cy_cl_retain(program);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseProgram(cl_program program)
{
    CHECK(cy_cl_is(program, CY_CL_PROGRAM), CL_INVALID_PROGRAM);
    cy_cl_release(program);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform)
{
    CHECK(cy_cl_is(platform, CY_CL_PLATFORM), CL_INVALID_PLATFORM);
    return CL_SUCCESS; /* a hint */
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadCompiler(void)
{
    return CL_SUCCESS;
}

/* ---- building ---- */

/* Runs the compiler and stores what came out; the program's lock is held. */
static cl_build_status compile(cl_program program, const struct cy_cl_options *options, struct cy_cc_options *cc,
                               const char *source, cl_program_binary_type type)
{
    const struct cy_cl_compiler *compiler = cy_cl_compiler();
    struct cy_cc_result result = {0};
    struct cy_buf log = {0};
    struct cy_cl_build *build = cy_cl_build_create();
    build->type = type;
    build->uniform = options->standard < 200 || options->uniform_groups;
    cc->args = options->args.at;
    cc->arg_count = options->args.count;
    cc->library_dir = compiler->library_dir;
    cc->optimize = 2;
    bool ok = compiler->compile != NULL;
    if (!ok) {
        cy_buf_printf(&log, "%s\n", compiler->why);
    } else {
        ok = compiler->compile("program.cl", source, source ? strlen(source) : 0, cc, &result);
        cy_buf_puts(&log, result.log);
        ok = ok && cy_cl_build_take(build, program->context->device, &result, &log);
        compiler->free_result(&result);
    }
    cy_cl_build_release(program->build);
    program->build = ok ? build : NULL;
    if (!ok)
        cy_cl_build_release(build);
    free(program->log);
    program->log = log.data ? log.data : strdup("");
    program->status = ok ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    if (!ok && cy_cl_setting("CHENGYING_DEBUG"))
        fputs(program->log, stderr);
    return program->status;
}

static cl_int check_devices(cl_program program, cl_uint count, const cl_device_id *devices)
{
    CHECK(cy_cl_is(program, CY_CL_PROGRAM), CL_INVALID_PROGRAM);
    CHECK(!count == !devices, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++)
        CHECK(cy_cl_is(devices[i], CY_CL_DEVICE), CL_INVALID_DEVICE);
    return CL_SUCCESS;
}

static void keep_options(cl_program program, const char *text)
{
    free(program->options);
    program->options = strdup(text ? text : "");
}

/* A binary needs no compiler, unless it is an object, which clBuildProgram links. */
static cl_build_status build_binary(cl_program program)
{
    struct cy_buf log = {0};
    bool ok = program->build && program->build->elf &&
              (program->build->code || cy_cl_build_load(program->build, program->context->device, &log));
    free(program->log);
    program->log = log.data ? log.data : strdup("");
    return program->status = ok ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                               const char *text, done_function done, void *data)
{
    struct cy_cl_options options;
    struct cy_cc_options cc = {0};
    cl_int error = check_devices(program, count, devices);
    CHECK(error == CL_SUCCESS, error);
    CHECK(done || !data, CL_INVALID_VALUE);
    bool parsed = cy_cl_options_parse(&options, text, CY_CL_BUILD);
    if (!parsed)
        cy_cl_options_free(&options);
    CHECK(parsed, CL_INVALID_BUILD_OPTIONS);
    pthread_mutex_lock(&program->lock);
    bool attached = program->kernels != 0;
    if (!attached) {
        keep_options(program, text);
        cl_build_status status =
            program->has_binary ? build_binary(program)
                                : compile(program, &options, &cc, program->source, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
        error = status == CL_BUILD_SUCCESS ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
    }
    pthread_mutex_unlock(&program->lock);
    cy_cl_options_free(&options);
    CHECK(!attached, CL_INVALID_OPERATION);
    if (done)
        done(program, data);
    return error;
}

/* Headers become files in a directory of their own, which is removed again. */
struct headers {
    char directory[64];
    CY_VEC(char *) files;
};

static bool make_parents(struct headers *headers, char *path)
{
    for (char *slash = path + strlen(headers->directory) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        bool made = !mkdir(path, 0700);
        bool ok = made || errno == EEXIST;
        if (made)
            *cy_vec_push(&headers->files) = strdup(path);
        *slash = '/';
        if (!ok)
            return false;
    }
    return true;
}

static bool write_header(struct headers *headers, const char *name, const char *text)
{
    struct cy_buf path = {0};
    if (*name == '/' || strstr(name, ".."))
        return false;
    cy_buf_printf(&path, "%s/%s", headers->directory, name);
    FILE *file = make_parents(headers, path.data) ? fopen(path.data, "w") : NULL;
    bool ok = file && fputs(text, file) >= 0;
    if (file)
        ok &= !fclose(file);
    *cy_vec_push(&headers->files) = path.data;
    return ok;
}

static bool write_headers(struct headers *headers, cl_uint count, const cl_program *programs, const char **names)
{
    const char *place = getenv("TMPDIR");
    int length = snprintf(headers->directory, sizeof(headers->directory), "%s/chengying-XXXXXX",
                          place && *place && strlen(place) < 40 ? place : "/tmp");
    if (length < 0 || !mkdtemp(headers->directory))
        return false;
    bool ok = true;
    for (cl_uint i = 0; i < count && ok; i++)
        ok = write_header(headers, names[i], programs[i]->source ? programs[i]->source : "");
    return ok;
}

static void remove_headers(struct headers *headers)
{
    for (size_t i = headers->files.count; i-- > 0;) {
        remove(headers->files.at[i]);
        free(headers->files.at[i]);
    }
    cy_vec_free(&headers->files);
    rmdir(headers->directory);
}

CL_API_ENTRY cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                                 const char *text, cl_uint header_count, const cl_program *headers,
                                                 const char **names, done_function done, void *data)
{
    struct cy_cl_options options;
    struct cy_cc_options cc = {.compile_only = true};
    struct headers files = {0};
    cl_int error = check_devices(program, count, devices);
    CHECK(error == CL_SUCCESS, error);
    CHECK(!header_count == !headers && !header_count == !names, CL_INVALID_VALUE);
    CHECK(done || !data, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < header_count; i++)
        CHECK(cy_cl_is(headers[i], CY_CL_PROGRAM) && names[i], CL_INVALID_VALUE);
    CHECK(program->source, CL_INVALID_OPERATION);
    bool parsed = cy_cl_options_parse(&options, text, CY_CL_COMPILE);
    if (!parsed)
        cy_cl_options_free(&options);
    CHECK(parsed, CL_INVALID_COMPILER_OPTIONS);
    bool written = !header_count || write_headers(&files, header_count, headers, names);
    if (header_count)
        *cy_vec_push(&options.args) = cy_arena_printf(&options.arena, "-I%s", files.directory);
    pthread_mutex_lock(&program->lock);
    bool attached = program->kernels != 0;
    if (!attached && written) {
        keep_options(program, text);
        if (compile(program, &options, &cc, program->source, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT) !=
            CL_BUILD_SUCCESS)
            error = CL_COMPILE_PROGRAM_FAILURE;
    }
    pthread_mutex_unlock(&program->lock);
    if (header_count)
        remove_headers(&files);
    cy_cl_options_free(&options);
    CHECK(!attached, CL_INVALID_OPERATION);
    CHECK(written, CL_OUT_OF_HOST_MEMORY);
    if (done)
        done(program, data);
    return error;
}

CL_API_ENTRY cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint count, const cl_device_id *devices,
                                                  const char *text, cl_uint input_count, const cl_program *inputs,
                                                  done_function done, void *data, cl_int *errcode_ret)
{
    struct cy_cl_options options;
    CHECK_CREATE(cy_cl_is(context, CY_CL_CONTEXT), CL_INVALID_CONTEXT);
    CHECK_CREATE(!count == !devices, CL_INVALID_VALUE);
    CHECK_CREATE(input_count && inputs, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < input_count; i++)
        CHECK_CREATE(cy_cl_is(inputs[i], CY_CL_PROGRAM), CL_INVALID_PROGRAM);
    CHECK_CREATE(done || !data, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++)
        CHECK_CREATE(cy_cl_is(devices[i], CY_CL_DEVICE), CL_INVALID_DEVICE);
    for (cl_uint i = 0; i < input_count; i++)
        CHECK_CREATE(inputs[i]->build && inputs[i]->build->bitcode, CL_INVALID_OPERATION);
    bool parsed = cy_cl_options_parse(&options, text, CY_CL_LINK);
    if (!parsed)
        cy_cl_options_free(&options);
    CHECK_CREATE(parsed, CL_INVALID_LINKER_OPTIONS);
    struct cy_cc_part *parts = cy_xrealloc(NULL, input_count * sizeof(*parts));
    bool uniform = false;
    for (cl_uint i = 0; i < input_count; i++) {
        parts[i] = (struct cy_cc_part){inputs[i]->build->bitcode, inputs[i]->build->bitcode_size};
        uniform |= inputs[i]->build->uniform;
    }
    struct cy_cc_options cc = {.compile_only = options.create_library, .parts = parts, .part_count = input_count};
    cl_program program = create(context);
    keep_options(program, text);
    options.standard = uniform ? 120 : 300;
    cl_build_status status =
        compile(program, &options, &cc, NULL,
                options.create_library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    free(parts);
    cy_cl_options_free(&options);
    cy_cl_set_error(errcode_ret, status == CL_BUILD_SUCCESS ? CL_SUCCESS : CL_LINK_PROGRAM_FAILURE);
    if (done)
        done(program, data);
    return program;
}

/* ---- questions ---- */

static cl_int kernel_names(cl_program program, size_t size, void *value, size_t *size_ret)
{
    struct cy_buf names = {0};
    for (size_t i = 0; i < program->build->kernel_count; i++)
        cy_buf_printf(&names, "%s%s", i ? ";" : "", program->build->kernels[i].name);
    cl_int error = cy_cl_answer(names.data ? names.data : "", names.size + 1, size, value, size_ret);
    cy_buf_free(&names);
    return error;
}

static cl_int binaries(cl_program program, bool sizes_only, size_t size, void *value, size_t *size_ret)
{
    struct cy_buf binary = {0};
    unsigned char **to = value;
    if (program->build)
        cy_cl_binary_write(program->build, &binary);
    size_t length = binary.size;
    cl_int error = CL_SUCCESS;
    if (sizes_only)
        error = cy_cl_answer(&length, sizeof(length), size, value, size_ret);
    else if (value && size < sizeof(*to))
        error = CL_INVALID_VALUE;
    else if (value && to[0] && length)
        memcpy(to[0], binary.data, length);
    if (!sizes_only && size_ret)
        *size_ret = sizeof(*to);
    cy_buf_free(&binary);
    return error;
}

static cl_int program_info(cl_program program, cl_program_info name, size_t size, void *value, size_t *size_ret)
{
    bool built = program->status == CL_BUILD_SUCCESS && program->build && program->build->code;
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT: INFO(cl_uint, atomic_load(&program->object.references));
    case CL_PROGRAM_CONTEXT: INFO(cl_context, program->context);
    case CL_PROGRAM_NUM_DEVICES: INFO(cl_uint, 1);
    case CL_PROGRAM_DEVICES: INFO(cl_device_id, program->context->device);
    case CL_PROGRAM_SOURCE: INFO_TEXT(program->source ? program->source : "");
    case CL_PROGRAM_IL: INFO_DATA(NULL, 0);
    case CL_PROGRAM_BINARY_SIZES: return binaries(program, true, size, value, size_ret);
    case CL_PROGRAM_BINARIES: return binaries(program, false, size, value, size_ret);
    case CL_PROGRAM_NUM_KERNELS:
        CHECK(built, CL_INVALID_PROGRAM_EXECUTABLE);
        INFO(size_t, program->build->kernel_count);
    case CL_PROGRAM_KERNEL_NAMES:
        CHECK(built, CL_INVALID_PROGRAM_EXECUTABLE);
        return kernel_names(program, size, value, size_ret);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: INFO(cl_bool, CL_FALSE);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info name, size_t size, void *value,
                                                 size_t *size_ret)
{
    CHECK(cy_cl_is(program, CY_CL_PROGRAM), CL_INVALID_PROGRAM);
    pthread_mutex_lock(&program->lock);
    cl_int error = program_info(program, name, size, value, size_ret);
    pthread_mutex_unlock(&program->lock);
    return error;
}

static cl_int build_info(cl_program program, cl_program_build_info name, size_t size, void *value, size_t *size_ret)
{
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS: INFO(cl_build_status, program->status);
    case CL_PROGRAM_BUILD_OPTIONS: INFO_TEXT(program->options);
    case CL_PROGRAM_BUILD_LOG: INFO_TEXT(program->log);
    case CL_PROGRAM_BINARY_TYPE:
        INFO(cl_program_binary_type, program->build ? program->build->type : CL_PROGRAM_BINARY_TYPE_NONE);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: INFO(size_t, 0);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                                      cl_program_build_info name, size_t size, void *value,
                                                      size_t *size_ret)
{
    CHECK(cy_cl_is(program, CY_CL_PROGRAM), CL_INVALID_PROGRAM);
    CHECK(cy_cl_is(device, CY_CL_DEVICE), CL_INVALID_DEVICE);
    pthread_mutex_lock(&program->lock);
    cl_int error = build_info(program, name, size, value, size_ret);
    pthread_mutex_unlock(&program->lock);
    return error;
}
