/* Commands that map memory objects into the host's memory, and unmap them. */
#include "cl/command/command_priv.h"

static cl_int check_flags(cl_mem mem, cl_map_flags flags)
{
    CHECK(!(flags & ~(CL_MAP_READ | cy_cl_map_writes)), CL_INVALID_VALUE);
    CHECK(!(flags & CL_MAP_WRITE_INVALIDATE_REGION) || !(flags & (CL_MAP_READ | CL_MAP_WRITE)), CL_INVALID_VALUE);
    CHECK(!(flags & CL_MAP_READ) || !(mem->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)),
          CL_INVALID_OPERATION);
    CHECK(!(flags & cy_cl_map_writes) ||
              !(mem->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_IMMUTABLE_EXT)),
          CL_INVALID_OPERATION);
    return CL_SUCCESS;
}

/* Adds to what is mapped; `now` says whether no command is needed. */
static cl_int add(cl_command_queue queue, cl_mem mem, const struct cy_cl_mapping *mapping, cl_uint count,
                  const cl_event *event, bool *now)
{
    pthread_mutex_lock(&mem->context->lock);
    *now = !mem->host && cy_cl_may_do_now(queue, count, event);
    const cl_int error = cy_cl_mapping_add(mem, mapping);
    pthread_mutex_unlock(&mem->context->lock);
    return error;
}

static struct cy_cl_mapping take(cl_mem mem, const void *pointer)
{
    pthread_mutex_lock(&mem->context->lock);
    const struct cy_cl_mapping mapping = cy_cl_mapping_take(mem, pointer);
    pthread_mutex_unlock(&mem->context->lock);
    return mapping;
}

/* ---- buffers ---- */

static cl_int run_map_buffer(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    if (c->from->host && !(c->map_flags & CL_MAP_WRITE_INVALIDATE_REGION))
        memcpy(c->target, c->from->bytes + c->from_offset, c->size);
    return CL_COMPLETE;
}

static cl_int check_map_buffer(cl_command_queue queue, cl_mem mem, cl_map_flags flags, size_t offset, size_t size,
                               cl_uint count, const cl_event *list)
{
    CHECK_BUFFER(mem);
    CHECK(size && cy_cl_is_inside(mem, offset, size), CL_INVALID_VALUE);
    return check_flags(mem, flags);
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                                                  cl_map_flags flags, size_t offset, size_t size, cl_uint count,
                                                  const cl_event *list, cl_event *event, cl_int *errcode_ret)
{
    bool now;
    cl_int error = check_map_buffer(queue, mem, flags, offset, size, count, list);
    CHECK_CREATE(error == CL_SUCCESS, error);
    CY_CL_TELL(maps, mem);
    char *pointer = (mem->host ? mem->host : mem->bytes) + offset;
    const struct cy_cl_mapping mapping = {.pointer = pointer, .offset = offset, .size = size, .flags = flags};
    error = add(queue, mem, &mapping, count, event, &now);
    CHECK_CREATE(error == CL_SUCCESS, error);
    if (flags & cy_cl_map_writes) /* nobody sees what the host writes through the pointer */
        CY_CL_TELL(written, mem, offset, size);
    if (now) {
        cy_cl_set_error(errcode_ret, CL_SUCCESS);
        return pointer;
    }
    cl_event created = cy_cl_transfer(queue, CL_COMMAND_MAP_BUFFER, run_map_buffer, mem, NULL);
    if (created) {
        created->command.from_offset = offset;
        created->command.size = size;
        created->command.target = pointer;
        created->command.map_flags = flags;
    }
    error = cy_cl_submit(created, count, list, event, blocking);
    if (error != CL_SUCCESS)
        take(mem, pointer);
    cy_cl_set_error(errcode_ret, error);
    return error == CL_SUCCESS ? pointer : NULL;
}

/* ---- images ---- */

