/* The importer: kernels, blocks, phis, constants. */
#include "abi/abi.h"
#include "base/graph.h"
#include "cc/import/import_priv.h"
#include "cc/passes/progress.h"
#include "isa/isa.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NONE UINT32_MAX

void import_error(struct importer *im, LLVMValueRef at, const char *format, ...)
{
    char text[512];
    va_list args;
    if (im->failed) /* report only the first error: later ones may follow from it */
        return;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    at = at ? at : im->insn;
    ir_location line = at ? import_location(im, at) : im->func ? im->func->line : 0;
    unsigned column = at ? LLVMGetDebugLocColumn(at) : 0;
    struct cy_buf place = {0};
    cy_buf_puts(&place, line ? im->module->files.at[IR_FILE(line)] : im->name);
    if (line)
        cy_buf_printf(&place, ":%u", IR_LINE(line));
    if (line && column)
        cy_buf_printf(&place, ":%u", column);
    cy_diag_file(im->diags, CY_ERROR, place.data, "%s '%s': %s",
                 im->func && im->func->is_function ? "function" : "kernel", im->func ? im->func->name : "?", text);
    cy_buf_free(&place);
    im->failed = true;
}

/* ---- building ---- */

ir_value emit3(struct importer *im, enum ir_op op, ir_value a, ir_value b, ir_value c)
{
    ir_value made = ir_append(im->func, im->block, op, a, b, c);
    ir_at(im->func, made)->line = im->line;
    return made;
}
ir_value build(struct importer *im, enum ir_op op, ir_value a, ir_value b)
{
    return emit3(im, op, a, b, 0);
}
ir_value build_const(struct importer *im, uint32_t value)
{
    ir_value v = build(im, IR_CONST, 0, 0);
    ir_at(im->func, v)->imm = (int32_t)value;
    return v;
}
ir_value build_imm(struct importer *im, enum ir_op op, ir_value a, uint32_t imm)
{
    return build(im, op, a, build_const(im, imm));
}
ir_value build_load(struct importer *im, ir_value address, int32_t offset, int size, bool is_private)
{
    ir_value v = build(im, IR_LOAD, address, 0);
    struct ir_insn *insn = ir_at(im->func, v);
    insn->imm = size;
    insn->extra = offset;
    insn->is_private = is_private;
    return v;
}
ir_value build_store(struct importer *im, ir_value address, int32_t offset, int size, ir_value value, bool is_private)
{
    ir_value v = build(im, IR_STORE, address, value);
    struct ir_insn *insn = ir_at(im->func, v);
    insn->imm = size;
    insn->extra = offset;
    insn->is_private = is_private;
    return v;
}
ir_value build_sext(struct importer *im, ir_value value, unsigned bits)
{
    return bits >= 32 ? value : build_imm(im, IR_SHRS, build_imm(im, IR_SHL, value, 32 - bits), 32 - bits);
}
ir_value build_zext(struct importer *im, ir_value value, unsigned bits)
{
    return bits >= 32 || bits == 1 ? value : build_imm(im, IR_AND, value, (1u << bits) - 1);
}
ir_value import_metadata(struct importer *im, int32_t offset)
{
    ir_value base = build(im, IR_CSR, 0, 0);
    ir_at(im->func, base)->imm = CY_CSR_KNL;
    return build_load(im, base, offset, 4, false);
}

/* ---- types ---- */

bool import_is(LLVMTypeRef type, LLVMTypeKind kind)
{
    return LLVMGetTypeKind(type) == kind;
}

unsigned import_int_bits(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type);
    case LLVMDoubleTypeKind: return 64;
    case LLVMHalfTypeKind: return 16;
    default: return 32;
    }
}

unsigned import_bits(struct importer *im, LLVMTypeRef type)
{
    return import_is(type, LLVMPointerTypeKind) ? 32 * import_pointer_words(im) : import_int_bits(type);
}

