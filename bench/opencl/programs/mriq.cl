//! buffer x float 4096 noise
//! buffer y float 4096 noise
//! buffer z float 4096 noise
//! buffer k float 2048 noise
//! buffer qr float 4096 zero
//! buffer qi float 4096 zero
//! launch mriq 4096 / 256 : 512 x y z k qr qi
typedef struct { float kx, ky, kz, phi; } sample;
kernel void mriq(int n, global float *x, global float *y, global float *z, constant sample *k, global float *qr,
                 global float *qi)
{
    int i = get_global_id(0);
    float sx = x[i], sy = y[i], sz = z[i], r = qr[i], im = qi[i];
    for (int j = 0; j < n; j++) {
        float arg = 6.2831853f * (k[j].kx * sx + k[j].ky * sy + k[j].kz * sz);
        r += k[j].phi * native_cos(arg);
        im += k[j].phi * native_sin(arg);
    }
    qr[i] = r, qi[i] = im;
}
