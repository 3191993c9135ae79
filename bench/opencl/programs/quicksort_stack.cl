//! buffer data int 65536 below 1000000
//! launch sort 512 / 64 : data 128
kernel void sort(global int *data, int n)
{
    global int *a = data + get_global_id(0) * n;
    int stack[32], top = 0;
    stack[top++] = 0, stack[top++] = n - 1;
    while (top) {
        int hi = stack[--top], lo = stack[--top], pivot = a[(lo + hi) / 2], i = lo, j = hi;
        while (i <= j) {
            while (a[i] < pivot)
                i++;
            while (a[j] > pivot)
                j--;
            if (i <= j) {
                int t = a[i];
                a[i++] = a[j], a[j--] = t;
            }
        }
        if (j - lo > hi - i) {
            if (lo < j) stack[top++] = lo, stack[top++] = j;
            if (i < hi) stack[top++] = i, stack[top++] = hi;
        } else {
            if (i < hi) stack[top++] = i, stack[top++] = hi;
            if (lo < j) stack[top++] = lo, stack[top++] = j;
        }
    }
}
