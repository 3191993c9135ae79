// Locks that work-items of one warp take in a loop and release after it.
//
// data: lock int[4] zero
// data: out int[2] zero
// run: spin_cmpxchg 96/32 lock out
// gives: lock=88201fb960ff6465 out=65096b9b0f383d4a
// data: lock int[4] zero
// data: out int[2] zero
// run: spin_xchg 96/48 lock out
// gives: lock=88201fb960ff6465 out=4609aaabd2be8a5e
// data: lock int[4] zero
// data: out int[2] zero
// run: test_and_test 64/64 lock out
// gives: lock=88201fb960ff6465 out=a197fafb336ea628
// data: lock int[4] zero
// data: out int[2] zero
// run: ticket 64/32 lock out
// gives: lock=988679d4d9d3a0e5 out=a197fafb336ea628
// data: lock int[4] zero
// data: out int[2] zero
// run: ticket_volatile 64/64 lock out
// gives: lock=988679d4d9d3a0e5 out=a197fafb336ea628
// data: lock int[16] zero
// data: a int[128] random 0 15
// data: out int[16] zero
// run: buckets 128/64 lock a out
// gives: lock=b9b23f3a46fd0825 a=ffcba5e1b4a9ba5a out=d6c45573367df43b
// data: lock int[4] zero
// data: out int[2] zero
// run: nested 64/32 lock out
// gives: lock=88201fb960ff6465 out=a197fafb336ea628
// data: lock int[4] zero
// data: out int[2] zero
// run: in_functions 64/64 lock out
// gives: lock=88201fb960ff6465 out=a197fafb336ea628
// data: flag int[65] zero
// data: out int[64] zero
// run: relay 64/64 flag out
// gives: flag=fd46e8db31127964 out=0e796e2e5564232e
// data: lock int[4] zero
// data: out int[2] zero
// run: backoff 64/32 lock out
// gives: lock=88201fb960ff6465 out=a197fafb336ea628
// data: lock int[4] zero
// data: out int[2] zero
// run: repeated 64/32 lock out int:5
// gives: lock=88201fb960ff6465 out=72a311c77512ec3d
// data: lock int[4] zero
// data: out int[2] zero
// run: early_return 64/64 lock out
// gives: lock=88201fb960ff6465 out=f9fcb973ea8e9edf
// data: lock int[4] zero
// data: out int[2] zero
// run: conditional 64/32 lock out
// gives: lock=0abc9b33e95a53e5 out=92d38b13a7828079
// data: lock int[4] zero
// data: out int[2] zero
// run: break_out 64/64 lock out
// gives: lock=88201fb960ff6465 out=a197fafb336ea628
// data: lock int[4] zero
// data: out int[66] zero
// run: then_barrier 64/64 lock out
// gives: lock=88201fb960ff6465 out=d91057f08f0aea68
// data: lock int[4] zero
// data: out int[2] zero
// run: test_then_try 64/64 lock out
// gives: lock=88201fb960ff6465 out=a197fafb336ea628
// data: lock int[4] zero
// data: out int[2] zero
// run: try_by_function 64/32 lock out
// gives: lock=88201fb960ff6465 out=a197fafb336ea628
// data: lock int[4] zero
// data: out int[2] zero
// run: with_goto 64/64 lock out
// gives: lock=88201fb960ff6465 out=a197fafb336ea628
// data: flag int[4] zero
// data: out int[2] zero
// run: few_wait 32/32 flag out
// gives: flag=392209f14dea4c24 out=c760c155ed8e59c2
// data: flag int[4] zero
// data: out int[2] zero
// run: odd_wait 32/32 flag out
// gives: flag=25356b17acfdafe5 out=a8e94838797ee6f2

kernel void spin_cmpxchg(global int *lock, global int *out)
{
    while (atomic_cmpxchg(lock, 0, 1))
        ;
    out[0] += get_global_id(0);
    out[1]++;
    atomic_xchg(lock, 0);
}

kernel void spin_xchg(volatile global int *lock, volatile global int *out)
{
    while (atomic_xchg(&lock[2], 1) != 0) {
    }
    out[0] = out[0] + get_global_id(0) * 3;
    out[1] = out[1] + 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    lock[2] = 0;
}

kernel void test_and_test(volatile global int *lock, volatile global int *out)
{
    do {
        while (*lock)
            ;
    } while (atomic_xchg(lock, 1));
    out[0] = out[0] + get_global_id(0);
    out[1] = out[1] + 1;
    atomic_xchg(lock, 0);
}

kernel void ticket(global int *lock, volatile global int *out)
{
    int mine = atomic_inc(&lock[0]);
    while (atomic_add(&lock[1], 0) != mine)
        ;
    out[0] = out[0] + get_global_id(0);
    out[1] = out[1] + 1;
    atomic_inc(&lock[1]);
}

kernel void ticket_volatile(volatile global int *lock, volatile global int *out)
{
    int mine = atomic_inc(&lock[0]);
    while (lock[1] != mine)
        ;
    out[0] = out[0] + get_global_id(0);
    out[1] = out[1] + 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_inc(&lock[1]);
}

kernel void buckets(global int *lock, global const int *a, volatile global int *out)
{
    int i = get_global_id(0), b = a[i];
    while (atomic_cmpxchg(&lock[b], 0, 1) != 0)
        ;
    out[b] = out[b] + i;
    atomic_xchg(&lock[b], 0);
}

