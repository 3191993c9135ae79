/* Accesses.  Each is checked before it is made, against its site: the extent of memory in which it last succeeded. */
#include "jit/lower/lower.h"

#include <string.h>

/* ---- the image's tables ---- */

static void list_group(struct translator *t, const struct cy_sir_access *access, uint32_t index)
{
    *cy_vec_push(&t->groups) = (struct cy_jit_group){
        .first = index,
        .count = 1,
        .low = (int32_t)access->offset,
        .high = (int32_t)access->offset + access->bytes,
        .rights = access->rights,
        .is_private = access->space == CY_SIR_PRIVATE,
        .align = (uint8_t)__builtin_ctz(access->align ? access->align : access->bytes),
    };
}

/* A row and a group of its own for each access; a site of three entries, which is enough for every kind. */
/* The helper finds that of an exchange's store behind that of its load. */
static void list_store(struct translator *t)
{
    struct cy_jit_access store = t->accesses.at[t->accesses.count - 1];
    store.access = WRITE;
    *cy_vec_push(&t->accesses) = store;
}

void list_accesses(struct lower *l)
{
    struct translator *t = l->t;
    const size_t count = l->func->accesses.count;
    l->accesses = cy_arena_alloc(&t->arena, (count + 1) * sizeof(*l->accesses));
    for (size_t i = 0; i < count; i++) {
        const struct cy_sir_access *access = &l->func->accesses.at[i];
        const uint32_t flags = cy_insns[access->op].flags;
        const bool is_atomic = flags & CY_F_ATOMIC;
        l->accesses[i] = (uint32_t)t->accesses.count;
        *cy_vec_push(&t->accesses) = (struct cy_jit_access){
            .pc = access->pc,
            .word = access->word,
            .prefix = access->prefix,
            .offset = (int32_t)access->offset,
            .op = access->op,
            .size = access->bytes,
            .access = access->rights,
            .words = 1,
            .is_far = access->space == CY_SIR_FAR,
            .is_apart = is_atomic && access->is_apart,
        };
        if (is_atomic && cy_insns[access->op].format == CY_FORMAT_LR)
            list_store(t);
        list_group(t, access, (uint32_t)i);
    }
    t->site_count = (uint32_t)(count * CY_JIT_FAR_SITES);
}

static uint32_t site_of(const struct lower *l, uint32_t access)
{
    return l->accesses[access] * (uint32_t)CY_JIT_FAR_SITES;
}

/* ---- addresses ---- */

/* Without the offset: checks add it themselves. */
static LLVMValueRef base_of(struct lower *l, const struct cy_sir_insn *insn, bool is_vector)
{
    LLVMBuilderRef b = l->t->builder;
    const struct cy_sir_access *access = &l->func->accesses.at[insn->access];
    LLVMValueRef base = is_vector ? lower_vector(l, insn->args[0]) : lower_number(l, insn->args[0]);
    if (!insn->args[1])
        return base;
    LLVMValueRef index = is_vector ? lower_vector(l, insn->args[1]) : lower_number(l, insn->args[1]);
    LLVMTypeRef type = LLVMTypeOf(base);
    if (LLVMTypeOf(index) != type)
        index = access->is_index_signed ? LLVMBuildSExt(b, index, type, "") : LLVMBuildZExt(b, index, type, "");
    LLVMValueRef scale = LLVMConstInt(is_vector ? LLVMGetElementType(type) : type, access->scale, false);
    index = LLVMBuildShl(b, index, is_vector ? lower_splat(l, scale) : scale, "");
    return LLVMBuildAdd(b, base, index, "");
}

static LLVMValueRef constant_like(struct lower *l, LLVMValueRef value, uint64_t number)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!is_vector(type))
        return LLVMConstInt(type, number, false);
    return lower_splat(l, LLVMConstInt(LLVMGetElementType(type), number, false));
}

static LLVMValueRef plus(struct lower *l, LLVMValueRef value, int64_t offset)
{
    return LLVMBuildAdd(l->t->builder, value, constant_like(l, value, (uint64_t)offset), "");
}

/* ---- checks ---- */

static LLVMValueRef site_word(struct lower *l, uint32_t access, unsigned nth)
{
    return LLVMBuildLoad2(l->t->builder, l->t->i32,
                          at_offset(l->t, l->t->sites, 8 * (int64_t)site_of(l, access) + 4 * (int64_t)nth), "");
}

