/* Kernels: creation, their faults, queries.  For arguments see kernel_argument.c. */
#include "cl/program/program_priv.h"

#include "abi/abi.h"

#include <stdio.h>
#include <stdlib.h>

static const struct cy_kernel_info *find(const struct cy_cl_build *build, const char *name)
{
    for (size_t i = 0; i < build->kernel_count; i++)
        if (!strcmp(build->kernels[i].name, name))
            return &build->kernels[i];
    return NULL;
}

/* Objects are pointers in the kernel: of 32 bits on one generation, 64 on the other. */
static bool is_object(const struct cy_kernel_argument *argument)
{
    return argument->is_pointer || argument->qualifiers & (CY_TYPE_IMAGE | CY_TYPE_SAMPLER | CY_TYPE_PIPE);
}

static bool same_arguments(const struct cy_kernel_info *a, const struct cy_kernel_info *b)
{
    bool same = a->argument_count == b->argument_count;
    for (size_t i = 0; same && i < a->argument_count; i++) {
        const struct cy_kernel_argument *x = &a->arguments[i], *y = &b->arguments[i];
        same = (x->size == y->size || is_object(x)) && x->is_pointer == y->is_pointer && x->address == y->address &&
               x->qualifiers == y->qualifiers;
    }
    return same;
}

