//! buffer boards uchar 4096 below 9
//! buffer out int 1024 zero
//! launch play 1024 / 64 : boards out
// tic-tac-toe searched with an explicit stack of structures
struct frame { short x, o; char best, move; };
int wins(int b) { return (b & 7) == 7 || (b & 56) == 56 || (b & 448) == 448 || (b & 73) == 73 || (b & 146) == 146 || (b & 292) == 292 || (b & 273) == 273 || (b & 84) == 84; }
kernel void play(global const uchar *boards, global int *out)
{
    int id = get_global_id(0), nodes = 0;
    struct frame s[10];
    int top = 0, result = 0, x = 1 << boards[id * 4], o = 1 << boards[id * 4 + 1] & ~x;
    x |= 1 << boards[id * 4 + 2] & ~o, o |= 1 << boards[id * 4 + 3] & ~x;
    s[0].x = x, s[0].o = o, s[0].best = -2, s[0].move = 0;
    while (top >= 0 && nodes < 2000) {
        struct frame f = s[top];
        nodes++;
        int full = (f.x | f.o) == 511;
        if (f.move == 0 && (wins(f.o) || full)) {
            result = wins(f.o) ? -1 : 0;
            top--;
            if (top >= 0) {
                s[top].best = max((int)s[top].best, -result);
            }
            continue;
        }
        while (f.move < 9 && ((f.x | f.o) >> f.move & 1))
            f.move++;
        if (f.move == 9) {
            result = f.best;
            top--;
            if (top >= 0)
                s[top].best = max((int)s[top].best, -result);
            continue;
        }
        s[top].move = f.move + 1;
        top++;
        s[top].x = f.o, s[top].o = f.x | 1 << f.move, s[top].best = -2, s[top].move = 0;
    }
    out[id] = nodes * 4 + result;
}
