//! buffer a uint 32768 below 1000000
//! loop 15
//! launch k 16384 / 256 : a 14 $ 32768 1
kernel void k(global uint *a, uint stage, uint pass, uint width, uint dir)
{
    uint inc = dir, t = get_global_id(0), pd = 1 << (stage - pass), bw = 2 * pd;
    uint l = (t % pd) + (t / pd) * bw, r = l + pd, le = a[l], re = a[r], same = 1 << stage;
    if ((t / same) % 2 == 1) inc = 1 - inc;
    uint greater, lesser;
    if (le > re) { greater = le; lesser = re; } else { greater = re; lesser = le; }
    if (inc) { a[l] = lesser; a[r] = greater; } else { a[l] = greater; a[r] = lesser; }
}
