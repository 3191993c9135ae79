/* Decodes code once: every word becomes a cy_uop with the handlers of its row. */
#include "gpu/engine/engine_priv.h"
#include "isa/shapes.h"

#include <string.h>

static const struct cy_handlers one_handler[CY_OP_COUNT] = {
#define ALL(fn)                                                                                                        \
    {                                                                                                                  \
        {                                                                                                              \
            fn, fn, fn                                                                                                 \
        }                                                                                                              \
    }
#define EXPR(id, ...) [CY_OP_##id] = ALL(cy_exec_##id),
#define HOOK(id, ...) [CY_OP_##id] = ALL(cy_exec_##id),
#include "isa/rv32.def"
#undef EXPR
#define EXPR(id, ...)
#undef HOOK
/* vector memory rows without a fast path share the general driver */
#define APPLY(macro, id) macro(id)
#define HOOK(id, mnemonic, format, ...) [CY_OP_##id] = ALL(APPLY(CY_SHAPE_##format, id)),
#define HOOK_OWN(id) cy_exec_##id
#define HOOK_MEMORY(id) cy_memory_general
#define HOOK_NONE(id) NULL
#define LANES(...) HOOK_OWN
#define OWN() HOOK_OWN
#define MEMORY(...) HOOK_MEMORY
#define JOINED() HOOK_NONE /* never run: combined with the instruction after it */
#include "isa/rvv.def"
#include "isa/ventus.def"
#undef EXPR
#undef HOOK
};

static void set_fault(struct cy_uop *uop, enum cy_fault_kind kind)
{
    *uop = (struct cy_uop){.run = {cy_exec_fault, cy_exec_fault, cy_exec_fault}, .step = 1, .imm = (int32_t)kind};
}

static int32_t field(const struct cy_insn *insn, enum cy_field id)
{
    return cy_insn_field(insn, id, 0);
}

/* The one field of several that the format has; they are mutually exclusive. */
static int32_t first_of(const struct cy_insn *insn, const enum cy_field *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int32_t value = cy_insn_field(insn, ids[i], INT32_MIN);
        if (value != INT32_MIN)
            return value;
    }
    return 0;
}

/* The meaning of imm and a for a handler: see the handlers.  Most use the immediate as it is. */
static void set_operands(const struct cy_code *code, struct cy_uop *uop, const struct cy_insn *insn, uint32_t pc)
{
    static const enum cy_field destinations[] = {CY_FIELD_vd, CY_FIELD_vs3};
    static const enum cy_field first[] = {CY_FIELD_rs1, CY_FIELD_vs1, CY_FIELD_zimm5};
    static const enum cy_field second[] = {CY_FIELD_rs2, CY_FIELD_vs2};
    static const enum cy_field immediates[] = {CY_FIELD_imm12, CY_FIELD_simm12, CY_FIELD_imm11,   CY_FIELD_simm11,
                                               CY_FIELD_shamt, CY_FIELD_simm5,  CY_FIELD_uimm5,   CY_FIELD_boff,
                                               CY_FIELD_joff,  CY_FIELD_csr,    CY_FIELD_vtype11, CY_FIELD_vtype10};
    int32_t rd = cy_insn_field(insn, CY_FIELD_rd, -1);
    uop->d = (uint8_t)(rd < 0 ? first_of(insn, destinations, CY_COUNT(destinations)) : rd ? rd : 64);
    uop->a = (uint8_t)first_of(insn, first, CY_COUNT(first));
    uop->b = (uint8_t)first_of(insn, second, CY_COUNT(second));
    uop->imm = first_of(insn, immediates, CY_COUNT(immediates));
    uint32_t own_pc = pc + (insn->prefix ? 4 : 0);
    switch (insn->op) {
    case CY_OP_lui: uop->imm = (int32_t)((uint32_t)field(insn, CY_FIELD_imm20) << 12); break;
    case CY_OP_auipc: uop->imm = (int32_t)(own_pc + ((uint32_t)field(insn, CY_FIELD_imm20) << 12)); break;
    case CY_OP_join: uop->imm = (int32_t)own_pc; break;
    case CY_OP_vle32_v:
    case CY_OP_vse32_v:
    case CY_OP_vluxei32_v:
    case CY_OP_vsuxei32_v:
    case CY_OP_vid_v:
    case CY_OP_vftta_vv: uop->imm = field(insn, CY_FIELD_vm); break;
    case CY_OP_csrrs:
        if (!uop->a && cy_csr_word((unsigned)uop->imm) >= 0) {
            uop->imm = cy_csr_word((unsigned)uop->imm);
            for (unsigned mode = 0; mode < CY_COUNT(uop->run); mode++)
                uop->run[mode] = cy_read_word;
        }
        break;
    default: break;
    }
    enum cy_format format = cy_insns[insn->op].format;
    if (format == CY_FORMAT_BRANCH || format == CY_FORMAT_JAL || format == CY_FORMAT_VB) {
        uint32_t target = own_pc + (uint32_t)uop->imm;
        if (target - code->base < code->size && !(target & 3)) /* see cy_relative */
            uop->imm = (int32_t)(target - pc) / 4 * 2 + 1;
    }
    if (format >= CY_FORMAT_FR && format <= CY_FORMAT_FR4)
        uop->imm = field(insn, CY_FIELD_rs3) | cy_insn_field(insn, CY_FIELD_rm, 0) << 8;
}