LLVMTypeRef import_element(LLVMTypeRef type, unsigned *count)
{
    bool vector = import_is(type, LLVMVectorTypeKind);
    *count = vector ? LLVMGetVectorSize(type) : 1;
    return vector ? LLVMGetElementType(type) : type;
}

/* OpenCL C's name for one of its opaque types. */
static const char *opaque_name(LLVMTypeRef type)
{
    static const char *const names[][2] = {
        {"spirv.Image", "image"},   {"spirv.Sampler", "sampler_t"},      {"spirv.Pipe", "pipe"},
        {"spirv.Queue", "queue_t"}, {"spirv.ReserveId", "reserve_id_t"}, {"spirv.DeviceEvent", "clk_event_t"}};
    const char *name = LLVMGetTargetExtTypeName(type);
    for (size_t i = 0; i < CY_COUNT(names); i++)
        if (!strcmp(name, names[i][0]))
            return names[i][1];
    return name;
}

unsigned import_word_count(struct importer *im, LLVMTypeRef type)
{
    unsigned total = 0;
    switch (LLVMGetTypeKind(type)) {
    case LLVMVoidTypeKind: return 0;
    case LLVMIntegerTypeKind:
        total = int_words(LLVMGetIntTypeWidth(type));
        if (total > IMPORT_INT_WORDS / 2)
            import_error(im, NULL, "%u-bit integers are not supported", LLVMGetIntTypeWidth(type));
        return total;
    case LLVMTargetExtTypeKind:
        if (strcmp(LLVMGetTargetExtTypeName(type), "spirv.Event") != 0 &&
            strcmp(LLVMGetTargetExtTypeName(type), "spirv.Image") != 0 &&
            strcmp(LLVMGetTargetExtTypeName(type), "spirv.Sampler") != 0 &&
            strcmp(LLVMGetTargetExtTypeName(type), "spirv.Pipe") != 0 &&
            strcmp(LLVMGetTargetExtTypeName(type), "spirv.ReserveId") != 0)
            import_error(im, NULL, "the type %s is not supported", opaque_name(type));
        return import_pointer_words(im);
    case LLVMFloatTypeKind:
    case LLVMHalfTypeKind: return 1;
    case LLVMDoubleTypeKind: return 2;
    case LLVMPointerTypeKind: return import_pointer_words(im);
    case LLVMVectorTypeKind: return LLVMGetVectorSize(type) * import_word_count(im, LLVMGetElementType(type));
    case LLVMArrayTypeKind:
        return (unsigned)LLVMGetArrayLength2(type) * import_word_count(im, LLVMGetElementType(type));
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            total += import_word_count(im, LLVMStructGetTypeAtIndex(type, i));
        return total;
    default: import_error(im, NULL, "a type is not supported"); return 1;
    }
}

unsigned import_leaves(struct importer *im, LLVMTypeRef type, uint32_t offset, unsigned word, import_leaf *each,
                       void *context)
{
    LLVMTypeRef element;
    switch (LLVMGetTypeKind(type)) {
    case LLVMVectorTypeKind:
        element = LLVMGetElementType(type);
        for (unsigned i = 0; i < LLVMGetVectorSize(type); i++)
            word = import_leaves(im, element, offset + i * (uint32_t)LLVMStoreSizeOfType(im->layout, element), word,
                                 each, context);
        return word;
    case LLVMArrayTypeKind:
        element = LLVMGetElementType(type);
        for (unsigned i = 0; i < LLVMGetArrayLength2(type); i++)
            word = import_leaves(im, element, offset + i * (uint32_t)LLVMABISizeOfType(im->layout, element), word, each,
                                 context);
        return word;
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            word = import_leaves(im, LLVMStructGetTypeAtIndex(type, i),
                                 offset + (uint32_t)LLVMOffsetOfElement(im->layout, type, i), word, each, context);
        return word;
    default: break;
    }
    for (unsigned bytes = (unsigned)LLVMStoreSizeOfType(im->layout, type), at = 0; at < bytes; at += 4)
        each(im, context, word++, offset + at, bytes - at < 4 ? bytes - at : 4);
    return word;
}

