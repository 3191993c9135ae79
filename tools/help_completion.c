/* Completion scripts for bash, zsh and fish, from the tables that parse the command line. */
#include <string.h>

#include "help.h"

/* ---- arguments of options and commands ---- */

enum kind { ANYTHING, FILES, DIRECTORIES, PROGRAMS, COMMANDS, WORDS, WORDS_OF_HELP };

static const struct argument {
    const char *name; /* its name in the tables */
    enum kind kind;
    const char *words;
} arguments[] = {
    {"FILE", FILES, NULL},
    {"DIR", DIRECTORIES, NULL},
    {"TARGET", WORDS_OF_HELP, "ventus ventus-gen2 epic epic-fpga"},
    {"PRESET", WORDS, "default rtl rtl32 manual"},
    {"LEVEL", WORDS, "0 2"},
    {"KIND", WORDS, "packed lane"},
    {"PRESET|FILE", FILES, NULL},
    {"ENGINE", WORDS_OF_HELP, "interp jit auto"},
    {"SHELL", WORDS, "bash zsh fish"},
    {"PASS", WORDS,
/* The passes after which there is a program to print. */
#define PASS_FRONT(name)
#define PASS_LLVM(name)
#define PASS_IR(name) name " "
#define PASS_MACHINE(name) name " "
#define PASS_ALLOC(name) name " "
#define PASS_EMIT(name)
#define PASS_OBJECT(name)
#define PASS(name, stage, level, help, check) PASS_##stage(#name)
#include "cc/passes/passes.def"
     "all"},
};

static const struct argument *argument_of(const struct cy_option *option)
{
    static const struct argument anything = {"", ANYTHING, NULL};
    for (size_t i = 0; i < CY_COUNT(arguments); i++)
        if (strcmp(arguments[i].name, option->argument) == 0)
            return &arguments[i];
    return &anything;
}

static bool is_named(const char *text, const char *word, size_t length)
{
    static const char part_of_word[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    for (size_t span; *text; text += span) {
        span = strspn(text, part_of_word);
        if (span == length && memcmp(text, word, length) == 0)
            return true;
        span += strcspn(text + span, part_of_word);
    }
    return false;
}

/* The words that an option's argument may be. */
static void put_words(const struct argument *argument, const struct cy_option *option, FILE *out)
{
    const char *gap = "";
    for (const char *word = argument->words; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        if (argument->kind == WORDS || is_named(option->help, word, length)) {
            fprintf(out, "%s%.*s", gap, (int)length, word);
            gap = " ";
        }
        word += length;
    }
}

/* The kind of a command's own words. */
static enum kind words_of(const struct cy_usage *usage)
{
    if (strstr(usage->synopsis, "PROGRAM"))
        return PROGRAMS;
    if (strstr(usage->synopsis, "COMMAND"))
        return COMMANDS;
    return strstr(usage->synopsis, "FILE") || strstr(usage->synopsis, "OBJECT") ? FILES : ANYTHING;
}

static const char *long_dashes(const struct cy_option *option)
{
    return option->flags & CY_OPTION_ONE_DASH ? "-" : "--";
}

/* In single quotes, with a backslash before the characters of `special`. */
static void put_quoted(const char *text, const char *special, const char *apostrophe, FILE *out)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs(apostrophe, out);
        else if (*text == '\n')
            putc(' ', out);
        else if (strchr(special, *text))
            fprintf(out, "\\%c", *text);
        else
            putc(*text, out);
    }
}

/* ---- bash ---- */

static void bash_name(const struct cy_option *option, void *out)
{
    if (option->short_name)
        fprintf(out, " -%c", option->short_name);
    if (option->long_name)
        fprintf(out, " %s%s", long_dashes(option), option->long_name);
}

struct of_command {
    FILE *out;
    const char *command;
};

