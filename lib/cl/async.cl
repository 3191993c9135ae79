/* Workgroup copies: every work-item copies its share at once, and waiting for the event is a barrier (sync.cl).  All
 * work-items of the group must reach both calls with the same arguments, as the specification requires. */
#include "builtins.h"

OVL size_t get_local_linear_id(void);
OVL size_t get_local_size(uint dim);

#define SHARE(i, count)                                                                                                \
    for (size_t i = get_local_linear_id(), step = get_local_size(0) * get_local_size(1) * get_local_size(2);           \
         i < count; i += step)

/* A checker takes the accesses in between for those of the copy, which may happen at any time until its event is waited
 * for.  Steps are the distances of the elements in bytes. */
#define BEGIN(to, from, count, to_step, from_step)                                                                     \
    __cy_note_async_to((uint)(size_t)(to));                                                                            \
    __cy_note_async_from((uint)(size_t)(from));                                                                        \
    __cy_note_async_size(sizeof(*(to)));                                                                               \
    __cy_note_async_to_step((uint)(to_step) * sizeof(*(to)));                                                          \
    __cy_note_async_from_step((uint)(from_step) * sizeof(*(to)));                                                      \
    *(__private uint *)&event = __cy_note_event(*(__private uint *)&event);                                            \
    __cy_note_async((uint)(count));
#define END                                                                                                            \
    __cy_note_async_end(0);                                                                                            \
    return event;

#define COPY(n, T, ...)                                                                                                \
    OVL event_t async_work_group_copy(__local T##n *to, const __global T##n *from, size_t count, event_t event)        \
    {                                                                                                                  \
        BEGIN(to, from, count, 1, 1)                                                                                   \
        SHARE(i, count)                                                                                                \
        to[i] = from[i];                                                                                               \
        END                                                                                                            \
    }                                                                                                                  \
    OVL event_t async_work_group_copy(__global T##n *to, const __local T##n *from, size_t count, event_t event)        \
    {                                                                                                                  \
        BEGIN(to, from, count, 1, 1)                                                                                   \
        SHARE(i, count)                                                                                                \
        to[i] = from[i];                                                                                               \
        END                                                                                                            \
    }                                                                                                                  \
    OVL event_t async_work_group_strided_copy(__local T##n *to, const __global T##n *from, size_t count, size_t stride,\
                                              event_t event)                                                           \
    {                                                                                                                  \
        BEGIN(to, from, count, 1, stride)                                                                              \
        SHARE(i, count)                                                                                                \
        to[i] = from[i * stride];                                                                                      \
        END                                                                                                            \
    }                                                                                                                  \
    OVL event_t async_work_group_strided_copy(__global T##n *to, const __local T##n *from, size_t count, size_t stride,\
                                              event_t event)                                                           \
    {                                                                                                                  \
        BEGIN(to, from, count, stride, 1)                                                                              \
        SHARE(i, count)                                                                                                \
        to[i * stride] = from[i];                                                                                      \
        END                                                                                                            \
    }                                                                                                                  \
    OVL void prefetch(const __global T##n *p, size_t count) {}
#define COPIES(T, ...) WIDTHS(COPY, T, )
#if CY_IS_FLOAT
INTEGER_TYPES(COPIES)
#endif
#define OF_REAL(T) COPIES(T)
OF_REAL(REAL)
