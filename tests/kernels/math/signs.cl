// Absolute values and negations of operands, which generation 2 folds into the instruction that reads them.  NaNs keep their
// sign and payload where a value is only moved; the results of arithmetic on them are replaced, as payloads may differ.
// data: a uint[512] random 0 4294967295
// data: b uint[512] random 0 4294967295
// data: o uint[8192] zero
// run: floats 512/64 a b o int:511
// gives: a=356177f7600faca7 b=ee7f352f2822d28c o=d5ca183a8e78b2fb
// data: s uint[16] list 0,0x80000000,0x3f800000,0xbf800000,0x7f800000,0xff800000,0x7fc00000,0xffc00000,0x7fc12345,0xffc54321,1,0x80000001,0x7f7fffff,0xff7fffff,0x00800000,0x80800000
// data: t uint[16] list 0x80000000,0,0xbf800000,0xc0000000,0xff800000,0x7f800000,0x3f800000,0xc1200000,0xffc00000,0x7fc00000,0x80000001,1,0x41200000,0xc1200000,0x80800000,0x00800000
// data: o uint[256] zero
// run: floats 16/16 s t o int:15
// gives: s=e4d2fe94d314045d t=8719b7687fa63f52 o=509a0aec46e136e1
// data: a ulong[256] random 0 1000000000000000000
// data: b ulong[256] random 0 1000000000000000000
// data: o ulong[4096] zero
// run: doubles 256/64 a b o int:255
// gives: a=009a8cdf90a46244 b=70960200727b605a o=82855a2857aa1c7b
// data: a int[256] random -2147483648 2147483647
// data: b int[256] random -1000 1000
// data: o int[4096] zero
// run: integers 256/32 a b o int:255
// gives: a=bf42e529d2d4c76c b=c7a0d59c92007a8c o=7961eb626e2aed9d
// data: a int[16] list -2147483648,2147483647,0,-1,1,-2147483647,7,-7,-2147483648,5,6,7,8,9,10,11
// data: b int[16] list -2147483648,-2147483648,0,-1,1,3,-7,7,1,-1,2,3,4,5,6,7
// data: o int[256] zero
// run: integers 16/16 a b o int:15
// gives: a=2f5c5d7c827fd76c b=6df353890ecd54f2 o=7db1635685dc5c1a
// data: o uint[16] zero
// run: uniform 1/1 o float:-2.5 float:3.25 int:-9
// gives: o=672a1357ecb9c454
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Each result has operands of its own, so that an absolute value or a negation has one user.
#define AT(p, k) p[(i + 5 * k) & mask]

static uint f(float x)
{
    return isnan(x) ? 0xdeadu : as_uint(x);
}

#define X(k) as_float(AT(a, k))
#define Y(k) as_float(AT(b, k))
kernel void floats(global const uint *a, global const uint *b, global uint *o, int mask)
{
    size_t i = get_global_id(0);
    o += 16 * i;
    o[0] = f(fabs(X(1)) + fabs(Y(1)));
    o[1] = f(-fabs(X(2)) - Y(2));
    o[2] = f(X(3) * -fabs(Y(3)));
    o[3] = f(-X(4) / fabs(Y(4)));
    o[4] = f(fma(fabs(X(5)), Y(5), -fabs(X(5))));
    o[5] = f(fma(-fabs(X(6)), fabs(Y(6)), fabs(Y(6))));
    o[6] = f(sqrt(fabs(X(7))));
    o[7] = fabs(X(8)) < fabs(Y(8)) ? 1 : -X(8) >= fabs(Y(8)) ? 2 : fabs(X(8)) == -Y(8) ? 3 : 4;
    o[8] = f(fmax(fabs(X(9)), -fabs(Y(9))) + 0.0f); // which zero it is may differ
    o[9] = f(fmin(-X(10), fabs(X(10))) + 0.0f);
    o[10] = as_uint(copysign(fabs(X(11)), -Y(11)));
    o[11] = as_uint(-X(12));
    o[12] = as_uint(fabs(X(13)));
    o[13] = as_uint(-fabs(X(14)));
    o[14] = f(2.0f - fabs(X(15))) ^ f(-fabs(Y(15)) * 0.5f);
    o[15] = convert_int_sat(fabs(X(16))) ^ convert_uint_sat(-Y(16));
}

