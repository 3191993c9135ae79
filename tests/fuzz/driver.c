/* Runs a fuzz target on random mutations of seed files, for compilers without libFuzzer.
 *
 *     fuzz_x [--seconds S] [--count N] [--seed N] [--from N] [--save FILE] FILE...
 *
 * Every input is a function of the seed number, its own number and the seed files, so `--from N --count 1` runs one
 * again; --count 0 runs the files as they are, which is how a saved input is tried again.  Sanitizer reports, aborts and
 * inputs that take over 20 seconds (an hour under qemu) end the program after the input was saved. */
#define _POSIX_C_SOURCE 200809L
#include "fuzz/fuzz.h"

#include "base/file.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 1 << 16, TOO_SLOW_SECONDS = 20, TOO_SLOW_EMULATED_SECONDS = 3600 };

struct seed {
    const char *path;
    struct cy_buf bytes;
};

static struct {
    CY_VEC(struct seed) seeds;
    uint64_t seed, from, count, seconds;
    const char *save;
    /* the input under way */
    uint64_t number;
    const uint8_t *data;
    size_t size;
} fuzz = {.seed = 1, .count = UINT64_MAX};

/* ---- random numbers: splitmix64 ---- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static size_t below(uint64_t *state, size_t limit)
{
    return limit ? (size_t)(next_random(state) % limit) : 0;
}

/* ---- mutations ---- */

static void resize_gap(struct cy_buf *input, size_t at, size_t removed, size_t added)
{
    cy_buf_reserve(input, added);
    memmove(input->data + at + added, input->data + at + removed, input->size - at - removed);
    input->size = input->size - removed + added;
}

/* Numbers at boundaries, written in 1, 2 or 4 bytes. */
static void put_number(struct cy_buf *input, uint64_t *random)
{
    static const uint32_t numbers[] = {0,       1,          2,          3,          4,          7,      8,      0x7f,
                                       0x80,    0xff,       0x100,      0x7fff,     0x8000,     0xfff1, 0xfff2, 0xffff,
                                       0x10000, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff, 100,    0x20};
    static const uint8_t widths[] = {1, 2, 4, 4};
    uint32_t value = numbers[below(random, CY_COUNT(numbers))];
    size_t width = widths[below(random, CY_COUNT(widths))];
    if (next_random(random) % 4 == 0)
        value = (uint32_t)input->size + value % 16 - 8;
    if (input->size < width)
        return;
    size_t at = below(random, input->size - width + 1);
    if (next_random(random) % 2)
        at -= at % width;
    for (size_t i = 0; i < width; i++)
        input->data[at + i] = (char)(value >> 8 * i & 0xff);
}

static void add_small(struct cy_buf *input, uint64_t *random)
{
    size_t at = below(random, input->size) & ~(size_t)3;
    if (at + 4 > input->size)
        return;
    uint32_t word;
    memcpy(&word, input->data + at, 4);
    word += (uint32_t)(next_random(random) % 65) - 32;
    memcpy(input->data + at, &word, 4);
}

/* A piece of the input, or of another seed, put somewhere else. */
static void copy_piece(struct cy_buf *input, uint64_t *random, bool insert)
{
    const struct cy_buf *from = next_random(random) % 2 ? input : &fuzz.seeds.at[below(random, fuzz.seeds.count)].bytes;
    if (from->size == 0 || input->size == 0)
        return;
    size_t begin = below(random, from->size);
    size_t length = 1 + below(random, next_random(random) % 2 ? 16 : from->size - begin);
    if (length > from->size - begin)
        length = from->size - begin;
    size_t at = below(random, input->size + 1);
    size_t removed = insert ? 0 : length < input->size - at ? length : input->size - at;
    if (input->size + length > LARGEST)
        return;
    struct cy_buf piece = {0};
    cy_buf_append(&piece, from->data + begin, length);
    resize_gap(input, at, removed, length);
    memcpy(input->data + at, piece.data, length);
    cy_buf_free(&piece);
}

static void mutate(struct cy_buf *input, uint64_t *random)
{
    size_t at = below(random, input->size);
    switch (next_random(random) % 12) {
    case 0:
    case 1:
        if (input->size)
            input->data[at] ^= (char)(1 << next_random(random) % 8);
        break;
    case 2:
        if (input->size)
            input->data[at] = (char)(next_random(random) & 0xff);
        break;
    case 3:
    case 4:
    case 5: put_number(input, random); break;
    case 6: add_small(input, random); break;
    case 7: copy_piece(input, random, false); break;
    case 8: copy_piece(input, random, true); break;
    case 9:
        if (input->size)
            resize_gap(input, at,
                       1 + below(random, next_random(random) % 2 ? 8 : input->size - at) % (input->size - at), 0);
        break;
    case 10:
        if (next_random(random) % 8 == 0)
            input->size = at;
        break;
    default:
        if (input->size < LARGEST) {
            resize_gap(input, at, 0, 1);
            input->data[at] = (char)(32 + next_random(random) % 95);
        }
    }
}

