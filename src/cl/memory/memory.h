/* The room of memory objects, and the door of this folder: buffers, images, pipes, samplers, shared virtual memory, and what
 * the host has mapped. */
#ifndef CY_CL_MEMORY_MEMORY_H
#define CY_CL_MEMORY_MEMORY_H

#include "cl/object/object.h"

extern const struct cy_cl_class cy_cl_mem_class, cy_cl_sampler_class;

struct cy_cl_mem_callback {
    void(CL_CALLBACK *call)(cl_mem mem, void *data);
    void *data;
};

/* Where a box of bytes is in linear memory. */
struct cy_cl_rect {
    size_t origin[3], row, slice; /* the origin's first coordinate in bytes */
};

static inline size_t cy_cl_rect_start(const struct cy_cl_rect *rect)
{
    return rect->origin[2] * rect->slice + rect->origin[1] * rect->row + rect->origin[0];
}

struct cy_cl_mapping {
    void *pointer;
    size_t offset, size; /* of a buffer */
    cl_map_flags flags;
    struct cy_cl_rect rect; /* of an image */
    size_t region[3];       /* the first in bytes */
};

/* The memory of an image is linear, with the pitches that the application gave for its own, or without gaps. */
struct cy_cl_image {
    cl_image_format format;
    cl_image_desc desc; /* with the pitches in use */
    enum cy_image_type type;
    size_t element;     /* bytes */
    size_t extent[3];   /* as the coordinates of commands count: layers follow the dimensions */
    size_t row, slice;  /* bytes for a step in the second and third of them */
    uint32_t address[]; /* of the description in the machine of each of the context's devices */
};

struct _cl_mem {
    struct cy_cl_object object;
    cl_context context;
    cl_mem parent;                     /* of a sub-buffer, or of an image that shares its memory */
    struct cy_cl_image *image;         /* NULL: a buffer or a pipe */
    cl_uint pipe_packet, pipe_packets; /* of a pipe: bytes, and how many; 0: another object */
    cl_mem_flags flags;
    cl_mem_properties *properties;
    size_t property_count;
    size_t offset, size;
    cl_uint home; /* the first device that has an address */
    char *bytes;  /* the machines' shared memory, as the host sees it */
    char *host;   /* USE_HOST_PTR: the application's memory, which maps expose */
    char *svm;    /* the same if that is shared virtual memory: then it is `bytes` */
    CY_VEC(struct cy_cl_mapping) mappings;
    CY_VEC(struct cy_cl_mem_callback) destructors;
    uint64_t address[]; /* in the machine of each of the context's devices; 0: too large for it */
};

static inline bool cy_cl_is_buffer(cl_mem mem)
{
    return !mem->image && !mem->pipe_packets;
}

struct _cl_sampler {
    struct cy_cl_object object;
    cl_context context;
    cl_sampler_properties *properties;
    size_t property_count;
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
};

uint32_t cy_cl_sampler_word(cl_sampler sampler); /* as OpenCL C's constants make it */

/* The colour's element in an image's memory; returns its size. */
size_t cy_cl_image_encode(const cl_image_format *format, const void *colour, unsigned char element[16]);

/* ---- mapping.c: with the context's lock held ---- */

static const cl_map_flags cy_cl_map_writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

/* An error: what the host may write there is mapped for writing already, or there is no memory. */
cl_int cy_cl_mapping_add(cl_mem mem, const struct cy_cl_mapping *mapping);
/* Removes the mapping with this pointer; its pointer is NULL if there is none. */
struct cy_cl_mapping cy_cl_mapping_take(cl_mem mem, const void *pointer);
void cy_cl_mapping_give_back(cl_mem mem, const struct cy_cl_mapping *mapping);

/* ---- svm.c: shared virtual memory ---- */

/* An allocation. */
struct cy_cl_svm {
    struct cy_cl_svm *next; /* of the context */
    char *pointer;
    size_t size;
    bool is_fine; /* commands may share it while they run */
};

extern const struct cy_cl_class cy_cl_svm_class; /* allocations have no handle, but watchers count them, too */

/* The allocation that contains all these bytes; NULL: none. */
char *cy_cl_svm_find(cl_context context, const void *pointer, size_t size);
bool cy_cl_svm_exists(cl_context context); /* has a device of the context such memory? */
void cy_cl_svm_free(cl_context context, void *pointer, bool by_host);

#endif
