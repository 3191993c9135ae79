//! buffer image float 65536 noise
//! buffer c float 65536 zero
//! buffer dn float 65536 zero
//! buffer ds float 65536 zero
//! buffer dw float 65536 zero
//! buffer de float 65536 zero
//! launch extract 65536 / 256 : 65536 image
//! loop 2
//! launch srad1 65536 / 256 : 256 256 65536 image c dn ds dw de 0.05
//! launch srad2 65536 / 256 : 256 256 65536 image c dn ds dw de 0.5
kernel void extract(int n, global float *image)
{
    int i = get_group_id(0) * 256 + get_local_id(0);
    if (i < n)
        image[i] = exp(image[i] / 255);
}
kernel void srad1(int nr, int nc, int ne, global float *image, global float *c, global float *dn, global float *ds,
                  global float *dw, global float *de, float q0)
{
    int ei = get_group_id(0) * 256 + get_local_id(0);
    int row = (ei + 1) % nr - 1, col = (ei + 1) / nr + 1 - 1;
    if ((ei + 1) % nr == 0) {
        row = nr - 1;
        col = col - 1;
    }
    if (ei < ne) {
        int in = row == 0 ? 0 : row - 1, is = row == nr - 1 ? row : row + 1;
        int jw = col == 0 ? 0 : col - 1, je = col == nc - 1 ? col : col + 1;
        float jc = image[ei];
        float n = image[in + nr * col] - jc, s = image[is + nr * col] - jc;
        float w = image[row + nr * jw] - jc, e = image[row + nr * je] - jc;
        float g2 = (n * n + s * s + w * w + e * e) / (jc * jc), l = (n + s + w + e) / jc;
        float num = 0.5f * g2 - 1.0f / 16.0f * (l * l), den = 1 + 0.25f * l;
        float qsqr = num / (den * den);
        den = (qsqr - q0) / (q0 * (1 + q0));
        float cc = 1.0f / (1.0f + den);
        if (cc < 0)
            cc = 0;
        else if (cc > 1)
            cc = 1;
        dn[ei] = n, ds[ei] = s, dw[ei] = w, de[ei] = e, c[ei] = cc;
    }
}
kernel void srad2(int nr, int nc, int ne, global float *image, global float *c, global float *dn, global float *ds,
                  global float *dw, global float *de, float lambda)
{
    int ei = get_group_id(0) * 256 + get_local_id(0);
    int row = (ei + 1) % nr - 1, col = (ei + 1) / nr + 1 - 1;
    if ((ei + 1) % nr == 0) {
        row = nr - 1;
        col = col - 1;
    }
    if (ei < ne) {
        int is = row == nr - 1 ? row : row + 1, je = col == nc - 1 ? col : col + 1;
        float cn = c[ei], cs = c[is + nr * col], cw = c[ei], ce = c[row + nr * je];
        float d = cn * dn[ei] + cs * ds[ei] + cw * dw[ei] + ce * de[ei];
        image[ei] = image[ei] + 0.25f * lambda * d;
    }
}
