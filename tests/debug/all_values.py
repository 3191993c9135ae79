#!/usr/bin/env python3
"""Variables show what the kernels of all tests print themselves.

    all_values.py [--part] [WORD...]    --part: two kernels of the files in PART; WORD: only files with one in their path

clang's syntax tree says where a function assigns to its variables; there, a copy of the file prints them, and GDB stops at
these lines and reads them: at -O0 and -O2, for both generations.  At -O0 every one must be known; at -O2 a variable may be
optimised out, but must not be wrong.
"""
import concurrent.futures
import glob
import json
import os
import random
import re
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
cy, tmp, source = os.environ['CY'], os.environ['CY_TMP'], os.environ['CY_SOURCE']
SCALARS = {'char': 8, 'unsigned char': 8, 'short': 16, 'unsigned short': 16, 'int': 32, 'unsigned int': 32, 'long': 64,
           'unsigned long': 64, 'bool': 8, 'float': 32}
SHORT = {'char': 'i8', 'uchar': 'u8', 'short': 'i16', 'ushort': 'u16', 'int': 'i32', 'uint': 'u32', 'long': 'i64', 'ulong': 'u64',
         'float': 'f32'}
ITEM = ('(int)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0))')
MOST_ITEMS = 256
PART = ('kernels/control/loops.cl', 'regress/pointer_in_branches.cl', 'regress/step_ahead.cl')
PATIENCE = 300  # seconds; only a GDB that hangs needs as many


# ---- the copy that prints ----

def scalar_of(variable):
    """How a variable is printed, and read in GDB; None: not at all."""
    kind = variable['type']
    name, plain = kind['qualType'], kind.get('desugaredQualType', kind['qualType'])
    if variable.get('storageClass') or '__' in name.replace('__private', ''):
        return None
    for word in ('__private', 'const', 'volatile'):
        name, plain = (re.sub(r'\b%s\b' % word, '', text).strip() for text in (name, plain))
    if plain in SCALARS:
        return ('as_int({0})' if plain == 'float' else '{0}'), '{0}'
    vector = re.fullmatch(r'(u?(?:char|short|int|long)|float)(2|3|4|8|16)', name)
    if vector:
        last = int(vector[2]) - 1
        return ('as_int({0}.s%x)' % last if vector[1] == 'float' else '{0}.s%x' % last), '{0}[%d]' % last
    return None


def offset_of(place):
    return place['offset'] if 'offset' in place and 'includedFrom' not in place else None


