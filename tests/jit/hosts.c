/* Code for hosts other than this one: every host and level can be translated for, without references to the outside, and
 * NaNs are replaced where bits count, not after each operation. */
#include "gpu_device/guest.h"
#include "jit/abi.h"
#include "jit/translate/translate.h"

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

/* ---- a translator that tries every host ---- */

static const struct {
    const char *name;
    uint32_t host, level, forms;
} hosts[] = {{"neon", CY_JIT_AARCH64, 0, CY_JIT_FORMS_128},
             {"sve of 256 bits", CY_JIT_AARCH64, 1, CY_JIT_FORMS_256_GATHERS},
             {"sve of 512 bits", CY_JIT_AARCH64, 2, CY_JIT_FORMS_512},
             {"sse2", CY_JIT_X86_64, 0, CY_JIT_FORMS_128},
             {"avx2", CY_JIT_X86_64, 1, CY_JIT_FORMS_256},
             {"avx512", CY_JIT_X86_64, 2, CY_JIT_FORMS_512},
             {"avx512 that gathers slowly", CY_JIT_X86_64, 3, CY_JIT_FORMS_512}};
enum { FIRST_X86 = 3, AVX2, AVX512, SLOW_GATHERS };
static unsigned replacements[CY_COUNT(hosts)]; /* of NaNs, in the optimised code of the last kernel */
static unsigned gathers[CY_COUNT(hosts)];      /* and scatters, each one instruction */
static unsigned saturations[CY_COUNT(hosts)];  /* conversions of vectors by instructions that saturate */
static unsigned full_fences[CY_COUNT(hosts)];  /* those that also order loads after stores */
static unsigned by_memory[CY_COUNT(hosts)];    /* lanes that are taken out of vectors by way of memory */
static unsigned shuffles[CY_COUNT(hosts)];     /* of vectors */
static unsigned jumps[CY_COUNT(hosts)];
static unsigned touching_jumps[CY_COUNT(hosts)]; /* those that cross a boundary of 32 bytes or end there */
static unsigned whole_loads[CY_COUNT(hosts)];    /* of as many words */
static unsigned operations[CY_COUNT(hosts)];     /* that may give one; there are several versions of a piece of code */

static unsigned count_of(const char *text, const char *word)
{
    unsigned count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        count++;
    return count;
}

/* In code without constants; else in what comes before the first one that is no instruction. */
static void count_jumps(size_t host, const struct cy_buf *image)
{
    const struct cy_jit_image *header = (const void *)image->data;
    uint8_t *code = (uint8_t *)image->data + image->size - header->code_bytes;
    LLVMInitializeX86Disassembler();
    LLVMDisasmContextRef disassembler = LLVMCreateDisasm("x86_64", NULL, 0, NULL, NULL);
    char text[128];
    jumps[host] = touching_jumps[host] = 0;
    for (size_t at = 0, size; at < header->code_bytes; at += size) {
        size = LLVMDisasmInstruction(disassembler, code + at, header->code_bytes - at, at, text, sizeof(text));
        if (!size)
            break;
        const bool jumps_here = text[strspn(text, "\t")] == 'j';
        jumps[host] += jumps_here;
        touching_jumps[host] += jumps_here && at / 32 != (at + size) / 32;
    }
    LLVMDisasmDispose(disassembler);
}

static bool translate(void *context, const void *bytes, size_t size, void **image, size_t *image_size, char *why,
                      size_t room)
{
    struct cy_jit_request *request = malloc(size);
    (void)context;
    memcpy(request, bytes, size);
    for (size_t i = 0; i < CY_COUNT(hosts); i++) {
        struct cy_buf out = {0}, text = {0}, reason = {0};
        request->host = hosts[i].host;
        request->level = hosts[i].level;
        request->forms = hosts[i].forms;
        if (!CHECK(cy_jit_translate(NULL, request, size, &out, &reason)) ||
            !CHECK(cy_jit_print_ir(request, size, true, &text, &reason)))
            fprintf(stderr, "%s: %s\n", hosts[i].name, reason.data ? reason.data : "");
        if (hosts[i].host == CY_JIT_X86_64)
            count_jumps(i, &out);
        replacements[i] = operations[i] = 0;
        static const char *const words[] = {" = fadd ", " = fmul ", "@llvm.fma.v", "@llvm.sqrt.v", " = fptrunc "};
        for (size_t k = 0; text.data && k < CY_COUNT(words); k++)
            operations[i] += count_of(text.data, words[k]);
        if (text.data)
            replacements[i] = count_of(text.data, "fcmp uno");
        gathers[i] = text.data ? count_of(text.data, "call <16 x i32> @llvm.masked.gather") +
                                     count_of(text.data, "call void @llvm.masked.scatter")
                               : 0;
        saturations[i] =
            text.data ? count_of(text.data, "@llvm.fptosi.sat.v") + count_of(text.data, "@llvm.aarch64.sve.fcvtzs.")
                      : 0;
        full_fences[i] = text.data ? count_of(text.data, "fence seq_cst") : 0;
        by_memory[i] = text.data ? count_of(text.data, "load volatile i32") : 0;
        whole_loads[i] = text.data ? count_of(text.data, "load <16 x i32>") : 0;
        shuffles[i] = text.data ? count_of(text.data, " = shufflevector ") : 0;
        cy_buf_free(&out);
        cy_buf_free(&text);
        cy_buf_free(&reason);
    }
    free(request);
    *image = NULL;
    *image_size = 0;
    snprintf(why, room, "it was only tried");
    return false;
}

