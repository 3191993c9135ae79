/* `cy run --stats`: an observer that counts, and the table it prints. */
#ifndef CY_TOOLS_RUN_STATS_H
#define CY_TOOLS_RUN_STATS_H

#include "base/mem.h"
#include "chengying/device.h"

struct cy_stats;
struct cy_stats *cy_stats_create(uint32_t sms);
void cy_stats_free(struct cy_stats *stats);
struct cy_observers cy_stats_observers(struct cy_stats *stats);
void cy_stats_print(const struct cy_stats *stats, const struct cy_counters *counters,
                    const struct cy_capabilities *device, struct cy_buf *out);

#endif