class Copy:
    def __init__(self, path, options):
        self.text = open(path).read()
        self.points = []  # (offset in the text, [(name, how to print, how to read)])
        command = ['clang-19', '-target', 'spir-unknown-unknown', '-cl-std=CL1.2', *options, '-fsyntax-only', '-w', '-Xclang',
                   '-fdeclare-opencl-builtins', '-Xclang', '-finclude-default-header', '-Xclang', '-ast-dump=json', path]
        tree = json.loads(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout)
        for node in tree['inner']:
            at = offset_of(node.get('loc', {}))
            body = [part for part in node.get('inner', []) if part['kind'] == 'CompoundStmt']
            if node['kind'] != 'FunctionDecl' or not body or at is None or not self.text.startswith(node['name'], at):
                continue
            scope = {}
            for part in node['inner']:
                if part['kind'] == 'ParmVarDecl' and 'name' in part and scalar_of(part):
                    scope[part['name']] = scalar_of(part)
            self.visit_block(body[0], scope, list(scope)[-1:])

    def add(self, offset, scope, first):
        if offset is None or not first:
            return
        others = [name for name in reversed(scope) if name not in first][:3]
        self.points.append((offset, [(name, *scope[name]) for name in first[:3] + others]))

    def end_of(self, node):
        end = node['range']['end']
        if offset_of(end) is None or offset_of(node['range']['begin']) is None:
            return None
        at = end['offset'] + (0 if self.text[end['offset']] == ';' else end['tokLen'])
        match = re.match(r'\s*;', self.text[at:])
        return at + match.end() if match else None

    def visit_block(self, block, scope, at_start=()):
        scope, hidden = dict(scope), set()
        begin = offset_of(block['range']['begin'])
        if begin is not None and self.text[begin] == '{':
            self.add(begin + 1, scope, list(at_start))
        for node in block.get('inner', []):
            changed = []
            if node['kind'] == 'DeclStmt':
                for variable in node['inner']:
                    if variable['kind'] != 'VarDecl':
                        continue
                    scope.pop(variable['name'], None)
                    hidden.discard(variable['name'])
                    how = scalar_of(variable)
                    if how and 'init' in variable:
                        scope[variable['name']] = how
                        changed.append(variable['name'])
                    elif not how:
                        hidden.add(variable['name'])
            elif node['kind'] in ('BinaryOperator', 'CompoundAssignOperator') and node['opcode'].endswith('=') and \
                    node['opcode'] not in ('==', '!=', '<=', '>='):
                left = node['inner'][0]
                variable = left.get('referencedDecl', {}) if left['kind'] == 'DeclRefExpr' else {}
                if variable.get('name') in scope:
                    changed.append(variable['name'])
            else:
                self.visit(node, scope)
            if changed:
                self.add(self.end_of(node), scope, changed)

    def visit(self, node, scope):
        """Blocks inside a statement."""
        if node['kind'] == 'CompoundStmt':
            self.visit_block(node, scope)
        elif node['kind'] == 'ForStmt':
            inner = dict(scope)
            counters = []
            for variable in node['inner'][0].get('inner', []) if node['inner'][0].get('kind') == 'DeclStmt' else []:
                inner.pop(variable.get('name'), None)
                if variable['kind'] == 'VarDecl' and scalar_of(variable) and 'init' in variable:
                    inner[variable['name']] = scalar_of(variable)
                    counters.append(variable['name'])
            body = node['inner'][-1]
            if body.get('kind') == 'CompoundStmt':
                self.visit_block(body, inner, counters)
            elif 'kind' in body:
                self.visit(body, inner)
        elif node['kind'] in ('IfStmt', 'WhileStmt', 'DoStmt'):
            for part in node.get('inner', []):
                if part.get('kind', '').endswith('Stmt') and part['kind'] != 'DeclStmt':
                    self.visit(part, scope)

    def write(self, path):
        """The file, and what its lines show."""
        out, last, shows = '', 0, {}
        for offset, values in sorted(self.points, key=lambda p: p[0]):
            out += self.text[last:offset] + '\n'
            last = offset
            shows[out.count('\n') + 1] = [read.format(name) for name, _, read in values]
            out += 'printf("@ %%d %%d%s\\n", __LINE__, %s, %s);\n' % (
                ' %lx' * len(values), ITEM, ', '.join('(long)(%s)' % how.format(name) for name, how, _ in values))
        out += self.text[last:]
        with open(path, 'w') as file:
            file.write(out)
        return shows


# ---- how a file is launched ----

def number(text):
    try:
        return int(text, 0)
    except ValueError:
        return float.fromhex(text) if 'x' in text else float(text)


def fill(words, kind, count):
    """Data like those of the runner of tests/kernels."""
    dice = random.Random(1)
    how, numbers = words[0], [number(w) for w in words[1:]] if words[0] != 'list' else []
    low, high = (numbers + [0, 100])[:2] if len(numbers) != 1 else (0, numbers[0])
    if how == 'zero':
        values = [0] * count
    elif how == 'value':
        values = [numbers[0]] * count
    elif how == 'iota':
        start, step = (numbers + [0, 1][len(numbers):])[:2]
        values = [start + i * step for i in range(count)]
    elif how == 'list':
        values = [number(v) for v in words[1].split(',')]
        values = (values * count)[:count]
    elif how == 'perm':
        values = dice.sample(range(count), count)
    elif how == 'steps':
        values = [0]
        while len(values) < count:
            values.append(values[-1] + dice.randint(int(low), int(high)))
    else:
        values = [dice.uniform(low, high) if kind == 'float' else dice.randint(int(low), int(high)) for _ in range(count)]
    return values if kind == 'float' else [int(v) for v in values]


