"""Random programs in assembly: what they compute, and their control flow: branches of lanes, loops that lanes leave at different times,
scalar branches and loops, calls, jumps through tables, barriers."""
import re

from assembly_code import COUNTERS, MOST_COUNTERS, OWN_SCALARS, SCALAR_COUNTERS, SCRATCH, SLOT, TEMP, ZERO
from assembly_memory import Memory
from assembly_rows import FIELDS, ROWS, rows_of

# Formats whose rows compute, in vGPRs and in sGPRs; those that look at other lanes' registers, which makes warps stay in lockstep.
VECTOR = ("VV VX VI VU MAC MACX MVV MVX MVI CVV CVX CVI CVVN CVXN CVIN FVV FVF F1 FMAC FMACF FCVV FCVF VI12 "
          "WVV WVX WWV WWX WMAC WMACX FWVV FWVF FWWV FWWF FWMAC FWMACF FW1").split()
ACROSS = "VVM VXM VIM FVFM CVVM CVXM CVIM MM V1".split()
SCALAR = "R I SHIFT FRN FR FUN FU FR4 R64 I64 SHIFT64".split()
WITHOUT_MASK = "MVV MVX MVI CVVN CVXN CVIN VI12".split()
PAIRS = "VV VX VI VU MAC MACX CVV CVX CVI FVV FVF F1 FMAC FMACF FCVV FCVF VI12".split()
FOCUS = 36                  # rows that a program surely has, so that 25,000 programs have every row 1,000 times at each of four levels
MAKERS = {name: () for name in VECTOR + SCALAR}     # of rows that do more, the functions that may use them
MAKERS |= {"LOAD": ("scalar_access",), "STORE": ("scalar_access",), "VL": ("plain_unit_stride",), "VS": ("plain_unit_stride",),
           "VLS": ("plain_unit_stride",), "VSS": ("plain_unit_stride",), "VLX": ("plain_indexed",), "VSX": ("plain_indexed",),
           "VL12": ("access", "narrow"), "VS12": ("access", "narrow"), "VL12D": ("far_access", "narrow"), "VS12D": ("far_access", "narrow"),
           "VLP": ("private",), "VSP": ("private",), "AMO": ("atomic", "reserved"), "LR": ("reserved",), "PRE": ("modified",),
           "PREFIX": ("modified",), "PREM": ("far_access", "private", "own_local", "local_many"), "MVR": ("whole",),
           "VLN": ("whole", "mask_bits"), "VSN": ("whole", "mask_bits")}
# CSRs that are the same however the program runs, and such as are not: these may be read.
SEEN = ("numw", "numt", "tid", "wid", "gidx", "gidy", "gidz")
SEEN_INTERPRETED = ("frm", "vxrm", "vstart", "mstatus", "vlenb")
UNSEEN = ("knl", "wgid", "lds", "pds")


