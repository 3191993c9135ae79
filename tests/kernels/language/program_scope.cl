// Variables at program scope: initial values, pointers among them, and that they stay from launch to launch.  `look`
// counts what is as it must be; the reference has no such variables and counts only.
//
// options: -cl-std=CL3.0
// data: out int[64] zero
// run: look 64/32 out int:0 int:0
// run: count 64/32
// run: count 64/32
// run: look 64/32 out int:2 int:0
// run: change 64/32
// run: look 64/32 out int:2 int:1
// gives: out=c148e6400242dd25

#ifdef __opencl_c_program_scope_global_variables
struct item { int value; global struct item *next; float4 colour; };

global int counter;
global int table[8] = {10, 20, 30, 40, 50, 60, 70, 80};
global struct item last = {3, 0, (float4)(1, 2, 3, 4)}, middle = {2, &last}, first = {1, &middle};
global int *global cursor = &table[2];
global int *global ends[2] = {table, table + 7};
global long big[3] = {1l << 40, -1};
global uchar text[] = "changes";
constant int numbers[] = {5, 6, 7};
constant int *constant fixed = numbers + 1;

int once(void)
{
    static global int calls = 100;
    return atomic_inc(&calls);
}

kernel void count(void)
{
    atomic_add(&counter, (int)get_global_id(0));
    once();
}

kernel void change(void)
{
    if (get_global_id(0) == 0) {
        cursor += 2;
        table[4] = 1000;
        first.next = &last;
        last.colour = (float4)(9.0f);
        ends[0] = &table[1];
        big[1] <<= 39;
        text[2] = 'A';
        counter += once();
    }
}

kernel void look(global int *out, int counts, int changes)
{
    int i = get_global_id(0), sum = 0, n = 0;
    for (global struct item *at = &first; at; at = at->next)
        sum = sum * 5 + at->value + (int)at->colour.z;
    n += counter == counts * 2016 + changes * (100 + counts * 64);
    n += *cursor == (changes ? 1000 : 30);
    n += ends[0][0] == (changes ? 20 : 10) && *ends[1] == 80;
    n += sum == (changes ? 17 : 41);
    n += big[0] == 1l << 40 && big[1] == (changes ? -1l << 39 : -1l) && !big[2];
    n += text[2] == (changes ? 'A' : 'a') && text[i % 8] == (i % 8 == 2 ? text[2] : "changes"[i % 8]);
    n += fixed[0] == 6;
    out[i] += n;
}
#else
kernel void count(void) {}
kernel void change(void) {}
kernel void look(global int *out, int counts, int changes) { out[get_global_id(0)] += 7; }
#endif
