/* Memory: addresses, loads and stores by leaves of the type, program-scope variables. */
#include "cc/import/import_priv.h"

#include "abi/abi.h"
#include "isa/isa.h"

#include <inttypes.h>
#include <string.h>

#define NONE UINT32_MAX
enum { LOCAL = 3 }; /* clang's address space number for targets spir and spir64 */

/* Vectors of integers that are not whole bytes (LLVM likes i2 for the low bits of a long4's elements) are packed bit by
 * bit. */
static bool is_packed(LLVMTypeRef type)
{
    unsigned count;
    return import_is(type, LLVMVectorTypeKind) && import_int_bits(import_element(type, &count)) % 8 != 0;
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
        import_error(im, NULL,
                     LLVMIsAFunction(value) ? "pointers to functions are not supported"
                                            : "the initialiser of a variable is too complicated");
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
    } else if (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMHalfTypeKind) {
        store_bytes(im, symbol, offset, import_float(im, value), import_int_bits(LLVMTypeOf(value)) / 8);
    } else if (kind == LLVMPointerTypeKind) {
        store_pointer(im, symbol, value, offset);
    } else if (kind == LLVMStructTypeKind) {
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            store_initializer(im, symbol, LLVMGetAggregateElement(value, i),
                              offset + (uint32_t)LLVMOffsetOfElement(im->layout, type, i));
    } else if (is_packed(type)) {
        import_error(im, NULL, "a variable is a vector of integers that are not whole bytes");
    } else if (kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind) {
        unsigned count = kind == LLVMArrayTypeKind ? (unsigned)LLVMGetArrayLength2(type) : LLVMGetVectorSize(type);
        unsigned step =
            (unsigned)(kind == LLVMArrayTypeKind ? LLVMABISizeOfType(im->layout, LLVMGetElementType(type))
                                                 : LLVMStoreSizeOfType(im->layout, LLVMGetElementType(type)));
        for (unsigned i = 0; i < count; i++)
            store_initializer(im, symbol, LLVMGetAggregateElement(value, i), offset + i * step);
    } else {
        import_error(im, NULL, "a variable has an unsupported type");
    }
    return offset + size;
}

uint32_t import_gap(const struct importer *im)
{
    return im->module->check ? 32 : 0;
}

void import_list_variable(struct importer *im, const char *name, uint32_t offset, uint32_t size, bool is_local)
{
    if (im->module->check)
        *cy_vec_push(&im->func->variables) = (struct ir_variable){
            cy_arena_strndup(&im->module->arena, *name ? name : "variable", strlen(*name ? name : "variable")), offset,
            size, is_local};
}

/* Programs have 256 MiB of guest memory (docs/machine.md), half of it for variables.  Checked before anything of such a
 * size is allocated. */
enum { MOST_VARIABLE_BYTES = 128 << 20, MOST_RECORD_BYTES = UINT16_MAX };

static bool has_room(struct importer *im, const char *name, uint64_t size, bool is_local)
{
    uint64_t most = is_local ? MOST_RECORD_BYTES : MOST_VARIABLE_BYTES;
    if (!is_local)
        im->variable_bytes += size;
    if ((is_local ? size : im->variable_bytes) > most)
        import_error(im, NULL, "no room for the variable '%s' of %" PRIu64 " bytes: %s at most %" PRIu64, name, size,
                     is_local ? "a workgroup's local memory has" : "all variables of a program may have", most);
    return !im->failed;
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
    if (!has_room(im, made->name, LLVMABISizeOfType(im->layout, type), made->is_local))
        return symbol;
    if (!value && !made->is_local)
        import_error(im, NULL, "the variable '%s' is not defined", made->name);
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
        im->func->local_bytes = at + s->size + import_gap(im);
        const char *dot = strrchr(s->name, '.'); /* clang calls a variable kernel.name */
        import_list_variable(im, dot && dot[1] ? dot + 1 : s->name, at, s->size, true);
    }
    return im->local_offsets.at[symbol];
}

/* ---- addresses ---- */

/* Reserves private memory.  Address 0 is never used: it is the null pointer. */
uint32_t import_reserve(struct importer *im, uint32_t size, uint32_t align)
{
    uint32_t used = im->func->private_bytes ? im->func->private_bytes : 4, at = (used + align - 1) & ~(align - 1);
    size_t length;
    const char *name = im->insn && LLVMIsAAllocaInst(im->insn) ? LLVMGetValueName2(im->insn, &length) : "";
    im->func->private_bytes = at + ((size + 3) & ~3u) + import_gap(im);
    import_list_variable(im, name, at, size, false);
    return at;
}

