"""Vector instructions against qemu's RVV, where the semantics are the same: every such row at SEW 8 to 64, LMUL 1 and 2,
all rounding modes, masked and not, vl short and full.

One trial loads its operands, runs one instruction and stores the destination and the flags.  Both machines run the same
text except where their layout differs: our elements always take one 32-bit lane (64-bit ones two registers), so what is
LMUL 1 here is LMUL SEW/32 there; compares write 0 or 1 into each lane here and a packed mask there; the scalar of
floating point is an x register here."""
import random
import struct
import sys

import oracle

FLOAT16 = [0, 0x8000, 0x3C00, 0xBC00, 0x3800, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0xFE01, 0x0400, 0x83FF, 0x0001, 0x7BFF, 0x3BFF, 0x4248,
           0x7800, 0x5C00, 0xDC00, 0x1400]
FLOAT32 = [0, 0x80000000, 0x3F800000, 0xBF800000, 0x3F000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC00001, 0x00800000,
           0x807FFFFF, 1, 0x7F7FFFFF, 0x3F7FFFFF, 0x40490FDB, 0x4F000000, 0xCF000000, 0x4F800000, 0x4B000001, 0x33800000, 0x3FC00000]
FLOAT64 = [0, 1 << 63, 0x3FF0 << 48, 0xBFF0 << 48, 0x3FE0 << 48, 0x7FF0 << 48, 0xFFF0 << 48, 0x7FF8 << 48, (0x7FF0 << 48) + 1, 1 << 52,
           (1 << 63) + 1, 1, (0x7FF0 << 48) - 1, (0x3FF0 << 48) - 1, 0x400921FB54442D18, 0x43E0 << 48, 0xC3E0 << 48, 0x4340000000000001,
           0x41E0 << 48, 0xC1E0 << 48, 0x3CA0 << 48]
FLOATS = {16: FLOAT16, 32: FLOAT32, 64: FLOAT64}
NEAR = {16: (0x3C00, 1 << 11), 32: (0x3F800000, 1 << 25), 64: (0x3FF0 << 48, 1 << 54)}

# Rows that differ from the standard (docs/isa.md, docs/decisions.md), or that LLVM and qemu lack.
DIFFERENT = {"vmv_x_s", "vmv_s_x", "vfmv_f_s", "vfmv_s_f"}
FORMATS = ("VV VX VI VU V1 MAC MACX VVM VXM VIM MVV MVX MVI VID MVR CVV CVX CVI CVVM CVXM CVIM CVVN CVXN CVIN MM FVV FVF F1 FMAC FMACF "
           "FCVV FCVF FVFM WVV WVX WWV WWX WMAC WMACX FWVV FWVF FWWV FWWF FWMAC FWMACF FW1 VL VLS VLX VS VSS VSX").split()
ROWS = [row for row in oracle.rows()
        if row[2] in FORMATS and row[0].startswith("v") and row[0] not in DIFFERENT and row[0] not in ("vfexp_v", "vftta_vv")]

OURS_LMUL = {1: "m1", 2: "m2"}
QEMU_LMUL = {(8, 1): "mf4", (8, 2): "mf2", (16, 1): "mf2", (16, 2): "m1", (32, 1): "m1", (32, 2): "m2", (64, 1): "m2", (64, 2): "m4"}


def integer(rng, bits):
    choice = rng.randrange(4)
    if choice == 0:
        return rng.choice([0, 1, 2, (1 << bits) - 1, 1 << bits - 1, (1 << bits - 1) - 1, (1 << bits - 1) + 1, 3, bits - 1, bits])
    if choice == 1:
        return rng.randrange(-9, 9) & (1 << bits) - 1
    return rng.getrandbits(bits)


def floating(rng, bits):
    choice = rng.randrange(4)
    if choice < 2:
        return rng.choice(FLOATS[bits])
    if choice == 2:
        one, around = NEAR[bits]
        return one + rng.randrange(-around, around) & (1 << bits) - 1 | rng.randrange(2) << bits - 1
    return rng.getrandbits(bits)


