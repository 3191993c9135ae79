/* Running a recorded launch on a device of its own, and comparing what it gives with what was recorded. */
#include "gpu/replay/record_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record_run {
    const struct cy_record *record;
    const struct cy_record_settings *settings;
    struct cy_record_result *result;
    struct cy_diags *diags;
    struct cy_device *device;
    struct cy_program *program;
    struct cy_launch *launch;
    struct cy_arguments arguments;
};

static bool fail(struct record_run *run, const char *text, uint64_t address)
{
    cy_diag_file(run->diags, CY_ERROR, run->record->program, "%s 0x%" PRIx64, text, address);
    return false;
}

/* Reports and frees the message of a failed call, which comes by address: it may be set by the call next to it. */
static bool take(struct record_run *run, enum cy_status status, char **message)
{
    if (status != CY_OK) {
        cy_buf_puts(&run->diags->text, *message ? *message : "error: the launch could not be run\n");
        run->diags->errors++;
        cy_free(*message);
        *message = NULL;
    }
    return status == CY_OK;
}

/* ---- memory, where it was ---- */

static bool is_place(const struct cy_record_memory *memory, enum cy_record_place place)
{
    return cy_record_find(cy_record_places, memory->place) == (int)place;
}

static int by_address(const void *a, const void *b)
{
    const uint64_t left = (*(const struct cy_record_memory *const *)a)->address,
                   right = (*(const struct cy_record_memory *const *)b)->address;
    return (left > right) - (left < right);
}

/* Regions for what is above 4 GiB: buffers next to each other share one, as they did. */
static bool reserve_far(struct record_run *run)
{
    enum { GAP = 1 << 30 };
    const struct cy_record *record = run->record;
    CY_VEC(const struct cy_record_memory *) far = {0};
    for (size_t i = 0; i < record->memory.count; i++)
        if (record->memory.at[i].address > UINT32_MAX)
            *cy_vec_push(&far) = &record->memory.at[i];
    if (far.count)
        qsort(far.at, far.count, sizeof(far.at[0]), by_address);
    bool ok = true;
    for (size_t i = 0, next; ok && i < far.count; i = next) {
        const uint64_t start = far.at[i]->address;
        uint64_t end = start + cy_record_pages(far.at[i]->size);
        for (next = i + 1; next < far.count && far.at[next]->address < end + GAP; next++)
            if (far.at[next]->address + cy_record_pages(far.at[next]->size) > end)
                end = far.at[next]->address + cy_record_pages(far.at[next]->size);
        ok = cy_memory_reserve_far(&run->device->memory, start, end - start) ||
             fail(run, "the host has no address space for memory at", start);
    }
    cy_vec_free(&far);
    return ok;
}

static bool place_memory(struct record_run *run)
{
    struct cy_memory *memory = &run->device->memory;
    if (!reserve_far(run))
        return false;
    for (size_t i = 0; i < run->record->memory.count; i++) {
        const struct cy_record_memory *from = &run->record->memory.at[i];
        if (is_place(from, CY_RECORD_VARIABLES))
            continue;
        const bool ok = from->address > UINT32_MAX
                            ? cy_memory_alloc_far_at(memory, from->address, from->size)
                            : cy_memory_alloc_at(memory, (uint32_t)from->address, from->size, CY_READ | CY_WRITE);
        if (!ok)
            return fail(run, "memory overlaps other memory, or the host has none, at", from->address);
        if (from->before_bytes)
            memcpy(cy_memory_host(memory, from->address), from->before, from->before_bytes);
    }
    return true;
}

/* The driver's own memory.  The next launch uses it if it is large enough, as the recorded one did. */
static bool place_own(struct record_run *run, struct cy_scratch *scratch, const struct cy_record_range *range,
                      uint8_t rights)
{
    if (!range->address)
        return true;
    if (!cy_memory_alloc_at(&run->device->memory, range->address, range->size, rights))
        return fail(run, "the driver's memory overlaps other memory at", range->address);
    *scratch = (struct cy_scratch){range->address, range->size};
    return true;
}

