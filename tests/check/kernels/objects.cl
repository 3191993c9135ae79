// Local variables and arguments, private arrays, arrays inside structures; rights, alignment, null pointers.

//! wrong local_past 8/8 buffer:i32:8 -> array-index
//! right local_inside 8/8 buffer:i32:8
kernel void local_past(global int *out) { local int a[8]; int i = get_local_id(0); a[i] = i; barrier(1); out[i] = a[i + 1]; }
kernel void local_inside(global int *out) { local int a[8]; int i = get_local_id(0); a[i] = i; barrier(1); out[i] = a[(i + 1) % 8]; }

//! wrong local_pointer_past 8/8 buffer:i32:8 -> out-of-bounds
//! right local_pointer 8/8 buffer:i32:8
kernel void local_pointer_past(global int *out) { local int a[8]; local int *p = a; int i = get_local_id(0); p[i + 1] = i; barrier(1); out[i] = p[i + 1]; }
kernel void local_pointer(global int *out) { local int a[8]; local int *p = a; int i = get_local_id(0); p[i] = i; barrier(1); out[i] = p[i]; }

//! wrong local_before 8/8 buffer:i32:8 -> out-of-bounds
//! right local_from_start 8/8 buffer:i32:8
kernel void local_before(global int *out) { local int a[8], b[8]; local int *p = b; int i = get_local_id(0); a[i] = i; p[i - 1] = i; barrier(1); out[i] = a[i]; }
kernel void local_from_start(global int *out) { local int a[8], b[8]; local int *p = b; int i = get_local_id(0); a[i] = i; p[i] = i; barrier(1); out[i] = a[i] + b[i]; }

//! wrong local_argument 8/8 buffer:i32:8 local:28 -> out-of-bounds
//! right local_argument_inside 8/8 buffer:i32:8 local:32
kernel void local_argument(global int *out, local int *a) { int i = get_local_id(0); a[i] = i; out[i] = a[i]; }
kernel void local_argument_inside(global int *out, local int *a) { int i = get_local_id(0); a[i] = i; out[i] = a[i]; }

//! wrong between_arguments 8/8 buffer:i32:8 local:32 local:32 -> out-of-bounds
//! right two_arguments 8/8 buffer:i32:8 local:32 local:32
kernel void between_arguments(global int *out, local int *a, local int *b) { int i = get_local_id(0); b[i] = i; out[i] = a[i + 8]; }
kernel void two_arguments(global int *out, local int *a, local int *b) { int i = get_local_id(0); b[i] = i; a[i] = i; out[i] = a[i]; }

//! wrong local_atomic_past 8/8 local:28 -> out-of-bounds
//! right local_atomic 8/8 local:32
kernel void local_atomic_past(local int *a) { int i = get_local_id(0); a[i] = 0; atomic_inc(a + i); }
kernel void local_atomic(local int *a) { int i = get_local_id(0); a[i] = 0; atomic_inc(a + i); }

//! wrong private_past 4/4 buffer:i32:4 -> array-index
//! right private_inside 4/4 buffer:i32:4
kernel void private_past(global int *out) { int a[4] = {1, 2, 3, 4}, i = get_global_id(0); out[i] = a[i + 1]; }
kernel void private_inside(global int *out) { int a[4] = {1, 2, 3, 4}, i = get_global_id(0); out[i] = a[i]; }

//! wrong private_write 4/4 buffer:i32:4 -> array-index
//! right private_write_inside 4/4 buffer:i32:4
kernel void private_write(global int *out) { int a[4] = {0}, i = get_global_id(0); a[i + 1] = 5; out[i] = a[3]; }
kernel void private_write_inside(global int *out) { int a[4] = {0}, i = get_global_id(0); a[i] = 5; out[i] = a[3]; }

