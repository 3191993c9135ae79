/* Programs: creation from source or binaries, queries.  For building see
 * program_build.c, for SPIR-V program_il.c. */
#include "cl/program/program_priv.h"

cl_program cy_cl_program_create(cl_context context)
{
    cl_program program = cy_cl_create(&cy_cl_program_class, sizeof(*program));
    if (!program)
        return NULL;
    program->context = context;
    for (cl_uint i = 0; i < context->device_count; i++)
        program->device_builds[i].status = CL_BUILD_NONE;
    pthread_mutex_init(&program->lock, NULL);
    pthread_cond_init(&program->done, NULL);
    cy_cl_retain(context);
    return program;
}

void cy_cl_program_forget(struct cy_cl_device_build *device_build)
{
    cy_cl_build_release(device_build->build);
    cy_free(device_build->options);
    cy_free(device_build->log);
    *device_build = (struct cy_cl_device_build){.status = CL_BUILD_NONE};
}

static void destroy(void *object)
{
    cl_program program = object;
    for (cl_uint i = 0; i < program->context->device_count; i++)
        cy_cl_program_forget(&program->device_builds[i]);
    for (size_t i = 0; i < program->faulted.count; i++)
        cy_free(program->faulted.at[i]);
    cy_vec_free(&program->faulted);
    cy_free(program->source);
    cy_free(program->il);
    cy_free(program->special_il);
    pthread_mutex_destroy(&program->lock);
    pthread_cond_destroy(&program->done);
    cy_cl_release(program->context);
}

const struct cy_cl_class cy_cl_program_class = {.plural = "programs", .destroy = destroy};
CY_CL_COUNTED(Program, cl_program, cy_cl_program_class, CL_INVALID_PROGRAM)

void cy_cl_program_wait(cl_program program)
{
    for (cl_uint i = 0; i < program->context->device_count; i++)
        while (program->device_builds[i].status == CL_BUILD_IN_PROGRESS)
            pthread_cond_wait(&program->done, &program->lock);
}

/* A binary's code is loaded when the program is created, but kernels need a successful build. */
struct cy_cl_build *cy_cl_program_executable_on(cl_program program, cl_uint device)
{
    const struct cy_cl_device_build *device_build = &program->device_builds[device];
    return device_build->status == CL_BUILD_SUCCESS && device_build->build->code[device] ? device_build->build : NULL;
}

