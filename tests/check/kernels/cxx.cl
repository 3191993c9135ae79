// C++ for OpenCL: objects are initialised when the program is loaded, with nobody watching.
//! options -cl-std=CLC++2021
//! wrong cxx_outside 4/4 buffer:i32:3 -> out-of-bounds
//! right cxx_inside 4/4 buffer:i32:4
struct sums {
    int x[4];
    sums(int n)
    {
        int s;
        for (int i = 0; i < 4; i++) {
            s = i ? s + n : n;
            x[i] = s;
        }
    }
};
global sums table(3);
kernel void cxx_outside(global int *o)
{
    o[get_global_id(0)] = table.x[get_global_id(0)];
}
kernel void cxx_inside(global int *o)
{
    o[get_global_id(0)] = table.x[get_global_id(0)];
}
