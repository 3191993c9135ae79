#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#include "case.h"

#include <CL/cl.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const element_names[E_COUNT] = {"char", "uchar", "short", "ushort", "int",
                                            "uint", "long",  "ulong", "float"};
const size_t element_sizes[E_COUNT] = {1, 1, 2, 2, 4, 4, 8, 8, 4};

enum { SAMPLES = 8 };

struct reader {
    struct kernel_file *file;
    unsigned line;
    struct test_case *open; /* the case whose `gives` has not been seen */
    char *rest;             /* of the line, for next_word */
};

static bool mistake(const struct reader *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "%s:%u: ", r->file->path, r->line);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    return false;
}

static char *next_word(struct reader *r)
{
    return strtok_r(NULL, " \t", &r->rest);
}

static bool parse_element(const char *text, size_t length, enum element *type)
{
    for (*type = 0; *type < E_COUNT; (*type)++)
        if (strlen(element_names[*type]) == length && memcmp(element_names[*type], text, length) == 0)
            return true;
    return false;
}

/* A value as an element: integers are written in decimal or hexadecimal and wrap. */
static bool put_value(enum element type, const char *text, unsigned char *out)
{
    char *end;
    if (type == E_FLOAT) {
        float value = strtof(text, &end);
        memcpy(out, &value, sizeof(value));
    } else {
        uint64_t value = strtoull(text, &end, 0);
        memcpy(out, &value, element_sizes[type]); /* little-endian hosts, as everywhere in the project */
    }
    return end != text && *end == '\0';
}

