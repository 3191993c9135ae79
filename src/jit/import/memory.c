/* Loads, stores and atomic operations.  An instruction that moves several words is one operation for each. */
#include "jit/import/import_priv.h"

enum { READS = 1, WRITES = 2 }; /* rights: enum cy_jit_rights */

/* Not what a scalar instruction finds in the private memory of a thread, packed masks, and far addresses of private memory. */
bool has_accesses(const struct importer *im, const struct inst *inst)
{
    const struct cy_effects_access *access = &inst->effects.access;
    const bool is_private = access->space == CY_SPACE_PRIVATE;
    (void)im;
    if (inst->effects.is_illegal || inst->effects.is_masked || access->addressing == CY_ADDRESS_BITS)
        return false;
    return !is_private || (access->addressing != CY_ADDRESS_SCALAR && !access->is_far && !access->atomic);
}

uint32_t new_access(struct importer *im, const struct inst *inst)
{
    const struct cy_effects_access *from = &inst->effects.access;
    struct cy_sir_access *access = cy_vec_push(&im->func->accesses);
    *access = (struct cy_sir_access){.pc = pc_of(im, im->at),
                                     .word = inst->insn.word,
                                     .prefix = inst->insn.prefix,
                                     .op = (uint16_t)inst->insn.op,
                                     .bytes = from->bytes,
                                     .rights = (uint8_t)((from->reads ? READS : 0) | (from->writes ? WRITES : 0)),
                                     .is_scalar = from->addressing == CY_ADDRESS_SCALAR,
                                     .words = 1,
                                     .align = from->bytes,
                                     .group = CY_SIR_NOTHING};
    if (!access->rights) { /* it is there to say where it is */
        access->rights = READS;
        access->bytes = 1;
        access->align = 1;
    }
    const enum cy_sir_space space = from->is_far ? CY_SIR_FAR : CY_SIR_NEAR;
    access->space = (uint8_t)(from->space == CY_SPACE_PRIVATE ? CY_SIR_PRIVATE : space);
    return (uint32_t)im->func->accesses.count - 1;
}

static cy_sir_value memory_op(struct importer *im, enum cy_sir_op op, enum cy_sir_type type, uint32_t access,
                              const cy_sir_value *args)
{
    const cy_sir_value made = cy_sir_append(im->func, im->block, op, type, args[0], args[1], args[2]);
    cy_sir_at(im->func, made)->args[3] = args[3];
    cy_sir_at(im->func, made)->access = access;
    cy_sir_at(im->func, made)->pc = pc_of(im, im->at);
    return made;
}

/* ---- addresses ---- */

struct address {
    cy_sir_value base, index;
    unsigned scale;
};

static cy_sir_value read_base(struct importer *im, const struct inst *inst)
{
    const struct cy_operand *base = cy_effects_operand(&inst->effects, CY_ROLE_BASE);
    const unsigned first = (unsigned)base->value;
    const bool is_far = inst->effects.access.is_far;
    if (base->kind == CY_OPERAND_X)
        return is_far ? import_read_x_pair(im, first) : import_read_x(im, first);
    return is_far ? read_v_pair(im, first) : import_read_v(im, first);
}

static cy_sir_value plus_value(struct importer *im, cy_sir_value a, cy_sir_value b, bool is_signed)
{
    const enum cy_sir_type type = type_of(im, a);
    if (type != type_of(im, b))
        b = make(im, is_signed ? CY_SIR_SEXT : CY_SIR_ZEXT, type, b, 0, 0);
    return make(im, CY_SIR_ADD, type, a, b, 0);
}

/* The lane's number times the stride, which has a sign: 64 bits of it count where addresses have as many. */
static cy_sir_value distance(struct importer *im, const struct inst *inst)
{
    const struct cy_operand *stride = cy_effects_operand(&inst->effects, CY_ROLE_STRIDE);
    cy_sir_value by = import_read_x(im, (unsigned)stride->value), lane = source(im, CY_SIR_SOURCE_LANE);
    if (!inst->effects.access.is_far)
        return make(im, CY_SIR_MUL, CY_SIR_I32, by, lane, 0);
    by = make(im, CY_SIR_SEXT, CY_SIR_I64, by, 0, 0);
    return make(im, CY_SIR_MUL, CY_SIR_I64, by, make(im, CY_SIR_ZEXT, CY_SIR_I64, lane, 0, 0), 0);
}