class Flow(Memory):
    def choose_rows(self):
        rows = [row for row in rows_of(self.generation) if row.mnemonic != "vftta.vv"]
        self.vector = [row for row in rows if row.format.name in VECTOR]
        self.scalar_rows = [row for row in rows if row.format.name in SCALAR]
        self.across_rows = [row for row in rows if row.format.name in ACROSS and not row.mnemonic.endswith("f8")]
        self.paired = [row for row in rows if row.format.name in PAIRS and "vfmv" not in row.mnemonic and "GEN2" != row.generations]
        if self.chance(0.25):   # branches without floats and divisions are executed for all lanes
            self.vector = [row for row in self.vector if not re.match("vf|vdiv|vrem|vmv.s", row.mnemonic)]

    # ---- rows in turn ----

    def choose_focus(self, seed):
        """Some rows that this program surely has, so that in many programs each row is as frequent as the others."""
        rows = rows_of(self.generation)
        across = [row for row in rows if row.format.name in ACROSS + ["MVR", "VLN", "VSN"] and not row.mnemonic.endswith("f8")]
        never = {"vftta.vv"} | {row.mnemonic for row in across}
        plain = [row for row in rows if row.format.name in MAKERS and row.mnemonic not in never and "global" not in row.mnemonic]
        other = [row for row in rows if row.format.name in ("CSRR", "CSRI", "VSETVLI", "VSETIVLI", "VSETVL") or "global" in row.mnemonic
                 or row.mnemonic.endswith("f8")]
        rows = plain if self.is_exotic or not self.is_across else across
        rows += [row for row in rows if row.generations == "GEN2"]  # half of the programs have none of them
        self.focus = [rows[(seed * FOCUS + k) % len(rows)] for k in range(FOCUS)]
        if self.is_exotic:          # which are few
            self.focus = other + self.focus[len(other):]
        names = [row.mnemonic for row in self.focus]
        self.has_private |= any("private" in name for name in names) or any("PRIVATE" in row.flags for row in self.focus)
        self.has_local |= any("local" in name for name in names)
        self.has_other_memory |= any("global" in name for name in names)
        if self.is_exotic:
            self.has_other_vtypes |= any(row.mnemonic.startswith("vset") or row.mnemonic.endswith("f8") for row in self.focus)
            self.has_csr_writes |= any(row.mnemonic.startswith("csr") for row in self.focus)

    def makers_of(self, row):
        if row.format.name == "AMO" and row.mnemonic[:3] == "amo":
            return [lambda: self.atomic(row.mnemonic)]
        if row.mnemonic.endswith("f8"):     # of 64-bit elements: other_vtype() has them
            return []
        if row.format.name in VECTOR + ACROSS + SCALAR:
            return [lambda: self.emit(self.computation(row))]
        return [getattr(self, name) for name in MAKERS.get(row.format.name, ()) if name != "private" or self.has_private
                if "local" not in name or self.has_local]

    def with_row(self, row, makers, attempts=60):
        """Makes something until it has the row; false: it never had."""
        count, tables, rows, labels = len(self.lines), len(self.tables), self.rows, self.labels
        for _ in range(attempts if makers else 0):
            self.rows = dict(rows)
            self.r.choice(makers)()
            if self.rows.get(row.mnemonic, 0) > rows.get(row.mnemonic, 0):
                return True
            del self.lines[count:], self.tables[tables:]
        self.rows, self.labels, self.is_prefixed = rows, labels, False
        return False

    def plain_unit_stride(self):
        self.unit_stride(False)

    def plain_indexed(self):
        self.indexed(False)

    # ---- straight code ----

    def modified(self):
        """64-bit elements, and with generation 2 sources without sign, by a prefix."""
        r = self.r
        row = r.choice(self.paired)
        is_float = row.mnemonic.startswith(("vf", "vmf"))
        if not self.is_gen2:
            if row.format.name in ("VI", "VU", "CVI", "VI12"):
                return self.extended_pair(row)
            text = self.computation(row, pairs=True, wide_immediates=False)
            self.emit(f"regpair {self.extension(text)}")
            self.emit(self.low_names(text))
            return None
        is_pair = self.chance(0.7)
        modifiers = [r.choice((0, 0, r.randrange(8))) for _ in range(2)]
        has_immediate = row.format.name in ("VI", "VU", "CVI")
        text = self.computation(row, pairs=is_pair, wide_immediates=has_immediate and is_float)
        self.emit(f"{'prefixi' if has_immediate and self.chance(0.5) else 'prefix'} {int(is_pair)}, {modifiers[0]}, {modifiers[1]}")
        self.emit(text)

    def extended_pair(self, row):
        text = self.computation(row, pairs=True, wide_immediates=False)
        registers = re.findall(r"\bv(\d+)\b", text)
        high = [int(n) // 32 for n in registers]
        if row.format.name == "VI12":
            self.emit(f"regpair {high[0] | high[1] << 3}")
        else:               # the immediate's sign goes on in its upper part
            immediate = int(text.rsplit(",", 1)[1])
            self.emit(f"regpairi {high[0] | high[1] << 3 | (immediate >> 5 & 63) << 6}")
            text = f"{text.rsplit(',', 1)[0]}, {immediate}"
        self.emit(self.low_names(text))

    @staticmethod
    def low_names(text):
        return re.sub(r"\bv(\d+)\b", lambda match: f"v{int(match[1]) % 32}",
                      re.sub(r"\bx(\d+)\b", lambda match: f"x{int(match[1]) % 32}", text))

    def extension(self, text):
        """Of the row's registers in the order in which it writes them: vd, then by its fields."""
        row = ROWS[text.split(None, 1)[0]]
        words = [word.strip() for word in text.split(None, 1)[1].split(",")]
        names = [operand for operand in row.format.operands if operand not in ("vm", "rm")]
        bits = 0
        for operand, word in zip(names, words):
            if FIELDS[operand][0] in ("VREG", "XREG") and word[0] in "vx" and word[1:].isdigit():
                bits |= int(word[1:]) // 32 << {"D": 0, "1": 3, "2": 6, "3": 9}[FIELDS[operand][1]]
        return bits

    def scalar_modified(self):
        row = self.r.choice([row for row in self.scalar_rows if row.format.name in ("R", "FRN", "FUN") and "fmv" not in row.mnemonic])
        is_pair = self.chance(0.5)
        text = self.computation(row, pairs=is_pair)
        self.emit(f"prefix {int(is_pair)}, {self.r.randrange(8)}, {self.r.randrange(8)}")
        self.emit(text)

    def look_across(self):
        kind = self.r.random()
        if kind < 0.15:     # another mask
            self.emit(f"vmv.v.v v0, {self.vgpr()}")
        elif kind < 0.3:
            self.whole()
        elif kind < 0.45:
            self.unit_stride(True)
        elif kind < 0.55:
            self.indexed(True)
        elif kind < 0.62:
            self.emit(f"vid.v {self.vgpr()}, v0.t")
        elif kind < 0.68:
            self.emit(f"vftta.vv {self.vgpr()}, {self.vgpr()}, {self.vgpr()}")
        elif kind < 0.73:
            self.emit(f"{self.r.choice(('vmv.x.s', 'vfmv.f.s'))} {self.target()}, {self.vgpr()}")
        elif kind < 0.76:
            self.mask_bits()
        elif kind < 0.88:
            self.emit(self.computation(self.r.choice(self.across_rows)))
        else:
            self.emit(self.computation(self.r.choice([row for row in self.vector if "vm" in row.format.operands]), own_mask=True))

    def read_csr(self):
        name = self.r.choice(SEEN + SEEN + (SEEN_INTERPRETED if self.has_interpreted else ()) + UNSEEN + (("gds",) if self.is_gen2 else ()))
        if name in UNSEEN:
            self.emit(f"csrr t1, {name}")
        else:
            self.emit(f"csrrs {self.target()}, {name}, zero")

    def uniform_scalar(self):
        """Something for the warp: on sGPRs, or from one lane of a value that all have."""
        kind = self.r.random()
        if kind < 0.12:
            self.read_csr()
        elif kind < 0.2:
            self.emit(f"lui {self.target()}, {self.r.randrange(1 << 20)}" if self.chance(0.7) else f"auipc {self.target()}, {self.r.randrange(16)}")
        elif kind < 0.35:
            self.scalar_access()
        elif kind < 0.42:
            self.emit(f"vmv.v.x {TEMP}, {self.source()}")
            self.emit(f"{self.r.choice(('vmv.x.s', 'vfmv.f.s'))} {self.target()}, {TEMP}")
        elif kind < 0.5 and self.is_gen2:
            self.scalar_modified()
        elif kind < 0.53:
            self.emit(self.r.choice(("fence rw, rw", "fence.tso", "fence r, w", "fence w, r")))
        elif kind < 0.56:
            self.emit(f"vsetvli {self.r.choice(('zero', 't1'))}, zero, e32, m1, {self.r.choice(('ta', 'tu'))}, {self.r.choice(('ma', 'mu'))}")
        else:
            rows = self.scalar_rows if self.has_pool_scalars else [row for row in self.scalar_rows if "64" not in row.format.name]
            self.emit(self.computation(self.r.choice(rows)))

    def one(self):
        """A few lines that are left out together, if at all."""
        chance = self.chance
        if self.focus and chance(0.4):
            row = self.focus.pop(0)
            if self.with_row(row, self.makers_of(row)):
                return
            self.focus.append(row)
        if self.is_across and chance(0.25):
            self.look_across()
        elif chance(self.accesses):
            self.r.choice(self.kinds_of_access)()
        elif chance(self.narrow_share):
            self.narrow()
        elif chance(self.pairs_share):
            self.doubles()
        elif chance(self.modified_share):
            self.modified()
        elif chance(0.2):
            self.uniform_scalar()
        else:
            row = self.r.choice(self.vector)
            self.emit(self.computation(row))

    def straight(self, length):
        had = self.has_pool_scalars
        self.has_pool_scalars = self.is_uniform
        if not self.is_uniform:     # sGPRs of this run alone
            for name in OWN_SCALARS:
                self.emit(f"mv {name}, x{self.r.choice(self.scalars)}")
        for _ in range(length):
            with self.unit():
                self.one()
        self.has_pool_scalars = had

    # ---- lanes ----

    def branch(self, target):
        name = self.r.choice(("vbeq", "vbne", "vblt", "vbge", "vbltu", "vbgeu"))
        a, b = self.vgpr(), self.vgpr()
        if self.chance(0.5):        # by the parity of something: lanes surely differ
            self.emit(f"vand.vi {TEMP}, {a}, {self.r.choice((1, 1, 2, 3))}")
            self.emit(f"vmv.v.i {ZERO}, 0")
            name, a, b = self.r.choice(("vbeq", "vbne")), TEMP, ZERO
        self.emit(f"{name} {a}, {b}, {target}")

    def meet_at(self, label):
        if self.has_csr_writes and self.chance(0.2):
            self.emit(f"la t0, {label}")
            self.emit("csrw rpc, t0")
        elif self.chance(0.5):
            self.emit(f"la t0, {label}")
            self.emit(f"setrpc {self.r.choice(('zero', 't2'))}, t0, 0")
        else:
            at = self.new_label()
            self.place(at)
            self.emit(f"auipc t0, %pcrel_hi({label})")
            self.emit(f"setrpc zero, t0, %pcrel_lo({at})")

    def inside(self, depth):
        """A block in which some lanes may be missing."""
        was, self.is_uniform = self.is_uniform, False
        self.block(depth)
        self.is_uniform = was

    def choice(self, depth):
        other, end, frame, first = self.new_label(), self.new_label(), [], len(self.lines)
        both = self.chance(0.5)
        with self.frame(frame):
            self.meet_at(end)
            self.branch(other if both else end)
        self.inside(depth - 1)
        if both:
            with self.frame(frame):
                self.emit(f"j {end}")
                self.place(other)
            self.inside(depth - 1)
        with self.frame(frame):
            self.place(end)
            self.emit("join zero, zero, 0")
        self.units += [tuple(range(first, len(self.lines))), tuple(frame)]

    def loop(self, depth):
        head, end, frame, first = self.new_label(), self.new_label(), [], len(self.lines)
        counter, self.counter = self.counter, self.counter + 1
        in_scalar = self.chance(0.3) and self.scalar_counter < len(SCALAR_COUNTERS)
        with self.frame(frame):
            self.emit(f"vand.vi v{counter}, {self.vgpr()}, {self.r.choice((3, 7))}")
            if in_scalar:           # a number that all lanes have which are still here
                step = SCALAR_COUNTERS[self.scalar_counter]
                self.scalar_counter += 1
                self.emit(f"li {step}, {self.r.randrange(16)}")
            self.place(head)
            self.meet_at(end)
            self.emit(f"vmv.v.i {ZERO}, 0")
            self.emit(f"vbeq v{counter}, {ZERO}, {end}")
            self.emit(f"vadd.vi v{counter}, v{counter}, -1")
        if in_scalar:
            with self.unit():
                self.emit(f"vadd.vx {self.vgpr()}, {self.vgpr()}, {step}")
            with self.frame(frame):
                self.emit(f"addi {step}, {step}, 4")
        self.inside(depth - 1)
        with self.frame(frame):
            self.emit(f"j {head}")
            self.place(end)
            self.emit("join zero, zero, 0")
        self.scalar_counter -= in_scalar
        self.units += [tuple(range(first, len(self.lines))), tuple(frame)]

    # ---- the warp ----

    def scalar_condition(self, target):
        name = self.r.choice(("beq", "bne", "blt", "bge", "bltu", "bgeu"))
        self.emit(f"{name} x{self.r.choice(self.scalars)}, {self.r.choice(('zero', f'x{self.r.choice(self.scalars)}'))}, {target}")

    def scalar_choice(self, depth):
        other, end, frame, first = self.new_label(), self.new_label(), [], len(self.lines)
        with self.frame(frame):
            self.scalar_condition(other)
        self.block(depth - 1)
        with self.frame(frame):
            self.emit(f"jal zero, {end}" if self.chance(0.5) else f"j {end}")
            self.place(other)
        self.block(depth - 1)
        with self.frame(frame):
            self.place(end)
        self.units += [tuple(range(first, len(self.lines))), tuple(frame)]

    def scalar_loop(self, depth):
        if self.scalar_counter == len(SCALAR_COUNTERS):
            return self.straight(2)
        head, frame, first = self.new_label(), [], len(self.lines)
        counter = SCALAR_COUNTERS[self.scalar_counter]
        self.scalar_counter += 1
        with self.frame(frame):
            self.emit(f"li {counter}, {self.r.randrange(1, 5)}")
            self.place(head)
        self.block(depth - 1)
        with self.frame(frame):
            self.emit(f"addi {counter}, {counter}, -1")
            self.emit(f"bne {counter}, zero, {head}")
        self.scalar_counter -= 1
        self.units += [tuple(range(first, len(self.lines))), tuple(frame)]

    def call(self):
        name = self.r.choice(self.functions)
        if self.chance(0.5):
            self.emit(f"jal ra, {name}")
        elif self.chance(0.5):
            self.emit(f"call {name}")
        else:
            self.emit(f"la t0, {name}")
            self.emit("jalr ra, 0(t0)")

    def jump_by_table(self):
        """To one of four places, by an sGPR; no translation."""
        table, ends = self.new_label(), [self.new_label() for _ in range(4)]
        end = self.new_label()
        self.emit(f"andi t1, x{self.r.choice(self.scalars)}, 3")
        self.emit("slli t1, t1, 2")
        self.emit(f"la t0, {table}")
        self.emit("add t0, t0, t1")
        self.emit("lw t0, 0(t0)")
        self.emit(self.r.choice(("jalr zero, 0(t0)", "jalr t2, 0(t0)")))
        for label in ends:
            self.place(label)
            self.emit(self.computation(self.r.choice(self.vector)))
            self.emit(f"j {end}")
        self.place(end)
        self.tables.append((table, ends))

    def other_vtype(self):
        """Elements of other sizes, other lengths, groups of two registers; no translation."""
        r = self.r
        sew, lmul = r.choice((8, 16, 32, 32, 64)), r.choice((1, 1, 2))
        if sew == 64:
            lmul = 1
        vtype = f"e{sew}, m{lmul}, {r.choice(('ta', 'tu'))}, {r.choice(('ma', 'mu'))}"
        kind = r.random()
        if kind < 0.4:
            self.emit(f"li t1, {r.randrange(0, 2 * self.threads + 2)}")
            self.emit(f"vsetvli {r.choice(('zero', 't2', self.target()))}, t1, {vtype}")
        elif kind < 0.6:
            self.emit(f"vsetivli {r.choice(('zero', 't2'))}, {r.randrange(32)}, {vtype}")
        elif kind < 0.8:
            self.emit(f"li t2, {(0 if lmul == 1 else 1) | {8: 0, 16: 1, 32: 2, 64: 3}[sew] << 3 | r.choice((0, 0xc0))}")
            self.emit(f"li t1, {r.randrange(0, 2 * self.threads + 2)}")
            self.emit("vsetvl t1, t1, t2")
        else:
            self.emit(f"vsetvli t1, zero, {vtype}")
        even = sew == 64 or lmul == 2
        rows = [row for row in self.vector + self.across_rows if self.fits(row, sew, lmul)]
        if sew == 64:
            rows += [row for row in rows_of(self.generation) if row.mnemonic in ("vzext.vf8", "vsext.vf8")] * 3
        for _ in range(r.randrange(1, 6)):
            row = r.choice(rows)
            if even and row.format.loop == "LANES" and "WIDE" not in row.format.shape:
                register = self.pair
            else:
                register = self.vgpr
            text = self.computation(row, pairs=sew == 64, own_mask=self.is_across, register=register, wide_immediates=False)
            if even:
                text = re.sub(r"^(\S+ )v(\d+)", lambda match: match[1] + self.pair(), text)
            self.emit(text)
        if self.chance(0.2):        # keeps the length
            self.emit("vsetvli zero, zero, e32, m1, ta, ma")
            self.emit(self.computation(r.choice(self.vector)))
        self.emit("vsetvli t1, zero, e32, m1, ta, ma")

    @staticmethod
    def fits(row, sew, lmul):
        name = row.mnemonic
        is_float = name.startswith(("vf", "vmf")) and name not in ("vfmv.v.f", "vfmv.s.f", "vfmerge.vfm")
        if (is_float or name.startswith(("vfmv", "vfmerge"))) and sew == 8:
            return False
        if "WIDE" in row.flags and (sew == 64 or lmul == 2 or (is_float and sew == 8)):
            return False
        extends = re.search(r"\.vf(\d)$", name)
        if extends and sew < 8 * int(extends[1]):
            return False
        return row.format.name != "VI12"

    def write_csr(self):
        """Rounding modes, saturation, flags; no translation."""
        r = self.r
        kind = r.random()
        if kind < 0.25:
            self.emit(f"csrrwi {r.choice(('zero', 't1', self.target()))}, frm, {r.randrange(5)}")
        elif kind < 0.45:
            self.emit(f"csrrwi {r.choice(('zero', 't1'))}, vxrm, {r.randrange(4)}")
        elif kind < 0.6:
            self.emit(f"csrrw {self.target()}, fflags, {r.choice(('zero', 't1'))}")
        elif kind < 0.7:
            self.emit(f"csrrs {self.target()}, {r.choice(('fflags', 'fcsr', 'vxsat', 'vcsr', 'vl', 'vtype'))}, zero")
        elif kind < 0.8:
            self.emit(f"csrrsi {self.target()}, {r.choice(('fflags', 'vxsat'))}, {r.randrange(2)}")
        elif kind < 0.9:
            self.emit(f"csrrci {self.target()}, {r.choice(('fflags', 'vxsat', 'vxrm'))}, {r.randrange(4)}")
        else:
            self.emit(f"li t1, {r.randrange(32)}")
            self.emit(f"csrrc {self.target()}, fflags, t1")

    def other_memory(self):
        """Accesses by prefixes that compilers do not use; no translation."""
        words = self.r.choice((1, 2, 3, 4))
        data = self.registers(words)
        if self.is_gen2 and data:
            self.emit(f"vand.vx {TEMP}, {self.vgpr()}, s8")
            self.emit(f"vadd.vx {TEMP}, {TEMP}, a1")
            self.emit(self.prefix_of(words, "global_"))
            self.emit(f"vlw12.v {data}, {4 * self.r.randrange(8)}({TEMP})")
        elif not self.is_gen2:      # data are pairs; the address is an odd register, which is no pair
            first = self.r.choice(self.pairs)
            self.emit(f"vadd.vx {TEMP}, {SCRATCH}, a2")
            self.emit(f"vmv.v.v {ZERO}, {TEMP}")
            for name in ("vsw12.v", "vlw12.v"):
                self.emit(f"regpair {first // 32 << (6 if name == 'vsw12.v' else 0)}")
                self.emit(f"{name} v{first % 32}, 0({ZERO})")

    def within_warp(self):
        """Without a barrier: the lanes of the warp are in lockstep."""
        self.emit(f"vsw12.v {self.vgpr()}, 0({SLOT})")
        self.emit(f"vid.v {TEMP}")
        self.emit(f"li t1, {self.r.choice((1, 2, 3, self.threads // 2, self.threads - 1))}")
        self.emit(f"vxor.vx {TEMP}, {TEMP}, t1")
        self.emit("csrr t1, tid")
        self.emit(f"vadd.vx {TEMP}, {TEMP}, t1")
        self.emit(f"li t1, {self.local_items - 1}")
        self.emit(f"vminu.vx {TEMP}, {TEMP}, t1")
        self.emit(f"vsll.vi {TEMP}, {TEMP}, 2")
        self.emit(f"vadd.vx {TEMP}, {TEMP}, a3")
        self.emit(f"vlw12.v {self.vgpr()}, 0({TEMP})")
        if self.chance(0.3):
            self.emit(f"barriersub x0, x0, {self.r.choice((1, 3))}")

    # ---- together ----

    def block(self, depth):
        for _ in range(self.r.randrange(1, 3)):
            self.straight(self.r.randrange(1, 5))
            if depth > 0 and self.counter < COUNTERS + MOST_COUNTERS:
                self.r.choice((self.choice, self.choice, self.loop, self.loop, self.scalar_choice, self.scalar_loop))(depth)
            if self.functions and self.chance(0.15):
                with self.unit():
                    self.call()

    def special(self):
        """What only happens where all lanes are."""
        kinds = []
        if self.has_local:
            kinds += [self.exchange] * 2
        if self.is_lockstep and self.has_local:
            kinds += [self.within_warp] * 2
        if self.has_other_vtypes:
            kinds += [self.other_vtype] * 4
        if self.has_csr_writes:
            kinds += [self.write_csr] * 3
        if self.has_tables:
            kinds += [self.jump_by_table] * 2
        if self.has_other_memory:
            kinds += [self.other_memory] * 2
        if kinds:
            with self.unit():
                self.has_pool_scalars = True
                if not (self.is_exotic and self.focus and self.chance(0.7) and self.with_row(self.focus.pop(0), kinds)):
                    self.r.choice(kinds)()

    def body(self):
        for _ in range(self.sections):
            self.special()
            self.block(self.depth)
            self.special()
        if self.is_exotic:
            for _ in range(4):
                self.special()
        self.straight(3)
        while self.focus:           # which had no place above
            row = self.focus.pop()
            with self.unit():
                self.with_row(row, self.makers_of(row))

    def function(self, name, calls):
        """Of vGPRs; it may call those before it, and then keeps ra on the scalar stack."""
        self.place(name)
        others, self.functions = self.functions, calls
        was, self.is_uniform = self.is_uniform, False
        self.scalar_counter = len(SCALAR_COUNTERS)      # those who call may use all of them
        if calls:
            self.emit_all("addi sp, sp, 16", "sw ra, -16(sp)")
        self.straight(2)
        if calls:
            with self.unit():
                self.call()
            self.emit_all("lw ra, -16(sp)", "addi sp, sp, -16")
        elif self.chance(0.4) and self.counter < COUNTERS + MOST_COUNTERS:
            self.functions = ()
            self.choice(1)
        self.emit(self.r.choice(("ret", "jalr zero, 0(ra)", "jr ra")))
        self.is_uniform, self.functions = was, others
