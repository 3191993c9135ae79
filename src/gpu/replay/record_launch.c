/* A record of a launch of a device: what it is, memory before it, and what it gave. */
#include "gpu/replay/record_priv.h"

#include "gpu/device/verify.h"

#include <string.h>

static bool complain(struct cy_diags *diags, const char *text)
{
    cy_diag_file(diags, CY_ERROR, NULL, "this launch cannot be recorded: %s", text);
    return false;
}

/* ---- the launch ---- */

static enum cy_record_kind kind_of(const struct cy_kernel_argument *argument)
{
    if (argument->qualifiers & CY_TYPE_IMAGE)
        return CY_RECORD_IMAGE;
    if (argument->qualifiers & CY_TYPE_SAMPLER)
        return CY_RECORD_SAMPLER;
    if (argument->is_pointer)
        return argument->address == CY_ADDRESS_LOCAL ? CY_RECORD_LOCAL : CY_RECORD_BUFFER;
    return CY_RECORD_VALUE;
}

static uint32_t local_at(const struct cy_arguments *arguments, uint32_t offset)
{
    for (size_t i = 0; i < arguments->locals.count; i++)
        if (arguments->locals.at[i].offset == offset)
            return arguments->locals.at[i].size;
    return 0;
}

/* By the kernel's signature.  False: it has none, or the buffer is laid out in some other way. */
static bool describe_arguments(struct cy_record *record, const struct cy_kernel_info *kernel,
                               const struct cy_arguments *arguments)
{
    size_t offset = 0, locals = 0;
    for (size_t i = 0; kernel->has_signature && i < kernel->argument_count; i++) {
        const struct cy_kernel_argument *from = &kernel->arguments[i];
        const size_t align = from->align ? from->align : 1;
        offset = (offset + align - 1) / align * align;
        const enum cy_record_kind kind = kind_of(from);
        const uint32_t local = kind == CY_RECORD_LOCAL ? local_at(arguments, (uint32_t)offset) : 0;
        *cy_vec_push(&record->arguments) = (struct cy_record_argument){cy_record_kinds[kind], from->name, from->type,
                                                                       (uint32_t)offset,      from->size, local};
        locals += local != 0;
        offset += from->size;
    }
    if (kernel->has_signature && offset == arguments->bytes.size && locals == arguments->locals.count)
        return true;
    record->arguments.count = 0;
    return false;
}

static void describe(struct cy_record *record, const struct cy_launch *launch)
{
    const struct cy_arguments *arguments = &launch->arguments;
    record->version = CY_RECORD_VERSION;
    record->program = launch->program->name;
    record->elf = launch->program->elf;
    record->elf_size = launch->program->elf_size;
    record->kernel = launch->kernel.name;
    record->dimensions = launch->dimensions;
    for (unsigned i = 0; i < 3; i++) {
        record->global[i] = launch->global[i];
        record->offset[i] = launch->offset[i];
        record->local[i] = launch->local[i];
    }
    record->lds_bytes = launch->lds_bytes;
    record->stack_bytes = launch->stack_bytes;
    record->private_bytes = launch->pds_bytes;
    record->print_bytes = launch->print_bytes;
    record->gds = launch->gds;
    record->scalar_atomics = launch->scalar_atomics;
    record->argument_bytes = (struct cy_record_bytes){arguments->bytes.data, arguments->bytes.size};
    record->machine = launch->device->config;
    record->level = cy_engine_level_name(record->machine.engine_level);
    static const char *const engines[] = {"interp", "jit", "auto", "verify"};
    record->engine = engines[record->machine.engine];
    if (!record->arguments.count && !describe_arguments(record, &launch->kernel, arguments))
        for (size_t i = 0; i < arguments->locals.count; i++)
            *cy_vec_push(&record->arguments) = (struct cy_record_argument){.kind = cy_record_kinds[CY_RECORD_LOCAL],
                                                                           .offset = arguments->locals.at[i].offset,
                                                                           .size = 4,
                                                                           .local = arguments->locals.at[i].size};
    record->wide_pointers = launch->kernel.generation == 2 && arguments->has_wide_pointers;
}

static struct cy_record_range range_of(const struct cy_scratch *scratch, bool is_used)
{
    return is_used && scratch->address ? (struct cy_record_range){scratch->address, scratch->size}
                                       : (struct cy_record_range){0};
}

bool cy_record_of_launch(struct cy_record *record, const struct cy_launch *launch, struct cy_diags *diags)
{
    if (launch->ptbr)
        return complain(diags, "it runs with page tables, and a record has plain device memory only");
    describe(record, launch);
    const struct cy_launch_buffers *buffers = &launch->device->buffers;
    record->constants = range_of(&buffers->constants, launch->constants);
    record->prints = range_of(&buffers->prints, launch->print_bytes);
    record->private_memory = range_of(&buffers->pds, launch->pds_bytes);
    return true;
}

/* ---- memory ---- */

