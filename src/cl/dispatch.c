/* The table through which the ICD loader calls us. */
#include "cl/cl_priv.h"

CY_API CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint count, cl_platform_id *platforms,
                                                              cl_uint *count_ret);

const cl_icd_dispatch cy_cl_dispatch = {
#define ENTRY(name) .name = name,
#include "cl/entries.def"
};

/* Converts a function pointer to the data pointer that the API returns. */
static void *function_pointer(void (*function)(void))
{
    void *pointer;
    _Static_assert(sizeof(function) == sizeof(pointer), "POSIX");
    memcpy(&pointer, &function, sizeof(pointer));
    return pointer;
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } functions[] = {
        {"clIcdGetPlatformIDsKHR", (void (*)(void))clIcdGetPlatformIDsKHR},
        {"clCreateCommandQueueWithPropertiesKHR", (void (*)(void))clCreateCommandQueueWithProperties},
        {"clCreateProgramWithILKHR", (void (*)(void))clCreateProgramWithIL},
        {"clGetKernelSubGroupInfoKHR", (void (*)(void))clGetKernelSubGroupInfo},
        {"clGetKernelSuggestedLocalWorkSizeKHR", (void (*)(void))clGetKernelSuggestedLocalWorkSizeKHR},
    };
    for (size_t i = 0; name && i < CY_COUNT(functions); i++)
        if (!strcmp(name, functions[i].name))
            return function_pointer(functions[i].function);
    void (*function)(void) = name ? cy_cl_command_buffer_function(name) : NULL;
    if (name && !function)
        function = cy_cl_semaphore_function(name);
    return function ? function_pointer(function) : NULL;
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    return cy_cl_is(platform, CY_CL_PLATFORM) ? clGetExtensionFunctionAddress(name) : NULL;
}
