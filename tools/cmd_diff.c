/* `cy diff`: two runs' commit traces, compared warp by warp. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "commands.h"
#include "diff/diff.h"
#include "isa/isa.h"
#include "obj/lines.h"
#include "options.h"

enum { OPT_ELF = 1, OPT_ALL, OPT_CONTEXT, OPT_PROFILE };

static const struct cy_option options[] = {
    {OPT_ELF, 0, "elf", "FILE", "the executable: shows source lines", 0},
    {OPT_CONTEXT, 'c', "context", "COUNT", "instructions shown before a difference (default 3)", 0},
    {OPT_PROFILE, 0, "profile", NULL, "compare two profiles of cy profile --json, line by line", 0},
    {OPT_ALL, 'a', "all", NULL, "show every difference (default: the first of each warp)", 0},
};

static const struct cy_usage usage = {"diff",
                                      "[options] TRACE TRACE | --profile PROFILE PROFILE",
                                      "Compares two commit traces, as cy run --trace, cy replay --trace and the public "
                                      "simulator write them, warp by warp.\n"
                                      "Exit status 0: they are the same; 1: they differ.",
                                      "example:\n"
                                      "  cy run --trace a.log kernel.cl ... && cy diff a.log b.log\n",
                                      options,
                                      CY_COUNT(options)};

struct diff {
    struct cy_diags diags;
    struct cy_trace_log left, right;
    struct cy_trace_findings findings;
    struct cy_buf elf;
    struct cy_object object;
    struct cy_lines lines;
    bool has_lines;
    uint64_t context;
};

/* "  ; kernel.cl:12", if that is known. */
static void print_source(const struct diff *diff, const char *before, uint32_t pc)
{
    const struct cy_line_row *row = diff->has_lines ? cy_lines_find(&diff->lines, pc) : NULL;
    if (row && row->line && row->file != UINT32_MAX) {
        struct cy_buf path = {0};
        cy_lines_path(&diff->lines, row, &path);
        printf("%s%s:%u", before, path.data, row->line);
        cy_buf_free(&path);
    }
}

static void print_record(const struct diff *diff, const char *mark, const struct cy_trace_record *record)
{
    struct cy_insn insn;
    struct cy_buf text = {0};
    if (cy_decode_word(CY_GEN1, record->word, &insn) || cy_decode_word(CY_GEN2, record->word, &insn))
        cy_print(&text, CY_GEN1, &insn, record->pc, 0);
    for (char *at = text.data; at && *at; at++)
        *at = *at == '\t' ? ' ' : *at;
    printf("%s 0x%08x %-32s %s", mark, record->pc, text.data ? text.data : "", record->effect);
    print_source(diff, "  ; ", record->pc);
    putchar('\n');
    cy_buf_free(&text);
}

static void print_side(const struct diff *diff, const char *mark, const struct cy_trace_log *log, size_t at,
                       size_t count)
{
    enum { SHOWN = 8 };
    for (size_t i = 0; i < count && i < SHOWN; i++)
        print_record(diff, mark, &log->records.at[at + i]);
    if (count > SHOWN)
        printf("%s ... %zu more\n", mark, count - SHOWN);
}

/* ---- which part of an effect differs: lines of 32 lanes are too long to compare by eye ---- */

/* The next word of an effect; false: there is none. */
static bool next_word(const char **at, const char **word, int *length)
{
    *at += strspn(*at, " ");
    *word = *at;
    *length = (int)strcspn(*at, " ");
    *at += *length;
    return *length != 0;
}

static unsigned count_words(const char *at)
{
    const char *word;
    int length;
    unsigned count = 0;
    while (next_word(&at, &word, &length) && strncmp(word, "mem", 3) != 0)
        count++;
    return count;
}

/* What the word after `index` others is: a register's number, its mask, a lane of it, or a part of an access. */
static void print_part(const char *effect, unsigned index, unsigned accesses, unsigned in_access)
{
    const int name = (int)strcspn(effect, " ");
    if (accesses)
        printf("%s of access %u", in_access == 1 ? "address" : "value", accesses);
    else if (index == 0)
        printf("register");
    else if (*effect != 'v')
        printf("%.*s", name, effect);
    else if (index == 1)
        printf("mask of %.*s", name, effect);
    else
        printf("%.*s lane %u", name, effect, count_words(effect) - index - 1); /* the highest is first */
}

static void print_difference(const char *left, const char *right)
{
    const char *a = left, *b = right, *left_word, *right_word;
    int left_length, right_length;
    unsigned index = 0, accesses = 0, in_access = 0, found = 0;
    for (;; index++, in_access++) {
        const bool has_left = next_word(&a, &left_word, &left_length),
                   has_right = next_word(&b, &right_word, &right_length);
        if (!has_left && !has_right)
            break;
        if (left_length == 3 && !strncmp(left_word, "mem", 3)) {
            accesses++;
            in_access = 0;
        }
        if (left_length == right_length && !strncmp(left_word, right_word, (size_t)left_length))
            continue;
        if (found++)
            continue;
        if (has_left && has_right) {
            printf("  differs: ");
            print_part(left, index, accesses, in_access);
            printf(", %.*s and %.*s", left_length, left_word, right_length, right_word);
        } else {
            printf("  differs: only the %s goes on: %s", has_left ? "first" : "second",
                   has_left ? left_word : right_word);
            break;
        }
    }
    if (found > 1)
        printf("; %u more", found - 1);
    if (found)
        putchar('\n');
}

static bool is_same_instruction(const struct diff *diff, const struct cy_trace_finding *finding)
{
    const struct cy_trace_record *left = &diff->left.records.at[finding->left_at],
                                 *right = &diff->right.records.at[finding->right_at];
    return finding->left == 1 && finding->right == 1 && left->pc == right->pc && left->word == right->word;
}

