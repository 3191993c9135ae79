// Waiting by plain loads for what nobody writes; the launch ends.
//! wrong spins_on_plain 8/8 buffer:i32:2=zeros -> lock-hang
//! right does_not_spin 8/8 buffer:i32:2=zeros
kernel void spins_on_plain(volatile global int *p) { if (get_global_id(0) == 0) while (p[0] == 0); if (get_global_id(0) == 0) p[1] = 1; }
kernel void does_not_spin(volatile global int *p) { if (get_global_id(0) == 0) { while (p[0] != 0); p[1] = 1; } }

//! wrong groups_meet_by_plain_loads 16/8 buffer:i32:2=zeros -> lock-hang
//! right reads_often 16/8 buffer:i32:2=zeros buffer:i32:16
kernel void groups_meet_by_plain_loads(volatile global int *p)
{
    if (get_local_id(0) == 0) {
        while (p[get_group_id(0)] == 0)
            ;
        p[1 - get_group_id(0)] = 1;
    }
}
kernel void reads_often(volatile global int *p, global int *out)
{
    int s = 0;
    for (int k = 0; k < 30000; k++)
        s += p[0] + (k & 1);
    out[get_global_id(0)] = s;
}

//! wrong local_flag_not_set 40/40 buffer:i32:40 -> lock-hang
//! right local_flag_set 40/40 buffer:i32:40
kernel void local_flag_not_set(global int *out)
{
    volatile local int flag;
    if (get_local_id(0) == 0)
        flag = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 39)
        while (!flag)
            ;
    out[get_local_id(0)] = 1;
}
kernel void local_flag_set(global int *out)
{
    volatile local int flag;
    if (get_local_id(0) == 0)
        flag = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 39)
        while (!flag)
            ;
    out[get_local_id(0)] = 1;
}

// ---- many work-items, each of which runs into the race: the search for what orders them must not be repeated for all ----

//! wrong plain_first_guess 16384/64 buffer:i32:16=zeros -> data-race
//! right atomic_first_guess 16384/64 buffer:i32:16=zeros
void add_from(volatile global int *to, int old)
{
    for (int seen; (seen = atomic_cmpxchg(to, old, old + 1)) != old; old = seen)
        ;
}
kernel void plain_first_guess(volatile global int *sums)
{
    volatile global int *to = &sums[get_global_id(0) % 16];
    add_from(to, *to);
}
kernel void atomic_first_guess(volatile global int *sums)
{
    volatile global int *to = &sums[get_global_id(0) % 16];
    add_from(to, atomic_or(to, 0));
}
