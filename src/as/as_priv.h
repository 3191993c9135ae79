/* Shared by the parts of the assembler.  The text is read once, statement by statement (as_statement.c); whatever is
 * not known yet becomes a fixup, resolved at the end (as_fixup.c).
 *
 *   as.c            the public functions; passes over the text until the layout is stable
 *   as_input.c      the stack of files, macro expansions and repetitions being read
 *   as_scan.c       blanks, comments, words, numbers, strings
 *   as_statement.c  labels, assignments, the kind of statement
 *   as_expr.c       expressions
 *   as_symbol.c     symbols
 *   as_section.c    sections and their contents
 *   as_directive.c  directives without a file of their own; directives.def lists all of them
 *   as_data.c       .word, .ascii, .float, .fill ...; as_raw.c .insn
 *   as_cond.c       .if ... .endif
 *   as_macro.c      .macro, .rept, .irp
 *   as_insn.c       instructions, by the syntax of the ISA tables
 *   as_operand.c    their operands
 *   as_prefix.c     explicit register-extension prefixes
 *   as_pseudo.c     li, la, call ...: pseudo-instructions of several instructions; as_epic.c those of EpicGPU
 *   as_kernel.c     .ventus_kernel
 *   as_reloc.c      .reloc
 *   as_fixup.c      references, resolved or turned into relocations
 *   as_object.c     sections and symbols as a cy_object
 *   as_list.c       the source listing
 *
 * Long branches: a conditional branch to a later label is assumed to be in range, and a `.space` whose expression is
 * not known yet to have size 0.  If that was wrong the text is read again with the right number, kept as a "hint" under
 * the ordinal of the question; that is rare, so the common case pays nothing. */
#ifndef CY_AS_AS_PRIV_H
#define CY_AS_AS_PRIV_H

#include "base/diag.h"
#include "base/strmap.h"
#include "chengying/asm.h"
#include "isa/isa.h"
#include "obj/obj.h"

/* Limits: exceeding one gives a message, never a crash or an infinite loop. */
enum {
    AS_EXPANSION_BYTES = 16, /* counted for each expansion in addition to its text, so that an empty body terminates
                              * too */
    AS_COPY_BYTES = 112,     /* and for the bookkeeping of a copied text */
    AS_MAX_NESTING = 200,    /* nested files, macros and repetitions */
    AS_MAX_EXPR_DEPTH = 250, /* parentheses and unary operators */
    AS_MAX_TREE_DEPTH = 500, /* of a deferred expression, including intermediate symbols */
    AS_MAX_PASSES = 24,
    AS_MAX_SECTIONS = 32768,
    AS_MAX_ALIGN_LOG2 = 20,
    AS_MAX_CONDITIONS = 1000,
};

struct as;

/* ---- values ---- */

struct as_symbol;
struct as_section;

/* plus - minus + addend; or a deferred operation. */
struct as_value {
    struct as_symbol *plus, *minus;
    int64_t addend;
    struct as_node *deep; /* not NULL: the other members are 0 */
};

enum as_node_state { AS_NODE_NEW, AS_NODE_BUSY, AS_NODE_DONE, AS_NODE_FAILED };

struct as_node {
    struct as_value left, right; /* right is 0 for unary operators */
    uint16_t depth;
    uint8_t op;             /* enum as_operator */
    uint8_t state;          /* enum as_node_state */
    struct as_value result; /* no longer an operation */
};

static inline bool as_is_constant(const struct as_value *value)
{
    return !value->plus && !value->minus && !value->deep;
}

/* ---- symbols ---- */

enum as_symbol_kind {
    AS_UNDEFINED,
    AS_LABEL,  /* section + offset */
    AS_EQUATE, /* value */
    AS_COMMON, /* size, align */
};

