/* Blocks take effect one after the other, in order, whatever the number of host threads.
 *
 * The lowest block that has not ended accesses memory directly.  A higher one that runs meanwhile is speculative: it
 * keeps its reads and writes in a log.  When its turn comes, every word that it read must still hold the value it saw:
 * then it has done what it would have done in its turn, and its writes are committed.  Otherwise it is rerun.  A block
 * that has to end its log early (`disp`, too many pages) waits for its turn and continues in memory. */
#include "epic/epic_priv.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_WORDS = 1024 };

/* Words of memory or of the depth buffer, one bit each: which have a value here, which were read before being written,
 * which were written. */
struct page {
    struct page *next; /* spare ones */
    uint64_t known[PAGE_WORDS / 64], read[PAGE_WORDS / 64], written[PAGE_WORDS / 64];
    uint32_t seen[PAGE_WORDS], value[PAGE_WORDS];
};

struct log *cy_epic_log_create(uint32_t memory_words)
{
    size_t pages = (memory_words + PAGE_WORDS - 1) / PAGE_WORDS;
    struct log *log = calloc(1, sizeof(*log) + 2 * pages * sizeof(log->pages[0]));
    if (log)
        log->first_depth = pages;
    return log;
}

void cy_epic_log_clear(struct log *log)
{
    for (unsigned i = 0; i < log->count; i++) {
        struct page *page = log->pages[log->used[i]];
        log->pages[log->used[i]] = NULL;
        page->next = log->spare;
        log->spare = page;
    }
    log->count = 0;
}

void cy_epic_log_free(struct log *log)
{
    cy_epic_log_clear(log);
    while (log->spare) {
        struct page *page = log->spare;
        log->spare = page->next;
        free(page);
    }
    free(log);
}

/* ---- running ahead ---- */

static bool add_page(struct log *log, size_t number)
{
    struct page *page = log->spare;
    if (log->count == LOG_PAGES)
        return false;
    if (page)
        log->spare = page->next;
    else if (!(page = malloc(sizeof(*page))))
        return false;
    memset(page->known, 0, sizeof(page->known));
    memset(page->read, 0, sizeof(page->read));
    memset(page->written, 0, sizeof(page->written));
    log->pages[number] = page;
    log->used[log->count++] = (uint32_t)number;
    return true;
}

bool cy_epic_log_cover(struct log *log, bool is_depth, uint32_t word)
{
    size_t number = word / PAGE_WORDS + (is_depth ? log->first_depth : 0);
    return log->pages[number] || add_page(log, number);
}

static struct page *page_of(const struct log *log, bool is_depth, uint32_t word)
{
    return log->pages[word / PAGE_WORDS + (is_depth ? log->first_depth : 0)];
}

uint32_t cy_epic_log_load(struct log *log, bool is_depth, uint32_t word, const guest_word *from)
{
    struct page *page = page_of(log, is_depth, word);
    const uint32_t i = word % PAGE_WORDS;
    const uint64_t bit = (uint64_t)1 << i % 64;
    if (!(page->known[i / 64] & bit)) {
        page->known[i / 64] |= bit;
        page->read[i / 64] |= bit;
        page->seen[i] = page->value[i] = atomic_load_explicit(&from[word], memory_order_relaxed);
    }
    return page->value[i];
}

void cy_epic_log_store(struct log *log, bool is_depth, uint32_t word, uint32_t value)
{
    struct page *page = page_of(log, is_depth, word);
    const uint32_t i = word % PAGE_WORDS;
    const uint64_t bit = (uint64_t)1 << i % 64;
    page->known[i / 64] |= bit;
    page->written[i / 64] |= bit;
    page->value[i] = value;
}

/* ---- committing ---- */

static guest_word *words_of(const struct cy_epic *device, const struct log *log, uint32_t number)
{
    return number < log->first_depth ? device->memory + (size_t)number * PAGE_WORDS
                                     : device->depth + (number - log->first_depth) * PAGE_WORDS;
}

static bool is_as_seen(const struct page *page, const guest_word *words)
{
    for (unsigned chunk = 0; chunk < PAGE_WORDS / 64; chunk++)
        for (uint64_t bits = page->read[chunk]; bits; bits &= bits - 1) {
            unsigned i = chunk * 64 + lowest_lane(bits);
            if (atomic_load_explicit(&words[i], memory_order_relaxed) != page->seen[i])
                return false;
        }
    return true;
}

static void write_back(const struct page *page, guest_word *words)
{
    for (unsigned chunk = 0; chunk < PAGE_WORDS / 64; chunk++)
        for (uint64_t bits = page->written[chunk]; bits; bits &= bits - 1) {
            unsigned i = chunk * 64 + lowest_lane(bits);
            atomic_store_explicit(&words[i], page->value[i], memory_order_relaxed);
        }
}

bool cy_epic_log_commit(struct cy_epic *device, struct log *log)
{
    bool good = true;
    for (unsigned i = 0; i < log->count && good; i++)
        good = is_as_seen(log->pages[log->used[i]], words_of(device, log, log->used[i]));
    for (unsigned i = 0; i < log->count && good; i++)
        write_back(log->pages[log->used[i]], words_of(device, log, log->used[i]));
    cy_epic_log_clear(log);
    return good;
}
