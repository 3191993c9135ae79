/* Programs for a checker (docs/check.md).  LLVM takes what is undefined for something that does not happen, and removes it;
 * a checker wants to see it happen.  So, before LLVM optimises:
 *
 *     a variable that the program does not initialise gets a value read from an address that no memory is behind: the
 *     checker knows that whatever comes from there was never written;
 *     padding of structures is initialised, so that copying them is not a use of undefined values;
 *     clang's checks of array indices become notes to the checker, as do alignments that the machine does not need;
 *     reads whose value nobody uses stay;
 *     blocks that are copied in global or local memory are marked, and stores to bit-fields, which copy their
 *     neighbours: copying what was never written is no use of it;
 *     local and program-scope variables may be read and written by somebody else, null pointers may be valid, and an
 *     array whose address is taken is not known to be where it is.
 *
 * A note is a store to an address that no memory is behind (abi.def). */
#include "cc/llvm/llvm_pipeline.h"

#include "abi/abi.h"
#include "base/mem.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include <stdlib.h>
#include <string.h>

enum { GLOBAL = 1, LOCAL = 3, MOST_LEAVES = 64, UNDEFINED_BYTES = 1024 };

struct preparing {
    struct cc_program *program;
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    LLVMTypeRef i32;
    unsigned next; /* the offset of the next undefined value */
};

static bool is_kind(LLVMTypeRef type, LLVMTypeKind kind)
{
    return LLVMGetTypeKind(type) == kind;
}

static const char *callee_name(LLVMValueRef insn)
{
    LLVMValueRef callee = LLVMIsACallInst(insn) ? LLVMGetCalledValue(insn) : NULL;
    size_t length;
    return callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
}

static bool starts(const char *name, const char *prefix)
{
    return !strncmp(name, prefix, strlen(prefix));
}

static LLVMValueRef address(struct preparing *p, uint32_t at)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(p->program->context, GLOBAL);
    return LLVMConstIntToPtr(LLVMConstInt(p->i32, at, 0), pointer);
}

static void note(struct preparing *p, uint32_t at, LLVMValueRef value)
{
    LLVMSetVolatile(LLVMBuildStore(p->builder, value, address(p, at)), 1);
}

static void note_number(struct preparing *p, uint32_t at, uint32_t value)
{
    note(p, at, LLVMConstInt(p->i32, value, 0));
}

/* ---- undefined variables ---- */

static LLVMValueRef element_of(struct preparing *p, LLVMTypeRef type, LLVMValueRef pointer, unsigned index)
{
    if (is_kind(type, LLVMStructTypeKind))
        return LLVMBuildStructGEP2(p->builder, type, pointer, index, "");
    LLVMValueRef indices[2] = {LLVMConstInt(p->i32, 0, 0), LLVMConstInt(p->i32, index, 0)};
    return LLVMBuildInBoundsGEP2(p->builder, type, pointer, indices, 2, "");
}

static unsigned element_count(LLVMTypeRef type)
{
    return is_kind(type, LLVMStructTypeKind) ? LLVMCountStructElementTypes(type) : (unsigned)LLVMGetArrayLength2(type);
}

static LLVMTypeRef element_type(LLVMTypeRef type, unsigned index)
{
    return is_kind(type, LLVMStructTypeKind) ? LLVMStructGetTypeAtIndex(type, index) : LLVMGetElementType(type);
}

static bool is_aggregate(LLVMTypeRef type)
{
    return is_kind(type, LLVMStructTypeKind) || is_kind(type, LLVMArrayTypeKind);
}

static uint64_t count_leaves(LLVMTypeRef type)
{
    uint64_t count = 0;
    if (!is_aggregate(type))
        return 1;
    if (is_kind(type, LLVMArrayTypeKind))
        return LLVMGetArrayLength2(type) * count_leaves(LLVMGetElementType(type));
    for (unsigned i = 0; i < element_count(type); i++)
        count += count_leaves(element_type(type, i));
    return count;
}

