/* Shared by the parts of the OpenCL runtime: the objects behind the API's handles.
 *
 * Locks: a context's `lock` guards the events of the context and the lists of its queues (the dependency graph); the
 * scheduler has its own lock, nested inside it.  Reference counts are atomic.  No lock is held while a callback of the
 * application runs or while an object is destroyed. */
#ifndef CY_CL_CL_PRIV_H
#define CY_CL_CL_PRIV_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#pragma GCC visibility push(default) /* only OpenCL's own functions are exported */
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#pragma GCC visibility pop
#include "cl/extensions.h"

#include "base/mem.h"
#include "cc/driver/driver.h"
#include "chengying/cc.h"
#include "chengying/device.h"
#include "chengying/timing.h"
#include "profile/profile.h"
#include "view/view.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

extern const cl_icd_dispatch cy_cl_dispatch;

/* ---- objects ---- */

enum cy_cl_kind {
    CY_CL_PLATFORM = 0x43594c01,
    CY_CL_DEVICE,
    CY_CL_CONTEXT,
    CY_CL_QUEUE,
    CY_CL_MEM,
    CY_CL_PROGRAM,
    CY_CL_KERNEL,
    CY_CL_SAMPLER,
    CY_CL_EVENT,
    CY_CL_COMMAND_BUFFER,
    CY_CL_MUTABLE_COMMAND,
    CY_CL_SEMAPHORE,
};

/* The first member of every object: the loader reads `dispatch`, and `kind` identifies valid handles. */
struct cy_cl_object {
    const cl_icd_dispatch *dispatch;
    enum cy_cl_kind kind;
    atomic_uint_least64_t references; /* the lower half: those that the application sees */
    atomic_uint generation;           /* fork.c */
};

struct _cl_platform_id {
    struct cy_cl_object object;
};

enum {
    CY_CL_MAX_ROOTS = 16,  /* devices of the platform */
    CY_CL_MAX_PARTS = 256, /* sub-devices of one: it has no more SMs, unless it is told to */
    CY_CL_MAX_DEVICES = CY_CL_MAX_ROOTS + CY_CL_MAX_PARTS /* of a context: a device may be there next to its parts */
};
enum { CY_CL_MOST_PIPE_ARGUMENTS = 16, CY_CL_MOST_RESERVATIONS = 1024, CY_CL_MOST_PACKET_BYTES = 1024 }; /* of pipes */

struct _cl_device_id {
    struct cy_cl_object object;
    struct cy_device *machine;
    unsigned ventus; /* the generation it runs programs of */
    struct cy_capabilities capabilities;
    bool is_timed;                  /* by the cycle model: events have the modelled device's time */
    struct cy_timing_config timing; /* if so */
    cl_uint clock_mhz;
    atomic_ullong now_ns;                    /* of the modelled device: grows with the commands that have run */
    cl_device_id parent;                     /* of a sub-device, retained; NULL: a device of the platform */
    cl_device_partition_property *partition; /* how the parent was partitioned */
    size_t partition_count;
};

struct cy_cl_context_callback {
    void(CL_CALLBACK *call)(cl_context context, void *data);
    void *data;
};

/* An allocation of shared virtual memory. */
struct cy_cl_svm {
    char *pointer;
    size_t size;
    bool is_fine; /* commands may share it while they run */
};

struct _cl_context {
    struct cy_cl_object object;
    /* Per-device arrays of other objects use this order. */
    cl_device_id devices[CY_CL_MAX_DEVICES];
    cl_uint device_count;
    cl_context_properties *properties; /* as given, with the terminating 0; NULL: none */
    size_t property_count;
    void(CL_CALLBACK *notify)(const char *text, const void *info, size_t size, void *data);
    void *notify_data;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* signalled when an event has ended */
    bool callbacks_block;   /* one did not return while its command was waited for */
    CY_VEC(struct cy_cl_context_callback) destructors;
    CY_VEC(struct cy_cl_svm) svms; /* sorted by nothing: there are few */
};

struct _cl_command_queue {
    struct cy_cl_object object;
    cl_context context;
    cl_device_id device;
    cl_uint index; /* the device's index in the context */
    cl_command_queue_properties properties;
    cl_queue_properties *given;
    size_t given_count;
    unsigned rank;                   /* of its commands among those that can run: 0 comes first */
    cl_event first, last;            /* commands that have not ended, in order */
    atomic_size_t length;            /* of that list, and `calling`: changed with the lock held, may be read without */
    size_t calling;                  /* commands that have ended and whose callbacks run */
    cl_event barrier;                /* the last barrier, until it has ended */
    struct cy_cl_order_queue *order; /* for the checker */
};

