/* Programs in SPIR-V, and their specialization constants.  llvm-spirv, a child process of the compiler, turns the module
 * into bitcode; without it there is no intermediate language. */
#include "cl/program/program_priv.h"

#include "cc/driver/spirv.h"

enum {
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_DECORATE = 71,
    DECORATION_SPEC_ID = 1,
};

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void *il, size_t length,
                                                          cl_int *errcode_ret)
{
    unsigned generation = 0;
    bool is_possible = false;
    CHECK_CREATE(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    CHECK_CREATE(cy_cl_has_il(), CL_INVALID_OPERATION);
    CHECK_CREATE(il && length && cc_is_spirv(il, length), CL_INVALID_VALUE);
    const char *wrong = cc_spirv_wrong(il, length, &generation);
    for (cl_uint i = 0; i < context->device_count; i++)
        is_possible |= context->devices[i]->ventus == generation;
    if (!wrong && !is_possible)
        wrong = "no device of the context has pointers of the SPIR-V module's width";
    if (wrong) {
        cy_cl_notify(context, wrong);
        CHECK_CREATE(false, CL_INVALID_VALUE);
    }
    void *bytes = cy_try_alloc(length), *special = cy_try_alloc(length);
    cl_program program = bytes && special ? cy_cl_program_create(context) : NULL;
    if (!program) {
        cy_free(bytes);
        cy_free(special);
        CHECK_CREATE(false, CL_OUT_OF_HOST_MEMORY);
    }
    program->il = memcpy(bytes, il, length);
    program->special_il = memcpy(special, il, length);
    program->il_size = length;
    for (cl_uint i = 0; i < context->device_count; i++)
        program->has_device[i] = context->devices[i]->ventus == generation;
    cy_cl_set_error(errcode_ret, CL_SUCCESS);
    return program;
}

/* ---- specialization constants ---- */

struct constant {
    bool exists, is_boolean, is_signed;
    uint32_t bytes;
    size_t at; /* of the instruction, in bytes */
};

/* An instruction that defines `id` and whose result is its word number `word`. */
static bool find_definition(const struct _cl_program *program, uint32_t id, unsigned word, unsigned first,
                            unsigned last, struct cc_spirv_insn *insn)
{
    size_t at = CC_SPIRV_HEADER_WORDS;
    while (cc_spirv_next(program->il, program->il_size, &at, insn))
        if (insn->opcode >= first && insn->opcode <= last && cc_spirv_word(insn, word) == id)
            return true;
    return false;
}

static struct constant find_constant(const struct _cl_program *program, cl_uint spec_id)
{
    struct cc_spirv_insn decoration, value, type;
    size_t at = CC_SPIRV_HEADER_WORDS;
    while (cc_spirv_next(program->il, program->il_size, &at, &decoration)) {
        if (decoration.opcode != OP_DECORATE || cc_spirv_word(&decoration, 2) != DECORATION_SPEC_ID ||
            decoration.word_count < 4 || cc_spirv_word(&decoration, 3) != spec_id ||
            !find_definition(program, cc_spirv_word(&decoration, 1), 2, OP_SPEC_CONSTANT_TRUE, OP_SPEC_CONSTANT,
                             &value) ||
            !find_definition(program, cc_spirv_word(&value, 1), 1, OP_TYPE_BOOL, OP_TYPE_FLOAT, &type))
            continue;
        const bool is_boolean = type.opcode == OP_TYPE_BOOL;
        const uint32_t bytes = is_boolean ? 1 : cc_spirv_word(&type, 2) / 8;
        /* an invalid module: the numbers do not fit the instruction */
        if (is_boolean != (value.opcode != OP_SPEC_CONSTANT) ||
            (!is_boolean && (!bytes || bytes > 8 || value.word_count != 3 + (bytes + 3) / 4)))
            continue;
        return (struct constant){.exists = true,
                                 .is_boolean = is_boolean,
                                 .is_signed = type.opcode == OP_TYPE_INT && cc_spirv_word(&type, 3),
                                 .bytes = bytes,
                                 .at = (size_t)(value.words - (const unsigned char *)program->il)};
    }
    return (struct constant){0};
}

/* Numbers narrower than a word are extended to one. */
static void set_constant(unsigned char *insn, const struct constant *constant, const unsigned char *value)
{
    unsigned char fill = 0;
    if (constant->is_boolean) {
        insn[0] = *value ? OP_SPEC_CONSTANT_TRUE : OP_SPEC_CONSTANT_FALSE;
        return;
    }
    if (constant->is_signed && value[constant->bytes - 1] & 0x80)
        fill = 0xff;
    memcpy(insn + 12, value, constant->bytes); /* hosts are little-endian */
    for (uint32_t i = constant->bytes; i % 4; i++)
        insn[12 + i] = fill;
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program program, cl_uint id, size_t size,
                                                                   const void *value)
{
    CHECK(cy_cl_is(program, &cy_cl_program_class) && program->il, CL_INVALID_PROGRAM);
    struct constant constant = find_constant(program, id);
    CHECK(constant.exists, CL_INVALID_SPEC_ID);
    CHECK(value && size == constant.bytes, CL_INVALID_VALUE);
    pthread_mutex_lock(&program->lock);
    cy_cl_program_wait(program); /* a build reads them */
    set_constant((unsigned char *)program->special_il + constant.at, &constant, value);
    pthread_mutex_unlock(&program->lock);
    return CL_SUCCESS;
}
