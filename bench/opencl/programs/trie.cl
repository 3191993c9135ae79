//! buffer nodes int 65536 below 16384
//! buffer text uchar 16384 below 4
//! buffer queries uchar 65536 below 4
//! buffer out int 8192 zero
//! launch match 4096 / 256 : nodes text queries out 16 16384 4096
kernel void match(global const int4 *nodes, global const char *ref, global const char *queries, global int *out,
                  int qlen, int reflen, int count)
{
    int q = get_global_id(0);
    if (q >= count)
        return;
    global const char *mine = queries + q * qlen;
    int cur = 0, best = 0, where = -1;
    for (int start = 0; start < qlen - 4; start++) {
        cur = 0;
        int len = 0;
        for (int j = start; j < qlen; j++) {
            int4 node = nodes[cur];
            char c = mine[j];
            int next = c == 0 ? node.x : c == 1 ? node.y : c == 2 ? node.z : node.w;
            int p = next & (reflen - 1);
            if (ref[p] != c && (next & 3))
                break;
            cur = next;
            len++;
        }
        if (len > best) {
            best = len;
            where = cur;
        }
    }
    out[q * 2] = best;
    out[q * 2 + 1] = where;
}