/* One workgroup of a kernel whose arguments are a buffer and a number. */
static void try_items(uint32_t items, const char *body)
{
    char text[4096];
    struct cy_device *device = guest_device("engine=jit");
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch;
    uint32_t buffer, turns = 3;
    snprintf(text, sizeof(text),
             "    .section .cy.lanes,\"\",@progbits\n    .asciz \"k\"\n"
             "    .text\n    .globl k\n    .type k, @function\nk:\n%s" GUEST_END,
             body);
    cy_device_set_translator(device, &(struct cy_translator){.translate = translate});
    struct cy_program *program = guest_program(device, text);
    CHECK_EQ(cy_device_alloc(device, 4096, 0, &buffer), CY_OK);
    cy_arguments_pointer(arguments, buffer);
    cy_arguments_value(arguments, &turns, sizeof(turns));
    struct cy_launch_desc desc = {.program = program,
                                  .kernel = "k",
                                  .arguments = arguments,
                                  .dimensions = 1,
                                  .global = {items, 1, 1},
                                  .local = {items, 1, 1}};
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK);
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    cy_program_release(program);
    cy_device_close(device);
}

static void try(const char *body)
{
    try_items(64, body);
}

/* ---- kernels ---- */

#define ADDRESS                                                                                                        \
    "    lw t0, 0(a0)\n    lw t1, 4(a0)\n    csrr t4, CSR_TID\n    vid.v v0\n    vadd.vx v0, v0, t4\n"                 \
    "    vsll.vi v1, v0, 2\n    vadd.vx v1, v1, t0\n"

/* A chain of operations, around a loop: only what is stored has the guest's NaN. */
static void test_chain(void)
{
    try(ADDRESS "    vlw12.v v2, 0(v1)\n    vmv.v.x v3, zero\n"
                "1:  vfmul.vv v4, v2, v2\n    vfadd.vv v4, v4, v3\n    vfmacc.vv v3, v4, v2\n"
                "    vfsqrt.v v3, v3\n    addi t1, t1, -1\n    bnez t1, 1b\n    vsw12.v v3, 0(v1)\n");
    for (size_t i = 0; i < FIRST_X86; i++)
        CHECK_EQ(replacements[i], 0);
    for (size_t i = FIRST_X86; i < CY_COUNT(hosts); i++)
        CHECK(replacements[i] && 4 * replacements[i] <= operations[i]);
}

/* What was loaded keeps its bits, whatever they are: where both come together, the sum has its NaN replaced, and only that. */
static void test_meeting(void)
{
    try(ADDRESS "    vlw12.v v2, 0(v1)\n    andi t1, t1, 1\n    beqz t1, 1f\n    vfadd.vv v2, v2, v2\n"
                "1:  vsw12.v v2, 0(v1)\n    vfmul.vv v3, v2, v2\n    vsw12.v v3, 4(v1)\n");
    for (size_t i = FIRST_X86; i < CY_COUNT(hosts); i++)
        CHECK_EQ(replacements[i], operations[i]);
}

/* Lanes under a mask. */
static void test_masked(void)
{
    try(ADDRESS "    vlw12.v v2, 0(v1)\n    vmv.v.x v3, zero\n    vmv.v.x v5, t1\n"
                "4:  auipc t6, %pcrel_hi(2f)\n    setrpc zero, t6, %pcrel_lo(4b)\n1:  vblt v5, v0, 2f\n    vfmacc.vv "
                "v3, v2, v2\n"
                "    vfmul.vv v3, v3, v2\n    vadd.vi v5, v5, -1\n    j 1b\n2:  join zero, zero, 0\n"
                "    vsw12.v v3, 0(v1)\n");
    for (size_t i = FIRST_X86; i < CY_COUNT(hosts); i++)
        CHECK(replacements[i] && replacements[i] < operations[i]);
}

static void test_bits(void)
{
    try(ADDRESS "    vlw12.v v2, 0(v1)\n    vfadd.vv v2, v2, v2\n    vfsgnjn.vv v2, v2, v2\n"
                "    vxor.vi v2, v2, 1\n    vsw12.v v2, 0(v1)\n");
    for (size_t i = FIRST_X86; i < CY_COUNT(hosts); i++)
        CHECK_EQ(replacements[i], operations[i]);
}

