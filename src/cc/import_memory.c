/* Memory: addresses, loads and stores by leaves of the type, atomics, variables at program scope. */
#include "cc/import_priv.h"

#include "isa/isa.h"

#include <string.h>

#define NONE UINT32_MAX
enum { PRIVATE, GLOBAL, CONSTANT, LOCAL, GENERIC }; /* clang's numbers for target spir */

/* What a pointer is made from, through casts and offsets. */
static LLVMValueRef origin(LLVMValueRef pointer)
{
    for (;;) {
        bool expression = LLVMIsAConstantExpr(pointer);
        LLVMOpcode op = expression                    ? LLVMGetConstOpcode(pointer)
                        : LLVMIsAInstruction(pointer) ? LLVMGetInstructionOpcode(pointer)
                                                      : LLVMRet;
        if (op != LLVMGetElementPtr && op != LLVMBitCast && op != LLVMAddrSpaceCast)
            return pointer;
        pointer = LLVMGetOperand(pointer, 0);
    }
}

/* Tables made from switches live in address space 0, but they are constants in global memory.  A cast out of another
 * space tells what a generic pointer is. */
static unsigned space_of(LLVMValueRef pointer)
{
    LLVMValueRef from = origin(pointer);
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    if (LLVMIsAGlobalVariable(from))
        return LLVMGetPointerAddressSpace(LLVMTypeOf(from)) == LOCAL ? LOCAL : GLOBAL;
    if (space == GENERIC && LLVMGetPointerAddressSpace(LLVMTypeOf(from)) != GENERIC)
        return LLVMGetPointerAddressSpace(LLVMTypeOf(from));
    return space;
}

bool import_is_private(struct importer *im, LLVMValueRef pointer)
{
    (void)im;
    return space_of(pointer) == PRIVATE;
}

bool import_is_generic(LLVMValueRef pointer)
{
    return space_of(pointer) == GENERIC;
}

/* ---- variables at program scope ---- */

static uint32_t store_initializer(struct importer *im, uint32_t symbol, LLVMValueRef value, uint32_t offset);

static void store_bytes(struct importer *im, uint32_t symbol, uint32_t offset, uint64_t bits, unsigned bytes)
{
    struct cy_buf *data = &im->module->symbols.at[symbol].data;
    memcpy(data->data + offset, &bits, bytes);
}

static void store_pointer(struct importer *im, uint32_t symbol, LLVMValueRef value, uint32_t offset)
{
    int64_t addend = 0;
    while (LLVMIsAConstantExpr(value)) {
        if (LLVMGetConstOpcode(value) == LLVMGetElementPtr) {
            LLVMTypeRef type = LLVMGetGEPSourceElementType(value);
            for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(value); i++) {
                int64_t n = LLVMConstIntGetSExtValue(LLVMGetOperand(value, i));
                if (i > 1 && import_is(type, LLVMStructTypeKind)) {
                    addend += (int64_t)LLVMOffsetOfElement(im->layout, type, (unsigned)n);
                    type = LLVMStructGetTypeAtIndex(type, (unsigned)n);
                } else {
                    type = i > 1 ? LLVMGetElementType(type) : type;
                    addend += n * (int64_t)LLVMABISizeOfType(im->layout, type);
                }
            }
        }
        value = LLVMGetOperand(value, 0);
    }
    if (!LLVMIsAGlobalVariable(value)) {
        import_error(im, NULL, "the initial value of a variable is too complicated");
        return;
    }
    uint32_t target = import_symbol(im, value);
    *cy_vec_push(&im->module->symbols.at[symbol].relocs) = (struct ir_symbol_reloc){offset, target, (int32_t)addend};
}

