/* The options string of clBuildProgram, clCompileProgram and clLinkProgram. */
#include "cl/program/program_priv.h"

/* The functions that accept an option: bits by enum cy_cl_stage. */
enum { BUILD = 1 << CY_CL_BUILD, COMPILE = 1 << CY_CL_COMPILE, LINK = 1 << CY_CL_LINK };
static const struct {
    const char *text;
    unsigned stages;
    bool for_clang;
} known[] = {
    {"-cl-single-precision-constant", BUILD | COMPILE, true},
    {"-cl-denorms-are-zero", BUILD | COMPILE | LINK, true},
    {"-cl-fp32-correctly-rounded-divide-sqrt", BUILD | COMPILE, true},
    {"-cl-opt-disable", BUILD | COMPILE, true},
    {"-cl-strict-aliasing", BUILD | COMPILE, true},
    {"-cl-mad-enable", BUILD | COMPILE, true},
    {"-cl-no-signed-zeros", BUILD | COMPILE | LINK, true},
    {"-cl-no-signed-zeroes", LINK, false}, /* the spelling of the linker options */
    {"-cl-unsafe-math-optimizations", BUILD | COMPILE | LINK, true},
    {"-cl-finite-math-only", BUILD | COMPILE | LINK, true},
    {"-cl-fast-relaxed-math", BUILD | COMPILE | LINK, true},
    {"-cl-uniform-work-group-size", BUILD | COMPILE, false},
    {"-cl-no-subgroup-ifp", BUILD | COMPILE | LINK, false},
    {"-cl-kernel-arg-info", BUILD | COMPILE, false}, /* our own tools always want it */
    {"-w", BUILD | COMPILE, true},
    {"-Werror", BUILD | COMPILE, true},
    {"-g", BUILD | COMPILE, true},
    {"-fno-inline", BUILD | COMPILE, true},   /* ours: disables inlining */
    {CY_CC_NO_SOURCE, BUILD | COMPILE, true}, /* ours: binaries without it */
    {"-create-library", LINK, false},
    {"-enable-link-options", LINK, false},
};

static bool refuse(struct cy_cl_options *options, const char *word, const char *why)
{
    cy_buf_printf(&options->log, "error: build option '%s' is not supported%s\n", word, why);
    return false;
}

static bool take_standard(struct cy_cl_options *options, const char *word)
{
    static const struct {
        const char *text;
        unsigned version;
    } standards[] = {{"CL1.0", 100}, {"CL1.1", 110}, {"CL1.2", 120},    {"CL2.0", 200},
                     {"CL3.0", 300}, {"CLC++", 200}, {"CLC++1.0", 200}, {"CLC++2021", 300}};
    const char *wanted = word + strlen("-cl-std=");
    for (size_t i = 0; i < CY_COUNT(standards); i++)
        if (!strcmp(wanted, standards[i].text)) {
            options->standard = standards[i].version;
            *cy_vec_push(&options->args) = word;
            return true;
        }
    return refuse(options, word,
                  "; the versions of OpenCL C are CL1.0, CL1.1, CL1.2, CL2.0 and CL3.0, those of C++ for OpenCL "
                  "CLC++1.0 (or CLC++) and CLC++2021");
}

/* Compiler options that are not OpenCL's, but that programs pass anyway. */
static bool take_level(struct cy_cl_options *options, const char *word)
{
    const char *level = word + 2;
    if (level[0] && (!strchr("0123s", level[0]) || level[1]))
        return refuse(options, word, "; the levels are -O0 (-cl-opt-disable) and -O2, the default");
    bool disable = level[0] == '0';
    if (disable)
        *cy_vec_push(&options->args) = "-cl-opt-disable";
    cy_buf_printf(&options->log, "note: build option '%s' is accepted; it means %s\n", word,
                  disable ? "-cl-opt-disable" : "-O2, the default");
    return true;
}

