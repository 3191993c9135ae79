/* LLVM's intrinsics, element by element and at every width.  Those that need more than a few machine operations have
 * become calls into the device library (llvm_pipeline.c). */
#include "cc/import/import_priv.h"

#include <string.h>

/* One element of a call. */
struct use {
    struct importer *im;
    LLVMValueRef call;
    unsigned bits, words; /* of the first operand */
    unsigned out_words;   /* of the result, or of its first part */
    const ir_value *a, *b, *c;
    unsigned row;    /* see the table */
    ir_value second; /* of a result of two parts */
};

/* The signed or unsigned bounds of a width, with as many words as the operands have. */
static void bound(const struct use *use, bool is_signed, bool upper, ir_value *out)
{
    unsigned ones = upper ? use->bits - is_signed : 0; /* the number of low bits set; in the minimum, the others are */
    for (unsigned i = 0; i < use->words; i++) {
        unsigned here = ones > 32 * i ? ones - 32 * i : 0;
        out[i] = build_const(use->im, here >= 32 ? UINT32_MAX : (1u << here) - 1);
    }
    if (is_signed && !upper) {
        unsigned top = use->bits - 1 - 32 * (use->words - 1);
        out[use->words - 1] = build_const(use->im, ~((1u << top) - 1));
    }
}

static void extend(const struct use *use, bool is_signed, unsigned words, ir_value *a, ir_value *b)
{
    int_extend(use->im, is_signed, use->bits, use->a, words, a);
    if (b)
        int_extend(use->im, is_signed, use->bits, use->b, words, b);
}

/* ---- rows: bit 0 signed, bit 1 the larger one or the difference ---- */

enum { SIGNED = 1, LARGER = 2, SUBTRACT = 2, MULTIPLY = 4, RIGHT = 2, BYTES = 1 };

static void minmax_of(const struct use *use, unsigned row, const ir_value *a, const ir_value *b, ir_value *out)
{
    static const enum ir_op one[] = {IR_MINU, IR_MINS, IR_MAXU, IR_MAXS};
    struct importer *im = use->im;
    if (use->words == 1) {
        out[0] = build(im, one[row], a[0], b[0]);
        return;
    }
    ir_value below = int_less(im, row & SIGNED, use->words, a, b);
    int_select(im, use->words, below, row & LARGER ? b : a, row & LARGER ? a : b, out);
}

static void minmax(struct use *use, ir_value *out)
{
    ir_value a[IMPORT_INT_WORDS], b[IMPORT_INT_WORDS];
    extend(use, use->row & SIGNED, use->words, a, b);
    minmax_of(use, use->row, a, b, out);
}

static void absolute(struct use *use, ir_value *out)
{
    struct importer *im = use->im;
    ir_value a[IMPORT_INT_WORDS], minus[IMPORT_INT_WORDS];
    extend(use, true, use->words, a, NULL);
    int_negate(im, use->words, a, minus);
    if (use->words == 1)
        out[0] = build(im, IR_MAXS, a[0], minus[0]);
    else
        int_select(im, use->words, build_imm(im, IR_SHRU, a[use->words - 1], 31), minus, a, out);
}

static void count(struct use *use, ir_value *out)
{
    ir_value (*const functions[])(struct importer *, unsigned, const ir_value *) = {int_popcount, int_leading_zeros,
                                                                                    int_trailing_zeros};
    out[0] = functions[use->row](use->im, use->bits, use->a);
    for (unsigned i = 1; i < use->words; i++)
        out[i] = build_const(use->im, 0);
}

static void reverse(struct use *use, ir_value *out)
{
    int_reverse(use->im, use->bits, use->row & BYTES, use->a, out);
}

