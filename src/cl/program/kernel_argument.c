/* The arguments of kernels. */
#include "cl/program/program.h"

bool cy_cl_all_arguments_set(cl_kernel kernel)
{
    for (size_t i = 0; i < kernel->info->argument_count; i++)
        if (!kernel->arguments[i].is_set)
            return false;
    return true;
}

/* An immutable buffer wants a pointer to constants; SPIR-V does not tell which pointers are. */
static cl_int set_buffer(cl_kernel kernel, const struct cy_kernel_argument *info, struct cy_cl_argument *argument,
                         size_t size, const void *value)
{
    const bool may_write =
        info->address != CY_ADDRESS_CONSTANT && !(info->qualifiers & CY_TYPE_CONST) && !kernel->program->il;
    cl_mem mem = NULL;
    if (value)
        memcpy(&mem, value, size == sizeof(mem) ? size : 0);
    CHECK(!mem || cy_cl_is(mem, &cy_cl_mem_class), CL_INVALID_MEM_OBJECT);
    CHECK(!mem || (mem->context == kernel->program->context && cy_cl_is_buffer(mem)), CL_INVALID_MEM_OBJECT);
    CHECK(size == sizeof(mem), CL_INVALID_ARG_SIZE);
    CHECK(!mem || !may_write || !(mem->flags & CL_MEM_IMMUTABLE_EXT), CL_INVALID_ARG_VALUE);
    argument->mem = mem;
    argument->is_svm = false;
    argument->is_set = true;
    return CL_SUCCESS;
}

/* An image or a pipe, which must be given. */
static cl_int read_mem(cl_kernel kernel, bool is_image, size_t size, const void *value, cl_mem *result)
{
    cl_mem mem = NULL;
    if (value)
        memcpy(&mem, value, size == sizeof(mem) ? size : 0);
    CHECK(mem || !value || size != sizeof(mem), CL_INVALID_MEM_OBJECT);
    CHECK(!mem || cy_cl_is(mem, &cy_cl_mem_class), CL_INVALID_MEM_OBJECT);
    CHECK(!mem ||
              (mem->context == kernel->program->context && (is_image ? mem->image != NULL : mem->pipe_packets != 0)),
          CL_INVALID_MEM_OBJECT);
    CHECK(size == sizeof(mem), CL_INVALID_ARG_SIZE);
    CHECK(mem, CL_INVALID_ARG_VALUE);
    *result = mem;
    return CL_SUCCESS;
}

/* An image that the kernel reads must not be write-only, and the other way round. */
static cl_int set_image(cl_kernel kernel, struct cy_cl_argument *argument, uint32_t qualifiers, size_t size,
                        const void *value)
{
    cl_mem mem;
    const cl_int error = read_mem(kernel, true, size, value, &mem);
    CHECK(error == CL_SUCCESS, error);
    CHECK(mem->image->type == (qualifiers >> CY_IMAGE_TYPE_SHIFT & 15), CL_INVALID_ARG_VALUE);
    CHECK(!(qualifiers & CY_ACCESS_READ) || !(mem->flags & CL_MEM_WRITE_ONLY), CL_INVALID_ARG_VALUE);
    CHECK(!(qualifiers & CY_ACCESS_WRITE) || !(mem->flags & (CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT)),
          CL_INVALID_ARG_VALUE);
    argument->mem = mem;
    argument->is_set = true;
    return CL_SUCCESS;
}

/* A kernel may both read and write a pipe's memory, whatever it does with the pipe. */
static cl_int set_pipe(cl_kernel kernel, struct cy_cl_argument *argument, size_t size, const void *value)
{
    cl_mem mem;
    const cl_int error = read_mem(kernel, false, size, value, &mem);
    CHECK(error == CL_SUCCESS, error);
    argument->mem = mem;
    argument->is_svm = false;
    argument->is_set = true;
    return CL_SUCCESS;
}