struct cy_cl_mem_callback {
    void(CL_CALLBACK *call)(cl_mem mem, void *data);
    void *data;
};

struct cy_cl_rect {
    size_t origin[3], row, slice; /* the origin's first coordinate in bytes */
};

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

struct _cl_sampler {
    struct cy_cl_object object;
    cl_context context;
    cl_sampler_properties *properties;
    size_t property_count;
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
};

/* The result of a build: a description of the kernels, and code in the machines it was built for. */
struct cy_cl_build {
    atomic_uint references;
    struct cy_program *code[CY_CL_MAX_DEVICES]; /* NULL: not for this device */
    unsigned char *elf;
    size_t elf_size;
    unsigned char *bitcode; /* of a compiled program or a library */
    size_t bitcode_size;
    cl_program_binary_type type;
    unsigned ventus;                /* the generation it is for */
    bool uniform_groups;            /* of a compiled program or a library: kernels linked from it want them */
    bool no_argument_info;          /* compiled without -cl-kernel-arg-info */
    struct cy_kernel_info *kernels; /* of an executable that was loaded; their texts belong to the code */
    size_t kernel_count;
};

/* A program's state on one device. */
struct cy_cl_device_build {
    cl_build_status status;
    char *options, *log;       /* NULL: "" */
    struct cy_cl_build *build; /* NULL: not built */
};

struct _cl_program {
    struct cy_cl_object object;
    cl_context context;
    char *source;     /* NULL: created from a binary or SPIR-V, or linked */
    void *il;         /* SPIR-V, or NULL */
    void *special_il; /* the same with the specialization constants that were set */
    size_t il_size;
    bool has_binary; /* created from a binary, which `device_builds` holds from the start */
    bool has_device[CY_CL_MAX_DEVICES];
    pthread_mutex_t lock; /* what follows */
    pthread_cond_t done;  /* signalled when a build has ended */
    struct cy_cl_device_build device_builds[CY_CL_MAX_DEVICES];
    unsigned kernels;       /* attached */
    CY_VEC(char *) faulted; /* kernels whose fault has been printed */
};

struct cy_cl_argument {
    bool is_set;
    cl_mem mem;      /* not retained: the specification leaves that to the application */
    const void *svm; /* a pointer to shared virtual memory, if `is_svm` */
    bool is_svm;
    cl_sampler sampler; /* likewise */
    size_t size;        /* of `value`; for a local argument: the requested bytes */
    void *value;        /* a copy */
};

/* A kernel on one device; `build` is NULL when the program was not built for it. */
struct cy_cl_kernel_part {
    struct cy_cl_build *build;
    const struct cy_kernel_info *info;
};

struct _cl_kernel {
    struct cy_cl_object object;
    cl_program program;
    const struct cy_kernel_info *info; /* of the first part: name and arguments are the same in all */
    struct cy_cl_argument *arguments;
    struct cy_cl_kernel_part parts[]; /* of the context's devices */
};

/* ---- commands ---- */

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
    struct cy_launch *launched;                  /* that has ended */
    struct cy_timing *timing;                    /* observes the launch; NULL: none */
    struct cy_check_argument *checked_arguments; /* as the checker wants them; NULL: there is none */
    size_t checked_count;
    struct cy_check_launch *checked; /* while it runs */
    struct cy_view_launch *viewed;   /* while it runs; NULL: it is not recorded */
    void **svms;                     /* to free */
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

struct _cl_event {
    struct cy_cl_object object;
    cl_context context;
    cl_command_queue queue; /* NULL: a user event */
    cl_command_type type;
    cl_int status;
    cl_ulong times[4]; /* queued, submitted, started, ended */
    uint64_t cycles;   /* taken by the launch on the modelled device; 0: not known */
    struct cy_profile_launch profiled;
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
    unsigned order;          /* for the checker, a number; 0: none */
    struct cy_cl_command command;
};

/* ---- object.c ---- */

