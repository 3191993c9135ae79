/* Out of memory while assembling, linking and disassembling: an error like any other, and the next try succeeds. */
#define _GNU_SOURCE
#include "support/oom.h"
#include "support/test.h"

#include "ld/link.h"
#include "dis/dis.h"
#include "base/file.h"
#include "chengying/asm.h"

static const char source[] = "        .macro twice text, count=2\n"
                             "        .rept \\count\n"
                             "        \\text\n"
                             "        .endr\n"
                             "        .endm\n"
                             "        .equ LATER, end - start\n"
                             "        .if N != 3\n"
                             "        .error \"wrong\"\n"
                             "        .endif\n"
                             "        .section .rodata.numbers, \"a\", @progbits\n"
                             "numbers: .float 1.5, -0.25, inf\n"
                             "        .asciz \"a text\"\n"
                             "        .space 100\n"
                             "        .text\n"
                             "        .global kernel\n"
                             "        .type kernel, @function\n"
                             "        .ventus_kernel kernel, pds=0\n"
                             "kernel:\n"
                             "start:  la t0, numbers\n"
                             "        vadd.vx v1, v2, t0\n"
                             "        vadd.vv v40, v41, v3\n"
                             "1:      beq t0, t1, 1b\n"
                             "        vbeq v1, v2, 2f\n"
                             "        twice nop, 5\n"
                             "        li a0, 0x12345678\n"
                             "        call helper\n"
                             "2:      join zero, zero, 0\n"
                             "        setrpc zero, t1, 0\n"
                             "end:    endprg\n"
                             "helper: ret\n"
                             "        .size kernel, . - kernel\n";

struct run {
    struct cy_buf object, program, text; /* what comes out when nothing fails */
};

/* It is kept the first time, which is one block more; later it must be the same. */
static long keep(struct cy_buf *first, const void *bytes, size_t size)
{
    bool is_first = !first->data;
    if (is_first)
        cy_buf_append(first, bytes, size);
    CHECK(first->size == size && memcmp(first->data, bytes, size) == 0);
    return OOM_COUNTS_LIVE && is_first;
}

/* ---- assembling ---- */

static void assemble(void *context, bool failing)
{
    struct run *run = context;
    long live = oom_live();
    const char *const defines[] = {"N=3"};
    struct cy_asm_options options = {.flags = CY_ASM_LISTING, .defines = defines, .define_count = 1};
    struct cy_asm_result result;
    bool ok = cy_asm("memory.s", source, strlen(source), &options, &result);
    if (!CHECK(result.messages != NULL))
        return;
    if (ok) {
        CHECK_STR(result.messages, "");
        CHECK(result.listing && strstr(result.listing, "endprg"));
        live += keep(&run->object, result.object, result.object_size);
    } else {
        CHECK(failing && !result.object && !result.listing);
        CHECK_STR(result.messages, "error: out of memory\n");
        CHECK_EQ(result.errors, 1);
    }
    cy_asm_result_free(&result);
    CHECK_EQ(oom_live(), live);
}

/* Errors of the source: many messages, which need memory themselves. */
static void assemble_wrong(void *context, bool failing)
{
    (void)context;
    long live = oom_live();
    struct cy_asm_result result;
    static const char wrong[] = " vad.vv v1, v2, v3\n .include \"missing.s\"\n addi a0, a1, 99999\n .macro\n";
    CHECK(!cy_asm("wrong.s", wrong, strlen(wrong), NULL, &result));
    bool no_memory = strcmp(result.messages, "error: out of memory\n") == 0;
    CHECK(no_memory ? failing : strstr(result.messages, "did you mean 'vadd.vv'?") != NULL);
    CHECK_EQ(result.errors, no_memory ? 1 : 5);
    cy_asm_result_free(&result);
    CHECK_EQ(oom_live(), live);
}

static void assemble_file(void *context, bool failing)
{
    (void)context;
    long live = oom_live();
    struct cy_asm_result result;
    bool ok = cy_asm_file("examples/asm/vecadd.s", NULL, &result);
    CHECK(ok || (failing && strcmp(result.messages, "error: out of memory\n") == 0));
    cy_asm_result_free(&result);
    CHECK_EQ(oom_live(), live);
}