/* ---- values ---- */

static struct word_list *find(struct importer *im, LLVMValueRef value)
{
    if (im->map_count * 2 >= im->map_size) {
        struct word_list *old = im->map;
        size_t old_size = im->map_size;
        im->map_size = old_size ? old_size * 2 : 1024;
        im->map = cy_xrealloc(NULL, im->map_size * sizeof(*im->map));
        memset(im->map, 0, im->map_size * sizeof(*im->map));
        for (size_t i = 0; i < old_size; i++)
            if (old[i].key)
                *find(im, old[i].key) = old[i];
        cy_free(old);
    }
    size_t slot = ((uintptr_t)value >> 4) * 0x9e3779b97f4a7c15ull >> 20 & (im->map_size - 1);
    while (im->map[slot].key && im->map[slot].key != value)
        slot = (slot + 1) & (im->map_size - 1);
    return &im->map[slot];
}

void import_set(struct importer *im, LLVMValueRef value, const ir_value *words, unsigned count)
{
    struct word_list *entry = find(im, value);
    im->map_count += !entry->key;
    *entry = (struct word_list){value, (uint32_t)im->words.count, count};
    for (unsigned i = 0; i < count; i++)
        *cy_vec_push(&im->words) = words[i];
    if (!LLVMIsAPHINode(value))
        import_note_pointer(im, value);
}

bool import_known(struct importer *im, LLVMValueRef value, ir_value *out)
{
    const struct word_list *entry = find(im, value);
    for (uint32_t i = 0; entry->key && i < entry->count; i++)
        out[i] = im->words.at[entry->start + i];
    return entry->key && entry->count;
}

static void constant_words(struct importer *im, LLVMValueRef value, ir_value *out);

static ir_value symbol_address(struct importer *im, LLVMValueRef global, int32_t offset)
{
    uint32_t symbol = import_symbol(im, global);
    const bool is_local = im->module->symbols.at[symbol].is_local;
    import_debug_symbol(im, global, symbol, is_local ? import_local_offset(im, symbol) : NONE);
    if (is_local)
        return build_imm(im, IR_ADD, im->local_base, import_local_offset(im, symbol) + (uint32_t)offset);
    ir_value v = build(im, IR_SYMBOL, 0, 0);
    ir_at(im->func, v)->imm = (int32_t)symbol;
    ir_at(im->func, v)->extra = offset;
    return v;
}

/* Integer constants computed from addresses. */
static void constant_arithmetic(struct importer *im, LLVMValueRef value, ir_value *out)
{
    LLVMTypeRef type = LLVMTypeOf(value), from = LLVMTypeOf(LLVMGetOperand(value, 0));
    unsigned words = import_word_count(im, type);
    ir_value a[IMPORT_MAX_WORDS], b[IMPORT_MAX_WORDS];
    constant_words(im, LLVMGetOperand(value, 0), a);
    if (LLVMGetNumOperands(value) > 1)
        constant_words(im, LLVMGetOperand(value, 1), b);
    switch (LLVMGetConstOpcode(value)) {
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMTrunc: int_extend(im, false, import_bits(im, from), a, words, out); break;
    case LLVMAdd: int_add(im, words, a, b, out); break;
    case LLVMSub: int_sub(im, words, a, b, out); break;
    case LLVMMul: int_mul(im, words, a, b, out); break;
    case LLVMXor:
        for (unsigned i = 0; i < words; i++)
            out[i] = build(im, IR_XOR, a[i], b[i]);
        break;
    default: import_error(im, NULL, "a constant expression is not supported"); out[0] = im->zero;
    }
    if (import_int_bits(type) == 1)
        out[0] = build_imm(im, IR_AND, out[0], 1);
}

