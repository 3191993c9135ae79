/* Recorded launches: any text as metadata and data, split at the first line "=".  What is read is replayed, with few
 * instructions; it may fail, and nothing else. */
#include "fuzz/fuzz.h"
#include "gpu/replay/replay.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cy_diags diags = {0};
    struct cy_buf metadata = {0}, contents = {0}, message = {0};
    struct cy_recording recording = {0};
    struct cy_replay_counts counts;
    const uint8_t *split = data;
    while (split < data + size && !(*split == '=' && (split == data || split[-1] == '\n')))
        split++;
    cy_buf_append(&metadata, data, (size_t)(split - data));
    if (split < data + size)
        cy_buf_append(&contents, split + 1, (size_t)(data + size - split - 1));
    bool ok = cy_recording_read(&recording, "a.metadata", &metadata, "a.data", &contents, &diags);
    FUZZ_CHECK(ok == (diags.errors == 0));
    if (ok) {
        const struct cy_replay_options options = {.watchdog_instructions = 2000, .checking = true};
        struct cy_replay *replay = cy_replay_create(&options, &diags);
        if (replay) {
            ok = cy_replay_run(replay, &recording, NULL, &counts, &message);
            FUZZ_CHECK(ok || message.size);
            for (size_t i = 0; i < cy_replay_buffer_count(replay); i++) {
                struct cy_recorded_buffer buffer = cy_replay_buffer(replay, i);
                if (buffer.size)
                    FUZZ_CHECK(cy_replay_bytes(replay, (uint32_t)buffer.base) != NULL);
            }
            cy_replay_free(replay);
        }
    }
    cy_recording_free(&recording);
    cy_buf_free(&metadata);
    cy_buf_free(&contents);
    cy_buf_free(&message);
    cy_diags_free(&diags);
    return 0;
}
