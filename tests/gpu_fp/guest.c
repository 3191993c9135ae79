/* The exact functions against qemu's RISC-V, instruction by instruction.
 *
 *     guest cases            writes the cases to standard output
 *     guest compare FILE     FILE is what the guest program made of them */
#include "guest_case.h"
#include "values.h"
#include "support/test.h"

enum width { WIDTH_h = 16, WIDTH_w = 32, WIDTH_d = 64, WIDTH_x = 64 };
#define WIDTH_8 8
#define WIDTH_16 16
#define WIDTH_32 32
#define WIDTH_64 64

struct instruction {
    const char *name;
    const struct format *format;
    int operands, result_bits;
};

static const struct instruction instructions[] = {
#define SCALAR1(name, format, in, out, instruction, exact) {#name, &format, 1, WIDTH_##out},
#define SCALAR2(name, format, in, out, instruction, exact) {#name, &format, 2, WIDTH_##out},
#define SCALAR3(name, format, in, out, instruction, exact) {#name, &format, 3, WIDTH_##out},
#define VECTOR1 SCALAR1
#include "guest.h"
#undef SCALAR1
#undef SCALAR2
#undef SCALAR3
#undef VECTOR1
};

typedef uint16_t word_f16;
typedef uint32_t word_f32;
typedef uint64_t word_f64;

static uint64_t exact(const struct guest_case *item, struct cy_fp *fp)
{
    switch (item->instruction) {
#define A ((WORD)item->a)
#define B ((WORD)item->b)
#define C ((WORD)item->c)
#define EXACT(name, format, in, out, instruction, exact)                                                               \
    case GUEST_##name: {                                                                                               \
        typedef word_##format WORD;                                                                                    \
        return (uint64_t)(exact);                                                                                      \
    }
#define SCALAR1 EXACT
#define SCALAR2 EXACT
#define SCALAR3 EXACT
#define VECTOR1 EXACT
#include "guest.h"
    }
    return 0;
}

static void write_case(const struct guest_case *item)
{
    if (fwrite(item, sizeof(*item), 1, stdout) != 1)
        exit(2);
}

/* Edge values in all rounding modes, then random ones. */
static void write_cases(void)
{
    uint64_t state = UINT64_C(0xfedcba987654321);
    for (uint16_t n = 0; n < GUEST_COUNT; n++) {
        const struct instruction *insn = &instructions[n];
        const struct format *f = insn->format;
        uint64_t v[MAX_EDGES];
        int count = edge_values(f, v);
        struct guest_case item = {.instruction = n};
        for (int i = 0; i < count; i++)
            for (int j = insn->operands > 1 ? i % 3 : 0; j < (insn->operands > 1 ? count : 1); j += 3)
                for (item.rm = 0; item.rm <= CY_FP_RMM; item.rm++) {
                    item.a = v[i];
                    item.b = v[j];
                    item.c = v[(i + 5 * j + item.rm) % count];
                    write_case(&item);
                }
        for (int i = 0; i < 1000; i++) {
            item.rm = (uint8_t)(i % 5);
            item.a = random_operand(f, &state, (uint64_t)f->bias << f->mant);
            item.b = random_operand(f, &state, item.a);
            struct cy_fp fp = {0, 0};
            item.c = random_operand(f, &state, f->mul(&fp, item.a, item.b));
            write_case(&item);
        }
    }
}

static int compare(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!CHECK(file != NULL))
        return test_finish();
    struct guest_case item;
    unsigned seen[GUEST_COUNT] = {0};
    while (fread(&item, sizeof(item), 1, file) == 1) {
        if (!CHECK(item.instruction < GUEST_COUNT))
            break;
        struct cy_fp fp = {item.rm, 0};
        const struct instruction *insn = &instructions[item.instruction];
        uint64_t mask = UINT64_MAX >> (64 - insn->result_bits), got = exact(&item, &fp) & mask;
        seen[item.instruction]++;
        if (test_record(got == (item.result & mask) && fp.flags == item.flags))
            fprintf(stderr,
                    "%s(%" PRIx64 ", %" PRIx64 ", %" PRIx64 ") rm %u: %" PRIx64 " flags %x, qemu %" PRIx64
                    " flags %x\n",
                    insn->name, item.a, item.b, item.c, item.rm, got, fp.flags, item.result & mask, item.flags);
    }
    fclose(file);
    for (int i = 0; i < GUEST_COUNT; i++)
        CHECK(seen[i] > 100);
    return test_finish();
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "compare") == 0)
        return compare(argv[2]);
    write_cases();
    return 0;
}
