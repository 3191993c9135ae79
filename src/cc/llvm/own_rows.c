/* Loops in which each work-item goes through consecutive memory of its own: `a[i * n + k]` with i an id and k the counter.
 * Lanes access words that are far apart, one per lane and turn.  In loops of four elements per turn, a lane's words are next to each
 * other, and the fast engine accesses them at once.
 *
 * Where the loop stores, LLVM's vectoriser does that: it knows, or asks before the loop, which stores leave the loads of later turns
 * alone.  Otherwise, and where it would change the order of floating point additions, the loop is unrolled.  Only loops that all
 * lanes of a warp leave together: others have too few turns, or lanes in different ones.
 *
 * Which loops these are is a guess that results do not depend on. */
#include "cc/llvm/llvm_pipeline.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <string.h>

enum { BUDGET = 200, DEEPEST = 24, ELEMENTS = 4, MOST_INSTRUCTIONS = 60 };

/* How a value depends on the number of the lane, and on that of the turn: a factor, if it is linear and that is a number. */
struct growth {
    int64_t by_lane, by_turn;
    bool varies_by_lane, varies_by_turn; /* in another way, or by a factor that is not a number */
};

struct search {
    LLVMTargetDataRef layout;
    LLVMBasicBlockRef loop;
    LLVMValueRef path[DEEPEST]; /* phis whose values are being found */
    unsigned depth, left;       /* of BUDGET */
};

static struct growth growth_of(struct search *search, LLVMValueRef value);

static bool depends_on_lane(const struct growth *growth)
{
    return growth->by_lane || growth->varies_by_lane;
}

static struct growth sum(struct growth a, struct growth b, int64_t scale)
{
    a.by_lane = (int64_t)((uint64_t)a.by_lane + (uint64_t)b.by_lane * (uint64_t)scale);
    a.by_turn = (int64_t)((uint64_t)a.by_turn + (uint64_t)b.by_turn * (uint64_t)scale);
    a.varies_by_lane |= b.varies_by_lane;
    a.varies_by_turn |= b.varies_by_turn;
    return a;
}

static struct growth mixed(struct growth a, struct growth b)
{
    return (struct growth){.varies_by_lane = depends_on_lane(&a) || depends_on_lane(&b),
                           .varies_by_turn = a.by_turn || b.by_turn || a.varies_by_turn || b.varies_by_turn};
}

static struct growth product(struct search *search, LLVMValueRef x, LLVMValueRef y)
{
    const struct growth none = {0};
    if (LLVMIsAConstantInt(y))
        return sum(none, growth_of(search, x), LLVMConstIntGetSExtValue(y));
    if (LLVMIsAConstantInt(x))
        return sum(none, growth_of(search, y), LLVMConstIntGetSExtValue(x));
    return mixed(growth_of(search, x), growth_of(search, y));
}

static struct growth growth_of_address(struct search *search, LLVMValueRef gep)
{
    struct growth growth = growth_of(search, LLVMGetOperand(gep, 0));
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(gep); i++) {
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        if (i > 1 && kind != LLVMArrayTypeKind && kind != LLVMVectorTypeKind)
            return growth; /* members: their offsets are constant, and what follows mostly is */
        type = i > 1 ? LLVMGetElementType(type) : type;
        const int64_t size = (int64_t)LLVMABISizeOfType(search->layout, type);
        growth = sum(growth, growth_of(search, LLVMGetOperand(gep, i)), size);
    }
    return growth;
}

/* The loop's counters; values of outer loops, whose turns do not matter; and ids, which are one of several expressions, depending on
 * the number of dimensions: that for one dimension is the simplest. */
