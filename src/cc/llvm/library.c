/* Links the built-in functions that a program calls.  The device library is a directory of small modules with an index
 * of which function is in which, so that a program pays only for what it uses; the functions are linkonce_odr, so that
 * LLVM's linker takes only those that are called. */
#include "base/file.h"
#include "base/strmap.h"
#include "cc/llvm/llvm_pipeline.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>

#include <stdlib.h>
#include <string.h>

struct library {
    struct cc_program *program;
    const char *name, *directory;
    struct cy_diags *diags;
    struct cy_buf index;      /* lines `function module`, sorted by bytes */
    struct cy_strmap sought;  /* names already looked up */
    struct cy_strmap modules; /* modules that define them, to be linked next */
};

const char *cc_base_name(const char *name, size_t *length)
{
    char *end;
    if (strncmp(name, "_Z", 2) != 0)
        return name;
    unsigned long count = strtoul(name + 2, &end, 10);
    if (end == name + 2 || count > (size_t)(name + *length - end))
        return name;
    *length = count;
    return end;
}

/* Compares `name` with the function on a line. */
static int compare(const char *name, size_t length, const char *line)
{
    int order = strncmp(name, line, length);
    return order ? order : line[length] == ' ' ? 0 : -1;
}

/* The first line of a function, or NULL. */
static const char *find(const struct library *library, const char *name, size_t length)
{
    const char *low = library->index.data, *high = low + library->index.size;
    while (low < high) { /* the answer starts in [low, high); both are starts of lines */
        const char *middle = low + (high - low) / 2;
        while (middle > low && middle[-1] != '\n')
            middle--;
        if (compare(name, length, middle) > 0)
            low = strchr(middle, '\n') + 1;
        else
            high = middle;
    }
    bool found = low < library->index.data + library->index.size && !compare(name, length, low);
    return found ? low : NULL;
}

static bool link_module(struct library *library, const char *module)
{
    struct cc_program *program = library->program;
    struct cy_buf path = {0};
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef part;
    char *message = NULL;
    cy_buf_printf(&path, "%s/builtins/%s.bc", library->directory, module);
    bool ok = !LLVMCreateMemoryBufferWithContentsOfFile(path.data, &buffer, &message);
    if (!ok) {
        cy_diag_file(library->diags, CY_ERROR, library->name, "cannot read the device library %s: %s", path.data,
                     message);
        LLVMDisposeMessage(message);
    } else if (LLVMGetBitcodeModuleInContext2(program->context, buffer, &part)) {
        ok = false;
        cy_diag_file(library->diags, CY_ERROR, library->name, "the device library is damaged: %s", path.data);
    } else {
        LLVMSetDataLayout(part, LLVMGetDataLayoutStr(program->module));
        LLVMSetTarget(part, LLVMGetTarget(program->module));
        ok = !LLVMLinkModules2(program->module, part);
        if (!ok)
            cy_diag_file(library->diags, CY_ERROR, library->name, "cannot link the device library %s", path.data);
    }
    cy_buf_free(&path);
    return ok;
}

/* Overloads for double and half are in modules of their own, named so; a program that calls others does not load them.
 * `parameters` is the mangled list of the function sought, or NULL. */
static bool is_wanted(const char *module, const char *parameters)
{
    if (!parameters)
        return true;
    if (!strncmp(module, "double_", 7))
        return strchr(parameters, 'd') != NULL;
    if (!strncmp(module, "fp16_", 5))
        return strstr(parameters, "Dh") != NULL;
    if (!strncmp(module, "atomic64", 8)) { /* by what the first parameter points to: PU3AS1VU7_Atomicl */
        const char *at = parameters + strcspn(parameters, "V");
        at += *at == 'V';
        at += strncmp(at, "U7_Atomic", 9) ? 0 : 9;
        return strchr("lmd", *at) != NULL;
    }
    return true;
}

/* Requests the modules that define a function of this name: several if it is overloaded. */
static void want(struct library *library, const char *name, size_t length, const char *parameters)
{
    const char *line = find(library, name, length), *end = library->index.data + library->index.size;
    for (; line && line < end && !compare(name, length, line); line = strchr(line, '\n') + 1) {
        const char *module = line + length + 1;
        if (is_wanted(module, parameters))
            cy_strmap_add(&library->modules, module, strcspn(module, "\n"));
    }
}

/* Looks up what is used but not defined, each name once: some stay undefined. */
static void look_up(struct library *library, LLVMValueRef value)
{
    size_t length;
    if (!LLVMIsDeclaration(value) || !LLVMGetFirstUse(value))
        return;
    const char *name = LLVMGetValueName2(value, &length);
    size_t known = library->sought.strings.count;
    if (cy_strmap_add(&library->sought, name, length) == known) {
        const char *base = cc_base_name(name, &length);
        want(library, base, length, base == name ? NULL : base + length);
    }
}

static bool read_index(struct library *library)
{
    struct cy_buf path = {0};
    cy_buf_printf(&path, "%s/builtins/index", library->directory);
    bool ok = cy_file_read(path.data, &library->index, library->diags);
    if (ok && (!library->index.size || library->index.data[library->index.size - 1] != '\n')) {
        cy_diag_file(library->diags, CY_ERROR, library->name, "the device library is damaged: %s", path.data);
        ok = false;
    }
    cy_buf_free(&path);
    return ok;
}

bool cc_library_link(struct cc_program *program, const char *name, const char *directory, struct cy_diags *diags)
{
    struct library library = {.program = program, .name = name, .directory = directory, .diags = diags};
    bool ok = read_index(&library), more = ok;
    while (ok && more) { /* linked functions may call others */
        for (LLVMValueRef f = LLVMGetFirstFunction(program->module); f; f = LLVMGetNextFunction(f))
            if (!LLVMGetIntrinsicID(f))
                look_up(&library, f);
        for (LLVMValueRef g = LLVMGetFirstGlobal(program->module); g; g = LLVMGetNextGlobal(g))
            look_up(&library, g);
        more = library.modules.strings.count > 0;
        for (size_t i = 0; i < library.modules.strings.count && ok; i++)
            ok = link_module(&library, library.modules.strings.at[i].text);
        cy_strmap_free(&library.modules);
    }
    cy_strmap_free(&library.sought);
    cy_strmap_free(&library.modules);
    cy_buf_free(&library.index);
    return ok;
}
