/* Allocation and its failure: see mem.h. */
#include "base/mem.h"

#include <assert.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- failure scopes ---- */

/* The blocks of a scope are a set, since they are freed in any order: open addressing with linear probing, at most half
 * full.  It starts inside the scope itself, so that a small job costs no extra allocation. */
enum { FEW_BLOCKS = 32 };
struct scope {
    jmp_buf failed;
    struct scope *outer;
    void **slots; /* NULL: empty */
    size_t slot_count, used;
    void *few[FEW_BLOCKS];
};
static _Thread_local struct scope *innermost;

static void (*failure_handler)(void);

static size_t home_of(const struct scope *scope, const void *block)
{
    return (size_t)(((uint64_t)(uintptr_t)block * 0x9e3779b97f4a7c15u) >> 32) & (scope->slot_count - 1);
}

static size_t find_slot(const struct scope *scope, const void *block)
{
    size_t slot = home_of(scope, block);
    while (scope->slots[slot] && scope->slots[slot] != block)
        slot = (slot + 1) & (scope->slot_count - 1);
    return slot;
}

/* Needs room. */
static void remember(struct scope *scope, void *block)
{
    size_t slot = find_slot(scope, block);
    scope->used += !scope->slots[slot];
    scope->slots[slot] = block;
}

static bool make_room(struct scope *scope, size_t more)
{
    if (scope->used + more <= scope->slot_count / 2)
        return true;
    void **old = scope->slots;
    size_t old_count = scope->slot_count, count = old_count;
    while (scope->used + more > count / 2)
        count *= 2;
    void **slots = calloc(count, sizeof(void *));
    if (!slots)
        return false;
    scope->slots = slots;
    scope->slot_count = count;
    scope->used = 0;
    for (size_t i = 0; i < old_count; i++)
        if (old[i])
            remember(scope, old[i]);
    if (old != scope->few)
        free(old);
    return true;
}

/* Removes the block from the innermost scope that has it, and returns that scope; NULL: it is from outside. */
static struct scope *forget(const void *block)
{
    struct scope *scope = innermost;
    size_t hole = 0;
    for (; scope; scope = scope->outer)
        if (scope->slots[hole = find_slot(scope, block)])
            break;
    if (!scope)
        return NULL;
    /* No hole may separate a block from its home slot: those after it move up where possible. */
    size_t mask = scope->slot_count - 1;
    for (size_t i = (hole + 1) & mask; scope->slots[i]; i = (i + 1) & mask) {
        if (((i - home_of(scope, scope->slots[i])) & mask) >= ((i - hole) & mask)) {
            scope->slots[hole] = scope->slots[i];
            hole = i;
        }
    }
    scope->slots[hole] = NULL;
    scope->used--;
    return scope;
}

/* setjmp in a function of its own, which changes no variable. */
static bool run_in(struct scope *scope, void (*run)(void *argument), void *argument)
{
    if (setjmp(scope->failed))
        return false;
    run(argument);
    return true;
}

bool cy_mem_try(void (*run)(void *argument), void *argument)
{
    struct scope scope = {.outer = innermost, .slot_count = FEW_BLOCKS};
    scope.slots = scope.few;
    innermost = &scope;
    bool ok = run_in(&scope, run, argument);
    assert(innermost == &scope && "scopes end in the order in which they began");
    innermost = scope.outer;
    ok = ok && (!scope.outer || make_room(scope.outer, scope.used));
    for (size_t i = 0; i < scope.slot_count && scope.used; i++) {
        if (!scope.slots[i])
            continue;
        if (!ok)
            free(scope.slots[i]);
        else if (scope.outer)
            remember(scope.outer, scope.slots[i]);
        else
            break;
    }
    if (scope.slots != scope.few)
        free(scope.slots);
    return ok;
}

_Noreturn void cy_mem_fail(void)
{
    if (innermost)
        longjmp(innermost->failed, 1);
    if (failure_handler)
        failure_handler();
    fputs("chengying: out of memory in a function that cannot report it, outside cy_mem_try\n", stderr);
    abort(); /* our bug: the interface that led here must open a scope or check */
}

void cy_mem_on_failure(void (*handler)(void))
{
    failure_handler = handler;
}

/* ---- blocks ---- */

void *cy_try_alloc(size_t size)
{
    if (innermost && !make_room(innermost, 1))
        return NULL;
    void *block = calloc(1, size ? size : 1);
    if (block && innermost)
        remember(innermost, block);
    return block;
}

void *cy_try_alloc_aligned(size_t align, size_t size)
{
    if (size > SIZE_MAX - align || (innermost && !make_room(innermost, 1)))
        return NULL;
    size = (size + align - 1) / align * align;
    void *block = aligned_alloc(align, size);
    if (block)
        memset(block, 0, size);
    if (block && innermost)
        remember(innermost, block);
    return block;
}

void *cy_try_realloc(void *old, size_t size)
{
    if (!innermost)
        return realloc(old, size ? size : 1);
    struct scope *owner = old ? forget(old) : innermost;
    if (!old && !make_room(innermost, 1))
        return NULL;
    void *block = realloc(old, size ? size : 1);
    if (owner && (block || old))
        remember(owner, block ? block : old); /* reuses the old one's slot, or one reserved above */
    return block;
}

void *cy_xrealloc(void *old, size_t size)
{
    if (size == 0) {
        cy_free(old);
        return NULL;
    }
    void *block = cy_try_realloc(old, size);
    if (!block)
        cy_mem_fail();
    return block;
}

void cy_free(void *block)
{
    if (block && innermost)
        forget(block);
    free(block);
}