struct as_symbol {
    const char *name; /* NULL: created by us (numeric label, section, address of an auipc) */
    struct as_section *section;
    uint32_t offset; /* label; alignment of a common symbol */
    uint8_t kind, binding, type, visibility;
    bool is_private : 1;  /* ".L...", numeric: kept out of the object unless a relocation needs it */
    bool declared : 1;    /* named in .globl, .weak or .local */
    bool redefinable : 1; /* by .set */
    bool relocated : 1;   /* a relocation refers to it */
    bool is_section : 1;
    bool visiting : 1; /* its value is being computed: meeting it again means a cycle */
    bool has_size : 1;
    bool is_kernel : 1;
    bool is_numeric : 1;
    struct as_value value; /* AS_EQUATE */
    struct as_value size;
    struct cy_loc defined_at; /* or where it was first used, while undefined */
    struct cy_loc size_at;
    uint32_t number;  /* numeric label: its number */
    uint32_t ordinal; /* in as.symbols */
    uint32_t region;  /* label in code: its index in as.regions, from 1 */
    uint32_t index;   /* in the object; UINT32_MAX: not in it yet */
};

/* One spelling and everything of this name.  A name is looked up once, so a statement costs one hash. */
struct as_name {
    struct as_symbol *symbol;
    struct as_symbol *backward, *forward; /* of the numeric label with these digits */
    struct as_section *section;
    struct as_macro *macro;
    const struct as_directive *directive;
    const struct cy_spelling *spelling;
    const struct as_pseudo *pseudo;
    const struct cy_csr_info *csr;
    bool looked_up, csr_looked_up;
};

/* ---- sections ---- */

/* What a fixup's location is waiting for. */
enum as_fixup_kind {
    AS_FIX_DATA,   /* 1, 2, 4 or 8 bytes */
    AS_FIX_FIELD,  /* an immediate that must be a number in the end */
    AS_FIX_BRANCH, /* B-type distance */
    AS_FIX_JAL,
    AS_FIX_CALL, /* auipc + jalr */
    AS_FIX_PCREL_HI,
    AS_FIX_GOT_HI,
    AS_FIX_PCREL_LO_I, /* value: the label of the auipc */
    AS_FIX_PCREL_LO_S,
    AS_FIX_HI,
    AS_FIX_LO_I,
    AS_FIX_LO_S,
    AS_FIX_EPIC_JUMP,
    AS_FIX_EPIC_CALL,
    AS_FIX_EPIC_HI18,
    AS_FIX_EPIC_LO13A,
    AS_FIX_EPIC_LO13B,
    AS_FIX_RELOC, /* .reloc: detail is the type */
};

#define AS_NO_HINT UINT32_MAX

struct as_fixup {
    uint32_t offset;
    uint8_t kind;
    uint8_t detail;   /* data: size in bytes; field: enum cy_field */
    bool is_vector;   /* branch: a vector branch, which cannot be inverted */
    uint32_t ordinal; /* in source order */
    uint32_t hint;    /* branch: the hint to set if it must be long; AS_NO_HINT if it cannot */
    struct as_value value;
    struct cy_loc loc;
};

/* A run of code or data in an executable section: becomes $x or $d if the section mixes them. */
struct as_mapping {
    uint32_t offset;
    bool is_data;
};

/* An explicit prefix that waits for its instruction. */
struct as_prefix {
    bool active;
    bool fill_extension; /* its extension bits were omitted: the instruction supplies them */
    uint32_t word, offset;
    enum cy_op op;
    uint32_t flags; /* of its row */
    struct cy_loc loc;
};

struct as_section {
    const char *name;
    uint32_t type, flags, entry_size, align, index;
    uint32_t size; /* NOBITS: the size; otherwise it is data.size */
    struct cy_buf data;
    struct as_symbol *symbol;
    CY_VEC(struct as_fixup) fixups; /* in ascending order of offset, unless `unsorted` */
    bool unsorted;
    CY_VEC(struct as_mapping) mappings;
    CY_VEC(struct cy_reloc) relocs;
    struct as_prefix prefix;
    struct as_section *next; /* of the same name: "unique" sections */
    uint32_t unique;
    bool declared; /* its flags were given, or it is a standard section */
};

