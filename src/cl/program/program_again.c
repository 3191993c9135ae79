/* A program from a binary, when what is attached to the platform needs other code than the binary has: code for the
 * checker or the debugger, or lines.  It is compiled again from the source that the binary carries; and so is, for an
 * ordinary run, one that was made while checker or debugger were attached: programs keep what clGetProgramInfo gives. */
#define _POSIX_C_SOURCE 200809L
#include "cl/program/program_priv.h"

#include "obj/lines.h"
#include "sources/sources.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

struct again {
    const struct cy_cl_build *binary;
    struct cy_cl_options tool; /* its options */
    struct cy_sources sources;
    struct cy_arena arena;
    struct cy_cc_options options;
    bool has_sources, has_lines, is_for_check, is_for_debug;
};

static void read_options(struct again *again)
{
    char here[PATH_MAX];
    CY_VEC(const char *) more = {0};
    for (size_t i = 0; i < again->tool.args.count; i++)
        *cy_vec_push(&more) = again->tool.args.at[i];
    if (!again->sources.optimize && !again->is_for_debug)
        *cy_vec_push(&more) = "-cl-opt-disable"; /* the level itself is the platform's */
    cy_sources_options(&again->sources, more.at, more.count, getcwd(here, sizeof(here)) ? here : "", &again->arena,
                       &again->options);
    again->options.generation = again->binary->ventus;
    cy_vec_free(&more);
}

static void look(void *argument)
{
    struct again *again = argument;
    struct cy_object object;
    struct cy_lines lines = {0};
    struct cy_diags unheard = {0};
    if (cy_object_read(&object, "binary", again->binary->elf, again->binary->elf_size, &unheard)) {
        again->has_lines = cy_lines_read(&lines, &object);
        again->has_sources = cy_sources_read(&again->sources, &object);
        cy_lines_free(&lines);
        cy_object_free(&object);
    }
    cy_diags_free(&unheard);
    for (size_t i = 0; i < again->sources.args.count; i++) {
        again->is_for_check |= !strcmp(again->sources.args.at[i], CY_CC_CHECK);
        again->is_for_debug |= !strcmp(again->sources.args.at[i], CY_CC_DEBUG);
    }
    if (again->has_sources)
        read_options(again);
}

/* Who needs other code; NULL: nobody. */
static const char *needs(const struct again *again)
{
    const struct cy_cl_demands *demands = &cy_cl_demands;
    if (demands->variables)
        return demands->variables;
    if (demands->checks)
        return again->is_for_check ? NULL : demands->checks;
    if (again->is_for_check || again->is_for_debug)
        return "the program";
    return again->has_lines ? NULL : demands->lines;
}

static void say(const char *who, const char *why, const char *log)
{
    static atomic_flag is_said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_said))
        fprintf(stderr,
                "chengying: a program binary cannot be compiled again for %s: %s; it runs as it is, with fewer lines, "
                "variables and findings than a program from source\n%s",
                who, why, log ? log : "");
}

void cy_cl_note_linked(void)
{
    static atomic_flag is_said = ATOMIC_FLAG_INIT;
    const bool is_watched = cy_cl_demands.variables || cy_cl_demands.checks || cy_cl_demands.lines;
    if (is_watched && !atomic_flag_test_and_set(&is_said))
        fprintf(stderr, "chengying: a program is linked from compiled parts: its lines are shown without their text\n");
}

static cl_int compile(struct again *again, struct cy_cl_build *build, struct cy_buf *log)
{
    const struct cy_source_file *program = &again->sources.files.at[0];
    struct cy_cc_result result = {0};
    const cl_int error = cy_cl_run_compiler(program->name, program->text, program->size, &again->options, &result, log);
    build->type = again->binary->type;
    build->ventus = again->binary->ventus;
    build->uniform_groups = again->binary->uniform_groups;
    build->no_argument_info = again->binary->no_argument_info;
    if (error == CL_SUCCESS)
        cy_cl_build_take(build, &result);
    cy_cc_result_free(&result);
    return error;
}

cl_int cy_cl_build_again(struct cy_cl_build *binary, struct cy_cl_build **build)
{
    struct again again = {.binary = binary};
    struct cy_buf log = {0};
    const cl_int parsed = cy_cl_options_parse(&again.tool, NULL, CY_CL_BUILD, CL_INVALID_BUILD_OPTIONS);
    if (parsed != CL_SUCCESS || !cy_mem_try(look, &again)) {
        cy_cl_options_free(&again.tool);
        return CL_OUT_OF_HOST_MEMORY;
    }
    cl_int error = CL_SUCCESS;
    const char *who = needs(&again);
    struct cy_cl_build *fresh = who && again.has_sources ? cy_cl_build_create() : NULL;
    *build = binary;
    if (who && !again.has_sources) {
        say(who, "it does not carry its source", NULL);
    } else if (who && !fresh) {
        error = CL_OUT_OF_HOST_MEMORY;
    } else if (who) {
        error = compile(&again, fresh, &log);
        if (error == CL_SUCCESS)
            *build = fresh;
        else
            cy_cl_build_release(fresh);
        if (error == CL_BUILD_PROGRAM_FAILURE) {
            say(who, "its source no longer compiles", log.data);
            error = CL_SUCCESS;
        }
    }
    if (*build == binary)
        cy_cl_build_retain(binary);
    cy_buf_free(&log);
    cy_sources_free(&again.sources);
    cy_arena_free(&again.arena);
    cy_cl_options_free(&again.tool);
    return error;
}
