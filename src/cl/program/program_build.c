/* clBuildProgram, clCompileProgram, clLinkProgram.  Each turns its arguments into a job; the job runs in the call or,
 * if there is a callback, on a separate thread while the call returns. */
#include "cl/program/program_priv.h"

#include <stdio.h>

typedef void(CL_CALLBACK *done_function)(cl_program program, void *data);
typedef CY_VEC(struct cy_cl_build *) build_list;

/* One call.  It retains everything that it needs, because the application may release it meanwhile. */
struct job {
    cl_program program;
    struct cy_cl_options options;
    bool devices[CY_CL_MAX_DEVICES];      /* of the context: those it builds for */
    build_list inputs[CY_CL_MAX_DEVICES]; /* what to link for each; empty: compile the source */
    CY_VEC(struct cy_cc_header) headers;
    CY_VEC(cl_program) header_programs; /* their sources are the headers' texts */
    bool compile_only;
    cl_program_binary_type type;
    done_function done;
    void *data;
};

static struct job *create_job(done_function done, void *data)
{
    struct job *job = cy_try_alloc(sizeof(*job));
    if (!job)
        return NULL;
    job->done = done;
    job->data = data;
    return job;
}

static void free_job(struct job *job)
{
    for (size_t i = 0; i < job->header_programs.count; i++)
        cy_cl_release(job->header_programs.at[i]);
    for (size_t d = 0; d < CY_CL_MAX_DEVICES; d++) {
        for (size_t i = 0; i < job->inputs[d].count; i++)
            cy_cl_build_release(job->inputs[d].at[i]);
        cy_vec_free(&job->inputs[d]);
    }
    for (size_t i = 0; i < job->headers.count; i++)
        cy_free((void *)(uintptr_t)job->headers.at[i].name);
    cy_vec_free(&job->headers);
    cy_vec_free(&job->header_programs);
    cy_cl_options_free(&job->options);
    cy_cl_release(job->program);
    cy_free(job);
}

/* ---- running ---- */

/* A job's result for one device. */
struct outcome {
    struct cy_cl_build *build; /* NULL: it failed */
    cl_int error;              /* CL_SUCCESS, CL_OUT_OF_HOST_MEMORY, or anything else: the log says why */
    struct cy_buf log;
};

static unsigned generation_of(const struct job *job, cl_uint device)
{
    return job->program->context->devices[device]->ventus;
}

static cl_int compile(struct job *job, cl_uint device, struct cy_buf *log, struct cy_cl_build **compiled)
{
    const build_list *inputs = &job->inputs[device];
    CY_VEC(struct cy_cc_part) parts = {0};
    struct cy_cc_result result = {0};
    struct cy_cl_build *build = cy_cl_build_create();
    CY_VEC(const char *) args = {0};
    if (!build || !cy_vec_try_grow(&parts.at, &parts.capacity, inputs->count, sizeof(*parts.at)) ||
        !cy_vec_try_grow(&args.at, &args.capacity, job->options.args.count + 1, sizeof(*args.at))) {
        cy_free(build);
        cy_vec_free(&parts);
        return CL_OUT_OF_HOST_MEMORY;
    }
    for (size_t i = 0; i < job->options.args.count; i++)
        *cy_vec_push(&args) = job->options.args.at[i];
    build->type = job->type;
    build->ventus = generation_of(job, device);
    build->uniform_groups =
        !inputs->count && ((job->options.standard < 200 && !job->program->il) || job->options.uniform_groups);
    build->no_argument_info = !inputs->count && !job->program->il && !job->options.argument_info;
    for (size_t i = 0; i < inputs->count; i++) {
        *cy_vec_push(&parts) = (struct cy_cc_part){inputs->at[i]->bitcode, inputs->at[i]->bitcode_size};
        build->uniform_groups |= inputs->at[i]->uniform_groups;
        build->no_argument_info |= inputs->at[i]->no_argument_info;
    }
    if (build->uniform_groups) /* bitcode does not say it */
        *cy_vec_push(&args) = "-cl-uniform-work-group-size";
    struct cy_cc_options cc = {.generation = build->ventus,
                               .args = args.at,
                               .arg_count = args.count,
                               .compile_only = job->compile_only,
                               .headers = job->headers.at,
                               .header_count = job->headers.count,
                               .parts = parts.at,
                               .part_count = parts.count};
    if (job->options.log.data && !cy_buf_try_printf(log, "%s", job->options.log.data)) {
        cy_vec_free(&parts);
        cy_cl_build_release(build);
        return CL_OUT_OF_HOST_MEMORY;
    }
    const char *source = parts.count ? NULL : job->program->il ? job->program->special_il : job->program->source;
    size_t size = source && job->program->il ? job->program->il_size : source ? strlen(source) : 0;
    cl_int error = cy_cl_run_compiler("<source>", source, size, &cc, &result, log);
    if (error == CL_SUCCESS)
        cy_cl_build_take(build, &result);
    if (inputs->count && build->elf)
        cy_cl_note_linked();
    cy_cc_result_free(&result);
    cy_vec_free(&parts);
    cy_vec_free(&args);
    if (error == CL_SUCCESS)
        *compiled = build;
    else
        cy_cl_build_release(build);
    return error;
}

