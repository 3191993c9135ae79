/* A command-buffer and its commands, for the files that record, run and change them. */
#ifndef CY_CL_COMMAND_COMMAND_BUFFER_PRIV_H
#define CY_CL_COMMAND_COMMAND_BUFFER_PRIV_H

#include "cl/command/command_priv.h"

/* A kernel command: what an update may change. */
struct cy_cl_dispatch {
    cl_kernel state;     /* a clone of the kernel: the arguments as they were recorded or changed */
    CY_VEC(cl_mem) mems; /* of the arguments, retained */
    size_t offset[3], global[3], local[3];
    bool has_local;
    struct cy_cl_dispatch *next; /* of those that an update replaced */
};

/* A recorded command.  It lives as long as its command-buffer. */
struct _cl_mutable_command_khr {
    struct cy_cl_object object;
    cl_command_buffer_khr buffer;
    cl_command_type type;
    struct cy_cl_command command; /* of transfers, as in an event */
    CY_VEC(uint32_t) waits;       /* for these commands, all of them earlier */
    cl_command_properties_khr *properties;
    size_t property_count;
    /* of kernels */
    cl_kernel kernel; /* as given, retained; NULL: another command */
    cl_uint dimensions;
    cl_mutable_dispatch_fields_khr updatable;
    cl_mutable_dispatch_asserts_khr asserts;
    size_t most_groups; /* that an update may ask for, if that is asserted */
    struct cy_cl_dispatch *dispatch;
    struct cy_cl_dispatch *staged; /* by the update in progress; NULL: none */
};

struct _cl_command_buffer_khr {
    struct cy_cl_object object;
    cl_context context;
    cl_command_queue queue; /* that it was created for, retained */
    cl_command_buffer_properties_khr *properties;
    size_t property_count;
    cl_command_buffer_flags_khr flags;
    cl_mutable_dispatch_asserts_khr asserts;
    pthread_mutex_t lock; /* what follows */
    bool is_finalized;
    CY_VEC(cl_mutable_command_khr) commands;
    uint32_t barrier;                /* the last one, plus 1; 0: none */
    CY_VEC(struct cy_cl_edge) edges; /* of a finalized one, for cy_cl_submit_group */
};

/* Of a kernel, as it is now; a copy with references of its own; NULL: no memory. */
struct cy_cl_dispatch *cy_cl_dispatch_of(cl_kernel kernel);
struct cy_cl_dispatch *cy_cl_dispatch_clone(const struct cy_cl_dispatch *dispatch);
void cy_cl_dispatch_free(struct cy_cl_dispatch *dispatch);   /* NULL does nothing */
bool cy_cl_dispatch_retain(struct cy_cl_dispatch *dispatch); /* the memory of its arguments; false: no memory */

#endif
