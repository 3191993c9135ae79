/* aarch64: NEON is part of the base architecture, SVE is not.
 *
 * The length of SVE's registers is the thread's: a program may lower it (PR_SVE_SET_VL).  Code is made for one length; registers of 128 bits hold
 * no more lanes than NEON's, and no processor has more than 512.  The interpreter's loops are NEON's on either level. */
#ifndef CY_GPU_ENGINE_LEVELS_AARCH64_H
#define CY_GPU_ENGINE_LEVELS_AARCH64_H

#include <stdint.h>
#include <sys/auxv.h>

#define LEVELS(LEVEL) LEVEL(neon, "", true)
#define CODE_LEVELS(LEVEL) LEVEL(sve, neon, vector_bytes() == 32 || vector_bytes() == 64)

static unsigned vector_bytes(void)
{
    const unsigned long has_sve = 1ul << 22;
    register uint64_t bytes __asm__("x0");
    if (!(getauxval(AT_HWCAP) & has_sve))
        return 0;
    __asm__ volatile(".inst 0x04bf5020" : "=r"(bytes)); /* rdvl x0, #1 */
    return (unsigned)bytes;
}

#endif