/* i1, or a vector of these: the address is not in the site. */
static LLVMValueRef is_outside(struct lower *l, uint32_t access, LLVMValueRef address)
{
    LLVMBuilderRef b = l->t->builder;
    const bool many = is_vector(LLVMTypeOf(address));
    const unsigned align = l->t->groups.at[l->accesses[access]].align;
    LLVMValueRef low = site_word(l, access, 0), count = site_word(l, access, 1);
    LLVMValueRef distance = LLVMBuildSub(b, address, many ? lower_splat(l, low) : low, "");
    LLVMValueRef odd = LLVMBuildAnd(b, distance, constant_like(l, distance, (1u << align) - 1), "");
    LLVMValueRef units = LLVMBuildLShr(b, distance, constant_like(l, distance, align), "");
    LLVMValueRef far = LLVMBuildICmp(b, LLVMIntUGE, units, many ? lower_splat(l, count) : count, "");
    return LLVMBuildOr(b, far, LLVMBuildICmp(b, LLVMIntNE, odd, constant_like(l, odd, 0), ""), "");
}

/* Asks a helper if the condition holds for some active lane. */
static void ask_if(struct lower *l, LLVMValueRef condition, size_t helper, LLVMValueRef *args, unsigned count,
                   LLVMValueRef base)
{
    struct translator *t = l->t;
    LLVMBasicBlockRef ask = new_block(t, "check"), on = new_block(t, "checked");
    make_rare(t, LLVMBuildCondBr(t->builder, condition, ask, on), true);
    LLVMPositionBuilderAtEnd(t->builder, ask);
    if (base)
        LLVMBuildStore(t->builder, base, l->addresses);
    stop_if(t, call_rare_helper(t, helper, args, count));
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}

static LLVMValueRef some_active(struct lower *l, const struct cy_sir_insn *insn, LLVMValueRef lanes)
{
    struct translator *t = l->t;
    lanes = LLVMBuildAnd(t->builder, lanes, lower_mask(l, insn->mask), "");
    return any_lane(t, LLVMBuildSExt(t->builder, lanes, t->vi32, ""));
}

static void check_near(struct lower *l, const struct cy_sir_insn *insn, LLVMValueRef base)
{
    struct translator *t = l->t;
    const struct cy_sir_access *access = &l->func->accesses.at[insn->access];
    LLVMValueRef outside = is_outside(l, insn->access, plus(l, base, access->offset));
    LLVMValueRef group = number32(t, l->accesses[insn->access]), site = number32(t, site_of(l, insn->access));
    LLVMValueRef bits = lower_bits(l, insn->mask), item = rare_item(t);
    if (is_vector(LLVMTypeOf(base))) {
        LLVMValueRef args[] = {t->frame, group, site, l->addresses, bits, item};
        ask_if(l, some_active(l, insn, outside), offsetof(struct cy_jit_helpers, check_lanes), args, CY_COUNT(args),
               base);
    } else {
        LLVMValueRef args[] = {t->frame, group, site, base, number32(t, 0), bits, item};
        ask_if(l, outside, offsetof(struct cy_jit_helpers, check), args, CY_COUNT(args), NULL);
    }
}

/* Where words of private memory are, which are interleaved over the work-items; checked. */
static LLVMValueRef private_addresses(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    LLVMBuilderRef b = t->builder;
    const struct cy_sir_access *access = &l->func->accesses.at[insn->access];
    const uint32_t threads = t->request->threads, stride = (t->items + threads - 1) / threads * threads;
    LLVMValueRef base = base_of(l, insn, true), at = plus(l, base, access->offset);
    LLVMValueRef items = LLVMBuildAdd(b, lower_splat(l, t->item), steps(t, 1), "");
    LLVMValueRef words = LLVMBuildAnd(b, at, constant_like(l, at, ~3ull), "");
    words = LLVMBuildMul(b, words, constant_like(l, at, stride), "");
    LLVMValueRef bytes = LLVMBuildAnd(b, at, constant_like(l, at, 3), "");
    LLVMValueRef place =
        LLVMBuildAdd(b, words, LLVMBuildAdd(b, bytes, LLVMBuildShl(b, items, constant_like(l, at, 2), ""), ""), "");
    place = LLVMBuildAdd(b, place, lower_splat(l, frame_word(t, offsetof(struct cy_jit_frame, pds))), "");
    if (!t->request->private_bytes)
        return place;
    LLVMValueRef most = constant_like(l, at, (uint64_t)t->request->private_bytes - access->bytes);
    LLVMValueRef bad = LLVMBuildICmp(b, LLVMIntUGT, at, most, "");
    LLVMValueRef odd = LLVMBuildAnd(b, place, constant_like(l, at, access->bytes - 1u), "");
    bad = LLVMBuildOr(b, bad, LLVMBuildICmp(b, LLVMIntNE, odd, constant_like(l, odd, 0), ""), "");
    LLVMValueRef args[] = {t->frame, number32(t, l->accesses[insn->access]), l->addresses, lower_bits(l, insn->mask),
                           rare_item(t)};
    ask_if(l, some_active(l, insn, bad), offsetof(struct cy_jit_helpers, check_private), args, CY_COUNT(args), base);
    return place;
}