static void make_undefined(struct preparing *p, LLVMTypeRef type, LLVMValueRef pointer, bool is_packed)
{
    is_packed |= is_kind(type, LLVMStructTypeKind) && LLVMIsPackedStruct(type);
    if (is_aggregate(type)) {
        for (unsigned i = 0; i < element_count(type); i++)
            make_undefined(p, element_type(type, i), element_of(p, type, pointer, i), is_packed);
        return;
    }
    if (!is_kind(type, LLVMIntegerTypeKind) && !is_kind(type, LLVMFloatTypeKind) && !is_kind(type, LLVMHalfTypeKind) &&
        !is_kind(type, LLVMDoubleTypeKind) && !is_kind(type, LLVMVectorTypeKind) && !is_kind(type, LLVMPointerTypeKind))
        return;
    const unsigned size = (unsigned)LLVMABISizeOfType(p->layout, type), align = LLVMABIAlignmentOfType(p->layout, type);
    p->next = (p->next + align - 1) & ~(align - 1);
    if (p->next + size > UNDEFINED_BYTES)
        p->next = 0;
    LLVMValueRef value = LLVMBuildLoad2(p->builder, type, address(p, CY_CHECK_UNDEFINED + p->next), "undefined");
    LLVMValueRef store = LLVMBuildStore(p->builder, value, pointer);
    if (is_packed)
        LLVMSetAlignment(store, 1);
    p->next += size;
}

/* The bytes of a structure that are in none of its members. */
static void define_padding(struct preparing *p, LLVMTypeRef type, LLVMValueRef pointer)
{
    if (!is_aggregate(type) || count_leaves(type) > MOST_LEAVES)
        return;
    const unsigned count = element_count(type);
    for (unsigned i = 0; i < count; i++) {
        LLVMTypeRef element = element_type(type, i);
        if (is_aggregate(element))
            define_padding(p, element, element_of(p, type, pointer, i));
        if (!is_kind(type, LLVMStructTypeKind))
            continue;
        const uint64_t start = LLVMOffsetOfElement(p->layout, type, i);
        const uint64_t end = start + (is_aggregate(element) ? LLVMABISizeOfType(p->layout, element)
                                                            : LLVMStoreSizeOfType(p->layout, element));
        const uint64_t next =
            i + 1 < count ? LLVMOffsetOfElement(p->layout, type, i + 1) : LLVMABISizeOfType(p->layout, type);
        LLVMTypeRef byte = LLVMInt8TypeInContext(p->program->context);
        for (uint64_t at = end; at < next; at++) {
            LLVMValueRef offset = LLVMConstInt(p->i32, at, 0);
            LLVMBuildStore(p->builder, LLVMConstInt(byte, 0, 0),
                           LLVMBuildInBoundsGEP2(p->builder, byte, pointer, &offset, 1, ""));
        }
    }
}

/* Is it used in ways that leave it in registers?  The others are in memory, where the checker sees what is written. */
static bool may_be_promoted(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAGetElementPtrInst(user))
            continue;
        for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(user); i++)
            if (!LLVMIsAConstantInt(LLVMGetOperand(user, i)))
                return false;
        if (!may_be_promoted(user))
            return false;
    }
    return true;
}

static void begin_variable(struct preparing *p, LLVMValueRef variable)
{
    LLVMTypeRef type = LLVMGetAllocatedType(variable);
    if (count_leaves(type) <= MOST_LEAVES && may_be_promoted(variable))
        make_undefined(p, type, variable, false);
    define_padding(p, type, variable);
}

/* Is there a note of where its life begins?  Not without optimisation. */
static bool has_lifetime(LLVMValueRef variable)
{
    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use))
        if (starts(callee_name(LLVMGetUser(use)), "llvm.lifetime.start."))
            return true;
    return false;
}

/* ---- arrays ---- */

static const char out_of_bounds[] = "__ubsan_handle_out_of_bounds"; /* clang's check of an index */

/* Does the program compute with the array's address?  Then an access outside of it must not be seen by LLVM.  (Nor must
 * an element by a variable index: once loops are unrolled LLVM would know which ones nobody wrote.) */
