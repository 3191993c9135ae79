/* SV39 address translation: the page walk, and a software TLB per SM.
 *
 * The page tables are in physical device memory.  Permissions are those of the leaf (R, W, X; U and G are ignored:
 * there is one kind of guest), and the physical page must be mapped with the same right.  The machine sets A and D.
 * Encodings that the privileged specification reserves fault: bits 63:54, W without R, A, D or U in a pointer, a leaf
 * whose physical page is not aligned to its size, a pointer on the last level.
 *
 * The TLB is flushed when a launch begins and when page rights change; a launch that changes its own tables sees the
 * change only after the next flush, as on hardware without a fence. */
#include "gpu/memory/mmu.h"

#include <stdlib.h>
#include <string.h>

enum {
    PTE_V = 1 << 0,
    PTE_R = 1 << 1,
    PTE_W = 1 << 2,
    PTE_X = 1 << 3,
    PTE_U = 1 << 4,
    PTE_A = 1 << 6,
    PTE_D = 1 << 7,
};
#define PTE_RESERVED 0xffc0000000000000ull
#define PPN_SHIFT 10
#define LEVELS 3
#define LEVEL_BITS 9

#define TLB_ENTRIES 256

struct tlb_entry {
    uint64_t page;     /* virtual page number + 1; 0 = empty */
    uint64_t physical; /* address of the 4 KiB page */
    uint8_t rights;    /* accesses that need no walk: writes only once the page is dirty */
};
struct cy_tlb {
    unsigned generation;
    struct tlb_entry entries[TLB_ENTRIES];
};

struct cy_tlb *cy_tlb_create(void)
{
    return cy_try_alloc(sizeof(struct cy_tlb));
}

void cy_tlb_flush(struct cy_tlb *tlb)
{
    memset(tlb, 0, sizeof(*tlb));
}

void cy_tlb_free(struct cy_tlb *tlb)
{
    cy_free(tlb);
}

/* A page-table entry as a host pointer, or NULL if the table is outside mapped memory. */
static _Atomic uint64_t *entry_at(const struct cy_memory *memory, uint64_t table, unsigned index)
{
    uint64_t address = table + 8ull * index;
    return cy_memory_rights(memory, address) ? (_Atomic uint64_t *)(void *)cy_memory_host(memory, address) : NULL;
}

static uint64_t wanted_bits(uint8_t access)
{
    return (access & CY_READ ? PTE_R : 0u) | (access & CY_WRITE ? PTE_W : 0u) | (access & CY_EXECUTE ? PTE_X : 0u);
}

static bool refuse(struct cy_walk_fault *why, enum cy_walk_problem problem)
{
    why->problem = (uint8_t)problem;
    return false;
}

/* What the leaf lacks; false when it lacks nothing. */
static bool lacks_right(uint64_t pte, uint8_t access, enum cy_walk_problem *problem)
{
    uint64_t lacking = wanted_bits(access) & ~pte;
    *problem = lacking & PTE_R ? CY_WALK_NOT_READABLE : lacking & PTE_W ? CY_WALK_READ_ONLY : CY_WALK_NOT_EXECUTABLE;
    if (lacking == PTE_W && !(pte & PTE_R))
        *problem = CY_WALK_NOT_READABLE;
    return lacking;
}

/* The leaf of an address, or NULL; why->level is the last level looked at. */
static _Atomic uint64_t *find_leaf(const struct cy_memory *memory, uint64_t ptbr, uint64_t address,
                                   struct cy_walk_fault *why)
{
    uint64_t table = ptbr & ~(uint64_t)(CY_PAGE_SIZE - 1);
    for (unsigned below = LEVELS; below-- > 0;) {
        unsigned shift = CY_PAGE_BITS + LEVEL_BITS * below;
        _Atomic uint64_t *slot = entry_at(memory, table, (unsigned)(address >> shift) & ((1u << LEVEL_BITS) - 1));
        why->level = (uint8_t)below;
        why->problem = CY_WALK_TABLE_UNMAPPED;
        if (!slot)
            return NULL;
        uint64_t pte = atomic_load_explicit(slot, memory_order_relaxed);
        why->problem = CY_WALK_NOT_PRESENT;
        if (!(pte & PTE_V))
            return NULL;
        why->problem = CY_WALK_RESERVED;
        if (pte & PTE_RESERVED || (pte & PTE_W && !(pte & PTE_R)))
            return NULL;
        if (pte & (PTE_R | PTE_X))
            return slot;
        if (pte & (PTE_A | PTE_D | PTE_U))
            return NULL;
        table = pte >> PPN_SHIFT << CY_PAGE_BITS;
    }
    why->problem = CY_WALK_NO_LEAF;
    return NULL;
}

static bool walk(const struct cy_memory *memory, uint64_t ptbr, uint64_t address, uint8_t access,
                 struct tlb_entry *result, struct cy_walk_fault *why)
{
    why->level = LEVELS - 1;
    if ((int64_t)(address << 25) >> 25 != (int64_t)address) /* bits 63:39 repeat bit 38 */
        return refuse(why, CY_WALK_NOT_CANONICAL);
    _Atomic uint64_t *slot = find_leaf(memory, ptbr, address, why);
    if (!slot)
        return false;
    enum cy_walk_problem lacking;
    uint64_t pte = atomic_load_explicit(slot, memory_order_relaxed);
    uint64_t inside = (1ull << LEVEL_BITS * why->level) - 1; /* low bits of the page number, taken from the address */
    uint64_t page = pte >> PPN_SHIFT;
    if (page & inside)
        return refuse(why, CY_WALK_MISALIGNED);
    if (lacks_right(pte, access, &lacking))
        return refuse(why, lacking);
    page |= address >> CY_PAGE_BITS & inside;
    uint8_t physical = cy_memory_rights(memory, page << CY_PAGE_BITS);
    if (!physical)
        return refuse(why, CY_WALK_PAGE_UNMAPPED);
    if ((physical & access) != access)
        return refuse(why, CY_WALK_PAGE_FORBIDDEN);
    uint64_t marks = PTE_A | (access & CY_WRITE ? PTE_D : 0u);
    if ((pte & marks) != marks)
        pte = atomic_fetch_or_explicit(slot, marks, memory_order_relaxed) | marks;
    result->page = (address >> CY_PAGE_BITS) + 1;
    result->physical = page << CY_PAGE_BITS;
    unsigned rights = (pte & PTE_R ? CY_READ : 0u) | (pte & PTE_X ? CY_EXECUTE : 0u) |
                      ((pte & (PTE_W | PTE_D)) == (PTE_W | PTE_D) ? CY_WRITE : 0u);
    result->rights = (uint8_t)(rights & physical);
    return true;
}

bool cy_mmu_translate(struct cy_memory *memory, uint64_t ptbr, struct cy_tlb *tlb, uint64_t address, uint8_t access,
                      uint64_t *physical, struct cy_walk_fault *why)
{
    uint64_t page = address >> CY_PAGE_BITS;
    unsigned generation = atomic_load_explicit(&memory->generation, memory_order_acquire);
    if (tlb->generation != generation) {
        cy_tlb_flush(tlb);
        tlb->generation = generation;
    }
    struct tlb_entry *entry = &tlb->entries[(page ^ page >> 8) % TLB_ENTRIES];
    if (entry->page != page + 1 || (entry->rights & access) != access) {
        struct tlb_entry found;
        if (!walk(memory, ptbr, address, access, &found, why))
            return false;
        *entry = found;
    }
    *physical = entry->physical | (address & (CY_PAGE_SIZE - 1));
    return true;
}
