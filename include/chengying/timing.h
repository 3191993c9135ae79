/* The cycle model: how many cycles a launch takes on the modelled hardware.
 *
 *     struct cy_timing_config config;
 *     cy_timing_config_default(&config);                      // preset ventus-verilog
 *     cy_timing_config_set(&config, "memory_latency=40", &why);
 *     struct cy_timing *timing = cy_timing_create(&config);
 *     struct cy_observers observers = cy_timing_observers(timing);
 *     desc.observers = &observers;                            // run the launch and wait for its end
 *     uint64_t cycles = cy_timing_finish(timing);             // and the model is ready for the next launch
 *     cy_timing_destroy(timing);
 *
 * The model watches the launch and orders what the warps did by its own clock, so the figure does not depend on how many host
 * threads ran it.  docs/timing.md describes the model, its parameters and its error against the RTL. */
#ifndef CHENGYING_TIMING_H
#define CHENGYING_TIMING_H

#include "chengying/api.h"
#include "chengying/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CY_TIMING_PARAMETERS_MOST = 96 };
struct cy_timing_config {
    uint32_t value[CY_TIMING_PARAMETERS_MOST]; /* by the rows of src/timing/timing.def */
};
CY_API void cy_timing_config_default(struct cy_timing_config *config);
CY_API bool cy_timing_config_preset(struct cy_timing_config *config, const char *name); /* false: no such preset */
CY_API const char *cy_timing_preset_name(size_t index);                                 /* NULL after the last */
/* One parameter: "memory_latency=40", or "preset=ventus-chisel". */
CY_API enum cy_status cy_timing_config_set(struct cy_timing_config *config, const char *assignment, char **message);
/* Lines "parameter = value" with comments from # on; `name` is the file name in messages. */
CY_API enum cy_status cy_timing_config_parse(struct cy_timing_config *config, const char *name, const char *text,
                                             size_t size, char **message);
/* A preset by name, or a file if the name contains a dot or a slash. */
CY_API enum cy_status cy_timing_config_choose(struct cy_timing_config *config, const char *what, char **message);
/* The rows of the table, in order. */
struct cy_timing_parameter {
    const char *part, *name, *unit, *text;
    uint32_t low, high, value; /* the value in the given configuration */
};
CY_API bool cy_timing_parameter(const struct cy_timing_config *config, size_t index,
                                struct cy_timing_parameter *parameter);
/* The value of a parameter by name; 0: no such parameter. */
CY_API uint32_t cy_timing_config_get(const struct cy_timing_config *config, const char *name);

struct cy_timing;
CY_API struct cy_timing *cy_timing_create(const struct cy_timing_config *config); /* NULL: no memory */
CY_API void cy_timing_destroy(struct cy_timing *timing);
/* The observers for a launch: one launch at a time. */
CY_API struct cy_observers cy_timing_observers(struct cy_timing *timing);
/* After the launch has ended without a fault: its cycles, from the host's request to the response.  UINT64_MAX: the host had no
 * memory for the model, or it came to a halt, which is a mistake of ours. */
CY_API uint64_t cy_timing_finish(struct cy_timing *timing);
/* For the launch that cy_timing_finish was called for. */
struct cy_timing_counters {
    uint64_t instructions, cycles;
    uint64_t l1i_lookups, l1i_misses;
    uint64_t l1d_requests, l1d_misses;
    uint64_t memory_reads, memory_writes;
};
CY_API void cy_timing_counters(const struct cy_timing *timing, struct cy_timing_counters *counters);

#ifdef __cplusplus
}
#endif

#endif