/* Does the prefix make every operand a pair, but for absolute values and negations? */
static bool is_all_pairs(const struct cy_insn *insn, const struct cy_insn *prefix)
{
    bool is_bit = cy_insns[insn->op].format == CY_FORMAT_FCVV; /* its destination has one word per lane */
    if (prefix->op == CY_OP_prefix || prefix->op == CY_OP_prefixi) {
        if (!cy_prefix_is_wide(insn->prefix))
            return false;
    } else if (prefix->op != CY_OP_regpair) {
        return false;
    }
    int32_t numbers = cy_insn_field(insn, CY_FIELD_vs1, 0) | cy_insn_field(insn, CY_FIELD_vs2, 0) |
                      (is_bit ? 0 : cy_insn_field(insn, CY_FIELD_vd, 0));
    return !(numbers & 1) && cy_insn_field(insn, CY_FIELD_vm, 1);
}

/* The row of generation 1 that does the same as an access to private memory by prefix; 0: there is none. */
static unsigned private_row(const struct cy_insn *insn, const struct cy_insn *prefix)
{
    static const uint16_t rows[][2] = {{CY_OP_vlb12_v, CY_OP_vlb_v},   {CY_OP_vlh12_v, CY_OP_vlh_v},
                                       {CY_OP_vlw12_v, CY_OP_vlw_v},   {CY_OP_vlbu12_v, CY_OP_vlbu_v},
                                       {CY_OP_vlhu12_v, CY_OP_vlhu_v}, {CY_OP_vsb12_v, CY_OP_vsb_v},
                                       {CY_OP_vsh12_v, CY_OP_vsh_v},   {CY_OP_vsw12_v, CY_OP_vsw_v}};
    if (prefix->op == CY_OP_pre_m_private_32 && !cy_prefix_is_wide(insn->prefix))
        for (size_t i = 0; i < CY_COUNT(rows); i++)
            if (rows[i][0] == insn->op)
                return rows[i][1];
    return 0;
}

/* How many words an access moves because of a pre_m prefix, that changes nothing else but perhaps the space to the private
 * one; 0: it is not such an access. */
static unsigned words_of(const struct cy_insn *insn, bool *is_private)
{
    const struct cy_insn_info *row = &cy_insns[insn->op];
    struct cy_insn prefix;
    if (!insn->prefix || !(row->flags & (CY_F_LOAD | CY_F_STORE)) || !cy_decode_word(CY_GEN2, insn->prefix, &prefix) ||
        !(cy_insns[prefix.op].flags & CY_F_MEM_PREFIX) || cy_prefix_is_wide(insn->prefix))
        return 0;
    const unsigned space = cy_prefix_space(insn->prefix), words = cy_prefix_words(insn->prefix);
    *is_private = space == CY_SPACE_PRIVATE;
    return space && !*is_private ? 0 : words;
}

/* Their handlers; NULL: the general ones. */
static const struct cy_handlers *words_handlers(const struct cy_code *code, const struct cy_insn *insn)
{
    static const struct cy_handlers load = ALL(cy_load_words), load_far = ALL(cy_load_words_far),
                                    store = ALL(cy_store_words), store_far = ALL(cy_store_words_far);
    const struct cy_handlers *table = code->lanes == 32 ? code->level->words32 : code->level->words;
    bool is_private;
    if (words_of(insn, &is_private) < 2)
        return NULL;
    switch (insn->op) {
    case CY_OP_lw: return is_private ? NULL : &load;
    case CY_OP_ld: return is_private ? NULL : &load_far;
    case CY_OP_sw: return is_private ? NULL : &store;
    case CY_OP_sd: return is_private ? NULL : &store_far;
    case CY_OP_vlw12_v: return &table[is_private ? CY_OP_vlw_v : CY_OP_vlw12_v];
    case CY_OP_vsw12_v: return &table[is_private ? CY_OP_vsw_v : CY_OP_vsw12_v];
    case CY_OP_vlw12d_v:
    case CY_OP_vsw12d_v: return is_private ? NULL : &table[insn->op];
    default: return NULL;
    }
}