static inline uint32_t as_here(const struct as_section *section)
{
    return section->type == CY_SHT_NOBITS ? section->size : (uint32_t)section->data.size;
}

/* ---- input ---- */

enum as_frame_kind { AS_FILE, AS_MACRO, AS_REPEAT };

struct as_frame {
    enum as_frame_kind kind;
    const struct cy_source *source;
    const char *next; /* where to continue when the frame above this one ends */
    uint32_t line;
    size_t conditions; /* open when the frame started */
    struct cy_loc loc; /* what began it */
    /* repetitions */
    const char *body;
    uint32_t body_size, body_line;
    uint64_t count, done;  /* of iterations */
    const char *parameter; /* .irp, .irpc: the name that the value replaces; NULL: .rept */
    uint32_t parameter_length;
    struct as_text *values;
};

struct as_text {
    const char *text;
    uint32_t length;
};

struct as_condition {
    struct cy_loc loc;
    bool taken; /* a branch was assembled (or it is inside a false one) */
    bool in_else;
};

struct as_promise { /* a number that was needed before it was known, and assumed to be the hint's */
    struct as_value value;
    struct cy_loc loc;
    uint32_t hint;
};

/* The code from a label on, for the register counts of kernels. */
struct as_region {
    struct as_symbol *symbol; /* NULL: code after the end of a function */
    struct as_section *section;
    uint16_t sgprs, vgprs; /* highest number + 1 */
    bool calls;
};

struct as_kernel {
    struct as_symbol *symbol;
    struct as_section *record;
    struct cy_loc loc;
    struct as_value values[4]; /* VGPR, SGPR, LDS, PDS */
    struct cy_loc value_locs[4];
    bool given[4];
};

struct as_attribute {
    uint32_t tag;
    const char *text; /* NULL: number */
    uint64_t number;
};

/* A source line of the listing: the bytes it produced, and where. */
struct as_list_line {
    const struct cy_source *source;
    const struct as_section *section;
    uint32_t line, text_offset, start, end;
};

/* ---- the job ---- */

struct as_file { /* read once, however many passes */
    const char *path;
    struct cy_buf text;
};

struct as_complaint {
    const char *at;
    uint32_t length;
    char text[240];
};

struct as {
    /* the current statement */
    const char *p;                  /* next character */
    const struct cy_source *source; /* NUL-terminated */
    uint32_t line;
    const char *start;  /* of the instruction or directive, after its labels */
    const char *from;   /* line ends from here on are not yet counted in `line` */
    bool switched;      /* the statement switched to another text, or ended this one: as->p is at a new statement */
    bool crossed_lines; /* a comment inside the statement crossed a line end */
    bool trying;        /* errors are kept in `complaint`: another way to parse the statement may succeed */
    struct as_complaint complaint;
    uint32_t depth;  /* of the expression being parsed */
    bool in_operand; /* register names are not symbols */
    bool predicated; /* "@p" precedes the pseudo-instruction */

    enum cy_target target;
    bool is_epic;
    const struct cy_asm_options *options;
    const struct cy_source *main_source;
    struct cy_diags *diags;
    struct cy_arena arena; /* of this pass */

    struct cy_strmap strings;
    CY_VEC(struct as_name) names; /* by id of the string */
    CY_VEC(struct as_symbol *) symbols;
    CY_VEC(struct as_section *) sections;
    struct as_section *section, *previous;
    CY_VEC(struct as_section *) section_stack; /* pairs: section, previous */
    CY_VEC(struct as_frame) frames;
    CY_VEC(struct as_condition) conditions;
    CY_VEC(struct as_promise) promises;
    CY_VEC(struct as_region) regions;
    CY_VEC(struct as_kernel) kernels;
    CY_VEC(struct as_attribute) attributes;
    CY_VEC(struct as_list_line) list_lines;
    const char *file_name; /* .file */
    struct cy_buf scratch;
    uint32_t macro_count;      /* \@ */
    uint64_t expanded, output; /* bytes so far, against the limits */
    uint64_t max_expanded, max_output;
    uint32_t option_depth; /* .option push */
    uint32_t too_deep;     /* errors about nesting */
    uint32_t eval_depth;
    bool ended;   /* .end, or nothing sensible can follow */
    void *locale; /* strtod must not depend on the host program's */

