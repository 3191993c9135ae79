//! buffer cells float 524288 noise
//! buffer out float 524288 zero
//! loop 2
//! launch heat 256 256 / 16 16 : cells out 256 256
typedef struct { float t, k, q; int kind; float vx, vy, p, pad; } cell;
kernel void heat(global const cell *in, global cell *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;
    cell c = in[i];
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
        float l = in[i - 1].t, r = in[i + 1].t, u = in[i - w].t, d = in[i + w].t;
        c.t += 0.1f * c.k * (l + r + u + d - 4 * c.t) + c.q - c.vx * (r - l) * 0.5f - c.vy * (d - u) * 0.5f;
    }
    out[i] = c;
}
