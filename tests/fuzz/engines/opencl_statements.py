"""Statements: what a work-item does by itself.  A loop has a counter of its own, so that it ends."""
from opencl_expressions import Expressions
from opencl_types import INT, UINT, Type, literal


class Statements(Expressions):
    def emit(self, text, indent):
        self.lines.append("    " * indent + text)

    def name(self, prefix):
        self.counter += 1
        return f"{prefix}{self.counter}"

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
        elif not t.is_float and not t.is_signed and t.bits >= 32 and self.chance(0.3):
            self.emit(f"{text} {self.r.choice(['+=', '-=', '*='])} {self.expr(s, t, 2)};", indent)
        elif t.is_float and self.chance(0.3):
            self.emit(f"{text} {self.r.choice(['+=', '-=', '*='])} {self.expr(s, t, 1)};", indent)
        elif not t.is_float and t.width == 1 and not t.is_signed and self.chance(0.2):
            self.emit(f"{text}{self.r.choice(['++', '--'])};", indent)
        else:
            self.emit(f"{text} = {self.expr(s, t, self.r.choice([1, 2, 2, 3]))};", indent)

    def block(self, s, indent, size, depth):
        for _ in range(self.r.randrange(1, size + 1)):
            self.statement(s, indent, depth)

    def statement(self, s, indent, depth):
        pick = self.r.random()
        if depth <= 0 or pick < 0.37:
            self.assign(s, indent)
        elif s.in_kernel and pick < 0.42:
            self.memory(s, indent)
        elif pick < 0.58:
            self.branch(s, indent, depth)
        elif pick < 0.75 and s.loops < 2:
            self.loop(s, indent, depth)
        elif pick < 0.8:
            self.switch(s, indent, depth)
        elif pick < 0.84:
            self.jump_ahead(s, indent, depth)
        elif pick < 0.86 and s.loops == 0:
            self.jump_back(s, indent, depth)
        elif pick < 0.88 and len(s.structs) > 1:
            a, b = self.r.choice(s.structs), self.r.choice(s.structs)
            self.emit(f"{a[0]} = {b[0]};" if a[1] == b[1] else ";", indent)
        elif pick < 0.9:
            self.through_pointer(s, indent)
        elif pick < 0.915:
            self.through_union(s, indent)
        elif pick < 0.93 and self.float_share and "long functions" in self.heavy:
            self.with_second_result(s, indent)
        elif s.in_kernel and pick < 0.97:
            self.memory(s, indent)
        else:
            self.vector_memory(s, indent)

    def branch(self, s, indent, depth):
        self.has("ifs")
        self.emit(f"if ({self.condition(s, 2)}) {{", indent)
        self.block(s, indent + 1, 3, depth - 1)
        if self.chance(0.5):
            self.emit("} else {", indent)
            self.block(s, indent + 1, 3, depth - 1)
        self.emit("}", indent)

    def through_pointer(self, s, indent):
        """Writes to one of two variables, which one is known when it runs."""
        names = [v for v in s.writable if v[0].isidentifier()]  # a member of a packed structure may not be aligned
        if not names:
            return self.assign(s, indent)
        self.has("pointers")
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
        self.has("unions")
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

    def with_second_result(self, s, indent):
        """Functions that store a second result through a pointer."""
        targets = [v for v in s.writable if v[1].base == "float"]
        if not targets:
            return self.assign(s, indent)
        self.has("exact math")
        text, t = self.r.choice(targets)
        name = self.r.choice(["modf", "frexp", "fract"])
        second = t.of("int" if name == "frexp" else "float")
        p = self.name("q")
        value = f"clamp({self.sign_of(self.expr(s, t, 2), t)}, ({t.name})(-1e6f), ({t.name})(1e6f))"
        self.emit("{", indent)
        self.emit(f"{second.name} {p};", indent + 1)
        self.emit(f"{text} = {name}({value}, &{p});", indent + 1)
        self.emit(f"{text} += {p if second.is_float else f'convert_{t.name}({p})'};", indent + 1)
        self.emit("}", indent)

    def vector_memory(self, s, indent):
        """vload and vstore at places that are not aligned."""
        arrays = [a for a in s.arrays if a[1].width == 1 and not a[1].is_float and a[2] >= 2]
        name, t, log = self.r.choice(arrays) if arrays else ("in", INT, 6)
        width = self.r.choice([w for w in (2, 3, 4, 8) if w <= 1 << log])
        spare = (1 << log) - width
        place = f"(uint)({self.leaf(s, UINT)}) % {spare + 1}"
        vt = Type(t.base, width)
        self.has("vload and vstore")
        if name in self.private_arrays and self.chance(0.6):
            self.emit(f"vstore{width}({self.expr(s, vt, 2)}, 0, {name} + {place});", indent)
            return
        same = [x for x, u in s.writable if u == vt]
        if same:
            self.emit(f"{self.r.choice(same)} = vload{width}(0, {name} + {place});", indent)
            return
        scalars = [v for v in s.writable if v[1].width == 1 and not v[1].is_float]
        if scalars:
            target, u = self.r.choice(scalars)
            self.emit(f"{target} ^= ({u.name})(vload{width}(0, {name} + {place}).s{self.r.randrange(width)});", indent)
        else:
            self.assign(s, indent)

    # -- control

    def loop(self, s, indent, depth):
        self.has("loops")
        i = self.name("i")
        mask = 15 if s.loops == 0 and self.chance(0.4) else 7
        divergent = f"(({self.leaf(s, UINT)}) & {mask})" if self.chance(0.45) else str(self.r.randrange(1, 9 if s.loops else 17))
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
        self.has("switch")
        self.emit(f"switch ({self.leaf(s, self.int_type())} & {self.r.choice([3, 7])}) {{", indent)
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
        self.has("goto")
        label = self.name("L")
        self.emit("{", indent)
        self.block(s, indent + 1, 2, depth - 1)
        self.emit(f"if ({self.condition(s, 1)}) {{", indent + 1)
        self.assign(s, indent + 2)
        self.emit(f"goto {label};", indent + 2)
        self.emit("}", indent + 1)
        self.block(s, indent + 1, 2, depth - 1)
        self.emit("}", indent)
        self.emit(f"{label}:;", indent)

    def jump_back(self, s, indent, depth):
        """A loop of gotos; now and then one that is also entered in the middle."""
        head, middle, count = self.name("L"), self.name("L"), self.name("c")
        enters = not s.local_slots and self.chance(0.3)  # PoCL crashes on barriers next to such loops
        self.has("goto")
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

    # -- functions

    def call(self, s, t, depth):
        usable = [h for h in self.helpers if not t.is_float and h[1].width == 1]
        if not usable or s.loops > 1:
            return None
        s.calls += 1
        self.has("calls")
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
            else:
                structs = [x for x in s.structs if x[1] == what]
                if not structs:
                    return None
                args.append(("&" if kind == "pointer" else "") + self.r.choice(structs)[0])
        return f"({t.name}){name}({', '.join(args + ['in', 'n', 'lid'])})"

    def declare(self, s, count, indent):
        for _ in range(count):
            t = self.any_type()
            v = self.name("v")
            self.emit(f"{t.name} {v} = {self.expr(s, t, 1)};", indent)
            s.readable.append((v, t))
            s.writable.append((v, t))
        wanted = [what for h in self.helpers for kind, what in h[2] if kind == "array"]
        for _ in range((self.r.random() < 0.4) + (len(wanted) > 0)):
            t, log, a = self.any_type(), self.r.randrange(1, 4), self.name("a")
            if wanted and self.chance(0.6):
                t, log = self.r.choice(wanted)
            self.has("private arrays")
            self.emit(f"{t.name} {a}[{1 << log}];", indent)
            self.emit(f"for (int i = 0; i < {1 << log}; i++)", indent)
            self.emit(f"{a}[i] = {self.expr(s, t, 1)};", indent + 1)
            s.arrays.append((a, t, log))
            self.private_arrays.add(a)
        for _ in range(self.r.randrange(1, 3) if self.structs else 0):
            struct, x = self.r.choice(self.structs), self.name("s")
            self.has("structs")
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

    def mix(self, text, t, indent):
        """Adds a value to the sum h."""
        if t.is_float:
            text, t = self.bits_of(text, t), t.signed()
        factor = "16777619u" if self.sum_bits == 32 else "1099511628211UL"
        for i in range(t.width):
            part = f"({text}).s{i:x}" if t.width > 1 else text
            if t.bits > self.sum_bits:
                part = f"(ulong)({part}) >> 32 ^ (ulong)({part})"
            self.emit(f"h = (h ^ ({self.sum_type})({part})) * {factor};", indent)

    def sum_up(self, s, indent, most=99):
        """What the function knows, in one number."""
        self.emit(f"{self.sum_type} h = 2166136261u;", indent)
        known = s.writable if len(s.writable) <= most else self.r.sample(s.writable, most)
        for text, t in known:
            self.mix(text, t, indent)
        for name, t, log in s.arrays:
            if name in self.private_arrays:
                self.emit(f"for (int i = 0; i < {1 << log}; i++) {{", indent)
                self.mix(f"{name}[i]", t, indent + 1)
                self.emit("}", indent)

    def struct(self):
        members = []
        for i in range(self.r.randrange(1, 5)):
            t = self.any_type()
            length = self.r.randrange(2, 5) if self.chance(0.2) else 0
            members.append((f"m{i}", t, length))
        name = self.name(f"{self.prefix}S")
        # a vector may stand anywhere in a packed structure, which is not what is tested here
        packed = " __attribute__((packed))" if self.chance(0.15) and all(t.width == 1 for _, t, _ in members) else ""
        self.emit(f"struct {name} {{", 0)
        for member, t, length in members:
            self.emit(f"{t.name} {member}{f'[{length}]' if length else ''};", 1)
        self.emit(f"}}{packed};\n", 0)
        self.structs.append((name, members, bool(packed)))

    def table(self):
        self.has("constant memory")
        t = self.int_type() if self.chance(0.7) else Type(self.int_type().base, 4)
        log, name = self.r.randrange(2, 5), self.name(f"{self.prefix}t")
        values = [literal(self.r, t.element()) if t.width == 1 else
                  f"({t.name})({', '.join(literal(self.r, t.element()) for _ in range(t.width))})" for _ in range(1 << log)]
        self.emit(f"constant {t.name} {name}[{1 << log}] = {{{', '.join(values)}}};\n", 0)
        self.tables.append((name, t, log))

    def helper(self, fresh_scope):
        s = fresh_scope()
        name, result = self.name(f"{self.prefix}f"), self.int_type()
        parameters, texts = [], []
        for _ in range(self.r.randrange(1, 4)):
            kind, p = self.r.random(), self.name("p")
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
        if self.chance(0.4):
            self.has("calls that stay calls")
            self.emit("__attribute__((noinline))", 0)
        texts += ["global const int *in", "int n", "int lid"]
        s.result = result
        self.emit(f"{result.name} {name}({', '.join(texts)})", 0)
        self.emit("{", 0)
        self.declare(s, self.r.randrange(1, 3), 1)
        self.block(s, 1, 3, 2)
        if self.chance(0.4):
            self.has("early return")
            self.emit(f"if ({self.condition(s, 1)})", 1)
            self.emit(f"return {self.expr(s, result, 2)};", 2)
            self.block(s, 1, 2, 2)
        self.sum_up(s, 1, 6)
        self.emit(f"return ({result.name})(h ^ h >> 7);", 1)
        self.emit("}\n", 0)
        self.helpers.append((name, result, parameters))