static void test_assembling(void)
{
    struct run run = {0};
    oom_each(assemble, &run);
    oom_each(assemble_wrong, NULL);
    oom_each(assemble_file, NULL);
    cy_buf_free(&run.object);
}

/* ---- linking ---- */

/* Messages have their own memory, or none at all. */
static void check_message(struct cy_diags *diags, bool failing)
{
    CHECK(failing);
    CHECK_EQ(diags->errors, 1);
    CHECK(!diags->text.data || strstr(diags->text.data, "emory"));
}

static void write_program(void *argument)
{
    struct {
        struct cy_object *program;
        struct cy_buf file;
    } *job = argument;
    cy_object_write(job->program, &job->file);
}

static void link_program(void *context, bool failing)
{
    struct run *run = context;
    long live = oom_live();
    struct cy_diags diags = {0};
    struct cy_object object, program = {0};
    struct cy_buf map = {0};
    const char *directory = getenv("CY_BUILD") ? "lib/ventus" : NULL;
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", getenv("CY_BUILD"), directory);
    struct cy_library *library = cy_library_open(path, &diags);
    bool read = library && cy_object_read(&object, "memory.o", run->object.data, run->object.size, &diags);
    if (read) {
        const struct cy_object *objects[] = {&object};
        const struct cy_library *libraries[] = {library};
        struct cy_link_job job = {.objects = objects,
                                  .object_count = 1,
                                  .libraries = libraries,
                                  .library_count = 1,
                                  .gc_sections = true,
                                  .map = &map};
        if (cy_link(&job, &program, &diags)) {
            struct {
                struct cy_object *program;
                struct cy_buf file;
            } writing = {.program = &program};
            CHECK(strstr(map.data, "kernel"));
            if (cy_mem_try(write_program, &writing)) {
                live += keep(&run->program, writing.file.data, writing.file.size);
                cy_buf_free(&writing.file);
            } else {
                CHECK(failing);
            }
        } else {
            check_message(&diags, failing);
            CHECK(!map.size && !program.sections.count);
        }
        cy_object_free(&program);
        cy_object_free(&object);
    } else {
        check_message(&diags, failing);
    }
    cy_buf_free(&map);
    cy_library_close(library);
    cy_diags_free(&diags);
    CHECK_EQ(oom_live(), live);
}

static void test_linking(void)
{
    struct run run = {0};
    assemble(&run, false);
    oom_each(link_program, &run);
    cy_buf_free(&run.object);
    cy_buf_free(&run.program);
}

/* ---- disassembling ---- */

static void disassemble(void *context, bool failing)
{
    struct run *run = context;
    long live = oom_live();
    struct cy_diags diags = {0};
    struct cy_object object;
    if (!cy_object_read(&object, "memory.o", run->object.data, run->object.size, &diags)) {
        check_message(&diags, failing);
        cy_diags_free(&diags);
        CHECK_EQ(oom_live(), live);
        return;
    }
    struct cy_dis listing = {.target = cy_dis_target(&object), .relocs = true, .comments = true, .lines = true};
    struct cy_buf out = {0};
    bool begun = cy_buf_try_append(&out, "before\n", 7);
    bool ok = begun && cy_dis_object(&listing, &object, &out, &diags) && cy_dis_source(&listing, &object, &out, &diags);
    if (ok) {
        live += keep(&run->text, out.data, out.size);
    } else if (begun) {
        check_message(&diags, failing);
        CHECK(strncmp(out.data, "before\n", 7) == 0 && out.data[out.size] == 0);
        CHECK(out.size == 7 || strstr(out.data, "endprg")); /* all of the first part, or nothing */
    }
    cy_buf_free(&out);
    cy_object_free(&object);
    cy_diags_free(&diags);
    CHECK_EQ(oom_live(), live);
}

static void test_disassembling(void)
{
    struct run run = {0};
    assemble(&run, false);
    oom_each(disassemble, &run);
    if (CHECK(run.text.data))
        CHECK(strstr(run.text.data, "vadd.vv\tv40, v41, v3"));
    cy_buf_free(&run.object);
    cy_buf_free(&run.text);
}

TEST_MAIN(test_assembling, test_linking, test_disassembling)
