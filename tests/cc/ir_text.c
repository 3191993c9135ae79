/* The text form of the IR.  Kernels of the tests and benchmarks are compiled at -O0 and -O2 with everything printed; their
 * IR after import and after the last pass on it is read back and printed again, which gives the same text, and compiled
 * from there, which gives the same text after every pass and the same executable.  Random functions are compared field by
 * field.  And texts that are wrong get a message that points at the place.  With CY_ALL_KERNELS=1 each kernel
 * is read at both levels, and the large ones of tests/kernels/minmax are among them, which take as long as all others together. */
#define _GNU_SOURCE
#include "cc/backend_run.h"
#include "cc/run_passes.h"

#include "base/file.h"
#include "chengying/cc.h"

#include <glob.h>

static char library[4096];
static unsigned long kernels;

/* ---- every kernel ---- */

/* From a dump of all passes: the module apart from its functions, and every function after one of the passes. */
static void section(const char *dump, const char *pass, struct cy_buf *out)
{
    char marker[64];
    size_t length = (size_t)snprintf(marker, sizeof(marker), "; after %s\n", pass);
    const char *p = strstr(dump, "; after ");
    out->size = 0;
    cy_buf_append(out, dump, p ? (size_t)(p - dump) : 0);
    for (; p; p = strstr(p + 1, "\n; after ")) {
        const char *at = p + (*p == '\n');
        const char *end = strstr(at, "\n; after ");
        if (!strncmp(at, marker, length))
            cy_buf_append(out, at + length, end ? (size_t)(end + 1 - at) - length : strlen(at + length));
    }
}

static bool reads_back(const char *name, const struct cy_buf *text)
{
    struct ir_module module = {0};
    struct cy_diags diags = {0};
    struct cy_buf again = {0};
    bool ok = CHECK(ir_read(name, text->data, text->size, &module, &diags));
    if (!ok)
        fputs(diags.text.data, stderr);
    if (ok) {
        ir_print_module(&module, &again);
        ok = CHECK_STR(again.data, text->data);
    }
    kernels += module.funcs.count;
    ir_module_free(&module);
    cy_diags_free(&diags);
    cy_buf_free(&again);
    return ok;
}

/* The kernels of tests/kernels have their compile options in a comment. */
static void take_options(const char *source, char own[256], const char *args[9], struct cy_cc_options *options)
{
    static const char key[] = "// options: ";
    const char *line = strstr(source, key);
    size_t length = line ? strcspn(line + strlen(key), "\n") : 0;
    snprintf(own, 256, "%.*s", (int)length, line ? line + strlen(key) : "");
    options->args = args;
    options->arg_count = 2;
    for (char *word = strtok(own, " "); word && options->arg_count < 9; word = strtok(NULL, " "))
        args[options->arg_count++] = word;
}

static void try_kernel(const char *path, int level)
{
    struct cy_diags diags = {0};
    struct cy_buf source = {0}, text = {0};
    struct cy_cc_result first, second = {0};
    struct cy_cc_options options = {.optimize = level, .library_dir = library, .dump = "all"};
    const char *args[9] = {"-w", CY_CC_NO_SOURCE}; /* the IR text is not the source to carry */
    CHECK(cy_file_read(path, &source, &diags));
    char own[256];
    take_options(source.data, own, args, &options);
    bool ok = cy_cc(path, source.data, source.size, &options, &first);
    if (CHECK(ok && first.dump)) {
        section(first.dump, "uniformity", &text);
        ok = reads_back(path, &text);
        section(first.dump, "import", &text);
        ok = reads_back(path, &text) && ok;
        options.is_ir = true;
        ok = CHECK(cy_cc(path, text.data, text.size, &options, &second)) && ok;
        ok = ok && CHECK_STR(second.dump, first.dump) && CHECK_EQ(second.elf_size, first.elf_size) &&
             CHECK(!memcmp(second.elf, first.elf, first.elf_size)) && ok;
    }
    if (!ok)
        fprintf(stderr, "%s -O%d: %s%s\n", path, level, first.log, second.log ? second.log : "");
    cy_cc_result_free(&first);
    cy_cc_result_free(&second);
    cy_buf_free(&source);
    cy_buf_free(&text);
    cy_diags_free(&diags);
}

/* By default every third file, and every other one of these without optimisation. */
static bool is_wanted(const char *path, size_t n, int level)
{
    return getenv("CY_ALL_KERNELS") || (!strstr(path, "/kernels/minmax/") && n % 3 == 0 && level == (n % 2 ? 0 : 2));
}