kernel void nested(global int *lock, volatile global int *out)
{
    while (atomic_xchg(&lock[0], 1))
        ;
    while (atomic_xchg(&lock[1], 1))
        ;
    out[0] = out[0] + get_global_id(0);
    out[1] = out[1] + 1;
    atomic_xchg(&lock[1], 0);
    atomic_xchg(&lock[0], 0);
}

static void take(global int *lock)
{
    while (atomic_cmpxchg(lock, 0, 1) == 1)
        ;
}

static void give(global int *lock)
{
    atomic_xchg(lock, 0);
}

kernel void in_functions(global int *lock, volatile global int *out)
{
    take(lock);
    out[0] = out[0] + get_global_id(0);
    out[1] = out[1] + 1;
    give(lock);
}

/* Each work-item waits for the one before it. */
kernel void relay(volatile global int *flag, global int *out)
{
    int i = get_global_id(0);
    if (i == 0)
        atomic_xchg(&flag[0], 1);
    while (atomic_add(&flag[i], 0) == 0)
        ;
    out[i] = i * i;
    atomic_xchg(&flag[i + 1], 1);
}

kernel void backoff(global int *lock, volatile global int *out)
{
    int wait = 1;
    while (atomic_cmpxchg(lock, 0, 1) != 0) {
        for (volatile int k = 0; k < wait; k++)
            ;
        wait = min(wait * 2, 64);
    }
    out[0] = out[0] + get_global_id(0);
    out[1] = out[1] + 1;
    atomic_xchg(lock, 0);
}

kernel void repeated(global int *lock, volatile global int *out, int n)
{
    for (int k = 0; k < n; k++) {
        while (atomic_cmpxchg(lock, 0, 1))
            ;
        out[0] = out[0] + get_global_id(0) + k;
        out[1] = out[1] + 1;
        atomic_xchg(lock, 0);
    }
}

kernel void early_return(global int *lock, volatile global int *out)
{
    int i = get_global_id(0);
    while (atomic_cmpxchg(lock, 0, 1))
        ;
    if (i % 3 == 0) {
        atomic_xchg(lock, 0);
        return;
    }
    out[0] = out[0] + i;
    out[1] = out[1] + 1;
    atomic_xchg(lock, 0);
}

kernel void conditional(global int *lock, volatile global int *out)
{
    int i = get_global_id(0);
    if (i & 1) {
        while (atomic_cmpxchg(lock, 0, 1))
            ;
        out[0] = out[0] + i;
        out[1] = out[1] + 1;
        atomic_xchg(lock, 0);
    }
    atomic_add(&lock[2], 2);
}

kernel void break_out(global int *lock, volatile global int *out)
{
    int tries = 0;
    while (1) {
        tries++;
        if (atomic_cmpxchg(lock, 0, 1) == 0)
            break;
    }
    out[0] = out[0] + get_global_id(0);
    out[1] = out[1] + (tries > 0);
    atomic_xchg(lock, 0);
}

kernel void then_barrier(global int *lock, volatile global int *out)
{
    local int sum;
    int i = get_local_id(0);
    if (i == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (atomic_cmpxchg(lock, 0, 1))
        ;
    out[0] = out[0] + i;
    atomic_inc(&sum);
    atomic_xchg(lock, 0);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[i + 2] = sum;
}

/* clang ends the life of `seen` in a block of its own, by which both ways out of the body lead. */
kernel void test_then_try(volatile global int *lock, volatile global int *out)
{
    while (true) {
        int seen = *lock;
        if (seen == 0 && atomic_cmpxchg(lock, 0, 1) == 0)
            break;
    }
    out[0] = out[0] + get_global_id(0);
    out[1] = out[1] + 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    *lock = 0;
}

static bool try_take(volatile global int *lock)
{
    return atomic_cmpxchg(lock, 0, 1) == 0;
}

__attribute__((noinline)) static void leave(volatile global int *lock)
{
    atomic_xchg(lock, 0);
}

kernel void try_by_function(volatile global int *lock, volatile global int *out)
{
    while (!try_take(&lock[3]))
        ;
    out[0] = out[0] + get_global_id(0);
    out[1] = out[1] + 1;
    leave(&lock[3]);
}

kernel void with_goto(volatile global int *lock, volatile global int *out)
{
retry:
    if (atomic_xchg(lock, 1))
        goto retry;
    out[0] = out[0] + get_global_id(0);
    out[1] = out[1] + 1;
    atomic_xchg(lock, 0);
}

/* One side of a branch waits for the other: the machine would run the fewer lanes first. */
kernel void few_wait(volatile global int *flag, volatile global int *out)
{
    int i = get_global_id(0);
    if (i < 24) {
        atomic_add(&out[1], i);
        atomic_xchg(&flag[0], 1);
    } else {
        while (flag[0] == 0)
            ;
        atomic_add(&out[0], i);
    }
}

kernel void odd_wait(volatile global int *flag, volatile global int *out)
{
    int i = get_global_id(0);
    if (i % 2) {
        while (atomic_add(&flag[i / 2 & 3], 0) == 0)
            ;
        if (i > 9)
            atomic_add(&out[0], i);
    } else {
        atomic_inc(&out[1]);
        atomic_inc(&flag[i / 2 & 3]);
    }
    atomic_inc(&out[1]);
}
