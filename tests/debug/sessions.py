#!/usr/bin/env python3
"""Whole sessions: `cy debug` with a kernel and with an OpenCL program of two queues, GDB/MI, GDB's Python."""
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
cy, tmp = os.environ['CY'], os.environ['CY_TMP']
failures = 0


def run(command, text=None):
    return subprocess.run(command, cwd=here, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors='replace', timeout=120).stdout


def check(name, output, expected):
    global failures
    at = 0
    for text in expected:
        found = output.find(text, at)
        if found < 0:
            failures += 1
            print('FAILED: %s lacks "%s":\n%s' % (name, text, output))
            return
        at = found + len(text)
    print('ok: ' + name)


def debug(name, commands, target, expected, *options):
    words = [word for command in commands for word in ('--ex', command)]
    check(name, run([cy, 'debug', '--batch', *options, *words, *target]), expected)


host = os.path.join(os.environ['CY_BUILD'], 'tests', 'debug_host')
kernel = ['control.cl', '--kernel', 'diverge', '--global', '64', '--local', '32', '--arg', 'buffer:i32:64', '--arg', '3',
          '--print', '0:4']
results = ['out 0: -14 2 -8 56', 'out 1: -14 2 -8 56']

debug('a kernel', ['break 18 if gid == 37', 'continue', 'print gid', 'continue'], kernel,
      ['hit Breakpoint 1, diverge (out=0x90000000, n=3) at control.cl:18', '= 37', '0: -7 1 -4 28'])
debug('an optimised kernel', ['break 18', 'continue', 'print gid', 'kill'], kernel, ['hit Breakpoint 1', '= 0', 'killed'],
      '-O2')
debug('instructions that GDB does not know', ['x/2i $pc', 'break diverge', 'continue', 'disassemble', 'x/i $sp', 'kill'], kernel,
      ['<_start>:\tvsetvli\tt0, zero, e32, m1, ta, ma', '<_start+4>:\tcsrr\tt0, knl', 'code for function diverge', '\tsetrpc\tzero, t0',
       '\tvblt\tv', '0x8', '<diverge+', '\tjoin\tzero', 'End of assembler dump', 'killed'], '-O2')
debug('an OpenCL program', ['break control.cl:15 if gid == 37', 'continue', 'info locals', 'step', 'bt', 'delete', 'continue'],
      ['--', host], ['hit Breakpoint 1, diverge', 'gid = 37', 'helper (a=', '#1', 'in diverge', 'exited normally'] )
debug('an OpenCL program goes on after detach', ['break second', 'continue', 'next', 'next', 'print x', 'detach'],
      ['--', host], ['hit Breakpoint 1, second (p=0x', 'int x = p[id] * 2;', 'p[id] = x;', '= -14'] + results)
# Either queue may be the first.
debug('two queues', ['break second', 'continue', 'print p', 'continue', 'continue', 'print p', 'delete', 'continue'],
      ['--', host], ['hit Breakpoint 1, second (p=0x9000', '(int *) 0x9000', 'hit Breakpoint 1, second (p=0x9000',
                     'hit Breakpoint 1, second (p=0x9000', '(int *) 0x9000', 'exited normally'])
debug('a program that is killed', ['break second', 'continue', 'kill'], ['--', host], ['hit Breakpoint 1', 'killed'])
debug('a program without kernels', ['info threads'], ['--', 'true'], ['No threads'])

python = '''python
class Stop(gdb.Breakpoint):
    seen = []
    def stop(self):
        self.seen.append(int(gdb.parse_and_eval('gid')))
        return len(self.seen) == 40
stop = Stop('control.cl:18')
gdb.execute('continue')
print('seen', len(stop.seen), stop.seen[0], stop.seen[39])
for thread in gdb.selected_inferior().threads():
    thread.switch()
    if gdb.parse_and_eval('gid') == 50:
        print('50 is', thread.name)
stop.delete()
end
continue
'''
script = os.path.join(tmp, 'python.gdb')
with open(script, 'w') as file:
    file.write(python)
check("GDB's Python", run([cy, 'debug', '--batch', '--command', script, *kernel]),
      ['seen 40 0 39', '50 is group 1 warp 0 lane 18', 'exited normally'])

mi = run([cy, 'debug', '--interpreter', 'mi3', *kernel], '\n'.join([
    '1-break-insert control.cl:18', '2-exec-continue', '3-thread-info 2', '4-stack-list-variables --simple-values',
    '5-data-evaluate-expression sum', '6-data-read-memory-bytes 0x90000000 4', '7-exec-next', '8-gdb-exit', '']))
