/* CHENGYING_PROFILE=DIRECTORY: the kernels of this process are profiled, and a file for each device is left there for `cy profile`,
 * which sets the variable, at the end.  Not every program comes to its end: counts are in files from the start, and if commands and
 * cycles are recorded, all of it is written every now and then instead. */
#define _POSIX_C_SOURCE 200809L
#include "cl/observe/observe_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

enum {
    REST = 50,            /* a profile is not written again for this many times as long as it took, */
    AT_ONCE_NS = 5000000, /* but at the end of a queue, as long as all writing took no longer than this */
};

struct recorded { /* what a device launches */
    struct cy_profile profile;
    cl_device_id device;
    cl_ulong saved_ns, save_ns, spent_ns; /* when it was written last, how long that took, and how long in all */
    bool is_new;                          /* a launch has ended since */
    char path[4096];                      /* of its files, without their ends */
};

static struct {
    pthread_mutex_t lock;
    CY_VEC(struct recorded *) devices;
    bool incomplete; /* no memory for a launch */
    bool keeps_commands;
    CY_VEC(cl_command_queue) queues; /* numbered; only their addresses are used */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static char directory[4000]; /* the program may change its environment */

struct saving {
    const struct cy_profile *profile;
    const char *path;
    bool ok;
};
static void save(void *argument)
{
    struct saving *saving = argument;
    struct cy_buf bytes = {0};
    struct cy_diags unheard = {0};
    cy_profile_save(saving->profile, &bytes);
    saving->ok = cy_file_write(saving->path, bytes.data, bytes.size, false, &unheard);
    cy_diags_free(&unheard);
    cy_buf_free(&bytes);
}

static bool write_device(struct recorded *recorded, bool is_last)
{
    char path[sizeof(recorded->path) + 16];
    struct saving saving = {.profile = &recorded->profile, .path = path};
    recorded->profile.is_partial = !is_last;
    snprintf(path, sizeof(path), "%s" CY_PROFILE_FILE, recorded->path);
    return cy_mem_try(save, &saving) && saving.ok;
}

static void write_profiles(void)
{
    pthread_mutex_lock(&state.lock);
    for (size_t i = 0; i < state.devices.count; i++)
        if (!write_device(state.devices.at[i], true))
            fprintf(stderr, "chengying: cannot write the profile\n");
    if (state.incomplete)
        fprintf(stderr, "chengying: the host had no memory for a part of the profile\n");
    pthread_mutex_unlock(&state.lock);
}

/* A busy host does not count. */
static cl_ulong processor_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (cl_ulong)time.tv_sec * 1000000000u + (cl_ulong)time.tv_nsec;
}

/* With the lock held.  A program that is killed or leaves by _exit is shown up to here. */
static void write_so_far(struct recorded *recorded)
{
    const cl_ulong begin = processor_ns();
    if (recorded->profile.running)
        return;
    write_device(recorded, false);
    recorded->is_new = false;
    recorded->saved_ns = cy_cl_now();
    recorded->save_ns = processor_ns() - begin;
    recorded->spent_ns += recorded->save_ns;
}

/* NULL: it has launched nothing yet. */
static struct recorded *look_up(cl_device_id device)
{
    for (size_t i = 0; i < state.devices.count; i++)
        if (state.devices.at[i]->device == device && /* sub-devices come and go */
            state.devices.at[i]->profile.config.sms == device->capabilities.config.sms)
            return state.devices.at[i];
    return NULL;
}

/* NULL: no memory. */
static struct recorded *find_device(cl_device_id device)
{
    static bool is_shown;
    struct recorded *recorded = look_up(device), **place;
    if (recorded)
        return recorded;
    recorded = cy_try_alloc(sizeof(*recorded));
    place = recorded ? cy_vec_try_push(&state.devices) : NULL;
    if (!place) {
        cy_free(recorded);
        return NULL;
    }
    *place = recorded;
    const char *events = getenv("CHENGYING_PROFILE_EVENTS");
    cy_profile_init(&recorded->profile, &device->capabilities.config, device->timing);
    recorded->profile.is_exact = cy_cl_setting("CHENGYING_PROFILE_EXACT");
    recorded->profile.event_limit = events && device->timing ? (size_t)strtoull(events, NULL, 10) : 0;
    recorded->device = device;
    state.keeps_commands = events != NULL;
    /* a process may become another program, whose files these must not be */
    snprintf(recorded->path, sizeof(recorded->path), "%s/%ld.%llu.%zu", directory, (long)getpid(),
             (unsigned long long)cy_cl_now(), state.devices.count);
    recorded->profile.shared = events ? NULL : recorded->path;
    if (!is_shown)
        atexit(write_profiles);
    is_shown = true;
    return recorded;
}

/* The kernel of a command in the profile; false: not profiled, or no memory. */
static bool find_kernel(struct cy_profile *profile, cl_event event, size_t *index)
{
    cl_kernel kernel = event->command.kernel;
    struct cy_cl_build *build = kernel->parts[event->queue->index].build;
    size_t program;
    bool is_new;
    if (!cy_profile_program(profile, build, kernel->program->source ? "<source>" : "<binary>", build->elf,
                            build->elf_size, kernel->program->source, build->code[event->queue->index], &program,
                            &is_new))
        return false;
    if (is_new)
        cy_cl_build_retain(build); /* for ever: its address is its identity */
    return cy_profile_kernel(profile, program, kernel->info->name, build->code[event->queue->index], index);
}

