/* What a pass does, as text: ROOT/PASS/CASE.SUFFIX.  The input is the text form of an IR; the first lines say
 *
 *     ; RUN: simplify                      the pass, and options behind it
 *     ; what must happen, and why
 *
 * and after a line "--- output" stands what the pass makes of it.  A program has a function that runs one such file, and a main:
 *
 *     static const struct pass_texts texts = {"tests/cc/passes", "ir", 60, run_test};
 *     return pass_texts_main(&texts, argc, argv);
 *
 * With --update the outputs are written again; with PASS/CASE, that one alone is run. */
#ifndef CY_TESTS_SUPPORT_PASS_TEXT_H
#define CY_TESTS_SUPPORT_PASS_TEXT_H

#include "support/test.h"

#include "base/diag.h"
#include "base/file.h"

#include <glob.h>

struct pass_text {
    const char *path;
    struct cy_buf text, output; /* of the file; appended to by what runs it */
    char pass[32];
    const char *options; /* the rest of the RUN line, and what follows */
    struct cy_diags diags;
};

struct pass_texts {
    const char *root, *suffix;
    size_t least; /* so many there are, or files are missing */
    bool (*run)(struct pass_text *test);
};

static inline bool pass_text_complain(const struct pass_text *t, const char *what)
{
    fprintf(stderr, "%s: %s\n%s", t->path, what, t->diags.text.data ? t->diags.text.data : "");
    return CHECK(false);
}

static inline bool pass_text_read_head(struct pass_text *t)
{
    int used = 0;
    if (!t->text.data || sscanf(t->text.data, "; RUN: %31[a-z_]%n", t->pass, &used) != 1)
        return pass_text_complain(t, "does not begin with ; RUN: PASS");
    t->options = t->text.data + used;
    struct cy_buf directory = {0};
    cy_buf_printf(&directory, "/%s/", t->pass);
    const bool is_there = strstr(t->path, directory.data);
    cy_buf_free(&directory);
    return is_there ? true : pass_text_complain(t, "is not in the directory of its pass");
}

/* After the last option. */
static inline bool pass_text_has_reason(const struct pass_text *t, const char *end_of_options)
{
    return !strncmp(end_of_options, "\n; ", 3) ? true
                                               : pass_text_complain(t, "the second line must say what happens and why");
}

static inline bool pass_text_update(const struct pass_text *t, const char *separator)
{
    struct cy_buf file = {0};
    struct cy_diags diags = {0};
    cy_buf_append(&file, t->text.data, separator ? (size_t)(separator - t->text.data) + 1 : t->text.size);
    cy_buf_printf(&file, "--- output\n%s", t->output.data);
    bool ok = cy_file_write(t->path, file.data, file.size, false, &diags);
    cy_buf_free(&file);
    cy_diags_free(&diags);
    return ok;
}

static inline bool pass_text_run(const struct pass_texts *texts, struct pass_text *t, bool is_updating)
{
    static const char line[] = "\n--- output\n";
    if (!cy_file_read(t->path, &t->text, &t->diags))
        return pass_text_complain(t, "cannot be read");
    if (!pass_text_read_head(t) || !texts->run(t))
        return false;
    const char *separator = strstr(t->text.data, line);
    if (is_updating)
        return pass_text_update(t, separator);
    if (!separator)
        return pass_text_complain(t, "has no output: --update");
    return CHECK_STR(t->output.data, separator + strlen(line)) || pass_text_complain(t, "prints something else");
}

static inline int pass_texts_main(const struct pass_texts *texts, int argc, char **argv)
{
    glob_t found;
    struct cy_buf pattern = {0};
    const char *source = getenv("CY_SOURCE");
    const bool is_updating = argc > 1 && !strcmp(argv[1], "--update");
    cy_buf_printf(&pattern, "%s/%s/%s.%s", source ? source : ".", texts->root,
                  argc > 1 + is_updating ? argv[1 + is_updating] : "*/*", texts->suffix);
    CHECK(!glob(pattern.data, 0, NULL, &found));
    CHECK(is_updating || argc > 1 || found.gl_pathc >= texts->least);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct pass_text t = {.path = found.gl_pathv[i]};
        CHECK(pass_text_run(texts, &t, is_updating));
        cy_buf_free(&t.text);
        cy_buf_free(&t.output);
        cy_diags_free(&t.diags);
    }
    globfree(&found);
    cy_buf_free(&pattern);
    return test_finish();
}

#endif
