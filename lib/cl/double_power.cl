/* pow, pown, powr, rootn, cbrt, hypot of doubles. */
#include "double.h"

/* a^(y + y_rest) for a >= 0: e^(y log a).  Zero and infinity come out right through the logarithm's infinities, except
 * for 0 times infinity: a = 1 or y = 0, which the callers handle. */
INTERNAL double power(double a, double y, double y_rest)
{
    bool ordinary = is_ordinary(a);
    struct pair l = log_pair(ordinary ? a : 1.0);
    l.hi = ordinary ? l.hi : a == 0.0 ? -INFINITY : INFINITY;
    struct pair e = product(y, l.hi);
    return exp_pair(e.hi, e.lo + fma1(y, l.lo, y_rest * l.hi), 1.0);
}

INTERNAL double flip_if(bool negative, double x) { return AS(double, AS(ulong, x) ^ (ulong)negative << 63); }
INTERNAL bool is_negative(double x) { return AS(long, x) < 0; }

OVL double pow(double x, double y)
{
    double a = abs1(x), b = abs1(y);
    bool integer = b >= 0x1p52 || (double)(long)(b < 0x1p53 ? b : 0.5) == b;
    bool odd = b < 0x1p53 && integer && ((long)b & 1);
    double r = a == 1.0 ? 1.0 : power(a, y, 0.0);
    r = flip_if(is_negative(x) && odd, r);
    r = x < 0.0 && is_finite(x) && !integer ? NAN : r;
    r = is_nan(x) || is_nan(y) ? NAN : r;
    return y == 0.0 || x == 1.0 ? 1.0 : r;
}

OVL double powr(double x, double y)
{
    double r = x == 1.0 ? 1.0 : power(abs1(x), y, 0.0);
    bool undefined = x < 0.0 || is_nan(x) || is_nan(y) || (y == 0.0 && !is_ordinary(x)) ||
                     (x == 1.0 && abs1(y) == INFINITY);
    return undefined ? NAN : y == 0.0 ? 1.0 : r;
}

OVL double pown(double x, int n)
{
    double a = abs1(x);
    double r = a == 1.0 ? 1.0 : power(a, (double)n, 0.0);
    r = flip_if(is_negative(x) && (n & 1), r);
    return n == 0 ? 1.0 : is_nan(x) ? x : r;
}

OVL double rootn(double x, int n)
{
    double a = abs1(x), d = (double)n, y = 1.0 / d, y_rest = fma1(-y, d, 1.0) * y;
    double r = a == 1.0 ? 1.0 : power(a, y, n == 0 ? 0.0 : y_rest);
    r = flip_if(is_negative(x) && (n & 1), r);
    return n == 0 || (x < 0.0 && !(n & 1)) || is_nan(x) ? NAN : r;
}

/* |x| = m 2^(3k), m in [1, 8): an estimate, two Halley steps and one Newton step, the latter with the exact residual. */
OVL double cbrt(double x)
{
    double a = abs1(x);
    bool small = a < 0x1p-1022;
    ulong bits = AS(ulong, small ? a * 0x1p54 : a);
    int e = (int)(bits >> 52) - 1023, k = (e + 1200) / 3 - 400;
    double m = AS(double, bits - ((ulong)(long)(3 * k) << 52));
    double y = -0x1.2e387317adddep-12;
    y = fma1(y, m, 0x1.ca0ace5bab84ep-8);
    y = fma1(y, m, -0x1.166aa5a8ad33cp-4);
    y = fma1(y, m, 0x1.a612e6bf7887cp-2);
    y = fma1(y, m, 0x1.4ecb7ee28e2bbp-1);
    for (int i = 0; i < 2; i++) {
        double cube = y * y * y;
        y = y * (cube + 2.0 * m) / (2.0 * cube + m);
    }
    struct pair square = product(y, y);
    double residue = fma1(y, square.lo, fma1(y, square.hi, -m));
    y -= residue / (3.0 * square.hi);
    double r = y * power_of_2(k - (small ? 18 : 0));
    return is_ordinary(x) ? sign1(r, x) : x;
}

OVL double hypot(double x, double y)
{
    double a = abs1(x), b = abs1(y), large = __cy_dmax(a, b), less = __cy_dmin(a, b);
    int e = (int)(AS(ulong, large) >> 52);
    e = e < 1 ? 1 : e > 2044 ? 2044 : e;
    double down = WORDS((uint)(2046 - e) << 20, 0), up = WORDS((uint)e << 20, 0);
    large *= down;
    less *= down;
    double r = sqrt1(fma1(large, large, less * less)) * up;
    return a == INFINITY || b == INFINITY ? INFINITY : is_nan(x) || is_nan(y) ? NAN : r;
}

SPLIT2(double, pow, double, double)
SPLIT2(double, powr, double, double)
SPLIT2(double, hypot, double, double)
SPLIT2(double, pown, double, int)
SPLIT2(double, rootn, double, int)
SPLIT1(double, cbrt, double)
