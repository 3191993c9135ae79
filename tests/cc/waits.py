#!/usr/bin/env python3
"""Which kernels are marked as such whose work-items wait for nobody, or only for a lock that is released: these may be translated.  One that
waits and is marked never ends; one that does not wait and is not marked takes several times as long."""
import os
import struct
import subprocess
import sys

CY, TMP = os.environ["CY"], os.environ["CY_TMP"]

# name: (mark, arguments, body); a mark is a section's name, or nothing
CASES = {
    # a breadth-first search: its end is read from one local variable, and what compare-exchanges find is stored to another
    "own_queue": ("lanes", "global const int *first, global const int *edges, global int *levels", """
        local int queue[2][256], count[2];
        int l = get_local_id(0), now = 0;
        if (l == 0)
            queue[0][0] = 0, count[0] = 1, count[1] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int level = 2; count[now]; level++) {
            for (int i = l; i < count[now]; i += 64)
                for (int v = queue[now][i], e = first[v]; e < first[v + 1]; e++)
                    if (atomic_cmpxchg(&levels[edges[e]], 0, level) == 0)
                        queue[now ^ 1][atomic_inc(&count[now ^ 1])] = edges[e];
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l == 0)
                count[now] = 0;
            now ^= 1;
            barrier(CLK_LOCAL_MEM_FENCE);
        }"""),
    # the same with the end in the variable that is stored to
    "one_variable": (None, "global int *flags", """
        local int found[64];
        int l = get_local_id(0);
        found[l] = 0;
        do {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (atomic_cmpxchg(&flags[l], 1, 2) == 1)
                found[l ^ 1] = 1;
            barrier(CLK_LOCAL_MEM_FENCE);
        } while (!found[l]);"""),
    # only one work-item asks, and tells the others
    "told": (None, "global int *flags", """
        local int go[1], other[64];
        int l = get_local_id(0);
        go[0] = 0;
        do {
            barrier(CLK_LOCAL_MEM_FENCE);
            other[l] = l;
            if (l == 0 && atomic_add(&flags[0], 0) == get_num_groups(0))
                go[0] = 1;
            barrier(CLK_LOCAL_MEM_FENCE);
        } while (!go[0]);"""),
    # what is stored there does not depend on the operation, but whether it is stored does: by a branch around a branch
    "nested": (None, "global int *flags, int n", """
        local int go[1];
        int l = get_local_id(0);
        go[0] = 0;
        do {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (atomic_cmpxchg(&flags[l], 1, 2) == 1) {
                flags[100 + l] = n;
                if (l < n)
                    go[0] = 1;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        } while (!go[0]);"""),
    # a pointer that may be to either variable
    "either": (None, "global int *flags, int n", """
        local int a[64], b[64];
        int l = get_local_id(0);
        local int *p = n ? a : b;
        a[l] = b[l] = 0;
        do {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (atomic_cmpxchg(&flags[l], 1, 2) == 1)
                p[l] = 1;
            barrier(CLK_LOCAL_MEM_FENCE);
        } while (!a[l]);"""),
    # prefixes that are passed from work-group to work-group; and the same from those after, from one's own, and from any
    "chain": ("rows", "volatile global uint *state, global uint *out", """
        uint g = get_group_id(0), p = 0;
        if (g)
            while (((p = atomic_or(&state[g - 1], 0)) >> 31) == 0) ;
        out[g] = p;
        atomic_xchg(&state[g], p + 1);"""),
    "chain_of_two": ("rows", "volatile global uint *state, global uint *out", """
        uint g = get_group_id(0), p = 0;
        if (g)
            while ((p = state[2 * g - 1]) == 0) ;
        out[g] = p;
        state[2 * g] = p;
        state[2 * g + 1] = p + 1;"""),
    "chain_of_later": (None, "volatile global uint *state, global uint *out", """
        uint g = get_group_id(0), p;
        while ((p = state[g + 1]) == 0) ;
        state[g] = p;"""),
    "chain_of_own": (None, "volatile global uint *state, global uint *out", """
        uint g = get_group_id(0), p;
        while ((p = state[g]) == 0) ;
        state[g] = p;"""),
    "chain_of_any": (None, "volatile global uint *state, global uint *out", """
        uint g = get_group_id(0), p;
        while ((p = state[g - 1]) == 0) ;
        state[out[g]] = p;"""),
    "chain_of_columns": (None, "volatile global uint *state, global uint *out", """
        uint g = get_group_id(1), p;
        while ((p = state[g - 1]) == 0) ;
        state[g] = p;"""),
    "chain_and_flag": (None, "volatile global uint *state, volatile global uint *flag", """
        uint g = get_group_id(0), p;
        while ((p = state[g - 1]) == 0) ;
        state[g] = p;
        while (flag[0] == 0) ;"""),
    # the launch's sizes are read again after each store, but nobody writes them
    "strided": ("lanes", "volatile global int *sums, global const int *in, int n", """
        for (int i = get_global_id(0); i < n; i += get_global_size(0))
            sums[in[i]] += i;"""),
    "tagged": ("warps", "global const uint *in, global uint *out, uint n", """
        volatile local uint table[256];
        uint tag = get_local_id(0) << 27, count;
        table[get_local_id(0)] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = get_global_id(0); i < n; i += get_global_size(0))
            do {
                count = tag | ((table[in[i] & 255] & 0x7ffffff) + 1);
                table[in[i] & 255] = count;
            } while (table[in[i] & 255] != count);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = table[get_local_id(0)];"""),
    "flag": (None, "volatile global int *flags", "while (!flags[get_local_id(0)]) ;"),
    # pointers are followed to one that points to itself: each turn reads another word
    "root": ("lanes", "volatile global int *up, global int *out", """
        int i = get_global_id(0), p;
        while ((p = up[i]) != i)
            i = p;
        out[get_global_id(0)] = i;"""),
    "root_read_twice": ("lanes", "volatile global int *up, global int *out", """
        int i = get_global_id(0);
        while (up[i] != i)
            i = up[i];
        out[get_global_id(0)] = i;"""),
    # the one points to the other unless that has been changed since it was found
    "unite": ("lanes", "volatile global int *up, global const int *from, global const int *to", """
        int i = from[get_global_id(0)], k = to[get_global_id(0)], p;
        for (;;) {
            while ((p = up[i]) != i)
                i = p;
            while ((p = up[k]) != k)
                k = p;
            if (i == k || atomic_cmpxchg(&up[max(i, k)], max(i, k), min(i, k)) == max(i, k))
                break;
        }"""),
    "unite_least": ("lanes", "volatile global int *up, global const int *from, global const int *to", """
        int i = from[get_global_id(0)], k = to[get_global_id(0)], p, old;
        for (bool done = false; !done;) {
            while ((p = up[i]) != i)
                i = p;
            while ((p = up[k]) != k)
                k = p;
            if (i < k)
                old = atomic_min(&up[k], i), done = old == k, k = old;
            else if (k < i)
                old = atomic_min(&up[i], k), done = old == i, i = old;
            else
                done = true;
        }"""),
    # the same, where each word is read twice
    "unite_read_twice": ("lanes", "volatile global int *up, global const int *from, global const int *to", """
        int i = from[get_global_id(0)], k = to[get_global_id(0)];
        bool done;
        do {
            while (up[i] != i)
                i = up[i];
            while (up[k] != k)
                k = up[k];
            done = true;
            if (i < k) {
                int old = atomic_min(&up[k], i);
                done = old == k;
                k = old;
            } else if (k < i) {
                int old = atomic_min(&up[i], k);
                done = old == i;
                i = old;
            }
        } while (!done);"""),
    # its root is found once
    "unite_once": (None, "volatile global int *up, global const int *to", """
        int i = get_global_id(0), p;
        while ((p = up[i]) != i)
            i = p;
        while (atomic_cmpxchg(&up[i], i, to[i]) != i)
            ;"""),
    # it is not the root's word that is compared
    "unite_beside": (None, "volatile global int *up, global const int *to", """
        int i = get_global_id(0), p;
        do
            while ((p = up[i]) != i)
                i = p;
        while (atomic_cmpxchg(&up[i + 1], i, to[i]) != i);"""),
    # until it points elsewhere; until it leads to the end
    "linked": (None, "volatile global int *up", "int i = get_global_id(0); while (up[i] == i) ;"),
    "followed": (None, "volatile global int *up", """
        int i = get_global_id(0);
        do
            i = up[i];
        while (i != 5);"""),
    "lock": ("locks", "volatile global int *locks", """
        for (int done = 0; !done;)
            if (atomic_cmpxchg(&locks[0], 0, 1) == 0) {
                locks[1] += 1;
                atomic_xchg(&locks[0], 0);
                done = 1;
            }"""),
}


