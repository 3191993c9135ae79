#include "base/diag.h"

#include "support/test.h"

static struct cy_source make_source(const char *name, const char *text)
{
    return (struct cy_source){.name = name, .text = text, .size = strlen(text)};
}

/* One message about the first occurrence of `where` in the text. */
static void complain(struct cy_diags *diags, const struct cy_source *source, const char *where, uint32_t line)
{
    uint32_t offset = (uint32_t)(strstr(source->text, where) - source->text);
    struct cy_loc loc = {.source = source, .line = line, .offset = offset, .length = (uint32_t)strlen(where)};
    cy_diag(diags, CY_ERROR, &loc, "bad '%s'", where);
}

static void expect(struct cy_diags *diags, const char *text)
{
    CHECK_STR(diags->text.data ? diags->text.data : "", text);
    cy_diags_free(diags);
    *diags = (struct cy_diags){0};
}

static void test_caret(void)
{
    struct cy_diags diags = {0};
    struct cy_source source = make_source("k.s", "first\n        vad.vv v1, v2, v3\nlast");
    complain(&diags, &source, "vad.vv", 2);
    CHECK_EQ(diags.errors, 1);
    expect(&diags, "k.s:2:9: error: bad 'vad.vv'\n"
                   "        vad.vv v1, v2, v3\n"
                   "        ^~~~~~\n");
    complain(&diags, &source, "first", 1);
    expect(&diags, "k.s:1:1: error: bad 'first'\nfirst\n^~~~~\n");
    complain(&diags, &source, "last", 3);
    expect(&diags, "k.s:3:1: error: bad 'last'\nlast\n^~~~\n");

    /* the end of the file, with and without a line break before it; lengths that reach over the line */
    struct cy_loc loc = {.source = &source, .line = 3, .offset = (uint32_t)source.size, .length = 1};
    cy_diag(&diags, CY_WARNING, &loc, "the end");
    CHECK_EQ(diags.warnings, 1);
    expect(&diags, "k.s:3:5: warning: the end\nlast\n    ^\n");
    loc = (struct cy_loc){.source = &source, .line = 1, .offset = 3, .length = 1000};
    cy_diag(&diags, CY_NOTE, &loc, "long");
    CHECK_EQ(diags.warnings + diags.errors, 0);
    expect(&diags, "k.s:1:4: note: long\nfirst\n   ^~\n");
    loc = (struct cy_loc){.source = &source, .line = 9, .offset = 100000, .length = 1};
    cy_diag(&diags, CY_NOTE, &loc, "outside");
    expect(&diags, "k.s:9:5: note: outside\nlast\n    ^\n");
    struct cy_source empty = make_source("e.s", "");
    loc = (struct cy_loc){.source = &empty, .line = 1, .length = 1};
    cy_diag(&diags, CY_ERROR, &loc, "empty");
    expect(&diags, "e.s:1:1: error: empty\n\n^\n");
}

static void test_without_line(void)
{
    struct cy_diags diags = {0};
    struct cy_source source = make_source("k.s", "text");
    struct cy_loc loc = {.source = &source};
    cy_diag(&diags, CY_ERROR, &loc, "whole file");
    loc.source = NULL;
    cy_diag(&diags, CY_ERROR, &loc, "no file");
    cy_diag(&diags, CY_ERROR, NULL, "nothing");
    cy_diag_file(&diags, CY_ERROR, "a.o", "section %d", 5);
    cy_diag_file(&diags, CY_WARNING, NULL, "option");
    expect(&diags, "k.s: error: whole file\nerror: no file\nerror: nothing\na.o: error: section 5\nwarning: option\n");
}

static void test_odd_characters(void)
{
    struct cy_diags diags = {0};
    struct cy_source source =
        make_source("t.s", "\tadd\tx1, y2\r\n# \344\271\230\345\275\261 \303\251 y3 \377\033[0m y4\n");
    complain(&diags, &source, "y2", 1);
    expect(&diags, "t.s:1:10: error: bad 'y2'\n\tadd\tx1, y2\n\t   \t    ^~\n");
    /* two wide characters, a narrow one of two bytes */
    complain(&diags, &source, "y3", 2);
    expect(&diags, "t.s:2:13: error: bad 'y3'\n"
                   "# \344\271\230\345\275\261 \303\251 y3 ??[0m y4\n"
                   "         ^~\n");
    /* invalid bytes and control characters take one column each */
    complain(&diags, &source, "y4", 2);
    expect(&diags, "t.s:2:22: error: bad 'y4'\n"
                   "# \344\271\230\345\275\261 \303\251 y3 ??[0m y4\n"
                   "                  ^~\n");
    complain(&diags, &source, "\345\275\261", 2);
    expect(&diags, "t.s:2:6: error: bad '\345\275\261'\n"
                   "# \344\271\230\345\275\261 \303\251 y3 ??[0m y4\n"
                   "    ^~\n");
    cy_diag_file(&diags, CY_ERROR, "x", "token '%s'", "\033[2J\a");
    expect(&diags, "x: error: token '?[2J?'\n");
}

