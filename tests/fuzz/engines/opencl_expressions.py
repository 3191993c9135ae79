"""Expressions whose every bit the language defines, or our device library, so that all configurations compute the same.

Signed arithmetic that could overflow is done unsigned, divisors are odd, indices are masked.  Of floats three things may depend on the
compiler: the bits of NaN, the sign of a zero that is the smaller or larger of two, and with it what depends on them.  Where they could
show, functions of the prelude (`one_bits`, `one_sign`) make all NaNs one and all zeros positive, unless the program is compiled
with -DRAW, for configurations that run the same machine code."""
from opencl_types import BITS, INT, INTS, UINT, WIDTHS, Type, literal

ROUNDINGS = ["", "_rte", "_rtz", "_rtp", "_rtn"]
EXACT1 = "fabs ceil floor rint round trunc sqrt".split()
EXACT2 = "fdim fmod nextafter remainder".split()
RELATIONS2 = "isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered isunordered".split()
RELATIONS1 = "isfinite isinf isnan isnormal".split()
# Their errors differ between implementations.
ANY1 = ("acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt cos cosh cospi erf erfc exp exp2 exp10 expm1 lgamma log "
        "log2 log10 log1p logb rsqrt sin sinh sinpi tan tanh tanpi tgamma degrees radians sign").split() + [
            f"{kind}_{name}" for kind in ("half", "native")
            for name in "cos exp exp2 exp10 log log2 log10 recip rsqrt sin sqrt tan".split()]
ANY2 = "atan2 atan2pi hypot pow powr half_divide half_powr native_divide native_powr step".split()
ANY3 = "mad mix smoothstep".split()


class Scope:
    """What the code at one place can name: lists of (text, Type)."""

    def __init__(self):
        self.readable, self.writable = [], []
        self.structs = []      # (text, struct), writable
        self.arrays = []       # (text, Type, log2 of the length)
        self.local_slots = []  # arrays with one element per work-item
        self.in_kernel = False
        self.result = None     # what a helper returns
        self.loops = 0         # we are inside how many
        self.calls = 0