static cy_sir_value read_index(struct importer *im, const struct inst *inst)
{
    const struct cy_operand *index = cy_effects_operand(&inst->effects, CY_ROLE_INDEX);
    const unsigned bytes = inst->effects.access.index_bytes;
    const cy_sir_value value = import_read_v(im, (unsigned)index->value);
    if (bytes == 4)
        return value;
    return make(im, CY_SIR_AND, CY_SIR_I32, value, number(im, CY_SIR_I32, (1u << 8 * bytes) - 1), 0);
}

static struct address address_of(struct importer *im, const struct inst *inst)
{
    const struct cy_effects_access *access = &inst->effects.access;
    struct address address = {.base = read_base(im, inst)};
    switch (access->addressing) {
    case CY_ADDRESS_UNIT:
    case CY_ADDRESS_WHOLE:
        address.index = source(im, CY_SIR_SOURCE_LANE);
        address.scale = (unsigned)__builtin_ctz(access->bytes * access->words);
        break;
    case CY_ADDRESS_STRIDED: address.base = plus_value(im, address.base, distance(im, inst), true); break;
    case CY_ADDRESS_INDEXED: address.index = read_index(im, inst); break;
    default: break;
    }
    if (access->space == CY_SPACE_LOCAL)
        address.base = plus_value(im, address.base, source(im, CY_SIR_SOURCE_LDS), false);
    return address;
}

/* ---- loads and stores ---- */

static enum cy_sir_type type_in_memory(const struct inst *inst)
{
    const uint8_t bytes = inst->effects.access.bytes;
    return bytes == 1 ? CY_SIR_I8 : bytes == 2 ? CY_SIR_I16 : CY_SIR_I32;
}

static uint32_t word_access(struct importer *im, const struct inst *inst, const struct address *address, unsigned nth)
{
    const struct cy_effects_access *from = &inst->effects.access;
    const unsigned words = from->words, part = nth / words;
    const uint32_t number = new_access(im, inst);
    struct cy_sir_access *access = &im->func->accesses.at[number];
    access->words = (uint8_t)(from->parts * words);
    access->nth = (uint8_t)nth;
    access->scale = (uint8_t)address->scale;
    access->offset = from->offset + (int64_t)part * im->request->threads * from->bytes * words + 4 * (nth % words);
    return number;
}

/* Elements of vector loads are extended by their sign, whatever vtype says. */
static cy_sir_value extended(struct importer *im, const struct inst *inst, cy_sir_value value)
{
    const struct cy_effects_access *access = &inst->effects.access;
    const bool is_vector = access->addressing == CY_ADDRESS_UNIT || access->addressing == CY_ADDRESS_STRIDED;
    if (type_of(im, value) == CY_SIR_I32)
        return value;
    return make(im, access->is_sign_extended || is_vector ? CY_SIR_SEXT : CY_SIR_ZEXT, CY_SIR_I32, value, 0, 0);
}

static void make_load(struct importer *im, const struct inst *inst)
{
    enum { MOST = 8 };
    const struct cy_operand *to = cy_effects_operand(&inst->effects, CY_ROLE_RESULT);
    const unsigned count = inst->effects.access.words * inst->effects.access.parts, first = (unsigned)to->value;
    const struct address address = address_of(im, inst);
    cy_sir_value words[MOST];
    for (unsigned i = 0; i < count; i++) {
        const cy_sir_value args[4] = {address.base, address.index};
        const uint32_t access = word_access(im, inst, &address, i);
        words[i] = extended(im, inst, memory_op(im, CY_SIR_LOAD, type_in_memory(inst), access, args));
    }
    const bool is_x = to->kind == CY_OPERAND_X;
    for (unsigned i = 0; i < count && !(is_x && !first); i++) /* x0 takes none of the words */
        if (is_x)
            import_write_x(im, first + i, words[i]);
        else
            import_write_v(im, first + i, words[i]);
}

