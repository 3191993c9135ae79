/* DIRECTORY/00 ... DIRECTORY/ff, by the first byte of the key, hold one file per entry.  A file is written in
 * DIRECTORY/new and renamed, so that it appears whole or not at all, however many processes write; it starts with its
 * key and a checksum of the rest, so that a damaged one counts as missing.
 *
 * DIRECTORY/size holds the sum of their sizes and is the lock for changing it: storing neither lists nor counts the
 * entries.  Above the limit, the least recently used of a small sample is evicted; keys are hashes, so the files of any
 * shard are a random sample.  The sum is raised before a file appears and lowered after one is gone: a process that
 * dies in between leaves it too high, which is corrected when a sample finds far less.
 *
 * Only regular files are opened, and no symbolic links are followed below DIRECTORY: whatever lies there in place of an
 * entry can neither block nor redirect us. */
#define _GNU_SOURCE /* mkostemp, O_PATH, flock */
#include "cc/driver/cache.h"

#include "base/file.h"
#include "cc/driver/environment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char magic[8] = "CYCACHE3";

enum {
    SHARDS = 256,
    OLD_SHARDS = 16,    /* 0 ... f, of an earlier version */
    LARGEST_SHARE = 16, /* the largest entry is this fraction of the limit */
    SAMPLE = 16,        /* entries of which the oldest is evicted */
    ABANDONED_SECONDS = 3600,
    LOCK_TRIES = 500, /* one millisecond each */
};
#define LARGEST_ENTRY_BYTES ((off_t)1 << 30)

struct header {
    char magic[8];
    struct cy_digest key;
    uint64_t checksum; /* of what follows */
};

/* ---- settings ---- */

static const char *setting(const char *name)
{
    const char *value = cc_getenv(name);
    return value && *value ? value : NULL;
}

char *cc_cache_directory(void)
{
    const char *off = setting("CHENGYING_CACHE"), *own = setting("CHENGYING_CACHE_DIR");
    const char *cache = setting("XDG_CACHE_HOME"), *home = setting("HOME");
    struct cy_buf path = {0};
    if ((off && !strcmp(off, "0")) || (!own && !cache && !home))
        return NULL;
    if (own)
        cy_buf_puts(&path, own);
    else
        cy_buf_printf(&path, "%s%s/chengying", cache ? cache : home, cache ? "" : "/.cache");
    return path.data;
}

/* $CHENGYING_CACHE_SIZE: bytes, or with a suffix K, M or G. */
static size_t limit_bytes(void)
{
    const char *text = setting("CHENGYING_CACHE_SIZE");
    char *end;
    if (!text)
        return (size_t)256 << 20;
    unsigned long long number = strtoull(text, &end, 10);
    static const char units[] = "KMG";
    const char *unit = *end ? strchr(units, *end) : NULL;
    return (size_t)number << (unit ? 10 * (unit - units + 1) : 0);
}

/* ---- files ---- */

static int open_directory(int parent, const char *name, bool create)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (parent == AT_FDCWD ? 0 : O_NOFOLLOW);
    int fd = openat(parent, name, flags);
    if (fd < 0 && errno == ENOENT && create && (!mkdirat(parent, name, 0700) || errno == EEXIST))
        fd = openat(parent, name, flags);
    return fd;
}