static bool same_inputs(const build_list *a, const build_list *b)
{
    return a->count == b->count && (!a->count || !memcmp(a->at, b->at, a->count * sizeof(*a->at)));
}

/* Builds the program for a device.  A device with the same inputs as an earlier one of its generation shares its result; a binary that is
 * an executable needs no compiler. */
static void make(struct job *job, cl_uint device, struct outcome outcomes[])
{
    const build_list *inputs = &job->inputs[device];
    struct cy_cl_build *build = NULL;
    struct cy_buf *log = &outcomes[device].log;
    cl_int error = CL_SUCCESS;
    cl_uint before = 0;
    while (before < device && !(job->devices[before] && generation_of(job, before) == generation_of(job, device) &&
                                same_inputs(&job->inputs[before], inputs)))
        before++;
    if (before < device) {
        error = outcomes[before].error;
        build = outcomes[before].build;
        if (!cy_buf_try_printf(log, "%s", outcomes[before].log.data ? outcomes[before].log.data : "")) {
            error = CL_OUT_OF_HOST_MEMORY;
            build = NULL;
        }
    } else if (job->program->has_binary && inputs->at[0]->elf) {
        error = cy_cl_build_again(inputs->at[0], &build);
    } else {
        error = compile(job, device, log, &build);
    }
    if (build && before < device)
        cy_cl_build_retain(build);
    if (build && build->elf)
        error = cy_cl_build_load(build, job->program->context, device, log);
    if (error != CL_SUCCESS && build) {
        cy_cl_build_release(build);
        build = NULL;
    }
    outcomes[device].build = build;
    outcomes[device].error = error;
}

/* A program's state on a device is not changed by others while its status says that it is being built. */
static cl_int run(struct job *job, cl_int failure)
{
    cl_program program = job->program;
    struct outcome outcomes[CY_CL_MAX_DEVICES] = {0};
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < program->context->device_count; i++)
        if (job->devices[i]) {
            make(job, i, outcomes);
            if (outcomes[i].error != CL_SUCCESS && error != CL_OUT_OF_HOST_MEMORY)
                error = outcomes[i].error == CL_OUT_OF_HOST_MEMORY ? CL_OUT_OF_HOST_MEMORY : failure;
            if (!outcomes[i].build && outcomes[i].log.data && cy_cl_setting("CHENGYING_DEBUG"))
                fputs(outcomes[i].log.data, stderr);
        }
    pthread_mutex_lock(&program->lock);
    for (cl_uint i = 0; i < program->context->device_count; i++)
        if (job->devices[i]) {
            program->device_builds[i].status = outcomes[i].build ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
            program->device_builds[i].build = outcomes[i].build;
            program->device_builds[i].log = outcomes[i].log.data;
        }
    pthread_cond_broadcast(&program->done);
    pthread_mutex_unlock(&program->lock);
    if (job->done)
        job->done(program, job->data);
    free_job(job);
    return error;
}

