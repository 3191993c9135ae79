/* Loops in which each work-item goes through consecutive memory of its own: `a[i * n + k]` with i an id and k the counter.
 * Lanes access words that are far apart, one per lane and turn.  In loops of four elements per turn, a lane's words are next to each
 * other, and the fast engine accesses them at once.
 *
 * Where the loop stores, LLVM's vectoriser does that: it knows, or asks before the loop, which stores leave the loads of later turns
 * alone.  Otherwise, and where it would change the order of floating point additions, the loop is unrolled.  Only loops that all
 * lanes of a warp leave together: others have too few turns, or lanes in different ones.
 *
 * Which loops these are is a guess that results do not depend on. */
#include "cc/llvm/growth.h"
#include "cc/llvm/llvm_pipeline.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <string.h>

enum { BUDGET = 200, ELEMENTS = 4, MOST_INSTRUCTIONS = 60 };
enum { LANE, TURN }; /* numbers on which values depend */

/* The loop's counters; values of outer loops, whose turns do not matter; and ids, which are one of several expressions, depending on
 * the number of dimensions: that for one dimension is the simplest. */
static struct cc_growth growth_of_phi(struct cc_growth_search *search, LLVMValueRef phi)
{
    struct cc_growth growth = {0};
    bool is_first = true;
    if (!cc_growth_enter(search, phi))
        return growth;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);
        if (LLVMGetInstructionParent(phi) == search->loop && LLVMGetIncomingBlock(phi, i) == search->loop) {
            const bool adds = LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMAdd &&
                              LLVMGetOperand(value, 0) == phi && LLVMIsAConstantInt(LLVMGetOperand(value, 1));
            const bool moves = LLVMIsAGetElementPtrInst(value) && LLVMGetOperand(value, 0) == phi;
            if (adds)
                growth.factor[TURN] = LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1));
            else if (moves && LLVMGetNumOperands(value) == 2 && LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
                growth.factor[TURN] = LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1)) *
                                      (int64_t)LLVMABISizeOfType(search->layout, LLVMGetGEPSourceElementType(value));
            else
                growth.varies[TURN] = true;
            continue;
        }
        const struct cc_growth one = cc_growth_of(search, value);
        if (is_first || growth.varies[LANE] || !cc_growth_depends(&growth, LANE)) {
            growth.factor[LANE] = one.factor[LANE];
            growth.varies[LANE] = one.varies[LANE];
        }
        growth.varies[TURN] |= cc_growth_depends(&one, TURN);
        is_first = false;
    }
    cc_growth_leave(search);
    return growth;
}

static struct cc_growth growth_of_call(struct cc_growth_search *search, LLVMValueRef call)
{
    static const char lane[] = "__cy_lane";
    struct cc_growth growth = {0};
    size_t length = 0;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
    if (length == sizeof(lane) - 1 && !memcmp(name, lane, length)) {
        growth.factor[LANE] = 1;
        return growth;
    }
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        growth = cc_growth_mixed(growth, cc_growth_of(search, LLVMGetOperand(call, i)));
    return growth;
}

static bool knows(struct cc_growth_search *search, LLVMValueRef value, struct cc_growth *growth)
{
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMUDiv: return true; /* ids of other dimensions: rows of work-groups */
    case LLVMURem:              /* and of the first */
    case LLVMFreeze: *growth = cc_growth_of(search, LLVMGetOperand(value, 0)); return true;
    case LLVMCall: *growth = growth_of_call(search, value); return true;
    case LLVMPHI: *growth = growth_of_phi(search, value); return true;
    default: return false;
    }
}

/* ---- loops ---- */

static bool is_own_row(struct cc_growth_search *search, LLVMValueRef access)
{
    const bool is_store = LLVMIsAStoreInst(access);
    LLVMTypeRef type = LLVMTypeOf(is_store ? LLVMGetOperand(access, 0) : access);
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    if ((kind != LLVMFloatTypeKind && kind != LLVMIntegerTypeKind) || LLVMABISizeOfType(search->layout, type) > 4)
        return false;
    const int64_t size = (int64_t)LLVMABISizeOfType(search->layout, type);
    search->left = BUDGET;
    const struct cc_growth growth = cc_growth_of(search, LLVMGetOperand(access, is_store ? 1 : 0));
    const bool is_near = !growth.varies[LANE] && growth.factor[LANE] >= -size && growth.factor[LANE] <= size;
    return search->left && growth.factor[TURN] == size && !growth.varies[TURN] && cc_growth_depends(&growth, LANE) &&
           !is_near;
}

