/* The instruction sets: everything the tools know about an instruction comes from one row of the tables.
 *
 *   fields.def   where the bits of an operand are, and its text form
 *   formats.def  the fixed bits of a group of instructions and the syntax that both parses and prints
 *   sched.def    scheduling classes
 *   flags.def    properties of an instruction
 *   insns.def    the rows, one per instruction (it includes rv32.def, rvv.def, ventus.def, epic.def)
 *   aliases.def  other spellings of a row (mv, ret, vneg.v ...): how to parse them, and which one the disassembler
 *   prefers
 *   csrs.def     control and status registers
 *
 * Decode, encode, print, parse and the manual are interpreters of these tables; the engines expand the same rows. */
#ifndef CY_ISA_ISA_H
#define CY_ISA_ISA_H

#include "base/mem.h"

/* ---- declarations from the tables ---- */

/* Instruction sets a row can belong to: the GENS column is a set of these bits. */
enum cy_target_bit {
    CY_IN_GEN1 = 1,
    CY_IN_GEN2 = 2,
    CY_IN_EPIC = 4,
    CY_IN_FPGA = 8,
    /* spellings used in the rows */
    CY_IN_VENTUS = CY_IN_GEN1 | CY_IN_GEN2,
    CY_IN_EPICALL = CY_IN_EPIC | CY_IN_FPGA,
};
enum cy_target { CY_GEN1, CY_GEN2, CY_EPIC, CY_EPIC_FPGA, CY_TARGET_COUNT };

enum cy_field_kind {
    CY_XREG,  /* sGPR by its ABI name */
    CY_XNUM,  /* sGPR always printed as x<n> (endprg, barrier) */
    CY_VREG,  /* vGPR */
    CY_EREG,  /* EpicGPU register */
    CY_SIMM,  /* signed immediate */
    CY_UIMM,  /* unsigned immediate */
    CY_UPPER, /* upper immediate: 20 bits of lui, auipc */
    CY_PCREL, /* signed distance from this instruction; text is a label or address */
    CY_VM,    /* vector mask bit: nothing when 1, ", v0.t" when 0 */
    CY_CSR,   /* CSR name or number */
    CY_RM,    /* rounding mode; absent when dynamic */
    CY_AQRL,  /* ".aq" / ".rl" / ".aqrl" after the mnemonic */
    CY_VTYPE, /* e32, m1, ta, ma */
    CY_FENCE, /* iorw */
    CY_PRED,  /* EpicGPU "@p " before the mnemonic */
};

/* Which part of a register-extension prefix supplies the high bits of a field. */
enum cy_ext_slot { CY_EXT_NONE, CY_EXT_D, CY_EXT_1, CY_EXT_2, CY_EXT_3, CY_EXT_IMM };

/* The flags of a row: CY_F_DIVERGE ... */
enum cy_flag {
#define FLAG(name, bit, text) CY_F_##name = 1 << bit,
#include "isa/flags.def"
};

/* Row ids: CY_OP_vadd_vv ... */
enum cy_op {
    CY_OP_INVALID,
#define INSN(id, mnemonic, format, match, gens, sched, flags) CY_OP_##id,
#include "isa/insns.def"
    CY_OP_COUNT
};
enum cy_field {
    CY_FIELD_NONE,
#define FIELD(id, kind, bits, slot, ...) CY_FIELD_##id,
#include "isa/fields.def"
    CY_FIELD_COUNT
};
enum cy_format {
#define FORMAT(id, mask, syntax, shape) CY_FORMAT_##id,
#include "isa/formats.def"
    CY_FORMAT_COUNT
};
enum cy_sched {
#define CLASS(id, latency, interval, text) CY_SCHED_##id,
#include "isa/sched.def"
    CY_SCHED_COUNT
};
enum cy_csr {
#define CSR(number, name, short_name, access, text) CY_CSR_##name = number,
#include "isa/csrs.def"
    CY_CSR_UNIMP = 0xc00 /* cycle: `unimp` writes to it */
};

#define CY_MAX_OPERANDS 6
#define CY_MAX_PIECES 5

