/* The code that a launch can reach: instructions, and pieces of straight code between them.
 *
 * A piece begins where something jumps to.  These places are known before anything is followed, but for jumps through registers: where
 * such a jump leads elsewhere, everything begins again with one more. */
#include "jit/import/import_priv.h"

#include <string.h>

uint32_t word_at(const struct importer *im, uint32_t pc)
{
    const uint32_t offset = pc - im->request->code_base;
    return offset & 3 || offset / 4 >= im->count ? NONE : offset / 4;
}

bool decode(struct importer *im, uint32_t at)
{
    struct inst *inst = &im->insts[at];
    if (inst->is_decoded)
        return true;
    const enum cy_target target = (enum cy_target)im->request->target;
    if (cy_decode(target, im->words + at, im->count - at, &inst->insn) != CY_DECODE_OK)
        return import_cannot(im, "no instruction at 0x%x", pc_of(im, at));
    cy_effects(target, &inst->insn, &inst->effects);
    inst->is_decoded = true;
    return true;
}

bool ends_piece(const struct inst *inst)
{
    const struct cy_effects *effects = &inst->effects;
    return effects->flow == CY_FLOW_BRANCH || effects->flow == CY_FLOW_JUMP || effects->flow == CY_FLOW_INDIRECT ||
           effects->flow == CY_FLOW_VECTOR_BRANCH || effects->flow == CY_FLOW_END || inst->insn.op == CY_OP_INVALID ||
           effects->csr == CY_CSR_UNIMP;
}

/* ---- where pieces begin ---- */

static void mark(struct importer *im, uint32_t at)
{
    if (at < im->count)
        im->is_leader[at] = true;
}

/* Words that look like jumps; that some are data, or behind a prefix, does not matter. */
static void find_leaders(struct importer *im)
{
    uint32_t entry;
    for (uint32_t i = 0; i < im->count; i++) {
        struct cy_insn insn;
        if (!cy_decode_word((enum cy_target)im->request->target, im->words[i], &insn))
            continue;
        const enum cy_format format = cy_insns[insn.op].format;
        const int32_t distance = cy_insn_field(&insn, CY_FIELD_boff, cy_insn_field(&insn, CY_FIELD_joff, 0));
        if (format == CY_FORMAT_JOIN)
            mark(im, i);
        if (distance)
            mark(im, word_at(im, pc_of(im, i) + (uint32_t)distance));
        if (distance || format == CY_FORMAT_JALR)
            mark(im, i + 1);
    }
    mark(im, word_at(im, im->request->start));
    if (known_metadata(im->request, 0, &entry))
        mark(im, word_at(im, entry));
}

/* ---- pieces ---- */

static uint32_t *place_of(struct importer *im, uint32_t context, uint32_t first)
{
    const uint32_t mask = im->piece_table_size - 1;
    uint32_t at = (context * 0x9e3779b1u + first * 0x85ebca6bu) & mask;
    for (;; at = (at + 1) & mask) {
        const uint32_t found = im->piece_table[at];
        if (found == NONE || (im->pieces.at[found]->context == context && im->pieces.at[found]->first == first))
            return &im->piece_table[at];
    }
}

static void grow_table(struct importer *im)
{
    im->piece_table_size = im->piece_table_size ? 2 * im->piece_table_size : 1024;
    im->piece_table = cy_arena_alloc(&im->arena, im->piece_table_size * sizeof(*im->piece_table));
    memset(im->piece_table, 0xff, im->piece_table_size * sizeof(*im->piece_table));
    for (uint32_t i = 0; i < im->pieces.count; i++)
        *place_of(im, im->pieces.at[i]->context, im->pieces.at[i]->first) = i;
}

static uint32_t piece_at(struct importer *im, uint32_t context, uint32_t first)
{
    if (2 * im->pieces.count >= im->piece_table_size)
        grow_table(im);
    uint32_t *place = place_of(im, context, first);
    if (*place != NONE)
        return *place;
    struct piece *piece = CY_NEW(&im->arena, struct piece);
    *piece = (struct piece){.number = (uint32_t)im->pieces.count,
                            .context = context,
                            .first = first,
                            .last = NONE,
                            .next = NONE,
                            .target = NONE,
                            .join = NONE,
                            .store = NONE,
                            .block = NONE};
    *place = (uint32_t)im->pieces.count;
    *cy_vec_push(&im->pieces) = piece;
    return *place;
}

