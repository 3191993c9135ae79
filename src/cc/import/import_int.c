/* Integers of any width, as lists of words, lowest first.  LLVM's optimiser creates all kinds of them (i3, i33, i128),
 * so nothing here assumes a width. */
#include "cc/import/import_priv.h"

#include <string.h>

unsigned int_words(unsigned bits)
{
    return (bits + 31) / 32;
}

static bool is_const(const struct importer *im, ir_value value, uint32_t *out)
{
    const struct ir_insn *insn = ir_at(im->func, value);
    *out = (uint32_t)insn->imm;
    return insn->op == IR_CONST;
}

ir_value build_select(struct importer *im, ir_value condition, ir_value then, ir_value otherwise)
{
    if (im->module->check) { /* the back end computes with both; a checker must see that only one matters */
        ir_value mask = build(im, IR_SUB, im->zero, condition);
        then = build(im, IR_AND, then, mask);
        mask = build_imm(im, IR_XOR, mask, UINT32_MAX);
        otherwise = build(im, IR_AND, otherwise, mask);
        return build(im, IR_OR, then, otherwise);
    }
    return emit3(im, IR_SELECT, condition, then, otherwise);
}

void int_extend(struct importer *im, bool is_signed, unsigned bits, const ir_value *a, unsigned words, ir_value *out)
{
    unsigned have = int_words(bits), top = bits - 32 * (have - 1);
    for (unsigned i = 0; i < words && i < have; i++)
        out[i] = a[i];
    if (words < have)
        return;
    if (is_signed)
        out[have - 1] = build_sext(im, out[have - 1], top);
    else if (bits > 1 && top < 32) /* an i1 has no bits above its own */
        out[have - 1] = build_imm(im, IR_AND, out[have - 1], (1u << top) - 1);
    ir_value fill = 0;
    if (words > have)
        fill = is_signed ? build_imm(im, IR_SHRS, out[have - 1], 31) : build_const(im, 0);
    for (unsigned i = have; i < words; i++)
        out[i] = fill;
}

void int_select(struct importer *im, unsigned words, ir_value condition, const ir_value *then,
                const ir_value *otherwise, ir_value *out)
{
    for (unsigned i = 0; i < words; i++)
        out[i] = build_select(im, condition, then[i], otherwise[i]);
}

/* ---- sums and products ---- */

/* a + b, where 0 means absent, with the carry out in *carry (may be NULL), again 0 for none. */
static ir_value sum(struct importer *im, ir_value a, ir_value b, ir_value *carry)
{
    if (carry)
        *carry = 0;
    if (!a || !b)
        return a ? a : b;
    ir_value result = build(im, IR_ADD, a, b);
    if (carry)
        *carry = build(im, IR_LTU, result, b);
    return result;
}

void int_add(struct importer *im, unsigned words, const ir_value *a, const ir_value *b, ir_value *out)
{
    ir_value carry = 0;
    if (words == 2 && import_pointer_words(im) == 2) {
        ir_value left = import_pair(im, a[0], a[1]), right = import_pair(im, b[0], b[1]);
        import_pair_words(im, build(im, IR_SUM, left, right), out);
        return;
    }
    for (unsigned i = 0; i < words; i++) {
        ir_value first, second;
        bool last = i + 1 == words;
        ir_value part = sum(im, b[i], a[i], last ? NULL : &first);
        out[i] = sum(im, part, carry, last ? NULL : &second);
        if (!last)
            carry = sum(im, first, second, NULL);
    }
}

void int_sub(struct importer *im, unsigned words, const ir_value *a, const ir_value *b, ir_value *out)
{
    ir_value borrow = 0;
    for (unsigned i = 0; i < words; i++) {
        ir_value part = build(im, IR_SUB, a[i], b[i]), next = 0;
        if (i + 1 < words)
            next = build(im, IR_LTU, a[i], b[i]);
        out[i] = borrow ? build(im, IR_SUB, part, borrow) : part;
        if (i + 1 < words && borrow)
            next = build(im, IR_OR, next, build(im, IR_LTU, part, borrow));
        borrow = next;
    }
}

