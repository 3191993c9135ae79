/* CHENGYING_PROFILE=DIRECTORY: the kernels of this process are profiled, and at its end a file is left there for `cy profile`,
 * which sets the variable. */
#define _POSIX_C_SOURCE 200809L
#include "cl/cl_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"

static struct {
    pthread_mutex_t lock;
    struct cy_profile profile;
    bool is_open; /* of the first device that launches; launches of others are not profiled */
    cl_device_id device;
    bool incomplete; /* no memory for a launch */
    bool keeps_commands;
    CY_VEC(cl_command_queue) queues; /* numbered; only their addresses are used */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool wanted;
static void look(void)
{
    wanted = cy_cl_setting("CHENGYING_PROFILE");
}

bool cy_cl_profile_wanted(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look);
    return wanted;
}

static void save(void *argument)
{
    cy_profile_save(&state.profile, argument);
}

static void write_profile(void)
{
    const char *directory = getenv("CHENGYING_PROFILE");
    struct cy_buf bytes = {0};
    pthread_mutex_lock(&state.lock);
    cy_profile_finish(&state.profile);
    if (state.is_open && directory && cy_mem_try(save, &bytes)) {
        char path[4096];
        struct cy_diags unheard = {0};
        snprintf(path, sizeof(path), "%s/%ld.cyprofile", directory, (long)getpid());
        if (!cy_file_write(path, bytes.data, bytes.size, false, &unheard))
            fprintf(stderr, "chengying: cannot write the profile %s\n", path);
        cy_diags_free(&unheard);
        cy_buf_free(&bytes);
    }
    if (state.incomplete)
        fprintf(stderr, "chengying: the host had no memory for a part of the profile\n");
    pthread_mutex_unlock(&state.lock);
}

static void open_profile(cl_device_id device)
{
    static bool is_shown;
    const char *events = getenv("CHENGYING_PROFILE_EVENTS");
    cy_profile_init(&state.profile, &device->capabilities.config, device->is_timed ? &device->timing : NULL);
    state.profile.is_exact = cy_cl_setting("CHENGYING_PROFILE_EXACT");
    state.keeps_commands = events != NULL;
    state.profile.event_limit = events && device->is_timed ? (size_t)strtoull(events, NULL, 10) : 0;
    state.is_open = true;
    state.device = device;
    if (!is_shown)
        atexit(write_profile);
    is_shown = true;
}

/* The kernel of a command in the profile; false: not profiled, or no memory. */
static bool find_kernel(cl_event event, size_t *index)
{
    cl_kernel kernel = event->command.kernel;
    struct cy_cl_build *build = kernel->parts[event->queue->index].build;
    size_t program;
    bool is_new;
    if (!cy_profile_program(&state.profile, build, kernel->program->source ? "<source>" : "<binary>", build->elf,
                            build->elf_size, kernel->program->source, build->code[event->queue->index], &program,
                            &is_new))
        return false;
    if (is_new)
        atomic_fetch_add(&build->references, 1); /* for ever: its address is its identity */
    return cy_profile_kernel(&state.profile, program, kernel->info->name, build->code[event->queue->index], index);
}

void cy_cl_profile_begin(cl_event event)
{
    cl_device_id device = event->queue->device;
    size_t index;
    if (!cy_cl_profile_wanted())
        return;
    pthread_mutex_lock(&state.lock);
    if (!state.is_open)
        open_profile(device);
    if (device == state.device && find_kernel(event, &index)) {
        cy_profile_begin(&state.profile, index, &state.lock, &event->profiled);
        cy_profile_describe(&event->profiled, &event->command.launch);
    } else {
        state.incomplete |= device == state.device;
    }
    if (event->command.timing && event->profiled.profile) {
        const struct cy_timing_events events = cy_profile_events(&event->profiled);
        cy_timing_profile(event->command.timing, &events);
    }
    pthread_mutex_unlock(&state.lock);
}

void cy_cl_profile_end(cl_event event, struct cy_launch *launch, uint64_t cycles)
{
    if (!event->profiled.profile)
        return;
    pthread_mutex_lock(&state.lock);
    if (!cy_profile_add(&event->profiled, launch, event->command.timing, cycles))
        state.incomplete = true;
    pthread_mutex_unlock(&state.lock);
}

/* ---- commands ---- */

static const char *name_of(cl_event event)
{
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
    default: return event->profiled.profile ? state.profile.kernels.at[event->profiled.kernel].name : "command";
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

void cy_cl_profile_command(cl_event event, cl_ulong queued, cl_ulong start, cl_ulong end)
{
    if (!event->queue || !cy_cl_profile_wanted())
        return;
    pthread_mutex_lock(&state.lock);
    if (state.is_open && event->queue->device == state.device && state.keeps_commands &&
        !cy_profile_command(&state.profile, name_of(event), queue_number(event->queue), queued, start, end,
                            event->profiled.number))
        state.incomplete = true;
    pthread_mutex_unlock(&state.lock);
}

/* The parent writes its own. */
void cy_cl_profile_forked(void)
{
    cy_cl_leave_behind(state.profile.kernels.at);
    cy_cl_leave_behind(state.profile.programs.at);
    cy_cl_leave_behind(state.profile.events.at);
    cy_cl_leave_behind(state.profile.commands.at);
    memset(&state.profile, 0, sizeof(state.profile));
    state.is_open = state.incomplete = false;
    pthread_mutex_init(&state.lock, NULL);
}