/* ---- failures ---- */

/* Called from signal handlers and from the sanitizers: only system calls. */
static void save_input(void)
{
    static bool done;
    if (done || !fuzz.data)
        return;
    done = true;
    char line[4096];
    int length =
        snprintf(line, sizeof(line), "input %llu of seed %llu, %zu bytes%s%.3000s\n", (unsigned long long)fuzz.number,
                 (unsigned long long)fuzz.seed, fuzz.size, fuzz.save ? ", saved in " : "", fuzz.save ? fuzz.save : "");
    int fd = fuzz.save ? open(fuzz.save, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if ((fd >= 0 && write(fd, fuzz.data, fuzz.size) < 0) || write(2, line, (size_t)length) < 0)
        _exit(3);
}

static void on_signal(int number)
{
    static const char slow[] = "the input takes too long\n";
    if (number == SIGALRM && write(2, slow, sizeof(slow) - 1) < 0)
        _exit(3);
    save_input();
    _exit(1);
}

/* The sanitizers' run time has it; without them there is none. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void watch(void)
{
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(save_input);
    static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};
    struct sigaction action = {.sa_handler = on_signal};
    for (size_t i = 0; i < CY_COUNT(signals); i++)
        if (!__sanitizer_set_death_callback || signals[i] == SIGABRT || signals[i] == SIGALRM)
            sigaction(signals[i], &action, NULL);
}

/* ---- the loop ---- */

static void run_one(const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1); /* exactly as large, so that a sanitizer detects a read past the end */
    if (!copy)
        abort();
    if (size)
        memcpy(copy, bytes, size);
    fuzz.data = copy;
    fuzz.size = size;
    LLVMFuzzerTestOneInput(copy, size);
    fuzz.data = NULL;
    free(copy);
}

static void run_mutations(void)
{
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    struct cy_buf input = {0};
    const bool is_emulated = getenv("CY_EMULATED") != NULL;
    uint64_t done = 0;
    for (; done < fuzz.count; done++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (fuzz.seconds && (uint64_t)(now.tv_sec - start.tv_sec) >= fuzz.seconds)
            break;
        alarm(is_emulated ? TOO_SLOW_EMULATED_SECONDS : TOO_SLOW_SECONDS);
        fuzz.number = fuzz.from + done;
        uint64_t random = fuzz.seed * 0x2545f4914f6cdd1d + fuzz.number;
        const struct cy_buf *seed = &fuzz.seeds.at[below(&random, fuzz.seeds.count)].bytes;
        input.size = 0;
        cy_buf_append(&input, seed->data, seed->size);
        for (size_t left = 1 + below(&random, 6); left > 0; left--)
            mutate(&input, &random);
        run_one(input.data, input.size);
    }
    alarm(0);
    cy_buf_free(&input);
    printf("%zu seeds, %llu mutations, seed %llu\n", fuzz.seeds.count, (unsigned long long)done,
           (unsigned long long)fuzz.seed);
}

static bool parse_arguments(int argc, char **argv)
{
    struct cy_diags diags = {0};
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (more && strcmp(argv[i], "--save") == 0)
            fuzz.save = argv[++i];
        else if (more && strcmp(argv[i], "--seconds") == 0)
            fuzz.seconds = strtoull(argv[++i], NULL, 10);
        else if (more && strcmp(argv[i], "--count") == 0)
            fuzz.count = strtoull(argv[++i], NULL, 10);
        else if (more && strcmp(argv[i], "--seed") == 0)
            fuzz.seed = strtoull(argv[++i], NULL, 10);
        else if (more && strcmp(argv[i], "--from") == 0)
            fuzz.from = strtoull(argv[++i], NULL, 10);
        else {
            struct seed *seed = cy_vec_push(&fuzz.seeds);
            *seed = (struct seed){.path = argv[i]};
            if (!cy_file_read(argv[i], &seed->bytes, &diags))
                break;
        }
    }
    if (diags.text.size)
        fprintf(stderr, "%s", diags.text.data);
    bool ok = diags.errors == 0 && fuzz.seeds.count > 0;
    if (diags.errors == 0 && !ok)
        fprintf(stderr, "usage: %s [--seconds S] [--count N] [--seed N] [--from N] [--save FILE] FILE...\n", argv[0]);
    cy_diags_free(&diags);
    return ok;
}

int main(int argc, char **argv)
{
    if (!parse_arguments(argc, argv))
        return 2;
    watch();
    for (size_t i = 0; i < fuzz.seeds.count; i++)
        run_one(fuzz.seeds.at[i].bytes.data, fuzz.seeds.at[i].bytes.size);
    run_one("", 0);
    run_mutations();
    for (size_t i = 0; i < fuzz.seeds.count; i++)
        cy_buf_free(&fuzz.seeds.at[i].bytes);
    cy_vec_free(&fuzz.seeds);
    return 0;
}
