/* .debug_info: the compile unit.  Lines only: a subprogram for every kernel and function.  With -g: types, blocks, inlined
 * functions, parameters, variables and calls. */
#include "cc/codegen/debug_priv.h"

#include <string.h>

enum {
    DW_TAG_array_type = 0x01,
    DW_TAG_enumeration_type = 0x04,
    DW_TAG_formal_parameter = 0x05,
    DW_TAG_lexical_block = 0x0b,
    DW_TAG_member = 0x0d,
    DW_TAG_compile_unit = 0x11,
    DW_TAG_structure_type = 0x13,
    DW_TAG_subroutine_type = 0x15,
    DW_TAG_union_type = 0x17,
    DW_TAG_inlined_subroutine = 0x1d,
    DW_TAG_subrange_type = 0x21,
    DW_TAG_base_type = 0x24,
    DW_TAG_enumerator = 0x28,
    DW_TAG_subprogram = 0x2e,
    DW_TAG_variable = 0x34,
    DW_TAG_call_site = 0x48,
    DW_AT_location = 0x02,
    DW_AT_name = 0x03,
    DW_AT_byte_size = 0x0b,
    DW_AT_stmt_list = 0x10,
    DW_AT_low_pc = 0x11,
    DW_AT_high_pc = 0x12,
    DW_AT_language = 0x13,
    DW_AT_comp_dir = 0x1b,
    DW_AT_const_value = 0x1c,
    DW_AT_inline = 0x20,
    DW_AT_producer = 0x25,
    DW_AT_prototyped = 0x27,
    DW_AT_bit_size = 0x0d,
    DW_AT_abstract_origin = 0x31,
    DW_AT_calling_convention = 0x36,
    DW_AT_count = 0x37,
    DW_AT_data_member_location = 0x38,
    DW_AT_decl_file = 0x3a,
    DW_AT_decl_line = 0x3b,
    DW_AT_encoding = 0x3e,
    DW_AT_external = 0x3f,
    DW_AT_frame_base = 0x40,
    DW_AT_type = 0x49,
    DW_AT_ranges = 0x55,
    DW_AT_call_column = 0x57,
    DW_AT_call_file = 0x58,
    DW_AT_call_line = 0x59,
    DW_AT_data_bit_offset = 0x6b,
    DW_AT_call_all_calls = 0x7a,
    DW_AT_call_return_pc = 0x7d,
    DW_AT_call_origin = 0x7f,
    DW_AT_GNU_vector = 0x2107,
    DW_FORM_data1 = 0x0b,
    DW_FORM_sdata = 0x0d,
    DW_FORM_ref4 = 0x13,
    DW_FORM_sec_offset = 0x17,
    DW_FORM_exprloc = 0x18,
    DW_FORM_flag_present = 0x19,
    DW_LANG_C99 = 0x0c, /* DWARF 5 defines OpenCL C, but debuggers do not support it and then parse expressions as C */
    DW_UT_compile = 1,
    DW_RLE_end_of_list = 0,
    DW_RLE_start_length = 7,
    DW_LLE_end_of_list = 0,
    DW_LLE_start_length = 8,
    DW_INL_inlined = 1,
    DW_CC_nocall = 3,
};

/* A scope in the code of a function: itself, a block of it, a function inlined into it, a block of that ... */
struct debug_instance {
    uint32_t scope, inlined_at;
    uint32_t parent; /* index; UINT32_MAX: the function itself */
    bool is_reachable;
    CY_VEC(struct debug_range) ranges;
};
struct debug_range {
    uint32_t from, to;
};

static struct cy_section *info(const struct debug_writer *w)
{
    return debug_section(w, ".debug_info");
}

/* ---- entries ---- */

