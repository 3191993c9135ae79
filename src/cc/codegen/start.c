/* Start-up code for programs that need no scalar stack: it loads the addresses of the kernel and of its arguments, and
 * jumps.  Kernels end with endprg, so nothing returns here.  Programs whose functions save registers get the device
 * library's start-up code (lib/ventus/crt0.s), which sets up the stack. */
#include "cc/codegen/start.h"

#include "cc/codegen/mir.h"

#include <assert.h>
#include <string.h>

enum { T0 = CY_REG_T0, T1 = CY_REG_T1, A0 = CY_REG_A0, E32_M1_TA_MA = 0xd0 };

bool cc_needs_stack(const struct ir_module *module)
{
    for (size_t i = 0; i < module->funcs.count; i++)
        if (module->funcs.at[i].needs.stack_bytes)
            return true;
    return false;
}

void cc_emit_start(struct cy_object *object, const struct cc_target *target)
{
    static const struct {
        uint16_t op, count;
        int32_t operands[3];
    } code[] = {
        {CY_OP_vsetvli, 3, {T0, 0, E32_M1_TA_MA}},
        {CY_OP_csrrs, 3, {T0, CY_CSR_KNL, 0}},
        {CY_OP_lw, 3, {T1, CY_KNL_ENTRY, T0}},
        {CY_OP_lw, 3, {A0, CY_KNL_ARG_BASE, T0}},
        {CY_OP_jalr, 3, {0, 0, T1}},
    };
    struct cy_section *section =
        cy_object_add_section(object, ".text.init", CY_SHT_PROGBITS, CY_SHF_ALLOC | CY_SHF_EXECINSTR);
    section->align = 4;
    for (size_t i = 0; i < CY_COUNT(code); i++) {
        struct cy_insn insn = {.op = (enum cy_op)code[i].op};
        memcpy(insn.operand, code[i].operands, sizeof(code[i].operands));
        const char *error = cy_encode(target->isa, &insn, NULL);
        assert(!error && insn.size == 4 && "start-up code that cannot be encoded");
        (void)error;
        cy_buf_append(&section->data, &insn.word, 4);
    }
    section->size = (uint32_t)section->data.size;
    *cy_vec_push(&object->symbols) = (struct cy_symbol){.name = "_start",
                                                        .section = (uint32_t)object->sections.count,
                                                        .size = section->size,
                                                        .binding = CY_STB_GLOBAL,
                                                        .type = CY_STT_FUNC};
}
