/* Debug information (-g): LLVM's metadata for types, scopes and variables, in our form.
 *
 * LLVM's C interface gives most attributes only as operands of nodes, in the order of LLVM's classes, and a few (encodings,
 * numbers of parameters, expressions) only in a node's text. */
#include "cc/import/import_priv.h"

#include <llvm-c/DebugInfo.h>

#include <stdlib.h>
#include <string.h>

enum { /* operands of LLVM's nodes */
       TYPE_NAME = 2,
       TYPE_BASE = 3,
       TYPE_ELEMENTS = 4,
       FUNCTION_TYPES = 3,
       FUNCTION_NAME = 2,
       FUNCTION_TYPE = 4,
       BLOCK_SCOPE = 1,
       VARIABLE_SCOPE = 0,
       VARIABLE_NAME = 1,
       VARIABLE_TYPE = 3,
};
enum { /* the tags that we describe */
       TAG_array = 0x01,
       TAG_enumeration = 0x04,
       TAG_member = 0x0d,
       TAG_pointer = 0x0f,
       TAG_structure = 0x13,
       TAG_subroutine = 0x15,
       TAG_typedef = 0x16,
       TAG_union = 0x17,
       TAG_base = 0x24,
       TAG_const = 0x26,
       TAG_volatile = 0x35,
       TAG_restrict = 0x37,
};

/* ---- nodes ---- */

static LLVMValueRef operand(struct importer *im, LLVMMetadataRef node, unsigned index)
{
    LLVMValueRef value = LLVMMetadataAsValue(im->context, node);
    const unsigned count = LLVMGetMDNodeNumOperands(value);
    if (index >= count)
        return NULL;
    LLVMValueRef *all = cy_xrealloc(NULL, count * sizeof(*all));
    LLVMGetMDNodeOperands(value, all);
    LLVMValueRef found = all[index];
    cy_free(all);
    return found;
}

static LLVMMetadataRef node_at(struct importer *im, LLVMMetadataRef node, unsigned index)
{
    LLVMValueRef value = operand(im, node, index);
    return value ? LLVMValueAsMetadata(value) : NULL;
}

/* A name; NULL: none. */
static const char *text_at(struct importer *im, LLVMMetadataRef node, unsigned index)
{
    unsigned length = 0;
    LLVMValueRef value = operand(im, node, index);
    const char *text = value ? LLVMGetMDString(value, &length) : NULL;
    return text && length ? cy_arena_strndup(&im->module->arena, text, length) : NULL;
}

static unsigned count_of(struct importer *im, LLVMMetadataRef node)
{
    return LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(im->context, node));
}

/* The number after a label in a node's text; 0: none. */
static int64_t number_in_text(struct importer *im, LLVMMetadataRef node, const char *label)
{
    char *text = LLVMPrintValueToString(LLVMMetadataAsValue(im->context, node));
    const char *at = strstr(text, label);
    const int64_t number = at ? strtoll(at + strlen(label), NULL, 10) : 0;
    LLVMDisposeMessage(text);
    return number;
}

static uint8_t encoding_of(struct importer *im, LLVMMetadataRef type)
{
    static const struct {
        const char *name;
        uint8_t code;
    } encodings[] = {{"boolean", 2},  {"float", 4},  {"signed_char", 6}, {"unsigned_char", 8},
                     {"unsigned", 7}, {"signed", 5}, {"UTF", 0x10}};
    char *text = LLVMPrintValueToString(LLVMMetadataAsValue(im->context, type));
    const char *at = strstr(text, "encoding: DW_ATE_");
    uint8_t code = 7;
    for (size_t i = 0; at && i < CY_COUNT(encodings); i++)
        if (!strncmp(at + 17, encodings[i].name, strlen(encodings[i].name))) {
            code = encodings[i].code;
            break;
        }
    LLVMDisposeMessage(text);
    return code;
}