static bool is_pointed_to(LLVMValueRef value, bool is_element)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == value)
            return true;
        if (LLVMIsACallInst(user) && !starts(callee_name(user), "llvm."))
            return true;
        if (LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == value &&
            ((is_element && !is_aggregate(LLVMGetGEPSourceElementType(user))) || is_pointed_to(user, true)))
            return true;
    }
    return false;
}

static bool has_array(LLVMTypeRef type)
{
    if (is_kind(type, LLVMArrayTypeKind))
        return true;
    for (unsigned i = 0; is_kind(type, LLVMStructTypeKind) && i < element_count(type); i++)
        if (has_array(element_type(type, i)))
            return true;
    return false;
}

static void hide_array(struct preparing *p, LLVMValueRef variable)
{
    LLVMTypeRef pointer = LLVMTypeOf(variable), type = LLVMFunctionType(pointer, &pointer, 1, 0);
    LLVMValueRef opaque = LLVMGetNamedFunction(p->program->module, CC_OPAQUE);
    if (!opaque) {
        static const char *const names[] = {"nounwind", "willreturn", "nosync", "nofree"};
        opaque = LLVMAddFunction(p->program->module, CC_OPAQUE, type);
        LLVMSetFunctionCallConv(opaque, CC_SPIR_FUNC);
        for (size_t i = 0; i < CY_COUNT(names); i++)
            LLVMAddAttributeAtIndex(opaque, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                    LLVMCreateEnumAttribute(p->program->context,
                                                            LLVMGetEnumAttributeKindForName(names[i], strlen(names[i])),
                                                            0));
    }
    LLVMPositionBuilderBefore(p->builder, LLVMGetNextInstruction(variable));
    LLVMValueRef hidden = LLVMBuildCall2(p->builder, type, opaque, &variable, 1, "hidden");
    LLVMSetInstructionCallConv(hidden, CC_SPIR_FUNC);
    for (LLVMUseRef use = LLVMGetFirstUse(variable), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (user == hidden || starts(callee_name(user), "llvm.lifetime"))
            continue;
        for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++)
            if (LLVMGetOperand(user, i) == variable)
                LLVMSetOperand(user, i, hidden);
        next = LLVMGetFirstUse(variable);
        while (next && (LLVMGetUser(next) == hidden || starts(callee_name(LLVMGetUser(next)), "llvm.lifetime")))
            next = LLVMGetNextUse(next);
    }
}

/* The length in the description of the array's type: "'__global int[4]'" is 4. */
static uint32_t array_length(LLVMValueRef call)
{
    LLVMValueRef data = LLVMGetOperand(call, 0), value = LLVMIsAGlobalVariable(data) ? LLVMGetInitializer(data) : NULL;
    LLVMValueRef type = value ? LLVMGetAggregateElement(value, 1) : NULL;
    type = type && LLVMIsAGlobalVariable(type) ? LLVMGetInitializer(type) : NULL;
    LLVMValueRef text = type ? LLVMGetAggregateElement(type, 2) : NULL;
    size_t length = 0;
    const char *name = text && LLVMIsConstantString(text) ? LLVMGetAsString(text, &length) : "";
    const char *bracket = memchr(name, '[', length);
    return bracket ? (uint32_t)strtoul(bracket + 1, NULL, 10) : 0;
}

static void bad_index(struct preparing *p, LLVMValueRef call)
{
    LLVMValueRef index = LLVMGetOperand(call, 1);
    note_number(p, CY_CHECK_NOTE_BOUND, array_length(call));
    note(p, CY_CHECK_NOTE_INDEX, LLVMBuildIntCast2(p->builder, index, p->i32, 1, ""));
    LLVMInstructionEraseFromParent(call);
}

/* The machine accesses words, whose alignment the checker sees; a vector or a long needs more.  Once LLVM knows the low
 * bits to be 0, the importer drops the note. */
