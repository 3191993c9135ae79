/* Opening and closing devices, their memory and programs: the calls that need no thread. */
#define _GNU_SOURCE /* memfd_create */
#include "gpu/device/machine.h"
#include "gpu/device/verify.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FAR_BYTES (128ull << 30) /* of the sparse space above 4 GiB, as reported; the host's memory is the real limit */

const char *cy_status_text(enum cy_status status)
{
    switch (status) {
    case CY_OK: return "done";
    case CY_RUNNING: return "still running";
    case CY_ERROR_INVALID: return "invalid argument";
    case CY_ERROR_MEMORY: return "out of device memory";
    case CY_ERROR_HOST: return "the host refused memory, a thread or a file";
    case CY_ERROR_IMAGE: return "unusable program";
    case CY_ERROR_RESOURCES: return "the kernel does not fit the device";
    case CY_ERROR_FAULT: return "the kernel faulted";
    case CY_ERROR_CANCELLED: return "cancelled";
    case CY_ERROR_DIFFERENT: return "the implementations differ";
    }
    return "unknown status";
}

enum cy_status cy_finish(enum cy_status status, struct cy_diags *diags, char **message)
{
    if (diags->no_memory)
        status = CY_ERROR_HOST;
    if (status != CY_OK && message) {
        if (!diags->text.data)
            cy_buf_try_printf(&diags->text, "error: %s\n", cy_status_text(status));
        *message = diags->text.data; /* grown by realloc, so free() can free it */
        diags->text = (struct cy_buf){0};
    }
    cy_diags_free(diags);
    return status;
}

/* ---- devices ---- */

/* Local memory is managed by the SMs: its pages have no rights, so that every access to the window is checked against
 * the workgroup's range.  A host that commits memory in advance must still be asked for all of it. */
static bool commit_lds(struct cy_device *device)
{
    uint64_t size = (uint64_t)cy_config_lds_slice(&device->config) * device->config.sms;
    return !device->memory.commit || (cy_memory_protect(&device->memory, CY_LDS_BASE, size, CY_READ | CY_WRITE) &&
                                      cy_memory_protect(&device->memory, CY_LDS_BASE, size, 0));
}

enum cy_status cy_device_open(const struct cy_config *config, struct cy_device **result, char **message)
{
    enum cy_status status = cy_config_check(config, message);
    if (status != CY_OK)
        return status;
    struct cy_diags diags = {0};
    struct cy_device *device = cy_try_alloc(sizeof(*device));
    if (!device)
        return cy_finish(CY_ERROR_HOST, &diags, message);
    device->config = *config;
    cy_config_resolve(&device->config);
    if (!cy_memory_init(&device->memory, config->memory_bytes, &diags)) {
        cy_free(device);
        return cy_finish(CY_ERROR_HOST, &diags, message);
    }
    device->memory.guard_bytes = config->guards ? CY_PAGE_SIZE : 0;
    if (config->engine == CY_ENGINE_VERIFY && !cy_memory_back(&device->memory)) {
        cy_buf_try_printf(
            &diags.text,
            "error: the engine 'verify' needs device memory in files of the host's (memfd_create), and the "
            "host refuses it; use another engine\n");
        cy_memory_destroy(&device->memory);
        cy_free(device);
        return cy_finish(CY_ERROR_HOST, &diags, message);
    }
    pthread_mutex_init(&device->lock, NULL);
    pthread_cond_init(&device->queued, NULL);
    pthread_cond_init(&device->wanted, NULL);
    pthread_cond_init(&device->helped, NULL);
    if (!commit_lds(device) || !cy_turns_init(device)) {
        cy_buf_try_printf(&diags.text, "error: the host has no memory for the SMs\n");
        cy_device_close(device);
        return cy_finish(CY_ERROR_HOST, &diags, message);
    }
    *result = device;
    return CY_OK;
}

void cy_device_set_translator(struct cy_device *device, const struct cy_translator *translator)
{
    device->translator = *translator;
}

void cy_device_close(struct cy_device *device)
{
    if (!device)
        return;
    cy_device_shutdown(device);
    cy_turns_destroy(device);
    cy_verify_leave(device);
    pthread_cond_destroy(&device->queued);
    pthread_cond_destroy(&device->wanted);
    pthread_cond_destroy(&device->helped);
    pthread_mutex_destroy(&device->lock);
    cy_memory_destroy(&device->memory);
    cy_free(device);
}

