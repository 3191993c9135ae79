#include "as/as_priv.h"

#include <string.h>

struct as_name *as_find_name(struct as *as, const char *text, size_t length)
{
    uint32_t id = cy_strmap_add(&as->strings, text, length);
    while (as->names.count <= id)
        *cy_vec_push(&as->names) = (struct as_name){0};
    return &as->names.at[id];
}

struct as_symbol *as_new_symbol(struct as *as, const char *name)
{
    struct as_symbol *symbol = CY_NEW(&as->arena, struct as_symbol);
    symbol->name = name;
    symbol->index = UINT32_MAX;
    symbol->ordinal = (uint32_t)as->symbols.count;
    symbol->is_private = !name || (name[0] == '.' && name[1] == 'L');
    *cy_vec_push(&as->symbols) = symbol;
    return symbol;
}

struct as_symbol *as_find_symbol(struct as *as, const char *text, size_t length)
{
    struct as_name *name = as_find_name(as, text, length);
    if (!name->symbol)
        name->symbol = as_new_symbol(as, as->strings.strings.at[name - as->names.at].text);
    return name->symbol;
}

const char *as_symbol_text(struct as *as, const struct as_symbol *symbol)
{
    if (symbol->name)
        return cy_arena_printf(&as->arena, "'%s'", symbol->name);
    if (symbol->is_section)
        return cy_arena_printf(&as->arena, "'.' in section %s", symbol->section->name);
    return cy_arena_printf(&as->arena, "the label '%u:'", symbol->number);
}

/* ---- labels ---- */

static void put_label(struct as *as, struct as_symbol *symbol, const char *text, size_t length)
{
    symbol->kind = AS_LABEL;
    symbol->section = as->section;
    symbol->offset = as_here(as->section);
    symbol->defined_at = as_loc(as, text, length);
}

static bool already_defined(struct as *as, const struct as_symbol *symbol, const char *text, size_t length)
{
    as_fail(as, text, length, "'%s' is already defined", symbol->name);
    if (symbol->defined_at.source)
        as_note_at(as, &symbol->defined_at, "the first definition is here");
    return false;
}

bool as_define_label(struct as *as, const char *text, size_t length)
{
    struct as_symbol *symbol = as_find_symbol(as, text, length);
    if (length == 1 && *text == '.')
        return as_fail(as, text, length, "'.' cannot be a label");
    if (symbol->kind != AS_UNDEFINED)
        return already_defined(as, symbol, text, length);
    put_label(as, symbol, text, length);
    if (!symbol->is_private)
        as_note_label(as, symbol);
    return as_no_prefix_pending(as);
}

/* Leading zeros do not make a different label. */
static struct as_name *numeric_name(struct as *as, const char **digits, size_t *length)
{
    while (*length > 1 && **digits == '0') {
        ++*digits;
        --*length;
    }
    return as_find_name(as, *digits, *length);
}

static struct as_symbol *new_numeric(struct as *as, const char *digits, size_t length)
{
    struct as_symbol *symbol = as_new_symbol(as, NULL);
    symbol->is_numeric = true;
    for (size_t i = 0; i < length; i++)
        symbol->number = symbol->number * 10 + (uint32_t)(digits[i] - '0');
    return symbol;
}

bool as_define_numeric(struct as *as, const char *digits, size_t length)
{
    const char *text = digits;
    size_t text_length = length;
    if (length > 9)
        return as_fail(as, digits, length, "the number of a label has at most 9 digits");
    struct as_name *name = numeric_name(as, &digits, &length);
    struct as_symbol *symbol = name->forward ? name->forward : new_numeric(as, digits, length);
    name->backward = symbol;
    name->forward = NULL;
    put_label(as, symbol, text, text_length);
    return as_no_prefix_pending(as);
}

struct as_symbol *as_numeric_reference(struct as *as, const char *digits, size_t length, bool forward)
{
    if (length > 9)
        return NULL;
    struct as_name *name = numeric_name(as, &digits, &length);
    if (!forward)
        return name->backward;
    if (!name->forward)
        name->forward = new_numeric(as, digits, length);
    return name->forward;
}

/* ---- values ---- */

bool as_assign(struct as *as, const char *text, size_t length, enum as_assignment how, const struct as_value *value)
{
    struct as_symbol *symbol = as_find_symbol(as, text, length);
    if (symbol->kind != AS_UNDEFINED && (how == AS_EQUIV || !symbol->redefinable))
        return already_defined(as, symbol, text, length);
    if (value->plus == symbol || value->minus == symbol)
        return as_fail(as, text, length, "'%s' is defined by itself", symbol->name);
    symbol->kind = AS_EQUATE;
    symbol->value = *value;
    symbol->redefinable = how == AS_SET;
    symbol->defined_at = as_loc(as, text, length);
    return true;
}

/* .set name, expression   .equ   .equiv */
bool as_dir_set(struct as *as, int how)
{
    struct as_text name;
    struct as_value value;
    as_skip_blank(as);
    const char *at = as->p;
    if (!as_name_text(as, "the name of a symbol", &name) || !as_comma(as))
        return false;
    if (name.length == 1 && *at == '.')
        return as_dir_org(as, 0);
    return as_expression(as, &value) && as_expect_end(as) &&
           as_assign(as, name.text, name.length, (enum as_assignment)how, &value);
}

