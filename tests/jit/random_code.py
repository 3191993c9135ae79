#!/usr/bin/env python3
"""Random code on the interpreter and as translated code: memory afterwards must be the same, bit for bit.

    random_code.py [--seed N] [--count N] [--march ventus-gen2] [--across] [--only-write]

Programs are made of the rows of the instruction tables, in straight runs, branches of lanes (nested, with and without an
other side) and loops whose lanes leave at different times, with and without 64-bit elements; inputs hold every kind of number.  Four shapes of workgroups are
launched; only the second divides the range, and the last one's rows are no multiples of strips.  Generation 2 adds its own rows, pairs, modified sources, and accesses by 64-bit
addresses, of several words, and to private memory.  Bytes, halves and words that are next to each other are accessed at all
strides.  With --across there are also masks in v0 and other instructions that look at
other lanes' registers, which the interpreter executes one by one.
"""
import argparse, os, random, re, struct, subprocess, sys

CY, SOURCE, TMP = os.environ['CY'], os.environ['CY_SOURCE'], os.environ['CY_TMP']
os.environ["CHENGYING_COMPILE_SECONDS"] = "600"  # a busy host must not change which engine runs what
REGS = 10            # vGPRs that programs compute with: v8 and up
ITEMS = 640

ROW = re.compile(r'^EXPR\((\w+),\s*"([^"]+)",\s*(\w+),\s*0x\w+,\s*(\w+),\s*(\w+),\s*([\w|]+),\s*(.*)\)$')
OPERANDS = {  # of formats without masks in v0
    'VV': 'd 2 1', 'VX': 'd 2 x', 'VI': 'd 2 s', 'VU': 'd 2 u', 'MAC': 'd 1 2', 'MACX': 'd x 2', 'MVV': 'd 1', 'MVX': 'd x',
    'MVI': 'd s', 'CVV': 'd 2 1', 'CVX': 'd 2 x', 'CVI': 'd 2 s', 'CVVN': 'd 2 1', 'CVXN': 'd 2 x', 'CVIN': 'd 2 s',
    'FVV': 'd 2 1', 'FVF': 'd 2 x', 'F1': 'd 2', 'FMAC': 'd 1 2', 'FMACF': 'd x 2', 'FCVV': 'd 2 1', 'FCVF': 'd 2 x',
    'VI12': 'd 1 i',
}
WIDE = {  # generation 2: D, A and B are pairs
    'WVV': 'D 2 1', 'WVX': 'D 2 x', 'WWV': 'D B A', 'WWX': 'D B x', 'WMAC': 'D 1 2', 'WMACX': 'D x 2', 'FWVV': 'D 2 1',
    'FWVF': 'D 2 x', 'FWWV': 'D B A', 'FWWF': 'D B x', 'FWMAC': 'D 1 2', 'FWMACF': 'D x 2', 'FW1': 'D 2',
}
ACROSS = {  # rows that look at other lanes' registers
    'VVM': 'd 2 1 m', 'VXM': 'd 2 x m', 'VIM': 'd 2 s m', 'FVFM': 'd 2 x m', 'CVVM': 'd 2 1 m', 'CVXM': 'd 2 x m', 'CVIM': 'd 2 s m',
    'MM': 'd 2 1', 'V1': 'd 2',
}
WITHOUT_MASK = ('MVV', 'MVX', 'MVI', 'CVVN', 'CVXN', 'CVIN', 'VI12')
WIDE_SCALAR = {'R64': 'P P P', 'I64': 'P P i', 'SHIFT64': 'P P h'}
SCALAR = {'R': 'X x x', 'I': 'X x i', 'SHIFT': 'X x h', 'FRN': 'X x x', 'FR': 'X x x', 'FUN': 'X x', 'FU': 'X x', 'FR4': 'X x x x'}
XREGS = ['s2', 's3', 's4', 's5', 's6']
XPAIRS = ['s2', 's4', 'zero']


