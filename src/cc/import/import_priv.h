/* Shared by the parts of the importer.
 *
 * An LLVM value becomes a list of words: one for a float or event, one or two for a pointer (target.h), as many as its
 * bits need for an integer, a double or a half (low first), and those of the elements for vectors, structs and arrays.
 * Bits above the width of an integer or half are undefined, except in i1, which is always 0 or 1. */
#ifndef CY_CC_IMPORT_IMPORT_PRIV_H
#define CY_CC_IMPORT_IMPORT_PRIV_H

#include "cc/import/import.h"

#include "base/strmap.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

struct word_list {
    LLVMValueRef key;
    uint32_t start, count;
};

struct import_return {
    uint32_t block;
    LLVMValueRef value;
};
struct import_expression {
    uint32_t first, bits;
    bool is_plain;
};
struct import_frame {
    LLVMValueRef value;
    uint32_t at;
};
struct import_local {
    uint32_t symbol, offset;
};

struct importer {
    const char *name; /* of the source, for messages */
    struct cy_diags *diags;
    struct ir_module *module;
    struct ir_func *func;
    struct cc_progress *progress; /* may be NULL */
    LLVMContextRef context;
    LLVMModuleRef llvm;
    LLVMTargetDataRef layout;
    uint32_t block; /* where new instructions go */
    bool failed;

    struct word_list *map; /* open addressing by value */
    size_t map_size, map_count;
    CY_VEC(ir_value) words; /* the map's lists, concatenated */
    CY_VEC(LLVMBasicBlockRef) llvm_blocks;
    CY_VEC(uint32_t) first_block, last_block; /* of each LLVM block: calls can split it */
    CY_VEC(LLVMValueRef) phis;                /* completed once all blocks are imported */
    CY_VEC(LLVMValueRef) globals;             /* by symbol */
    CY_VEC(uint32_t) local_offsets;           /* by symbol, in this kernel; UINT32_MAX: not used yet */
    ir_value local_base, zero;
    CY_VEC(ir_value) pairs; /* by value: the pair of which it is the low word; 0: none yet */
    uint32_t exit_block;

    /* import_func.c */
    LLVMValueRef insn;     /* the current one; NULL: between instructions */
    ir_location line;      /* its location */
    const char *last_file; /* LLVM's string */
    uint32_t last_file_index, kernel_count;
    CY_VEC(LLVMValueRef) functions; /* called ones */
    ir_value frame, next_frame;     /* of a function: its private memory, and its callees'; 0: not needed yet */
    CY_VEC(struct import_return) returns;
    CY_VEC(struct import_local) shared_locals;
    uint32_t shared_local_bytes;
    uint64_t variable_bytes; /* of the symbols so far */

    /* import_debug.c: LLVM's nodes, numbered like ours */
    struct cy_strmap debug_types, debug_scopes, debug_sites, debug_variables, debug_expressions, debug_arguments;
    CY_VEC(struct import_expression) expressions; /* LLVM takes long to print one */
    CY_VEC(uint32_t) arguments;                   /* of debug_arguments: the number of a parameter */
    bool has_arguments;                           /* they have been read */
    CY_VEC(struct import_frame) frames;           /* private variables of this function: their places in its memory */
};

/* import_asm.c */
void import_asm(struct importer *im, LLVMValueRef call, LLVMValueRef callee);

void import_error(struct importer *im, LLVMValueRef at, const char *format, ...) CY_PRINTF(3, 4);

/* types */
unsigned import_word_count(struct importer *im, LLVMTypeRef type);
unsigned import_int_bits(LLVMTypeRef type);                    /* of an integer or a floating-point number */
unsigned import_bits(struct importer *im, LLVMTypeRef type);   /* the same, with pointers */
LLVMTypeRef import_element(LLVMTypeRef type, unsigned *count); /* of a vector; a scalar is its own element */
bool import_is(LLVMTypeRef type, LLVMTypeKind kind);
/* The leaves of a type in memory: calls `each` with word index, offset, size in bytes (1, 2, 4) for every word. */
typedef void import_leaf(struct importer *im, void *context, unsigned word, uint32_t offset, unsigned size);
unsigned import_leaves(struct importer *im, LLVMTypeRef type, uint32_t offset, unsigned word, import_leaf *each,
                       void *context);

/* values */
const ir_value *import_words(struct importer *im, LLVMValueRef value); /* valid until the next call */
void import_get(struct importer *im, LLVMValueRef value, ir_value *out, unsigned count);
void import_set(struct importer *im, LLVMValueRef value, const ir_value *words, unsigned count);
bool import_known(struct importer *im, LLVMValueRef value,
                  ir_value *out); /* emits nothing; false: it has no words yet */
