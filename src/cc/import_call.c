/* Calls: everything with a body was inlined; what is left are LLVM's intrinsics, the device library's own (__cy_...),
 * and printf. */
#include "cc/import_priv.h"

#include "isa/isa.h"

#include <string.h>

static bool starts(const char *name, const char *prefix)
{
    return !strncmp(name, prefix, strlen(prefix));
}

/* ---- LLVM's intrinsics that are one operation a word ---- */

static ir_value abs_word(struct importer *im, ir_value a)
{
    return emit(im, IR_MAXS, a, emit(im, IR_SUB, emit_const(im, 0), a));
}

static ir_value popcount(struct importer *im, ir_value x)
{
    x = emit(im, IR_SUB, x, emit_imm(im, IR_AND, emit_imm(im, IR_SHRU, x, 1), 0x55555555u));
    x = emit(im, IR_ADD, emit_imm(im, IR_AND, x, 0x33333333u),
             emit_imm(im, IR_AND, emit_imm(im, IR_SHRU, x, 2), 0x33333333u));
    x = emit_imm(im, IR_AND, emit(im, IR_ADD, x, emit_imm(im, IR_SHRU, x, 4)), 0x0f0f0f0fu);
    return emit_imm(im, IR_SHRU, emit_imm(im, IR_MUL, x, 0x01010101u), 24);
}

/* Smear the highest bit downwards and count what is above it. */
static ir_value leading_zeros(struct importer *im, ir_value x)
{
    for (unsigned shift = 1; shift < 32; shift *= 2)
        x = emit(im, IR_OR, x, emit_imm(im, IR_SHRU, x, shift));
    return popcount(im, emit_imm(im, IR_XOR, x, UINT32_MAX));
}

static ir_value trailing_zeros(struct importer *im, ir_value x) /* the ones below the lowest bit */
{
    ir_value below = emit(im, IR_AND, emit_imm(im, IR_XOR, x, UINT32_MAX), emit_imm(im, IR_ADD, x, UINT32_MAX));
    return popcount(im, below);
}

static ir_value fabs_word(struct importer *im, ir_value a)
{
    return emit_imm(im, IR_AND, a, 0x7fffffffu);
}

static const struct {
    const char *name;
    enum ir_op op;
    unsigned arguments;
} simple[] = {
    {"llvm.fma.", IR_FMA, 3},        {"llvm.fmuladd.", IR_FMA, 3}, {"llvm.sqrt.", IR_FSQRT, 1},
    {"llvm.copysign.", IR_FSGNJ, 2}, {"llvm.minnum.", IR_FMIN, 2}, {"llvm.maxnum.", IR_FMAX, 2},
    {"llvm.smin.", IR_MINS, 2},      {"llvm.smax.", IR_MAXS, 2},   {"llvm.umin.", IR_MINU, 2},
    {"llvm.umax.", IR_MAXU, 2},
};

static const char *const ignored[] = {"llvm.lifetime.", "llvm.dbg.",    "llvm.assume", "llvm.experimental.noalias",
                                      "llvm.donothing", "llvm.prefetch"};

/* 64-bit forms of the intrinsics that instcombine likes to make. */
static bool wide_intrinsic(struct importer *im, LLVMValueRef call, const char *name)
{
    ir_value a[2], b[2], out[2];
    import_get(im, LLVMGetOperand(call, 0), a, 2);
    if (starts(name, "llvm.ctpop.")) {
        out[0] = emit(im, IR_ADD, popcount(im, a[0]), popcount(im, a[1]));
        out[1] = emit_const(im, 0);
    } else if (starts(name, "llvm.ctlz.")) {
        ir_value low = emit_imm(im, IR_ADD, leading_zeros(im, a[0]), 32);
        out[0] = emit3(im, IR_SELECT, emit_imm(im, IR_EQ, a[1], 0), low, leading_zeros(im, a[1]));
        out[1] = emit_const(im, 0);
    } else if (starts(name, "llvm.cttz.")) {
        ir_value high = emit_imm(im, IR_ADD, trailing_zeros(im, a[1]), 32);
        out[0] = emit3(im, IR_SELECT, emit_imm(im, IR_EQ, a[0], 0), high, trailing_zeros(im, a[0]));
        out[1] = emit_const(im, 0);
    } else if (starts(name, "llvm.abs.")) {
        ir_value sign = emit_imm(im, IR_SHRS, a[1], 31); /* (x ^ s) - s */
        ir_value low = emit(im, IR_XOR, a[0], sign), high = emit(im, IR_XOR, a[1], sign);
        out[0] = emit(im, IR_SUB, low, sign);
        out[1] = emit(im, IR_SUB, emit(im, IR_SUB, high, sign), emit(im, IR_LTU, low, sign));
    } else if (starts(name, "llvm.smin.") || starts(name, "llvm.smax.") || starts(name, "llvm.umin.") ||
               starts(name, "llvm.umax.")) {
        import_get(im, LLVMGetOperand(call, 1), b, 2);
        ir_value below = emit3(im, IR_SELECT, emit(im, IR_EQ, a[1], b[1]), emit(im, IR_LTU, a[0], b[0]),
                               emit(im, name[5] == 's' ? IR_LTS : IR_LTU, a[1], b[1]));
        bool minimum = name[7] == 'i';
        for (int w = 0; w < 2; w++)
            out[w] = emit3(im, IR_SELECT, below, minimum ? a[w] : b[w], minimum ? b[w] : a[w]);
    } else {
        return false;
    }
    import_set(im, call, out, 2);
    return true;
}