static void put_number(enum element type, double number, unsigned char *out)
{
    if (type == E_FLOAT) {
        float value = (float)number;
        memcpy(out, &value, sizeof(value));
    } else {
        uint64_t value = (uint64_t)(int64_t)number;
        memcpy(out, &value, element_sizes[type]);
    }
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* Floats get multiples of 2^-16 of the range, integers whole numbers with both ends. */
static double random_between(uint64_t *state, enum element type, double low, double high)
{
    uint64_t bits = next_random(state);
    if (type == E_FLOAT)
        return low + (high - low) * ((double)(bits >> 48) / 65536);
    return low + (double)(bits % (uint64_t)(high - low + 1));
}

static bool fill_list(struct reader *r, struct data *d)
{
    char *text = next_word(r), *rest = NULL;
    size_t size = element_sizes[d->type], i = 0;
    for (char *item = text ? strtok_r(text, ",", &rest) : NULL; item; item = strtok_r(NULL, ",", &rest), i++)
        if (i == d->count || !put_value(d->type, item, d->initial + i * size))
            return mistake(r, "bad value '%s' of the list", item);
    return i == d->count || mistake(r, "the list has %zu values, the buffer %zu", i, d->count);
}

static bool fill(struct reader *r, struct data *d, const char *how, uint64_t random)
{
    size_t size = element_sizes[d->type];
    if (strcmp(how, "list") == 0)
        return fill_list(r, d);
    const char *first = next_word(r), *second = next_word(r);
    double a = first ? strtod(first, NULL) : 0, b = second ? strtod(second, NULL) : 1, sum = 0;
    bool perm = strcmp(how, "perm") == 0, full = strcmp(how, "random") == 0 && !first && d->type != E_FLOAT;
    if (strcmp(how, "random") == 0 && !first)
        a = -1;
    for (size_t i = 0; i < d->count; i++) {
        unsigned char *out = d->initial + i * size;
        if (strcmp(how, "zero") == 0) {
            continue;
        } else if (strcmp(how, "value") == 0 && first) {
            if (!put_value(d->type, first, out))
                return mistake(r, "bad value '%s'", first);
        } else if (strcmp(how, "iota") == 0) {
            put_number(d->type, a + b * (double)i, out);
        } else if (full) {
            uint64_t bits = next_random(&random);
            memcpy(out, &bits, size);
        } else if (strcmp(how, "random") == 0) {
            put_number(d->type, random_between(&random, d->type, a, b), out);
        } else if (strcmp(how, "steps") == 0 && second) {
            put_number(d->type, sum, out);
            sum += random_between(&random, d->type, a, b);
        } else if (perm) { /* Fisher and Yates, from the inside out */
            size_t j = next_random(&random) % (i + 1);
            memcpy(out, d->initial + j * size, size);
            put_number(d->type, (double)i, d->initial + j * size);
        } else {
            return mistake(r, "unknown fill '%s'", how);
        }
    }
    return true;
}

static bool parse_data(struct reader *r)
{
    struct test_case *c = r->open;
    if (c->data_count == MAX_DATA)
        return mistake(r, "more than %d buffers", MAX_DATA);
    struct data *d = &c->data[c->data_count];
    char *name = next_word(r), *shape = next_word(r), *how = next_word(r);
    char *bracket = shape ? strchr(shape, '[') : NULL;
    if (!how || !bracket || strlen(name) >= sizeof(d->name) ||
        !parse_element(shape, (size_t)(bracket - shape), &d->type))
        return mistake(r, "expected `data: NAME TYPE[COUNT] FILL`");
    for (size_t i = 0; i < c->data_count; i++)
        if (strcmp(c->data[i].name, name) == 0)
            return mistake(r, "a second buffer '%s' in one case", name);
    strcpy(d->name, name);
    d->count = strtoull(bracket + 1, NULL, 0);
    if (d->count == 0 || d->count > (size_t)1 << 24)
        return mistake(r, "a buffer has from 1 to 2^24 elements");
    d->initial = calloc(d->count, element_sizes[d->type]);
    if (!d->initial)
        return mistake(r, "out of memory");
    c->data_count++;
    return fill(r, d, how, c->data_count);
}

/* ---- images and samplers ---- */

struct word {
    const char *text;
    unsigned value, size; /* channels; bytes of one */
};

static const struct word *find_word(const struct word *words, size_t count, const char *text)
{
    for (size_t i = 0; text && i < count; i++)
        if (strcmp(words[i].text, text) == 0)
            return &words[i];
    return NULL;
}
#define WORD(prefix, name, size)                                                                                       \
    {                                                                                                                  \
#name, CL_##prefix##name, size                                                                                 \
    }
#define FIND(words, text) find_word(words, sizeof(words) / sizeof((words)[0]), text)

static const struct word orders[] = {WORD(, R, 1), WORD(, RG, 2), WORD(, RGBA, 4), WORD(, BGRA, 4)};
static const struct word channels[] = {WORD(, SIGNED_INT8, 1),   WORD(, SIGNED_INT16, 2),   WORD(, SIGNED_INT32, 4),
                                       WORD(, UNSIGNED_INT8, 1), WORD(, UNSIGNED_INT16, 2), WORD(, UNSIGNED_INT32, 4),
                                       WORD(, SNORM_INT8, 1),    WORD(, SNORM_INT16, 2),    WORD(, UNORM_INT8, 1),
                                       WORD(, UNORM_INT16, 2),   WORD(, FLOAT, 4),          WORD(, HALF_FLOAT, 2)};
static const struct word addressings[] = {WORD(ADDRESS_, NONE, 0), WORD(ADDRESS_, CLAMP, 0),
                                          WORD(ADDRESS_, CLAMP_TO_EDGE, 0), WORD(ADDRESS_, REPEAT, 0),
                                          WORD(ADDRESS_, MIRRORED_REPEAT, 0)};
static const struct word filters[] = {WORD(FILTER_, NEAREST, 0), WORD(FILTER_, LINEAR, 0)};

static char *parse_sizes(char *text, size_t sizes[3], unsigned *count);

/* What buffers, images and samplers have in common. */
static struct data *new_data(struct reader *r, enum data_kind kind, const char *name)
{
    struct test_case *c = r->open;
    struct data *d = &c->data[c->data_count];
    if (c->data_count == MAX_DATA || !name || strlen(name) >= sizeof(d->name))
        return NULL;
    strcpy(d->name, name);
    d->kind = kind;
    r->file->has_images |= kind != A_BUFFER;
    return d;
}

static bool parse_image(struct reader *r)
{
    struct data *d = new_data(r, AN_IMAGE, next_word(r));
    const struct word *order = FIND(orders, next_word(r)), *channel = FIND(channels, next_word(r));
    char *size = next_word(r), *how = next_word(r), *rest = d && size ? parse_sizes(size, d->size, &d->dims) : NULL;
    if (!order || !channel || !how || !rest || *rest)
        return mistake(r, "expected `image: NAME ORDER TYPE SIZE FILL`");
    d->order = order->value;
    d->channel = channel->value;
    d->type = E_UCHAR;
    d->count = order->size * channel->size;
    for (unsigned i = 0; i < d->dims; i++)
        d->count *= d->size[i];
    if (d->count == 0 || d->count > (size_t)1 << 24)
        return mistake(r, "an image has from 1 to 2^24 bytes");
    d->initial = calloc(d->count, 1);
    r->open->data_count++;
    return d->initial && fill(r, d, how, r->open->data_count);
}

static bool parse_sampler(struct reader *r)
{
    struct data *d = new_data(r, A_SAMPLER, next_word(r));
    const char *coordinates = next_word(r);
    const struct word *addressing = FIND(addressings, next_word(r)), *filter = FIND(filters, next_word(r));
    if (!d || !addressing || !filter)
        return mistake(r, "expected `sampler: NAME raw|normalised ADDRESSING FILTER`");
    d->is_normalised = strcmp(coordinates, "normalised") == 0;
    d->addressing = addressing->value;
    d->filter = filter->value;
    r->open->data_count++;
    return true;
}

/* Parses AxBxC into three numbers; returns the rest of the text after them, NULL on an error. */
static char *parse_sizes(char *text, size_t sizes[3], unsigned *count)
{
    for (*count = 0; *count < 3; text++) {
        char *end;
        sizes[(*count)++] = strtoull(text, &end, 10);
        if (end == text)
            return NULL;
        text = end;
        if (*text != 'x')
            return text;
    }
    return NULL;
}

static bool parse_range(struct reader *r, struct run *run, char *text)
{
    unsigned locals = 0, offsets = 0;
    char *rest = text ? parse_sizes(text, run->global, &run->dims) : NULL;
    if (rest && *rest == '/') {
        run->has_local = true;
        rest = parse_sizes(rest + 1, run->local, &locals);
    }
    if (rest && *rest == '+')
        rest = parse_sizes(rest + 1, run->offset, &offsets);
    return (rest && *rest == '\0' && (!locals || locals == run->dims) && (!offsets || offsets == run->dims)) ||
           mistake(r, "expected GLOBAL[/LOCAL][+OFFSET] after the kernel's name");
}

static bool parse_arg(struct reader *r, struct arg *arg, char *word)
{
    char *colon = strchr(word, ':'), *rest = NULL;
    if (!colon) {
        for (size_t i = 0; i < r->open->data_count; i++)
            if (strcmp(r->open->data[i].name, word) == 0) {
                *arg = (struct arg){.kind = ARG_DATA, .data = i};
                return true;
            }
        return mistake(r, "no buffer '%s'", word);
    }
    if (strncmp(word, "local:", 6) == 0) {
        *arg = (struct arg){.kind = ARG_LOCAL, .size = strtoull(colon + 1, NULL, 0)};
        return true;
    }
    enum element type;
    if (!parse_element(word, (size_t)(colon - word), &type))
        return mistake(r, "unknown type of argument '%s'", word);
    *arg = (struct arg){.kind = ARG_VALUE};
    for (char *item = strtok_r(colon + 1, ",", &rest); item; item = strtok_r(NULL, ",", &rest)) {
        if (arg->size + element_sizes[type] > MAX_SCALAR || !put_value(type, item, arg->value + arg->size))
            return mistake(r, "bad value '%s'", item);
        arg->size += element_sizes[type];
    }
    return true;
}

static bool parse_run(struct reader *r)
{
    struct test_case *c = r->open;
    if (!c->runs)
        c->runs = calloc(MAX_RUNS, sizeof(*c->runs));
    if (!c->runs || c->run_count == MAX_RUNS)
        return mistake(r, "more than %d launches", MAX_RUNS);
    struct run *run = &c->runs[c->run_count++];
    char *kernel = next_word(r);
    if (!kernel || strlen(kernel) >= sizeof(run->kernel))
        return mistake(r, "expected a kernel's name");
    strcpy(run->kernel, kernel);
    if (!c->line)
        c->line = r->line;
    if (!parse_range(r, run, next_word(r)))
        return false;
    for (char *word; (word = next_word(r));)
        if (run->arg_count == MAX_ARGS || !parse_arg(r, &run->args[run->arg_count++], word))
            return run->arg_count < MAX_ARGS ? false : mistake(r, "more than %d arguments", MAX_ARGS);
    return true;
}

static bool parse_gives(struct reader *r)
{
    struct test_case *c = r->open;
    c->gives_line = r->line;
    for (char *word; (word = next_word(r));) {
        char *equals = strchr(word, '=');
        size_t i = 0;
        while (equals && i < c->data_count &&
               (strlen(c->data[i].name) != (size_t)(equals - word) ||
                strncmp(c->data[i].name, word, (size_t)(equals - word)) != 0))
            i++;
        if (!equals || i == c->data_count || strlen(equals + 1) >= sizeof(c->data[i].gives))
            return mistake(r, "bad result '%s'", word);
        strcpy(c->data[i].gives, equals + 1);
    }
    r->open = NULL;
    return true;
}

static bool parse_line(struct reader *r, char *line)
{
    r->rest = line;
    char *key = strtok_r(NULL, " \t", &r->rest);
    if (!key)
        return true;
    if (strcmp(key, "options:") == 0)
        return snprintf(r->file->options, sizeof(r->file->options), "%s", r->rest) >= 0;
    bool data = strcmp(key, "data:") == 0, run = strcmp(key, "run:") == 0, near = strcmp(key, "near:") == 0;
    const bool image = strcmp(key, "image:") == 0, sampler = strcmp(key, "sampler:") == 0;
    if (!data && !run && !near && !image && !sampler && strcmp(key, "gives:") != 0)
        return true; /* an ordinary comment */
    if (!r->open) {
        if (r->file->case_count == MAX_CASES)
            return mistake(r, "more than %d cases", MAX_CASES);
        r->open = &r->file->cases[r->file->case_count++];
    }
    if (near) {
        char *value = next_word(r);
        r->open->near = value ? strtod(value, NULL) : 0;
        return r->open->near > 0 || mistake(r, "expected a positive number");
    }
    if (image || sampler)
        return image ? parse_image(r) : parse_sampler(r);
    return data ? parse_data(r) : run ? parse_run(r) : parse_gives(r);
}

static char *read_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, got;
    do {
        char *grown = stream ? realloc(text, size + 65537) : NULL;
        if (!grown)
            break;
        text = grown;
        got = fread(text + size, 1, 65536, stream);
        size += got;
        text[size] = '\0';
    } while (got > 0);
    if (stream)
        fclose(stream);
    return text;
}