/* The index of a node in one of the lists, plus 1; `is_new`: it has been given one now. */
static uint32_t intern(struct cy_strmap *map, const void *key, size_t size, bool *is_new)
{
    const size_t before = map->strings.count;
    const uint32_t id = cy_strmap_add(map, key, size);
    *is_new = map->strings.count != before;
    return id + 1;
}

/* ---- types ---- */

static uint32_t import_type(struct importer *im, LLVMMetadataRef node);

static void add_member(struct importer *im, struct debug_member **list, size_t *count, struct debug_member member)
{
    (void)im;
    *list = cy_xrealloc(*list, (*count + 1) * sizeof(**list));
    (*list)[(*count)++] = member;
}

static struct debug_member element(struct importer *im, LLVMMetadataRef node)
{
    struct debug_member member = {0};
    if (LLVMGetMetadataKind(node) == LLVMDISubrangeMetadataKind) {
        LLVMValueRef count = operand(im, node, 0);
        if (count && LLVMIsAConstantInt(count))
            member.value = LLVMConstIntGetZExtValue(count);
    } else if (LLVMGetMetadataKind(node) == LLVMDIEnumeratorMetadataKind) {
        member.name = text_at(im, node, 0);
        member.value = (uint64_t)number_in_text(im, node, "value: ");
    } else {
        member.name = text_at(im, node, TYPE_NAME);
        member.type = import_type(im, node_at(im, node, TYPE_BASE));
        member.value = LLVMDITypeGetOffsetInBits(node);
        if (LLVMDITypeGetFlags(node) & LLVMDIFlagBitField)
            member.field_bits = (uint32_t)LLVMDITypeGetSizeInBits(node);
    }
    return member;
}

static void import_elements(struct importer *im, LLVMMetadataRef tuple, uint32_t index)
{
    struct debug_member *list = NULL; /* members of other types come in between */
    size_t count = 0;
    const unsigned most = tuple ? count_of(im, tuple) : 0;
    for (unsigned i = 0; i < most; i++) {
        LLVMMetadataRef node = node_at(im, tuple, i);
        const LLVMMetadataKind kind = node ? LLVMGetMetadataKind(node) : LLVMMDStringMetadataKind;
        if (kind == LLVMDISubrangeMetadataKind || kind == LLVMDIEnumeratorMetadataKind ||
            (kind == LLVMDIDerivedTypeMetadataKind && LLVMGetDINodeTag(node) == TAG_member))
            add_member(im, &list, &count, element(im, node));
    }
    struct debug_info *debug = &im->module->debug;
    debug->types.at[index - 1].first = (uint32_t)debug->members.count;
    debug->types.at[index - 1].count = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        *cy_vec_push(&debug->members) = list[i];
    cy_free(list);
}

static uint32_t import_type(struct importer *im, LLVMMetadataRef node)
{
    struct debug_info *debug = &im->module->debug;
    bool is_new;
    if (!node)
        return 0;
    const uint32_t index = intern(&im->debug_types, (const char *)&node, sizeof(node), &is_new);
    if (!is_new)
        return index;
    const LLVMMetadataKind kind = LLVMGetMetadataKind(node);
    struct debug_type type = {.tag = LLVMGetDINodeTag(node), .size = (uint32_t)(LLVMDITypeGetSizeInBits(node) / 8)};
    type.name = text_at(im, node, TYPE_NAME);
    *cy_vec_push(&debug->types) = type; /* it may contain itself */
    if (kind == LLVMDIBasicTypeMetadataKind) {
        type.encoding = encoding_of(im, node);
    } else if (kind == LLVMDIDerivedTypeMetadataKind || kind == LLVMDICompositeTypeMetadataKind) {
        type.base = import_type(im, node_at(im, node, TYPE_BASE));
        type.is_vector = kind == LLVMDICompositeTypeMetadataKind && LLVMDITypeGetFlags(node) & LLVMDIFlagVector;
    } else {
        type.tag = TAG_subroutine;
    }
    debug->types.at[index - 1] = type;
    if (kind == LLVMDICompositeTypeMetadataKind)
        import_elements(im, node_at(im, node, TYPE_ELEMENTS), index);
    return index;
}