static void bash_argument(const struct cy_option *option, void *context)
{
    const struct of_command *at = context;
    if (!option->argument)
        return;
    fputs("    ", at->out);
    if (option->short_name)
        fprintf(at->out, "'%s -%c'%s", at->command, option->short_name, option->long_name ? " | " : "");
    if (option->long_name)
        fprintf(at->out, "'%s --%s'", at->command, option->long_name);
    if (option->flags & CY_OPTION_ONE_DASH)
        fprintf(at->out, " | '%s -%s'", at->command, option->long_name);
    const struct argument *argument = argument_of(option);
    static const char *const flags[] = {[ANYTHING] = ":", [FILES] = "_cy_files -f", [DIRECTORIES] = "_cy_files -d"};
    fputs(option->flags & CY_OPTION_OPTIONAL ? ") [[ $equals ]] || return 1; " : ") ", at->out);
    if (argument->words) {
        fputs("_cy_choose '", at->out);
        put_words(argument, option, at->out);
        fputs("' ;;\n", at->out);
    } else {
        fprintf(at->out, "%s ;;\n", flags[argument->kind]);
    }
}

static void bash_commands(const char *of, FILE *out)
{
    for (size_t i = 0; i < cy_page_count; i++)
        if (of ? cy_pages[i].second && strcmp(cy_pages[i].name, of) == 0 : !cy_pages[i].second)
            fprintf(out, " %s", of ? cy_pages[i].second : cy_pages[i].name);
}

static bool has_subcommands(const struct cy_page *page)
{
    for (size_t i = 0; !page->second && i < cy_page_count; i++)
        if (cy_pages[i].second && strcmp(cy_pages[i].name, page->name) == 0)
            return true;
    return false;
}

static void bash_words(const struct cy_page *page, const struct cy_usage *usage, FILE *out)
{
    static const char *const files[] = {
        [ANYTHING] = ":", [FILES] = "_cy_files -f", [PROGRAMS] = "_cy_files -c", [COMMANDS] = ""};
    enum kind kind = has_subcommands(page) ? COMMANDS : words_of(usage);
    fprintf(out, "    '%s') ", usage->command);
    if (kind == COMMANDS) {
        fputs("_cy_choose '", out);
        bash_commands(has_subcommands(page) ? page->name : NULL, out);
        fputs("' ;;\n", out);
    } else {
        fprintf(out, "%s ;;\n", files[kind]);
    }
}

static void write_bash(FILE *out)
{
    fputs("# bash completion for cy, generated by `cy help --completion bash`\n"
          "_cy_choose() { COMPREPLY=($(compgen -W \"$1\" -- \"$current\")); }\n"
          "_cy_files() {\n"
          "    local IFS=$'\\n'\n"
          "    COMPREPLY=($(compgen \"$1\" -- \"$current\"))\n"
          "    compopt -o filenames 2>/dev/null || :\n"
          "}\n"
          "_cy_options() {\n"
          "    case $command in\n",
          out);
    for (size_t i = 0; i < cy_page_count; i++) {
        const struct cy_usage *usage = cy_page_usage(&cy_pages[i]);
        fprintf(out, "    '%s') _cy_choose '", usage->command);
        cy_usage_options(usage, bash_name, out);
        fputs("' ;;\n", out);
    }
    fputs("    esac\n}\n_cy_words() {\n    case $command in\n    '') _cy_choose '", out);
    bash_commands(NULL, out);
    fputs(" --help --version' ;;\n", out);
    for (size_t i = 0; i < cy_page_count; i++)
        bash_words(&cy_pages[i], cy_page_usage(&cy_pages[i]), out);
    fputs("    esac\n}\n"
          "# The argument of the option before; false: that was no option with one.\n"
          "_cy_argument() {\n    case \"$command $previous\" in\n",
          out);
    for (size_t i = 0; i < cy_page_count; i++) {
        const struct cy_usage *usage = cy_page_usage(&cy_pages[i]);
        cy_usage_options(usage, bash_argument, &(struct of_command){out, usage->command});
    }
    fputs("    *) return 1 ;;\n    esac\n}\n"
          "_cy() {\n"
          "    local at=$COMP_CWORD command= equals= word\n"
          "    local current=${COMP_WORDS[at]} previous=${COMP_WORDS[at - 1]}\n"
          "    COMPREPLY=()\n"
          "    # --option=value comes as three words\n"
          "    if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then previous=${COMP_WORDS[at - 2]}; "
          "fi\n"
          "    ((at > 1)) && command=${COMP_WORDS[1]}\n"
          "    case $command in\n",
          out);
    for (size_t i = 0; i < cy_page_count; i++)
        if (has_subcommands(&cy_pages[i]))
            fprintf(out, "    %s) ((at > 2)) && command+=\" ${COMP_WORDS[2]}\" ;;\n", cy_pages[i].name);
    fputs("    esac\n"
          "    for word in \"${COMP_WORDS[@]:1:at-1}\"; do\n"
          "        [[ $word == -- ]] && { _cy_words; return; }\n"
          "    done\n"
          "    _cy_argument && return\n"
          "    if [[ $command && $current == -* ]]; then _cy_options; else _cy_words; fi\n"
          "}\n"
          "complete -F _cy cy\n",
          out);
}

