/* compile.c LEVEL FILE: LLVM IR from standard input to an object file, as the translator compiles guest code for that level of a host
 * (sse2, avx2, avx512, avx512-slow, neon, sve256, sve512); oracle: for any x86-64, without passes, at -O0.  --plain before the level
 * leaves out what the translator does against faults of LLVM. */
#include "jit/translate/translator.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    const struct host *host;
    unsigned level;
} levels[] = {{"sse2", &host_x86, 0},        {"avx2", &host_x86, 1},     {"avx512", &host_x86, 2},
              {"avx512-slow", &host_x86, 3}, {"neon", &host_aarch64, 0}, {"sve256", &host_aarch64, 1},
              {"sve512", &host_aarch64, 2}};

static int failed(const char *what)
{
    fprintf(stderr, "compile: %s\n", what);
    return 1;
}

static bool read_module(struct translator *t)
{
    LLVMMemoryBufferRef text;
    char *error = NULL;
    t->context = LLVMContextCreate();
    if (LLVMCreateMemoryBufferWithSTDIN(&text, &error) || LLVMParseIRInContext(t->context, text, &t->module, &error) ||
        LLVMVerifyModule(t->module, LLVMReturnStatusAction, &error)) {
        failed(error);
        return false;
    }
    t->builder = LLVMCreateBuilderInContext(t->context);
    t->i1 = LLVMInt1TypeInContext(t->context);
    t->f32 = LLVMFloatTypeInContext(t->context);
    t->f64 = LLVMDoubleTypeInContext(t->context);
    return true;
}

static bool compile_oracle(struct translator *t, LLVMMemoryBufferRef *file)
{
    LLVMTargetRef target;
    char *error;
    t->host = &host_x86;
    t->host->initialise(&t->host->levels[0]);
    if (LLVMGetTargetFromTriple(t->host->triple, &target, &error))
        return false;
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, t->host->triple, "x86-64", "", LLVMCodeGenLevelNone,
                                                           LLVMRelocPIC, LLVMCodeModelDefault);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(t->module, layout);
    LLVMSetTarget(t->module, t->host->triple);
    LLVMDisposeTargetData(layout);
    const bool ok = !LLVMTargetMachineEmitToMemoryBuffer(machine, t->module, LLVMObjectFile, &error, file);
    LLVMDisposeTargetMachine(machine);
    return ok;
}

static bool compile_for(struct translator *t, const char *name, bool is_plain, LLVMMemoryBufferRef *file)
{
    for (size_t i = 0; i < CY_COUNT(levels); i++) {
        if (strcmp(levels[i].name, name) != 0)
            continue;
        t->host = levels[i].host;
        struct host_level level = t->host->levels[levels[i].level];
        level.finish = is_plain ? NULL : level.finish;
        t->level = &level;
        t->w = 16; /* of masks that finish() looks at */
        t->vi1 = LLVMVectorType(t->i1, t->w);
        return compile_module(t, file);
    }
    return false;
}

int main(int argc, char **argv)
{
    struct translator *t = calloc(1, sizeof(*t));
    struct cy_buf why = {0};
    LLVMMemoryBufferRef file = NULL;
    const bool is_plain = argc == 4 && !strcmp(argv[1], "--plain");
    char **args = argv + 1 + is_plain;
    if (!t || argc != 3 + is_plain)
        return failed("usage: compile [--plain] LEVEL FILE");
    t->why = &why;
    if (!read_module(t))
        return 1;
    if (!(strcmp(args[0], "oracle") ? compile_for(t, args[0], is_plain, &file) : compile_oracle(t, &file)))
        return failed(why.data ? why.data : "no such level");
    FILE *out = fopen(args[1], "wb");
    if (!out || fwrite(LLVMGetBufferStart(file), LLVMGetBufferSize(file), 1, out) != 1 || fclose(out))
        return failed("cannot write");
    return 0;
}