void import_integer(LLVMValueRef constant, uint32_t *words);
uint64_t import_float(struct importer *im, LLVMValueRef constant); /* the bits of a half, float or double */
#define IMPORT_MAX_WORDS 1024                                      /* a long16 can be split into single bits */

/* emitting */
ir_value build(struct importer *im, enum ir_op op, ir_value a, ir_value b);
ir_value emit3(struct importer *im, enum ir_op op, ir_value a, ir_value b, ir_value c);
ir_value build_const(struct importer *im, uint32_t value);
ir_value build_imm(struct importer *im, enum ir_op op, ir_value a, uint32_t imm);
ir_value build_load(struct importer *im, ir_value address, int32_t offset, int size, bool is_private);
ir_value build_store(struct importer *im, ir_value address, int32_t offset, int size, ir_value value, bool is_private);
ir_value build_sext(struct importer *im, ir_value value, unsigned bits); /* to 32 */
ir_value build_zext(struct importer *im, ir_value value, unsigned bits);

/* 64-bit values (import_double.c) */
ir_value build_pack(struct importer *im, const ir_value *words);
void build_unpack(struct importer *im, ir_value wide, ir_value *words);
enum ir_op double_op(enum ir_op op); /* the operation on doubles that corresponds to one on floats */
/* An operation on floats or doubles; operands that it does not have may be NULL. */
void float_operation(struct importer *im, unsigned bits, enum ir_op op, const ir_value *a, const ir_value *b,
                     const ir_value *c, ir_value *out);
ir_value float_compare(struct importer *im, unsigned bits, LLVMRealPredicate predicate, const ir_value *a,
                       const ir_value *b);
void double_to_int(struct importer *im, bool is_signed, unsigned bits, const ir_value *a, ir_value *out);
void double_to_int_saturating(struct importer *im, bool is_signed, unsigned bits, const ir_value *a, ir_value *out);
void double_from_int(struct importer *im, bool is_signed, unsigned bits, const ir_value *a, ir_value *out);

ir_value build_select(struct importer *im, ir_value condition, ir_value then, ir_value otherwise);

/* integers of any width (import_int.c); in `words` operands all bits of all words are defined */
#define IMPORT_INT_WORDS 64 /* the bit string of the largest vector, twice */
unsigned int_words(unsigned bits);
void int_extend(struct importer *im, bool is_signed, unsigned bits, const ir_value *a, unsigned words, ir_value *out);
void int_select(struct importer *im, unsigned words, ir_value condition, const ir_value *then,
                const ir_value *otherwise, ir_value *out);
void int_add(struct importer *im, unsigned words, const ir_value *a, const ir_value *b, ir_value *out);
void int_sub(struct importer *im, unsigned words, const ir_value *a, const ir_value *b, ir_value *out);
void int_mul(struct importer *im, unsigned words, const ir_value *a, const ir_value *b, ir_value *out);
void int_negate(struct importer *im, unsigned words, const ir_value *a, ir_value *out);
void int_shift(struct importer *im, enum ir_op op, unsigned words, const ir_value *a, ir_value n, ir_value *out);
ir_value int_less(struct importer *im, bool is_signed, unsigned words, const ir_value *a, const ir_value *b);
ir_value int_equal(struct importer *im, unsigned words, const ir_value *a, const ir_value *b);
ir_value int_compare(struct importer *im, LLVMIntPredicate predicate, unsigned bits, const ir_value *a,
                     const ir_value *b);
ir_value int_popcount(struct importer *im, unsigned bits, const ir_value *a);
ir_value int_leading_zeros(struct importer *im, unsigned bits, const ir_value *a);
ir_value int_trailing_zeros(struct importer *im, unsigned bits, const ir_value *a);
void int_reverse(struct importer *im, unsigned bits, bool bytes_only, const ir_value *a, ir_value *out);

/* An integer, a float or a vector of them as one bit string, and back; `row` must start zeroed (0 is no value). */
void import_join_bits(struct importer *im, LLVMTypeRef type, const ir_value *words, ir_value *row);
void import_split_bits(struct importer *im, LLVMTypeRef type, const ir_value *row, ir_value *words);

