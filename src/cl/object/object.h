/* The room of the objects behind the API's handles, and the door of this folder: reference counts, the platform, its devices,
 * contexts, and who is told of what happens.
 *
 * The runtime is five rooms: object, memory, program, command, observe.  A room knows those before it in this list, by their
 * doors (object.h, memory.h ...), and none after it.  What goes the other way goes through pointers that are defined here:
 * an object's class, the attachments of the platform, the watchers.
 *
 * Locks: a context's `lock` guards the events of the context and the lists of its queues (the dependency graph); the
 * scheduler has its own lock, nested inside it.  Reference counts are atomic.  No lock is held while a callback of the
 * application runs or while an object is destroyed. */
#ifndef CY_CL_OBJECT_OBJECT_H
#define CY_CL_OBJECT_OBJECT_H

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
#include "chengying/device.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct cy_observers;
struct cy_timing_config;

/* ---- objects ---- */

/* What the objects of one kind have in common; each room defines those of its own.  A valid handle leads to an object whose
 * class is the expected one. */
struct cy_cl_class {
    const char *plural;            /* of its name, for people */
    void (*destroy)(void *object); /* frees what the object has, but not its own memory */
    bool (*renew)(
        void *object); /* makes a forking process's object the child's; false, or NULL: it is not valid there */
    bool is_argument;  /* a kernel may have it as an argument, which does not retain it */
};

/* The first member of every object: the loader reads `dispatch`. */
struct cy_cl_object {
    const cl_icd_dispatch *dispatch;
    const struct cy_cl_class *class;
    atomic_uint_least64_t references; /* the lower half: those that the application sees */
    atomic_uint generation;           /* fork.c */
};

/* Zeroed, with one reference; NULL: out of memory, as for every constructor here. */
void *cy_cl_create(const struct cy_cl_class *class, size_t size);
bool cy_cl_is(const void *handle, const struct cy_cl_class *class);
void cy_cl_retain(void *handle);
void cy_cl_discard(void *handle); /* before anybody has seen it: only its own memory */
void cy_cl_release(void *handle); /* NULL does nothing */
/* References of our own, which the application's count does not show; cy_cl_own makes one of the caller's reference. */
void cy_cl_hold(void *handle);
void cy_cl_drop(void *handle); /* NULL does nothing */
void cy_cl_own(void *handle);

/* Functions that retain and release an object of a kind: those of an extension, and those of the core. */
#define CY_CL_COUNTED_BY(specifiers, retain, release, type, class, error)                                              \
    specifiers cl_int CL_API_CALL retain(type object)                                                                  \
    {                                                                                                                  \
        CHECK(cy_cl_is(object, &class), error);                                                                        \
        cy_cl_retain(object);                                                                                          \
        return CL_SUCCESS;                                                                                             \
    }                                                                                                                  \
    specifiers cl_int CL_API_CALL release(type object)                                                                 \
    {                                                                                                                  \
        CHECK(cy_cl_is(object, &class), error);                                                                        \
        cy_cl_release(object);                                                                                         \
        return CL_SUCCESS;                                                                                             \
    }
