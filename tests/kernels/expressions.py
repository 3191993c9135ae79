#!/usr/bin/env python3
"""Writes programs of small kernels that are random expressions of built-in functions, for the runner (case.h):
expressions.py [-k KERNELS] [-g RESULTS] [--any] DIRECTORY SEED...

A program depends on its seed alone.  Without --any it has only functions whose every bit the language defines, so that any
implementation computes the same: NaN, the sign of zero and of NaN, and arguments that a function is undefined for, are
replaced before they could show.  With --any it has all the others, too; then it says nothing about other implementations, but
without and with optimisation the same library computes the same bits."""

import argparse
import random

from generate import BITS, INTS, Type, command_line, is_signed, unsigned, write_programs

ITEMS = 32
WIDTHS = [1, 1, 1, 2, 3, 4, 4, 8, 16]
FLOATS = ["0.0f", "1.0f", "-1.0f", "0.5f", "2.0f", "-3.25f", "1e-40f", "0x1p-126f", "0x1.fffffep127f", "16777217.0f",
          "1e10f", "-0.7f", "3.1415927f", "INFINITY", "-INFINITY", "100.5f"]

# Of floats to floats; those of ANY have errors that differ between implementations.
EXACT1 = "fabs ceil floor rint round trunc sqrt".split()
EXACT2 = "fmin fmax fdim fmod copysign nextafter remainder maxmag minmag".split()
COMMON2 = "min max".split()  # undefined for NaN, and for infinities
ANY1 = ("acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt cos cosh cospi erf erfc exp exp2 exp10 expm1 lgamma log "
        "log2 log10 log1p logb rsqrt sin sinh sinpi tan tanh tanpi tgamma degrees radians sign").split() + [
            f"{kind}_{name}" for kind in ("half", "native")
            for name in "cos exp exp2 exp10 log log2 log10 recip rsqrt sin sqrt tan".split()]
ANY2 = "atan2 atan2pi hypot pow powr half_divide half_powr native_divide native_powr step".split()
ANY3 = "mad mix smoothstep".split()
RELATIONS2 = "isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered isunordered".split()
RELATIONS1 = "isfinite isinf isnan isnormal".split()
ROUNDINGS = ["", "_rte", "_rtz", "_rtp", "_rtn"]