/* Attributes and forms, in pairs; the abbreviation is created when it is new. */
static void open_entry(struct debug_writer *w, unsigned tag, bool has_children, const uint16_t *pairs, size_t count)
{
    uint16_t key[32] = {(uint16_t)tag, has_children};
    memcpy(key + 2, pairs, 2 * count * sizeof(*pairs));
    const size_t known = w->abbreviations.strings.count;
    const uint32_t number = cy_strmap_add(&w->abbreviations, (const char *)key, (2 + 2 * count) * sizeof(*key)) + 1;
    debug_put_udata(info(w), number);
    if (w->abbreviations.strings.count == known)
        return;
    struct cy_section *to = debug_section(w, ".debug_abbrev");
    debug_put_udata(to, number);
    debug_put_udata(to, tag);
    debug_put(to, 1, has_children);
    for (size_t i = 0; i < 2 * count; i++)
        debug_put_udata(to, pairs[i]);
    debug_put(to, 2, 0);
}
#define ENTRY(w, tag, children, ...)                                                                                   \
    open_entry(w, tag, children, (const uint16_t[]){__VA_ARGS__}, sizeof((const uint16_t[]){__VA_ARGS__}) / 4)

static void put_type_reference(struct debug_writer *w, uint32_t type)
{
    *cy_vec_push(&w->type_references) = (uint32_t)info(w)->data.size;
    debug_put(info(w), 4, type);
}

static void patch(struct cy_section *to, uint32_t at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        to->data.data[at + i] = (char)(value >> 8 * i);
}

static uint32_t word_at(const struct cy_section *from, uint32_t at)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++)
        value |= (uint32_t)(uint8_t)from->data.data[at + i] << 8 * i;
    return value;
}

static void put_declaration(struct debug_writer *w, uint32_t location)
{
    debug_put_udata(info(w), IR_FILE(location) + 1);
    debug_put_udata(info(w), IR_LINE(location));
}

/* ---- types ---- */

static bool has_name(const struct debug_type *type)
{
    return type->name != NULL;
}

static void put_member(struct debug_writer *w, const struct debug_member *member)
{
    if (member->field_bits)
        ENTRY(w, DW_TAG_member, false, DW_AT_name, DW_FORM_strp, DW_AT_type, DW_FORM_ref4, DW_AT_bit_size,
              DW_FORM_udata, DW_AT_data_bit_offset, DW_FORM_udata);
    else
        ENTRY(w, DW_TAG_member, false, DW_AT_name, DW_FORM_strp, DW_AT_type, DW_FORM_ref4, DW_AT_data_member_location,
              DW_FORM_udata);
    debug_put_string(w, info(w), member->name ? member->name : "");
    put_type_reference(w, member->type);
    if (member->field_bits)
        debug_put_udata(info(w), member->field_bits);
    debug_put_udata(info(w), (uint32_t)(member->field_bits ? member->value : member->value / 8));
}

static void put_composite(struct debug_writer *w, const struct debug_type *type)
{
    const struct debug_member *members = w->debug->module->debug.members.at + type->first;
    if (has_name(type))
        ENTRY(w, type->tag, true, DW_AT_byte_size, DW_FORM_udata, DW_AT_name, DW_FORM_strp);
    else
        ENTRY(w, type->tag, true, DW_AT_byte_size, DW_FORM_udata);
    debug_put_udata(info(w), type->size);
    if (has_name(type))
        debug_put_string(w, info(w), type->name);
    for (uint32_t i = 0; i < type->count; i++)
        if (type->tag == DW_TAG_enumeration_type) {
            ENTRY(w, DW_TAG_enumerator, false, DW_AT_name, DW_FORM_strp, DW_AT_const_value, DW_FORM_sdata);
            debug_put_string(w, info(w), members[i].name ? members[i].name : "");
            debug_put_sdata(info(w), (int32_t)members[i].value);
        } else if (members[i].type) {
            put_member(w, &members[i]);
        }
    debug_put(info(w), 1, 0);
}

static void put_array(struct debug_writer *w, const struct debug_type *type)
{
    const struct debug_member *members = w->debug->module->debug.members.at + type->first;
    if (type->is_vector)
        ENTRY(w, DW_TAG_array_type, true, DW_AT_type, DW_FORM_ref4, DW_AT_byte_size, DW_FORM_udata, DW_AT_GNU_vector,
              DW_FORM_flag_present);
    else
        ENTRY(w, DW_TAG_array_type, true, DW_AT_type, DW_FORM_ref4);
    put_type_reference(w, type->base);
    if (type->is_vector)
        debug_put_udata(info(w), type->size);
    for (uint32_t i = 0; i < type->count; i++) {
        ENTRY(w, DW_TAG_subrange_type, false, DW_AT_count, DW_FORM_udata);
        debug_put_udata(info(w), (uint32_t)members[i].value);
    }
    debug_put(info(w), 1, 0);
}

