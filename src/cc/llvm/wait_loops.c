/* Waiting loops: a work-item spins until it has a lock, and releases it somewhere after the loop.  The lanes of a warp that
 * have left a loop wait at its reconvergence point for the others, so a lane that got the lock would never release it:
 *
 *     while (atomic_cmpxchg(lock, 0, 1));              do {
 *     critical section                                     if (!atomic_cmpxchg(lock, 0, 1)) {
 *     atomic_xchg(lock, 0);                    ->               critical section
 *     rest                                                      atomic_xchg(lock, 0); leave = true; }
 *                                                      } while (!leave);
 *                                                      rest
 *
 * Everything from the loop's end to the block after the release becomes part of the loop: each turn of it, those lanes that can
 * go on get as far as the release before all lanes meet.  It is only a matter of where blocks are: lock_loops.c takes what lies
 * between a loop's first and last block for the loop, and lets lanes that leave it meet the others first.
 *
 * Where one side of a branch waits for what the other one writes, the other one runs first, before the lanes meet again.
 *
 * A loop waits if one of its branches depends on what an atomic operation or a volatile load reads.  A release is a write to the
 * same variable after it.  Locks are often taken and released by functions, so functions with atomic operations are inlined
 * first. */
#include "cc/llvm/lock_loops.h"

#include "base/mem.h"
#include "base/strmap.h"

#include <llvm-c/Core.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <string.h>

enum { MOST_BLOCKS = 4000 }; /* the search takes quadratic time */

static const LLVMAttributeIndex on_function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

struct loop {
    LLVMBasicBlockRef header, latch;
};

struct waits {
    LLVMValueRef function;
    struct cy_strmap users; /* functions with atomic operations */
};

/* ---- sets of pointers ---- */

static bool add(struct cy_strmap *set, const void *pointer)
{
    size_t before = set->strings.count;
    cy_strmap_add(set, (const char *)&pointer, sizeof(pointer));
    return set->strings.count > before;
}

static bool has(const struct cy_strmap *set, const void *pointer)
{
    return cy_strmap_find(set, (const char *)&pointer, sizeof(pointer)) != CY_STR_NONE;
}

/* ---- instructions ---- */

static LLVMValueRef called(LLVMValueRef insn)
{
    return LLVMIsACallInst(insn) ? LLVMIsAFunction(LLVMGetCalledValue(insn)) : NULL;
}

/* One of the specification's atomic functions, which have the address first. */
static bool is_atomic_call(LLVMValueRef insn)
{
    LLVMValueRef callee = called(insn);
    size_t length;
    if (!callee || !LLVMGetNumArgOperands(insn))
        return false;
    const char *name = LLVMGetValueName2(callee, &length);
    name = cc_base_name(name, &length);
    return length > 5 && !memcmp(name, "atom", 4) &&
           LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(insn, 0))) == LLVMPointerTypeKind;
}

static bool is_named(LLVMValueRef insn, const char *what)
{
    size_t length;
    LLVMValueRef callee = called(insn);
    const char *name = callee ? LLVMGetValueName2(callee, &length) : NULL;
    name = name ? cc_base_name(name, &length) : NULL;
    for (size_t i = 0, size = strlen(what); name && i + size <= length; i++)
        if (!memcmp(name + i, what, size))
            return true;
    return false;
}

/* The address that it reads and others may write meanwhile; NULL: none. */
static LLVMValueRef watched(LLVMValueRef insn)
{
    if (LLVMIsAAtomicRMWInst(insn) || LLVMIsAAtomicCmpXchgInst(insn) || is_atomic_call(insn))
        return LLVMGetOperand(insn, 0);
    if (LLVMIsALoadInst(insn) && (LLVMGetVolatile(insn) || LLVMGetOrdering(insn) != LLVMAtomicOrderingNotAtomic))
        return LLVMGetOperand(insn, 0);
    return NULL;
}

