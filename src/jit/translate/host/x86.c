#include "jit/translate/translator.h"

#include <elf.h>
#include <llvm-c/Target.h>

static const struct host_level levels[] = {
    {.cpu = "x86-64", .features = ""},
    {.cpu = "x86-64-v3", .features = "+fma", .has_fma = true, .converts_halves = true},
    {.cpu = "x86-64-v4", .features = "+fma,-prefer-256-bit", .has_fma = true, .converts_halves = true},
    /* The first processors that have it: see levels_x86.h. */
    {.cpu = "x86-64-v4",
     .features = "+fma,+prefer-256-bit",
     .has_fma = true,
     .converts_halves = true,
     .halves_rows = true,
     .for_gathers = &levels[1]},
};

static void initialise(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
}

static bool relocate(struct translator *t, uint32_t *word, int64_t distance, uint32_t type)
{
    if (type != R_X86_64_PC32 && type != R_X86_64_PLT32)
        return cannot(t, "a relocation of type %u", type);
    *word = (uint32_t)distance;
    return true;
}

const struct host host_x86 = {
    .triple = "x86_64-unknown-linux-gnu",
    .levels = levels,
    .level_count = CY_COUNT(levels),
    .model = LLVMCodeModelSmall,
    .initialise = initialise,
    .relocate = relocate,
    .registers_of_128 = 16,
    .has_mask_moves = true,
    .has_fast_extremes = true,
    .divides_as_doubles = true,
    .clears_upper_halves = true,
    .adds_in_accesses = true,
    .takes_lanes_by_memory = true,
    .keeps_elements = true,
    .jumps_by_table = true,
};