static void test_long_line(void)
{
    struct cy_diags diags = {0};
    char text[1001], expected[1200], run[300];
    memset(text, 'a', 1000);
    text[1000] = 0;
    memset(run, 'a', sizeof(run));
    struct cy_source source = make_source("l.s", text);

    memcpy(text + 500, "XY", 2);
    complain(&diags, &source, "XY", 1);
    snprintf(expected, sizeof(expected), "l.s:1:501: error: bad 'XY'\n...%.66sXY%.132s...\n%69s^~\n", run, run, "");
    expect(&diags, expected);
    memset(text + 500, 'a', 2);

    memcpy(text + 10, "XY", 2);
    complain(&diags, &source, "XY", 1);
    snprintf(expected, sizeof(expected), "l.s:1:11: error: bad 'XY'\n%.10sXY%.188s...\n%10s^~\n", run, run, "");
    expect(&diags, expected);
    memset(text + 10, 'a', 2);

    memcpy(text + 998, "XY", 2);
    complain(&diags, &source, "XY", 1);
    snprintf(expected, sizeof(expected), "l.s:1:999: error: bad 'XY'\n...%.198sXY\n%201s^~\n", run, "");
    expect(&diags, expected);
    memset(text + 998, 'a', 2);

    /* an underline that leaves the window */
    struct cy_loc loc = {.source = &source, .line = 1, .offset = 500, .length = 400};
    cy_diag(&diags, CY_ERROR, &loc, "long");
    const char *last = strrchr(diags.text.data, '^');
    CHECK(last && strspn(last + 1, "~") == 133 && strcmp(last + 134, "\n") == 0);
    cy_diags_free(&diags);
}

static void test_includers(void)
{
    struct cy_diags diags = {0};
    struct cy_source top = make_source("top.s", "\n\n.include \"mid.s\"\n");
    struct cy_source mid = make_source("mid.s", "emit 7\n");
    mid.includer = &top, mid.includer_line = 3, mid.how = "included from";
    struct cy_source body = make_source("emit", "addi x1, x1, 70000\n");
    body.includer = &mid, body.includer_line = 1, body.how = "in expansion of macro 'emit'";
    complain(&diags, &body, "70000", 1);
    expect(&diags, "emit:1:14: error: bad '70000'\n"
                   "addi x1, x1, 70000\n"
                   "             ^~~~~\n"
                   "mid.s:1: note: in expansion of macro 'emit'\n"
                   "top.s:3: note: included from here\n");

    struct cy_source deep[30];
    for (uint32_t i = 0; i < 30; i++) {
        deep[i] = make_source("r.s", "nop\n");
        deep[i].includer = i ? &deep[i - 1] : NULL;
        deep[i].includer_line = i;
    }
    complain(&diags, &deep[29], "nop", 1);
    expect(&diags, "r.s:1:1: error: bad 'nop'\nnop\n^~~\n"
                   "r.s:29: note: included from here\n"
                   "r.s:28: note: included from here\n"
                   "r.s:27: note: included from here\n"
                   "r.s:26: note: included from here\n"
                   "r.s:25: note: included from here\n"
                   "r.s:24: note: included from here\n"
                   "r.s:23: note: included from here\n"
                   "r.s:22: note: included from here\n"
                   "note: 21 more levels not shown\n");
}

static void test_limit(void)
{
    struct cy_diags diags = {.error_limit = 2};
    cy_diag_file(&diags, CY_ERROR, "a", "one");
    cy_diag_file(&diags, CY_ERROR, "a", "two");
    cy_diag_file(&diags, CY_NOTE, "a", "shown");
    for (int i = 0; i < 12; i++) {
        cy_diag_file(&diags, CY_ERROR, "a", "more");
        cy_diag_file(&diags, CY_NOTE, "a", "of it");
        cy_diag_file(&diags, CY_WARNING, "a", "besides");
    }
    CHECK_EQ(diags.errors, 14);
    CHECK_EQ(diags.warnings, 12);
    expect(&diags, "a: error: one\na: error: two\na: note: shown\ntoo many errors; 12 more not shown\n");

    for (int i = 0; i < 100; i++)
        cy_diag_file(&diags, CY_ERROR, NULL, "x");
    CHECK_EQ(diags.text.size, 100 * strlen("error: x\n"));
    cy_diag_file(&diags, CY_ERROR, NULL, "x");
    CHECK_STR(diags.text.data + 100 * strlen("error: x\n"), "too many errors; 1 more not shown\n");
    cy_diags_free(&diags);
}

static void test_warnings(void)
{
    struct cy_diags diags = {.no_warnings = true, .warnings_are_errors = true};
    cy_diag_file(&diags, CY_WARNING, "a", "hidden");
    cy_diag_file(&diags, CY_NOTE, "a", "hidden too");
    CHECK_EQ(diags.errors + diags.warnings, 0);
    cy_diag_file(&diags, CY_ERROR, "a", "shown");
    cy_diag_file(&diags, CY_NOTE, "a", "shown too");
    expect(&diags, "a: error: shown\na: note: shown too\n");
    diags = (struct cy_diags){.warnings_are_errors = true};
    cy_diag_file(&diags, CY_WARNING, "a", "promoted");
    CHECK_EQ(diags.errors, 1);
    CHECK_EQ(diags.warnings, 0);
    expect(&diags, "a: error: promoted\n");
}

TEST_MAIN(test_caret, test_without_line, test_odd_characters, test_long_line, test_includers, test_limit, test_warnings)