def rows(is_wide):
    vector, scalar, pairs, across = [], [], [], []
    for name in ('rv32', 'rvv', 'ventus'):
        for line in open(f'{SOURCE}/src/isa/{name}.def'):
            match = ROW.match(line.strip())
            if not match or match[4] not in ('VENTUS', 'GEN2' if is_wide else 'GEN1'):
                continue
            if match[3] in ACROSS and not match[2].endswith('f8'):
                across.append((match[2], ACROSS[match[3]]))
            if match[3] in OPERANDS:
                vector.append((match[2], OPERANDS[match[3]]))
                if match[3] not in WITHOUT_MASK and match[2] not in ('vfmv.v.f', 'vfmv.s.f', 'vmv.s.x') and match[4] == 'VENTUS':
                    across.append((match[2], OPERANDS[match[3]] + ' t'))
                if match[3][0] != 'V' or match[3] in ('VV', 'VX', 'VI', 'VU', 'VI12'):
                    is_bit = match[3][0] == 'C' or match[3][:2] == 'FC'
                    is_float = match[3][0] == 'F' or match[2].startswith('vfmv')
                    pairs.append((match[2], OPERANDS[match[3]], is_bit, is_float))
            elif match[3] in SCALAR:
                scalar.append((match[2], SCALAR[match[3]]))
            elif is_wide and match[3] in WIDE:
                vector.append((match[2], WIDE[match[3]]))
            elif is_wide and match[3] in WIDE_SCALAR:
                scalar.append((match[2], WIDE_SCALAR[match[3]]))
    return vector, scalar, pairs, across


