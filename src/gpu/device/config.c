/* The machine's configuration: presets, settings by name, configuration files. */
#define _POSIX_C_SOURCE 200809L
#include "gpu/device/machine.h"
#include "gpu/device/settings.h"

#include "base/settings.h"
#include "base/strmap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- presets (docs/machine.md, "Configuration") ---- */

static const struct preset {
    const char *name;
    struct cy_config config;
} presets[] = {
#define COMMON                                                                                                         \
    .lds_bytes = 128 << 10, .workgroups = 8, .watchdog_seconds = 600, .slice_instructions = 8192,                      \
    .spin_instructions = 250000, .checking = true
    {"default", {.sms = 0, .warps = 32, .threads = 32, .sgprs = 4096, .vgprs = 4096, .engine = CY_ENGINE_AUTO, COMMON}},
    {"rtl", {.sms = 2, .warps = 8, .threads = 8, .sgprs = 4096, .vgprs = 4096, COMMON}},
    {"rtl32", {.sms = 2, .warps = 8, .threads = 32, .sgprs = 4096, .vgprs = 4096, COMMON}},
    {"manual", {.sms = 2, .warps = 8, .threads = 32, .sgprs = 256, .vgprs = 1024, COMMON}},
#undef COMMON
};

void cy_config_default(struct cy_config *config)
{
    *config = presets[0].config;
}

bool cy_config_preset(struct cy_config *config, const char *name)
{
    for (size_t i = 0; i < CY_COUNT(presets); i++) {
        if (strcmp(presets[i].name, name) == 0) {
            *config = presets[i].config;
            return true;
        }
    }
    return false;
}

const char *cy_config_preset_name(size_t index)
{
    return index < CY_COUNT(presets) ? presets[index].name : NULL;
}

/* ---- settings ---- */

enum kind { U32, U64, POWER, BOOL, MASK, LEVEL, ENGINE };

static const struct setting {
    const char *key;
    enum kind kind;
    size_t offset;
    uint64_t low, high;
    const char *text;
} settings[] = {
#define SETTING(key, member, kind, low, high, text) {key, kind, offsetof(struct cy_config, member), low, high, text},
#include "gpu/device/settings.def"
};

static bool parse_bool(struct cy_word word, bool *value)
{
    static const char *const yes[] = {"yes", "true", "on", "1"}, *const no[] = {"no", "false", "off", "0"};
    for (size_t i = 0; i < CY_COUNT(yes); i++) {
        if (cy_word_is(word, yes[i]) || cy_word_is(word, no[i])) {
            *value = cy_word_is(word, yes[i]);
            return true;
        }
    }
    return false;
}

#define OUT_OF_RANGE "'%s' must be %sfrom %llu to %llu, not %llu"
#define A_POWER "a power of two "

static bool is_in_range(const struct setting *setting, uint64_t value)
{
    return value >= setting->low && value <= setting->high && (setting->kind != POWER || !(value & (value - 1)));
}

static bool set_number(struct cy_settings *parser, const struct setting *setting, struct cy_word word)
{
    uint64_t value;
    if (!cy_word_number(word, &value)) {
        return cy_settings_fail(parser, word, "'%s' needs a number (K, M and G are 2^10, 2^20, 2^30), not '%.*s'",
                                setting->key, (int)word.length, word.text);
    }
    if (!is_in_range(setting, value)) {
        return cy_settings_fail(parser, word, OUT_OF_RANGE, setting->key, setting->kind == POWER ? A_POWER : "",
                                (unsigned long long)setting->low, (unsigned long long)setting->high,
                                (unsigned long long)value);
    }
    char *member = (char *)parser->context + setting->offset;
    if (setting->kind == U64)
        *(uint64_t *)(void *)member = value;
    else
        *(uint32_t *)(void *)member = (uint32_t)value;
    return true;
}

/* The message distinguishes a level that this processor lacks from an unknown name. */
static bool set_level(struct cy_settings *parser, const struct setting *setting, struct cy_word word)
{
    uint32_t *member = (uint32_t *)(void *)((char *)parser->context + setting->offset);
    struct cy_buf there = {0};
    const struct cy_level *level, *wanted = NULL;
    bool ok = cy_word_is(word, "best");
    if (ok)
        *member = 0;
    for (uint32_t i = 0; (level = cy_level_at(i)); i++) {
        if (cy_word_is(word, level->name))
            wanted = level;
        if (!level->is_there())
            continue;
        cy_buf_printf(&there, ", %s", level->name);
        if (wanted == level) {
            *member = i + 1;
            ok = true;
        }
    }
    if (!ok)
        cy_settings_fail(parser, word, "%s '%.*s'; available: best%s",
                         wanted ? "this processor has no" : "unknown engine level", (int)word.length, word.text,
                         there.data);
    cy_buf_free(&there);
    return ok;
}