/* -D NAME or NAME=VALUE: its text is read like a separate source. */
bool as_define_option(struct as *as, const char *text)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    struct cy_source *source = as_new_source(as, "<command line>", text, strlen(text));
    as->source = source;
    as->start = as->p = text;
    as->line = 1;
    struct as_value value = {.addend = 1};
    struct as_text name = as_word(as);
    if (name.length != length || length == 0 || (length == 1 && *text == '.'))
        return as_fail(as, text, length ? length : 1, "expected NAME or NAME=VALUE");
    if (equals) {
        as->p = equals + 1;
        if (!as_absolute(as, &value.addend) || !as_expect_end(as))
            return false;
    }
    return as_assign(as, text, length, AS_SET, &value);
}

/* ---- properties ---- */

/* .globl a, b ...   .weak   .local */
bool as_dir_globl(struct as *as, int binding)
{
    do {
        struct as_text name;
        as_skip_blank(as);
        const char *at = as->p;
        if (!as_name_text(as, "the name of a symbol", &name))
            return false;
        struct as_symbol *symbol = as_find_symbol(as, name.text, name.length);
        if (symbol->declared && symbol->binding != binding && symbol->binding == CY_STB_LOCAL)
            return as_fail(as, at, (size_t)(as->p - at), "'%s' was declared .local before", symbol->name);
        if (!(symbol->declared && symbol->binding == CY_STB_WEAK)) /* weak stays weak */
            symbol->binding = (uint8_t)binding;
        symbol->declared = true;
        symbol->is_private &= binding == CY_STB_LOCAL;
        if (!symbol->defined_at.source)
            symbol->defined_at = as_loc(as, at, (size_t)(as->p - at));
    } while (as_accept(as, ','));
    return as_expect_end(as);
}

bool as_dir_visibility(struct as *as, int visibility)
{
    do {
        struct as_text name;
        if (!as_name_text(as, "the name of a symbol", &name))
            return false;
        as_find_symbol(as, name.text, name.length)->visibility = (uint8_t)visibility;
    } while (as_accept(as, ','));
    return as_expect_end(as);
}

/* .type name, @function   also %function, "function", STT_FUNC; the comma is optional */
bool as_dir_type(struct as *as, int unused)
{
    static const struct {
        const char *name, *elf;
        uint8_t type;
    } types[] = {
        {"function", "STT_FUNC", CY_STT_FUNC},    {"object", "STT_OBJECT", CY_STT_OBJECT},
        {"notype", "STT_NOTYPE", CY_STT_NOTYPE},  {"common", "STT_COMMON", CY_STT_OBJECT},
        {"gnu_unique_object", "", CY_STT_OBJECT},
    };
    (void)unused;
    struct as_text name, type;
    if (!as_name_text(as, "the name of a symbol", &name))
        return false;
    as_accept(as, ',');
    as_skip_blank(as);
    const char *at = as->p;
    if (*at == '@' || *at == '%')
        as->p++;
    if (!as_name_text(as, "a symbol type such as @function", &type))
        return false;
    for (size_t i = 0; i < CY_COUNT(types); i++)
        if (as_text_is(type, types[i].name) || (type.length && as_text_is(type, types[i].elf))) {
            as_find_symbol(as, name.text, name.length)->type = types[i].type;
            return as_expect_end(as);
        }
    return as_fail(as, at, (size_t)(as->p - at), "unknown symbol type '%.*s'; expected @function, @object or @notype",
                   (int)type.length, type.text);
}

/* .size name, expression */
bool as_dir_size(struct as *as, int unused)
{
    (void)unused;
    struct as_text name;
    struct as_value value;
    if (!as_name_text(as, "the name of a symbol", &name) || !as_comma(as))
        return false;
    as_skip_blank(as);
    const char *at = as->p;
    if (!as_expression(as, &value))
        return false;
    struct as_symbol *symbol = as_find_symbol(as, name.text, name.length);
    symbol->size = value;
    symbol->size_at = as_loc(as, at, (size_t)(as->p - at));
    symbol->has_size = true;
    as_note_end(as, symbol);
    return as_expect_end(as);
}

/* .comm name, size [, align]   .lcomm the same, in .bss */
bool as_dir_comm(struct as *as, int is_local)
{
    struct as_text name;
    int64_t size, align = is_local ? 4 : 1;
    as_skip_blank(as);
    const char *at = as->p;
    if (!as_name_text(as, "the name of a symbol", &name))
        return false;
    size_t length = (size_t)(as->p - at);
    if (!as_comma(as) || !as_absolute_in(as, 0, INT32_MAX, "the size", &size))
        return false;
    if (as_accept(as, ',') && !as_absolute_in(as, 1, 1 << AS_MAX_ALIGN_LOG2, "the alignment", &align))
        return false;
    if (align & (align - 1))
        return as_fail(as, at, length, "the alignment must be a power of two");
    struct as_symbol *symbol = as_find_symbol(as, name.text, name.length);
    if (symbol->kind != AS_UNDEFINED)
        return already_defined(as, symbol, at, length);
    symbol->type = CY_STT_OBJECT;
    symbol->size = (struct as_value){.addend = size};
    symbol->has_size = true;
    symbol->size_at = as_loc(as, at, length);
    if (is_local || (symbol->declared && symbol->binding == CY_STB_LOCAL)) {
        struct as_section *back = as->section;
        as->section = as_get_section(as, ".bss", 4, 0, 0);
        bool ok = as_align(as, (uint32_t)align, NULL, 0, UINT64_MAX);
        put_label(as, symbol, at, length);
        ok = ok && as_emit_fill(as, (uint64_t)size, 1, 0, at, length);
        as->section = back;
        return ok && as_expect_end(as);
    }
    symbol->kind = AS_COMMON;
    symbol->offset = (uint32_t)align;
    symbol->binding = CY_STB_GLOBAL;
    symbol->defined_at = as_loc(as, at, length);
    return as_expect_end(as);
}
