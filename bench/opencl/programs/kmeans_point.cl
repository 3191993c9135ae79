//! buffer feature float 278528 noise
//! buffer clusters float 170 noise
//! buffer swapped float 278528 zero
//! buffer member int 8192 zero
//! launch swap 8192 / 256 : feature swapped 8192 34
//! launch member_of 8192 / 256 : swapped clusters member 8192 5 34
kernel void swap(global float *feature, global float *swapped, int n, int nf)
{
    int t = get_global_id(0);
    for (int i = 0; i < nf; i++)
        swapped[i * n + t] = feature[t * nf + i];
}
kernel void member_of(global float *feature, global float *clusters, global int *member, int n, int nc, int nf)
{
    int p = get_global_id(0), index = 0;
    if (p < n) {
        float least = FLT_MAX;
        for (int i = 0; i < nc; i++) {
            float ans = 0;
            for (int l = 0; l < nf; l++) {
                float d = feature[l * n + p] - clusters[i * nf + l];
                ans += d * d;
            }
            if (ans < least) {
                least = ans;
                index = i;
            }
        }
        member[p] = index;
    }
}
