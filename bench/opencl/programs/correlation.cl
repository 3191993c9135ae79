//! buffer mean float 256 zero
//! buffer dev float 256 zero
//! buffer data float 65536 noise
//! buffer sym float 65536 zero
//! launch means 256 / 256 : mean data 256 256
//! launch devs 256 / 256 : mean dev data 256 256
//! launch reduce 256 256 / 32 8 : mean dev data 256 256
//! launch corr 256 / 256 : sym data 256 256
kernel void means(global float *mean, global float *data, int m, int n)
{
    int j = get_global_id(0);
    if (j < m) {
        mean[j] = 0.0f;
        for (int i = 0; i < n; i++)
            mean[j] += data[i * m + j];
        mean[j] /= (float)n;
    }
}
kernel void devs(global float *mean, global float *dev, global float *data, int m, int n)
{
    int j = get_global_id(0);
    if (j < m) {
        dev[j] = 0.0f;
        for (int i = 0; i < n; i++)
            dev[j] += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
        dev[j] /= (float)n;
        dev[j] = sqrt(dev[j]);
        dev[j] = dev[j] <= 0.005f ? 1.0f : dev[j];
    }
}
kernel void reduce(global float *mean, global float *dev, global float *data, int m, int n)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < n && j < m) {
        data[i * m + j] -= mean[j];
        data[i * m + j] /= sqrt((float)n) * dev[j];
    }
}
kernel void corr(global float *sym, global float *data, int m, int n)
{
    int j1 = get_global_id(0);
    if (j1 < m - 1) {
        sym[j1 * m + j1] = 1.0f;
        for (int j2 = j1 + 1; j2 < m; j2++) {
            for (int i = 0; i < n; i++)
                sym[j1 * m + j2] += data[i * m + j1] * data[i * m + j2];
            sym[j2 * m + j1] = sym[j1 * m + j2];
        }
    }
}