/* In bytes; typedefs and qualified types have none of their own. */
static uint32_t import_type_size(const struct importer *im, uint32_t type)
{
    const struct debug_info *debug = &im->module->debug;
    while (type && !debug->types.at[type - 1].size && debug->types.at[type - 1].tag != TAG_array)
        type = debug->types.at[type - 1].base;
    return type ? debug->types.at[type - 1].size : 0;
}

/* ---- scopes and sites ---- */

static uint32_t import_line(struct importer *im, LLVMMetadataRef scope, unsigned line)
{
    unsigned length = 0;
    LLVMMetadataRef file = LLVMDIScopeGetFile(scope);
    const char *name = file ? LLVMDIFileGetFilename(file, &length) : NULL;
    return import_place(im, name, length, line);
}

static uint32_t import_scope(struct importer *im, LLVMMetadataRef node)
{
    struct debug_info *debug = &im->module->debug;
    bool is_new;
    if (!node)
        return 0;
    const LLVMMetadataKind kind = LLVMGetMetadataKind(node);
    if (kind == LLVMDILexicalBlockFileMetadataKind)
        return import_scope(im, node_at(im, node, BLOCK_SCOPE));
    if (kind != LLVMDILexicalBlockMetadataKind && kind != LLVMDISubprogramMetadataKind)
        return 0;
    const uint32_t index = intern(&im->debug_scopes, (const char *)&node, sizeof(node), &is_new);
    if (!is_new)
        return index;
    *cy_vec_push(&debug->scopes) = (struct debug_scope){0};
    struct debug_scope scope = {0};
    if (kind == LLVMDISubprogramMetadataKind) {
        scope.name = text_at(im, node, FUNCTION_NAME);
        scope.name = scope.name ? scope.name : "?";
        scope.line = import_line(im, node, LLVMDISubprogramGetLine(node));
        LLVMMetadataRef type = node_at(im, node, FUNCTION_TYPE),
                        types = type ? node_at(im, type, FUNCTION_TYPES) : NULL;
        scope.type = types && count_of(im, types) ? import_type(im, node_at(im, types, 0)) : 0;
    } else {
        scope.parent = import_scope(im, node_at(im, node, BLOCK_SCOPE));
    }
    debug->scopes.at[index - 1] = scope;
    return index;
}

static uint32_t import_site(struct importer *im, LLVMMetadataRef location)
{
    struct debug_info *debug = &im->module->debug;
    bool is_new;
    if (!location)
        return 0;
    const uint32_t index = intern(&im->debug_sites, (const char *)&location, sizeof(location), &is_new);
    if (!is_new)
        return index;
    *cy_vec_push(&debug->sites) = (struct debug_site){0};
    LLVMMetadataRef scope = LLVMDILocationGetScope(location);
    struct debug_site site = {.column = LLVMDILocationGetColumn(location)};
    site.scope = import_scope(im, scope);
    site.inlined_at = import_site(im, LLVMDILocationGetInlinedAt(location));
    site.line = import_line(im, scope, LLVMDILocationGetLine(location));
    debug->sites.at[index - 1] = site;
    return index;
}

ir_location import_debug_site(struct importer *im, LLVMValueRef insn)
{
    const bool wants = im->module->wants_debug || im->module->check; /* a checker shows columns and inlined calls */
    LLVMMetadataRef location = wants ? LLVMInstructionGetDebugLoc(insn) : NULL;
    if (location && !im->module->wants_debug && !LLVMDILocationGetLine(location))
        return 0; /* of merged code: the line before it goes on */
    return (ir_location)import_site(im, location) << 32;
}

uint32_t import_debug_scope(struct importer *im, LLVMValueRef function)
{
    return im->module->wants_debug ? import_scope(im, LLVMGetSubprogram(function)) : 0;
}

