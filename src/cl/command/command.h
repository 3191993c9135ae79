/* The room of commands, and the door of this folder: queues, events, what can be enqueued, and the threads that run it. */
#ifndef CY_CL_COMMAND_COMMAND_H
#define CY_CL_COMMAND_COMMAND_H

#include "cl/memory/memory.h"
#include "cl/object/object.h"
#include "cl/program/program.h"

extern const struct cy_cl_class cy_cl_queue_class, cy_cl_event_class, cy_cl_command_buffer_class,
    cy_cl_mutable_command_class, cy_cl_semaphore_class;
extern const struct cy_cl_attachment cy_cl_scheduler_attachment;

struct _cl_command_queue {
    struct cy_cl_object object;
    cl_context context;
    cl_device_id device;
    cl_uint index; /* the device's index in the context */
    cl_command_queue_properties properties;
    cl_queue_properties *given;
    size_t given_count;
    unsigned rank;        /* of its commands among those that can run: 0 comes first */
    cl_event first, last; /* commands that have not ended, in order */
    atomic_size_t length; /* of that list, and `calling`: changed with the lock held, may be read without */
    size_t calling;       /* commands that have ended and whose callbacks run */
    cl_event barrier;     /* the last barrier, until it has ended */
    struct cy_cl_watched_queue *watched; /* a watcher's own; NULL: nothing */
};

/* A command and its operands.  One struct for all kinds, since they share most fields. */
struct cy_cl_command {
    /* NULL: nothing to do.  Returns the event's status: CL_RUNNING means that the command continues without a thread
     * and will become ready again, with another function, when it has ended. */
    cl_int (*run)(cl_event event);
    cl_mem from, to; /* retained */
    size_t from_offset, to_offset, size;
    const void *source;
    void *target;
    size_t region[3];
    struct cy_cl_rect from_rect, to_rect;
    unsigned char pattern[128];
    cl_map_flags map_flags;
    cl_kernel kernel; /* retained */
    struct cy_arguments *arguments;
    struct cy_launch_desc launch;
    struct cy_launch *launched;    /* that has ended */
    struct cy_cl_watched *watched; /* the watchers' own, one block, which is freed with the command; NULL: nothing */
    void **svms;                   /* to free */
    cl_uint svm_count;
    void(CL_CALLBACK *free_svms)(cl_command_queue queue, cl_uint count, void *pointers[], void *data);
    void *free_data;
    cl_mem *mems; /* of the kernel's arguments, retained */
    size_t mem_count;
    cl_semaphore_khr *semaphores; /* retained */
    size_t semaphore_count, semaphore_next;
    cl_event group; /* of the first command of a command-buffer: the last one, which the application sees */
};

struct cy_cl_event_callback {
    void(CL_CALLBACK *call)(cl_event event, cl_int status, void *data);
    void *data;
    cl_int type;
};

struct cy_cl_dependent {
    cl_event event;
    bool is_explicit; /* in its wait list: our failure is its failure */
};

enum { CY_CL_TIME_QUEUED, CY_CL_TIME_SUBMITTED, CY_CL_TIME_STARTED, CY_CL_TIME_ENDED, CY_CL_TIMES };

struct _cl_event {
    struct cy_cl_object object;
    cl_context context;
    cl_command_queue queue; /* NULL: a user event */
    cl_command_type type;
    cl_int status;
    cl_ulong times[CY_CL_TIMES];
    size_t pending; /* number of events to wait for */
    bool wait_failed;
    bool may_wait;    /* it may not end before the application does something: sets a user event, signals a semaphore */
    const void *gate; /* the event that does so, if there is only one: to compare */
    const void *recorded; /* of the last command of a command-buffer: that, to compare */
    CY_VEC(struct cy_cl_dependent) dependents;
    CY_VEC(struct cy_cl_event_callback) callbacks;
    size_t calling;          /* 1 while it has ended and its callbacks run */
    cl_event next, previous; /* in the queue */
    cl_event next_ready;     /* in the scheduler */
    uint64_t offered;        /* there, a number: the application may run it itself; 0: no longer */
    unsigned order;          /* a watcher's number for it; 0: none */
    struct cy_cl_command command;
};

/* Commands that are submitted as one: the first waits for the list and for the queue, the others for commands of the group,
 * and the last for all.  Most are a group of their own. */
struct cy_cl_edge {
    uint32_t from, to; /* indices into the group */
};
struct cy_cl_group {
    cl_event *commands;
    size_t command_count;
    const struct cy_cl_edge *edges; /* in ascending order of `to` */
    size_t edge_count;
    cl_uint wait_count;
    const cl_event *wait_list;
    bool after_groups; /* it also waits for the command-buffers before it in an out-of-order queue */
};

cl_int cy_cl_check_wait_list(cl_context context, cl_uint count, const cl_event *list);

/* Entry points of extensions, up to one without a name. */
extern const struct cy_cl_entry_point cy_cl_command_buffer_functions[], cy_cl_recording_functions[],
    cy_cl_mutable_functions[], cy_cl_semaphore_functions[];

#endif