static bool launch_begins(cl_event event, struct cy_observers *observers)
{
    cl_device_id device = event->queue->device;
    struct cy_cl_watched *watched = cy_cl_watched(event, 0);
    size_t index;
    (void)observers;
    event->command.launch.count_lanes = false; /* the profile counts them itself, instruction by instruction */
    pthread_mutex_lock(&state.lock);
    struct recorded *recorded = find_device(device);
    if (recorded && watched && find_kernel(&recorded->profile, event, &index)) {
        cy_profile_begin(&recorded->profile, index, &state.lock, &watched->profiled);
        cy_profile_describe(&watched->profiled, &event->command.launch);
    } else {
        state.incomplete = true;
    }
    if (watched && watched->timing && watched->profiled.profile) {
        const struct cy_timing_events events = cy_profile_events(&watched->profiled);
        cy_timing_profile(watched->timing, &events);
    }
    pthread_mutex_unlock(&state.lock);
    return true;
}

static void launch_ended(cl_event event, struct cy_launch *launch, const char *fault)
{
    struct cy_cl_watched *watched = event->command.watched;
    if (!watched || !watched->profiled.profile)
        return;
    pthread_mutex_lock(&state.lock);
    if (fault)
        cy_profile_fail(&watched->profiled, launch);
    else if (!cy_profile_add(&watched->profiled, launch, watched->timing, watched->cycles))
        state.incomplete = true;
    struct recorded *recorded = look_up(event->queue->device);
    if (recorded && state.keeps_commands) {
        recorded->is_new = true;
        if (!recorded->saved_ns || cy_cl_now() - recorded->saved_ns >= REST * recorded->save_ns)
            write_so_far(recorded);
    }
    pthread_mutex_unlock(&state.lock);
}

/* At the end of a queue: short programs that release what they have, and leave by _exit, lose nothing. */
static void destroys(void *object)
{
    const struct cy_cl_object *header = object;
    if (header->class != &cy_cl_queue_class)
        return;
    pthread_mutex_lock(&state.lock);
    struct recorded *recorded = look_up(((cl_command_queue)object)->device);
    if (recorded && recorded->is_new && recorded->spent_ns < AT_ONCE_NS)
        write_so_far(recorded);
    pthread_mutex_unlock(&state.lock);
}

/* ---- commands ---- */

static const char *name_of(cl_event event)
{
    const struct cy_cl_watched *watched = event->command.watched;
    switch (event->type) {
    case CL_COMMAND_READ_BUFFER:
    case CL_COMMAND_READ_BUFFER_RECT: return "read buffer";
    case CL_COMMAND_WRITE_BUFFER:
    case CL_COMMAND_WRITE_BUFFER_RECT: return "write buffer";
    case CL_COMMAND_COPY_BUFFER:
    case CL_COMMAND_COPY_BUFFER_RECT: return "copy buffer";
    case CL_COMMAND_FILL_BUFFER: return "fill buffer";
    case CL_COMMAND_MAP_BUFFER: return "map buffer";
    case CL_COMMAND_UNMAP_MEM_OBJECT: return "unmap buffer";
    case CL_COMMAND_MARKER: return "marker";
    case CL_COMMAND_BARRIER: return "barrier";
    case CL_COMMAND_MIGRATE_MEM_OBJECTS: return "migrate buffers";
    default:
        return watched && watched->profiled.profile
                   ? watched->profiled.profile->kernels.at[watched->profiled.kernel].name
                   : "command";
    }
}

static uint32_t queue_number(cl_command_queue queue)
{
    size_t at = 0;
    while (at < state.queues.count && state.queues.at[at] != queue)
        at++;
    cl_command_queue *place = at == state.queues.count ? cy_vec_try_push(&state.queues) : NULL;
    if (place)
        *place = queue;
    return (uint32_t)at;
}

static void ended(cl_event event)
{
    const struct cy_cl_watched *watched = event->command.watched;
    const cl_ulong *times = event->times;
    if (!event->queue)
        return;
    pthread_mutex_lock(&state.lock);
    struct recorded *recorded = state.keeps_commands ? find_device(event->queue->device) : NULL;
    if (recorded &&
        !cy_profile_command(&recorded->profile, name_of(event), queue_number(event->queue), times[CY_CL_TIME_QUEUED],
                            times[CY_CL_TIME_STARTED], times[CY_CL_TIME_ENDED], watched ? watched->profiled.number : 0))
        state.incomplete = true;
    pthread_mutex_unlock(&state.lock);
}

/* The parent writes its own. */
static void forked(void)
{
    for (size_t i = 0; i < state.devices.count; i++)
        cy_cl_leave_behind(state.devices.at[i]);
    cy_cl_leave_behind(state.devices.at);
    memset(&state.devices, 0, sizeof(state.devices));
    state.incomplete = false;
    pthread_mutex_init(&state.lock, NULL);
}

static void prepare(struct cy_config *config)
{
    static const struct cy_cl_watcher watcher = {
        .demands = {.every_command = true /* for the time line */, .lines = "cy profile"},
        .destroys = destroys,
        .ended = ended,
        .launch_begins = launch_begins,
        .launch_ended = launch_ended};
    (void)config;
    if (!cy_cl_setting("CHENGYING_PROFILE"))
        return;
    snprintf(directory, sizeof(directory), "%s", getenv("CHENGYING_PROFILE"));
    cy_cl_watch(&watcher);
}

const struct cy_cl_attachment cy_cl_profile_attachment = {.prepare = prepare, .forked = forked};
