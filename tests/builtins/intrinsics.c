/* The intrinsics as the machine has them. */
#include "intrinsics.h"
#include "isa/isa.h"

#include <math.h>
#include <stddef.h>

int fexp_rounding;
uint32_t csr[16], lane, last_barrier = ~0u;
unsigned fences;

float __cy_fexp(float x)
{
    double exact = exp((double)x);
    float near = (float)exact;
    if (fexp_rounding < 0 && (double)near > exact && exact < 0x1p128)
        return nextafterf(near, -INFINITY);
    if (fexp_rounding > 0 && (double)near < exact)
        return nextafterf(near, INFINITY);
    return near;
}

float __cy_fmin(float x, float y);
float __cy_fmin(float x, float y)
{
    return fminf(x, y);
}

float __cy_fmax(float x, float y);
float __cy_fmax(float x, float y)
{
    return fmaxf(x, y);
}

double __cy_dmin(double x, double y);
double __cy_dmin(double x, double y)
{
    return fmin(x, y);
}

double __cy_dmax(double x, double y);
double __cy_dmax(double x, double y)
{
    return fmax(x, y);
}

#define CSR(name, NAME)                                                                                                \
    uint32_t __cy_csr_##name(void);                                                                                    \
    uint32_t __cy_csr_##name(void)                                                                                     \
    {                                                                                                                  \
        return csr[CY_CSR_##NAME - CY_CSR_TID];                                                                        \
    }
CSR(tid, TID)
CSR(knl, KNL)
CSR(gidx, GIDX)
CSR(gidy, GIDY)
CSR(gidz, GIDZ)
CSR(wid, WID)
CSR(lds, LDS)
CSR(numt, NUMT)

uint32_t __cy_lane(void);
uint32_t __cy_lane(void)
{
    return lane;
}

void __cy_barrier(uint32_t imm5);
void __cy_barrier(uint32_t imm5)
{
    last_barrier = imm5;
}

void __cy_fence(uint32_t order);
void __cy_fence(uint32_t order)
{
    (void)order;
    fences++;
}

#define LOAD_STORE(s)                                                                                                  \
    uint32_t __cy_load_##s(volatile uint32_t *p);                                                                      \
    uint32_t __cy_load_##s(volatile uint32_t *p)                                                                       \
    {                                                                                                                  \
        return *p;                                                                                                     \
    }                                                                                                                  \
    void __cy_store_##s(volatile uint32_t *p, uint32_t v);                                                             \
    void __cy_store_##s(volatile uint32_t *p, uint32_t v)                                                              \
    {                                                                                                                  \
        *p = v;                                                                                                        \
    }
LOAD_STORE(g)
LOAD_STORE(l)
LOAD_STORE(p)

#define NOTE(name)                                                                                                     \
    void __cy_note_##name(uint32_t value);                                                                             \
    void __cy_note_##name(uint32_t value)                                                                              \
    {                                                                                                                  \
        (void)value;                                                                                                   \
    }
NOTE(async_to)
NOTE(async_from)
NOTE(async)
NOTE(async_end)
NOTE(wait)
NOTE(async_size)
NOTE(async_to_step)
NOTE(async_from_step)
NOTE(wait_event)
NOTE(order)
NOTE(order_end)
NOTE(fence)

uint32_t __cy_note_event(uint32_t given);
uint32_t __cy_note_event(uint32_t given)
{
    return given;
}

void *__cy_scratch(uint32_t bytes);
void *__cy_scratch(uint32_t bytes)
{
    static uint64_t scratch[1024];
    return bytes <= sizeof(scratch) ? scratch : NULL;
}

#define AMO(bits, W, name, s, expression)                                                                              \
    W __cy_amo##bits##_##name##_##s(volatile W *p, W v);                                                               \
    W __cy_amo##bits##_##name##_##s(volatile W *p, W v)                                                                \
    {                                                                                                                  \
        W old = *p;                                                                                                    \
        *p = expression;                                                                                               \
        return old;                                                                                                    \
    }
/* W: the word, S: the same signed */
#define SPACE(bits, W, S, s)                                                                                           \
    AMO(bits, W, add, s, old + v)                                                                                      \
    AMO(bits, W, swap, s, v)                                                                                           \
    AMO(bits, W, and, s, old &v)                                                                                       \
    AMO(bits, W, or, s, old | v)                                                                                       \
    AMO(bits, W, xor, s, old ^ v)                                                                                      \
    AMO(bits, W, min, s, (S)old < (S)v ? old : v)                                                                      \
    AMO(bits, W, max, s, (S)old > (S)v ? old : v)                                                                      \
    AMO(bits, W, minu, s, old < v ? old : v)                                                                           \
    AMO(bits, W, maxu, s, old > v ? old : v)                                                                           \
    W __cy_cas##bits##_##s(volatile W *p, W expected, W desired);                                                      \
    W __cy_cas##bits##_##s(volatile W *p, W expected, W desired)                                                       \
    {                                                                                                                  \
        W old = *p;                                                                                                    \
        if (old == expected)                                                                                           \
            *p = desired;                                                                                              \
        return old;                                                                                                    \
    }
SPACE(, uint32_t, int32_t, g)
SPACE(, uint32_t, int32_t, l)
SPACE(, uint32_t, int32_t, p)
SPACE(64, uint64_t, int64_t, g)
SPACE(64, uint64_t, int64_t, l)
SPACE(64, uint64_t, int64_t, p)

/* A sub-group of one lane. */
void __cy_warp_barrier(uint32_t imm5);
void __cy_warp_barrier(uint32_t imm5)
{
    (void)imm5;
}

uint32_t __cy_exchange(uint32_t *mine, uint32_t value, const uint32_t *theirs);
uint32_t __cy_exchange(uint32_t *mine, uint32_t value, const uint32_t *theirs)
{
    *mine = value;
    return *theirs;
}

uint32_t __cy_unite(uint32_t *word, uint32_t value);
uint32_t __cy_unite(uint32_t *word, uint32_t value)
{
    return *word = value;
}

uint32_t __cy_late_subgroup_lane(void);
uint32_t __cy_late_subgroup_lane(void)
{
    return 0;
}

uint32_t __cy_late_subgroup_size(void);
uint32_t __cy_late_subgroup_size(void)
{
    return 1;
}
