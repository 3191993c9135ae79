"""argument_order.py finds what it should, on exactly the marked lines, and nothing else."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(os.environ["CY_TMP"], "planted.c")
PLANTED = r"""
#include <stddef.h>
#include <stdio.h>
struct in { const unsigned char *p; int n; };
struct cy_arena { char *p; };
struct box { int *items; int count; struct in in; struct cy_arena arena; };
typedef struct LLVMOpaqueBuilder *LLVMBuilderRef;
typedef struct LLVMOpaqueValue *LLVMValueRef;
LLVMValueRef LLVMBuildAdd(LLVMBuilderRef builder, LLVMValueRef a, LLVMValueRef b);
int two(int a, int b);
int start(int x, char **message);
int take(int status, char *message);
int take_at(int status, char **message);
void *both(void *a, void *b);

static int next(struct in *in) { struct in *same = in; return *same->p++; }
static int deep(struct box *b) { return next(&b->in); }
static int count(const struct box *b) { return b->count; }
static int grow(struct box *b) { b->count++; return 0; }
static void put(struct box *b, int v) { b->items[b->count++] = v; }
static void *alloc(struct cy_arena *arena, size_t n) { arena->p += n; return arena->p; }
static int fresh(struct box *b) { b->in.n = 0; return *(int *)alloc(&b->arena, 4); }
static int looped(struct box *b, int n) { return n ? looped(b, n - 1) : grow(b); }

int f(struct box *b, struct box *other, FILE *file, LLVMBuilderRef builder, LLVMValueRef v)
{
    char *message = NULL;
    int i = 0, a[4] = {0};
    struct in in = {0}, in2 = {0};
    struct in *cursor = &in;
    int r = take(start(1, &message), message); // found
    r += take_at(start(1, &message), &message);
    r += two(i, i++); // found
    r += two(next(&in), next(&in)); // found
    r += two(next(&in), next(&in2));
    r += deep(b) - deep(b); // found
    r += deep(b) - deep(other);
    a[i] = i++; // found
    r += two(count(b), grow(b)); // found
    r += two(count(b), looped(b, 3)); // found
    r += two(count(b), deep(b));
    r += two(count(b), fresh(b));
    int list[2] = {next(cursor), next(cursor)}; // found
    struct box c = {.count = grow(b), .items = b->items + b->count}; // found
    b->items[b->count] = grow(b); // found
    b->items[b->count] = deep(b);
    put(b, deep(b));
    r += fgetc(file) << 8 | fgetc(file); // found
    i += (i = 2); // found
    i = i + 1;
    i = next(&in);
    both(alloc(&b->arena, 1), alloc(&b->arena, 2));
    v = LLVMBuildAdd(builder, LLVMBuildAdd(builder, v, v), LLVMBuildAdd(builder, v, v)); // found
    v = LLVMBuildAdd(builder, LLVMBuildAdd(builder, v, v), v);
    if (next(&in) == 1 && next(&in) == 2)
        r += next(&in) ? next(&in) : i;
    for (i = 0; i < next(&in); i++)
        r += (int)sizeof(i++) + (next(&in), next(&in));
    return r + list[0] + c.count + a[0] + !v;
}
"""

with open(SOURCE, "w", encoding="utf-8") as out:
    out.write(PLANTED)
done = subprocess.run([sys.executable, os.path.join(HERE, "argument_order.py"), SOURCE], stdout=subprocess.PIPE, text=True, check=False)
found = {int(line.split(":")[1]) for line in done.stdout.splitlines() if line.startswith(SOURCE)}
wanted = {number for number, line in enumerate(PLANTED.splitlines(), 1) if line.endswith("// found")}
for number in sorted(found ^ wanted):
    print("not found:" if number in wanted else "not a fault:", PLANTED.splitlines()[number - 1].strip())
print(f"{len(found & wanted)} found, {len(found ^ wanted)} wrong")
sys.exit(found != wanted or done.returncode != 1)
