/* Machine IR: building, operands, block order, printing. */
#include "cc/codegen/mir.h"

#include <assert.h>
#include <string.h>

mir_reg mir_new_reg(struct mir_func *func, enum mir_class class)
{
    uint32_t index = (uint32_t)func->vregs.count;
    *cy_vec_push(&func->vregs) =
        (struct mir_vreg){.class = (uint8_t) class, .physical = -1, .fixed = -1, .leader = index};
    return (mir_reg)(MIR_FIRST_VREG + index);
}

mir_reg mir_new_pair(struct mir_func *func, enum mir_class class)
{
    mir_reg low = mir_new_reg(func, class), high = mir_new_reg(func, class);
    func->vregs.at[mir_index(low)].half = MIR_LOW;
    func->vregs.at[mir_index(high)].half = MIR_HIGH;
    return low;
}

mir_reg mir_new_fixed(struct mir_func *func, enum mir_class class, unsigned number)
{
    mir_reg reg = mir_new_reg(func, class);
    func->vregs.at[mir_index(reg)].fixed = (int16_t)number;
    func->vregs.at[mir_index(reg)].is_temporary = true;
    return reg;
}

bool mir_is_caller_saved(mir_reg reg)
{
    if (reg >= MIR_V0)
        return reg < MIR_V0 + CY_CALL_VGPRS;
    bool is_reserved = reg == MIR_X0 || (reg >= MIR_SP && reg <= MIR_TP); /* gp too */
    bool is_saved = reg == CY_REG_S0 || reg == CY_REG_S1 || (reg >= CY_REG_S2 && reg <= CY_REG_S11);
    return !is_reserved && !is_saved;
}

uint32_t mir_new_block(struct mir_func *func, uint32_t loop_depth)
{
    *cy_vec_push(&func->blocks) = (struct mir_block){.loop_depth = loop_depth, .rpc = NONE};
    return (uint32_t)func->blocks.count - 1;
}

struct mir_insn mir_make(unsigned op, unsigned count, const int32_t *operands)
{
    struct mir_insn insn = {.op = (uint16_t)op, .operand_count = (uint8_t)count};
    for (unsigned i = 0; i < count; i++)
        insn.operand[i] = operands[i];
    if (op < CY_OP_COUNT) {
        enum cy_field fields[CY_MAX_OPERANDS];
        size_t all = cy_format_operands(cy_insns[op].format, fields);
        assert(count <= all && "more operands than the row has");
        for (size_t i = count; i < all; i++)
            insn.operand[i] = cy_operand_default(fields[i]);
        insn.operand_count = (uint8_t)all;
    }
    return insn;
}

struct mir_insn mir_make_wide(unsigned op, unsigned wide, unsigned count, const int32_t *operands)
{
    struct mir_insn row = mir_make(op, count, operands), insn = row;
    insn.wide = (uint8_t)wide;
    insn.prefix = CC_PREFIX_PAIRS;
    insn.operand_count = 0;
    for (unsigned i = 0; i < row.operand_count; i++) {
        assert(insn.operand_count + 1u < MIR_MAX_OPERANDS && "too many operands");
        insn.operand[insn.operand_count++] = row.operand[i];
        if (wide >> i & 1)
            insn.operand[insn.operand_count++] = row.operand[i] + 1;
    }
    return insn;
}

enum mir_half mir_half_of(const struct mir_insn *insn, unsigned index)
{
    const unsigned more = insn->words > 1 ? insn->words - 1u : 0; /* data operands beyond the first */
    if (index <= more && more)
        return MIR_WHOLE;
    index -= more;
    for (unsigned i = 0, at = 0; insn->wide >> i && at <= index; i++) {
        bool is_wide = insn->wide >> i & 1;
        if (is_wide && index - at < 2)
            return index == at ? MIR_LOW : MIR_HIGH;
        at += 1 + is_wide;
    }
    return MIR_WHOLE;
}

