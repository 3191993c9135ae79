/* Faults of LLVM that the translator avoids for as long as the linked LLVM has them: here, selections by constant bits under a mask with
 * AVX-512 (host/x86_ternary.c).  When one is mended, this test fails and says which code is no longer needed. */
#include "gpu_device/guest.h"
#include "jit/abi.h"
#include "jit/translate/host/x86_ternary.h"
#include "jit/translate/translate.h"

#include <llvm-c/Core.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>

/* ---- facts that are kept ---- */

static struct {
    unsigned asked, told;
    bool is_known, holds;
    char name[128];
} memory;

static bool recall(const void *context, const char *name, bool *holds)
{
    (void)context;
    memory.asked++;
    snprintf(memory.name, sizeof(memory.name), "%s", name);
    *holds = memory.holds;
    return memory.is_known;
}

static void remember(const void *context, const char *name, bool holds)
{
    (void)context;
    CHECK_STR(name, memory.name);
    memory.told++;
    memory.is_known = true;
    memory.holds = holds;
}

static const struct cy_jit_facts facts = {.recall = recall, .remember = remember};

/* One compile finds out, the next time it is known; the name says of which LLVM. */
static void test_once(void)
{
    char version[32];
    unsigned major, minor, patch;
    memset(&memory, 0, sizeof(memory));
    const bool has_fault = x86_has_ternary_fault(NULL);
    CHECK_EQ(x86_has_ternary_fault(&facts), has_fault);
    CHECK_EQ(memory.told, 1);
    CHECK_EQ(x86_has_ternary_fault(&facts), has_fault);
    CHECK_EQ(memory.told, 1);
    CHECK_EQ(memory.asked, 2);
    LLVMGetVersion(&major, &minor, &patch);
    snprintf(version, sizeof(version), "LLVM %u.%u.%u,", major, minor, patch);
    CHECK(strstr(memory.name, version));
    memory.holds = !has_fault; /* what is kept is believed */
    CHECK_EQ(x86_has_ternary_fault(&facts), !has_fault);
}

/* ---- translations with and without the fault ---- */

static const struct {
    uint32_t host, level, forms;
    bool has_masks;
} hosts[] = {{CY_JIT_AARCH64, 0, CY_JIT_FORMS_128, false}, {CY_JIT_AARCH64, 2, CY_JIT_FORMS_512, false},
             {CY_JIT_X86_64, 0, CY_JIT_FORMS_128, false},  {CY_JIT_X86_64, 1, CY_JIT_FORMS_256, false},
             {CY_JIT_X86_64, 2, CY_JIT_FORMS_512, true},   {CY_JIT_X86_64, 2, CY_JIT_FORMS_256, true},
             {CY_JIT_X86_64, 3, CY_JIT_FORMS_512, true}};

/* Combinations of three operands that are merged under a mask. */
static unsigned masked_ternaries(const struct cy_buf *image)
{
    const struct cy_jit_image *header = (const void *)image->data;
    uint8_t *code = (uint8_t *)image->data + image->size - header->code_bytes;
    char text[160];
    unsigned count = 0;
    LLVMInitializeX86Disassembler();
    LLVMDisasmContextRef disassembler = LLVMCreateDisasm("x86_64", NULL, 0, NULL, NULL);
    LLVMSetDisasmOptions(disassembler, LLVMDisassembler_Option_PrintImmHex);
    for (size_t at = 0, size; at < header->code_bytes; at += size ? size : 1) { /* constants are no instructions */
        size = LLVMDisasmInstruction(disassembler, code + at, header->code_bytes - at, at, text, sizeof(text));
        count += size && strstr(text, "vpternlog") && strstr(text, "{%k") && !strstr(text, "{z}");
    }
    LLVMDisasmDispose(disassembler);
    return count;
}

static struct cy_buf translated(const void *request, size_t size, const struct cy_jit_facts *known)
{
    struct cy_buf image = {0}, why = {0};
    CHECK(cy_jit_translate(known, request, size, &image, &why));
    cy_buf_free(&why);
    return image;
}