unsigned cy_cl_generation(void); /* of processes: incremented in a forked child */
void cy_cl_next_generation(void);
/* Zeroed, with one reference; NULL: out of memory, as for every constructor here. */
void *cy_cl_create(enum cy_cl_kind kind, size_t size);
bool cy_cl_is(const void *handle, enum cy_cl_kind kind);
void cy_cl_retain(void *handle);
void cy_cl_discard(void *handle); /* before anybody has seen it: only its own memory */
void cy_cl_release(void *handle); /* NULL does nothing */
/* References of our own, which the application's count does not show; cy_cl_own makes one of the caller's reference. */
void cy_cl_hold(void *handle);
void cy_cl_drop(void *handle); /* NULL does nothing */
void cy_cl_own(void *handle);

/* Answers a clGet...Info call. */
cl_int cy_cl_answer(const void *data, size_t data_size, size_t size, void *value, size_t *size_ret);
#define INFO_DATA(data, data_size) return cy_cl_answer(data, data_size, size, value, size_ret)
#define INFO_TEXT(text) INFO_DATA(text, strlen(text) + 1)
#define INFO(type, expression)                                                                                         \
    do {                                                                                                               \
        type answer_ = (type)(expression);                                                                             \
        INFO_DATA(&answer_, sizeof(answer_));                                                                          \
    } while (0)

/* The error conditions of the specification, one line each and in its order. */
#define CHECK(condition, error)                                                                                        \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return (error);                                                                                            \
    } while (0)
/* The same in functions that return an object and report the error through `errcode_ret`. */
#define CHECK_CREATE(condition, error)                                                                                 \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            cy_cl_set_error(errcode_ret, error);                                                                       \
            return NULL;                                                                                               \
        }                                                                                                              \
    } while (0)
static inline void cy_cl_set_error(cl_int *errcode_ret, cl_int error)
{
    if (errcode_ret)
        *errcode_ret = error;
}

/* ---- fork.c ---- */
void cy_cl_watch_forks(void);
void cy_cl_leave_behind(void *memory); /* memory of the parent's that the child abandons; NULL does nothing */

/* ---- platform.c ---- */
/* Fills in a device that has its generation; an error: `why` may say which. */
enum cy_status cy_cl_open_device(cl_device_id device, const struct cy_config *config, char **why);
cl_platform_id cy_cl_platform(void);
bool cy_cl_renew_device(cl_device_id device); /* in a forked child, for its parent's device; false: the machine cannot
                                               * be opened */
void cy_cl_platform_forked(void);
cl_int cy_cl_devices(cl_device_id devices[CY_CL_MAX_ROOTS], cl_uint *count); /* all devices, opened on first use */
bool cy_cl_setting(const char *name); /* an environment variable that is neither empty nor "0" */

/* ---- debug.c ---- */
bool cy_cl_debug_wanted(void);
const struct cy_controller *cy_cl_debug_controller(void); /* NULL: none */
void cy_cl_debug_after(void);                             /* a launch has ended */
/* The file that a debugger can show the source in, in `name`; NULL: none, or there is no debugger. */
const char *cy_cl_debug_name(const char *source, char *name, size_t room);

/* ---- context.c ---- */
void cy_cl_context_destroy(cl_context context);
/* A device's index in its context's list; false: it is not in the context. */
bool cy_cl_find_device(cl_context context, cl_device_id device, cl_uint *index);
void cy_cl_notify(cl_context context, const char *text);
/* The same for a fault of a kernel, which is printed by default. */
void cy_cl_notify_fault(cl_kernel kernel, const char *text);

/* ---- event.c ---- */
cl_ulong cy_cl_now(void);

/* timing.c: what CHENGYING_TIMING changes */
bool cy_cl_timing_wanted(void);
enum cy_status cy_cl_timing_open(cl_device_id device, char **why);
cl_ulong cy_cl_device_now(cl_device_id device); /* the host's time if the device is not modelled, or NULL */
/* Attaches the model to the launch if the device is timed; false: no memory. */
bool cy_cl_timing_begin(cl_event event, struct cy_observers *observers);
uint64_t cy_cl_timing_finish(cl_event event, bool ok); /* cycles; UINT64_MAX: not known */
void cy_cl_timing_end(cl_event event);
void cy_cl_timing_stamp(cl_event event, cl_ulong *start, cl_ulong *end); /* when the command ends */
/* profile.c: what CHENGYING_PROFILE adds */
bool cy_cl_profile_wanted(void);
void cy_cl_profile_begin(cl_event event); /* after cy_cl_timing_begin */
void cy_cl_profile_end(cl_event event, struct cy_launch *launch, bool ok,
                       uint64_t cycles); /* launch NULL: it did not start */