static cy_sir_value stored(struct importer *im, const struct inst *inst, const struct cy_operand *data, unsigned nth)
{
    const unsigned from = (unsigned)data->value;
    const enum cy_sir_type type = type_in_memory(inst);
    cy_sir_value value;
    if (data->kind == CY_OPERAND_X)
        value = from ? import_read_x(im, from + nth) : number(im, CY_SIR_I32, 0);
    else
        value = import_read_v(im, from + nth);
    return type == CY_SIR_I32 ? value : make(im, CY_SIR_TRUNC, type, value, 0, 0);
}

static void make_store(struct importer *im, const struct inst *inst)
{
    const struct cy_operand *data = cy_effects_operand(&inst->effects, CY_ROLE_DATA);
    const unsigned count = inst->effects.access.words * inst->effects.access.parts;
    const struct address address = address_of(im, inst);
    for (unsigned i = 0; i < count; i++) {
        const cy_sir_value args[4] = {address.base, address.index, stored(im, inst, data, i)};
        memory_op(im, CY_SIR_STORE, CY_SIR_VOID, word_access(im, inst, &address, i), args);
    }
}

/* ---- atomic operations ---- */

static cy_sir_value read_data(struct importer *im, int32_t number, bool is_pair)
{
    return is_pair ? read_v_pair(im, (unsigned)number) : import_read_v(im, (unsigned)number);
}

static void write_result(struct importer *im, const struct cy_operand *to, cy_sir_value value)
{
    const unsigned number = (unsigned)to->value;
    if (to->bits == 64)
        write_v_pair(im, number,
                     type_of(im, value) == CY_SIR_I64 ? value : make(im, CY_SIR_ZEXT, CY_SIR_I64, value, 0, 0));
    else
        import_write_v(im, number,
                       type_of(im, value) == CY_SIR_I64 ? make(im, CY_SIR_LOW, CY_SIR_I32, value, 0, 0) : value);
}

/* The instruction at which a compare-exchange begins is its LR; its SC has what it stores. */
static bool begins_exchange(const struct importer *im)
{
    return im->piece->part == LOADS && im->at == im->piece->first;
}

static void make_atomic(struct importer *im, const struct inst *inst)
{
    static const enum cy_sir_op ops[] = {
        [CY_ATOMIC_RESERVE] = CY_SIR_LR, [CY_ATOMIC_CONDITIONAL] = CY_SIR_SC, [CY_ATOMIC_UPDATE] = CY_SIR_ATOMIC};
    const bool is_pair = inst->effects.access.words == 2, exchanges = begins_exchange(im);
    const struct cy_operand *data = cy_effects_operand(&inst->effects, CY_ROLE_B);
    const enum cy_sir_op op = exchanges ? CY_SIR_CAS : ops[inst->effects.access.atomic];
    const enum cy_sir_type type = is_pair && op != CY_SIR_SC ? CY_SIR_I64 : CY_SIR_I32;
    cy_sir_value args[4] = {address_of(im, inst).base};
    if (exchanges) {
        const struct cy_operand *new = cy_effects_operand(&inst_at(im, im->piece->store)->effects, CY_ROLE_B);
        args[2] = read_data(im, im->piece->expected, is_pair);
        args[3] = read_data(im, new->value, is_pair);
    } else if (data) {
        args[2] = read_data(im, data->value, is_pair);
    }
    const uint32_t number = new_access(im, inst);
    struct cy_sir_access *access = &im->func->accesses.at[number];
    access->bytes = is_pair ? 8 : 4;
    access->align = access->bytes;
    access->rights = op == CY_SIR_LR ? READS : READS | WRITES;
    access->is_apart = op == CY_SIR_LR || op == CY_SIR_SC;
    access->offset = inst->effects.access.offset;
    write_result(im, cy_effects_operand(&inst->effects, CY_ROLE_RESULT), memory_op(im, op, type, number, args));
}

void make_access(struct importer *im, const struct inst *inst)
{
    if (inst->effects.access.atomic)
        make_atomic(im, inst);
    else if (inst->effects.access.writes)
        make_store(im, inst);
    else
        make_load(im, inst);
}
