// Work-items write different elements of one vector: clang stores the whole vector, with what the others had before.
//
// data: out int[32] zero
// data: floats float[32] zero
// run: elements 8/8 out floats
// gives: out=56b62677d98f0be5 floats=4e6cef6beddcc5d8

kernel void elements(global int4 *out, global float3 *floats)
{
    int i = get_local_id(0), v = i / 4;
    switch (i & 3) {
    case 0: out[v].x = i + 10; break;
    case 1: out[v].y = i + 20; break;
    case 2: out[v].zw = (int2)(i + 30, i + 40); break;
    case 3: out[v + 2].hi = (int2)(i, i + 1); break;
    }
    out[4 + v][i & 3] = i + 50;
    if ((i & 3) < 2)
        floats[v][2 * (i & 3)] = i;
    else if (i & 1)
        floats[v].y += 3;
}
