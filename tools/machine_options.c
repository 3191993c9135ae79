#define _POSIX_C_SOURCE 200809L
#include "machine_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "gpu/device/settings.h"

void cy_take_message(struct cy_diags *diags, const char *place, enum cy_status status, char *message)
{
    if (status != CY_OK) {
        if (place)
            cy_buf_printf(&diags->text, "--set %s: ", place);
        cy_buf_puts(&diags->text, message ? message : "error: out of memory\n");
        diags->errors++;
    }
    free(message);
}

/* A preset is where a configuration begins: what was set before it is gone. */
static void note_undone(const struct cy_config *before, const struct cy_config *after, struct cy_diags *diags)
{
    struct cy_buf undone = {0};
    cy_config_undone(before, after, &undone);
    if (undone.size)
        cy_diag_file(diags, CY_NOTE, NULL, "the preset undoes what was set before it: %s", undone.data);
    cy_buf_free(&undone);
}

static void note_one_thread(const struct cy_config *config, struct cy_diags *diags)
{
    if (config->deterministic && config->host_threads > 1)
        cy_diag_file(diags, CY_NOTE, NULL, "one host thread, because the run is deterministic: not host-threads=%u",
                     config->host_threads);
}

static bool is_key(const char *assignment, const char *key)
{
    const size_t length = strcspn(assignment, "= ");
    return length == strlen(key) && !strncmp(assignment, key, length);
}

/* Notes about settings that another one makes idle, as soon as both are there. */
static void note_conflicts(const char *assignment, const struct cy_config *before, const struct cy_config *after,
                           struct cy_diags *diags)
{
    if (is_key(assignment, "preset"))
        note_undone(before, after, diags);
    else if (is_key(assignment, "deterministic") || is_key(assignment, "host-threads"))
        note_one_thread(after, diags);
}

static void set(struct cy_config *config, const char *key, const char *value, struct cy_diags *diags)
{
    struct cy_buf text = {0};
    char *message = NULL;
    cy_buf_printf(&text, "%s%s%s", key, *key ? "=" : "", value);
    const struct cy_config before = *config;
    enum cy_status status = cy_config_set(config, text.data, &message);
    cy_take_message(diags, *key ? NULL : value, status, message);
    note_conflicts(text.data, &before, config, diags);
    cy_buf_free(&text);
}

static void read_config(struct cy_config *config, const char *path, struct cy_diags *diags)
{
    struct cy_buf file = {0};
    char *message = NULL;
    if (cy_file_read(path, &file, diags)) {
        enum cy_status status = cy_config_parse(config, path, file.data ? file.data : "", file.size, &message);
        cy_take_message(diags, NULL, status, message);
    }
    cy_buf_free(&file);
}

static void set_from_environment(struct cy_config *config, const char *name, const char *assignment,
                                 struct cy_diags *diags)
{
    char *message = NULL;
    const struct cy_config before = *config;
    const enum cy_status status = cy_config_set(config, assignment, &message);
    if (status != CY_OK)
        cy_buf_printf(&diags->text, "%s: ", name);
    cy_take_message(diags, NULL, status, message);
    note_conflicts(assignment, &before, config, diags);
}

bool cy_machine_from_environment(struct cy_config *config, struct cy_diags *diags)
{
    const char *machine = getenv("CHENGYING_MACHINE"), *engine = getenv("CHENGYING_ENGINE"),
               *verify = getenv("CHENGYING_VERIFY");
    struct cy_arena arena = {0};
    char *rest = cy_arena_printf(&arena, "%s", machine ? machine : "");
    bool has_threads = false;
    for (char *word; (word = strtok_r(rest, ", ", &rest));) {
        set_from_environment(config, "CHENGYING_MACHINE", word, diags);
        has_threads |= !strncmp(word, "threads", strlen("threads")) || !strncmp(word, "preset", strlen("preset"));
    }
    if (engine && *engine)
        set_from_environment(config, "CHENGYING_ENGINE", cy_arena_printf(&arena, "engine=%s", engine), diags);
    if (verify && *verify) {
        config->engine = CY_ENGINE_VERIFY;
        set_from_environment(config, "CHENGYING_VERIFY", cy_arena_printf(&arena, "verify-every=%s", verify), diags);
    }
    cy_arena_free(&arena);
    return has_threads;
}

bool cy_machine_option(struct cy_config *config, int id, const char *value, struct cy_diags *diags)
{
    switch (id) {
    case CY_MACHINE_CONFIG: read_config(config, value, diags); return true;
    case CY_MACHINE_SET: set(config, "", value, diags); return true;
    case CY_MACHINE_PRESET: set(config, "preset", value, diags); return true;
    case CY_MACHINE_SMS: set(config, "sms", value, diags); return true;
    case CY_MACHINE_WARPS: set(config, "warps", value, diags); return true;
    case CY_MACHINE_THREADS: set(config, "threads", value, diags); return true;
    case CY_MACHINE_HOST_THREADS: set(config, "host-threads", value, diags); return true;
    case CY_MACHINE_ENGINE:
        set(config, "engine", value, diags);
        if (getenv("CHENGYING_VERIFY") && config->engine != CY_ENGINE_VERIFY) /* the command line has the last word */
            config->verify_every = 0;
        return true;
    case CY_MACHINE_VERIFY_EVERY:
        config->engine = config->engine == CY_ENGINE_AUTO ? CY_ENGINE_VERIFY : config->engine;
        set(config, "verify-every", value, diags);
        return true;
    case CY_MACHINE_DETERMINISTIC: set(config, "deterministic", "yes", diags); return true;
    default: return false;
    }
}