/* The exact result, or the bound it exceeded: with a bit to spare, a compare decides. */
static void add_saturating(struct use *use, ir_value *out)
{
    struct importer *im = use->im;
    bool is_signed = use->row & SIGNED, subtract = use->row & SUBTRACT;
    ir_value a[IMPORT_INT_WORDS], b[IMPORT_INT_WORDS], r[IMPORT_INT_WORDS], low[IMPORT_INT_WORDS],
        high[IMPORT_INT_WORDS];
    unsigned words = use->words, top = words - 1;
    extend(use, is_signed, words, a, b);
    (subtract ? int_sub : int_add)(im, words, a, b, r);
    if (!is_signed && subtract) {
        bound(use, false, false, low);
        int_select(im, words, int_less(im, false, words, a, b), low, r, out);
    } else if (use->bits % 32) {
        bound(use, is_signed, true, high);
        bound(use, is_signed, false, low);
        minmax_of(use, is_signed, r, high, r);
        if (is_signed)
            minmax_of(use, SIGNED | LARGER, r, low, r);
        memcpy(out, r, words * sizeof(*out));
    } else if (!is_signed) {
        bound(use, false, true, high);
        int_select(im, words, int_less(im, false, words, r, a), high, r, out);
    } else { /* overflow: the result's sign is neither a's nor the direction of b */
        ir_value sign = build_imm(im, IR_SHRS, a[top], 31), other = subtract ? a[top] : r[top];
        ir_value changed = build(im, IR_XOR, a[top], r[top]);
        ir_value over = build_imm(im, IR_SHRU, build(im, IR_AND, changed, build(im, IR_XOR, b[top], other)), 31);
        for (unsigned i = 0; i < words; i++)
            high[i] = build_imm(im, IR_XOR, sign, i == top ? 0x7fffffff : UINT32_MAX);
        int_select(im, words, over, high, r, out);
    }
}

/* Saturates if shifting back does not reproduce the operand. */
static void shift_saturating(struct use *use, ir_value *out)
{
    struct importer *im = use->im;
    bool is_signed = use->row & SIGNED;
    ir_value a[IMPORT_INT_WORDS], r[IMPORT_INT_WORDS], back[IMPORT_INT_WORDS], low[IMPORT_INT_WORDS],
        high[IMPORT_INT_WORDS], n;
    extend(use, is_signed, use->words, a, NULL);
    int_extend(im, false, use->bits, use->b, 1, &n);
    int_shift(im, IR_SHL, use->words, a, n, r);
    int_extend(im, is_signed, use->bits, r, use->words, r);
    int_shift(im, is_signed ? IR_SHRS : IR_SHRU, use->words, r, n, back);
    bound(use, is_signed, true, high);
    if (is_signed) {
        bound(use, true, false, low);
        int_select(im, use->words, build_imm(im, IR_SHRU, a[use->words - 1], 31), low, high, high);
    }
    int_select(im, use->words, int_equal(im, use->words, a, back), r, high, out);
}

/* Computed wide enough for every result: it overflowed if truncating to the width loses bits. */
static void with_overflow(struct use *use, ir_value *out)
{
    struct importer *im = use->im;
    bool is_signed = use->row & SIGNED;
    unsigned words = use->row & MULTIPLY ? 2 * use->words : use->words + 1;
    ir_value a[IMPORT_INT_WORDS], b[IMPORT_INT_WORDS], r[IMPORT_INT_WORDS], again[IMPORT_INT_WORDS];
    extend(use, is_signed, words, a, b);
    (use->row & MULTIPLY ? int_mul : use->row & SUBTRACT ? int_sub : int_add)(im, words, a, b, r);
    int_extend(im, is_signed, use->bits, r, words, again);
    use->second = build_imm(im, IR_XOR, int_equal(im, words, r, again), 1);
    memcpy(out, r, use->words * sizeof(*out));
}

/* (a:b << n) >> bits, or the low half of (a:b >> n); the separate shift by one keeps n = 0 correct. */
static void funnel(struct use *use, ir_value *out)
{
    struct importer *im = use->im;
    unsigned words = use->words, bits = use->bits;
    bool right = use->row & RIGHT;
    ir_value a[IMPORT_INT_WORDS], b[IMPORT_INT_WORDS], n, rest, one = build_const(im, 1);
    extend(use, false, words, a, b);
    int_extend(im, false, bits, use->c, 1, &n);
    if (bits & (bits - 1)) {
        if (words > 1) {
            import_error(im, use->call, "%u-bit rotation is not supported", bits);
            return;
        }
        n = build_imm(im, IR_REMU, n, bits);
    } else {
        n = build_imm(im, IR_AND, n, bits - 1);
    }
    rest = build(im, IR_SUB, build_const(im, bits - 1), n);
    if (right)
        int_shift(im, IR_SHL, words, a, one, a);
    else
        int_shift(im, IR_SHRU, words, b, one, b);
    int_shift(im, IR_SHL, words, a, right ? rest : n, a);
    int_shift(im, IR_SHRU, words, b, right ? n : rest, b);
    for (unsigned i = 0; i < words; i++)
        out[i] = build(im, IR_OR, a[i], b[i]);
}