/* ---- zsh ---- */

static void zsh_argument(const struct cy_option *option, FILE *out)
{
    const struct argument *argument = argument_of(option);
    fputs(option->flags & CY_OPTION_OPTIONAL ? "::" : ":", out);
    put_quoted(option->argument, "[]:\\", "'\\''", out);
    if (argument->words) {
        fputs(":(", out);
        put_words(argument, option, out);
        putc(')', out);
    } else {
        fputs(argument->kind == FILES ? ":_files" : argument->kind == DIRECTORIES ? ":_files -/" : ":", out);
    }
}

static void zsh_spelling(const struct cy_option *option, const char *spelling, const char *join, FILE *out)
{
    fprintf(out, " \\\n            '*%s%s[", spelling, option->argument ? join : "");
    put_quoted(option->help, "[]:\\", "'\\''", out);
    putc(']', out);
    if (option->argument)
        zsh_argument(option, out);
    putc('\'', out);
}

static void zsh_option(const struct cy_option *option, void *out)
{
    struct cy_buf spelling = {0};
    if (option->short_name) {
        cy_buf_printf(&spelling, "-%c", option->short_name);
        zsh_spelling(option, spelling.data, "+", out);
    }
    if (option->long_name) {
        spelling.size = 0;
        cy_buf_printf(&spelling, "%s%s", long_dashes(option), option->long_name);
        zsh_spelling(option, spelling.data, option->flags & CY_OPTION_OPTIONAL ? "=-" : "=", out);
    }
    cy_buf_free(&spelling);
}

static void zsh_commands(const char *of, FILE *out)
{
    fputs("_values command", out);
    for (size_t i = 0; i < cy_page_count; i++) {
        const struct cy_page *page = &cy_pages[i];
        if (of ? !page->second || strcmp(page->name, of) != 0 : page->second != NULL)
            continue;
        fprintf(out, " '%s[", of ? page->second : page->name);
        put_quoted(page->text, "[]:\\", "'\\''", out);
        fputs("]'", out);
    }
    putc('\n', out);
}

static void write_zsh(FILE *out)
{
    static const char *const rest[] = {[ANYTHING] = "",
                                       [FILES] = " '*:file:_files'",
                                       [PROGRAMS] = " '*::program:_normal'",
                                       [COMMANDS] = " '*:command:_cy_commands'"};
    fputs("#compdef cy\n"
          "# zsh completion for cy, generated by `cy help --completion zsh`\n"
          "_cy_commands() {\n    ",
          out);
    zsh_commands(NULL, out);
    fputs("}\n_cy() {\n"
          "    if ((CURRENT == 2)); then\n"
          "        _cy_commands\n"
          "        return\n"
          "    fi\n"
          "    local command=$words[2]\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $command in\n",
          out);
    for (size_t i = 0; i < cy_page_count; i++) {
        if (!has_subcommands(&cy_pages[i]))
            continue;
        fprintf(out, "    %s)\n        if ((CURRENT == 2)); then\n            ", cy_pages[i].name);
        zsh_commands(cy_pages[i].name, out);
        fputs("            return\n"
              "        fi\n"
              "        command+=\" $words[2]\"\n"
              "        shift words\n"
              "        ((CURRENT--))\n"
              "        ;;\n",
              out);
    }
    fputs("    esac\n    case $command in\n", out);
    for (size_t i = 0; i < cy_page_count; i++) {
        if (has_subcommands(&cy_pages[i]))
            continue;
        const struct cy_usage *usage = cy_page_usage(&cy_pages[i]);
        fprintf(out, "    '%s')\n        _arguments", usage->command);
        cy_usage_options(usage, zsh_option, out);
        fprintf(out, "%s\n        ;;\n", rest[words_of(usage)]);
    }
    fputs("    esac\n}\n"
          "if [[ $funcstack[1] == _cy ]]; then _cy \"$@\"; else compdef _cy cy; fi\n",
          out);
}