class Launch:
    """The first run of each kernel, with one work-group."""

    def __init__(self, kernel, sizes, arguments, parameters, data):
        match = re.match(r'([\dx]+)(?:/([\dx]+))?(?:\+([\dx]+))?$', sizes)
        self.kernel, self.arguments = kernel, []
        size = [int(n) for n in (match[2] or match[1]).split('x')]
        while not match[2] and self.count(size) > MOST_ITEMS:
            size[size.index(max(size))] //= 2
        self.size = ','.join(map(str, size))
        self.offset = match[3].replace('x', ',') if match[3] else None
        self.is_large = self.count(size) > MOST_ITEMS
        for argument in arguments:
            parameter = parameters[len(self.arguments)] if len(self.arguments) < len(parameters) else ''
            if argument in data:  # the tests give doubles by their bits
                self.arguments.append(re.sub('^buffer:[iu]64', 'buffer:f64', data[argument]) if 'double' in parameter else data[argument])
            elif argument.startswith('local:'):
                self.arguments.append(argument)
            else:
                kind, _, values = argument.partition(':')
                if re.match(r'\s*\w+3\s', parameter):  # as large as four
                    values = ','.join(values.split(',')[:3])
                self.arguments.append('%s:%s' % (SHORT.get(kind, kind), values))

    @staticmethod
    def count(size):
        product = 1
        for n in size:
            product *= n
        return product

    def words(self):
        words = ['--kernel', self.kernel, '--global', self.size, '--local', self.size]
        words += ['--offset', self.offset] if self.offset else []
        return words + [word for argument in self.arguments for word in ('--arg', argument)]


def read_case(path, folder):
    options, launches, data, seen = [], [], {}, set()
    text = open(path).read()
    for line in text.splitlines():
        match = re.match(r'//\s*(options|data|run|gives): (.*)', line)
        if not match:
            continue
        words = match[2].split()
        if match[1] == 'options':
            options += words
        elif match[1] == 'gives':
            data = {}
        elif match[1] == 'data':
            kind, count = re.match(r'(\w+)\[(\d+)\]', words[1]).groups()
            values = fill(words[2:], kind, int(count))
            file = os.path.join(folder, '%s%d.txt' % (words[0], len(glob.glob(os.path.join(folder, '*.txt')))))
            with open(file, 'w') as out:
                out.write(' '.join(map(str, values)) + '\n')
            data[words[0]] = 'buffer:%s:%s=@%s' % (SHORT[kind], count, file)
        elif words[0] not in seen:
            seen.add(words[0])
            parameters = re.search(r'kernel\s+void\s+%s\s*\(([^)]*)' % words[0], text)
            launches.append(Launch(words[0], words[1], words[2:], parameters[1].split(',') if parameters else [], data))
    return options, [launch for launch in launches if not launch.is_large]


# ---- both sides ----

def through_gdb(name, program, launch, shows, out, most):
    command = '%s run --gdb=- --sms 1 %s %s 2>%s' % (cy, ' '.join(launch.words()), program, out)
    open(out, 'w').close()
    script = os.path.join(here, 'values_in_gdb.py')
    python = 'python print("RESULT", collect_some(%r, %r, %r, %r, %d))' % (name, command, shows, out, most)
    try:
        text = subprocess.run(['gdb-multiarch', '-nx', '-q', '-batch', '-ex', 'set remotetimeout 300', '-ex', 'set pagination off',
                               '-ex', 'set confirm off', '-x', script, '-ex', python], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, errors='replace').stdout
    except subprocess.TimeoutExpired:
        return None, 'GDB hangs'
    found = re.search('^RESULT (.*)$', text, re.M)
    return (eval(found[1]), '') if found else (None, text[-1500:])


