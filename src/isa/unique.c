/* Two rows of one instruction set with the same match value under the same format are indistinguishable: a duplicate
 * case label here is a duplicate encoding in the tables.  (Overlaps between formats are tested separately.) */
#include "isa/isa_priv.h"

#define UNIQUE(target, id, format, match, gens)                                                                        \
    case (int64_t)(((CY_IN_##gens) & (target)) ? match : 0) | (int64_t)CY_FORMAT_##format << 33 |                      \
        (int64_t)(((CY_IN_##gens) & (target)) ? 0 : CY_OP_##id) << 44:
int cy_tables_unique(int64_t key); /* never called; it only has to compile */
int cy_tables_unique(int64_t key)
{
    switch (key) {
#define INSN(id, mnemonic, format, match, gens, sched, flags) UNIQUE(CY_IN_GEN1, id, format, match, gens)
#include "isa/insns.def"
        return 1;
    }
    switch (key) {
#define INSN(id, mnemonic, format, match, gens, sched, flags) UNIQUE(CY_IN_GEN2, id, format, match, gens)
#include "isa/insns.def"
        return 2;
    }
    switch (key) {
#define INSN(id, mnemonic, format, match, gens, sched, flags) UNIQUE(CY_IN_EPIC, id, format, match, gens)
#include "isa/insns.def"
        return 3;
    }
    return 0;
}