/* ---- variables ---- */

static uint32_t argument_of(struct importer *im, LLVMMetadataRef node)
{
    LLVMMetadataRef scope = LLVMDIVariableGetScope(node);
    const char *name = text_at(im, node, VARIABLE_NAME);
    if (!scope || !name || LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind)
        return 0;
    const char *function = text_at(im, scope, FUNCTION_NAME);
    return import_parameter_number(im, function ? function : "", LLVMDISubprogramGetLine(scope), name,
                                   LLVMDIVariableGetLine(node));
}

static uint32_t import_variable(struct importer *im, LLVMMetadataRef node, LLVMMetadataRef location)
{
    struct debug_info *debug = &im->module->debug;
    LLVMMetadataRef inlined_at = location ? LLVMDILocationGetInlinedAt(location) : NULL;
    const uint32_t func = (uint32_t)(im->func - im->module->funcs.at);
    struct {
        LLVMMetadataRef node, inlined_at;
        uint64_t func;
    } key = {node, inlined_at, func};
    bool is_new;
    const uint32_t index = intern(&im->debug_variables, (const char *)&key, sizeof(key), &is_new);
    if (!is_new)
        return index;
    *cy_vec_push(&debug->variables) = (struct debug_variable){0};
    LLVMMetadataRef scope = LLVMDIVariableGetScope(node);
    struct debug_variable variable = {.name = text_at(im, node, VARIABLE_NAME),
                                      .argument = argument_of(im, node),
                                      .func = func,
                                      .symbol = UINT32_MAX,
                                      .local = UINT32_MAX};
    variable.type = import_type(im, node_at(im, node, VARIABLE_TYPE));
    variable.scope = import_scope(im, scope);
    variable.inlined_at = import_site(im, inlined_at);
    variable.line = import_line(im, scope, LLVMDIVariableGetLine(node));
    debug->variables.at[index - 1] = variable;
    return index;
}

/* The value that a metadata operand wraps; NULL: none. */
static LLVMValueRef wrapped(LLVMValueRef metadata)
{
    LLVMValueRef value = NULL;
    if (LLVMGetMetadataKind(LLVMValueAsMetadata(metadata)) == LLVMDIArgListMetadataKind ||
        LLVMGetMDNodeNumOperands(metadata) != 1)
        return NULL;
    LLVMGetMDNodeOperands(metadata, &value);
    return value;
}

/* Moves over a piece of text if it is there. */
static bool skip(const char **at, const char *text)
{
    const size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0)
        return false;
    *at += length;
    return true;
}

static uint32_t take_number(const char **at)
{
    char *end;
    const uint32_t number = (uint32_t)strtoul(*at, &end, 10);
    *at = end;
    return number;
}

/* "DW_OP_LLVM_fragment, 0, 32": bits of the variable; false: an expression that we do not follow.  For every variable clang
 * adds the address space of its memory, which does not concern the value, and still does after LLVM has put the variable
 * into a register. */
static bool read_expression(LLVMValueRef metadata, uint32_t *first, uint32_t *bits)
{
    char *text = LLVMPrintValueToString(metadata);
    const char *at = strstr(text, "!DIExpression("), *start = at ? at + 14 : text;
    bool ok = at != NULL;
    *first = *bits = 0;
    for (at = start; ok && *at && *at != ')'; skip(&at, ", ")) {
        if (skip(&at, "DW_OP_constu, ")) {
            take_number(&at);
            ok = skip(&at, ", DW_OP_swap, DW_OP_xderef");
        } else if (strncmp(at, "DW_OP_LLVM_fragment", 19) == 0) {
            break;
        } else {
            ok = skip(&at, "DW_OP_stack_value");
        }
    }
    at = strstr(start, "DW_OP_LLVM_fragment, ");
    if (at) {
        at += 21;
        *first = take_number(&at);
        skip(&at, ", ");
        *bits = take_number(&at);
    }
    LLVMDisposeMessage(text);
    return ok;
}