static const struct cy_handlers *handlers_of(const struct cy_code *code, const struct cy_insn *insn)
{
    static const struct cy_handlers masked = ALL(cy_exec_vector_generic), memory = ALL(cy_memory_general),
                                    scalar = ALL(cy_exec_scalar_generic), scalar_memory = ALL(cy_memory_scalar);
    const struct cy_insn_info *row = &cy_insns[insn->op];
    const unsigned lanes = code->lanes;
    const struct cy_handlers *lane = &(lanes == 32 ? code->level->lanes32 : code->level->lanes)[insn->op];
    bool is_lane = lane->run[0] != NULL, is_memory = row->flags & (CY_F_LOAD | CY_F_STORE);
    struct cy_insn prefix;
    bool modified = insn->prefix && cy_decode_word(CY_GEN2, insn->prefix, &prefix) && prefix.op != CY_OP_regext &&
                    prefix.op != CY_OP_regexti;
    if (insn->prefix && !modified && cy_decode_word(CY_GEN1, insn->prefix, &prefix))
        modified = prefix.op == CY_OP_regpair || prefix.op == CY_OP_regpairi;
    modified = modified && cy_prefix_applies(prefix.op, insn->op);
    bool exact = code->reads_flags && row->flags & CY_F_FP;
    const struct cy_handlers *pairs = &(lanes == 32 ? code->level->pairs32 : code->level->pairs)[insn->op];
    bool changes_signs = modified && (prefix.op == CY_OP_prefix || prefix.op == CY_OP_prefixi) &&
                         (cy_prefix_abs(insn->prefix) | cy_prefix_neg(insn->prefix));
    bool has_loop = !exact && (!changes_signs || cy_has_sign_loop(insn));
    if (modified && has_loop && pairs->run[0] && is_all_pairs(insn, &prefix))
        return changes_signs ? &cy_sign_handlers : pairs;
    if (changes_signs && has_loop && is_lane && !cy_prefix_is_wide(insn->prefix) && cy_insn_field(insn, CY_FIELD_vm, 1))
        return &cy_sign_handlers;
    bool plain = !modified && !exact && cy_insn_field(insn, CY_FIELD_vm, 1);
    if (is_lane && (plain || row->is_expression))
        return plain ? lane : &masked;
    if (modified && is_memory && words_handlers(code, insn))
        return words_handlers(code, insn);
    if (modified && is_memory && row->sched == CY_SCHED_lsu) {
        const unsigned op = private_row(insn, &prefix);
        return op ? &(lanes == 32 ? code->level->memory32 : code->level->memory)[op] : &memory;
    }
    if (modified && is_memory && row->sched == CY_SCHED_slsu)
        return &scalar_memory;
    if (modified && row->is_expression && !(row->flags & CY_F_ATOMIC))
        return &scalar;
    const struct cy_handlers *fast = &(lanes == 32 ? code->level->memory32 : code->level->memory)[insn->op];
    return fast->run[0] ? fast : &one_handler[insn->op];
}

static bool reads_flags(enum cy_target target, uint32_t word)
{
    struct cy_insn insn;
    if (!cy_decode_word(target, word, &insn) || !(cy_insns[insn.op].flags & CY_F_CSR))
        return false;
    int32_t csr = cy_insn_field(&insn, CY_FIELD_csr, 0);
    return csr == CY_CSR_fflags || csr == CY_CSR_fcsr;
}

/* Does it leave, or set, another vtype than e32, m1? */
static bool changes_vtype(enum cy_target target, uint32_t word)
{
    struct cy_insn insn;
    if (!cy_decode_word(target, word, &insn))
        return false;
    const int32_t vtype = cy_insn_field(&insn, CY_FIELD_vtype11, cy_insn_field(&insn, CY_FIELD_vtype10, -1));
    return insn.op == CY_OP_vsetvl || (vtype >= 0 && (vtype & ~0xc0) != 2 << 3);
}

/* How many registers it can use from each one it names: as a rule one, or a pair. */
static unsigned most_rows(const struct cy_code *code, const struct cy_insn *insn)
{
    const enum cy_format format = cy_insns[insn->op].format;
    struct cy_insn prefix;
    if (code->changes_vtype || format == CY_FORMAT_VLN || format == CY_FORMAT_VSN || format == CY_FORMAT_MVR)
        return 8;
    if (!insn->prefix)
        return 2;
    return cy_decode_word(code->target, insn->prefix, &prefix) &&
                   (prefix.op == CY_OP_regext || prefix.op == CY_OP_regexti)
               ? 2
               : 8;
}

/* One more than the highest vGPR row this instruction can touch. */
static unsigned vgpr_rows(const struct cy_code *code, const struct cy_insn *insn)
{
    enum cy_field fields[CY_MAX_OPERANDS];
    size_t count = cy_format_operands(cy_insns[insn->op].format, fields);
    unsigned rows = 0, most = most_rows(code, insn);
    for (size_t i = 0; i < count; i++)
        if (cy_fields[fields[i]].kind == CY_VREG && (unsigned)insn->operand[i] + most > rows)
            rows = (unsigned)insn->operand[i] + most;
    return rows;
}

