#!/usr/bin/env python3
"""Writes random OpenCL programs for the runner (case.h): generate.py [-k KERNELS] [-g RESULTS] DIRECTORY SEED...

A program depends on its seed alone and has one meaning on every device: signed arithmetic that could overflow is done
unsigned, divisors are odd, indices are masked, floats see only exact or correctly rounded operations and become integers
by saturation, every loop has its own counter, work-items write only their own slots or use atomic
operations that commute, barriers are where the whole workgroup reaches them.  A kernel's results are combined into one number per
work-item, from all its variables."""

import argparse
import os
import random

BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
INTS = list(BITS)
EDGES = [0, 1, 2, 3, 7, 31, 32, 63, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
         0x100000000, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF, 0x123456789ABCDEF0]


def unsigned(base):
    return base if base[0] == "u" else "u" + base


def is_signed(base):
    return base[0] != "u"


class Type:
    """A scalar or a vector."""

    def __init__(self, base, width=1):
        self.base, self.width = base, width
        self.name = base if width == 1 else f"{base}{width}"
        self.is_float = base == "float"
        self.bits = 32 if self.is_float else BITS[base]

    def __eq__(self, other):
        return self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def of(self, base):
        return Type(base, self.width)

    def element(self):
        return Type(self.base)


INT, UINT, ULONG, FLOAT = Type("int"), Type("uint"), Type("ulong"), Type("float")


class Scope:
    """What a function body can name.  `readable` and `writable` are lists of (text, Type)."""

    def __init__(self):
        self.readable, self.writable = [], []
        self.structs = []  # (text, struct), writable
        self.arrays = []  # (text, Type, log2 of the length)
        self.local_slots = []  # arrays with one element per work-item
        self.in_kernel = False
        self.result = None  # what a helper returns
        self.loops = 0  # we are inside how many
        self.calls = 0