static void print_finding(const struct diff *diff, const struct cy_trace_finding *finding)
{
    const struct cy_trace_log *left = &diff->left, *right = &diff->right;
    size_t before = 0;
    while (before < diff->context && finding->left_at > before &&
           left->records.at[finding->left_at - before - 1].warp == finding->warp)
        before++;
    printf("warp %u: ", finding->warp);
    if (is_same_instruction(diff, finding))
        printf("another effect");
    else if (finding->left && finding->right)
        printf("other instructions");
    else
        printf("%zu instruction%s only in %s", finding->left + finding->right,
               finding->left + finding->right == 1 ? "" : "s", finding->left ? left->name : right->name);
    if (finding->left)
        printf(", %s:%u", left->name, left->records.at[finding->left_at].line);
    if (finding->right)
        printf(", %s:%u", right->name, right->records.at[finding->right_at].line);
    print_source(diff, ", at ",
                 (finding->left ? left->records.at[finding->left_at] : right->records.at[finding->right_at]).pc);
    putchar('\n');
    for (; before; before--)
        print_record(diff, " ", &left->records.at[finding->left_at - before]);
    print_side(diff, "<", left, finding->left_at, finding->left);
    print_side(diff, ">", right, finding->right_at, finding->right);
    if (is_same_instruction(diff, finding))
        print_difference(left->records.at[finding->left_at].effect, right->records.at[finding->right_at].effect);
}

static int compare(struct diff *diff, bool all)
{
    const size_t count = diff->findings.list.count;
    size_t warps = 0;
    for (size_t i = 0; i < count; i++) {
        const struct cy_trace_finding *finding = &diff->findings.list.at[i];
        const bool is_first = !i || finding[-1].warp != finding->warp;
        warps += is_first;
        if (is_first || all)
            print_finding(diff, finding);
        size_t more = 0;
        while (!all && is_first && i + 1 + more < count && finding[1 + more].warp == finding->warp)
            more++;
        if (more)
            printf("  ... and %zu more difference%s of this warp\n", more, more == 1 ? "" : "s");
    }
    if (count)
        printf("%zu difference%s in %zu warp%s, of %zu instructions that write something\n", count,
               count == 1 ? "" : "s", warps, warps == 1 ? "" : "s", diff->findings.instructions);
    else
        printf("the same: %zu instructions that write something\n", diff->findings.instructions);
    return count ? CY_EXIT_INPUT : CY_EXIT_OK;
}

static int compare_profiles(const char *left, const char *right)
{
    struct cy_diags diags = {0};
    struct cy_buf table = {0};
    bool is_same;
    const bool ok = cy_profile_compare(left, right, &table, &is_same, &diags);
    if (ok)
        fputs(table.data, stdout);
    fflush(stdout);
    cy_buf_free(&table);
    const int reported = cy_report(&diags);
    return reported || !ok || is_same ? reported : CY_EXIT_INPUT;
}

static bool open_elf(struct diff *diff, const char *path)
{
    if (!path)
        return true;
    if (!cy_file_read(path, &diff->elf, &diff->diags) ||
        !cy_object_read(&diff->object, path, diff->elf.data, diff->elf.size, &diff->diags))
        return false;
    diff->has_lines = cy_lines_read(&diff->lines, &diff->object);
    if (!diff->has_lines)
        cy_diag_file(&diff->diags, CY_NOTE, path, "no line numbers: compile it with -g");
    return true;
}

int cy_cmd_diff(int argc, char **argv)
{
    struct cy_args args;
    struct diff diff = {.context = 3};
    const char *files[2] = {NULL, NULL}, *elf = NULL;
    bool all = false, profiles = false;
    int status = CY_EXIT_OK;
    cy_args_start(&args, &usage, argc, argv);
    for (int id; status == CY_EXIT_OK && (id = cy_args_next(&args)) != CY_ARGS_END;)
        switch (id) {
        case OPT_ELF: elf = args.value; break;
        case OPT_ALL: all = true; break;
        case OPT_PROFILE: profiles = true; break;
        case OPT_CONTEXT:
            if (!cy_parse_number(args.value, 1000000, &diff.context))
                status = cy_usage_error(&usage, "--context needs a number, not '%s'", args.value);
            break;
        case CY_ARGS_FILE:
            if (files[1])
                status = cy_usage_error(&usage, "more than two traces: '%s'", args.value);
            files[files[0] ? 1 : 0] = args.value;
            break;
        case CY_ARGS_EXIT: return args.status;
        }
    if (status == CY_EXIT_OK && profiles && (elf || all || cy_args_given(&args, "context")))
        status = cy_usage_error(&usage, "--%s is for traces, not for profiles", elf ? "elf" : all ? "all" : "context");
    if (status == CY_EXIT_OK && !files[1])
        status = cy_usage_error(&usage, profiles ? "two profiles are needed" : "two traces are needed");
    if (status != CY_EXIT_OK)
        return status;
    if (profiles)
        return compare_profiles(files[0], files[1]);
    const bool ok = open_elf(&diff, elf) && cy_trace_log_read(&diff.left, files[0], &diff.diags) &&
                    cy_trace_log_read(&diff.right, files[1], &diff.diags);
    if (ok) {
        cy_trace_compare(&diff.left, &diff.right, &diff.findings);
        status = compare(&diff, all);
        fflush(stdout);
    }
    cy_trace_log_free(&diff.left);
    cy_trace_log_free(&diff.right);
    cy_vec_free(&diff.findings.list);
    if (diff.has_lines)
        cy_lines_free(&diff.lines);
    cy_object_free(&diff.object);
    cy_buf_free(&diff.elf);
    const int reported = cy_report(&diff.diags);
    return reported ? reported : status;
}
