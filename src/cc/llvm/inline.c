/* Decides which calls remain calls.  A kernel runs best as one function, so everything is inlined, except
 *
 *     functions that the user marked `noinline` (clang's -fno-inline marks all of them);
 *     all user functions when not optimising;
 *     functions called so often that a kernel would grow out of bounds: sizes are summed over the call graph, and while
 *     a kernel is too big, the function whose copies cost most stays a function.
 *
 * These functions are marked, since this runs again after optimisation has brought in more of the library. */
#include "cc/llvm/llvm_pipeline.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <string.h>

enum {
    MOST_INSNS = 24000, /* of a kernel or function after inlining, before optimisation */
    WORTH_A_CALL = 60,  /* smaller functions are always inlined */
    MOST_NESTED = 48,   /* call depth: the scalar stack has 1024 bytes, and most functions save only a few words */
    TOO_MANY_INSNS = 4000000, /* would take too long to compile */
    MOST_COUNT = 1 << 30      /* sizes and copies saturate here */
};

struct call_list { /* a named CY_VEC */
    uint32_t *at;
    size_t count, capacity;
};

struct node {
    LLVMValueRef function;
    struct call_list calls; /* callee nodes, one per call */
    uint64_t own, size;     /* instructions; and with everything inlined into it */
    uint64_t copies;        /* in the current root */
    unsigned nested;        /* depth of calls, including its own */
    bool is_kernel, stays;
    uint8_t state;
};

struct graph {
    struct cc_program *program;
    CY_VEC(struct node) nodes;
    CY_VEC(uint32_t) order; /* callees first */
    const char *name;
    struct cy_diags *diags;
};

static const LLVMAttributeIndex on_function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
static const char mark[] = "cy-call"; /* marks a function that stays one */

static unsigned kind(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static bool has(LLVMValueRef function, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(function, on_function, kind(name));
}

static void add(struct graph *g, LLVMValueRef function, const char *name)
{
    LLVMAddAttributeAtIndex(function, on_function, LLVMCreateEnumAttribute(g->program->context, kind(name), 0));
}

static uint32_t node_of(const struct graph *g, LLVMValueRef function)
{
    for (uint32_t i = 0; i < g->nodes.count; i++)
        if (g->nodes.at[i].function == function)
            return i;
    return UINT32_MAX;
}

/* The callee of a direct call; NULL: something else. */
static LLVMValueRef callee_of(LLVMValueRef insn)
{
    LLVMValueRef callee = LLVMIsACallInst(insn) ? LLVMGetCalledValue(insn) : NULL;
    return callee && LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee) ? callee : NULL;
}

static void build(struct graph *g)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(g->program->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            *cy_vec_push(&g->nodes) =
                (struct node){.function = f, .is_kernel = LLVMGetFunctionCallConv(f) == CC_SPIR_KERNEL};
    for (size_t i = 0; i < g->nodes.count; i++)
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(g->nodes.at[i].function); block;
             block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef insn = LLVMGetFirstInstruction(block); insn; insn = LLVMGetNextInstruction(insn)) {
                LLVMValueRef callee = callee_of(insn);
                g->nodes.at[i].own++;
                if (callee)
                    *cy_vec_push(&g->nodes.at[i].calls) = node_of(g, callee);
            }
}

/* ---- recursion, topological order ---- */

enum { UNSEEN, OPEN, DONE };

static bool refuse(struct graph *g, LLVMValueRef function)
{
    size_t length;
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    struct cy_buf at = {0};
    cy_buf_puts(&at, g->name);
    if (subprogram)
        cy_buf_printf(&at, ":%u", LLVMDISubprogramGetLine(subprogram));
    cy_diag_file(g->diags, CY_ERROR, at.data, "'%s' calls itself: recursion is not allowed in OpenCL C",
                 LLVMGetValueName2(function, &length));
    cy_buf_free(&at);
    return false;
}

