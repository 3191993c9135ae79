/* The call graph: functions ordered so that callees come first.  OpenCL C has no recursion, so the order exists. */
#include "cc/ir/ir.h"

#include <string.h>

struct step {
    uint32_t func;
    size_t next;
};

enum { UNSEEN, OPEN, DONE };

const struct ir_func *ir_order_funcs(const struct ir_module *module, uint32_t *order)
{
    CY_VEC(struct step) stack = {0};
    uint8_t *state = cy_xrealloc(NULL, module->funcs.count + 1);
    const struct ir_func *recursive = NULL;
    size_t count = 0;
    memset(state, UNSEEN, module->funcs.count + 1);
    for (uint32_t root = 0; root < module->funcs.count; root++) {
        if (state[root] != UNSEEN)
            continue;
        state[root] = OPEN;
        *cy_vec_push(&stack) = (struct step){root, 0};
        while (stack.count) {
            struct step *top = &stack.at[stack.count - 1];
            const struct ir_func *func = &module->funcs.at[top->func];
            if (top->next == func->callees.count) {
                state[top->func] = DONE;
                order[count++] = top->func;
                stack.count--;
                continue;
            }
            uint32_t to = func->callees.at[top->next++];
            if (state[to] == OPEN)
                recursive = &module->funcs.at[to];
            if (state[to] == UNSEEN) {
                state[to] = OPEN;
                *cy_vec_push(&stack) = (struct step){to, 0};
            }
        }
    }
    cy_vec_free(&stack);
    cy_free(state);
    return recursive;
}
