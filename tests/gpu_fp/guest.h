/* The instructions that qemu executes for guest.c, and the exact function that should give the same: one row for each.
 *
 *     SCALAR1(name, format, in, out, instruction, exact)       of A; SCALAR2 of A and B, SCALAR3 of A, B and C
 *     VECTOR1(name, format, in, out, instruction, exact)       of an element of `in` bits to one of `out` bits
 * in, out of scalar instructions: h, w, d for f registers of 16, 32, 64 bits, x for integer registers.
 * The vector conversions that always round towards zero are not here: qemu 7.2 ends with a failed assertion on them.
 * Operands are made for `format`; integer operands take the same bits. */

#define ARITHMETIC(f, s, move)                                                                                         \
    SCALAR2(add_##s, f, move, move, "fadd." #s " %[r], %[a], %[b]", cy_##f##_add(fp, A, B))                            \
    SCALAR2(sub_##s, f, move, move, "fsub." #s " %[r], %[a], %[b]", cy_##f##_sub(fp, A, B))                            \
    SCALAR2(mul_##s, f, move, move, "fmul." #s " %[r], %[a], %[b]", cy_##f##_mul(fp, A, B))                            \
    SCALAR2(div_##s, f, move, move, "fdiv." #s " %[r], %[a], %[b]", cy_##f##_div(fp, A, B))                            \
    SCALAR2(min_##s, f, move, move, "fmin." #s " %[r], %[a], %[b]", cy_##f##_min(fp, A, B))                            \
    SCALAR2(max_##s, f, move, move, "fmax." #s " %[r], %[a], %[b]", cy_##f##_max(fp, A, B))                            \
    SCALAR2(sgnj_##s, f, move, move, "fsgnj." #s " %[r], %[a], %[b]", cy_##f##_sgnj(A, B))                             \
    SCALAR2(sgnjn_##s, f, move, move, "fsgnjn." #s " %[r], %[a], %[b]", cy_##f##_sgnjn(A, B))                          \
    SCALAR2(sgnjx_##s, f, move, move, "fsgnjx." #s " %[r], %[a], %[b]", cy_##f##_sgnjx(A, B))                          \
    SCALAR2(eq_##s, f, move, x, "feq." #s " %[r], %[a], %[b]", cy_##f##_eq(fp, A, B))                                  \
    SCALAR2(lt_##s, f, move, x, "flt." #s " %[r], %[a], %[b]", cy_##f##_lt(fp, A, B))                                  \
    SCALAR2(le_##s, f, move, x, "fle." #s " %[r], %[a], %[b]", cy_##f##_le(fp, A, B))                                  \
    SCALAR3(madd_##s, f, move, move, "fmadd." #s " %[r], %[a], %[b], %[c]", cy_##f##_fma(fp, A, B, C))                 \
    SCALAR3(msub_##s, f, move, move, "fmsub." #s " %[r], %[a], %[b], %[c]", cy_##f##_fma(fp, A, B, cy_##f##_neg(C)))   \
    SCALAR3(nmsub_##s, f, move, move, "fnmsub." #s " %[r], %[a], %[b], %[c]", cy_##f##_fma(fp, cy_##f##_neg(A), B, C)) \
    SCALAR3(nmadd_##s, f, move, move, "fnmadd." #s " %[r], %[a], %[b], %[c]",                                          \
            cy_##f##_fma(fp, cy_##f##_neg(A), B, cy_##f##_neg(C)))                                                     \
    SCALAR1(sqrt_##s, f, move, move, "fsqrt." #s " %[r], %[a]", cy_##f##_sqrt(fp, A))                                  \
    SCALAR1(class_##s, f, move, x, "fclass." #s " %[r], %[a]", cy_##f##_class(A))                                      \
    SCALAR1(to_w_##s, f, move, x, "fcvt.w." #s " %[r], %[a]", (uint64_t)cy_##f##_to_i(fp, A, 32))                      \
    SCALAR1(to_wu_##s, f, move, x, "fcvt.wu." #s " %[r], %[a]", (uint64_t)(int32_t)cy_##f##_to_u(fp, A, 32))           \
    SCALAR1(to_l_##s, f, move, x, "fcvt.l." #s " %[r], %[a]", (uint64_t)cy_##f##_to_i(fp, A, 64))                      \
    SCALAR1(to_lu_##s, f, move, x, "fcvt.lu." #s " %[r], %[a]", cy_##f##_to_u(fp, A, 64))                              \
    SCALAR1(rtz_w_##s, f, move, x, "fcvt.w." #s " %[r], %[a], rtz", (uint64_t)cy_##f##_to_i_rtz(fp, A, 32))            \
    SCALAR1(rtz_lu_##s, f, move, x, "fcvt.lu." #s " %[r], %[a], rtz", cy_##f##_to_u_rtz(fp, A, 64))                    \
    SCALAR1(from_w_##s, f, x, move, "fcvt." #s ".w %[r], %[a]", cy_##f##_from_i(fp, (int32_t)A))                       \
    SCALAR1(from_wu_##s, f, x, move, "fcvt." #s ".wu %[r], %[a]", cy_##f##_from_u(fp, (uint32_t)A))                    \
    SCALAR1(from_l_##s, f, x, move, "fcvt." #s ".l %[r], %[a]", cy_##f##_from_i(fp, (int64_t)A))                       \
    SCALAR1(from_lu_##s, f, x, move, "fcvt." #s ".lu %[r], %[a]", cy_##f##_from_u(fp, A))

#define ESTIMATES(f, bits)                                                                                             \
    VECTOR1(rec7_##bits, f, bits, bits, "vfrec7.v v2, v1", cy_##f##_rec7(fp, A))                                       \
    VECTOR1(rsqrt7_##bits, f, bits, bits, "vfrsqrt7.v v2, v1", cy_##f##_rsqrt7(fp, A))                                 \
    VECTOR1(x_##bits, f, bits, bits, "vfcvt.x.f.v v2, v1", (uint64_t)cy_##f##_to_i(fp, A, bits))                       \
    VECTOR1(xu_##bits, f, bits, bits, "vfcvt.xu.f.v v2, v1", cy_##f##_to_u(fp, A, bits))

ARITHMETIC(f16, h, h)
ARITHMETIC(f32, s, w)
ARITHMETIC(f64, d, d)
SCALAR1(s_h, f16, h, w, "fcvt.s.h %[r], %[a]", cy_f16_to_f32(fp, A))
SCALAR1(d_h, f16, h, d, "fcvt.d.h %[r], %[a]", cy_f16_to_f64(fp, A))
SCALAR1(d_s, f32, w, d, "fcvt.d.s %[r], %[a]", cy_f32_to_f64(fp, A))
SCALAR1(h_s, f32, w, h, "fcvt.h.s %[r], %[a]", cy_f32_to_f16(fp, A))
SCALAR1(h_d, f64, d, h, "fcvt.h.d %[r], %[a]", cy_f64_to_f16(fp, A))
SCALAR1(s_d, f64, d, w, "fcvt.s.d %[r], %[a]", cy_f64_to_f32(fp, A))
ESTIMATES(f16, 16)
ESTIMATES(f32, 32)
ESTIMATES(f64, 64)
VECTOR1(f_x_16, f16, 16, 16, "vfcvt.f.x.v v2, v1", cy_f16_from_i(fp, (int16_t)A))
VECTOR1(f_xu_16, f16, 16, 16, "vfcvt.f.xu.v v2, v1", cy_f16_from_u(fp, A))
VECTOR1(w_x_16, f16, 16, 32, "vfwcvt.x.f.v v2, v1", (uint64_t)cy_f16_to_i(fp, A, 32))
VECTOR1(w_xu_16, f16, 16, 32, "vfwcvt.xu.f.v v2, v1", cy_f16_to_u(fp, A, 32))
VECTOR1(w_x_32, f32, 32, 64, "vfwcvt.x.f.v v2, v1", (uint64_t)cy_f32_to_i(fp, A, 64))
VECTOR1(w_xu_32, f32, 32, 64, "vfwcvt.xu.f.v v2, v1", cy_f32_to_u(fp, A, 64))
VECTOR1(w_f_x_8, f16, 8, 16, "vfwcvt.f.x.v v2, v1", cy_f16_from_i(fp, (int8_t)A))
VECTOR1(w_f_xu_8, f16, 8, 16, "vfwcvt.f.xu.v v2, v1", cy_f16_from_u(fp, (uint8_t)A))
VECTOR1(w_f_x_16, f16, 16, 32, "vfwcvt.f.x.v v2, v1", cy_f32_from_i(fp, (int16_t)A))
VECTOR1(w_f_xu_16, f16, 16, 32, "vfwcvt.f.xu.v v2, v1", cy_f32_from_u(fp, A))
VECTOR1(w_f_x_32, f32, 32, 64, "vfwcvt.f.x.v v2, v1", cy_f64_from_i(fp, (int32_t)A))
VECTOR1(w_f_f_16, f16, 16, 32, "vfwcvt.f.f.v v2, v1", cy_f16_to_f32(fp, A))
VECTOR1(w_f_f_32, f32, 32, 64, "vfwcvt.f.f.v v2, v1", cy_f32_to_f64(fp, A))

#undef ARITHMETIC
#undef ESTIMATES
