/* The lane loops: each EXPR row of the table becomes two functions, one for all lanes and one under a mask.
 *
 * The first also computes lanes that have ended: nothing reads their registers any more, and the loop stays
 * branch-free.  A row of registers may be both source and destination; that is no dependency between lanes, which is
 * what IVDEP tells the compiler. */
#if defined(__clang__)                           /* first, because it takes effect where the table is first included */
#pragma clang diagnostic ignored "-Wpass-failed" /* division and the special functions stay scalar */
#endif
#include "epic/epic_priv.h"
#include "epic/float.h"

#if defined(__clang__)
#define IVDEP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define IVDEP _Pragma("GCC ivdep")
#else
#define IVDEP
#endif

/* The flags column's names without prefix. */
enum {
#define FLAG(name, bit, text) name = 1 << bit,
#include "isa/flags.def"
};

/* As RISC-V: a quotient by zero is all ones, a remainder by zero the dividend; INT_MIN / -1 is INT_MIN. */
static inline uint32_t i_div(int32_t x, int32_t y)
{
    if (y == 0)
        return UINT32_MAX;
    return y == -1 ? 0u - (uint32_t)x : (uint32_t)(x / y);
}

static inline uint32_t i_rem(int32_t x, int32_t y)
{
    if (y == 0)
        return (uint32_t)x;
    return y == -1 ? 0 : (uint32_t)(x % y);
}

/* The second operand of each format that an EXPR row can have. */
#define Y_ER ys[i]
#define Y_EF ys[i]
#define Y_ER1 0
#define Y_EF1 0
#define Y_EI imm
#define Y_EU imm

#define OPERANDS                                                                                                       \
    uint32_t *const rd = core->rows + insn->rd, *const pred = core_row(core, ROW_PRED);                                \
    const uint32_t *const xs = core->rows + insn->rs1, *const ys = core->rows + insn->rs2;                             \
    const uint32_t imm = insn->imm;                                                                                    \
    const size_t lanes = core->stride / CHUNK * CHUNK; /* already a multiple: this tells the compiler */               \
    (void)xs, (void)ys, (void)imm, (void)pred

#define VALUE(format, ...)                                                                                             \
    const uint32_t x = xs[i], y = Y_##format, d = rd[i];                                                               \
    const int32_t sx = (int32_t)x, sy = (int32_t)y;                                                                    \
    (void)x, (void)y, (void)d, (void)sx, (void)sy;                                                                     \
    const uint32_t value = (uint32_t)(__VA_ARGS__)

#define EXPR(id, mnemonic, format, match, gens, sched, flags, ...)                                                     \
    static const struct insn *full_##id(struct core *core, const struct insn *insn)                                    \
    {                                                                                                                  \
        OPERANDS;                                                                                                      \
        IVDEP                                                                                                          \
        for (size_t i = 0; i < lanes; i++) {                                                                           \
            VALUE(format, __VA_ARGS__);                                                                                \
            rd[i] = value;                                                                                             \
            if ((flags)&SETP)                                                                                          \
                pred[i] = 0u - value;                                                                                  \
        }                                                                                                              \
        return insn + 1;                                                                                               \
    }                                                                                                                  \
    static const struct insn *masked_##id(struct core *core, const struct insn *insn)                                  \
    {                                                                                                                  \
        OPERANDS;                                                                                                      \
        const uint32_t *const active = core_row(core, ROW_ACTIVE);                                                     \
        const uint32_t always = insn->always;                                                                          \
        IVDEP                                                                                                          \
        for (size_t i = 0; i < lanes; i++) {                                                                           \
            const uint32_t enabled = active[i] & (pred[i] | always);                                                   \
            VALUE(format, __VA_ARGS__);                                                                                \
            rd[i] = (value & enabled) | (d & ~enabled);                                                                \
            if ((flags)&SETP)                                                                                          \
                pred[i] = ((0u - value) & enabled) | (pred[i] & ~enabled);                                             \
        }                                                                                                              \
        return insn + 1;                                                                                               \
    }
#define HOOK(id, mnemonic, format, match, gens, sched, flags, text)
#include "isa/epic.def"
#undef EXPR
#undef HOOK

/* Every row of the table, and with it every hook: a missing one is a link error here. */
struct row_code cy_epic_row_code(enum cy_op op)
{
#define LANE_HOOK(id)                                                                                                  \
    {                                                                                                                  \
        cy_exec_##id, cy_exec_##id                                                                                     \
    }
#define HOOK_ealu(id) LANE_HOOK(id)
#define HOOK_emem(id) LANE_HOOK(id)
#define HOOK_ectl(id) LANE_HOOK(id)
#define HOOK_ecmd(id)                                                                                                  \
    {                                                                                                                  \
        NULL, NULL                                                                                                     \
    }
    static const struct row_code codes[] = {
#define EXPR(id, mnemonic, format, match, gens, sched, flags, ...) [CY_OP_##id] = {full_##id, masked_##id},
#define HOOK(id, mnemonic, format, match, gens, sched, flags, text) [CY_OP_##id] = HOOK_##sched(id),
#include "isa/epic.def"
#undef EXPR
#undef HOOK
    };
    return (size_t)op < CY_COUNT(codes) ? codes[op] : (struct row_code){NULL, NULL};
}
