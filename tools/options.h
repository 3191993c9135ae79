/* Command line options of `cy` and its subcommands.
 *
 *     enum { OPT_OUTPUT = 1, OPT_DEFINE, OPT_MARCH, OPT_LISTING };
 *     static const struct cy_option options[] = {
 *         {OPT_OUTPUT, 'o', "output", "FILE", "write to FILE (default a.o)", 0},
 *         {OPT_DEFINE, 'D', NULL, "NAME=VALUE", "define a symbol", 0},
 *         {OPT_MARCH, 0, "march", "TARGET", "instruction set", CY_OPTION_ONE_DASH},
 *         {OPT_LISTING, 'l', "listing", NULL, "print a listing", 0},
 *     };
 *     static const struct cy_usage usage = {
 *         "as", "[options] FILE...", "Assembles sources into an object.", "Examples:\n  cy as -o a.o a.s\n",
 *         options, CY_COUNT(options)};
 *
 *     struct cy_args args;
 *     cy_args_start(&args, &usage, argc, argv);
 *     for (int id; (id = cy_args_next(&args)) != CY_ARGS_END;) {
 *         switch (id) {
 *         case OPT_OUTPUT: output = args.value; break;
 *         case CY_ARGS_FILE: *cy_vec_push(&files) = args.value; break;
 *         case CY_ARGS_EXIT: return args.status;      // --help was printed, or a bad option was reported
 *         }
 *     }
 *     if (files.count == 0)
 *         return cy_usage_error(&usage, "no input file");
 *
 * Accepted: -l, -o FILE, -oFILE, -lo FILE, --output FILE, --output=FILE; "--" ends the options; "-" alone is a file.
 * Options and files may be mixed.  -h and --help need no row: every command has them. */
#ifndef CY_TOOLS_OPTIONS_H
#define CY_TOOLS_OPTIONS_H

#include <stdio.h>

#include "base/diag.h"

/* Exit statuses of every command. */
enum {
    CY_EXIT_OK = 0,
    CY_EXIT_INPUT = 1, /* an input file or the environment is at fault; the messages are on standard error */
    CY_EXIT_USAGE = 2, /* the command line is invalid */
};

enum cy_option_flags {
    CY_OPTION_ONE_DASH = 1, /* -march=X as well as --march=X, for names familiar from other assemblers */
    CY_OPTION_HIDDEN = 2,   /* accepted, not shown by --help */
    CY_OPTION_OPTIONAL = 4, /* the argument is optional, and never the next word: --name or --name=X */
};

struct cy_option {
    int id;                /* returned by cy_args_next; positive */
    char short_name;       /* 0: none */
    const char *long_name; /* without dashes; NULL: none */
    const char *argument;  /* its argument's name in --help; NULL: the option takes none */
    const char *help;      /* may hold '\n' */
    unsigned flags;        /* set of cy_option_flags */
};

struct cy_usage {
    const char *command;  /* "as" */
    const char *synopsis; /* "[options] FILE..." */
    const char *summary;  /* what the command does: one or more lines */
    const char *epilogue; /* printed after the options, whole lines (examples, notes); NULL: nothing */
    const struct cy_option *options;
    size_t option_count;
};

enum { CY_ARGS_END = 0, CY_ARGS_FILE = -1, CY_ARGS_EXIT = -2 };

struct cy_args {
    const char *value; /* the option's argument (NULL if it takes none), or the file */
    int status;        /* exit status, when cy_args_next returned CY_ARGS_EXIT */

    /* private to options.c */
    const struct cy_usage *usage;
    int argc, index;
    char **argv;
    const char *cluster; /* the rest of a word of short options */
    bool only_files;     /* "--" was seen */
    uint64_t given[2];   /* options of the table that were there, a bit each */
};

/* argv[0] is the command's own name and is skipped. */
void cy_args_start(struct cy_args *args, const struct cy_usage *usage, int argc, char **argv);
/* The id of the next option, CY_ARGS_FILE, CY_ARGS_END or CY_ARGS_EXIT (then return args->status from the command). */
int cy_args_next(struct cy_args *args);

/* Options that have an effect only with others, by their long names. */
enum { CY_MOST_NEEDED = 8 };
struct cy_need {
    const char *option;
    const char *needed[CY_MOST_NEEDED]; /* one of these; NULL: no more */
};
/* After the end: reports an option that would have no effect.  CY_EXIT_OK: there is none. */
int cy_args_check_needs(const struct cy_args *args, const struct cy_need *needs, size_t count);
/* Was the option with this long name there? */
bool cy_args_given(const struct cy_args *args, const char *name);

/* From now on --help calls `show` instead of printing, to give access to a command's table.  NULL: it prints again. */
void cy_args_on_help(void (*show)(const struct cy_usage *usage, void *context), void *context);
/* Calls `visit` for every option that --help shows, and for --help itself. */
void cy_usage_options(const struct cy_usage *usage, void (*visit)(const struct cy_option *option, void *context),
                      void *context);

void cy_usage_print(const struct cy_usage *usage, FILE *out);
/* Reports "cy as: error: ..." and where to find help; returns CY_EXIT_USAGE. */
int cy_usage_error(const struct cy_usage *usage, const char *format, ...) CY_PRINTF(2, 3);

/* Numbers in options: decimal, 0x..., 0b..., 0...; false if the text is not a number or above `limit`. */
bool cy_parse_number(const char *text, uint64_t limit, uint64_t *value);

/* Prints the messages collected so far to standard error, frees them, returns CY_EXIT_INPUT if one was an error. */
int cy_report(struct cy_diags *diags);
/* The messages so far go to standard error now: they are about the output that follows. */
void cy_say(struct cy_diags *diags);

#endif