    /* kept from pass to pass */
    CY_VEC(int64_t) hints;
    CY_VEC(struct as_file *) files;
    uint32_t hint_count; /* questions so far in this pass */
    bool again;          /* a hint was wrong */
    uint32_t pass;
};

/* ---- messages ---- */

static inline struct cy_loc as_loc(const struct as *as, const char *at, size_t length)
{
    struct cy_loc loc = {as->source, as->line, (uint32_t)(at - as->source->text), (uint32_t)length};
    if (as->crossed_lines)
        for (const char *p = as->from; p < at; p++)
            loc.line += *p == '\n';
    return loc;
}
/* Reports an error in the current statement (or records it while `trying`); returns false. */
bool as_fail(struct as *as, const char *at, size_t length, const char *format, ...) CY_PRINTF(4, 5);
/* The same for "expected WHAT": adds what was found instead. */
bool as_expected(struct as *as, const char *what);
/* From here on errors are definite, however far other ways to parse the statement got. */
static inline void as_sure(struct as *as)
{
    as->complaint.at = NULL;
}
static inline bool as_false(void)
{
    return false;
}
#define as_error_at(as, loc, ...) (cy_diag((as)->diags, CY_ERROR, (loc), __VA_ARGS__), as_false())
#define as_note_at(as, loc, ...) cy_diag((as)->diags, CY_NOTE, (loc), __VA_ARGS__)

/* ---- as_scan.c ---- */

enum {
    AS_C_START = 1, /* begins a word */
    AS_C_DIGIT = 2,
    AS_C_BLANK = 4,
    AS_C_END = 8, /* ends a statement: line end, ';', '#', NUL */
    AS_C_WORD = AS_C_START | AS_C_DIGIT,
};
extern const uint8_t as_class[256];
static inline bool as_is(char c, unsigned classes)
{
    return (as_class[(unsigned char)c] & classes) != 0;
}

void as_skip_comment(struct as *as); /* as->p is at a '/' */
static inline void as_skip_blank(struct as *as)
{
    while (as_is(*as->p, AS_C_BLANK))
        as->p++;
    if (*as->p == '/')
        as_skip_comment(as);
}
/* At the end of the statement?  (Skips blanks; a line comment ends it.) */
static inline bool as_at_end(struct as *as)
{
    as_skip_blank(as);
    return as_is(*as->p, AS_C_END) || (as->p[0] == '/' && as->p[1] == '/');
}
bool as_expect_end(struct as *as);
static inline bool as_accept(struct as *as, char c)
{
    as_skip_blank(as);
    if (*as->p != c)
        return false;
    as->p++;
    return true;
}
bool as_expect(struct as *as, char c);
bool as_comma(struct as *as); /* expects one */
/* The word at as->p (blanks skipped); length 0: none. */
static inline struct as_text as_word(struct as *as)
{
    as_skip_blank(as);
    const char *start = as->p, *p = start;
    if (as_is(*p, AS_C_START))
        while (as_is(*p, AS_C_WORD))
            p++;
    as->p = p;
    return (struct as_text){start, (uint32_t)(p - start)};
}
static inline bool as_text_is(struct as_text text, const char *what)
{
    for (uint32_t i = 0; i < text.length; i++)
        if (what[i] != text.text[i] || !what[i])
            return false;
    return what[text.length] == 0;
}
/* Skips to the end of the statement, over strings and comments. */
void as_skip_rest(struct as *as);
/* Skips the statement's end and enters the next one; false at the end of the text. */
bool as_next_statement(struct as *as);
/* The rest of the statement without trailing blanks and comment. */
struct as_text as_rest(struct as *as);
bool as_string(struct as *as, struct cy_buf *out); /* appends the decoded string literal at as->p */
bool as_character(struct as *as, int64_t *value);  /* as->p is at the quote */
bool as_integer(struct as *as, int64_t *value);    /* as->p is at a digit */
/* A floating-point number, as the bits of a binary32 or binary64; sign, inf and nan included. */
bool as_float(struct as *as, unsigned bytes, uint64_t *bits);
/* A name: a word or a string. */
bool as_name_text(struct as *as, const char *what, struct as_text *name);