/* The instruction that first uses it: an alloca itself has no line. */
static LLVMValueRef place_of(struct importer *im, LLVMValueRef insn)
{
    LLVMValueRef first = insn;
    uint32_t first_line = UINT32_MAX;
    for (LLVMUseRef use = LLVMGetFirstUse(insn); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        uint32_t line = LLVMIsAInstruction(user) ? (uint32_t)import_location(im, user) : 0;
        if (line && line < first_line)
            first = user, first_line = line;
    }
    return first;
}

static void import_alloca(struct importer *im, LLVMValueRef insn)
{
    LLVMValueRef count = LLVMGetOperand(insn, 0);
    uint64_t size = LLVMABISizeOfType(im->layout, LLVMGetAllocatedType(insn));
    uint32_t align = LLVMGetAlignment(insn);
    if (!LLVMIsAConstantInt(count)) {
        import_error(im, insn, "arrays of variable size are not supported");
        return;
    }
    size *= LLVMConstIntGetZExtValue(count);
    if (size > MOST_RECORD_BYTES) {
        import_error(im, place_of(im, insn),
                     "a variable has %" PRIu64 " bytes; a work-item has at most %u of private memory", size,
                     MOST_RECORD_BYTES);
        return;
    }
    align = align < 4 ? 4 : align;
    uint32_t at = import_reserve(im, (uint32_t)size, align);
    if (align > im->module->private_align)
        im->module->private_align = align;
    ir_value address[2] = {import_private(im, at), im->zero};
    import_set(im, insn, address, import_pointer_words(im));
    *cy_vec_push(&im->frames) = (struct import_frame){insn, at};
}

/* ---- loads and stores ---- */

struct access {
    ir_value address, *words;
    unsigned align;
    bool is_private, is_store, is_volatile;
    unsigned variable;
};

/* A leaf whose address may be unaligned, or that has three bytes, is split into smaller accesses. */
static void access_leaf(struct importer *im, void *context, unsigned word, uint32_t offset, unsigned size)
{
    struct access *access = context;
    ir_value value = 0;
    for (unsigned done = 0, piece; done < size; done += piece) {
        for (piece = 4; piece > 1 && (piece > size - done || piece > access->align || (offset + done) % piece);)
            piece /= 2;
        int32_t at = (int32_t)(offset + done);
        if (access->is_store) {
            ir_value part = done ? build_imm(im, IR_SHRU, access->words[word], 8 * done) : access->words[word];
            ir_value store = build_store(im, access->address, at, (int)piece, part, access->is_private);
            ir_at(im->func, store)->is_volatile = access->is_volatile;
            ir_at(im->func, store)->variable = access->variable & 63;
            continue;
        }
        ir_value part = build_load(im, access->address, at, (int)piece, access->is_private);
        ir_at(im->func, part)->is_volatile = access->is_volatile;
        ir_at(im->func, part)->variable = access->variable & 63;
        value = done ? build(im, IR_OR, value, build_imm(im, IR_SHL, part, 8 * done)) : part;
    }
    if (!access->is_store)
        access->words[word] = value;
}

static void access_packed(struct importer *im, LLVMTypeRef type, const struct access *access)
{
    ir_value row[IMPORT_MAX_WORDS + 1] = {0};
    struct access bits = *access;
    unsigned bytes = (unsigned)LLVMStoreSizeOfType(im->layout, type);
    bits.words = row;
    if (access->is_store)
        import_join_bits(im, type, access->words, row);
    for (unsigned at = 0; at < bytes; at += 4)
        access_leaf(im, &bits, at / 4, at, bytes - at < 4 ? bytes - at : 4);
    if (!access->is_store)
        import_split_bits(im, type, row, access->words);
}

static void access_type(struct importer *im, LLVMTypeRef type, struct access *access)
{
    if (is_packed(type)) {
        access_packed(im, type, access);
        return;
    }
    import_leaves(im, type, 0, 0, access_leaf, access);
    if (!access->is_store && import_is(type, LLVMIntegerTypeKind) && LLVMGetIntTypeWidth(type) == 1)
        access->words[0] = build_imm(im, IR_AND, access->words[0], 1);
}

static void access_either(struct importer *im, LLVMTypeRef type, LLVMValueRef pointer, struct access *access)
{
    unsigned words = import_word_count(im, type);
    ir_value results[2][IMPORT_MAX_WORDS];
    struct import_both both;
    struct access first = *access, second = *access;
    first.is_private = true;
    if (!access->is_store)
        first.words = results[0], second.words = results[1];
    import_both_begin(im, pointer, &both);
    first.address = import_address(im, pointer, true);
    access_type(im, type, &first);
    import_both_next(im, &both);
    access_type(im, type, &second);
    import_both_end(im, &both);
    for (unsigned w = 0; !access->is_store && w < words; w++)
        access->words[w] = import_both_value(im, results[0][w], results[1][w]);
}