class Program:
    def __init__(self, seed, kernels):
        self.r = random.Random(seed)
        self.counter = 0
        self.lines = []
        self.structs = []  # (name, [(member, Type, length or 0)])
        self.tables = []  # (name, Type, log2)
        self.helpers = []  # (name, result type, [parameter])
        self.runs = []
        self.seed = seed
        self.kernel_count = kernels
        # Every program leans its own way, or all would look alike.
        self.vector_share = self.r.choice([0.1, 0.3, 0.6])
        self.float_share = self.r.choice([0.0, 0.1, 0.25])
        self.wide_share = self.r.choice([0.1, 0.3, 0.5])
        self.depth = self.r.choice([2, 3, 3, 4])

    # -- small things

    def name(self, prefix):
        self.counter += 1
        return f"{prefix}{self.counter}"

    def chance(self, p):
        return self.r.random() < p

    def scalar_int(self):
        if self.chance(self.wide_share):
            return Type(self.r.choice(["long", "ulong"]))
        return Type(self.r.choice(INTS + ["int", "uint", "int", "uint"]))

    def any_type(self):
        base = "float" if self.chance(self.float_share) else self.scalar_int().base
        return Type(base, self.r.choice([2, 3, 4, 4, 8, 16]) if self.chance(self.vector_share) else 1)

    def literal(self, t):
        if t.is_float:
            value = self.r.choice([0, 1, 2, 3, 5, 0.5, 0.25, 100, 1024, 65535, -1, -2.5, 1e6])
            return f"{float(value)!r}f" if value >= 0 else f"(-{float(-value)!r}f)"
        value = self.r.choice(EDGES) if self.chance(0.5) else self.r.getrandbits(self.r.choice([3, 8, 16, 32, 64]))
        value &= (1 << t.bits) - 1
        if is_signed(t.base) and value >> (t.bits - 1):
            return f"(({t.name})0x{value:x}{'UL' if t.bits == 64 else 'U'})"
        return f"(({t.name}){value}{'UL' if t.bits == 64 and value >> 31 else 'U' if value >> 31 else ''})"

    # -- expressions

    def expr(self, s, t, depth):
        if depth <= 0:
            return self.leaf(s, t)
        if t.is_float:
            return self.float_expr(s, t, depth)
        return self.vector_expr(s, t, depth) if t.width > 1 else self.int_expr(s, t, depth)

    def leaf(self, s, t):
        same = [text for text, vt in s.readable if vt == t]
        pick = self.r.random()
        if same and pick < 0.6:
            return self.r.choice(same)
        if t.width == 1:
            if t.is_float:
                ints = [text for text, vt in s.readable if vt.width == 1 and not vt.is_float]
                return f"convert_float((short)({self.r.choice(ints)}))" if pick < 0.8 else self.literal(t)
            if pick < 0.75:
                text, vt = self.r.choice([v for v in s.readable if not v[1].is_float])
                return f"({t.name})({self.component(text, vt)})"
            if s.arrays and pick < 0.85:
                arrays = [a for a in s.arrays if not a[1].is_float]
                if arrays:
                    name, at, log = self.r.choice(arrays)
                    return f"({t.name})({self.component(self.element(s, name, log), at)})"
            return self.literal(t)
        similar = [(text, vt) for text, vt in s.readable if vt.width == t.width and not vt.is_float and vt != t]
        if similar and pick < 0.75 and not t.is_float:
            text, vt = self.r.choice(similar)
            return f"convert_{t.name}{self.r.choice(['', '_sat'])}({text})"
        wider = [(text, vt) for text, vt in s.readable if vt.base == t.base and vt.width > 1]
        if wider and pick < 0.85:
            return self.swizzle(*self.r.choice(wider), t.width)
        element = t.element()
        if self.chance(0.5):
            return f"({t.name})({self.leaf(s, element)})"
        return f"({t.name})({', '.join(self.leaf(s, element) for _ in range(t.width))})"

    def component(self, text, vt):
        return text if vt.width == 1 else f"{text}.s{self.r.randrange(vt.width):x}"

    def swizzle(self, text, vt, width):
        if width * 2 == vt.width and self.chance(0.4):
            return f"{text}.{self.r.choice(['lo', 'hi', 'even', 'odd'])}"
        return f"{text}.s{''.join(f'{self.r.randrange(vt.width):x}' for _ in range(width))}"

    def element(self, s, name, log):
        index = self.leaf(s, self.r.choice([INT, UINT, INT, Type("uchar")])) if self.chance(0.7) else str(self.r.randrange(1 << log))
        return f"{name}[({index}) & {(1 << log) - 1}]"

    def condition(self, s, depth):
        """A scalar condition; most differ between work-items."""
        pick = self.r.random()
        if pick < 0.12:
            return f"n & {1 << self.r.randrange(4)}"
        if pick < 0.3:
            return f"((lid >> {self.r.randrange(3)}) & 1) {self.r.choice(['==', '!='])} 0"
        t = self.scalar_int()
        if pick < 0.8:
            return f"{self.expr(s, t, depth - 1)} {self.r.choice(['<', '>', '<=', '>=', '==', '!='])} {self.expr(s, t, depth - 1)}"
        if pick < 0.9:
            return f"({self.condition(s, depth - 1) if depth > 0 else 'lid & 1'}) {self.r.choice(['&&', '||'])} ({self.condition(s, depth - 1) if depth > 0 else 'n > 2'})"
        v = Type(self.r.choice(["int", "char", "short", "long"]), self.r.choice([2, 3, 4]))
        return f"{self.r.choice(['any', 'all'])}({self.expr(s, v, depth - 1)} {self.r.choice(['<', '>', '=='])} {self.expr(s, v, depth - 1)})"

    def int_expr(self, s, t, depth):
        e = lambda u=t: self.expr(s, u, depth - 1)
        u = Type(unsigned(t.base))
        pick = self.r.randrange(20)
        if pick < 4:
            # narrow operands are promoted; the product of two ushorts would overflow an int
            return f"({t.name})(({u.name}){e()} {self.r.choice('+-')} ({u.name}){e()})" if self.chance(0.6) else \
                f"({t.name})((ulong){e()} * (ulong){e()})" if t.bits < 32 else f"({t.name})(({u.name}){e()} * ({u.name}){e()})"
        if pick < 6:
            return f"({t.name})({e()} {self.r.choice('&|^')} {e()})"
        if pick < 8:
            shift = self.expr(s, self.r.choice([t, UINT]), depth - 1)
            shift = f"({shift})" if self.chance(0.5) else f"(({shift}) & {t.bits - 1})"
            return f"({t.name})(({u.name}){e()} << {shift})" if self.chance(0.5) else f"({t.name})({e()} >> {shift})"
        if pick < 10:
            return self.divide(t, e(), e())
        if pick < 11:
            return f"({t.name})({self.r.choice(['~', '!'])}{e()})" if self.chance(0.7) else f"({t.name})(-({u.name}){e()})"
        if pick < 13:
            return f"({t.name})(({self.condition(s, depth - 1)}) ? {e()} : {e()})"
        if pick < 14:
            return f"({t.name})({self.condition(s, depth - 1)})"
        if pick < 15 and s.calls < 3:
            call = self.call(s, t, depth)
            if call:
                return call
        if pick < 16:
            f = Type("float")
            if self.float_share:
                return f"convert_{t.name}_sat{self.r.choice(['', '_rte', '_rtz', '_rtp', '_rtn'])}({self.expr(s, f, depth - 1)})"
            v = Type(self.r.choice(INTS), self.r.choice([2, 4, 8]))
            return f"({t.name})({self.expr(s, v, depth - 1)}.s{self.r.randrange(v.width)})"
        return self.int_builtin(s, t, e)

    def divide(self, t, a, b):
        op = self.r.choice("/%")
        if is_signed(t.base):
            return f"({t.name})(({a} >> 1) {op} ({b} | 1))"
        return f"({t.name})({a} {op} ({b} | 1))"

    def int_builtin(self, s, t, e):
        """Works for scalars and vectors."""
        u = t.of(unsigned(t.base))
        cast = f"convert_{t.name}" if t.width > 1 else f"({t.name})"
        pick = self.r.randrange(14)
        if pick == 0:
            return f"{cast}({self.r.choice(['abs', 'clz', 'popcount'])}({e()}))"
        if pick == 1:
            return f"{cast}(abs_diff({e(u)}, {e(u)}))"  # PoCL's overflows for signed numbers far apart
        if pick == 2:
            return f"{self.r.choice(['add_sat', 'sub_sat', 'hadd', 'rhadd', 'mul_hi', 'max', 'min', 'rotate'])}({e()}, {e()})"
        if pick == 3:
            return f"mad_sat({e()}, {e()}, {e()})" if self.chance(0.5) else f"mad_hi({e()}, {e()}, {e()})"
        if pick == 4:
            low, high = self.literal(t.element()), self.literal(t.element())
            return f"clamp({e()}, ({t.name})(min({low}, {high})), ({t.name})(max({low}, {high})))"
        if pick == 5:
            return f"bitselect({e()}, {e()}, {e()})"
        if pick == 6:
            mask = t.of(self.r.choice([unsigned(t.base), unsigned(t.base)[1:]]))
            return f"select({e()}, {e()}, {e(mask)})"
        if pick == 7 and t.bits == 32:
            m = "0x7fffff" if is_signed(t.base) else "0xffffff"
            return f"mul24({e()} & {m}, {e()} & 0xff)" if self.chance(0.5) else f"mad24({e()} & 0xff, {e()} & {m}, ({t.name})({e()} >> 2))" if not is_signed(t.base) else f"mul24({e()} & 0x7fff, {e()} & 0x7fff)"
        if pick == 8 and t.bits > 8:
            half = {16: "char", 32: "short", 64: "int"}[t.bits]
            high = t.of(half if is_signed(t.base) else "u" + half)
            return f"upsample({e(high)}, {e(t.of('u' + half))})"
        if pick == 9:
            return f"as_{t.name}({e(t.of(self.r.choice([b for b in INTS if BITS[b] == t.bits])))})"
        if pick == 10:
            return f"convert_{t.name}{self.r.choice(['', '_sat'])}({e(t.of(self.r.choice(INTS)))})"
        if pick == 11 and t.bits == 32 and self.float_share:
            a, b = e(t.of("float")), e(t.of("float"))
            relation = f"{self.r.choice(['isequal', 'isnotequal', 'isless', 'isgreater', 'islessequal', 'isgreaterequal', 'islessgreater', 'isunordered'])}({a}, {b})"
            return f"as_{t.name}({relation})" if t.width > 1 else f"({t.name}){relation}"
        if pick == 12:
            return f"as_{t.name}(({u.name})(~as_{u.name}({e()})))"
        return f"({t.name})({e()} ^ {e()})" if t.width == 1 else f"({e()} ^ {e()})"

    def vector_expr(self, s, t, depth):
        e = lambda u=t: self.expr(s, u, depth - 1)
        u = t.of(unsigned(t.base))
        pick = self.r.randrange(20)
        if pick < 4:
            return f"as_{t.name}(as_{u.name}({e()}) {self.r.choice('+-*')} as_{u.name}({e()}))"
        if pick < 6:
            return f"({e()} {self.r.choice('&|^')} {e()})"
        if pick < 7:
            return f"as_{t.name}(as_{u.name}({e()}) << as_{u.name}({e()}))" if self.chance(0.5) else f"({e()} >> {e()})"
        if pick < 8:
            one, op = f"({t.base})1", self.r.choice("/%")
            return f"(({e()} >> {one}) {op} ({e()} | {one}))" if is_signed(t.base) else f"({e()} {op} ({e()} | {one}))"
        if pick < 10:
            compared = t.of(self.r.choice([b for b in INTS if BITS[b] == t.bits]))
            signed_t = t.of(unsigned(t.base)[1:])
            return f"as_{t.name}(({signed_t.name})({e(compared)} {self.r.choice(['<', '>', '<=', '>=', '==', '!='])} {e(compared)}))"
        if pick < 12:
            mask = t.of(unsigned(t.base)[1:])
            return f"({e(mask)} {self.r.choice(['<', '>', '!='])} {e(mask)} ? {e()} : {e()})"
        if pick < 13:
            return f"({t.name})({', '.join(self.expr(s, t.element(), depth - 2) for _ in range(t.width))})"
        if pick < 15 and t.width in (2, 4, 8, 16):
            m = t.of(unsigned(t.base))
            if self.chance(0.5):
                return f"shuffle({e(Type(t.base, self.r.choice([2, 4, 8])))}, {e(m)})"
            source = Type(t.base, self.r.choice([2, 4]))
            return f"shuffle2({e(source)}, {e(source)}, {e(m)})"
        if pick < 16 and t.width in (4, 8, 16):
            half = Type(t.base, t.width // 2)
            return f"({t.name})({e(half)}, {e(half)})"
        return self.int_builtin(s, t, e)

    def float_expr(self, s, t, depth):
        e = lambda u=t: self.expr(s, u, depth - 1)
        pick = self.r.randrange(12)
        if pick < 4:
            return f"({e()} {self.r.choice('+-*')} {e()})"
        if pick < 6:
            return f"{self.r.choice(['fabs', 'floor', 'ceil', 'trunc', 'rint', 'round'])}({e()})"
        if pick < 7:
            return f"{self.r.choice(['fmin', 'fmax', 'copysign'])}({e()}, {e()})"
        if pick < 8:
            return f"fma({e()}, {e()}, {e()})"
        if pick < 10:
            if t.width == 1:
                return f"(({self.condition(s, depth - 1)}) ? {e()} : {e()})"
            return f"({e()} < {e()} ? {e()} : {e()})"
        return f"convert_{t.name}({e(t.of(self.r.choice(INTS)))})"

    def call(self, s, t, depth):
        usable = [h for h in self.helpers if not t.is_float and h[1].width == 1]
        if not usable or s.loops > 1:
            return None
        s.calls += 1
        name, result, parameters = self.r.choice(usable)
        args = []
        for kind, what in parameters:
            if kind == "value":
                args.append(self.expr(s, what, depth - 2))
            elif kind == "array":
                arrays = [a for a in s.arrays if a[1] == what[0] and a[2] >= what[1] and a[0] in self.private_arrays]
                if not arrays:
                    return None
                name_, _, log = self.r.choice(arrays)
                args.append(f"{name_} + {self.r.randrange((1 << log) - (1 << what[1]) + 1)}")
            elif kind == "struct":
                structs = [x for x in s.structs if x[1] == what]
                if not structs:
                    return None
                args.append(self.r.choice(structs)[0])
            else:
                structs = [x for x in s.structs if x[1] == what]
                if not structs:
                    return None
                args.append("&" + self.r.choice(structs)[0])
        return f"({t.name}){name}({', '.join(args + ['in', 'n', 'lid'])})"

    # -- statements

    def emit(self, text, indent):
        self.lines.append("    " * indent + text)

    def assign(self, s, indent):
        if s.arrays and self.chance(0.2):
            writable = [a for a in s.arrays if a[0] in self.private_arrays]
            if writable:
                name, t, log = self.r.choice(writable)
                self.emit(f"{self.element(s, name, log)} = {self.expr(s, t, 2)};", indent)
                return
        text, t = self.r.choice(s.writable)
        if t.width > 1 and self.chance(0.3):
            width = self.r.choice([w for w in (1, 2, 3, 4) if w <= t.width])
            lanes = self.r.sample(range(t.width), width)
            self.emit(f"{text}.s{''.join(f'{x:x}' for x in lanes)} = {self.expr(s, Type(t.base, width), 2)};", indent)
        elif not t.is_float and t.width == 1 and self.chance(0.2):
            self.emit(f"{text} {self.r.choice(['^=', '|=', '&='])} {self.expr(s, t, 2)};", indent)
        elif not t.is_float and not is_signed(t.base) and t.bits >= 32 and self.chance(0.3):
            self.emit(f"{text} {self.r.choice(['+=', '-=', '*='])} {self.expr(s, t, 2)};", indent)
        elif not t.is_float and t.width == 1 and not is_signed(t.base) and self.chance(0.2):
            self.emit(f"{text}{self.r.choice(['++', '--'])};", indent)
        else:
            self.emit(f"{text} = {self.expr(s, t, self.r.choice([1, 2, 2, 3]))};", indent)

    def block(self, s, indent, size, depth):
        for _ in range(self.r.randrange(1, size + 1)):
            self.statement(s, indent, depth)

    def statement(self, s, indent, depth):
        pick = self.r.random()
        if depth <= 0 or pick < 0.45:
            self.assign(s, indent)
        elif pick < 0.62:
            self.emit(f"if ({self.condition(s, 2)}) {{", indent)
            self.block(s, indent + 1, 3, depth - 1)
            if self.chance(0.5):
                self.emit("} else {", indent)
                self.block(s, indent + 1, 3, depth - 1)
            self.emit("}", indent)
        elif pick < 0.77 and s.loops < 2:
            self.loop(s, indent, depth)
        elif pick < 0.83:
            self.switch(s, indent, depth)
        elif pick < 0.89:
            self.jump_ahead(s, indent, depth)
        elif pick < 0.92 and s.loops == 0:
            self.jump_back(s, indent, depth)
        elif pick < 0.95 and s.structs and len(s.structs) > 1:
            a, b = self.r.choice(s.structs), self.r.choice(s.structs)
            self.emit(f"{a[0]} = {b[0]};" if a[1] == b[1] else ";", indent)
        elif pick < 0.965:
            self.through_pointer(s, indent)
        elif pick < 0.975:
            self.through_union(s, indent)
        elif s.in_kernel and pick < 0.99:
            self.atomic(s, indent)
        else:
            self.vector_memory(s, indent)

    def through_pointer(self, s, indent):
        """Writes to one of two variables, which one is known when it runs."""
        names = [v for v in s.writable if v[0].isidentifier()]  # a member of a packed structure may not be aligned
        if not names:
            return self.assign(s, indent)
        text, t = self.r.choice(names)
        others = [x for x, u in names if u == t]
        p = self.name("q")
        self.emit("{", indent)
        self.emit(f"{t.name} *{p} = {self.condition(s, 1)} ? &{text} : &{self.r.choice(others)};", indent + 1)
        self.emit(f"*{p} = {self.expr(s, t, 2)};", indent + 1)
        if self.chance(0.5):
            target, u = self.r.choice(s.writable)
            if u == t:
                self.emit(f"{target} = *{p};", indent + 1)
        self.emit("}", indent)

    def through_union(self, s, indent):
        u, t = self.name("u"), self.r.choice([Type("ulong"), Type("uint", 2), Type("int"), Type("ushort", 4)])
        size = t.bits // 8 * t.width
        views = [v for v in (Type("uchar", 4), Type("ushort", 2), Type("uint"), Type("long"), Type("char", 8)) if v.bits // 8 * v.width <= size]
        view = self.r.choice(views)
        self.emit("{", indent)
        self.emit(f"union {{ {t.name} a; {view.name} b; uchar c[{size}]; }} {u};", indent + 1)
        self.emit(f"{u}.a = {self.expr(s, t, 1)};", indent + 1)
        self.emit(f"{u}.b = {self.expr(s, view, 1)};", indent + 1)
        self.emit(f"{u}.c[({self.leaf(s, UINT)}) & {size - 1}] ^= {self.r.randrange(256)};", indent + 1)
        name, target = self.r.choice(s.writable)
        value = self.component(f"{u}.a", t)
        if target.width == 1 and not target.is_float:
            self.emit(f"{name} = ({target.name})({value});", indent + 1)
        elif target.width > 1 and not target.is_float:
            self.emit(f"{name}.s{self.r.randrange(target.width):x} = ({target.base})({value});", indent + 1)
        self.emit("}", indent)

    def vector_memory(self, s, indent):
        """vload and vstore at places that are not aligned."""
        arrays = [a for a in s.arrays if a[1].width == 1 and not a[1].is_float and a[2] >= 2]
        name, t, log = self.r.choice(arrays) if arrays else ("in", INT, 6)
        width = self.r.choice([w for w in (2, 3, 4, 8) if w <= 1 << log])
        spare = (1 << log) - width
        place = f"({self.leaf(s, UINT)}) % {spare + 1}"
        vt = Type(t.base, width)
        if name in self.private_arrays and self.chance(0.6):
            self.emit(f"vstore{width}({self.expr(s, vt, 2)}, 0, {name} + {place});", indent)
            return
        same = [x for x, u in s.writable if u == vt]
        if same:
            self.emit(f"{self.r.choice(same)} = vload{width}(0, {name} + {place});", indent)
        else:
            target, u = self.r.choice([v for v in s.writable if v[1].width == 1 and not v[1].is_float] or [(None, None)])
            if target:
                self.emit(f"{target} ^= ({u.name})(vload{width}(0, {name} + {place}).s{self.r.randrange(width)});", indent)
            else:
                self.assign(s, indent)

    def loop(self, s, indent, depth):
        i = self.name("i")
        divergent = f"(({self.leaf(s, UINT)}) & 7)" if self.chance(0.5) else str(self.r.randrange(1, 6))
        kind = self.r.randrange(3)
        s.loops += 1
        self.emit("{", indent)  # a declaration may not follow a label
        indent += 1
        if kind == 0:
            self.emit(f"for (int {i} = 0; {i} < (int){divergent}; {i}++) {{", indent)
        elif kind == 1:
            self.emit(f"for (uint {i} = {divergent}; {i} > 0; {i}--) {{", indent)
        else:
            self.emit(f"uint {i} = {divergent};", indent)
            self.emit("do {" if self.chance(0.5) else f"while ({i}-- > 0) {{", indent)
        is_do = self.lines[-1].strip() == "do {"
        readable = len(s.readable)
        s.readable.append((i, UINT if kind else INT))
        self.block(s, indent + 1, 3, depth - 1)
        if self.chance(0.5):
            self.emit(f"if ({self.condition(s, 1)})", indent + 1)
            leave = f"return {self.expr(s, s.result, 1)};" if s.result else "break;"
            self.emit(self.r.choice(["break;", "continue;", "continue;", leave]), indent + 2)
            self.block(s, indent + 1, 2, depth - 1)
        del s.readable[readable:]
        s.loops -= 1
        self.emit(f"}} while ({i}-- > 1);" if is_do else "}", indent)
        self.emit("}", indent - 1)

    def switch(self, s, indent, depth):
        self.emit(f"switch ({self.leaf(s, self.scalar_int())} & {self.r.choice([3, 7])}) {{", indent)
        for value in self.r.sample(range(8), self.r.randrange(1, 6)):
            self.emit(f"case {value}:", indent)
            self.block(s, indent + 1, 2, depth - 1)
            if self.chance(0.7):
                self.emit("break;", indent + 1)
        if self.chance(0.6):
            self.emit("default:", indent)
            self.block(s, indent + 1, 2, depth - 1)
        self.emit("}", indent)

    def jump_ahead(self, s, indent, depth):
        label = self.name("L")
        self.emit("{", indent)
        self.block(s, indent + 1, 2, depth - 1)
        self.emit(f"if ({self.condition(s, 1)}) {{", indent + 1)
        self.assign(s, indent + 2)
        self.emit(f"goto {label};", indent + 2)
        self.emit("}", indent + 1)
        self.block(s, indent + 1, 2, depth - 1)
        if self.chance(0.4):
            self.emit(f"if ({self.condition(s, 1)})", indent + 1)
            self.emit(f"goto {label};", indent + 2)
            self.block(s, indent + 1, 2, depth - 1)
        self.emit("}", indent)
        self.emit(f"{label}:;", indent)

    def jump_back(self, s, indent, depth):
        """A loop of gotos; now and then one that is also entered in the middle."""
        head, middle, count = self.name("L"), self.name("L"), self.name("c")
        enters = not s.local_slots and self.chance(0.3)  # PoCL crashes on barriers next to such loops
        s.loops += 1
        self.emit("{", indent)
        indent += 1
        self.emit(f"uint {count} = ({self.leaf(s, UINT)}) & 3;", indent)
        if enters:
            self.emit(f"if ({self.condition(s, 1)})", indent)
            self.emit(f"goto {middle};", indent + 1)
        self.emit(f"{head}:;", indent)
        self.block(s, indent, 2, depth - 1)
        if enters:
            self.emit(f"{middle}:;", indent)
            self.block(s, indent, 1, depth - 1)
        self.emit(f"if ({count}-- > 0)", indent)
        self.emit(f"goto {head};", indent + 1)
        self.emit("}", indent - 1)
        s.loops -= 1

    def atomic(self, s, indent):
        """Each slot knows one operation, so that the order does not matter."""
        slot = self.r.randrange(8)
        op = ["add", "min", "max", "and", "or", "xor", "add", "sub"][slot]
        self.emit(f"atomic_{op}(&acc[{slot}], {self.expr(s, UINT, 2)});", indent)

    # -- functions

    def declare(self, s, count, indent):
        for _ in range(count):
            t = self.any_type()
            v = self.name("v")
            self.emit(f"{t.name} {v} = {self.expr(s, t, 1)};", indent)
            s.readable.append((v, t))
            s.writable.append((v, t))
        wanted = [what for h in self.helpers for kind, what in h[2] if kind == "array"]
        for _ in range(self.r.randrange(3) + (len(wanted) > 0)):
            t, log, a = self.any_type(), self.r.randrange(1, 4), self.name("a")
            if wanted and self.chance(0.6):
                t, log = self.r.choice(wanted)
            self.emit(f"{t.name} {a}[{1 << log}];", indent)
            self.emit(f"for (int i = 0; i < {1 << log}; i++)", indent)
            self.emit(f"{a}[i] = {self.expr(s, t, 1)};", indent + 1)
            s.arrays.append((a, t, log))
            self.private_arrays.add(a)
        for _ in range(self.r.randrange(3) if self.structs else 0):
            struct, x = self.r.choice(self.structs), self.name("s")
            self.emit(f"struct {struct[0]} {x};", indent)
            for text, t in self.members(x, struct):
                self.emit(f"{text} = {self.expr(s, t, 1)};", indent)
            s.readable += self.members(x, struct)
            self.add_struct(s, x, struct)

    def members(self, x, struct):
        out = []
        for member, t, length in struct[1]:
            if length:
                out += [(f"{x}.{member}[{i}]", t) for i in range(length)]
            else:
                out.append((f"{x}.{member}", t))
        return out

    def add_struct(self, s, x, struct):
        s.structs.append((x, struct))
        s.writable += self.members(x, struct)

    def sum_up(self, s, indent):
        """Everything the function knows, in one ulong."""
        self.emit("ulong h = 14695981039346656037UL;", indent)
        for text, t in s.writable:
            for i in range(t.width):
                part = f"{text}.s{i:x}" if t.width > 1 else text
                part = f"convert_int_sat({part})" if t.is_float else part
                self.emit(f"h = (h ^ (ulong)({part})) * 1099511628211UL;", indent)
        for name, t, log in s.arrays:
            if name not in self.private_arrays:
                continue
            self.emit(f"for (int i = 0; i < {1 << log}; i++) {{", indent)
            for i in range(t.width):
                part = f"{name}[i].s{i:x}" if t.width > 1 else f"{name}[i]"
                part = f"convert_int_sat({part})" if t.is_float else part
                self.emit(f"h = (h ^ (ulong)({part})) * 1099511628211UL;", indent + 1)
            self.emit("}", indent)

    def struct(self):
        members = []
        for i in range(self.r.randrange(1, 6)):
            t = self.any_type()
            length = self.r.randrange(2, 5) if self.chance(0.2) else 0
            members.append((f"m{i}", t, length))
        name = self.name("S")
        packed = " __attribute__((packed))" if self.chance(0.15) else ""
        self.emit(f"struct {name} {{", 0)
        for member, t, length in members:
            self.emit(f"{t.name} {member}{f'[{length}]' if length else ''};", 1)
        self.emit(f"}}{packed};\n", 0)
        # A vector may stand anywhere in a packed structure, which is not what is tested here.
        if packed and any(t.width > 1 for _, t, _ in members):
            self.lines[-1] = "};\n"
        self.structs.append((name, members))

    def table(self):
        t, log, name = self.scalar_int() if self.chance(0.7) else Type(self.scalar_int().base, 4), self.r.randrange(2, 5), self.name("t")
        values = [self.literal(t.element()) if t.width == 1 else
                  f"({t.name})({', '.join(self.literal(t.element()) for _ in range(t.width))})" for _ in range(1 << log)]
        self.emit(f"constant {t.name} {name}[{1 << log}] = {{{', '.join(values)}}};\n", 0)
        self.tables.append((name, t, log))

    def fresh_scope(self):
        s = Scope()
        s.readable = [("n", INT), ("lid", INT)]
        s.arrays = [("in", INT, 6)] + [(name, t, log) for name, t, log in self.tables]
        self.private_arrays = set()
        return s

    def helper(self):
        s = self.fresh_scope()
        name, result = self.name("f"), self.scalar_int()
        parameters, texts = [], []
        for _ in range(self.r.randrange(1, 4)):
            kind = self.r.random()
            p = self.name("p")
            if kind < 0.6 or not self.structs:
                t = self.any_type()
                parameters.append(("value", t))
                texts.append(f"{t.name} {p}")
                s.readable.append((p, t))
                s.writable.append((p, t))
            elif kind < 0.8:
                struct = self.r.choice(self.structs)
                parameters.append(("struct", struct))
                texts.append(f"struct {struct[0]} {p}")
                s.readable += self.members(p, struct)
                self.add_struct(s, p, struct)
            elif kind < 0.9:
                t, log = self.any_type(), self.r.randrange(1, 4)
                parameters.append(("array", (t, log)))
                texts.append(f"{t.name} *{p}")
                s.arrays.append((p, t, log))
                self.private_arrays.add(p)
            else:
                struct = self.r.choice(self.structs)
                parameters.append(("pointer", struct))
                texts.append(f"struct {struct[0]} *{p}")
                s.readable += self.members(f"(*{p})", struct)
                self.add_struct(s, f"(*{p})", struct)
        if self.chance(0.3):
            self.emit("__attribute__((noinline))", 0)
        texts += ["global const int *in", "int n", "int lid"]
        s.result = result
        self.emit(f"{result.name} {name}({', '.join(texts)})", 0)
        self.emit("{", 0)
        self.declare(s, self.r.randrange(1, 4), 1)
        self.block(s, 1, 4, 2)
        if self.chance(0.4):
            self.emit(f"if ({self.condition(s, 1)})", 1)
            self.emit(f"return {self.expr(s, result, 2)};", 2)
            self.block(s, 1, 3, 2)
        self.sum_up(s, 1)
        self.emit(f"return ({result.name})(h ^ h >> 17);", 1)
        self.emit("}\n", 0)
        self.helpers.append((name, result, parameters))

    def exchange(self, s, indent):
        """Every work-item writes its slot and reads another's."""
        name, t = self.r.choice(s.local_slots)
        text, _ = self.r.choice([v for v in s.writable if v[1] == t] or [(None, None)])
        if text is None:
            text = self.name("x")
            self.emit(f"{t.name} {text};", indent)
        self.emit(f"{name}[lid] = {self.expr(s, t, 2)};", indent)
        self.emit("barrier(CLK_LOCAL_MEM_FENCE);", indent)
        other = self.r.choice([f"(lid + {self.r.randrange(1, 40)}) % lsize", "lsize - 1 - lid", f"(lid ^ 1) < lsize ? lid ^ 1 : lid"])
        self.emit(f"{text} = {name}[{other}];", indent)
        self.emit("barrier(CLK_LOCAL_MEM_FENCE);", indent)
        if (text, t) not in s.readable:
            s.readable.append((text, t))
            s.writable.append((text, t))

    def meeting(self, s, indent):
        """Barriers that every work-item reaches: alone, in a loop or in a branch that all take or none."""
        pick = self.r.random()
        if pick < 0.5:
            self.exchange(s, indent)
            return
        known = len(s.readable), len(s.writable)
        if pick < 0.8:
            i = self.name("u")
            self.emit(f"for (int {i} = 0; {i} < {self.r.choice(['n & 3', '2', '3'])}; {i}++) {{", indent)
            s.loops += 1
            self.block(s, indent + 1, 2, 2)
            self.exchange(s, indent + 1)
            s.loops -= 1
        else:
            self.emit(f"if ({self.r.choice(['n & 1', 'get_group_id(0) & 1', 'n > 2'])}) {{", indent)
            self.exchange(s, indent + 1)
            self.block(s, indent + 1, 2, 2)
        self.emit("}", indent)
        del s.readable[known[0]:], s.writable[known[1]:]

    def local_count(self, s, indent):
        """A histogram in local memory."""
        self.emit("if (lid < 4)", indent)
        self.emit("counts[lid] = 0;", indent + 1)
        self.emit("barrier(CLK_LOCAL_MEM_FENCE);", indent)
        self.emit(f"atomic_{self.r.choice(['add', 'xor', 'max'])}(&counts[({self.leaf(s, UINT)}) & 3], {self.expr(s, UINT, 2)});", indent)
        self.emit("barrier(CLK_LOCAL_MEM_FENCE);", indent)
        t = self.r.choice([v for v in s.writable if v[1].width == 1 and not v[1].is_float])
        self.emit(f"{t[0]} = ({t[1].name})(counts[lid & 3]);", indent)
        self.emit("barrier(CLK_LOCAL_MEM_FENCE);", indent)

    def kernel(self):
        s = self.fresh_scope()
        s.in_kernel = True
        name = self.name("k")
        local = self.r.choice([(1,), (3,), (16,), (32,), (33,), (48,), (64,), (8, 4), (5, 7), (4, 4, 3)])
        groups = self.r.choice([1, 2, 3])
        size = 1
        for n in local:
            size *= n
        count = size * groups
        self.emit(f"kernel void {name}(global ulong *out, global const int *in, global uint *acc, int n)", 0)
        self.emit("{", 0)
        self.emit("int lsize = (int)(get_local_size(0) * get_local_size(1) * get_local_size(2));", 1)
        self.emit("int lid = (int)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0));", 1)
        self.emit("int gid = (int)get_group_id(0) * lsize + lid;", 1)
        s.readable += [("gid", INT), ("lsize", INT)]
        has_barriers = self.chance(0.5)
        if has_barriers:
            self.emit("local uint counts[4];", 1)
            for _ in range(self.r.randrange(1, 3)):
                t, slots = self.any_type(), self.name("l")
                self.emit(f"local {t.name} {slots}[{size}];", 1)
                s.local_slots.append((slots, t))
        x = self.name("v")
        self.emit(f"uint {x} = (uint)in[gid & 63];", 1)
        s.readable.append((x, UINT))
        s.writable.append((x, UINT))
        self.declare(s, self.r.choice([2, 4, 6, 10, 20]), 1)
        for _ in range(self.r.randrange(3, 9)):
            if has_barriers and self.chance(0.35):
                self.local_count(s, 1) if self.chance(0.2) else self.meeting(s, 1)
            else:
                self.statement(s, 1, self.depth)
        if self.chance(0.3):
            self.emit(f"if ({self.condition(s, 2)}) {{", 1)
            self.emit(f"out[gid] = {self.expr(s, ULONG, 2)};", 2)
            self.emit("return;", 2)
            self.emit("}", 1)
            self.block(s, 1, 3, 2)
        self.sum_up(s, 1)
        self.emit("out[gid] = h;", 1)
        self.emit("}\n", 0)
        glob = [local[0] * groups, *local[1:]]
        self.runs += [f"// data: out ulong[{count}] zero", "// data: in int[64] random",
                      "// data: acc uint[8] value 0x1234567",
                      f"// run: {name} {'x'.join(map(str, glob))}/{'x'.join(map(str, local))} out in acc int:{self.r.randrange(0, 8)}", "// gives:", ""]

    def text(self):
        for _ in range(self.r.randrange(3)):
            self.struct()
        for _ in range(self.r.randrange(3)):
            self.table()
        for _ in range(self.r.randrange(4)):
            self.helper()
        for _ in range(self.kernel_count):
            self.kernel()
        head = [f"// generate.py, seed {self.seed}", "//", "// options: -w"] + self.runs
        return "\n".join(head + ["#pragma OPENCL FP_CONTRACT OFF", ""] + self.lines)


def command_line(parser, kernels):
    """What generators of programs have in common."""
    parser.add_argument("-k", "--kernels", type=int, default=kernels, help=f"kernels in a program ({kernels})")
    parser.add_argument("-g", "--gives", help="a file with results to put in, a line each: SEED NUMBER RESULTS")
    parser.add_argument("directory")
    parser.add_argument("seed", type=int, nargs="+")
    return parser.parse_args()


def write_programs(arguments, text_of):
    """A file for each seed, whose text is text_of(seed), with the results that are known put in."""
    gives = {}
    if arguments.gives:
        with open(arguments.gives) as file:
            for line in file:
                seed, number, results = line.split(maxsplit=2)
                gives[int(seed), int(number)] = results.strip()
    os.makedirs(arguments.directory, exist_ok=True)
    for seed in arguments.seed:
        parts = text_of(seed).split("// gives:")
        text = parts[0] + "".join(f"// gives: {gives.get((seed, i), '')}{part}" for i, part in enumerate(parts[1:]))
        with open(os.path.join(arguments.directory, f"random{seed:06}.cl"), "w") as file:
            file.write(text)


def main():
    arguments = command_line(argparse.ArgumentParser(description=__doc__.splitlines()[0]), 4)
    write_programs(arguments, lambda seed: Program(seed, arguments.kernels).text())


if __name__ == "__main__":
    main()
