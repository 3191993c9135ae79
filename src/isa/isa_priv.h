/* Shared by the table interpreters: the syntaxes compiled to pieces, computed once and then read-only. */
#ifndef CY_ISA_ISA_PRIV_H
#define CY_ISA_ISA_PRIV_H

#include "isa/isa.h"

struct cy_format_syntax {
    uint8_t piece_count, operand_count;
    struct cy_syntax_piece pieces[CY_MAX_SYNTAX];
    uint8_t operands[CY_MAX_OPERANDS]; /* enum cy_field */
    uint8_t hidden;                    /* formats with operands attached to the mnemonic: how many come first */
};

enum cy_alias_use { CY_ALIAS_PARSE = 1, CY_ALIAS_PRINT = 2, CY_ALIAS_BOTH = 3, CY_ALIAS_ALWAYS = 7 };
struct cy_alias_info {
    const char *mnemonic, *syntax;
    enum cy_op op;
    const char *fixed;
    enum cy_alias_use use;
};
extern const struct cy_alias_info cy_aliases[];
enum {
    CY_ALIAS_COUNT = 0
#define ALIAS(mnemonic, syntax, op, fixed, use) +1
#include "isa/aliases.def"
    ,
    CY_SPELLING_COUNT = CY_OP_COUNT + CY_ALIAS_COUNT,
};

struct cy_syntaxes {
    struct cy_format_syntax formats[CY_FORMAT_COUNT];
    struct cy_spelling spellings[CY_SPELLING_COUNT]; /* one per row, then one per alias */
    uint16_t first_alias[CY_OP_COUNT]; /* spelling of the first alias to print, 0 = none (0 is the invalid row) */
    uint16_t next_alias[CY_SPELLING_COUNT];
};
const struct cy_syntaxes *cy_syntaxes(void);

/* Vector registers of the row come in groups aligned to this. */
static inline int32_t cy_register_step(const struct cy_insn_info *info)
{
    return info->flags & CY_F_GROUP8 ? 8 : info->flags & CY_F_GROUP4 ? 4 : info->flags & CY_F_GROUP2 ? 2 : 1;
}

/* Is `text` of this length the word? */
static inline bool cy_text_is(const char *text, size_t length, const char *word)
{
    size_t i = 0;
    while (i < length && word[i] && word[i] == text[i])
        i++;
    return i == length && !word[i];
}

static inline int32_t cy_sign_extend(uint32_t value, unsigned bits)
{
    return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

/* ---- parts of the manual (manual_text.c) ---- */

/* The rows in table order with their section. */
struct cy_manual_entry {
    enum cy_op op; /* CY_OP_INVALID: a section starts */
    const char *title, *text;
};
extern const struct cy_manual_entry cy_manual_entries[];
extern const size_t cy_manual_entry_count;

/* An operand's name in the manual: boff is "offset", EpicGPU's erd is "rd". */
const char *cy_manual_operand(enum cy_field field);
/* "rd, rs1, imm12" of a row or of an alias, with those names. */
void cy_manual_syntax(struct cy_buf *out, const char *syntax);
/* What an alias stands for: "addi rd, rs1, 0". */
void cy_manual_expansion(struct cy_buf *out, size_t alias);
/* "vd = vs2 + vs1" */
void cy_manual_meaning(struct cy_buf *out, enum cy_op op);
/* Box drawing with bit positions, several lines. */
void cy_manual_diagram(struct cy_buf *out, enum cy_op op);
/* The same on one line: "000000 vm vs2 vs1 000 vd 1010111" */
void cy_manual_bits(struct cy_buf *out, enum cy_op op);
/* An instruction of the row; `prefixed`: with a register or immediate that needs a prefix (false: there is none). */
bool cy_manual_example(enum cy_target target, enum cy_op op, bool prefixed, struct cy_insn *insn);

#endif
