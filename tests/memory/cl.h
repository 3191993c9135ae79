/* For tests of the OpenCL runtime without memory: calls that fail must say so, and succeed when repeated. */
#ifndef CY_TESTS_MEMORY_CL_H
#define CY_TESTS_MEMORY_CL_H

#include "support/oom.h"
#include "support/test.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

static inline bool is_lack(cl_int error)
{
    return error == CL_OUT_OF_HOST_MEMORY || error == CL_OUT_OF_RESOURCES || error == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

/* Makes a call, and again without failures if it had one. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        cl_int error_ = (call);                                                                                        \
        if (error_ == CL_SUCCESS)                                                                                      \
            break;                                                                                                     \
        CHECK(failing);                                                                                                \
        if (!CHECK(is_lack(error_)))                                                                                   \
            fprintf(stderr, "%s: %d\n", #call, error_);                                                                \
        oom_disarm();                                                                                                  \
        CHECK_EQ((call), CL_SUCCESS);                                                                                  \
    } while (0)
/* The same for a call that returns an object and has &error as its last argument. */
#define TRY_MAKE(object, call)                                                                                         \
    do {                                                                                                               \
        cl_int error = CL_SUCCESS;                                                                                     \
        (object) = (call);                                                                                             \
        CHECK((error == CL_SUCCESS) == ((object) != NULL));                                                            \
        if (error == CL_SUCCESS)                                                                                       \
            break;                                                                                                     \
        CHECK(failing);                                                                                                \
        if (!CHECK(is_lack(error)))                                                                                    \
            fprintf(stderr, "%s: %d\n", #call, error);                                                                 \
        oom_disarm();                                                                                                  \
        (object) = (call);                                                                                             \
        CHECK(error == CL_SUCCESS && (object));                                                                        \
    } while (0)

/* Waits for the event of a launch; if it could not run, that is its status. */
static inline bool is_done(cl_event event, bool failing)
{
    cl_int status = CL_COMPLETE, waited = clWaitForEvents(1, &event);
    CHECK_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL), CL_SUCCESS);
    if (waited == CL_SUCCESS)
        return CHECK_EQ(status, CL_COMPLETE);
    CHECK_EQ(waited, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(failing && is_lack(status));
    return false;
}

#endif