unsigned mir_roles(const struct mir_insn *insn, enum mir_role roles[MIR_MAX_OPERANDS])
{
    enum cy_field fields[CY_MAX_OPERANDS];
    for (unsigned i = 0; i < insn->operand_count; i++)
        roles[i] = MIR_IMM;
    switch (insn->op) {
    case MIR_COPY: roles[1] = MIR_USE; /* fall through */
    case MIR_LI:
    case MIR_LA:
    case MIR_LABEL:
    case MIR_FRAME:
    case MIR_SETRPC: roles[0] = MIR_DEF; return insn->operand_count;
    case MIR_SPILL: roles[1] = roles[2] = MIR_USE; return insn->operand_count;
    case MIR_RELOAD:
        roles[0] = MIR_DEF;
        roles[2] = MIR_USE;
        return insn->operand_count;
    case MIR_DEBUG:
    case MIR_ASM:
    case MIR_CALL: return insn->operand_count;
    case MIR_USES:
    case MIR_DEFS:
    case MIR_ASM_USES:
    case MIR_ASM_DEFS:
    case MIR_ASM_EARLY:
        for (unsigned i = 0; i < insn->operand_count; i++)
            roles[i] = insn->op == MIR_USES || insn->op == MIR_ASM_USES ? MIR_USE : MIR_DEF;
        return insn->operand_count;
    default: break;
    }
    const struct cy_insn_info *row = &cy_insns[insn->op];
    size_t count = cy_format_operands(row->format, fields);
    unsigned at = 0;
    for (size_t i = 0; i < count; i++, at++) {
        enum cy_field_kind kind = cy_fields[fields[i]].kind;
        if (kind != CY_XREG && kind != CY_VREG)
            continue;
        roles[at] = fields[i] == CY_FIELD_rd   ? MIR_DEF
                    : fields[i] == CY_FIELD_vd ? (row->flags & CY_F_ACC ? MIR_DEF_USE : MIR_DEF)
                                               : MIR_USE;
        if (insn->wide >> i & 1) {
            roles[at + 1] = roles[at];
            at++;
        }
        for (unsigned more = 1; i == 0 && more < insn->words; more++, at++)
            roles[at + 1] = roles[at];
    }
    return at;
}

uint32_t mir_position(const struct mir_block *block, size_t at)
{
    uint32_t count = 0;
    for (size_t k = 0; k < block->insns.count && k < at; k++)
        count += block->insns.at[k].op != MIR_DEBUG;
    return count;
}

void mir_insert(struct mir_block *block, size_t at, const struct mir_insn *insns, size_t count)
{
    size_t old = block->insns.count;
    for (size_t i = 0; i < count; i++)
        cy_vec_push(&block->insns);
    memmove(block->insns.at + at + count, block->insns.at + at, (old - at) * sizeof(*insns));
    memcpy(block->insns.at + at, insns, count * sizeof(*insns));
}

mir_reg mir_leader(struct mir_func *func, mir_reg reg)
{
    if (!mir_is_virtual(reg))
        return reg;
    uint32_t at = mir_index(reg);
    while (func->vregs.at[at].leader != at) {
        func->vregs.at[at].leader = func->vregs.at[func->vregs.at[at].leader].leader; /* path halving */
        at = func->vregs.at[at].leader;
    }
    return (mir_reg)(MIR_FIRST_VREG + at);
}

unsigned mir_location(const struct mir_func *func, mir_reg reg)
{
    if (!mir_is_virtual(reg))
        return (unsigned)(reg >= MIR_V0 ? reg - MIR_V0 : reg);
    int physical = func->vregs.at[mir_index(reg)].physical;
    assert(physical >= 0 && "a register that was not allocated");
    return (unsigned)physical;
}

bool mir_is_identity(const struct mir_func *func, const struct mir_insn *insn)
{
    return insn->op == MIR_COPY && mir_class_of(func, insn->operand[0]) == mir_class_of(func, insn->operand[1]) &&
           mir_location(func, insn->operand[0]) == mir_location(func, insn->operand[1]);
}

void mir_set_preds(struct mir_func *func)
{
    for (size_t b = 0; b < func->blocks.count; b++)
        func->blocks.at[b].preds.count = 0;
    for (size_t i = 0; i < func->order.count; i++) {
        const struct mir_block *block = &func->blocks.at[func->order.at[i]];
        for (uint32_t s = 0; s < block->succ_count; s++)
            *cy_vec_push(&func->blocks.at[block->succ[s]].preds) = func->order.at[i];
    }
}