static void constant_expression(struct importer *im, LLVMValueRef value, ir_value *out)
{
    switch (LLVMGetConstOpcode(value)) {
    case LLVMGetElementPtr: {
        ir_value base[2];
        LLVMTypeRef type = LLVMGetGEPSourceElementType(value);
        constant_words(im, LLVMGetOperand(value, 0), base);
        int64_t offset = 0;
        for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(value); i++) {
            LLVMValueRef index = LLVMGetOperand(value, i);
            if (!LLVMIsAConstantInt(index)) {
                import_error(im, NULL, "a constant address is too complicated");
                break;
            }
            int64_t n = LLVMConstIntGetSExtValue(index);
            if (i == 1)
                offset += n * (int64_t)LLVMABISizeOfType(im->layout, type);
            else if (import_is(type, LLVMStructTypeKind)) {
                offset += (int64_t)LLVMOffsetOfElement(im->layout, type, (unsigned)n);
                type = LLVMStructGetTypeAtIndex(type, (unsigned)n);
            } else {
                type = LLVMGetElementType(type);
                offset += n * (int64_t)LLVMABISizeOfType(im->layout, type);
            }
        }
        out[0] = base[0];
        if (import_pointer_words(im) == 2)
            out[1] = base[1];
        if (offset && import_pointer_words(im) == 2 && ir_at(im->func, base[1])->op != IR_CONST)
            import_error(im, NULL, "a constant address is too complicated");
        else if (offset) /* variables are below 4 GiB */
            out[0] = build_imm(im, IR_ADD, base[0], (uint32_t)offset);
        return;
    }
    case LLVMBitCast:
    case LLVMAddrSpaceCast: constant_words(im, LLVMGetOperand(value, 0), out); return;
    default: constant_arithmetic(im, value, out);
    }
}

/* Above 64 bits LLVM's C interface gives the value only as decimal text. */
void import_integer(LLVMValueRef value, uint32_t *words)
{
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(value)), count = int_words(bits);
    if (bits <= 64) {
        uint64_t all = LLVMConstIntGetZExtValue(value);
        words[0] = (uint32_t)all;
        if (count > 1)
            words[1] = (uint32_t)(all >> 32);
        return;
    }
    char *text = LLVMPrintValueToString(value);
    const char *digit = strchr(text, ' ') + 1;
    bool negative = *digit == '-';
    memset(words, 0, count * sizeof(*words));
    for (digit += negative; *digit >= '0' && *digit <= '9'; digit++) {
        uint64_t carry = (uint64_t)(*digit - '0');
        for (unsigned i = 0; i < count; i++, carry >>= 32)
            words[i] = (uint32_t)(carry += (uint64_t)words[i] * 10);
    }
    uint64_t carry = 1;
    for (unsigned i = 0; negative && i < count; i++, carry >>= 32)
        words[i] = (uint32_t)(carry += (uint32_t)~words[i]);
    LLVMDisposeMessage(text);
}

/* The host's float would quieten a signalling NaN, and depend on the caller's floating-point modes. */
uint64_t import_float(struct importer *im, LLVMValueRef value)
{
    LLVMTypeRef bits = LLVMIntTypeInContext(im->context, import_int_bits(LLVMTypeOf(value)));
    return LLVMConstIntGetZExtValue(LLVMConstBitCast(value, bits));
}

