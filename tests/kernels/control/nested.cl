// Branches inside branches, taken by some lanes only.
//
// data: a int[256] random 0 100
// data: out int[256] zero
// run: nested_if 256/64 a out
// gives: a=2be104f402655245 out=bd0f5da6d07cf429

kernel void nested_if(global const int *a, global int *out)
{
    int i = get_global_id(0), x = a[i], r = 0;
    if (x > 50) {
        r = 1;
        if (x & 1) {
            r = 2;
            if (x % 3 == 0)
                r += 100;
            else if (x % 5 == 0)
                r += 200;
        } else {
            r += x > 75 ? 7 : 9;
        }
    } else if (x > 25) {
        r = x * 3;
    } else {
        for (int k = 0; k < x; k++)
            r += k ^ i;
    }
    out[i] = r;
}
