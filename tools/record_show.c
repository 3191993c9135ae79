#include "record_show.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN_WORDS = 10 };

void cy_record_show_size(const struct cy_record *record, FILE *out)
{
    fprintf(
        out, "%" PRIu64 " x %" PRIu64 " x %" PRIu64 " work-items in workgroups of %" PRIu64 " x %" PRIu64 " x %" PRIu64,
        record->global[0], record->global[1], record->global[2], record->local[0], record->local[1], record->local[2]);
}

/* An empty kind: no fault. */
static const char *end_of(const char *fault)
{
    return fault && *fault ? fault : "no fault";
}

static void show_word(const char *name, const struct cy_record *record, const struct cy_record_difference *word,
                      FILE *out)
{
    fprintf(out, "%s: ", name);
    if (word->argument >= 0) {
        const char *argument = record->arguments.at[word->argument].name;
        fprintf(out, "argument %d%s%s%s, word %" PRIu64, word->argument, argument && *argument ? " (" : "",
                argument ? argument : "", argument && *argument ? ")" : "", word->index);
    } else {
        fprintf(out, "%s memory, word %" PRIu64, record->memory.at[word->memory].place, word->index);
    }
    fprintf(out, " at 0x%08" PRIx64 ": 0x%08" PRIx32 ", expected 0x%08" PRIx32 "\n", word->address, word->got,
            word->expected);
}

void cy_record_show(const char *name, const struct cy_record *record, const struct cy_record_result *result, FILE *out)
{
    if (!record->has_result)
        fputs("nothing was recorded to compare with\n", out);
    else if (result->is_same && *result->fault)
        fprintf(out, "%s, as expected; memory is not compared after a fault\n", result->fault);
    else if (result->is_same)
        fprintf(out, "%" PRIu64 " words%s as expected\n", result->words, record->printed_size ? " and printf" : "");
    else if (!result->same_status)
        fprintf(out, "%s, expected %s\n", end_of(result->fault), end_of(record->fault));
    else if (result->differences)
        fprintf(out, "%" PRIu64 " of %" PRIu64 " words differ\n", result->differences, result->words);
    else
        fputs("the words are as expected\n", out);
    for (size_t i = 0; i < result->first.count && i < SHOWN_WORDS; i++)
        show_word(name, record, &result->first.at[i], out);
    if (result->differences > SHOWN_WORDS)
        fprintf(out, "%s: and %" PRIu64 " more\n", name, result->differences - SHOWN_WORDS);
    if (!result->same_printed)
        fprintf(out, "%s: printf differs: %zu bytes, expected %zu\n", name, result->printed.size, record->printed_size);
    if (!result->same_status && result->message.size)
        fprintf(out, "%s: %s", name, result->message.data);
}
