/* CHENGYING_TIMING: events have the time of the modelled device instead of the host's.
 *
 * The modelled device runs one command after the other; its clock stops while it is idle.  A kernel takes the cycles
 * that the model counts, any other command one: copies are not modelled. */
#define _POSIX_C_SOURCE 200809L
#include "cl/cl_priv.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_MHZ = 1000 };

bool cy_cl_timing_wanted(void)
{
    return cy_cl_setting("CHENGYING_TIMING");
}

/* "ventus-verilog,memory_latency=40": a preset or a file, then parameters; "1": the default. */
enum cy_status cy_cl_timing_open(cl_device_id device, char **why)
{
    const char *setting = getenv("CHENGYING_TIMING");
    device->clock_mhz = DEFAULT_MHZ;
    if (!cy_cl_timing_wanted())
        return CY_OK;
    char *copy = strdup(setting), *rest = copy;
    enum cy_status status = copy ? CY_OK : CY_ERROR_HOST;
    cy_timing_config_default(&device->timing);
    for (char *word; status == CY_OK && (word = strtok_r(rest, ", ", &rest));)
        if (strcmp(word, "1") != 0)
            status = strchr(word, '=') ? cy_timing_config_set(&device->timing, word, why)
                                       : cy_timing_config_choose(&device->timing, word, why);
    free(copy); /* libc's */
    if (status == CY_OK) {
        device->is_timed = true;
        device->clock_mhz = cy_timing_config_get(&device->timing, "clock_mhz");
    }
    return status;
}

cl_ulong cy_cl_device_now(cl_device_id device)
{
    return device && device->is_timed ? atomic_load(&device->now_ns) : cy_cl_now();
}

static cl_ulong nanoseconds(cl_device_id device, uint64_t cycles)
{
    return (cl_ulong)((double)cycles * 1000.0 / device->clock_mhz + 0.5);
}

bool cy_cl_timing_begin(cl_event event, struct cy_observers *observers)
{
    cl_device_id device = event->queue->device;
    if (!device->is_timed)
        return true;
    event->command.timing = cy_timing_create(&device->timing);
    if (!event->command.timing)
        return false;
    *observers = cy_timing_observers(event->command.timing);
    event->command.launch.observers = observers; /* copied when the launch begins */
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

uint64_t cy_cl_timing_finish(cl_event event, bool ok)
{
    if (!event->command.timing || !ok)
        return UINT64_MAX;
    const uint64_t cycles = cy_timing_finish(event->command.timing);
    event->cycles = cycles == UINT64_MAX ? 0 : cycles;
    const char *print = getenv("CHENGYING_TIMING_PRINT");
    const bool prints = cy_cl_setting("CHENGYING_TIMING_PRINT"), appends = prints && *print == '/';
    char note[256], machine[256];
    const bool is_estimate = event->cycles && cy_timing_note(event->command.timing, note, sizeof(note));
    cy_timing_describe(event->command.timing, machine, sizeof(machine));
    if (event->cycles && prints && !appends)
        say_machine(machine);
    if (is_estimate)
        say_sampled(event->command.launch.kernel, note, prints && !appends);
    if (event->cycles && appends)
        append_cycles(print, machine, cycles, is_estimate);
    else if (event->cycles && prints)
        fprintf(stderr, "cycles: %llu %s\n", (unsigned long long)cycles, event->command.launch.kernel);
    return cycles;
}

void cy_cl_timing_end(cl_event event)
{
    cy_timing_destroy(event->command.timing);
    event->command.timing = NULL;
}

/* With the context's lock held. */
void cy_cl_timing_stamp(cl_event event, cl_ulong *start, cl_ulong *end)
{
    cl_device_id device = event->queue ? event->queue->device : NULL;
    if (!device || !device->is_timed) {
        *end = cy_cl_now();
        return;
    }
    const cl_ulong length = nanoseconds(device, event->cycles ? event->cycles : 1), begun = *start;
    *start = atomic_fetch_add(&device->now_ns, length ? length : 1);
    *end = *start + (length ? length : 1);
    if (event->type == CL_COMMAND_COMMAND_BUFFER_KHR)
        *start = begun; /* of its first command */
}
