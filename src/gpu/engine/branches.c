/* Kernels in which lanes part often: what a profile samples. */
#include "base/mem.h"
#include "gpu/engine/engine_priv.h"

struct walk {
    const struct cy_code *code;
    uint32_t count;    /* words */
    uint32_t *pending; /* words to go on from */
    uint32_t pending_count;
    uint32_t *branches; /* by word: where a vector branch leads to, plus 1; 0: it is none */
    uint32_t *back;     /* by word: the one that a loop goes back to from here, plus 1; 0: none */
    bool *reached;      /* by word */
};

static void reach(struct walk *walk, uint32_t at)
{
    if (at >= walk->count || walk->reached[at])
        return;
    walk->reached[at] = true;
    walk->pending[walk->pending_count++] = at;
}

static void step(struct walk *walk, uint32_t at)
{
    const struct cy_insn *insn = &walk->code->insns[at];
    const enum cy_format format = cy_insns[insn->op].format;
    const uint32_t own = at + insn->size / 4 - 1; /* after its prefix */
    const bool is_branch = format == CY_FORMAT_BRANCH || format == CY_FORMAT_VB, is_jump = format == CY_FORMAT_JAL;
    const bool returns = cy_insn_field(insn, CY_FIELD_rd, 0) != 0; /* from a call */
    if (is_branch || is_jump) {
        const int32_t offset = cy_insn_field(insn, is_jump ? CY_FIELD_joff : CY_FIELD_boff, 0);
        const uint32_t target = own + (uint32_t)(offset / 4);
        reach(walk, target);
        if (target <= at && !(is_jump && returns))
            walk->back[at] = target + 1;
        walk->branches[at] = format == CY_FORMAT_VB ? target + 1 : 0;
    }
    if (format != CY_FORMAT_ENDPRG && !((is_jump || format == CY_FORMAT_JALR) && !returns))
        reach(walk, own + 1);
}

/* Of a word of its own for each lane. */
static bool is_load(const struct walk *walk, uint32_t at)
{
    const struct cy_insn_info *row = &cy_insns[walk->code->insns[at].op];
    return walk->reached[at] && row->flags & CY_F_LOAD && row->sched != CY_SCHED_slsu;
}

/* Lanes that part in the loop and do not leave it, or part in several places, or load and leave it one after the other. */
static bool is_branchy_loop(const struct walk *walk, uint32_t first, uint32_t last)
{
    enum { SEVERAL = 2 };
    unsigned count = 0;
    bool loads = false;
    for (uint32_t i = first; i <= last; i++) {
        const uint32_t target = walk->branches[i] - 1;
        count += walk->branches[i] != 0;
        loads |= is_load(walk, i);
        if (count == SEVERAL || (count && loads) || (walk->branches[i] && target > i && target <= last))
            return true;
    }
    return false;
}

static bool is_branchy(struct walk *walk)
{
    enum { MANY = 10 };
    unsigned count = 0;
    bool is = false;
    while (walk->pending_count)
        step(walk, walk->pending[--walk->pending_count]);
    for (uint32_t i = 0; i < walk->count && !is; i++) {
        count += walk->branches[i] != 0;
        is = count == MANY || (walk->back[i] && is_branchy_loop(walk, walk->back[i] - 1, i));
    }
    return is;
}

bool cy_code_is_branchy(const struct cy_code *code, uint32_t entry)
{
    const size_t words = code->size / 4 + 1;
    uint32_t *room = cy_try_alloc(3 * words * sizeof(*room)); /* zeros */
    struct walk walk = {.code = code, .count = code->size / 4, .reached = cy_try_alloc(words)};
    bool is = false;
    if (room && walk.reached) {
        walk.pending = room;
        walk.branches = room + words;
        walk.back = room + 2 * words;
        reach(&walk, (entry - code->base) / 4);
        is = is_branchy(&walk);
    }
    cy_free(room);
    cy_free(walk.reached);
    return is;
}