static void *run_thread(void *job)
{
    run(job, CL_BUILD_PROGRAM_FAILURE);
    return NULL;
}

/* Runs the job, or starts a thread for it.  `failure`: what the call returns if the build fails. */
static cl_int start(struct job *job, cl_int failure)
{
    pthread_t thread;
    if (job->done && !pthread_create(&thread, NULL, run_thread, job)) {
        pthread_detach(thread);
        return CL_SUCCESS;
    }
    return run(job, failure);
}

static bool add_input(struct job *job, cl_uint device, struct cy_cl_build *build)
{
    struct cy_cl_build **input = cy_vec_try_push(&job->inputs[device]);
    if (!input)
        return false;
    cy_cl_build_retain(build);
    *input = build;
    return true;
}

/* The binaries of a program are the inputs of its build; there may be none, because an earlier build failed. */
static cl_int take_binaries(struct job *job, cl_program program)
{
    for (cl_uint i = 0; i < program->context->device_count; i++) {
        struct cy_cl_build *build = program->device_builds[i].build;
        CHECK(!job->devices[i] || build, CL_INVALID_BINARY);
        CHECK(!job->devices[i] || add_input(job, i, build), CL_OUT_OF_HOST_MEMORY);
    }
    return CL_SUCCESS;
}

/* From here on the program is being built, unless it already is or has kernels attached. */
static cl_int begin(struct job *job, cl_program program, const char *text)
{
    cl_int error = CL_SUCCESS;
    char *options[CY_CL_MAX_DEVICES] = {0};
    size_t size = strlen(text ? text : "") + 1;
    pthread_mutex_lock(&program->lock);
    for (cl_uint i = 0; i < program->context->device_count; i++)
        if (program->kernels || (job->devices[i] && program->device_builds[i].status == CL_BUILD_IN_PROGRESS))
            error = CL_INVALID_OPERATION;
    if (error == CL_SUCCESS && program->has_binary)
        error = take_binaries(job, program);
    for (cl_uint i = 0; error == CL_SUCCESS && i < program->context->device_count; i++)
        if (job->devices[i] && !(options[i] = cy_try_alloc(size)))
            error = CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; error == CL_SUCCESS && i < program->context->device_count; i++)
        if (job->devices[i]) {
            cy_cl_program_forget(&program->device_builds[i]);
            program->device_builds[i].status = CL_BUILD_IN_PROGRESS;
            program->device_builds[i].options = memcpy(options[i], text ? text : "", size);
            options[i] = NULL;
        }
    pthread_mutex_unlock(&program->lock);
    for (cl_uint i = 0; i < CY_CL_MAX_DEVICES; i++)
        cy_free(options[i]);
    if (error == CL_SUCCESS) {
        cy_cl_retain(program);
        job->program = program;
    }
    return error;
}

/* The options are invalid: their log becomes the program's, unless it is being built.  An existing executable is
 * kept. */
static void keep_options_log(const struct job *job, cl_program program)
{
    const char *text = job->options.log.data;
    if (!text)
        return;
    pthread_mutex_lock(&program->lock);
    for (cl_uint i = 0; i < program->context->device_count; i++) {
        struct cy_cl_device_build *device_build = &program->device_builds[i];
        char *copy =
            job->devices[i] && device_build->status != CL_BUILD_IN_PROGRESS ? cy_try_alloc(strlen(text) + 1) : NULL;
        if (!copy)
            continue;
        cy_free(device_build->log);
        device_build->log = strcpy(copy, text);
        if (!device_build->build)
            device_build->status = CL_BUILD_ERROR;
    }
    pthread_mutex_unlock(&program->lock);
    cy_cl_notify(program->context, text);
}

/* ---- the calls ---- */

static bool is_part(cl_device_id device, cl_device_id whole)
{
    while (device && device != whole)
        device = device->parent;
    return device != NULL;
}

