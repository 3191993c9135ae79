/* A program whose exit status is 0 if every part of it works.  Its parts need every relocation that the assembler
 * emits. */
extern int from_assembly(int (*callback)(int), int value);
extern const int table_in_assembly[];
extern const char *pointer_in_assembly;
extern unsigned difference_in_assembly, other_difference;
extern int counter_in_assembly;
int far_away(int value);
int weak_value(void) __attribute__((weak));

static int twice(int value)
{
    return 2 * value;
}
static int square(int value)
{
    return value * value;
}
static int (*const operations[])(int) = {twice, square, far_away};
static const char *const names[] = {"zero", "one", "two"};
int zeroed[10];
int initialised = 77;

int far_away(int value)
{
    return value - 1000;
}

int choose(int what);
int choose(int what)
{
    switch (what) {
    case 0: return 5;
    case 1: return initialised;
    case 2: return names[2][1];
    case 3: return zeroed[3];
    case 4: return operations[1](9);
    case 5: return operations[2](1);
    case 6: return table_in_assembly[2];
    case 7: return from_assembly(twice, 21);
    default: return -1;
    }
}

int check(void)
{
    static const int expected[] = {5, 77, 'w', 0, 81, -999, 30, 43, -1};
    int failures = 0;
    for (volatile int i = 0; i < 9; i++)
        failures += choose(i) != expected[i];
    failures += pointer_in_assembly[1] != 'b';
    failures += difference_in_assembly != 8;
    failures += other_difference != (unsigned)(unsigned long)&difference_in_assembly - (unsigned)(unsigned long)&choose;
    failures += counter_in_assembly != 3;
    failures += weak_value != 0;
    return failures;
}