struct cy_field_info {
    const char *name;
    enum cy_field_kind kind;
    uint8_t bits; /* width of the value, including implied low zeros */
    enum cy_ext_slot slot;
    uint8_t piece_count;
    struct cy_piece {
        uint8_t insn_lsb, width, value_lsb;
    } pieces[CY_MAX_PIECES];
};

struct cy_format_info {
    const char *name;
    uint32_t mask; /* bits fixed by the row's match value */
    const char *syntax;
};

struct cy_insn_info {
    const char *id;       /* "vadd_vv" */
    const char *mnemonic; /* "vadd.vv" */
    enum cy_format format;
    uint32_t match;
    uint8_t gens; /* set of cy_target_bit */
    enum cy_sched sched;
    uint32_t flags;        /* set of cy_flag */
    const char *semantics; /* the expression, or the text of the hook */
    bool is_expression;
};

extern const struct cy_field_info cy_fields[CY_FIELD_COUNT];
extern const struct cy_format_info cy_formats[CY_FORMAT_COUNT];
extern const struct cy_insn_info cy_insns[CY_OP_COUNT];
extern const struct cy_sched_info {
    const char *name;
    uint8_t latency_cycles, interval_cycles;
    const char *text;
} cy_scheds[CY_SCHED_COUNT];
extern const struct cy_csr_info {
    uint16_t number;
    const char *name, *short_name; /* "TID", "tid"; standard CSRs have one name */
    bool exists;                   /* the machine has it; otherwise only the name is known */
    bool writable;
    const char *text;
} cy_csrs[]; /* sorted by number */
extern const size_t cy_csr_count;
extern const struct cy_flag_info {
    const char *name;
    uint32_t flag;
    const char *text;
} cy_flags[];
extern const size_t cy_flag_count;

/* ---- one instruction ---- */

/* A decoded instruction, its prefix (if any) folded in.  operand[i] is the full value of the format's i-th operand:
 * register numbers with their extension, immediates sign- or zero-extended, PC-relative distances in bytes. */
struct cy_insn {
    enum cy_op op;
    uint8_t size; /* bytes: 4, or 8 with a prefix */
    uint8_t operand_count;
    int32_t operand[CY_MAX_OPERANDS];
    uint32_t word;   /* the instruction's own word */
    uint32_t prefix; /* the prefix's word; 0 = none (no prefix encodes as 0) */
};

/* The operands of a format in syntax order. */
size_t cy_format_operands(enum cy_format format, enum cy_field fields[CY_MAX_OPERANDS]);
/* The value of one field of an instruction; `otherwise` when its format has no such field. */
int32_t cy_insn_field(const struct cy_insn *insn, enum cy_field field, int32_t otherwise);

/* Decodes one word without looking at prefixes.  False: not an instruction of this target (insn->op is INVALID). */
bool cy_decode_word(enum cy_target target, uint32_t word, struct cy_insn *insn);

enum cy_decode_status {
    CY_DECODE_OK,
    CY_DECODE_INVALID,    /* the word is not an instruction */
    CY_DECODE_TRUNCATED,  /* a prefix is the last word of the code */
    CY_DECODE_BAD_PREFIX, /* a prefix before another prefix, or before a word that is not an instruction */
};
/* Decodes the instruction at words[0], joining a prefix with the instruction after it.  Unless OK, insn->size is 4 and
 * insn->word the first word, so that a caller can show it and continue. */
enum cy_decode_status cy_decode(enum cy_target target, const uint32_t *words, size_t count, struct cy_insn *insn);

/* False for a prefix of memory accesses before anything else, which is as if it were not there. */
bool cy_prefix_applies(enum cy_op prefix, enum cy_op op);
/* Fields of generation 2's prefix words: pairs, or an address of 64 bits; absolute values and negations of sources 1 to 3; the
 * space and the number of words of an access (fields.def has their places). */
