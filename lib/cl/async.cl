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

/* ---- cl_khr_extended_async_copies ---- */

/* Elements may have any size and alignment; offsets, lengths of lines and areas of planes count elements. */
#define LINE(T, to_space, from_space)                                                                                  \
    INTERNAL OVL event_t copy_line(to_space T *to, const from_space T *from, size_t count, event_t event)              \
    {                                                                                                                  \
        BEGIN(to, from, count, 1, 1)                                                                                   \
        SHARE(i, count)                                                                                                \
        to[i] = from[i];                                                                                               \
        END                                                                                                            \
    }
#define LINES(to_space, from_space)                                                                                    \
    LINE(uchar, to_space, from_space)                                                                                  \
    LINE(uint, to_space, from_space)                                                                                   \
    OVL event_t async_work_group_copy_3D3D(to_space void *dst, size_t dst_offset, const from_space void *src,          \
                                           size_t src_offset, size_t size, size_t elements, size_t lines,              \
                                           size_t planes, size_t src_line, size_t src_plane, size_t dst_line,          \
                                           size_t dst_plane, event_t event)                                            \
    {                                                                                                                  \
        to_space uchar *to_plane = (to_space uchar *)dst + dst_offset * size;                                          \
        const from_space uchar *from_plane = (const from_space uchar *)src + src_offset * size;                        \
        size_t bytes = elements * size;                                                                                \
        for (size_t p = 0; p < planes; p++, to_plane += dst_plane * size, from_plane += src_plane * size) {            \
            to_space uchar *to = to_plane;                                                                             \
            const from_space uchar *from = from_plane;                                                                 \
            for (size_t l = 0; l < lines; l++, to += dst_line * size, from += src_line * size)                         \
                if ((((size_t)to | (size_t)from | bytes) & 3) == 0)                                                    \
                    event = copy_line((to_space uint *)to, (const from_space uint *)from, bytes / 4, event);           \
                else                                                                                                   \
                    event = copy_line(to, from, bytes, event);                                                         \
        }                                                                                                              \
        return event;                                                                                                  \
    }                                                                                                                  \
    OVL event_t async_work_group_copy_2D2D(to_space void *dst, size_t dst_offset, const from_space void *src,          \
                                           size_t src_offset, size_t size, size_t elements, size_t lines,              \
                                           size_t src_line, size_t dst_line, event_t event)                            \
    {                                                                                                                  \
        return async_work_group_copy_3D3D(dst, dst_offset, src, src_offset, size, elements, lines, 1, src_line, 0,     \
                                          dst_line, 0, event);                                                         \
    }
LINES(__local, __global)
LINES(__global, __local)
#endif
#define OF_REAL(T) COPIES(T)
OF_REAL(REAL)
