#!/usr/bin/env python3
"""Stock GDB on our machine: the scenarios of scenarios/*.txt, all in one process of gdb-multiarch.

    == name of the scenario
    run: KERNEL[:LEVEL[:MARCH]] arguments of cy run KERNEL.cl, compiled with -g at -O0 or -O2, through a pipe
    serve: the same                                 through a socket, for what goes on after GDB has left
    > command of GDB
    text that its output contains, after the line before
    ! text that it does not contain

Numbers of breakpoints count from the start of the scenario.
"""
import glob
import os
import re
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
cy, tmp = os.environ['CY'], os.path.relpath(os.environ['CY_TMP'], here)
MARK = '@@@@ '
PATIENCE = int(os.environ.get('CY_PATIENCE', '200'))  # seconds; only a GDB that hangs needs as many


def compiled(kernel):
    name, level, march = (kernel.split(':') + ['', ''])[:3]
    level, march = level or '0', march or 'ventus'
    program = os.path.join(tmp, '%s.O%s.%s' % (name, level, march))
    if not os.path.exists(os.path.join(here, program)):
        subprocess.check_call([cy, 'cc', '-g', '-march=' + march, '-cl-std=CL3.0', '-O' + level, '-o', program,
                               name + '.cl'], cwd=here)
    return program


def launch(line, where):
    kernel, name, *arguments = line.split()
    return ' '.join([cy, 'run', '--gdb=' + where, '--sms', '1', compiled(kernel), '--kernel', name] + arguments)


class Script:
    def __init__(self):
        self.lines, self.checks, self.servers = [], [], 0

    def command(self, text, name, expected, shown):
        self.lines += ['echo \\n%s%d\\n' % (MARK, len(self.checks)), text]
        self.checks.append((name, shown, expected))

    def start(self, line, name, expected):
        kind, rest = line.split(': ', 1)
        if kind == 'run':
            self.command('target remote | ' + launch(rest, '-'), name, expected, line)
            return
        self.servers += 1
        place = os.path.join(tmp, 'gdb%d' % self.servers)
        self.lines.append('shell (%s >%s.out 2>&1; echo ended >>%s.out) & until test -S %s; do sleep 0.01; done' % (
            launch(rest, place), place, place, place))
        self.place = place
        self.command('target remote ' + place, name, expected, line)

    def scenario(self, name, lines):
        self.lines.append('echo \\n%sbase \\n' % MARK)
        self.lines.append('output $_isvoid($bpnum) ? 0 : $bpnum')
        parts = []
        for line in lines:
            if line.startswith(('run: ', 'serve: ', '> ')):
                parts.append((line, []))
            else:
                parts[-1][1].append(line)
        for line, expected in parts:
            if line == '> output':  # of a server, when it has ended
                text = 'shell until grep -q "^ended" %s.out; do sleep 0.01; done; cat %s.out'
                self.command(text % (self.place, self.place), name, expected, line)
            elif line == '> connect':  # once more
                self.command('target remote ' + self.place, name, expected, line)
            elif line.startswith('> '):
                self.command(line[2:], name, expected, line)
            else:
                self.start(line, name, expected)
        self.lines += ['echo \\n%send\\n' % MARK, 'delete', 'kill', 'set scheduler-locking replay']


def missing(output, expected, base):
    """The first expectation that is not met; None: all are."""
    at = 0
    for text in expected:
        text = re.sub('(reakpoint|atchpoint) ([0-9]+)', lambda m: '%s %d' % (m[1], int(m[2]) + base), text)
        if text.startswith('! '):
            if text[2:] in output:
                return text
            continue
        found = output.find(text, at)
        if found < 0:
            return text
        at = found + len(text)
    return None


def evaluate(script, output):
    base, failed, transcript, current = 0, set(), '', None
    for piece in output.split('\n' + MARK)[1:]:
        head, _, text = piece.partition('\n')
        if head.startswith('base'):
            base, transcript = int(text.strip().split('\n')[0] or 0), ''
            continue
        if not head.strip().isdigit():
            continue
        name, shown, expected = script.checks[int(head)]
        transcript += '%s\n%s' % (shown, text)
        problem = missing(text, expected, base)
        current = int(head)
        if problem is not None and name not in failed:
            failed.add(name)
            print('FAILED: %s: the output of "%s" lacks "%s"\n%s\n' % (name, shown, problem, transcript))
    if current != len(script.checks) - 1:
        failed.add('the end')
        print('FAILED: GDB ended early:\n' + output[-2000:])
    return failed


def main():
    files = sys.argv[1:] or sorted(glob.glob(os.path.join(here, 'scenarios', '*.txt')))
    script, count = Script(), 0
    for setting in ('prompt', 'pagination off', 'confirm off', 'width 0', 'print thread-events off'):
        script.lines.append('set ' + setting)
    for path in files:
        for text in ('\n' + open(path).read()).split('\n== ')[1:]:
            lines = [line for line in text.splitlines() if line]
            script.scenario('%s: %s' % (os.path.basename(path), lines[0]), lines[1:])
            count += 1
    gdb = subprocess.Popen(['gdb-multiarch', '-nx', '-q'], cwd=here, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, errors='replace')
    try:
        output = gdb.communicate('\n'.join(script.lines) + '\nquit\n', timeout=PATIENCE)[0]
    except subprocess.TimeoutExpired:
        gdb.kill()
        output = gdb.communicate()[0]
    failed = evaluate(script, output)
    print('%d scenarios, %d failed' % (count, len(failed)))
    sys.exit(1 if failed or not count else 0)


main()
