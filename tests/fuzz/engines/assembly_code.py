"""Lines of a random program in assembly: registers, operands, and which lines a reducer may leave out together."""
import contextlib
import random
import re

from assembly_rows import FIELDS, ROWS

# What vGPRs are for.  Programs compute with a pool of ten, in even pairs.
MASK, COLUMN, SCRATCH, SCRATCH4, FAR, TEMP, ZERO, ITEM, SLOT = "v0", "v1", "v2", "v3", "v4", "v6", "v7", "v18", "v19"
RESULT, LOCAL_ID = "v20", "v21"
PAIRS = ([8, 10, 12, 14, 16],           # no prefixes
         [8, 10, 12, 14, 16],
         [8, 10, 12, 40, 42],           # the same five bits: accumulators that differ from results in the prefix alone
         [8, 40, 72, 136, 200],
         [10, 36, 68, 130, 254])
GROUPS = 96                             # sixteen registers for what moves several
COUNTERS = 48                           # vGPRs that count the iterations of loops, from here on
MOST_COUNTERS = 12
# And sGPRs: a1 input, a2 results, (a4, a5) and (a6, a7) the same as pairs, s1 the warp's memory, a3 local memory.
SCALARS = ([18, 19, 20, 21, 22], [18, 19, 20, 21, 22], [18, 19, 40, 41, 63])
OWN_SCALARS = ("s10", "s11")            # of a run of straight code
SCALAR_COUNTERS = ("t3", "t4", "t5", "t6")
HIGH = re.compile(r"\b(v(3[2-9]|[4-9]\d|1\d\d|2\d\d)|x(3[2-9]|[4-6]\d))\b")
WORDS = 2048                            # of the input that may be gathered


class Code:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lines, self.units, self.labels, self.rows = [], [], 0, {}
        numbers = self.r.choice(PAIRS)
        self.pool = [n + k for n in numbers for k in (0, 1)]
        self.pairs = numbers
        self.scalars = self.r.choice(SCALARS)
        self.is_uniform = True           # all work-items of the warp are here
        self.has_pool_scalars = True     # sGPRs of the pool may be written
        self.uses_groups = False
        self.is_prefixed = False         # the next instruction

    def chance(self, share):
        return self.r.random() < share

    # ---- lines ----

    def emit(self, text):
        mnemonic = text.split(None, 1)[0]
        self.count(mnemonic)
        row = ROWS.get(mnemonic)
        if row and not self.is_prefixed and HIGH.search(text):     # the assembler writes it
            self.count("regexti" if {"simm5", "uimm5"} & set(row.format.operands) else "regext")
        self.is_prefixed = bool(row) and row.format.loop == "JOINED"
        self.lines.append("    " + text)

    def count(self, mnemonic):
        if mnemonic in ROWS:
            self.rows[mnemonic] = self.rows.get(mnemonic, 0) + 1

    def emit_all(self, *texts):
        for text in texts:
            self.emit(text)

    def new_label(self):
        self.labels += 1
        return f".L{self.labels}"

    def place(self, label):
        self.lines.append(f"{label}:")

    @contextlib.contextmanager
    def unit(self):
        """Lines that may be left out together."""
        first = len(self.lines)
        yield
        if len(self.lines) > first:
            self.units.append(tuple(range(first, len(self.lines))))

    @contextlib.contextmanager
    def frame(self, into):
        """Lines around others; all the frame's lines may be left out, and what is inside stays."""
        first = len(self.lines)
        yield
        into.extend(range(first, len(self.lines)))

    # ---- operands ----

    def vgpr(self):
        return f"v{self.r.choice(self.pool)}"

    def pair(self):
        return f"v{self.r.choice(self.pairs)}"

    def source(self):
        if self.chance(0.85):
            return f"x{self.r.choice(self.scalars)}"
        return self.r.choice(("zero", "s9") if self.has_pool_scalars else ("zero", "s9") + OWN_SCALARS)

    def target(self):
        return f"x{self.r.choice(self.scalars)}" if self.has_pool_scalars else self.r.choice(OWN_SCALARS)

    def scalar_pair(self, may_be_zero=True):
        even = [n for n in self.scalars if n % 2 == 0 and n + 1 in self.scalars]
        return "zero" if may_be_zero and self.chance(0.15) else f"x{self.r.choice(even)}"

    def target_pair(self):
        return self.scalar_pair(False) if self.has_pool_scalars else "s10"

    def signed(self, bits):
        most = 1 << (bits - 1)
        return str(self.r.choice((-most, most - 1, -1, 0, 1, self.r.randrange(-most, most), self.r.randrange(-min(most, 16), min(most, 16)))))

    def rounding(self):
        return self.r.choice(("", "", "", "", ", dyn", ", rne", ", rtz", ", rdn", ", rup", ", rmm"))

    # ---- instructions that compute ----

    def computation(self, row, pairs=False, own_mask=False, register=None, wide_immediates=True):
        """The row with random operands; `pairs`: registers are 64 bits wide, by a prefix; `own_mask`: v0.t is allowed.  `register`:
        gives vGPRs other than those of the pool."""
        form, words, r = row.format, [], self.r
        shape = dict(zip(("loop", "evaluation", "vs1", "vs2", "vd"), form.shape)) if form.loop == "LANES" else {}
        is_float = bool({"FP"} & row.flags) or row.mnemonic.startswith(("vf", "vmf", "f"))
        is_64 = form.name in ("R64", "I64", "SHIFT64")
        register = register or (lambda: self.pair() if pairs and (is_float or self.chance(0.9)) else self.vgpr())
        for operand in form.operands:
            kind = FIELDS[operand][0]
            if kind == "VREG":
                if shape.get(operand) == "WIDE":
                    words.append(self.pair())
                elif operand == "vd" and shape.get("vd") == "BIT":
                    words.append(self.vgpr())
                else:
                    words.append(register())
            elif kind == "XREG":
                is_result = operand == "rd"
                if is_64 or (pairs and (is_float or form.loop == "SCALAR")):
                    words.append(self.target_pair() if is_result else self.scalar_pair())
                else:
                    words.append(self.target() if is_result else self.source())
            elif operand == "imm12":
                words.append(self.signed(12))
            elif operand == "simm5":
                words.append(self.signed(11 if wide_immediates and self.chance(0.1) else 5))
            elif operand == "uimm5":
                words.append(str(r.choice((0, 1, 31, r.randrange(32), r.randrange(64) if pairs and wide_immediates else 8))))
            elif operand == "shamt":
                words.append(str(r.choice((0, 1, 31, r.randrange(32)))))
            elif operand in ("rm", "vm"):
                continue
            else:
                raise ValueError(f"{row.mnemonic}: an operand '{operand}' that assembly_code.py does not know")
        text = f"{row.mnemonic} " + ", ".join(words)
        if "'v0'" in form.syntax:
            text += ", v0"
        if "rm" in form.operands and not pairs:
            text += self.rounding()
        if "vm" in form.operands and own_mask and self.chance(0.4):
            text += ", v0.t"
        return text