/* ---- fish ---- */

static void fish_option(const struct cy_option *option, void *context)
{
    const struct of_command *at = context;
    fprintf(at->out, "complete -c cy -n '__cy_is %s'", at->command);
    if (option->short_name)
        fprintf(at->out, " -s %c", option->short_name);
    if (option->long_name)
        fprintf(at->out, " -%c %s", option->flags & CY_OPTION_ONE_DASH ? 'o' : 'l', option->long_name);
    if (option->argument && !(option->flags & CY_OPTION_OPTIONAL)) { /* fish knows no optional ones */
        const struct argument *argument = argument_of(option);
        static const char *const flags[] = {
            [ANYTHING] = " -x", [FILES] = " -r -F", [DIRECTORIES] = " -x -a '(__fish_complete_directories)'"};
        if (argument->words) {
            fputs(" -x -a '", at->out);
            put_words(argument, option, at->out);
            putc('\'', at->out);
        } else {
            fputs(flags[argument->kind], at->out);
        }
    }
    fputs(" -d '", at->out);
    put_quoted(option->help, "\\", "\\'", at->out);
    fputs("'\n", at->out);
}

static void fish_command(const char *condition, const char *name, const char *text, FILE *out)
{
    fprintf(out, "complete -c cy -n '%s' -a %s -d '", condition, name);
    put_quoted(text, "\\", "\\'", out);
    fputs("'\n", out);
}

static void fish_page(const struct cy_page *page, FILE *out)
{
    static const char *const rest[] = {[FILES] = " -F", [PROGRAMS] = " -F -a '(__fish_complete_command)'"};
    const struct cy_usage *usage = cy_page_usage(page);
    struct cy_buf condition = {0};
    if (page->second)
        cy_buf_printf(&condition, "__cy_is %s", page->name);
    else
        cy_buf_puts(&condition, "__cy_is");
    fish_command(condition.data, page->second ? page->second : page->name, page->text, out);
    enum kind kind = has_subcommands(page) ? ANYTHING : words_of(usage);
    if (kind == COMMANDS) {
        fprintf(out, "complete -c cy -n '__cy_is %s' -a '", usage->command);
        bash_commands(NULL, out);
        fputs("'\n", out);
    } else if (kind != ANYTHING) {
        fprintf(out, "complete -c cy -n '__cy_is %s'%s\n", usage->command, rest[kind]);
    }
    cy_usage_options(usage, fish_option, &(struct of_command){out, usage->command});
    cy_buf_free(&condition);
}

static void write_fish(FILE *out)
{
    fputs("# fish completion for cy, generated by `cy help --completion fish`\n"
          "function __cy_is --description 'the words so far name this command'\n"
          "    set -l words (commandline -opc)[2..-1]\n"
          "    set -l depth 1\n",
          out);
    for (size_t i = 0; i < cy_page_count; i++)
        if (has_subcommands(&cy_pages[i]))
            fprintf(out, "    test \"$words[1]\" = %s; and set depth 2\n", cy_pages[i].name);
    fputs("    test \"$words[1..$depth]\" = \"$argv\"\n"
          "end\n"
          "complete -c cy -f\n",
          out);
    for (size_t i = 0; i < cy_page_count; i++)
        fish_page(&cy_pages[i], out);
}

bool cy_help_completion(const char *shell, FILE *out)
{
    static const struct {
        const char *shell;
        void (*write)(FILE *out);
    } writers[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
    for (size_t i = 0; i < CY_COUNT(writers); i++) {
        if (strcmp(writers[i].shell, shell) == 0) {
            writers[i].write(out);
            return true;
        }
    }
    return false;
}
