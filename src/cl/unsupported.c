/* Features that the device lacks (native kernels): every function answers as the specification requires for a device
 * without the feature. */
#include "cl/command/command.h"

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *call)(void *),
                                                      void *data, size_t size, cl_uint mem_count, const cl_mem *mems,
                                                      const void **places, cl_uint count, const cl_event *list,
                                                      cl_event *event)
{
    (void)event;
    CHECK(cy_cl_is(queue, &cy_cl_queue_class), CL_INVALID_COMMAND_QUEUE);
    CHECK(call, CL_INVALID_VALUE);
    CHECK(data ? size != 0 : !size && !mem_count, CL_INVALID_VALUE);
    CHECK(mem_count ? mems && places : !mems && !places, CL_INVALID_VALUE);
    cl_int error = cy_cl_check_wait_list(queue->context, count, list);
    CHECK(error == CL_SUCCESS, error);
    return CL_INVALID_OPERATION; /* CL_EXEC_NATIVE_KERNEL is not among the execution capabilities */
}