/* Schoolbook multiplication, truncated to the width. */
void int_mul(struct importer *im, unsigned words, const ir_value *a, const ir_value *b, ir_value *out)
{
    ir_value result[IMPORT_INT_WORDS] = {0};
    for (unsigned i = 0; i < words; i++) {
        ir_value carry = 0;
        for (unsigned j = 0; i + j < words; j++) {
            ir_value first = 0, second = 0, low = build(im, IR_MUL, a[i], b[j]);
            bool last = i + j + 1 == words;
            ir_value high = last ? 0 : build(im, IR_MULHU, a[i], b[j]);
            low = sum(im, low, carry, last ? NULL : &first);
            result[i + j] = sum(im, result[i + j], low, last ? NULL : &second);
            carry = sum(im, sum(im, high, first, NULL), second, NULL);
        }
    }
    memcpy(out, result, words * sizeof(*out));
}

void int_negate(struct importer *im, unsigned words, const ir_value *a, ir_value *out)
{
    ir_value zero[IMPORT_INT_WORDS];
    for (unsigned i = 0; i < words; i++)
        zero[i] = build_const(im, 0);
    int_sub(im, words, zero, a, out);
}

/* ---- shifts ---- */

/* The word that lands in word `at` when whole words move by `by` (left: towards higher words); `fill` is shifted in. */
static ir_value moved(const ir_value *a, unsigned words, unsigned at, unsigned by, bool left, ir_value fill)
{
    if (left)
        return at >= by ? a[at - by] : fill;
    return at + by < words ? a[at + by] : fill;
}

static void shift_const(struct importer *im, enum ir_op op, unsigned words, const ir_value *a, unsigned n,
                        ir_value fill, ir_value *out)
{
    unsigned whole = n / 32, bits = n % 32;
    bool left = op == IR_SHL;
    enum ir_op other = left ? IR_SHRU : IR_SHL;
    ir_value result[IMPORT_INT_WORDS];
    for (unsigned i = 0; i < words; i++) {
        ir_value near = moved(a, words, i, whole, left, fill), far = moved(a, words, i, whole + 1, left, fill);
        result[i] = near;
        if (!bits)
            continue;
        bool edge = left ? i <= whole : i + whole + 1 >= words; /* only the fill is shifted in */
        result[i] = near == fill ? fill : build_imm(im, edge || left ? op : IR_SHRU, near, bits);
        if (!edge)
            result[i] = build(im, IR_OR, result[i], build_imm(im, other, far, 32 - bits));
    }
    memcpy(out, result, words * sizeof(*out));
}

/* First whole words, by the bits of the amount above the low five; then within the words by the low five bits, which is
 * all the machine uses.  Bits that cross a word boundary go through (x >> 1) >> (31 - n), which is correct for n =
 * 0. */
void int_shift(struct importer *im, enum ir_op op, unsigned words, const ir_value *a, ir_value n, ir_value *out)
{
    uint32_t known;
    bool left = op == IR_SHL;
    if (words == 1) {
        out[0] = build(im, op, a[0], n);
        return;
    }
    ir_value fill = op == IR_SHRS ? build_imm(im, IR_SHRS, a[words - 1], 31) : build_const(im, 0);
    if (is_const(im, n, &known)) {
        shift_const(im, op, words, a, known, fill, out);
        return;
    }
    ir_value now[IMPORT_INT_WORDS], next[IMPORT_INT_WORDS], rest = build_imm(im, IR_XOR, n, 31);
    memcpy(now, a, words * sizeof(*now));
    for (unsigned by = 1, bit = 5; by < words; by *= 2, bit++) {
        ir_value across = build_imm(im, IR_AND, build_imm(im, IR_SHRU, n, bit), 1);
        for (unsigned i = 0; i < words; i++)
            next[i] = build_select(im, across, moved(now, words, i, by, left, fill), now[i]);
        memcpy(now, next, words * sizeof(*now));
    }
    for (unsigned i = 0; i < words; i++) {
        bool edge = left ? i == 0 : i + 1 == words;
        next[i] = build(im, edge || left ? op : IR_SHRU, now[i], n);
        if (!edge && left)
            next[i] = build(im, IR_OR, next[i], build(im, IR_SHRU, build_imm(im, IR_SHRU, now[i - 1], 1), rest));
        else if (!edge)
            next[i] = build(im, IR_OR, next[i], build(im, IR_SHL, build_imm(im, IR_SHL, now[i + 1], 1), rest));
    }
    memcpy(out, next, words * sizeof(*out));
}