static uint32_t store_initializer(struct importer *im, uint32_t symbol, LLVMValueRef value, uint32_t offset)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned size = (unsigned)LLVMABISizeOfType(im->layout, type);
    if (LLVMIsUndef(value) || LLVMIsNull(value))
        return offset + size;
    if (kind == LLVMIntegerTypeKind) {
        uint32_t words[IMPORT_INT_WORDS] = {0};
        unsigned bytes = (unsigned)LLVMStoreSizeOfType(im->layout, type);
        import_integer(value, words);
        for (unsigned i = 0; i < bytes; i += 4)
            store_bytes(im, symbol, offset + i, words[i / 4], bytes - i < 4 ? bytes - i : 4);
    } else if (kind == LLVMFloatTypeKind) {
        LLVMBool lossy;
        float f = (float)LLVMConstRealGetDouble(value, &lossy);
        uint32_t bits;
        memcpy(&bits, &f, sizeof(bits));
        store_bytes(im, symbol, offset, bits, 4);
    } else if (kind == LLVMPointerTypeKind) {
        store_pointer(im, symbol, value, offset);
    } else if (kind == LLVMStructTypeKind) {
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            store_initializer(im, symbol, LLVMGetAggregateElement(value, i),
                              offset + (uint32_t)LLVMOffsetOfElement(im->layout, type, i));
    } else if (kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind) {
        unsigned count = kind == LLVMArrayTypeKind ? (unsigned)LLVMGetArrayLength2(type) : LLVMGetVectorSize(type);
        unsigned step =
            (unsigned)(kind == LLVMArrayTypeKind ? LLVMABISizeOfType(im->layout, LLVMGetElementType(type))
                                                 : LLVMStoreSizeOfType(im->layout, LLVMGetElementType(type)));
        for (unsigned i = 0; i < count; i++)
            store_initializer(im, symbol, LLVMGetAggregateElement(value, i), offset + i * step);
    } else {
        import_error(im, NULL, "a variable has a type that is not supported");
    }
    return offset + size;
}

uint32_t import_symbol(struct importer *im, LLVMValueRef global)
{
    for (uint32_t i = 0; i < im->globals.count; i++)
        if (im->globals.at[i] == global)
            return i;
    size_t length;
    const char *name = LLVMGetValueName2(global, &length);
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    uint32_t symbol = (uint32_t)im->globals.count;
    *cy_vec_push(&im->globals) = global;
    *cy_vec_push(&im->module->symbols) = (struct ir_symbol){
        .name = length ? cy_arena_strndup(&im->module->arena, name, length)
                       : cy_arena_printf(&im->module->arena, ".L.data%u", symbol),
        .size = (uint32_t)LLVMABISizeOfType(im->layout, type),
        .align = LLVMGetAlignment(global) > 4 ? LLVMGetAlignment(global) : 4,
        .is_constant = LLVMIsGlobalConstant(global),
        .is_local = LLVMGetPointerAddressSpace(LLVMTypeOf(global)) == LOCAL,
    };
    LLVMValueRef value = LLVMGetInitializer(global);
    struct ir_symbol *made = &im->module->symbols.at[symbol];
    made->is_zero = !value || LLVMIsNull(value) || LLVMIsUndef(value);
    if (!made->is_local && !made->is_zero) {
        cy_buf_zeros(&made->data, made->size);
        store_initializer(im, symbol, value, 0);
    }
    return symbol;
}

uint32_t import_local_offset(struct importer *im, uint32_t symbol)
{
    while (im->local_offsets.count <= symbol)
        *cy_vec_push(&im->local_offsets) = NONE;
    if (im->local_offsets.at[symbol] == NONE) {
        const struct ir_symbol *s = &im->module->symbols.at[symbol];
        uint32_t at = (im->func->local_bytes + s->align - 1) & ~(s->align - 1);
        im->local_offsets.at[symbol] = at;
        im->func->local_bytes = at + s->size;
    }
    return im->local_offsets.at[symbol];
}

/* ---- addresses ---- */

static void import_alloca(struct importer *im, LLVMValueRef insn)
{
    LLVMValueRef count = LLVMGetOperand(insn, 0);
    uint32_t size = (uint32_t)LLVMABISizeOfType(im->layout, LLVMGetAllocatedType(insn)), align = LLVMGetAlignment(insn);
    if (!LLVMIsAConstantInt(count)) {
        import_error(im, insn, "arrays of variable size are not supported");
        return;
    }
    align = align < 4 ? 4 : align;
    uint32_t at = (im->func->private_bytes + align - 1) & ~(align - 1);
    im->func->private_bytes = at + ((size * (uint32_t)LLVMConstIntGetZExtValue(count) + 3) & ~3u);
    if (align > im->module->private_align)
        im->module->private_align = align;
    ir_value address = import_private(im, at);
    import_set(im, insn, &address, 1);
}

