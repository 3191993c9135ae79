"""Memory of a random program in assembly.  Work-items write what is theirs alone, or add to what is everybody's without looking at it;
what they read was written by nobody else, before the launch, or before a barrier."""
from assembly_code import COLUMN, FAR, ITEM, LOCAL_ID, RESULT, SCRATCH, SCRATCH4, SLOT, SCALAR_COUNTERS, TEMP, WORDS, ZERO, GROUPS, Code

COLUMNS = 16                # of results: ten vGPRs, what groups hold, five sGPRs
SLOT_BYTES = 64             # of each work-item, for bytes and halves
LOCAL_BANKS = 2
PRIVATE_BYTES = 64
SHARED_WORDS = 64           # for atomic operations, by their order in AMOS
AMOS = ("amoadd", "amoxor", "amoor", "amoand", "amomin", "amomax", "amominu", "amomaxu")
OLD, NEW, FOUND = "v22", "v23", "v5"
# The warp's memory, in units of a byte per thread: an area for each distance between its lanes' elements.
AREAS = {1: 0, 2: 1, 4: 3, 8: 7, 12: 15, 16: 27, "whole": 43, "mask": 75}
AREA_BYTES = 80


class Memory(Code):
    """Adds accesses; self.shape says how many work-items there are."""

    # ---- where what is ----

    def column_bytes(self):
        return 4 * self.items

    def scratch_at(self):
        return COLUMNS * self.column_bytes()

    def scratch4_at(self):
        return (COLUMNS + 2) * self.column_bytes()

    def slots_at(self):
        return (COLUMNS + 6) * self.column_bytes()

    def warps_at(self):
        return self.slots_at() + SLOT_BYTES * self.items

    def shared_at(self):
        return self.warps_at() + AREA_BYTES * self.threads * self.groups * self.warps

    def result_bytes(self):
        return self.shared_at() + 4 * SHARED_WORDS

    def input_words(self):
        return max(10 * self.items, WORDS + 64)

    # ---- addresses ----

    def far_address(self, index, base):
        """The pair FAR: base, a pair of sGPRs, plus bytes in a vGPR, which are never negative."""
        self.emit(f"{self.r.choice(('vwmulu.vx', 'vwmul.vx'))} {FAR}, {index}, s9")
        self.emit("prefix 1, 0, 0")
        self.emit(f"vadd.vx {FAR}, {FAR}, {base}")

    def prefix_of(self, words, space="", pair=0):
        name = f"pre_m_{space}{32 * words}"
        return f"{name} {pair}, {self.r.randrange(16)}"

    def registers(self, count):
        """So many of the pool, one after the other."""
        runs = [n for n in self.pool if all(n + k in self.pool for k in range(count))]
        return f"v{self.r.choice(runs)}" if runs else None

    # ---- global memory ----

    def access(self):
        """A gather from the input, or a scatter to the work-item's own words behind the results, which is read back."""
        r = self.r
        if self.chance(0.4):
            self.emit(f"vand.vx {TEMP}, {self.vgpr()}, s8")
            kind = r.random()
            if kind < 0.5:
                self.emit(f"{r.choice(('vluxei32.v', 'vloxei32.v'))} {self.vgpr()}, (a1), {TEMP}")
            else:
                self.emit(f"vadd.vx {TEMP}, {TEMP}, a1")
                name = r.choice(("vlw12.v", "vlw12.v", "vlh12.v", "vlhu12.v", "vlb12.v", "vlbu12.v"))
                self.emit(f"{name} {self.vgpr()}, {4 * r.randrange(16)}({TEMP})")
            return
        self.emit(f"vand.vi {TEMP}, {self.vgpr()}, 4")
        self.emit(f"vadd.vv {TEMP}, {TEMP}, {SCRATCH}")
        if self.chance(0.5):
            self.emit(f"{r.choice(('vsuxei32.v', 'vsoxei32.v'))} {self.vgpr()}, (a2), {TEMP}")
            self.emit(f"vluxei32.v {self.vgpr()}, (a2), {TEMP}")
        else:
            self.emit(f"vadd.vx {TEMP}, {TEMP}, a2")
            self.emit(f"{r.choice(('vsw12.v', 'vsh12.v', 'vsb12.v'))} {self.vgpr()}, 0({TEMP})")
            self.emit(f"{r.choice(('vlw12.v', 'vlh12.v', 'vlbu12.v'))} {self.vgpr()}, 0({TEMP})")

    def far_access(self):
        r = self.r
        words = r.choice((1, 1, 2, 3, 4))
        data = self.registers(words)
        if not data:
            words, data = 1, self.vgpr()
        kind = r.random()
        if kind < 0.4:      # neighbours, anywhere in the input, or one place for all
            if self.chance(0.3):
                self.emit(f"and t1, {self.source()}, s8")
                self.emit(f"vmv.v.x {TEMP}, t1")
            else:
                self.emit(f"vand.vx {TEMP}, {self.vgpr()}, s8")
            self.far_address(r.choice((COLUMN, TEMP)), "a4")
            if words > 1 or self.chance(0.3):
                self.emit(self.prefix_of(words, r.choice(("",) * 3), r.choice((0, 1))))
                self.emit(f"{r.choice(('vlw12d.v', 'vlw12d.v'))} {data}, {4 * r.randrange(8)}({FAR})")
            else:
                self.emit(f"{r.choice(('vlw12d.v', 'vlb12d.v', 'vlhu12d.v', 'vlh12d.v', 'vlbu12d.v'))} {data}, {4 * r.randrange(8)}({FAR})")
        elif kind < 0.75:   # its own words of scratch
            words = min(words, 2)
            data = self.registers(words) or data
            self.far_address(SCRATCH, "a6")
            is_by_prefix = words > 1 or self.chance(0.2)
            for name in ("vsw12d.v", "vlw12d.v") if is_by_prefix else (r.choice(("vsw12d.v", "vsh12d.v", "vsb12d.v")), r.choice(("vlw12d.v", "vlh12d.v"))):
                if is_by_prefix:
                    self.emit(self.prefix_of(words))
                self.emit(f"{name} {self.registers(words) or data}, 0({FAR})")
        else:               # a 12-bit access made far
            self.far_address(SCRATCH, "a6")
            for name in ("vsw12.v", "vlw12.v"):
                self.emit(self.prefix_of(1, "", 1))
                self.emit(f"{name} {self.vgpr()}, 0({FAR})")

    def doubles(self):
        """64-bit elements as compilers handle them: moved, loaded and stored as two words."""
        kind, a, b = self.r.random(), self.r.choice(self.pairs), self.r.choice(self.pairs)
        if kind < 0.4:
            self.emit(f"vmv.v.v v{a}, v{b}")
            self.emit(f"vmv.v.v v{a + 1}, v{b + 1}")
        elif kind < 0.7:    # its own words of scratch
            self.emit(f"vadd.vx {TEMP}, {SCRATCH}, a2")
            for name, first in (("vsw12.v", a), ("vlw12.v", b)):
                self.emit(f"{name} v{first}, 0({TEMP})")
                self.emit(f"{name} v{first + 1}, 4({TEMP})")
        else:               # four words
            self.emit(f"vadd.vx {TEMP}, {SCRATCH4}, a2")
            for name in ("vsw12.v", "vlw12.v"):
                numbers = self.r.sample(self.pool, 4)
                for k in range(4):
                    self.emit(f"{name} v{numbers[k]}, {4 * k}({TEMP})")

    def narrow(self):
        """Several bytes, halves and words of each lane: of the input, at any stride or anywhere, or of its own slot."""
        r = self.r
        is_far, is_own = self.is_gen2 and self.chance(0.5), self.chance(0.6)
        step = self.slot if is_own else r.choice((1, 2, 3, 4, 6, 8, 12, 16, 24, r.randrange(1, 33)))
        suffix, base = ("d", FAR) if is_far else ("", TEMP)
        kind = "own" if is_own else r.choice(("stride", "line", "anywhere"))
        if kind == "anywhere":
            step = 4
            self.emit(f"vand.vx {TEMP}, {self.vgpr()}, s8")
        else:
            if kind == "line":
                step = 8
                self.emit(f"andi t1, x{r.choice(self.scalars)}, 24")
            else:
                self.emit(f"li t1, {-step if is_own and self.backwards else step}")
            self.emit(f"vmul.vx {TEMP}, {ITEM}, t1")
        if is_own:
            self.emit(f"li t1, {self.slots_at() + (self.items - 1) * step * self.backwards}")
            self.emit(f"vadd.vx {TEMP}, {TEMP}, t1")
        if is_far:
            self.far_address(TEMP, "a6" if is_own else "a4")
        else:
            self.emit(f"vadd.vx {TEMP}, {TEMP}, {'a2' if is_own else 'a1'}")
        length, at = min(step, 16) if is_own else r.randrange(2, 13), 0
        sizes = [size for size in (1, 1, 2, 2, 4) if step % size == 0]
        is_store, places = is_own and self.chance(0.6), []
        while at < length:
            size = r.choice([size for size in sizes if at % size == 0 and (not is_own or at + size <= step)])
            if self.chance(0.9):
                places.append((at, size))
            at += size
        if self.chance(0.3):
            r.shuffle(places)
        for at, size in places:
            name = {1: r.choice(("vlb12", "vlbu12")), 2: r.choice(("vlh12", "vlhu12")), 4: "vlw12"}[size]
            name = {1: "vsb12", 2: "vsh12", 4: "vsw12"}[size] if is_store else name
            self.emit(f"{name}{suffix}.v {self.vgpr()}, {at}({base})")

    # ---- with a scalar base ----

    def area(self, which):
        """t1: the warp's area."""
        self.emit(f"li t1, {AREAS[which] * self.threads}")
        self.emit("add t1, t1, s1")

    def unit_stride(self, own_mask):
        """Lanes' elements one after the other, or at a distance, in the input or in the warp's memory."""
        r, mask = self.r, ", v0.t" if own_mask and self.chance(0.5) else ""
        bits = r.choice((8, 16, 32, 32, 64))
        size = bits // 8
        data = self.pair() if bits == 64 else self.vgpr()
        if self.chance(0.4):    # the input
            offset = size * r.randrange(64)
            if self.chance(0.5):
                self.emit(f"addi t1, a1, {offset}")
                self.emit(f"vle{bits}.v {data}, (t1){mask}")
            else:
                self.emit(f"addi t1, a1, {offset + 1024}")
                self.emit(f"li t2, {size * r.choice((0, 1, 2, 3, -1, -2, 5))}")
                self.emit(f"vlse{bits}.v {data}, (t1), t2{mask}")
            return
        if self.chance(0.5):
            self.area(size)
            self.emit(f"vse{bits}.v {data}, (t1){mask}")
            self.emit(f"vle{bits}.v {data}, (t1)")
        else:
            step = r.choice([step for step in (1, 2, 4, 8, 12, 16) if step >= size and step % size == 0])
            self.area(step)
            self.emit(f"li t2, {step}")
            self.emit(f"vsse{bits}.v {data}, (t1), t2{mask}")
            self.emit(f"vlse{bits}.v {self.pair() if bits == 64 else self.vgpr()}, (t1), t2")

    def indexed(self, own_mask):
        r, mask = self.r, ", v0.t" if own_mask and self.chance(0.5) else ""
        bits, order = r.choice((8, 16, 32)), r.choice("uo")
        if self.chance(0.5):    # what is above the index does not matter
            self.emit(f"li t1, {dict(((8, -4), (16, 0xffff1ffc - (1 << 32)), (32, 0x1ffc)))[bits]}")
            self.emit(f"vand.vx {TEMP}, {self.vgpr()}, t1")
            self.emit(f"vl{order}xei{bits}.v {self.vgpr()}, (a1), {TEMP}{mask}")
            return
        self.area(4)
        self.emit(f"vid.v {TEMP}")
        self.emit(f"vsll.vi {TEMP}, {TEMP}, 2")
        self.emit(f"vs{order}xei{bits}.v {self.vgpr()}, (t1), {TEMP}{mask}")
        self.emit(f"vl{order}xei{bits}.v {self.vgpr()}, (t1), {TEMP}")

    def whole(self):
        """Whole registers, several at a time."""
        r, self.uses_groups = self.r, True
        count = r.choice((1, 2, 4, 8))
        first = GROUPS + count * r.randrange(16 // count)
        kind = r.random()
        if kind < 0.4:
            self.emit(f"addi t1, a1, {4 * r.randrange(64)}")
            self.emit(f"vl{count}re{r.choice((8, 16, 32, 64))}.v v{first}, (t1)")
        elif kind < 0.7:
            self.area("whole")
            self.emit(f"vs{count}r.v v{first}, (t1)")
            self.emit(f"vl{count}re32.v v{first}, (t1)")
        else:
            self.emit(f"vmv{count}r.v v{first}, v{GROUPS + count * r.randrange(16 // count)}")
        if self.chance(0.5):
            self.emit(f"vxor.vv {self.vgpr()}, v{GROUPS + r.randrange(16)}, {self.vgpr()}")
        else:
            self.emit(f"vadd.vv v{GROUPS + r.randrange(16)}, {self.vgpr()}, {self.vgpr()}")

    def mask_bits(self):
        if self.chance(0.5):
            self.emit(f"addi t1, a1, {self.r.randrange(256)}")
            self.emit(f"vlm.v {self.r.choice(('v0', self.vgpr()))}, (t1)")
        else:
            self.area("mask")
            self.emit("vsm.v v0, (t1)")
            self.emit(f"vlm.v {self.vgpr()}, (t1)")

    # ---- scalars ----

    def scalar_access(self):
        r = self.r
        if not self.has_pool_scalars or self.chance(0.6):
            name = r.choice(("lw", "lh", "lhu", "lb", "lbu", "flw"))
            if self.chance(0.5):
                self.emit(f"{name} {self.target()}, {4 * r.randrange(400)}(a1)")
            else:
                self.emit(f"and t1, {self.source()}, s8")
                self.emit("add t1, t1, a1")
                self.emit(f"{name} {self.target()}, {4 * r.randrange(16)}(t1)")
            return
        if self.is_gen2 and self.chance(0.4):
            self.area("mask")
            self.emit("mv a6, t1")
            self.emit(f"sd {self.source()}, 16(a6)")
            self.emit(f"ld {self.target()}, 16(a6)")
            self.emit("mv a6, a2")
            return
        self.area("mask")
        self.emit(f"{r.choice(('sw', 'sh', 'sb', 'fsw'))} {self.source()}, 20(t1)")
        self.emit(f"sw {self.source()}, 24(t1)")
        self.emit(f"{r.choice(('lw', 'lh', 'lhu', 'lb', 'lbu', 'flw'))} {self.target()}, 24(t1)")

    # ---- private and local memory ----

    def private(self):
        r = self.r
        size = r.choice((1, 2, 4, 4))
        mask = {1: 31, 2: 30, 4: 28}[size]
        self.emit(f"vand.vi {TEMP}, {self.vgpr()}, {mask}" if mask < 16 else f"li t1, {mask}")
        if mask >= 16:
            self.emit(f"vand.vx {TEMP}, {self.vgpr()}, t1")
        load = {1: ("vlb", "vlbu"), 2: ("vlh", "vlhu"), 4: ("vlw",)}[size]
        store = {1: "vsb", 2: "vsh", 4: "vsw"}[size]
        names = [store, r.choice(load)] if self.chance(0.6) else [r.choice(load)]
        offset = size * r.randrange(32 // size)
        if not self.is_gen2:
            for name in names:
                self.emit(f"{name}.v {self.vgpr()}, {offset}({TEMP})")
            return
        words = r.choice((1, 1, 2, 3, 4)) if size == 4 else 1
        if not self.registers(words):
            words = 1
        offset = min(offset, PRIVATE_BYTES - 28 - 4 * words)
        for name in names:
            self.emit(self.prefix_of(words, "private_"))
            self.emit(f"{name}12.v {self.registers(words)}, {offset}({TEMP})")

    def fill_private(self):
        self.emit(f"vmv.v.i {TEMP}, 0")
        for at in range(0, PRIVATE_BYTES, 4):
            if self.is_gen2:
                self.emit("pre_m_private_32 0, 0")
                self.emit(f"vsw12.v v{self.pool[at // 4 % 10]}, {at}({TEMP})")
            else:
                self.emit(f"vsw.v v{self.pool[at // 4 % 10]}, {at}({TEMP})")

    def barrier(self):
        self.emit(f"barrier x0, x0, {self.r.choice((1, 1, 1, 3, 2, 7, 9, 25))}")

    def neighbour(self):
        """TEMP: where another work-item of the workgroup has its slot, perhaps one that does not exist."""
        r = self.r
        if self.chance(0.5) and self.local_items & (self.local_items - 1) == 0:
            self.emit(f"li t1, {r.randrange(self.local_items)}")
            self.emit(f"vxor.vx {TEMP}, {LOCAL_ID}, t1")
        else:
            self.emit(f"li t1, {r.randrange(self.local_items)}")
            self.emit(f"vadd.vx {TEMP}, {LOCAL_ID}, t1")
            self.emit(f"li t1, {self.local_items}")
            self.emit(f"vremu.vx {TEMP}, {TEMP}, t1")
        self.emit(f"vsll.vi {TEMP}, {TEMP}, 2")

    def exchange(self):
        """Words through local memory, with a barrier on either side."""
        bank = 4 * self.local_items * self.r.randrange(LOCAL_BANKS)
        is_by_prefix = self.is_gen2 and self.chance(0.4)
        if is_by_prefix:
            self.emit("csrr t1, lds")
            self.emit(f"vsub.vx {RESULT}, {SLOT}, t1")
            self.emit(self.prefix_of(1, "local_"))
        self.emit(f"vsw12.v {self.vgpr()}, {bank}({RESULT if is_by_prefix else SLOT})")
        self.barrier()
        self.neighbour()
        self.emit(f"vadd.vx {TEMP}, {TEMP}, a3")
        if is_by_prefix:
            self.emit("csrr t1, lds")
            self.emit(f"vsub.vx {TEMP}, {TEMP}, t1")
            self.emit(self.prefix_of(1, "local_"))
        self.emit(f"vlw12.v {self.vgpr()}, {bank}({TEMP})")
        self.barrier()

    def own_local(self):
        """Its own words of local memory, several at a time."""
        r = self.r
        if self.is_gen2 and self.chance(0.5):
            self.emit("csrr t1, lds")
            self.emit(f"vsub.vx {TEMP}, {SLOT}, t1")
            for name in ("vsw12.v", "vlw12.v"):
                self.emit(self.prefix_of(1, "local_"))
                self.emit(f"{name} {self.vgpr()}, {LOCAL_BANKS * 4 * self.local_items}({TEMP})")
            return
        self.emit(f"{r.choice(('vsw12.v', 'vsh12.v', 'vsb12.v'))} {self.vgpr()}, {LOCAL_BANKS * 4 * self.local_items}({SLOT})")
        self.emit(f"{r.choice(('vlw12.v', 'vlh12.v', 'vlbu12.v'))} {self.vgpr()}, {LOCAL_BANKS * 4 * self.local_items}({SLOT})")

    def local_bytes(self):
        return 4 * self.local_items * (LOCAL_BANKS + 1) + 4 * SHARED_WORDS

    def local_many(self):
        """Reads of several words of the input's copy... of its own slot by gen2's prefixes of local memory."""
        words = self.r.choice((2, 3, 4))
        data = self.registers(words)
        if not data:
            return
        self.emit("csrr t1, lds")
        self.emit("sub t1, a3, t1")
        self.emit(f"vmv.v.x {TEMP}, t1")
        self.emit(self.prefix_of(words, "local_"))
        self.emit(f"vlw12.v {data}, {4 * (self.local_items * (LOCAL_BANKS + 1) + 8)}({TEMP})")

    # ---- atomic operations ----

    def suffix(self):
        return self.r.choice(("", "", "", ".aq", ".rl", ".aqrl"))

    def atomic_address(self, is_far, is_shared, is_local, offset):
        base = SLOT if is_local else SCRATCH
        if is_shared:
            self.emit(f"li t1, {self.shared_at() + offset if not is_local else 4 * self.local_items * (LOCAL_BANKS + 1) + offset}")
            self.emit(f"vand.vi {TEMP}, {self.vgpr()}, 4")
            self.emit(f"vadd.vx {TEMP}, {TEMP}, t1")
            base = TEMP
            if is_local:
                self.emit(f"vadd.vx {TEMP}, {TEMP}, a3")
                return TEMP
        if is_local:
            return SLOT
        if is_far:
            self.far_address(base, "a6")
            return FAR
        self.emit(f"vadd.vx {TEMP}, {base}, a2")
        return TEMP

    def atomic(self, mnemonic=None):
        """On its own word with the old value, or on one of everybody's, without it."""
        r = self.r
        is_shared, is_local = self.chance(0.5), self.has_local and self.chance(0.4)
        is_far = self.is_gen2 and not is_local and self.chance(0.5)
        name = r.choice(AMOS if is_shared else AMOS + ("amoswap",))
        if mnemonic:
            name, is_far = mnemonic[:-2], mnemonic.endswith(".d")
            is_shared, is_local = is_shared and name != "amoswap", is_local and not is_far
        end = ".d" if is_far else ".w"
        if is_local and not is_shared:      # SLOT's first bank is read by others
            self.emit(f"li t1, {LOCAL_BANKS * 4 * self.local_items}")
            self.emit(f"vadd.vx {TEMP}, {SLOT}, t1")
            address = TEMP
        else:
            address = self.atomic_address(is_far, is_shared, is_local, 8 * AMOS.index(name) if is_shared else 0)
        self.emit(f"{name}{end}{self.suffix()} {RESULT if is_shared else self.vgpr()}, {self.vgpr()}, ({address})")

    def reserved(self):
        is_far = self.is_gen2 and self.chance(0.5)
        address = self.atomic_address(is_far, False, False, 0)
        end = ".d" if is_far else ".w"
        self.emit(f"lr{end}{self.r.choice(('', '.aq'))} {self.vgpr()}, ({address})")
        if self.chance(0.5):
            self.emit(f"vadd.vv {self.vgpr()}, {self.vgpr()}, {self.vgpr()}")
        self.emit(f"sc{end}{self.r.choice(('', '.rl'))} {self.vgpr()}, {self.vgpr()}, ({address})")

    def compare_exchange(self, address, expected, new, result):
        """As compilers write it: LR, SC, and another try if that failed."""
        retry, end = self.new_label(), self.new_label()
        self.emit(f"vmv.v.i {ZERO}, 0")
        self.place(retry)
        self.emit(f"lr.w {result}, ({address})")
        self.emit(f"la t0, {end}")
        self.emit("setrpc zero, t0, 0")
        self.emit(f"vbne {result}, {expected}, {end}")
        self.emit(f"sc.w {RESULT}, {new}, ({address})")
        self.emit(f"vbne {RESULT}, {ZERO}, {retry}")
        self.place(end)
        self.emit("join zero, zero, 0")

    def exchanged(self):
        """A compare-exchange of its own word; or many, until one of everybody's has been changed in a way that no order shows."""
        if self.chance(0.5):
            self.emit(f"vadd.vx {TEMP}, {SCRATCH}, a2")
            return self.compare_exchange(TEMP, self.vgpr(), self.vgpr(), self.vgpr())
        again, end = self.new_label(), self.new_label()
        self.atomic_address(False, True, False, 8 * len(AMOS))
        self.emit(f"la t1, {end}")
        self.place(again)
        self.emit(f"vlw12.v {OLD}, 0({TEMP})")
        self.emit(f"vadd.vv {NEW}, {OLD}, {self.vgpr()}")
        self.compare_exchange(TEMP, OLD, NEW, FOUND)
        self.emit("setrpc zero, t1, 0")
        self.emit(f"vbne {FOUND}, {OLD}, {again}")
        self.place(end)
        self.emit("join zero, zero, 0")

    # ---- loops over memory ----

    def walk(self):
        """A loop whose addresses grow evenly: along the input, or down its columns."""
        r = self.r
        if self.scalar_counter == len(SCALAR_COUNTERS):
            return self.access()
        counter, head, count = SCALAR_COUNTERS[self.scalar_counter], self.new_label(), r.randrange(1, 9)
        size, name = r.choice(((4, "vlw12.v"), (4, "vlw12.v"), (2, "vlhu12.v"), (1, "vlb12.v")))
        is_column = self.chance(0.4)
        step = size * r.choice((0, 1, 1, 2, 3, 4))
        by = size * r.choice((1, 1, 2, 4, -1, 16)) if self.chance(0.6) else 4 * self.items
        first = 512
        while first + (self.items + 1) * step + count * abs(by) + 16 > 4 * self.input_words() or first + count * min(by, 0) < 0:
            count, by = 1, size
        if is_column:
            self.emit("mv t1, a1")
        else:
            self.emit(f"li t1, {step}")
            self.emit(f"vmul.vx {OLD}, {ITEM}, t1")
            self.emit(f"addi t1, a1, {first}")
            self.emit(f"vadd.vx {OLD}, {OLD}, t1")
        self.emit(f"li t2, {4 * self.items if is_column else by}")
        self.emit(f"li {counter}, {count}")
        self.place(head)
        if is_column:
            self.emit(f"vluxei32.v {NEW}, (t1), {COLUMN}")
            self.emit("add t1, t1, t2")
        else:
            self.emit(f"{name} {NEW}, {size * r.randrange(4)}({OLD})")
            self.emit(f"vadd.vx {OLD}, {OLD}, t2")
        for _ in range(r.randrange(1, 3)):
            data = self.vgpr()
            self.emit(f"{r.choice(('vadd.vv', 'vxor.vv', 'vfadd.vv', 'vmaxu.vv', 'vmul.vv'))} {data}, {data}, {NEW}")
        if self.chance(0.3):
            self.emit(f"vadd.vx {TEMP}, {SCRATCH4}, a2")
            self.emit(f"vsw12.v {data}, {4 * r.randrange(4)}({TEMP})")
        self.emit(f"addi {counter}, {counter}, -1")
        self.emit(f"bne {counter}, zero, {head}")