static struct growth growth_of_phi(struct search *search, LLVMValueRef phi)
{
    struct growth growth = {0};
    bool is_first = true;
    for (unsigned i = 0; i < search->depth; i++)
        if (search->path[i] == phi)
            return growth;
    if (search->depth == DEEPEST)
        return growth;
    search->path[search->depth++] = phi;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);
        if (LLVMGetInstructionParent(phi) == search->loop && LLVMGetIncomingBlock(phi, i) == search->loop) {
            const bool adds = LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMAdd &&
                              LLVMGetOperand(value, 0) == phi && LLVMIsAConstantInt(LLVMGetOperand(value, 1));
            const bool moves = LLVMIsAGetElementPtrInst(value) && LLVMGetOperand(value, 0) == phi;
            if (adds)
                growth.by_turn = LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1));
            else if (moves && LLVMGetNumOperands(value) == 2 && LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
                growth.by_turn = LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1)) *
                                 (int64_t)LLVMABISizeOfType(search->layout, LLVMGetGEPSourceElementType(value));
            else
                growth.varies_by_turn = true;
            continue;
        }
        const struct growth one = growth_of(search, value);
        if (is_first || growth.varies_by_lane || !depends_on_lane(&growth)) {
            growth.by_lane = one.by_lane;
            growth.varies_by_lane = one.varies_by_lane;
        }
        growth.varies_by_turn |= one.by_turn || one.varies_by_turn;
        is_first = false;
    }
    search->depth--;
    return growth;
}

static struct growth growth_of_call(struct search *search, LLVMValueRef call)
{
    static const char lane[] = "__cy_lane";
    struct growth growth = {0};
    size_t length = 0;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
    if (length == sizeof(lane) - 1 && !memcmp(name, lane, length))
        return (struct growth){.by_lane = 1};
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        growth = mixed(growth, growth_of(search, LLVMGetOperand(call, i)));
    return growth;
}

static struct growth growth_of(struct search *search, LLVMValueRef value)
{
    struct growth growth = {0};
    if (!LLVMIsAInstruction(value) || !search->left)
        return growth;
    search->left--;
    LLVMValueRef first = LLVMGetNumOperands(value) > 0 ? LLVMGetOperand(value, 0) : NULL;
    LLVMValueRef second = LLVMGetNumOperands(value) > 1 ? LLVMGetOperand(value, 1) : NULL;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd:
    case LLVMOr: return sum(growth_of(search, first), growth_of(search, second), 1);
    case LLVMSub: return sum(growth_of(search, first), growth_of(search, second), -1);
    case LLVMMul: return product(search, first, second);
    case LLVMShl:
        if (LLVMIsAConstantInt(second) && LLVMConstIntGetZExtValue(second) < 32)
            return sum(growth, growth_of(search, first), 1ll << LLVMConstIntGetZExtValue(second));
        return mixed(growth_of(search, first), growth_of(search, second));
    case LLVMUDiv: return growth;                   /* ids of other dimensions: rows of work-groups */
    case LLVMURem: return growth_of(search, first); /* and of the first */
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMFreeze: return growth_of(search, first);
    case LLVMGetElementPtr: return growth_of_address(search, value);
    case LLVMCall: return growth_of_call(search, value);
    case LLVMPHI: return growth_of_phi(search, value);
    default:
        for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++)
            growth = mixed(growth, growth_of(search, LLVMGetOperand(value, i)));
        return growth;
    }
}

/* ---- loops ---- */

static bool is_own_row(struct search *search, LLVMValueRef access)
{
    const bool is_store = LLVMIsAStoreInst(access);
    LLVMTypeRef type = LLVMTypeOf(is_store ? LLVMGetOperand(access, 0) : access);
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    if ((kind != LLVMFloatTypeKind && kind != LLVMIntegerTypeKind) || LLVMABISizeOfType(search->layout, type) > 4)
        return false;
    const int64_t size = (int64_t)LLVMABISizeOfType(search->layout, type);
    search->left = BUDGET;
    const struct growth growth = growth_of(search, LLVMGetOperand(access, is_store ? 1 : 0));
    const bool is_near = !growth.varies_by_lane && growth.by_lane >= -size && growth.by_lane <= size;
    return search->left && growth.by_turn == size && !growth.varies_by_turn && depends_on_lane(&growth) && !is_near;
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
static bool is_simple_loop(struct search *search, LLVMValueRef end)
{
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) ||
        (LLVMGetSuccessor(end, 0) != search->loop) == (LLVMGetSuccessor(end, 1) != search->loop))
        return false;
    search->left = BUDGET;
    const struct growth growth = growth_of(search, LLVMGetCondition(end));
    return search->left && !depends_on_lane(&growth);
}

enum choice { LEAVE, UNROLL, VECTORISE };

static enum choice choose(struct search *search, LLVMContextRef context)
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
    struct search search = {.layout = LLVMGetModuleDataLayout(program->module)};
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