static bool visit(struct graph *g, uint32_t root)
{
    struct step {
        uint32_t node;
        size_t next;
    };
    CY_VEC(struct step) stack = {0};
    bool ok = true;
    *cy_vec_push(&stack) = (struct step){root, 0};
    g->nodes.at[root].state = OPEN;
    while (stack.count && ok) {
        struct step *top = &stack.at[stack.count - 1];
        struct node *node = &g->nodes.at[top->node];
        if (top->next == node->calls.count) {
            node->state = DONE;
            *cy_vec_push(&g->order) = top->node;
            stack.count--;
            continue;
        }
        struct node *callee = &g->nodes.at[node->calls.at[top->next++]];
        if (callee->state == OPEN) {
            ok = refuse(g, callee->function);
        } else if (callee->state == UNSEEN) {
            callee->state = OPEN;
            *cy_vec_push(&stack) = (struct step){(uint32_t)(callee - g->nodes.at), 0};
        }
    }
    cy_vec_free(&stack);
    return ok;
}

/* ---- sizes ---- */

static uint64_t limited(uint64_t n)
{
    return n < MOST_COUNT ? n : MOST_COUNT;
}

static void measure(struct graph *g)
{
    for (size_t i = 0; i < g->order.count; i++) {
        struct node *node = &g->nodes.at[g->order.at[i]];
        node->size = node->own;
        for (size_t c = 0; c < node->calls.count; c++)
            if (!g->nodes.at[node->calls.at[c]].stays)
                node->size = limited(node->size + g->nodes.at[node->calls.at[c]].size);
    }
}

/* Counts how often each function would be copied into `root`; returns the one whose copies cost most. */
static struct node *costliest(struct graph *g, struct node *root)
{
    struct node *worst = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < g->nodes.count; i++)
        g->nodes.at[i].copies = 0;
    root->copies = 1;
    for (size_t i = g->order.count; i-- > 0;) { /* callers first */
        struct node *node = &g->nodes.at[g->order.at[i]];
        for (size_t c = 0; node->copies && c < node->calls.count; c++) {
            struct node *callee = &g->nodes.at[node->calls.at[c]];
            if (!callee->stays)
                callee->copies = limited(callee->copies + node->copies);
        }
        if (node != root && !node->is_kernel && node->copies > 1 && node->size >= WORTH_A_CALL &&
            (node->copies - 1) * node->size > most) {
            most = (node->copies - 1) * node->size;
            worst = node;
        }
    }
    return worst;
}

static void keep_small(struct graph *g)
{
    for (bool changed = true; changed;) {
        changed = false;
        measure(g);
        for (size_t i = 0; i < g->order.count && !changed; i++) {
            struct node *root = &g->nodes.at[g->order.at[i]], *worst;
            if ((!root->is_kernel && !root->stays) || root->size <= MOST_INSNS || !(worst = costliest(g, root)))
                continue;
            worst->stays = changed = true;
        }
    }
}

/* Where calls would be nested too deeply, the outer ones are inlined. */
static void keep_shallow(struct graph *g)
{
    for (size_t i = 0; i < g->order.count; i++) {
        struct node *node = &g->nodes.at[g->order.at[i]];
        unsigned below = 0;
        for (size_t c = 0; c < node->calls.count; c++)
            if (g->nodes.at[node->calls.at[c]].nested > below)
                below = g->nodes.at[node->calls.at[c]].nested;
        node->stays &= below < MOST_NESTED;
        node->nested = below + node->stays;
    }
}

static bool is_sensible(struct graph *g)
{
    measure(g);
    for (size_t i = 0; i < g->nodes.count; i++) {
        const struct node *node = &g->nodes.at[i];
        if ((node->is_kernel || node->stays) && node->size > TOO_MANY_INSNS) {
            size_t length;
            cy_diag_file(
                g->diags, CY_ERROR, g->name,
                "'%s' is too big: calls are nested more than %u deep, and inlining them would give %llu instructions",
                LLVMGetValueName2(node->function, &length), (unsigned)MOST_NESTED, (unsigned long long)node->size);
            return false;
        }
    }
    return true;
}

/* ---- applying the plan ---- */