/* Variables as they were: where the program's image is, or for the time when it is loaded. */
static bool place_variables(struct record_run *run)
{
    struct cy_program *program = run->program;
    struct cy_memory *memory = &run->device->memory;
    bool any = false;
    for (size_t i = 0; i < run->record->memory.count; i++)
        any |= is_place(&run->record->memory.at[i], CY_RECORD_VARIABLES);
    if (!any)
        return true;
    if (run->device->loaded != program) { /* initialisers did not load it */
        if (!cy_image_load(program, memory))
            return fail(run, "the host has no memory for the image at", program->code_base);
        run->device->loaded = program;
        atomic_fetch_add(&program->references, 1);
    }
    for (size_t i = 0; i < run->record->memory.count; i++) {
        const struct cy_record_memory *from = &run->record->memory.at[i];
        const struct cy_segment *segment = NULL;
        for (size_t s = 0; s < program->object.segments.count && is_place(from, CY_RECORD_VARIABLES); s++)
            if (cy_segment_is_writable(&program->object.segments.at[s]) &&
                program->object.segments.at[s].address == from->address)
                segment = &program->object.segments.at[s];
        if (!is_place(from, CY_RECORD_VARIABLES))
            continue;
        if (!segment || segment->memory_size != from->size)
            return fail(run, "the executable has no such variables at", from->address);
        memset(memory->base + from->address, 0, from->size);
        if (from->before_bytes)
            memcpy(memory->base + from->address, from->before, from->before_bytes);
    }
    return true;
}

/* ---- the launch ---- */

static bool configure(struct record_run *run, struct cy_config *config)
{
    const struct cy_record_settings *settings = run->settings;
    char *why = NULL;
    char text[64];
    *config = run->record->machine;
    config->engine = settings->engine;
    config->engine_level = 0;
    config->verify_every = 0;
    config->checking |= settings->checking;
    config->deterministic |= settings->deterministic;
    config->mask = settings->mask_per_lane ? CY_MASK_LANE : config->mask;
    if (settings->watchdog_instructions)
        config->watchdog_instructions = settings->watchdog_instructions;
    if (settings->level) {
        snprintf(text, sizeof(text), "engine-level=%s", settings->level);
        return take(run, cy_config_set(config, text, &why), &why);
    }
    if (run->record->strip)
        config->strip = run->record->strip;
    if (run->record->level)
        for (uint32_t level = 1; cy_engine_level_name(level); level++)
            if (strcmp(cy_engine_level_name(level), run->record->level) == 0)
                config->engine_level = level;
    return true;
}

static bool open_device(struct record_run *run)
{
    const struct cy_record *record = run->record;
    struct cy_config config;
    char *why = NULL;
    if (!configure(run, &config) || !take(run, cy_device_open(&config, &run->device, &why), &why))
        return false;
    if (run->settings->translator)
        cy_device_set_translator(run->device, run->settings->translator);
    if (run->settings->opened)
        run->settings->opened(run->settings->context, run->device);
    struct cy_launch_buffers *own = &run->device->buffers;
    return place_memory(run) && place_own(run, &own->constants, &record->constants, CY_READ) &&
           place_own(run, &own->prints, &record->prints, CY_READ | CY_WRITE) &&
           place_own(run, &own->pds, &record->private_memory, CY_READ | CY_WRITE) &&
           take(run, cy_program_load(run->device, record->program, record->elf, record->elf_size, &run->program, &why),
                &why) &&
           place_variables(run);
}

static void print(void *context, const char *text, size_t size)
{
    struct record_run *run = context;
    cy_buf_try_append(&run->result->printed, text, size);
}

static bool start(struct record_run *run)
{
    const struct cy_record *record = run->record;
    const struct cy_record_settings *settings = run->settings;
    struct cy_launch_desc desc = {.program = run->program,
                                  .kernel = record->kernel,
                                  .arguments = &run->arguments,
                                  .dimensions = record->dimensions,
                                  .lds_bytes = record->lds_bytes,
                                  .stack_bytes = record->stack_bytes,
                                  .pds_bytes = &record->private_bytes,
                                  .print_bytes = record->print_bytes,
                                  .print = print,
                                  .print_context = run,
                                  .gds = record->gds,
                                  .scalar_atomics = record->scalar_atomics || settings->scalar_atomics,
                                  .count_lanes = settings->count_lanes,
                                  .observers = settings->observers,
                                  .engine_observer = settings->engine_observer};
    for (unsigned i = 0; i < 3; i++) {
        desc.global[i] = (uint32_t)record->global[i];
        desc.global_high[i] = (uint32_t)(record->global[i] >> 32);
        desc.local[i] = (uint32_t)record->local[i];
        desc.offset[i] = (uint32_t)record->offset[i];
        desc.offset_high[i] = (uint32_t)(record->offset[i] >> 32);
    }
    char *why = NULL;
    return take(run, cy_launch_start(run->device, &desc, &run->launch, &why), &why);
}

/* ---- comparing ---- */

/* The word at an offset of contents that end with zeros. */
static uint32_t word_of(const uint8_t *bytes, uint64_t size, uint64_t offset)
{
    uint32_t word = 0;
    if (offset < size)
        memcpy(&word, bytes + offset, size - offset < sizeof(word) ? size - offset : sizeof(word));
    return word;
}

