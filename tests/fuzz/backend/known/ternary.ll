; Signs of one vector on the other, merged under a mask: LLVM 19 makes a wrong vpternlog of it for AVX-512 (host/x86_ternary.c).
define void @f0(ptr %in, ptr %out) {
  %q = getelementptr i8, ptr %in, i64 64
  %k = getelementptr i8, ptr %in, i64 128
  %u = load <16 x i32>, ptr %in, align 4
  %v = load <16 x i32>, ptr %q, align 4
  %a = add <16 x i32> %u, splat (i32 1)
  %b = add <16 x i32> %v, splat (i32 3)
  %w = load <16 x i32>, ptr %k, align 4
  %m = icmp slt <16 x i32> %w, zeroinitializer
  %x = and <16 x i32> %a, splat (i32 -2147483648)
  %y = and <16 x i32> %b, splat (i32 2147483647)
  %o = or <16 x i32> %x, %y
  %r = select <16 x i1> %m, <16 x i32> %o, <16 x i32> %a
  store <16 x i32> %r, ptr %out, align 64
  ret void
}