/* The address that it writes; NULL: none. */
static LLVMValueRef written(LLVMValueRef insn)
{
    if (LLVMIsAStoreInst(insn))
        return LLVMGetOperand(insn, 1);
    if (LLVMIsAAtomicRMWInst(insn) || LLVMIsAAtomicCmpXchgInst(insn))
        return LLVMGetOperand(insn, 0);
    return is_atomic_call(insn) && !is_named(insn, "atomic_load") ? LLVMGetOperand(insn, 0) : NULL;
}

/* The only value stored in a local variable; NULL: there are several. */
static LLVMValueRef stored_value(LLVMValueRef variable)
{
    LLVMValueRef value = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != variable)
            continue;
        if (value)
            return NULL;
        value = LLVMGetOperand(user, 0);
    }
    return value;
}

/* The variable or argument that an address is in; NULL: unknown. */
static LLVMValueRef base_of(LLVMValueRef address)
{
    for (int steps = 0; steps < 64 && address; steps++) {
        LLVMValueRef from = address;
        if (LLVMIsAGetElementPtrInst(address) || LLVMIsABitCastInst(address) || LLVMIsAAddrSpaceCastInst(address))
            from = LLVMGetOperand(address, 0);
        else if (LLVMIsAConstantExpr(address) && LLVMGetNumOperands(address))
            from = LLVMGetOperand(address, 0);
        else if (LLVMIsALoadInst(address) && LLVMIsAAllocaInst(LLVMGetOperand(address, 0)))
            from = stored_value(LLVMGetOperand(address, 0));
        if (from == address)
            return LLVMIsALoadInst(address) ? NULL : address;
        address = from;
    }
    return NULL;
}

/* ---- blocks ---- */

static LLVMBasicBlockRef past(const struct loop *loop)
{
    return LLVMGetNextBasicBlock(loop->latch);
}

static bool is_inside(const struct loop *loop, LLVMBasicBlockRef block)
{
    for (LLVMBasicBlockRef b = loop->header; b && b != past(loop); b = LLVMGetNextBasicBlock(b))
        if (b == block)
            return true;
    return false;
}

/* Adds to `seen` what can be reached from a block without passing `stop`. */
static void reach(struct cy_strmap *seen, LLVMBasicBlockRef from, LLVMBasicBlockRef stop)
{
    CY_VEC(LLVMBasicBlockRef) work = {0};
    if (from != stop && add(seen, from))
        *cy_vec_push(&work) = from;
    while (work.count) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(work.at[--work.count]);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(end, i);
            if (to != stop && add(seen, to))
                *cy_vec_push(&work) = to;
        }
    }
    cy_vec_free(&work);
}

/* ---- does a loop wait? ---- */

struct slice {
    const struct waits *waits;
    struct cy_strmap seen;
    CY_VEC(LLVMValueRef) work;
    CY_VEC(LLVMValueRef) addresses; /* that are watched */
};

static void push(struct slice *s, LLVMValueRef value)
{
    if (value && (LLVMIsAInstruction(value)) && add(&s->seen, value))
        *cy_vec_push(&s->work) = value;
}

/* What values depend on, through local variables too. */
static bool depends_on_others(struct slice *s)
{
    bool found = false;
    while (s->work.count) {
        LLVMValueRef insn = s->work.at[--s->work.count], address = watched(insn);
        if (address && !LLVMIsAAllocaInst(address)) {
            *cy_vec_push(&s->addresses) = address;
            found = true;
        }
        LLVMValueRef callee = called(insn);
        found |= callee && has(&s->waits->users, callee);
        for (int i = 0; i < LLVMGetNumOperands(insn); i++) {
            LLVMValueRef operand = LLVMGetOperand(insn, (unsigned)i);
            push(s, operand);
            for (LLVMUseRef use = LLVMIsAAllocaInst(operand) ? LLVMGetFirstUse(operand) : NULL; use;
                 use = LLVMGetNextUse(use))
                if (LLVMIsAStoreInst(LLVMGetUser(use)))
                    push(s, LLVMGetOperand(LLVMGetUser(use), 0));
        }
    }
    return found;
}

/* ---- pointers that are followed to their end ---- */