static void constant_words(struct importer *im, LLVMValueRef value, ir_value *out)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned count = import_word_count(im, type);
    if (LLVMIsAConstantInt(value)) {
        uint32_t words[IMPORT_INT_WORDS] = {0};
        import_integer(value, words);
        for (unsigned i = 0; i < count; i++)
            out[i] = build_const(im, words[i]);
    } else if (LLVMIsAConstantFP(value)) {
        uint64_t bits = import_float(im, value);
        for (unsigned i = 0; i < count; i++)
            out[i] = build_const(im, (uint32_t)(bits >> 32 * i));
    } else if (LLVMIsUndef(value) || LLVMIsNull(value)) {
        for (unsigned i = 0; i < count; i++)
            out[i] = build_const(im, 0);
    } else if (LLVMIsAGlobalVariable(value)) {
        out[0] = symbol_address(im, value, 0);
        if (count > 1) /* variables are below 4 GiB */
            out[1] = im->zero;
    } else if (LLVMIsAFunction(value)) {
        import_error(im, NULL, "pointers to functions are not supported");
        out[0] = im->zero;
    } else if (LLVMIsAConstantExpr(value)) {
        constant_expression(im, value, out);
    } else if (LLVMIsAConstantDataSequential(value) || LLVMIsAConstantVector(value) || LLVMIsAConstantStruct(value) ||
               LLVMIsAConstantArray(value)) {
        unsigned elements = import_is(type, LLVMStructTypeKind)  ? LLVMCountStructElementTypes(type)
                            : import_is(type, LLVMArrayTypeKind) ? (unsigned)LLVMGetArrayLength2(type)
                                                                 : LLVMGetVectorSize(type);
        for (unsigned i = 0; i < elements; i++) {
            LLVMValueRef element = LLVMGetAggregateElement(value, i);
            constant_words(im, element, out);
            out += import_word_count(im, LLVMTypeOf(element));
        }
    } else {
        import_error(im, NULL, "a constant is not supported");
        for (unsigned i = 0; i < count; i++)
            out[i] = im->zero;
    }
}

void import_get(struct importer *im, LLVMValueRef value, ir_value *out, unsigned count)
{
    const struct word_list *entry = find(im, value);
    if (entry->key) {
        memcpy(out, im->words.at + entry->start, (entry->count < count ? entry->count : count) * sizeof(*out));
    } else if (LLVMIsConstant(value)) {
        constant_words(im, value, out);
    } else {
        import_error(im, value, "internal error: a value is used before it is imported");
        for (unsigned i = 0; i < count; i++)
            out[i] = im->zero;
    }
}

/* ---- kernels ---- */

struct argument {
    ir_value *words, base;
    uint32_t offset;
};
static void load_argument(struct importer *im, void *context, unsigned word, uint32_t offset, unsigned size)
{
    struct argument *argument = context;
    argument->words[word] = build_load(im, argument->base, (int32_t)(argument->offset + offset), (int)size, false);
}

/* A structure passed by value is a pointer: to where the host put it, or to a private copy. */
static ir_value struct_argument(struct importer *im, LLVMValueRef function, unsigned index, ir_value base,
                                uint32_t offset)
{
    const struct ir_argument *argument = &im->func->arguments[index];
    if (import_stays_in_place(function, index))
        return build_imm(im, IR_ADD, base, offset);
    uint32_t at = import_reserve(im, argument->size, argument->align);
    if (argument->align > im->module->private_align)
        im->module->private_align = argument->align;
    ir_value address = build_const(im, at);
    for (uint32_t done = 0; done < argument->size; done += 4)
        build_store(im, address, (int32_t)done, 4, build_load(im, base, (int32_t)(offset + done), 4, false), true);
    return address;
}

static void import_arguments(struct importer *im, LLVMValueRef function)
{
    ir_value base = build(im, IR_ARGBASE, 0, 0);
    uint32_t offset = 0;
    for (unsigned i = 0; i < LLVMCountParams(function); i++) {
        const struct ir_argument *info = &im->func->arguments[i];
        LLVMValueRef param = LLVMGetParam(function, i);
        LLVMTypeRef type = LLVMTypeOf(param);
        ir_value words[IMPORT_MAX_WORDS];
        unsigned count = import_word_count(im, type);
        if (count > IMPORT_MAX_WORDS) {
            import_error(im, NULL, "argument %u has %u words, more than %u", i, count, IMPORT_MAX_WORDS);
            return;
        }
        offset = (offset + info->align - 1) & ~(info->align - 1);
        struct argument argument = {words, base, offset};
        if (info->is_struct)
            words[0] = struct_argument(im, function, i, base, offset), words[1] = im->zero;
        else
            import_leaves(im, type, 0, 0, load_argument, &argument);
        import_set(im, param, words, count);
        offset += (info->size + 3) & ~3u;
    }
}

static uint32_t block_index(struct importer *im, LLVMBasicBlockRef block)
{
    struct word_list *entry = find(im, LLVMBasicBlockAsValue(block));
    return entry->start;
}