/* The kernel on every device that has it.  The program's lock is held. */
static cl_int create(cl_program program, const char *name, cl_kernel *created)
{
    const size_t parts_size = program->context->device_count * sizeof(struct cy_cl_kernel_part);
    cl_kernel kernel = cy_cl_create(&cy_cl_kernel_class, sizeof(*kernel) + parts_size);
    CHECK(kernel, CL_OUT_OF_HOST_MEMORY);
    cl_int error = CL_INVALID_PROGRAM_EXECUTABLE;
    for (cl_uint i = 0; i < program->context->device_count; i++) {
        struct cy_cl_build *build = cy_cl_program_executable_on(program, i);
        if (!build)
            continue;
        const struct cy_kernel_info *info = find(build, name);
        if (!info) {
            error = error == CL_INVALID_PROGRAM_EXECUTABLE ? CL_INVALID_KERNEL_NAME : error;
            continue;
        }
        if (kernel->info && !same_arguments(info, kernel->info)) {
            error = CL_INVALID_KERNEL_DEFINITION;
            break;
        }
        error = CL_SUCCESS;
        kernel->parts[i] = (struct cy_cl_kernel_part){.build = build, .info = info};
        if (!kernel->info)
            kernel->info = info;
    }
    if (error == CL_SUCCESS) {
        kernel->arguments = cy_try_alloc((kernel->info->argument_count + 1) * sizeof(*kernel->arguments));
        error = kernel->arguments ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (error != CL_SUCCESS) {
        cy_cl_discard(kernel);
        return error;
    }
    for (cl_uint i = 0; i < program->context->device_count; i++)
        if (kernel->parts[i].build)
            atomic_fetch_add_explicit(&kernel->parts[i].build->references, 1, memory_order_relaxed);
    kernel->program = program;
    program->kernels++;
    cy_cl_retain(program);
    *created = kernel;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *name, cl_int *errcode_ret)
{
    cl_kernel kernel = NULL;
    CHECK_CREATE(cy_cl_is(program, &cy_cl_program_class), CL_INVALID_PROGRAM);
    CHECK_CREATE(name, CL_INVALID_VALUE);
    pthread_mutex_lock(&program->lock);
    cy_cl_program_wait(program); /* unless builds never run concurrently with the caller */
    cl_int error = create(program, name, &kernel);
    pthread_mutex_unlock(&program->lock);
    cy_cl_set_error(errcode_ret, error);
    return kernel;
}

CL_API_ENTRY cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint count, cl_kernel *kernels,
                                                         cl_uint *count_ret)
{
    CHECK(cy_cl_is(program, &cy_cl_program_class), CL_INVALID_PROGRAM);
    pthread_mutex_lock(&program->lock);
    cy_cl_program_wait(program);
    const struct cy_cl_build *build = cy_cl_program_executable(program);
    cl_int error = build ? CL_SUCCESS : CL_INVALID_PROGRAM_EXECUTABLE;
    size_t created = 0;
    if (error == CL_SUCCESS && kernels && count < build->kernel_count)
        error = CL_INVALID_VALUE;
    while (error == CL_SUCCESS && kernels && created < build->kernel_count) {
        error = create(program, build->kernels[created].name, &kernels[created]);
        created += error == CL_SUCCESS;
    }
    if (error == CL_SUCCESS && count_ret)
        *count_ret = (cl_uint)build->kernel_count;
    pthread_mutex_unlock(&program->lock);
    while (error != CL_SUCCESS && created-- > 0)
        cy_cl_release(kernels[created]);
    return error;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCloneKernel(cl_kernel source, cl_int *errcode_ret)
{
    CHECK_CREATE(cy_cl_is(source, &cy_cl_kernel_class), CL_INVALID_KERNEL);
    cl_kernel kernel;
    pthread_mutex_lock(&source->program->lock);
    cl_int error = create(source->program, source->info->name, &kernel);
    pthread_mutex_unlock(&source->program->lock);
    CHECK_CREATE(error == CL_SUCCESS, error);
    for (size_t i = 0; i < source->info->argument_count; i++) {
        const struct cy_cl_argument *from = &source->arguments[i];
        void *copy = from->value ? cy_try_alloc(from->size) : NULL;
        if (from->value && !copy) {
            cy_cl_release(kernel);
            CHECK_CREATE(false, CL_OUT_OF_HOST_MEMORY);
        }
        if (copy)
            memcpy(copy, from->value, from->size);
        kernel->arguments[i] = *from;
        kernel->arguments[i].value = copy;
    }
    cy_cl_set_error(errcode_ret, CL_SUCCESS);
    return kernel;
}

static void destroy(void *object)
{
    cl_kernel kernel = object;
    for (size_t i = 0; i < kernel->info->argument_count; i++)
        cy_free(kernel->arguments[i].value);
    cy_free(kernel->arguments);
    pthread_mutex_lock(&kernel->program->lock);
    kernel->program->kernels--;
    pthread_mutex_unlock(&kernel->program->lock);
    for (cl_uint i = 0; i < kernel->program->context->device_count; i++)
        cy_cl_build_release(kernel->parts[i].build);
    cy_cl_release(kernel->program);
}

const struct cy_cl_class cy_cl_kernel_class = {.plural = "kernels", .destroy = destroy};
CY_CL_COUNTED(Kernel, cl_kernel, cy_cl_kernel_class, CL_INVALID_KERNEL)

/* ---- faults ---- */

/* Has no fault of this kernel been printed yet? */
static bool is_first_fault(cl_program program, const char *kernel)
{
    bool first = true;
    pthread_mutex_lock(&program->lock);
    for (size_t i = 0; i < program->faulted.count; i++)
        first &= strcmp(program->faulted.at[i], kernel) != 0;
    char *copy = first ? cy_try_alloc(strlen(kernel) + 1) : NULL,
         **slot = copy ? cy_vec_try_push(&program->faulted) : NULL;
    if (slot)
        *slot = strcpy(copy, kernel);
    else
        cy_free(copy);
    pthread_mutex_unlock(&program->lock);
    return first;
}

/* Most programs check no event, and would silently continue with wrong results.  CHENGYING_DEBUG=1: every fault, =0:
 * none, otherwise the first of each kernel. */
void cy_cl_notify_fault(cl_kernel kernel, const char *text)
{
    const char *setting = getenv("CHENGYING_DEBUG"), *name = kernel->info->name;
    if ((!setting || !*setting) && is_first_fault(kernel->program, name))
        fprintf(
            stderr,
            "%s  note      set CHENGYING_DEBUG=0 to silence this; further faults of kernel '%s' are shown only with "
            "CHENGYING_DEBUG=1\n",
            text, name);
    cy_cl_notify(kernel->program->context, text);
}

/* ---- queries ---- */

CL_API_ENTRY cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t size, void *value,
                                                size_t *size_ret)
{
    CHECK(cy_cl_is(kernel, &cy_cl_kernel_class), CL_INVALID_KERNEL);
    switch (name) {
    case CL_KERNEL_FUNCTION_NAME: INFO_TEXT(kernel->info->name);
    case CL_KERNEL_NUM_ARGS: INFO(cl_uint, kernel->info->argument_count);
    case CL_KERNEL_REFERENCE_COUNT: INFO(cl_uint, atomic_load(&kernel->object.references));
    case CL_KERNEL_CONTEXT: INFO(cl_context, kernel->program->context);
    case CL_KERNEL_PROGRAM: INFO(cl_program, kernel->program);
    case CL_KERNEL_ATTRIBUTES: INFO_TEXT(kernel->info->attributes);
    default: return CL_INVALID_VALUE;
    }
}

