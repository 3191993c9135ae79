/* Work-item functions.  The machine numbers the work-items of a workgroup x fastest by the size that was enqueued, TID
 * + lane; at the border of an NDRange that is not a multiple of it, the missing ones are holes in that numbering.
 * Sizes and offsets are words of the metadata buffer, to which CSR_KNL points: unused dimensions have size 1, offset
 * and id 0. */
#include "abi/abi.h"
#include "builtins.h"

enum metadata {
    WORK_DIM = CY_KNL_WORK_DIM / 4,
    GL_SIZE = CY_KNL_GL_SIZE / 4,
    LC_SIZE = CY_KNL_LC_SIZE / 4,
    GL_OFFSET = CY_KNL_GL_OFFSET / 4,
    GL_SIZE_HIGH = CY_KNL_GL_SIZE_HIGH / 4,
    GL_OFFSET_HIGH = CY_KNL_GL_OFFSET_HIGH / 4
};

INTERNAL uint metadata(uint word)
{
    return ((__constant const uint *)(size_t)__cy_csr_knl())[word];
}

/* A size or an offset in the NDRange: with 64-bit pointers it has a high word. */
INTERNAL size_t in_range(uint low, uint high)
{
#ifdef __SPIR64__
    return (size_t)metadata(high) << 32 | metadata(low);
#else
    return metadata(low);
#endif
}
INTERNAL size_t global_size(uint dim) { return in_range(GL_SIZE + dim, GL_SIZE_HIGH + dim); }
INTERNAL size_t global_offset(uint dim) { return in_range(GL_OFFSET + dim, GL_OFFSET_HIGH + dim); }

INTERNAL uint group(uint dim)
{
    return dim == 0 ? __cy_csr_gidx() : dim == 1 ? __cy_csr_gidy() : __cy_csr_gidz();
}

OVL uint get_work_dim(void) { return metadata(WORK_DIM); }
OVL size_t get_global_size(uint dim) { return dim < 3 ? global_size(dim) : 1; }
OVL size_t get_global_offset(uint dim) { return dim < 3 ? global_offset(dim) : 0; }
OVL size_t get_enqueued_local_size(uint dim) { return dim < 3 ? metadata(LC_SIZE + dim) : 1; }
OVL size_t get_group_id(uint dim) { return dim < 3 ? group(dim) : 0; }

OVL size_t get_num_groups(uint dim)
{
    if (dim >= 3)
        return 1;
    return (global_size(dim) - 1) / metadata(LC_SIZE + dim) + 1;
}

OVL size_t get_local_size(uint dim)
{
    if (dim >= 3)
        return 1;
    size_t size = metadata(LC_SIZE + dim), left = global_size(dim) - group(dim) * size;
    return left < size ? left : size;
}

OVL size_t get_local_id(uint dim)
{
    uint item = __cy_csr_tid() + __cy_lane(), dims = metadata(WORK_DIM);
    switch (dim) {
    case 0:
        return dims == 1 ? item : item % metadata(LC_SIZE);
    case 1:
        if (dims == 1)
            return 0;
        item /= metadata(LC_SIZE);
        return dims == 2 ? item : item % metadata(LC_SIZE + 1);
    case 2:
        return dims < 3 ? 0 : item / (metadata(LC_SIZE) * metadata(LC_SIZE + 1));
    default:
        return 0;
    }
}

OVL size_t get_global_id(uint dim)
{
    return dim < 3 ? global_offset(dim) + (size_t)group(dim) * metadata(LC_SIZE + dim) + get_local_id(dim) : 0;
}

OVL size_t get_local_linear_id(void)
{
    if (metadata(WORK_DIM) == 1)
        return __cy_csr_tid() + __cy_lane();
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}

OVL size_t get_global_linear_id(void)
{
    size_t x = get_global_id(0) - get_global_offset(0);
    if (metadata(WORK_DIM) == 1)
        return x;
    size_t y = get_global_id(1) - get_global_offset(1), z = get_global_id(2) - get_global_offset(2);
    return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

/* The ABI's windows tell whether a generic address is private, local or global. */

__global void *__to_global(__generic void *p) { return (size_t)p >= CY_LDS_END ? (__global void *)p : 0; }
__local void *__to_local(__generic void *p)
{
    return (size_t)p >= CY_LDS_BASE && (size_t)p < CY_LDS_END ? (__local void *)p : 0;
}
__private void *__to_private(__generic void *p) { return (size_t)p < CY_LDS_BASE ? (__private void *)p : 0; }

OVL cl_mem_fence_flags get_fence(const __generic void *p)
{
    size_t address = (size_t)p;
    return address >= CY_LDS_END ? CLK_GLOBAL_MEM_FENCE : address >= CY_LDS_BASE ? CLK_LOCAL_MEM_FENCE : 0;
}
OVL cl_mem_fence_flags get_fence(__generic void *p) { return get_fence((const __generic void *)p); }