/* ---- compares ---- */

static ir_value less(struct importer *im, bool is_signed, unsigned words, const ir_value *a, const ir_value *b,
                     enum ir_op low, enum ir_op high_signed, enum ir_op high_unsigned)
{
    enum ir_op high = is_signed ? high_signed : high_unsigned;
    ir_value result = build(im, words == 1 ? high : low, a[0], b[0]);
    for (unsigned i = 1; i < words; i++) { /* a higher word decides unless equal */
        ir_value equal = build(im, IR_EQ, a[i], b[i]), here = build(im, i + 1 == words ? high : low, a[i], b[i]);
        result = build_select(im, equal, result, here);
    }
    return result;
}

ir_value int_less(struct importer *im, bool is_signed, unsigned words, const ir_value *a, const ir_value *b)
{
    uint32_t high;
    /* Of a size and a word, as loops end with: the size's high word is 0, and so less than 1, which its low word decides. */
    if (!is_signed && words == 2 && import_pointer_words(im) == 2 && is_const(im, b[1], &high) && !high)
        return build(im, IR_LTU, a[1], build(im, IR_LTU, a[0], b[0]));
    return less(im, is_signed, words, a, b, IR_LTU, IR_LTS, IR_LTU);
}

ir_value int_equal(struct importer *im, unsigned words, const ir_value *a, const ir_value *b)
{
    ir_value result = build(im, IR_EQ, a[0], b[0]);
    for (unsigned i = 1; i < words; i++)
        result = build(im, IR_AND, result, build(im, IR_EQ, a[i], b[i]));
    return result;
}

static ir_value unequal(struct importer *im, unsigned words, const ir_value *a, const ir_value *b)
{
    ir_value result = build(im, IR_NE, a[0], b[0]);
    for (unsigned i = 1; i < words; i++)
        result = build(im, IR_OR, result, build(im, IR_NE, a[i], b[i]));
    return result;
}

ir_value int_compare(struct importer *im, LLVMIntPredicate predicate, unsigned bits, const ir_value *a,
                     const ir_value *b)
{
    bool is_signed = predicate >= LLVMIntSGT;
    unsigned words = int_words(bits);
    ir_value x[IMPORT_INT_WORDS], y[IMPORT_INT_WORDS];
    int_extend(im, is_signed, bits, a, words, x);
    int_extend(im, is_signed, bits, b, words, y);
    switch (predicate) {
    case LLVMIntEQ: return int_equal(im, words, x, y);
    case LLVMIntNE: return unequal(im, words, x, y);
    case LLVMIntULT:
    case LLVMIntSLT: return int_less(im, is_signed, words, x, y);
    case LLVMIntUGT:
    case LLVMIntSGT: return int_less(im, is_signed, words, y, x);
    case LLVMIntUGE:
    case LLVMIntSGE: return less(im, is_signed, words, x, y, IR_GEU, IR_GES, IR_GEU);
    case LLVMIntULE:
    case LLVMIntSLE: return less(im, is_signed, words, y, x, IR_GEU, IR_GES, IR_GEU);
    }
    return im->zero;
}

/* ---- bits ---- */

