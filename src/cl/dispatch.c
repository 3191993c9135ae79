/* The table through which the ICD loader calls us. */
#include "cl/command/command.h"

CY_API CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint count, cl_platform_id *platforms,
                                                              cl_uint *count_ret);

const cl_icd_dispatch cy_cl_dispatch = {
#define ENTRY(name) .name = name,
#include "cl/entries.def"
};

/* Converts a function pointer to the data pointer that the API returns. */
static void *function_pointer(cy_cl_function function)
{
    void *pointer;
    _Static_assert(sizeof(function) == sizeof(pointer), "POSIX");
    memcpy(&pointer, &function, sizeof(pointer));
    return pointer;
}

static const struct cy_cl_entry_point own_functions[] = {
    {"clIcdGetPlatformIDsKHR", (cy_cl_function)clIcdGetPlatformIDsKHR},
    {"clCreateCommandQueueWithPropertiesKHR", (cy_cl_function)clCreateCommandQueueWithProperties},
    {"clCreateProgramWithILKHR", (cy_cl_function)clCreateProgramWithIL},
    {"clGetKernelSubGroupInfoKHR", (cy_cl_function)clGetKernelSubGroupInfo},
    {"clGetKernelSuggestedLocalWorkSizeKHR", (cy_cl_function)clGetKernelSuggestedLocalWorkSizeKHR},
    {NULL, NULL},
};

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    const struct cy_cl_entry_point *const lists[] = {own_functions, cy_cl_command_buffer_functions,
                                                     cy_cl_recording_functions, cy_cl_mutable_functions,
                                                     cy_cl_semaphore_functions};
    for (size_t i = 0; name && i < CY_COUNT(lists); i++)
        for (const struct cy_cl_entry_point *entry = lists[i]; entry->name; entry++)
            if (!strcmp(name, entry->name))
                return function_pointer(entry->function);
    return NULL;
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    return cy_cl_is(platform, &cy_cl_platform_class) ? clGetExtensionFunctionAddress(name) : NULL;
}
