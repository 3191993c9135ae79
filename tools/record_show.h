/* What a recorded launch gave, against what it should have given. */
#ifndef CY_TOOLS_RECORD_SHOW_H
#define CY_TOOLS_RECORD_SHOW_H

#include <stdio.h>

#include "gpu/replay/record.h"

/* The work-items of a record, in words: "1024 x 1 x 1 work-items in workgroups of 256 x 1 x 1". */
void cy_record_show_size(const struct cy_record *record, FILE *out);
/* One line of the form "as expected" or "3 of 64 words differ", and, if something differs, what: a line for each of the first words. */
void cy_record_show(const char *name, const struct cy_record *record, const struct cy_record_result *result, FILE *out);

#endif
