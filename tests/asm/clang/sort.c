/* Loops, recursion, tables, strings: compiled code of ordinary programs. */
struct item {
    int key;
    const char *name;
    struct item *next;
};

static const char *const names[] = {"zero", "one", "two", "three"};
static struct item pool[4];
int counter;
static volatile int sink;
extern int outside(const char *text, int number);
const unsigned char bytes[5] = {1, 2, 3, 4, 5};
double wide = 0.1;
float narrow = -2.5f;
long long big = 0x123456789abcdef0;

__attribute__((noinline)) static int partition(int *values, int low, int high)
{
    int pivot = values[high], i = low - 1;
    for (int j = low; j < high; j++)
        if (values[j] <= pivot) {
            int swap = values[++i];
            values[i] = values[j];
            values[j] = swap;
        }
    int swap = values[i + 1];
    values[i + 1] = values[high];
    values[high] = swap;
    return i + 1;
}

void sort(int *values, int low, int high)
{
    if (low < high) {
        int middle = partition(values, low, high);
        sort(values, low, middle - 1);
        sort(values, middle + 1, high);
    }
}

int choose(int what, int a, int b)
{
    switch (what) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return b ? a / b : 0;
    case 4: return a & b;
    case 5: return a | b;
    case 6: return a ^ b;
    case 7: return outside(names[a & 3], b);
    case 8: sink = a; return 8;
    case 9: return (int)(unsigned char)a << 3;
    default: return -1;
    }
}

struct item *build(void)
{
    for (int i = 0; i < 4; i++) {
        pool[i].key = choose(i, i, counter++);
        pool[i].name = names[i];
        pool[i].next = i < 3 ? &pool[i + 1] : 0;
    }
    return pool;
}

unsigned hash(const char *text)
{
    unsigned sum = 2166136261u;
    while (*text)
        sum = (sum ^ (unsigned char)*text++) * 16777619u;
    return sum;
}

long long mix(long long a, unsigned b)
{
    return (a << 3) + (a >> 5) + b;
}
