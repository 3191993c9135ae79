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

void __cy_fence(void);
void __cy_fence(void)
{
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

void *__cy_scratch(uint32_t bytes);
void *__cy_scratch(uint32_t bytes)
{
    static uint64_t scratch[1024];
    return bytes <= sizeof(scratch) ? scratch : NULL;
}

#define AMO(name, s, expression)                                                                                       \
    uint32_t __cy_amo_##name##_##s(volatile uint32_t *p, uint32_t v);                                                  \
    uint32_t __cy_amo_##name##_##s(volatile uint32_t *p, uint32_t v)                                                   \
    {                                                                                                                  \
        uint32_t old = *p;                                                                                             \
        *p = expression;                                                                                               \
        return old;                                                                                                    \
    }
#define SPACE(s)                                                                                                       \
    AMO(add, s, old + v)                                                                                               \
    AMO(swap, s, v)                                                                                                    \
    AMO(and, s, old &v)                                                                                                \
    AMO(or, s, old | v)                                                                                                \
    AMO(xor, s, old ^ v)                                                                                               \
    AMO(min, s, (int32_t)old < (int32_t)v ? old : v)                                                                   \
    AMO(max, s, (int32_t)old > (int32_t)v ? old : v)                                                                   \
    AMO(minu, s, old < v ? old : v)                                                                                    \
    AMO(maxu, s, old > v ? old : v)                                                                                    \
    uint32_t __cy_cas_##s(volatile uint32_t *p, uint32_t expected, uint32_t desired);                                  \
    uint32_t __cy_cas_##s(volatile uint32_t *p, uint32_t expected, uint32_t desired)                                   \
    {                                                                                                                  \
        uint32_t old = *p;                                                                                             \
        if (old == expected)                                                                                           \
            *p = desired;                                                                                              \
        return old;                                                                                                    \
    }
SPACE(g)
SPACE(l)
SPACE(p)
