/* --page-table: SV39 mappings of a launch, from a file.  docs/machine.md describes its lines. */
#ifndef CY_TOOLS_PAGE_TABLE_H
#define CY_TOOLS_PAGE_TABLE_H

#include "chengying/device.h"
#include "run_arguments.h"

struct cy_page_mapping {
    uint64_t virtual_address, physical, size, entry;
    int argument; /* whose buffer it is; -1: physical memory */
    int level;    /* of an entry; -1: it is a mapping */
    unsigned rights;
};
struct cy_page_table {
    CY_VEC(struct cy_page_mapping) lines;
};

/* Reads the file, and notes in the arguments where their buffers will be.  Returns false after a diagnostic. */
bool cy_page_table_read(struct cy_page_table *table, const char *path, struct cy_run_argument *arguments, size_t count,
                        struct cy_diags *diags);
/* Makes the address space, once the buffers have their addresses. */
bool cy_page_table_install(const struct cy_page_table *table, struct cy_device *device,
                           const struct cy_run_argument *arguments, struct cy_space **space, struct cy_diags *diags);
void cy_page_table_free(struct cy_page_table *table);

#endif
