/* Loops that store a value until they find it there, by which programs count without atomic operations:
 *
 *     do { *p = v = tag | f(*p); } while (*p != v);
 *
 * In lockstep, of the lanes with the same word the highest one finds its value and leaves, then the next one: that is what happens,
 * too, if lanes go through the loop one after the other, the highest first, and each finds its value at once.  Stores are then forwarded to
 * loads, while a gather waits until what was scattered is written.  It is the same as long as no two lanes store the same value, of which
 * both would leave: their tags differ, in bits that f does not set.  A lane for which it does goes on in lockstep, with those that
 * follow it. */
#include "jit/translate/translator.h"

#include <string.h>

struct tagged_loop {
    uint32_t branch; /* instructions */
    uint32_t tagging;
    unsigned tag, rest; /* registers: operands of the latter */
    struct regs others; /* of f: the same in all lanes */
};

static bool is_word(const struct inst *inst)
{
    return is_access(inst) && !is_private(inst) && !inst->is_far && !inst->is_interpreted && inst->words == 1 &&
           access_size(inst) == 4;
}

static bool have_same_word(const struct inst *load, const struct inst *store)
{
    if (load->space != store->space || access_offset(load) != access_offset(store))
        return false;
    if (row_of(load)->format == CY_FORMAT_VLX)
        return row_of(store)->format == CY_FORMAT_VSX && field(load, CY_FIELD_vs2) == field(store, CY_FIELD_vs2) &&
               field(load, CY_FIELD_rs1) == field(store, CY_FIELD_rs1);
    return row_of(load)->format == CY_FORMAT_VL12 && row_of(store)->format == CY_FORMAT_VS12 &&
           field(load, CY_FIELD_vs1) == field(store, CY_FIELD_vs1);
}

/* load, f, the tag, store, load, branch: *loop. */
static bool is_tagged_loop(const struct translator *t, const struct inst *branch, struct tagged_loop *loop)
{
    enum { MOST = 16 };
    const struct inst *first = &t->insts[branch->target], *store = NULL, *last = NULL, *tagging = NULL;
    const unsigned a = (unsigned)field(branch, CY_FIELD_vs1), b = (unsigned)field(branch, CY_FIELD_vs2);
    struct regs own = first->defs, others = {0}; /* computed in the loop; not computed there */
    if (branch->insn.op != CY_OP_vbne || branch->next != branch->rpc || !first->is_leader || !is_word(first) ||
        row_of(first)->flags & CY_F_STORE || cy_insn_field(&first->insn, CY_FIELD_vm, 1) == 0)
        return false;
    const struct inst *inst = first;
    for (unsigned i = 0; i < MOST && (inst = &t->insts[inst->next]) != branch; i++) {
        const bool is_tag = inst->insn.op == CY_OP_vor_vv && !inst->pairs && !inst->abs && !inst->neg;
        if (inst->is_leader || inst->defs.x || cy_insn_field(&inst->insn, CY_FIELD_vm, 1) == 0 || last)
            return false;
        if (is_word(inst) && row_of(inst)->flags & CY_F_STORE && !store && tagging && have_same_word(first, inst))
            store = inst;
        else if (is_word(inst) && store && have_same_word(inst, store))
            last = inst;
        else if (!is_passable(inst) || store || tagging || inst->is_wide)
            return false;
        else if (is_tag && is_access(&t->insts[inst->next]))
            tagging = inst;
        else {
            struct regs from = inst->uses;
            for (unsigned k = 0; k < 4; k++)
                from.v[k] &= ~own.v[k];
            unite(&others, &from);
        }
        unite(&own, &inst->defs);
    }
    if (inst != branch || !last)
        return false;
    const unsigned stored = (unsigned)field(tagging, CY_FIELD_vd), found = (unsigned)field(last, CY_FIELD_vd);
    const unsigned tag1 = (unsigned)field(tagging, CY_FIELD_vs1), tag2 = (unsigned)field(tagging, CY_FIELD_vs2);
    const bool is_first = !in_v(&own, tag1);
    *loop = (struct tagged_loop){.branch = (uint32_t)(branch - t->insts),
                                 .tagging = (uint32_t)(tagging - t->insts),
                                 .tag = is_first ? tag1 : tag2,
                                 .rest = is_first ? tag2 : tag1,
                                 .others = others};
    return !in_v(&own, loop->tag) && in_v(&own, loop->rest) && in_v(&store->uses, stored) && found != stored &&
           ((a == found && b == stored) || (a == stored && b == found)) && !regs_meet(&own, &first->live);
}

