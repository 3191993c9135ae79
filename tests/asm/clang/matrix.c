/* Arrays, structures by value, function pointers, a large function with long branches. */
typedef struct {
    int m[4][4];
} matrix;

int dispatch(int (*const table[])(int), int index, int value)
{
    return table[index](value);
}

matrix multiply(const matrix *a, const matrix *b)
{
    matrix c;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            c.m[i][j] = 0;
            for (int k = 0; k < 4; k++)
                c.m[i][j] += a->m[i][k] * b->m[k][j];
        }
    return c;
}

static int twice(int x)
{
    return x + x;
}
static int thrice(int x)
{
    return 3 * x;
}
int (*const functions[])(int) = {twice, thrice};
__attribute__((weak)) int maybe(int x)
{
    return x;
}
__attribute__((visibility("hidden"))) int hidden_one = 7;
static int zeroed[100];

#define STEP(n)                                                                                                        \
    if (x & (1 << (n))) {                                                                                              \
        zeroed[n] += x * (n + 3);                                                                                      \
        zeroed[n + 1] ^= zeroed[n] / (n + 7);                                                                          \
        x = maybe(x) + hidden_one;                                                                                     \
    }
#define STEPS(n)                                                                                                       \
    do {                                                                                                               \
        STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3) STEP(n + 4) STEP(n + 5) STEP(n + 6) STEP(n + 7)                    \
    } while (0)

int long_function(int x)
{
    do {
        STEPS(0);
        STEPS(8);
        STEPS(16);
        STEPS(1);
        STEPS(9);
        STEPS(17);
        STEPS(2);
        STEPS(10);
        STEPS(18);
    } while (x > 0);
    return dispatch(functions, x & 1, zeroed[3]);
}