static LLVMValueRef variable_of(LLVMValueRef value)
{
    LLVMValueRef variable = LLVMIsALoadInst(value) ? LLVMGetOperand(value, 0) : NULL;
    return variable && LLVMIsAAllocaInst(variable) ? variable : NULL;
}

/* Is it what a volatile load finds at base[variable]? */
static bool is_element(LLVMValueRef value, LLVMValueRef variable)
{
    LLVMValueRef address = LLVMIsALoadInst(value) ? LLVMGetOperand(value, 0) : NULL;
    if (!address || !LLVMIsAGetElementPtrInst(address) || LLVMGetNumOperands(address) != 2)
        return false;
    LLVMValueRef index = LLVMGetOperand(address, 1);
    while (LLVMIsASExtInst(index) || LLVMIsAZExtInst(index))
        index = LLVMGetOperand(index, 0);
    return variable_of(index) == variable;
}

/* Is everything that the loop stores in `next` an element of `variable`? */
static bool has_elements_only(LLVMValueRef next, LLVMValueRef variable, const struct loop *loop)
{
    bool any = false;
    for (LLVMUseRef use = LLVMGetFirstUse(next); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAStoreInst(user) || !is_inside(loop, LLVMGetInstructionParent(user)))
            continue;
        if (LLVMGetOperand(user, 1) != next || !is_element(LLVMGetOperand(user, 0), variable))
            return false;
        any = true;
    }
    return any;
}

/* Is it base[variable], or a variable that has nothing else in the loop? */
static bool is_next(LLVMValueRef value, LLVMValueRef variable, const struct loop *loop)
{
    LLVMValueRef next = variable_of(value);
    return is_element(value, variable) || (next && has_elements_only(next, variable, loop));
}

/* The only conditional branch of the loop, if nothing in it writes what others read; NULL. */
static LLVMValueRef only_branch(const struct loop *loop)
{
    LLVMValueRef found = NULL;
    for (LLVMBasicBlockRef b = loop->header; b && b != past(loop); b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (!LLVMIsABranchInst(end) || (LLVMIsConditional(end) && found))
            return NULL;
        if (LLVMIsConditional(end))
            found = end;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef address = written(i);
            if ((address && !LLVMIsAAllocaInst(address)) || (LLVMIsACallInst(i) && !LLVMIsAIntrinsicInst(i)))
                return NULL;
        }
    }
    return found;
}

/* while ((p = next[i]) != i) i = p;  Each turn reads another element, until one points to itself: nobody waits, as in waits.c. */
static bool follows_pointers(const struct loop *loop)
{
    LLVMValueRef branch = only_branch(loop), compare = branch ? LLVMIsAICmpInst(LLVMGetCondition(branch)) : NULL;
    if (!compare)
        return false;
    const LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);
    const bool stays_if_true = is_inside(loop, LLVMGetSuccessor(branch, 0));
    if (predicate != (stays_if_true ? LLVMIntNE : LLVMIntEQ) ||
        stays_if_true == is_inside(loop, LLVMGetSuccessor(branch, 1)))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef variable = variable_of(LLVMGetOperand(compare, i)), other = LLVMGetOperand(compare, !i);
        bool moves = variable && is_next(other, variable, loop), any = false;
        for (LLVMUseRef use = moves ? LLVMGetFirstUse(variable) : NULL; use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (!LLVMIsAStoreInst(user) || !is_inside(loop, LLVMGetInstructionParent(user)))
                continue;
            moves &= LLVMGetOperand(user, 1) == variable && is_next(LLVMGetOperand(user, 0), variable, loop);
            any = true;
        }
        if (moves && any)
            return true;
    }
    return false;
}

static bool does_wait(struct slice *s, const struct loop *loop)
{
    if (follows_pointers(loop))
        return false;
    for (LLVMBasicBlockRef b = loop->header; b && b != past(loop); b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (LLVMIsABranchInst(end) && LLVMIsConditional(end))
            push(s, LLVMGetCondition(end));
    }
    return depends_on_others(s);
}

static void free_slice(struct slice *s)
{
    cy_strmap_free(&s->seen);
    cy_vec_free(&s->work);
    cy_vec_free(&s->addresses);
}