class Kernel:
    def __init__(self, r, exact):
        self.r, self.exact = r, exact
        self.variables = {}  # type: names
        self.lines = []

    def chance(self, p):
        return self.r.random() < p

    def pick(self, *makers):
        return self.r.choice(makers)()

    # -- leaves

    def variable(self, t):
        """One of three of each type: with few of them, functions meet others of the same operands."""
        names = self.variables.setdefault(t, [])
        if len(names) < 3 and (not names or self.chance(0.5)):
            name = f"{t.name}_{'abc'[len(names)]}"
            offset = self.r.randrange(4)
            if t.is_float and self.chance(0.5):
                value = self.number(f"as_{t.name}({self.load(Type('int', t.width), offset)})", t)
            else:
                value = self.load(t, offset)
            self.lines.append(f"    {t.name} {name} = {value};")
            names.append(name)
        return self.r.choice(names)

    @staticmethod
    def load(t, offset):
        source = "f" if t.is_float else "n" if t.base == "int" else f"(global const {t.base} *)n"
        if t.width == 1:
            return f"({source})[i + {offset}]" if source[0] == "(" else f"{source}[i + {offset}]"
        return f"vload{t.width}(i + {offset}, {source})"

    def literal(self, t):
        if t.is_float:
            value = self.r.choice(FLOATS)
        else:
            bits = self.r.getrandbits(self.r.choice([1, 3, 8, t.bits])) & ((1 << t.bits) - 1)
            value = f"({t.base})0x{bits:x}{'UL' if t.bits == 64 else ''}"
        return f"({t.name})({value})"

    def leaf(self, t):
        if self.chance(0.12):
            return self.literal(t)
        if t.width > 1 and self.chance(0.2):
            wider = [w for w in (2, 3, 4, 8, 16) if w >= t.width]
            source = self.r.choice(wider)
            name = self.variable(Type(t.base, source))
            if source == 2 * t.width and self.chance(0.5):
                return f"{name}.{self.r.choice(['lo', 'hi', 'even', 'odd'])}"
            return f"{name}.s{''.join(f'{self.r.randrange(source):x}' for _ in range(t.width))}"
        if t.width == 1 and self.chance(0.15):
            source = self.r.choice([2, 3, 4, 8, 16])
            return f"{self.variable(Type(t.base, source))}.s{self.r.randrange(source):x}"
        return self.variable(t)

    # -- guards

    def instead(self, bad, text, t, other="2.5f"):
        """`text`, with a number in its place where `bad` holds for it."""
        name = f"g{len(self.lines)}"
        self.lines.append(f"    {t.name} {name} = {text};")
        condition = bad.replace("x", name)
        return f"select({name}, ({t.name})({other}), {condition})"

    def number(self, text, t):
        return self.instead("isnan(x)", text, t)

    def signed(self, text, t):
        """The sign of NaN and that of zero may be either."""
        return self.instead(f"isnan(x) | (x == ({t.name})(0.0f))", text, t)

    def finite(self, text, t):
        return self.instead("isnan(x) | isinf(x)", text, t)

    def defined(self, text, t):
        return self.finite(text, t) if self.exact else text

    # -- expressions

    def expr(self, t, depth):
        if depth <= 0 or self.chance(0.06):
            return self.leaf(t)
        pick = self.r.random()
        if t.width > 1 and pick < 0.06:
            return self.vector(t, depth)
        if t.width > 1 and pick < 0.1 and t.width in (2, 4, 8, 16):
            return self.shuffled(t, depth)
        return self.float_expr(t, depth - 1) if t.is_float else self.int_expr(t, depth - 1)

    def vector(self, t, depth):
        if t.width in (2, 4, 8, 16) and self.chance(0.5):
            half = Type(t.base, t.width // 2)
            return f"({t.name})({self.expr(half, depth - 1)}, {self.expr(half, depth - 1)})"
        parts = [self.expr(t.element(), min(depth - 1, 1)) for _ in range(min(t.width, 4))]
        return f"({t.name})({', '.join(self.r.choice(parts) for _ in range(t.width))})"

    def shuffled(self, t, depth):
        mask = t.of({8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}[t.bits])
        source = Type(t.base, self.r.choice([2, 4, 8]))
        if self.chance(0.5):
            return f"shuffle({self.expr(source, depth - 1)}, {self.expr(mask, 1)})"
        return f"shuffle2({self.expr(source, depth - 1)}, {self.expr(source, depth - 1)}, {self.expr(mask, 1)})"

    def condition(self, t, depth):
        """An integer of the width of `t`'s elements, for select."""
        mask = t.of({8: "char", 16: "short", 32: "int", 64: "long"}[t.bits])
        if t.bits == 32 and self.chance(0.6):
            return self.relation(mask, depth)
        if t.width > 1 and self.chance(0.5):
            return f"({self.expr(mask, depth)} {self.r.choice(['<', '>', '==', '!=', '<=', '>='])} {self.expr(mask, depth)})"
        return self.expr(mask, depth)

    def relation(self, t, depth):
        f = t.of("float")
        if self.chance(0.3):
            return f"{self.r.choice(RELATIONS1)}({self.expr(f, depth)})"
        if self.chance(0.1):
            return f"signbit({self.signed(self.expr(f, depth), f)})"
        return f"{self.r.choice(RELATIONS2)}({self.expr(f, depth)}, {self.expr(f, depth)})"

    def float_expr(self, t, depth):
        e = lambda: self.expr(t, depth)
        pick = self.r.random()
        if not self.exact and pick < 0.35:
            return self.any_float(t, depth)
        if pick < 0.5:
            return self.pick(
                lambda: f"{self.r.choice(EXACT1)}({e()})",
                lambda: f"fma({e()}, {e()}, {e()})",
                lambda: f"({e()} {self.r.choice('+-*')} {e()})",
                lambda: f"({e()} / {self.signed(e(), t)})")
        if pick < 0.8:
            name = self.r.choice(EXACT2 + COMMON2 + ["fmin", "fmax", "min", "max"])
            if name in COMMON2:
                scalar = t.width > 1 and self.chance(0.2)
                second = self.expr(t.element(), depth) if scalar else e()
                return f"{name}({self.defined(e(), t)}, {self.defined(second, t.element() if scalar else t)})"
            if name in ("copysign", "maxmag", "minmag"):  # of numbers of one size, which is taken is a matter of signs
                return f"{name}({self.signed(e(), t)}, {self.signed(e(), t)})"
            if name in ("fmin", "fmax") and t.width > 1 and self.chance(0.2):
                return f"{name}({e()}, {self.expr(t.element(), depth)})"
            return f"{name}({e()}, {e()})"
        if pick < 0.85:
            low, high = sorted(self.r.choice([-100, -1, 0, 0.5, 1, 2, 1e6]) for _ in range(2))
            return f"clamp({self.defined(e(), t)}, ({t.name})({low:.1f}f), ({t.name})({high:.1f}f))"
        if pick < 0.9:
            return self.pick(
                lambda: f"select({e()}, {e()}, {self.condition(t, depth)})",
                lambda: f"({self.relation(t.of('int'), depth)} ? {e()} : {e()})",
                lambda: self.number(f"as_{t.name}({self.expr(t.of('int'), depth)})", t),
                lambda: self.number(f"bitselect({self.signed(e(), t)}, {self.signed(e(), t)}, {self.signed(e(), t)})", t))
        if pick < 0.95:
            source = t.of(self.r.choice(INTS))
            rounding = self.r.choice(ROUNDINGS) if not self.exact else ""
            value = self.expr(source, depth)
            if self.exact and source.bits == 64 and t.width > 1:  # PoCL on NEON rounds vectors of them twice
                value = f"({value} & ({source.name})(0xffffff))"
            return f"convert_{t.name}{rounding}({value})"
        return self.pick(
            lambda: f"ldexp({e()}, {self.expr(t.of('int'), depth)})",
            lambda: f"logb({e()})",
            lambda: self.with_result(t, depth))

    def with_result(self, t, depth):
        """Functions that store a second result through a pointer."""
        names = ["fract", "modf", "frexp"] + ([] if self.exact else ["sincos", "lgamma_r", "remquo"])
        name = self.r.choice(names)
        second = t.of("int" if name in ("frexp", "lgamma_r", "remquo") else "float")
        arguments = self.finite(self.expr(t, depth), t)
        if name == "remquo":
            arguments += f", {self.expr(t, depth)}"
        k = len(self.lines)
        self.lines.append(f"    {second.name} p{k}; {t.name} q{k} = {name}({arguments}, &p{k});")
        if second.is_float:
            return self.r.choice([f"q{k}", f"p{k}", f"(q{k} + p{k})"])
        shown = "p%d & 7" % k if name == "remquo" else f"p{k}"
        return self.r.choice([f"q{k}", f"convert_{t.name}({shown})"])

    def any_float(self, t, depth):
        e = lambda: self.expr(t, depth)
        pick = self.r.random()
        if pick < 0.55:
            return f"{self.r.choice(ANY1)}({e()})"
        if pick < 0.75:
            return f"{self.r.choice(ANY2)}({e()}, {e()})"
        if pick < 0.85:
            return f"{self.r.choice(ANY3)}({e()}, {e()}, {e()})"
        if pick < 0.92:
            return f"{self.r.choice(['pown', 'rootn'])}({e()}, {self.expr(t.of('int'), depth)})"
        v = Type("float", self.r.choice([2, 3, 4]))
        if t.width in (3, 4) and self.chance(0.4):
            return f"cross({e()}, {e()})"
        if t.width in (1, 2, 3, 4) and self.chance(0.4):
            return f"{self.r.choice(['normalize', 'fast_normalize'])}({e()})"
        a, b = self.expr(v, depth), self.expr(v, depth)
        return f"({t.name})({self.r.choice(['dot', 'distance', 'fast_distance'])}({a}, {b}))" if self.chance(0.6) else \
            f"({t.name})({self.r.choice(['length', 'fast_length'])}({a}))"

    def int_expr(self, t, depth):
        e = lambda u=t: self.expr(u, depth)
        u = t.of(unsigned(t.base))
        cast = f"convert_{t.name}"
        pick = self.r.randrange(22)
        if pick < 2:
            return f"as_{t.name}(({u.name})(as_{u.name}({e()}) {self.r.choice('+-*')} as_{u.name}({e()})))" if t.bits >= 32 or \
                t.width > 1 else f"({t.name})((uint){e()} {self.r.choice('+-*')} (uint){e()})"
        if pick == 2:
            return f"({t.name})({e()} {self.r.choice('&|^')} {e()})"
        if pick == 3:
            return f"({t.name})({e()} >> ({t.name})({e()} & ({t.name})({t.bits - 1})))"
        if pick == 4:
            return f"{cast}({self.r.choice(['abs', 'clz', 'popcount'])}({e()}))"
        if pick == 5:
            v = u if self.exact else t  # PoCL's overflows for signed numbers far apart
            return f"{cast}(abs_diff({e(v)}, {e(v)}))"
        if pick < 9:
            name = self.r.choice(["add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "max", "min", "rotate"])
            if name in ("max", "min") and t.width > 1 and self.chance(0.3):
                return f"{name}({e()}, {e(t.element())})"
            return f"{name}({e()}, {e()})"
        if pick < 11:
            return f"{self.r.choice(['max', 'min'])}({e()}, {self.r.choice(['max', 'min'])}({e()}, {e()}))"
        if pick == 11:
            return f"{self.r.choice(['mad_sat', 'mad_hi'])}({e()}, {e()}, {e()})"
        if pick == 12:
            low, high = self.literal(t), self.literal(t)
            return f"clamp({e()}, min({low}, {high}), max({low}, {high}))"
        if pick == 13:
            return f"bitselect({e()}, {e()}, {e()})"
        if pick == 14:
            return f"select({e()}, {e()}, {self.condition(t, depth)})"
        if pick == 15 and t.bits == 32:
            if is_signed(t.base):
                return f"mul24({e()} >> 8, {e()} >> 8)" if self.chance(0.5) else \
                    f"as_{t.name}(as_{u.name}(mul24({e()} >> 16, {e()} >> 16)) + as_{u.name}({e()}))"
            return f"mul24({e()} >> 8, {e()} >> 8)" if self.chance(0.5) else f"mad24({e()} >> 8, {e()} >> 8, {e()})"
        if pick == 16 and t.bits > 8:
            half = {16: "char", 32: "short", 64: "int"}[t.bits]
            high = t.of(half if is_signed(t.base) else "u" + half)
            return f"upsample({e(high)}, {e(t.of('u' + half))})"
        if pick == 17 and t.bits == 32:
            f = t.of("float")
            return f"as_{t.name}({self.signed(e(f), f)})" if self.chance(0.6) else f"as_{t.name}({self.relation(t.of('int'), depth)})"
        if pick == 18:
            f = t.of("float")  # NaN becomes any number; those that do not fit are brought to the nearest
            return f"convert_{t.name}_sat{self.r.choice(ROUNDINGS)}({self.number(e(f), f)})"
        if pick == 19 and t.name == "int":
            v = Type(self.r.choice(["char", "short", "int", "long"]), self.r.choice([2, 3, 4, 8]))
            return f"{self.r.choice(['any', 'all'])}({e(v)})"
        if pick == 20 and t.name == "int":
            return f"ilogb({self.instead('isnan(x) | isinf(x) | (x == 0.0f)', e(Type('float')), Type('float'))})"
        return f"convert_{t.name}{self.r.choice(['', '_sat'])}({e(t.of(self.r.choice(INTS)))})"

    def text(self, name):
        t = Type("float" if self.chance(0.6) else self.r.choice(INTS), self.r.choice(WIDTHS))
        result = self.expr(t, self.r.choice([2, 3, 3, 4, 5] if t.width < 8 else [2, 3]))
        if t.is_float:
            result = self.signed(result, t)
        store = f"out[i] = {result};" if t.width == 1 else f"vstore{t.width}({result}, i, out);"
        head = f"kernel void {name}(global const float *f, global const int *n, global {t.base} *out)\n{{\n    size_t i = get_global_id(0);"
        return t, "\n".join([head, *self.lines, f"    {store}", "}", ""])


def program(seed, kernels, exact):
    r = random.Random(f"{seed} {exact}")
    head, bodies = [f"// expressions.py, seed {seed}", "//", "// options: -w"], []
    for k in range(kernels):
        t, text = Kernel(r, exact).text(f"k{k}")
        bodies.append(text)
        count = t.width * ITEMS
        head += [f"// data: f float[{16 * (ITEMS + 4)}] random -{r.choice([2, 100, 1000000])} {r.choice([2, 100, 1000000])}",
                 f"// data: n int[{32 * (ITEMS + 4)}] random", f"// data: out {t.base}[{count}] zero",
                 f"// run: k{k} {ITEMS}/{ITEMS} f n out", "// gives:", ""]
    return "\n".join(head + (["#pragma OPENCL FP_CONTRACT OFF", ""] if exact else []) + bodies)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--any", action="store_true", help="functions of any accuracy, too")
    arguments = command_line(parser, 40)
    write_programs(arguments, lambda seed: program(seed, arguments.kernels, not arguments.any))


if __name__ == "__main__":
    main()