bool kernel_file_open(struct kernel_file *file, const char *path)
{
    *file = (struct kernel_file){.path = path, .source = read_file(path)};
    file->cases = calloc(MAX_CASES, sizeof(*file->cases));
    struct reader r = {.file = file};
    if (!file->source || !file->cases)
        return mistake(&r, "cannot read the file");
    char *copy = malloc(strlen(file->source) + 1);
    if (!copy)
        return mistake(&r, "out of memory");
    strcpy(copy, file->source);
    bool good = true;
    for (char *line = copy; good && line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        r.line++;
        if (strncmp(line, "// ", 3) == 0)
            good = parse_line(&r, line + 3);
        line = end ? end + 1 : NULL;
    }
    free(copy);
    return good && (file->case_count > 0 || mistake(&r, "nothing says how to run it"));
}

void kernel_file_close(struct kernel_file *file)
{
    for (size_t i = 0; file->cases && i < file->case_count; i++) {
        for (size_t j = 0; j < file->cases[i].data_count; j++)
            free(file->cases[i].data[j].initial);
        free(file->cases[i].runs);
    }
    free(file->cases);
    free(file->source);
}

static uint64_t digest(const unsigned char *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash;
}

void describe(char *text, size_t size, const struct data *data, const void *bytes, double near)
{
    if (near == 0 || data->type != E_FLOAT) {
        snprintf(text, size, "%016" PRIx64, digest(bytes, data->count * element_sizes[data->type]));
        return;
    }
    const float *values = bytes;
    double sum = 0;
    for (size_t i = 0; i < data->count; i++)
        sum += fabs((double)values[i]);
    int used = snprintf(text, size, "%.9g", sum / (double)data->count);
    size_t samples = data->count < SAMPLES ? data->count : SAMPLES;
    for (size_t i = 0; i < samples && used >= 0 && (size_t)used < size; i++)
        used += snprintf(text + used, size - (size_t)used, ",%.9g", (double)values[i * data->count / samples]);
}

bool close_enough(double a, double b, double near)
{
    double scale = fmax(1, fmax(fabs(a), fabs(b)));
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= near * scale;
}

bool agrees(const char *result, const char *recorded, double near)
{
    if (!strchr(recorded, ','))
        return strcmp(result, recorded) == 0;
    for (;;) {
        char *result_end, *recorded_end;
        double a = strtod(result, &result_end), b = strtod(recorded, &recorded_end);
        if (result_end == result || *result_end != *recorded_end || !close_enough(a, b, near))
            return false;
        if (*result_end == '\0')
            return true;
        result = result_end + 1;
        recorded = recorded_end + 1;
    }
}
