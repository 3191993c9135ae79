#!/usr/bin/env python3
"""-g does not change the code, and llvm-dwarfdump finds nothing wrong: at both levels."""
import glob
import os
import subprocess
import sys

cy, tmp, source = os.environ['CY'], os.environ['CY_TMP'], os.environ['CY_SOURCE']
failed = 0


def code(path, level, *options):
    program = os.path.join(tmp, 'program')
    done = subprocess.run([cy, 'cc', '-cl-std=CL3.0', '-O' + level, *options, '-o', program, path],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        return None, done.stdout
    return program, subprocess.run([cy, 'dis', program], stdout=subprocess.PIPE, text=True, check=True).stdout


files = sorted(glob.glob(os.path.join(source, 'tests/debug/**/*.cl'), recursive=True))
for path in files:
    for level in '0', '2':
        plain = code(path, level)[1]
        program, debugged = code(path, level, '-g')
        name = '%s -O%s' % (os.path.relpath(path, source), level)
        if plain != debugged:
            failed += 1
            print('FAILED: %s: the code is another one with -g' % name)
        if not program:
            continue
        verify = subprocess.run(['llvm-dwarfdump-19', '--verify', program], stdout=subprocess.PIPE, text=True)
        if verify.returncode or 'No errors.' not in verify.stdout:
            failed += 1
            print('FAILED: %s:\n%s' % (name, verify.stdout[-1500:]))
print('%d kernels at two levels, %d failed' % (len(files), failed))
sys.exit(1 if failed or len(files) < 5 else 0)
