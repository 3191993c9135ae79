/* Calls: everything with a body was inlined; what is left are LLVM's intrinsics, the device library's own (__cy_...),
 * and printf. */
#include "cc/import_priv.h"

#include "isa/isa.h"

#include <stdio.h>
#include <string.h>

static bool starts(const char *name, const char *prefix)
{
    return !strncmp(name, prefix, strlen(prefix));
}

/* ---- memcpy and memset of known size ---- */

static bool block_move(struct importer *im, LLVMValueRef call, bool fill)
{
    uint64_t total = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2)); /* others have become calls (helpers.c) */
    ir_value to, from;
    unsigned align = LLVMGetEnumAttributeKindForName("align", 5), known[2] = {1, 1};
    for (unsigned i = 0; i < 2; i++) {
        LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, i + 1, align);
        known[i] = attribute ? (unsigned)LLVMGetEnumAttributeValue(attribute) : 1;
    }
    unsigned step = known[0] < known[1] || fill ? known[0] : known[1];
    step = step > 4 ? 4 : step;
    import_get(im, LLVMGetOperand(call, 0), &to, 1);
    import_get(im, LLVMGetOperand(call, 1), &from, 1);
    bool to_private = import_space(LLVMGetOperand(call, 0)) == IMPORT_PRIVATE,
         from_private = !fill && import_space(LLVMGetOperand(call, 1)) == IMPORT_PRIVATE;
    if (fill)
        from = emit_imm(im, IR_MUL, emit_zext(im, from, 8), 0x01010101u);
    /* everything is loaded before anything is stored: memmove's blocks may overlap */
    ir_value values[4 * CC_BLOCK_PIECES + 4];
    for (int pass = fill; pass < 2; pass++)
        for (uint64_t at = 0; at < total;) {
            unsigned piece = step;
            while (piece > total - at)
                piece /= 2;
            if (pass == 0)
                values[at] = emit_load(im, from, (int32_t)at, (int)piece, from_private);
            else
                emit_store(im, to, (int32_t)at, (int)piece, fill ? from : values[at], to_private);
            at += piece;
        }
    return true;
}

/* ---- printf (isa.md section 4): {bytes, format, arguments} behind {cursor, dropped} ---- */

static uint32_t format_id(struct importer *im, LLVMValueRef call)
{
    LLVMValueRef format = LLVMGetOperand(call, 0);
    while (LLVMIsAConstantExpr(format))
        format = LLVMGetOperand(format, 0);
    LLVMValueRef text = LLVMIsAGlobalVariable(format) ? LLVMGetInitializer(format) : NULL;
    uint32_t offset = 0;
    size_t length = 0;
    const char *bytes = "";
    if (text && LLVMIsAConstantDataSequential(text))
        bytes = LLVMGetAsString(text, &length);
    else if (!text || !LLVMIsNull(text))
        import_error(im, call, "printf needs a format that is a string literal");
    for (size_t i = 0; i < im->module->formats.count; i++)
        offset += im->module->formats.at[i].length + 1;
    while (length && !bytes[length - 1])
        length--;
    *cy_vec_push(&im->module->formats) =
        (struct ir_format){cy_arena_strndup(&im->module->arena, bytes, length), (uint32_t)length};
    return offset;
}

static void import_printf(struct importer *im, LLVMValueRef call)
{
    ir_value words[IMPORT_MAX_WORDS];
    uint32_t sizes[IMPORT_MAX_WORDS], offsets[IMPORT_MAX_WORDS], bytes = 8;
    unsigned count = 0;
    for (unsigned i = 1; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef arg = LLVMGetOperand(call, i);
        unsigned elements, total = import_word_count(im, LLVMTypeOf(arg));
        LLVMTypeRef element = import_element(LLVMTypeOf(arg), &elements);
        if (count + total > IMPORT_MAX_WORDS) {
            import_error(im, call, "printf with too many arguments");
            return;
        }
        import_get(im, arg, words + count, total);
        bool is_vector = import_is(LLVMTypeOf(arg), LLVMVectorTypeKind);
        unsigned bits = import_int_bits(element), size = is_vector && bits < 32 ? bits / 8 : 4;
        for (unsigned w = 0; w < total; w++, bytes += size) {
            if (!is_vector && bits < 32)
                words[count + w] = emit_sext(im, words[count + w], bits);
            sizes[count + w] = size;
            offsets[count + w] = bytes;
        }
        bytes = (bytes + 3) & ~3u;
        count += total;
    }
    uint32_t id = format_id(im, call);
    ir_value buffer = import_metadata(im, 48), size = import_metadata(im, 52);
    ir_value record = emit(im, IR_AMO, buffer, emit_const(im, bytes));
    ir_at(im->func, record)->imm = CY_OP_amoadd_w;
    ir_value end = emit_imm(im, IR_ADD, record, bytes + 8), fits = emit(im, IR_GEU, size, end);
    uint32_t write = ir_new_block(im->func), drop = ir_new_block(im->func), after = ir_new_block(im->func);
    ir_set_branch(im->func, im->block, fits, write, drop);
    im->block = write;
    ir_value at = emit(im, IR_ADD, buffer, record);
    emit_store(im, at, 8, 4, emit_const(im, bytes), false);
    emit_store(im, at, 12, 4, emit_const(im, id), false);
    for (unsigned i = 0; i < count; i++)
        emit_store(im, at, (int32_t)(8 + offsets[i]), (int)sizes[i], words[i], false);
    ir_set_jump(im->func, im->block, after);
    im->block = drop;
    ir_value dropped = emit(im, IR_AMO, emit_imm(im, IR_ADD, buffer, 4), emit_const(im, 1));
    ir_at(im->func, dropped)->imm = CY_OP_amoadd_w;
    ir_set_jump(im->func, im->block, after);
    im->block = after;
    emit(im, IR_PRINTED, 0, 0);
    ir_value result = emit_const(im, 0);
    import_set(im, call, &result, 1);
}

