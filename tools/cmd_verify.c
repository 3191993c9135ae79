/* `cy verify`: runs a recorded launch again, translated and interpreted, and compares with what was recorded. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "chengying/device.h"
#include "commands.h"
#include "compiler.h"
#include "options.h"
#include "record_show.h"

enum { OPT_ENGINE = 1, OPT_LEVEL, OPT_QUIET };

/* Exit statuses of this command, as those of cmp and diff. */
enum { SAME = 0, DIFFERENT = 1, TROUBLE = 2 };

static const struct cy_option options[] = {
    {OPT_ENGINE, 0, "engine", "ENGINE", "interp, jit (translated code) or both (default)", 0},
    {OPT_LEVEL, 0, "engine-level", "LEVEL",
     "instruction set of the host that both engines use (default: the recorded one,\nor the best if this processor "
     "lacks that)",
     0},
    {OPT_QUIET, 'q', "quiet", NULL, "print nothing but errors", 0},
};

static const struct cy_usage usage = {
    "verify",
    "[options] FOLDER...",
    "Runs recorded launches again, translated and interpreted, and compares memory, printf and faults with what the\n"
    "interpreter gave when they were recorded (docs/replay.md).  Status 0: the same; 1: different; 2: not a record.",
    "examples:\n"
    "  cy run vecadd.cl --global 64 --arg buffer:f32:64=iota --arg buffer:f32:64=ones --arg buffer:f32:64 --arg 64 \\\n"
    "      --record launch\n"
    "  cy verify launch\n"
    "  cy verify --engine jit --engine-level avx2 launch\n",
    options,
    CY_COUNT(options)};

struct verify {
    struct cy_diags diags;
    bool jit, interp, quiet;
    const char *level;
    CY_VEC(const char *) folders;
    bool differs, failed;
};

static void opened(void *context, struct cy_device *device)
{
    (void)context;
    cy_give_translator(device);
}

/* A kernel that translated code did not run is not a comparison of translated code. */
static void show(struct verify *verify, const char *folder, const struct cy_record *record,
                 const struct cy_record_result *result, enum cy_engine engine)
{
    const bool is_jit = engine == CY_ENGINE_JIT;
    if (!verify->quiet) {
        printf("%s: %s: %s at level %s: ", folder, record->kernel,
               !is_jit              ? "the interpreter"
               : result->translated ? "translated code"
                                    : "not translated, the interpreter",
               result->level);
        cy_record_show(folder, record, result, stdout);
    }
    if (is_jit && !result->translated)
        cy_diag_file(&verify->diags, CY_WARNING, folder, "the interpreter ran '%s': %s", record->kernel,
                     result->not_translated);
}

static void run(struct verify *verify, const char *folder, const struct cy_record *record, enum cy_engine engine)
{
    const struct cy_record_settings settings = {.engine = engine, .level = verify->level, .opened = opened};
    struct cy_record_result result;
    if (cy_record_run(record, &settings, &result, &verify->diags)) {
        show(verify, folder, record, &result, engine);
        verify->differs |= !result.is_same;
    } else {
        verify->failed = true;
    }
    cy_record_result_free(&result);
}

static void verify_folder(struct verify *verify, const char *folder)
{
    struct cy_record record = {0};
    if (!cy_record_is_folder(folder)) {
        cy_diag_file(&verify->diags, CY_ERROR, folder,
                     "not a folder of 'cy run --record' or of the engine verify; programs are verified by 'cy run "
                     "--engine verify' and "
                     "'cy exec --engine verify'");
        verify->failed = true;
    } else if (cy_record_read(&record, folder, &verify->diags)) {
        const char *level = cy_engine_level_name(1);
        for (uint32_t i = 1; record.level && cy_engine_level_name(i); i++)
            if (strcmp(cy_engine_level_name(i), record.level) == 0)
                level = NULL;
        if (level && record.level && !verify->level && !verify->quiet)
            cy_diag_file(&verify->diags, CY_NOTE, folder,
                         "recorded at level %s, which this processor does not have: the best that it has is used",
                         record.level);
        if (!record.has_result) {
            cy_diag_file(&verify->diags, CY_ERROR, folder, "the record has no result to compare with");
            verify->failed = true;
        }
        cy_say(&verify->diags);
        if (record.has_result && verify->interp)
            run(verify, folder, &record, CY_ENGINE_INTERP);
        if (record.has_result && verify->jit)
            run(verify, folder, &record, CY_ENGINE_JIT);
    } else {
        verify->failed = true;
    }
    cy_record_free(&record);
}

static int parse_option(struct verify *verify, int id, const char *value)
{
    switch (id) {
    case OPT_ENGINE:
        verify->interp = strcmp(value, "jit") != 0;
        verify->jit = strcmp(value, "interp") != 0;
        if (verify->interp && verify->jit && strcmp(value, "both") != 0)
            return cy_usage_error(&usage, "--engine is interp, jit or both, not '%s'", value);
        break;
    case OPT_LEVEL: verify->level = value; break;
    case OPT_QUIET: verify->quiet = true; break;
    case CY_ARGS_FILE: *cy_vec_push(&verify->folders) = value; break;
    default: break;
    }
    return CY_EXIT_OK;
}

int cy_cmd_verify(int argc, char **argv)
{
    struct verify verify = {.jit = true, .interp = true};
    struct cy_args args;
    int status = CY_EXIT_OK;
    cy_args_start(&args, &usage, argc, argv);
    for (int id; status == CY_EXIT_OK && (id = cy_args_next(&args)) != CY_ARGS_END;) {
        if (id == CY_ARGS_EXIT) {
            cy_vec_free(&verify.folders);
            return args.status;
        }
        status = parse_option(&verify, id, args.value);
    }
    if (status == CY_EXIT_OK && !verify.folders.count)
        status = cy_usage_error(&usage, "no recorded launch");
    for (size_t i = 0; status == CY_EXIT_OK && i < verify.folders.count; i++)
        verify_folder(&verify, verify.folders.at[i]);
    cy_vec_free(&verify.folders);
    if (status != CY_EXIT_OK)
        return status;
    cy_report(&verify.diags);
    return verify.failed ? TROUBLE : verify.differs ? DIFFERENT : SAME;
}