check('GDB/MI', mi, ['1^done,bkpt={number="1"', 'line="18"', '2^running', '*stopped,reason="breakpoint-hit"', '3^done,threads=',
                     'group 0 warp 0 lane 1 active', '4^done,variables=', 'name="sum"', '5^done,value="-7"', '6^done,memory='])

# What editors ask for: objects with children that follow the kernel, frames and their variables.
mi = run([cy, 'debug', '--interpreter', 'mi2', 'chain.cl', '--kernel', 'step', '--global', '16', '--local', '8', '--arg', 'buffer:f32:192=iota', '--arg',
          'buffer:f32:16', '--arg', 'local:64', '--arg', '8'], '\n'.join([
    '1-break-insert -c "gid == 5" chain.cl:33', '2-exec-continue --all', '3-stack-list-frames --thread 6',
    '4-stack-list-variables --thread 6 --frame 0 --simple-values', '5-var-create v1 * copy', '-var-list-children v1',
    '6-var-list-children --all-values v1.pos', '7-var-create v2 * sum', '8-var-assign v2 3.5', '9-exec-next --thread 6', '10-exec-next', '11-var-update --all-values *',
    '12-break-insert depth2', '13-exec-continue', '14-stack-list-frames', '15-stack-list-variables --thread 6 --frame 2 --simple-values',
    '16-exec-finish', '17-data-evaluate-expression "&tile[2]"', '18-data-disassemble -s $pc -e "$pc + 8" -- 0', '19-gdb-exit', '']))
check('GDB/MI as editors use it', mi, [
    '1^done,bkpt={number="1"', 'thread-id="6"', '3^done,stack=[frame={level="0"', 'func="step"', 'name="gid",type="int",value="5"',
    '5^done,name="v1",numchild="3"', 'value="40",type="float"', '8^done,value="3.5"', '11^done,changelist=[{name="v2",value="0"',
    'func="depth2"', '14^done,stack=[frame={level="0"', 'func="depth2"', 'func="depth1"', 'func="step"', '15^done',
    'name="lid",type="int",value="5"', 'func="depth1"', '18^done,asm_insns='])

# A report of the checker stops before the instruction; the launch goes on, to the next report and to its end.
wrong = os.path.join(tmp, 'wrong.cl')
with open(wrong, 'w') as file:
    file.write('kernel void k(global const int *in, global int *out)\n{\n    local int t[8];\n    int i = get_local_id(0);\n'
               '    t[i] = in[i + 1];\n    out[i] = t[7 - i];\n    barrier(CLK_LOCAL_MEM_FENCE);\n    out[i] += 1;\n}\n')
debug('on after a report', ['continue', 'print i', 'continue', 'print i', 'break 8', 'continue', 'print out[3]', 'delete', 'continue'],
      [wrong, '--global', '8', '--local', '8', '--arg', 'buffer:i32:8=iota', '--arg', 'buffer:i32:8'],
      ['out-of-bounds', 'SIGSEGV', '$1 = 7', 'data-race', 'SIGSEGV', '$2 = 0', 'Breakpoint 1', '$3 = 5', 'exited normally'],
      '--check')

# GDB asks again if the answer takes long; it wants one nevertheless.
frame = lambda text: '$%s#%02x' % (text, sum(map(ord, text)) % 256)
out = run([cy, 'run', '--gdb=-', *kernel], '+' + 3 * frame('qSupported:swbreak+') + frame('vMustReplyEmpty') + frame('k'))
check('a request sent three times', out, ['PacketSize=', '$#00'])
check('and answered once', str(out.count('PacketSize=')), ['1'])

missing = subprocess.run([cy, 'debug', '--batch', *kernel], cwd=here, env={**os.environ, 'PATH': '/nowhere'}, capture_output=True,
                         text=True, timeout=60)
check('no GDB', missing.stderr, ['gdb-multiarch'])

# If something ends GDB, the program does not go on without it.
endless = os.path.join(tmp, 'endless.cl')
with open(endless, 'w') as file:
    file.write('kernel void k(global volatile int *p) { while (!p[0]); }\n')
session = subprocess.Popen([cy, 'debug', '--batch', '--ex', 'echo ready\\n', '--ex', 'continue', endless, '--global', '1', '--arg',
                            'buffer:i32:1'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
while session.stdout.readline() not in ('ready\n', ''):
    pass
for child in open('/proc/%d/task/%d/children' % (session.pid, session.pid)).read().split():
    if 'gdb' in open('/proc/%s/comm' % child).read():
        os.kill(int(child), 9)
try:
    session.wait(60)
    print('ok: GDB is killed')
except subprocess.TimeoutExpired:
    failures += 1
    print('FAILED: the program outlives GDB')
    session.kill()
sys.exit(1 if failures else 0)