/* The argument that points to this memory, and where; -1: none does, or its value is not in the buffer. */
static int argument_of(const struct cy_record *record, const struct cy_record_memory *memory, uint64_t address,
                       uint64_t *from)
{
    int found = -1;
    *from = memory->address;
    for (size_t i = 0; i < record->arguments.count; i++) {
        const struct cy_record_argument *argument = &record->arguments.at[i];
        const int kind = cy_record_find(cy_record_kinds, argument->kind);
        uint64_t pointer = 0;
        if (kind != CY_RECORD_BUFFER || argument->size > sizeof(pointer))
            continue;
        memcpy(&pointer, (const uint8_t *)record->argument_bytes.data + argument->offset, argument->size);
        if (pointer >= *from && pointer <= address && (found < 0 || pointer > *from)) { /* of two the nearer one */
            *from = pointer;
            found = (int)i;
        }
    }
    return found;
}

static void compare_memory(struct record_run *run, size_t index)
{
    enum { CHUNK = 4096 };
    const struct cy_record *record = run->record;
    const struct cy_record_memory *memory = &record->memory.at[index];
    const bool has_after = memory->is_changed || memory->after;
    const uint8_t *expected = has_after ? memory->after : memory->before;
    const uint64_t size = has_after ? memory->after_bytes : memory->before_bytes;
    const uint64_t all = is_place(memory, CY_RECORD_VARIABLES) ? memory->size : cy_record_pages(memory->size);
    const uint8_t *got = cy_memory_host(&run->device->memory, memory->address);
    struct cy_record_result *result = run->result;
    result->words += (memory->size + 3) / 4;
    for (uint64_t at = 0; at < all; at += 4) {
        if (at % CHUNK == 0 && at + CHUNK <= size && !memcmp(expected + at, got + at, CHUNK)) {
            at += CHUNK - 4;
            continue;
        }
        const uint32_t is = word_of(got, all, at), should = word_of(expected, size, at);
        if (is == should)
            continue;
        if (result->differences++ < CY_RECORD_SHOWN) {
            uint64_t from;
            const int argument = argument_of(record, memory, memory->address + at, &from);
            *cy_vec_push(&result->first) = (struct cy_record_difference){
                memory->address + at, should, is, index, argument, (memory->address + at - from) / 4};
        }
    }
}

static void compare(struct record_run *run)
{
    struct cy_record_result *result = run->result;
    const struct cy_record *record = run->record;
    const struct cy_fault_info *fault = cy_launch_fault(run->launch);
    struct cy_counters counters;
    cy_launch_counters(run->launch, &counters);
    result->counters = counters;
    result->counters.interpreted = result->counters.not_translated = "";
    result->translated = counters.translated;
    result->level = counters.engine_level;
    snprintf(result->not_translated, sizeof(result->not_translated), "%s",
             counters.not_translated ? counters.not_translated : "");
    snprintf(result->fault, sizeof(result->fault), "%s", fault ? fault->kind : "");
    cy_buf_puts(&result->message, cy_launch_message(run->launch));
    result->same_status = result->same_printed = true;
    if (record->has_result) {
        result->same_status = strcmp(result->fault, record->fault ? record->fault : "") == 0;
        result->memory_is_compared = !fault && result->same_status;
        result->same_printed =
            fault || (result->printed.size == record->printed_size &&
                      (!record->printed_size || !memcmp(result->printed.data, record->printed, record->printed_size)));
    }
    for (size_t i = 0; result->memory_is_compared && i < record->memory.count; i++)
        compare_memory(run, i);
    result->is_same = result->same_status && result->same_printed && !result->differences;
}

/* Threads of the device add to `printed` while it runs, so that this is not a scope. */
bool cy_record_run(const struct cy_record *record, const struct cy_record_settings *settings,
                   struct cy_record_result *result, struct cy_diags *diags)
{
    struct record_run run = {.record = record, .settings = settings, .result = result, .diags = diags};
    *result = (struct cy_record_result){0};
    cy_record_arguments(record, &run.arguments);
    bool ok = open_device(&run) && start(&run);
    if (ok) {
        result->status = cy_launch_wait(run.launch);
        if (settings->ended)
            settings->ended(settings->context, run.device, run.launch);
        ok = result->status == CY_OK || result->status == CY_ERROR_FAULT;
        if (ok)
            compare(&run);
        else
            cy_diag_file(diags, CY_ERROR, record->program, "%s", cy_launch_message(run.launch));
        cy_launch_release(run.launch);
    }
    if (run.program)
        cy_program_release(run.program);
    cy_device_close(run.device);
    cy_buf_free(&run.arguments.bytes);
    cy_vec_free(&run.arguments.locals);
    return ok;
}

void cy_record_result_free(struct cy_record_result *result)
{
    cy_buf_free(&result->message);
    cy_buf_free(&result->printed);
    cy_vec_free(&result->first);
}
