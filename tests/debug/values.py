#!/usr/bin/env python3
"""Variables show what the kernel itself prints: values/*.cl print variables by SHOW(x); GDB stops there and reads the same ones.

At -O0 every one must be known.  At -O2 it may be optimised out, but must not be wrong, and most must be known.
"""
import collections
import glob
import os
import re
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
cy, tmp = os.environ['CY'], os.environ['CY_TMP']
march = os.environ.get('CY_MARCH', 'ventus')
ITEMS = 32
ARGUMENTS = {'loops': ['--arg', '5'], 'kinds': ['--arg', '3'], 'pressure': ['--arg', 'buffer:i32:%d=iota' % ITEMS]}


def through_gdb(kernel, path, program, out):
    command = '%s run --gdb=- --sms 1 --global %d --local %d --arg buffer:i32:%d %s %s 2>%s' % (
        cy, ITEMS, ITEMS, ITEMS, ' '.join(ARGUMENTS[kernel]), program, out)
    script = os.path.join(here, 'values_in_gdb.py')
    python = 'python print("RESULT", collect(%r, %r))' % (path, command)
    text = subprocess.run(['gdb-multiarch', '-nx', '-q', '-batch', '-ex', 'set remotetimeout 300', '-ex', 'set pagination off',
                           '-ex', 'set confirm off', '-x', script, '-ex', python], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, cwd=here).stdout
    found = re.search('^RESULT (.*)$', text, re.M)
    if not found:
        sys.exit('%s: GDB did not reach the end:\n%s' % (kernel, text[-3000:]))
    return eval(found[1])


def check(path, level):
    kernel = os.path.basename(path)[:-3]
    program, out = os.path.join(tmp, kernel + level), os.path.join(tmp, kernel + level + '.out')
    subprocess.check_call([cy, 'cc', '-march=' + march, '-g', '-O' + level, '-o', program, path], cwd=here)
    read = through_gdb(kernel, path, program, out)
    printed = collections.defaultdict(list)
    for line, item, value in re.findall(r'^(\d+) .* (-?\d+) (-?\d+)$', open(out).read(), re.M):
        printed[int(line), int(item)].append(int(value))
    known = wrong = unknown = 0
    for line, thread, value in read:
        key = line, thread - 1  # the first launch, one workgroup: threads are work-items, from 1
        if not printed[key]:
            print('%s -O%s line %d item %d: a stop without a print' % (kernel, level, line, key[1]))
            wrong += 1
            continue
        expected = printed[key].pop(0)
        if isinstance(value, str):
            unknown += 1
        elif value != expected:
            wrong += 1
            print('%s -O%s line %d item %d: GDB reads %d, the kernel prints %d' % (
                kernel, level, line, key[1], value, expected))
        else:
            known += 1
    left = sum(len(values) for values in printed.values())
    print('%s -O%s: %d right, %d optimised out, %d wrong, %d prints without a stop' % (
        kernel, level, known, unknown, wrong, left))
    return not wrong and known and (level == '2' or (not unknown and not left)), known, unknown


def main():
    ok, known, unknown = True, 0, 0
    for path in sorted(sys.argv[1:] or glob.glob(os.path.join(here, 'values', '*.cl'))):
        for level in '0', '2':
            good, right, out = check(path, level)
            ok &= bool(good)
            if level == '2':
                known, unknown = known + right, unknown + out
    print('-O2: %d of %d known' % (known, known + unknown))
    sys.exit(0 if ok and known > unknown else 1)


main()