static void import_phi(struct importer *im, LLVMValueRef phi)
{
    ir_value words[IMPORT_MAX_WORDS];
    unsigned count = import_word_count(im, LLVMTypeOf(phi));
    for (unsigned i = 0; i < count; i++)
        words[i] = build(im, IR_PHI, 0, 0);
    import_set(im, phi, words, count);
    *cy_vec_push(&im->phis) = phi;
}

static LLVMValueRef first_that_acts(LLVMBasicBlockRef block)
{
    LLVMValueRef insn = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(insn) || LLVMIsADbgInfoIntrinsic(insn))
        insn = LLVMGetNextInstruction(insn);
    return insn;
}

/* Nothing runs there: what branches to it always takes the other way.  As a way to the kernel's end it would keep diverged lanes apart
 * until then, barriers included. */
static bool is_never_run(LLVMBasicBlockRef block)
{
    enum { DEEP = 8 }; /* nobody knows how long an endless loop is */
    LLVMValueRef insn = first_that_acts(block);
    for (unsigned i = 0; i < DEEP && LLVMIsABranchInst(insn) && !LLVMIsConditional(insn); i++)
        insn = first_that_acts(LLVMGetSuccessor(insn, 0));
    return LLVMIsAUnreachableInst(insn);
}

/* Where control may go from here: fills in at most two blocks, by their numbers; returns how many. */
static unsigned successors(struct importer *im, LLVMValueRef terminator, uint32_t *out)
{
    unsigned count = 0;
    for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator) && count < 2; i++)
        if (!is_never_run(LLVMGetSuccessor(terminator, i)))
            out[count++] = block_index(im, LLVMGetSuccessor(terminator, i));
    return count;
}

static void import_terminator(struct importer *im, LLVMValueRef insn)
{
    ir_value condition;
    uint32_t to[2];
    const unsigned count = successors(im, insn, to);
    switch (LLVMGetInstructionOpcode(insn)) {
    case LLVMBr:
        if (count == 2) {
            import_get(im, LLVMGetCondition(insn), &condition, 1);
            ir_set_branch(im->func, im->block, condition, im->first_block.at[to[0]], im->first_block.at[to[1]]);
        } else {
            ir_set_jump(im->func, im->block, count ? im->first_block.at[to[0]] : im->exit_block);
        }
        break;
    case LLVMRet: import_return(im, insn); /* fall through */
    case LLVMUnreachable: ir_set_jump(im->func, im->block, im->exit_block); break;
    default: import_error(im, insn, "a control-flow instruction is not supported");
    }
}

static void import_block(struct importer *im, uint32_t index)
{
    LLVMBasicBlockRef block = im->llvm_blocks.at[index];
    im->block = im->first_block.at[index];
    size_t first_phi = im->phis.count;
    for (LLVMValueRef insn = LLVMGetFirstInstruction(block); insn && !im->failed; insn = LLVMGetNextInstruction(insn)) {
        if (LLVMGetInstructionOpcode(insn) == LLVMCall && import_debug_call(im, insn))
            continue;
        im->insn = insn;
        im->line = import_location(im, insn);
        for (; !LLVMIsAPHINode(insn) && first_phi < im->phis.count; first_phi++)
            import_note_pointer(im, im->phis.at[first_phi]);
        unsigned words = import_word_count(im, LLVMTypeOf(insn));
        if (words > IMPORT_MAX_WORDS)
            import_error(im, insn, "a value of %u words is too large", words);
        else if (LLVMIsATerminatorInst(insn)) {
            import_terminator(im, insn);
            im->func->blocks.at[im->block].line = im->module->wants_debug || im->module->check ? im->line : 0;
        } else if (LLVMIsAPHINode(insn))
            import_phi(im, insn);
        else if (!import_arithmetic(im, insn) && !import_memory(im, insn) && !import_call(im, insn)) {
            char *text = LLVMPrintValueToString(insn);
            import_error(im, insn, "not supported: %.200s", text);
            LLVMDisposeMessage(text);
        }
    }
    im->last_block.at[index] = im->block;
    im->insn = NULL;
}