def compare(where, read, out, level):
    printed = {}
    for line in open(out, errors='replace'):
        match = re.match(r'@ (\d+) (\d+)((?: [0-9a-f]+)+)$', line)
        if match:
            printed.setdefault((int(match[1]), int(match[2])), []).append([int(v, 16) for v in match[3].split()])
    known, unknown, wrong = 0, 0, []
    for line, item, before, values in read:
        prints = printed.get((line, item), [])
        if before >= len(prints):
            continue  # the session ended before the print
        for (name, value), expected in zip(values, prints[before]):
            if isinstance(value, str):
                unknown += 1
                if level == '0':
                    wrong.append('%s line %d item %d: %s is not known: %s' % (where, line, item, name, value))
            elif value != expected and not (value < 0 and value + (1 << 64) == expected) and value != 'nan':
                wrong.append('%s line %d item %d: GDB reads %s = %#x, the kernel prints %#x' % (
                    where, line, item, name, value, expected))
            else:
                known += 1
    return known, unknown, wrong


def check(job):
    path, part = job
    name = os.path.relpath(path, os.path.join(source, 'tests'))
    folder = os.path.join(tmp, name.replace('/', '-'))
    os.makedirs(folder, exist_ok=True)
    options, launches = read_case(path, folder)
    copy = os.path.join(folder, os.path.basename(path))
    shows = Copy(path, options).write(copy)
    result = {'0': [0, 0], '2': [0, 0]}
    problems = []
    for march, level in (('ventus', '0'), ('ventus', '2'), ('ventus-gen2', '0'), ('ventus-gen2', '2')):
        program = os.path.join(folder, '%s.O%s' % (march, level))
        done = subprocess.run([cy, 'cc', '-g', '-march=' + march, '-O' + level, '-w', *options, '-o', program, copy],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            problems.append('%s: the copy that prints does not compile: %s' % (name, done.stdout[:600]))
            break
        for launch in launches[:2 if part else None]:
            where = '%s %s -O%s %s' % (name, march, level, launch.kernel)
            out = os.path.join(folder, 'out')
            read, why = through_gdb(os.path.basename(path), program, launch, shows, out, 12 if part else 60)
            if read is None:
                problems.append('%s: GDB did not reach the end: %s' % (where, why))
                continue
            known, unknown, wrong = compare(where, read, out, level)
            problems += wrong[:3] + (['%s: %d more' % (where, len(wrong) - 3)] if len(wrong) > 3 else [])
            result[level][0] += known
            result[level][1] += unknown
    return name, result, problems


def main():
    part, words = '--part' in sys.argv, [w for w in sys.argv[1:] if not w.startswith('--')]
    files = sorted(glob.glob(os.path.join(source, 'tests/kernels/*/*.cl')) + glob.glob(os.path.join(source, 'tests/regress/*.cl')))
    files = [f for f in files if 'kernels/asm/' not in f and (not words or any(w in f for w in words))]
    if part:
        files = [f for f in files if os.path.relpath(f, os.path.join(source, 'tests')) in PART]
    total, failed = {'0': [0, 0], '2': [0, 0]}, 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, result, problems in pool.map(check, [(f, part) for f in files]):
            for level in result:
                total[level] = [a + b for a, b in zip(total[level], result[level])]
            failed += len(problems)
            for line in problems:
                print(line, flush=True)
    print('%d files; -O0: %d values right, %d not known; -O2: %d right, %d optimised out; %d problems' % (
        len(files), *total['0'], *total['2'], failed))
    sys.exit(1 if failed or not total['0'][0] or not total['2'][0] else 0)


main()