/* Makes the caller's copy of a byval struct explicit: LLVM leaves it implicit in the call. */
static void copy_structs(struct graph *g, LLVMBuilderRef builder, LLVMTargetDataRef layout, LLVMValueRef call)
{
    LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMAttributeRef byval = LLVMGetCallSiteEnumAttribute(call, i + 1, kind("byval"));
        if (!byval)
            continue;
        LLVMTypeRef type = LLVMGetTypeAttributeValue(byval);
        unsigned align = LLVMABIAlignmentOfType(layout, type);
        LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(caller)));
        LLVMValueRef copy = LLVMBuildAlloca(builder, type, "");
        LLVMPositionBuilderBefore(builder, call);
        LLVMBuildMemCpy(builder, copy, align, LLVMGetOperand(call, i), align,
                        LLVMConstInt(LLVMInt32TypeInContext(g->program->context), LLVMABISizeOfType(layout, type), 0));
        LLVMSetOperand(call, i, copy);
        LLVMRemoveCallSiteEnumAttribute(call, i + 1, kind("byval"));
    }
}

static void keep(struct graph *g, struct node *node)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(g->program->context);
    LLVMTargetDataRef layout = LLVMCreateTargetData(LLVMGetDataLayoutStr(g->program->module));
    for (LLVMUseRef use = LLVMGetFirstUse(node->function); use; use = LLVMGetNextUse(use))
        if (LLVMIsACallInst(LLVMGetUser(use)))
            copy_structs(g, builder, layout, LLVMGetUser(use));
    for (unsigned i = 0; i < LLVMCountParams(node->function); i++)
        LLVMRemoveEnumAttributeAtIndex(node->function, i + 1, kind("byval"));
    add(g, node->function, "noinline");
    LLVMAddAttributeAtIndex(node->function, on_function,
                            LLVMCreateStringAttribute(g->program->context, mark, sizeof(mark) - 1, "", 0));
    LLVMDisposeTargetData(layout);
    LLVMDisposeBuilder(builder);
}

static bool is_marked(LLVMValueRef function)
{
    return LLVMGetStringAttributeAtIndex(function, on_function, mark, sizeof(mark) - 1);
}

/* Library functions are linkonce_odr.  Some of them are written to be called. */
static bool is_wanted(const struct graph *g, LLVMValueRef function)
{
    size_t length;
    if (!strncmp(LLVMGetValueName2(function, &length), "__cy_call_", 10))
        return true;
    bool is_users = LLVMGetLinkage(function) != LLVMLinkOnceODRLinkage && !has(function, "alwaysinline");
    return is_marked(function) || (is_users && (has(function, "noinline") || g->program->as_written));
}

bool cc_plan_inlining(struct cc_program *program, const char *name, struct cy_diags *diags)
{
    static const char *const unwanted[] = {"noinline", "optnone", "alwaysinline"};
    struct graph g = {.program = program, .name = name, .diags = diags};
    bool ok = true;
    build(&g);
    for (uint32_t i = 0; i < g.nodes.count && ok; i++)
        ok = g.nodes.at[i].state == DONE || visit(&g, i);
    for (size_t i = 0; i < g.nodes.count; i++)
        g.nodes.at[i].stays = !g.nodes.at[i].is_kernel && is_wanted(&g, g.nodes.at[i].function);
    if (ok) {
        keep_small(&g);
        keep_shallow(&g);
        ok = is_sensible(&g);
    }
    for (size_t i = 0; i < g.nodes.count && ok; i++) {
        LLVMValueRef function = g.nodes.at[i].function;
        for (size_t u = 0; u < CY_COUNT(unwanted); u++)
            LLVMRemoveEnumAttributeAtIndex(function, on_function, kind(unwanted[u]));
        if (g.nodes.at[i].stays)
            keep(&g, &g.nodes.at[i]);
        else if (!g.nodes.at[i].is_kernel || LLVMGetFirstUse(function)) /* a kernel can be called too */
            add(&g, function, "alwaysinline");
        if (!g.nodes.at[i].is_kernel)
            LLVMSetLinkage(function, LLVMInternalLinkage);
    }
    for (size_t i = 0; i < g.nodes.count; i++)
        cy_vec_free(&g.nodes.at[i].calls);
    cy_vec_free(&g.nodes);
    cy_vec_free(&g.order);
    return ok;
}