static ir_value one_word(struct importer *im, const char *name, unsigned bits, const ir_value *a, bool *known)
{
    *known = true;
    if (starts(name, "llvm.fabs."))
        return fabs_word(im, a[0]);
    if (starts(name, "llvm.abs."))
        return abs_word(im, emit_sext(im, a[0], bits));
    if (starts(name, "llvm.ctpop."))
        return popcount(im, emit_zext(im, a[0], bits));
    if (starts(name, "llvm.ctlz."))
        return emit_imm(im, IR_SUB, leading_zeros(im, emit_zext(im, a[0], bits)), 32 - bits);
    if (starts(name, "llvm.cttz."))
        return trailing_zeros(im, bits < 32 ? emit_imm(im, IR_OR, a[0], 1u << bits) : a[0]);
    if ((starts(name, "llvm.fshl.") || starts(name, "llvm.fshr.")) && bits == 32) {
        /* (a:b << n) high word, or (a:b >> n) low word; the inner shift by one keeps n = 0 right */
        ir_value rest = emit_imm(im, IR_XOR, a[2], 31);
        return name[8] == 'l' ? emit(im, IR_OR, emit(im, IR_SHL, a[0], a[2]),
                                     emit(im, IR_SHRU, emit_imm(im, IR_SHRU, a[1], 1), rest))
                              : emit(im, IR_OR, emit(im, IR_SHRU, a[1], a[2]),
                                     emit(im, IR_SHL, emit_imm(im, IR_SHL, a[0], 1), rest));
    }
    if (starts(name, "llvm.uadd.sat.") && bits == 32) {
        ir_value sum = emit(im, IR_ADD, a[0], a[1]);
        return emit(im, IR_OR, sum, emit(im, IR_SUB, emit_const(im, 0), emit(im, IR_LTU, sum, a[0])));
    }
    if (starts(name, "llvm.usub.sat."))
        return emit(im, IR_SUB, emit(im, IR_MAXU, emit_zext(im, a[0], bits), emit_zext(im, a[1], bits)),
                    emit_zext(im, a[1], bits));
    *known = false;
    return im->zero;
}

static bool vector_intrinsic(struct importer *im, LLVMValueRef call, const char *name)
{
    unsigned elements, count = LLVMGetNumArgOperands(call);
    LLVMTypeRef type = import_element(LLVMTypeOf(call), &elements);
    ir_value in[3][IMPORT_MAX_WORDS], out[IMPORT_MAX_WORDS];
    if (import_word_count(im, type) == 2)
        return elements == 1 && wide_intrinsic(im, call, name);
    for (unsigned i = 0; i < count && i < 3; i++) {
        unsigned have, words = import_word_count(im, LLVMTypeOf(LLVMGetOperand(call, i)));
        import_element(LLVMTypeOf(LLVMGetOperand(call, i)), &have);
        import_get(im, LLVMGetOperand(call, i), in[i], words);
        for (unsigned e = have; e < elements; e++)
            in[i][e] = in[i][0]; /* the flag of ctlz, abs ... */
    }
    unsigned bits = import_int_bits(type);
    for (unsigned e = 0; e < elements; e++) {
        ir_value a[3] = {count > 0 ? in[0][e] : 0, count > 1 ? in[1][e] : 0, count > 2 ? in[2][e] : 0};
        bool known = false;
        for (size_t i = 0; i < CY_COUNT(simple) && !known; i++)
            if (starts(name, simple[i].name)) {
                bool is_signed = simple[i].op == IR_MINS || simple[i].op == IR_MAXS,
                     is_float = bits == 32 && !import_is(type, LLVMIntegerTypeKind);
                for (unsigned k = 0; k < simple[i].arguments && !is_float; k++)
                    a[k] = is_signed ? emit_sext(im, a[k], bits) : emit_zext(im, a[k], bits);
                out[e] = emit3(im, simple[i].op, a[0], simple[i].arguments > 1 ? a[1] : 0,
                               simple[i].arguments > 2 ? a[2] : 0);
                known = true;
            }
        if (!known)
            out[e] = one_word(im, name, bits, a, &known);
        if (!known)
            return false;
    }
    import_set(im, call, out, elements);
    return true;
}

