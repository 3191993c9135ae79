/* import_all FILE|DIRECTORY...: every kernel of these programs, of both generations, unoptimised and optimised, becomes strip IR, which is
 * valid, and stays so in the passes over SIMT form.  What does not, and why, is printed; and how many instructions there are after each
 * pass, and how long it took. */
#define _GNU_SOURCE
#include "base/file.h"
#include "chengying/cc.h"
#include "jit/import/import.h"
#include "jit/import/request.h"
#include "jit/transform/transform.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

static unsigned imported, rejected;
static uint64_t instructions[CY_SIR_PASSES + 1], ns[CY_SIR_PASSES]; /* before each pass; it took */

static uint64_t count(const struct cy_sir_func *func)
{
    uint64_t count = 0;
    for (size_t b = 0; b < func->blocks.count; b++)
        count += func->blocks.at[b].list.count;
    return count;
}

/* What is wrong, or NULL. */
static const char *run_passes(struct cy_sir_func *func)
{
    func->strip.lanes = func->strip.width = func->threads;
    func->strip.row = func->strip.items;
    const char *wrong = cy_sir_validate(func);
    for (size_t i = 0; i < CY_SIR_PASSES && !wrong; i++) {
        struct cy_sir_pipeline pipeline = {.only = cy_sir_passes[i].name};
        if (cy_sir_passes[i].to != CY_SIR_PASS_SIMT)
            continue;
        instructions[i] += count(func);
        wrong = cy_sir_run_passes(func, &pipeline);
        for (size_t k = 0; k < CY_SIR_PASSES; k++) /* a pass may have two rows */
            ns[i] += pipeline.ns[k];
        instructions[i + 1] += cy_sir_passes[i + 1].to != CY_SIR_PASS_SIMT ? count(func) : 0;
    }
    return wrong;
}

static void print_counts(void)
{
    printf("| before | instructions | ms |\n|---|---|---|\n");
    for (size_t i = 0; i <= CY_SIR_PASSES && instructions[i]; i++)
        printf("| %s | %llu | %.1f |\n", cy_sir_passes[i].name, (unsigned long long)instructions[i],
               i < CY_SIR_PASSES ? (double)ns[i] / 1e6 : 0.0);
}

static void import(const char *path, const char *kernel, const struct cy_object *program, enum cy_target target,
                   const struct shape *shape)
{
    struct cy_buf request = {0}, why = {0};
    if (make_request(program, kernel, shape, target, &request)) {
        struct cy_sir_func *func = cy_jit_import((const void *)request.data, request.size, &why);
        const char *wrong = func ? run_passes(func) : why.data;
        if (!CHECK(!wrong))
            printf("| %s | %s | %s |\n", path, kernel, wrong);
        imported += !wrong;
        rejected += wrong != NULL;
        cy_sir_free(func);
    }
    cy_buf_free(&request);
    cy_buf_free(&why);
}

/* Kernels have a section that says what they need. */
static void import_kernels(const char *path, const struct cy_object *program, enum cy_target target)
{
    static const struct shape shapes[] = {{.threads = 32, .local = {64, 1, 1}},
                                          {.threads = 16, .local = {8, 5, 1}, .exchanges = true},
                                          {.threads = 8, .local = {3, 1, 2}, .counts = true}};
    const size_t prefix = strlen(CY_RESOURCE_SECTION);
    for (size_t i = 0; i < program->sections.count; i++) {
        const char *name = program->sections.at[i].name;
        if (strncmp(name, CY_RESOURCE_SECTION, prefix) == 0)
            import(path, name + prefix, program, target, &shapes[(imported + rejected) % CY_COUNT(shapes)]);
    }
}

/* Words after `options:` in a comment, for every build of the file. */
static size_t find_options(char *source, const char *words[16], char *copy, size_t size)
{
    const char *line = strstr(source, "// options:");
    size_t count = 0;
    char *rest = NULL;
    snprintf(copy, size, "%.*s", line ? (int)strcspn(line + 11, "\n") : 0, line ? line + 11 : "");
    for (char *word = strtok_r(copy, " ", &rest); word && count < 16; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    return count;
}

static void import_source(const char *path, char *source)
{
    const char *words[16];
    char copy[512];
    const size_t count = find_options(source, words, copy, sizeof(copy));
    for (unsigned i = 0; i < 4; i++) {
        const struct cy_cc_options options = {
            .args = words, .arg_count = count, .optimize = i & 1 ? 2 : 0, .generation = i & 2 ? 2 : 1};
        struct cy_cc_result result;
        struct cy_diags diags = {0};
        struct cy_object program;
        if (!CHECK(cy_cc(path, source, strlen(source), &options, &result)))
            fputs(result.log, stderr);
        else if (CHECK(cy_object_read(&program, path, result.elf, result.elf_size, &diags))) {
            import_kernels(path, &program, i & 2 ? CY_GEN2 : CY_GEN1);
            cy_object_free(&program);
        }
        cy_cc_result_free(&result);
        cy_diags_free(&diags);
    }
}

static int is_source(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && (length <= 3 || strcmp(entry->d_name + length - 2, ".h") != 0);
}

static void import_path(const char *path)
{
    struct stat status;
    struct dirent **entries;
    struct cy_buf text = {0};
    struct cy_diags diags = {0};
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        const int count = scandir(path, &entries, is_source, alphasort);
        for (int i = 0; i < count; i++) {
            char name[4096];
            snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
            if (strcmp(entries[i]->d_name + strlen(entries[i]->d_name) - 3, ".cl") == 0 ||
                !strchr(entries[i]->d_name, '.'))
                import_path(name);
            free(entries[i]);
        }
        free(entries);
        return;
    }
    if (!strstr(path, ".cl"))
        return;
    if (CHECK(cy_file_read(path, &text, &diags))) {
        cy_buf_append(&text, "", 1);
        import_source(path, text.data);
    }
    cy_buf_free(&text);
    cy_diags_free(&diags);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        import_path(argv[i]);
    printf("%u kernels are strip IR, %u are not\n", imported, rejected);
    print_counts();
    CHECK(imported > 0);
    return test_finish();
}
