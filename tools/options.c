#include "options.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/strmap.h"

/* Left column of --help: wider options get their text on the next line. */
#define MAX_COLUMN 30

static const struct cy_option help_option = {CY_ARGS_EXIT, 'h', "help", NULL, "print this help", 0};

/* ---- --help ---- */

static void option_left(const struct cy_option *option, struct cy_buf *left)
{
    if (option->short_name)
        cy_buf_printf(left, "  -%c", option->short_name);
    else
        cy_buf_puts(left, "    ");
    if (option->long_name) {
        const char *dashes = option->flags & CY_OPTION_ONE_DASH ? "-" : "--";
        cy_buf_printf(left, "%s%s%s", option->short_name ? ", " : "  ", dashes, option->long_name);
        if (option->argument)
            cy_buf_printf(left, option->flags & CY_OPTION_OPTIONAL ? "[=%s]" : "=%s", option->argument);
    } else if (option->argument) {
        cy_buf_printf(left, " %s", option->argument);
    }
}

static void option_print(const struct cy_option *option, int column, FILE *out)
{
    struct cy_buf left = {0};
    option_left(option, &left);
    if (left.size > (size_t)column - 2)
        fprintf(out, "%s\n%*s", left.data, column, "");
    else
        fprintf(out, "%-*s", column, left.data);
    for (const char *c = option->help; *c; c++) {
        putc(*c, out);
        if (*c == '\n')
            fprintf(out, "%*s", column, "");
    }
    putc('\n', out);
    cy_buf_free(&left);
}

static int help_column(const struct cy_usage *usage)
{
    size_t widest = strlen("  -h, --help");
    for (size_t i = 0; i < usage->option_count; i++) {
        struct cy_buf left = {0};
        option_left(&usage->options[i], &left);
        if (!(usage->options[i].flags & CY_OPTION_HIDDEN) && left.size > widest && left.size <= MAX_COLUMN - 2)
            widest = left.size;
        cy_buf_free(&left);
    }
    return (int)widest + 2;
}

void cy_usage_print(const struct cy_usage *usage, FILE *out)
{
    int column = help_column(usage);
    fprintf(out, "usage: cy %s %s\n\n%s\n\noptions:\n", usage->command, usage->synopsis, usage->summary);
    for (size_t i = 0; i < usage->option_count; i++)
        if (!(usage->options[i].flags & CY_OPTION_HIDDEN))
            option_print(&usage->options[i], column, out);
    option_print(&help_option, column, out);
    if (usage->epilogue)
        fprintf(out, "\n%s", usage->epilogue);
}

int cy_usage_error(const struct cy_usage *usage, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "cy %s: error: ", usage->command);
    vfprintf(stderr, format, list);
    fprintf(stderr, "; try 'cy %s --help'\n", usage->command);
    va_end(list);
    return CY_EXIT_USAGE;
}

void cy_usage_options(const struct cy_usage *usage, void (*visit)(const struct cy_option *option, void *context),
                      void *context)
{
    for (size_t i = 0; i < usage->option_count; i++)
        if (!(usage->options[i].flags & CY_OPTION_HIDDEN))
            visit(&usage->options[i], context);
    visit(&help_option, context);
}

/* ---- the parser ---- */

static struct {
    void (*show)(const struct cy_usage *usage, void *context);
    void *context;
} on_help;

void cy_args_on_help(void (*show)(const struct cy_usage *usage, void *context), void *context)
{
    on_help.show = show;
    on_help.context = context;
}

void cy_args_start(struct cy_args *args, const struct cy_usage *usage, int argc, char **argv)
{
    *args = (struct cy_args){.usage = usage, .argc = argc, .argv = argv, .index = 1};
}

static int stop(struct cy_args *args, int status)
{
    args->status = status;
    args->value = NULL;
    return CY_ARGS_EXIT;
}

