//! buffer neighbour int 65536 below 16384
//! buffer normal float 196608 noise
//! buffer v float 81920 positive
//! buffer flux float 81920 zero
//! launch flux 16512 / 192 : neighbour normal v flux 16384
typedef struct { float x, y, z; } f3;
static void contribution(float density, f3 m, float energy, float pressure, f3 vel, f3 *mx, f3 *my, f3 *mz, f3 *fe)
{
    mx->x = vel.x * m.x + pressure, mx->y = vel.x * m.y, mx->z = vel.x * m.z;
    my->x = mx->y, my->y = vel.y * m.y + pressure, my->z = vel.y * m.z;
    mz->x = mx->z, mz->y = my->z, mz->z = vel.z * m.z + pressure;
    float de = energy + pressure;
    fe->x = vel.x * de, fe->y = vel.y * de, fe->z = vel.z * de;
}
kernel void flux(global int *around, global float *normals, global float *v, global float *fluxes, int nelr)
{
    const float smoothing = 0.2f;
    int i = get_global_id(0);
    if (i >= nelr)
        return;
    float d = v[i], e = 10.0f + v[i + 4 * nelr];
    f3 m = {v[i + nelr], v[i + 2 * nelr], v[i + 3 * nelr]};
    f3 vel = {m.x / d, m.y / d, m.z / d};
    float sq = vel.x * vel.x + vel.y * vel.y + vel.z * vel.z, speed = sqrt(sq), p = 0.4f * (e - 0.5f * d * sq);
    float sound = sqrt(1.4f * p / d);
    f3 mx, my, mz, fe;
    contribution(d, m, e, p, vel, &mx, &my, &mz, &fe);
    float fd = 0, fen = 0;
    f3 fm = {0, 0, 0};
    for (int j = 0; j < 4; j++) {
        int nb = around[i + j * nelr];
        f3 n = {normals[i + (j + 0) * nelr], normals[i + (j + 4) * nelr], normals[i + (j + 8) * nelr]};
        float length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z), factor;
        if (nb >= 100) {
            float dn = v[nb], en = 10.0f + v[nb + 4 * nelr];
            f3 mn = {v[nb + nelr], v[nb + 2 * nelr], v[nb + 3 * nelr]};
            f3 vn = {mn.x / dn, mn.y / dn, mn.z / dn};
            float sqn = vn.x * vn.x + vn.y * vn.y + vn.z * vn.z, pn = 0.4f * (en - 0.5f * dn * sqn);
            float soundn = sqrt(1.4f * pn / dn);
            f3 nx, ny, nz, ne;
            contribution(dn, mn, en, pn, vn, &nx, &ny, &nz, &ne);
            factor = -length * smoothing * 0.5f * (speed + sqrt(sqn) + sound + soundn);
            fd += factor * (d - dn), fen += factor * (e - en);
            fm.x += factor * (m.x - mn.x), fm.y += factor * (m.y - mn.y), fm.z += factor * (m.z - mn.z);
            factor = 0.5f * n.x;
            fd += factor * (mn.x + m.x), fen += factor * (ne.x + fe.x);
            fm.x += factor * (nx.x + mx.x), fm.y += factor * (ny.x + my.x), fm.z += factor * (nz.x + mz.x);
            factor = 0.5f * n.y;
            fd += factor * (mn.y + m.y), fen += factor * (ne.y + fe.y);
            fm.x += factor * (nx.y + mx.y), fm.y += factor * (ny.y + my.y), fm.z += factor * (nz.y + mz.y);
            factor = 0.5f * n.z;
            fd += factor * (mn.z + m.z), fen += factor * (ne.z + fe.z);
            fm.x += factor * (nx.z + mx.z), fm.y += factor * (ny.z + my.z), fm.z += factor * (nz.z + mz.z);
        } else {
            fm.x += n.x * p, fm.y += n.y * p, fm.z += n.z * p;
        }
    }
    fluxes[i] = fd, fluxes[i + nelr] = fm.x, fluxes[i + 2 * nelr] = fm.y, fluxes[i + 3 * nelr] = fm.z;
    fluxes[i + 4 * nelr] = fen;
}
