/* Programs in SPIR-V, and their specialization constants.  llvm-spirv, a child process of the compiler, turns the module
 * into bitcode; without it there is no intermediate language. */
#include "cl/cl_priv.h"

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

static bool has_translator;

static void find_translator(void)
{
    has_translator = cc_spirv_exists();
}

bool cy_cl_has_il(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_translator);
    return has_translator;
}

bool cy_cl_device_has_il(cl_device_id device)
{
    return device->ventus == 1 && cy_cl_has_il();
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void *il, size_t length,
                                                          cl_int *errcode_ret)
{
    bool is_possible = false;
    CHECK_CREATE(cy_cl_is(context, CY_CL_CONTEXT), CL_INVALID_CONTEXT);
    for (cl_uint i = 0; i < context->device_count; i++)
        is_possible |= cy_cl_device_has_il(context->devices[i]);
    CHECK_CREATE(is_possible, CL_INVALID_OPERATION);
    CHECK_CREATE(il && length && cc_is_spirv(il, length), CL_INVALID_VALUE);
    const char *wrong = cc_spirv_wrong(il, length);
    if (wrong) {
        cy_cl_notify(context, wrong);
        CHECK_CREATE(false, CL_INVALID_VALUE);
    }
    void *bytes = cy_try_alloc(length);
    cl_program program = bytes ? cy_cl_program_create(context) : NULL;
    if (!program) {
        cy_free(bytes);
        CHECK_CREATE(false, CL_OUT_OF_HOST_MEMORY);
    }
    program->il = memcpy(bytes, il, length);
    program->il_size = length;
    for (cl_uint i = 0; i < context->device_count; i++)
        program->has_device[i] = cy_cl_device_has_il(context->devices[i]);
    cy_cl_set_error(errcode_ret, CL_SUCCESS);
    return program;
}

/* ---- specialization constants ---- */

struct constant {
    uint32_t type_opcode, width; /* type_opcode 0: there is no such constant */
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
    struct cc_spirv_insn decoration, insn;
    size_t at = CC_SPIRV_HEADER_WORDS;
    while (cc_spirv_next(program->il, program->il_size, &at, &decoration)) {
        if (decoration.opcode != OP_DECORATE || cc_spirv_word(&decoration, 2) != DECORATION_SPEC_ID ||
            decoration.word_count < 4 || cc_spirv_word(&decoration, 3) != spec_id ||
            !find_definition(program, cc_spirv_word(&decoration, 1), 2, OP_SPEC_CONSTANT_TRUE, OP_SPEC_CONSTANT,
                             &insn) ||
            !find_definition(program, cc_spirv_word(&insn, 1), 1, OP_TYPE_BOOL, OP_TYPE_FLOAT, &insn))
            continue;
        return (struct constant){insn.opcode, insn.opcode == OP_TYPE_BOOL ? 1 : cc_spirv_word(&insn, 2)};
    }
    return (struct constant){0};
}

/* As llvm-spirv's option wants it: a floating-point number in decimal form with all its digits. */
static char *argument_of(cl_uint id, const struct constant *constant, const void *value)
{
    struct cy_buf text = {0};
    uint64_t bits = 0;
    float single;
    double number;
    memcpy(&bits, value, (constant->width + 7) / 8); /* hosts are little-endian */
    bool ok = cy_buf_try_printf(&text, CC_SPIRV_CONSTANT "%u:%c%u:", id,
                                constant->type_opcode == OP_TYPE_FLOAT ? 'f' : 'i', constant->width);
    memcpy(&single, &bits, sizeof(single));
    memcpy(&number, &bits, sizeof(number));
    if (constant->type_opcode != OP_TYPE_FLOAT)
        ok = ok && cy_buf_try_printf(&text, "%llu", (unsigned long long)(constant->width == 1 ? bits != 0 : bits));
    else
        ok = ok && cy_buf_try_printf(&text, "%.17g", constant->width == 32 ? (double)single : number);
    if (ok)
        return text.data;
    cy_buf_free(&text);
    return NULL;
}

/* The argument replaces an earlier one for the same constant. */
static bool keep_argument(cl_program program, char *argument)
{
    size_t length = strcspn(argument, ":");
    for (size_t i = 0; i < program->constants.count; i++)
        if (!strncmp(program->constants.at[i], argument, length + 1)) {
            cy_free(program->constants.at[i]);
            program->constants.at[i] = argument;
            return true;
        }
    char **place = cy_vec_try_push(&program->constants);
    if (place)
        *place = argument;
    return place != NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program program, cl_uint id, size_t size,
                                                                   const void *value)
{
    CHECK(cy_cl_is(program, CY_CL_PROGRAM) && program->il, CL_INVALID_PROGRAM);
    struct constant constant = find_constant(program, id);
    CHECK(constant.type_opcode, CL_INVALID_SPEC_ID);
    CHECK(value && size == (constant.width + 7) / 8 && size <= 8, CL_INVALID_VALUE);
    CHECK(constant.type_opcode != OP_TYPE_FLOAT || constant.width >= 32, CL_INVALID_VALUE); /* halves: not supported */
    char *argument = argument_of(id, &constant, value);
    CHECK(argument, CL_OUT_OF_HOST_MEMORY);
    pthread_mutex_lock(&program->lock);
    cy_cl_program_wait(program); /* a build reads them */
    bool ok = keep_argument(program, argument);
    pthread_mutex_unlock(&program->lock);
    if (!ok)
        cy_free(argument);
    return ok ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}