struct cy_graph mir_graph(const struct mir_func *func, struct cy_arena *arena)
{
    CY_VEC(struct cy_edge) edges = {0};
    for (size_t i = 0; i < func->order.count; i++) {
        const struct mir_block *block = &func->blocks.at[func->order.at[i]];
        for (uint32_t s = 0; s < block->succ_count; s++)
            *cy_vec_push(&edges) = (struct cy_edge){func->order.at[i], block->succ[s]};
    }
    const struct cy_graph graph = cy_graph_make(arena, (uint32_t)func->blocks.count, edges.at, edges.count);
    cy_vec_free(&edges);
    return graph;
}

/* Reverse post-order.  Loop exits are walked first, so that they come after the loop; of two successors at the same
 * depth the taken one is, so that the other can fall through. */
void mir_set_order(struct mir_func *func)
{
    struct cy_arena arena = {0};
    CY_VEC(struct cy_edge) edges = {0};
    for (uint32_t i = 0; i < func->blocks.count; i++) {
        const struct mir_block *block = &func->blocks.at[i];
        const bool second_leaves = block->succ_count == 2 && func->blocks.at[block->succ[1]].loop_depth <
                                                                 func->blocks.at[block->succ[0]].loop_depth;
        for (uint32_t s = 0; s < block->succ_count; s++)
            *cy_vec_push(&edges) = (struct cy_edge){i, block->succ[s ^ second_leaves]};
    }
    const struct cy_graph graph = cy_graph_make(&arena, (uint32_t)func->blocks.count, edges.at, edges.count);
    const struct cy_walk walk = cy_graph_walk(&arena, &graph, 0);
    func->order.count = 0;
    for (uint32_t i = 0; i < walk.count; i++)
        *cy_vec_push(&func->order) = walk.rpo[i];
    if (walk.place[func->exit] == CY_NO_NODE) /* infinite loops name it as their reconvergence point */
        *cy_vec_push(&func->order) = func->exit;
    cy_vec_free(&edges);
    cy_arena_free(&arena);
}

void mir_find_region(struct cy_graph_region *region, uint32_t start, uint32_t stop)
{
    cy_graph_region_begin(region, stop);
    cy_graph_region_add(region, start);
}

/* Estimated execution frequency of a block. */
float mir_frequency(const struct mir_block *block)
{
    float frequency = 1;
    for (uint32_t i = 0; i < block->loop_depth && i < 6; i++)
        frequency *= 8;
    return frequency;
}

/* ---- text ---- */

static void print_reg(const struct mir_func *func, mir_reg reg, struct cy_buf *out)
{
    char class = mir_class_of(func, reg) == MIR_V ? 'v' : 's';
    if (!mir_is_virtual(reg))
        cy_buf_printf(out, "%c%d", reg >= MIR_V0 ? 'v' : 'x', reg >= MIR_V0 ? reg - MIR_V0 : reg);
    else if (func->vregs.at[mir_index(reg)].physical >= 0)
        cy_buf_printf(out, "%%%u:%c%d", mir_index(reg), class == 's' ? 'x' : 'v',
                      func->vregs.at[mir_index(reg)].physical);
    else
        cy_buf_printf(out, "%%%u%c", mir_index(reg), class);
}

