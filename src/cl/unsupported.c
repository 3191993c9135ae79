/* Features that the device lacks (shared virtual memory, native kernels): every function answers as the specification requires for a device without the feature. */
#include "cl/cl_priv.h"

/* ---- shared virtual memory: CL_DEVICE_SVM_CAPABILITIES is 0 ---- */

CL_API_ENTRY void *CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint align)
{
    (void)context, (void)flags, (void)size, (void)align;
    return NULL;
}

CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context context, void *pointer)
{
    (void)context, (void)pointer;
}

static cl_int no_svm(cl_command_queue queue)
{
    CHECK(cy_cl_is(queue, CY_CL_QUEUE), CL_INVALID_COMMAND_QUEUE);
    return CL_INVALID_OPERATION;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue queue, cl_uint pointer_count, void *pointers[],
                                                 void(CL_CALLBACK *call)(cl_command_queue, cl_uint, void *[], void *),
                                                 void *data, cl_uint count, const cl_event *list, cl_event *event)
{
    (void)pointer_count, (void)pointers, (void)call, (void)data, (void)count, (void)list, (void)event;
    return no_svm(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *to, const void *from,
                                                   size_t size, cl_uint count, const cl_event *list, cl_event *event)
{
    (void)blocking, (void)to, (void)from, (void)size, (void)count, (void)list, (void)event;
    return no_svm(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void *to, const void *pattern,
                                                    size_t pattern_size, size_t size, cl_uint count,
                                                    const cl_event *list, cl_event *event)
{
    (void)to, (void)pattern, (void)pattern_size, (void)size, (void)count, (void)list, (void)event;
    return no_svm(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags,
                                                void *pointer, size_t size, cl_uint count, const cl_event *list,
                                                cl_event *event)
{
    (void)blocking, (void)flags, (void)pointer, (void)size, (void)count, (void)list, (void)event;
    return no_svm(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue queue, void *pointer, cl_uint count,
                                                  const cl_event *list, cl_event *event)
{
    (void)pointer, (void)count, (void)list, (void)event;
    return no_svm(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint pointer_count,
                                                       const void **pointers, const size_t *sizes,
                                                       cl_mem_migration_flags flags, cl_uint count,
                                                       const cl_event *list, cl_event *event)
{
    (void)pointer_count, (void)pointers, (void)sizes, (void)flags, (void)count, (void)list, (void)event;
    return no_svm(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
    (void)index, (void)value;
    CHECK(cy_cl_is(kernel, CY_CL_KERNEL), CL_INVALID_KERNEL);
    return CL_INVALID_OPERATION;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name, size_t size,
                                                    const void *value)
{
    (void)name, (void)size, (void)value;
    CHECK(cy_cl_is(kernel, CY_CL_KERNEL), CL_INVALID_KERNEL);
    return CL_INVALID_OPERATION;
}

/* ---- native kernels ---- */

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *call)(void *),
                                                      void *data, size_t size, cl_uint mem_count, const cl_mem *mems,
                                                      const void **places, cl_uint count, const cl_event *list,
                                                      cl_event *event)
{
    (void)event;
    CHECK(cy_cl_is(queue, CY_CL_QUEUE), CL_INVALID_COMMAND_QUEUE);
    CHECK(call, CL_INVALID_VALUE);
    CHECK(data ? size != 0 : !size && !mem_count, CL_INVALID_VALUE);
    CHECK(mem_count ? mems && places : !mems && !places, CL_INVALID_VALUE);
    cl_int error = cy_cl_check_wait_list(queue->context, count, list);
    CHECK(error == CL_SUCCESS, error);
    return CL_INVALID_OPERATION; /* CL_EXEC_NATIVE_KERNEL is not among the execution capabilities */
}