/* ---- as_input.c ---- */

/* Reads `frame->source` next, starting at line `line`, and then continues after the current statement. */
bool as_push(struct as *as, const struct as_frame *frame, uint32_t line);
void as_pop(struct as *as);
bool as_end_of_text(struct as *as); /* the current frame is finished: true if there is more to read below */
/* A text created from the input (the body of a repetition, a macro) or from a file. */
struct cy_source *as_new_source(struct as *as, const char *name, const char *text, size_t size);
const struct as_file *as_read_file(struct as *as, struct as_text name); /* by the search path; NULL after a
                                                                         * diagnostic */
/* Counts expanded text; false if it is too much. */
bool as_too_much_text(struct as *as, const struct cy_loc *loc); /* reports it; false */
bool as_count_expansion(struct as *as, const struct cy_loc *loc, uint64_t bytes);

/* ---- as_expr.c ---- */

enum as_operator {
    AS_OP_NONE,
    AS_OP_OROR,
    AS_OP_ANDAND,
    AS_OP_EQ,
    AS_OP_NE,
    AS_OP_LT,
    AS_OP_LE,
    AS_OP_GT,
    AS_OP_GE,
    AS_OP_ADD,
    AS_OP_SUB,
    AS_OP_OR,
    AS_OP_XOR,
    AS_OP_AND,
    AS_OP_ORNOT,
    AS_OP_MUL,
    AS_OP_DIV,
    AS_OP_REM,
    AS_OP_SHL,
    AS_OP_SHR,
    AS_OP_NEG,
    AS_OP_NOT,
    AS_OP_LNOT,
};

bool as_expression(struct as *as, struct as_value *value);
/* An expression that must be a number now. */
bool as_absolute(struct as *as, int64_t *value);
/* An expression whose number is needed now but may be known only at the end: uses the hint meanwhile. */
bool as_absolute_soon(struct as *as, int64_t *value);
bool as_soon(struct as *as, const struct as_value *value, const char *at, size_t length, int64_t *number);
bool as_absolute_in(struct as *as, int64_t low, int64_t high, const char *what, int64_t *value);
/* Replaces symbols by their values as far as they are known. */
bool as_simplify(struct as *as, struct as_value *value);
/* At the end of the pass: the final value: a number, symbol + number, or a difference.  Returns false after a
 * diagnostic. */
bool as_evaluate(struct as *as, struct as_value *value, const struct cy_loc *loc);
uint32_t as_new_hint(struct as *as);
void as_check_promises(struct as *as);
/* "symbol 'x' is not defined" ...: reports why this value is not a number. */
bool as_not_constant(struct as *as, const struct as_value *value, const struct cy_loc *loc);

/* ---- as_symbol.c ---- */