static bool is_hinted(LLVMContextRef context, LLVMValueRef end)
{
    static const char kind[] = "llvm.loop", *const hints[] = {"llvm.loop.unroll", "llvm.loop.vectorize"};
    enum { MOST = 8 };
    LLVMValueRef node = LLVMGetMetadata(end, LLVMGetMDKindIDInContext(context, kind, sizeof(kind) - 1));
    LLVMValueRef parts[MOST], names[MOST];
    const unsigned count = node ? LLVMGetMDNodeNumOperands(node) : 0;
    if (count > MOST)
        return true;
    if (count)
        LLVMGetMDNodeOperands(node, parts);
    for (unsigned i = 1; i < count; i++) { /* the first is the node itself */
        unsigned length = 0;
        const unsigned words = parts[i] && LLVMIsAMDNode(parts[i]) ? LLVMGetMDNodeNumOperands(parts[i]) : 0;
        if (!words || words > MOST)
            continue;
        LLVMGetMDNodeOperands(parts[i], names);
        const char *name = names[0] && LLVMIsAMDString(names[0]) ? LLVMGetMDString(names[0], &length) : "";
        for (size_t k = 0; k < sizeof(hints) / sizeof(hints[0]); k++)
            if (length >= strlen(hints[k]) && !memcmp(name, hints[k], strlen(hints[k])))
                return true;
    }
    return false;
}

/* A loop of one block, which all lanes of a warp leave together. */
static bool is_simple_loop(struct cc_growth_search *search, LLVMValueRef end)
{
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) ||
        (LLVMGetSuccessor(end, 0) != search->loop) == (LLVMGetSuccessor(end, 1) != search->loop))
        return false;
    search->left = BUDGET;
    const struct cc_growth growth = cc_growth_of(search, LLVMGetCondition(end));
    return search->left && !cc_growth_depends(&growth, LANE);
}

enum choice { LEAVE, UNROLL, VECTORISE };

static enum choice choose(struct cc_growth_search *search, LLVMContextRef context)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(search->loop);
    unsigned count = 0, rows = 0, stores = 0;
    bool may_vectorise = true;
    if (!is_simple_loop(search, end) || is_hinted(context, end))
        return LEAVE;
    for (LLVMValueRef i = LLVMGetFirstInstruction(search->loop); i; i = LLVMGetNextInstruction(i)) {
        const LLVMOpcode op = LLVMGetInstructionOpcode(i);
        const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(i));
        if (LLVMIsADbgInfoIntrinsic(i))
            continue;
        count++;
        if (op == LLVMFence || op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg || kind == LLVMVectorTypeKind)
            return LEAVE;
        if (op == LLVMPHI && kind != LLVMIntegerTypeKind && kind != LLVMPointerTypeKind)
            may_vectorise = false; /* a hint allows to reorder additions */
        if (op != LLVMLoad && op != LLVMStore)
            continue;
        if (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
            return LEAVE;
        stores += op == LLVMStore;
        rows += is_own_row(search, i);
    }
    if (!rows || count > MOST_INSTRUCTIONS)
        return LEAVE;
    return stores && may_vectorise ? VECTORISE : UNROLL;
}

/* ---- hints ---- */

static LLVMMetadataRef hint(LLVMContextRef context, const char *name, unsigned bits, unsigned value)
{
    LLVMValueRef number = LLVMConstInt(LLVMIntTypeInContext(context, bits), value, false);
    LLVMMetadataRef parts[] = {LLVMMDStringInContext2(context, name, strlen(name)), LLVMValueAsMetadata(number)};
    return LLVMMDNodeInContext2(context, parts, 2);
}

static void give_hints(LLVMContextRef context, LLVMBasicBlockRef loop, enum choice choice)
{
    static const char kind[] = "llvm.loop";
    LLVMMetadataRef self = LLVMTemporaryMDNode(context, NULL, 0), parts[4] = {self};
    size_t count = 1;
    if (choice == VECTORISE) {
        parts[count++] = hint(context, "llvm.loop.vectorize.enable", 1, 1);
        parts[count++] = hint(context, "llvm.loop.vectorize.width", 32, ELEMENTS);
        parts[count++] = hint(context, "llvm.loop.interleave.count", 32, 1);
    } else {
        parts[count++] = hint(context, "llvm.loop.unroll.count", 32, ELEMENTS);
    }
    LLVMMetadataRef node = LLVMMDNodeInContext2(context, parts, count);
    LLVMMetadataReplaceAllUsesWith(self,
                                   node); /* the node's first part is itself: loops with the same hints are different */
    LLVMSetMetadata(LLVMGetBasicBlockTerminator(loop), LLVMGetMDKindIDInContext(context, kind, sizeof(kind) - 1),
                    LLVMMetadataAsValue(context, node));
}

bool cc_find_own_rows(const struct cc_program *program, bool unrolls)
{
    struct cc_growth_search search = {.layout = LLVMGetModuleDataLayout(program->module), .knows = knows};
    bool found = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
            search.loop = b;
            enum choice choice = choose(&search, program->context);
            if (choice == UNROLL && !unrolls)
                choice = LEAVE;
            if (choice != LEAVE)
                give_hints(program->context, b, choice);
            found |= choice != LEAVE;
        }
    return found;
}
