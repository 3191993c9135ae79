/* The option parser that every subcommand shares: accepted spellings, order, errors. */
#include "support/test.h"

#include "../../tools/options.h"

enum { OPT_OUTPUT = 1, OPT_DEFINE, OPT_MARCH, OPT_LISTING, OPT_VERBOSE };
static const struct cy_option options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE", "write to FILE", 0},
    {OPT_DEFINE, 'D', NULL, "NAME=VALUE", "define a symbol", 0},
    {OPT_MARCH, 0, "march", "TARGET", "instruction set", CY_OPTION_ONE_DASH},
    {OPT_LISTING, 'l', "listing", NULL, "print a listing", 0},
    {OPT_VERBOSE, 'v', "verbose-with-a-very-long-name", NULL, "two\nlines", 0},
};
static const struct cy_usage usage = {"as", "[options] FILE...", "Summary.", "Epilogue.\n", options, CY_COUNT(options)};

/* Parses a command line and writes what came out, one word per event.  -1: parsed to its end. */
static int parse(int argc, char **argv, struct cy_buf *events)
{
    static const char *const names[] = {"", "o", "D", "march", "l", "v"};
    struct cy_args args;
    cy_args_start(&args, &usage, argc, argv);
    for (int id; (id = cy_args_next(&args)) != CY_ARGS_END;) {
        if (id == CY_ARGS_EXIT)
            return args.status;
        cy_buf_printf(events, "%s%s", events->size ? " " : "", id == CY_ARGS_FILE ? "file" : names[id]);
        if (args.value)
            cy_buf_printf(events, ":%s", args.value);
    }
    return -1;
}

static void check_line(const char *line, const char *expected)
{
    char copy[256];
    snprintf(copy, sizeof(copy), "as %s", line);
    char *argv[32];
    int argc = 0;
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    struct cy_buf events = {0};
    cy_buf_puts(&events, "");
    CHECK_EQ(parse(argc, argv, &events), -1);
    CHECK_STR(events.data, expected);
    cy_buf_free(&events);
}

static void test_accepted(void)
{
    static const struct {
        const char *line, *events;
    } cases[] = {
        {"", ""},
        {"a.s", "file:a.s"},
        {"-o out a.s", "o:out file:a.s"},
        {"-oout a.s", "o:out file:a.s"},
        {"--output out a.s", "o:out file:a.s"},
        {"--output=out a.s", "o:out file:a.s"},
        {"--output= a.s", "o: file:a.s"},
        {"a.s -lvo out", "file:a.s l v o:out"},
        {"-loout", "l o:out"},
        {"-DA=1 -D B=2", "D:A=1 D:B=2"},
        {"-march=ventus --march=epic -march gen2", "march:ventus march:epic march:gen2"},
        {"-", "file:-"},
        {"-o - -", "o:- file:-"},
        {"-l -- -l --help -- x", "l file:-l file:--help file:-- file:x"},
    };
    for (size_t i = 0; i < CY_COUNT(cases); i++)
        check_line(cases[i].line, cases[i].events);
}

static void test_numbers(void)
{
    static const struct {
        const char *text;
        uint64_t limit;
        bool good;
        uint64_t value;
    } cases[] = {
        {"0", 0, true, 0},
        {"1", 0, false, 0},
        {"255", 255, true, 255},
        {"256", 255, false, 0},
        {"0x80000000", UINT32_MAX, true, 0x80000000u},
        {"0xFFFFFFFFFFFFFFFF", UINT64_MAX, true, UINT64_MAX},
        {"18446744073709551616", UINT64_MAX, false, 0},
        {"0b101", 10, true, 5},
        {"0b102", 10, false, 0},
        {"017", 100, true, 15},
        {"08", 100, false, 0},
        {"7", 3, false, 0},
        {"0x", 100, false, 0},
        {"", 100, false, 0},
        {"12 ", 100, false, 0},
        {"-1", 100, false, 0},
        {"0xg", 100, false, 0},
    };
    for (size_t i = 0; i < CY_COUNT(cases); i++) {
        uint64_t value = 0;
        if (!CHECK_EQ(cy_parse_number(cases[i].text, cases[i].limit, &value), cases[i].good))
            fprintf(stderr, "  for '%s'\n", cases[i].text);
        CHECK(value == cases[i].value);
    }
}

/* With arguments the program is a command that prints its events: cli.py looks at its help and its errors. */
int main(int argc, char **argv)
{
    if (argc > 1) {
        struct cy_buf events = {0};
        int status = parse(argc, argv, &events);
        if (status < 0)
            puts(events.data);
        cy_buf_free(&events);
        return status < 0 ? 0 : status;
    }
    test_accepted();
    test_numbers();
    return test_finish();
}