/* Variables and the arguments set so far. */
static uint64_t local_bytes(cl_kernel kernel, cl_uint device)
{
    uint64_t bytes = kernel->parts[device].info->lds_bytes;
    for (size_t i = 0; i < kernel->info->argument_count; i++)
        if (kernel->info->arguments[i].is_pointer && kernel->info->arguments[i].address == CY_ADDRESS_LOCAL)
            bytes += kernel->arguments[i].size;
    return bytes;
}

static uint32_t granules(uint32_t registers)
{
    return (registers + CY_REGISTER_GRANULE - 1) / CY_REGISTER_GRANULE * CY_REGISTER_GRANULE;
}

/* A kernel with many registers fills the SM's register files with fewer warps than there are slots; in local memory
 * every warp has its stack. */
uint32_t cy_cl_kernel_max_size(cl_kernel kernel, cl_uint device)
{
    const struct cy_config *config = &kernel->program->context->devices[device]->capabilities.config;
    const struct cy_kernel_info *code = kernel->parts[device].info;
    uint32_t warps = config->warps, vgprs = granules(code->vgprs), sgprs = granules(code->sgprs);
    if (vgprs && config->vgprs / vgprs < warps)
        warps = config->vgprs / vgprs;
    if (sgprs && config->sgprs / sgprs < warps)
        warps = config->sgprs / sgprs;
    uint64_t local = local_bytes(kernel, device), stacks = local < config->lds_bytes ? config->lds_bytes - local : 0;
    if (stacks / CY_STACK_BYTES < warps)
        warps = (uint32_t)(stacks / CY_STACK_BYTES);
    return warps * config->threads;
}

/* The device of a query: NULL is allowed if there is only one. */
static bool asked_device(cl_kernel kernel, cl_device_id device, cl_uint *index)
{
    cl_context context = kernel->program->context;
    if (!device) {
        *index = 0;
        return context->device_count == 1;
    }
    return cy_cl_find_device(context, device, index) && kernel->parts[*index].build;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                                         cl_kernel_work_group_info name, size_t size, void *value,
                                                         size_t *size_ret)
{
    cl_uint index;
    size_t sizes[3];
    CHECK(cy_cl_is(kernel, &cy_cl_kernel_class), CL_INVALID_KERNEL);
    CHECK(asked_device(kernel, device, &index), CL_INVALID_DEVICE);
    const struct cy_capabilities *machine = &kernel->program->context->devices[index]->capabilities;
    const struct cy_kernel_info *info = kernel->parts[index].info;
    for (int d = 0; d < 3; d++)
        sizes[d] = info->reqd_size[d];
    switch (name) {
    case CL_KERNEL_WORK_GROUP_SIZE: INFO(size_t, cy_cl_kernel_max_size(kernel, index));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: INFO_DATA(sizes, sizeof(sizes));
    case CL_KERNEL_LOCAL_MEM_SIZE: INFO(cl_ulong, local_bytes(kernel, index));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: INFO(size_t, machine->config.threads);
    case CL_KERNEL_PRIVATE_MEM_SIZE: INFO(cl_ulong, info->pds_bytes);
    case CL_KERNEL_SPILL_MEM_SIZE_INTEL: INFO(cl_ulong, info->spill_bytes); /* of a work-item */
    case CL_KERNEL_GLOBAL_WORK_SIZE: return CL_INVALID_VALUE; /* neither a custom device nor a built-in kernel */
    default: return CL_INVALID_VALUE;
    }
}