/* instructions, by group; false: not one of this group */
bool import_arithmetic(struct importer *im, LLVMValueRef insn);
bool import_memory(struct importer *im, LLVMValueRef insn);
bool import_call(struct importer *im, LLVMValueRef call);
bool import_intrinsic(struct importer *im, LLVMValueRef call); /* one of LLVM's */
/* A NaN operand gives a NaN; op: IR_FMIN, IR_FMAX */
void import_minmax_nan(struct importer *im, unsigned bits, enum ir_op op, const ir_value *a, const ir_value *b,
                       ir_value *out);
void import_printf(struct importer *im, LLVMValueRef call);
/* functions (import_func.c) */
void import_function_call(struct importer *im, LLVMValueRef call, LLVMValueRef function);
void import_parameters(struct importer *im, LLVMValueRef function);
void import_return(struct importer *im, LLVMValueRef insn);
void import_returns(struct importer *im);
ir_value import_private(struct importer *im, uint32_t offset); /* an address in private memory */
void import_shared_locals(struct importer *im);
void import_place_shared_locals(struct importer *im);
ir_location import_location(struct importer *im, LLVMValueRef insn);
/* `file` is LLVM's string, the same for the same file. */
uint32_t import_place(struct importer *im, const char *file, unsigned length, unsigned line);
uint32_t import_definition(struct importer *im, LLVMValueRef function);
void import_kernel_info(struct importer *im, LLVMValueRef function); /* properties that the host can query */
uint32_t import_symbol(struct importer *im, LLVMValueRef global);
uint32_t import_local_offset(struct importer *im, uint32_t symbol);
/* import_parameters.c: of the function and the variable of these names and lines; 0: it is no parameter. */
uint32_t import_parameter_number(struct importer *im, const char *function, unsigned function_line, const char *name,
                                 unsigned line);
/* For a checker: what is there in local memory, or in private memory. */
uint32_t import_gap(const struct importer *im); /* for a checker: an access just outside of a variable is in no other */
void import_list_variable(struct importer *im, const char *name, uint32_t offset, uint32_t size, bool is_local);
ir_value import_metadata(struct importer *im, int32_t offset);               /* a word of the metadata buffer */
uint32_t import_reserve(struct importer *im, uint32_t size, uint32_t align); /* an offset in private memory */

/* addresses (import_address.c) */
unsigned import_pointer_words(const struct importer *im);
/* The pair of two words, the same one whenever it is asked for again. */
ir_value import_pair(struct importer *im, ir_value low, ir_value high);
void import_pair_words(struct importer *im, ir_value pair, ir_value words[2]);
/* A pointer as an address for accesses: a word, or a pair if it may be above 4 GiB. */
ir_value import_address(struct importer *im, LLVMValueRef pointer, bool is_private);
/* Makes the pairs of pointers where they are defined, so that their words are read nowhere else. */
void import_note_pointer(struct importer *im, LLVMValueRef value);
void import_gep(struct importer *im, LLVMValueRef insn);

/* address spaces of pointers (import_space.c) */
enum import_space { IMPORT_PRIVATE, IMPORT_PLAIN, IMPORT_EITHER };
enum import_space import_space(LLVMValueRef pointer);
/* Is a structure that a kernel receives by value only read, so that it need not be copied? */
bool import_stays_in_place(LLVMValueRef function, unsigned index);
/* Emits code for both cases, first for private memory, then for other memory; the two results are merged. */
struct import_both {
    uint32_t sides[2], after;
};
void import_both_begin(struct importer *im, LLVMValueRef pointer, struct import_both *both);
void import_both_next(struct importer *im, struct import_both *both);
void import_both_end(struct importer *im, struct import_both *both);
ir_value import_both_value(struct importer *im, ir_value first, ir_value second);

/* debug information (import_debug.c) */
ir_location import_debug_site(struct importer *im, LLVMValueRef insn); /* the upper half of its location */
uint32_t import_debug_scope(struct importer *im, LLVMValueRef function);
bool import_debug_call(struct importer *im, LLVMValueRef call); /* false: not one of LLVM's debug intrinsics */
void import_debug_symbol(struct importer *im, LLVMValueRef global, uint32_t symbol, uint32_t local);
void import_debug_free(struct importer *im);

/* atomic operations (import_atomic.c) */
bool import_atomic(struct importer *im, LLVMValueRef insn);
bool import_atomic_call(struct importer *im, LLVMValueRef call, const char *name);
bool import_is_expected(LLVMValueRef value, LLVMValueRef pointer);
void import_fence(struct importer *im, LLVMAtomicOrdering ordering);
/* Around an atomic access. */
void import_fence_before(struct importer *im, LLVMAtomicOrdering ordering);
void import_fence_after(struct importer *im, LLVMAtomicOrdering ordering);

#endif