/* A pointer, a typedef, a qualified type: all of them name another one, or nothing, which is void. */
static void put_derived(struct debug_writer *w, const struct debug_type *type)
{
    const unsigned which = (has_name(type) ? 1 : 0) | (type->size ? 2 : 0) | (type->base ? 4 : 0);
    uint16_t pairs[6];
    size_t count = 0;
    static const uint16_t all[3][2] = {
        {DW_AT_name, DW_FORM_strp}, {DW_AT_byte_size, DW_FORM_udata}, {DW_AT_type, DW_FORM_ref4}};
    for (unsigned i = 0; i < 3; i++)
        if (which >> i & 1) {
            memcpy(pairs + 2 * count, all[i], sizeof(all[i]));
            count++;
        }
    open_entry(w, type->tag, false, pairs, count);
    if (has_name(type))
        debug_put_string(w, info(w), type->name);
    if (type->size)
        debug_put_udata(info(w), type->size);
    if (type->base)
        put_type_reference(w, type->base);
}

static void put_type(struct debug_writer *w, const struct debug_type *type)
{
    switch (type->tag) {
    case DW_TAG_base_type:
        ENTRY(w, DW_TAG_base_type, false, DW_AT_name, DW_FORM_strp, DW_AT_encoding, DW_FORM_data1, DW_AT_byte_size,
              DW_FORM_udata);
        debug_put_string(w, info(w), type->name ? type->name : "?");
        debug_put(info(w), 1, type->encoding);
        debug_put_udata(info(w), type->size);
        break;
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type: put_composite(w, type); break;
    case DW_TAG_array_type: put_array(w, type); break;
    case DW_TAG_subroutine_type: ENTRY(w, DW_TAG_subroutine_type, false, DW_AT_prototyped, DW_FORM_flag_present); break;
    default: put_derived(w, type); break;
    }
}

static void put_types(struct debug_writer *w)
{
    const struct debug_info *debug = &w->debug->module->debug;
    w->type_at = cy_xrealloc(NULL, (debug->types.count + 1) * sizeof(*w->type_at));
    for (size_t i = 0; i < debug->types.count; i++) {
        w->type_at[i] = (uint32_t)info(w)->data.size;
        put_type(w, &debug->types.at[i]);
    }
}

/* ---- ranges ---- */

static void put_ranges(struct debug_writer *w, const struct debug_instance *instance)
{
    struct cy_section *to = debug_section(w, ".debug_rnglists");
    debug_put_reference(info(w), w->ranges, (uint32_t)to->data.size);
    for (size_t i = 0; i < instance->ranges.count; i++) {
        debug_put(to, 1, DW_RLE_start_length);
        debug_put_reference(to, w->text, instance->ranges.at[i].from);
        debug_put_udata(to, instance->ranges.at[i].to - instance->ranges.at[i].from);
    }
    debug_put(to, 1, DW_RLE_end_of_list);
}

static uint32_t find_instance(struct debug_writer *w, uint32_t scope, uint32_t inlined_at)
{
    const struct debug_info *debug = &w->debug->module->debug;
    for (size_t i = w->instance_count; i-- > 0;)
        if (w->instances[i].scope == scope && w->instances[i].inlined_at == inlined_at)
            return (uint32_t)i;
    uint32_t parent = UINT32_MAX;
    if (debug->scopes.at[scope - 1].parent)
        parent = find_instance(w, debug->scopes.at[scope - 1].parent, inlined_at);
    else if (inlined_at) {
        const struct debug_site *site = &debug->sites.at[inlined_at - 1];
        parent = site->scope ? find_instance(w, site->scope, site->inlined_at) : UINT32_MAX;
    }
    w->instances = cy_xrealloc(w->instances, (w->instance_count + 1) * sizeof(*w->instances));
    w->instances[w->instance_count] =
        (struct debug_instance){.scope = scope, .inlined_at = inlined_at, .parent = parent};
    return (uint32_t)w->instance_count++;
}

