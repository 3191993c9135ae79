/* Shared between printing (print.c), reading (read.c) and checking (validate.c) the strip IR. */
#ifndef CY_JIT_SIR_SIR_TEXT_PRIV_H
#define CY_JIT_SIR_SIR_TEXT_PRIV_H

#include "jit/sir/sir.h"

/* What an instruction's imm is.  Up to TRAP it is the first operand in the text, after that it has a word before it. */
enum cy_sir_imm {
    CY_SIR_IMM_NONE, /* 0 */
    CY_SIR_IMM_NUMBER,
    CY_SIR_IMM_SOURCE,
    CY_SIR_IMM_CELL,
    CY_SIR_IMM_ROW,
    CY_SIR_IMM_FENCE,
    CY_SIR_IMM_X,
    CY_SIR_IMM_V,
    CY_SIR_IMM_TRAP,
    CY_SIR_IMM_GROUP,
    CY_SIR_IMM_SLOT,
    CY_SIR_IMM_COUNTER,
    CY_SIR_IMM_CODE
};
enum cy_sir_imm cy_sir_imm_of(unsigned op);
bool cy_sir_has_index(unsigned op); /* its second argument is one, or none */
enum cy_sir_need { CY_SIR_NEVER, CY_SIR_MAYBE, CY_SIR_ALWAYS };
enum cy_sir_need cy_sir_needs_access(unsigned op);

enum {
    CY_SIR_RIGHTS = 4,
    CY_SIR_SPACES = CY_SIR_PRIVATE + 1,
    CY_SIR_MOVES = CY_SIR_FORM_HELPER + 1,
    CY_SIR_HOSTS = CY_JIT_FORMS_256_GATHERS + 1,
    CY_SIR_TRAPS = 3,
    CY_SIR_COUNTINGS = CY_JIT_COUNT_INSNS + 1,
    CY_SIR_TERMINATORS = CY_SIR_PHASE + 1,
    CY_SIR_ALONES = CY_SIR_ALONE_FIRST + 1
};
extern const char *const cy_sir_type_names[CY_SIR_TYPES];
extern const char *const cy_sir_right_names[CY_SIR_RIGHTS];
extern const char *const cy_sir_space_names[CY_SIR_SPACES];
extern const char *const cy_sir_move_names[CY_SIR_MOVES];
extern const char *const cy_sir_host_names[CY_SIR_HOSTS];
extern const char *const cy_sir_trap_names[CY_SIR_TRAPS];
extern const char *const cy_sir_alone_names[CY_SIR_ALONES];
extern const char *const cy_sir_terminator_names[CY_SIR_TERMINATORS];
extern const char *const cy_sir_target_names[];
extern const char *const cy_sir_counting_names[CY_SIR_COUNTINGS];

#endif