/* Bytes up to the last that is not 0. */
static uint64_t used_bytes(const uint8_t *bytes, uint64_t size)
{
    static const uint8_t zeros[256];
    while (size >= sizeof(zeros) && !memcmp(bytes + size - sizeof(zeros), zeros, sizeof(zeros)))
        size -= sizeof(zeros);
    while (size && !bytes[size - 1])
        size--;
    return size;
}

static const void *keep(struct cy_record *record, const uint8_t *from, uint64_t size)
{
    void *copy = cy_arena_alloc(&record->arena, size ? size : 1);
    memcpy(copy, from, size);
    return copy;
}

static bool is_own(const struct cy_device *device, uint64_t address)
{
    const struct cy_launch_buffers *own = &device->buffers;
    return address == own->constants.address || address == own->prints.address || address == own->pds.address;
}

/* The variables are where the program's image is, or saved elsewhere, or those of the file still. */
static void add_variables(struct cy_record *record, const struct cy_device *device, const struct cy_program *program)
{
    const uint8_t *saved = program->variables;
    for (size_t i = 0; i < program->object.segments.count; i++) {
        const struct cy_segment *segment = &program->object.segments.at[i];
        if (!cy_segment_is_writable(segment))
            continue;
        struct cy_buf fresh = {0};
        const uint8_t *from = device->loaded == program ? device->memory.base + segment->address : saved;
        if (!from) {
            cy_buf_append(&fresh, segment->data, segment->file_size);
            cy_buf_zeros(&fresh, segment->memory_size - segment->file_size);
            from = (const uint8_t *)fresh.data;
        }
        const uint64_t used = used_bytes(from, segment->memory_size);
        *cy_vec_push(&record->memory) = (struct cy_record_memory){.place = cy_record_places[CY_RECORD_VARIABLES],
                                                                  .address = segment->address,
                                                                  .size = segment->memory_size,
                                                                  .before = keep(record, from, used),
                                                                  .before_bytes = used};
        cy_buf_free(&fresh);
        if (saved)
            saved += segment->memory_size;
    }
}

void cy_record_add_memory(struct cy_record *record, struct cy_device *device, const struct cy_program *program)
{
    const struct cy_memory *memory = &device->memory;
    for (size_t i = 0; i < memory->block_count; i++) {
        const struct cy_block *block = &memory->blocks[i];
        if (block->start < CY_BUFFER_BASE || !block->size || is_own(device, block->start))
            continue;
        const uint8_t *from = cy_memory_host(memory, block->start);
        const uint64_t used = used_bytes(from, block->bytes);
        const enum cy_record_place place = block->start < 1ull << 32   ? CY_RECORD_NEAR
                                           : block->start < CY_FAR_END ? CY_RECORD_FAR
                                                                       : CY_RECORD_SHARED;
        *cy_vec_push(&record->memory) = (struct cy_record_memory){.place = cy_record_places[place],
                                                                  .address = block->start,
                                                                  .size = block->size,
                                                                  .before = keep(record, from, used),
                                                                  .before_bytes = used};
    }
    if (program)
        add_variables(record, device, program);
}

/* ---- the result ---- */

static bool set_after(struct cy_record *record, const struct cy_memory *after, struct cy_diags *diags)
{
    for (size_t i = 0; i < record->memory.count; i++) {
        struct cy_record_memory *memory = &record->memory.at[i];
        const uint8_t *now = cy_memory_host(after, memory->address);
        if (!now)
            return complain(diags, "a buffer was freed meanwhile");
        const bool is_image = cy_record_find(cy_record_places, memory->place) == CY_RECORD_VARIABLES;
        memory->after = now;
        memory->after_bytes = used_bytes(now, is_image ? memory->size : cy_record_pages(memory->size));
    }
    return true;
}

static void set_end(struct cy_record *record, const struct cy_fault_info *fault, const char *message,
                    const void *printed, size_t size)
{
    record->has_result = true;
    record->status = fault ? "fault" : "done";
    record->fault = fault ? cy_arena_printf(&record->arena, "%s", fault->kind) : "";
    record->message = cy_arena_printf(&record->arena, "%s", message);
    record->printed = printed;
    record->printed_size = size;
}

bool cy_record_set_result(struct cy_record *record, struct cy_device *device, struct cy_launch *launch,
                          const void *printed, size_t size, struct cy_diags *diags)
{
    const enum cy_status status = cy_launch_poll(launch);
    if (status != CY_OK && status != CY_ERROR_FAULT)
        return complain(diags, "it did not end by itself");
    if (!set_after(record, &device->memory, diags))
        return false;
    set_end(record, cy_launch_fault(launch), cy_launch_message(launch), printed, size);
    return true;
}

bool cy_record_set_interpreted(struct cy_record *record, const struct cy_launch *launch, const void *printed,
                               size_t size, struct cy_diags *diags)
{
    if (!set_after(record, cy_launch_interpreted(launch), diags))
        return false;
    set_end(record, launch->faulted ? &launch->fault : NULL, launch->message.size ? launch->message.data : "", printed,
            size);
    return true;
}
