#!/usr/bin/env python3
"""Derives the polynomial coefficients of the device library's math functions.

    minimax.py [name...]      prints them, with the largest relative error of the function they belong to

Each fit is a weighted minimax polynomial (by Lawson's algorithm), its coefficients rounded to binary32 one after the other, the
lowest first, the rest fitted again each time.  Needs mpmath; the build does not run this."""
import sys
from mpmath import mp, mpf, matrix, lu_solve, log, exp, sin, cos, tan, asin, atan, atanh, sqrt, pi, erf, erfc, loggamma, expm1, log1p, cbrt

mp.prec = 160


def single(x):
    """x rounded to binary32, as an mpf."""
    with mp.workprec(24):
        return +mpf(x)


def hexfloat(x):
    s = float(x).hex()
    mantissa, exponent = s.split("p")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return mantissa + "p" + exponent + "f"


def lawson(f, weight, points, powers):
    """Coefficients c of sum c_i x^powers_i that minimise max |weight (poly - f)|: least squares, weighted again and again
    by the error that is left (Lawson).  It does not mind a weight of 0 inside the interval."""
    n = len(powers)
    rows = [[weight(x) * x ** p for p in powers] for x in points]
    right = [weight(x) * f(x) for x in points]
    share = [mpf(1)] * len(points)
    best, best_error = None, None
    for _ in range(25):
        m, rhs = matrix(n, n), matrix(n, 1)
        for i in range(n):
            rhs[i] = mp.fsum(s * row[i] * r for s, row, r in zip(share, rows, right))
            for j in range(i, n):
                m[i, j] = m[j, i] = mp.fsum(s * row[i] * row[j] for s, row in zip(share, rows))
        solution = lu_solve(m, rhs)
        errors = [abs(mp.fsum(c * v for c, v in zip(solution, row)) - r) for row, r in zip(rows, right)]
        if best is None or max(errors) < best_error:
            best, best_error = [solution[i] for i in range(n)], max(errors)
        share = [s * e for s, e in zip(share, errors)]
        total = mp.fsum(share)
        if not total:
            break
        share = [s / total for s in share]
    return best


def fit(f, weight, a, b, degree):
    """Coefficients rounded to binary32."""
    a, b, done = mpf(a), mpf(b), []
    count = 8 * (degree + 1)
    points = [(a + b) / 2 - (b - a) / 2 * cos(pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    while len(done) <= degree:
        rest = lambda x: f(x) - sum(c * x ** i for i, c in enumerate(done))
        done.append(single(lawson(rest, weight, points, list(range(len(done), degree + 1)))[0]))
    worst = max(abs(weight(x) * (sum(c * x ** i for i, c in enumerate(done)) - f(x)))
                for x in [a + (b - a) * k / 500 for k in range(501)])
    return done, worst


tiny = mpf(2) ** -30


def at(f, limit):
    """f, which cannot be evaluated at 0."""
    return lambda x: f(x) if abs(x) > tiny else mpf(limit)


def root(f):
    """f as a function of the square."""
    return lambda s: f(sqrt(s))


FITS = {
    # log(1 + f) = f - f^2/2 + f^3 P(f)
    "log": lambda: fit(at(lambda f: (log1p(f) - f + f * f / 2) / f ** 3, mpf(1) / 3),
                       at(lambda f: f ** 3 / log1p(f), 0), sqrt(mpf(2)) / 2 - 1, sqrt(mpf(2)) - 1, 7),
    # the same, shorter, for native_log
    "log_short": lambda: fit(at(lambda f: (log1p(f) - f + f * f / 2) / f ** 3, mpf(1) / 3),
                             at(lambda f: f ** 3 / log1p(f), 0), sqrt(mpf(2)) / 2 - 1, sqrt(mpf(2)) - 1, 6),
    # 2 atanh(u) = 2u + u^3 P(u^2)
    "atanh": lambda: fit(at(root(lambda u: 2 * (atanh(u) - u) / u ** 3), mpf(2) / 3),
                         at(root(lambda u: u ** 3 / (2 * atanh(u))), 0), 0, mpf("0.1716") ** 2, 4),
    # e^r = 1 + r + r^2/2 + r^3 P(r)
    "expm1": lambda: fit(at(lambda r: (expm1(r) - r - r * r / 2) / r ** 3, mpf(1) / 6),
                         at(lambda r: r ** 3 / expm1(r), 0), -mpf("0.347"), mpf("0.347"), 4),
    # sin r = r + r^3 P(r^2), tan r = r + r^3 P(r^2)
    "sin": lambda: fit(at(root(lambda r: (sin(r) - r) / r ** 3), -mpf(1) / 6),
                       at(root(lambda r: r ** 3 / sin(r)), 0), 0, mpf("1.58") ** 2, 3),
    "tan": lambda: fit(at(root(lambda r: (tan(r) - r) / r ** 3), mpf(1) / 3),
                       at(root(lambda r: r ** 3 / tan(r)), 0), 0, mpf("0.786") ** 2, 6),
    # asin x = x + x^3 P(x^2), atan x = x + x^3 P(x^2)
    "asin": lambda: fit(at(root(lambda x: (asin(x) - x) / x ** 3), mpf(1) / 6),
                        at(root(lambda x: x ** 3 / asin(x)), 0), 0, mpf("0.25"), 5),
    "atan": lambda: fit(at(root(lambda x: (atan(x) - x) / x ** 3), -mpf(1) / 3),
                        at(root(lambda x: x ** 3 / atan(x)), 0), 0, 1, 8),
    # erf x = x + x P(x^2) on [0, 1)
    "erf": lambda: fit(at(root(lambda x: erf(x) / x - 1), 2 / sqrt(pi) - 1),
                       at(root(lambda x: x / erf(x)), sqrt(pi) / 2), 0, 1, 6),
    # e^(x^2) erfc(x) (1 + 2x) = P(q), q = (x - 2) / (x + 2), x in [0.5, 10.1]
    "erfcx": lambda: fit(lambda q: erfcx(2 * (1 + q) / (1 - q)) * (1 + 4 * (1 + q) / (1 - q)),
                         lambda q: 1 / (erfcx(2 * (1 + q) / (1 - q)) * (1 + 4 * (1 + q) / (1 - q))),
                         mpf("-0.6"), mpf("0.67"), 9),
    # lgamma(x) = (x - 1) (x - 2) P(x - 2) on [1.5, 3]
    "lgamma": lambda: fit(at(lambda t: loggamma(t + 2) / (t * (t + 1)), mp.digamma(2)),
                          at(lambda t: 1 / (loggamma(t + 2) / (t * (t + 1))), 1 / mp.digamma(2)),
                          mpf("-0.5"), 1, 9),
    # the cube root's first guess on [1, 8)
    "cbrt": lambda: fit(lambda m: cbrt(m), lambda m: 1 / cbrt(m), 1, 8, 3),
}


def erfcx(x):
    return exp(x * x) * erfc(x)


def main():
    for name in sys.argv[1:] or FITS:
        coefficients, worst = FITS[name]()
        print("%-10s 2^%.1f" % (name, float(log(worst, 2)) if worst else -999))
        for c in coefficients:
            print("    " + hexfloat(c))


main()