static cl_int run_map_image(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    if (c->to && !(c->map_flags & CL_MAP_WRITE_INVALIDATE_REGION))
        cy_cl_copy_rect(c->to->host, &c->to_rect, c->to->bytes, &c->to_rect, c->region);
    return CL_COMPLETE;
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                                 cl_map_flags flags, const size_t *origin, const size_t *region,
                                                 size_t *row, size_t *slice, cl_uint count, const cl_event *list,
                                                 cl_event *event, cl_int *errcode_ret)
{
    struct cy_cl_mapping mapping = {.flags = flags};
    bool now;
    cl_int error = cy_cl_check_image(queue, image, count, list);
    CHECK_CREATE(error == CL_SUCCESS, error);
    error = cy_cl_image_box(image, origin, region, &mapping.rect, mapping.region);
    CHECK_CREATE(error == CL_SUCCESS, error);
    error = check_flags(image, flags);
    CHECK_CREATE(error == CL_SUCCESS, error);
    CHECK_CREATE(row && (slice || !image->image->desc.image_slice_pitch), CL_INVALID_VALUE);
    char *pointer = (image->host ? image->host : image->bytes) + cy_cl_rect_start(&mapping.rect);
    mapping.pointer = pointer;
    cl_event created = cy_cl_transfer(queue, CL_COMMAND_MAP_IMAGE, run_map_image, NULL, image->host ? image : NULL);
    CHECK_CREATE(created, CL_OUT_OF_HOST_MEMORY);
    created->command.to_rect = mapping.rect;
    memcpy(created->command.region, mapping.region, sizeof(mapping.region));
    created->command.map_flags = flags;
    error = add(queue, image, &mapping, count, event, &now);
    if (error != CL_SUCCESS) {
        cy_cl_release(created);
        CHECK_CREATE(false, error);
    }
    error = cy_cl_submit(created, count, list, event, blocking);
    cy_cl_set_error(errcode_ret, error);
    if (error != CL_SUCCESS) {
        take(image, pointer);
        return NULL;
    }
    if (flags & cy_cl_map_writes)
        cy_cl_tell_rect(image, &mapping.rect, NULL, &mapping.rect, mapping.region);
    *row = image->image->desc.image_row_pitch;
    if (slice)
        *slice = image->image->desc.image_slice_pitch;
    return pointer;
}

/* ---- both ---- */

static cl_int run_unmap(cl_event event)
{
    struct cy_cl_command *c = &event->command;
    if (!c->to->host || !(c->map_flags & cy_cl_map_writes))
        return CL_COMPLETE;
    if (c->to->image)
        cy_cl_copy_rect(c->to->bytes, &c->to_rect, c->to->host, &c->to_rect, c->region);
    else
        memcpy(c->to->bytes + c->to_offset, c->target, c->size);
    return CL_COMPLETE;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *pointer,
                                                        cl_uint count, const cl_event *list, cl_event *event)
{
    cl_int error = cy_cl_check_mem(queue, mem, count, list);
    CHECK(error == CL_SUCCESS, error);
    pthread_mutex_lock(&mem->context->lock);
    const struct cy_cl_mapping mapping = cy_cl_mapping_take(mem, pointer);
    const bool now = !mem->host && cy_cl_may_do_now(queue, count, event);
    pthread_mutex_unlock(&mem->context->lock);
    CHECK(mapping.pointer, CL_INVALID_VALUE);
    CY_CL_TELL(unmapped, mem, mapping.pointer, mapping.size);
    CHECK(!now, CL_SUCCESS); /* nothing to copy, nothing to signal */
    cl_event created = cy_cl_transfer(queue, CL_COMMAND_UNMAP_MEM_OBJECT, run_unmap, NULL, mem);
    if (created) {
        created->command.to_offset = mapping.offset;
        created->command.size = mapping.size;
        created->command.to_rect = mapping.rect;
        memcpy(created->command.region, mapping.region, sizeof(mapping.region));
        created->command.target = mapping.pointer;
        created->command.map_flags = mapping.flags;
    }
    error = cy_cl_submit(created, count, list, event, false);
    if (error != CL_SUCCESS) { /* it is still mapped */
        pthread_mutex_lock(&mem->context->lock);
        cy_cl_mapping_give_back(mem, &mapping);
        pthread_mutex_unlock(&mem->context->lock);
    }
    return error;
}
