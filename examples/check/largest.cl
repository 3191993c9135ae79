/* The largest number of each work-group; `best` is not set if no number is positive.  docs/check.md finds it. */
kernel void largest(global const int *in, global int *out, int n)
{
    int best, found = 0;
    for (int k = 0; k < n; k++) {
        int x = in[get_group_id(0) * n + k];
        if (x > 0 && (!found || x > best)) {
            best = x;
            found = 1;
        }
    }
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = best;
}