def names_in(path, section):
    """The strings of the section .cy.NAME of an ELF file of 32 or 64 bits."""
    data = open(path, "rb").read()
    wide = data[4] == 2
    table, = struct.unpack_from("<Q" if wide else "<I", data, 40 if wide else 32)
    size, count, names = struct.unpack_from("<HHH", data, 58 if wide else 46)

    def header(i):
        if wide:
            name, _, _, _, offset, length = struct.unpack_from("<IIQQQQ", data, table + i * size)
        else:
            name, _, _, _, offset, length = struct.unpack_from("<IIIIII", data, table + i * size)
        return name, data[offset:offset + length]
    strings = header(names)[1]
    for i in range(count):
        name, content = header(i)
        if strings[name:].split(b"\0")[0].decode() == f".cy.{section}":
            return content.decode().split("\0")
    return []


def main():
    source, wrong = os.path.join(TMP, "waits.cl"), 0
    with open(source, "w", encoding="utf-8") as file:
        for name, (_, arguments, body) in CASES.items():
            file.write(f"kernel void {name}({arguments})\n{{{body}\n}}\n")
    for generation in ("ventus", "ventus-gen2"):
        path = os.path.join(TMP, generation)
        subprocess.run([CY, "cc", "--no-cache", f"-march={generation}", "-o", path, source], check=True)
        marks = {name: mark for mark in ("lanes", "warps", "locks", "rows") for name in names_in(path, mark)}
        for name, (wanted, _, _) in CASES.items():
            if wanted == "rows" and generation != "ventus":
                wanted = None  # addresses of 64 bits are not taken apart
            if marks.get(name) != wanted:
                print(f"{generation}: {name}: marked '{marks.get(name)}', not '{wanted}'")
                wrong += 1
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
