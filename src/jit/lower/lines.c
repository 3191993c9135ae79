/* The guest's instructions as lines of LLVM's debug information, for assembly that people read. */
#include "jit/lower/lower.h"

#include <llvm-c/DebugInfo.h>

static LLVMMetadataRef subprogram_of(LLVMDIBuilderRef builder)
{
    LLVMMetadataRef file = LLVMDIBuilderCreateFile(builder, "guest", 5, "", 0);
    LLVMDIBuilderCreateCompileUnit(builder, LLVMDWARFSourceLanguageC11, file, "", 0, true, "", 0, 0, "", 0,
                                   LLVMDWARFEmissionLineTablesOnly, 0, false, false, "", 0, "", 0);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(builder, file, NULL, 0, LLVMDIFlagZero);
    return LLVMDIBuilderCreateFunction(builder, file, "any", 3, "", 0, file, 1, type, true, true, 1, LLVMDIFlagZero,
                                       true);
}

static void set_flag(struct translator *t, const char *name, size_t size, unsigned value)
{
    LLVMAddModuleFlag(t->module, LLVMModuleFlagBehaviorWarning, name, size,
                      LLVMValueAsMetadata(LLVMConstInt(t->i32, value, false)));
}

void lower_lines_begin(struct lower *l, LLVMValueRef function)
{
    enum { DWARF = 5 };
    if (!l->t->wants_lines)
        return;
    LLVMDIBuilderRef builder = LLVMCreateDIBuilder(l->t->module);
    set_flag(l->t, "Debug Info Version", 18, LLVMDebugMetadataVersion());
    set_flag(l->t, "Dwarf Version", 13, DWARF);
    l->lines = subprogram_of(builder);
    LLVMSetSubprogram(function, l->lines);
    LLVMDIBuilderFinalize(builder);
    LLVMDisposeDIBuilder(builder);
}

void lower_line(struct lower *l, uint32_t pc)
{
    const uint32_t word = (pc - l->t->request->code_base) / 4;
    if (l->lines)
        LLVMSetCurrentDebugLocation2(l->t->builder,
                                     pc && word < l->t->count
                                         ? LLVMDIBuilderCreateDebugLocation(l->t->context, word + 1, 0, l->lines, NULL)
                                         : NULL);
}

/* Functions that were made meanwhile are no part of the guest's code. */
void lower_lines_end(struct lower *l, LLVMValueRef function)
{
    if (!l->lines)
        return;
    LLVMSetCurrentDebugLocation2(l->t->builder, NULL);
    for (LLVMValueRef f = LLVMGetFirstFunction(l->t->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = f != function ? LLVMGetFirstBasicBlock(f) : NULL; b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                LLVMInstructionSetDebugLoc(i, NULL);
}
