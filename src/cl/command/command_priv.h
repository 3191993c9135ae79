/* Between the files of this room. */
#ifndef CY_CL_COMMAND_COMMAND_PRIV_H
#define CY_CL_COMMAND_COMMAND_PRIV_H

#include "cl/command/command.h"

/* ---- event.c ---- */
/* A new command of this queue, not submitted yet. */
cl_event cy_cl_command(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event event));
/* The context's lock is not held.  Returns a command that can run now and that the caller must run, or NULL. */
cl_event cy_cl_complete(cl_event event, cl_int status);
cl_int cy_cl_wait(cl_event event); /* returns its status */
/* With the context's lock held: until the `calling` of an event or a queue is 0, but not for long; not from within a callback. */
void cy_cl_wait_for_callbacks(cl_context context, const size_t *calling);

/* ---- submit.c ---- */
/* Submits a command (NULL: there was no memory for it); the caller's reference goes to `event` or is released.  Waits
 * if `blocking`. */
cl_int cy_cl_submit(cl_event command, cl_uint count, const cl_event *list, cl_event *event, bool blocking);
/* Takes over the references; `event` is the last one. */
cl_int cy_cl_submit_group(const struct cy_cl_group *group, cl_event *event);
/* It has ended.  With the context's lock held. */
void cy_cl_unlink(cl_command_queue queue, cl_event event);

/* ---- schedule.c ---- */
void cy_cl_ready(cl_event event); /* all events it waits for have ended; NULL does nothing */
/* The same, but it can wait for a moment: the application may be about to wait for it, and then runs it itself.  Not for long,
 * nor after cy_cl_start_offered. */
void cy_cl_offer(cl_event event);
void cy_cl_start_offered(void);
void cy_cl_note_enqueued(void);  /* a command, ready or not: offers stay while the application goes on enqueueing */
bool cy_cl_schedule_start(void); /* makes sure there is a thread, so that every command gets run; false: the host has
                                   * none */
void cy_cl_begin_group(cl_event event); /* its last command counts as running from now on */
/* Runs a ready command to its end, or starts it if it needs no thread from then on; returns as cy_cl_complete. */
cl_event cy_cl_execute(cl_event event);
/* May a thread that waits for `event` run this ready command?  The context's lock is held here and in cy_cl_claim. */
bool cy_cl_leads_to(cl_event command, cl_event event);
/* Takes such a command away from the threads: NULL, or one that the caller must run. */
cl_event cy_cl_claim(cl_event event);

/* ---- transfer.c ---- */
/* What all commands on a memory object check first, and those on a buffer. */
cl_int cy_cl_check_mem(cl_command_queue queue, cl_mem mem, cl_uint count, const cl_event *list);
cl_int cy_cl_check_buffer(cl_command_queue queue, cl_mem mem, cl_uint count, const cl_event *list);
#define CHECK_BUFFER(mem)                                                                                              \
    do {                                                                                                               \
        cl_int error_ = cy_cl_check_buffer(queue, mem, count, list);                                                   \
        CHECK(error_ == CL_SUCCESS, error_);                                                                           \
    } while (0)
cl_event cy_cl_transfer(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event), cl_mem from, cl_mem to);
static inline bool cy_cl_is_inside(cl_mem mem, size_t offset, size_t size)
{
    return offset <= mem->size && size <= mem->size - offset;
}
/* Do two ranges share a byte? */
bool cy_cl_overlap(cl_mem from, size_t from_offset, size_t from_size, cl_mem to, size_t to_offset, size_t to_size);
/* May a command be done at once?  The context's lock is held. */
bool cy_cl_may_do_now(cl_command_queue queue, cl_uint count, const cl_event *event);

/* ---- rect.c ---- */
/* Between the boxes of two memories, or of one and the application's. */
cl_event cy_cl_rect_command(cl_command_queue queue, cl_command_type type, cl_mem from,
                            const struct cy_cl_rect *from_rect, cl_mem to, const struct cy_cl_rect *to_rect,
                            const size_t *region);
void cy_cl_copy_rect(char *to, const struct cy_cl_rect *to_rect, const char *from, const struct cy_cl_rect *from_rect,
                     const size_t *region);
/* Watchers hear of the bytes of a box that come from another memory, or from the host (`from` is NULL). */
void cy_cl_tell_rect(cl_mem to, const struct cy_cl_rect *to_rect, cl_mem from, const struct cy_cl_rect *from_rect,
                     const size_t *region);

/* ---- image_transfer.c ---- */
cl_int cy_cl_check_image(cl_command_queue queue, cl_mem mem, cl_uint count, const cl_event *list);
/* A box inside the image: its place, and the size of its first dimension in bytes. */
cl_int cy_cl_image_box(cl_mem mem, const size_t *origin, const size_t *region, struct cy_cl_rect *rect,
                       size_t bytes[3]);

/* ---- commands for a queue or a command-buffer: checked, and not submitted ---- */
cl_int cy_cl_prepare_copy(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                          size_t size, cl_event *created);
cl_int cy_cl_prepare_fill(cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_size, size_t offset,
                          size_t size, cl_uint count, const cl_event *list, cl_event *created);
cl_int cy_cl_prepare_copy_rect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                               const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
                               size_t to_row, size_t to_slice, cl_uint count, const cl_event *list, cl_event *created);
cl_int cy_cl_prepare_copy_image(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
                                const size_t *to_origin, const size_t *region, cl_uint count, const cl_event *list,
                                cl_event *created);
cl_int cy_cl_prepare_copy_image_buffer(cl_command_queue queue, cl_mem image, cl_mem buffer, bool to_buffer,
                                       const size_t *origin, const size_t *region, size_t offset, cl_uint count,
                                       const cl_event *list, cl_event *created);
cl_int cy_cl_prepare_fill_image(cl_command_queue queue, cl_mem image, const void *colour, const size_t *origin,
                                const size_t *region, cl_uint count, const cl_event *list, cl_event *created);
cl_int cy_cl_prepare_svm_copy(cl_command_queue queue, void *to, const void *from, size_t size, cl_uint count,
                              const cl_event *list, cl_event *result);
cl_int cy_cl_prepare_svm_fill(cl_command_queue queue, void *to, const void *pattern, size_t pattern_size, size_t size,
                              cl_uint count, const cl_event *list, cl_event *result);
cl_int cy_cl_prepare_launch(cl_command_queue queue, cl_kernel kernel, cl_command_type type, cl_uint dimensions,
                            const size_t *offset, const size_t *global, const size_t *local, cl_uint count,
                            const cl_event *list, cl_event *created);
cl_int cy_cl_check_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                          const size_t *global, const size_t *local, bool may_lack_arguments);

#endif