/* The compiler always tells it; the specification has it withheld unless the program was built with the option. */
static bool has_argument_info(cl_kernel kernel)
{
    for (cl_uint i = 0; i < kernel->program->context->device_count; i++)
        if (kernel->parts[i].build && kernel->parts[i].build->no_argument_info)
            return false;
    return true;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name,
                                                   size_t size, void *value, size_t *size_ret)
{
    static const cl_kernel_arg_address_qualifier addresses[] = {
        [CY_ADDRESS_PRIVATE] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
        [CY_ADDRESS_GLOBAL] = CL_KERNEL_ARG_ADDRESS_GLOBAL,
        [CY_ADDRESS_CONSTANT] = CL_KERNEL_ARG_ADDRESS_CONSTANT,
        [CY_ADDRESS_LOCAL] = CL_KERNEL_ARG_ADDRESS_LOCAL,
    };
    static const cl_kernel_arg_access_qualifier accesses[] = {
        CL_KERNEL_ARG_ACCESS_NONE,
        CL_KERNEL_ARG_ACCESS_READ_ONLY,
        CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
        CL_KERNEL_ARG_ACCESS_READ_WRITE,
    };
    CHECK(cy_cl_is(kernel, &cy_cl_kernel_class), CL_INVALID_KERNEL);
    CHECK(index < kernel->info->argument_count, CL_INVALID_ARG_INDEX);
    CHECK(has_argument_info(kernel), CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    const struct cy_kernel_argument *argument = &kernel->info->arguments[index];
    switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        INFO(cl_kernel_arg_address_qualifier, argument->qualifiers & (CY_TYPE_IMAGE | CY_TYPE_PIPE)
                                                  ? CL_KERNEL_ARG_ADDRESS_GLOBAL
                                                  : addresses[argument->address]);
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        INFO(cl_kernel_arg_access_qualifier, accesses[argument->qualifiers / CY_ACCESS_READ & 3]);
    case CL_KERNEL_ARG_TYPE_NAME: INFO_TEXT(argument->type);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        INFO(cl_kernel_arg_type_qualifier,
             argument->qualifiers & (CY_TYPE_CONST | CY_TYPE_RESTRICT | CY_TYPE_VOLATILE | CY_TYPE_PIPE));
    case CL_KERNEL_ARG_NAME: INFO_TEXT(argument->name);
    default: return CL_INVALID_VALUE;
    }
}

_Static_assert(CY_TYPE_CONST == CL_KERNEL_ARG_TYPE_CONST && CY_TYPE_RESTRICT == CL_KERNEL_ARG_TYPE_RESTRICT &&
                   CY_TYPE_VOLATILE == CL_KERNEL_ARG_TYPE_VOLATILE && CY_TYPE_PIPE == CL_KERNEL_ARG_TYPE_PIPE,
               "the compiler's qualifiers are OpenCL's");

/* A sub-group is a warp. */
CL_API_ENTRY cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                                                        cl_kernel_sub_group_info name, size_t input_size,
                                                        const void *input, size_t size, void *value, size_t *size_ret)
{
    cl_uint index;
    size_t items = 1, sizes[3] = {0};
    CHECK(cy_cl_is(kernel, &cy_cl_kernel_class), CL_INVALID_KERNEL);
    CHECK(asked_device(kernel, device, &index), CL_INVALID_DEVICE);
    size_t threads = kernel->program->context->devices[index]->capabilities.config.threads;
    size_t most = cy_cl_kernel_max_size(kernel, index), dims = input_size / sizeof(size_t);
    const uint32_t *reqd = kernel->parts[index].info->reqd_size;
    switch (name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        CHECK(input && input_size % sizeof(size_t) == 0 && dims >= 1 && dims <= 3, CL_INVALID_VALUE);
        memcpy(sizes, input, input_size);
        for (size_t d = 0; d < dims; d++)
            items *= sizes[d];
        if (name == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE)
            INFO(size_t, threads);
        INFO(size_t, (items + threads - 1) / threads);
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
        CHECK(input && input_size == sizeof(items) && size / sizeof(size_t) <= 3, CL_INVALID_VALUE);
        CHECK(!value || (size && size % sizeof(size_t) == 0), CL_INVALID_VALUE);
        memcpy(&items, input, sizeof(items));
        /* zeros: there is no such size */
        if (items && items <= most / threads && (!reqd[0] || (reqd[0] == items * threads && reqd[1] * reqd[2] == 1))) {
            sizes[0] = items * threads;
            sizes[1] = sizes[2] = 1;
        }
        INFO_DATA(sizes, value ? size : sizeof(sizes));
    case CL_KERNEL_MAX_NUM_SUB_GROUPS: INFO(size_t, (most + threads - 1) / threads);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS: INFO(size_t, 0); /* only SPIR-V can require one */
    case CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: INFO(size_t, kernel->parts[index].info->reqd_sub_group);
    default: return CL_INVALID_VALUE;
    }
}
