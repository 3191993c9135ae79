//! buffer code uchar 4096 below 16
//! buffer out int 2048 zero
//! launch execute 2048 / 64 : code out 200
// each item its own program and stack
kernel void execute(global const uchar *code, global int *out, int limit)
{
    int id = get_global_id(0), pc = id, sp = 2, stack[16], r = id;
    for (int i = 0; i < 16; i++)
        stack[i] = i * id;
    for (int n = 0; n < limit; n++) {
        int op = code[pc & 4095];
        pc++;
        switch (op) {
        case 0: stack[sp & 15] = r; sp++; break;
        case 1: sp--; r += stack[sp & 15]; break;
        case 2: r ^= stack[(sp - 1) & 15]; break;
        case 3: r -= stack[(sp - 2) & 15]; break;
        case 4: r *= 3; break;
        case 5: r = r >> 1; break;
        case 6: if (r & 1) pc += 3; break;
        case 7: stack[(sp - 1) & 15] += r; break;
        case 8: r = ~r; break;
        case 9: r = max(r, stack[sp & 15]); break;
        case 10: if (r < 0) pc -= 2; break;
        case 11: sp ^= 1; break;
        case 12: r += code[(pc++) & 4095]; break;
        case 13: r = popcount(r); break;
        case 14: stack[(sp + 1) & 15] = pc; break;
        default: r += n;
        }
    }
    out[id] = r + sp;
}