//! wrong private_pointer 4/4 buffer:i32:4 -> out-of-bounds
//! right private_pointer_inside 4/4 buffer:i32:4
int sum(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
kernel void private_pointer(global int *out) { int a[4] = {1, 2, 3, 4}, i = get_global_id(0); out[i] = sum(a, i + 2); }
kernel void private_pointer_inside(global int *out) { int a[4] = {1, 2, 3, 4}, i = get_global_id(0); out[i] = sum(a, i + 1); }

//! wrong private_constant 4/4 buffer:i32:4 -> array-index
//! right private_constant_inside 4/4 buffer:i32:4
kernel void private_constant(global int *out) { int a[4] = {1, 2, 3, 4}; out[get_global_id(0)] = a[4]; }
kernel void private_constant_inside(global int *out) { int a[4] = {1, 2, 3, 4}; out[get_global_id(0)] = a[3]; }

//! wrong private_pointer_constant 4/4 buffer:i32:4 -> out-of-bounds
//! right private_pointer_constant_inside 4/4 buffer:i32:4
kernel void private_pointer_constant(global int *out) { int a[4] = {1, 2, 3, 4}; int *p = a; p[5] = 7; out[get_global_id(0)] = p[1]; }
kernel void private_pointer_constant_inside(global int *out) { int a[4] = {1, 2, 3, 4}; int *p = a; p[3] = 7; out[get_global_id(0)] = p[1]; }

struct pair { int a[4], b[4]; };
//! wrong member_past 4/4 buffer:i32:8=iota buffer:i32:4 -> array-index
//! right member_inside 4/4 buffer:i32:8=iota buffer:i32:4
kernel void member_past(global const struct pair *p, global int *out) { int i = get_global_id(0); out[i] = p->a[i + 1]; }
kernel void member_inside(global const struct pair *p, global int *out) { int i = get_global_id(0); out[i] = p->a[i]; }

//! wrong member_write 4/4 buffer:i32:8=iota -> array-index
//! right member_write_inside 4/4 buffer:i32:8=iota
kernel void member_write(global struct pair *p) { int i = get_global_id(0); p->a[i + 4] = i; }
kernel void member_write_inside(global struct pair *p) { int i = get_global_id(0); p->b[i] = i; }

//! wrong member_before 4/4 buffer:i32:8=iota buffer:i32:4 -> array-index
//! right member_from_start 4/4 buffer:i32:8=iota buffer:i32:4
kernel void member_before(global const struct pair *p, global int *out) { int i = get_global_id(0); out[i] = p->b[i - 1]; }
kernel void member_from_start(global const struct pair *p, global int *out) { int i = get_global_id(0); out[i] = p->b[i]; }

//! wrong row_past_2d 4/4 buffer:i32:4 -> array-index
//! right row_inside_2d 4/4 buffer:i32:4
kernel void row_past_2d(global int *out) { local int t[4][4]; int i = get_local_id(0); for (int k = 0; k < 4; k++) t[i][k] = k; barrier(1); out[i] = t[0][i + 1]; }
kernel void row_inside_2d(global int *out) { local int t[4][4]; int i = get_local_id(0); for (int k = 0; k < 4; k++) t[i][k] = k; barrier(1); out[i] = t[0][i]; }

//! wrong private_member 4/4 buffer:i32:4 -> array-index
//! right private_member_inside 4/4 buffer:i32:4
kernel void private_member(global int *out) { struct pair p; int i = get_global_id(0); for (int k = 0; k < 4; k++) p.a[k] = p.b[k] = k; out[i] = p.a[i + 1]; }
kernel void private_member_inside(global int *out) { struct pair p; int i = get_global_id(0); for (int k = 0; k < 4; k++) p.a[k] = p.b[k] = k; out[i] = p.a[i]; }

//! wrong write_read_only 4/4 readonly:i32:4=iota -> write-to-read-only
//! right read_read_only 4/4 buffer:i32:4=iota
kernel void write_read_only(global int *p) { p[get_global_id(0)] = 1; }
kernel void read_read_only(global int *p) { p[get_global_id(0)] = 1; }

//! wrong atomic_read_only 4/4 readonly:i32:4=iota -> write-to-read-only
//! right atomic_both 4/4 buffer:i32:4=iota
kernel void atomic_read_only(global int *p) { atomic_inc(p); }
kernel void atomic_both(global int *p) { atomic_inc(p); }

//! wrong read_write_only 4/4 writeonly:i32:4=iota buffer:i32:4 -> read-of-write-only
//! right write_write_only 4/4 buffer:i32:4=iota writeonly:i32:4
kernel void read_write_only(global int *p, global int *out) { int i = get_global_id(0); out[i] = p[i]; }
kernel void write_write_only(global int *p, global int *out) { int i = get_global_id(0); out[i] = p[i]; }

//! wrong misaligned_int 4/4 buffer:u8:32=zeros buffer:i32:4 -> misaligned
//! right aligned_int 4/4 buffer:u8:32=zeros buffer:i32:4
kernel void misaligned_int(global const uchar *p, global int *out) { int i = get_global_id(0); out[i] = *(global const int *)(p + 4 * i + 2); }
kernel void aligned_int(global const uchar *p, global int *out) { int i = get_global_id(0); out[i] = *(global const int *)(p + 4 * i + 4); }

//! wrong misaligned_short 4/4 buffer:u8:32 -> misaligned
//! right aligned_short 4/4 buffer:u8:32
kernel void misaligned_short(global uchar *p) { *(global short *)(p + 2 * get_global_id(0) + 1) = 1; }
kernel void aligned_short(global uchar *p) { *(global short *)(p + 2 * get_global_id(0)) = 1; }

//! wrong misaligned_vector 2/2 buffer:u8:64=zeros buffer:i32:8 -> misaligned
//! right aligned_vector 2/2 buffer:u8:64=zeros buffer:i32:8
kernel void misaligned_vector(global const uchar *p, global int4 *out) { int i = get_global_id(0); out[i] = *(global const int4 *)(p + 16 * i + 2); }
kernel void aligned_vector(global const uchar *p, global int4 *out) { int i = get_global_id(0); out[i] = *(global const int4 *)(p + 16 * i + 16); }

//! wrong null_read 4/4 buffer:i32:4 -> null-pointer
//! right null_tested 4/4 buffer:i32:4
kernel void null_read(global int *out) { global int *p = 0; int i = get_global_id(0); out[i] = p[i]; }
kernel void null_tested(global int *out) { global int *p = 0; int i = get_global_id(0); if (p) out[i] = p[i]; }

//! wrong null_write 4/4 buffer:i32:4=zeros -> null-pointer
//! right null_not_written 4/4 buffer:i32:4=zeros
kernel void null_write(global int *out) { global int *p = out[get_global_id(0)] ? out : 0; *p = 1; }
kernel void null_not_written(global int *out) { global int *p = out[get_global_id(0)] ? out : 0; if (p) *p = 1; }