static void declare(struct importer *im, uint32_t variable, LLVMValueRef address)
{
    struct debug_variable *made = &im->module->debug.variables.at[variable - 1];
    for (size_t i = 0; address && i < im->frames.count; i++)
        if (im->frames.at[i].value == address) {
            made->in_frame = true;
            made->frame = (int32_t)im->frames.at[i].at;
        }
}

struct giving {
    uint32_t variable, first; /* byte */
    const ir_value *words;    /* NULL: a constant */
    const uint32_t *bits;
};

static void give(struct importer *im, struct ir_debug_value value)
{
    *cy_vec_push(&im->func->debug_values) = value;
    ir_at(im->func, build(im, IR_DEBUG, 0, 0))->imm = (int32_t)im->func->debug_values.count - 1;
}

static void give_word(struct importer *im, void *context, unsigned word, uint32_t offset, unsigned size)
{
    const struct giving *giving = context;
    give(im, (struct ir_debug_value){.variable = giving->variable,
                                     .offset = giving->first + offset,
                                     .bytes = size,
                                     .kind = giving->words ? IR_DEBUG_VALUE : IR_DEBUG_CONSTANT,
                                     .value = giving->words ? giving->words[word] : 0,
                                     .constant = giving->words ? 0 : giving->bits[word]});
}

/* A scalar constant's bits; false: not one. */
static bool constant_bits(struct importer *im, LLVMValueRef value, uint32_t bits[2])
{
    bits[0] = bits[1] = 0;
    if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64)
        import_integer(value, bits);
    else if (LLVMIsAConstantFP(value) && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMFloatTypeKind)
        bits[0] = (uint32_t)import_float(im, value);
    else
        return LLVMIsAConstantPointerNull(value);
    return true;
}

/* LLVM 19's loop strength reduction, which generation 2 uses, gives a variable the counter that is left in its place, and
 * loses the expression that would make it the variable again. */
static bool is_reduced(LLVMValueRef value)
{
    size_t length;
    return LLVMIsAInstruction(value) && !strncmp(LLVMGetValueName2(value, &length), "lsr.iv", 6);
}

/* LLVM may compute what only the next turn of a loop needs before the branch that ends the loop, and lets the variable have it
 * from there on, also where the loop has ended. */
static bool is_ahead(LLVMValueRef value, LLVMBasicBlockRef block)
{
    if (!LLVMIsAInstruction(value) || LLVMGetInstructionParent(value) != block ||
        LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(block)) < 2)
        return false;
    LLVMBasicBlockRef next = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAPHINode(user) || (next && LLVMGetInstructionParent(user) != next))
            return false;
        next = LLVMGetInstructionParent(user);
    }
    return next != NULL;
}

/* The variable, or `bits` of it from `first` on, has this value from here on; NULL: an unknown one.  Emits no code. */
static void assign(struct importer *im, uint32_t variable, LLVMValueRef value, uint32_t first, uint32_t bits)
{
    const struct debug_variable *made = &im->module->debug.variables.at[variable - 1];
    ir_value words[IMPORT_MAX_WORDS];
    uint32_t constant[2];
    struct giving giving = {.variable = variable, .first = first / 8};
    const uint32_t size = bits ? bits / 8 : import_type_size(im, made->type);
    give(im, (struct ir_debug_value){.variable = variable, .offset = first / 8, .bytes = size});
    if (!value || first % 8 || LLVMIsUndef(value) || is_reduced(value))
        return;
    LLVMTypeRef type = LLVMTypeOf(value);
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    if ((kind != LLVMIntegerTypeKind && kind != LLVMFloatTypeKind && kind != LLVMPointerTypeKind &&
         kind != LLVMVectorTypeKind) ||
        LLVMABISizeOfType(im->layout, type) > size || import_word_count(im, type) > IMPORT_MAX_WORDS)
        return;
    if (constant_bits(im, value, constant)) {
        giving.bits = constant;
    } else if (import_known(im, value, words)) {
        giving.words = words;
    } else {
        return;
    }
    import_leaves(im, type, 0, 0, give_word, &giving);
}