static void add_range(struct debug_writer *w, uint32_t index, uint32_t from, uint32_t to)
{
    for (; index != UINT32_MAX; index = w->instances[index].parent) {
        struct debug_instance *instance = &w->instances[index];
        struct debug_range *last = instance->ranges.count ? &instance->ranges.at[instance->ranges.count - 1] : NULL;
        if (last && last->to == from)
            last->to = to;
        else
            *cy_vec_push(&instance->ranges) = (struct debug_range){from, to};
    }
}

/* The instances of a function's code, parents before children. */
static void find_instances(struct debug_writer *w, const struct ir_func *func, const struct backend_stats *stats)
{
    const struct debug_info *debug = &w->debug->module->debug;
    w->instance_count = 0;
    if (!func->scope)
        return;
    find_instance(w, func->scope, 0);
    for (size_t i = 0; i < stats->lines.count; i++) {
        const uint32_t site = IR_SITE(stats->lines.at[i].line);
        const uint32_t end =
            i + 1 < stats->lines.count ? stats->lines.at[i + 1].offset : stats->code_offset + stats->code_bytes;
        if (site && debug->sites.at[site - 1].scope && stats->lines.at[i].offset < end)
            add_range(w, find_instance(w, debug->sites.at[site - 1].scope, debug->sites.at[site - 1].inlined_at),
                      stats->lines.at[i].offset, end);
    }
}

static void free_instances(struct debug_writer *w)
{
    for (size_t i = 0; i < w->instance_count; i++)
        cy_vec_free(&w->instances[i].ranges);
    w->instance_count = 0;
}

/* ---- variables ---- */

static uint32_t find_symbol(const struct cy_object *object, const char *name)
{
    for (uint32_t i = 0; i < object->symbols.count; i++)
        if (!strcmp(object->symbols.at[i].name, name))
            return i;
    return CY_NO_SYMBOL;
}

static unsigned sdata_size(int32_t value)
{
    unsigned size = 1;
    for (; value < -64 || value >= 64; value >>= 7)
        size++;
    return size;
}

/* Where it is for as long as it lives. */
static void put_fixed_place(struct debug_writer *w, const struct debug_variable *variable)
{
    struct cy_section *to = info(w);
    if (variable->in_frame) {
        debug_put_udata(to, 1 + sdata_size(variable->frame));
        debug_put(to, 1, DW_OP_fbreg);
        debug_put_sdata(to, variable->frame);
    } else if (variable->local != UINT32_MAX) {
        unsigned size = 1;
        for (uint32_t v = variable->local; v >= 0x80; v >>= 7)
            size++;
        debug_put_udata(to, 7 + size);
        debug_put(to, 1, DW_OP_addr);
        debug_put(to, 4, CY_LOCAL_WINDOW);
        debug_put(to, 1, DW_OP_deref);
        debug_put(to, 1, DW_OP_plus_uconst);
        debug_put_udata(to, variable->local);
    } else {
        debug_put_udata(to, 5);
        debug_put(to, 1, DW_OP_addr);
        debug_put_reference(to, find_symbol(w->debug->object, w->debug->module->symbols.at[variable->symbol].name), 0);
    }
}

static void put_location_list(struct debug_writer *w, const struct backend_stats *stats, uint32_t variable)
{
    struct cy_section *to = debug_section(w, ".debug_loclists");
    debug_put_reference(info(w), w->locations, (uint32_t)to->data.size);
    for (size_t i = 0; i < stats->places.count; i++) {
        const struct backend_place *place = &stats->places.at[i];
        if (place->variable != variable)
            continue;
        debug_put(to, 1, DW_LLE_start_length);
        debug_put_reference(to, w->text, place->from);
        debug_put_udata(to, place->to - place->from);
        debug_put_udata(to, place->size);
        cy_buf_append(&to->data, stats->expressions.data + place->expression, place->size);
    }
    debug_put(to, 1, DW_LLE_end_of_list);
}