static void test_kernels(void)
{
    static const char *const places[] = {"tests/kernels/*", "tests/regress", "bench/codegen", "bench/opencl"};
    snprintf(library, sizeof(library), "%s/lib/ventus", getenv("CY_BUILD"));
    for (size_t i = 0; i < CY_COUNT(places); i++) {
        char pattern[4096];
        glob_t found;
        snprintf(pattern, sizeof(pattern), "%s/%s/*.cl", getenv("CY_SOURCE"), places[i]);
        if (!CHECK(!glob(pattern, 0, NULL, &found)))
            continue;
        for (size_t k = 0; k < found.gl_pathc; k++)
            for (int level = 0; level <= 2; level += 2)
                if (is_wanted(found.gl_pathv[k], k, level))
                    try_kernel(found.gl_pathv[k], level);
        globfree(&found);
    }
    printf("%lu kernels and functions read back\n", kernels);
    CHECK(kernels > 200);
}

/* ---- fields ---- */

static void same_insn(const struct ir_func *a, const struct ir_func *b, ir_value value)
{
    const struct ir_insn *x = ir_at(a, value), *y = ir_at(b, value);
    CHECK(x->op == y->op && x->is_private == y->is_private && x->is_volatile == y->is_volatile &&
          x->is_divergent == y->is_divergent && x->imm == y->imm && x->extra == y->extra && x->block == y->block &&
          x->line == y->line);
    for (size_t i = 0; x->op == IR_PHI && i < a->blocks.at[x->block].preds.count; i++)
        CHECK_EQ(a->phi_args.at[x->args[0] + i], b->phi_args.at[y->args[0] + i]);
    CHECK(x->op == IR_PHI || !memcmp(x->args, y->args, sizeof(x->args)));
}

static void same_block(const struct ir_func *a, const struct ir_func *b, size_t at)
{
    const struct ir_block *x = &a->blocks.at[at], *y = &b->blocks.at[at];
    if (!CHECK(x->list.count == y->list.count && x->preds.count == y->preds.count && x->terminator == y->terminator &&
               x->succ_count == y->succ_count && x->is_divergent_branch == y->is_divergent_branch &&
               x->needs_join == y->needs_join))
        return;
    CHECK(x->terminator != IR_BRANCH || x->condition == y->condition);
    for (uint32_t s = 0; s < x->succ_count; s++)
        CHECK_EQ(x->succ[s], y->succ[s]);
    for (size_t i = 0; i < x->preds.count; i++)
        CHECK_EQ(x->preds.at[i], y->preds.at[i]);
    for (size_t i = 0; i < x->list.count; i++)
        if (CHECK_EQ(x->list.at[i], y->list.at[i]))
            same_insn(a, b, x->list.at[i]);
    CHECK(x->order == y->order && x->idom == y->idom && x->ipdom == y->ipdom && x->loop_header == y->loop_header &&
          x->loop_depth == y->loop_depth);
}

static void same_func(const struct ir_func *a, const struct ir_func *b)
{
    CHECK_STR(a->name, b->name);
    CHECK(a->line == b->line && a->is_function == b->is_function && a->params == b->params &&
          a->results == b->results && a->private_bytes == b->private_bytes && a->local_bytes == b->local_bytes &&
          a->observes_workgroup == b->observes_workgroup && a->may_spin == b->may_spin &&
          a->row_dimension == b->row_dimension && a->code_offset == b->code_offset);
    CHECK(!memcmp(a->reqd_size, b->reqd_size, sizeof(a->reqd_size)) && !memcmp(&a->needs, &b->needs, sizeof(a->needs)));
    CHECK_EQ(a->insns.count, b->insns.count);
    if (CHECK_EQ(a->callees.count, b->callees.count))
        for (size_t i = 0; i < a->callees.count; i++)
            CHECK_EQ(a->callees.at[i], b->callees.at[i]);
    if (CHECK_EQ(a->blocks.count, b->blocks.count))
        for (size_t i = 0; i < a->blocks.count; i++)
            same_block(a, b, i);
}

