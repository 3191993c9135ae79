#include "jit/translate/translate_priv.h"

#include <elf.h>
#include <llvm-c/Target.h>

/* Its conversions of halves lose what a NaN says: the engine computes with FPCR.DN. */
static const struct host_level levels[] = {{.cpu = "generic", .features = "+neon", .has_fma = true}};

static void initialise(void)
{
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
}

static bool relocate(struct translator *t, uint32_t *word, int64_t distance, uint32_t type)
{
    const uint32_t words = (uint32_t)(distance >> 2);
    switch (type) {
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26: *word |= words & 0x3ffffff; return true;
    case R_AARCH64_ADR_PREL_LO21: *word |= (uint32_t)(distance & 3) << 29 | (words & 0x7ffff) << 5; break;
    case R_AARCH64_LD_PREL_LO19: *word |= (words & 0x7ffff) << 5; break;
    default: return cannot(t, "a relocation of type %u", type);
    }
    return (distance >= -(1 << 20) && distance < 1 << 20) || cannot(t, "code that is too large");
}

const struct host host_aarch64 = {
    .triple = "aarch64-unknown-linux-gnu",
    .levels = levels,
    .level_count = CY_COUNT(levels),
    .model = LLVMCodeModelTiny,
    .initialise = initialise,
    .relocate = relocate,
    .registers_of_128 = 32,
    .has_one_nan = true,
    .has_exact_extremes = true,
    .saturates_vectors = true,
    .moves_pairs = true,
    .complements_operands = true,
    .keeps_registers = true,
};