static bool has_places(const struct backend_stats *stats, uint32_t variable)
{
    for (size_t i = 0; stats && i < stats->places.count; i++)
        if (stats->places.at[i].variable == variable)
            return true;
    return false;
}

static void put_variable(struct debug_writer *w, const struct backend_stats *stats, uint32_t number)
{
    const struct debug_variable *variable = &w->debug->module->debug.variables.at[number - 1];
    const unsigned tag = variable->argument ? DW_TAG_formal_parameter : DW_TAG_variable;
    const bool is_fixed = variable->in_frame || variable->symbol != UINT32_MAX;
    const bool has_list = !is_fixed && has_places(stats, number);
    uint16_t pairs[10] = {DW_AT_name,      DW_FORM_strp,  DW_AT_decl_file, DW_FORM_udata,
                          DW_AT_decl_line, DW_FORM_udata, DW_AT_type,      DW_FORM_ref4};
    size_t count = 4;
    if (is_fixed || has_list) {
        pairs[8] = DW_AT_location;
        pairs[9] = is_fixed ? DW_FORM_exprloc : DW_FORM_sec_offset;
        count++;
    }
    open_entry(w, tag, false, pairs, count);
    debug_put_string(w, info(w), variable->name ? variable->name : "");
    put_declaration(w, variable->line);
    put_type_reference(w, variable->type);
    if (is_fixed)
        put_fixed_place(w, variable);
    else if (has_list)
        put_location_list(w, stats, number);
}

/* Parameters come first, in their order. */
static void put_variables(struct debug_writer *w, size_t func, uint32_t scope, uint32_t inlined_at)
{
    const struct debug_info *debug = &w->debug->module->debug;
    uint32_t most = 0;
    for (size_t i = 0; i < debug->variables.count; i++)
        if (debug->variables.at[i].argument > most)
            most = debug->variables.at[i].argument;
    for (uint32_t round = 1; round <= most + 1; round++)
        for (size_t i = 0; i < debug->variables.count; i++) {
            const struct debug_variable *variable = &debug->variables.at[i];
            if (variable->func == func && variable->scope == scope && variable->inlined_at == inlined_at &&
                variable->argument == round % (most + 1) && variable->type)
                put_variable(w, &w->debug->stats[func], (uint32_t)i + 1);
        }
}

/* ---- functions ---- */

static void put_instance(struct debug_writer *w, size_t func, uint32_t index);

static void put_children(struct debug_writer *w, size_t func, uint32_t index)
{
    put_variables(w, func, w->instances[index].scope, w->instances[index].inlined_at);
    for (uint32_t i = 0; i < w->instance_count; i++)
        if (w->instances[i].parent == index && w->instances[i].ranges.count)
            put_instance(w, func, i);
}

static void put_instance(struct debug_writer *w, size_t func, uint32_t index)
{
    const struct debug_info *debug = &w->debug->module->debug;
    const struct debug_instance *instance = &w->instances[index];
    if (debug->scopes.at[instance->scope - 1].name) {
        const struct debug_site *site = &debug->sites.at[instance->inlined_at - 1];
        ENTRY(w, DW_TAG_inlined_subroutine, true, DW_AT_abstract_origin, DW_FORM_ref4, DW_AT_ranges, DW_FORM_sec_offset,
              DW_AT_call_file, DW_FORM_udata, DW_AT_call_line, DW_FORM_udata, DW_AT_call_column, DW_FORM_udata);
        debug_put(info(w), 4, w->abstract_at[instance->scope - 1]);
        put_ranges(w, instance);
        put_declaration(w, site->line);
        debug_put_udata(info(w), site->column);
    } else {
        ENTRY(w, DW_TAG_lexical_block, true, DW_AT_ranges, DW_FORM_sec_offset);
        put_ranges(w, instance);
    }
    put_children(w, func, index);
    debug_put(info(w), 1, 0);
}

static void put_calls(struct debug_writer *w, const struct backend_stats *stats)
{
    for (size_t i = 0; i < stats->callsites.count; i++) {
        ENTRY(w, DW_TAG_call_site, false, DW_AT_call_return_pc, DW_FORM_addr, DW_AT_call_origin, DW_FORM_ref4);
        debug_put_reference(info(w), w->text, stats->callsites.at[i].offset);
        *cy_vec_push(&w->call_references) = (uint32_t)info(w)->data.size;
        debug_put(info(w), 4, stats->callsites.at[i].callee);
    }
}

