"""Runs inside GDB: stops where a kernel prints variables, and reads the same ones."""
import struct

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


def bits_of(value):
    """An integer, or the bits of a float; 'nan' for those that are no number."""
    if value.type.strip_typedefs().code != gdb.TYPE_CODE_FLT:
        return int(value)
    number = float(value)
    return 'nan' if number != number else struct.unpack('<i', struct.pack('<f', number))[0]


def read_values(names):
    values = []
    for name in names:
        try:
            values.append((name, bits_of(gdb.parse_and_eval(name))))
        except gdb.error as error:
            values.append((name, 'unknown: %s' % error))
    return values


def collect_some(file, command, shows, printed, most):
    """Stops at the lines of `shows`, a few times at each, and reads their expressions in some of the active lanes.

    The result has line, work-item, how often the line was printed by then (from the file `printed`), names and values.
    """
    gdb.execute('target remote | ' + command, to_string=True)
    for line in shows:
        gdb.Breakpoint('%s:%d' % (file, line))
    results, counts, place, stops, visits = [], {}, 0, 0, {}
    while stops < most:
        gdb.execute('continue', to_string=True)
        if not gdb.selected_inferior().pid:
            return results
        line = gdb.selected_frame().find_sal().line
        if line not in shows:
            break  # a fault
        with open(printed, errors='replace') as text:
            text.seek(place)
            for words in (row.split() for row in text.read().splitlines()):
                if len(words) > 3 and words[0] == '@':
                    counts[int(words[1]), int(words[2])] = counts.get((int(words[1]), int(words[2])), 0) + 1
            place = text.tell()
        stops += 1
        visits[line] = visits.get(line, 0) + 1
        stopped = gdb.selected_thread()
        warp = stopped.name.split(' lane ')[0]
        active = [t for t in gdb.selected_inferior().threads() if t.name.startswith(warp + ' lane ') and t.name.endswith(' active')]
        active.sort(key=lambda t: t.num)
        for thread in {t.num: t for t in (active[0], active[len(active) // 2], active[-1])}.values():
            thread.switch()
            item = (thread.ptid[1] or thread.ptid[2]) - 1
            results.append((line, item, counts.get((line, item), 0), read_values(shows[line])))
        stopped.switch()
        if visits[line] == 3:
            for point in gdb.breakpoints():
                if point.location.endswith(':%d' % line):
                    point.delete()
    gdb.execute('kill', to_string=True)
    return results
