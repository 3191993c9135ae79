/* Manual pages in man(7)'s macros, from the tables that --help prints. */
#include <ctype.h>
#include <string.h>

#include "help.h"

/* Literal text: characters that roff would interpret are escaped. */
static void put_text(const char *text, size_t size, FILE *out)
{
    if (size && (*text == '.' || *text == '\''))
        fputs("\\&", out);
    for (size_t i = 0; i < size; i++) {
        switch (text[i]) {
        case '\\': fputs("\\(rs", out); break;
        case '-': fputs("\\-", out); break;
        case '\'': fputs("\\(aq", out); break;
        case '`': fputs("\\(ga", out); break;
        case '^': fputs("\\(ha", out); break;
        case '~': fputs("\\(ti", out); break;
        default: putc(text[i], out);
        }
    }
}

static void put_words(const char *text, FILE *out)
{
    put_text(text, strlen(text), out);
}

/* Sentences: one line of the source each, without indentation. */
static void put_lines(const char *text, FILE *out)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        text += strspn(text, " ");
        length = strcspn(text, "\n");
        put_text(text, length, out);
        putc('\n', out);
    }
}

static void put_heading(const char *text, size_t length, FILE *out)
{
    fputs(".SH ", out);
    for (size_t i = 0; i < length; i++)
        putc(toupper((unsigned char)text[i]), out);
    putc('\n', out);
}

static void put_title(const struct cy_page *page, FILE *out)
{
    fputs(".TH CY", out);
    for (int word = 0; page && word < 2; word++) {
        const char *c = word ? page->second : page->name;
        if (c)
            fputs("\\-", out);
        for (; c && *c; c++)
            putc(toupper((unsigned char)*c), out);
    }
    fputs(" 1 \"" CY_VERSION_DATE "\" \"Chengying " CY_VERSION "\" \"User Commands\"\n", out);
}

static void put_name(const struct cy_page *page, FILE *out)
{
    fprintf(out, "cy\\-%s", page->name);
    if (page->second)
        fprintf(out, "\\-%s", page->second);
}

static void put_option(const struct cy_option *option, void *context)
{
    FILE *out = context;
    fputs(".TP\n", out);
    if (option->short_name) {
        fprintf(out, "\\fB\\-%c\\fR", option->short_name);
        fputs(option->long_name ? ", " : option->argument ? " " : "", out);
    }
    const bool optional = option->flags & CY_OPTION_OPTIONAL;
    if (option->long_name) {
        fputs(option->flags & CY_OPTION_ONE_DASH ? "\\fB\\-" : "\\fB\\-\\-", out);
        put_words(option->long_name, out);
        fputs(!option->argument ? "\\fR" : optional ? "\\fR[=" : "\\fR=", out);
    }
    if (option->argument) {
        fputs("\\fI", out);
        put_words(option->argument, out);
        fputs(optional ? "\\fR]" : "\\fR", out);
    }
    putc('\n', out);
    put_lines(option->help, out);
}

/* The notes after the options: "heading:" before indented lines starts a section, indented lines are kept as they
 * are. */
static void put_notes(const char *text, FILE *out)
{
    bool in_example = false, after_heading = false;
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        bool indented = *text == ' ';
        if (in_example != indented && length) {
            fputs(in_example ? ".EE\n" : after_heading ? ".EX\n" : "", out);
            if (indented && !after_heading)
                fputs(".PP\n.EX\n", out);
            in_example = indented;
        }
        bool heading = length && text[length - 1] == ':' && text[length] && text[length + 1] == ' ';
        if (heading) {
            put_heading(text, length - 1, out);
        } else if (indented) {
            put_text(text + 2, length - 2, out);
            putc('\n', out);
        } else if (length) {
            fputs(after_heading ? "" : ".PP\n", out);
            put_text(text, length, out);
            putc('\n', out);
        }
        after_heading = heading;
    }
    if (in_example)
        fputs(".EE\n", out);
}

static const char exit_status[] = ".SH EXIT STATUS\n"
                                  ".TP\n.B 0\nDone.\n"
                                  ".TP\n.B 1\nAn input or the environment is at fault.\n"
                                  ".TP\n.B 2\nThe command line is invalid.\n";

static void put_front(FILE *out)
{
    static const struct {
        const char *name, *text;
    } variables[] = {
#define ENVIRONMENT(name, text) {name, text},
#include "base/environment.def"
    };
    put_title(NULL, out);
    fputs(".SH NAME\ncy \\- the Ventus GPGPU as software\n"
          ".SH SYNOPSIS\n.B cy\n.I COMMAND\n[\\fIoptions\\fR] \\fIFILE\\fR...\n"
          ".SH DESCRIPTION\n"
          "Compiles, assembles, links, shows and runs programs for Ventus (generations 1 and 2) and for the small "
          "EpicGPU,\n"
          "without hardware.\n"
          ".SH COMMANDS\n",
          out);
    for (size_t i = 0; i < cy_page_count; i++) {
        fputs(".TP\n.BR ", out);
        put_name(&cy_pages[i], out);
        fputs(" (1)\n", out);
        put_lines(cy_pages[i].text, out);
    }
    fputs(exit_status, out);
    fputs(".SH ENVIRONMENT\n", out);
    for (size_t i = 0; i < CY_COUNT(variables); i++) {
        fprintf(out, ".TP\n.B %s\n", variables[i].name);
        put_lines(variables[i].text, out);
    }
}

void cy_help_man(const struct cy_page *page, FILE *out)
{
    if (!page) {
        put_front(out);
        return;
    }
    const struct cy_usage *usage = cy_page_usage(page);
    put_title(page, out);
    fputs(".SH NAME\n", out);
    put_name(page, out);
    fputs(" \\- ", out);
    put_lines(page->text, out);
    fprintf(out, ".SH SYNOPSIS\n.B cy %s\n", usage->command);
    put_lines(usage->synopsis, out);
    fputs(".SH DESCRIPTION\n", out);
    put_lines(usage->summary, out);
    fputs(".SH OPTIONS\n", out);
    cy_usage_options(usage, put_option, out);
    if (usage->epilogue)
        put_notes(usage->epilogue, out);
    fputs(exit_status, out);
    fputs(".SH SEE ALSO\n.BR cy (1)\n", out);
}