static ulong d(double x)
{
    return isnan(x) ? 0xdeadul : as_ulong(x);
}

#undef X
#undef Y
#define X(k) as_double(AT(a, k) * 19)
#define Y(k) as_double(AT(b, k) * 23)
kernel void doubles(global const ulong *a, global const ulong *b, global ulong *o, int mask)
{
    size_t i = get_global_id(0);
    o += 16 * i;
    o[0] = d(fabs(X(1)) + fabs(Y(1)));
    o[1] = d(-fabs(X(2)) - Y(2));
    o[2] = d(X(3) * -fabs(Y(3)));
    o[3] = d(-X(4) / fabs(Y(4)));
    o[4] = d(fma(fabs(X(5)), Y(5), -fabs(X(5))));
    o[5] = d(fma(-fabs(X(6)), fabs(Y(6)), fabs(Y(6))));
    o[6] = d(sqrt(fabs(X(7))));
    o[7] = fabs(X(8)) < fabs(Y(8)) ? 1 : -X(8) >= fabs(Y(8)) ? 2 : fabs(X(8)) == -Y(8) ? 3 : 4;
    o[8] = d(fmax(fabs(X(9)), -fabs(Y(9))) + 0.0);
    o[9] = d(fmin(-X(10), fabs(X(10))) + 0.0);
    o[10] = as_ulong(copysign(fabs(X(11)), -Y(11)));
    o[11] = as_ulong(-X(12));
    o[12] = as_ulong(fabs(X(13)));
    o[13] = as_ulong(-fabs(X(14)));
    o[14] = d(2.0 - fabs(X(15))) ^ d(-fabs(Y(15)) * 0.5);
    o[15] = fabs(X(16)) < 1e18 ? (long)fabs(X(16)) : 0;
}

#undef X
#undef Y
#define X(k) AT(a, k)
#define Y(k) AT(b, k)
kernel void integers(global const int *a, global const int *b, global int *o, int mask)
{
    size_t i = get_global_id(0);
    o += 16 * i;
    o[0] = as_int(abs(X(1)) + abs(Y(1)));
    o[1] = as_int(abs(X(2))) * -Y(2);
    o[2] = X(3) & -X(3);
    o[3] = max(X(4), as_int(0u - as_uint(X(4))));
    o[4] = min(X(5), as_int(0u - as_uint(Y(5))));
    o[5] = as_int(abs(X(6))) - as_int(abs(Y(6)));
    o[6] = as_int(0u - abs(X(7))) | Y(7);
    o[7] = as_int(abs_diff(X(8), Y(8)));
    o[8] = as_int(0u - as_uint(X(9))) ^ Y(9);
    o[9] = X(10) + as_int(abs(Y(10))) * 3;
    o[10] = max(as_int(abs(X(11))), Y(11));
    o[11] = 1000 - as_int(abs(X(12)));
    o[12] = as_int(abs(X(13))) / (Y(13) | 1);
    o[13] = as_int(abs(X(14))) & 255;
    o[14] = as_int(0u - as_uint(X(15))) * 5;
    o[15] = Y(16) - as_int(0u - abs(X(16)));
}

// Scalars that are the same for all work-items.
kernel void uniform(global uint *o, float x, float y, int n)
{
    o[0] = f(fabs(x) + fabs(y));
    o[1] = f(-fabs(x) * y);
    o[2] = f(fma(fabs(x), -y, -fabs(y)));
    o[3] = f(sqrt(fabs(x)));
    o[4] = fabs(x) < fabs(y);
    o[5] = (int)fabs(x) + (int)-y;
    o[6] = f(fmax(-x, fabs(y)));
    o[7] = as_uint(-fabs(y));
    o[8] = abs(n) + 5;
    o[9] = as_int(abs(n)) * -n;
}
