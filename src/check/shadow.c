/* Shadow memory: what is known of each word of guest memory. */
#include "check/check_priv.h"

#include <string.h>

enum { PAGES = 1 << (32 - PAGE_SHIFT), WORDS = PAGE_BYTES / 4 };

struct page *shadow_other_page(struct shadow *shadow, uint64_t address)
{
    const uint32_t number = (uint32_t)(address >> 32);
    struct span_of_pages *span = NULL;
    for (size_t i = 0; i < shadow->spans.count && !span; i++)
        span = shadow->spans.at[i].number == number ? &shadow->spans.at[i] : NULL;
    if (!span) {
        struct page *pages = cy_try_alloc(PAGES * sizeof(*pages));
        span = pages ? cy_vec_try_push(&shadow->spans) : NULL;
        if (!span) {
            cy_free(pages);
            return NULL;
        }
        *span = (struct span_of_pages){number, pages};
    }
    shadow->last = *span;
    return &span->pages[(uint32_t)address >> PAGE_SHIFT];
}

bool shadow_init(struct shadow *shadow)
{
    return shadow_other_page(shadow, 0) != NULL;
}

void shadow_free(struct shadow *shadow)
{
    for (size_t i = 0; i < shadow->spans.count; i++) {
        for (uint32_t k = 0; k < PAGES; k++)
            cy_free(shadow->spans.at[i].pages[k].cells);
        cy_free(shadow->spans.at[i].pages);
    }
    cy_vec_free(&shadow->spans);
    cy_vec_free(&shadow->touched);
}

static struct cell *make_cells(struct page *page)
{
    struct cell *cells = cy_try_alloc(WORDS * sizeof(*cells));
    if (!cells)
        return NULL;
    for (unsigned i = 0; i < WORDS && page->defined; i++)
        cells[i].w = 15;
    page->cells = cells;
    page->bytes = false;
    return cells;
}

struct cell *shadow_cells(struct shadow *shadow, uint64_t address)
{
    struct page *page = shadow_page(shadow, address);
    if (UNLIKELY(!page) || (UNLIKELY(!page->cells) && !make_cells(page)))
        return NULL;
    if (UNLIKELY(!page->touched)) {
        uint64_t *entry = cy_vec_try_push(&shadow->touched);
        if (!entry)
            return NULL;
        *entry = address >> PAGE_SHIFT;
        page->touched = true;
    }
    return page->cells;
}

static void define_byte(struct page *page, uint32_t at, bool defined)
{
    uint32_t *w = &page->cells[at / 4].w, bit = 1u << (at & 3);
    *w = defined ? *w | bit : *w & ~bit;
}

void shadow_define(struct shadow *shadow, uint64_t address, uint64_t size, bool defined)
{
    for (uint64_t at = address, end = address + size; at < end;) {
        struct page *page = shadow_page(shadow, at);
        uint64_t next = (at | (PAGE_BYTES - 1)) + 1;
        if (!page)
            return;
        next = next < end ? next : end;
        if (!page->cells && next - at == PAGE_BYTES)
            page->defined = defined;
        else if (page->cells || page->defined != defined) {
            if (!page->cells && !make_cells(page))
                page->defined = true; /* without memory nothing is called undefined */
            for (uint64_t i = at; page->cells && i < next; i++)
                define_byte(page, (uint32_t)i & (PAGE_BYTES - 1), defined);
        }
        at = next;
    }
}

bool shadow_is_defined(struct shadow *shadow, uint64_t address)
{
    const struct page *page = shadow_page(shadow, address);
    const uint32_t at = address & (PAGE_BYTES - 1);
    return !page || (!page->cells ? page->defined : page->cells[at / 4].w >> (at & 3) & 1);
}

void shadow_copy(struct shadow *shadow, uint64_t to, uint64_t from, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++) {
        const uint64_t at = to > from ? size - 1 - i : i; /* they may overlap */
        const bool defined = shadow_is_defined(shadow, from + at);
        if (shadow_is_defined(shadow, to + at) != defined)
            shadow_define(shadow, to + at, 1, defined);
    }
}

void shadow_forget(struct shadow *shadow)
{
    for (size_t i = 0; i < shadow->touched.count; i++) {
        struct page *page = shadow_page(shadow, shadow->touched.at[i] << PAGE_SHIFT);
        for (unsigned k = 0; k < WORDS; k++)
            page->cells[k] = (struct cell){.w = page->cells[k].w & 15};
        page->touched = page->bytes = false;
    }
    shadow->touched.count = 0;
}

void shadow_age(struct shadow *shadow, uint32_t group, unsigned shift)
{
    for (size_t i = 0; i < shadow->touched.count; i++) {
        struct page *page = shadow_page(shadow, shadow->touched.at[i] << PAGE_SHIFT);
        for (unsigned k = 0; k < WORDS; k++) {
            struct cell *cell = &page->cells[k];
            if (cell->r & BYTES_APART) /* bytes_age */
                continue;
            if (cell->writer && (cell->writer - 1) >> shift == group)
                cell->w |= EPOCH_OLD << 4;
            if (cell->reader && (cell->reader - 1) >> shift == group)
                cell->r |= EPOCH_OLD << 4;
        }
    }
}