static void wait_for(struct importer *im, uint32_t piece, const struct facts *facts)
{
    if (merge_facts(&im->pieces.at[piece]->in, facts))
        *cy_vec_push(&im->work) = piece;
}

uint32_t reach(struct importer *im, uint32_t context, uint32_t at, const struct facts *facts)
{
    if (at >= im->count) {
        import_cannot(im, "code runs out of its segment");
        return NONE;
    }
    if (!im->is_leader[at]) {
        im->is_leader[at] = im->begins_again = true;
        return NONE;
    }
    const uint32_t number = piece_at(im, context, at);
    struct piece *piece = im->pieces.at[number];
    const bool is_new = piece->arrival.rpc.is == UNSEEN;
    if (merge_facts(&piece->arrival, facts) || is_new) {
        for (size_t i = 0; i < piece->resumes.count; i++)
            wait_for(im, piece->resumes.at[i], &piece->arrival);
        if (merge_facts(&piece->in, &piece->arrival) || is_new)
            *cy_vec_push(&im->work) = number;
    }
    return number;
}

/* Lanes wait in the piece until others arrive at the join, and go on with what these leave in the warp's state. */
static void resume_after(struct importer *im, uint32_t join, uint32_t piece)
{
    struct piece *at = im->pieces.at[join];
    for (size_t i = 0; i < at->resumes.count; i++)
        if (at->resumes.at[i] == piece)
            return;
    *cy_vec_push(&at->resumes) = piece;
    if (at->arrival.rpc.is != UNSEEN)
        wait_for(im, piece, &at->arrival);
}

/* ---- the end of a piece ---- */

/* Whether a scalar branch is taken, of those that compare for equality. */
static bool is_decided(const struct inst *inst, const struct facts *facts, bool *is_taken)
{
    const struct constant a = facts->x[cy_insn_field(&inst->insn, CY_FIELD_rs1, 0)],
                          b = facts->x[cy_insn_field(&inst->insn, CY_FIELD_rs2, 0)];
    const enum cy_op op = inst->insn.op;
    const bool is_plain = !inst->effects.is_wide && !inst->effects.abs && !inst->effects.neg;
    *is_taken = (a.value == b.value) == (op == CY_OP_beq);
    return is_plain && (op == CY_OP_beq || op == CY_OP_bne) && a.is == KNOWN && b.is == KNOWN;
}

static bool leave_by_branch(struct importer *im, struct piece *piece, const struct facts *out)
{
    const struct inst *inst = inst_at(im, piece->last);
    const uint32_t target = word_at(im, cy_effects_target(&inst->effects, &inst->insn, pc_of(im, piece->last)));
    bool is_taken = true;
    const bool is_decided_now = inst->effects.flow == CY_FLOW_BRANCH && is_decided(inst, out, &is_taken);
    piece->next = piece->target = NONE;
    if (!is_decided_now || !is_taken)
        piece->next = reach(im, piece->context, after(im, piece->last), out);
    if (!is_decided_now || is_taken)
        piece->target = reach(im, piece->context, target, out);
    return !im->has_failed && !im->begins_again;
}

static bool leave_by_vector_branch(struct importer *im, struct piece *piece, const struct facts *out)
{
    const uint32_t join = out->rpc.is == KNOWN ? word_at(im, out->rpc.value) : NONE;
    if (!leave_by_branch(im, piece, out))
        return false;
    piece->join = NONE;
    if (join == NONE || !decode(im, join) || im->insts[join].effects.flow != CY_FLOW_JOIN)
        return !im->has_failed; /* found later, by where the sides meet */
    if (!im->is_leader[join])
        return reach(im, piece->context, join, out) != NONE;
    const uint32_t next = piece->next, target = piece->target;
    piece->join = piece_at(im, piece->context, join);
    resume_after(im, piece->join, next);
    resume_after(im, piece->join, target);
    return true;
}

