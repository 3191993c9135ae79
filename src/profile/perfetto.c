/* Trace events in JSON, which Perfetto's and Chrome's viewers open: the queues with their commands, and for each launch the
 * workgroups of the SMs and the warps with what they do in each cycle.
 *
 * Times are microseconds of the device's clock.  Tracks: process 1 has a thread per queue; process 2 + SM has a thread per warp
 * slot, with the workgroup, the warp in it and what the warp does nested; then the same for the next device. */
#include "profile/profile_priv.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"

enum { QUEUES = 1, FIRST_SM = 2 };

struct trace {
    struct cy_json json;
    const struct cy_profile *profile;
    double us_per_cycle;
    uint32_t sms; /* that events come from, at most */
};

static void begin(struct trace *trace, const char *phase, const char *name, uint32_t process, uint32_t thread)
{
    struct cy_json *json = &trace->json;
    cy_json_begin(json, '{');
    cy_json_key(json, "ph");
    cy_json_string(json, phase);
    cy_json_key(json, "name");
    cy_json_string(json, name);
    cy_json_key(json, "pid");
    cy_json_uint(json, process);
    cy_json_key(json, "tid");
    cy_json_uint(json, thread);
}

static void name_track(struct trace *trace, const char *what, uint32_t process, uint32_t thread, const char *name)
{
    begin(trace, "M", what, process, thread);
    cy_json_key(&trace->json, "args");
    cy_json_begin(&trace->json, '{');
    cy_json_key(&trace->json, "name");
    cy_json_string(&trace->json, name);
    cy_json_end(&trace->json);
    cy_json_end(&trace->json);
}

/* Opens the arguments of a slice. */
static void slice(struct trace *trace, const char *name, const char *category, uint32_t process, uint32_t thread,
                  double start_us, double length_us)
{
    struct cy_json *json = &trace->json;
    begin(trace, "X", name, process, thread);
    cy_json_key(json, "cat");
    cy_json_string(json, category);
    cy_json_key(json, "ts");
    cy_json_double(json, start_us);
    cy_json_key(json, "dur");
    cy_json_double(json, length_us);
    cy_json_key(json, "args");
    cy_json_begin(json, '{');
}

static void end_slice(struct trace *trace)
{
    cy_json_end(&trace->json);
    cy_json_end(&trace->json);
}

static void argument(struct trace *trace, const char *key, uint64_t value)
{
    cy_json_key(&trace->json, key);
    cy_json_uint(&trace->json, value);
}

/* ---- devices: each has tracks of its own ---- */

static uint32_t process_of(const struct trace *trace, uint32_t device, uint32_t process)
{
    return device * (FIRST_SM + trace->sms) + process;
}

static void name_process(struct trace *trace, uint32_t device, uint32_t process, const char *name)
{
    char text[64];
    snprintf(text, sizeof(text), "%s of device %u", name, device);
    name_track(trace, "process_name", process_of(trace, device, process), 0, trace->profile->devices > 1 ? text : name);
}

/* ---- queues ---- */

static void put_commands(struct trace *trace)
{
    const struct cy_profile *profile = trace->profile;
    uint32_t named = 0;
    for (size_t i = 0; i < profile->commands.count; i++) {
        const struct cy_profile_command *command = &profile->commands.at[i];
        const uint32_t queues = process_of(trace, command->device, QUEUES);
        char name[64];
        if (!i || command[-1].device != command->device) {
            name_process(trace, command->device, QUEUES, "command queues");
            named = 0;
        }
        for (; named <= command->queue; named++) {
            snprintf(name, sizeof(name), "queue %u", named);
            name_track(trace, "thread_name", queues, named, name);
        }
        slice(trace, command->name, "command", queues, command->queue, (double)command->start_ns * 1e-3,
              (double)(command->end_ns - command->start_ns) * 1e-3);
        argument(trace, "queued_ns", command->queued_ns);
        if (command->launch)
            argument(trace, "launch", command->launch);
        end_slice(trace);
    }
}

/* ---- warps ---- */

/* When the launch of an event began on the device's clock. */
static double launch_start_us(const struct cy_profile *profile, uint32_t launch)
{
    for (size_t i = 0; i < profile->commands.count; i++)
        if (profile->commands.at[i].launch == launch)
            return (double)profile->commands.at[i].start_ns * 1e-3;
    return 0;
}

