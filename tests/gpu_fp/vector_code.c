/* One loop over the lanes of a warp for each helper, one on a line: vector_code.sh counts those that the compiler
 * turned into vector code. */
#include "gpu/fp/fp32_native.h"

/* clang-format off */
#define LOOP(name, lane) \
    void name(uint32_t *restrict d, const uint32_t *restrict a, const uint32_t *restrict b); \
    void name(uint32_t *restrict d, const uint32_t *restrict a, const uint32_t *restrict b) \
    { \
        (void)b; \
        for (int i = 0; i < 32; i++) \
            d[i] = lane; \
    }
LOOP(add, h_add(a[i], b[i]))
LOOP(sub, h_sub(a[i], b[i]))
LOOP(mul, h_mul(a[i], b[i]))
LOOP(divide, h_div(a[i], b[i]))
LOOP(root, h_sqrt(a[i]))
LOOP(madd, h_fma(a[i], b[i], d[i]))
LOOP(nmadd, h_fma(h_neg(a[i]), b[i], h_neg(d[i])))
LOOP(min, h_min(a[i], b[i]))
LOOP(max, h_max(a[i], b[i]))
LOOP(eq, h_eq(a[i], b[i]))
LOOP(lt, h_lt(a[i], b[i]))
LOOP(le, h_le(a[i], b[i]))
LOOP(class, h_class(a[i]))
LOOP(sgnj, h_sgnj(a[i], b[i]))
LOOP(sgnjn, h_sgnjn(a[i], b[i]))
LOOP(sgnjx, h_sgnjx(a[i], b[i]))
LOOP(from_i, h_from_i(a[i]))
LOOP(from_u, h_from_u(a[i]))
LOOP(to_i, h_to_i(a[i]))
LOOP(to_u, h_to_u(a[i]))
LOOP(to_i_rtz, h_to_i_rtz(a[i]))
LOOP(to_u_rtz, h_to_u_rtz(a[i]))
LOOP(quiet, h_add(h_quiet(a[i], b[i]), h_quiet(d[i], b[i])))
/* clang-format on */
