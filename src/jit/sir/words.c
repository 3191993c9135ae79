/* The words of the text form that are not operations, and what instructions have beside arguments. */
#include "jit/sir/sir_text_priv.h"

#include "isa/isa.h"

const char *const cy_sir_type_names[CY_SIR_TYPES] = {"void", "i1", "i8", "i16", "i32", "i64"};
const char *const cy_sir_right_names[CY_SIR_RIGHTS] = {"nothing", "read", "write", "readwrite"};
const char *const cy_sir_space_names[CY_SIR_SPACES] = {"near", "far", "private"};
const char *const cy_sir_move_names[CY_SIR_MOVES] = {"any",    "constant", "scalar", "row",    "maybe_row",
                                                     "stride", "chunk",    "pair",   "narrow", "interleaved",
                                                     "gather", "lanes",    "helper"};
const char *const cy_sir_host_names[CY_SIR_HOSTS] = {"forms_128", "forms_256", "forms_512", "forms_256_gathers"};
const char *const cy_sir_trap_names[CY_SIR_TRAPS] = {"trap", "diverged", "mixed_barriers"};
const char *const cy_sir_terminator_names[CY_SIR_TERMINATORS] = {"unreachable", "jump", "branch", "vbranch",
                                                                 "switch",      "end",  "phase"};
const char *const cy_sir_counting_names[CY_SIR_COUNTINGS] = {"nothing", "lanes", "insns"};
const char *const cy_sir_alone_names[CY_SIR_ALONES] = {"together", "alone", "alone_first"};
const char *const cy_sir_target_names[] = {"gen1", "gen2", "epic", "epic_fpga"};
_Static_assert(CY_COUNT(cy_sir_target_names) == CY_TARGET_COUNT, "each target has a name");

enum cy_sir_imm cy_sir_imm_of(unsigned op)
{
    switch (op) {
    case CY_SIR_CONST: return CY_SIR_IMM_NUMBER;
    case CY_SIR_SOURCE: return CY_SIR_IMM_SOURCE;
    case CY_SIR_GET:
    case CY_SIR_SET: return CY_SIR_IMM_CELL;
    case CY_SIR_ROW: return CY_SIR_IMM_ROW;
    case CY_SIR_FENCE: return CY_SIR_IMM_FENCE;
    case CY_SIR_PUT_X:
    case CY_SIR_GET_X: return CY_SIR_IMM_X;
    case CY_SIR_PUT_V:
    case CY_SIR_GET_V: return CY_SIR_IMM_V;
    case CY_SIR_TRAP: return CY_SIR_IMM_TRAP;
    case CY_SIR_CHECK: return CY_SIR_IMM_GROUP;
    case CY_SIR_SAVE:
    case CY_SIR_RESTORE: return CY_SIR_IMM_SLOT;
    case CY_SIR_COUNT: return CY_SIR_IMM_COUNTER;
    case CY_SIR_ISSUE:
    case CY_SIR_SPLIT: return CY_SIR_IMM_CODE;
    default: return CY_SIR_IMM_NONE;
    }
}

bool cy_sir_has_index(unsigned op)
{
    switch (op) {
    case CY_SIR_LOAD:
    case CY_SIR_STORE:
    case CY_SIR_ATOMIC:
    case CY_SIR_CAS:
    case CY_SIR_LR:
    case CY_SIR_SC:
    case CY_SIR_CHECK:
    case CY_SIR_PREFETCH: return true;
    default: return false;
    }
}

enum cy_sir_need cy_sir_needs_access(unsigned op)
{
    switch (op) {
    case CY_SIR_LOAD:
    case CY_SIR_STORE:
    case CY_SIR_ATOMIC:
    case CY_SIR_CAS:
    case CY_SIR_LR:
    case CY_SIR_SC:
    case CY_SIR_CHECK:
    case CY_SIR_INTERPRET: return CY_SIR_ALWAYS;
    case CY_SIR_POLL:
    case CY_SIR_TRAP:
    case CY_SIR_PREFETCH: return CY_SIR_MAYBE;
    default: return CY_SIR_NEVER;
    }
}