/* Does it have the handlers of another row: those for private memory? */
static bool is_private_memory(const struct cy_code *code, const struct cy_insn *insn,
                              const struct cy_handlers *handlers)
{
    const struct cy_handlers *table = code->lanes == 32 ? code->level->memory32 : code->level->memory;
    return handlers >= table && handlers < table + CY_OP_COUNT && handlers != &table[insn->op];
}

static bool is_plain_memory(const struct cy_code *code, const struct cy_insn *insn, const struct cy_handlers *handlers)
{
    if (words_handlers(code, insn))
        return false;
    return cy_insns[insn->op].sched == CY_SCHED_slsu
               ? handlers->run[0] != cy_memory_scalar
               : handlers == &(code->lanes == 32 ? code->level->memory32 : code->level->memory)[insn->op];
}

/* The field that the row does not use has the number of words. */
static void set_words(const struct cy_code *code, struct cy_uop *uop, const struct cy_insn *insn)
{
    bool is_private;
    if (!words_handlers(code, insn))
        return;
    *(cy_insns[insn->op].flags & CY_F_STORE ? &uop->d : &uop->b) = (uint8_t)words_of(insn, &is_private);
}

struct cy_code *cy_code_build(enum cy_target target, uint32_t base, const void *bytes, uint32_t size, unsigned lanes,
                              const struct cy_level *level)
{
    uint32_t count = size / 4;
    struct cy_code *code = cy_xrealloc(NULL, sizeof(*code));
    uint32_t *words = cy_xrealloc(NULL, ((size_t)count + 1) * sizeof(*words));
    *code =
        (struct cy_code){.target = target, .base = base, .size = count * 4, .lanes = lanes, .level = level, .vgprs = 2};
    code->uops = cy_xrealloc(NULL, ((size_t)count + 2) * sizeof(*code->uops));
    code->insns = cy_xrealloc(NULL, ((size_t)count + 2) * sizeof(*code->insns));
    code->kinds = cy_xrealloc(NULL, (size_t)count + 2);
    code->stretches = cy_xrealloc(NULL, ((size_t)count + 2) * sizeof(*code->stretches));
    memset(code->kinds, CY_KIND_SCALAR, (size_t)count + 2);
    memcpy(words, bytes, (size_t)count * 4);
    for (uint32_t i = 0; i < count; i++) {
        code->reads_flags |= reads_flags(target, words[i]);
        code->changes_vtype |= changes_vtype(target, words[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct cy_insn *insn = &code->insns[i];
        struct cy_uop *uop = &code->uops[i];
        enum cy_decode_status status = cy_decode(target, words + i, count - i, insn);
        if (status != CY_DECODE_OK) {
            set_fault(uop, status == CY_DECODE_INVALID ? CY_FAULT_ILLEGAL : CY_FAULT_PREFIX);
            continue;
        }
        memset(uop, 0, sizeof(*uop));
        const struct cy_handlers *handlers = handlers_of(code, insn);
        memcpy(uop->run, handlers->run, sizeof(uop->run));
        uop->step = insn->size / 4;
        code->has_prefixes |= uop->step > 1;
        const unsigned rows = vgpr_rows(code, insn);
        code->kinds[i] = (uint8_t)cy_kind_of(insn, is_plain_memory(code, insn, handlers), rows);
        if (is_private_memory(code, insn, handlers))
            code->kinds[i] = CY_KIND_PRIVATE;
        code->vgprs = rows > code->vgprs ? rows : code->vgprs;
        set_operands(code, uop, insn, base + 4 * i);
        set_words(code, uop, insn);
        if (uop->step == 2) { /* nothing may jump between a prefix and its instruction */
            cy_decode_word(target, words[i + 1], &code->insns[i + 1]);
            set_fault(&code->uops[++i], CY_FAULT_PREFIX_TARGET);
        }
    }
    for (uint32_t i = count; i < count + 2; i++) {
        code->insns[i] = (struct cy_insn){.size = 4};
        set_fault(&code->uops[i], CY_FAULT_FETCH);
    }
    cy_stretches_build(code);
    cy_free(words);
    return code;
}

const struct cy_level *cy_code_level(const struct cy_code *code)
{
    return code->level;
}

void cy_code_free(struct cy_code *code)
{
    if (!code)
        return;
    cy_free(code->uops);
    if (code->original) {
        cy_free(code);
        return;
    }
    cy_free(code->insns);
    cy_free(code->kinds);
    cy_free(code->stretches);
    cy_free(code);
}