static bool is_release(const struct slice *s, LLVMValueRef insn)
{
    LLVMValueRef address = written(insn), base = address ? base_of(address) : NULL;
    if (!address || (base && LLVMIsAAllocaInst(base)))
        return false;
    for (size_t i = 0; i < s->addresses.count; i++) {
        LLVMValueRef lock = base_of(s->addresses.at[i]);
        if (!lock || !base || lock == base)
            return true;
    }
    return false;
}

static unsigned count_releases(const struct slice *s, LLVMBasicBlockRef block)
{
    unsigned count = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        count += is_release(s, i);
    return count;
}

/* Does a loop take something that must be released after it?  Locks are taken by an atomic operation, or by somebody else: a loop that
 * stores there itself does not wait for others (it stores until it finds its value, waits.c), and one that writes twice releases what it
 * takes. */
static bool takes(const struct slice *s, const struct loop *loop)
{
    unsigned writes = 0;
    bool stores = false;
    for (LLVMBasicBlockRef b = loop->header; b && b != past(loop); b = LLVMGetNextBasicBlock(b)) {
        writes += count_releases(s, b);
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            stores |= LLVMIsAStoreInst(i) && is_release(s, i);
    }
    return writes < 2 && !stores;
}

/* All lanes must reach these together. */
static bool waits_together(LLVMValueRef insn)
{
    return is_named(insn, "barrier") || is_named(insn, "work_group_") || is_named(insn, "sub_group_");
}

static bool has_barrier(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        if (waits_together(i))
            return true;
    return false;
}

/* ---- the release becomes part of the loop ---- */

/* The one block outside where a loop's lanes go on; NULL: there are several, or none. */
static LLVMBasicBlockRef exit_of(const struct loop *loop)
{
    LLVMBasicBlockRef found = NULL;
    for (LLVMBasicBlockRef b = loop->header; b && b != past(loop); b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(end, i);
            if (is_inside(loop, to) || LLVMIsAUnreachableInst(LLVMGetFirstInstruction(to)))
                continue;
            if (found && found != to)
                return NULL;
            found = to;
        }
    }
    return found;
}

static bool leaves(const struct cy_strmap *region)
{
    for (size_t i = 0; i < region->strings.count; i++) {
        LLVMBasicBlockRef block;
        memcpy(&block, region->strings.at[i].text, sizeof(block));
        if (LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(block)))
            return true;
    }
    return false;
}

/* The blocks from `from` to `to`, if every way leads there, nothing else leads in, and no barrier is among them.  Lanes must be
 * able to meet at its end. */
static bool find_region(const struct waits *w, const struct loop *loop, LLVMBasicBlockRef from, LLVMBasicBlockRef to,
                        struct cy_strmap *region)
{
    struct cy_strmap others = {0};
    bool ok = to != from && !LLVMIsAPHINode(LLVMGetFirstInstruction(to)) && !is_inside(loop, to);
    reach(region, from, to);
    ok = ok && !has(region, loop->header) && !leaves(region);
    if (ok)
        reach(&others, LLVMGetEntryBasicBlock(w->function), from);
    for (size_t i = 0; i < region->strings.count && ok; i++) {
        LLVMBasicBlockRef block;
        memcpy(&block, region->strings.at[i].text, sizeof(block));
        ok = !has(&others, block) && !has_barrier(block);
    }
    cy_strmap_free(&others);
    return ok;
}

/* The last block up to which there are releases; NULL: there is none. */
static LLVMBasicBlockRef find_end(const struct waits *w, const struct slice *s, const struct loop *loop,
                                  LLVMBasicBlockRef from)
{
    LLVMBasicBlockRef best = NULL;
    size_t best_size = 0;
    unsigned most = 0;
    struct cy_strmap ahead = {0};
    reach(&ahead, from, NULL);
    for (size_t i = 0; i < ahead.strings.count; i++) {
        LLVMBasicBlockRef to;
        struct cy_strmap region = {0};
        unsigned releases = 0;
        memcpy(&to, ahead.strings.at[i].text, sizeof(to));
        if (find_region(w, loop, from, to, &region))
            for (size_t k = 0; k < region.strings.count; k++) {
                LLVMBasicBlockRef block;
                memcpy(&block, region.strings.at[k].text, sizeof(block));
                releases += count_releases(s, block);
            }
        if (releases > most || (releases && releases == most && region.strings.count < best_size)) {
            most = releases;
            best = to;
            best_size = region.strings.count;
        }
        cy_strmap_free(&region);
    }
    cy_strmap_free(&ahead);
    return best;
}

