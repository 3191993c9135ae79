/* Workgroup copies: every work-item copies its share at once, and waiting for the event is a barrier (sync.cl).  All
 * work-items of the group must reach both calls with the same arguments, as the specification requires. */
#include "builtins.h"

OVL size_t get_local_linear_id(void);
OVL size_t get_local_size(uint dim);

#define SHARE(i, count)                                                                                                \
    for (size_t i = get_local_linear_id(), step = get_local_size(0) * get_local_size(1) * get_local_size(2);           \
         i < count; i += step)

/* A checker takes the accesses in between for those of the copy, which may happen at any time until it is waited for. */
#define BEGIN(to, from, count)                                                                                         \
    __cy_note_async_to((uint)(size_t)(to));                                                                            \
    __cy_note_async_from((uint)(size_t)(from));                                                                        \
    __cy_note_async((uint)(count));

#define COPY(n, T, ...)                                                                                                \
    OVL event_t async_work_group_copy(__local T##n *to, const __global T##n *from, size_t count, event_t event)        \
    {                                                                                                                  \
        BEGIN(to, from, count)                                                                                         \
        SHARE(i, count)                                                                                                \
        to[i] = from[i];                                                                                               \
        __cy_note_async_end(0);                                                                                        \
        return event;                                                                                                  \
    }                                                                                                                  \
    OVL event_t async_work_group_copy(__global T##n *to, const __local T##n *from, size_t count, event_t event)        \
    {                                                                                                                  \
        BEGIN(to, from, count)                                                                                         \
        SHARE(i, count)                                                                                                \
        to[i] = from[i];                                                                                               \
        __cy_note_async_end(0);                                                                                        \
        return event;                                                                                                  \
    }                                                                                                                  \
    OVL event_t async_work_group_strided_copy(__local T##n *to, const __global T##n *from, size_t count, size_t stride,\
                                              event_t event)                                                           \
    {                                                                                                                  \
        BEGIN(to, from, count)                                                                                         \
        SHARE(i, count)                                                                                                \
        to[i] = from[i * stride];                                                                                      \
        __cy_note_async_end(0);                                                                                        \
        return event;                                                                                                  \
    }                                                                                                                  \
    OVL event_t async_work_group_strided_copy(__global T##n *to, const __local T##n *from, size_t count, size_t stride,\
                                              event_t event)                                                           \
    {                                                                                                                  \
        BEGIN(to, from, count)                                                                                         \
        SHARE(i, count)                                                                                                \
        to[i * stride] = from[i];                                                                                      \
        __cy_note_async_end(0);                                                                                        \
        return event;                                                                                                  \
    }                                                                                                                  \
    OVL void prefetch(const __global T##n *p, size_t count) {}
#define COPIES(T, ...) WIDTHS(COPY, T, )
#if CY_IS_FLOAT
INTEGER_TYPES(COPIES)
#endif
#define OF_REAL(T) COPIES(T)
OF_REAL(REAL)