static inline bool cy_prefix_is_wide(uint32_t prefix)
{
    return prefix >> 19 & 1;
}
enum { CY_PREFIX_ABS = 16, CY_PREFIX_NEG = 13 }; /* the first source's bit */
static inline uint8_t cy_prefix_abs(uint32_t prefix)
{
    return (uint8_t)(prefix >> CY_PREFIX_ABS & 7);
}
static inline uint8_t cy_prefix_neg(uint32_t prefix)
{
    return (uint8_t)(prefix >> CY_PREFIX_NEG & 7);
}
static inline uint8_t cy_prefix_space(uint32_t prefix)
{
    return (uint8_t)(prefix >> 5 & 3);
}
static inline uint8_t cy_prefix_words(uint32_t prefix)
{
    return (uint8_t)((prefix >> 3 & 3) + 1);
}

/* Encodes op with these operands.  Sets insn->word, insn->prefix (regext/regexti, or gen2's prefix/prefixi, if a
 * register number or 5-bit immediate needs one) and insn->size.  Returns NULL, or the reason for failure: "register v40
 * cannot be used here" ...  `bad_operand` (may be NULL) receives the index of the offending operand. */
const char *cy_encode(enum cy_target target, struct cy_insn *insn, unsigned *bad_operand);

/* Inserts a value into the field's bits of a word, and extracts it (no range check; sign-extended if the kind is
 * signed). */
uint32_t cy_field_insert(enum cy_field field, uint32_t word, int32_t value);
int32_t cy_field_extract(enum cy_field field, uint32_t word);
/* Does this value fit in the field without a prefix?  `low`, `high`, `step` (may be NULL) receive the range for
 * messages. */
bool cy_field_fits(enum cy_field field, int64_t value, int64_t *low, int64_t *high, unsigned *step);

/* ---- text ---- */

enum cy_print_flags {
    CY_PRINT_NO_ALIASES = 1, /* addi a0, a1, 0 rather than mv a0, a1 */
    CY_PRINT_NUMERIC = 2,    /* x10 rather than a0 */
    CY_PRINT_HEX = 8,        /* immediates in hexadecimal, as llvm-objdump 19 does unless --no-print-imm-hex is given */
    CY_PRINT_CSR_NAMES = 4,  /* CSR names of the Ventus CSRs; llvm prints their numbers, and so do we by default */
};
/* Appends "vadd.vv\tv1, v2, v3" as llvm-objdump would.  A prefix that cy_encode would insert itself is not shown; any
 * other is printed before it: "pre_m_local_64\t0, 0; vlw12.v\tv4, 0(v2)".  `pc` resolves PC-relative operands to
 * absolute addresses. */
void cy_print(struct cy_buf *out, enum cy_target target, const struct cy_insn *insn, uint32_t pc, unsigned flags);
/* Are both written by the same row or alias?  Not so `vfneg.v v1, v2` when a prefix makes two registers of its one source. */
bool cy_print_same_spelling(const struct cy_insn *a, const struct cy_insn *b, unsigned flags);

const char *cy_xreg_name(unsigned number);                              /* "zero", "ra", ... "t6", "x32" ... "x63" */
int cy_parse_xreg(const char *text, size_t length);                     /* x0-x63 and ABI names; -1: not a register */
int cy_parse_vreg(const char *text, size_t length);                     /* v0-v255 */
int cy_parse_ereg(const char *text, size_t length);                     /* r0-r31, %BlockIdx, %BlockDim, %ThreadIdx */
const struct cy_csr_info *cy_csr_find(const char *name, size_t length); /* "tid", "TID", "CSR_TID", "gdx" ... or NULL */
const struct cy_csr_info *cy_csr_by_number(unsigned number);            /* or NULL */

/* Mnemonics.  One name can have several spellings (a row, an alias, forms with other operands): `next` links them in
 * the order in which a parser should try them.  An alias is another spelling of a row: its syntax lists the written
 * operands, and cy_spelling_finish fills in the others.
 *
 * A syntax is a list of pieces:  vd, vs2, vs1[, vm]  ->  OPERAND vd, COMMA, OPERAND vs2, COMMA, OPERAND vs1, OPTIONAL,
 * COMMA, OPERAND vm.  Everything after OPTIONAL may be omitted as a whole; its operand then has its default
 * (cy_operand_default).  SUFFIX (.aqrl) and PREDICATE (@p) come first and are attached to the mnemonic. */
