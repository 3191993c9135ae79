/* Images as code: checked, copied to their own memory, and made executable once they are no longer writable. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "base/mem.h"
#include "jit/run/run_priv.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static bool is_image(const struct cy_jit_image *header, size_t size)
{
    if (size < sizeof(*header) || memcmp(header->magic, CY_JIT_MAGIC, sizeof(header->magic)) != 0 ||
        header->version != CY_JIT_VERSION || header->frame_bytes != sizeof(struct cy_jit_frame))
        return false;
    const uint64_t tables = (uint64_t)header->access_count * sizeof(struct cy_jit_access) +
                            (uint64_t)header->group_count * sizeof(struct cy_jit_group) +
                            (uint64_t)header->tally_count * sizeof(struct cy_jit_tally);
    return tables + header->code_bytes == size - sizeof(*header) && header->entry < header->code_bytes &&
           header->strip && header->strip <= CY_JIT_MAX_STRIP && header->row && header->site_count < 1u << 24 &&
           header->record_bytes < 1u << 20 && header->counters < 1u << 24;
}

struct cy_jit_code *cy_jit_load(const void *image, size_t size)
{
    struct cy_jit_code *code = cy_try_alloc(sizeof(*code));
    const uint8_t *bytes = image;
    if (!code || !is_image(image, size)) {
        cy_free(code);
        return NULL;
    }
    memcpy(&code->header, image, sizeof(code->header));
    const struct cy_jit_image *header = &code->header;
    const size_t accesses = header->access_count * sizeof(*code->accesses),
                 groups = header->group_count * sizeof(*code->groups),
                 tallies = header->tally_count * sizeof(*code->tallies);
    code->accesses = cy_try_alloc(accesses + 1);
    code->groups = cy_try_alloc(groups + 1);
    code->tallies = cy_try_alloc(tallies + 1);
    void *map = mmap(NULL, header->code_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    code->map = map == MAP_FAILED ? NULL : map;
    if (!code->accesses || !code->groups || !code->tallies || !code->map) {
        cy_jit_unload(code);
        return NULL;
    }
    bytes += sizeof(*header);
    memcpy(code->accesses, bytes, accesses);
    memcpy(code->groups, bytes + accesses, groups);
    memcpy(code->tallies, bytes + accesses + groups, tallies);
    memcpy(code->map, bytes + accesses + groups + tallies, header->code_bytes);
    for (uint32_t i = 0; i < header->group_count; i++)
        if (code->groups[i].first > header->access_count ||
            code->groups[i].count > header->access_count - code->groups[i].first || code->groups[i].align > 2) {
            cy_jit_unload(code);
            return NULL;
        }
    __builtin___clear_cache((char *)code->map, (char *)code->map + header->code_bytes);
    if (mprotect(code->map, header->code_bytes, PROT_READ | PROT_EXEC) != 0) {
        cy_jit_unload(code);
        return NULL;
    }
    const void *entry = (const uint8_t *)code->map + header->entry;
    memcpy(&code->run, &entry, sizeof(entry)); /* POSIX: a function's address is returned as data */
    static _Atomic uint64_t last_id;
    code->id = ++last_id;
    return code;
}

void cy_jit_unload(struct cy_jit_code *code)
{
    if (!code)
        return;
    if (code->map)
        munmap(code->map, code->header.code_bytes);
    cy_free(code->accesses);
    cy_free(code->groups);
    cy_free(code->tallies);
    cy_free(code);
}

const struct cy_jit_image *cy_jit_header(const struct cy_jit_code *code)
{
    return &code->header;
}

void cy_jit_list_interpreted(const struct cy_jit_code *code, char *text, size_t size)
{
    bool seen[CY_OP_COUNT] = {false};
    size_t length = 0;
    *text = 0;
    for (uint32_t i = 0; i < code->header.access_count; i++) {
        const struct cy_jit_access *access = &code->accesses[i];
        if (!access->is_interpreted || access->op >= CY_OP_COUNT || seen[access->op] || length >= size)
            continue;
        seen[access->op] = true;
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "", cy_insns[access->op].mnemonic);
    }
}
