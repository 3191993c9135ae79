/* Functions that are called rather than inlined: their arguments, results and calls; and the local variables they share
 * with kernels.  Words that do not fit in registers are at the start of the callee's private memory. */
#include "cc/import/import_priv.h"

#include <llvm-c/DebugInfo.h>

#include <string.h>

/* The number of words in a function's arguments. */
static unsigned argument_words(struct importer *im, LLVMValueRef function)
{
    unsigned words = 0;
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        words += import_word_count(im, LLVMTypeOf(LLVMGetParam(function, i)));
    return words;
}

static unsigned result_words(struct importer *im, LLVMValueRef function)
{
    return import_word_count(im, LLVMGetReturnType(LLVMGlobalGetValueType(function)));
}

static unsigned in_registers(unsigned words)
{
    return words < IR_CALL_REGISTERS ? words : IR_CALL_REGISTERS;
}

static uint32_t in_memory(unsigned words)
{
    return 4 * (words - in_registers(words));
}

ir_value import_private(struct importer *im, uint32_t offset)
{
    return im->func->is_function ? build_imm(im, IR_ADD, im->frame, offset) : build_const(im, offset);
}

/* ---- the function ---- */

void import_parameters(struct importer *im, LLVMValueRef function)
{
    unsigned words = argument_words(im, function), results = result_words(im, function), at = 0;
    uint32_t passed = in_memory(words), returned = in_memory(results);
    im->func->params = in_registers(words);
    im->func->results = in_registers(results);
    im->func->private_bytes = passed > returned ? passed : returned;
    im->frame = build(im, IR_FRAME, 0, 0);
    for (unsigned i = 0; i < LLVMCountParams(function); i++) {
        LLVMValueRef param = LLVMGetParam(function, i);
        ir_value list[IMPORT_MAX_WORDS];
        unsigned count = import_word_count(im, LLVMTypeOf(param));
        if (count > IMPORT_MAX_WORDS) {
            import_error(im, NULL, "argument %u has %u words, more than %u", i, count, IMPORT_MAX_WORDS);
            return;
        }
        for (unsigned w = 0; w < count; w++, at++) {
            if (at < IR_CALL_REGISTERS) {
                list[w] = build(im, IR_PARAM, 0, 0);
                ir_at(im->func, list[w])->imm = (int32_t)at;
            } else {
                list[w] = build_load(im, im->frame, (int32_t)(4 * (at - IR_CALL_REGISTERS)), 4, true);
            }
        }
        import_set(im, param, list, count);
    }
}

void import_return(struct importer *im, LLVMValueRef insn)
{
    if (im->func->is_function && LLVMGetNumOperands(insn))
        *cy_vec_push(&im->returns) = (struct import_return){im->block, LLVMGetOperand(insn, 0)};
}

/* All returns go to the exit block, which sets the results.  Predecessors are known by now. */
void import_returns(struct importer *im)
{
    struct ir_func *func = im->func;
    ir_value words[IMPORT_MAX_WORDS];
    unsigned count = im->returns.count ? import_word_count(im, LLVMTypeOf(im->returns.at[0].value)) : 0;
    size_t preds = func->blocks.at[im->exit_block].preds.count;
    uint32_t first = (uint32_t)func->phi_args.count;
    for (size_t i = 0; i < count * preds; i++)
        *cy_vec_push(&func->phi_args) = 0;
    for (size_t p = 0; p < preds && count; p++) {
        uint32_t from = func->blocks.at[im->exit_block].preds.at[p];
        size_t r = 0;
        while (r < im->returns.count && im->returns.at[r].block != from)
            r++;
        im->block = from;
        if (r < im->returns.count)
            import_get(im, im->returns.at[r].value, words, count);
        for (unsigned w = 0; w < count; w++) /* an unreachable return returns anything */
            func->phi_args.at[first + w * preds + p] = r < im->returns.count ? words[w] : build_const(im, 0);
    }
    im->block = im->exit_block;
    for (unsigned w = 0; w < count; w++) {
        words[w] = build(im, IR_PHI, 0, 0);
        ir_at(func, words[w])->args[0] = first + w * (uint32_t)preds;
    }
    for (unsigned w = IR_CALL_REGISTERS; w < count; w++)
        build_store(im, im->frame, (int32_t)(4 * (w - IR_CALL_REGISTERS)), 4, words[w], true);
    for (unsigned w = 0; w < in_registers(count); w++)
        ir_at(func, build(im, IR_RETVAL, words[w], 0))->imm = (int32_t)w;
}

/* ---- the call ---- */

/* A function's index in the module: kernels come first, then functions in the order in which calls to them are met. */
static uint32_t callee_index(struct importer *im, LLVMValueRef function)
{
    size_t i = 0;
    while (i < im->functions.count && im->functions.at[i] != function)
        i++;
    if (i == im->functions.count)
        *cy_vec_push(&im->functions) = function;
    uint32_t index = im->kernel_count + (uint32_t)i;
    for (size_t k = 0; k < im->func->callees.count; k++)
        if (im->func->callees.at[k] == index)
            return index;
    *cy_vec_push(&im->func->callees) = index;
    return index;
}

/* The callee's private memory: computed in the prologue, which dominates everything. */
static ir_value next_frame(struct importer *im)
{
    if (!im->next_frame)
        im->next_frame = ir_append(im->func, 0, IR_NEXT, 0, 0, 0);
    return im->next_frame;
}

