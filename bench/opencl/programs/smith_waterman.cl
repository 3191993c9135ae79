//! buffer query int 256 below 4
//! buffer db int 131072 below 4
//! buffer row int 524288 zero
//! buffer out int 2048 zero
//! launch sw 2048 / 128 : query db row out 64 64 2048
kernel void sw(global const int *query, global const int *db, global int *row, global int *out, int m, int n, int count)
{
    int g = get_global_id(0), best = 0;
    for (int i = 0; i < n; i++) {
        int c = db[i * count + g], diag = 0, left = 0, f = 0;
        for (int j = 0; j < m; j++) {
            int up = row[j * count + g];
            int s = diag + (query[j] == c ? 5 : -3);
            int h = max(max(s, 0), max(up - 4, left - 4));
            diag = up, left = h, best = max(best, h);
            row[j * count + g] = h;
        }
    }
    out[g] = best;
}