void cy_device_capabilities(struct cy_device *device, struct cy_capabilities *capabilities)
{
    uint64_t space = (1ull << 32) - CY_BUFFER_BASE, limit = device->config.memory_bytes;
    *capabilities = (struct cy_capabilities){
        .config = device->config,
        .max_workgroup_size = device->config.warps * device->config.threads,
        .memory_bytes = limit && limit < space ? limit : space,
        .memory_used_bytes = cy_memory_used(&device->memory),
        .memory_base = CY_BUFFER_BASE,
        .far_memory_bytes = limit && limit < FAR_BYTES ? limit : FAR_BYTES,
    };
}

/* ---- memory ---- */

enum cy_status cy_device_alloc(struct cy_device *device, uint64_t size, uint32_t align, uint32_t *address)
{
    if (!size || align & (align - 1))
        return CY_ERROR_INVALID;
    *address = cy_memory_alloc(&device->memory, size, align);
    return *address ? CY_OK : CY_ERROR_MEMORY;
}

enum cy_status cy_device_alloc_far(struct cy_device *device, uint64_t size, uint64_t align, uint64_t *address)
{
    if (!size || align & (align - 1))
        return CY_ERROR_INVALID;
    *address = cy_memory_alloc_far(&device->memory, size, align, false);
    return *address ? CY_OK : CY_ERROR_MEMORY;
}

enum cy_status cy_device_alloc_at(struct cy_device *device, uint32_t address, uint64_t size)
{
    if (!size || address < CY_BUFFER_BASE || address % CY_PAGE_SIZE)
        return CY_ERROR_INVALID;
    return cy_memory_alloc_at(&device->memory, address, size, CY_READ | CY_WRITE) ? CY_OK : CY_ERROR_MEMORY;
}

/* Whole pages of the host: a part of one cannot be shared. */
static enum cy_status alloc_to_share(struct cy_device *device, uint64_t size, bool is_far, uint64_t *address)
{
    const uint32_t page = device->memory.host_page;
    uint32_t near = 0;
    if (page > CY_PAGE_SIZE)
        size = (size + page - 1) & ~(uint64_t)(page - 1);
    if (is_far)
        return cy_device_alloc_far(device, size, page, address);
    enum cy_status status = cy_device_alloc(device, size, page, &near);
    *address = near;
    return status;
}

enum cy_status cy_device_alloc_shared(struct cy_device *const *devices, size_t count, const bool *far, uint64_t size,
                                      uint64_t *addresses)
{
    enum cy_status status = CY_OK;
    size_t made = 0;
    uint32_t page = count ? devices[0]->memory.host_page : CY_PAGE_SIZE;
    uint64_t bytes = (size + page - 1) & ~(uint64_t)(page - 1);
    int file = memfd_create("chengying", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0)
        status = CY_ERROR_HOST;
    for (; made < count && status == CY_OK; made++) {
        status = alloc_to_share(devices[made], size, far && far[made], &addresses[made]);
        if (status != CY_OK)
            break;
        if (!cy_memory_share(&devices[made]->memory, addresses[made], file))
            status = CY_ERROR_HOST;
    }
    while (status != CY_OK && made-- > 0)
        cy_device_free(devices[made], addresses[made]);
    if (file >= 0)
        close(file); /* the mappings keep the memory alive */
    return status;
}

enum cy_status cy_device_alloc_svm(struct cy_device *const *devices, size_t count, uint64_t size, uint64_t align,
                                   void **pointer)
{
    if (!count || !size || align & (align - 1))
        return CY_ERROR_INVALID;
    const uint64_t address = cy_memory_alloc_far(&devices[0]->memory, size, align, true);
    size_t made = address != 0;
    while (made && made < count && cy_memory_adopt(&devices[made]->memory, address, size))
        made++;
    if (made == count) {
        *pointer = (void *)(uintptr_t)address;
        return CY_OK;
    }
    cy_device_free_svm(devices, made, (void *)(uintptr_t)address);
    return CY_ERROR_MEMORY;
}

void cy_device_free_svm(struct cy_device *const *devices, size_t count, void *pointer)
{
    while (count-- > 0) /* the first one owns it */
        cy_memory_free(&devices[count]->memory, (uintptr_t)pointer);
}

enum cy_status cy_device_free(struct cy_device *device, uint64_t address)
{
    return cy_memory_free(&device->memory, address) ? CY_OK : CY_ERROR_INVALID;
}

