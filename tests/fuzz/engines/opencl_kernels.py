"""Kernels: how work-items share memory.  Each writes words of its own, or uses atomic operations that commute; barriers are where the
whole workgroup arrives.  A kernel's results are combined into one number per work-item, from its variables."""
from opencl_expressions import Scope
from opencl_statements import Statements
from opencl_types import INT, INTS, UINT, Type, literal

LOCAL_SIZES = [(1,), (3,), (16,), (32,), (32,), (33,), (48,), (64,), (64,), (96,), (128,), (8, 4), (5, 7), (16, 4), (4, 4, 3), (32, 2)]
LOCAL_ATOMICS = ["add", "sub", "xor", "or", "and", "min", "max", "inc", "dec"]
FORMATS = {  # of images: how their pixels are read and written, and their type in the kernel
    "SIGNED_INT8": "i", "SIGNED_INT16": "i", "SIGNED_INT32": "i", "UNSIGNED_INT8": "ui", "UNSIGNED_INT16": "ui",
    "UNSIGNED_INT32": "ui", "UNORM_INT8": "f", "SNORM_INT16": "f", "FLOAT": "f", "HALF_FLOAT": "f",
}
PIXELS = {"i": Type("int", 4), "ui": Type("uint", 4), "f": Type("float", 4)}


def product(sizes):
    total = 1
    for size in sizes:
        total *= size
    return total


class Words:
    """A buffer of which every work-item owns some elements."""

    def __init__(self, r, name, t, count):
        self.name, self.type = name, t
        self.of_item = r.choice([1, 1, 1, 2, 3, 4, 4, 5, 8] if t.width == 1 else [1, 1, 1, 2, 3])
        self.form = r.choice(["strided", "strided", "planar", "reversed", "permuted", "swapped"])
        self.items = 1
        while self.items < count:
            self.items *= 2
        self.count = count
        self.multiplier, self.offset, self.mask = r.randrange(1, 64, 2), r.randrange(64), r.randrange(self.items)

    def size(self):
        """In numbers of the base type."""
        return self.items * self.of_item * self.type.width

    def item(self):
        """The work-item's place among all."""
        return {"strided": "gid", "planar": "gid", "reversed": f"({self.count - 1} - gid)",
                "permuted": f"((gid * {self.multiplier} + {self.offset}) & {self.items - 1})", "swapped": f"(gid ^ {self.mask})"}[self.form]

    def element(self, k):
        if self.form == "planar":
            return f"{self.name}[{k} * {self.items} + gid]"
        return f"{self.name}[{self.item()} * {self.of_item} + {k}]" if self.of_item > 1 else f"{self.name}[{self.item()}]"


class Records(Words):
    """The same of structures."""

    def __init__(self, r, name, struct, count):
        super().__init__(r, name, Type("uchar"), count)
        self.struct, self.bytes = struct, layout(struct)

    def size(self):
        return self.items * self.of_item * self.bytes


def layout(struct):
    """How many bytes a structure has."""
    _, members, is_packed = struct
    at, most = 0, 1
    for _, t, length in members:
        align = 1 if is_packed else t.bytes()
        at = (at + align - 1) // align * align + t.bytes() * max(length, 1)
        most = max(most, align)
    return (at + most - 1) // most * most


def may_be_compared(struct):
    """What is between members, in the third part of a vector's half and in NaNs may be anything, if a structure is copied; its members
    alone are written.  A vector of three is written with a fourth."""
    return all(not t.is_float and t.width != 3 for _, t, _ in struct[1])