/* -1, 0 or 1 */
static void three_way(struct use *use, ir_value *out)
{
    struct importer *im = use->im;
    ir_value a[IMPORT_INT_WORDS], b[IMPORT_INT_WORDS];
    extend(use, use->row & SIGNED, use->words, a, b);
    ir_value above = int_less(im, use->row & SIGNED, use->words, b, a);
    out[0] = build(im, IR_SUB, above, int_less(im, use->row & SIGNED, use->words, a, b));
    for (unsigned i = 1; i < use->out_words; i++)
        out[i] = build_imm(im, IR_SHRS, out[0], 31);
}

/* ---- floats ---- */

static void float_op(struct use *use, ir_value *out)
{
    float_operation(use->im, use->bits, (enum ir_op)use->row, use->a, use->b, use->c, out);
}

static void magnitude(struct use *use, ir_value *out)
{
    if (use->bits == 64)
        build_unpack(use->im, build(use->im, IR_DABS, build_pack(use->im, use->a), 0), out);
    else
        out[0] = build_imm(use->im, IR_AND, use->a[0], use->bits == 16 ? 0x7fffu : 0x7fffffffu);
}

/* IR_FMIN and IR_FMAX already order -0 before 0. */
void import_minmax_nan(struct importer *im, unsigned bits, enum ir_op op, const ir_value *a, const ir_value *b,
                       ir_value *out)
{
    ir_value ordered = float_compare(im, bits, LLVMRealORD, a, b), number[2], sum[2];
    float_operation(im, bits, op, a, b, NULL, number);
    float_operation(im, bits, IR_FADD, a, b, NULL, sum);
    int_select(im, int_words(bits), ordered, number, sum, out);
}

static void minmax_nan(struct use *use, ir_value *out)
{
    import_minmax_nan(use->im, use->bits, (enum ir_op)use->row, use->a, use->b, out);
}

static void trap(struct use *use, ir_value *out)
{
    (void)out;
    build(use->im, IR_TRAP, 0, 0);
}

static void canonical(struct use *use, ir_value *out)
{
    ir_value zero = build_const(use->im, 0), one[2] = {zero, build_const(use->im, 0x3ff00000u)};
    if (use->bits == 32)
        one[0] = build_const(use->im, 0x3f800000u);
    float_operation(use->im, use->bits, IR_FMUL, use->a, one, NULL, out);
}

/* The machine saturates too, but converts a NaN to the largest number, where LLVM wants 0. */
static void to_int_saturating(struct use *use, ir_value *out)
{
    struct importer *im = use->im;
    unsigned elements;
    bool is_signed = use->row & SIGNED;
    unsigned bits = import_int_bits(import_element(LLVMTypeOf(use->call), &elements));
    if (use->bits == 64 && bits <= 64) {
        double_to_int_saturating(im, is_signed, bits, use->a, out);
        return;
    }
    if (bits > 32) {
        import_error(im, use->call, "conversion between float and %u-bit integers is not supported", bits);
        return;
    }
    ir_value x = build(im, is_signed ? IR_FTOS : IR_FTOU, use->a[0], 0);
    if (bits < 32 && is_signed) {
        x = build_imm(im, IR_MINS, x, (1u << (bits - 1)) - 1);
        x = build_imm(im, IR_MAXS, x, ~0u << (bits - 1));
    } else if (bits < 32) {
        x = build_imm(im, IR_MINU, x, (1u << bits) - 1);
    }
    ir_value ordered = build(im, IR_FEQ, use->a[0], use->a[0]);
    out[0] = build_select(im, ordered, x, build_const(im, 0));
}