#define CY_CL_COUNTED(name, type, class, error)                                                                        \
    CY_CL_COUNTED_BY(CL_API_ENTRY, clRetain##name, clRelease##name, type, class, error)

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
/* The machine's error as the application's: out of host memory, or `otherwise`. */
static inline cl_int cy_cl_error(enum cy_status status, cl_int otherwise)
{
    return status == CY_ERROR_HOST ? CL_OUT_OF_HOST_MEMORY : otherwise;
}

/* A function of an extension, which the application finds by its name. */
typedef void (*cy_cl_function)(void);
struct cy_cl_entry_point {
    const char *name;
    cy_cl_function function;
};

/* ---- the platform and its devices ---- */

extern const struct cy_cl_class cy_cl_platform_class, cy_cl_device_class;

struct _cl_platform_id {
    struct cy_cl_object object;
};

enum {
    CY_CL_MAX_ROOTS = 16,  /* devices of the platform */
    CY_CL_MAX_PARTS = 256, /* sub-devices of one: it has no more SMs, unless it is told to */
    CY_CL_MAX_DEVICES = CY_CL_MAX_ROOTS + CY_CL_MAX_PARTS /* of a context: a device may be there next to its parts */
};

/* What devices say of themselves, and other rooms keep to. */
enum { CY_CL_MOST_PIPE_ARGUMENTS = 16, CY_CL_MOST_RESERVATIONS = 1024, CY_CL_MOST_PACKET_BYTES = 1024 }; /* of pipes */
static const cl_mutable_dispatch_fields_khr cy_cl_updatable_fields =
    CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR |
    CL_MUTABLE_DISPATCH_ARGUMENTS_KHR;

struct _cl_device_id {
    struct cy_cl_object object;
    struct cy_device *machine;
    unsigned ventus; /* the generation it runs programs of */
    struct cy_capabilities capabilities;
    cl_uint clock_mhz;
    struct cy_timing_config *timing; /* of the cycle model that gives events their times; NULL: they have the host's */
    atomic_ullong now_ns;            /* of the modelled device: grows with the commands that have run */
    cl_device_id parent;             /* of a sub-device, retained; NULL: a device of the platform */
    cl_device_partition_property *partition; /* how the parent was partitioned */
    size_t partition_count;
};

cl_platform_id cy_cl_platform(void);
cl_int cy_cl_devices(cl_device_id devices[CY_CL_MAX_ROOTS], cl_uint *count); /* all devices, opened on first use */
bool cy_cl_setting(const char *name); /* an environment variable that is neither empty nor "0" */
cl_ulong cy_cl_now(void);
cl_ulong cy_cl_device_now(cl_device_id device); /* the host's time if the device is not modelled, or NULL */
bool cy_cl_has_far(cl_device_id device);        /* are its buffers above 4 GiB? */
bool cy_cl_has_svm(cl_device_id device);
bool cy_cl_has_il(void); /* is there a translator of SPIR-V? */
uint64_t cy_cl_memory_bytes(cl_device_id device);
uint64_t cy_cl_max_image_bytes(cl_device_id device);
bool cy_cl_has_room(cl_device_id device, size_t size);
void cy_cl_leave_behind(void *memory); /* memory of the parent's that a forked child abandons; NULL does nothing */

/* ---- contexts ---- */

extern const struct cy_cl_class cy_cl_context_class;

struct cy_cl_context_callback {
    void(CL_CALLBACK *call)(cl_context context, void *data);
    void *data;
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
    struct cy_cl_svm *svms;                /* its shared virtual memory, a list; NULL: none */
    void (*free_svms)(cl_context context); /* at its end, if it ever had some */
};

/* A device's index in its context's list; false: it is not in the context. */
bool cy_cl_find_device(cl_context context, cl_device_id device, cl_uint *index);
void cy_cl_notify(cl_context context, const char *text);

/* ---- attachments: parts of the runtime that take part in the platform's life ---- */

/* Functions that are NULL are not called. */
struct cy_cl_attachment {
    /* Before the settings of the environment are applied to the configuration of the devices, and afterwards. */
    void (*prepare)(struct cy_config *config);
    enum cy_status (*configure)(struct cy_config *config, char **why);
    /* The device's machine has been opened; in a forked child that is another one. */
    enum cy_status (*open)(cl_device_id device, char **why);
    /* In a forked child, which has no other threads yet. */
    void (*forked)(void);
};

/* ---- watchers: who is told what happens ---- */

/* What a watcher demands of those it watches. */
struct cy_cl_demands {
    bool every_command;   /* no transfer is done at once, without a command */
    bool lone_launches;   /* one after the other, and with the workgroups that the program chose */
    bool lane_counts;     /* of launches */
    bool near_memory;     /* addresses of 32 bits only */
    bool stale_arguments; /* released objects that kernels may have as arguments can still be read */
    /* Programs with variables in their debug information, with code for the checker, or with lines at least: what the user
     * calls the tool that wants it, or NULL. */
    const char *variables, *checks, *lines;
};

struct cy_cl_group;

/* Functions that are NULL are not called; without a watcher an event costs a load and a branch.  Where a function returns
 * false, it has no memory, and what it was told of fails. */
struct cy_cl_watcher {
    struct cy_cl_demands demands;

    /* ---- objects ---- */
    /* One has been created (1), or has gone (-1). */
    void (*counts)(const struct cy_cl_class *class, int change);
    /* The last reference has gone; what the object has is still there. */
    void (*destroys)(void *object);

    /* ---- memory ---- */
    /* Kernels can reach it at this address of this device.  has_contents: they may read it before somebody writes there. */
    void (*allocated)(cl_device_id device, uint64_t address, size_t size, bool has_contents);
    void (*freed)(cl_device_id device, uint64_t address);
    /* by_host: not by a command of a queue. */
    void (*frees_svm)(const void *pointer, size_t size, bool by_host);
    /* By the host, or by a command that is no launch. */
    void (*written)(cl_mem mem, size_t offset, size_t size);
    void (*copied)(cl_mem to, size_t to_offset, cl_mem from, size_t from_offset, size_t size);
    void (*maps)(cl_mem mem);
    void (*unmapped)(cl_mem mem, const void *pointer, size_t size);

    /* ---- programs ---- */
    /* This source is compiled.  If the watcher knows a file with it, its name goes to `name`, which is "" before. */
    void (*names)(const char *source, char *name, size_t size);

    /* ---- commands ---- */
    /* With the context's lock held; a user event is a group of its own, which nobody else has seen yet. */
    bool (*enqueued)(const struct cy_cl_group *group);
    /* A wait for a semaphore takes the signal that the command of this `order` gave. */
    void (*signalled)(cl_event wait, unsigned signal);
    void (*starts)(cl_event event);
    /* Its operands are still there, and its times may be changed. */
    void (*ended)(cl_event event);
    /* The runtime's references to a command of this `order` have gone, and perhaps the event. */
    void (*left)(unsigned order);
    /* The host knows that the event has ended (queue NULL), or all of the queue's. */
    void (*waited)(cl_command_queue queue, cl_event event);

    /* ---- launches, which are commands ---- */
    /* The arguments are those that the launch will have. */
    bool (*launch_prepared)(cl_event event);
    /* `observers` is there to be filled in and set in the launch's description. */
    bool (*launch_begins)(cl_event event, struct cy_observers *observers);
    /* The machine runs it no longer.  This may be one of the machine's threads. */
    void (*launch_stopped)(cl_event event);
    /* launch NULL: it could not be started.  fault NULL: it ended well. */
    void (*launch_ended)(cl_event event, struct cy_launch *launch, const char *fault);
};

/* The watcher is told from now on, after those that are there.  Only while the platform is configured: what follows is
 * constant once a device is open. */
void cy_cl_watch(const struct cy_cl_watcher *watcher);

enum { CY_CL_MOST_WATCHERS = 8 };
extern const struct cy_cl_watcher *cy_cl_watchers[CY_CL_MOST_WATCHERS + 1]; /* up to a NULL */
extern struct cy_cl_demands cy_cl_demands;                                  /* of all of them */

/* CY_CL_TELL(written, mem, 0, size) tells all watchers.  With CY_CL_ASK `ok` becomes false if one has no memory, and those
 * after it hear nothing. */
#define CY_CL_TELL(event, ...)                                                                                         \
    do {                                                                                                               \
        for (const struct cy_cl_watcher *const *at_ = cy_cl_watchers; *at_; at_++)                                     \
            if ((*at_)->event)                                                                                         \
                (*at_)->event(__VA_ARGS__);                                                                            \
    } while (0)
#define CY_CL_ASK(ok, event, ...)                                                                                      \
    do {                                                                                                               \
        for (const struct cy_cl_watcher *const *at_ = cy_cl_watchers; *at_ && (ok); at_++)                             \
            if ((*at_)->event)                                                                                         \
                (ok) = (*at_)->event(__VA_ARGS__);                                                                     \
    } while (0)

/* ---- what the library as a whole has, and every object needs: in the folder above the rooms ---- */

extern const cl_icd_dispatch cy_cl_dispatch;                  /* dispatch.c */
extern const struct cy_cl_attachment *const cy_cl_attached[]; /* attached.c, up to a NULL */

#endif
