/* The assembler as a library. */
#include "chengying/asm.h"
#include "obj/obj.h"
#include "support/host_fp.h"
#include "support/test.h"

#include <locale.h>
#include <pthread.h>

static bool assemble(const char *text, const struct cy_asm_options *options, struct cy_asm_result *result)
{
    return cy_asm("test.s", text, strlen(text), options, result);
}

static void test_object(void)
{
    struct cy_asm_result result;
    CHECK(assemble(" .globl f\nf: li a0, 5\n ret\n", NULL, &result));
    CHECK_EQ(result.errors, 0);
    CHECK_STR(result.messages, "");
    CHECK(result.listing == NULL);
    struct cy_object object;
    struct cy_diags diags = {0};
    if (CHECK(cy_object_read(&object, "result", result.object, result.object_size, &diags))) {
        const struct cy_section *text = cy_object_find_section(&object, ".text");
        const struct cy_symbol *f = cy_object_find_symbol(&object, "f");
        static const uint32_t words[] = {0x00500513, 0x00008067};
        if (CHECK(text && f)) {
            CHECK_EQ(text->size, 8);
            CHECK(memcmp(text->data.data, words, 8) == 0);
            CHECK_EQ(f->binding, CY_STB_GLOBAL);
        }
        cy_object_free(&object);
    }
    cy_diags_free(&diags);
    cy_asm_result_free(&result);
}

static void test_error(void)
{
    struct cy_asm_result result;
    CHECK(!assemble("nop\n adi a0, a0, 1\n", NULL, &result));
    CHECK_EQ(result.errors, 1);
    CHECK(result.object == NULL && result.object_size == 0);
    CHECK_STR(result.messages, "test.s:2:2: error: unknown instruction 'adi'; did you mean 'add'?\n"
                               " adi a0, a0, 1\n"
                               " ^~~\n");
    cy_asm_result_free(&result);
}

static void test_text_without_end(void)
{
    /* the text need not end in NUL or in a line end */
    char text[] = {'n', 'o', 'p', 'x', 'y'};
    struct cy_asm_result result;
    CHECK(cy_asm("test.s", text, 3, NULL, &result));
    cy_asm_result_free(&result);
    CHECK(cy_asm("test.s", text, 0, NULL, &result));
    cy_asm_result_free(&result);
    CHECK(!cy_asm("test.s", text, 5, NULL, &result));
    cy_asm_result_free(&result);
}

static void test_options(void)
{
    static const char *const defines[] = {"width=64", "flag"};
    struct cy_asm_options options = {
        .march = "ventus-gen2",
        .defines = defines,
        .define_count = 2,
        .flags = CY_ASM_LISTING | CY_ASM_NO_FILES,
    };
    struct cy_asm_result result;
    CHECK(assemble(" addw x2, x4, x6\n .word width + flag\n", &options, &result));
    if (CHECK(result.listing != NULL))
        CHECK_STR(result.listing, "     1 .text:00000000 0062013b           addw x2, x4, x6\n"
                                  "     2 .text:00000004 00000041           .word width + flag\n");
    cy_asm_result_free(&result);

    CHECK(!assemble(" .include \"/etc/passwd\"\n", &options, &result));
    CHECK_STR(result.messages, "test.s:1:2: error: files must not be read here\n"
                               " .include \"/etc/passwd\"\n"
                               " ^\n");
    cy_asm_result_free(&result);

    options = (struct cy_asm_options){.march = "vantus"};
    CHECK(!assemble("nop\n", &options, &result));
    CHECK_STR(result.messages,
              "error: unknown instruction set 'vantus'; known are ventus, ventus-gen2, epic and epic-fpga\n");
    cy_asm_result_free(&result);

    options = (struct cy_asm_options){.flags = CY_ASM_NO_WARNINGS};
    CHECK(assemble(" .warning \"x\"\n", &options, &result));
    CHECK_STR(result.messages, "");
    cy_asm_result_free(&result);

    options = (struct cy_asm_options){.flags = CY_ASM_FATAL_WARNINGS};
    CHECK(!assemble(" .warning \"x\"\n", &options, &result));
    CHECK_EQ(result.errors, 1);
    cy_asm_result_free(&result);

    options = (struct cy_asm_options){.max_output_bytes = 1000};
    CHECK(assemble(" .space 1000\n", &options, &result));
    cy_asm_result_free(&result);
    CHECK(!assemble(" .space 1001\n", &options, &result));
    cy_asm_result_free(&result);
    CHECK(!assemble(" .rept 251\n nop\n .endr\n", &options, &result));
    cy_asm_result_free(&result);

    CHECK(!cy_asm_file("/no/such/file.s", NULL, &result));
    CHECK_STR(result.messages, "/no/such/file.s: error: cannot open: No such file or directory\n");
    cy_asm_result_free(&result);
}

/* A host program may have set another locale, in which the decimal point is a comma. */
/* The words that a source of two has in its .text. */
static void check_words(const char *source, uint32_t first, uint32_t second)
{
    struct cy_asm_result result;
    CHECK(assemble(source, NULL, &result));
    struct cy_object object;
    struct cy_diags diags = {0};
    if (CHECK(cy_object_read(&object, "result", result.object, result.object_size, &diags))) {
        uint32_t words[2];
        memcpy(words, cy_object_find_section(&object, ".text")->data.data, sizeof(words));
        CHECK_EQ(words[0], first);
        CHECK_EQ(words[1], second);
        cy_object_free(&object);
    }
    cy_diags_free(&diags);
    cy_asm_result_free(&result);
}

static void test_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "C"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (setlocale(LC_ALL, names[i]))
            break;
    check_words(" .float 1.5, 2.5\n", 0x3fc00000, 0x40200000);
    setlocale(LC_ALL, "C");
}

/* Numbers are rounded to nearest even although the caller's are not, and the caller's mode and flags stay. */
static void test_rounding_mode(void)
{
    fenv_t usual;
    fegetenv(&usual);
    fesetround(FE_UPWARD);
    host_fp_flush();
    struct host_fp before = host_fp_get();
    check_words(" .float 0.1, 0.7\n", 0x3dcccccd, 0x3f333333);
    check_words(" .float 1e-45, 1e-40\n", 1, 0x000116c2);
    CHECK(host_fp_same(before, host_fp_get()));
    fesetenv(&usual);
}

static void *many(void *context)
{
    (void)context;
    for (int i = 0; i < 50; i++) {
        struct cy_asm_result result;
        bool ok = assemble(" .rept 100\n vadd.vv v40, v1, v2\n beqz a0, 1f\n .endr\n1: ret\n", NULL, &result);
        bool same = ok && result.object_size > 1204;
        cy_asm_result_free(&result);
        if (!same)
            return NULL;
    }
    return context;
}

static void test_threads(void)
{
    pthread_t threads[4];
    int token;
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, many, &token), 0);
    for (int i = 0; i < 4; i++) {
        void *back;
        pthread_join(threads[i], &back);
        CHECK(back == &token);
    }
}

TEST_MAIN(test_object, test_error, test_text_without_end, test_options, test_locale, test_rounding_mode, test_threads)
