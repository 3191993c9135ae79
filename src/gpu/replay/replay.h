/* Replays launches recorded by the vendor's tools (docs/replay.md).
 *
 *     struct cy_replay *replay = cy_replay_create(&options, diags);
 *     while (more) {
 *         struct cy_recording recording;
 *         if (!cy_recording_read(&recording, "a.metadata", metadata, data, diags)) ...
 *         bool ok = cy_replay_run(replay, &recording, observer, &message);
 *         cy_recording_free(&recording);
 *     }
 *
 * The launches of a series share one memory; a recording lists only new buffers. */
#ifndef CY_GPU_REPLAY_REPLAY_H
#define CY_GPU_REPLAY_REPLAY_H

#include "gpu/engine/engine.h"
#include "obj/obj.h"

struct cy_recorded_buffer {
    uint64_t base; /* below 4 GiB, but in pairs that are marked */
    uint64_t size, allocated;
};
struct cy_recording {
    uint32_t start_pc;
    uint64_t kernel;
    uint32_t grid[3], threads, warps; /* per warp, per workgroup */
    uint32_t knl, lds_bytes, pds_bytes, sgprs, vgprs, pds_base;
    CY_VEC(struct cy_recorded_buffer) buffers;
    CY_VEC(uint32_t) data; /* the buffers' contents, each padded to whole words */
};
/* Parses both files; `name` and `data_name` are used in messages, which give the line. */
bool cy_recording_read(struct cy_recording *recording, const char *name, const struct cy_buf *metadata,
                       const char *data_name, const struct cy_buf *data, struct cy_diags *diags);
void cy_recording_free(struct cy_recording *recording);

struct cy_replay_options {
    const struct cy_object *program; /* its segments are loaded before every launch; NULL: none */
    bool scalar_atomics;
    bool mask_per_lane;
    bool checking;
    uint64_t watchdog_instructions; /* per launch; 0: no limit */
    uint32_t low_bytes;             /* memory from address 0 on, where some hardware has its shared memory; 0: none */
    const struct cy_observers *observers; /* of every launch: called for all but ran, passes and fault; NULL: none */
};
struct cy_replay;
struct cy_replay *cy_replay_create(const struct cy_replay_options *options, struct cy_diags *diags); /* or NULL */
void cy_replay_free(struct cy_replay *replay);

struct cy_replay_counts {
    uint64_t instructions, workgroups;
    uint64_t barriers; /* that workgroups passed */
};
/* False: `message` has the reason: a fault, or a problem with the recording. */
bool cy_replay_run(struct cy_replay *replay, const struct cy_recording *recording, const struct cy_observer *observer,
                   struct cy_replay_counts *counts, struct cy_buf *message);

/* Every buffer of the series so far, in order of appearance. */
size_t cy_replay_buffer_count(const struct cy_replay *replay);
struct cy_recorded_buffer cy_replay_buffer(const struct cy_replay *replay, size_t index);
const uint8_t *cy_replay_bytes(const struct cy_replay *replay, uint32_t address);

#endif
