#include "jit/translate/host/x86_ternary.h"
#include "jit/translate/translator.h"

#include <elf.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>

/* Jumps that cross a boundary of 32 bytes or end there are decoded anew each time by Intel's processors from Skylake to Comet Lake, since
 * microcode keeps them from jumping wrongly: small loops took up to a third longer.  They have AVX2, or AVX-512 and slow gathers; other
 * processors of these levels execute a few nops. */
static const struct host_level levels[] = {
    {.cpu = "x86-64", .features = ""},
    {.cpu = "x86-64-v3", .features = "+fma", .has_fma = true, .converts_halves = true, .aligns_jumps = true},
    {.cpu = "x86-64-v4",
     .features = "+fma,-prefer-256-bit",
     .has_fma = true,
     .converts_halves = true,
     .stores_narrow = true,
     .finish = x86_avoid_ternary_fault},
    /* The first processors that have it: see levels_x86.h. */
    {.cpu = "x86-64-v4",
     .features = "+fma,-prefer-256-bit",
     .has_fma = true,
     .converts_halves = true,
     .stores_narrow = true,
     .aligns_jumps = true,
     .for_gathers = &levels[1],
     .finish = x86_avoid_ternary_fault},
};

static void initialise(const struct host_level *level)
{
    const char *const options[] = {"jit", level->aligns_jumps ? "-x86-branches-within-32B-boundaries=true"
                                                              : "-x86-branches-within-32B-boundaries=false"};
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMParseCommandLineOptions(CY_COUNT(options), options, NULL);
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
