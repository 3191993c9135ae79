/* Address spaces: SV39 page tables in device memory, for guests that run with translation. */
#include "gpu/device/machine.h"

#include <string.h>

enum { V = 1, R = 2, W = 4, X = 8 };
#define ENTRIES 512
#define PAGE 4096ull
#define LARGE (PAGE * ENTRIES)
#define HUGE (LARGE * ENTRIES)
#define PHYSICAL (1ull << 56) /* SV39's physical addresses */

/* What the owner of the space said of a range: it set the entries, or gave them up.  The last word counts. */
struct claim {
    uint64_t first, last;
    bool is_set;
};

struct cy_space {
    struct cy_device *device;
    pthread_mutex_t lock;
    uint32_t root;
    CY_VEC(uint32_t) tables;
    CY_VEC(struct claim) claims;
};

static uint64_t *table_at(const struct cy_space *space, uint32_t address)
{
    return (uint64_t *)(void *)(space->device->memory.base + address);
}

static uint32_t new_table(struct cy_space *space)
{
    uint32_t *table = cy_vec_try_push(&space->tables);
    if (!table)
        return 0;
    *table = cy_memory_alloc(&space->device->memory, PAGE, 0);
    space->tables.count -= !*table;
    return *table;
}

enum cy_status cy_space_create(struct cy_device *device, struct cy_space **result)
{
    struct cy_space *space = cy_try_alloc(sizeof(*space));
    if (!space)
        return CY_ERROR_HOST;
    space->device = device;
    pthread_mutex_init(&space->lock, NULL);
    space->root = new_table(space);
    if (!space->root) {
        cy_space_destroy(space);
        return CY_ERROR_MEMORY;
    }
    *result = space;
    return CY_OK;
}

void cy_space_destroy(struct cy_space *space)
{
    if (!space)
        return;
    for (size_t i = 0; i < space->tables.count; i++)
        cy_memory_free(&space->device->memory, space->tables.at[i]);
    cy_vec_free(&space->tables);
    cy_vec_free(&space->claims);
    pthread_mutex_destroy(&space->lock);
    cy_free(space);
}

uint64_t cy_space_root(const struct cy_space *space)
{
    return space->root;
}

static unsigned index_of(uint64_t address, unsigned level)
{
    return (unsigned)(address >> (12 + 9 * level)) % ENTRIES;
}

/* The entry for `address` on a level; with `make`, missing tables on the way are created and large pages split. NULL:
 * not there, or out of memory. */
static uint64_t *entry(struct cy_space *space, uint64_t address, unsigned level, bool make)
{
    uint64_t *table = table_at(space, space->root);
    for (unsigned at = 2; at > level; at--) {
        uint64_t *slot = &table[index_of(address, at)];
        if (!(*slot & V) || *slot & (R | W | X)) {
            if (!make)
                return NULL;
            uint32_t lower = new_table(space);
            if (!lower)
                return NULL;
            if (*slot & V)
                for (unsigned i = 0; i < ENTRIES; i++)
                    table_at(space, lower)[i] = *slot + ((uint64_t)i << (9 * (at - 1)) << 10);
            *slot = (uint64_t)lower >> 12 << 10 | V;
        }
        table = table_at(space, (uint32_t)(*slot >> 10 << 12));
    }
    return &table[index_of(address, level)];
}

static bool is_canonical(uint64_t address)
{
    return (uint64_t)((int64_t)(address << 25) >> 25) == address;
}

static bool put_claim(struct cy_space *space, uint64_t first, uint64_t size, bool is_set)
{
    const struct claim claim = {first, first + size - 1, is_set};
    size_t kept = 0;
    for (size_t i = 0; i < space->claims.count; i++)
        if (space->claims.at[i].first < claim.first || space->claims.at[i].last > claim.last)
            space->claims.at[kept++] = space->claims.at[i];
    space->claims.count = kept;
    struct claim *added = cy_vec_try_push(&space->claims);
    if (added)
        *added = claim;
    return added;
}