class Program:
    def __init__(self, seed, is_wide, is_across):
        self.r = random.Random(seed)
        self.is_wide = is_wide
        self.vector, self.scalar, self.pairs, across = rows(is_wide)
        self.rows_across = across if is_across else []
        self.lines, self.label, self.counter = [], 0, 24   # v24 and up count turns of loops
        if self.r.random() < 0.3:   # branches without floats and divisions are executed for all lanes
            self.vector = [row for row in self.vector if not re.match('vf|vdiv|vrem|vmv.s', row[0])]
        self.accesses = self.r.choice([0, 0, 0.2, 0.9, 0.9])   # with many, lanes run one by one
        self.pairs_share = self.r.choice([0, 0.3, 0.8])
        self.narrow_share = self.r.choice([0, 0.1, 0.4])
        self.slot = self.r.choice([2, 3, 4, 6, 8, 12, 16, 24, 32, 64, self.r.randrange(2, 65)])   # bytes of each item
        self.backwards = self.r.random() < 0.3   # the items' slots

    def emit(self, text):
        self.lines.append('    ' + text)

    def new_label(self):
        self.label += 1
        return f'.L{self.label}'

    def operand(self, kind):
        r = self.r
        return {'d': lambda: f'v{8 + r.randrange(REGS)}', '1': lambda: f'v{8 + r.randrange(REGS)}',
                '2': lambda: f'v{8 + r.randrange(REGS)}', 'x': lambda: r.choice(XREGS + ['zero']), 'X': lambda: r.choice(XREGS),
                's': lambda: str(r.choice([-16, -1, 0, 1, 15, r.randrange(-16, 16)])), 'u': lambda: str(r.randrange(32)),
                'i': lambda: str(r.randrange(-2048, 2048)), 'h': lambda: str(r.randrange(32)),
                'm': lambda: 'v0', 't': lambda: 'v0.t', 'P': lambda: r.choice(XPAIRS[:2]), 'D': self.pair, 'A': self.pair, 'B': self.pair}[kind]()

    def pair(self):
        return f'v{8 + 2 * self.r.randrange(REGS // 2)}'

    def prefixed(self):
        """64-bit elements; of integers also those that a register of 32 bits is extended to; sources without sign."""
        name, kinds, is_bit, is_float = self.r.choice(self.pairs)
        modifiers = [self.r.choice([0, 0, 0, self.r.randrange(8)]) for _ in range(2)]
        def one(kind):
            if kind in 'd12' and not (kind == 'd' and is_bit) and (is_float or self.r.random() < 0.9):
                return self.pair()
            return self.r.choice(XPAIRS) if kind == 'x' and is_float else self.operand(kind)
        pair = self.r.random() < 0.8
        operands = [one(k) if pair else self.operand(k) for k in kinds.split()]
        self.emit(f'prefix {int(pair)}, {modifiers[0]}, {modifiers[1]}')
        self.emit(f'{name} ' + ', '.join(operands))

    def far_address(self, index, base):
        """The pair v4: base, a pair of sGPRs, plus bytes in a vGPR, which are never negative."""
        self.emit(f'{self.r.choice(["vwmulu.vx", "vwmul.vx"])} v4, {index}, s9')
        self.emit('prefix 1, 0, 0')
        self.emit(f'vadd.vx v4, v4, {base}')

    def far_access(self):
        r = self.r
        words = r.choice([1, 1, 2, 3, 4])
        data = f'v{8 + r.randrange(REGS - words + 1)}'
        prefix = {1: [], 2: ['pre_m_64 0, 0'], 3: ['pre_m_96 0, 0'], 4: ['pre_m_128 0, 0']}[words]
        kind = r.random()
        if kind < 0.4:   # neighbours, or anywhere in the input
            index = 'v1' if r.random() < 0.5 else 'v6'
            self.emit(f'vand.vx v6, {self.operand("1")}, s8')
            self.far_address(index, 'a4')
            name = r.choice(['vlw12d.v', 'vlb12d.v', 'vlhu12d.v']) if words == 1 else 'vlw12d.v'
            for line in prefix:
                self.emit(line)
            self.emit(f'{name} {data}, {4 * r.randrange(8)}(v4)')
        elif kind < 0.7:  # two words of scratch
            words = min(words, 2)
            self.far_address('v2', 'a6')
            lines = ['pre_m_64 0, 0'] if words == 2 else []
            for name in ('vsw12d.v', 'vlw12d.v'):
                for line in lines:
                    self.emit(line)
                self.emit(f'{name} v{8 + r.randrange(REGS - 1)}, 0(v4)')
        elif kind < 0.85:
            self.emit(f'vand.vi v6, {self.operand("1")}, 4')
            bits, offset = r.choice([32, 64]), 8 * r.randrange(4)   # what is read was written: it is never cleared
            for name in ('vsw12.v', 'vlw12.v'):
                self.emit(f'pre_m_private_{bits} 0, 0')
                self.emit(f'{name} v{8 + r.randrange(REGS - 1)}, {offset}(v6)')
        else:             # atomics on scratch
            self.far_address('v2', 'a6')
            self.emit(f'{r.choice(["amoadd.d", "amoxor.d", "amomaxu.d", "amoswap.d"])} {self.operand("d")}, {self.operand("1")}, (v4)')

    def access(self):
        """A gather from the input, or a scatter to the work-item's own words behind the results, which is read back."""
        if self.is_wide and self.r.random() < 0.6:
            self.far_access()
            return
        self.emit(f'vand.vx v6, {self.operand("1")}, s8')
        if self.r.random() < 0.6:
            self.emit(f'vluxei32.v {self.operand("d")}, (a1), v6')
            return
        self.emit('vand.vi v6, v6, 4')
        self.emit('vadd.vv v6, v6, v2')
        self.emit(f'vsuxei32.v {self.operand("1")}, (a2), v6')
        self.emit(f'vluxei32.v {self.operand("d")}, (a2), v6')

    def doubles(self):
        """64-bit elements as compilers handle them: moved, loaded and stored as two words, next to operations on them."""
        kind, a, b = self.r.random(), self.pair(), self.pair()
        low, high = [int(pair[1:]) for pair in (a, b)]
        if kind < 0.3:
            self.emit(f'vmv.v.v v{low}, v{high}')
            self.emit(f'vmv.v.v v{low + 1}, v{high + 1}')
        elif kind < 0.5:   # its own words of scratch
            self.emit('vadd.vx v6, v2, a2')
            for name, first in (('vsw12.v', low), ('vlw12.v', high)):
                self.emit(f'{name} v{first}, 0(v6)')
                self.emit(f'{name} v{first + 1}, 4(v6)')
        elif kind < 0.65:  # two elements
            self.emit('vadd.vx v6, v3, a2')
            for name in ('vsw12.v', 'vlw12.v'):
                first = 8 + 2 * self.r.randrange(REGS // 2 - 1)
                for k in range(4):
                    self.emit(f'{name} v{first + k}, {4 * k}(v6)')
        else:
            name, kinds, is_bit, _ = self.r.choice([row for row in self.pairs if row[3] and 'x' not in row[1]])
            operands = [self.operand(k) if k == 'd' and is_bit else self.pair() for k in kinds.split()]
            self.emit('prefix 1, 0, 0' if self.is_wide else 'regpair 0')
            self.emit(f'{name} ' + ', '.join(operands))

    def narrow(self):
        """Several bytes, halves and words of each lane: of the input, at any stride or anywhere, or of its own slot."""
        r = self.r
        is_far, is_own = self.is_wide and r.random() < 0.5, r.random() < 0.6
        step = self.slot if is_own else r.choice([1, 2, 3, 4, 6, 8, 12, 16, 24, r.randrange(1, 33)])
        suffix, base = 'd' if is_far else '', 'v4' if is_far else 'v6'
        kind = 'own' if is_own else r.choice(['stride', 'line', 'anywhere'])
        if kind == 'anywhere':
            step = 4
            self.emit(f'vand.vx v6, {self.operand("1")}, s8')
        elif kind == 'line':
            step = 8
            self.emit(f'andi t1, {self.operand("X")}, 24')
        else:
            self.emit(f'li t1, {-step if is_own and self.backwards else step}')
        if kind != 'anywhere':
            self.emit('vsrl.vi v6, v1, 2')
            self.emit('vmul.vx v6, v6, t1')
        if is_own:
            self.emit(f'li t1, {4 * ITEMS * (REGS + 6) + (ITEMS - 1) * step * self.backwards}')
            self.emit('vadd.vx v6, v6, t1')
        if is_far:
            self.far_address('v6', 'a6' if is_own else 'a4')
        else:
            self.emit(f'vadd.vx v6, v6, {"a2" if is_own else "a1"}')
        length, at = min(step, 16) if is_own else r.randrange(2, 13), 0
        sizes = [size for size in (1, 1, 2, 2, 4) if step % size == 0]
        is_store, places = is_own and r.random() < 0.6, []
        while at < length:
            size = r.choice([size for size in sizes if at % size == 0 and (not is_own or at + size <= step)])
            if r.random() < 0.9:
                places.append((at, size))
            at += size
        if r.random() < 0.3:
            r.shuffle(places)
        for at, size in places:
            name = {1: r.choice(['vlb12', 'vlbu12']), 2: r.choice(['vlh12', 'vlhu12']), 4: 'vlw12'}[size]
            name = {1: 'vsb12', 2: 'vsh12', 4: 'vsw12'}[size] if is_store else name
            self.emit(f'{name}{suffix}.v {self.operand("d")}, {at}({base})')
            if r.random() < 0.1:
                self.emit(f'vadd.vv {self.operand("d")}, {self.operand("1")}, {self.operand("2")}')

    def look_across(self):
        kind = self.r.random()
        if kind < 0.2:   # another mask
            self.emit(f'vmv.v.v v0, {self.operand("1")}')
        elif kind < 0.3:
            self.emit(f'{self.r.choice(["vmv1r.v", "vmv2r.v"])} {self.pair()}, {self.pair()}')
        elif kind < 0.4:
            self.emit(f'vand.vx v6, {self.operand("1")}, s8')
            self.emit(f'vluxei32.v {self.operand("d")}, (a1), v6, v0.t')
        elif kind < 0.5:
            self.emit(f'vsuxei32.v {self.operand("1")}, (a2), v2, v0.t')
            self.emit(f'vluxei32.v {self.operand("d")}, (a2), v2')
        elif kind < 0.55:
            self.emit(f'{self.r.choice(["vle8.v", "vle32.v", "vle16.v"])} {self.operand("d")}, (a1)')
        elif kind < 0.6:
            self.emit('li t1, 12')
            self.emit(f'vlse32.v {self.operand("d")}, (a1), t1, v0.t')
        elif kind < 0.65:
            self.emit(f'vid.v {self.operand("d")}, v0.t')
        elif kind < 0.7:
            self.emit('vftta.vv v8, v9, v10')
        else:
            name, kinds = self.r.choice(self.rows_across)
            self.emit(f'{name} ' + ', '.join(self.operand(k) for k in kinds.split()))

    def straight(self, length, uniform):
        for _ in range(length):
            if self.rows_across and self.r.random() < 0.3:
                self.look_across()
                continue
            if self.r.random() < self.accesses:
                self.access()
                continue
            if self.r.random() < self.narrow_share:
                self.narrow()
                continue
            if self.r.random() < self.pairs_share:
                self.doubles()
                continue
            if self.is_wide and self.r.random() < 0.3:
                self.prefixed()
                continue
            name, kinds = self.r.choice(self.scalar if uniform and self.r.random() < 0.2 else self.vector)
            self.emit(f'{name} ' + ', '.join(self.operand(k) for k in kinds.split()))

    def branch(self, target):
        name = self.r.choice(['vbeq', 'vbne', 'vblt', 'vbge', 'vbltu', 'vbgeu'])
        a, b = self.operand('1'), self.operand('2')
        if self.r.random() < 0.5:   # by the parity of something: lanes surely differ
            self.emit(f'vand.vi v6, {a}, 1')
            self.emit('vmv.v.i v7, 0')
            name, a, b = self.r.choice(['vbeq', 'vbne']), 'v6', 'v7'
        self.emit(f'{name} {a}, {b}, {target}')

    def meet_at(self, label):
        self.emit(f'la t0, {label}')
        self.emit('setrpc zero, t0, 0')

    def choice(self, depth):
        other, end = self.new_label(), self.new_label()
        self.meet_at(end)
        if self.r.random() < 0.5:
            self.branch(end)
            self.block(depth - 1)
        else:
            self.branch(other)
            self.block(depth - 1)
            self.emit(f'j {end}')
            self.lines.append(f'{other}:')
            self.block(depth - 1)
        self.lines.append(f'{end}:')
        self.emit('join zero, zero, 0')

    def loop(self, depth):
        head, end = self.new_label(), self.new_label()
        counter, self.counter = self.counter, self.counter + 1
        self.emit(f'vand.vi v{counter}, {self.operand("1")}, 7')
        self.lines.append(f'{head}:')
        self.meet_at(end)
        self.emit('vmv.v.i v7, 0')
        self.emit(f'vbeq v{counter}, v7, {end}')
        self.emit(f'vadd.vi v{counter}, v{counter}, -1')
        self.block(depth - 1)
        self.emit(f'j {head}')
        self.lines.append(f'{end}:')
        self.emit('join zero, zero, 0')

    def block(self, depth, uniform=False):
        for _ in range(self.r.randrange(1, 4)):
            self.straight(self.r.randrange(1, 6), uniform)
            if depth and self.counter < 60:
                self.r.choice([self.choice, self.choice, self.loop])(depth)

    def text(self):
        self.lines = []
        self.emit('lw a1, 0(a0)')          # what is read, word r of item i at 4 * (r * ITEMS + i)
        self.emit('lw a2, 4(a0)')
        self.emit('csrr s0, knl')
        self.emit('csrr t0, gidx')
        self.emit('lw t1, 24(s0)')
        self.emit('mul t0, t0, t1')
        self.emit('lw t1, 28(s0)')
        self.emit('mul t0, t0, t1')
        self.emit('csrr t1, tid')
        self.emit('add t0, t0, t1')
        self.emit('vid.v v0')
        self.emit('vadd.vx v0, v0, t0')
        self.emit('vsll.vi v1, v0, 2')
        self.emit(f'li s8, {4 * 2047}')    # bytes of the input that gathers read
        self.emit(f'li t1, {4 * ITEMS * REGS}')
        self.emit('vsll.vi v2, v0, 3')     # two words of scratch
        self.emit('vadd.vx v2, v2, t1')
        self.emit(f'li t1, {4 * ITEMS * (REGS + 2)}')
        self.emit('vsll.vi v3, v0, 4')     # four more
        self.emit('vadd.vx v3, v3, t1')
        for i in range(REGS):
            self.emit(f'li t1, {4 * ITEMS * i}')
            self.emit('add t1, t1, a1')
            self.emit(f'vluxei32.v v{8 + i}, (t1), v1')
        for i, name in enumerate(XREGS):
            self.emit(f'lw {name}, {16 * i}(a1)')
        if self.is_wide:
            for line in ('mv a4, a1', 'li a5, 0', 'mv a6, a2', 'li a7, 0', 'li s9, 1'):
                self.emit(line)
        self.block(2, True)
        self.straight(4, True)
        for i in range(REGS):
            self.emit(f'li t1, {4 * ITEMS * i}')
            self.emit('add t1, t1, a2')
            self.emit(f'vsuxei32.v v{8 + i}, (t1), v1')
        self.emit('endprg x0, x0, x0')
        return (f'    .ventus_kernel k, vgpr=64, sgpr=64, lds=0, pds={64 * self.is_wide}\n    .section .cy.lanes,"",@progbits\n    .asciz "k"\n'
                '    .text\nk:\n' + '\n'.join(self.lines) + '\n')


def numbers(seed):
    r = random.Random(seed)
    special = [0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
               0xffc12345, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x4b000000, 0xcf000000, 0x4f800000]
    def one():
        return r.choice(special) if r.random() < 0.3 else struct.unpack('<I', struct.pack('<f', r.uniform(-100, 100)))[0] \
            if r.random() < 0.4 else r.randrange(40) if r.random() < 0.5 else r.getrandbits(32)
    return struct.pack(f'<{REGS * ITEMS}I', *(one() for _ in range(REGS * ITEMS)))


def launch(march, source, data, engine, shape, out):
    command = [CY, 'run', f'-march={march}', source, '--engine', engine, '--global', shape[0], '--local', shape[1], '--arg', f'buffer:u32=@{data}',
               '--arg', f'buffer:u32:{(REGS + 22) * ITEMS}', '--out', f'1={out}', '--no-progress']
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode or 'the interpreter ran' in run.stderr:
        sys.exit(f'{" ".join(command)}\n{run.stdout}{run.stderr}')
    return open(out, 'rb').read()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=6)
    parser.add_argument('--march', default='ventus')
    parser.add_argument('--only-write', action='store_true', help='write the programs and their data to $CY_TMP')
    parser.add_argument('--across', action='store_true')
    options = parser.parse_args()
    failed = 0
    for seed in range(options.seed, options.seed + options.count):
        source, data = f'{TMP}/{seed}.s', f'{TMP}/{seed}.bin'
        open(source, 'w').write(Program(seed, options.march == 'ventus-gen2', options.across).text())
        open(data, 'wb').write(numbers(seed))
        if options.only_write:
            continue
        for shape in (str(ITEMS), '200'), (str(ITEMS), '64'), (str(ITEMS), '48'), ('60,8', '17,8'):
            want = launch(options.march, source, data, 'interp', shape, f'{TMP}/interp.bin')
            got = launch(options.march, source, data, 'jit', shape, f'{TMP}/jit.bin')
            wrong = [i for i in range(0, len(want), 4) if want[i:i + 4] != got[i:i + 4]]
            if wrong:
                failed += 1
                i = wrong[0]
                print(f'seed {seed}, local size {shape[1]}: {len(wrong)} words differ, first v{8 + i // 4 // ITEMS} (from v18 on: scratch) of item '
                      f'{i // 4 % ITEMS}: {want[i:i + 4][::-1].hex()} interpreted, {got[i:i + 4][::-1].hex()} translated')
    if not options.only_write:
        print(f'{options.count} programs in four shapes, {failed} differ')
    sys.exit(failed != 0)


main()