static void note_alignment(struct preparing *p, LLVMValueRef access)
{
    LLVMValueRef pointer = LLVMGetOperand(access, LLVMIsAStoreInst(access) ? 1 : 0);
    const unsigned align = LLVMGetAlignment(access), space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    if (align <= 4 || !space || LLVMIsAConstant(pointer))
        return;
    LLVMValueRef at = LLVMBuildPtrToInt(p->builder, pointer, p->i32, "");
    LLVMValueRef low = LLVMBuildAnd(p->builder, at, LLVMConstInt(p->i32, align - 1, 0), "");
    note(p, CY_CHECK_NOTE_ALIGN, LLVMBuildOr(p->builder, low, LLVMConstInt(p->i32, align << 16, 0), ""));
}

/* ---- reads that nobody needs ---- */

static bool is_never_read(LLVMValueRef variable)
{
    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!(LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == variable && LLVMGetOperand(user, 0) != variable) &&
            !starts(callee_name(user), "llvm."))
            return false;
    }
    return true;
}

static bool is_unused(LLVMValueRef value, unsigned depth)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAStoreInst(user)
                ? !LLVMIsAAllocaInst(LLVMGetOperand(user, 1)) || LLVMGetOperand(user, 0) != value ||
                      !is_never_read(LLVMGetOperand(user, 1))
                : !(LLVMIsABinaryOperator(user) || LLVMIsACastInst(user)) || !depth || !is_unused(user, depth - 1))
            return false;
    }
    return true;
}

static void keep_read(LLVMValueRef load)
{
    const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(load, 0)));
    if (space && is_unused(load, 4))
        LLVMSetVolatile(load, 1);
}

/* ---- copies ---- */

static unsigned space_of(LLVMValueRef pointer)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
}

static void mark_copy(struct preparing *p, LLVMValueRef call)
{
    LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1);
    const bool is_memory = space_of(from) == GLOBAL || space_of(from) == LOCAL;
    if (is_memory)
        note_number(p, CY_CHECK_NOTE_COPY, 1);
    LLVMPositionBuilderBefore(p->builder, LLVMGetNextInstruction(call));
    if (is_memory)
        note_number(p, CY_CHECK_NOTE_COPY, 0);
    if (LLVMIsAAllocaInst(to))
        define_padding(p, LLVMGetAllocatedType(to), to);
}

/* A store to a bit-field keeps the bits beside it, which may never have been written: load, and, or, store. */
static bool is_bit_field(LLVMValueRef store)
{
    LLVMValueRef value = LLVMGetOperand(store, 0), pointer = LLVMGetOperand(store, 1);
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef kept =
            LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMOr ? LLVMGetOperand(value, i) : value;
        if (LLVMIsAInstruction(kept) && LLVMGetInstructionOpcode(kept) == LLVMAnd &&
            LLVMIsAConstantInt(LLVMGetOperand(kept, 1)) && LLVMIsALoadInst(LLVMGetOperand(kept, 0)) &&
            LLVMGetOperand(LLVMGetOperand(kept, 0), 0) == pointer)
            return true;
    }
    return false;
}

static void mark_bit_field(struct preparing *p, LLVMValueRef store)
{
    const unsigned space = space_of(LLVMGetOperand(store, 1));
    if ((space != GLOBAL && space != LOCAL) || !is_bit_field(store))
        return;
    note_number(p, CY_CHECK_NOTE_COPY, 1);
    LLVMPositionBuilderBefore(p->builder, LLVMGetNextInstruction(store));
    note_number(p, CY_CHECK_NOTE_COPY, 0);
}

/* ---- images ---- */

/* Is it the mangled name of a function with this beginning?  "_Z12write_imagef14ocl_image2d_wo..." */
static bool is_function(const char *name, const char *wanted)
{
    if (!starts(name, "_Z"))
        return false;
    name += 2;
    name += strspn(name, "0123456789");
    return starts(name, wanted);
}

