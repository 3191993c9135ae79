#include "commands.h"

#include <string.h>

#include "base/strmap.h"

const struct cy_page cy_pages[] = {
#define COMMAND(name, text) {#name, NULL, text, cy_cmd_##name},
#define SUBCOMMAND(name, second, text) {#name, #second, text, cy_cmd_##name},
#include "commands.def"
};
const size_t cy_page_count = CY_COUNT(cy_pages);

const struct cy_page *cy_page_find(const char *name, const char *second)
{
    for (size_t i = 0; i < cy_page_count; i++) {
        const struct cy_page *page = &cy_pages[i];
        bool same = page->second && second ? strcmp(page->second, second) == 0 : !page->second && !second;
        if (same && strcmp(page->name, name) == 0)
            return page;
    }
    return NULL;
}

static void keep_usage(const struct cy_usage *usage, void *kept)
{
    const struct cy_usage **place = kept;
    *place = usage;
}

const struct cy_usage *cy_page_usage(const struct cy_page *page)
{
    const struct cy_usage *usage = NULL;
    char flag[] = "--help";
    struct cy_buf name = {0}, second = {0};
    cy_buf_puts(&name, page->name);
    cy_buf_puts(&second, page->second ? page->second : flag);
    char *argv[] = {name.data, second.data, page->second ? flag : NULL, NULL};
    cy_args_on_help(keep_usage, &usage);
    page->run(page->second ? 3 : 2, argv);
    cy_args_on_help(NULL, NULL);
    cy_buf_free(&name);
    cy_buf_free(&second);
    return usage;
}

int cy_unknown_command(const char *name)
{
    const char *nearest = NULL;
    unsigned best = 3; /* distance 2 still turns "asm" into "as" and "disasm"'s typos into nothing */
    for (size_t i = 0; i < cy_page_count; i++) {
        const char *other = cy_pages[i].name;
        unsigned distance = cy_edit_distance(name, strlen(name), other, strlen(other), best + 1);
        if (distance < best && distance < strlen(other)) {
            best = distance;
            nearest = other;
        }
    }
    if (nearest)
        fprintf(stderr, "cy: error: unknown command '%s'; did you mean '%s'?\n", name, nearest);
    else
        fprintf(stderr, "cy: error: unknown command '%s'; try 'cy --help'\n", name);
    return CY_EXIT_USAGE;
}