struct cy_cl_build *cy_cl_program_executable(cl_program program)
{
    struct cy_cl_build *build = NULL;
    for (cl_uint i = 0; !build && i < program->context->device_count; i++)
        build = cy_cl_program_executable_on(program, i);
    return build;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                                              const size_t *lengths, cl_int *errcode_ret)
{
    CHECK_CREATE(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    CHECK_CREATE(count && texts, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++)
        CHECK_CREATE(texts[i], CL_INVALID_VALUE);
    struct cy_buf source = {0};
    bool ok = cy_buf_try_reserve(&source, 0);
    for (cl_uint i = 0; ok && i < count; i++)
        ok = cy_buf_try_append(&source, texts[i], lengths && lengths[i] ? lengths[i] : strlen(texts[i]));
    cl_program program = ok ? cy_cl_program_create(context) : NULL;
    if (!program) {
        cy_buf_free(&source);
        CHECK_CREATE(false, CL_OUT_OF_HOST_MEMORY);
    }
    program->source = source.data;
    for (cl_uint i = 0; i < context->device_count; i++)
        program->has_device[i] = true;
    cy_cl_set_error(errcode_ret, CL_SUCCESS);
    return program;
}

struct reading {
    struct cy_cl_build *build;
    const unsigned char *bytes;
    size_t size;
    const char *wrong;
};

static void read_binary(void *argument)
{
    struct reading *reading = argument;
    reading->wrong = cy_cl_binary_read(reading->build, reading->bytes, reading->size);
}

/* A readable binary is loaded at once, so that its errors are reported here and not by a build. */
static cl_int load_binary(cl_program program, cl_device_id device, const unsigned char *bytes, size_t size)
{
    cl_uint index;
    CHECK(bytes && size, CL_INVALID_VALUE);
    struct cy_cl_build *build = cy_cl_build_create();
    CHECK(build, CL_OUT_OF_HOST_MEMORY);
    struct reading reading = {build, bytes, size, NULL};
    if (!cy_mem_try(read_binary, &reading)) {
        cy_free(build); /* what it held is gone */
        return CL_OUT_OF_HOST_MEMORY;
    }
    struct cy_buf log = {0};
    cl_int error = reading.wrong ? CL_INVALID_BINARY : CL_SUCCESS;
    if (reading.wrong)
        cy_buf_try_printf(&log, "error: the program binary was rejected: %s\n", reading.wrong);
    cy_cl_find_device(program->context, device, &index);
    if (!reading.wrong && build->ventus != device->ventus) {
        error = CL_INVALID_BINARY;
        cy_buf_try_printf(&log,
                          "error: the program binary was rejected: it is for generation %u of Ventus, the device is of "
                          "generation %u\n",
                          build->ventus, device->ventus);
    } else if (!reading.wrong && build->elf)
        error = cy_cl_build_load(build, program->context, index, &log);
    if (error != CL_SUCCESS) {
        cy_cl_notify(program->context, log.data ? log.data : "error: the program binary was rejected\n");
        cy_buf_free(&log);
        cy_cl_build_release(build);
        return error == CL_OUT_OF_HOST_MEMORY ? error : CL_INVALID_BINARY;
    }
    cy_buf_free(&log);
    cy_cl_program_forget(&program->device_builds[index]);
    program->device_builds[index].build = build;
    program->has_device[index] = true;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                              const cl_device_id *devices, const size_t *lengths,
                                                              const unsigned char **binaries, cl_int *status,
                                                              cl_int *errcode_ret)
{
    CHECK_CREATE(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    CHECK_CREATE(count && devices && lengths && binaries, CL_INVALID_VALUE);
    cl_int error = CL_SUCCESS;
    cl_uint index;
    for (cl_uint i = 0; i < count; i++)
        CHECK_CREATE(cy_cl_find_device(context, devices[i], &index), CL_INVALID_DEVICE);
    cl_program program = cy_cl_program_create(context);
    CHECK_CREATE(program, CL_OUT_OF_HOST_MEMORY);
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
    CHECK_CREATE(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    CHECK_CREATE(count && devices && names, CL_INVALID_VALUE);
    cl_uint index;
    for (cl_uint i = 0; i < count; i++)
        CHECK_CREATE(cy_cl_find_device(context, devices[i], &index), CL_INVALID_DEVICE);
    cy_cl_set_error(errcode_ret, CL_INVALID_VALUE); /* there are none */
    return NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramReleaseCallback(cl_program program,
                                                            void(CL_CALLBACK *call)(cl_program, void *), void *data)
{
    (void)call, (void)data;
    CHECK(cy_cl_is(program, &cy_cl_program_class), CL_INVALID_PROGRAM);
    return CL_INVALID_OPERATION; /* no program scope constructors and destructors */
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform)
{
    CHECK(cy_cl_is(platform, &cy_cl_platform_class), CL_INVALID_PLATFORM);
    return CL_SUCCESS; /* a hint */
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadCompiler(void)
{
    return CL_SUCCESS;
}

/* ---- queries ---- */

static cl_int kernel_names(const struct cy_cl_build *build, size_t size, void *value, size_t *size_ret)
{
    struct cy_buf names = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < build->kernel_count; i++)
        ok = cy_buf_try_printf(&names, "%s%s", i ? ";" : "", build->kernels[i].name);
    cl_int error =
        ok ? cy_cl_answer(names.data ? names.data : "", names.size + 1, size, value, size_ret) : CL_OUT_OF_HOST_MEMORY;
    cy_buf_free(&names);
    return error;
}

struct writing {
    const struct cy_cl_build *build;
    const char *options;
    struct cy_buf binary;
};

static void write_binary(void *argument)
{
    struct writing *writing = argument;
    cy_cl_binary_write(writing->build, writing->options ? writing->options : "", &writing->binary);
}

/* One entry per device of the program: the size of its binary, or the place to write it to. */
static cl_int binaries(cl_program program, bool sizes_only, size_t size, void *value, size_t *size_ret)
{
    size_t sizes[CY_CL_MAX_DEVICES], count = 0;
    unsigned char **to = sizes_only ? NULL : value;
    for (cl_uint i = 0; i < program->context->device_count; i++)
        count += program->has_device[i];
    CHECK(!to || size >= count * sizeof(*to), CL_INVALID_VALUE);
    count = 0;
    for (cl_uint i = 0; i < program->context->device_count; i++) {
        struct writing writing = {.build = program->device_builds[i].build,
                                  .options = program->device_builds[i].options};
        if (!program->has_device[i])
            continue;
        CHECK(!writing.build || cy_mem_try(write_binary, &writing), CL_OUT_OF_HOST_MEMORY);
        sizes[count] = writing.binary.size;
        if (to && to[count] && writing.binary.size)
            memcpy(to[count], writing.binary.data, writing.binary.size);
        cy_buf_free(&writing.binary);
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
    case CL_PROGRAM_IL: INFO_DATA(program->il, program->il_size);
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
    CHECK(cy_cl_is(program, &cy_cl_program_class), CL_INVALID_PROGRAM);
    pthread_mutex_lock(&program->lock);
    cl_int error = program_info(program, name, size, value, size_ret);
    pthread_mutex_unlock(&program->lock);
    return error;
}

static cl_int build_info(const struct cy_cl_device_build *device_build, cl_uint device, cl_program_build_info name,
                         size_t size, void *value, size_t *size_ret)
{
    const struct cy_program *code = device_build->build ? device_build->build->code[device] : NULL;
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS: INFO(cl_build_status, device_build->status);
    case CL_PROGRAM_BUILD_OPTIONS: INFO_TEXT(device_build->options ? device_build->options : "");
    case CL_PROGRAM_BUILD_LOG: INFO_TEXT(device_build->log ? device_build->log : "");
    case CL_PROGRAM_BINARY_TYPE:
        INFO(cl_program_binary_type, device_build->build ? device_build->build->type : CL_PROGRAM_BINARY_TYPE_NONE);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: INFO(size_t, code ? cy_program_variable_bytes(code) : 0);
    default: return CL_INVALID_VALUE;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                                      cl_program_build_info name, size_t size, void *value,
                                                      size_t *size_ret)
{
    cl_uint index;
    CHECK(cy_cl_is(program, &cy_cl_program_class), CL_INVALID_PROGRAM);
    CHECK(cy_cl_find_device(program->context, device, &index) && program->has_device[index], CL_INVALID_DEVICE);
    pthread_mutex_lock(&program->lock);
    cl_int error = build_info(&program->device_builds[index], index, name, size, value, size_ret);
    pthread_mutex_unlock(&program->lock);
    return error;
}