void cy_cl_profile_queue_gone(cl_command_queue queue);
void cy_cl_profile_command(cl_event event, cl_ulong queued, cl_ulong start, cl_ulong end);
void cy_cl_profile_forked(void);
/* view.c: what CHENGYING_VIEW adds */
bool cy_cl_view_wanted(void);
void cy_cl_view_begin(cl_event event, struct cy_observers *observers); /* after cy_cl_profile_begin */
void cy_cl_view_end(cl_event event, uint64_t cycles, const char *message);
void cy_cl_view_forked(void);
cl_int cy_cl_check_wait_list(cl_context context, cl_uint count, const cl_event *list);
/* A new command of this queue, not submitted yet. */
cl_event cy_cl_command(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event event));
/* Submits a command (NULL: there was no memory for it); the caller's reference goes to `event` or is released.  Waits
 * if `blocking`. */
cl_int cy_cl_submit(cl_event command, cl_uint count, const cl_event *list, cl_event *event, bool blocking);
/* Submits commands as one: the first waits for the list and for the queue, the others for commands of the group, and the
 * last for all.  Takes over the references; `event` is the last one. */
struct cy_cl_edge {
    uint32_t from, to; /* indices into the group */
};
cl_int cy_cl_submit_group(cl_event *commands, size_t command_count, const struct cy_cl_edge *edges, size_t edge_count,
                          cl_uint count, const cl_event *list, cl_event *event);
/* The context's lock is not held.  Returns a command that can run now and that the caller must run, or NULL. */
cl_event cy_cl_complete(cl_event event, cl_int status);
cl_int cy_cl_wait(cl_event event); /* returns its status */
/* With the context's lock held: until the `calling` of an event or a queue is 0, but not for long; not from within a callback. */
void cy_cl_wait_for_callbacks(cl_context context, const size_t *calling);
void cy_cl_event_destroy(cl_event event);

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

void cy_cl_schedule_forked(void);

/* ---- queue.c ---- */
void cy_cl_queue_destroy(cl_command_queue queue);

/* ---- mem.c ---- */
static inline bool cy_cl_is_buffer(cl_mem mem)
{
    return !mem->image && !mem->pipe_packets;
}
bool cy_cl_has_far(cl_device_id device); /* are its buffers above 4 GiB? */
uint64_t cy_cl_memory_bytes(cl_device_id device);
bool cy_cl_has_room(cl_device_id device, size_t size);
uint64_t cy_cl_max_image_bytes(cl_device_id device);
bool cy_cl_fits_some_device(cl_context context, size_t size);
bool cy_cl_mem_flags_valid(cl_mem_flags flags);
bool cy_cl_mem_has_contents(cl_mem_flags flags);
bool cy_cl_mem_inherit(cl_mem_flags parent, cl_mem_flags *flags);
/* Memory of a buffer or an image in all machines of the context; NULL: an error, see errcode_ret. */
cl_mem cy_cl_mem_allocate(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *errcode_ret);
/* Memory that is a part of the parent's. */
cl_mem cy_cl_mem_share(cl_mem parent, cl_mem_flags flags, size_t offset, size_t size);
void cy_cl_mem_destroy(cl_mem mem);

/* ---- svm.c ---- */
bool cy_cl_has_svm(cl_device_id device);
/* The allocation that contains all these bytes; NULL: none. */
char *cy_cl_svm_find(cl_context context, const void *pointer, size_t size);
void cy_cl_svm_free_all(cl_context context);
cl_int cy_cl_prepare_svm_copy(cl_command_queue queue, void *to, const void *from, size_t size, cl_uint count,
                              const cl_event *list, cl_event *result);
cl_int cy_cl_prepare_svm_fill(cl_command_queue queue, void *to, const void *pattern, size_t pattern_size, size_t size,
                              cl_uint count, const cl_event *list, cl_event *result);

/* ---- image.c, sampler.c ---- */
void cy_cl_image_destroy(cl_mem mem); /* what only an image has */
cl_mem_object_type cy_cl_image_object_type(const struct cy_cl_image *image);
size_t cy_cl_image_channels(cl_channel_order order); /* how many an element has */
/* The colour's element in memory; returns its size. */
size_t cy_cl_image_encode(const cl_image_format *format, const void *colour, unsigned char element[16]);
void cy_cl_sampler_destroy(cl_sampler sampler);
uint32_t cy_cl_sampler_word(cl_sampler sampler); /* as OpenCL C's constants make it */

