//! buffer p float 131072 noise
//! buffer in float 131072 noise
//! buffer out float 131072 zero
//! loop 3
//! launch hotspot3d 128 128 / 64 4 : p in out 0.01 128 128 8 0.1 0.1 0.12 0.12 0.05 0.05 0.4
kernel void hotspot3d(global float *p, global float *tin, global float *tout, float sdc, int nx, int ny, int nz, float ce,
                      float cw, float cn, float cs, float ct, float cb, float cc)
{
    float amb = 80.0f;
    int i = get_global_id(0), j = get_global_id(1), c = i + j * nx, xy = nx * ny;
    int w = i == 0 ? c : c - 1, e = i == nx - 1 ? c : c + 1, n = j == 0 ? c : c - nx, s = j == ny - 1 ? c : c + nx;
    float t1, t2, t3;
    t1 = t2 = tin[c];
    t3 = tin[c + xy];
    tout[c] = cc * t2 + cw * tin[w] + ce * tin[e] + cs * tin[s] + cn * tin[n] + cb * t1 + ct * t3 + sdc * p[c] + ct * amb;
    c += xy, w += xy, e += xy, n += xy, s += xy;
    for (int k = 1; k < nz - 1; k++) {
        t1 = t2, t2 = t3, t3 = tin[c + xy];
        tout[c] =
            cc * t2 + cw * tin[w] + ce * tin[e] + cs * tin[s] + cn * tin[n] + cb * t1 + ct * t3 + sdc * p[c] + ct * amb;
        c += xy, w += xy, e += xy, n += xy, s += xy;
    }
    t1 = t2, t2 = t3;
    tout[c] = cc * t2 + cw * tin[w] + ce * tin[e] + cs * tin[s] + cn * tin[n] + cb * t1 + ct * t3 + sdc * p[c] + ct * amb;
}