static void test_random(void)
{
    struct gen gen;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct ir_module module = {.private_align = seed % 2 ? 4 : 16}, again = {0};
        struct cy_diags diags = {0};
        struct cy_buf text = {0};
        for (uint32_t f = 0; f < 2; f++) {
            struct ir_func func;
            ir_random_function(&gen, &func, &module, f, f ? "g" : "odd name", seed + f, 0);
            *cy_vec_push(&module.funcs) = func;
        }
        struct ir_func func;
        ir_random(&gen, &func, &module, "k", seed, 0, 0);
        func.line = IR_LOCATION(seed % 3, seed);
        func.local_bytes = (uint32_t)seed;
        func.reqd_size[seed % 3] = 8;
        func.observes_workgroup = seed % 2;
        func.may_spin = seed % 3;
        func.row_dimension = (uint32_t)seed % 3;
        func.needs.stack_bytes = (uint32_t)seed % 5;
        *cy_vec_push(&module.funcs) = func;
        struct rng rng = {seed};
        for (size_t f = 0; f < module.funcs.count; f++) {
            struct ir_func *at = &module.funcs.at[f];
            ir_analyse_cfg(at);
            if (seed % 2)
                ir_analyse_uniformity(at);
            for (size_t i = 1; i < at->insns.count; i++) {
                uint32_t file = rng_below(&rng, 3), line = rng_below(&rng, 9);
                at->insns.at[i].line = rng_chance(&rng, 3) ? IR_LOCATION(file, line) : 0;
            }
        }
        ir_print_module(&module, &text);
        if (CHECK(ir_read("random.ir", text.data, text.size, &again, &diags)) &&
            CHECK_EQ(again.funcs.count, module.funcs.count))
            for (size_t f = 0; f < module.funcs.count; f++)
                same_func(&module.funcs.at[f], &again.funcs.at[f]);
        else
            fprintf(stderr, "seed %" PRIu64 ": %s", seed, diags.text.data ? diags.text.data : "");
        CHECK_EQ(again.private_align, module.private_align);
        ir_module_free(&module);
        ir_module_free(&again);
        cy_diags_free(&diags);
        cy_buf_free(&text);
    }
}

static void test_module(void)
{
    static const char text[] =
        "file \"a \\22b\\22.cl\"\nfile \"c.h\"\n"
        "symbol @.str size 3 align 4 constant data \"a\\00\\ff\"\n"
        "symbol @\"odd name\" size 8 align 8 data \"\\00\\00\\00\\00\\01\\02\\03\\04\" reloc 4 @.str -1\n"
        "symbol @zeros size 64 align 16 zero\nsymbol @shared size 4 align 4 zero local\n"
        "format \"%d\\0a\"\n"
        "kernel k !1:7 local 4 reqd 8 1 1 observes_workgroup may_spin attributes \"x\"\n"
        "  argument \"p\" \"int*\" size 4 align 4 space 1 qualifiers 3 pointer\n"
        "  argument \"s\" \"struct t\" size 12 align 4 struct\n"
        "  b0:\n    s1 = symbol @\"odd name\" +4 !9\n    s4 = load s1 #-2 -8 volatile\n    s5 = amo s1 s4 amoadd.w "
        "!1:2\n"
        "    return\n";
    struct ir_module module = {0};
    struct cy_diags diags = {0};
    struct cy_buf again = {0};
    if (!CHECK(ir_read("m.ir", text, strlen(text), &module, &diags)))
        fputs(diags.text.data, stderr);
    ir_print_module(&module, &again);
    CHECK_STR(again.data, text);
    CHECK_EQ(module.symbols.at[1].relocs.at[0].symbol, 0);
    CHECK_EQ(module.symbols.at[0].data.size, 3);
    CHECK_EQ(module.funcs.at[0].argument_count, 2);
    CHECK_EQ(ir_at(&module.funcs.at[0], 5)->line, IR_LOCATION(1, 2));
    ir_module_free(&module);
    cy_buf_free(&again);
    cy_diags_free(&diags);
}

/* ---- errors ---- */