/* ---- transfer.c: for commands on images ---- */
cl_event cy_cl_transfer(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event), cl_mem from, cl_mem to);
cl_int cy_cl_run_rect(cl_event event);
/* Between the boxes of two memories, or of one and the application's. */
cl_event cy_cl_rect_command(cl_command_queue queue, cl_command_type type, cl_mem from,
                            const struct cy_cl_rect *from_rect, cl_mem to, const struct cy_cl_rect *to_rect,
                            const size_t *region);
/* Commands for a queue or a command-buffer: checked, and not submitted. */
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
/* May a command be done at once?  The context's lock is held. */
bool cy_cl_may_do_now(cl_command_queue queue, cl_uint count, const cl_event *event);

/* ---- program.c, program_build.c, build.c, binary.c, compiler.c ---- */
cl_program cy_cl_program_create(cl_context context);
void cy_cl_program_destroy(cl_program program);
/* Drops the program's state on a device. */
void cy_cl_program_forget(struct cy_cl_device_build *device_build);
/* Waits for builds that run with a callback.  The program's lock is held. */
void cy_cl_program_wait(cl_program program);
/* The program's executable on a device; NULL: not built, or not an executable.  The program's lock is held. */
struct cy_cl_build *cy_cl_program_executable_on(cl_program program, cl_uint device);
/* The first executable of any device; NULL: none.  The program's lock is held. */
struct cy_cl_build *cy_cl_program_executable(cl_program program);
struct cy_cl_build *cy_cl_build_create(void);
void cy_cl_build_retain(struct cy_cl_build *build);
void cy_cl_build_release(struct cy_cl_build *build); /* NULL does nothing */
/* Takes over the compiler's result. */
void cy_cl_build_take(struct cy_cl_build *build, struct cy_cc_result *result);
/* Loads the code into a machine of the context, unless it is there, and takes over what its notes say of the kernels; an
 * error: it is refused, and the log says why. */
cl_int cy_cl_build_load(struct cy_cl_build *build, cl_context context, cl_uint device, struct cy_buf *log);
/* Both in a scope (base/mem.h).  `options`: the program's build options. */
void cy_cl_binary_write(const struct cy_cl_build *build, const char *options, struct cy_buf *out);
/* NULL, or what is wrong with the binary; `build` may hold a part of it then. */
const char *cy_cl_binary_read(struct cy_cl_build *build, const unsigned char *bytes, size_t size);
/* The machine may have its kernels translated by the compile server. */
void cy_cl_give_translator(struct cy_device *machine);
/* Is there a translator of SPIR-V? */
bool cy_cl_has_il(void);
/* cy_cc through the cache, with our paths filled in; its messages are appended to `log`. */
cl_int cy_cl_run_compiler(const char *name, const char *source, size_t size, struct cy_cc_options *options,
                          struct cy_cc_result *result, struct cy_buf *log);
/* Tools learn that a program has lines, but no text of them. */
void cy_cl_note_linked(void);
/* The build of a binary's executable: itself, retained, or what its source gives for the tools that are attached. */
cl_int cy_cl_build_again(struct cy_cl_build *binary, struct cy_cl_build **build);
/* The error for the application: out of host memory, or `otherwise`. */
static inline cl_int cy_cl_error(enum cy_status status, cl_int otherwise)
{
    return status == CY_ERROR_HOST ? CL_OUT_OF_HOST_MEMORY : otherwise;
}

/* ---- options.c ---- */
enum cy_cl_stage { CY_CL_BUILD, CY_CL_COMPILE, CY_CL_LINK };
struct cy_cl_options {
    struct cy_arena arena;
    CY_VEC(const char *) args;
    bool create_library, uniform_groups, argument_info;
    unsigned standard; /* 120, 200, 300 */
    struct cy_buf log; /* messages about them, whole lines */
};
/* `error`: the code for a word that is not an option; the log names it. */
cl_int cy_cl_options_parse(struct cy_cl_options *options, const char *text, enum cy_cl_stage stage, cl_int error);
void cy_cl_options_free(struct cy_cl_options *options);

/* ---- kernel.c ---- */
void cy_cl_kernel_destroy(cl_kernel kernel);
uint32_t cy_cl_kernel_max_size(cl_kernel kernel, cl_uint device); /* work-items of a workgroup */
uint64_t cy_cl_kernel_local_bytes(cl_kernel kernel, cl_uint device);