class Kernels(Statements):
    def fresh_scope(self):
        s = Scope()
        s.readable = [("n", INT), ("lid", INT)]
        s.arrays = [("in", INT, 6)] + [(name, t, log) for name, t, log in self.tables]
        self.private_arrays = set()
        return s

    # -- memory

    def memory(self, s, indent):
        pick = self.r.random()
        if pick < 0.22:
            self.atomic(s, indent)
        elif pick < 0.4 and self.images:
            self.read_image(s, indent)
        elif self.words and pick < 0.9:
            self.own_words(s, indent, self.r.choice(self.words))
        elif pick < 0.96:
            self.print(s, indent)
        else:
            self.assign(s, indent)

    def atomic(self, s, indent):
        """Each slot knows one operation, so that the order does not matter."""
        self.has("atomics")
        slot = self.r.choice([0, 1, 2, 2, 3, 4, 5, 6, 7])
        op = ["add", "min", "max", "and", "or", "xor", "add", "sub"][slot]
        self.emit(f"atomic_{op}(&acc[{slot}], {self.varied(s, UINT)});", indent)

    def varied(self, s, t):
        """An integer that mostly differs between work-items, by which it shows who of them took part."""
        if self.chance(0.3):
            return self.expr(s, t, 2)
        return f"({self.expr(s, t, 1)}) ^ ({t.name})(in[(lid * {self.r.choice([1, 1, 3, 5])} + {self.r.randrange(64)}) & 63])"

    def own_words(self, s, indent, words):
        t, k = words.type, self.r.randrange(words.of_item)
        pick = self.r.random()
        self.has(f"{t.base} stores" if words.form == "strided" else f"{words.form} stores")
        if isinstance(words, Records):
            return self.own_record(s, indent, words.element(k), words.struct)
        if t.width > 1:
            return self.own_vector(s, indent, words.element(k), t)
        if pick < 0.2 and words.form != "planar" and words.of_item in (2, 3, 4, 8):
            v = Type(t.base, words.of_item)
            self.emit(f"vstore{words.of_item}({self.expr(s, v, 2)}, {words.item()}, {words.name});", indent)
        elif pick < 0.3 and t.bits == 32:
            self.has("atomics on own words")
            scalars = [v for v in s.writable if v[1].width == 1 and not v[1].is_float]
            op = self.r.choice(["add", "sub", "xchg", "min", "max", "and", "or", "xor", "cmpxchg"])
            more = f", {self.expr(s, t, 1)}" if op == "cmpxchg" else ""
            call = f"atomic_{op}(&{words.element(k)}, {self.expr(s, t, 2)}{more})"
            if scalars and self.chance(0.7):
                text, u = self.r.choice(scalars)
                call = f"{text} = ({u.name}){call}"
            self.emit(f"{call};", indent)
        elif pick < 0.45:
            scalars = [v for v in s.writable if v[1].width == 1 and not v[1].is_float]
            if scalars:
                text, u = self.r.choice(scalars)
                self.emit(f"{text} ^= ({u.name}){words.element(k)};", indent)
        elif pick < 0.6 and not t.is_signed:
            self.emit(f"{words.element(k)} {self.r.choice(['+=', '^=', '|=', '-='])} {self.expr(s, t, 2)};", indent)
        else:
            self.emit(f"{words.element(k)} = {self.expr(s, t, 2)};", indent)

    def own_vector(self, s, indent, element, t):
        self.has("vectors in global memory")
        same = [text for text, u in s.writable if u == t]
        pick = self.r.random()
        if pick < 0.25:
            lanes = self.r.sample(range(t.width), self.r.choice([1, 1, 2]))
            value = Type(t.base, len(lanes))
            self.emit(f"{element}.s{''.join(f'{x:x}' for x in lanes)} = {self.expr(s, value, 2)};", indent)
        elif pick < 0.5 and same:
            self.emit(f"{self.r.choice(same)} = {element};", indent)
        elif pick < 0.5:
            self.into(s, f"{element}.s{self.r.randrange(t.width):x}", indent)
        else:
            self.emit(f"{element} = {self.expr(s, t, 2)};", indent)

    def own_record(self, s, indent, element, struct):
        self.has("structs in global memory")
        members = self.members(element, struct)
        same = [text for text, other in s.structs if other == struct]
        if same and self.chance(0.3):
            self.emit(f"{self.r.choice(same)} = {element};", indent)
        elif self.chance(0.3):
            text, t = self.r.choice(members)
            self.into(s, self.component(text, t), indent)
        else:
            for text, t in self.r.sample(members, self.r.randrange(1, len(members) + 1)):
                self.emit(f"{text} = {self.expr(s, t, 2)};", indent)

    def print(self, s, indent):
        if self.prints > 1:
            return self.assign(s, indent)
        self.prints += 1
        self.has("printf")
        t = self.r.choice([INT, UINT, Type("ulong"), Type("short"), Type("char"), Type("int", 4) if not self.is_portable else INT])
        form = {"int": "%d", "uint": "0x%x", "ulong": "%lu", "short": "%hd", "char": "%d", "int4": "%v4d"}[t.name]
        self.emit(f"if ((gid & {self.r.choice([15, 31, 63])}) == {self.r.randrange(16)})", indent)
        self.emit(f'printf("{self.name("said")} %d {form}\\n", gid, {self.expr(s, t, 2)});', indent + 1)

    # -- images

    def add_image(self, count):
        channel = self.r.choice(list(FORMATS) if not self.is_portable else [f for f in FORMATS if FORMATS[f] != "f"])
        dims = self.r.choice([1, 2, 2, 3])
        size = {1: (16,), 2: (8, 4), 3: (4, 4, 2)}[dims]
        is_written = self.chance(0.4)
        if is_written:
            size = {1: (count,), 2: (16, (count + 15) // 16), 3: (8, 4, (count + 31) // 32)}[dims]
        name = self.name("img")
        order = self.r.choice(["RGBA", "RGBA", "R", "RG"]) if not self.is_portable else "RGBA"
        self.images.append((name, channel, dims, size, is_written))
        self.declared.append(f"// image: {name} {order} {channel} {'x'.join(map(str, size))} random")
        self.arguments.append(name)
        self.parameters.append(f"{'write' if is_written else 'read'}_only image{dims}d_t {name}")
        if not is_written:
            sampler = self.name("smp")
            raw = self.is_portable or self.chance(0.7)
            addressing = self.r.choice(["CLAMP_TO_EDGE", "CLAMP"] + ([] if raw else ["REPEAT", "MIRRORED_REPEAT"]))
            self.declared.append(f"// sampler: {sampler} {'raw' if raw else 'normalised'} {addressing} NEAREST")
            self.arguments.append(sampler)
            self.parameters.append(f"sampler_t {sampler}")
            self.samplers[name] = (sampler, raw)
        self.has(f"images {channel}")
        self.has("samplers")

    def read_image(self, s, indent):
        name, channel, dims, size, is_written = self.r.choice(self.images)
        if is_written:
            return self.assign(s, indent)
        kind = FORMATS[channel]
        sampler, raw = self.samplers[name]
        parts = [f"(({self.leaf(s, INT)}) & 31) - 4" for _ in range(dims)]
        if not raw:
            parts = [f"(float)({part}) * 0.09375f" for part in parts]
        base = "int" if raw else "float"
        if dims == 3:
            parts.append("0")
        place = parts[0] if dims == 1 else f"({base}{len(parts)})({', '.join(parts)})"
        v = self.name("v")
        self.emit("{", indent)
        self.emit(f"{PIXELS[kind].name} {v} = read_image{kind}({name}, {sampler}, {place});", indent + 1)
        targets = [x for x in s.writable if x[1].width == 1 and not x[1].is_float] or [(None, None)]
        target, t = self.r.choice(targets)
        if target:
            value = f"{v}.s{self.r.randrange(4)}"
            if kind == "f":
                value = self.bits_of(value, Type("float"))
            self.emit(f"{target} ^= ({t.name})({value});", indent + 1)
        self.emit("}", indent)

    def write_images(self, s, indent):
        for name, channel, dims, size, is_written in self.images:
            if not is_written:
                continue
            kind = FORMATS[channel]
            value = self.expr(s, PIXELS[kind], 2)
            if kind == "f":
                value = f"as_float4({self.bits_of(value, PIXELS['f'])})" if channel == "FLOAT" else self.sign_of(value, PIXELS["f"])
            place = {1: "gid", 2: "(int2)(gid & 15, gid >> 4)", 3: "(int4)(gid & 7, (gid >> 3) & 3, gid >> 5, 0)"}[dims]
            self.emit(f"write_image{kind}({name}, {place}, {value});", indent)

    # -- barriers

    def exchange(self, s, indent):
        """Every work-item writes its slot and reads another's."""
        self.has("barriers")
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
        if pick < 0.3:
            self.exchange(s, indent)
            return
        if pick < 0.7:
            self.r.choice([self.local_count, self.local_count, self.copy_async, self.collective])(s, indent)
            return
        known = len(s.readable), len(s.writable)
        if pick < 0.88:
            i = self.name("u")
            self.emit(f"for (int {i} = 0; {i} < {self.r.choice(['n & 3', '2', '5'])}; {i}++) {{", indent)
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

    def into(self, s, value, indent):
        scalars = [v for v in s.writable if v[1].width == 1 and not v[1].is_float]
        text, t = self.r.choice(scalars)
        self.emit(f"{text} ^= ({t.name})({value});", indent)

    def local_count(self, s, indent):
        """Histograms in local memory: each has one operation, so that the order does not matter."""
        self.has("atomics in local memory")
        self.emit("for (int i = lid; i < 12; i += lsize)", indent)
        self.emit(f"counts[i] = {literal(self.r, UINT)};", indent + 1)
        self.emit("barrier(CLK_LOCAL_MEM_FENCE);", indent)
        ops = [self.r.choice(["add", "add", "sub", "max"]), *self.r.choices(LOCAL_ATOMICS, k=2)]
        for k, op in enumerate(ops):
            place = f"{4 * k} + (({self.leaf(s, UINT)}) & 3)" if self.chance(0.7) else str(4 * k)
            call = f"atomic_{op}(&counts[{place}]" + (");" if op in ("inc", "dec") else f", {self.varied(s, UINT)});")
            pick = self.r.random()
            if pick < 0.3:
                self.emit(f"if ({self.condition(s, 1)})", indent)
            elif pick < 0.45:
                i = self.name("i")
                self.emit(f"for (int {i} = 0; {i} < (({self.leaf(s, UINT)}) & 3); {i}++)", indent)
            self.emit(call, indent + (pick < 0.45))
            if self.chance(0.3):
                break
        self.emit("barrier(CLK_LOCAL_MEM_FENCE);", indent)
        self.into(s, "counts[lid % 12]", indent)
        if self.chance(0.5):
            self.into(s, "counts[0] ^ counts[4]", indent)
        self.emit("barrier(CLK_LOCAL_MEM_FENCE);", indent)

    def copy_async(self, s, indent):
        self.has("async copies")
        self.uses_tile = True
        e = self.name("e")
        pick = self.r.random()
        if pick < 0.25:  # of vectors
            count = self.r.randrange(1, 17)
            call = f"async_work_group_copy((local int4 *)tile, (global const int4 *)in + {self.r.randrange(17 - count)}, {count}, 0)"
            count *= 4
        elif pick < 0.7:
            count = self.r.randrange(1, 65)
            call = f"async_work_group_copy(tile, in + {self.r.randrange(65 - count)}, {count}, 0)"
        else:
            count, stride = self.r.choice([(16, 4), (8, 8), (20, 3), (31, 2)])
            call = f"async_work_group_strided_copy(tile, in, {count}, {stride}, 0)"
        self.emit(f"event_t {e} = {call};", indent)
        self.emit(f"wait_group_events(1, &{e});", indent)
        self.into(s, f"tile[(uint)({self.leaf(s, UINT)}) % {count}]", indent)
        self.emit("barrier(CLK_LOCAL_MEM_FENCE);", indent)

    def collective(self, s, indent):
        """Functions of the workgroup or of the sub-group."""
        if self.is_portable:
            return self.exchange(s, indent) if s.local_slots else self.assign(s, indent)
        t = Type(self.r.choice(["int", "uint", "long", "ulong"]))
        group = self.r.choice(["work_group", "sub_group"])
        self.has(f"{group} functions")
        if group == "sub_group" and self.chance(0.5):
            return self.into(s, self.moved(s, t), indent)
        op = self.r.choice(["reduce", "scan_inclusive", "scan_exclusive", "broadcast", "any"])
        if op == "broadcast":
            value = f"{group}_broadcast({self.varied(s, t)}, {'0, 0, 0' if group == 'work_group' and self.dims == 3 else '0, 0' if group == 'work_group' and self.dims == 2 else '0'})"
        elif op == "any":
            value = f"{group}_{self.r.choice(['any', 'all'])}({self.condition(s, 2)})"
        else:
            value = f"{group}_{op}_{self.r.choice(['add', 'min', 'max'])}({self.varied(s, t)})"
        self.into(s, value, indent)

    def moved(self, s, t):
        """What another work-item of the sub-group has; all of it are here."""
        value = self.varied(s, t)
        pick = self.r.randrange(7)
        if pick == 0:
            return f"sub_group_shuffle({value}, (uint)({self.leaf(s, UINT)}) % get_sub_group_size())"
        if pick == 1:
            return f"sub_group_shuffle({value}, (get_sub_group_local_id() + {self.r.randrange(1, 32)}) % get_sub_group_size())"
        if pick == 2:
            return f"sub_group_broadcast({value}, get_sub_group_size() - 1)"
        if pick == 3:
            return f"sub_group_ballot_bit_count(sub_group_ballot({self.condition(s, 1)}))"
        if pick == 4:
            return f"sub_group_ballot_exclusive_scan(sub_group_ballot({self.condition(s, 1)}))"
        if pick == 5:
            return f"sub_group_non_uniform_reduce_{self.r.choice(['add', 'xor', 'max'])}({value})"
        return f"sub_group_broadcast_first({value})"

    # -- kernels

    def range(self):
        """The launch's sizes, with what they are good for."""
        local = self.r.choice(LOCAL_SIZES)
        self.dims = len(local)
        groups = [self.r.choice([1, 2, 3])] + [self.r.choice([1, 1, 2]) for _ in local[1:]]
        if product(local) <= 32 and self.chance(0.1):
            self.has("many workgroups")
            groups[0] = self.r.randrange(24, 100)
        size = [l * g for l, g in zip(local, groups)]
        self.is_uniform = True
        if not self.is_portable and self.chance(0.15) and local[0] > 1:  # the last workgroup is smaller
            size[0] -= self.r.randrange(1, local[0])
            self.is_uniform = False
            self.has("partial workgroups")
        offset = [self.r.randrange(40) for _ in local] if self.chance(0.15) else []
        if offset:
            self.has("offsets")
        return size, local, offset

    def kernel(self, size):
        """size: how many variables and statements, more or less."""
        s = self.fresh_scope()
        s.in_kernel = True
        name = self.name(f"{self.prefix}k")
        sizes, local, offset = self.range()
        count, local_count = product(sizes), product(local)
        self.words, self.images, self.samplers, self.uses_tile, self.prints = [], [], {}, False, 0
        self.arguments, self.parameters, self.declared = [], [], []
        out = self.name("out")
        self.declared.append(f"// data: {out} {self.sum_type}[{count}] zero")
        for _ in range(self.r.choice([0, 1, 1, 2])):
            self.add_words(count)
        for _ in range(self.r.randrange(1, 3) if "images" in self.heavy else 0):
            self.add_image(count)
        has_barriers = self.chance(0.5) and size > 1
        slots = []
        if has_barriers:
            for _ in range(self.r.randrange(1, 3)):
                t, slot = self.any_type(), self.name("l")
                s.local_slots.append((slot, t))
                if self.chance(0.3):
                    self.has("local memory by argument")
                    self.arguments.append(f"local:{local_count * t.bits // 8 * (4 if t.width == 3 else t.width)}")
                    self.parameters.append(f"local {t.name} *{slot}")
                else:
                    slots.append(f"local {t.name} {slot}[{local_count}];")
        start = len(self.lines)
        s.readable += [("gid", INT), ("lsize", INT)]
        x = self.name("v")
        self.emit(f"uint {x} = (uint)in[gid & 63];", 1)
        s.readable.append((x, UINT))
        s.writable.append((x, UINT))
        self.declare(s, self.r.randrange(1, 2 + size), 1)
        for _ in range(self.r.randrange(1, 2 + size)):
            if has_barriers and self.chance(0.35):
                self.meeting(s, 1)
            elif self.chance(0.08):
                self.collective(s, 1)
            else:
                self.statement(s, 1, self.depth)
        if self.words:
            self.own_words(s, 1, self.r.choice(self.words))
        if self.chance(0.2):
            self.atomic(s, 1)
        if has_barriers and self.chance(0.25):
            self.local_count(s, 1)
        self.write_images(s, 1)
        if self.chance(0.25):
            self.has("early return")
            self.emit(f"if ({self.condition(s, 2)}) {{", 1)
            self.emit(f"{out}[gid] = {self.expr(s, Type(self.sum_type), 2)};", 2)
            self.emit("return;", 2)
            self.emit("}", 1)
            self.block(s, 1, 2, 2)
        self.sum_up(s, 1)
        self.emit(f"{out}[gid] = h;", 1)
        self.emit("}\n", 0)
        body = self.lines[start:]
        del self.lines[start:]
        self.head(name, out, local, slots, has_barriers)
        self.lines += body
        self.declarations += self.declared
        self.launch(name, out, sizes, local, offset, count)

    def add_words(self, count):
        structs = [struct for struct in self.structs if may_be_compared(struct)]
        if structs and self.chance(0.5):
            words = Records(self.r, self.name("w"), self.r.choice(structs), count)
            pointer = f"global struct {words.struct[0]} *{words.name}"
        else:
            t = Type(self.r.choice(INTS)) if self.chance(0.7) else \
                Type(*self.r.choice([("uint", 2), ("uint", 4), ("int", 4), ("int", 2), ("ulong", 2), ("ushort", 4), ("uchar", 4), ("uint", 8)]))
            words = Words(self.r, self.name("w"), t, count)
            pointer = f"global {t.name} *{words.name}"
        self.words.append(words)
        self.declared.append(f"// data: {words.name} {words.type.base}[{words.size()}] {self.r.choice(['zero', 'random', 'random'])}")
        self.arguments.append(words.name)
        self.parameters.append(pointer)

    def launch(self, name, out, sizes, local, offset, count):
        shape = "x".join(map(str, sizes)) + "/" + "x".join(map(str, local)) + ("+" + "x".join(map(str, offset)) if offset else "")
        source = self.r.choice(["in"] + self.sources) if self.chance(0.5) else "in"
        times = 2 if self.chance(0.3) else 1
        if times > 1:  # where instructions are counted, the interpreter does it in a kernel's first launch, if that is small
            self.has("launched again")
        for _ in range(times):
            self.launches.append(f"// run: {name} {shape} {out} {source} acc int:{self.r.randrange(0, 8)} {' '.join(self.arguments)}".rstrip())
        if count * (8 if self.sum_type == "ulong" else 4) >= 256:
            self.sources.append(out)  # the next kernel may read it

    def head(self, name, out, local, slots, has_barriers):
        parameters = [f"global {self.sum_type} *{out}", "global const int *in", "global uint *acc", "int n", *self.parameters]
        if self.chance(0.3) and self.is_uniform:
            self.has("reqd_work_group_size")
            self.emit(f"__attribute__((reqd_work_group_size({', '.join(map(str, (list(local) + [1, 1])[:3]))})))", 0)
        self.emit(f"kernel void {name}({', '.join(parameters)})", 0)
        self.emit("{", 0)
        axis = lambda d: f"(int)(get_global_id({d}) - get_global_offset({d}))"
        linear = axis(0) if self.dims == 1 else f"{axis(1)} * (int)get_global_size(0) + {axis(0)}" if self.dims == 2 else \
            f"({axis(2)} * (int)get_global_size(1) + {axis(1)}) * (int)get_global_size(0) + {axis(0)}"
        if self.dims == 1:
            self.emit("int lsize = (int)get_local_size(0), lid = (int)get_local_id(0);", 1)
        else:
            self.emit("int lsize = (int)(get_local_size(0) * get_local_size(1) * get_local_size(2));", 1)
            self.emit("int lid = (int)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0));", 1)
        self.emit(f"int gid = {linear};", 1)
        if has_barriers:
            self.emit("local uint counts[12];", 1)
        if self.uses_tile:
            self.emit("local int tile[64];", 1)
        for slot in slots:
            self.emit(slot, 1)
