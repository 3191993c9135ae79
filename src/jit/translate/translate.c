#include "jit/translate/translate.h"

#include "jit/translate/translator.h"

#include <llvm-c/Analysis.h>
#include <string.h>

static bool open_request(struct translator *t, const void *bytes, size_t size)
{
    const struct cy_jit_request *request = bytes;
    if (size < sizeof(*request) || request->version != CY_JIT_VERSION ||
        request->frame_bytes != sizeof(struct cy_jit_frame) || request->code_bytes > size - sizeof(*request) ||
        request->code_bytes & 3)
        return cannot(t, "a request of a different version");
    const uint32_t strip = request->strip, threads = request->threads;
    const uint64_t items = (uint64_t)request->local[0] * request->local[1] * request->local[2];
    if (!strip || strip > CY_JIT_MAX_STRIP || threads & (threads - 1) || strip > threads || !items ||
        items > 1u << 20 || request->forms > CY_JIT_FORMS_256_GATHERS)
        return cannot(t, "an invalid shape");
    t->host = request->host == CY_JIT_X86_64 ? &host_x86 : request->host == CY_JIT_AARCH64 ? &host_aarch64 : NULL;
    if (!t->host || request->level >= t->host->level_count)
        return cannot(t, "an unknown host");
    t->level = &t->host->levels[request->level];
    t->forms = (enum cy_jit_forms)request->forms;
    if (t->attempt.gathers_much) {
        t->level = t->level->for_gathers;
        t->forms = CY_JIT_FORMS_256;
    }
    t->request = request;
    t->words = (const uint32_t *)(request + 1);
    t->lanes = strip;
    return true;
}

void open_llvm(struct translator *t)
{
    t->context = LLVMContextCreate();
    t->module = LLVMModuleCreateWithNameInContext("guest", t->context);
    t->builder = LLVMCreateBuilderInContext(t->context);
    t->allocas = LLVMCreateBuilderInContext(t->context);
    t->i1 = LLVMInt1TypeInContext(t->context);
    t->i8 = LLVMInt8TypeInContext(t->context);
    t->i16 = LLVMInt16TypeInContext(t->context);
    t->i32 = LLVMInt32TypeInContext(t->context);
    t->i64 = LLVMInt64TypeInContext(t->context);
    t->f32 = LLVMFloatTypeInContext(t->context);
    t->ptr = LLVMPointerTypeInContext(t->context, 0);
    t->vi1 = LLVMVectorType(t->i1, t->w);
    t->vi32 = LLVMVectorType(t->i32, t->w);
    t->f64 = LLVMDoubleTypeInContext(t->context);
    t->vf64 = LLVMVectorType(t->f64, t->w);
    t->vi64 = LLVMVectorType(t->i64, t->w);
    t->vf32 = LLVMVectorType(t->f32, t->w);
    t->vptr = LLVMVectorType(t->ptr, t->w);
}

unsigned vector_registers(const struct translator *t)
{
    const unsigned by_forms[] = {t->host->registers_of_128, 16, 32, 32};
    return by_forms[t->forms];
}

static unsigned register_total(const struct regs *live, const struct regs *among)
{
    unsigned total = 0;
    for (unsigned k = 0; k < 4; k++)
        total += (unsigned)__builtin_popcountll(live->v[k] & among->v[k]);
    return total;
}

/* The most vGPRs that are live in a loop without others inside, of those that it uses: what it does not use is saved and restored once. */
static unsigned most_in_loops(struct translator *t)
{
    uint32_t *inner =
        cy_arena_alloc(&t->arena, t->count * sizeof(*inner)); /* the length of the shortest loop around it */
    unsigned most = 0;
    memset(inner, 0xff, t->count * sizeof(*inner));
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < t->count; i++) {
            const uint32_t target = t->insts[i].reachable ? t->insts[i].target : NONE, length = i - target;
            struct regs used = {0};
            if (target > i)
                continue;
            for (uint32_t k = target; k <= i; k++) {
                inner[k] = length < inner[k] ? length : inner[k];
                unite(&used, &t->insts[k].uses);
                unite(&used, &t->insts[k].defs);
            }
            for (uint32_t k = target; k <= i && pass; k++) {
                const unsigned total = register_total(&t->insts[k].live, &used);
                most = t->insts[k].reachable && inner[k] == length && total > most ? total : most;
            }
        }
    return most;
}

