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
/* The SMs of a machine whose cycles are counted, unless its configuration has a number: not as many as the host has cores. */
enum { CY_TIMING_SMS = 2 };
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
/* "ventus-verilog", or "ventus-verilog with memory_latency=40": the nearest preset, and what differs from it. */
CY_API void cy_timing_config_describe(const struct cy_timing_config *config, char *text, size_t size);
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
/* For the launch that cy_timing_finish was called for: "2 SMs x 32 warps x 32 threads, ventus-verilog". */
CY_API void cy_timing_describe(const struct cy_timing *timing, char *text, size_t size);
/* For the same launch. */
struct cy_timing_counters {
    uint64_t instructions, cycles;
    uint64_t l1i_lookups, l1i_misses;
    uint64_t l1d_requests, l1d_misses;
    uint64_t memory_reads, memory_writes;
};
CY_API void cy_timing_counters(const struct cy_timing *timing, struct cy_timing_counters *counters);
/* Long launches are sampled (docs/timing.md): the cycles of a part of the instructions were computed, the rest were estimated. */
struct cy_timing_sampled {
    uint64_t instructions, computed; /* warp instructions of the launch; as many: every cycle was computed */
    double error;                    /* of the cycles, that is exceeded in 5 of 100 launches: 0.01 is 1 % */
};
CY_API void cy_timing_sampled(const struct cy_timing *timing, struct cy_timing_sampled *sampled);
/* The same as a text for people; false: every cycle was computed, and there is nothing to say. */
CY_API bool cy_timing_note(const struct cy_timing *timing, char *text, size_t size);

/* ---- where the cycles go ---- */

/* What a warp does in a cycle: it issues an instruction, or it does not because of ... */
enum cy_stall {
    CY_STALL_NONE,           /* it issues */
    CY_STALL_NO_INSTRUCTION, /* fetch: the instruction buffer is empty, or a scalar branch is not resolved */
    CY_STALL_SCOREBOARD,     /* a register that a unit has not written yet */
    CY_STALL_BANK_CONFLICT,  /* its last instruction is still reading operands: banks and ports of the register file */
    CY_STALL_UNIT_BUSY,      /* its unit, or the issue slot, which another warp has */
    CY_STALL_MEMORY,         /* a register that a load has not written yet, a fence, a full load/store unit */
    CY_STALL_BARRIER,
    CY_STALL_DIVERGENCE, /* a vector branch or join that is not resolved */
    CY_STALL_EMPTY,      /* the slot has no warp, or it has not started */
    CY_STALL_COUNT
};
CY_API const char *cy_stall_name(enum cy_stall stall); /* "no instruction"; never NULL */

/* One instruction: cycles of all warps whose next instruction it was, or (bank conflicts, busy units, barriers, divergence) whose
 * last. */
struct cy_timing_pc {
    uint32_t pc;   /* after its prefix */
    uint32_t size; /* bytes, with its prefix */
    uint64_t cycles[CY_STALL_COUNT];
    uint64_t l1d_requests, l1d_hits;
};
/* A stretch of cycles in which a warp did one thing. */
struct cy_timing_event {
    uint64_t begin, end; /* cycles: begin <= c < end */
    uint64_t group;      /* number of the workgroup */
    uint32_t warp;       /* in its workgroup */
    uint32_t sm, slot;
    uint32_t pc;      /* of the instruction, after its prefix; 0: none */
    uint32_t ordinal; /* how many the warp issued before it */
    enum cy_stall stall;
};
struct cy_timing_events {
    void *context;
    void (*cycles)(void *context, const struct cy_timing_event *event);
    /* The instruction's result is written, or it has nothing to write: begin is when it issued, end when it is done. */
    void (*done)(void *context, const struct cy_timing_event *event);
};
/* From the next launch on; costs as much again as the model.  The callbacks (`events` may be NULL) come in an order that does
 * not depend on the host, one at a time. */
CY_API void cy_timing_profile(struct cy_timing *timing, const struct cy_timing_events *events);
/* After cy_timing_finish, for its launch: the instructions that issued; valid until the next launch.  `total` has the cycles of
 * all warp slots of all SMs. */
CY_API const struct cy_timing_pc *cy_timing_pcs(const struct cy_timing *timing, size_t *count,
                                                struct cy_timing_pc *total);

#ifdef __cplusplus
}
#endif

#endif
