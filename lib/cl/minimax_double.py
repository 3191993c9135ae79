#!/usr/bin/env python3
"""Derives the polynomials and constants of the math functions of doubles (double.h, double_*.cl).

    minimax_double.py [name...]      prints the coefficients, highest first, with the largest relative error of the function

Interpolation at Chebyshev nodes, whose error is within a small factor of the smallest possible: with 53 bits there is no point
in less.  Needs mpmath; the build does not run this."""
import sys
from mpmath import mp, mpf, asin, atan, atanh, cbrt, cos, erf, erfc, exp, log, pi, polyval, sin, sqrt

mp.prec = 240
TINY = mpf(2) ** -60
K = mpf("3.75")


def double(x):
    with mp.workprec(53):
        return +mpf(x)


def fit(f, a, b, degree, weight=None):
    """Coefficients of the interpolating polynomial, lowest first, rounded to doubles; weight times its error at most."""
    a, b, n = mpf(a), mpf(b), degree + 1
    nodes = [(a + b) / 2 + (b - a) / 2 * cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    c = [f(x) for x in nodes]
    for j in range(1, n): # divided differences
        for i in range(n - 1, j - 1, -1):
            c[i] = (c[i] - c[i - 1]) / (nodes[i] - nodes[i - j])
    p = [c[-1]]
    for i in range(n - 2, -1, -1): # Newton's form to powers
        q = [mpf(0)] + p
        for k, value in enumerate(p):
            q[k] -= value * nodes[i]
        q[0] += c[i]
        p = q
    p = [double(x) for x in p]
    weight = weight or (lambda x: 1 / f(x))
    return p, max(abs(weight(x) * (polyval(p[::-1], x) - f(x))) for x in (a + (b - a) * k / 400 for k in range(401)))


def at(f, limit):
    """f, which cannot be evaluated at 0."""
    return lambda x: f(x) if abs(x) > TINY else mpf(limit)


def root(f):
    """f as a function of the square."""
    return lambda s: f(sqrt(s))


def erfcx(x):
    return exp(x * x) * erfc(x)


FITS = {
    "exp": lambda: fit(at(lambda r: (exp(r) - 1 - r) / r ** 2, mpf(1) / 2), -.347, .347, 11, at(lambda r: r ** 2 / exp(r), 0)),
    "atanh": lambda: fit(at(root(lambda u: 2 * (atanh(u) - u - u ** 3 / 3) / u ** 5), mpf(2) / 5), 0, mpf(".1716") ** 2, 7,
                         at(root(lambda u: u ** 5 / (2 * atanh(u))), 0)),
    "sin": lambda: fit(at(root(lambda r: (sin(r) - r) / r ** 3), -mpf(1) / 6), 0, mpf(".786") ** 2, 6,
                       at(root(lambda r: r ** 3 / sin(r)), 0)),
    "cos": lambda: fit(at(root(lambda r: (cos(r) - 1 + r * r / 2) / r ** 4), mpf(1) / 24), 0, mpf(".786") ** 2, 6,
                       at(root(lambda r: r ** 4 / cos(r)), 0)),
    "asin": lambda: fit(at(root(lambda x: (asin(x) - x) / x ** 3), mpf(1) / 6), 0, mpf(".2501"), 13,
                        at(root(lambda x: x ** 3 / asin(x)), 0)),
    "atan": lambda: fit(at(root(lambda x: (atan(x) - x) / x ** 3), -mpf(1) / 3), 0, mpf(".4143") ** 2, 12,
                        at(root(lambda x: x ** 3 / atan(x)), 0)),
    "erf": lambda: fit(at(root(lambda x: erf(x) / x - 1), 2 / sqrt(pi) - 1), 0, 1, 12,
                       at(root(lambda x: x / erf(x)), sqrt(pi) / 2)),
    "erfcx": lambda: fit(lambda q: erfcx(K * (1 + q) / (1 - q)) * (1 + 2 * K * (1 + q) / (1 - q)),
                         (mpf(".5") - K) / (K + .5), (mpf("27.3") - K) / (27.3 + K), 24),
    "cbrt": lambda: fit(cbrt, 1, 8, 4),
}


def main():
    for name in sys.argv[1:] or FITS:
        coefficients, worst = FITS[name]()
        print("%-10s 2^%.1f" % (name, float(log(worst, 2))))
        for c in reversed(coefficients):
            print("    " + float(c).hex())


main()