/* The operands that a pointer is one of, or made from. */
static unsigned pointer_sources(LLVMValueRef pointer, unsigned *first)
{
    *first = 0;
    if (LLVMIsAPHINode(pointer))
        return LLVMCountIncoming(pointer);
    if (LLVMIsASelectInst(pointer)) {
        *first = 1;
        return 3;
    }
    return LLVMIsAGetElementPtrInst(pointer) ||
           (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr);
}

/* The one local variable into which the pointer can point; NULL: there may be others. */
static LLVMValueRef local_variable(LLVMValueRef pointer)
{
    enum { MOST = 16 };
    LLVMValueRef met[MOST] = {pointer}, found = NULL;
    for (unsigned i = 0, count = 1; i < count; i++) {
        unsigned first;
        const unsigned end = pointer_sources(met[i], &first);
        if (!end && (!LLVMIsAGlobalVariable(met[i]) || (found && found != met[i])))
            return NULL;
        found = end ? found : met[i];
        for (unsigned k = first; k < end; k++) {
            LLVMValueRef source = LLVMIsAPHINode(met[i]) ? LLVMGetIncomingValue(met[i], k) : LLVMGetOperand(met[i], k);
            bool is_new = true;
            for (unsigned n = 0; n < count; n++)
                is_new &= met[n] != source;
            if (is_new && count == MOST)
                return NULL;
            if (is_new)
                met[count++] = source;
        }
    }
    return LLVMGetPointerAddressSpace(LLVMTypeOf(found)) == LOCAL ? found : NULL;
}

/* Local variables have numbers, in the order of the module, from 1 on. */
static unsigned variable_number(LLVMValueRef variable)
{
    enum { MOST = 63 };
    unsigned number = 0;
    for (LLVMValueRef at = variable ? LLVMGetFirstGlobal(LLVMGetGlobalParent(variable)) : NULL; at;
         at = at == variable ? NULL : LLVMGetNextGlobal(at))
        number += LLVMGetPointerAddressSpace(LLVMTypeOf(at)) == LOCAL;
    return number <= MOST ? number : 0;
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
    enum import_space space = import_space(pointer);
    access.is_private = space == IMPORT_PRIVATE;
    access.variable = variable_number(local_variable(pointer));
    access.address = import_address(im, pointer, access.is_private);
    if (is_store)
        import_get(im, LLVMGetOperand(insn, 0), words, count);
    LLVMAtomicOrdering ordering = LLVMGetOrdering(insn);
    access.is_volatile = LLVMGetVolatile(insn) || ordering != LLVMAtomicOrderingNotAtomic;
    /* How programs say that the lanes of a warp exchange values without a barrier, as in the last steps of a reduction. */
    im->func->exchanges_lanes |= LLVMGetVolatile(insn) && LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == LOCAL &&
                                 (is_store || !import_is_expected(insn, pointer));
    if (ordering != LLVMAtomicOrderingNotAtomic && count > 1)
        import_error(im, insn, "atomic operations are supported on 32 bits, not on %u", 32 * count);
    import_fence_before(im, ordering);
    if (space == IMPORT_EITHER)
        access_either(im, type, pointer, &access);
    else
        access_type(im, type, &access);
    if (!is_store) {
        import_fence_after(im, ordering);
        import_set(im, insn, words, count);
    }
}

/* A note to a checker about an alignment that LLVM has found out to be right. */
static bool is_idle_note(LLVMValueRef store)
{
    LLVMValueRef value = LLVMGetOperand(store, 0), pointer = LLVMGetOperand(store, 1);
    LLVMValueRef at = LLVMIsAConstantExpr(pointer) ? LLVMGetOperand(pointer, 0) : NULL;
    return at && LLVMIsAConstantInt(at) && LLVMConstIntGetZExtValue(at) == CY_CHECK_NOTE_ALIGN &&
           LLVMIsAConstantInt(value) && !(LLVMConstIntGetZExtValue(value) & 0xffff);
}

bool import_memory(struct importer *im, LLVMValueRef insn)
{
    switch (LLVMGetInstructionOpcode(insn)) {
    case LLVMAlloca: import_alloca(im, insn); return true;
    case LLVMGetElementPtr: import_gep(im, insn); return true;
    case LLVMLoad: import_access(im, insn, false); return true;
    case LLVMStore:
        if (!is_idle_note(insn))
            import_access(im, insn, true);
        return true;
    default: return import_atomic(im, insn);
    }
}