static ir_value popcount(struct importer *im, ir_value x)
{
    x = build(im, IR_SUB, x, build_imm(im, IR_AND, build_imm(im, IR_SHRU, x, 1), 0x55555555u));
    ir_value low = build_imm(im, IR_AND, x, 0x33333333u);
    x = build(im, IR_ADD, low, build_imm(im, IR_AND, build_imm(im, IR_SHRU, x, 2), 0x33333333u));
    x = build_imm(im, IR_AND, build(im, IR_ADD, x, build_imm(im, IR_SHRU, x, 4)), 0x0f0f0f0fu);
    return build_imm(im, IR_SHRU, build_imm(im, IR_MUL, x, 0x01010101u), 24);
}

/* Smear the highest bit downwards and count the zeros above it. */
static ir_value leading_zeros(struct importer *im, ir_value x)
{
    for (unsigned shift = 1; shift < 32; shift *= 2)
        x = build(im, IR_OR, x, build_imm(im, IR_SHRU, x, shift));
    return popcount(im, build_imm(im, IR_XOR, x, UINT32_MAX));
}

static ir_value trailing_zeros(struct importer *im, ir_value x) /* the ones below the lowest set bit */
{
    ir_value inverse = build_imm(im, IR_XOR, x, UINT32_MAX);
    return popcount(im, build(im, IR_AND, inverse, build_imm(im, IR_ADD, x, UINT32_MAX)));
}

ir_value int_popcount(struct importer *im, unsigned bits, const ir_value *a)
{
    unsigned words = int_words(bits);
    ir_value x[IMPORT_INT_WORDS];
    int_extend(im, false, bits, a, words, x);
    ir_value count = popcount(im, x[0]);
    for (unsigned i = 1; i < words; i++)
        count = build(im, IR_ADD, count, popcount(im, x[i]));
    return count;
}

ir_value int_leading_zeros(struct importer *im, unsigned bits, const ir_value *a)
{
    unsigned words = int_words(bits);
    ir_value x[IMPORT_INT_WORDS];
    int_extend(im, false, bits, a, words, x);
    ir_value count = leading_zeros(im, x[0]);
    for (unsigned i = 1; i < words; i++) {
        ir_value none = build_imm(im, IR_EQ, x[i], 0), further = build_imm(im, IR_ADD, count, 32);
        count = build_select(im, none, further, leading_zeros(im, x[i]));
    }
    return build_imm(im, IR_SUB, count, 32 * words - bits);
}

ir_value int_trailing_zeros(struct importer *im, unsigned bits, const ir_value *a)
{
    unsigned words = int_words(bits);
    ir_value top = a[words - 1];
    if (bits % 32) /* a one above the width stops the count there */
        top = build_imm(im, IR_OR, top, 1u << bits % 32);
    ir_value count = trailing_zeros(im, top);
    for (unsigned i = words - 1; i-- > 0;) {
        ir_value none = build_imm(im, IR_EQ, a[i], 0), further = build_imm(im, IR_ADD, count, 32);
        count = build_select(im, none, further, trailing_zeros(im, a[i]));
    }
    return count;
}

/* Swaps adjacent groups of `size` bits. */
static ir_value exchange(struct importer *im, ir_value x, unsigned size, uint32_t lower)
{
    ir_value up = build_imm(im, IR_SHL, build_imm(im, IR_AND, x, lower), size);
    return build(im, IR_OR, up, build_imm(im, IR_AND, build_imm(im, IR_SHRU, x, size), lower));
}

void int_reverse(struct importer *im, unsigned bits, bool bytes_only, const ir_value *a, ir_value *out)
{
    unsigned words = int_words(bits);
    ir_value x[IMPORT_INT_WORDS];
    for (unsigned i = 0; i < words; i++) {
        ir_value word = a[words - 1 - i];
        if (!bytes_only) {
            word = exchange(im, word, 1, 0x55555555u);
            word = exchange(im, word, 2, 0x33333333u);
            word = exchange(im, word, 4, 0x0f0f0f0fu);
        }
        word = exchange(im, word, 8, 0x00ff00ffu);
        ir_value up = build_imm(im, IR_SHL, word, 16);
        x[i] = build(im, IR_OR, up, build_imm(im, IR_SHRU, word, 16));
    }
    int_shift(im, IR_SHRU, words, x, build_const(im, 32 * words - bits), out);
}