static int found(struct cy_args *args, const struct cy_option *option)
{
    if (option == &help_option) {
        if (on_help.show)
            on_help.show(args->usage, on_help.context);
        else
            cy_usage_print(args->usage, stdout);
        return stop(args, CY_EXIT_OK);
    }
    assert(option->id > 0 && "the ids of options are positive, so that they differ from CY_ARGS_*");
    return option->id;
}

static const struct cy_option *find_short(const struct cy_usage *usage, char name)
{
    for (size_t i = 0; i < usage->option_count; i++)
        if (usage->options[i].short_name == name)
            return &usage->options[i];
    return name == 'h' ? &help_option : NULL;
}

static const struct cy_option *find_long(const struct cy_usage *usage, const char *name, size_t length, bool one_dash)
{
    for (size_t i = 0; i <= usage->option_count; i++) {
        const struct cy_option *option = i < usage->option_count ? &usage->options[i] : &help_option;
        if (one_dash && !(option->flags & CY_OPTION_ONE_DASH))
            continue;
        if (option->long_name && strlen(option->long_name) == length && memcmp(option->long_name, name, length) == 0)
            return option;
    }
    return NULL;
}

/* An unknown option: suggests the nearest long option, if one is near. */
static int unknown(struct cy_args *args, const char *word, const char *name, size_t length)
{
    const struct cy_option *nearest = NULL;
    unsigned best = 1 + (unsigned)(length > 9 ? 3 : length / 3);
    for (size_t i = 0; i <= args->usage->option_count; i++) {
        const struct cy_option *option = i < args->usage->option_count ? &args->usage->options[i] : &help_option;
        if (!option->long_name || (option->flags & CY_OPTION_HIDDEN))
            continue;
        unsigned distance = cy_edit_distance(name, length, option->long_name, strlen(option->long_name), best + 1);
        if (distance < best) {
            best = distance;
            nearest = option;
        }
    }
    int shown = (int)(name - word) + (int)length;
    if (nearest)
        return stop(args, cy_usage_error(args->usage, "unknown option '%.*s'; did you mean '%s%s'?", shown, word,
                                         nearest->flags & CY_OPTION_ONE_DASH ? "-" : "--", nearest->long_name));
    return stop(args, cy_usage_error(args->usage, "unknown option '%.*s'", shown, word));
}

/* The argument of an option, from the next word of the command line. */
static int value_of_next_word(struct cy_args *args, const struct cy_option *option, const char *word)
{
    if (args->index >= args->argc)
        return stop(args, cy_usage_error(args->usage, "option '%s' needs an argument: %s", word, option->argument));
    args->value = args->argv[args->index++];
    return found(args, option);
}

static int long_option(struct cy_args *args, const char *word, const char *name, const struct cy_option *option)
{
    size_t length = strcspn(name, "=");
    const char *value = name[length] ? name + length + 1 : NULL;
    if (!option)
        return unknown(args, word, name, length);
    if (option->argument && !value && !(option->flags & CY_OPTION_OPTIONAL))
        return value_of_next_word(args, option, word);
    if (!option->argument && value)
        return stop(args, cy_usage_error(args->usage, "option '%.*s' takes no argument",
                                         (int)(name - word + (ptrdiff_t)length), word));
    args->value = value;
    return found(args, option);
}

/* The next letter of "-abc", or "-oFILE". */
static int short_option(struct cy_args *args)
{
    const char letter = *args->cluster++;
    const char *rest = args->cluster;
    const struct cy_option *option = find_short(args->usage, letter);
    if (*rest == 0)
        args->cluster = NULL;
    const char word[] = {'-', letter, 0};
    if (!option)
        return unknown(args, word, word + 1, 1);
    if (!option->argument)
        return found(args, option);
    args->cluster = NULL;
    if (*rest == 0)
        return value_of_next_word(args, option, word);
    args->value = rest;
    return found(args, option);
}