enum cy_piece_kind {
    CY_PIECE_OPERAND,
    CY_PIECE_COMMA,
    CY_PIECE_OPEN,
    CY_PIECE_CLOSE,
    CY_PIECE_V0, /* the literal register v0 of vmerge, vadc ... */
    CY_PIECE_OPTIONAL,
    CY_PIECE_SUFFIX,
    CY_PIECE_PREDICATE,
};
struct cy_syntax_piece {
    uint8_t kind;    /* enum cy_piece_kind */
    uint8_t field;   /* enum cy_field, for OPERAND, SUFFIX and PREDICATE */
    uint8_t operand; /* index into cy_insn.operand */
};
#define CY_MAX_SYNTAX 16
struct cy_spelling {
    const char *mnemonic;
    enum cy_op op;
    bool is_alias;
    uint8_t piece_count, fixed_count;
    struct cy_syntax_piece pieces[CY_MAX_SYNTAX];
    struct cy_fixed { /* operand[index] = value, or = operand[other] when other >= 0 */
        uint8_t operand;
        int8_t other;
        int32_t value;
    } fixed[CY_MAX_OPERANDS];
    const struct cy_spelling *next;
};
const struct cy_spelling *cy_spelling_find(enum cy_target target, const char *mnemonic, size_t length);
/* The value of an omitted operand: vm 1, rounding mode dynamic, everything else 0. */
int32_t cy_operand_default(enum cy_field field);
/* Initialises an instruction for this spelling (defaults everywhere); fills in the operands that an alias fixes. */
void cy_spelling_start(const struct cy_spelling *spelling, struct cy_insn *insn);
void cy_spelling_finish(const struct cy_spelling *spelling, struct cy_insn *insn);
/* The known mnemonic nearest to a misspelt one, or NULL if none is near. */
const char *cy_mnemonic_nearest(enum cy_target target, const char *mnemonic, size_t length);
enum cy_op cy_op_find(enum cy_target target, const char *mnemonic, size_t length); /* a row by its own name */

/* Parse operands that are words: all return false if the text is not one. */
bool cy_parse_rm(const char *text, size_t length, int32_t *value);    /* rne rtz rdn rup rmm dyn */
bool cy_parse_fence(const char *text, size_t length, int32_t *value); /* iorw, 0 */
bool cy_parse_aqrl(const char *text, size_t length, int32_t *value);  /* aq rl aqrl */
/* One word of a vtype ("e32", "m2", "ta", "mu" ...), ORed into *value; false: not one. */
bool cy_parse_vtype_word(const char *text, size_t length, int32_t *value);

/* A target by its -march name ("ventus", "ventus-gen1", "ventus-gen2", "epic", "epic-fpga"); false if unknown. */
bool cy_target_find(const char *name, enum cy_target *target);
const char *cy_target_name(enum cy_target target);

/* ---- the manual, generated from the same rows ---- */

/* Sections of the tables with their one-line rows; `pattern` (NULL: all) is a mnemonic with * and ?.  Returns how many
 * rows and aliases were listed. */
size_t cy_manual_list(struct cy_buf *out, enum cy_target target, const char *pattern);
/* The rows that a name denotes: the one of that name, or those of which it is another spelling.  Returns how many. */
size_t cy_manual_find(enum cy_target target, const char *name, enum cy_op *ops, size_t limit);
/* The page of an instruction: encoding diagram, syntax, operands, meaning, aliases, class, flags, examples. */
void cy_manual_page(struct cy_buf *out, enum cy_target target, enum cy_op op);
/* The control and status registers; `name` (NULL: all that the machine has).  False: no such register. */
bool cy_manual_csrs(struct cy_buf *out, const char *name);
/* The whole manual of an instruction set as Markdown. */
void cy_manual_markdown(struct cy_buf *out, enum cy_target target);

#endif
