/* Barriers and fences.  OpenCL's fence flags are the low bits of the barrier instruction's immediate; its scope field
 * has 0 for the workgroup.  The compiler uses the strongest fence if the flags are not constant.
 * Only this file, collective.cl, pipe.cl and the sub-groups' have convergent functions: the build removes the attribute everywhere else. */
#include "builtins.h"

OVL __attribute__((convergent)) void barrier(cl_mem_fence_flags flags) { __cy_barrier(flags & 7); }
OVL __attribute__((convergent)) void work_group_barrier(cl_mem_fence_flags flags) { __cy_barrier(flags & 7); }
OVL __attribute__((convergent)) void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    uint field = scope == memory_scope_work_item ? 1 : scope == memory_scope_device || scope == 3 ? (uint)scope : 0;
    __cy_barrier((flags & 7) | field << 3);
}

/* OpenCL C 1.x has no scopes, and programs order work-groups by these fences: a checker takes them so. */
#define OLD_FENCE(name, order)                                                                                         \
    OVL void name(cl_mem_fence_flags flags)                                                                            \
    {                                                                                                                  \
        __cy_note_fence((flags & 7) | (uint)order << 8 | (uint)memory_scope_device << 16);                             \
        __cy_fence(order);                                                                                             \
    }
OLD_FENCE(mem_fence, memory_order_acq_rel)
OLD_FENCE(read_mem_fence, memory_order_acquire)
OLD_FENCE(write_mem_fence, memory_order_release)
OVL void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
    if (order != memory_order_relaxed) {
        __cy_note_fence((flags & 7) | (uint)order << 8 | (uint)scope << 16);
        __cy_fence(order);
    }
}

/* The copies of async.cl are complete once every work-item has copied its share. */
#define WAIT                                                                                                           \
    {                                                                                                                  \
        for (int i = 0; i < count; i++)                                                                                \
            __cy_note_wait_event(*(const uint *)(events + i));                                                         \
        __cy_note_wait((uint)count);                                                                                   \
        __cy_barrier(3);                                                                                               \
    }
OVL __attribute__((convergent)) void wait_group_events(int count, __private event_t *events) WAIT
OVL __attribute__((convergent)) void wait_group_events(int count, __global event_t *events) WAIT
OVL __attribute__((convergent)) void wait_group_events(int count, __local event_t *events) WAIT
OVL __attribute__((convergent)) void wait_group_events(int count, __generic event_t *events) WAIT