/* Phi arguments in our predecessor order, from LLVM's incoming list; a block with two edges from one predecessor keeps
 * both. */
static void fill_phis(struct importer *im)
{
    struct ir_func *func = im->func;
    for (size_t b = 0; b < func->blocks.count; b++)
        for (uint32_t s = 0; s < func->blocks.at[b].succ_count; s++)
            *cy_vec_push(&func->blocks.at[func->blocks.at[b].succ[s]].preds) = (uint32_t)b;
    for (size_t p = 0; p < im->phis.count && !im->failed; p++) {
        LLVMValueRef phi = im->phis.at[p];
        const struct word_list entry = *find(im, phi);
        for (uint32_t w = 0; w < entry.count; w++) {
            ir_value value = im->words.at[entry.start + w];
            uint32_t block = ir_at(func, value)->block, first = (uint32_t)func->phi_args.count;
            ir_at(func, value)->args[0] = first;
            for (size_t i = 0; i < func->blocks.at[block].preds.count; i++)
                *cy_vec_push(&func->phi_args) = 0;
        }
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            ir_value words[IMPORT_MAX_WORDS];
            uint32_t from = im->last_block.at[block_index(im, LLVMGetIncomingBlock(phi, i))];
            if (from == NONE) /* unreachable predecessor: its values were not imported */
                continue;
            im->block = from; /* constants are created there */
            import_get(im, LLVMGetIncomingValue(phi, i), words, entry.count);
            for (uint32_t w = 0; w < entry.count; w++) {
                ir_value value = im->words.at[entry.start + w];
                const struct ir_block *block = &func->blocks.at[ir_at(func, value)->block];
                for (size_t e = 0; e < block->preds.count; e++)
                    if (block->preds.at[e] == from)
                        func->phi_args.at[ir_at(func, value)->args[0] + e] = words[w];
            }
        }
    }
}

/* In reverse post-order, so that definitions precede uses; LLVM's block order need not be such an order. */
static void import_blocks(struct importer *im)
{
    struct cy_arena arena = {0};
    CY_VEC(struct cy_edge) edges = {0};
    const uint32_t count = (uint32_t)im->llvm_blocks.count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t succ[2];
        const uint32_t succ_count = successors(im, LLVMGetBasicBlockTerminator(im->llvm_blocks.at[i]), succ);
        for (uint32_t s = 0; s < succ_count; s++)
            *cy_vec_push(&edges) = (struct cy_edge){i, succ[s]};
    }
    const struct cy_graph graph = cy_graph_make(&arena, count, edges.at, edges.count);
    const struct cy_walk walk = cy_graph_walk(&arena, &graph, 0);
    for (uint32_t i = 0; i < walk.count && !im->failed; i++)
        import_block(im, walk.rpo[i]);
    cy_vec_free(&edges);
    cy_arena_free(&arena);
}