/* ---- 64-bit addresses: by a helper, lane by lane ---- */

static void store_addresses(struct lower *l, LLVMValueRef base)
{
    struct translator *t = l->t;
    if (LLVMTypeOf(base) != t->vi64)
        base = LLVMBuildZExt(t->builder, base, t->vi64, "");
    LLVMBuildStore(t->builder, base, l->addresses);
}

static void access_far(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    const struct cy_sir_access *access = &l->func->accesses.at[insn->access];
    LLVMValueRef bits = lower_bits(l, insn->mask);
    if (access->is_scalar) /* by the first lane */
        bits = LLVMBuildAnd(t->builder, bits, LLVMBuildNeg(t->builder, bits, ""), "");
    store_addresses(l, base_of(l, insn, true));
    LLVMValueRef args[] = {t->frame, number32(t, l->accesses[insn->access]), l->addresses, l->data, bits, rare_item(t)};
    stop_if(t, call_helper(t, offsetof(struct cy_jit_helpers, far_access), t->i32, args, CY_COUNT(args)));
}

static LLVMValueRef first_active(struct lower *l, const struct cy_sir_insn *insn, LLVMValueRef vector)
{
    struct translator *t = l->t;
    LLVMValueRef args[] = {lower_bits(l, insn->mask), LLVMConstInt(t->i1, 0, false)};
    LLVMValueRef lane = LLVMBuildAnd(t->builder, intrinsic(t, "llvm.cttz", t->i32, args, 2), number32(t, t->w - 1), "");
    return LLVMBuildExtractElement(t->builder, vector, lane, "");
}

static LLVMValueRef load_far(struct lower *l, const struct cy_sir_insn *insn, bool is_vector)
{
    struct translator *t = l->t;
    access_far(l, insn);
    LLVMValueRef row = LLVMBuildLoad2(t->builder, t->vi32, l->data, "");
    LLVMTypeRef type = lower_type(l, (enum cy_sir_type)insn->type);
    row = is_vector ? row : first_active(l, insn, row);
    type = is_vector ? LLVMVectorType(type, t->w) : type;
    return LLVMTypeOf(row) == type ? row : LLVMBuildTrunc(t->builder, row, type, "");
}

/* ---- loads and stores ---- */

static LLVMValueRef pointers(struct lower *l, LLVMValueRef addresses)
{
    struct translator *t = l->t;
    LLVMValueRef wide = LLVMBuildZExt(t->builder, addresses, t->vi64, "");
    return LLVMBuildGEP2(t->builder, t->i8, t->memory, &wide, 1, "");
}

static LLVMValueRef gather(struct lower *l, const struct cy_sir_insn *insn, LLVMValueRef addresses)
{
    struct translator *t = l->t;
    const unsigned bytes = l->func->accesses.at[insn->access].bytes;
    LLVMTypeRef type = LLVMVectorType(lower_type(l, (enum cy_sir_type)insn->type), t->w), types[] = {type, t->vptr};
    LLVMValueRef args[] = {pointers(l, addresses), number32(t, bytes), lower_mask(l, insn->mask), LLVMConstNull(type)};
    return intrinsic_of(t, "llvm.masked.gather", types, 2, args, CY_COUNT(args));
}

LLVMValueRef lower_load(struct lower *l, const struct cy_sir_insn *insn, bool is_vector)
{
    struct translator *t = l->t;
    const struct cy_sir_access *access = &l->func->accesses.at[insn->access];
    if (access->space == CY_SIR_FAR)
        return load_far(l, insn, is_vector);
    if (access->space == CY_SIR_PRIVATE) {
        LLVMValueRef row = gather(l, insn, private_addresses(l, insn));
        return is_vector ? row : LLVMBuildExtractElement(t->builder, row, number32(t, 0), "");
    }
    const bool is_one = lower_is_one(l, insn->args[0]) && (!insn->args[1] || lower_is_one(l, insn->args[1]));
    LLVMValueRef base = base_of(l, insn, !is_one);
    if (access->is_scalar && !is_one)
        base = first_active(l, insn, base);
    check_near(l, insn, base);
    LLVMValueRef address = plus(l, base, access->offset);
    if (LLVMGetTypeKind(LLVMTypeOf(address)) == LLVMVectorTypeKind)
        return gather(l, insn, address);
    LLVMValueRef word =
        LLVMBuildLoad2(t->builder, lower_type(l, (enum cy_sir_type)insn->type), host_pointer(t, address), "");
    LLVMSetAlignment(word, access->bytes);
    return is_vector ? lower_splat(l, word) : word;
}

