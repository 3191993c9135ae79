//! buffer m float 65536 diagonal 256
//! loop 15
//! launch diagonal 16 / 16 : m l1024 256 $*16
//! launch perimeter 480 / 32 : m l1024 l1024 l1024 256 $*16
//! launch internal 240 240 / 16 16 : m l1024 l1024 256 $*16
#define B 16
kernel void diagonal(global float *m, local float *s, int dim, int offset)
{
    int tx = get_local_id(0), at = offset * dim + offset;
    for (int i = 0; i < B; i++) {
        s[i * B + tx] = m[at + tx];
        at += dim;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < B - 1; i++) {
        if (tx > i) {
            for (int j = 0; j < i; j++)
                s[tx * B + i] -= s[tx * B + j] * s[j * B + i];
            s[tx * B + i] /= s[i * B + i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (tx > i)
            for (int j = 0; j < i + 1; j++)
                s[(i + 1) * B + tx] -= s[(i + 1) * B + j] * s[j * B + tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    at = (offset + 1) * dim + offset;
    for (int i = 1; i < B; i++) {
        m[at + tx] = s[i * B + tx];
        at += dim;
    }
}
kernel void perimeter(global float *m, local float *dia, local float *row, local float *col, int dim, int offset)
{
    int bx = get_group_id(0), tx = get_local_id(0), idx, at;
    if ((bx + 1) * B + offset >= dim)
        return;
    if (tx < B) {
        idx = tx;
        at = offset * dim + offset;
        for (int i = 0; i < B / 2; i++, at += dim)
            dia[i * B + idx] = m[at + idx];
        at = offset * dim + offset;
        for (int i = 0; i < B; i++, at += dim)
            row[i * B + idx] = m[at + (bx + 1) * B + idx];
    } else {
        idx = tx - B;
        at = (offset + B / 2) * dim + offset;
        for (int i = B / 2; i < B; i++, at += dim)
            dia[i * B + idx] = m[at + idx];
        at = (offset + (bx + 1) * B) * dim + offset;
        for (int i = 0; i < B; i++, at += dim)
            col[i * B + idx] = m[at + idx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tx < B) {
        idx = tx;
        for (int i = 1; i < B; i++)
            for (int j = 0; j < i; j++)
                row[i * B + idx] -= dia[i * B + j] * row[j * B + idx];
    } else {
        idx = tx - B;
        for (int i = 0; i < B; i++) {
            for (int j = 0; j < i; j++)
                col[idx * B + i] -= col[idx * B + j] * dia[j * B + i];
            col[idx * B + i] /= dia[i * B + i];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tx < B) {
        idx = tx;
        at = (offset + 1) * dim + offset;
        for (int i = 1; i < B; i++, at += dim)
            m[at + (bx + 1) * B + idx] = row[i * B + idx];
    } else {
        idx = tx - B;
        at = (offset + (bx + 1) * B) * dim + offset;
        for (int i = 0; i < B; i++, at += dim)
            m[at + idx] = col[i * B + idx];
    }
}
kernel void internal(global float *m, local float *row, local float *col, int dim, int offset)
{
    int bx = get_group_id(0), by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
    int r = offset + (by + 1) * B, c = offset + (bx + 1) * B;
    if (r + ty >= dim || c + tx >= dim)
        return;
    row[ty * B + tx] = m[(offset + ty) * dim + c + tx];
    col[ty * B + tx] = m[(r + ty) * dim + offset + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int i = 0; i < B; i++)
        sum += col[ty * B + i] * row[i * B + tx];
    m[(r + ty) * dim + c + tx] -= sum;
}