static void import_gep(struct importer *im, LLVMValueRef insn)
{
    ir_value address, index;
    int64_t constant = 0;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(insn);
    import_get(im, LLVMGetOperand(insn, 0), &address, 1);
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(insn); i++) {
        LLVMValueRef operand = LLVMGetOperand(insn, i);
        if (i > 1 && import_is(type, LLVMStructTypeKind)) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(operand);
            constant += (int64_t)LLVMOffsetOfElement(im->layout, type, field);
            type = LLVMStructGetTypeAtIndex(type, field);
            continue;
        }
        type = i > 1 ? LLVMGetElementType(type) : type;
        int64_t size = (int64_t)LLVMABISizeOfType(im->layout, type);
        if (LLVMIsAConstantInt(operand)) {
            constant += LLVMConstIntGetSExtValue(operand) * size;
            continue;
        }
        ir_value words[2];
        import_get(im, operand, words, import_word_count(im, LLVMTypeOf(operand)));
        index = emit_sext(im, words[0], import_int_bits(LLVMTypeOf(operand)));
        unsigned shift = (unsigned)__builtin_ctzll((unsigned long long)size | 1ull << 62);
        index = size == 1                          ? index
                : (size & (size - 1)) == 0 && size ? emit_imm(im, IR_SHL, index, shift)
                                                   : emit_imm(im, IR_MUL, index, (uint32_t)size);
        address = emit(im, IR_ADD, address, index);
    }
    if (constant)
        address = emit_imm(im, IR_ADD, address, (uint32_t)constant);
    import_set(im, insn, &address, 1);
}

/* ---- loads and stores ---- */

struct access {
    ir_value address, *words;
    unsigned align;
    bool is_private, is_store;
};

/* A leaf whose address may not be aligned, or which has three bytes, is made of smaller ones. */
static void access_leaf(struct importer *im, void *context, unsigned word, uint32_t offset, unsigned size)
{
    struct access *access = context;
    ir_value value = 0;
    for (unsigned done = 0, piece; done < size; done += piece) {
        for (piece = 4; piece > 1 && (piece > size - done || piece > access->align || (offset + done) % piece);)
            piece /= 2;
        int32_t at = (int32_t)(offset + done);
        if (access->is_store) {
            ir_value part = done ? emit_imm(im, IR_SHRU, access->words[word], 8 * done) : access->words[word];
            emit_store(im, access->address, at, (int)piece, part, access->is_private);
            continue;
        }
        ir_value part = emit_load(im, access->address, at, (int)piece, access->is_private);
        value = done ? emit(im, IR_OR, value, emit_imm(im, IR_SHL, part, 8 * done)) : part;
    }
    if (!access->is_store)
        access->words[word] = value;
}

static void access_type(struct importer *im, LLVMTypeRef type, struct access *access)
{
    unsigned elements;
    LLVMTypeRef element = import_element(type, &elements);
    import_leaves(im, type, 0, 0, access_leaf, access);
    if (!access->is_store && import_is(element, LLVMIntegerTypeKind) && LLVMGetIntTypeWidth(element) == 1)
        for (unsigned i = 0; i < elements; i++)
            access->words[i] = emit_imm(im, IR_AND, access->words[i], 1);
}

/* A generic pointer is private below 0x70000000 and anything else above: both ways, joined behind. */
static void access_generic(struct importer *im, LLVMTypeRef type, struct access *access)
{
    unsigned words = import_word_count(im, type);
    ir_value condition = emit_imm(im, IR_LTU, access->address, 0x70000000u), results[2][IMPORT_MAX_WORDS];
    uint32_t before = im->block, sides[2] = {ir_new_block(im->func), ir_new_block(im->func)},
             after = ir_new_block(im->func);
    ir_set_branch(im->func, before, condition, sides[0], sides[1]);
    for (int side = 0; side < 2; side++) {
        struct access one = *access;
        im->block = sides[side];
        one.is_private = side == 0;
        if (!access->is_store)
            one.words = results[side];
        access_type(im, type, &one);
        ir_set_jump(im->func, im->block, after);
    }
    im->block = after;
    for (unsigned w = 0; !access->is_store && w < words; w++) {
        access->words[w] = emit(im, IR_PHI, 0, 0);
        ir_at(im->func, access->words[w])->args[0] = (uint32_t)im->func->phi_args.count;
        *cy_vec_push(&im->func->phi_args) = results[0][w];
        *cy_vec_push(&im->func->phi_args) = results[1][w];
    }
}

