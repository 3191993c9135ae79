"""Types of OpenCL C and values of them."""

BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64,
        "half": 16, "float": 32, "double": 64}
INTS = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"]
FLOATS = ["half", "float", "double"]
EDGES = [0, 1, 2, 3, 7, 31, 32, 63, 127, 128, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
         0x100000000, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF, 0x123456789ABCDEF0]
NUMBERS = ["0.0", "1.0", "-1.0", "0.5", "2.0", "-3.25", "1e-40", "0x1p-126", "16777217.0", "1e10", "-0.7", "3.1415927", "100.5",
           "0.25", "65504.0", "6e-8", "-2.5", "1023.5"]
WIDTHS = [2, 3, 4, 8, 16]


class Type:
    """A scalar or a vector."""

    def __init__(self, base, width=1):
        self.base, self.width = base, width
        self.name = base if width == 1 else f"{base}{width}"
        self.is_float = base in FLOATS
        self.bits = BITS[base]
        self.is_signed = base[0] != "u"

    def __eq__(self, other):
        return self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return self.name

    def bytes(self):
        return self.bits // 8 * (4 if self.width == 3 else self.width)

    def of(self, base):
        return Type(base, self.width)

    def element(self):
        return Type(self.base)

    def unsigned(self):
        return self.of({8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}[self.bits])

    def signed(self):
        return self.of({8: "char", 16: "short", 32: "int", 64: "long"}[self.bits])


INT, UINT, ULONG, FLOAT = Type("int"), Type("uint"), Type("ulong"), Type("float")


def literal(r, t):
    """A scalar."""
    if t.is_float:
        text = r.choice(NUMBERS)
        if t.base == "double":
            return f"({text})" if r.random() < 0.8 else "(1.0 / 3)"
        if t.base == "float":
            return f"({text}f)"
        return f"((half){text}f)"
    value = r.choice(EDGES) if r.random() < 0.4 else r.getrandbits(r.choice([3, 8, 16, 32, 64]))
    value &= (1 << t.bits) - 1
    if t.is_signed and value >> (t.bits - 1):
        return f"(({t.name})0x{value:x}{'UL' if t.bits == 64 else 'U'})"
    return f"(({t.name}){value}{'UL' if t.bits == 64 and value >> 31 else 'U' if value >> 31 else ''})"