/* A kernel or a called function.  Block 0 is the prologue: arguments, the base of local memory. */
static void import_function(struct importer *im, LLVMValueRef function)
{
    size_t length;
    *cy_vec_push(&im->module->funcs) = (struct ir_func){0};
    im->func = &im->module->funcs.at[im->module->funcs.count - 1];
    const char *name = LLVMGetValueName2(function, &length);
    im->func->name = cy_arena_strndup(&im->module->arena, name, length);
    cc_progress_enter(im->progress, PASS_import, im->func->name);
    im->map_count = 0;
    memset(im->map, 0, im->map_size * sizeof(*im->map));
    im->words.count = im->phis.count = im->llvm_blocks.count = im->first_block.count = im->last_block.count = 0;
    im->returns.count = im->frames.count = im->pairs.count = 0;
    im->line = im->next_frame = 0;
    im->func->is_function = LLVMGetFunctionCallConv(function) != CC_SPIR_KERNEL;
    im->func->line = import_definition(im, function);
    im->func->scope = import_debug_scope(im, function);
    import_place_shared_locals(im);
    im->block = ir_new_block(im->func);
    im->zero = build_const(im, 0);
    /* local variables follow the warps' scalar stacks: LDS + NUMW * LDS_STACK_SIZE_PER_WF */
    ir_value lds = build(im, IR_CSR, 0, 0), warps = build(im, IR_CSR, 0, 0);
    ir_at(im->func, lds)->imm = CY_CSR_LDS;
    ir_at(im->func, warps)->imm = CY_CSR_NUMW;
    im->local_base =
        build(im, IR_ADD, lds, build(im, IR_MUL, warps, import_metadata(im, CY_KNL_LDS_STACK_SIZE_PER_WF)));
    if (im->func->is_function) {
        import_parameters(im, function);
    } else {
        import_kernel_info(im, function);
        import_arguments(im, function);
    }
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
        struct word_list *entry = find(im, LLVMBasicBlockAsValue(block));
        im->map_count++;
        *entry = (struct word_list){LLVMBasicBlockAsValue(block), (uint32_t)im->llvm_blocks.count, 0};
        *cy_vec_push(&im->llvm_blocks) = block;
        *cy_vec_push(&im->first_block) = ir_new_block(im->func);
        *cy_vec_push(&im->last_block) = NONE; /* if it is not reached: its first block is empty and returns */
    }
    im->exit_block = ir_new_block(im->func);
    ir_set_jump(im->func, 0, im->first_block.at[0]);
    import_blocks(im);
    if (!im->failed)
        fill_phis(im);
    if (!im->failed)
        import_returns(im);
}

bool cc_import(const struct cc_program *program, const char *name, struct ir_module *module, struct cy_diags *diags)
{
    struct importer im = {.name = name,
                          .diags = diags,
                          .module = module,
                          .context = program->context,
                          .llvm = program->module,
                          .progress = program->progress};
    im.layout = LLVMCreateTargetData(LLVMGetDataLayoutStr(program->module));
    if (LLVMPointerSize(im.layout) != 4 * import_pointer_words(&im)) { /* linked from a library or object */
        cy_diag_file(diags, CY_ERROR, name, "the bitcode has %u-bit pointers, and generation %u of Ventus %u-bit ones",
                     8 * LLVMPointerSize(im.layout), ir_target(module)->generation, 32 * import_pointer_words(&im));
        im.failed = true;
    }
    im.map_size = 1024;
    im.map = cy_xrealloc(NULL, im.map_size * sizeof(*im.map));
    module->private_align = 4;
    CY_VEC(LLVMValueRef) kernels = {0};
    for (LLVMValueRef function = LLVMGetFirstFunction(program->module); function;
         function = LLVMGetNextFunction(function))
        if (LLVMGetFunctionCallConv(function) == CC_SPIR_KERNEL && !LLVMIsDeclaration(function))
            *cy_vec_push(&kernels) = function;
    im.kernel_count = (uint32_t)kernels.count;
    import_shared_locals(&im);
    for (size_t i = 0; i < kernels.count && !im.failed; i++)
        import_function(&im, kernels.at[i]);
    for (size_t i = 0; i < im.functions.count && !im.failed; i++) /* the list grows */
        import_function(&im, im.functions.at[i]);
    cy_vec_free(&kernels);
    if (!im.failed && !module->funcs.count)
        cy_diag_file(diags, CY_WARNING, name, "there is no kernel in this program");
    LLVMDisposeTargetData(im.layout);
    cy_free(im.map);
    cy_vec_free(&im.words);
    cy_vec_free(&im.llvm_blocks);
    cy_vec_free(&im.first_block);
    cy_vec_free(&im.last_block);
    cy_vec_free(&im.phis);
    cy_vec_free(&im.pairs);
    cy_vec_free(&im.globals);
    cy_vec_free(&im.local_offsets);
    cy_vec_free(&im.functions);
    cy_vec_free(&im.returns);
    cy_vec_free(&im.shared_locals);
    import_debug_free(&im);
    return !im.failed;
}
