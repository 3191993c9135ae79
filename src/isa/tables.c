/* The tables as constant arrays. */
#include "isa/isa_priv.h"

/* The flags column's names without prefix. */
enum {
#define FLAG(name, bit, text) name = 1 << bit,
#include "isa/flags.def"
};

#define PIECES(...) (sizeof((struct cy_piece[]){__VA_ARGS__}) / sizeof(struct cy_piece))

const struct cy_field_info cy_fields[CY_FIELD_COUNT] = {
#define FIELD(id, kind, bits, slot, ...)                                                                               \
    [CY_FIELD_##id] = {#id, CY_##kind, bits, CY_EXT_##slot, PIECES(__VA_ARGS__), {__VA_ARGS__}},
#include "isa/fields.def"
};

const struct cy_format_info cy_formats[CY_FORMAT_COUNT] = {
#define FORMAT(id, mask, syntax, shape) [CY_FORMAT_##id] = {#id, mask, syntax},
#include "isa/formats.def"
};

const struct cy_insn_info cy_insns[CY_OP_COUNT] = {
#define ROW(id, mnemonic, format, match, gens, sched, flags, text, pure)                                               \
    [CY_OP_##id] = {#id, mnemonic, CY_FORMAT_##format, match, CY_IN_##gens, CY_SCHED_##sched, flags, text, pure},
#define EXPR(id, mnemonic, format, match, gens, sched, flags, ...)                                                     \
    ROW(id, mnemonic, format, match, gens, sched, flags, #__VA_ARGS__, true)
#define HOOK(id, mnemonic, format, match, gens, sched, flags, text)                                                    \
    ROW(id, mnemonic, format, match, gens, sched, flags, text, false)
#include "isa/insns.def"
};

const struct cy_sched_info cy_scheds[CY_SCHED_COUNT] = {
#define CLASS(id, latency, interval, text) [CY_SCHED_##id] = {#id, latency, interval, text},
#include "isa/sched.def"
};

const struct cy_flag_info cy_flags[] = {
#define FLAG(name, bit, text) {#name, CY_F_##name, text},
#include "isa/flags.def"
};
const size_t cy_flag_count = CY_COUNT(cy_flags);

#define RO false
#define RW true
const struct cy_csr_info cy_csrs[] = {
#define CSR(number, name, short_name, access, text) {number, #name, short_name, true, access, text},
#define CSRNAME(number, name) {number, #name, #name, false, false, NULL},
#include "isa/csrs.def"
};
const size_t cy_csr_count = CY_COUNT(cy_csrs);

const struct cy_alias_info cy_aliases[] = {
#define ALIAS(mnemonic, syntax, op, fixed, use) {mnemonic, syntax, CY_OP_##op, fixed, CY_ALIAS_##use},
#include "isa/aliases.def"
};
_Static_assert(CY_COUNT(cy_aliases) == CY_ALIAS_COUNT, "counted from the same rows");
