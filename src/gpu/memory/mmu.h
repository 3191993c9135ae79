/* SV39 address translation with a software TLB per SM. */
#ifndef CY_GPU_MEMORY_MMU_H
#define CY_GPU_MEMORY_MMU_H

#include "gpu/memory/memory.h"

/* Why a walk of the page tables failed. */
enum cy_walk_problem {
    CY_WALK_NOT_CANONICAL,  /* bits 63:39 of the address do not repeat bit 38 */
    CY_WALK_NOT_PRESENT,    /* the entry's V is 0 */
    CY_WALK_RESERVED,       /* an encoding that the privileged specification reserves */
    CY_WALK_NO_LEAF,        /* a pointer on the last level */
    CY_WALK_MISALIGNED,     /* a superpage whose physical page is not aligned to its size */
    CY_WALK_NOT_READABLE,   /* the leaf has no R */
    CY_WALK_READ_ONLY,      /* the leaf has no W */
    CY_WALK_NOT_EXECUTABLE, /* the leaf has no X */
    CY_WALK_TABLE_UNMAPPED, /* a table is outside mapped memory */
    CY_WALK_PAGE_UNMAPPED,  /* the page does */
    CY_WALK_PAGE_FORBIDDEN, /* the leaf allows the access, the physical page does not */
    CY_WALK_CODE_MOVED,     /* a page of the program's code is mapped to another one: it was decoded where it is */
};
struct cy_walk_fault {
    uint8_t problem; /* enum cy_walk_problem */
    uint8_t level;   /* of the entry: 2 in the root table (1 GiB pages), 1 (2 MiB), 0 (4 KiB) */
};

/* Translates one access by SV39 and the SM's TLB.  False: `why` says what is wrong with it. */
struct cy_tlb;
struct cy_tlb *cy_tlb_create(void);
void cy_tlb_flush(struct cy_tlb *tlb);
void cy_tlb_free(struct cy_tlb *tlb);
bool cy_mmu_translate(struct cy_memory *memory, uint64_t ptbr, struct cy_tlb *tlb, uint64_t address, uint8_t access,
                      uint64_t *physical, struct cy_walk_fault *why);

#endif
