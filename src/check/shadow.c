/* Shadow memory: what is known of each word of guest memory. */
#include "check/check_priv.h"

#include <string.h>

enum { PAGES = 1 << (32 - PAGE_SHIFT), WORDS = PAGE_BYTES / 4 };

bool shadow_init(struct shadow *shadow)
{
    shadow->pages = cy_try_alloc(PAGES * sizeof(shadow->pages[0]));
    return shadow->pages != NULL;
}

void shadow_free(struct shadow *shadow)
{
    for (uint32_t i = 0; shadow->pages && i < PAGES; i++)
        cy_free(shadow->pages[i].cells);
    cy_free(shadow->pages);
    cy_vec_free(&shadow->touched);
}

static struct cell *make_cells(struct shadow *shadow, uint32_t number)
{
    struct page *page = &shadow->pages[number];
    struct cell *cells = cy_try_alloc(WORDS * sizeof(*cells));
    if (!cells)
        return NULL;
    shadow->cell_bytes += WORDS * sizeof(*cells);
    for (unsigned i = 0; i < WORDS && page->defined; i++)
        cells[i].w = 15;
    page->cells = cells;
    page->bytes = false;
    return cells;
}

struct cell *shadow_cells(struct shadow *shadow, uint32_t address)
{
    const uint32_t number = address >> PAGE_SHIFT;
    struct page *page = &shadow->pages[number];
    if (UNLIKELY(!page->cells) && !make_cells(shadow, number))
        return NULL;
    if (UNLIKELY(!page->touched)) {
        uint32_t *entry = cy_vec_try_push(&shadow->touched);
        if (!entry)
            return NULL;
        *entry = number;
        page->touched = true;
    }
    return page->cells;
}

static void define_byte(struct page *page, uint32_t at, bool defined)
{
    uint32_t *w = &page->cells[at / 4].w, bit = 1u << (at & 3);
    *w = defined ? *w | bit : *w & ~bit;
}

void shadow_define(struct shadow *shadow, uint32_t address, uint64_t size, bool defined)
{
    for (uint64_t at = address, end = address + size; at < end;) {
        struct page *page = &shadow->pages[at >> PAGE_SHIFT];
        uint64_t next = (at | (PAGE_BYTES - 1)) + 1;
        next = next < end ? next : end;
        if (!page->cells && next - at == PAGE_BYTES)
            page->defined = defined;
        else if (page->cells || page->defined != defined) {
            if (!page->cells && !make_cells(shadow, (uint32_t)(at >> PAGE_SHIFT)))
                page->defined = true; /* without memory nothing is called undefined */
            for (uint64_t i = at; page->cells && i < next; i++)
                define_byte(page, (uint32_t)i & (PAGE_BYTES - 1), defined);
        }
        at = next;
    }
}

bool shadow_is_defined(const struct shadow *shadow, uint32_t address)
{
    const struct page *page = &shadow->pages[address >> PAGE_SHIFT];
    const uint32_t at = address & (PAGE_BYTES - 1);
    return !page->cells ? page->defined : page->cells[at / 4].w >> (at & 3) & 1;
}

void shadow_copy(struct shadow *shadow, uint32_t to, uint32_t from, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++) {
        const uint64_t at = to > from ? size - 1 - i : i; /* they may overlap */
        const bool defined = shadow_is_defined(shadow, (uint32_t)(from + at));
        if (shadow_is_defined(shadow, (uint32_t)(to + at)) != defined)
            shadow_define(shadow, (uint32_t)(to + at), 1, defined);
    }
}

void shadow_forget(struct shadow *shadow)
{
    for (size_t i = 0; i < shadow->touched.count; i++) {
        struct page *page = &shadow->pages[shadow->touched.at[i]];
        for (unsigned k = 0; k < WORDS; k++)
            page->cells[k] = (struct cell){.w = page->cells[k].w & 15};
        page->touched = page->bytes = false;
    }
    shadow->touched.count = 0;
}

void shadow_age(struct shadow *shadow, uint32_t group, unsigned shift)
{
    for (size_t i = 0; i < shadow->touched.count; i++) {
        struct page *page = &shadow->pages[shadow->touched.at[i]];
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