static void print_insn(const struct mir_func *func, const struct mir_insn *insn, struct cy_buf *out)
{
    static const char *const names[] = {"copy", "li",   "la",    "label", "setrpc",   "spill",    "reload",    "call",
                                        "uses", "defs", "frame", "asm",   "asm_uses", "asm_defs", "asm_early", "debug"};
    _Static_assert(CY_COUNT(names) == (unsigned)MIR_OP_COUNT - (unsigned)CY_OP_COUNT, "one for each");
    enum mir_role roles[MIR_MAX_OPERANDS];
    unsigned count = mir_roles(insn, roles);
    cy_buf_puts(out, "    ");
    if (insn->words > 1)
        cy_buf_printf(out, "%u words ", insn->words);
    cy_buf_printf(out, "%s%s", insn->wide ? "pair " : "",
                  insn->op < CY_OP_COUNT ? cy_insns[insn->op].mnemonic : names[insn->op - CY_OP_COUNT]);
    for (unsigned i = 0, row = 0; i < count; i++) {
        bool is_high = mir_half_of(insn, i) == MIR_HIGH; /* signs are printed once, with the low half */
        cy_buf_puts(out, i ? ", " : " ");
        if (!is_high && insn->negated >> row & 1)
            cy_buf_putc(out, '-');
        if (!is_high && insn->absolute >> row & 1)
            cy_buf_puts(out, "abs ");
        row += !is_high;
        if (insn->op == MIR_CALL && func->module)
            cy_buf_printf(out, "@%s", func->module->funcs.at[insn->operand[i]].name);
        else if (insn->op == MIR_LA && i == 1 && func->module)
            cy_buf_printf(out, "@%s", func->module->symbols.at[insn->operand[i]].name);
        else if (roles[i] == MIR_IMM)
            cy_buf_printf(out, "%d", insn->operand[i]);
        else
            print_reg(func, insn->operand[i], out);
    }
    cy_buf_putc(out, '\n');
}

void mir_print(const struct mir_func *func, const char *title, struct cy_buf *out)
{
    cy_buf_printf(out, "%s %s\n", title, func->name);
    for (size_t i = 0; i < func->order.count; i++) {
        const struct mir_block *block = &func->blocks.at[func->order.at[i]];
        cy_buf_printf(out, "  b%u:%s (depth %u)\n", func->order.at[i], block->has_join ? " join" : "",
                      block->loop_depth);
        for (size_t k = 0; k < block->insns.count; k++)
            print_insn(func, &block->insns.at[k], out);
        if (block->kind == MIR_JUMP) {
            cy_buf_printf(out, "    jump b%u\n", block->succ[0]);
        } else if (block->kind == MIR_RETURN) {
            cy_buf_puts(out, "    return\n");
        } else {
            cy_buf_printf(out, "    %s ", cy_insns[block->branch_op].mnemonic);
            print_reg(func, block->a, out);
            cy_buf_puts(out, ", ");
            print_reg(func, block->b, out);
            cy_buf_printf(out, " ? b%u : b%u", block->succ[0], block->succ[1]);
            if (block->kind == MIR_VBRANCH)
                cy_buf_printf(out, " rpc b%u", block->rpc);
            cy_buf_putc(out, '\n');
        }
    }
}

void mir_print_joined(struct mir_func *func, const char *title, struct cy_buf *out)
{
    struct mir_func joined = *func;
    memset(&joined.blocks, 0, sizeof(joined.blocks));
    for (size_t b = 0; b < func->blocks.count; b++) {
        const struct mir_block *from = &func->blocks.at[b];
        struct mir_block *to = cy_vec_push(&joined.blocks);
        *to = *from;
        memset(&to->insns, 0, sizeof(to->insns));
        to->a = mir_leader(func, from->a);
        to->b = mir_leader(func, from->b);
        for (size_t k = 0; k < from->insns.count; k++) {
            enum mir_role roles[MIR_MAX_OPERANDS];
            struct mir_insn insn = from->insns.at[k];
            for (unsigned o = mir_roles(&insn, roles); o-- > 0;)
                if (roles[o] != MIR_IMM)
                    insn.operand[o] = mir_leader(func, insn.operand[o]);
            *cy_vec_push(&to->insns) = insn;
        }
    }
    mir_print(&joined, title, out);
    for (size_t b = 0; b < joined.blocks.count; b++)
        cy_vec_free(&joined.blocks.at[b].insns);
    cy_vec_free(&joined.blocks);
}

void mir_free(struct mir_func *func)
{
    cy_vec_free(&func->values);
    for (size_t b = 0; b < func->blocks.count; b++) {
        cy_vec_free(&func->blocks.at[b].insns);
        cy_vec_free(&func->blocks.at[b].preds);
    }
    cy_vec_free(&func->blocks);
    cy_vec_free(&func->order);
    cy_vec_free(&func->vregs);
    cy_vec_free(&func->spill_bases);
}