/* Sub-devices use what is built for their parent, unless something was built for them. */
static void take_parts(bool wanted[CY_CL_MAX_DEVICES], cl_program program, cl_device_id whole)
{
    const cl_context context = program->context;
    pthread_mutex_lock(&program->lock);
    for (cl_uint i = 0; i < context->device_count; i++)
        wanted[i] |= program->has_device[i] && program->device_builds[i].status == CL_BUILD_NONE &&
                     is_part(context->devices[i], whole);
    pthread_mutex_unlock(&program->lock);
}

/* The devices that a call lists, or all of the program's. */
static cl_int take_devices(bool wanted[CY_CL_MAX_DEVICES], cl_program program, cl_uint count,
                           const cl_device_id *devices)
{
    cl_uint index;
    CHECK(cy_cl_is(program, &cy_cl_program_class), CL_INVALID_PROGRAM);
    CHECK(!count == !devices, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++) {
        CHECK(cy_cl_find_device(program->context, devices[i], &index) && program->has_device[index], CL_INVALID_DEVICE);
        wanted[index] = true;
    }
    for (cl_uint i = 0; i < count; i++)
        take_parts(wanted, program, devices[i]);
    if (!count)
        memcpy(wanted, program->has_device, sizeof(program->has_device));
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                               const char *text, done_function done, void *data)
{
    bool wanted[CY_CL_MAX_DEVICES] = {false};
    cl_int error = take_devices(wanted, program, count, devices);
    CHECK(error == CL_SUCCESS, error);
    CHECK(done || !data, CL_INVALID_VALUE);
    CHECK(program->source || program->il || program->has_binary,
          CL_INVALID_OPERATION); /* a linked one is already built */
    struct job *job = create_job(done, data);
    CHECK(job, CL_OUT_OF_HOST_MEMORY);
    memcpy(job->devices, wanted, sizeof(wanted));
    job->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    error = cy_cl_options_parse(&job->options, text, CY_CL_BUILD, CL_INVALID_BUILD_OPTIONS);
    if (error == CL_INVALID_BUILD_OPTIONS)
        keep_options_log(job, program);
    if (error == CL_SUCCESS)
        error = begin(job, program, text);
    if (error == CL_SUCCESS)
        return start(job, CL_BUILD_PROGRAM_FAILURE);
    free_job(job);
    return error;
}

static bool has_header(const struct job *job, const char *name)
{
    for (size_t i = 0; i < job->headers.count; i++)
        if (!strcmp(job->headers.at[i].name, name))
            return true;
    return false;
}

/* False: no memory. */
static bool take_headers(struct job *job, cl_uint count, const cl_program *programs, const char **names)
{
    for (cl_uint i = 0; i < count; i++) {
        if (has_header(job, names[i])) /* of two headers of the same name the first counts */
            continue;
        char *name = cy_try_alloc(strlen(names[i]) + 1);
        struct cy_cc_header *header = name ? cy_vec_try_push(&job->headers) : NULL;
        if (!header) {
            cy_free(name);
            return false;
        }
        const char *text = programs[i]->source;
        *header = (struct cy_cc_header){strcpy(name, names[i]), text, strlen(text)};
        cl_program *program = cy_vec_try_push(&job->header_programs);
        if (!program)
            return false;
        cy_cl_retain(programs[i]);
        *program = programs[i];
    }
    return true;
}

CL_API_ENTRY cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                                 const char *text, cl_uint header_count, const cl_program *headers,
                                                 const char **names, done_function done, void *data)
{
    bool wanted[CY_CL_MAX_DEVICES] = {false};
    cl_int error = take_devices(wanted, program, count, devices);
    CHECK(error == CL_SUCCESS, error);
    CHECK(!header_count == !headers && !header_count == !names, CL_INVALID_VALUE);
    CHECK(done || !data, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < header_count; i++)
        CHECK(cy_cl_is(headers[i], &cy_cl_program_class) && headers[i]->source && names[i], CL_INVALID_VALUE);
    CHECK(program->source || program->il, CL_INVALID_OPERATION);
    struct job *job = create_job(done, data);
    CHECK(job, CL_OUT_OF_HOST_MEMORY);
    memcpy(job->devices, wanted, sizeof(wanted));
    job->compile_only = true;
    job->type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    error = cy_cl_options_parse(&job->options, text, CY_CL_COMPILE, CL_INVALID_COMPILER_OPTIONS);
    if (error == CL_INVALID_COMPILER_OPTIONS)
        keep_options_log(job, program);
    if (error == CL_SUCCESS && !take_headers(job, header_count, headers, names))
        error = CL_OUT_OF_HOST_MEMORY;
    if (error == CL_SUCCESS)
        error = begin(job, program, text);
    if (error == CL_SUCCESS)
        return start(job, CL_COMPILE_PROGRAM_FAILURE);
    free_job(job);
    return error;
}

