// Spin locks between work-items of one warp, in the forms programs use: with a flag, with break, with continue,
// with variables local to the loop, in a function, nested, with several exits.
//
// data: lock int[4] zero
// data: sum int[4] zero
// run: flag 96/32 lock sum
// gives: lock=88201fb960ff6465 sum=c9fdd57ffd9b037a
// data: lock int[4] zero
// data: sum int[4] zero
// run: breaks 96/32 lock sum
// gives: lock=88201fb960ff6465 sum=a956b6a15b84479a
// data: lock int[4] zero
// data: sum int[4] zero
// run: continues 96/32 lock sum
// gives: lock=88201fb960ff6465 sum=4a4cf2cf016fb085
// data: lock int[4] zero
// data: sum int[4] zero
// data: old int[96] value -1
// run: scoped 96/32 lock sum old
// gives: lock=88201fb960ff6465 sum=5a8590ffde4cf145 old=c86ec345c0ee8125
// data: lock int[4] zero
// data: sum int[4] zero
// run: function 96/32 lock sum
// gives: lock=88201fb960ff6465 sum=f999f0abffd5bbe6
// data: lock int[4] zero
// data: sum int[4] zero
// run: nested 96/32 lock sum
// gives: lock=88201fb960ff6465 sum=d5356439a50cdad4
// data: lock int[4] zero
// data: sum int[4] zero
// data: tries int[96] value -1
// run: ways_out 96/32 lock sum tries
// gives: lock=88201fb960ff6465 sum=3d569b6f1665ded2 tries=fd059965d0aa27f3
// data: sum int[4] zero
// run: in_local 128/32 sum
// gives: sum=83dad09c1ee7b465

kernel void flag(global volatile int *lock, global int *sum)
{
    bool done = false;
    while (!done) {
        if (atomic_xchg(lock, 1) == 0) {
            sum[0] += 1;
            sum[1] += get_global_id(0);
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(lock, 0);
            done = true;
        }
    }
}

kernel void breaks(global volatile int *lock, global int *sum)
{
    for (;;) {
        if (atomic_cmpxchg(lock, 0, 1) == 0) {
            sum[0] += 1;
            sum[1] += get_global_id(0);
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(lock, 0);
            break;
        }
    }
    atomic_inc(&sum[2]);
}

kernel void continues(global volatile int *lock, global int *sum)
{
    int mine = get_global_id(0) & 3;
    bool got;
    do {
        got = atomic_cmpxchg(&lock[mine], 0, 1) == 0;
        if (!got)
            continue;
        sum[mine] += get_global_id(0);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_xchg(&lock[mine], 0);
    } while (!got);
}

kernel void scoped(global volatile int *lock, global int *sum, global int *old)
{
    int before = 0;
    while (true) {
        int was = atomic_cmpxchg(lock, 0, 1);
        if (was == 0) {
            int here[2] = {sum[0], sum[1]};
            sum[0] = here[0] + 1;
            sum[1] = here[1] + 2;
            before = here[0] * 2 - here[1];
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(lock, 0);
            break;
        }
    }
    old[get_global_id(0)] = before;
}

int try_to_enter(global volatile int *lock)
{
    int won = atomic_xchg(lock, 1) == 0;
    if (won)
        mem_fence(CLK_GLOBAL_MEM_FENCE);
    return won;
}

kernel void function(global volatile int *lock, global int *sum)
{
    int mine = get_global_id(0) % 3;
    int state = 0;
    while (state != 2)
        if (state == 0) {
            if (try_to_enter(&lock[mine]))
                state = 1;
        } else if (try_to_enter(&lock[3])) {
            sum[mine]++;
            sum[3]--;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(&lock[3], 0);
            atomic_xchg(&lock[mine], 0);
            state = 2;
        }
}

kernel void nested(global volatile int *lock, global int *sum)
{
    for (int i = 0; i < 5; i++) {
        if (i == 3 && get_global_id(0) % 2)
            break;
        for (;;) {
            if (atomic_xchg(lock, 1) == 0) {
                for (int j = 0; j <= i; j++)
                    sum[j % 4] += j + 1;
                mem_fence(CLK_GLOBAL_MEM_FENCE);
                atomic_xchg(lock, 0);
                break;
            }
        }
    }
}

kernel void ways_out(global volatile int *lock, global int *sum, global int *tries)
{
    int i = get_global_id(0), left = i % 5 ? 1 << 20 : 0;
    while (left-- > 0) {
        if (atomic_xchg(lock, 1) == 0) {
            if (i % 7 == 0) {
                atomic_xchg(lock, 0);
                tries[i] = 7;
                return;
            }
            sum[0] += i;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(lock, 0);
            tries[i] = 1;
            break;
        }
    }
    atomic_add(&sum[1], 1);
}

kernel void in_local(global int *sum)
{
    local int lock, count;
    if (get_local_id(0) == 0)
        lock = count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 3; i++) {
        bool done = false;
        while (!done)
            if (atomic_xchg(&lock, 1) == 0) {
                count += i;
                mem_fence(CLK_LOCAL_MEM_FENCE);
                atomic_xchg(&lock, 0);
                done = true;
            }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        sum[get_group_id(0)] = count;
}