/* DIRECTORY itself, which may be a symbolic link, and its parents. */
static int create_root(const char *directory)
{
    int fd = open_directory(AT_FDCWD, directory, true);
    if (fd >= 0 || errno != ENOENT)
        return fd;
    char *path = strdup(directory);
    for (char *slash = path ? path + 1 : NULL; slash && (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    free(path);
    return open_directory(AT_FDCWD, directory, true);
}

static int open_shard(int root, unsigned index, bool create)
{
    char name[4];
    snprintf(name, sizeof(name), "%02x", index % SHARDS);
    return open_directory(root, name, create);
}

/* -1: there is no such regular file. */
static int open_file(int directory, const char *name, int flags, struct stat *status)
{
    int fd = openat(directory, name, flags | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0 && (fstat(fd, status) || !S_ISREG(status->st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

static void close_file(int fd)
{
    if (fd >= 0)
        close(fd);
}

static bool find_file(int directory, const char *name, struct stat *status)
{
    return !fstatat(directory, name, status, AT_SYMLINK_NOFOLLOW) && S_ISREG(status->st_mode);
}

/* Calls `call` for each name in a directory, and closes it. */
static void list(int directory, void (*call)(void *context, int directory, const char *name), void *context)
{
    DIR *dir = directory >= 0 ? fdopendir(directory) : NULL;
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (*entry->d_name != '.')
            call(context, directory, entry->d_name);
    if (dir)
        closedir(dir);
    else
        close_file(directory);
}

/* ---- one entry ---- */

struct cc_key_text cc_key_print(const struct cy_digest *key)
{
    static const char digits[] = "0123456789abcdef";
    struct cc_key_text name;
    for (size_t i = 0; i < sizeof(key->bytes); i++) {
        name.text[2 * i] = digits[key->bytes[i] >> 4];
        name.text[2 * i + 1] = digits[key->bytes[i] & 15];
    }
    name.text[2 * sizeof(key->bytes)] = 0;
    return name;
}

bool cc_key_parse(const char *text, struct cy_digest *key)
{
    if (strlen(text) != 2 * sizeof(key->bytes) || text[strspn(text, "0123456789abcdef")])
        return false;
    for (size_t i = 0; i < sizeof(key->bytes); i++) {
        const char digits[] = {text[2 * i], text[2 * i + 1], 0};
        key->bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return true;
}

bool cc_cache_pack_translation(struct cy_buf *entry, bool ok, const void *bytes, size_t size)
{
    if (!cy_buf_try_reserve(entry, CC_CACHE_TAG_BYTES + size))
        return false;
    memcpy(entry->data, CC_CACHE_TRANSLATION, CC_CACHE_TAG_BYTES - 1);
    entry->data[CC_CACHE_TAG_BYTES - 1] = ok;
    if (size)
        memcpy(entry->data + CC_CACHE_TAG_BYTES, bytes, size);
    entry->size = CC_CACHE_TAG_BYTES + size;
    return true;
}

static bool read_file(int fd, const struct stat *status, struct cy_buf *bytes)
{
    size_t left = status->st_size <= LARGEST_ENTRY_BYTES ? (size_t)status->st_size : 0;
    if (!cy_buf_try_reserve(bytes, left + 1))
        return false;
    while (left > 0) {
        ssize_t got = read(fd, bytes->data + bytes->size, left);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        bytes->size += (size_t)got;
        left -= (size_t)got;
    }
    bytes->data[bytes->size] = 0;
    return true;
}

/* Against damage, not against anybody who can write here.  A change within one word changes it for certain, any other but for one
 * chance in 2^64: every step is a bijection of the sum, and of the word.  Images are so large that SHA-256 would take as long as
 * short programs do. */
static uint64_t checksum_of(const char *bytes, size_t size)
{
    enum { SUMS = 4 }; /* whose multiplications overlap */
    uint64_t sums[SUMS] = {1, 2, 3, 4}, all = size;
    const uint64_t factor = 0x9e3779b97f4a7c15; /* odd: 2^64 divided by the golden ratio */
    for (size_t at = 0; at < size; at += sizeof(sums)) {
        uint64_t words[SUMS] = {0};
        memcpy(words, bytes + at, size - at < sizeof(words) ? size - at : sizeof(words));
        for (unsigned i = 0; i < SUMS; i++) {
            const uint64_t product = (sums[i] ^ words[i]) * factor;
            sums[i] = product >> 29 | product << 35;
        }
    }
    for (unsigned i = 0; i < SUMS; i++)
        all = (all ^ sums[i]) * factor, all ^= all >> 32;
    return all;
}

static bool is_whole(struct cy_buf *bytes, const struct cy_digest *key)
{
    struct header header;
    if (bytes->size < sizeof(header))
        return false;
    memcpy(&header, bytes->data, sizeof(header));
    bytes->size -= sizeof(header);
    memmove(bytes->data, bytes->data + sizeof(header), bytes->size + 1);
    return !memcmp(header.magic, magic, sizeof(magic)) && !memcmp(&header.key, key, sizeof(*key)) &&
           header.checksum == checksum_of(bytes->data, bytes->size);
}

bool cc_cache_load(const char *directory, const struct cy_digest *key, struct cy_buf *bytes)
{
    struct stat status;
    int root = open_directory(AT_FDCWD, directory, false);
    int shard = root >= 0 ? open_shard(root, key->bytes[0], false) : -1;
    int fd = shard >= 0 ? open_file(shard, cc_key_print(key).text, O_RDONLY, &status) : -1;
    bool ok = fd >= 0 && read_file(fd, &status, bytes) && is_whole(bytes, key);
    close_file(fd);
    close_file(shard);
    close_file(root);
    return ok;
}

void cc_cache_touch(const char *directory, const struct cy_digest *key)
{
    int root = open_directory(AT_FDCWD, directory, false);
    int shard = root >= 0 ? open_shard(root, key->bytes[0], false) : -1;
    if (shard >= 0)
        utimensat(shard, cc_key_print(key).text, NULL, AT_SYMLINK_NOFOLLOW);
    close_file(shard);
    close_file(root);
}

/* ---- the sum ---- */

struct sum {
    char magic[8];
    uint64_t bytes, entries;
};

static void add_size(void *context, int directory, const char *name)
{
    struct sum *sum = context;
    struct stat status;
    if (find_file(directory, name, &status)) {
        sum->entries++;
        sum->bytes += (uint64_t)status.st_size;
    }
}

static struct sum count_all(int root)
{
    struct sum sum = {0};
    memcpy(sum.magic, magic, sizeof(magic));
    for (unsigned i = 0; root >= 0 && i < SHARDS; i++)
        list(open_shard(root, i, false), add_size, &sum);
    return sum;
}

/* The file with the sum, locked until it is closed; -1: not available soon enough. */
static int lock_sum(int root)
{
    struct stat status;
    int fd = open_file(root, "size", O_RDWR | O_CREAT, &status);
    for (int i = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB); i++) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            break; /* a file system without locks: the sum may occasionally be wrong */
        if (i == LOCK_TRIES) {
            close(fd);
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return fd;
}

static struct sum read_sum(int fd, int root)
{
    struct sum sum;
    if (pread(fd, &sum, sizeof(sum), 0) == sizeof(sum) && !memcmp(sum.magic, magic, sizeof(magic)))
        return sum;
    return count_all(root);
}

static bool write_sum(int fd, const struct sum *sum)
{
    return pwrite(fd, sum, sizeof(*sum), 0) == sizeof(*sum);
}

static void change_sum(struct sum *sum, uint64_t more, uint64_t less)
{
    sum->bytes += more;
    sum->bytes -= less < sum->bytes ? less : sum->bytes;
    sum->entries += more > 0;
    sum->entries -= less > 0 && sum->entries > 0;
}

/* ---- eviction ---- */

struct candidate {
    struct cc_key_text name;
    unsigned shard;
};

struct sample {
    struct candidate at[SAMPLE];
    unsigned shard, seen, shards;
    uint64_t random;
};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Reservoir sampling: every name is kept with the same probability. */
static void add_candidate(void *context, int directory, const char *name)
{
    struct sample *sample = context;
    (void)directory;
    if (strlen(name) >= sizeof(sample->at[0].name.text))
        return;
    uint64_t at = sample->seen < SAMPLE ? sample->seen : next_random(&sample->random) % (sample->seen + 1);
    sample->seen++;
    if (at < SAMPLE) {
        strcpy(sample->at[at].name.text, name);
        sample->at[at].shard = sample->shard;
    }
}

static bool is_older(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static void take_sample(int root, struct sample *sample)
{
    unsigned start = (unsigned)next_random(&sample->random);
    for (; sample->shards < SHARDS && sample->seen < SAMPLE; sample->shards++) {
        sample->shard = (start + sample->shards) % SHARDS;
        list(open_shard(root, sample->shard, false), add_candidate, sample);
    }
}

/* Removes the oldest of a sample, but not `kept`; false: nothing could be removed, and the sum is correct. */
static bool remove_one(int root, const struct cc_key_text *kept, uint64_t *random, struct sum *sum)
{
    struct sample sample = {.random = next_random(random)};
    struct stat oldest = {0}, status;
    int best = -1;
    take_sample(root, &sample);
    for (unsigned i = 0; i < SAMPLE && i < sample.seen; i++) {
        int shard = open_shard(root, sample.at[i].shard, false);
        if (shard >= 0 && strcmp(sample.at[i].name.text, kept->text) != 0 &&
            find_file(shard, sample.at[i].name.text, &status) &&
            (best < 0 || is_older(&status.st_mtim, &oldest.st_mtim))) {
            best = (int)i;
            oldest = status;
        }
        close_file(shard);
    }
    if (best < 0 || (uint64_t)sample.seen * SHARDS / sample.shards < sum->entries / 4) {
        uint64_t before = sum->bytes;
        *sum = count_all(root);
        return sum->bytes < before;
    }
    int shard = open_shard(root, sample.at[best].shard, false);
    bool removed = shard >= 0 && !unlinkat(shard, sample.at[best].name.text, 0);
    close_file(shard);
    if (removed)
        change_sum(sum, 0, (uint64_t)oldest.st_size);
    return removed;
}

/* ---- storing ---- */

static void remove_abandoned(void *context, int directory, const char *name)
{
    struct stat status;
    const time_t *now = context;
    if (find_file(directory, name, &status) && *now - status.st_mtim.tv_sec > ABANDONED_SECONDS)
        unlinkat(directory, name, 0);
}

/* Renames a finished file into place once there is room for it. */
static void put(int root, int fresh, const char *temporary, const struct cy_digest *key, size_t size, uint64_t limit)
{
    struct cc_key_text name = cc_key_print(key);
    struct stat old;
    uint64_t random;
    memcpy(&random, key->bytes + 8, sizeof(random));
    int shard = open_shard(root, key->bytes[0], true), lock = shard >= 0 ? lock_sum(root) : -1;
    if (lock >= 0) {
        struct sum sum = read_sum(lock, root), before;
        uint64_t replaced = find_file(shard, name.text, &old) ? (uint64_t)old.st_size : 0;
        while (sum.bytes + size > limit + replaced && remove_one(root, &name, &random, &sum))
            continue;
        before = sum;
        change_sum(&sum, size, 0);
        bool ok =
            sum.bytes <= limit + replaced && write_sum(lock, &sum) && !renameat(fresh, temporary, shard, name.text);
        change_sum(&sum, 0, replaced);
        write_sum(lock, ok ? &sum : &before);
    }
    close_file(lock);
    close_file(shard);
}

void cc_cache_store(const char *directory, const struct cy_digest *key, const struct cy_buf *bytes)
{
    struct header header = {.key = *key, .checksum = checksum_of(bytes->data, bytes->size)};
    size_t limit = limit_bytes(), size = sizeof(header) + bytes->size;
    char temporary[64];
    time_t now = time(NULL);
    if (size > limit / LARGEST_SHARE)
        return;
    memcpy(header.magic, magic, sizeof(magic));
    int root = create_root(directory), fresh = root >= 0 ? open_directory(root, "new", true) : -1;
    if (fresh >= 0)
        list(open_directory(root, "new", false), remove_abandoned, &now);
    struct stat status;
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    snprintf(temporary, sizeof(temporary), "%ld.%ld.%ld", (long)getpid(), (long)moment.tv_sec, moment.tv_nsec);
    int fd = fresh >= 0 ? open_file(fresh, temporary, O_WRONLY | O_CREAT | O_EXCL, &status) : -1;
    if (fd >= 0) {
        bool ok = cy_write_all(fd, &header, sizeof(header)) && cy_write_all(fd, bytes->data, bytes->size);
        if (!close(fd) && ok)
            put(root, fresh, temporary, key, size, limit);
        unlinkat(fresh, temporary, 0); /* fails harmlessly after a rename */
    }
    close_file(fresh);
    close_file(root);
}

/* ---- facts ---- */

#define FACT "CYFACT1\n" /* how such an entry starts; a byte follows: it holds */
enum { FACT_BYTES = sizeof(FACT) };

static struct cy_digest key_of_fact(const char *name)
{
    struct cy_sha256 sha;
    cy_sha256_start(&sha);
    cy_sha256_add(&sha, FACT, FACT_BYTES);
    cy_sha256_add(&sha, name, strlen(name));
    return cy_sha256_finish(&sha);
}

bool cc_cache_recall(const char *directory, const char *name, bool *holds)
{
    const struct cy_digest key = key_of_fact(name);
    struct cy_buf bytes = {0};
    const bool is_known =
        cc_cache_load(directory, &key, &bytes) && bytes.size == FACT_BYTES && !memcmp(bytes.data, FACT, FACT_BYTES - 1);
    if (is_known) {
        *holds = bytes.data[FACT_BYTES - 1];
        cc_cache_touch(directory, &key);
    }
    cy_buf_free(&bytes);
    return is_known;
}

void cc_cache_remember(const char *directory, const char *name, bool holds)
{
    const struct cy_digest key = key_of_fact(name);
    char text[FACT_BYTES] = FACT;
    text[FACT_BYTES - 1] = holds;
    cc_cache_store(directory, &key, &(struct cy_buf){.data = text, .size = sizeof(text)});
}

/* ---- the whole cache ---- */

struct kinds {
    size_t translations, facts;
};

static void add_kind(void *context, int directory, const char *name)
{
    struct kinds *kinds = context;
    struct stat status;
    char start[sizeof(CC_CACHE_TRANSLATION) - 1];
    _Static_assert(sizeof(FACT) == sizeof(CC_CACHE_TRANSLATION), "they are told apart by as many bytes");
    int fd = open_file(directory, name, O_RDONLY, &status);
    if (fd >= 0 && pread(fd, start, sizeof(start), sizeof(struct header)) == (ssize_t)sizeof(start)) {
        kinds->translations += !memcmp(start, CC_CACHE_TRANSLATION, sizeof(start));
        kinds->facts += !memcmp(start, FACT, sizeof(start));
    }
    close_file(fd);
}

struct cc_cache_size cc_cache_measure(const char *directory)
{
    int root = open_directory(AT_FDCWD, directory, false);
    struct sum sum = count_all(root);
    struct kinds kinds = {0};
    for (unsigned i = 0; root >= 0 && i < SHARDS; i++)
        list(open_shard(root, i, false), add_kind, &kinds);
    close_file(root);
    return (struct cc_cache_size){.kernels = (size_t)sum.entries - kinds.translations - kinds.facts,
                                  .translations = kinds.translations,
                                  .bytes = (size_t)sum.bytes,
                                  .limit = limit_bytes()};
}

static void remove_file(void *context, int directory, const char *name)
{
    struct stat status;
    (void)context;
    if (find_file(directory, name, &status))
        unlinkat(directory, name, 0);
}

void cc_cache_clear(const char *directory)
{
    int root = open_directory(AT_FDCWD, directory, false);
    if (root < 0)
        return;
    int lock = lock_sum(root);
    for (unsigned i = 0; i < SHARDS; i++)
        list(open_shard(root, i, false), remove_file, NULL);
    for (unsigned i = 0; i < OLD_SHARDS; i++) {
        char name[4];
        snprintf(name, sizeof(name), "%x", i);
        list(open_directory(root, name, false), remove_file, NULL);
        unlinkat(root, name, AT_REMOVEDIR);
    }
    struct sum left = count_all(root);
    if (lock >= 0)
        write_sum(lock, &left);
    close_file(lock);
    close_file(root);
}
