/* <ventus.h>: the instructions of Ventus that OpenCL C cannot express.  Every kernel finds it:
 *
 *     #include <ventus.h>
 *     sum = ventus_vftta(sum, a, b);
 *
 * `insn` names the rows of the instruction table that a function stands for; docs/intrinsics.md is made from both. */
#ifndef VENTUS_H
#define VENTUS_H

#ifndef __VENTUS__
#error "<ventus.h> is for Ventus"
#endif

#define VENTUS_INLINE static inline __attribute__((always_inline))
#define VENTUS_OVERLOAD static inline __attribute__((always_inline, overloadable))

/* ---- computation ---- */

/* insn vftta.vv: a tensor step: sum + a * transposed b, with the warp's lanes as the elements of small matrices */
VENTUS_INLINE float ventus_vftta(float sum, float a, float b)
{
    __asm__ volatile("vftta.vv %0, %2, %1" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
}

/* insn vfexp.v: e to the power of x, as the machine's special function unit computes it */
VENTUS_INLINE float ventus_vfexp(float x)
{
    float y;
    __asm__("vfexp.v %0, %1" : "=v"(y) : "v"(x));
    return y;
}

/* insn vadd12.vi: x + a constant of -2048 to 2047 */
#define ventus_vadd12(x, constant)                                                                                     \
    ({                                                                                                                 \
        int ventus_sum_, ventus_x_ = (x);                                                                              \
        __asm__("vadd12.vi %0, %1, %2" : "=v"(ventus_sum_) : "v"(ventus_x_), "I"(constant));                           \
        ventus_sum_;                                                                                                   \
    })

/* insn vsub12.vi: x - a constant of -2048 to 2047 */
#define ventus_vsub12(x, constant)                                                                                     \
    ({                                                                                                                 \
        int ventus_difference_, ventus_x_ = (x);                                                                       \
        __asm__("vsub12.vi %0, %1, %2" : "=v"(ventus_difference_) : "v"(ventus_x_), "I"(constant));                    \
        ventus_difference_;                                                                                            \
    })

/* insn regexti: x operation a constant of 11 bits: ventus_vi(vand.vi, x, 1000) */
#define ventus_vi(operation, x, constant)                                                                              \
    ({                                                                                                                 \
        int ventus_result_, ventus_x_ = (x);                                                                           \
        __asm__(#operation " %0, %1, %2" : "=v"(ventus_result_) : "v"(ventus_x_), "i"(constant));                      \
        ventus_result_;                                                                                                \
    })

/* insn vmv.x.s: the value of one active lane, the last one, for all */
VENTUS_OVERLOAD int ventus_uniform(int x)
{
    int y;
    __asm__ volatile("vmv.x.s %0, %1" : "=r"(y) : "v"(x));
    return y;
}
VENTUS_OVERLOAD uint ventus_uniform(uint x)
{
    return as_uint(ventus_uniform(as_int(x)));
}
VENTUS_OVERLOAD float ventus_uniform(float x)
{
    return as_float(ventus_uniform(as_int(x)));
}

/* ---- synchronisation ---- */

/* Of the flags of barriers: what is visible afterwards, and to whom. */
#define VENTUS_FENCE_LOCAL 1
#define VENTUS_FENCE_GLOBAL 2
#define VENTUS_FENCE_IMAGE 4
#define VENTUS_SCOPE_WORK_GROUP (0 << 3)
#define VENTUS_SCOPE_WORK_ITEM (1 << 3)
#define VENTUS_SCOPE_DEVICE (2 << 3)
#define VENTUS_SCOPE_ALL (3 << 3)

/* insn barrier: waits for all warps of the workgroup; flags are a constant */
#define ventus_barrier(flags) __asm__ volatile("barrier x0, x0, %0" : : "K"(flags) : "memory")
/* insn barriersub: the same for the lanes of the warp */
#define ventus_barriersub(flags) __asm__ volatile("barriersub x0, x0, %0" : : "K"(flags) : "memory")

/* ---- control and status registers ---- */

/* insn csrrs: reads a CSR by its name or number: ventus_csr(CSR_GIDX) */
#define ventus_csr(name)                                                                                               \
    ({                                                                                                                 \
        uint ventus_csr_;                                                                                              \
        __asm__ volatile("csrr %0, " #name : "=r"(ventus_csr_));                                                       \
        ventus_csr_;                                                                                                   \
    })
/* insn csrrw: writes CSR_PRINT or CSR_RPC; a write to another one is a fault */
#define ventus_csr_write(name, value)                                                                                  \
    do {                                                                                                               \
        uint ventus_csr_ = (value);                                                                                    \
        __asm__ volatile("csrw " #name ", %0" : : "r"(ventus_csr_) : "memory");                                        \
    } while (0)

#define VENTUS_CSR(function, name)                                                                                     \
    VENTUS_INLINE uint function(void)                                                                                  \
    {                                                                                                                  \
        uint value;                                                                                                    \
        __asm__("csrr %0, " #name : "=r"(value));                                                                      \
        return value;                                                                                                  \
    }
VENTUS_CSR(ventus_first_thread, CSR_TID)    /* csr TID: the warp's first thread in the workgroup */
VENTUS_CSR(ventus_warps, CSR_NUMW)          /* csr NUMW: warps of the workgroup */
VENTUS_CSR(ventus_threads, CSR_NUMT)        /* csr NUMT: threads of a warp */
VENTUS_CSR(ventus_metadata, CSR_KNL)        /* csr KNL: the address of the kernel's metadata */
VENTUS_CSR(ventus_workgroup_slot, CSR_WGID) /* csr WGID: the workgroup's number on its SM */
VENTUS_CSR(ventus_warp, CSR_WID)            /* csr WID: the warp's number in the workgroup */
VENTUS_CSR(ventus_local_base, CSR_LDS)      /* csr LDS: where the workgroup's local memory begins */
VENTUS_CSR(ventus_private_base, CSR_PDS)    /* csr PDS: where the workgroup's private memory begins */
VENTUS_CSR(ventus_group_x, CSR_GIDX)        /* csr GIDX: the workgroup's position in the grid */
VENTUS_CSR(ventus_group_y, CSR_GIDY)        /* csr GIDY: the same */
VENTUS_CSR(ventus_group_z, CSR_GIDZ)        /* csr GIDZ: the same */
#if __VENTUS__ == 2
VENTUS_CSR(ventus_global_base, CSR_GDS) /* csr GDS: what global memory prefixes add to an address (generation 2) */
#endif

/* ---- memory ---- */

/* insn vlw.v, pre_m_private_32: a word of this thread's private memory, by its address there */
VENTUS_INLINE uint ventus_load_private(uint address)
{
    uint value;
#if __VENTUS__ == 2
    __asm__ volatile("pre_m_private_32 0, 0\n\tvlw12.v %0, 0(%1)" : "=v"(value) : "v"(address) : "memory");
#else
    __asm__ volatile("vlw.v %0, 0(%1)" : "=v"(value) : "v"(address) : "memory");
#endif
    return value;
}
/* insn vsw.v, pre_m_private_32: writes one */
VENTUS_INLINE void ventus_store_private(uint address, uint value)
{
#if __VENTUS__ == 2
    __asm__ volatile("pre_m_private_32 0, 0\n\tvsw12.v %0, 0(%1)" : : "v"(value), "v"(address) : "memory");
#else
    __asm__ volatile("vsw.v %0, 0(%1)" : : "v"(value), "v"(address) : "memory");
#endif
}

#if __VENTUS__ == 2
/* insn pre_m_32, vlw12d.v: a word of global memory with a cache hint, a constant of 0 to 15 (generation 2) */
#define ventus_load_hint(pointer, hint)                                                                                \
    ({                                                                                                                 \
        uint ventus_value_;                                                                                            \
        const global uint *ventus_pointer_ = (pointer);                                                                \
        __asm__ volatile("pre_m_32 0, %2\n\tvlw12d.v %0, 0(%1)"                                                        \
                         : "=v"(ventus_value_)                                                                         \
                         : "v"(ventus_pointer_), "K"(hint)                                                             \
                         : "memory");                                                                                  \
        ventus_value_;                                                                                                 \
    })
/* insn pre_m_32, vsw12d.v: writes one (generation 2) */
#define ventus_store_hint(pointer, value, hint)                                                                        \
    do {                                                                                                               \
        global uint *ventus_pointer_ = (pointer);                                                                      \
        uint ventus_value_ = (value);                                                                                  \
        __asm__ volatile("pre_m_32 0, %2\n\tvsw12d.v %0, 0(%1)"                                                        \
                         :                                                                                             \
                         : "v"(ventus_value_), "v"(ventus_pointer_), "K"(hint)                                         \
                         : "memory");                                                                                  \
    } while (0)
#else
/* Generation 1 has no hints: plain accesses. */
#define ventus_load_hint(pointer, hint)                                                                                \
    ({                                                                                                                 \
        const volatile global uint *ventus_pointer_ = (pointer);                                                       \
        (void)sizeof(char[(hint) >= 0 && (hint) < 16 ? 1 : -1]);                                                       \
        *ventus_pointer_;                                                                                              \
    })
#define ventus_store_hint(pointer, value, hint)                                                                        \
    do {                                                                                                               \
        volatile global uint *ventus_pointer_ = (pointer);                                                             \
        (void)sizeof(char[(hint) >= 0 && (hint) < 16 ? 1 : -1]);                                                       \
        *ventus_pointer_ = (value);                                                                                    \
    } while (0)
#endif

#if __VENTUS__ == 2
/* insn pre_m_128, vlw12d.v: 16 bytes in one access (generation 2) */
VENTUS_INLINE uint4 ventus_load_128(const global uint4 *pointer)
{
    register uint x __asm__("v28");
    register uint y __asm__("v29");
    register uint z __asm__("v30");
    register uint w __asm__("v31");
    __asm__ volatile("pre_m_128 0, 0\n\tvlw12d.v v28, 0(%4)"
                     : "=&v"(x), "=&v"(y), "=&v"(z), "=&v"(w)
                     : "v"(pointer)
                     : "memory");
    return (uint4)(x, y, z, w);
}
/* insn pre_m_128, vsw12d.v: writes them (generation 2) */
VENTUS_INLINE void ventus_store_128(global uint4 *pointer, uint4 value)
{
    register uint x __asm__("v28") = value.x;
    register uint y __asm__("v29") = value.y;
    register uint z __asm__("v30") = value.z;
    register uint w __asm__("v31") = value.w;
    __asm__ volatile("pre_m_128 0, 0\n\tvsw12d.v v28, 0(%4)" : : "v"(x), "v"(y), "v"(z), "v"(w), "v"(pointer) : "memory");
}
#endif

#endif