def pack(values, bits):
    return b"".join(v.to_bytes(bits // 8, "little") for v in values)


class Trial:
    """One instruction: its text for both machines and its memory."""

    def __init__(self, rng, row, sew, lmul, lanes, number):
        self.id, self.mnemonic, self.format, self.gens = row
        self.rng, self.sew, self.lmul, self.lanes, self.number = rng, sew, lmul, lanes, number
        self.count = lanes * lmul  # elements
        self.vl = self.count if rng.randrange(2) else rng.randrange(self.count + 1)
        self.masked = False
        self.data, self.lines, self.outputs = bytearray(), [], []
        registers = [8, 12, 16, 20, 24, 28]
        rng.shuffle(registers)
        self.d, self.a, self.b, self.spare = registers[:4]
        self.frm, self.vxrm = rng.randrange(5), rng.randrange(4)
        self.is_float = self.format.startswith("F")

    # ---- pieces ----

    def block(self, content):
        """Puts bytes into the trial's memory; gives their address."""
        while len(self.data) % 16:
            self.data.append(0)
        at = len(self.data)
        self.data += content
        return f"%BASE%+{at}"

    def both(self, text):
        self.lines.append((text, text))

    def each(self, ours, qemu):
        self.lines.append((ours, qemu))

    def values(self, bits, is_float):
        make = floating if is_float and bits >= 16 else integer
        return [make(self.rng, bits) for _ in range(self.count)]

    def load(self, register, bits, values):
        self.both(f"li t0, {self.block(pack(values, bits))}\n vle{bits}.v v{register}, (t0)")

    def store(self, register, bits, count=None):
        """Stores all elements, including those beyond vl; only `count` of them are compared."""
        at = self.block(bytes(self.count * bits // 8))
        self.both(f"li t0, {at}\n vse{bits}.v v{register}, (t0)")
        self.outputs.append((at, (self.count if count is None else count) * bits // 8))

    def set_vtype(self, vl):
        ours = f"li t1, {vl}\n vsetvli t2, t1, e{self.sew}, {OURS_LMUL[self.lmul]}, tu, mu"
        qemu = f"li t1, {vl}\n vsetvli t2, t1, e{self.sew}, {QEMU_LMUL[self.sew, self.lmul]}, tu, mu"
        self.each(ours, qemu)

    def load_mask(self):
        size = max(self.count // 8, 4)
        self.both(f"li t0, {self.block(self.rng.randbytes(size))}\n vlm.v v0, (t0)")

    def scalar(self):
        """rs1: an x register, or an f register whose number is that of the x register here."""
        if not self.is_float and self.id != "vfmv_v_f":
            self.both(f"li a0, {integer(self.rng, 32)}")
            return "a0"
        bits = floating(self.rng, self.sew)
        boxed = bits | 0xFFFF0000 if self.sew == 16 else bits
        at = self.block(pack([boxed], 64 if self.sew == 64 else 32))
        if self.sew == 64:
            self.each(f"li t0, {at}\n lw a0, 0(t0)\n lw a1, 4(t0)", f"li t0, {at}\n fld fa0, 0(t0)")
        else:
            self.each(f"li t0, {at}\n lw a0, 0(t0)", f"li t0, {at}\n flw fa0, 0(t0)")
        return "fa0"

    def control(self):
        self.both(f"csrwi vxrm, {self.vxrm}\n csrwi vxsat, 0\n fsrmi {self.frm}\n csrwi fflags, 0")

    def flags(self):
        at = self.block(bytes(8))
        self.both(f"li t0, {at}\n csrr t1, fflags\n sw t1, 0(t0)\n csrr t1, vxsat\n sw t1, 4(t0)")
        self.outputs.append((at, 8))

    # ---- whole trials ----

    def operands(self, first):
        """Text of the instruction with `first` for vs1, rs1 or the immediate."""
        if self.format in ("MAC", "MACX", "FMAC", "FMACF", "WMAC", "WMACX", "FWMAC", "FWMACF"):
            return f"v{self.d}, {first}, v{self.b}"
        if self.format in ("V1", "F1", "FW1"):
            return f"v{self.d}, v{self.b}"
        if self.format in ("MVV", "MVX", "MVI"):
            return f"v{self.d}, {first}"
        return f"v{self.d}, v{self.b}, {first}"

    def first_source(self):
        form = self.format.rstrip("MN") if self.format not in ("VVM", "VXM", "VIM") else self.format[:2]
        if form.endswith(("VX", "CX")) or self.format in ("MACX", "WMACX", "MVX", "WWX", "FVF", "FMACF", "FCVF", "FVFM", "FWVF", "FWWF",
                                                          "FWMACF", "VXM", "CVXM", "CVXN"):
            return self.scalar()
        if self.format in ("VI", "MVI", "CVI", "VIM", "CVIM", "CVIN"):
            return str(self.rng.randrange(-16, 16))
        if self.format == "VU":
            return str(self.rng.randrange(32))
        return f"v{self.a}"

    def arithmetic(self):
        wide = self.format.startswith(("W", "FW"))
        d_bits = 2 * self.sew if wide else self.sew
        b_bits = d_bits if self.format in ("WWV", "WWX", "FWWV", "FWWF") else self.sew
        if self.format == "V1":
            b_bits = self.sew // int(self.mnemonic[-1])
        self.masked = self.format[-1] != "M" and not self.format.startswith("MV") and self.rng.randrange(3) == 0
        self.set_vtype(self.count)
        self.load(self.b, b_bits, self.values(b_bits, self.is_float))
        self.load_first(wide)
        self.load(self.d, d_bits, self.values(d_bits, self.is_float))
        self.load_mask()
        first = self.first_source()
        self.control()
        self.set_vtype(self.vl)
        text = f" {self.operands(first)}" + (", v0" if self.format in ("VVM", "VXM", "VIM", "FVFM") else "") + (
            ", v0.t" if self.masked else "")
        if ".rtz" in self.mnemonic:  # qemu 7.2 fails an assertion: use frm there
            self.each(self.mnemonic + text, "fsrmi 1\n " + self.mnemonic.replace(".rtz", "") + text)
        else:
            self.both(self.mnemonic + text)
        self.flags()
        self.set_vtype(self.count)
        self.store(self.d, d_bits)

    def load_first(self, wide):
        values = self.values(self.sew, self.is_float)
        if self.format not in ("WWV", "FWWV"):
            self.load(self.a, self.sew, values)
            return
        # .wv: our vs1 is as wide as the result, qemu's as wide as SEW
        if self.format == "FWWV":
            values = [v for v in FLOATS[self.sew] if v not in (0x7C01, 0x7F800001)]  # no signalling ones: widening would raise
            values = [self.rng.choice(values) for _ in range(self.count)]
            wider = [widen(v, self.sew) for v in values]
        elif self.id.startswith(("vwaddu", "vwsubu")):
            wider = values
        else:
            sign = 1 << self.sew - 1
            wider = [(v ^ sign) - sign & (1 << 2 * self.sew) - 1 for v in values]
        ours, qemu = self.block(pack(wider, 2 * self.sew)), self.block(pack(values, self.sew))
        self.each(f"li t0, {ours}\n vle{2 * self.sew}.v v{self.a}, (t0)", f"li t0, {qemu}\n vle{self.sew}.v v{self.a}, (t0)")

    def compare(self):
        self.masked = self.format in ("CVV", "CVX", "CVI", "FCVV", "FCVF") and self.rng.randrange(3) == 0
        self.set_vtype(self.count)
        values = [self.values(self.sew, self.is_float) for _ in range(2)]
        values[1] = [self.rng.choice(pair) for pair in zip(*values)]  # equal ones are not rare
        self.load(self.b, self.sew, values[0])
        self.load(self.a, self.sew, values[1])
        old = [self.rng.randrange(2) for _ in range(self.count)]
        elements = self.block(pack(old, 8))
        bits = self.block(sum(bit << i for i, bit in enumerate(old)).to_bytes(max(self.count // 8, 4), "little"))
        self.each(f"li t0, {elements}\n vle8.v v{self.d}, (t0)", f"li t0, {bits}\n vlm.v v{self.d}, (t0)")
        self.load_mask()
        first = self.first_source()
        self.control()
        self.set_vtype(self.vl)
        self.both(f"{self.mnemonic} {self.operands(first)}" + (", v0" if self.format in ("CVVM", "CVXM", "CVIM") else "") +
                  (", v0.t" if self.masked else ""))
        self.flags()
        self.set_vtype(self.count)
        # qemu: the packed mask as 0 and 1 in each element
        self.each("", f"vmv1r.v v0, v{self.d}\n vmv.v.i v{self.spare}, 0\n vmerge.vim v{self.spare}, v{self.spare}, 1, v0")
        at = self.block(bytes(self.count * self.sew // 8))
        if self.sew == 64:  # a lane's result is one register: store its 32 bits, the other half zero
            self.each(f"vmv.v.i v{self.spare}, 0\n vzext.vf2 v{self.spare}, v{self.d}", "")
        result = self.spare if self.sew == 64 else self.d
        self.each(f"li t0, {at}\n vse{self.sew}.v v{result}, (t0)", f"li t0, {at}\n vse{self.sew}.v v{self.spare}, (t0)")
        self.outputs.append((at, self.vl * self.sew // 8))

    def mask_logic(self):
        size = max(self.count // 8, 4)
        self.set_vtype(self.count)
        for register in (self.a, self.b, self.d):
            self.both(f"li t0, {self.block(self.rng.randbytes(size))}\n vlm.v v{register}, (t0)")
        self.set_vtype(self.vl)
        self.both(f"{self.mnemonic} v{self.d}, v{self.b}, v{self.a}")
        self.set_vtype(self.count)
        at = self.block(bytes(size))
        self.both(f"li t0, {at}\n vsm.v v{self.d}, (t0)")
        self.outputs.append((at, self.vl // 8))

    def identity(self):
        self.masked = self.rng.randrange(2) == 0
        self.set_vtype(self.count)
        self.load(self.d, self.sew, self.values(self.sew, False))
        self.load_mask()
        self.set_vtype(self.vl)
        self.both(f"vid.v v{self.d}" + (", v0.t" if self.masked else ""))
        self.set_vtype(self.count)
        self.store(self.d, self.sew)

    def whole_move(self):
        """Whole registers hold the same with 32-bit elements."""
        count = int(self.mnemonic[3])
        for register in (8, 16):
            content = self.rng.randbytes(8 * 4 * self.lanes)
            self.both(f"li t0, {self.block(content)}\n vl8re32.v v{register}, (t0)")
        self.both(f"{self.mnemonic} v8, v16")
        at = self.block(bytes(8 * 4 * self.lanes))
        self.both(f"li t0, {at}\n vs8r.v v8, (t0)")
        self.outputs.append((at, count * 4 * self.lanes))

    def memory(self):
        eew = int("".join(c for c in self.mnemonic.split(".")[0] if c.isdigit()))
        indexed, strided, stores = "x" in self.format[1:].lower()[1:], self.format[-1] == "S" and len(self.format) == 3, self.format[1] == "S"
        bits = self.sew if indexed else eew
        self.masked = self.rng.randrange(2) == 0
        room = self.rng.randbytes(max(256, 5 * self.count * bits // 8))
        self.set_vtype(self.count)
        self.load(self.d, bits, self.values(bits, False))
        self.load_mask()
        if indexed:
            step, most = bits // 8, min(len(room), 256 if eew == 8 else 1 << 15)
            self.load(self.b, eew, [self.rng.randrange(most // step) * step for _ in range(self.count)])
        at = self.block(room)
        extra = f", v{self.b}" if indexed else ""
        if strided:
            stride = self.rng.randrange(0, 4) * bits // 8
            self.both(f"li a2, {stride}")
            extra = ", a2"
            if self.rng.randrange(2):
                self.both(f"li a2, {-stride}")
                at += f"+{self.count * stride}"
        self.set_vtype(self.vl)
        self.both(f"li a1, {at}\n {self.mnemonic} v{self.d}, (a1){extra}" + (", v0.t" if self.masked else ""))
        if stores:
            self.outputs.append((at.split("+")[0] + "+" + at.split("+")[1], len(room)))
        else:
            self.set_vtype(self.count)
            self.store(self.d, bits)

    def make(self):
        if self.format == "MM":
            self.mask_logic()
        elif self.format == "VID":
            self.identity()
        elif self.format == "MVR":
            self.whole_move()
        elif self.format.startswith(("C", "FC")):
            self.compare()
        elif self.format in ("VL", "VLS", "VLX", "VS", "VSS", "VSX"):
            self.memory()
        else:
            self.arithmetic()
        return self


def widen(value, bits):
    """A float of 16 or 32 bits as one of 32 or 64, bits to bits."""
    if bits == 16:
        number = struct.unpack("<e", struct.pack("<H", value))[0]
        wide = struct.unpack("<I", struct.pack("<f", number))[0]
        return 0x7FC00000 if number != number else wide
    number = struct.unpack("<f", struct.pack("<I", value))[0]
    return 0x7FF8 << 48 if number != number else struct.unpack("<Q", struct.pack("<d", number))[0]


def possible(row, sew):
    id_, mnemonic, format_, _ = row
    if (format_.startswith("F") or id_ == "vfmv_v_f") and sew == 8:
        return False
    if format_.startswith(("W", "FW")) and sew == 64:
        return False
    if format_ == "V1":
        return sew // int(mnemonic[-1]) >= 8
    return True


def compare(trials, expected, got, text):
    failed = 0
    for trial in trials:
        for at, size in trial.outputs:
            start = trial.base + int(at.split("+")[1])
            if expected[start : start + size] == got[start : start + size]:
                continue
            failed += 1
            if failed <= 12:
                byte = next(i for i in range(size) if expected[start + i] != got[start + i]) // (trial.sew // 8) * (trial.sew // 8)
                line = next(ours for ours, _ in reversed(trial.lines) if trial.mnemonic in ours).split("\n")[-1]
                show = [m[start + byte : start + byte + 8][::-1].hex() for m in (expected, got)]
                print(f"{text}: {line.strip()} (e{trial.sew}, m{trial.lmul}, vl {trial.vl}, frm {trial.frm}, vxrm {trial.vxrm}): "
                      f"output {at} byte {byte}: qemu {show[0]}, ours {show[1]}")
            break
    return failed


def batch(lanes, lmul, seed, repeat):
    """Every row at every SEW in one program."""
    rng = random.Random(seed)
    trials = []
    for row in ROWS:
        for sew in (8, 16, 32, 64):
            for _ in range(repeat if possible(row, sew) else 0):
                trials.append(Trial(rng, row, sew, lmul, lanes, len(trials)).make())
    data, ours, qemu = bytearray(), [], []
    for trial in trials:
        data += bytes(-len(data) % 16)
        trial.base = len(data)
        data += trial.data
        for line_ours, line_qemu in trial.lines:
            base = str(oracle.DATA + trial.base)
            ours.append(line_ours.replace("%BASE%", base))
            qemu.append(line_qemu.replace("%BASE%", base))
    size = (len(data) + 4095) // 4096 * 4096
    data += bytes(size - len(data))
    name = f"vector{lanes}m{lmul}"
    features = "+f,+d,+zfh,+v,+zvfh"
    elf_ours = oracle.build(name + "o", "\n".join(ours) + "\n" + oracle.epilogue(size), data, features)
    elf_qemu = oracle.build(name + "q", "\n".join(qemu) + "\n" + oracle.epilogue(size), data, features)
    expected = oracle.run_qemu(elf_qemu, f"rv32,v=true,vlen={32 * lanes},vext_spec=v1.0,Zfh=true", size)
    got = oracle.run_ours(elf_ours, "ventus-gen2", lanes, size)
    return len(trials), compare(trials, expected, got, f"{lanes} lanes")


def main():
    total = failed = 0
    for lanes, lmul, repeat in ((4, 1, 4), (4, 2, 2), (8, 1, 2), (8, 2, 1), (32, 1, 1), (16, 2, 1)):
        count, bad = batch(lanes, lmul, lanes * 10 + lmul, repeat)
        total += count
        failed += bad
    print(f"{total} trials of {len(ROWS)} rows, {failed} differ")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