/* The start of a function's private memory. */
static void put_frame_base(struct debug_writer *w, const struct ir_func *func)
{
    struct cy_section *to = info(w);
    if (!func->is_function) {
        debug_put_udata(to, 1);
        debug_put(to, 1, DW_OP_lit0);
        return;
    }
    debug_put_udata(to, 7);
    debug_put(to, 1, DW_OP_const4u);
    debug_put(to, 4, DEBUG_CFA_TOP);
    debug_put(to, 1, DW_OP_call_frame_cfa);
    debug_put(to, 1, DW_OP_minus);
}

static void put_function(struct debug_writer *w, size_t index)
{
    const struct ir_func *func = &w->debug->module->funcs.at[index];
    const struct backend_stats *stats = &w->debug->stats[index];
    const struct debug_scope *scope = func->scope ? &w->debug->module->debug.scopes.at[func->scope - 1] : NULL;
    uint16_t pairs[24] = {DW_AT_name,    DW_FORM_strp,    DW_AT_low_pc,  DW_FORM_addr,    DW_AT_high_pc,
                          DW_FORM_data4, DW_AT_decl_file, DW_FORM_udata, DW_AT_decl_line, DW_FORM_udata};
    size_t count = 5;
    const struct {
        bool wanted;
        uint16_t pair[2];
    } more[] = {{!func->is_function, {DW_AT_external, DW_FORM_flag_present}},
                {scope != NULL, {DW_AT_frame_base, DW_FORM_exprloc}},
                {scope != NULL, {DW_AT_calling_convention, DW_FORM_data1}},
                {scope && scope->type, {DW_AT_type, DW_FORM_ref4}},
                {scope != NULL, {DW_AT_prototyped, DW_FORM_flag_present}},
                {scope != NULL, {DW_AT_call_all_calls, DW_FORM_flag_present}}};
    for (size_t i = 0; i < CY_COUNT(more); i++)
        if (more[i].wanted) {
            memcpy(pairs + 2 * count, more[i].pair, sizeof(more[i].pair));
            count++;
        }
    w->func_at[index] = (uint32_t)info(w)->data.size;
    open_entry(w, DW_TAG_subprogram, scope != NULL, pairs, count);
    debug_put_string(w, info(w), func->name);
    debug_put_reference(info(w), w->text, stats->code_offset);
    debug_put(info(w), 4, stats->code_bytes);
    put_declaration(w, func->line);
    if (!scope)
        return;
    put_frame_base(w, func);
    debug_put(info(w), 1, DW_CC_nocall); /* results are in v0 and up: a debugger must not look for them in a0 */
    if (scope->type)
        put_type_reference(w, scope->type);
    find_instances(w, func, stats);
    put_children(w, index, 0);
    put_calls(w, stats);
    free_instances(w);
    debug_put(info(w), 1, 0);
}

/* What inlined copies refer to. */
static void put_abstract_functions(struct debug_writer *w)
{
    const struct debug_info *debug = &w->debug->module->debug;
    w->abstract_at = cy_xrealloc(NULL, (debug->scopes.count + 1) * sizeof(*w->abstract_at));
    memset(w->abstract_at, 0, (debug->scopes.count + 1) * sizeof(*w->abstract_at));
    for (size_t i = 0; i < debug->sites.count; i++) {
        uint32_t scope = debug->sites.at[i].scope;
        while (scope && debug->scopes.at[scope - 1].parent)
            scope = debug->scopes.at[scope - 1].parent;
        if (!debug->sites.at[i].inlined_at || !scope || w->abstract_at[scope - 1])
            continue;
        const struct debug_scope *function = &debug->scopes.at[scope - 1];
        w->abstract_at[scope - 1] = (uint32_t)info(w)->data.size;
        if (function->type)
            ENTRY(w, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_strp, DW_AT_decl_file, DW_FORM_udata,
                  DW_AT_decl_line, DW_FORM_udata, DW_AT_inline, DW_FORM_data1, DW_AT_type, DW_FORM_ref4);
        else
            ENTRY(w, DW_TAG_subprogram, false, DW_AT_name, DW_FORM_strp, DW_AT_decl_file, DW_FORM_udata,
                  DW_AT_decl_line, DW_FORM_udata, DW_AT_inline, DW_FORM_data1);
        debug_put_string(w, info(w), function->name);
        put_declaration(w, function->line);
        debug_put(info(w), 1, DW_INL_inlined);
        if (function->type)
            put_type_reference(w, function->type);
    }
}