static bool leave_by_jump(struct importer *im, struct piece *piece, uint32_t target, const struct facts *out)
{
    const struct inst *inst = inst_at(im, piece->last);
    uint32_t context = piece->context;
    if (target == NONE)
        return import_cannot(im, "a jump out of the code");
    if (inst->effects.is_call)
        context = context_of_call(im, piece->context, target, after(im, piece->last));
    if (context == NONE)
        return false;
    piece->target = reach(im, context, target, out);
    return piece->target != NONE;
}

static bool leave(struct importer *im, struct piece *piece, const struct facts *in, const struct facts *out)
{
    const struct inst *inst = inst_at(im, piece->last);
    const struct cy_operand *base = cy_effects_operand(&inst->effects, CY_ROLE_BASE);
    if (!ends_piece(inst)) {
        piece->next = reach(im, piece->context, after(im, piece->last), out);
        return piece->next != NONE;
    }
    switch ((enum cy_flow_kind)inst->effects.flow) {
    case CY_FLOW_BRANCH: return leave_by_branch(im, piece, out);
    case CY_FLOW_VECTOR_BRANCH: return leave_by_vector_branch(im, piece, out);
    case CY_FLOW_JUMP: {
        const uint32_t pc = cy_effects_target(&inst->effects, &inst->insn, pc_of(im, piece->last));
        return leave_by_jump(im, piece, word_at(im, pc), out);
    }
    case CY_FLOW_INDIRECT: {
        const struct constant to = plus(in->x[base->value], (uint32_t)cy_insn_field(&inst->insn, CY_FIELD_imm12, 0));
        const bool leaves = !inst->effects.is_call && leave_by_return(im, piece, out);
        if (leaves || im->has_failed || im->begins_again)
            return leaves;
        return to.is == KNOWN ? leave_by_jump(im, piece, word_at(im, to.value & ~1u), out)
                              : import_cannot(im, "an indirect jump");
    }
    default: return true; /* the end, or a trap */
    }
}

/* ---- following ---- */

static bool follow_piece(struct importer *im, struct piece *piece)
{
    struct facts before = piece->in, facts = before;
    for (uint32_t at = piece->first;; at = after(im, at)) {
        if (at >= im->count)
            return import_cannot(im, "code runs out of its segment");
        if (!decode(im, at))
            return false;
        im->reached += piece->last == NONE;
        before = facts;
        follow_facts(im, at, &facts);
        const uint32_t next = after(im, at);
        if (!ends_piece(inst_at(im, at)) && !(next < im->count && im->is_leader[next]))
            continue;
        piece->last = at;
        return may_grow(im) && leave(im, piece, &before, &facts);
    }
}

static void forget(struct importer *im)
{
    for (size_t i = 0; i < im->pieces.count; i++) {
        cy_vec_free(&im->pieces.at[i]->returns);
        cy_vec_free(&im->pieces.at[i]->resumes);
    }
    im->pieces.count = im->contexts.count = im->work.count = im->sites.count = 0;
    im->piece_table_size = im->reached = 0;
    im->begins_again = false;
}

static bool follow_all(struct importer *im)
{
    const struct facts start = facts_at_start();
    *cy_vec_push(&im->contexts) = (struct context){NONE, NONE, NONE};
    if (reach(im, 0, word_at(im, im->request->start), &start) == NONE)
        return false;
    while (im->work.count) {
        struct piece *piece = im->pieces.at[im->work.at[--im->work.count]];
        if (!follow_piece(im, piece))
            return false;
    }
    return true;
}

bool decode_all(struct importer *im)
{
    im->insts = cy_arena_alloc(&im->arena, ((size_t)im->count + 1) * sizeof(*im->insts));
    im->is_leader = cy_arena_alloc(&im->arena, (size_t)im->count + 1);
    if (word_at(im, im->request->start) == NONE)
        return import_cannot(im, "a start outside the code");
    find_leaders(im);
    while (!follow_all(im)) {
        if (!im->begins_again)
            return false;
        forget(im);
    }
    return true;
}
