//! buffer puzzles uchar 20736 below 9
//! buffer out int 256 zero
//! launch solve 256 / 64 : puzzles out
// backtracking with three sets of bits; a few cells are given
kernel void solve(global const uchar *puzzles, global int *out)
{
    int id = get_global_id(0);
    ushort rows[9], columns[9], boxes[9];
    uchar given[81], cell[81];
    for (int i = 0; i < 9; i++)
        rows[i] = columns[i] = boxes[i] = 0;
    for (int i = 0; i < 81; i++) {
        given[i] = 0, cell[i] = 0;
        if (i % 17 == 0) {
            int v = puzzles[id * 81 + i], r = i / 9, c = i % 9, b = r / 3 * 3 + c / 3;
            if (!((rows[r] | columns[c] | boxes[b]) >> v & 1)) {
                rows[r] |= 1 << v, columns[c] |= 1 << v, boxes[b] |= 1 << v;
                given[i] = 1, cell[i] = v + 1;
            }
        }
    }
    int at = 0, steps = 0, back = 0;
    while (at >= 0 && at < 81 && steps < 3000) {
        steps++;
        if (given[at]) {
            at += back ? -1 : 1;
            continue;
        }
        int r = at / 9, c = at % 9, b = r / 3 * 3 + c / 3, v = cell[at];
        if (v)
            rows[r] &= ~(1 << (v - 1)), columns[c] &= ~(1 << (v - 1)), boxes[b] &= ~(1 << (v - 1));
        int used = rows[r] | columns[c] | boxes[b];
        while (v < 9 && used >> v & 1)
            v++;
        if (v == 9)
            cell[at] = 0, back = 1, at--;
        else {
            cell[at] = v + 1, back = 0, at++;
            rows[r] |= 1 << v, columns[c] |= 1 << v, boxes[b] |= 1 << v;
        }
    }
    out[id] = steps * 100 + at;
}
