/* SV39 address translation with a software TLB for each SM. */
#ifndef CY_GPU_MEMORY_MMU_H
#define CY_GPU_MEMORY_MMU_H

#include "gpu/memory/memory.h"

/* Virtual to physical for one access by SV39 and the SM's TLB.  False: page fault or forbidden. */
struct cy_tlb;
struct cy_tlb *cy_tlb_create(void);
void cy_tlb_flush(struct cy_tlb *tlb);
void cy_tlb_free(struct cy_tlb *tlb);
bool cy_mmu_translate(struct cy_memory *memory, uint64_t ptbr, struct cy_tlb *tlb, uint64_t address, uint8_t access,
                      uint64_t *physical);

#endif