/* Do the vGPRs that are live at once take several times the host's vector registers?  Not all of them hold vectors. */
static bool has_too_many_values(struct translator *t, unsigned lanes)
{
    enum { PART_OF_ACCESSES = 5, PART_OF_BRANCHES = 20 };
    const unsigned width = register_bits(t) / 32, registers = vector_registers(t);
    unsigned most = 0, count = 0, accesses = 0, branches = 0;
    bool loops = false;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *inst = &t->insts[i];
        loops |= t->looping[i];
        if (!inst->reachable)
            continue;
        const unsigned live = register_total(&inst->live, &inst->live);
        most = live > most ? live : most;
        accesses += is_access(inst) ? inst->words : 0;
        branches += is_vector_branch(inst);
        count++;
    }
    const bool are_many = most * (lanes / width) * 2 >= registers * (loops ? 5 : 4);
    if (!are_many || t->forms != CY_JIT_FORMS_256)
        return are_many;
    /* there, two strips at once are faster, and branches are predicted wrongly half as often, unless code mostly moves values */
    if (!loops)
        return accesses * PART_OF_ACCESSES >= count;
    return most_in_loops(t) * (lanes / width) * 2 >= registers * 5 && branches * PART_OF_BRANCHES < count;
}

/* LLVM's time grows faster than linearly with the code: strips of long kernels are no wider than a register, which costs no more than
 * narrower ones unless there are very many accesses, each of which is code for several forms.  Strips whose values the host's
 * registers cannot hold are narrower, too. */
static bool choose_width(struct translator *t)
{
    enum {
        SHORT = 40,
        FAIRLY_SHORT = 64,
        MEDIUM = 250,
        LONG = 500,
        VERY_LONG = 1500,
        MANY_ACCESSES = 800,
        LONG_WITH_MANY = 9000,
        TOO_LONG = 30000,
        TOO_MANY = 2000000
    };
    uint32_t count = 0, accesses = 0;
    bool has_warp_barrier = false;
    for (uint32_t i = 0; i < t->count; i++) {
        count += t->insts[i].reachable;
        accesses += t->insts[i].reachable && is_access(&t->insts[i]);
        has_warp_barrier |= t->insts[i].reachable && t->insts[i].insn.op == CY_OP_barriersub;
    }
    const bool has_many = accesses > MANY_ACCESSES;
    if (count > (has_many ? LONG_WITH_MANY : TOO_LONG))
        return cannot(t, "a kernel of %u instructions, %u of them loads and stores", count, accesses);
    size_t branches = 0;
    for (uint32_t i = 0; i < t->count; i++)
        branches += t->insts[i].reachable && is_vector_branch(&t->insts[i]);
    if (branches * (t->joins.count + t->pendings.count) > TOO_MANY)
        return cannot(t, "%zu vector branches", branches);
    const uint32_t threads = t->request->threads, *local = t->request->local;
    t->items = t->row = local[0] * local[1] * local[2];
    t->may_exchange = t->in_lockstep || has_warp_barrier;
    t->in_lockstep |= has_warp_barrier || (t->request->counts && t->items > 1);
    if (t->in_lockstep && (threads < 2 || threads > CY_JIT_MAX_STRIP))
        return cannot(t, "warps of %u work-items in lockstep", threads);
    if (t->in_lockstep) {
        const bool is_one_warp = t->items < threads && !(t->items & (t->items - 1)) && !t->may_exchange;
        t->lanes = t->w = is_one_warp ? t->items : threads; /* more would never be active */
        t->all_whole = t->request->whole && t->items % t->lanes == 0;
        t->is_long = count > (t->may_exchange ? MEDIUM : LONG); /* where that is only counted, plain code is not */
        return meets_as_interpreted(t);
    }
    const bool is_single = t->attempt.by_item || t->request->counts;
    t->is_short = count <= FAIRLY_SHORT && t->lanes > 1 && !is_single;
    const bool is_fixed = t->request->is_fixed;
    if (!is_fixed && (count <= SHORT || t->attempt.is_doubled) && threads >= CY_JIT_MAX_STRIP &&
        local[0] % CY_JIT_MAX_STRIP == 0)
        t->lanes = CY_JIT_MAX_STRIP; /* next to nothing per lane: the strips' own cost counts */
    if (is_single)
        t->lanes = 1;
    const unsigned strip = t->lanes;
    const bool is_narrow = count > LONG || (strip > 8 && has_too_many_values(t, strip));
    /* generation 2's live registers are addresses, too, of two words each: strips of four were slower there */
    const bool is_very_narrow =
        register_bits(t) == 128 && t->request->target == CY_GEN1 && strip > 4 && has_too_many_values(t, 8);
    const unsigned whole = register_bits(t) / 32;
    const unsigned most = is_fixed                                            ? CY_JIT_MAX_STRIP
                          : is_very_narrow || (count > VERY_LONG && has_many) ? 4
                          : count > VERY_LONG                                 ? whole
                          : is_narrow                                         ? (whole > 8 ? whole : 8)
                                                                              : CY_JIT_MAX_STRIP;
    const bool may_straddle = !t->interpreted && may_straddle_warps(t);
    t->lanes = strip < most ? strip : most;
    while (strip % t->lanes || (threads % t->lanes && !may_straddle))
        t->lanes--;
    const uint32_t row = cy_jit_row(local);
    if (row > t->lanes && row % t->lanes) { /* strips would straddle rows */
        if (may_straddle && t->lanes < threads)
            t->row = row;
        while (t->row != row && t->lanes > 4)
            t->lanes /= 2;
    }
    for (t->w = 2; t->w < t->lanes;)
        t->w *= 2;
    t->all_whole = t->request->whole && t->row % t->lanes == 0;
    return true;
}