void import_function_call(struct importer *im, LLVMValueRef call, LLVMValueRef function)
{
    unsigned words = argument_words(im, function), results = result_words(im, function), at = 0;
    ir_value list[IMPORT_MAX_WORDS];
    if (words > IMPORT_MAX_WORDS || results > IMPORT_MAX_WORDS) {
        import_error(im, call, "a call passes %u words and returns %u, more than is supported", words, results);
        return;
    }
    for (unsigned i = 0; i < LLVMCountParams(function); i++) {
        unsigned count = import_word_count(im, LLVMTypeOf(LLVMGetOperand(call, i)));
        import_get(im, LLVMGetOperand(call, i), list + at, count);
        at += count;
    }
    for (unsigned w = IR_CALL_REGISTERS; w < words; w++)
        build_store(im, next_frame(im), (int32_t)(4 * (w - IR_CALL_REGISTERS)), 4, list[w], true);
    for (unsigned w = 0; w < in_registers(words); w++)
        ir_at(im->func, build(im, IR_ARG, list[w], 0))->imm = (int32_t)w;
    ir_value made = build(im, IR_CALL, 0, 0);
    ir_at(im->func, made)->imm = (int32_t)callee_index(im, function);
    ir_at(im->func, made)->extra = (int32_t)in_registers(words);
    for (unsigned w = 0; w < in_registers(results); w++) {
        list[w] = build(im, IR_RESULT, made, 0);
        ir_at(im->func, list[w])->imm = (int32_t)w;
    }
    for (unsigned w = IR_CALL_REGISTERS; w < results; w++)
        list[w] = build_load(im, next_frame(im), (int32_t)(4 * (w - IR_CALL_REGISTERS)), 4, true);
    if (results)
        import_set(im, call, list, results);
}

/* ---- local variables ---- */

static bool is_used_by_function(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user)) {
            LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
            if (LLVMGetFunctionCallConv(function) != CC_SPIR_KERNEL)
                return true;
        } else if (is_used_by_function(user)) {
            return true;
        }
    }
    return false;
}

/* When all callers pass the same variable, LLVM may make functions refer to it directly.  Such variables have the same
 * offset in every kernel. */
void import_shared_locals(struct importer *im)
{
    im->shared_local_bytes = import_gap(im); /* before the first one are the stacks */
    for (LLVMValueRef global = LLVMGetFirstGlobal(im->llvm); global; global = LLVMGetNextGlobal(global)) {
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(global)) != 3 || !is_used_by_function(global))
            continue;
        uint32_t symbol = import_symbol(im, global);
        const struct ir_symbol *s = &im->module->symbols.at[symbol];
        uint32_t at = (im->shared_local_bytes + s->align - 1) & ~(s->align - 1);
        *cy_vec_push(&im->shared_locals) = (struct import_local){symbol, at};
        im->shared_local_bytes = at + s->size + import_gap(im);
    }
}

void import_place_shared_locals(struct importer *im)
{
    im->local_offsets.count = 0;
    for (size_t i = 0; i < im->shared_locals.count; i++) {
        while (im->local_offsets.count <= im->shared_locals.at[i].symbol)
            *cy_vec_push(&im->local_offsets) = UINT32_MAX;
        im->local_offsets.at[im->shared_locals.at[i].symbol] = im->shared_locals.at[i].offset;
        const struct ir_symbol *symbol = &im->module->symbols.at[im->shared_locals.at[i].symbol];
        import_list_variable(im, symbol->name, im->shared_locals.at[i].offset, symbol->size, true);
    }
    im->func->local_bytes = im->shared_local_bytes;
}

/* ---- source lines ---- */

uint32_t import_place(struct importer *im, const char *file, unsigned length, unsigned line)
{
    if (!line || line > IR_MOST_LINES)
        return 0;
    if (file != im->last_file || !im->module->files.count) {
        const char *name = length ? cy_arena_strndup(&im->module->arena, file, length) : im->name;
        size_t known = strlen(im->name); /* LLVM stores the directory separately: the program keeps the name we gave
                                          * it */
        if (known > length && im->name[known - length - 1] == '/' && !strcmp(im->name + known - length, name))
            name = im->name;
        uint32_t i = 0;
        while (i < im->module->files.count && strcmp(im->module->files.at[i], name))
            i++;
        if (i == im->module->files.count)
            *cy_vec_push(&im->module->files) = name;
        im->last_file = file;
        im->last_file_index = i < IR_MOST_FILES ? i : 0;
    }
    return IR_LOCATION(im->last_file_index, line);
}

ir_location import_location(struct importer *im, LLVMValueRef insn)
{
    unsigned length = 0;
    const char *file = LLVMGetDebugLocFilename(insn, &length);
    const ir_location site = import_debug_site(im, insn);
    return site | import_place(im, file, length, LLVMGetDebugLocLine(insn));
}

uint32_t import_definition(struct importer *im, LLVMValueRef function)
{
    unsigned length = 0;
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function), file = subprogram ? LLVMDIScopeGetFile(subprogram) : NULL;
    const char *name = file ? LLVMDIFileGetFilename(file, &length) : NULL;
    return subprogram ? import_place(im, name, length, LLVMDISubprogramGetLine(subprogram)) : 0;
}