static const char *const engine_names[] = {
    [CY_ENGINE_INTERP] = "interp", [CY_ENGINE_JIT] = "jit", [CY_ENGINE_AUTO] = "auto", [CY_ENGINE_VERIFY] = "verify"};

static bool set_engine(struct cy_settings *parser, const struct setting *setting, struct cy_word word)
{
    for (size_t i = 0; i < CY_COUNT(engine_names); i++)
        if (cy_word_is(word, engine_names[i])) {
            *(enum cy_engine *)(void *)((char *)parser->context + setting->offset) = (enum cy_engine)i;
            return true;
        }
    return cy_settings_fail(parser, word, "'%s' needs interp, jit, auto or verify, not '%.*s'", setting->key,
                            (int)word.length, word.text);
}

static bool set_value(struct cy_settings *parser, const struct setting *setting, struct cy_word word)
{
    char *member = (char *)parser->context + setting->offset;
    switch (setting->kind) {
    case BOOL:
        if (parse_bool(word, (bool *)(void *)member))
            return true;
        return cy_settings_fail(parser, word, "'%s' needs yes or no, not '%.*s'", setting->key, (int)word.length,
                                word.text);
    case MASK:
        if (cy_word_is(word, "packed") || cy_word_is(word, "lane")) {
            *(enum cy_mask_kind *)(void *)member = cy_word_is(word, "lane") ? CY_MASK_LANE : CY_MASK_PACKED;
            return true;
        }
        return cy_settings_fail(parser, word, "'%s' needs packed or lane, not '%.*s'", setting->key, (int)word.length,
                                word.text);
    case LEVEL: return set_level(parser, setting, word);
    case ENGINE: return set_engine(parser, setting, word);
    default: return set_number(parser, setting, word);
    }
}

static bool set_preset(struct cy_settings *parser, struct cy_word word)
{
    struct cy_buf known = {0};
    for (size_t i = 0; i < CY_COUNT(presets); i++) {
        if (cy_word_is(word, presets[i].name)) {
            *(struct cy_config *)parser->context = presets[i].config;
            cy_buf_free(&known);
            return true;
        }
        cy_buf_printf(&known, "%s%s", i ? ", " : "", presets[i].name);
    }
    cy_settings_fail(parser, word, "unknown preset '%.*s'; available: %s", (int)word.length, word.text, known.data);
    cy_buf_free(&known);
    return false;
}

static bool set_key(struct cy_settings *parser, struct cy_word key, struct cy_word value)
{
    if (cy_word_is(key, "preset"))
        return value.length ? set_preset(parser, value) : cy_settings_no_value(parser, key, value);
    const struct setting *nearest = NULL;
    unsigned best = 4;
    for (size_t i = 0; i < CY_COUNT(settings); i++) {
        if (cy_word_is(key, settings[i].key))
            return value.length ? set_value(parser, &settings[i], value) : cy_settings_no_value(parser, key, value);
        unsigned distance = cy_edit_distance(key.text, key.length, settings[i].key, strlen(settings[i].key), best);
        if (distance < best) {
            best = distance;
            nearest = &settings[i];
        }
    }
    return cy_settings_unknown(parser, key, nearest ? nearest->key : NULL);
}

struct parsing {
    struct cy_config config;
    struct cy_diags diags;
    const char *name; /* NULL: a single setting */
    const char *text;
    size_t size;
    bool ok;
};

static void parse_all(void *argument)
{
    struct parsing *parsing = argument;
    struct cy_settings parser = {
        .noun = "key", .kind = "setting", .set = set_key, .context = &parsing->config, .diags = &parsing->diags};
    parsing->ok = parsing->name ? cy_settings_file(&parser, parsing->name, parsing->text, parsing->size)
                                : cy_settings_line(&parser, parsing->text, parsing->size);
}

static enum cy_status parse(struct parsing *parsing, struct cy_config *config, char **message)
{
    parsing->config = *config;
    bool ok = cy_diags_try(&parsing->diags, parse_all, parsing) && parsing->ok;
    if (ok)
        *config = parsing->config;
    return cy_finish(ok ? CY_OK : CY_ERROR_INVALID, &parsing->diags, message);
}

enum cy_status cy_config_set(struct cy_config *config, const char *assignment, char **message)
{
    struct parsing parsing = {.text = assignment, .size = strlen(assignment)};
    return parse(&parsing, config, message);
}

enum cy_status cy_config_parse(struct cy_config *config, const char *name, const char *text, size_t size,
                               char **message)
{
    struct parsing parsing = {.name = name, .text = text, .size = size};
    return parse(&parsing, config, message);
}