static cl_int set_sampler(cl_kernel kernel, struct cy_cl_argument *argument, size_t size, const void *value)
{
    cl_sampler sampler = NULL;
    if (value)
        memcpy(&sampler, value, size == sizeof(sampler) ? size : 0);
    CHECK(size == sizeof(sampler), CL_INVALID_ARG_SIZE);
    CHECK(cy_cl_is(sampler, &cy_cl_sampler_class) && sampler->context == kernel->program->context, CL_INVALID_SAMPLER);
    argument->sampler = sampler;
    argument->size = cy_cl_sampler_word(sampler); /* the application may release it before the launch */
    argument->is_set = true;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    CHECK(cy_cl_is(kernel, &cy_cl_kernel_class), CL_INVALID_KERNEL);
    CHECK(index < kernel->info->argument_count, CL_INVALID_ARG_INDEX);
    const struct cy_kernel_argument *info = &kernel->info->arguments[index];
    struct cy_cl_argument *argument = &kernel->arguments[index];
    if (info->is_pointer && info->address == CY_ADDRESS_LOCAL) {
        CHECK(!value, CL_INVALID_ARG_VALUE);
        CHECK(size, CL_INVALID_ARG_SIZE);
        argument->size = size;
        argument->is_set = true;
        return CL_SUCCESS;
    }
    if (info->is_pointer)
        return set_buffer(kernel, info, argument, size, value);
    if (info->qualifiers & CY_TYPE_IMAGE)
        return set_image(kernel, argument, info->qualifiers, size, value);
    if (info->qualifiers & CY_TYPE_PIPE)
        return set_pipe(kernel, argument, size, value);
    if (info->qualifiers & CY_TYPE_SAMPLER)
        return set_sampler(kernel, argument, size, value);
    CHECK(value, CL_INVALID_ARG_VALUE);
    CHECK(size == info->size, CL_INVALID_ARG_SIZE);
    void *copy = cy_try_realloc(argument->value, size);
    CHECK(copy, CL_OUT_OF_HOST_MEMORY);
    argument->value = memcpy(copy, value, size);
    argument->size = size;
    argument->is_set = true;
    return CL_SUCCESS;
}

/* ---- shared virtual memory ---- */

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
    CHECK(cy_cl_is(kernel, &cy_cl_kernel_class), CL_INVALID_KERNEL);
    CHECK(cy_cl_svm_exists(kernel->program->context), CL_INVALID_OPERATION);
    CHECK(index < kernel->info->argument_count, CL_INVALID_ARG_INDEX);
    const struct cy_kernel_argument *info = &kernel->info->arguments[index];
    struct cy_cl_argument *argument = &kernel->arguments[index];
    CHECK(info->is_pointer && info->address != CY_ADDRESS_LOCAL, CL_INVALID_ARG_VALUE);
    CHECK(!value || cy_cl_svm_find(kernel->program->context, value, 0), CL_INVALID_ARG_VALUE);
    argument->mem = NULL;
    argument->svm = value;
    argument->is_svm = argument->is_set = true;
    return CL_SUCCESS;
}

/* Kernels reach all allocations, named or not. */
CL_API_ENTRY cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name, size_t size,
                                                    const void *value)
{
    cl_bool system;
    CHECK(cy_cl_is(kernel, &cy_cl_kernel_class), CL_INVALID_KERNEL);
    CHECK(cy_cl_svm_exists(kernel->program->context), CL_INVALID_OPERATION);
    CHECK(value, CL_INVALID_VALUE);
    switch (name) {
    case CL_KERNEL_EXEC_INFO_SVM_PTRS:
        CHECK(size && size % sizeof(void *) == 0, CL_INVALID_VALUE);
        for (size_t i = 0; i < size / sizeof(void *); i++) {
            const void *pointer = ((const void *const *)value)[i];
            CHECK(pointer && cy_cl_svm_find(kernel->program->context, pointer, 0), CL_INVALID_VALUE);
        }
        return CL_SUCCESS;
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
        CHECK(size == sizeof(system), CL_INVALID_VALUE);
        memcpy(&system, value, sizeof(system));
        return system ? CL_INVALID_OPERATION : CL_SUCCESS;
    default: return CL_INVALID_VALUE;
    }
}
