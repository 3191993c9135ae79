; The greater of a number and a constant, for a signalling NaN the constant: LLVM 19 makes fmaxnm of it for aarch64 (host/aarch64.c).
define void @f0(ptr %in, ptr %out) {
  %p = getelementptr i8, ptr %in, i64 2048
  store i32 2139095041, ptr %p, align 4
  %x = load <16 x float>, ptr %p, align 4
  %c = fcmp ogt <16 x float> %x, splat (float -1.0)
  %r = select <16 x i1> %c, <16 x float> %x, <16 x float> splat (float -1.0)
  store <16 x float> %r, ptr %out, align 64
  ret void
}