const char *cy_engine_level_name(uint32_t level)
{
    const struct cy_level *found = level ? cy_level_at(level - 1) : NULL;
    return found && found->is_there() ? found->name : NULL;
}

/* ---- checks ---- */

uint32_t cy_config_lds_slice(const struct cy_config *config)
{
    return (config->lds_bytes + CY_PAGE_SIZE - 1) & ~(CY_PAGE_SIZE - 1);
}

static bool check_ranges(const struct cy_config *config, struct cy_diags *diags)
{
    for (size_t i = 0; i < CY_COUNT(settings); i++) {
        const struct setting *setting = &settings[i];
        const char *member = (const char *)config + setting->offset;
        uint64_t value;
        if (setting->kind == U32 || setting->kind == POWER)
            value = *(const uint32_t *)(const void *)member;
        else if (setting->kind == U64)
            value = *(const uint64_t *)(const void *)member;
        else
            continue;
        if (!is_in_range(setting, value)) {
            cy_diag_file(diags, CY_ERROR, NULL, OUT_OF_RANGE, setting->key, setting->kind == POWER ? A_POWER : "",
                         (unsigned long long)setting->low, (unsigned long long)setting->high,
                         (unsigned long long)value);
            return false;
        }
    }
    return true;
}

static bool check(const struct cy_config *config, struct cy_diags *diags)
{
    if (!check_ranges(config, diags))
        return false;
    if (config->engine_level && !cy_engine_level_name(config->engine_level)) {
        cy_diag_file(diags, CY_ERROR, NULL, "this processor has no engine level %u", config->engine_level);
        return false;
    }
    if (config->verify_every && config->engine != CY_ENGINE_VERIFY) {
        cy_diag_file(diags, CY_ERROR, NULL,
                     "'verify-every' (CHENGYING_VERIFY) is for 'engine=verify', but the engine is '%s'",
                     engine_names[config->engine]);
        return false;
    }
    uint64_t lds = (uint64_t)cy_config_lds_slice(config) * (config->sms ? config->sms : 1);
    if (lds > CY_LDS_END - CY_LDS_BASE) {
        cy_diag_file(diags, CY_ERROR, NULL, "%u SMs of %u bytes do not fit in the local memory window of %u bytes",
                     config->sms, config->lds_bytes, CY_LDS_END - CY_LDS_BASE);
        return false;
    }
    return true;
}

static void run_check(void *argument)
{
    struct parsing *parsing = argument;
    parsing->ok = check(&parsing->config, &parsing->diags);
}

enum cy_status cy_config_check(const struct cy_config *config, char **message)
{
    struct parsing parsing = {.config = *config};
    bool ok = cy_diags_try(&parsing.diags, run_check, &parsing) && parsing.ok;
    return cy_finish(ok ? CY_OK : CY_ERROR_INVALID, &parsing.diags, message);
}

static uint32_t host_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > 256 ? 256 : (uint32_t)cores;
}

void cy_config_resolve(struct cy_config *config)
{
    if (config->host_threads == 0)
        config->host_threads = host_cores();
    if (config->sms == 0) {
        uint32_t most = (CY_LDS_END - CY_LDS_BASE) / cy_config_lds_slice(config);
        config->sms = host_cores() < most ? host_cores() : most;
    }
    if (config->deterministic)
        config->host_threads = 1;
    if (config->verify_every == 0 && config->engine == CY_ENGINE_VERIFY)
        config->verify_every = 1;
    if (config->stack_depth == 0)
        config->stack_depth = 2 * config->threads;
    if (config->engine_level == 0)
        while (cy_engine_level_name(config->engine_level + 1))
            config->engine_level++;
}

/* ---- for the tools ---- */

/* A setting of any kind, as a number. */
static uint64_t value_of(const struct setting *setting, const struct cy_config *config)
{
    const void *member = (const char *)config + setting->offset;
    switch (setting->kind) {
    case U64: return *(const uint64_t *)member;
    case BOOL: return *(const bool *)member;
    case MASK: return (uint64_t) * (const enum cy_mask_kind *)member;
    case ENGINE: return (uint64_t) * (const enum cy_engine *)member;
    default: return *(const uint32_t *)member;
    }
}

void cy_config_undone(const struct cy_config *before, const struct cy_config *after, struct cy_buf *out)
{
    for (size_t i = 0; i < CY_COUNT(settings); i++) {
        const uint64_t set = value_of(&settings[i], before);
        if (set != value_of(&settings[i], &presets[0].config) && set != value_of(&settings[i], after))
            cy_buf_printf(out, "%s%s", out->size ? ", " : "", settings[i].key);
    }
}