static bool are_equal(const struct cy_buf *a, const struct cy_buf *b)
{
    return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

static void try_host(size_t host, struct cy_jit_request *request, size_t size)
{
    request->host = hosts[host].host;
    request->level = hosts[host].level;
    request->forms = hosts[host].forms;
    memory.asked = 0;
    memory.is_known = true;
    memory.holds = true;
    struct cy_buf avoiding = translated(request, size, &facts);
    memory.holds = false;
    struct cy_buf trusting = translated(request, size, &facts);
    CHECK_EQ(memory.asked, hosts[host].has_masks ? 2 : 0); /* other hosts never ask */
    struct cy_buf usual = translated(request, size, NULL); /* asking LLVM changes nothing else */
    CHECK(are_equal(&usual, x86_has_ternary_fault(NULL) ? &avoiding : &trusting));
    if (hosts[host].host == CY_JIT_X86_64) {
        CHECK_EQ(masked_ternaries(&avoiding), 0);
        CHECK_EQ(masked_ternaries(&trusting) > 0, hosts[host].has_masks);
    }
    cy_buf_free(&avoiding);
    cy_buf_free(&trusting);
    cy_buf_free(&usual);
}

static bool translate(void *context, const void *bytes, size_t size, void **image, size_t *image_size, char *why,
                      size_t room)
{
    struct cy_jit_request *request = malloc(size);
    (void)context;
    memcpy(request, bytes, size);
    for (size_t i = 0; i < CY_COUNT(hosts); i++)
        try_host(i, request, size);
    free(request);
    *image = NULL;
    *image_size = 0;
    snprintf(why, room, "it was only tried");
    return false;
}

/* The detour is taken if and only if LLVM has the fault, and the code that LLVM makes wrongly is then not there. */
static void test_detour(void)
{
    static const char kernel[] =
        "    .section .cy.lanes,\"\",@progbits\n    .asciz \"k\"\n"
        "    .text\n    .globl k\n    .type k, @function\nk:\n"
        "    lw t0, 0(a0)\n    csrr t4, CSR_TID\n    vid.v v0\n    vadd.vx v0, v0, t4\n    vsll.vi v1, v0, 2\n"
        "    vadd.vx v1, v1, t0\n    vlw12.v v2, 0(v1)\n    vlw12.v v3, 256(v1)\n    vadd.vi v2, v2, 1\n    vand.vi "
        "v4, v3, 1\n"
        "    vadd.vi v3, v3, 3\n"
        "    vmv.v.x v5, zero\n"
        "4:  auipc t6, %pcrel_hi(2f)\n    setrpc zero, t6, %pcrel_lo(4b)\n    vbeq v4, v5, 2f\n"
        "    li t1, 0xff0f\n    not t2, t1\n    vand.vx v6, v2, t1\n    vand.vx v7, v3, t2\n    vor.vv v2, v6, v7\n"
        "2:  join zero, zero, 0\n    vsw12.v v2, 0(v1)\n" GUEST_END;
    struct cy_device *device = guest_device("engine=jit");
    struct cy_arguments *arguments = cy_arguments_create();
    struct cy_launch *launch;
    uint32_t buffer;
    memset(&memory, 0, sizeof(memory));
    cy_device_set_translator(device, &(struct cy_translator){.translate = translate});
    struct cy_program *program = guest_program(device, kernel);
    CHECK_EQ(cy_device_alloc(device, 4096, 0, &buffer), CY_OK);
    cy_arguments_pointer(arguments, buffer);
    struct cy_launch_desc desc = {.program = program,
                                  .kernel = "k",
                                  .arguments = arguments,
                                  .dimensions = 1,
                                  .global = {16, 1, 1},
                                  .local = {16, 1, 1}};
    CHECK_EQ(guest_launch(device, &desc, &launch), CY_OK);
    CHECK(memory.asked); /* it was translated */
    cy_launch_release(launch);
    cy_arguments_destroy(arguments);
    cy_program_release(program);
    cy_device_close(device);
}

/* ---- is it still needed? ---- */

#if defined(__x86_64__)
/* Masked copysigns on this processor, by what LLVM makes of them: are they right? */
static bool runs_rightly(void)
{
    static const char text[] = "define void @f(ptr %a, ptr %b, ptr %m) \"target-cpu\"=\"x86-64-v4\" {\n"
                               "  %u = load <8 x i32>, ptr %a\n  %v = load <8 x i32>, ptr %b\n"
                               "  %x = add <8 x i32> %u, splat (i32 1)\n  %y = add <8 x i32> %v, splat (i32 3)\n"
                               "  %l = load <8 x i32>, ptr %m\n  %k = icmp ne <8 x i32> %l, zeroinitializer\n"
                               "  %p = and <8 x i32> %x, splat (i32 -2147483648)\n"
                               "  %q = and <8 x i32> %y, splat (i32 2147483647)\n  %o = or <8 x i32> %p, %q\n"
                               "  %r = select <8 x i1> %k, <8 x i32> %o, <8 x i32> %x\n"
                               "  store <8 x i32> %r, ptr %a\n  ret void\n}\n";
    _Alignas(32) uint32_t a[8], b[8], m[8], expected[8];
    LLVMMemoryBufferRef source = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "f");
    struct LLVMMCJITCompilerOptions options;
    LLVMExecutionEngineRef engine;
    LLVMModuleRef module;
    char *error;
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t x = 0x12345678u * (i + 1), y = 0x9abcdef1u * (i + 3);
        a[i] = x - 1;
        b[i] = y - 3;
        m[i] = i & 1;
        expected[i] = m[i] ? (x & 1u << 31) | (y & ~(1u << 31)) : x;
    }
    LLVMLinkInMCJIT();
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMContextRef context = LLVMContextCreate();
    LLVMInitializeMCJITCompilerOptions(&options, sizeof(options));
    options.OptLevel = 1;
    if (!CHECK(!LLVMParseIRInContext(context, source, &module, &error)) ||
        !CHECK(!LLVMCreateMCJITCompilerForModule(&engine, module, &options, sizeof(options), &error)))
        return false;
    void (*function)(uint32_t *, uint32_t *, uint32_t *);
    const uint64_t address = LLVMGetFunctionAddress(engine, "f");
    memcpy(&function, &address, sizeof(function));
    function(a, b, m);
    LLVMDisposeExecutionEngine(engine);
    LLVMContextDispose(context);
    return !memcmp(a, expected, sizeof(a));
}

/* What is read in the immediate operand is what the processor does. */
static void test_processor(void)
{
    const bool has_masks = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                           __builtin_cpu_supports("avx512cd");
    CHECK_EQ(has_masks && !runs_rightly(), has_masks && x86_has_ternary_fault(NULL));
}
#else
static void test_processor(void)
{
}
#endif

static void test_needed(void)
{
    if (!CHECK(x86_has_ternary_fault(NULL)))
        fprintf(stderr, "the detour is no longer needed: this LLVM makes masked vpternlog right, so that "
                        "src/jit/translate/host/x86_ternary.c can go once no older LLVM is supported\n");
}

TEST_MAIN(test_once, test_detour, test_processor, test_needed)