static int next(struct cy_args *args)
{
    args->value = NULL;
    if (args->cluster)
        return short_option(args);
    if (args->index >= args->argc)
        return CY_ARGS_END;
    const char *word = args->argv[args->index++];
    if (!args->only_files && strcmp(word, "--") == 0) {
        args->only_files = true;
        return next(args);
    }
    if (args->only_files || word[0] != '-' || word[1] == 0) {
        args->value = word;
        return CY_ARGS_FILE;
    }
    bool one_dash = word[1] != '-';
    const char *name = word + (one_dash ? 1 : 2);
    const struct cy_option *option = find_long(args->usage, name, strcspn(name, "="), one_dash);
    if (option || !one_dash)
        return long_option(args, word, name, option);
    /* -outptu does not start with a short option: treat the word as a misspelt long one instead of reporting 'u'. */
    if (!find_short(args->usage, *name))
        return unknown(args, word, name, strcspn(name, "="));
    args->cluster = name;
    return short_option(args);
}

static void note_given(struct cy_args *args, int id)
{
    for (size_t i = 0; i < args->usage->option_count; i++)
        if (args->usage->options[i].id == id)
            args->given[i / 64] |= UINT64_C(1) << i % 64;
}

int cy_args_next(struct cy_args *args)
{
    const int id = next(args);
    assert(args->usage->option_count <= 64 * CY_COUNT(args->given));
    if (id > 0)
        note_given(args, id);
    return id;
}

bool cy_args_given(const struct cy_args *args, const char *name)
{
    for (size_t i = 0; i < args->usage->option_count; i++)
        if (args->usage->options[i].long_name && strcmp(args->usage->options[i].long_name, name) == 0)
            return args->given[i / 64] >> i % 64 & 1;
    return false;
}

static bool is_met(const struct cy_args *args, const struct cy_need *need)
{
    bool is_there = !cy_args_given(args, need->option);
    for (size_t i = 0; i < CY_MOST_NEEDED && need->needed[i]; i++)
        is_there |= cy_args_given(args, need->needed[i]);
    return is_there;
}

int cy_args_check_needs(const struct cy_args *args, const struct cy_need *needs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct cy_buf all = {0};
        if (is_met(args, &needs[i]))
            continue;
        for (size_t k = 0; k < CY_MOST_NEEDED && needs[i].needed[k]; k++)
            cy_buf_printf(&all, "%s--%s", k ? " or " : "", needs[i].needed[k]);
        const int status = cy_usage_error(args->usage, "--%s has no effect without %s", needs[i].option, all.data);
        cy_buf_free(&all);
        return status;
    }
    return CY_EXIT_OK;
}

/* ---- shared by commands ---- */

bool cy_parse_number(const char *text, uint64_t limit, uint64_t *value)
{
    unsigned base = 10;
    if (text[0] == '0' && text[1]) {
        bool hex = text[1] == 'x' || text[1] == 'X', binary = text[1] == 'b' || text[1] == 'B';
        base = hex ? 16 : binary ? 2 : 8;
        text += hex || binary ? 2 : 1;
    }
    uint64_t sum = 0;
    if (*text == 0)
        return false;
    for (; *text; text++) {
        const char *digits = "0123456789abcdef";
        const char *digit = strchr(digits, tolower((unsigned char)*text));
        if (!digit || digit >= digits + base)
            return false;
        unsigned next = (unsigned)(digit - digits);
        if (next > limit || sum > (limit - next) / base)
            return false;
        sum = sum * base + next;
    }
    *value = sum;
    return true;
}

void cy_say(struct cy_diags *diags)
{
    if (diags->text.size)
        fwrite(diags->text.data, 1, diags->text.size, stderr);
    cy_buf_free(&diags->text);
    diags->text = (struct cy_buf){0};
}

int cy_report(struct cy_diags *diags)
{
    if (diags->text.size)
        fwrite(diags->text.data, 1, diags->text.size, stderr);
    int status = diags->errors ? CY_EXIT_INPUT : CY_EXIT_OK;
    cy_diags_free(diags);
    return status;
}