static void import_access(struct importer *im, LLVMValueRef insn, bool is_store)
{
    LLVMValueRef pointer = LLVMGetOperand(insn, is_store ? 1 : 0);
    LLVMTypeRef type = is_store ? LLVMTypeOf(LLVMGetOperand(insn, 0)) : LLVMTypeOf(insn);
    ir_value words[IMPORT_MAX_WORDS];
    unsigned count = import_word_count(im, type);
    struct access access = {.words = words, .align = LLVMGetAlignment(insn), .is_store = is_store};
    if (count > IMPORT_MAX_WORDS) {
        import_error(im, insn, "an access of %u words is too large", count);
        return;
    }
    import_get(im, pointer, &access.address, 1);
    if (is_store)
        import_get(im, LLVMGetOperand(insn, 0), words, count);
    access.is_private = import_is_private(im, pointer);
    if (import_is_generic(pointer))
        access_generic(im, type, &access);
    else
        access_type(im, type, &access);
    if (!is_store)
        import_set(im, insn, words, count);
}

/* ---- atomics ---- */

static void import_rmw(struct importer *im, LLVMValueRef insn)
{
    static const struct {
        LLVMAtomicRMWBinOp op;
        enum cy_op row;
    } rows[] = {
        {LLVMAtomicRMWBinOpXchg, CY_OP_amoswap_w}, {LLVMAtomicRMWBinOpAdd, CY_OP_amoadd_w},
        {LLVMAtomicRMWBinOpSub, CY_OP_amoadd_w},   {LLVMAtomicRMWBinOpAnd, CY_OP_amoand_w},
        {LLVMAtomicRMWBinOpOr, CY_OP_amoor_w},     {LLVMAtomicRMWBinOpXor, CY_OP_amoxor_w},
        {LLVMAtomicRMWBinOpMax, CY_OP_amomax_w},   {LLVMAtomicRMWBinOpMin, CY_OP_amomin_w},
        {LLVMAtomicRMWBinOpUMax, CY_OP_amomaxu_w}, {LLVMAtomicRMWBinOpUMin, CY_OP_amominu_w},
    };
    ir_value address, operand, result;
    if (import_word_count(im, LLVMTypeOf(insn)) != 1 || import_int_bits(LLVMTypeOf(insn)) != 32) {
        import_error(im, insn, "atomics of this size are not supported");
        return;
    }
    import_get(im, LLVMGetOperand(insn, 0), &address, 1);
    import_get(im, LLVMGetOperand(insn, 1), &operand, 1);
    for (size_t i = 0; i < CY_COUNT(rows); i++)
        if (rows[i].op == LLVMGetAtomicRMWBinOp(insn)) {
            if (rows[i].op == LLVMAtomicRMWBinOpSub)
                operand = emit(im, IR_SUB, emit_const(im, 0), operand);
            result = emit(im, IR_AMO, address, operand);
            ir_at(im->func, result)->imm = (int32_t)rows[i].row;
            import_set(im, insn, &result, 1);
            return;
        }
    import_error(im, insn, "an atomic operation is not supported");
}

static void import_cmpxchg(struct importer *im, LLVMValueRef insn)
{
    ir_value address, expected, desired, result[2];
    import_get(im, LLVMGetOperand(insn, 0), &address, 1);
    import_get(im, LLVMGetOperand(insn, 1), &expected, 1);
    import_get(im, LLVMGetOperand(insn, 2), &desired, 1);
    result[0] = emit3(im, IR_CAS, address, expected, desired);
    result[1] = emit(im, IR_EQ, result[0], expected);
    import_set(im, insn, result, 2);
}

bool import_memory(struct importer *im, LLVMValueRef insn)
{
    switch (LLVMGetInstructionOpcode(insn)) {
    case LLVMAlloca: import_alloca(im, insn); return true;
    case LLVMGetElementPtr: import_gep(im, insn); return true;
    case LLVMLoad: import_access(im, insn, false); return true;
    case LLVMStore: import_access(im, insn, true); return true;
    case LLVMAtomicRMW: import_rmw(im, insn); return true;
    case LLVMAtomicCmpXchg: import_cmpxchg(im, insn); return true;
    case LLVMFence: emit(im, IR_FENCE, 0, 0); return true;
    default: return false;
    }
}