class Expressions:
    """Needs r, the random numbers; features; is_portable: another implementation must agree; prelude."""

    def chance(self, p):
        return self.r.random() < p

    def has(self, feature):
        self.features.add(feature)

    # -- types

    def int_type(self):
        if self.chance(self.wide_share):
            return Type(self.r.choice(["long", "ulong"]))
        return Type(self.r.choice(INTS + ["int", "uint", "int", "uint"]))

    def float_type(self):
        bases = [base for base in ("double", "half") if base in self.heavy and not (base == "half" and self.is_portable)]
        return Type(self.r.choice(bases) if bases and self.chance(0.4) else "float")

    def any_type(self):
        t = self.float_type() if self.chance(self.float_share) else self.int_type()
        if self.chance(self.vector_share):
            most = 4 if t.bits == 64 else 8 if t.bits == 32 else 16
            t = Type(t.base, self.r.choice([w for w in WIDTHS if w <= most]))
            self.has("vectors")
        self.has(t.base)
        return t

    # -- guards of floats

    def guard(self, what, t):
        """The name of a function of the prelude: one_bits gives integers, one_sign gives floats without NaN and zero."""
        i = t.signed()
        name = f"{self.prefix}{what}_{t.name}"
        nan = {16: "0x7e00", 32: "0x7fc00000", 64: "0x7ff8000000000000L"}[t.bits]
        if what == "one_bits":
            one = f"({i.name})({nan})"
            body = f"return select(as_{i.name}(x), {one}, isnan(x));" if t.width > 1 else f"return isnan(x) ? {one} : as_{i.name}(x);"
            raw, result = f"return as_{i.name}(x);", i
        else:
            one = f"({t.name})({literal_one(t)})"
            body = f"return select(x, {one}, isnan(x) | (x == ({t.name})({literal_zero(t)})));" if t.width > 1 else \
                f"return isnan(x) || x == {literal_zero(t)} ? {one} : x;"
            raw, result = "return x;", t
        self.prelude[name] = f"{result.name} {name}({t.name} x)\n{{\n#ifdef RAW\n    {raw}\n#else\n    {body}\n#endif\n}}\n"
        return name

    def bits_of(self, text, t):
        return f"{self.guard('one_bits', t)}({text})"

    def sign_of(self, text, t):
        return f"{self.guard('one_sign', t)}({text})"

    # -- leaves

    def expr(self, s, t, depth):
        if depth <= 0:
            return self.leaf(s, t)
        if t.is_float:
            return self.float_expr(s, t, depth)
        return self.vector_expr(s, t, depth) if t.width > 1 else self.int_expr(s, t, depth)

    def ints(self, s, width=1):
        return [v for v in s.readable if v[1].width == width and not v[1].is_float]

    def leaf(self, s, t):
        same = [text for text, vt in s.readable if vt == t]
        pick = self.r.random()
        if same and pick < 0.65:
            return self.r.choice(same)
        if t.width == 1:
            if t.is_float:
                return self.float_leaf(s, t, pick)
            if pick < 0.78:
                text, vt = self.r.choice([v for v in s.readable if not v[1].is_float])
                return f"({t.name})({self.component(text, vt)})"
            if pick < 0.81:
                view = Type(self.r.choice(INTS), self.r.choice([1, 2, 4, 8]))
                return f"({t.name})({self.component(self.viewed(s, view), view)})"
            arrays = [a for a in s.arrays if not a[1].is_float]
            if arrays and pick < 0.9:
                name, at, log = self.r.choice(arrays)
                return f"({t.name})({self.component(self.element(s, name, log), at)})"
            return literal(self.r, t)
        similar = [(text, vt) for text, vt in s.readable if vt.width == t.width and not vt.is_float and vt != t]
        if similar and pick < 0.78 and not t.is_float:
            text, vt = self.r.choice(similar)
            return f"convert_{t.name}{self.r.choice(['', '_sat'])}({text})"
        if pick < 0.8 and t.width != 3 and not t.is_float:
            return self.viewed(s, t)
        wider = [(text, vt) for text, vt in s.readable if vt.base == t.base and vt.width > 1]
        if wider and pick < 0.88:
            return self.swizzle(*self.r.choice(wider), t.width)
        element = t.element()
        if self.chance(0.5) or t.width > 4:
            return f"({t.name})({self.leaf(s, element)})"
        return f"({t.name})({', '.join(self.leaf(s, element) for _ in range(t.width))})"

    def float_leaf(self, s, t, pick):
        vectors = [v for v in s.readable if v[1].base == t.base and v[1].width > 1]
        if vectors and pick < 0.75:
            return self.component(*self.r.choice(vectors))
        ints = self.ints(s)
        if pick < 0.9:
            return f"convert_{t.name}((short)({self.r.choice(ints)[0]}))"
        return literal(self.r, t)

    def component(self, text, vt):
        return text if vt.width == 1 else f"{text}.s{self.r.randrange(vt.width):x}"

    def swizzle(self, text, vt, width):
        self.has("swizzles")
        if width * 2 == vt.width and self.chance(0.4):
            return f"{text}.{self.r.choice(['lo', 'hi', 'even', 'odd'])}"
        return f"{text}.s{''.join(f'{self.r.randrange(vt.width):x}' for _ in range(width))}"

    def element(self, s, name, log):
        """An element of an array: anywhere, or next to the work-item's."""
        pick = self.r.random()
        if pick < 0.35:
            return f"{name}[({self.leaf(s, self.r.choice([INT, UINT, INT, Type('uchar')]))}) & {(1 << log) - 1}]"
        if pick < 0.75:
            return f"{name}[(lid * {self.r.choice([1, 1, 2, 3, 4, 5])} + {self.r.randrange(8)}) & {(1 << log) - 1}]"
        return f"{name}[{self.r.randrange(1 << log)}]"

    def viewed(self, s, t):
        """The input as an array of other integers: an element that all work-items take, one by their numbers, or any."""
        self.has("views of the input")
        places = [f"n + {self.r.randrange(8)}", f"n * {self.r.randrange(8)}", str(self.r.randrange(64)), f"lid * {self.r.choice([1, 1, 2, 3])}",
                  f"(int)({self.leaf(s, UINT)})"] + (["(int)get_group_id(0)"] * 2 if s.in_kernel else [])
        return f"((global const {t.name} *)in)[({self.r.choice(places)}) & {256 // t.bytes() - 1}]"

    def condition(self, s, depth):
        """A scalar condition; most differ between work-items."""
        pick = self.r.random()
        if pick < 0.12:
            return f"n & {1 << self.r.randrange(4)}"
        if pick < 0.3:
            return f"((lid >> {self.r.randrange(4)}) & 1) {self.r.choice(['==', '!='])} 0"
        if pick < 0.4:
            return f"in[(lid + {self.r.randrange(64)}) & 63] & {1 << self.r.randrange(6)}"
        t = self.int_type()
        if pick < 0.7:
            return f"{self.expr(s, t, depth - 1)} {self.r.choice(['<', '>', '<=', '>=', '==', '!='])} {self.expr(s, t, depth - 1)}"
        if pick < 0.8 and self.float_share:
            return self.relation(s, self.float_type(), depth - 1)
        if pick < 0.92:
            first = self.condition(s, depth - 1) if depth > 0 else "lid & 1"
            second = self.condition(s, depth - 1) if depth > 0 else "n > 2"
            return f"({first}) {self.r.choice(['&&', '||'])} ({second})"
        v = Type(self.r.choice(["int", "char", "short"]), self.r.choice([2, 3, 4]))
        return f"{self.r.choice(['any', 'all'])}({self.expr(s, v, depth - 1)} {self.r.choice(['<', '>', '=='])} {self.expr(s, v, depth - 1)})"

    def relation(self, s, t, depth):
        self.has("relational")
        if self.chance(0.3):
            return f"{self.r.choice(RELATIONS1)}({self.expr(s, t, depth)})"
        if self.chance(0.1):
            return f"signbit({self.sign_of(self.expr(s, t, depth), t)})"
        if self.chance(0.4):
            return f"({self.expr(s, t, depth)} {self.r.choice(['<', '>', '<=', '>=', '==', '!='])} {self.expr(s, t, depth)})"
        return f"{self.r.choice(RELATIONS2)}({self.expr(s, t, depth)}, {self.expr(s, t, depth)})"

    # -- integers

    def int_expr(self, s, t, depth):
        e = lambda u=t: self.expr(s, u, depth - 1)
        u = t.unsigned()
        pick = self.r.randrange(20)
        if pick < 4:  # narrow operands are promoted; the product of two ushorts would overflow an int
            if self.chance(0.6):
                return f"({t.name})(({u.name}){e()} {self.r.choice('+-')} ({u.name}){e()})"
            wide = "uint" if t.bits < 32 else u.name
            return f"({t.name})(({wide}){e()} * ({wide}){e()})"
        if pick < 6:
            return f"({t.name})({e()} {self.r.choice('&|^')} {e()})"
        if pick < 8:
            shift = self.expr(s, self.r.choice([t, UINT]), depth - 1)
            shift = f"({shift})" if self.chance(0.3) else f"(({shift}) & {t.bits - 1})"
            return f"({t.name})(({u.name}){e()} << {shift})" if self.chance(0.5) else f"({t.name})({e()} >> {shift})"
        if pick < 9 and (t.bits < 64 or "wide division" in self.heavy):
            return self.divide(t, e(), e())
        if pick < 10:
            return f"({t.name})({self.r.choice(['~', '!'])}{e()})" if self.chance(0.7) else f"({t.name})(-({u.name}){e()})"
        if pick < 12:
            return f"({t.name})(({self.condition(s, depth - 1)}) ? {e()} : {e()})"
        if pick < 13:
            return f"({t.name})({self.condition(s, depth - 1)})"
        if pick < 14 and s.calls < 3:
            call = self.call(s, t, depth)
            if call:
                return call
        if pick < 16 and self.float_share:
            return self.from_float(s, t, depth)
        if pick < 15:
            v = Type(self.r.choice(INTS), self.r.choice([2, 4]))
            return f"({t.name})({self.expr(s, v, depth - 1)}.s{self.r.randrange(v.width)})"
        return self.int_builtin(s, t, e)

    def from_float(self, s, t, depth):
        """An integer of the same width from a float: its bits, or its value, brought into range."""
        f = t.of(self.float_type().base)
        value = self.expr(s, f, depth - 1)
        if f.bits == t.bits and self.chance(0.5):
            return f"as_{t.name}({self.bits_of(value, f)})"
        if self.chance(0.3) and t.bits == 32:
            relation = self.relation(s, t.of("float"), depth - 1)
            return f"as_{t.name}({relation})" if t.width > 1 else f"({t.name}){relation}"
        self.has("conversions")
        if self.chance(0.25):  # in range: saturation changes nothing
            low = "-100" if t.is_signed else "0"
            return f"convert_{t.name}{self.rounding()}(clamp({self.sign_of(value, f)}, ({f.name})({low}), ({f.name})(100)))"
        return f"convert_{t.name}_sat{self.rounding()}({self.sign_of(value, f)})"

    def rounding(self):
        return self.r.choice(ROUNDINGS if "roundings" in self.heavy else ["", "_rtz"])

    def divide(self, t, a, b):
        op = self.r.choice("/%")
        if t.is_signed:
            return f"({t.name})(({a} >> 1) {op} ({b} | 1))"
        return f"({t.name})({a} {op} ({b} | 1))"

    def int_builtin(self, s, t, e):
        """Works for scalars and vectors."""
        self.has("integer built-ins")
        u = t.unsigned()
        cast = f"convert_{t.name}" if t.width > 1 else f"({t.name})"
        pick = self.r.randrange(15)
        if pick == 0:
            return f"{cast}({self.r.choice(['abs', 'clz', 'popcount'])}({e()}))"
        if pick == 1:
            v = u if self.is_portable else t  # PoCL's overflows for signed numbers far apart
            return f"{cast}(abs_diff({e(v)}, {e(v)}))"
        if pick == 2:
            return f"{self.r.choice(['add_sat', 'sub_sat', 'hadd', 'rhadd', 'mul_hi', 'max', 'min', 'rotate'])}({e()}, {e()})"
        if pick == 3:
            return f"mad_sat({e()}, {e()}, {e()})" if self.chance(0.5) else f"mad_hi({e()}, {e()}, {e()})"
        if pick == 4:
            low, high = literal(self.r, t.element()), literal(self.r, t.element())
            return f"clamp({e()}, ({t.name})(min({low}, {high})), ({t.name})(max({low}, {high})))"
        if pick == 5:
            return f"bitselect({e()}, {e()}, {e()})"
        if pick == 6:
            return f"select({e()}, {e()}, {e(self.r.choice([u, t.signed()]))})"
        if pick == 7 and t.bits == 32:
            if t.is_signed:
                return f"mul24({e()} >> 8, {e()} >> 8)" if self.chance(0.5) else f"as_{t.name}(as_{u.name}(mul24({e()} >> 16, {e()} >> 16)) + as_{u.name}({e()}))"
            return f"mul24({e()} >> 8, {e()} >> 8)" if self.chance(0.5) else f"mad24({e()} >> 8, {e()} >> 8, {e()})"
        if pick == 8 and t.bits > 8:
            half = {16: "char", 32: "short", 64: "int"}[t.bits]
            return f"upsample({e(t.of(half if t.is_signed else 'u' + half))}, {e(t.of('u' + half))})"
        if pick == 9:
            return f"as_{t.name}({e(t.of(self.r.choice([b for b in INTS if BITS[b] == t.bits])))})"
        if pick == 10:
            self.has("conversions")
            return f"convert_{t.name}{self.r.choice(['', '_sat'])}({e(t.of(self.r.choice(INTS)))})"
        if pick == 11:
            return f"as_{t.name}(({u.name})(~as_{u.name}({e()})))"
        if pick == 12 and not self.is_portable:
            return f"{cast}({self.r.choice(['ctz', 'abs'])}({e()}))"
        return f"({t.name})({e()} ^ {e()})" if t.width == 1 else f"({e()} ^ {e()})"

    def vector_expr(self, s, t, depth):
        e = lambda u=t: self.expr(s, u, depth - 1)
        u = t.unsigned()
        pick = self.r.randrange(20)
        if pick < 4:
            return f"as_{t.name}(as_{u.name}({e()}) {self.r.choice('+-*')} as_{u.name}({e()}))"
        if pick < 6:
            return f"({e()} {self.r.choice('&|^')} {e()})"
        if pick < 7:
            return f"as_{t.name}(as_{u.name}({e()}) << as_{u.name}({e()}))" if self.chance(0.5) else f"({e()} >> {e()})"
        if pick < 8 and t.width <= 4 and (t.bits < 64 or "wide division" in self.heavy):
            one, op = f"({t.base})1", self.r.choice("/%")
            return f"(({e()} >> {one}) {op} ({e()} | {one}))" if t.is_signed else f"({e()} {op} ({e()} | {one}))"
        if pick < 10:
            compared = t.of(self.r.choice([b for b in INTS if BITS[b] == t.bits]))
            return f"as_{t.name}(({t.signed().name})({e(compared)} {self.r.choice(['<', '>', '<=', '>=', '==', '!='])} {e(compared)}))"
        if pick < 12:
            return f"({e(t.signed())} {self.r.choice(['<', '>', '!='])} {e(t.signed())} ? {e()} : {e()})"
        if pick < 13 and t.width <= 4:
            return f"({t.name})({', '.join(self.expr(s, t.element(), depth - 2) for _ in range(t.width))})"
        if pick < 15 and t.width in (2, 4, 8, 16):
            self.has("shuffles")
            if self.chance(0.5):
                return f"shuffle({e(Type(t.base, self.r.choice([2, 4, 8])))}, {e(u)})"
            source = Type(t.base, self.r.choice([2, 4]))
            return f"shuffle2({e(source)}, {e(source)}, {e(u)})"
        if pick < 16 and t.width in (4, 8, 16):
            half = Type(t.base, t.width // 2)
            return f"({t.name})({e(half)}, {e(half)})"
        if pick < 17 and self.float_share:
            return self.from_float(s, t, depth)
        return self.int_builtin(s, t, e)

    # -- floats

    def float_expr(self, s, t, depth):
        e = lambda u=t: self.expr(s, u, depth - 1)
        pick = self.r.randrange(24)
        if pick < 6:
            return f"({e()} {self.r.choice('+-*')} {e()})"
        if pick < 7:
            return f"({e()} / {self.sign_of(e(), t)})"
        if pick < 10:
            return f"{self.r.choice(EXACT1)}({e()})"
        if pick < 12:
            zero = f"({t.name})({literal_zero(t)})"
            return f"({self.r.choice(['fmin', 'fmax'])}({e()}, {e()}) + {zero})"
        if pick < 13 and "long functions" in self.heavy:
            self.has("exact math")
            if t.base != "float":
                return f"(-{e()})"
            if self.chance(0.2):  # of numbers of one size, which is taken is a matter of signs
                return f"{self.r.choice(['maxmag', 'minmag'])}({self.sign_of(e(), t)}, {self.sign_of(e(), t)})"
            return f"{self.r.choice(EXACT2)}({e()}, {e()})"
        if pick < 14:
            return f"copysign({e()}, {self.sign_of(e(), t)})"
        if pick < 15 and t.base != "half":
            return f"fma({e()}, {e()}, {e()})"
        if pick < 17:
            if t.width == 1:
                return f"(({self.condition(s, depth - 1)}) ? {e()} : {e()})"
            return f"({e()} < {e()} ? {e()} : {e()})"
        if pick < 18:
            i = t.of(self.r.choice([b for b in INTS if BITS[b] == t.bits]))
            return self.sign_of(f"as_{t.name}({e(i)})", t)
        if pick < 19:
            return f"clamp({self.sign_of(e(), t)}, ({t.name})(-100), ({t.name})(1000))"
        if pick < 20:
            a, b, c = (self.sign_of(e(), t) for _ in range(3))
            return self.sign_of(f"bitselect({a}, {b}, {c})", t)
        if pick < 21 and t.base == "float":
            return f"ldexp({e()}, {e(t.of('int'))})"
        if pick < 22 and not self.is_portable and t.base == "float" and "inexact math" in self.heavy:
            self.has("inexact math")
            return self.any_float(s, t, depth)
        self.has("conversions")
        if self.chance(0.3):
            f = t.of(self.float_type().base)
            return f"convert_{t.name}{'' if self.is_portable else self.rounding()}({e(f)})"
        source = t.of(self.r.choice(INTS))
        rounding = "" if self.is_portable else self.rounding()
        value = e(source)
        if self.is_portable and source.bits == 64 and t.width > 1:  # PoCL on NEON rounds vectors of them twice
            value = f"({value} & ({source.name})(0xffffff))"
        return f"convert_{t.name}{rounding}({value})"


    def any_float(self, s, t, depth):
        """Functions whose errors may differ between implementations."""
        e = lambda u=t: self.expr(s, u, depth - 1)
        pick = self.r.random()
        if pick < 0.6:
            return f"{self.r.choice(ANY1)}({e()})"
        if pick < 0.78:
            return f"{self.r.choice(ANY2)}({e()}, {e()})"
        if pick < 0.84:
            return f"{self.r.choice(ANY3)}({e()}, {e()}, {e()})"
        if pick < 0.92:
            return f"{self.r.choice(['pown', 'rootn'])}({e()}, {e(t.of('int'))})"
        v = Type("float", self.r.choice([2, 3, 4]))
        if t.width in (3, 4) and self.chance(0.4):
            return f"cross({e()}, {e()})"
        if t.width in (1, 2, 3, 4) and self.chance(0.4):
            return f"{self.r.choice(['normalize', 'fast_normalize'])}({e()})"
        if self.chance(0.6):
            return f"({t.name})({self.r.choice(['dot', 'distance', 'fast_distance'])}({e(v)}, {e(v)}))"
        return f"({t.name})({self.r.choice(['length', 'fast_length'])}({e(v)}))"


def literal_one(t):
    return {"half": "(half)1.5f", "float": "1.5f", "double": "1.5"}[t.base]


def literal_zero(t):
    return {"half": "(half)0.0f", "float": "0.0f", "double": "0.0"}[t.base]