struct as_name *as_find_name(struct as *as, const char *text, size_t length);
struct as_symbol *as_new_symbol(struct as *as, const char *name);
struct as_symbol *as_find_symbol(struct as *as, const char *text, size_t length);
struct as_symbol *as_numeric_reference(struct as *as, const char *digits, size_t length, bool forward);
bool as_define_label(struct as *as, const char *text, size_t length);
bool as_define_numeric(struct as *as, const char *digits, size_t length);
enum as_assignment { AS_SET, AS_EQUIV };
bool as_assign(struct as *as, const char *text, size_t length, enum as_assignment how, const struct as_value *value);
const char *as_symbol_text(struct as *as, const struct as_symbol *symbol); /* for messages */
static inline bool as_is_local(const struct as_symbol *symbol)
{
    return symbol->binding == CY_STB_LOCAL;
}
bool as_dir_globl(struct as *as, int binding);
bool as_dir_visibility(struct as *as, int visibility);
bool as_dir_type(struct as *as, int unused);
bool as_dir_size(struct as *as, int unused);
bool as_dir_set(struct as *as, int how);
bool as_dir_comm(struct as *as, int is_local);
bool as_define_option(struct as *as, const char *text); /* -D */

/* ---- as_section.c ---- */

/* The section of this name, created if there is none: with the usual type and flags if `type` is 0. */
struct as_section *as_get_section(struct as *as, const char *name, size_t length, uint32_t type, uint32_t flags);
void as_switch_section(struct as *as, struct as_section *section);
/* Space for `size` more bytes of data or code in the current section; NULL after a diagnostic. */
uint8_t *as_emit(struct as *as, uint32_t size, bool is_data);
bool as_emit_fill(struct as *as, uint64_t count, uint64_t size, uint64_t pattern, const char *at, size_t length);
bool as_align(struct as *as, uint32_t align, const int64_t *fill, uint32_t fill_size, uint64_t max_skip);
void as_add_fixup(struct as *as, const struct as_fixup *fixup);
bool as_no_prefix_pending(struct as *as); /* a label or data may come here; otherwise reports it */
bool as_dir_section(struct as *as, int push);
bool as_dir_usual_section(struct as *as, int which);
bool as_dir_popsection(struct as *as, int unused);
bool as_dir_previous(struct as *as, int unused);
bool as_dir_subsection(struct as *as, int unused);
bool as_dir_align(struct as *as, int how);
bool as_dir_org(struct as *as, int unused);

/* ---- directives ---- */

struct as_directive {
    const char *name;
    bool (*run)(struct as *as, int argument);
    int argument;
};
const struct as_directive *as_find_directive(const char *text, size_t length);
const char *as_nearest_directive(const char *text, size_t length);

bool as_dir_ignore(struct as *as, int unused);
bool as_dir_option(struct as *as, int unused);
bool as_dir_attribute(struct as *as, int unused);
bool as_dir_file(struct as *as, int unused);
bool as_dir_include(struct as *as, int unused);
bool as_dir_incbin(struct as *as, int unused);
bool as_dir_message(struct as *as, int severity);
bool as_dir_end(struct as *as, int unused);
bool as_dir_unsupported(struct as *as, int unused);
bool as_dir_stray(struct as *as, int unused);

bool as_dir_data(struct as *as, int bytes);
bool as_dir_float(struct as *as, int bytes);
bool as_dir_string(struct as *as, int terminated);
bool as_dir_space(struct as *as, int unused);
bool as_dir_fill(struct as *as, int unused);
bool as_dir_leb128(struct as *as, int is_signed);
bool as_dir_insn(struct as *as, int unused);
bool as_dir_reloc(struct as *as, int unused);

bool as_dir_if(struct as *as, int test);
bool as_dir_else(struct as *as, int is_elseif);
bool as_dir_endif(struct as *as, int unused);
void as_close_conditions(struct as *as, size_t down_to, bool complain);

bool as_dir_macro(struct as *as, int unused);
bool as_dir_rept(struct as *as, int unused);
bool as_dir_irp(struct as *as, int by_character);
bool as_dir_exitm(struct as *as, int unused);
bool as_dir_purgem(struct as *as, int unused);
bool as_call_macro(struct as *as, struct as_macro *macro, const char *at);
bool as_repeat_again(struct as *as); /* the body of the current repetition was read: repeats it, or false */