static void test_errors(void)
{
    static const struct {
        const char *text, *place, *message;
    } cases[] = {
        {"kernle k\n", "e.ir:1:1", "expected kernel, function, symbol"},
        {"kernel k\n", "e.ir:2:1", "'k' does not end"},
        {"kernel k\n  b0:\n    s1 = addd s1 s1\n", "e.ir:3:10", "expected an operation"},
        {"kernel k\n  b0:\n    s1 = const #5 volatile\n    return\n", "e.ir:3:10",
         "only loads and stores can be volatile"},
        {"kernel k\n  b0:\n    s1 = const 5\n", "e.ir:3:16", "expected # and a number"},
        {"kernel k\n  b0:\n    s1 = const #5000000000\n", "e.ir:3:16", "a number of 32 bits"},
        {"kernel k\n  b0:\n    s1 = const #1\n    s1 = const #1\n", "e.ir:4:5", "value 1 is already defined"},
        {"kernel k\n  b0:\n    s1 = add s2 s3\n    return\n", "e.ir:3:14", "there is no value 2"},
        {"kernel k\n  b0:\n    s1 = lane\n    s2 = add v1 s1\n    return\n", "e.ir:4:14", "it is defined as s1"},
        {"kernel k\n  b0:\n    s2 = fence #51\n    s3 = copy s2\n    return\n", "e.ir:4:15", "'fence' has no value"},
        {"kernel k\n  b0:\n    s2 = copy s3\n    s3 = const #1\n    return\n", "e.ir:1:8",
         "uses 3 before it is defined"},
        {"kernel k\n  b1:\n", "e.ir:2:3", "expected b0"},
        {"kernel k\n  b0:\n    jump b7\n", "e.ir:3:10", "there is no block 7"},
        {"kernel k\n  b0:\n  b1:\n", "e.ir:3:3", "block 0 has no terminator"},
        {"kernel k\n  b0:\n    jump b0\n", "e.ir:1:8", "the entry, block 0, must not have predecessors"},
        {"kernel k\n  b0:\n    s900000 = lane\n", "e.ir:3:5", "too large"},
        {"kernel k\n  b0:\n    s1 = argbase\n    s2 = load s1 #3\n    return\n", "e.ir:4:10", "the size is 1, 2 or 4"},
        {"kernel k\n  b0:\n    s1 = call @f\n    return\n", "e.ir:3:15", "there is no such function"},
        {"kernel k\n  b0:\n    s1 = symbol @f\n    return\n", "e.ir:3:17", "there is no such symbol"},
        {"kernel k\n  b0:\n    s1 = param #0\n", "e.ir:3:10", "there is no such word"},
        {"kernel k\n  b0:\n    s1 = call @k\n    return\n", "e.ir:3:15", "is a kernel"},
        {"function f\n  b0:\n    s1 = call @f\n    return\n", "e.ir:1:10", "'f' calls itself"},
        {"function f params 1\n  b0:\n    s1 = param #0\n    return\nkernel k\n  b0:\n    s1 = call @f\n    return\n",
         "e.ir:7:15", "'f' has 1 params, the call passes 0"},
        {"kernel k\n  b0:\n    s1 = lane\n    s2 = phi\n", "e.ir:4:10", "phis come first"},
        {"kernel k\n  b0:\n    jump b1\n  b1:\n    s1 = phi [s2 from b1]\n    s2 = const #1\n    return\n", "e.ir:1:8",
         "block 1 lists block 1 as a predecessor"},
        {"kernel k\n  b0:\n    jump b1\n  b1:\n    s1 = phi\n    return\n", "e.ir:5:13", "the values of a phi"},
        {"kernel k\n  b0:\n    s1 = lane\n    branch s1 ? b1 : b2\n  b1:\n    jump b2\n  b2:\n"
         "    s2 = phi [s1 from b0]\n    return\n",
         "e.ir:1:8", "block 2 is missing its predecessor block 1"},
        {"kernel k attributes \"\\zz\"\n", "e.ir:1:21", "the string does not end"},
        {"kernel k !1:2:3\n", "e.ir:1:10", "expected a location"},
        {"kernel k\n  b0:\n    return\nkernel k\n  b0:\n    return\n", "e.ir:4:8", "'k' is defined twice"},
        {"symbol @s size 4 align 3 zero\n", "e.ir:1:8", "power of two"},
        {"symbol @s size 4 align 4 data \"abc\"\n", "e.ir:1:8", "the data has 3 bytes, the symbol 4"},
        {"kernel k\n  b0:\n    s1 = amo s1 s1 add\n", "e.ir:3:20", "the name of an atomic instruction"},
        {"kernel k\n  b0:\n    return 5\n", "e.ir:3:12", "expected the end of the line"},
    };
    for (size_t i = 0; i < CY_COUNT(cases); i++) {
        struct ir_module module = {0};
        struct cy_diags diags = {0};
        CHECK(!ir_read("e.ir", cases[i].text, strlen(cases[i].text), &module, &diags));
        if (!CHECK(diags.text.data && !strncmp(diags.text.data, cases[i].place, strlen(cases[i].place)) &&
                   strstr(diags.text.data, cases[i].message) && strchr(diags.text.data, '^')))
            fprintf(stderr, "%s---\n%s", cases[i].text, diags.text.data ? diags.text.data : "no message\n");
        ir_module_free(&module);
        cy_diags_free(&diags);
    }
}

TEST_MAIN(test_module, test_errors, test_random, test_kernels)
