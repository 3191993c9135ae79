/* One launch on the machine's memory, workgroup after workgroup, in two ways: by the interpreter, and evaluated as strip IR.  Both run the
 * warps of a workgroup one after the other, each up to the next barrier. */
#ifndef CY_TESTS_JIT_IMPORT_MACHINE_H
#define CY_TESTS_JIT_IMPORT_MACHINE_H

#include "gpu/engine/engine.h"
#include "gpu/memory/memory.h"
#include "jit/sir/sir.h"
#include "obj/obj.h"

enum { MACHINE_WARPS = 64, MACHINE_LDS_BYTES = 1 << 20 };
enum { MACHINE_LDS = 0x70000000, MACHINE_PRIVATE = 0x10000000, MACHINE_WORDS = 0x60000000 };

struct machine {
    struct cy_memory memory;
    struct cy_code *code;
    struct cy_run run;
    struct cy_warp *warps; /* and one more, for instructions that the evaluator leaves to the interpreter */
    uint32_t entry;
    unsigned interpreted; /* instructions of the evaluator's */
};

struct launch {
    uint32_t global[3], local[3];
    uint32_t private_bytes; /* of a work-item */
};

/* How a launch ended: `is_done`, or where it faulted, or neither. */
struct ending {
    bool is_done, has_faulted;
    uint32_t pc;
    const char *why;
};

bool machine_open(struct machine *machine, struct cy_object *program, enum cy_target target, unsigned threads);
void machine_close(struct machine *machine);
/* The host's view of memory that is there. */
void *machine_at(const struct machine *machine, uint64_t address);

struct ending machine_interpret(struct machine *machine, const struct launch *launch);
struct ending machine_evaluate(struct machine *machine, const struct launch *launch, struct cy_sir_func *func);

#endif