/* The programs' states on the job's devices.  For each device either all of them have one or none, and for some device
 * they must. */
static cl_int take_inputs(struct job *job, cl_context context, cl_uint count, const cl_program *programs)
{
    bool any = false, whole = true, has_memory = true;
    for (cl_uint p = 0; p < count; p++) {
        pthread_mutex_lock(&programs[p]->lock);
        for (cl_uint i = 0; i < context->device_count; i++) {
            struct cy_cl_build *build = programs[p]->device_builds[i].build;
            if (job->devices[i] && build && build->bitcode)
                has_memory = add_input(job, i, build) && has_memory;
        }
        pthread_mutex_unlock(&programs[p]->lock);
    }
    CHECK(has_memory, CL_OUT_OF_HOST_MEMORY);
    for (cl_uint i = 0; i < context->device_count; i++) {
        whole &= !job->inputs[i].count || job->inputs[i].count == count;
        job->devices[i] = job->inputs[i].count > 0;
        any |= job->devices[i];
    }
    return any && whole ? CL_SUCCESS : CL_INVALID_OPERATION;
}

CL_API_ENTRY cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint count, const cl_device_id *devices,
                                                  const char *text, cl_uint input_count, const cl_program *inputs,
                                                  done_function done, void *data, cl_int *errcode_ret)
{
    cl_uint index;
    CHECK_CREATE(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    CHECK_CREATE(!count == !devices, CL_INVALID_VALUE);
    CHECK_CREATE(input_count && inputs, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < input_count; i++)
        CHECK_CREATE(cy_cl_is(inputs[i], &cy_cl_program_class) && inputs[i]->context == context, CL_INVALID_PROGRAM);
    CHECK_CREATE(done || !data, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < count; i++)
        CHECK_CREATE(cy_cl_find_device(context, devices[i], &index), CL_INVALID_DEVICE);
    struct job *job = create_job(done, data);
    CHECK_CREATE(job, CL_OUT_OF_HOST_MEMORY);
    for (cl_uint i = 0; i < count; i++)
        if (cy_cl_find_device(context, devices[i], &index))
            job->devices[index] = true;
    for (cl_uint i = 0; i < context->device_count; i++)
        job->devices[i] |= !count;
    bool named[CY_CL_MAX_DEVICES];
    memcpy(named, job->devices, sizeof(named));
    cl_int error = take_inputs(job, context, input_count, inputs);
    if (error == CL_SUCCESS)
        error = cy_cl_options_parse(&job->options, text, CY_CL_LINK, CL_INVALID_LINKER_OPTIONS);
    if (error == CL_INVALID_LINKER_OPTIONS && job->options.log.data)
        cy_cl_notify(context, job->options.log.data); /* there is no program to store it in */
    cl_program program = error == CL_SUCCESS ? cy_cl_program_create(context) : NULL;
    if (error == CL_SUCCESS && !program)
        error = CL_OUT_OF_HOST_MEMORY;
    if (program) {
        memcpy(program->has_device, named, sizeof(named));
        error = begin(job, program, text);
    }
    if (error != CL_SUCCESS) {
        cy_cl_release(program);
        free_job(job);
        CHECK_CREATE(false, error);
    }
    job->compile_only = job->options.create_library;
    job->type = job->options.create_library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    cy_cl_set_error(errcode_ret, start(job, CL_LINK_PROGRAM_FAILURE));
    return program;
}