/* ---- the device library's own ---- */

static bool library_intrinsic(struct importer *im, LLVMValueRef call, const char *name)
{
    static const char csr_prefix[] = "__cy_csr_";
    if (import_atomic_call(im, call, name))
        return true;
    ir_value a[3] = {0}, result = im->zero;
    unsigned count = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < count && i < 3; i++)
        import_get(im, LLVMGetOperand(call, i), &a[i], 1);
    bool has_constant = count == 1 && LLVMIsAConstantInt(LLVMGetOperand(call, 0));
    int32_t constant = has_constant ? (int32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0)) : 0;
    const struct cy_csr_info *csr =
        starts(name, csr_prefix) ? cy_csr_find(name + strlen(csr_prefix), strlen(name + strlen(csr_prefix))) : NULL;
    if (csr) {
        result = emit(im, IR_CSR, 0, 0);
        ir_at(im->func, result)->imm = (int32_t)csr->number;
    } else if (!strcmp(name, "__cy_lane")) {
        result = emit(im, IR_LANE, 0, 0);
    } else if (!strcmp(name, "__cy_barrier") && has_constant) {
        ir_at(im->func, emit(im, IR_BARRIER, 0, 0))->imm = constant & 31;
    } else if (!strcmp(name, "__cy_barrier")) {
        ir_at(im->func, emit(im, IR_BARRIER, 0, 0))->imm = 3; /* flags that are not constant: fence both */
    } else if (!strcmp(name, "__cy_fence")) {
        emit(im, IR_FENCE, 0, 0);
    } else if (!strcmp(name, "__cy_fexp")) {
        result = emit(im, IR_FEXP, a[0], 0);
    } else {
        return false;
    }
    if (!import_is(LLVMTypeOf(call), LLVMVoidTypeKind))
        import_set(im, call, &result, 1);
    return true;
}

/* Functions that can be overloaded have their parameters in the name: _Z3sinf. */
static void refuse(struct importer *im, LLVMValueRef call, const char *name)
{
    unsigned length = 0;
    int skipped = 0;
    if (starts(name, "llvm."))
        import_error(im, call, "'%s' is not supported", name);
    else if (sscanf(name, "_Z%u%n", &length, &skipped) == 1 && length <= strlen(name + skipped))
        import_error(im, call, "the function '%.*s' is not defined", (int)length, name + skipped);
    else
        import_error(im, call, "the function '%s' is not defined", name);
}

bool import_call(struct importer *im, LLVMValueRef call)
{
    if (LLVMGetInstructionOpcode(call) != LLVMCall)
        return false;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length;
    if (LLVMIsAInlineAsm(callee)) {
        import_error(im, call, "inline assembly is not supported");
        return true;
    }
    if (!LLVMIsAFunction(callee)) {
        import_error(im, call, "calls through pointers are not supported");
        return true;
    }
    const char *name = LLVMGetValueName2(callee, &length);
    if (starts(name, "llvm.memcpy.") || starts(name, "llvm.memmove."))
        return block_move(im, call, false);
    if (starts(name, "llvm.memset."))
        return block_move(im, call, true);
    if (import_intrinsic(im, call))
        return true;
    if (starts(name, "__cy_") && library_intrinsic(im, call, name))
        return true;
    if (!strcmp(name, "printf")) {
        import_printf(im, call);
        return true;
    }
    if (!LLVMIsDeclaration(callee))
        import_function_call(im, call, callee);
    else
        refuse(im, call, name);
    return true;
}