static bool is_claimed(const struct cy_space *space, uint64_t address)
{
    for (size_t i = space->claims.count; i-- > 0;)
        if (address >= space->claims.at[i].first && address <= space->claims.at[i].last)
            return space->claims.at[i].is_set;
    return false;
}

static enum cy_status map_range(struct cy_space *space, uint64_t virtual_address, uint64_t address, uint64_t size,
                                unsigned rights)
{
    uint64_t flags = V | (rights & CY_SPACE_READ ? R : 0u) | (rights & CY_SPACE_WRITE ? W | R : 0u) |
                     (rights & CY_SPACE_EXECUTE ? X : 0u);
    uint64_t at = address;
    while (size) {
        uint64_t both = virtual_address | at;
        unsigned level = size >= HUGE && both % HUGE == 0 ? 2 : size >= LARGE && both % LARGE == 0 ? 1 : 0;
        uint64_t step = PAGE << (9 * level);
        uint64_t *slot = entry(space, virtual_address, level, true);
        if (!slot)
            return CY_ERROR_MEMORY;
        *slot = at >> 12 << 10 | flags;
        virtual_address += step;
        at += step;
        size -= step;
    }
    return CY_OK;
}

enum cy_status cy_space_map(struct cy_space *space, uint64_t virtual_address, uint64_t address, uint64_t size,
                            unsigned rights)
{
    if ((virtual_address | address | size) % PAGE || !size || !(rights & 7) || !is_canonical(virtual_address) ||
        !is_canonical(virtual_address + size - 1) || address > PHYSICAL || size > PHYSICAL - address)
        return CY_ERROR_INVALID;
    pthread_mutex_lock(&space->lock);
    enum cy_status status = put_claim(space, virtual_address, size, true)
                                ? map_range(space, virtual_address, address, size, rights)
                                : CY_ERROR_HOST;
    pthread_mutex_unlock(&space->lock);
    return status;
}

enum cy_status cy_space_unmap(struct cy_space *space, uint64_t virtual_address, uint64_t size)
{
    if ((virtual_address | size) % PAGE)
        return CY_ERROR_INVALID;
    if (!size)
        return CY_OK;
    pthread_mutex_lock(&space->lock);
    enum cy_status status = put_claim(space, virtual_address, size, false) ? CY_OK : CY_ERROR_HOST;
    for (; size && status == CY_OK; size -= PAGE, virtual_address += PAGE) {
        uint64_t *slot = entry(space, virtual_address, 0, true);
        if (!slot) {
            status = CY_ERROR_MEMORY;
            break;
        }
        *slot = 0;
    }
    pthread_mutex_unlock(&space->lock);
    return status;
}

enum cy_status cy_space_set_entry(struct cy_space *space, uint64_t virtual_address, unsigned level, uint64_t value)
{
    if (level > 2 || virtual_address % (PAGE << (9 * level)) || !is_canonical(virtual_address))
        return CY_ERROR_INVALID;
    pthread_mutex_lock(&space->lock);
    uint64_t *slot = entry(space, virtual_address, level, true);
    bool ok = slot && put_claim(space, virtual_address, PAGE << (9 * level), true);
    if (ok)
        *slot = value;
    pthread_mutex_unlock(&space->lock);
    return ok ? CY_OK : CY_ERROR_MEMORY;
}

bool cy_space_identity(struct cy_space *space, uint32_t start, uint64_t size, unsigned rights)
{
    uint64_t first = start & ~(PAGE - 1), end = (start + size + PAGE - 1) & ~(PAGE - 1);
    bool ok = true;
    pthread_mutex_lock(&space->lock);
    for (uint64_t at = first; at < end && ok;) {
        uint64_t next = at + PAGE;
        const bool is_owners = is_claimed(space, at);
        while (next < end && is_claimed(space, next) == is_owners)
            next += PAGE;
        ok = is_owners || map_range(space, at, at, next - at, rights) == CY_OK;
        at = next;
    }
    pthread_mutex_unlock(&space->lock);
    return ok;
}