/* A block of its own on each edge to `to`, so that a lane that takes it can meet the others. */
static void split_edges(LLVMContextRef context, LLVMBuilderRef builder, LLVMBasicBlockRef block, LLVMBasicBlockRef to,
                        LLVMBasicBlockRef *last)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    for (unsigned i = 0; LLVMGetNumSuccessors(end) > 1 && i < LLVMGetNumSuccessors(end); i++) {
        if (LLVMGetSuccessor(end, i) != to)
            continue;
        LLVMBasicBlockRef edge = LLVMInsertBasicBlockInContext(context, to, "");
        LLVMPositionBuilderAtEnd(builder, edge);
        LLVMSetCurrentDebugLocation2(builder, NULL);
        LLVMBuildBr(builder, to);
        LLVMMoveBasicBlockAfter(edge, *last);
        LLVMSetSuccessor(end, i, edge);
        *last = edge;
    }
}

static void sink(const struct cc_program *program, LLVMBuilderRef builder, const struct waits *w, struct loop *loop,
                 LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    struct cy_strmap region = {0};
    CY_VEC(LLVMBasicBlockRef) blocks = {0};
    reach(&region, from, to);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(w->function); b; b = LLVMGetNextBasicBlock(b))
        if (has(&region, b))
            *cy_vec_push(&blocks) = b;
    LLVMBasicBlockRef last = loop->latch;
    for (size_t i = 0; i < blocks.count; i++) {
        LLVMMoveBasicBlockAfter(blocks.at[i], last);
        last = blocks.at[i];
        split_edges(program->context, builder, blocks.at[i], to, &last);
    }
    loop->latch = last;
    cy_strmap_free(&region);
    cy_vec_free(&blocks);
}

bool cc_sink_release(const struct cc_program *program, LLVMBuilderRef builder, LLVMBasicBlockRef header,
                     LLVMBasicBlockRef *latch)
{
    struct waits w = {.function = LLVMGetBasicBlockParent(header)};
    struct slice s = {.waits = &w};
    struct loop loop = {header, *latch};
    LLVMBasicBlockRef from = exit_of(&loop), to = NULL;
    if (from && LLVMCountBasicBlocks(w.function) <= MOST_BLOCKS && does_wait(&s, &loop) && takes(&s, &loop))
        to = find_end(&w, &s, &loop, from);
    if (to) {
        sink(program, builder, &w, &loop, from, to);
        *latch = loop.latch;
    }
    free_slice(&s);
    return to != NULL;
}

/* ---- functions with locks ---- */

static bool uses_atomics(const struct waits *w, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef address = watched(i), callee = called(i);
            if ((address && !LLVMIsAAllocaInst(address)) || (callee && has(&w->users, callee)))
                return true;
        }
    return false;
}

/* Does a function have a loop that waits? */
static bool has_wait(const struct waits *w, LLVMValueRef function)
{
    struct cy_strmap seen = {0};
    bool found = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b && !found; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        add(&seen, b);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end) && !found; i++) {
            struct loop loop = {LLVMGetSuccessor(end, i), b};
            struct slice s = {.waits = w};
            found = has(&seen, loop.header) && does_wait(&s, &loop);
            free_slice(&s);
        }
    }
    cy_strmap_free(&seen);
    return found;
}

static void make_inline(const struct cc_program *program, LLVMValueRef function)
{
    static const char *const never[] = {"noinline", "optnone"};
    for (size_t i = 0; i < CY_COUNT(never); i++)
        LLVMRemoveEnumAttributeAtIndex(function, on_function,
                                       LLVMGetEnumAttributeKindForName(never[i], strlen(never[i])));
    unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", strlen("alwaysinline"));
    LLVMAddAttributeAtIndex(function, on_function, LLVMCreateEnumAttribute(program->context, kind, 0));
}