static int by_track(const void *a, const void *b)
{
    const struct cy_profile_event *left = *(const struct cy_profile_event *const *)a,
                                  *right = *(const struct cy_profile_event *const *)b;
    const uint64_t keys[][2] = {{left->device, right->device},           {left->event.sm, right->event.sm},
                                {left->event.slot, right->event.slot},   {left->launch, right->launch},
                                {left->event.begin, right->event.begin}, {left->event.end, right->event.end}};
    for (size_t i = 0; i < CY_COUNT(keys); i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return left < right ? -1 : left > right;
}

static bool is_same_warp(const struct cy_profile_event *a, const struct cy_profile_event *b)
{
    return a->launch == b->launch && a->event.sm == b->event.sm && a->event.slot == b->event.slot &&
           a->event.group == b->event.group && a->event.warp == b->event.warp;
}

/* All events of one warp: it encloses them. */
static void put_warp(struct trace *trace, const struct cy_profile_event *const *events, size_t count)
{
    const struct cy_timing_event *first = &events[0]->event, *last = &events[count - 1]->event;
    const double start = launch_start_us(trace->profile, events[0]->launch), scale = trace->us_per_cycle;
    const uint32_t sm = process_of(trace, events[0]->device, FIRST_SM + first->sm);
    char name[64];
    snprintf(name, sizeof(name), "workgroup %llu", (unsigned long long)first->group);
    slice(trace, name, "workgroup", sm, first->slot, start + (double)first->begin * scale,
          (double)(last->end - first->begin) * scale);
    argument(trace, "launch", events[0]->launch);
    end_slice(trace);
    snprintf(name, sizeof(name), "warp %u", first->warp);
    slice(trace, name, "warp", sm, first->slot, start + (double)first->begin * scale,
          (double)(last->end - first->begin) * scale);
    argument(trace, "workgroup", first->group);
    end_slice(trace);
    for (size_t i = 0; i < count; i++) {
        const struct cy_timing_event *event = &events[i]->event;
        slice(trace, cy_stall_name(event->stall), event->stall == CY_STALL_NONE ? "issue" : "stall", sm, event->slot,
              start + (double)event->begin * scale, (double)(event->end - event->begin) * scale);
        argument(trace, "cycle", event->begin);
        if (event->pc)
            argument(trace, "pc", event->pc);
        argument(trace, "instruction", event->ordinal);
        end_slice(trace);
    }
}

static void put_warps(struct trace *trace)
{
    const struct cy_profile *profile = trace->profile;
    const struct cy_profile_event **order = cy_xrealloc(NULL, (profile->events.count + 1) * sizeof(order[0]));
    size_t count = 0;
    for (size_t i = 0; i < profile->events.count; i++)
        if (!profile->events.at[i].is_done)
            order[count++] = &profile->events.at[i];
    qsort(order, count, sizeof(order[0]), by_track);
    for (size_t i = 0, end; i < count; i = end) {
        char name[32];
        const struct cy_timing_event *event = &order[i]->event;
        const bool is_new_sm = !i || order[i - 1]->event.sm != event->sm || order[i - 1]->device != order[i]->device;
        if (is_new_sm) {
            snprintf(name, sizeof(name), "SM %u", event->sm);
            name_process(trace, order[i]->device, FIRST_SM + event->sm, name);
        }
        if (is_new_sm || order[i - 1]->event.slot != event->slot) {
            snprintf(name, sizeof(name), "warp slot %u", event->slot);
            name_track(trace, "thread_name", process_of(trace, order[i]->device, FIRST_SM + event->sm), event->slot,
                       name);
        }
        for (end = i + 1; end < count && is_same_warp(order[i], order[end]);)
            end++;
        put_warp(trace, order + i, end - i);
    }
    cy_free(order);
}

void cy_profile_perfetto(const struct cy_profile *profile, struct cy_buf *out)
{
    struct trace trace = {.json = {.out = out}, .profile = profile};
    const uint32_t mhz = profile->is_timed ? cy_timing_config_get(&profile->timing, "clock_mhz") : 0;
    trace.us_per_cycle = mhz ? 1.0 / mhz : 0;
    for (size_t i = 0; i < profile->events.count; i++)
        trace.sms = profile->events.at[i].event.sm >= trace.sms ? profile->events.at[i].event.sm + 1 : trace.sms;
    cy_json_begin(&trace.json, '{');
    cy_json_key(&trace.json, "displayTimeUnit");
    cy_json_string(&trace.json, "ns");
    cy_json_key(&trace.json, "otherData");
    cy_json_begin(&trace.json, '{');
    argument(&trace, "events_left_out", profile->events_left_out);
    cy_json_end(&trace.json);
    cy_json_key(&trace.json, "traceEvents");
    cy_json_begin(&trace.json, '[');
    put_commands(&trace);
    put_warps(&trace);
    cy_json_end(&trace.json);
    cy_json_end(&trace.json);
    cy_buf_putc(out, '\n');
}