/* A value that the importer knows to be a word: an image or a sampler, through a function that stands for it. */
static LLVMValueRef word_of(struct preparing *p, const char *function, LLVMTypeRef result, LLVMValueRef value)
{
    struct cy_buf name = {0};
    LLVMTypeRef from = LLVMTypeOf(value), type = LLVMFunctionType(result, &from, 1, 0);
    LLVMValueRef callee = NULL;
    for (unsigned i = 0; !callee; i++) { /* one for each type of image */
        name.size = 0;
        cy_buf_printf(&name, i ? "%s%u" : "%s", function, i);
        callee = LLVMGetNamedFunction(p->program->module, name.data);
        if (!callee) {
            callee = LLVMAddFunction(p->program->module, name.data, type);
            LLVMSetFunctionCallConv(callee, CC_SPIR_FUNC);
        } else if (LLVMGlobalGetValueType(callee) != type) {
            callee = NULL;
        }
    }
    cy_buf_free(&name);
    LLVMValueRef made = LLVMBuildCall2(p->builder, type, callee, &value, 1, "");
    LLVMSetInstructionCallConv(made, CC_SPIR_FUNC);
    return made;
}

/* An element outside of the image is undefined when it is written, and when it is read without a sampler or by one that
 * does not say what is there.  The checker compares. */
static void note_image(struct preparing *p, LLVMValueRef call, const char *name, bool write)
{
    static const uint32_t places[] = {CY_CHECK_NOTE_IMAGE_X, CY_CHECK_NOTE_IMAGE_Y, CY_CHECK_NOTE_IMAGE_Z};
    const bool is_array = strstr(name, "_array") != NULL, sampled = !write && LLVMGetNumArgOperands(call) > 2;
    const unsigned dimensions = (strstr(name, "image3d") ? 3u : strstr(name, "image2d") ? 2u : 1u) + is_array;
    LLVMValueRef image = LLVMGetOperand(call, 0), at = LLVMGetOperand(call, sampled ? 2 : 1);
    LLVMTypeRef type = LLVMTypeOf(at), element = is_kind(type, LLVMVectorTypeKind) ? LLVMGetElementType(type) : type;
    const bool is_float = is_kind(element, LLVMFloatTypeKind);
    LLVMTypeRef description = LLVMPointerTypeInContext(p->program->context, 2);
    if ((!is_float && element != p->i32) || (dimensions > 1 && !is_kind(type, LLVMVectorTypeKind)))
        return;
    const unsigned how = (is_float ? CY_CHECK_IMAGE_FLOAT : 0) | (write ? CY_CHECK_IMAGE_WRITE : 0) |
                         (dimensions > 1 ? CY_CHECK_IMAGE_Y : 0) | (dimensions > 2 ? CY_CHECK_IMAGE_Z : 0) |
                         (is_array ? CY_CHECK_IMAGE_LAYERS : 0);
    for (unsigned i = 0; i < dimensions; i++) {
        LLVMValueRef part =
            type == element ? at : LLVMBuildExtractElement(p->builder, at, LLVMConstInt(p->i32, i, 0), "");
        note(p, places[i], is_float ? LLVMBuildBitCast(p->builder, part, p->i32, "") : part);
    }
    LLVMValueRef sampler =
        sampled ? word_of(p, "__cy_sampler", p->i32, LLVMGetOperand(call, 1)) : LLVMConstInt(p->i32, 0, 0);
    note(p, CY_CHECK_NOTE_IMAGE_HOW,
         LLVMBuildOr(p->builder, sampler, LLVMConstInt(p->i32, (uint64_t)how << 16, 0), ""));
    LLVMValueRef address = word_of(p, "_Z10__cy_image_check", description, image);
    note(p, CY_CHECK_NOTE_IMAGE, LLVMBuildPtrToInt(p->builder, address, p->i32, ""));
}

/* ---- the passes ---- */