/* Classes are ranges of the bits without the sign.  The mask has a bit per class: the two kinds of NaN, then negative
 * numbers from infinity down, then positive numbers up. */
static void float_class(struct use *use, ir_value *out)
{
    static const struct {
        unsigned negative, positive;
    } classes[] = {{0x001, 0x001}, {0x002, 0x002}, {0x004, 0x200}, {0x008, 0x100}, {0x010, 0x080}, {0x020, 0x040}};
    struct importer *im = use->im;
    const unsigned bits = use->bits, fraction = bits == 64 ? 52 : bits == 32 ? 23 : 10, words = use->words;
    const uint64_t hidden = 1ull << fraction, infinity = ((1ull << (bits - 1 - fraction)) - 1) << fraction;
    const uint64_t first[] = {infinity + 1, infinity + hidden / 2, infinity, hidden, 1, 0}; /* and how many: */
    const uint64_t size[] = {hidden / 2 - 1, hidden / 2, 1, infinity - hidden, hidden - 1, 1};
    unsigned mask = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(use->call, 1));
    ir_value number[2], sign = build_imm(im, IR_SHRU, use->a[words - 1], (bits - 1) % 32);
    if (bits == 16)
        sign = build_imm(im, IR_AND, sign, 1);
    memcpy(number, use->a, words * sizeof(*number));
    number[words - 1] = build_imm(im, IR_AND, number[words - 1], (1u << (bits - 1) % 32) - 1);
    out[0] = build_const(im, 0);
    for (size_t i = 0; i < CY_COUNT(classes); i++) {
        bool negative = mask & classes[i].negative, positive = mask & classes[i].positive;
        if (!negative && !positive)
            continue;
        ir_value low[2], count[2], offset[2];
        for (unsigned k = 0; k < 2; k++) {
            low[k] = build_const(im, (uint32_t)(first[i] >> 32 * k));
            count[k] = build_const(im, (uint32_t)(size[i] >> 32 * k));
        }
        int_sub(im, words, number, low, offset);
        ir_value in = int_less(im, false, words, offset, count);
        if (!positive)
            in = build(im, IR_AND, in, sign);
        else if (!negative)
            in = build(im, IR_AND, in, build_imm(im, IR_XOR, sign, 1));
        out[0] = build(im, IR_OR, out[0], in);
    }
}

/* ---- the rest ---- */

static void same(struct use *use, ir_value *out)
{
    memcpy(out, use->a, use->words * sizeof(*out));
}

static void number(struct use *use, ir_value *out)
{
    for (unsigned i = 0; i < use->out_words; i++)
        out[i] = build_const(use->im, i ? 0 : use->row);
}

/* Object sizes are unknown: return the maximum or minimum. */
static void object_size(struct use *use, ir_value *out)
{
    bool smallest = LLVMConstIntGetZExtValue(LLVMGetOperand(use->call, 1)) != 0;
    for (unsigned i = 0; i < use->out_words; i++)
        out[i] = build_const(use->im, smallest ? 0 : UINT32_MAX);
}

static void mask_pointer(struct use *use, ir_value *out)
{
    out[0] = build(use->im, IR_AND, use->a[0], use->b[0]);
}