static void inline_users(const struct cc_program *program, const struct waits *w)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
        if (has(&w->users, f))
            make_inline(program, f);
    LLVMErrorRef error = LLVMRunPasses(program->module, "always-inline", NULL, options);
    LLVMDisposePassBuilderOptions(options);
    LLVMConsumeError(error); /* then they stay as they are */
}

/* What is before an instruction becomes a block of its own. */
static void split_before(LLVMContextRef context, LLVMBuilderRef builder, LLVMValueRef insn)
{
    LLVMBasicBlockRef rest = LLVMGetInstructionParent(insn);
    LLVMBasicBlockRef first = LLVMInsertBasicBlockInContext(context, rest, "");
    LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(rest), LLVMBasicBlockAsValue(first));
    LLVMPositionBuilderAtEnd(builder, first);
    LLVMSetCurrentDebugLocation2(builder, NULL);
    for (LLVMValueRef i; (i = LLVMGetFirstInstruction(rest)) != insn;) {
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(builder, i);
    }
    LLVMBuildBr(builder, rest);
}

/* What follows a release can be left out of the loop where a block begins: at barriers, which must be, and at the end. */
static void split_function(const struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (i != LLVMGetFirstInstruction(b) && (waits_together(i) || LLVMIsAReturnInst(i)))
                split_before(program->context, builder, i);
}

/* ---- one side of a branch waits for the other ---- */

/* Does only `branch` lead to a side from outside? */
static bool is_entered_by(const struct cy_strmap *side, LLVMBasicBlockRef branch)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(LLVMGetBasicBlockParent(branch)); b;
         b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        for (unsigned i = 0; b != branch && !has(side, b) && i < LLVMGetNumSuccessors(end); i++)
            if (has(side, LLVMGetSuccessor(end, i)))
                return false;
    }
    return !has(side, branch);
}

/* The blocks of a side of a branch up to `to`, if every way leads there, nothing else leads in, and no barrier is among them. */
static bool find_side(LLVMBasicBlockRef branch, unsigned which, LLVMBasicBlockRef to, struct cy_strmap *side)
{
    LLVMBasicBlockRef from = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(branch), which);
    bool ok = from != to;
    reach(side, from, to);
    ok = ok && !leaves(side) && is_entered_by(side, branch);
    for (size_t i = 0; i < side->strings.count && ok; i++) {
        LLVMBasicBlockRef block;
        memcpy(&block, side->strings.at[i].text, sizeof(block));
        ok = !has_barrier(block);
    }
    return ok;
}

static bool has_release(const struct slice *s, const struct cy_strmap *side)
{
    for (size_t i = 0; i < side->strings.count; i++) {
        LLVMBasicBlockRef block;
        memcpy(&block, side->strings.at[i].text, sizeof(block));
        if (count_releases(s, block))
            return true;
    }
    return false;
}

/* Does a side branch on what others write, within a loop of its own? */
static bool side_waits(struct slice *s, const struct cy_strmap *side)
{
    for (size_t i = 0; i < side->strings.count; i++) {
        LLVMBasicBlockRef block;
        memcpy(&block, side->strings.at[i].text, sizeof(block));
        struct cy_strmap again = {0};
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
            if (has(side, LLVMGetSuccessor(end, k)))
                reach(&again, LLVMGetSuccessor(end, k), NULL);
        if (has(&again, block) && LLVMIsABranchInst(end) && LLVMIsConditional(end))
            push(s, LLVMGetCondition(end));
        cy_strmap_free(&again);
    }
    return depends_on_others(s);
}

