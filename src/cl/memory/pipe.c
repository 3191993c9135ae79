/* Pipes: memory that only kernels use.  lib/cl/pipe.cl says how. */
#include "cl/memory/memory_priv.h"

#include "abi/abi.h"

static bool properties_valid(const cl_pipe_properties *properties)
{
    return !properties || !properties[0]; /* there are none */
}

/* Counters and marks begin at 0, which the memory is. */
static void set_up(cl_mem pipe, uint32_t slots, uint32_t data)
{
    uint32_t words[CY_PIPE_RECORDS / 4] = {0};
    words[CY_PIPE_PACKETS / 4] = pipe->pipe_packets;
    words[CY_PIPE_MASK / 4] = slots - 1;
    words[CY_PIPE_DATA / 4] = data;
    words[CY_PIPE_PACKET_BYTES / 4] = pipe->pipe_packet;
    memset(pipe->bytes, 0, data);
    memcpy(pipe->bytes, words, sizeof(words));
    CY_CL_TELL(written, pipe, 0, pipe->size);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet, cl_uint packets,
                                             const cl_pipe_properties *properties, cl_int *errcode_ret)
{
    const cl_mem_flags allowed = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
    uint64_t slots = 1;
    CHECK_CREATE(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    CHECK_CREATE(!(flags & ~allowed), CL_INVALID_VALUE);
    CHECK_CREATE(properties_valid(properties), CL_INVALID_VALUE);
    CHECK_CREATE(packet && packet <= CY_CL_MOST_PACKET_BYTES && packets, CL_INVALID_PIPE_SIZE);
    while (slots < packets)
        slots *= 2;
    const uint64_t data = (CY_PIPE_RECORDS + slots * CY_PIPE_RECORD_BYTES + 127) / 128 * 128,
                   size = data + slots * packet;
    for (cl_uint i = 0; i < context->device_count; i++)
        CHECK_CREATE(size <= context->devices[i]->capabilities.memory_bytes / 2, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    cl_mem pipe = cy_cl_mem_allocate(context, flags ? flags : allowed, size, NULL, errcode_ret);
    if (!pipe)
        return NULL;
    pipe->pipe_packet = packet;
    pipe->pipe_packets = packets;
    pipe->property_count = properties != NULL;
    set_up(pipe, (uint32_t)slots, (uint32_t)data);
    return pipe;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPipeInfo(cl_mem pipe, cl_pipe_info name, size_t size, void *value,
                                              size_t *size_ret)
{
    const cl_pipe_properties none = 0;
    CHECK(cy_cl_is(pipe, &cy_cl_mem_class) && pipe->pipe_packets, CL_INVALID_MEM_OBJECT);
    switch (name) {
    case CL_PIPE_PACKET_SIZE: INFO(cl_uint, pipe->pipe_packet);
    case CL_PIPE_MAX_PACKETS: INFO(cl_uint, pipe->pipe_packets);
    case CL_PIPE_PROPERTIES: INFO_DATA(&none, pipe->property_count * sizeof(none));
    default: return CL_INVALID_VALUE;
    }
}
