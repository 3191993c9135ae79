/* Which number a parameter has.  LLVM's C interface does not tell, but its text does ("arg: 2"); and since the text of any
 * one node numbers all nodes of the module first, the module is printed once and read here. */
#include "cc/import/import_priv.h"

#include <stdlib.h>
#include <string.h>

/* The text after a label in [at, end); NULL: it is not there. */
static const char *after(const char *at, const char *end, const char *label)
{
    const size_t length = strlen(label);
    for (; at + length <= end; at++)
        if (!memcmp(at, label, length))
            return at + length;
    return NULL;
}

/* The name and line of a node: a function, or a variable. */
static bool put_key(struct cy_buf *key, const char *at, const char *end)
{
    const char *name = after(at, end, "name: \""), *line = after(at, end, ", line: ");
    const char *quote = name ? memchr(name, '"', (size_t)(end - name)) : NULL;
    if (!quote)
        return false;
    cy_buf_printf(key, "%.*s:%lu", (int)(quote - name), name, line ? strtoul(line, NULL, 10) : 0);
    return true;
}

struct function {
    unsigned long id;
    const char *at, *end;
};
static int by_id(const void *left, const void *right)
{
    const struct function *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* "!7 = !DILocalVariable(name: "x", arg: 1, scope: !3, file: !1, line: 4, type: !5)" */
static void add_parameter(struct importer *im, const char *at, const char *end, const struct function *functions,
                          size_t count)
{
    const char *arg = after(at, end, "arg: "), *scope = after(at, end, "scope: !");
    const struct function key = {.id = scope ? strtoul(scope, NULL, 10) : 0};
    const struct function *function = arg && count ? bsearch(&key, functions, count, sizeof(key), by_id) : NULL;
    struct cy_buf text = {0};
    if (function && put_key(&text, function->at, function->end) && put_key(&text, at, end)) {
        const uint32_t index = cy_strmap_add(&im->debug_arguments, text.data, text.size);
        if (index == im->arguments.count)
            *cy_vec_push(&im->arguments) = (uint32_t)strtoul(arg, NULL, 10);
    }
    cy_buf_free(&text);
}

static void read_module(struct importer *im)
{
    CY_VEC(struct function) functions = {0};
    char *text = LLVMPrintModuleToString(im->llvm);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
            end = at + strcspn(at, "\n");
            if (*at != '!')
                continue;
            if (!pass && after(at, end, "!DISubprogram("))
                *cy_vec_push(&functions) = (struct function){strtoul(at + 1, NULL, 10), at, end};
            else if (pass && after(at, end, "!DILocalVariable("))
                add_parameter(im, at, end, functions.at, functions.count);
        }
        if (!pass && functions.count)
            qsort(functions.at, functions.count, sizeof(functions.at[0]), by_id);
    }
    LLVMDisposeMessage(text);
    cy_vec_free(&functions);
}

uint32_t import_parameter_number(struct importer *im, const char *function, unsigned function_line, const char *name,
                                 unsigned line)
{
    if (!im->has_arguments)
        read_module(im);
    im->has_arguments = true;
    struct cy_buf key = {0};
    cy_buf_printf(&key, "%s:%u%s:%u", function, function_line, name, line);
    const uint32_t index = cy_strmap_find(&im->debug_arguments, key.data, key.size);
    cy_buf_free(&key);
    return index == CY_STR_NONE ? 0 : im->arguments.at[index];
}