bool as_dir_ventus_kernel(struct as *as, int unused);
void as_note_label(struct as *as, struct as_symbol *symbol);
void as_note_end(struct as *as, const struct as_symbol *symbol);
void as_finish_kernels(struct as *as);

/* ---- instructions ---- */

struct as_pseudo {
    const char *name;
    uint8_t targets; /* set of cy_target_bit */
    bool (*run)(struct as *as, int argument);
    int argument;
};
const struct as_pseudo *as_find_pseudo(enum cy_target target, const char *text, size_t length);
const char *as_nearest_pseudo(enum cy_target target, const char *text, size_t length, unsigned limit);

enum as_modifier { AS_MOD_NONE, AS_MOD_HI, AS_MOD_LO, AS_MOD_PCREL_HI, AS_MOD_GOT_HI, AS_MOD_PCREL_LO };

struct as_operand {
    struct as_value value;
    const char *at;
    uint32_t length;
    uint8_t modifier;
    bool symbolic; /* the value is not encoded yet */
};

bool as_instruction(struct as *as, const struct as_name *name, const char *mnemonic, size_t length, bool predicated);
/* Encodes and emits; symbolic operands become fixups.  `operands` may be NULL. */
bool as_put(struct as *as, struct cy_insn *insn, const struct as_operand *operands);
/* The same for up to four numbers, in syntax order. */
bool as_put_op(struct as *as, enum cy_op op, int32_t a, int32_t b, int32_t c, int32_t d);
/* One instruction whose immediate becomes a fixup. */
bool as_put_fix(struct as *as, enum cy_op op, const int32_t numbers[4], enum as_fixup_kind kind,
                const struct as_value *value, const struct as_operand *where);
/* One operand, by the kind of its field: *value, or the operand is symbolic. */
bool as_read_operand(struct as *as, enum cy_field field, struct as_operand *operand, int32_t *value);
bool as_xreg(struct as *as, int32_t *number);
bool as_vreg(struct as *as, int32_t *number);
bool as_ereg(struct as *as, int32_t *number);
bool as_immediate(struct as *as, struct as_operand *operand); /* expression or %hi(...) ... */
bool as_is_register(const struct as *as, const char *text, size_t length);
/* Reports a word in an expression that is, or looks like, a register. */
bool as_no_register(struct as *as, const char *text, size_t length);
bool as_li_epic(struct as *as, int unused);
bool as_la_epic(struct as *as, int unused);

/* Records the highest register numbers, for .ventus_kernel. */
void as_note_register(struct as *as, enum cy_field field, int32_t number);

/* The prefix just emitted waits for its instruction; `fill`: the instruction supplies the extension bits. */
bool as_take_prefix(struct as *as, const struct cy_insn *insn, bool fill);
/* Encodes an instruction after an explicit prefix: checks and removes what the prefix supplies. */
bool as_apply_prefix(struct as *as, struct cy_insn *insn, const struct as_operand *operands);
void as_check_last_prefixes(struct as *as);

/* ---- the end ---- */

void as_resolve(struct as *as); /* fixups, sizes */
bool as_statement(struct as *as);
void as_build_object(struct as *as, struct cy_object *object);
void as_note_line(struct as *as, const char *text, uint32_t line, const struct cy_source *source,
                  const struct as_section *section, uint32_t start);
void as_print_listing(struct as *as, struct cy_buf *out);

/* ---- as_listing.c ---- */

/* Is this text a listing, as cy_dis_object (or llvm-objdump -d) prints it? */
bool as_is_listing(const char *text, size_t size);
/* Converts a listing back into assembler source of its code: labels, and the text of the instructions with addresses
 * replaced by labels.  Symbol tables, relocations and contents of other sections are skipped. */
void as_listing_to_source(enum cy_target target, const char *text, size_t size, struct cy_buf *out);

#endif
