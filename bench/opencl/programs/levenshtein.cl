//! buffer words uchar 65536 below 6
//! buffer query uchar 16 below 6
//! buffer out int 4096 zero
//! launch lev 4096 / 128 : words query out 16
kernel void lev(global const uchar *words, global const uchar *query, global int *out, int n)
{
    int id = get_global_id(0);
    uchar row[17];
    for (int i = 0; i <= n; i++)
        row[i] = i;
    for (int i = 1; i <= n; i++) {
        uchar prev = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            uchar old = row[j], cost = words[id * n + i - 1] != query[j - 1];
            row[j] = min(min((uchar)(row[j] + 1), (uchar)(row[j - 1] + 1)), (uchar)(prev + cost));
            prev = old;
        }
    }
    out[id] = row[n];
}