/* Words at any addresses: at once only where the host has instructions for it, and is either fast or has few of them to do. */
static void test_gathers(void)
{
#define GATHER                                                                                                         \
    "    vlw12.v v2, 0(v1)\n    vand.vi v2, v2, 12\n    vadd.vx v2, v2, t0\n    vlw12.v v3, 0(v2)\n"                   \
    "    vadd.vi v3, v3, 1\n    vsw12.v v3, 0(v2)\n"
    try(ADDRESS GATHER);
    for (size_t i = 0; i < CY_COUNT(hosts); i++) {
        CHECK_EQ(gathers[i] >= 2, hosts[i].forms >= CY_JIT_FORMS_512 && i != SLOW_GATHERS);
        CHECK_EQ(by_memory[i] > 0, hosts[i].host == CY_JIT_X86_64 && i != AVX512);
    }
    try(ADDRESS "    vmul.vv v4, v0, v0\n    vmul.vv v4, v4, v4\n    vmul.vv v4, v4, v4\n    vmul.vv v4, v4, v4\n"
                "    vmul.vv v4, v4, v4\n    vmul.vv v4, v4, v4\n    vsw12.v v4, 4(v1)\n" GATHER);
    CHECK(gathers[AVX512] >= 2 && gathers[SLOW_GATHERS] >= 2);
}

#define LOOP "    addi t2, t1, 3\n1:  vmul.vx v2, v2, t2\n    addi t2, t2, -1\n    vadd.vi v2, v2, 5\n    bnez t2, 1b\n"
/* Where jumps at boundaries are slow, none is there: code of one lane, which has no constants between its instructions. */
static void test_jumps(void)
{
    try_items(1, "    lw t0, 0(a0)\n    lw t1, 4(a0)\n    csrr t4, CSR_TID\n    vid.v v0\n    vadd.vx v0, v0, t4\n"
                 "    vadd.vx v1, v0, t0\n    vlw12.v v2, 0(v1)\n" LOOP LOOP LOOP LOOP LOOP LOOP
                 "    vsw12.v v2, 0(v1)\n");
    for (size_t i = FIRST_X86; i < CY_COUNT(hosts); i++) {
        CHECK(jumps[i] >= 12);
        CHECK_EQ(touching_jumps[i] == 0, i == AVX2 || i == SLOW_GATHERS);
    }
}

/* Conversions that saturate: LLVM's own ones are instructions of aarch64, but go lane by lane on x86-64. */
static void test_conversions(void)
{
    try(ADDRESS "    vlw12.v v2, 0(v1)\n    vfcvt.rtz.x.f.v v2, v2\n    vsw12.v v2, 0(v1)\n");
    for (size_t i = 0; i < CY_COUNT(hosts); i++)
        CHECK_EQ(saturations[i] > 0, hosts[i].host == CY_JIT_AARCH64);
}

/* Elements of four words of which each is multiplied: aarch64 transposes them, x86-64 leaves them as they are, unless one word is
 * computed in another way. */
static void test_elements(void)
{
#define FOUR                                                                                                           \
    "    vsll.vi v1, v0, 4\n    vadd.vx v1, v1, t0\n    vlw12.v v2, 0(v1)\n    vlw12.v v3, 4(v1)\n"                    \
    "    vlw12.v v4, 8(v1)\n    vlw12.v v5, 12(v1)\n    vfmul.vf v2, v2, t1\n    vfmul.vf v3, v3, t1\n"                \
    "    vfmul.vf v4, v4, t1\n"
#define STORES "    vsw12.v v2, 0(v1)\n    vsw12.v v3, 4(v1)\n    vsw12.v v4, 8(v1)\n    vsw12.v v5, 12(v1)\n"
    unsigned alike[CY_COUNT(hosts)];
    try(ADDRESS FOUR "    vfmul.vf v5, v5, t1\n" STORES);
    memcpy(alike, shuffles, sizeof(alike));
    CHECK(whole_loads[AVX512]); /* several elements at once */
    try(ADDRESS FOUR "    vfadd.vf v5, v5, t1\n" STORES);
    for (size_t i = 0; i < CY_COUNT(hosts); i++)
        CHECK(hosts[i].host == CY_JIT_AARCH64 ? alike[i] == shuffles[i] : 2 * alike[i] <= shuffles[i]);
}

/* Only what must order loads after stores does, which takes hosts long. */
static void test_fences(void)
{
    try(ADDRESS
        "    vlw12.v v2, 0(v1)\n    fence r, rw\n    vsw12.v v2, 4(v1)\n    fence rw, w\n    vsw12.v v2, 8(v1)\n"
        "    fence.tso\n    vsw12.v v2, 12(v1)\n");
    for (size_t i = 0; i < CY_COUNT(hosts); i++)
        CHECK_EQ(full_fences[i], 0);
    try(ADDRESS
        "    vlw12.v v2, 0(v1)\n    vsw12.v v2, 4(v1)\n    fence w, r\n    vsw12.v v2, 8(v1)\n    fence rw, rw\n");
    for (size_t i = 0; i < CY_COUNT(hosts); i++)
        CHECK(full_fences[i] >= 2 && full_fences[i] % 2 == 0);
}

TEST_MAIN(test_chain, test_meeting, test_masked, test_bits, test_gathers, test_jumps, test_conversions, test_elements,
          test_fences)