static void scatter(struct lower *l, const struct cy_sir_insn *insn, LLVMValueRef addresses)
{
    struct translator *t = l->t;
    const unsigned bytes = l->func->accesses.at[insn->access].bytes;
    LLVMValueRef data = lower_vector(l, insn->args[2]);
    LLVMTypeRef types[] = {LLVMTypeOf(data), t->vptr};
    LLVMValueRef args[] = {data, pointers(l, addresses), number32(t, bytes), lower_mask(l, insn->mask)};
    intrinsic_of(t, "llvm.masked.scatter", types, 2, args, CY_COUNT(args));
}

static void store_one(struct lower *l, const struct cy_sir_insn *insn, LLVMValueRef address)
{
    LLVMValueRef data = lower_is_one(l, insn->args[2]) ? lower_number(l, insn->args[2])
                                                       : first_active(l, insn, lower_vector(l, insn->args[2]));
    LLVMSetAlignment(LLVMBuildStore(l->t->builder, data, host_pointer(l->t, address)),
                     l->func->accesses.at[insn->access].bytes);
}

static void store_far(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    LLVMValueRef data = lower_vector(l, insn->args[2]);
    if (LLVMTypeOf(data) != t->vi32)
        data = LLVMBuildZExt(t->builder, data, t->vi32, "");
    LLVMBuildStore(t->builder, data, l->data);
    access_far(l, insn);
}

void lower_store(struct lower *l, const struct cy_sir_insn *insn)
{
    const struct cy_sir_access *access = &l->func->accesses.at[insn->access];
    if (access->space == CY_SIR_FAR) {
        store_far(l, insn);
        return;
    }
    if (access->space == CY_SIR_PRIVATE) {
        scatter(l, insn, private_addresses(l, insn));
        return;
    }
    const bool is_one = lower_is_one(l, insn->args[0]) && (!insn->args[1] || lower_is_one(l, insn->args[1]));
    LLVMValueRef base = base_of(l, insn, !is_one);
    if (access->is_scalar && !is_one)
        base = first_active(l, insn, base);
    check_near(l, insn, base);
    LLVMValueRef address = plus(l, base, access->offset);
    if (access->is_scalar || (is_one && lower_is_one(l, insn->args[2])))
        store_one(l, insn, address);
    else
        scatter(l, insn, is_one ? lower_splat(l, address) : address);
}

/* ---- atomic operations: by a helper, lane by lane ---- */

LLVMValueRef lower_atomic_op(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    LLVMBuilderRef b = t->builder;
    if (insn->op == CY_SIR_LR || insn->op == CY_SIR_SC) {
        cannot(t, "an LR and an SC that are not one operation");
        return LLVMConstNull(LLVMVectorType(lower_type(l, (enum cy_sir_type)insn->type), t->w));
    }
    const cy_sir_value data[2] = {insn->args[2], insn->op == CY_SIR_CAS ? insn->args[3] : 0};
    LLVMValueRef base = plus(l, base_of(l, insn, true), l->func->accesses.at[insn->access].offset);
    store_addresses(l, base);
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef words = data[i] ? lower_vector(l, data[i]) : LLVMConstNull(t->vi64);
        words = LLVMTypeOf(words) == t->vi64 ? words : LLVMBuildZExt(b, words, t->vi64, "");
        LLVMBuildStore(b, words, at_offset(t, l->data, (int64_t)i * 8 * CY_JIT_MAX_STRIP));
    }
    LLVMValueRef args[] = {t->frame,
                           number32(t, l->accesses[insn->access]),
                           number32(t, site_of(l, insn->access)),
                           l->addresses,
                           l->data,
                           lower_bits(l, insn->mask),
                           rare_item(t),
                           t->memory};
    stop_if(t, call_helper(t, offsetof(struct cy_jit_helpers, atomic), t->i32, args, CY_COUNT(args)));
    LLVMValueRef result = LLVMBuildLoad2(b, t->vi64, l->data, "");
    return insn->type == CY_SIR_I64
               ? result
               : LLVMBuildTrunc(b, result, LLVMVectorType(lower_type(l, (enum cy_sir_type)insn->type), t->w), "");
}

/* Hosts order all but loads after stores at little or no cost.  imm: succ, pred above, and above that whether it is fence.tso. */
void lower_fence(struct lower *l, const struct cy_sir_insn *insn)
{
    enum { WRITES = 5, READS = 10, TSO = 256 }; /* iorw */
    LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
    if (insn->imm & TSO)
        order = LLVMAtomicOrderingAcquireRelease;
    else if (!(insn->imm >> 4 & WRITES))
        order = LLVMAtomicOrderingAcquire;
    else if (!(insn->imm & READS))
        order = LLVMAtomicOrderingRelease;
    LLVMBuildFence(l->t->builder, order, false, "");
}
