"""Small LLVM functions of one seed: vectors of 4 to 64 lanes, their operations as guest code becomes them, and nothing that LLVM leaves
open - no poison, no shift too far, no division by zero, no bits of NaNs that arithmetic made.

A function is define void @fN(ptr %in, ptr %out): it loads what it needs from INPUT bytes and leaves up to OUTPUT bytes."""
import random

INPUT, OUTPUT = 4096, 1024
INTEGERS = ("i8", "i16", "i32", "i64")
BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "float": 32, "double": 64}
FLOATS = {"i32": "float", "i64": "double"}
WHOLE = {"float": "i32", "double": "i64"}
BINARY = ("add", "sub", "mul", "and", "or", "xor")
CALLS = ("smin", "smax", "umin", "umax", "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat")
ROUNDS = ("rint", "nearbyint", "floor", "ceil", "trunc", "roundeven")


class Value:
    """Of lanes of an element type.  made: by arithmetic, so that NaNs may be any."""

    def __init__(self, name, element, lanes, made=False):
        self.name, self.element, self.lanes, self.made = name, element, lanes, made

    @property
    def type(self):
        return f"<{self.lanes} x {self.element}>"


class Function:
    def __init__(self, seed, number, length=None):
        self.random = random.Random(f"{seed} {number}")
        self.lines, self.names, self.declared = [], 0, set()
        self.lanes = self.random.choice((4, 4, 8, 8, 16, 16, 16, 16, 32, 32, 64))
        self.most = 64 if self.lanes <= 32 else 32
        self.values, self.masks, self.used = [], [], []
        self.number = number
        element = self.element()
        for _ in range(3):
            self.values.append(self.load(element))
        self.masks.append(self.compare())
        count = self.random.choice((2, 3, 4, 6, 8))
        for i in range(count if length is None else min(length, count)):
            self.step()
        self.finish()

    # ---- text

    def new(self, element, text, lanes=None, made=False):
        self.names += 1
        value = Value(f"%v{self.names}", element, lanes or self.lanes, made)
        self.lines.append(f"  {value.name} = {text}")
        return value

    def call(self, name, element, args, made=False, suffix=None, lanes=None):
        """args: values, or texts with their types."""
        lanes = lanes or self.lanes
        short = {"float": "f32", "double": "f64"}.get(element, element)
        name = f"llvm.{name}.{suffix or f'v{lanes}{short}'}"
        texts = [a if isinstance(a, str) else f"{a.type} {a.name}" for a in args]
        types = ", ".join(t.rsplit(" ", 1)[0] if not t.startswith("<") else t[:t.index(">") + 1] for t in texts)
        result = f"<{lanes} x {element}>"
        self.declared.add(f"declare {result} @{name}({types})")
        return self.new(element, f"call {result} @{name}({', '.join(texts)})", lanes, made)

    # ---- operands

    def element(self):
        return self.random.choice([e for e in INTEGERS for _ in range(3 if e in FLOATS else 1) if BITS[e] <= self.most])

    def address(self, size):
        self.names += 1
        at = self.random.randrange(0, (INPUT // 2 - size) // 64 + 1) * 64
        name = f"%p{self.names}"
        self.lines.append(f"  {name} = getelementptr i8, ptr %in, i64 {at}")
        return name

    def load(self, element, lanes=None):
        lanes = lanes or self.lanes
        size = lanes * BITS[element] // 8
        align = self.random.choice((BITS[element] // 8, min(64, size)))
        return self.new(element, f"load <{lanes} x {element}>, ptr {self.address(size)}, align {align}", lanes)

    def literal(self, element):
        bits = BITS[element]
        return self.random.choice((
            lambda: self.random.getrandbits(bits), lambda: self.random.randrange(16), lambda: (1 << bits) - 1,
            lambda: 1 << (bits - 1), lambda: (1 << (bits - 1)) - 1, lambda: 1 << self.random.randrange(bits),
            lambda: ((1 << bits) - 1) >> self.random.randrange(bits), lambda: 0xff & ((1 << bits) - 1)))()

    def constant(self, element):
        if element in WHOLE:
            whole = self.constant(WHOLE[element])
            return Value(f"bitcast ({whole.type} {whole.name} to <{self.lanes} x {element}>)", element, self.lanes)
        one = self.literal(element)
        numbers = [one] * self.lanes if self.random.random() < 0.7 else [self.literal(element) for _ in range(self.lanes)]
        return Value("<" + ", ".join(f"{element} {n}" for n in numbers) + ">", element, self.lanes)

    def broadcast(self, element):
        whole = WHOLE.get(element, element)
        self.names += 1
        scalar = f"%s{self.names}"
        self.lines.append(f"  {scalar} = load {whole}, ptr {self.address(8)}, align {BITS[whole] // 8}")
        first = self.new(whole, f"insertelement <{self.lanes} x {whole}> poison, {whole} {scalar}, i64 0")
        value = self.new(whole, f"shufflevector {first.type} {first.name}, {first.type} poison, <{self.lanes} x i32> zeroinitializer")
        return value if whole == element else self.cast("bitcast", value, element)

    def cast(self, how, value, element):
        return self.new(element, f"{how} {value.type} {value.name} to <{value.lanes} x {element}>", value.lanes, value.made)

    def of(self, element, fresh=True):
        """An operand of that type."""
        value = self.operand(element, fresh)
        self.used.append(value)
        return value

    def operand(self, element, fresh):
        known = [v for v in self.values if v.element == element]
        how = self.random.random()
        if known and how < 0.6:
            return self.random.choice(known[-4:])
        if fresh and how < 0.8:
            return self.constant(element)
        if fresh and how < 0.87:
            return self.broadcast(element)
        if element in WHOLE and how < 0.95:
            return self.cast("bitcast", self.plain(WHOLE[element]), element)
        if element in FLOATS and how < 0.92:
            return self.bits(self.plain(FLOATS[element]))
        return self.load(element)

    def plain(self, element):
        known = [v for v in self.values if v.element == element]
        return self.random.choice(known) if known else self.load(element)

    def bits(self, value):
        """A float's, whose NaNs are then all one."""
        return self.cast("bitcast", self.settled(value), WHOLE[value.element])

    def settled(self, value):
        if not value.made:
            return value
        nan = "0x7FF8000000000000"
        test = self.new("i1", f"fcmp uno {value.type} {value.name}, zeroinitializer")
        splat = "<" + ", ".join([f"{value.element} {nan}"] * value.lanes) + ">"
        return self.new(value.element, f"select {test.type} {test.name}, {value.type} {splat}, {value.type} {value.name}", value.lanes)

    def mask(self):
        if self.masks and self.random.random() < 0.7:
            return self.random.choice(self.masks)
        self.masks.append(self.compare())
        return self.masks[-1]

    def compare(self):
        element = self.element()
        if element in FLOATS and self.random.random() < 0.3:
            element = FLOATS[element]
            how = "fcmp " + self.random.choice(("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule",
                                                "une", "uno"))
        else:
            how = "icmp " + self.random.choice(("eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"))
        a, b = self.of(element, False), self.of(element)
        return self.new("i1", f"{how} {a.type} {a.name}, {b.name}")

    # ---- operations

    def step(self):
        steps = (self.integer, self.integer, self.logic, self.logic, self.pick, self.pick, self.shift, self.shift, self.rotate, self.calls,
                 self.calls, self.unary, self.widen, self.narrow, self.divide, self.floats, self.floats, self.floats, self.signs,
                 self.extreme, self.convert, self.select, self.masks_of, self.shuffle, self.gather, self.masked_load, self.reduce,
                 self.sign_mask, self.elements)
        self.used = []
        value = self.random.choice(steps)()
        if value is None:
            return
        older = [v for v in self.used if v.element == value.element and v.name.startswith("%")]
        older = older if older and self.random.random() < 0.6 else [v for v in self.values if v.element == value.element]
        if older and self.random.random() < 0.6:  # as guest code does it: merged with what a lane has
            old = self.random.choice(older) if self.random.random() < 0.8 else \
                Value("zeroinitializer", value.element, self.lanes)
            mask = self.mask()
            pair = (value, old) if self.random.random() < 0.8 else (old, value)
            value = self.new(value.element, f"select {mask.type} {mask.name}, {pair[0].type} {pair[0].name}, "
                             f"{pair[1].type} {pair[1].name}", made=value.made or old.made)
        self.values.append(value)

    def binary(self, how, a, b, made=False):
        return self.new(a.element, f"{how} {a.type} {a.name}, {b.name}", a.lanes, made)

    def integer(self):
        element = self.element()
        return self.binary(self.random.choice(BINARY), self.of(element, False), self.of(element))

    def pick(self):
        """Bits of one or the other."""
        element = self.element()
        n, full = self.literal(element), (1 << BITS[element]) - 1
        c, d = (Value("<" + ", ".join([f"{element} {k}"] * self.lanes) + ">", element, self.lanes) for k in (n, n ^ full))
        a, b = self.of(element, False), self.of(element, False)
        return self.binary("or", self.binary("and", a, c), self.binary("and", b, d))

    def logic(self):
        """Two bitwise operations."""
        element = self.element()
        a, b, c = self.of(element, False), self.of(element, False), self.of(element)
        inner = self.binary(self.random.choice(("and", "or", "xor")), a, c)
        if self.random.random() < 0.3:
            inner = self.inverted(inner)
        outer = self.binary(self.random.choice(("and", "or", "xor")), inner, b)
        return self.inverted(outer) if self.random.random() < 0.2 else outer

    def inverted(self, value):
        ones = "<" + ", ".join([f"{value.element} -1"] * value.lanes) + ">"
        return self.new(value.element, f"xor {value.type} {value.name}, {ones}", value.lanes)

    def amount(self, element):
        most = BITS[element] - 1
        if self.random.random() < 0.5:
            one = self.random.randrange(most + 1)
            each = [one if self.random.random() < 0.9 else self.random.randrange(most + 1) for _ in range(self.lanes)]
            return Value("<" + ", ".join(f"{element} {n}" for n in each) + ">", element, self.lanes)
        limit = Value("<" + ", ".join([f"{element} {most}"] * self.lanes) + ">", element, self.lanes)
        return self.binary("and", self.of(element, False), limit)

    def shift(self):
        element = self.element()
        value = self.binary(self.random.choice(("shl", "lshr", "ashr")), self.of(element, False), self.amount(element))
        if self.random.random() < 0.3:
            value = self.binary(self.random.choice(("shl", "lshr", "ashr")), value, self.amount(element))
        return value

    def rotate(self):
        element = self.element()
        a = self.of(element, False)
        b = a if self.random.random() < 0.5 else self.of(element)
        return self.call(self.random.choice(("fshl", "fshr")), element, [a, b, self.amount(element)])

    def calls(self):
        element = self.element()
        return self.call(self.random.choice(CALLS), element, [self.of(element, False), self.of(element)])

    def unary(self):
        element = self.element()
        a = self.of(element, False)
        how = self.random.choice(("abs", "neg", "not", "ctpop", "ctlz", "cttz", "bitreverse", "bswap"))
        if how == "neg":
            return self.binary("sub", Value("zeroinitializer", element, self.lanes), a)
        if how == "not":
            return self.inverted(a)
        if how == "bswap" and element == "i8":
            how = "ctpop"
        return self.call(how, element, [a, "i1 false"] if how in ("abs", "ctlz", "cttz") else [a])

    def widen(self):
        small = [e for e in INTEGERS if BITS[e] < self.most]
        element = self.random.choice(small)
        wide = self.random.choice([e for e in INTEGERS if BITS[element] < BITS[e] <= self.most])
        value = self.cast(self.random.choice(("sext", "zext")), self.of(element, False), wide)
        if self.random.random() < 0.4:  # the upper half of a product
            other = self.cast(self.random.choice(("sext", "zext")), self.of(element), wide)
            value = self.binary("mul", value, other)
            by = Value("<" + ", ".join([f"{wide} {BITS[element]}"] * self.lanes) + ">", wide, self.lanes)
            value = self.cast("trunc", self.binary(self.random.choice(("lshr", "ashr")), value, by), element)
        return value

    def narrow(self):
        element = self.random.choice([e for e in INTEGERS if 8 < BITS[e] <= self.most])
        small = self.random.choice([e for e in INTEGERS if BITS[e] < BITS[element]])
        value, bits = self.of(element, False), BITS[small]
        if self.random.random() < 0.5:  # saturating
            low, high = self.random.choice(((-(1 << (bits - 1)), (1 << (bits - 1)) - 1), (0, (1 << bits) - 1)))
            for name, limit in (("smax", low), ("smin", high)):
                value = self.call(name, element, [value, f"{value.type} <" + ", ".join([f"{element} {limit}"] * self.lanes) + ">"])
        return self.cast("trunc", value, small)

    def divide(self):
        element = self.element()
        how = self.random.choice(("udiv", "urem", "sdiv", "srem"))
        by = [self.random.choice((2, 3, 7, 10, 60, 64, 100, 127))] * self.lanes
        return self.binary(how, self.of(element, False), Value("<" + ", ".join(f"{element} {n}" for n in by) + ">", element, self.lanes))

    def float_type(self):
        return self.random.choice(("float", "float", "double") if self.most == 64 else ("float",))

    def floats(self):
        element = self.float_type()
        how = self.random.choice(("fadd", "fsub", "fmul", "fdiv", "sqrt", "fma", "round", "fadd", "fmul"))
        a, b = self.of(element, False), self.of(element)
        if how == "sqrt":
            return self.call("sqrt", element, [a], True)
        if how == "fma":
            return self.call("fma", element, [a, b, self.of(element)], True)
        if how == "round":
            return self.call(self.random.choice(ROUNDS), element, [a], True)
        return self.binary(how, a, b, True)

    def signs(self):
        element = self.float_type()
        a = self.of(element, False)
        how = self.random.choice(("fabs", "fneg", "copysign", "copysign", "nabs"))
        if how == "copysign":
            return self.call(how, element, [a, self.settled(self.of(element))], a.made)
        if how == "fneg":
            return self.new(element, f"fneg {a.type} {a.name}", made=a.made)
        value = self.call("fabs", element, [a], a.made)
        return value if how == "fabs" else self.new(element, f"fneg {value.type} {value.name}", made=a.made)

    def extreme(self):
        element = self.float_type()
        a, b = self.of(element, False), self.of(element)
        if self.random.random() < 0.3:
            return self.call(self.random.choice(("minimum", "maximum")), element, [a, b], True)
        test = self.new("i1", f"fcmp {self.random.choice(('olt', 'ogt', 'ult', 'ugt', 'ole', 'uge'))} {a.type} {a.name}, {b.name}")
        return self.new(element, f"select {test.type} {test.name}, {a.type} {a.name}, {b.type} {b.name}", made=a.made or b.made)

    def convert(self):
        how = self.random.choice(("sitofp", "uitofp", "sat", "sat", "fpext", "fptrunc"))
        if how in ("sitofp", "uitofp"):
            return self.cast(how, self.of(self.element(), False), self.float_type())
        if how == "sat":
            source, element = self.float_type(), self.element()
            short = {"float": "f32", "double": "f64"}[source]
            return self.call(self.random.choice(("fptosi.sat", "fptoui.sat")), element, [self.of(source, False)],
                             suffix=f"v{self.lanes}{element}.v{self.lanes}{short}")
        if self.most < 64:
            return None
        source, element = ("float", "double") if how == "fpext" else ("double", "float")
        value = self.cast(how, self.of(source, False), element)
        value.made = True
        return value

    def select(self):
        element = self.random.choice((self.element(), self.float_type()))
        a, b, mask = self.of(element, False), self.of(element), self.mask()
        return self.new(element, f"select {mask.type} {mask.name}, {a.type} {a.name}, {b.type} {b.name}", made=a.made or b.made)

    def masks_of(self):
        a, b = self.mask(), self.compare()
        value = self.binary(self.random.choice(("and", "or", "xor")), a, b)
        if self.random.random() < 0.3:
            value = self.new("i1", f"xor {value.type} {value.name}, <" + ", ".join(["i1 true"] * self.lanes) + ">")
        self.masks.append(value)

    def sign_mask(self):
        return self.cast(self.random.choice(("sext", "zext")), self.mask(), self.element())

    def shuffle(self):
        element = self.random.choice((self.element(), self.float_type()))
        a, b, n = self.of(element, False), self.of(element), self.lanes
        each = self.random.choice((
            lambda i: self.random.randrange(2 * n), lambda i: self.random.choice((i, i + n)), lambda i: i ^ 1, lambda i: n - 1 - i,
            lambda i: i // 2 + i % 2 * n, lambda i: (2 * i) % (2 * n), lambda i: (i + 1) % n, lambda i: i & ~3))
        index = ", ".join(f"i32 {each(i)}" for i in range(n))
        return self.new(element, f"shufflevector {a.type} {a.name}, {b.type} {b.name}, <{n} x i32> <{index}>", made=a.made or b.made)

    def elements(self):
        element = self.element()
        a, at = self.of(element, False), self.random.randrange(self.lanes)
        self.names += 1
        self.lines.append(f"  %e{self.names} = extractelement {a.type} {a.name}, i64 {at}")
        b, name = self.of(element, False), f"%e{self.names}"
        names = [line.split(" ")[2] for line in self.lines if " = extractelement " in line and line.split("> ")[0].endswith(element)]
        return self.new(element, f"insertelement {b.type} {b.name}, {element} {names[-1] if names else name}, "
                        f"i64 {self.random.randrange(self.lanes)}")

    def indices(self, element, room):
        """Of elements of the input's second half, in 32 or 64 bits."""
        wide = self.random.choice(("i32", "i64") if self.most == 64 else ("i32",))
        limit = room * 8 // BITS[element] - 1
        limit = (1 << limit.bit_length()) - 1 if limit & (limit + 1) == 0 else (1 << (limit.bit_length() - 1)) - 1
        return self.binary("and", self.of(wide, False), Value("<" + ", ".join([f"{wide} {limit}"] * self.lanes) + ">", wide, self.lanes))

    def pointers(self, element):
        index = self.indices(element, INPUT // 2)
        self.names += 1
        base = f"%b{self.names}"
        self.lines.append(f"  {base} = getelementptr i8, ptr %in, i64 {INPUT // 2}")
        return self.new("ptr", f"getelementptr {element}, ptr {base}, {index.type} {index.name}")

    def gather(self):
        element = self.random.choice([e for e in INTEGERS if BITS[e] >= 8 and BITS[e] <= self.most])
        size, mask, pointers = BITS[element] // 8, self.mask(), self.pointers(element)
        if self.random.random() < 0.4:  # to the input's second half, in the order of the lanes
            value = self.of(element, False)
            name = f"llvm.masked.scatter.v{self.lanes}{element}.v{self.lanes}p0"
            self.declared.add(f"declare void @{name}({value.type}, {pointers.type}, i32, {mask.type})")
            self.lines.append(f"  call void @{name}({value.type} {value.name}, {pointers.type} {pointers.name}, i32 {size}, "
                              f"{mask.type} {mask.name})")
            return None
        return self.call("masked.gather", element, [pointers, f"i32 {size}", mask, self.of(element)],
                         suffix=f"v{self.lanes}{element}.v{self.lanes}p0")

    def masked_load(self):
        element = self.element()
        size, mask = self.lanes * BITS[element] // 8, self.mask()
        at = self.address(size)
        align = f"i32 {BITS[element] // 8}"
        if self.random.random() < 0.4:
            value = self.of(element, False)
            name = f"llvm.masked.store.v{self.lanes}{element}.p0"
            self.declared.add(f"declare void @{name}({value.type}, ptr, i32, {mask.type})")
            self.lines.append(f"  call void @{name}({value.type} {value.name}, ptr {at}, {align}, {mask.type} {mask.name})")
            return None
        return self.call("masked.load", element, [f"ptr {at}", align, mask, self.of(element)], suffix=f"v{self.lanes}{element}.p0")

    def reduce(self):
        element = self.element()
        a = self.of(element, False)
        name = f"llvm.vector.reduce.{self.random.choice(('add', 'and', 'or', 'xor', 'smin', 'umax'))}.v{self.lanes}{element}"
        self.names += 1
        self.declared.add(f"declare {element} @{name}({a.type})")
        self.lines.append(f"  %r{self.names} = call {element} @{name}({a.type} {a.name})")
        first = self.new(element, f"insertelement {a.type} poison, {element} %r{self.names}, i64 0")
        return self.new(element, f"shufflevector {a.type} {first.name}, {a.type} poison, <{self.lanes} x i32> zeroinitializer")

    # ---- results

    def finish(self):
        at = 0
        for value in reversed(self.values[3:] or self.values):
            size = value.lanes * BITS[value.element] // 8
            if at + size > OUTPUT - 512:
                continue
            value = self.settled(value)
            self.names += 1
            self.lines.append(f"  %o{self.names} = getelementptr i8, ptr %out, i64 {at}")
            self.lines.append(f"  store {value.type} {value.name}, ptr %o{self.names}, align {min(64, size)}")
            at += (size + 63) // 64 * 64
            if self.random.random() < 0.5:
                break
        # what it has stored under masks
        for part in range(8):
            self.lines.append(f"  %i{part} = getelementptr i8, ptr %in, i64 {part * 512}")
            self.lines.append(f"  %w{part} = load <8 x i64>, ptr %i{part}, align 64")
            self.lines.append(f"  %x{part} = getelementptr i8, ptr %out, i64 {OUTPUT - 512 + part * 64}")
            self.lines.append(f"  store <8 x i64> %w{part}, ptr %x{part}, align 64")

    def text(self):
        return f"define void @f{self.number}(ptr %in, ptr %out) {{\n" + "\n".join(self.lines) + "\n  ret void\n}\n"


class Known:
    """A function that LLVM has made wrongly, from a file."""

    def __init__(self, path):
        with open(path) as file:
            self.lines = file.read()
        self.number, self.declared = 0, set()

    def text(self):
        return self.lines


def module(functions):
    declared = sorted(set().union(*(f.declared for f in functions)))
    table = ", ".join(f"ptr @f{f.number}" for f in functions)
    return ("\n".join(f.text() for f in functions) + "\n".join(declared) +
            f"\n@table = constant [{len(functions)} x ptr] [{table}]\n@table_count = constant i32 {len(functions)}\n")


def inputs(seed, count):
    """Random bytes, and numbers at the edges of all types."""
    rng = random.Random(f"inputs {seed}")
    edges = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000,
             0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00000001, 0x80000001, 0x00800000, 0x4f000000, 0x4f800000, 0xcf000000,
             0x3f000000, 0x40200000, 0xc0200000, 0x4b000000, 0x7f7fffff]
    wide = [0x3ff0000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001, 0x8000000000000000, 0x7fffffffffffffff,
            0x43e0000000000000, 0x41dfffffffc00000, 0x3fe0000000000000, 0xc004000000000000, 1, 0xffffffffffffffff]
    out = b""
    for i in range(count):
        data = bytearray(rng.randbytes(INPUT))
        for at in range(0, INPUT, 8):
            how = rng.random()
            if i % 4 == 1 or how < 0.15:
                data[at:at + 8] = rng.choice(edges).to_bytes(4, "little") + rng.choice(edges).to_bytes(4, "little")
            elif how < 0.25:
                data[at:at + 8] = rng.choice(wide).to_bytes(8, "little")
            elif how < 0.4:
                data[at:at + 8] = rng.randrange(200).to_bytes(4, "little") + ((-rng.randrange(200)) & 0xffffffff).to_bytes(4, "little")
        out += bytes(data)
    return out
