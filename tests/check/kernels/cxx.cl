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

//! wrong template_past 8/8 buffer:f32:8=iota buffer:f32:8 -> out-of-bounds
//! right template_inside 8/8 buffer:f32:8=iota buffer:f32:8
template <class T, int R> T blur(__global const T *p, int i, int n)
{
    T sum = 0;
    for (int d = -R; d <= R; d++)
        sum += p[n ? clamp(i + d, 0, n - 1) : i + d];
    return sum / (2 * R + 1);
}
kernel void template_past(global const float *in, global float *out) { int i = get_global_id(0); out[i] = blur<float, 1>(in, i, 0); }
kernel void template_inside(global const float *in, global float *out) { int i = get_global_id(0); out[i] = blur<float, 1>(in, i, 8); }

//! wrong member_unset 8/8 buffer:i32:8=iota buffer:i32:8 -> uninitialised-store
//! right member_set 8/8 buffer:i32:8=iota buffer:i32:8
class counter {
    int n, step;
  public:
    counter(int s) : step(s) {}
    counter(int s, int start) : n(start), step(s) {}
    int next() { return n += step; }
};
kernel void member_unset(global const int *in, global int *out) { int i = get_global_id(0); counter c(in[i]); out[i] = c.next(); }
kernel void member_set(global const int *in, global int *out) { int i = get_global_id(0); counter c(in[i], 0); out[i] = c.next(); }

//! wrong reference_shared 32/32 buffer:i32:1=zeros -> data-race
//! right reference_own 32/32 buffer:i32:32=zeros
void add(__global int &to, int n) { to += n; }
kernel void reference_shared(global int *p) { add(p[0], get_global_id(0)); }
kernel void reference_own(global int *p) { add(p[get_global_id(0)], get_global_id(0)); }

//! wrong lambda_past 8/8 buffer:i32:8=iota buffer:i32:8 -> out-of-bounds
//! right lambda_inside 8/8 buffer:i32:8=iota buffer:i32:8
kernel void lambda_past(global const int *in, global int *out) { int i = get_global_id(0); auto pick = [=](int k) { return in[i + k]; }; out[i] = pick(0) + pick(1); }
kernel void lambda_inside(global const int *in, global int *out) { int i = get_global_id(0); auto pick = [=](int k) { return in[(i + k) & 7]; }; out[i] = pick(0) + pick(1); }

//! wrong array_class_index 8/8 buffer:i32:8=iota buffer:i32:8 -> array-index|out-of-bounds
//! right array_class_inside 8/8 buffer:i32:8=iota buffer:i32:8
template <class T, int N> struct array { T at[N]; T &operator[](int i) { return at[i]; } };
kernel void array_class_index(global const int *in, global int *out) { array<int, 6> a; int i = get_global_id(0); for (int k = 0; k < 6; k++) a[k] = in[k]; out[i] = a[in[i]]; }
kernel void array_class_inside(global const int *in, global int *out) { array<int, 8> a; int i = get_global_id(0); for (int k = 0; k < 8; k++) a[k] = in[k]; out[i] = a[in[i]]; }

//! wrong local_class_early 32/32 buffer:i32:32=iota buffer:i32:32 -> data-race
//! right local_class_late 32/32 buffer:i32:32=iota buffer:i32:32
struct window { __local int *s; void put(int i, int v) { s[i] = v; } int get(int i) { return s[i]; } };
kernel void local_class_early(global const int *in, global int *out) { local int s[32]; window w{s}; int i = get_local_id(0); w.put(i, in[i]); out[i] = w.get(31 - i); }
kernel void local_class_late(global const int *in, global int *out) { local int s[32]; window w{s}; int i = get_local_id(0); w.put(i, in[i]); barrier(CLK_LOCAL_MEM_FENCE); out[i] = w.get(31 - i); }

//! wrong virtual_base_field 8/8 buffer:i32:8 -> uninitialised-store|uninitialised-branch
//! right virtual_base_set 8/8 buffer:i32:8
struct base { int kind; };
struct derived : base { int v; derived(int x) : v(x) {} derived(int k, int x) : base{k}, v(x) {} };
kernel void virtual_base_field(global int *out) { int i = get_global_id(0); derived d(i); out[i] = d.kind == 1 ? d.v : 0; }
kernel void virtual_base_set(global int *out) { int i = get_global_id(0); derived d(1, i); out[i] = d.kind == 1 ? d.v : 0; }