/* Instructions other than the branch that lead to the loop's first one, but by falling through, go on in lockstep. */
bool find_tagged_loops(struct translator *t)
{
    bool found = false;
    for (uint32_t i = 0; i < t->count && t->may_exchange && t->in_lockstep; i++) {
        struct inst *branch = &t->insts[i];
        struct tagged_loop loop;
        if (!branch->reachable || !is_vector_branch(branch) || branch->target == NONE ||
            !is_tagged_loop(t, branch, &loop))
            continue;
        struct tagged_loop *kept = cy_arena_alloc(&t->arena, sizeof(*kept));
        *kept = loop;
        branch->tagged = t->insts[branch->target].tagged = t->insts[loop.tagging].tagged = kept;
        for (uint32_t k = branch->target; k != i; k = t->insts[k].next)
            unite(&branch->changed, &t->insts[k].defs);
        found = true;
    }
    return found;
}

/* The bits in which tags of lanes differ; 0: not every two of them do, or that is not known. */
static uint32_t tag_bits(const struct translator *t, const struct class *class)
{
    uint32_t lanes[CY_JIT_MAX_STRIP], bits = 0;
    if (class->kind == AFFINE) {
        const uint32_t low = class->stride & -class->stride;
        const uint64_t numbers = low ? (1ull << 32) / low : 0; /* of multiples of the stride */
        return t->lanes <= numbers ? -low : 0;
    }
    if (!class->table)
        return 0;
    memcpy(lanes, t->tables.at[class->table - 1], t->lanes * sizeof(*lanes));
    for (unsigned i = 0; i < t->lanes; i++)
        for (unsigned k = 0; k < i; k++) {
            if (lanes[i] == lanes[k])
                return 0;
            bits |= lanes[i] ^ lanes[k];
        }
    return bits;
}

bool enter_tagged_loop(struct translator *t, uint32_t number)
{
    const struct tagged_loop *loop = t->insts[number].tagged;
    if (!loop || t->version == ALONE || t->insts[loop->branch].target != number)
        return false;
    const uint32_t bits = t->now.is_pair[loop->tag / 2] ? 0 : tag_bits(t, &t->now.v[loop->tag]);
    bool is_same = bits != 0;
    for (unsigned r = 0; r < 256; r++)
        is_same &= !in_v(&loop->others, r) || (!t->now.is_pair[r / 2] && t->now.v[r].kind == UNIFORM);
    if (!is_same)
        return false;
    LLVMValueRef lanes = NULL;
    if (t->emit) {
        LLVMBuildStore(t->builder, number32(t, bits), t->tag_bits);
        lanes = t->version == FULL ? strip_mask(t) : LLVMBuildLoad2(t->builder, t->vi32, t->mask, "");
    }
    lanes_alone(t, &t->insts[loop->branch], lanes, NULL);
    return true;
}

void check_tag(struct translator *t, const struct inst *inst)
{
    const struct tagged_loop *loop = inst->tagged;
    if (!t->emit || t->version != ALONE)
        return;
    LLVMBasicBlockRef differs = new_block(t, "differs"), clashes = new_block(t, "clashes");
    LLVMValueRef rest = read_v(t, loop->rest).scalar, bits = LLVMBuildLoad2(t->builder, t->i32, t->tag_bits, "");
    rest = LLVMBuildICmp(t->builder, LLVMIntNE, LLVMBuildAnd(t->builder, rest, bits, ""), number32(t, 0), "");
    make_rare(t, LLVMBuildCondBr(t->builder, rest, clashes, differs), true);
    LLVMPositionBuilderAtEnd(t->builder, clashes);
    lane_gives_up(t, t->insts[loop->branch].rpc);
    LLVMPositionBuilderAtEnd(t->builder, differs);
}