static bool take(struct cy_cl_options *options, const char *word, enum cy_cl_stage stage)
{
    static const char *const functions[] = {"clBuildProgram", "clCompileProgram", "clLinkProgram"};
    if (!strncmp(word, "-cl-std=", 8) && stage != CY_CL_LINK)
        return take_standard(options, word);
    if (!strncmp(word, "-O", 2) && stage != CY_CL_LINK)
        return take_level(options, word);
    for (size_t i = 0; i < CY_COUNT(known); i++) {
        if (strcmp(word, known[i].text) != 0)
            continue;
        if (!(known[i].stages >> stage & 1))
            break;
        if (known[i].for_clang)
            *cy_vec_push(&options->args) = word;
        options->create_library |= !strcmp(word, "-create-library");
        options->uniform_groups |= !strcmp(word, "-cl-uniform-work-group-size");
        options->argument_info |= !strcmp(word, "-cl-kernel-arg-info");
        return true;
    }
    cy_buf_printf(&options->log, "error: %s does not take the option '%s'\n", functions[stage], word);
    return false;
}

/* The next word, with quotes and backslashes removed; NULL: no more. */
static char *next_word(struct cy_cl_options *options, const char **text)
{
    const char *at = *text + strspn(*text, " \t\n\r");
    if (!*at)
        return NULL;
    char *word = cy_arena_alloc(&options->arena, strlen(at) + 1), quote = 0;
    size_t length = 0;
    for (; *at && (quote || !strchr(" \t\n\r", *at)); at++) {
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
        else if (*at == '\\' && (at[1] == '"' || at[1] == ' ' || at[1] == '\\'))
            word[length++] = *++at;
        else
            word[length++] = *at;
    }
    *text = at;
    return word;
}

static bool parse(struct cy_cl_options *options, const char *text, enum cy_cl_stage stage)
{
    *cy_vec_push(&options->args) = "-cl-kernel-arg-info";
    *cy_vec_push(&options->args) = cy_cl_demands.variables ? "-g" : CY_CC_LINE_TABLES; /* faults name the line */
    if (cy_cl_demands.variables)
        *cy_vec_push(&options->args) = CY_CC_DEBUG;
    if (cy_cl_demands.checks)
        *cy_vec_push(&options->args) = CY_CC_CHECK;
    if (cy_cl_setting("CHENGYING_NO_SOURCE"))
        *cy_vec_push(&options->args) = CY_CC_NO_SOURCE;
    for (char *word; text && (word = next_word(options, &text));) {
        if (strchr("DUI", word[1]) && word[0] == '-' && word[1] && stage != CY_CL_LINK) {
            const char *value = word[2] ? word + 2 : next_word(options, &text);
            if (!value || !*value) {
                cy_buf_printf(&options->log, "error: a name or directory is missing after '-%c'\n", word[1]);
                return false;
            }
            *cy_vec_push(&options->args) = cy_arena_printf(&options->arena, "-%c%s", word[1], value);
        } else if (!take(options, word, stage)) {
            return false;
        }
    }
    return true;
}

struct parsing {
    struct cy_cl_options *options;
    const char *text;
    enum cy_cl_stage stage;
    bool ok;
};

static void run(void *argument)
{
    struct parsing *parsing = argument;
    parsing->ok = parse(parsing->options, parsing->text, parsing->stage);
}

cl_int cy_cl_options_parse(struct cy_cl_options *options, const char *text, enum cy_cl_stage stage, cl_int error)
{
    struct parsing parsing = {options, text, stage, false};
    *options = (struct cy_cl_options){.standard = 120};
    if (cy_mem_try(run, &parsing))
        return parsing.ok ? CL_SUCCESS : error;
    *options = (struct cy_cl_options){0};
    return CL_OUT_OF_HOST_MEMORY;
}

void cy_cl_options_free(struct cy_cl_options *options)
{
    cy_vec_free(&options->args);
    cy_buf_free(&options->log);
    cy_arena_free(&options->arena);
}