bool import_debug_call(struct importer *im, LLVMValueRef call)
{
    size_t length;
    uint32_t first, bits;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
    if (strncmp(name, "llvm.dbg.", 9) != 0)
        return false;
    const bool is_declare = !strcmp(name, "llvm.dbg.declare"), is_value = !strcmp(name, "llvm.dbg.value");
    if (!im->module->wants_debug || (!is_declare && !is_value))
        return true;
    LLVMMetadataRef node = LLVMValueAsMetadata(LLVMGetOperand(call, 1));
    const uint32_t variable = import_variable(im, node, LLVMInstructionGetDebugLoc(call));
    LLVMMetadataRef expression = LLVMValueAsMetadata(LLVMGetOperand(call, 2));
    bool is_new;
    const uint32_t index = intern(&im->debug_expressions, (const char *)&expression, sizeof(expression), &is_new);
    if (is_new) {
        const bool plain = read_expression(LLVMGetOperand(call, 2), &first, &bits);
        *cy_vec_push(&im->expressions) = (struct import_expression){first, bits, plain};
    }
    const bool is_plain = im->expressions.at[index - 1].is_plain;
    first = im->expressions.at[index - 1].first;
    bits = im->expressions.at[index - 1].bits;
    LLVMValueRef value = wrapped(LLVMGetOperand(call, 0));
    if (is_declare && is_plain && !bits)
        declare(im, variable, value);
    else if (is_value)
        assign(im, variable, is_plain && !is_ahead(value, LLVMGetInstructionParent(call)) ? value : NULL, first, bits);
    return true;
}

/* Variables of the program, and those in local memory. */
void import_debug_symbol(struct importer *im, LLVMValueRef global, uint32_t symbol, uint32_t local)
{
    size_t count = 0;
    if (!im->module->wants_debug)
        return;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);
    for (unsigned i = 0; i < count; i++) {
        LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(entries, i);
        bool is_new;
        if (LLVMGetMetadataKind(node) != LLVMDIGlobalVariableExpressionMetadataKind)
            continue;
        node = LLVMDIGlobalVariableExpressionGetVariable(node);
        if (!LLVMDIVariableGetScope(node)) /* a string literal: it has no name to ask for */
            continue;
        const uint64_t func = local == UINT32_MAX ? UINT32_MAX : (uint64_t)(im->func - im->module->funcs.at);
        const struct {
            LLVMMetadataRef node;
            uint64_t func;
        } key = {node, func};
        intern(&im->debug_variables, (const char *)&key, sizeof(key), &is_new);
        if (!is_new)
            continue;
        *cy_vec_push(&im->module->debug.variables) = (struct debug_variable){0};
        const size_t index = im->module->debug.variables.count - 1;
        LLVMMetadataRef scope = LLVMDIVariableGetScope(node);
        struct debug_variable variable = {
            .name = text_at(im, node, VARIABLE_NAME), .func = (uint32_t)func, .symbol = symbol, .local = local};
        variable.type = import_type(im, node_at(im, node, VARIABLE_TYPE));
        variable.scope = import_scope(im, scope);
        variable.line = import_line(im, scope, LLVMDIVariableGetLine(node));
        im->module->debug.variables.at[index] = variable;
    }
    LLVMDisposeValueMetadataEntries(entries);
}

void import_debug_free(struct importer *im)
{
    cy_strmap_free(&im->debug_types);
    cy_strmap_free(&im->debug_scopes);
    cy_strmap_free(&im->debug_sites);
    cy_strmap_free(&im->debug_variables);
    cy_strmap_free(&im->debug_expressions);
    cy_strmap_free(&im->debug_arguments);
    cy_vec_free(&im->expressions);
    cy_vec_free(&im->arguments);
    cy_vec_free(&im->frames);
}