static void prepare(struct preparing *p, LLVMValueRef insn)
{
    const char *name = callee_name(insn);
    LLVMPositionBuilderBefore(p->builder, insn);
    if (!strcmp(name, out_of_bounds)) {
        bad_index(p, insn);
    } else if (LLVMIsALoadInst(insn)) {
        note_alignment(p, insn);
        keep_read(insn);
    } else if (LLVMIsAStoreInst(insn)) {
        note_alignment(p, insn);
        mark_bit_field(p, insn);
    } else if (starts(name, "llvm.lifetime.start.") && LLVMIsAAllocaInst(LLVMGetOperand(insn, 1))) {
        LLVMPositionBuilderBefore(p->builder, LLVMGetNextInstruction(insn));
        begin_variable(p, LLVMGetOperand(insn, 1));
    } else if (starts(name, "llvm.memcpy.")) {
        mark_copy(p, insn);
    } else if (is_function(name, "write_image") || is_function(name, "read_image")) {
        note_image(p, insn, name, is_function(name, "write_image"));
    } else if (LLVMIsAAllocaInst(insn) && is_aggregate(LLVMGetAllocatedType(insn)) && !has_lifetime(insn)) {
        LLVMPositionBuilderBefore(p->builder, LLVMGetNextInstruction(insn));
        define_padding(p, LLVMGetAllocatedType(insn), insn);
    }
    if (LLVMIsAAllocaInst(insn) && has_array(LLVMGetAllocatedType(insn)) &&
        (is_pointed_to(insn, false) || !may_be_promoted(insn))) {
        hide_array(p, insn);
    }
}

/* Initialisers of C++ objects run when the program is loaded, with no checker there to take notes: they and what they call
 * stay as they are. */
static const char unchecked[] = "cy-unchecked";

static bool is_unchecked(LLVMValueRef function)
{
    return LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, unchecked,
                                         sizeof(unchecked) - 1) != NULL;
}

static void leave_unchecked(const struct cc_program *program, LLVMValueRef function)
{
    if (is_unchecked(function))
        return;
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(program->context, unchecked, sizeof(unchecked) - 1, "", 0));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef insn = LLVMGetFirstInstruction(block), next; insn; insn = next) {
            LLVMValueRef callee = LLVMIsACallInst(insn) ? LLVMGetCalledValue(insn) : NULL;
            next = LLVMGetNextInstruction(insn);
            if (!strcmp(callee_name(insn), out_of_bounds))
                LLVMInstructionEraseFromParent(insn);
            else if (callee && LLVMIsAFunction(callee))
                leave_unchecked(program, callee);
        }
}

void cc_prepare_check(struct cc_program *program)
{
    static const char initialiser[] = "_GLOBAL__sub_I_";
    size_t length;
    static const char valid[] = "null_pointer_is_valid";
    struct preparing p = {.program = program,
                          .builder = LLVMCreateBuilderInContext(program->context),
                          .layout = LLVMGetModuleDataLayout(program->module),
                          .i32 = LLVMInt32TypeInContext(program->context)};
    LLVMAttributeRef null_is_valid =
        LLVMCreateEnumAttribute(program->context, LLVMGetEnumAttributeKindForName(valid, strlen(valid)), 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
        if (starts(LLVMGetValueName2(f, &length), initialiser))
            leave_unchecked(program, f);
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || is_unchecked(f))
            continue;
        LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, null_is_valid);
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef insn = LLVMGetFirstInstruction(block), next; insn; insn = next) {
                next = LLVMGetNextInstruction(insn);
                prepare(&p, insn);
            }
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(program->module); g; g = LLVMGetNextGlobal(g))
        if (space_of(g) == LOCAL || (space_of(g) == GLOBAL && !LLVMIsGlobalConstant(g) && !LLVMIsDeclaration(g))) {
            LLVMSetLinkage(g, LLVMExternalLinkage);
            LLVMSetExternallyInitialized(g, 1);
        }
    LLVMDisposeBuilder(p.builder);
}

/* ---- the library's intrinsics for checkers ---- */

