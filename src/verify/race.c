/* Does the checker know a race in the launch?  Then its result depends on the order of its work-items, though the interpreter always
 * takes the lanes of a warp in the same one. */
#define _POSIX_C_SOURCE 200809L
#include "verify/verify_priv.h"

#include "base/file.h"
#include "base/json_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool make_log(char *path, size_t size)
{
    const char *directory = getenv("TMPDIR");
    snprintf(path, size, "%s/chengying-race-XXXXXX", directory && *directory ? directory : "/tmp");
    const int file = mkstemp(path);
    if (file < 0)
        *path = 0;
    else
        close(file);
    return file >= 0;
}

static bool is_scratch(const struct cy_launch *launch, const struct cy_block *block)
{
    const struct cy_launch_buffers *buffers = &launch->device->buffers;
    const struct cy_scratch *const own[] = {&buffers->constants, &buffers->prints, &buffers->pds};
    bool is_own = !block->size;
    for (size_t i = 0; i < CY_COUNT(own); i++)
        is_own |= own[i]->address && own[i]->address - block->start < block->bytes;
    return is_own;
}

/* Every buffer is one that the launch may use: what of it arguments lead to is not known.  False: no memory. */
static bool describe_memory(struct verified_device *device, const struct cy_launch *launch)
{
    const struct cy_memory *memory = &launch->device->memory;
    device->buffers.count = 0;
    for (size_t i = 0; i < memory->block_count; i++) {
        const struct cy_block *block = &memory->blocks[i];
        if (is_scratch(launch, block))
            continue;
        struct cy_check_argument *buffer = cy_vec_try_push(&device->buffers);
        if (!buffer)
            return false;
        *buffer = (struct cy_check_argument){.name = name_buffer(launch, block->start, block->size),
                                             .is_buffer = true,
                                             .is_shared = true,
                                             .address = block->start,
                                             .size = block->size,
                                             .rights = CY_CHECK_READ | CY_CHECK_WRITE};
        cy_check_allocated(device->check, launch->device, block->start, block->size);
        cy_check_written(device->check, launch->device, block->start, block->size, true);
    }
    return true;
}

/* A race in local memory may change whatever its work-group computes; one elsewhere, the words that it is about. */
static void see_race(void *context, bool is_local, uint64_t address, unsigned size)
{
    struct verified_device *device = context;
    cy_verify_mark_race(device->launch, address, is_local ? 0 : size);
}

const struct cy_observer *watch_races(void *context, struct cy_launch *launch)
{
    struct verified_device *device = context;
    device->race.size = 0;
    device->launch = launch;
    if (!make_log(device->log, sizeof(device->log)))
        return NULL;
    const struct cy_check_options options = {.tools = CY_CHECK_RACE,
                                             .no_same_value = true,
                                             .quiet = true,
                                             .log = device->log,
                                             .raced = see_race,
                                             .context = device};
    device->check = cy_check_create(&options);
    if (device->check && describe_memory(device, launch)) {
        const struct cy_program *program = launch->program;
        const struct cy_check_info info = {.machine = launch->device,
                                           .program = program->name,
                                           .elf = program->elf,
                                           .elf_size = program->elf_size,
                                           .kernel = launch->kernel.name,
                                           .lds_bytes = launch->kernel.lds_bytes,
                                           .may_spin = !launch->kernel.has_signature || launch->kernel.may_spin,
                                           .argument_bytes = (uint32_t)launch->arguments.bytes.size,
                                           .arguments = device->buffers.at,
                                           .argument_count = device->buffers.count};
        device->checked = cy_check_begin(device->check, &info);
    }
    if (device->checked)
        return cy_check_observer(device->checked);
    cy_check_destroy(device->check);
    device->check = NULL;
    unlink(device->log);
    return NULL;
}

/* The first race in the log, as "FILE:LINE: message". */
static void read_race(void *argument)
{
    struct verified_device *device = argument;
    struct cy_buf log = {0};
    struct cy_diags diags = {0};
    struct cy_arena arena = {0};
    if (cy_file_read(device->log, &log, &diags) && log.size) {
        const char *stop = memchr(log.data, '\n', log.size);
        log.size = stop ? (size_t)(stop - log.data) : log.size;
        log.data[log.size] = 0;
        const struct cy_json_value *report = cy_json_read(&arena, device->log, &log, &diags);
        const struct cy_json_value *sides = cy_json_get(report, "sides"), *side = sides ? sides->first : NULL;
        if (report && *cy_json_text(side, "file"))
            cy_buf_printf(&device->race, "%s:%.0f: ", cy_json_text(side, "file"), cy_json_number(side, "line"));
        else if (report)
            cy_buf_printf(&device->race, "pc 0x%08x: ", (unsigned)cy_json_number(side, "pc"));
        if (report)
            cy_buf_puts(&device->race, cy_json_text(report, "message"));
    }
    cy_arena_free(&arena);
    cy_diags_free(&diags);
    cy_buf_free(&log);
}

bool found_race(void *context, struct cy_launch *launch, const struct cy_difference *difference)
{
    struct verified_device *device = context;
    (void)launch;
    (void)difference;
    cy_check_end(device->checked);
    if (!cy_mem_try(read_race, device))
        device->race.size = 0;
    cy_check_destroy(device->check);
    device->check = NULL;
    device->checked = NULL;
    unlink(device->log);
    return device->race.size;
}
