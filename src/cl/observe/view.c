/* CHENGYING_VIEW=DIRECTORY: the launches of this process are recorded for the viewer, into a file there; `cy profile --cytrace` and
 * `--html` set the variable. */
#define _POSIX_C_SOURCE 200809L
#include "cl/observe/observe_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    FILE *file;
    struct cy_view_writer *writer; /* NULL: none yet, or it could not be opened */
    bool is_tried, is_shown;
    cl_device_id device;                 /* the first that launches; launches of others are not recorded */
    size_t others;                       /* these launches */
    CY_VEC(struct cy_cl_build *) builds; /* of those recorded, retained: their addresses are their identities */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void close_trace(void)
{
    pthread_mutex_lock(&state.lock);
    if (state.writer && !cy_view_close(state.writer))
        fprintf(stderr, "chengying: cannot write the trace for the viewer: %s\n",
                errno ? strerror(errno) : "no memory");
    if (state.file)
        fclose(state.file);
    if (state.others)
        fprintf(stderr, "chengying: the viewer shows one device; %zu launches on others were left out\n", state.others);
    state.others = 0;
    state.writer = NULL;
    state.file = NULL;
    for (size_t i = 0; i < state.builds.count; i++)
        cy_cl_build_release(state.builds.at[i]);
    cy_vec_free(&state.builds);
    pthread_mutex_unlock(&state.lock);
}

static void open_trace(cl_device_id device)
{
    const char *directory = getenv("CHENGYING_VIEW"), *limit = getenv("CHENGYING_VIEW_LIMIT");
    char path[4096];
    snprintf(path, sizeof(path), "%s/%ld.cytrace", directory ? directory : ".", (long)getpid());
    state.is_tried = true;
    state.device = device;
    state.file = fopen(path, "wb");
    if (!state.file) {
        fprintf(stderr, "chengying: cannot write %s: %s\n", path, strerror(errno));
        return;
    }
    setvbuf(state.file, NULL, _IONBF, 0); /* a forked process must not write what its parent has not written yet */
    state.writer = cy_view_open(state.file, &device->capabilities.config, device->timing,
                                limit ? strtoull(limit, NULL, 10) : CY_VIEW_LIMIT);
    if (!state.is_shown)
        atexit(close_trace);
    state.is_shown = true;
}

/* Names of buffers, if every pointer of the kernel has one. */
static size_t find_buffers(cl_event event, struct cy_view_buffer *buffers, size_t most)
{
    const struct cy_cl_command *command = &event->command;
    const struct cy_kernel_info *info = command->kernel->parts[event->queue->index].info;
    const char *names[64];
    size_t pointers = 0, count = 0;
    for (size_t i = 0; i < info->argument_count && pointers < CY_COUNT(names); i++)
        if ((info->arguments[i].is_pointer && info->arguments[i].address != CY_ADDRESS_LOCAL) ||
            info->arguments[i].qualifiers & CY_TYPE_IMAGE)
            names[pointers++] = info->arguments[i].name;
    for (; count < command->mem_count && count < most; count++) {
        cl_mem mem = command->mems[count];
        buffers[count] = (struct cy_view_buffer){pointers == command->mem_count ? names[count] : NULL,
                                                 mem->address[event->queue->index], mem->size};
    }
    return count;
}

static bool keep(struct cy_cl_build *build)
{
    if (cy_view_knows(state.writer, build))
        return true;
    struct cy_cl_build **fresh = cy_vec_try_push(&state.builds);
    if (!fresh)
        return false;
    *fresh = build;
    cy_cl_build_retain(build);
    return true;
}

static bool launch_begins(cl_event event, struct cy_observers *observers)
{
    cl_device_id device = event->queue->device;
    struct cy_cl_command *command = &event->command;
    struct cy_cl_watched *watched = command->watched;
    if (!watched || !watched->timing)
        return true;
    pthread_mutex_lock(&state.lock);
    if (!state.is_tried)
        open_trace(device);
    struct cy_view_buffer buffers[64];
    struct cy_cl_build *build = command->kernel->parts[event->queue->index].build;
    struct cy_view_info info = {.key = build,
                                .name = command->kernel->program->source ? "<source>" : "<binary>",
                                .elf = build->elf,
                                .elf_size = build->elf_size,
                                .source = command->kernel->program->source,
                                .kernel = command->launch.kernel,
                                .buffers = buffers,
                                .buffer_count = find_buffers(event, buffers, CY_COUNT(buffers))};
    memcpy(info.global, command->launch.global, sizeof(info.global));
    memcpy(info.local, command->launch.local, sizeof(info.local));
    if (state.writer && device == state.device && keep(build))
        watched->viewed = cy_view_begin(state.writer, &info);
    state.others += device != state.device;
    pthread_mutex_unlock(&state.lock);
    if (!watched->viewed)
        return true;
    const struct cy_timing_events also =
        watched->profiled.profile ? cy_profile_events(&watched->profiled) : (struct cy_timing_events){0};
    const struct cy_timing_events events = cy_view_events(watched->viewed, &also);
    cy_timing_profile(watched->timing, &events);
    *observers = cy_view_observers(watched->viewed, observers);
    return true;
}

static void launch_ended(cl_event event, struct cy_launch *launch, const char *fault)
{
    struct cy_cl_watched *watched = event->command.watched;
    (void)launch;
    if (!watched)
        return;
    pthread_mutex_lock(&state.lock);
    if (watched->viewed && state.writer) /* the process may be ending */
        cy_view_end(watched->viewed, watched->cycles, fault ? fault : "");
    watched->viewed = NULL;
    pthread_mutex_unlock(&state.lock);
}

/* The child records into a file of its own. */
static void forked(void)
{
    const bool is_shown = state.is_shown;
    cy_cl_leave_behind(state.writer);
    cy_cl_leave_behind(state.builds.at);
    memset(&state, 0, sizeof(state));
    pthread_mutex_init(&state.lock, NULL);
    state.is_shown = is_shown;
}

static void prepare(struct cy_config *config)
{
    static const struct cy_cl_watcher watcher = {
        .demands = {.lines = "cy view"}, .launch_begins = launch_begins, .launch_ended = launch_ended};
    (void)config;
    if (cy_cl_setting("CHENGYING_VIEW"))
        cy_cl_watch(&watcher);
}

const struct cy_cl_attachment cy_cl_view_attachment = {.prepare = prepare, .forked = forked};
