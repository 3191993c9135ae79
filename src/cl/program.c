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
    for (cl_uint i = 0; i < context->device_count; i++)
        program->built[i].status = CL_BUILD_NONE;
    pthread_mutex_init(&program->lock, NULL);
    cy_cl_retain(context);
    return program;
}

/* What the program was on a device until now goes. */
static void forget(struct cy_cl_built *built)
{
    cy_cl_build_release(built->build);
    free(built->options);
    free(built->log);
    *built = (struct cy_cl_built){.status = CL_BUILD_NONE};
}

void cy_cl_program_destroy(cl_program program)
{
    for (cl_uint i = 0; i < program->context->device_count; i++)
        forget(&program->built[i]);
    free(program->source);
    pthread_mutex_destroy(&program->lock);
    cy_cl_release(program->context);
}

struct cy_cl_build *cy_cl_program_executable(cl_program program)
{
    for (cl_uint i = 0; i < program->context->device_count; i++)
        if (program->built[i].build && program->built[i].build->code[i])
            return program->built[i].build;
    return NULL;
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
    for (cl_uint i = 0; i < context->device_count; i++)
        program->has_device[i] = true;
    cy_cl_set_error(errcode_ret, CL_SUCCESS);
    return program;
}

static cl_int load_binary(cl_program program, cl_device_id device, const unsigned char *bytes, size_t size)
{
    cl_uint index;
    CHECK(bytes && size, CL_INVALID_VALUE);
    struct cy_cl_build *build = cy_cl_build_create();
    if (!cy_cl_binary_read(build, bytes, size)) {
        cy_cl_build_release(build);
        return CL_INVALID_BINARY;
    }
    cy_cl_find_device(program->context, device, &index);
    forget(&program->built[index]);
    program->built[index].build = build;
    program->has_device[index] = true;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                              const cl_device_id *devices, const size_t *lengths,
                                                              const unsigned char **binaries, cl_int *status,
                                                              cl_int *errcode_ret)
{
    CHECK_CREATE(cy_cl_is(context, CY_CL_CONTEXT), CL_INVALID_CONTEXT);
    CHECK_CREATE(count && devices && lengths && binaries, CL_INVALID_VALUE);
    cl_int error = CL_SUCCESS;
    cl_uint index;
    for (cl_uint i = 0; i < count; i++)
        CHECK_CREATE(cy_cl_find_device(context, devices[i], &index), CL_INVALID_DEVICE);
    cl_program program = create(context);
    program->has_binary = true;
    for (cl_uint i = 0; i < count; i++) {
        cl_int found = load_binary(program, devices[i], binaries[i], lengths[i]);
        if (status)
            status[i] = found;
        if (found != CL_SUCCESS)
            error = found;
    }
    if (error != CL_SUCCESS)
        cy_cl_release(program);
    cy_cl_set_error(errcode_ret, error);
    return error == CL_SUCCESS ? program : NULL;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count,
                                                                      const cl_device_id *devices, const char *names,
                                                                      cl_int *errcode_ret)
{
    CHECK_CREATE(cy_cl_is(context, CY_CL_CONTEXT), CL_INVALID_CONTEXT);
    CHECK_CREATE(count && devices && names, CL_INVALID_VALUE);
    cl_uint index;
    for (cl_uint i = 0; i < count; i++)
        CHECK_CREATE(cy_cl_find_device(context, devices[i], &index), CL_INVALID_DEVICE);
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

/* What one call of the three functions that build is about. */
struct job {
    cl_program program;
    const char *text; /* the options as given */
    struct cy_cl_options options;
    bool devices[CY_CL_MAX_DEVICES];
};

static char *copy(const char *text)
{
    return strdup(text ? text : "");
}

/* The program is this on one of its devices from now on. */
static void store(struct job *job, cl_uint device, struct cy_cl_build *build, const char *log)
{
    struct cy_cl_built *built = &job->program->built[device];
    if (build)
        atomic_fetch_add_explicit(&build->references, 1, memory_order_relaxed);
    forget(built);
    *built = (struct cy_cl_built){.status = build ? CL_BUILD_SUCCESS : CL_BUILD_ERROR,
                                  .options = copy(job->text),
                                  .log = copy(log),
                                  .build = build};
}

/* Loads a build into the devices of a job that want it; true: all could. */
static bool load(struct job *job, struct cy_cl_build *build, struct cy_buf *log)
{
    bool ok = true;
    for (cl_uint i = 0; build->elf && i < job->program->context->device_count; i++)
        if (job->devices[i])
            ok &= cy_cl_build_load(build, job->program->context, i, log);
    return ok;
}

/* Runs the compiler and stores what came out for the devices of the job; the program's lock is held. */
static bool compile(struct job *job, struct cy_cc_options *cc, const char *source, cl_program_binary_type type)
{
    const struct cy_cl_compiler *compiler = cy_cl_compiler();
    struct cy_cc_result result = {0};
    struct cy_buf log = {0};
    struct cy_cl_build *build = cy_cl_build_create();
    build->type = type;
    build->uniform = job->options.standard < 200 || job->options.uniform_groups;
    cc->args = job->options.args.at;
    cc->arg_count = job->options.args.count;
    cc->library_dir = compiler->library_dir;
    cc->optimize = 2;
    bool ok = compiler->compile != NULL;
    if (!ok) {
        cy_buf_printf(&log, "%s\n", compiler->why);
    } else {
        ok = compiler->compile("program.cl", source, source ? strlen(source) : 0, cc, &result);
        cy_buf_puts(&log, result.log);
        if (ok)
            cy_cl_build_take(build, &result);
        ok = ok && load(job, build, &log);
        compiler->free_result(&result);
    }
    for (cl_uint i = 0; i < job->program->context->device_count; i++)
        if (job->devices[i])
            store(job, i, ok ? build : NULL, log.data);
    if (!ok && cy_cl_setting("CHENGYING_DEBUG"))
        fputs(log.data ? log.data : "", stderr);
    cy_cl_build_release(build);
    cy_buf_free(&log);
    return ok;
}

/* The devices that a call names, or all of the program's. */
static cl_int take_devices(struct job *job, cl_program program, cl_uint count, const cl_device_id *devices)
{
    cl_uint index;
    CHECK(cy_cl_is(program, CY_CL_PROGRAM), CL_INVALID_PROGRAM);
    CHECK(!count == !devices, CL_INVALID_VALUE);
    job->program = program;
    for (cl_uint i = 0; i < count; i++) {
        CHECK(cy_cl_find_device(program->context, devices[i], &index) && program->has_device[index], CL_INVALID_DEVICE);
        job->devices[index] = true;
    }
    if (!count)
        memcpy(job->devices, program->has_device, sizeof(job->devices));
    return CL_SUCCESS;
}

/* A binary that is an executable needs no compiler; an object or a library is linked. */
static bool build_binaries(struct job *job)
{
    bool ok = true;
    struct job one = *job;
    for (cl_uint i = 0; i < job->program->context->device_count; i++) {
        struct cy_cl_build *build = job->program->built[i].build;
        struct cy_buf log = {0};
        memset(one.devices, 0, sizeof(one.devices));
        one.devices[i] = job->devices[i];
        if (!job->devices[i])
            continue;
        if (build->elf) {
            bool loaded = load(&one, build, &log);
            store(&one, i, loaded ? build : NULL, log.data);
            ok &= loaded;
        } else {
            const struct cy_cc_part part = {build->bitcode, build->bitcode_size};
            struct cy_cc_options cc = {.parts = &part, .part_count = 1};
            one.options.standard = build->uniform ? 120 : 300;
            atomic_fetch_add_explicit(&build->references, 1, memory_order_relaxed); /* the part is in it */
            ok &= compile(&one, &cc, NULL, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
            cy_cl_build_release(build);
        }
        cy_buf_free(&log);
    }
    return ok;
}

static bool has_binaries(const struct job *job)
{
    for (cl_uint i = 0; i < job->program->context->device_count; i++)
        if (job->devices[i] && !job->program->built[i].build)
            return false;
    return true;
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                               const char *text, done_function done, void *data)
{
    struct job job = {.text = text};
    struct cy_cc_options cc = {0};
    cl_int error = take_devices(&job, program, count, devices);
    CHECK(error == CL_SUCCESS, error);
    CHECK(done || !data, CL_INVALID_VALUE);
    CHECK(program->source || program->has_binary, CL_INVALID_OPERATION); /* a linked one is built */
    bool parsed = cy_cl_options_parse(&job.options, text, CY_CL_BUILD);
    pthread_mutex_lock(&program->lock);
    if (!parsed)
        error = CL_INVALID_BUILD_OPTIONS;
    else if (program->kernels)
        error = CL_INVALID_OPERATION;
    else if (program->has_binary && !has_binaries(&job))
        error = CL_INVALID_BINARY; /* a build of it has failed before */
    else if (!(program->has_binary ? build_binaries(&job)
                                   : compile(&job, &cc, program->source, CL_PROGRAM_BINARY_TYPE_EXECUTABLE)))
        error = CL_BUILD_PROGRAM_FAILURE;
    pthread_mutex_unlock(&program->lock);
    cy_cl_options_free(&job.options);
    if (done && (error == CL_SUCCESS || error == CL_BUILD_PROGRAM_FAILURE))
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
    FILE *file = make_parents(headers, path.data) ? fopen(path.data, "wx") : NULL;
    if (!file && errno == EEXIST) { /* of two headers of one name the first counts */
        cy_buf_free(&path);
        return true;
    }
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
    struct job job = {.text = text};
    struct cy_cc_options cc = {.compile_only = true};
    struct headers files = {0};
    cl_int error = take_devices(&job, program, count, devices);
    CHECK(error == CL_SUCCESS, error);
    CHECK(!header_count == !headers && !header_count == !names, CL_INVALID_VALUE);
    CHECK(done || !data, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < header_count; i++)
        CHECK(cy_cl_is(headers[i], CY_CL_PROGRAM) && names[i], CL_INVALID_VALUE);
    CHECK(program->source, CL_INVALID_OPERATION);
    bool parsed = cy_cl_options_parse(&job.options, text, CY_CL_COMPILE);
    if (!parsed)
        cy_cl_options_free(&job.options);
    CHECK(parsed, CL_INVALID_COMPILER_OPTIONS);
    bool written = !header_count || write_headers(&files, header_count, headers, names);
    if (header_count) { /* they are looked for before those of the directories that the options name */
        const char *first = job.options.args.at[0];
        *cy_vec_push(&job.options.args) = first;
        job.options.args.at[0] = cy_arena_printf(&job.options.arena, "-I%s", files.directory);
    }
    pthread_mutex_lock(&program->lock);
    if (program->kernels)
        error = CL_INVALID_OPERATION;
    else if (!written)
        error = CL_OUT_OF_HOST_MEMORY;
    else if (!compile(&job, &cc, program->source, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT))
        error = CL_COMPILE_PROGRAM_FAILURE;
    pthread_mutex_unlock(&program->lock);
    if (header_count)
        remove_headers(&files);
    cy_cl_options_free(&job.options);
    if (done && (error == CL_SUCCESS || error == CL_COMPILE_PROGRAM_FAILURE))
        done(program, data);
    return error;
}

/* Links what the inputs are on one device.  When the device before had the same inputs, it has the same result. */
static bool link_device(struct job *job, cl_uint device, cl_uint before, cl_uint count, const cl_program *inputs)
{
    struct cy_cc_part *parts = cy_xrealloc(NULL, count * sizeof(*parts));
    bool same = before < device, uniform = false, ok;
    struct job one = *job;
    struct cy_buf log = {0};
    memset(one.devices, 0, sizeof(one.devices));
    one.devices[device] = true;
    for (cl_uint i = 0; i < count; i++) {
        const struct cy_cl_build *build = inputs[i]->built[device].build;
        parts[i] = (struct cy_cc_part){build->bitcode, build->bitcode_size};
        uniform |= build->uniform;
        same = same && inputs[i]->built[before].build == build;
    }
    struct cy_cl_build *made = same ? job->program->built[before].build : NULL;
    if (made) {
        ok = load(&one, made, &log);
        store(&one, device, ok ? made : NULL, job->program->built[before].log);
    } else {
        struct cy_cc_options cc = {.compile_only = job->options.create_library, .parts = parts, .part_count = count};
        one.options.standard = uniform ? 120 : 300;
        ok = compile(&one, &cc, NULL,
                     job->options.create_library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    }
    free(parts);
    cy_buf_free(&log);
    return ok;
}

CL_API_ENTRY cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint count, const cl_device_id *devices,
                                                  const char *text, cl_uint input_count, const cl_program *inputs,
                                                  done_function done, void *data, cl_int *errcode_ret)
{
    struct job job = {.text = text};
    cl_uint index;
    CHECK_CREATE(cy_cl_is(context, CY_CL_CONTEXT), CL_INVALID_CONTEXT);
    CHECK_CREATE(!count == !devices, CL_INVALID_VALUE);
    CHECK_CREATE(input_count && inputs, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < input_count; i++)
        CHECK_CREATE(cy_cl_is(inputs[i], CY_CL_PROGRAM) && inputs[i]->context == context, CL_INVALID_PROGRAM);
    CHECK_CREATE(done || !data, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++) {
        CHECK_CREATE(cy_cl_find_device(context, devices[i], &index), CL_INVALID_DEVICE);
        job.devices[index] = true;
    }
    for (cl_uint i = 0; i < context->device_count; i++)
        job.devices[i] |= !count;
    bool named[CY_CL_MAX_DEVICES], any = false;
    memcpy(named, job.devices, sizeof(named));
    for (cl_uint d = 0; d < context->device_count; d++) { /* all inputs have something for a device, or none */
        cl_uint compiled = 0;
        for (cl_uint i = 0; i < input_count; i++)
            compiled += inputs[i]->built[d].build && inputs[i]->built[d].build->bitcode;
        CHECK_CREATE(!job.devices[d] || !compiled || compiled == input_count, CL_INVALID_OPERATION);
        job.devices[d] &= compiled != 0;
        any |= job.devices[d];
    }
    CHECK_CREATE(any, CL_INVALID_OPERATION);
    bool ok = cy_cl_options_parse(&job.options, text, CY_CL_LINK);
    if (!ok)
        cy_cl_options_free(&job.options);
    CHECK_CREATE(ok, CL_INVALID_LINKER_OPTIONS);
    cl_program program = job.program = create(context);
    memcpy(program->has_device, named, sizeof(named));
    for (cl_uint d = 0, before = CY_CL_MAX_DEVICES; d < context->device_count; d++)
        if (job.devices[d]) {
            ok &= link_device(&job, d, before, input_count, inputs);
            before = d;
        }
    cy_cl_options_free(&job.options);
    cy_cl_set_error(errcode_ret, ok ? CL_SUCCESS : CL_LINK_PROGRAM_FAILURE);
    if (done)
        done(program, data);
    return program;
}

/* ---- questions ---- */

static cl_int kernel_names(const struct cy_cl_build *build, size_t size, void *value, size_t *size_ret)
{
    struct cy_buf names = {0};
    for (size_t i = 0; i < build->kernel_count; i++)
        cy_buf_printf(&names, "%s%s", i ? ";" : "", build->kernels[i].name);
    cl_int error = cy_cl_answer(names.data ? names.data : "", names.size + 1, size, value, size_ret);
    cy_buf_free(&names);
    return error;
}

/* One entry for each device of the program: the size of its binary, or the place to write it to. */
static cl_int binaries(cl_program program, bool sizes_only, size_t size, void *value, size_t *size_ret)
{
    size_t sizes[CY_CL_MAX_DEVICES], count = 0;
    unsigned char **to = sizes_only ? NULL : value;
    for (cl_uint i = 0; i < program->context->device_count; i++)
        count += program->has_device[i];
    CHECK(!to || size >= count * sizeof(*to), CL_INVALID_VALUE);
    count = 0;
    for (cl_uint i = 0; i < program->context->device_count; i++) {
        struct cy_buf binary = {0};
        if (!program->has_device[i])
            continue;
        if (program->built[i].build)
            cy_cl_binary_write(program->built[i].build, &binary);
        sizes[count] = binary.size;
        if (to && to[count] && binary.size)
            memcpy(to[count], binary.data, binary.size);
        cy_buf_free(&binary);
        count++;
    }
    if (sizes_only)
        INFO_DATA(sizes, count * sizeof(*sizes));
    if (size_ret)
        *size_ret = count * sizeof(*to);
    return CL_SUCCESS;
}

static cl_int program_info(cl_program program, cl_program_info name, size_t size, void *value, size_t *size_ret)
{
    const struct cy_cl_build *executable = cy_cl_program_executable(program);
    cl_device_id devices[CY_CL_MAX_DEVICES];
    cl_uint count = 0;
    for (cl_uint i = 0; i < program->context->device_count; i++)
        if (program->has_device[i])
            devices[count++] = program->context->devices[i];
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT: INFO(cl_uint, atomic_load(&program->object.references));
    case CL_PROGRAM_CONTEXT: INFO(cl_context, program->context);
    case CL_PROGRAM_NUM_DEVICES: INFO(cl_uint, count);
    case CL_PROGRAM_DEVICES: INFO_DATA(devices, count * sizeof(*devices));
    case CL_PROGRAM_SOURCE: INFO_TEXT(program->source ? program->source : "");
    case CL_PROGRAM_IL: INFO_DATA(NULL, 0);
    case CL_PROGRAM_BINARY_SIZES: return binaries(program, true, size, value, size_ret);
    case CL_PROGRAM_BINARIES: return binaries(program, false, size, value, size_ret);
    case CL_PROGRAM_NUM_KERNELS:
        CHECK(executable, CL_INVALID_PROGRAM_EXECUTABLE);
        INFO(size_t, executable->kernel_count);
    case CL_PROGRAM_KERNEL_NAMES:
        CHECK(executable, CL_INVALID_PROGRAM_EXECUTABLE);
        return kernel_names(executable, size, value, size_ret);
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

static cl_int build_info(const struct cy_cl_built *built, cl_program_build_info name, size_t size, void *value,
                         size_t *size_ret)
{
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS: INFO(cl_build_status, built->status);
    case CL_PROGRAM_BUILD_OPTIONS: INFO_TEXT(built->options ? built->options : "");
    case CL_PROGRAM_BUILD_LOG: INFO_TEXT(built->log ? built->log : "");
    case CL_PROGRAM_BINARY_TYPE:
        INFO(cl_program_binary_type, built->build ? built->build->type : CL_PROGRAM_BINARY_TYPE_NONE);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: INFO(size_t, 0);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                                      cl_program_build_info name, size_t size, void *value,
                                                      size_t *size_ret)
{
    cl_uint index;
    CHECK(cy_cl_is(program, CY_CL_PROGRAM), CL_INVALID_PROGRAM);
    CHECK(cy_cl_find_device(program->context, device, &index) && program->has_device[index], CL_INVALID_DEVICE);
    pthread_mutex_lock(&program->lock);
    cl_int error = build_info(&program->built[index], name, size, value, size_ret);
    pthread_mutex_unlock(&program->lock);
    return error;
}