/* __cy_load_g(p), __cy_store_g(p, value): atomic ones, which a checker tells from others by their instruction. */
static bool lower_atomic(struct preparing *p, LLVMValueRef call, const char *name)
{
    const bool is_load = starts(name, "__cy_load_"), is_store = starts(name, "__cy_store_");
    LLVMValueRef pointer = is_load || is_store ? LLVMGetOperand(call, 0) : NULL;
    if (!pointer)
        return false;
    if (!p->program->check) {
        LLVMValueRef made = is_load ? LLVMBuildLoad2(p->builder, p->i32, pointer, "")
                                    : LLVMBuildStore(p->builder, LLVMGetOperand(call, 1), pointer);
        LLVMSetVolatile(made, 1);
        LLVMSetAlignment(made, 4);
        if (is_load)
            LLVMReplaceAllUsesWith(call, made);
    } else {
        struct cy_buf to = {0};
        cy_buf_printf(&to, "__cy_amo_%s_%s", is_load ? "or" : "swap", strrchr(name, '_') + 1);
        LLVMTypeRef types[2] = {LLVMTypeOf(pointer), p->i32}, type = LLVMFunctionType(p->i32, types, 2, 0);
        LLVMValueRef function = LLVMGetNamedFunction(p->program->module, to.data);
        if (!function) {
            function = LLVMAddFunction(p->program->module, to.data, type);
            LLVMSetFunctionCallConv(function, CC_SPIR_FUNC);
        }
        cy_buf_free(&to);
        LLVMValueRef args[2] = {pointer, is_load ? LLVMConstInt(p->i32, 0, 0) : LLVMGetOperand(call, 1)};
        LLVMValueRef made = LLVMBuildCall2(p->builder, type, function, args, 2, "");
        LLVMSetInstructionCallConv(made, CC_SPIR_FUNC);
        if (is_load)
            LLVMReplaceAllUsesWith(call, made);
    }
    LLVMInstructionEraseFromParent(call);
    return true;
}

/* __cy_note_<what>(value): a note, or nothing.  That of an event has a result. */
static void lower_note(struct preparing *p, LLVMValueRef call, const char *name)
{
    static const struct {
        const char *name;
        uint32_t at;
    } notes[] = {{"async_to", CY_CHECK_NOTE_ASYNC_TO},
                 {"async_from", CY_CHECK_NOTE_ASYNC_FROM},
                 {"async_size", CY_CHECK_NOTE_ASYNC_SIZE},
                 {"async_to_step", CY_CHECK_NOTE_ASYNC_TO_STEP},
                 {"async_from_step", CY_CHECK_NOTE_ASYNC_FROM_STEP},
                 {"async", CY_CHECK_NOTE_ASYNC},
                 {"async_end", CY_CHECK_NOTE_ASYNC_END},
                 {"event", CY_CHECK_NOTE_EVENT},
                 {"wait_event", CY_CHECK_NOTE_WAIT_EVENT},
                 {"wait", CY_CHECK_NOTE_WAIT},
                 {"order", CY_CHECK_NOTE_ORDER},
                 {"order_end", CY_CHECK_NOTE_ORDER_END},
                 {"fence", CY_CHECK_NOTE_FENCE}};
    LLVMValueRef value = LLVMGetOperand(call, 0);
    for (size_t i = 0; i < CY_COUNT(notes) && p->program->check; i++)
        if (!strcmp(name + strlen("__cy_note_"), notes[i].name))
            note(p, notes[i].at, value);
    if (LLVMGetFirstUse(call)) {
        if (p->program->check) {
            value = LLVMBuildLoad2(p->builder, p->i32, address(p, CY_CHECK_NOTE_EVENT), "");
            LLVMSetVolatile(value, 1);
        }
        LLVMReplaceAllUsesWith(call, value);
    }
    LLVMInstructionEraseFromParent(call);
}

void cc_lower_notes(struct cc_program *program)
{
    struct preparing p = {.program = program,
                          .builder = LLVMCreateBuilderInContext(program->context),
                          .i32 = LLVMInt32TypeInContext(program->context)};
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef insn = LLVMGetFirstInstruction(block), next; insn; insn = next) {
                const char *name = callee_name(insn);
                next = LLVMGetNextInstruction(insn);
                if (!starts(name, "__cy_"))
                    continue;
                LLVMPositionBuilderBefore(p.builder, insn);
                if (starts(name, "__cy_note_"))
                    lower_note(&p, insn, name);
                else
                    lower_atomic(&p, insn, name);
            }
    LLVMDisposeBuilder(p.builder);
}