void *cy_device_map(struct cy_device *device, uint64_t address, uint64_t size)
{
    uint64_t start, bytes;
    if (!cy_memory_find(&device->memory, address, &start, &bytes) || address - start > bytes ||
        size > bytes - (address - start))
        return NULL;
    return cy_memory_host(&device->memory, address);
}

enum cy_status cy_device_read(struct cy_device *device, uint64_t address, void *to, uint64_t size)
{
    const void *from = cy_device_map(device, address, size);
    if (!from && address < CY_BUFFER_BASE && cy_memory_allows(&device->memory, address, size, CY_READ))
        from = device->memory.base + address;
    if (!from)
        return CY_ERROR_INVALID;
    memcpy(to, from, size);
    return CY_OK;
}

enum cy_status cy_device_write(struct cy_device *device, uint64_t address, const void *from, uint64_t size)
{
    void *to = cy_device_map(device, address, size);
    if (!to)
        return CY_ERROR_INVALID;
    memcpy(to, from, size);
    return CY_OK;
}

enum cy_status cy_device_copy(struct cy_device *device, uint64_t to, uint64_t from, uint64_t size)
{
    void *target = cy_device_map(device, to, size);
    const void *source = cy_device_map(device, from, size);
    if (!target || !source)
        return CY_ERROR_INVALID;
    memmove(target, source, size);
    return CY_OK;
}

enum cy_status cy_device_fill(struct cy_device *device, uint64_t address, const void *pattern, size_t pattern_size,
                              uint64_t size)
{
    unsigned char *to = cy_device_map(device, address, size);
    if (!to || !pattern_size || pattern_size > 128 || size % pattern_size)
        return CY_ERROR_INVALID;
    if (pattern_size == 1) {
        memset(to, *(const unsigned char *)pattern, size);
        return CY_OK;
    }
    if (size)
        memcpy(to, pattern, pattern_size);
    for (uint64_t done = pattern_size; done < size; done *= 2) /* doubling: the filled part is copied after itself */
        memcpy(to + done, to, size - done < done ? size - done : done);
    return CY_OK;
}

/* ---- programs ---- */

static enum cy_status run_initialisers(struct cy_device *device, struct cy_program *program, char **message)
{
    enum cy_status status = CY_OK;
    for (size_t i = 0; i < program->initialiser_count && status == CY_OK; i++) {
        struct cy_launch *launch;
        struct cy_launch_desc desc = {.program = program,
                                      .kernel = program->kernels[program->kernel_count + i].name,
                                      .global = {1, 1, 1},
                                      .local = {1, 1, 1},
                                      .independent = true};
        status = cy_launch_run(device, &desc, &launch, message);
        if (launch && status != CY_OK) { /* it ran, and failed */
            struct cy_diags diags = {0};
            cy_buf_try_printf(&diags.text, "%s", cy_launch_message(launch));
            cy_finish(status, &diags, message);
        }
        cy_launch_release(launch);
    }
    return status;
}

enum cy_status cy_program_load(struct cy_device *device, const char *name, const void *elf, size_t size,
                               struct cy_program **result, char **message)
{
    struct cy_diags diags = {0};
    struct cy_program *program = cy_try_alloc(sizeof(*program));
    if (!program)
        return cy_finish(CY_ERROR_HOST, &diags, message);
    if (!cy_program_read(program, name, elf, size, &device->config, &diags)) {
        cy_free(program);
        return cy_finish(CY_ERROR_IMAGE, &diags, message);
    }
    atomic_store(&program->references, 1);
    enum cy_status status = program->initialiser_count ? run_initialisers(device, program, message) : CY_OK;
    if (status != CY_OK) {
        cy_program_release(program);
        return status;
    }
    *result = program;
    return cy_finish(CY_OK, &diags, message);
}

size_t cy_program_kernel_count(const struct cy_program *program)
{
    return program->kernel_count;
}

bool cy_program_kernel(const struct cy_program *program, size_t index, struct cy_kernel_info *info)
{
    if (index >= program->kernel_count)
        return false;
    *info = program->kernels[index];
    return true;
}

bool cy_program_find_kernel(const struct cy_program *program, const char *name, struct cy_kernel_info *info)
{
    const struct cy_kernel_info *kernel = cy_program_kernel_by_name(program, name);
    if (kernel)
        *info = *kernel;
    return kernel != NULL;
}

bool cy_program_symbol(const struct cy_program *program, const char *name, uint32_t *address)
{
    const struct cy_symbol *symbol = cy_object_find_symbol(&program->object, name);
    if (symbol)
        *address = symbol->value;
    return symbol != NULL;
}
