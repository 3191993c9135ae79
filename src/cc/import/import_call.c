/* Calls: to functions (import_func.c), LLVM's intrinsics (import_intrinsic.c), the device library's own intrinsics
 * (__cy_...) and printf; memcpy and memset. */
#include "cc/import/import_priv.h"

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
    uint64_t total =
        LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2)); /* others have become calls (lower_libcalls.c) */
    ir_value to, from;
    unsigned align = LLVMGetEnumAttributeKindForName("align", 5), known[2] = {1, 1};
    for (unsigned i = 0; i < 2; i++) {
        LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, i + 1, align);
        known[i] = attribute ? (unsigned)LLVMGetEnumAttributeValue(attribute) : 1;
    }
    unsigned step = known[0] < known[1] || fill ? known[0] : known[1];
    step = step > 4 ? 4 : step;
    bool to_private = import_space(LLVMGetOperand(call, 0)) == IMPORT_PRIVATE,
         from_private = !fill && import_space(LLVMGetOperand(call, 1)) == IMPORT_PRIVATE;
    to = import_address(im, LLVMGetOperand(call, 0), to_private);
    if (fill)
        import_get(im, LLVMGetOperand(call, 1), &from, 1);
    else
        from = import_address(im, LLVMGetOperand(call, 1), from_private);
    if (fill)
        from = build_imm(im, IR_MUL, build_zext(im, from, 8), 0x01010101u);
    /* load everything before storing anything: memmove's blocks may overlap */
    ir_value values[4 * CC_BLOCK_PIECES + 4];
    for (int pass = fill; pass < 2; pass++)
        for (uint64_t at = 0; at < total;) {
            unsigned piece = step;
            while (piece > total - at)
                piece /= 2;
            if (pass == 0)
                values[at] = build_load(im, from, (int32_t)at, (int)piece, from_private);
            else
                build_store(im, to, (int32_t)at, (int)piece, fill ? from : values[at], to_private);
            at += piece;
        }
    return true;
}

/* ---- the device library's own intrinsics ---- */

/* Through memory of the warp's own; lanes run in lockstep, so that every active lane has stored before any loads. */
static ir_value exchange(struct importer *im, ir_value mine, ir_value value, ir_value theirs)
{
    im->func->exchanges_lanes = true;
    build_store(im, mine, 0, 4, value, false);
    return build_load(im, theirs, 0, 4, false);
}

static ir_value unite(struct importer *im, ir_value word, ir_value value)
{
    im->func->exchanges_lanes = true;
    build_store(im, word, 0, 4, build_const(im, 0), false);
    ir_at(im->func, build(im, IR_AMO, word, value))->imm = CY_OP_amoor_w;
    return build_load(im, word, 0, 4, false);
}

/* __cy_fmin, __cy_dmaximum ... */
static bool library_minmax(struct importer *im, LLVMValueRef call, const char *name)
{
    static const struct {
        const char *name;
        enum ir_op op;
        bool is_nan; /* of one */
    } rows[] = {
        {"min", IR_FMIN, false}, {"max", IR_FMAX, false}, {"minimum", IR_FMIN, true}, {"maximum", IR_FMAX, true}};
    const char *rest = name + strlen("__cy_") + 1;
    unsigned bits = name[strlen("__cy_")] == 'd' ? 64 : 32;
    ir_value a[2], b[2], out[2];
    for (size_t i = 0; i < CY_COUNT(rows); i++) {
        if (strcmp(rest, rows[i].name) != 0)
            continue;
        import_get(im, LLVMGetOperand(call, 0), a, int_words(bits));
        import_get(im, LLVMGetOperand(call, 1), b, int_words(bits));
        if (rows[i].is_nan)
            import_minmax_nan(im, bits, rows[i].op, a, b, out);
        else
            float_operation(im, bits, rows[i].op, a, b, NULL, out);
        import_set(im, call, out, int_words(bits));
        return true;
    }
    return false;
}

/* OpenCL's memory_order, whose numbers are clang's. */
static LLVMAtomicOrdering order_of(int32_t order)
{
    switch (order) {
    case __ATOMIC_RELAXED: return LLVMAtomicOrderingMonotonic;
    case __ATOMIC_ACQUIRE: return LLVMAtomicOrderingAcquire;
    case __ATOMIC_RELEASE: return LLVMAtomicOrderingRelease;
    case __ATOMIC_ACQ_REL: return LLVMAtomicOrderingAcquireRelease;
    default: return LLVMAtomicOrderingSequentiallyConsistent;
    }
}

static bool library_intrinsic(struct importer *im, LLVMValueRef call, const char *name)
{
    static const char csr_prefix[] = "__cy_csr_";
    if (import_atomic_call(im, call, name))
        return true;
    if (library_minmax(im, call, name))
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
        result = build(im, IR_CSR, 0, 0);
        ir_at(im->func, result)->imm = (int32_t)csr->number;
    } else if (!strcmp(name, "__cy_lane")) {
        result = build(im, IR_LANE, 0, 0);
    } else if (!strcmp(name, "__cy_barrier") && has_constant) {
        ir_at(im->func, build(im, IR_BARRIER, 0, 0))->imm = constant & 31;
    } else if (!strcmp(name, "__cy_barrier")) {
        ir_at(im->func, build(im, IR_BARRIER, 0, 0))->imm = 3; /* flags are not constant: fence both */
    } else if (!strcmp(name, "__cy_warp_barrier")) {
        ir_at(im->func, build(im, IR_BARRIER, 0, 0))->imm = IR_BARRIER_WARP | (has_constant ? constant & 31 : 3);
    } else if (!strcmp(name, "__cy_exchange")) {
        result = exchange(im, a[0], a[1], a[2]);
    } else if (!strcmp(name, "__cy_unite")) {
        result = unite(im, a[0], a[1]);
    } else if (!strcmp(name, "__cy_fence")) {
        import_fence(im, has_constant ? order_of(constant) : LLVMAtomicOrderingSequentiallyConsistent);
    } else if (!strcmp(name, "__cy_fexp")) {
        result = build(im, IR_FEXP, a[0], 0);
    } else if (!strcmp(name, CC_TRAP)) {
        build(im, IR_TRAP, 0, 0);
    } else {
        return false;
    }
    if (!import_is(LLVMTypeOf(call), LLVMVoidTypeKind))
        import_set(im, call, &result, 1);
    return true;
}

/* Between types of OpenCL C that have no conversion: an image or a pipe is the address of its description, a sampler or a
 * reservation a number; and what hides a value from LLVM. */
static bool is_identity(const char *name)
{
    size_t length = strlen(name);
    return !strcmp(name, CC_OPAQUE) || !strcmp(name, "__translate_sampler_initializer") ||
           !strcmp(name, "__cy_sampler") || starts(name, "__cy_pipe_") || starts(name, "__cy_reserve_") ||
           (starts(name, "_Z10__cy_image") && length > strlen("_Z10__cy_image"));
}

/* Overloadable functions have their parameters in the mangled name: _Z3sinf. */
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
        import_asm(im, call, callee);
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
    if (is_identity(name)) {
        ir_value words[2] = {im->zero, im->zero}; /* a number may be in as many words as an address */
        import_get(im, LLVMGetOperand(call, 0), words, import_word_count(im, LLVMTypeOf(LLVMGetOperand(call, 0))));
        import_set(im, call, words, import_word_count(im, LLVMTypeOf(call)));
        return true;
    }
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