static bool verify_module(struct translator *t)
{
#ifdef CY_JIT_VERIFY
    char *message = NULL;
    if (LLVMVerifyModule(t->module, LLVMReturnStatusAction, &message))
        cannot(t, "invalid IR: %s", message);
    LLVMDisposeMessage(message);
#endif
    return !t->failed;
}

/* The pipeline up to LLVM's. */
static bool translate(struct translator *t, const void *request, size_t size)
{
    if (!open_request(t, request, size))
        return false;
    if (t->request->uses_sir)
        return translate_by_sir(t, size) && verify_module(t);
    if (!find_code(t))
        return false;
    find_loops(t);
    if (!choose_width(t))
        return false;
    open_llvm(t);
    if (!group_accesses(t) || !build_function(t))
        return false;
    return verify_module(t);
}

static void close(struct translator *t)
{
    if (t->context) {
        LLVMDisposeBuilder(t->builder);
        LLVMDisposeBuilder(t->allocas);
        LLVMDisposeModule(t->module);
        LLVMContextDispose(t->context);
    }
    cy_vec_free(&t->returns);
    cy_vec_free(&t->blocks);
    cy_vec_free(&t->pendings);
    cy_vec_free(&t->joins);
    cy_vec_free(&t->accesses);
    cy_vec_free(&t->groups);
    cy_vec_free(&t->tallies);
    cy_vec_free(&t->counted_at);
    cy_vec_free(&t->work);
    cy_vec_free(&t->detours);
    cy_vec_free(&t->earlies);
    cy_vec_free(&t->claims);
    cy_vec_free(&t->tables);
    cy_arena_free(&t->arena);
}

static struct translator *new_translator(struct cy_buf *why)
{
    struct translator *t = cy_xrealloc(NULL, sizeof(*t)); /* too large for the stack of a thread */
    memset(t, 0, sizeof(*t));
    t->why = why;
    return t;
}

/* An attempt that fails may have found out how the next one succeeds, or makes better code. */
static struct translator *open_translator(const void *request, size_t size, bool wants_lines, struct cy_buf *why,
                                          bool *ok)
{
    struct translator *t = new_translator(why);
    t->wants_lines = wants_lines;
    struct attempt before = {0};
    *ok = translate(t, request, size);
    while (!*ok && memcmp(&t->attempt, &before, sizeof(before)) != 0) {
        before = t->attempt;
        close(t);
        memset(t, 0, sizeof(*t));
        cy_buf_free(why);
        t->why = why;
        t->wants_lines = wants_lines;
        t->attempt = before;
        *ok = translate(t, request, size);
    }
    return t;
}

bool cy_jit_translate(const struct cy_jit_facts *facts, const void *request, size_t size, struct cy_buf *image,
                      struct cy_buf *why)
{
    bool ok;
    struct translator *t = open_translator(request, size, false, why, &ok);
    t->facts = facts;
    ok = ok && make_image(t, image);
    close(t);
    cy_free(t);
    return ok;
}

bool cy_jit_print_ir(const void *request, size_t size, bool optimised, struct cy_buf *text, struct cy_buf *why)
{
    bool ok;
    struct translator *t = open_translator(request, size, false, why, &ok);
    if (ok && optimised) {
        LLVMTargetMachineRef machine = make_machine(t);
        ok = machine && optimise(t, machine);
        LLVMDisposeTargetMachine(machine);
    }
    if (ok) {
        char *printed = LLVMPrintModuleToString(t->module);
        cy_buf_puts(text, printed);
        LLVMDisposeMessage(printed);
    }
    close(t);
    cy_free(t);
    return ok;
}

bool cy_jit_print_assembly(const void *request, size_t size, struct cy_buf *text, struct cy_buf *why)
{
    bool ok;
    struct translator *t = open_translator(request, size, true, why, &ok);
    ok = ok && make_assembly(t, text);
    close(t);
    cy_free(t);
    return ok;
}
