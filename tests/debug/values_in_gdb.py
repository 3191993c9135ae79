"""Runs inside GDB: stops at every SHOW(x) of a kernel and reads x in all active lanes of the warp."""
import gdb


def collect(kernel_file, command):
    shows = {}
    for number, line in enumerate(open(kernel_file), 1):
        if 'SHOW(' in line and not line.startswith('#define'):
            shows[number] = line.split('SHOW(')[1].split(');')[0]
    gdb.execute('target remote | ' + command, to_string=True)
    name = kernel_file.split('/')[-1]
    for number in shows:
        gdb.execute('break %s:%d' % (name, number), to_string=True)
    results = []
    while True:
        gdb.execute('continue', to_string=True)
        if not gdb.selected_inferior().pid:
            return results
        line = gdb.selected_frame().find_sal().line
        stopped = gdb.selected_thread()
        warp = stopped.name.split(' lane ')[0]
        for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):
            if not thread.name.startswith(warp + ' lane ') or not thread.name.endswith(' active'):
                continue
            thread.switch()
            try:
                value = int(gdb.parse_and_eval('(int)(%s)' % shows[line]))
            except gdb.error as error:
                value = 'unknown: %s' % error
            results.append((line, thread.ptid[1] or thread.ptid[2], value))
        stopped.switch()
