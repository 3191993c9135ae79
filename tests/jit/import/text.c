/* What becomes of guest code, as text: tests/jit/import/CASE.s.  The first lines say
 *
 *     # SHAPE: ventus threads=32 local=64x1x1     -march, and with `exchanges` or `counts` what the launch asks for
 *     # what must be there, and why
 *
 * and after a line "--- output" stands the strip IR, which is valid, and the same when it has been read again; or why there is none.
 * --update writes that part again. */
#define _GNU_SOURCE
#include "base/file.h"
#include "gpu_device/guest.h"
#include "jit/import/import.h"
#include "jit/import/request.h"

#include <glob.h>

static const char separator[] = "--- output\n";
static bool is_updating;

static bool read_shape(const char *text, struct shape *shape, char march[32])
{
    char rest[64] = "";
    *shape = (struct shape){.threads = 32, .local = {64, 1, 1}};
    const int count = sscanf(text, "# SHAPE: %31s threads=%u local=%ux%ux%u %63[a-z ]", march, &shape->threads,
                             &shape->local[0], &shape->local[1], &shape->local[2], rest);
    shape->exchanges = strstr(rest, "exchanges") != NULL;
    shape->counts = strstr(rest, "counts") != NULL;
    return count >= 5 && strstr(text, "\n# ") != NULL;
}

/* The text is that of the same function when it is read again. */
static void check_reading(const char *path, const struct cy_buf *text)
{
    struct cy_diags diags = {0};
    struct cy_buf again = {0};
    struct cy_sir_func *func = cy_sir_read(path, text->data, text->size, &diags);
    if (CHECK(func != NULL)) {
        cy_sir_print(func, &again);
        CHECK_STR(again.data, text->data);
    } else {
        fputs(diags.text.data, stderr);
    }
    cy_sir_free(func);
    cy_buf_free(&again);
    cy_diags_free(&diags);
}

static void import(const char *path, const struct cy_buf *request, struct cy_buf *out)
{
    struct cy_buf why = {0};
    struct cy_sir_func *func = cy_jit_import((const void *)request->data, request->size, &why);
    if (!func) {
        cy_buf_printf(out, "cannot: %s\n", why.data);
    } else {
        const char *wrong = cy_sir_validate(func);
        if (!CHECK(!wrong))
            fprintf(stderr, "%s: %s\n", path, wrong);
        cy_sir_print(func, out);
        check_reading(path, out);
    }
    cy_sir_free(func);
    cy_buf_free(&why);
}

static void run_source(const char *path, const char *source, struct cy_buf *out)
{
    struct shape shape;
    char march[32];
    struct cy_buf elf = {0}, request = {0};
    struct cy_object program;
    struct cy_diags diags = {0};
    if (!CHECK(read_shape(source, &shape, march))) {
        fprintf(stderr, "%s: does not begin with # SHAPE: and what must be there\n", path);
        return;
    }
    const enum cy_target target = strcmp(march, "ventus-gen2") == 0 ? CY_GEN2 : CY_GEN1;
    if (guest_build(source, march, &elf) && CHECK(cy_object_read(&program, path, elf.data, elf.size, &diags))) {
        if (make_request(&program, "k", &shape, target, &request))
            import(path, &request, out);
        cy_object_free(&program);
    }
    cy_buf_free(&elf);
    cy_buf_free(&request);
    cy_diags_free(&diags);
}

static void write_file(const char *path, const char *source, const struct cy_buf *out)
{
    FILE *file = fopen(path, "w");
    if (CHECK(file != NULL)) {
        fprintf(file, "%s%s%s", source, separator, out->data);
        CHECK_EQ(fclose(file), 0);
    }
}

static void run_file(const char *path)
{
    struct cy_buf text = {0}, out = {0};
    struct cy_diags diags = {0};
    if (!CHECK(cy_file_read(path, &text, &diags)))
        return;
    cy_buf_append(&text, "", 1);
    char *end = strstr(text.data, separator), *expected = end ? end + strlen(separator) : text.data + text.size - 1;
    if (end)
        *end = '\0';
    run_source(path, text.data, &out);
    if (is_updating)
        write_file(path, text.data, &out);
    else if (!CHECK_STR(out.data, expected))
        fprintf(stderr, "%s is not as its end has it\n", path);
    cy_buf_free(&text);
    cy_buf_free(&out);
    cy_diags_free(&diags);
}

int main(int argc, char **argv)
{
    glob_t found;
    is_updating = argc > 1 && strcmp(argv[1], "--update") == 0;
    CHECK_EQ(glob("tests/jit/import/*.s", 0, NULL, &found), 0);
    CHECK(found.gl_pathc >= 12);
    for (size_t i = 0; i < found.gl_pathc; i++)
        run_file(found.gl_pathv[i]);
    globfree(&found);
    return test_finish();
}