/* ---- memcpy and memset of known size ---- */

#define MAX_UNROLLED 1024

static bool block_move(struct importer *im, LLVMValueRef call, bool fill)
{
    LLVMValueRef size = LLVMGetOperand(call, 2);
    ir_value to, from;
    if (!LLVMIsAConstantInt(size) || LLVMConstIntGetZExtValue(size) > MAX_UNROLLED) {
        import_error(im, call, "copying or filling a block of more than %u bytes, or of unknown size, is not supported",
                     MAX_UNROLLED);
        return true;
    }
    unsigned align = LLVMGetEnumAttributeKindForName("align", 5), known[2] = {1, 1};
    for (unsigned i = 0; i < 2; i++) {
        LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, i + 1, align);
        known[i] = attribute ? (unsigned)LLVMGetEnumAttributeValue(attribute) : 1;
    }
    unsigned step = known[0] < known[1] || fill ? known[0] : known[1];
    step = step > 4 ? 4 : step;
    import_get(im, LLVMGetOperand(call, 0), &to, 1);
    import_get(im, LLVMGetOperand(call, 1), &from, 1);
    bool to_private = import_is_private(im, LLVMGetOperand(call, 0)),
         from_private = !fill && import_is_private(im, LLVMGetOperand(call, 1));
    if (fill)
        from = emit_imm(im, IR_MUL, emit_zext(im, from, 8), 0x01010101u);
    /* everything is loaded before anything is stored: memmove's blocks may overlap */
    ir_value values[MAX_UNROLLED];
    for (int pass = fill; pass < 2; pass++)
        for (uint64_t at = 0, total = LLVMConstIntGetZExtValue(size); at < total;) {
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
    static const struct {
        const char *name;
        enum cy_op row;
    } atomics[] = {
        {"__cy_amo_add_", CY_OP_amoadd_w}, {"__cy_amo_swap_", CY_OP_amoswap_w}, {"__cy_amo_and_", CY_OP_amoand_w},
        {"__cy_amo_or_", CY_OP_amoor_w},   {"__cy_amo_xor_", CY_OP_amoxor_w},   {"__cy_amo_min_", CY_OP_amomin_w},
        {"__cy_amo_max_", CY_OP_amomax_w}, {"__cy_amo_minu_", CY_OP_amominu_w}, {"__cy_amo_maxu_", CY_OP_amomaxu_w},
    };
    ir_value a[3] = {0}, result = im->zero;
    unsigned count = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < count && i < 3; i++)
        import_get(im, LLVMGetOperand(call, i), &a[i], 1);
    bool has_constant = count == 1 && LLVMIsAConstantInt(LLVMGetOperand(call, 0));
    int32_t constant = has_constant ? (int32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0)) : 0;
    if (!strcmp(name, "__cy_csr") && has_constant) {
        result = emit(im, IR_CSR, 0, 0);
        ir_at(im->func, result)->imm = constant;
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
    } else if (starts(name, "__cy_cas_")) {
        result = emit3(im, IR_CAS, a[0], a[1], a[2]);
    } else {
        size_t i = 0;
        while (i < CY_COUNT(atomics) && !starts(name, atomics[i].name))
            i++;
        if (i == CY_COUNT(atomics))
            return false;
        result = emit(im, IR_AMO, a[0], a[1]);
        ir_at(im->func, result)->imm = (int32_t)atomics[i].row;
    }
    if (!import_is(LLVMTypeOf(call), LLVMVoidTypeKind))
        import_set(im, call, &result, 1);
    return true;
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
    for (size_t i = 0; i < CY_COUNT(ignored); i++)
        if (starts(name, ignored[i]))
            return true;
    if (starts(name, "llvm.memcpy.") || starts(name, "llvm.memmove."))
        return block_move(im, call, false);
    if (starts(name, "llvm.memset."))
        return block_move(im, call, true);
    if (starts(name, "llvm.") && vector_intrinsic(im, call, name))
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
        import_error(im, call, "the function '%s' is not defined", name);
    return true;
}