/* ---- the unit ---- */

/* The headers of .debug_loclists and .debug_rnglists. */
static void open_lists(struct debug_writer *w, const char *name)
{
    struct cy_section *to = debug_section(w, name);
    debug_put(to, 4, 0);
    debug_put(to, 2, DEBUG_VERSION);
    debug_put(to, 1, 4); /* address size, segment selector size, offsets */
    debug_put(to, 1, 0);
    debug_put(to, 4, 0);
}

static void put_details(struct debug_writer *w)
{
    const struct debug_info *debug = &w->debug->module->debug;
    open_lists(w, ".debug_loclists");
    open_lists(w, ".debug_rnglists");
    put_types(w);
    put_abstract_functions(w);
    for (size_t i = 0; i < debug->variables.count; i++)
        if (debug->variables.at[i].func == UINT32_MAX && debug->variables.at[i].type)
            put_variable(w, NULL, (uint32_t)i + 1);
}

static void resolve_references(struct debug_writer *w)
{
    for (size_t i = 0; i < w->type_references.count; i++) {
        const uint32_t at = w->type_references.at[i], type = word_at(info(w), at);
        patch(info(w), at, type ? w->type_at[type - 1] : 0);
    }
    for (size_t i = 0; i < w->call_references.count; i++)
        patch(info(w), w->call_references.at[i], w->func_at[word_at(info(w), w->call_references.at[i])]);
    debug_close_unit(debug_section(w, ".debug_loclists"));
    debug_close_unit(debug_section(w, ".debug_rnglists"));
}

void debug_put_unit(struct debug_writer *w)
{
    const struct ir_module *module = w->debug->module;
    const struct cy_section *text = debug_section(w, ".text");
    struct cy_section *to = info(w);
    debug_put(to, 4, 0);
    debug_put(to, 2, DEBUG_VERSION);
    debug_put(to, 1, DW_UT_compile);
    debug_put(to, 1, 4); /* address size */
    debug_put_reference(to, w->abbrev, 0);
    ENTRY(w, DW_TAG_compile_unit, true, DW_AT_producer, DW_FORM_strp, DW_AT_language, DW_FORM_data2, DW_AT_name,
          DW_FORM_strp, DW_AT_comp_dir, DW_FORM_strp, DW_AT_stmt_list, DW_FORM_sec_offset, DW_AT_low_pc, DW_FORM_addr,
          DW_AT_high_pc, DW_FORM_data4);
    debug_put_string(w, to, "Chengying");
    debug_put(to, 2, DW_LANG_C99);
    debug_put_string(w, to, w->debug->name);
    debug_put_string(w, to, w->directory);
    debug_put_reference(to, w->line, 0);
    debug_put_reference(to, w->text, 0);
    debug_put(to, 4, text->size);
    w->func_at = cy_xrealloc(NULL, (module->funcs.count + 1) * sizeof(*w->func_at));
    if (module->wants_debug)
        put_details(w);
    for (size_t i = 0; i < module->funcs.count; i++)
        put_function(w, i);
    debug_put(to, 1, 0);
    if (module->wants_debug)
        resolve_references(w);
    debug_close_unit(to);
    debug_put(debug_section(w, ".debug_abbrev"), 1, 0);
    cy_strmap_free(&w->abbreviations);
    cy_free(w->instances);
    cy_free(w->type_at);
    cy_free(w->abstract_at);
    cy_free(w->func_at);
    cy_vec_free(&w->type_references);
    cy_vec_free(&w->call_references);
}