static const struct intrinsic {
    const char *name; /* without "llvm." and types */
    void (*make)(struct use *use, ir_value *out);
    unsigned row;
} intrinsics[] = {
    {"umin", minmax, 0},
    {"smin", minmax, SIGNED},
    {"umax", minmax, LARGER},
    {"smax", minmax, SIGNED | LARGER},
    {"abs", absolute, 0},
    {"ctpop", count, 0},
    {"ctlz", count, 1},
    {"cttz", count, 2},
    {"bswap", reverse, BYTES},
    {"bitreverse", reverse, 0},
    {"uadd.sat", add_saturating, 0},
    {"sadd.sat", add_saturating, SIGNED},
    {"usub.sat", add_saturating, SUBTRACT},
    {"ssub.sat", add_saturating, SIGNED | SUBTRACT},
    {"ushl.sat", shift_saturating, 0},
    {"sshl.sat", shift_saturating, SIGNED},
    {"uadd.with.overflow", with_overflow, 0},
    {"sadd.with.overflow", with_overflow, SIGNED},
    {"usub.with.overflow", with_overflow, SUBTRACT},
    {"ssub.with.overflow", with_overflow, SIGNED | SUBTRACT},
    {"umul.with.overflow", with_overflow, MULTIPLY},
    {"smul.with.overflow", with_overflow, SIGNED | MULTIPLY},
    {"fshl", funnel, 0},
    {"fshr", funnel, RIGHT},
    {"ucmp", three_way, 0},
    {"scmp", three_way, SIGNED},
    {"fma", float_op, IR_FMA},
    {"fmuladd", float_op, IR_FMA},
    {"sqrt", float_op, IR_FSQRT},
    {"copysign", float_op, IR_FSGNJ},
    {"minnum", float_op, IR_FMIN},
    {"maxnum", float_op, IR_FMAX},
    {"minimum", minmax_nan, IR_FMIN},
    {"maximum", minmax_nan, IR_FMAX},
    {"fabs", magnitude, 0},
    {"canonicalize", canonical, 0},
    {"fptosi.sat", to_int_saturating, SIGNED},
    {"fptoui.sat", to_int_saturating, 0},
    {"is.fpclass", float_class, 0},
    {"arithmetic.fence", same, 0},
    {"expect", same, 0},
    {"expect.with.probability", same, 0},
    {"ssa.copy", same, 0},
    {"launder.invariant.group", same, 0},
    {"strip.invariant.group", same, 0},
    {"ptr.annotation", same, 0},
    {"annotation", same, 0},
    {"invariant.start", number, 0},
    {"stacksave", number, 0},
    {"is.constant", number, 0},
    {"get.rounding", number, 1}, /* to nearest, ties to even */
    {"objectsize", object_size, 0},
    {"ptrmask", mask_pointer, 0},
    {"trap", trap, 0},
    {"debugtrap", trap, 0},
    {"ubsantrap", trap, 0},
};

/* Intrinsics without meaning for us. */
static const char *const ignored[] = {
    "lifetime.start", "lifetime.end",
    "dbg.value",      "dbg.declare",
    "dbg.label",      "dbg.assign",
    "assume",         "donothing",
    "prefetch",       "sideeffect",
    "invariant.end",  "stackrestore",
    "var.annotation", "experimental.noalias.scope.decl",
    "pseudoprobe",
};

static void import_elements(struct importer *im, LLVMValueRef call, const struct intrinsic *row)
{
    unsigned count = LLVMGetNumArgOperands(call), elements = 1, widths[3] = {0}, lanes[3] = {0};
    ir_value in[3][IMPORT_MAX_WORDS], out[IMPORT_MAX_WORDS], seconds[IMPORT_MAX_WORDS];
    LLVMTypeRef type = LLVMTypeOf(call), operand = NULL;
    bool two = import_is(type, LLVMStructTypeKind);
    unsigned out_elements, out_words;
    out_words = import_word_count(im, import_element(two ? LLVMStructGetTypeAtIndex(type, 0) : type, &out_elements));
    for (unsigned i = 0; i < count && i < 3; i++) {
        LLVMTypeRef element = import_element(LLVMTypeOf(LLVMGetOperand(call, i)), &lanes[i]);
        if (import_is(element, LLVMMetadataTypeKind))
            continue;
        widths[i] = import_word_count(im, element);
        import_get(im, LLVMGetOperand(call, i), in[i], lanes[i] * widths[i]);
        if (i == 0) {
            operand = element;
            elements = lanes[0];
        }
    }
    if (im->failed)
        return;
    struct use use = {.im = im, .call = call, .out_words = out_words, .row = row->row};
    use.bits = operand ? import_int_bits(operand) : 32;
    use.words = operand ? widths[0] : 1;
    for (unsigned e = 0; e < elements; e++) { /* flags of ctlz, abs ... are the same for all elements */
        const ir_value *at[3];
        for (int i = 0; i < 3; i++)
            at[i] = in[i] + (lanes[i] > 1 ? e * widths[i] : 0);
        use.a = at[0], use.b = at[1], use.c = at[2];
        row->make(&use, out + e * out_words);
        seconds[e] = use.second;
    }
    if (two)
        memcpy(out + elements * out_words, seconds, elements * sizeof(*out));
    import_set(im, call, out, elements * (out_words + two));
}

