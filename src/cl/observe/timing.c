/* CHENGYING_TIMING: events have the time of the modelled device instead of the host's.
 *
 * The modelled device runs one command after the other; its clock stops while it is idle.  A kernel takes the cycles
 * that the model counts, any other command one: copies are not modelled. */
#define _POSIX_C_SOURCE 200809L
#include "cl/observe/observe_priv.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_wanted(void)
{
    return cy_cl_setting("CHENGYING_TIMING");
}

/* ---- the platform ---- */

/* "ventus-verilog,memory_latency=40": a preset or a file, then parameters; "1": the default. */
static enum cy_status read_setting(struct cy_timing_config *timing, char **why)
{
    char *copy = strdup(getenv("CHENGYING_TIMING")), *rest = copy;
    enum cy_status status = copy ? CY_OK : CY_ERROR_HOST;
    cy_timing_config_default(timing);
    for (char *word; status == CY_OK && (word = strtok_r(rest, ", ", &rest));)
        if (strcmp(word, "1") != 0)
            status = strchr(word, '=') ? cy_timing_config_set(timing, word, why)
                                       : cy_timing_config_choose(timing, word, why);
    free(copy); /* libc's */
    return status;
}

static enum cy_status open_device(cl_device_id device, char **why)
{
    if (!is_wanted() || device->timing)
        return CY_OK;
    struct cy_timing_config *timing = cy_try_alloc(sizeof(*timing));
    const enum cy_status status = timing ? read_setting(timing, why) : CY_ERROR_HOST;
    if (status != CY_OK) {
        cy_free(timing);
        return status;
    }
    device->timing = timing;
    device->clock_mhz = cy_timing_config_get(timing, "clock_mhz");
    return CY_OK;
}

/* The machine is not as large as the host. */
static enum cy_status configure(struct cy_config *config, char **why)
{
    (void)why;
    if (is_wanted() && !config->sms)
        config->sms = CY_TIMING_SMS;
    return CY_OK;
}

/* ---- launches ---- */

static cl_ulong nanoseconds(cl_device_id device, uint64_t cycles)
{
    return (cl_ulong)((double)cycles * 1000.0 / device->clock_mhz + 0.5);
}

static bool launch_begins(cl_event event, struct cy_observers *observers)
{
    cl_device_id device = event->queue->device;
    struct cy_cl_watched *watched = device->timing ? cy_cl_watched(event, 0) : NULL;
    if (!device->timing)
        return true;
    if (!watched || !(watched->timing = cy_timing_create(device->timing)))
        return false;
    *observers = cy_timing_observers(watched->timing);
    event->command.launch.observers = observers;
    return true;
}

/* For cy sweep, which cannot tell a program's own lines from ours.  One write: launches of other threads and processes do the same. */
static void append_cycles(const char *path, const char *machine, uint64_t cycles, bool is_estimate)
{
    char line[320];
    const int length = snprintf(line, sizeof(line), "timing: %s\ncycles: %llu%s\n", machine, (unsigned long long)cycles,
                                is_estimate ? " estimated" : "");
    const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0 || write(file, line, (size_t)length) != length)
        fprintf(stderr, "chengying: cannot write %s\n", path);
    if (file >= 0)
        close(file);
}

/* What the cycles are those of, before the first, and when it changes. */
static void say_machine(const char *machine)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char said[256];
    pthread_mutex_lock(&lock);
    if (strcmp(said, machine) != 0)
        fprintf(stderr, "timing: %s\n", machine);
    snprintf(said, sizeof(said), "%s", machine);
    pthread_mutex_unlock(&lock);
}

/* Before the cycles, if they are printed; a program that reads times of events hears it of the first such launch. */
static void say_sampled(const char *kernel, const char *note, bool is_printed)
{
    static atomic_flag is_said = ATOMIC_FLAG_INIT;
    if (is_printed)
        fprintf(stderr, "note: %s\n", note);
    else if (!atomic_flag_test_and_set(&is_said))
        fprintf(stderr, "chengying: times of long launches are estimates; kernel '%s': %s\n", kernel, note);
}

static void launch_ended(cl_event event, struct cy_launch *launch, const char *fault)
{
    struct cy_cl_watched *watched = event->command.watched;
    if (!watched || !watched->timing || !launch || fault)
        return;
    watched->cycles = cy_timing_finish(watched->timing);
    const bool is_known = watched->cycles && watched->cycles != UINT64_MAX;
    const char *print = getenv("CHENGYING_TIMING_PRINT"), *kernel = event->command.launch.kernel;
    const bool prints = cy_cl_setting("CHENGYING_TIMING_PRINT"), appends = prints && *print == '/';
    char note[256], machine[256];
    const bool is_estimate = is_known && cy_timing_note(watched->timing, note, sizeof(note));
    cy_timing_describe(watched->timing, machine, sizeof(machine));
    if (is_known && prints && !appends)
        say_machine(machine);
    if (is_estimate)
        say_sampled(kernel, note, prints && !appends);
    if (is_known && appends)
        append_cycles(print, machine, watched->cycles, is_estimate);
    else if (is_known && prints)
        fprintf(stderr, "cycles: %llu %s\n", (unsigned long long)watched->cycles, kernel);
}

/* Profile and viewer have seen the model: it goes, and its cycles become the command's time. */
static void ended(cl_event event)
{
    cl_device_id device = event->queue ? event->queue->device : NULL;
    struct cy_cl_watched *watched = event->command.watched;
    if (!device || !device->timing)
        return;
    const bool is_known = watched && watched->cycles && watched->cycles != UINT64_MAX;
    const cl_ulong length = nanoseconds(device, is_known ? watched->cycles : 1);
    cl_ulong *start = &event->times[CY_CL_TIME_STARTED], *end = &event->times[CY_CL_TIME_ENDED];
    const cl_ulong begun = *start;
    *start = atomic_fetch_add(&device->now_ns, length ? length : 1);
    *end = *start + (length ? length : 1);
    if (event->type == CL_COMMAND_COMMAND_BUFFER_KHR)
        *start = begun; /* of its first command */
    if (watched) {
        cy_timing_destroy(watched->timing);
        watched->timing = NULL;
    }
}

static void prepare(struct cy_config *config)
{
    static const struct cy_cl_watcher watcher = {
        .launch_begins = launch_begins, .launch_ended = launch_ended, .ended = ended};
    if (!is_wanted())
        return;
    config->deterministic = true;
    cy_cl_watch(&watcher);
}

const struct cy_cl_attachment cy_cl_timing_attachment = {
    .prepare = prepare, .configure = configure, .open = open_device};