/* if (c) release; else wait;   ->   if (c) release;  meet;  if (!c) wait; */
static void run_first(const struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef meeting,
                      LLVMBasicBlockRef branch, unsigned release, LLVMBasicBlockRef to, const struct cy_strmap *side)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(branch), condition = LLVMGetCondition(end);
    LLVMBasicBlockRef waiting = LLVMGetSuccessor(end, !release), last = branch;
    LLVMBasicBlockRef middle = LLVMInsertBasicBlockInContext(program->context, waiting, "");
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(LLVMGetBasicBlockParent(branch)); b; b = LLVMGetNextBasicBlock(b))
        if (has(side, b))
            last = b;
    LLVMMoveBasicBlockAfter(middle, last);
    LLVMPositionBuilderAtEnd(builder, middle);
    LLVMSetCurrentDebugLocation2(builder, NULL);
    LLVMBuildCall2(builder, LLVMGlobalGetValueType(meeting), meeting, NULL, 0, "");
    LLVMBuildCondBr(builder, condition, release ? waiting : to, release ? to : waiting);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(LLVMGetBasicBlockParent(branch)); b;
         b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef exits = LLVMGetBasicBlockTerminator(b);
        for (unsigned i = 0; has(side, b) && i < LLVMGetNumSuccessors(exits); i++)
            if (LLVMGetSuccessor(exits, i) == to)
                LLVMSetSuccessor(exits, i, middle);
    }
    LLVMSetSuccessor(end, !release, middle);
}

/* Of the sides of one branch: does one wait for what the other writes?  Then the other runs first. */
static bool order_sides(const struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef meeting,
                        LLVMBasicBlockRef branch, LLVMBasicBlockRef to)
{
    struct waits w = {.function = LLVMGetBasicBlockParent(branch)};
    struct cy_strmap none = {0}, sides[2] = {none, none};
    struct slice slices[2] = {{.waits = &w}, {.waits = &w}};
    bool ok = !LLVMIsAPHINode(LLVMGetFirstInstruction(to)), changed = false;
    for (unsigned i = 0; i < 2 && ok; i++)
        ok = find_side(branch, i, to, &sides[i]);
    if (ok) {
        const bool first = side_waits(&slices[0], &sides[0]), second = side_waits(&slices[1], &sides[1]);
        const unsigned release = first ? 1 : 0;
        changed = first != second && has_release(&slices[!release], &sides[release]);
        if (changed)
            run_first(program, builder, meeting, branch, release, to, &sides[release]);
    }
    for (unsigned i = 0; i < 2; i++) {
        cy_strmap_free(&sides[i]);
        free_slice(&slices[i]);
    }
    return ok;
}

static void order_branches(const struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef meeting,
                           LLVMValueRef function)
{
    enum { MOST_SEARCHED = 400 };
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end) ||
            LLVMGetSuccessor(end, 0) == LLVMGetSuccessor(end, 1) || LLVMCountBasicBlocks(function) > MOST_SEARCHED)
            continue;
        struct cy_strmap ahead = {0};
        bool found = false;
        reach(&ahead, LLVMGetSuccessor(end, 0), NULL);
        for (size_t i = 1; i < ahead.strings.count && !found; i++) { /* nearest first */
            LLVMBasicBlockRef to;
            memcpy(&to, ahead.strings.at[i].text, sizeof(to));
            found = to != b && order_sides(program, builder, meeting, b, to);
        }
        cy_strmap_free(&ahead);
    }
}

void cc_prepare_locks(const struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef meeting)
{
    struct waits w = {0};
    bool waits = false;
    for (bool more = true; more;) {
        more = false;
        for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
            if (!LLVMIsDeclaration(f) && LLVMGetFunctionCallConv(f) != CC_SPIR_KERNEL && !has(&w.users, f) &&
                uses_atomics(&w, f))
                more = add(&w.users, f);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f && !waits; f = LLVMGetNextFunction(f))
        waits = !LLVMIsDeclaration(f) && has_wait(&w, f);
    if (waits && w.users.strings.count)
        inline_users(program, &w);
    for (LLVMValueRef f = waits ? LLVMGetFirstFunction(program->module) : NULL; f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && has_wait(&w, f)) {
            split_function(program, builder, f);
            order_branches(program, builder, meeting, f);
        }
    cy_strmap_free(&w.users);
}
