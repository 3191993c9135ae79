/* `cy run --stats`: an observer that counts, or the counts of translated code, and the table that is printed. */
#ifndef CY_TOOLS_RUN_STATS_H
#define CY_TOOLS_RUN_STATS_H

#include "base/mem.h"
#include "chengying/device.h"

struct cy_stats;
struct cy_stats *cy_stats_create(uint32_t sms);
void cy_stats_free(struct cy_stats *stats);
/* The interpreter runs what is observed. */
struct cy_observers cy_stats_observers(struct cy_stats *stats);
/* Or, for translated code: where a launch of the program in this file adds its counts.  Sizes of accesses are not among them. */
struct cy_insn_counts *cy_stats_counts(struct cy_stats *stats, const struct cy_program *program,
                                       const struct cy_buf *elf);
void cy_stats_print(const struct cy_stats *stats, const struct cy_counters *counters,
                    const struct cy_capabilities *device, struct cy_buf *out);

#endif