/* Reductions of a vector; the sum and product of floats have a start operand. */
static bool import_reduction(struct importer *im, LLVMValueRef call, const char *name)
{
    static const struct {
        const char *name;
        enum ir_op op;         /* of words */
        const char *intrinsic; /* or this one */
    } rows[] = {
        {"add", IR_NONE, NULL},
        {"mul", IR_NONE, NULL},
        {"and", IR_AND, NULL},
        {"or", IR_OR, NULL},
        {"xor", IR_XOR, NULL},
        {"fadd", IR_FADD, NULL},
        {"fmul", IR_FMUL, NULL},
        {"fmin", IR_FMIN, NULL},
        {"fmax", IR_FMAX, NULL},
        {"smin", IR_NONE, "smin"},
        {"smax", IR_NONE, "smax"},
        {"umin", IR_NONE, "umin"},
        {"umax", IR_NONE, "umax"},
        {"fminimum", IR_NONE, "minimum"},
        {"fmaximum", IR_NONE, "maximum"},
    };
    size_t r = 0, i = 0;
    while (r < CY_COUNT(rows) && strcmp(name, rows[r].name) != 0)
        r++;
    if (r == CY_COUNT(rows))
        return false;
    unsigned count = LLVMGetNumArgOperands(call), elements;
    LLVMTypeRef type = import_element(LLVMTypeOf(LLVMGetOperand(call, count - 1)), &elements);
    unsigned words = import_word_count(im, type), bits = import_int_bits(type);
    ir_value all[IMPORT_MAX_WORDS], result[IMPORT_INT_WORDS];
    import_get(im, LLVMGetOperand(call, count - 1), all, elements * words);
    memcpy(result, all, words * sizeof(*result));
    if (count > 1) {
        import_get(im, LLVMGetOperand(call, 0), result, words);
        float_operation(im, bits, rows[r].op, result, all, NULL, result);
    }
    while (rows[r].intrinsic && strcmp(intrinsics[i].name, rows[r].intrinsic) != 0)
        i++;
    for (unsigned e = 1; e < elements; e++) {
        const ir_value *next = all + e * words;
        struct use use = {.im = im,
                          .call = call,
                          .bits = bits,
                          .words = words,
                          .out_words = words,
                          .a = result,
                          .b = next,
                          .row = intrinsics[i].row};
        if (rows[r].intrinsic)
            intrinsics[i].make(&use, result);
        else if (name[0] == 'f')
            float_operation(im, bits, rows[r].op, result, next, NULL, result);
        else if (rows[r].op == IR_NONE)
            (name[0] == 'a' ? int_add : int_mul)(im, words, result, next, result);
        else
            for (unsigned w = 0; w < words; w++)
                result[w] = build(im, rows[r].op, result[w], next[w]);
    }
    if (bits == 1)
        result[0] = build_imm(im, IR_AND, result[0], 1);
    import_set(im, call, result, words);
    return true;
}

bool import_intrinsic(struct importer *im, LLVMValueRef call)
{
    static const char llvm[] = "llvm.", reduce[] = "vector.reduce.";
    size_t length;
    unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(call));
    const char *name = id ? LLVMIntrinsicGetName(id, &length) + strlen(llvm) : "";
    for (size_t i = 0; i < CY_COUNT(ignored); i++)
        if (!strcmp(name, ignored[i]))
            return true;
    if (!strncmp(name, reduce, strlen(reduce)))
        return import_reduction(im, call, name + strlen(reduce));
    for (size_t i = 0; i < CY_COUNT(intrinsics); i++)
        if (!strcmp(name, intrinsics[i].name)) {
            import_elements(im, call, &intrinsics[i]);
            return true;
        }
    return false;
}