/* ---- launch.c ---- */
cl_int cy_cl_check_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                          const size_t *global, const size_t *local, bool may_lack_arguments);
bool cy_cl_all_arguments_set(cl_kernel kernel);
cl_int cy_cl_prepare_launch(cl_command_queue queue, cl_kernel kernel, cl_command_type type, cl_uint dimensions,
                            const size_t *offset, const size_t *global, const size_t *local, cl_uint count,
                            const cl_event *list, cl_event *created);

/* ---- command_buffer.c ---- */
void cy_cl_command_buffer_destroy(cl_command_buffer_khr buffer);
void cy_cl_mutable_command_destroy(cl_mutable_command_khr command);
/* The address of an entry point of the extension; NULL: there is none of this name. */
void (*cy_cl_command_buffer_function(const char *name))(void);

/* ---- semaphore.c ---- */
void cy_cl_semaphore_destroy(cl_semaphore_khr semaphore);
void (*cy_cl_semaphore_function(const char *name))(void);

/* ---- sub_device.c ---- */
void cy_cl_sub_device_destroy(cl_device_id device);

/* ---- check.c: what CHENGYING_CHECK changes; without it none of these does anything ---- */
struct cy_check;
struct cy_check *cy_cl_check(void); /* NULL: nothing is checked */
void cy_cl_check_forked(void);
void cy_cl_check_order_forked(void);
void cy_cl_check_count(unsigned kind, int change); /* objects that live */
void cy_cl_check_user_event(int change);           /* those that have not been completed */
void cy_cl_check_created(cl_mem mem);
void cy_cl_check_destroyed(cl_mem mem);
void cy_cl_check_written(cl_mem mem, size_t offset, size_t size); /* by the host */
void cy_cl_check_copied(cl_mem to, size_t to_offset, cl_mem from, size_t from_offset, size_t size);
void cy_cl_check_rect(cl_mem to, const struct cy_cl_rect *to_rect, cl_mem from, const struct cy_cl_rect *from_rect,
                      const size_t *region);
/* False: no memory. */
void cy_cl_check_description(cl_device_id device, uint32_t address, size_t size);
void cy_cl_check_svm(cl_context context, const void *pointer, size_t size);
bool cy_cl_check_enqueue(cl_kernel kernel, cl_uint device, struct cy_cl_command *command);
bool cy_cl_check_begin(cl_event event);
void cy_cl_check_end(cl_event event);
/* check_order.c */
void cy_cl_check_submitted(cl_event event, cl_uint count, const cl_event *list, bool after_groups);
/* False: no memory. */
bool cy_cl_check_submitted_group(cl_event *commands, size_t command_count, const struct cy_cl_edge *edges,
                                 size_t edge_count, cl_uint count, const cl_event *list);
void cy_cl_check_user_event_created(cl_event event);
void cy_cl_check_user_event_set(cl_event event);
void cy_cl_check_signalled(cl_event wait, unsigned signal); /* `order` of the signal */
void cy_cl_check_queue_gone(cl_command_queue queue);
void cy_cl_check_freeing(const void *pointer, size_t size, bool by_host); /* not by a command of a queue */
void cy_cl_check_starting(cl_event event);
void cy_cl_check_accessed(cl_event event);
void cy_cl_check_ended(bool is_counted); /* a command, and its references are gone */
bool cy_cl_check_idle(void);             /* all have ended, perhaps after a moment */
void cy_cl_check_waited(cl_event event);
void cy_cl_check_finished(cl_command_queue queue);
void cy_cl_check_unmapped(cl_mem mem, const void *pointer, size_t size);
void cy_cl_check_unmapped_use(cl_mem mem, bool may_change);

/* ---- stats.c ---- */
bool cy_cl_stats_wanted(void);
void cy_cl_stats_add(const char *kernel, unsigned threads, struct cy_launch *launch);
void cy_cl_stats_forked(void);

/* ---- engine.c ---- */
void cy_cl_engine_tell(const char *kernel, enum cy_engine engine, struct cy_launch *launch);
void cy_cl_engine_forked(void);

/* ---- verify.c ---- */
enum cy_status cy_cl_verify_configure(struct cy_config *config, char **why); /* by the environment */
bool cy_cl_verify_attach(struct cy_device *machine);                         /* false: no memory */
void cy_cl_verify_forked(void);

#endif
