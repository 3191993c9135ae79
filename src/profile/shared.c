/* Kernels whose figures are in files that outlive the process: one that is killed loses no launch that has ended, and nothing has to be
 * written while it runs.
 *
 * A file is a header, a saved profile of the one kernel with nothing counted, and what launches add to: struct cy_profile_kernel as it
 * was after the last launch, and the kernel's block.  It is read by the same version of this program. */
#define _POSIX_C_SOURCE 200809L
#include "profile/profile_priv.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAGIC "CYKERNEL"

struct header {
    char magic[8];
    uint64_t saved_size, kernel_at, block_at, size; /* of the file */
    uint32_t sms, has_sampled;
};

static size_t round_up(size_t size)
{
    return (size + 63) & ~(size_t)63;
}

struct saving {
    const struct cy_profile *profile;
    const struct cy_profile_kernel *kernel;
    struct cy_buf bytes;
};
static void save_kernel(void *argument)
{
    struct saving *saving = argument;
    struct cy_profile_kernel kernel = *saving->kernel;
    struct cy_profile one = *saving->profile;
    kernel.program = 0;
    one.programs.at += saving->kernel->program;
    one.programs.count = one.kernels.count = 1;
    one.kernels.at = &kernel;
    one.commands.count = one.events.count = one.launched.count = 0;
    cy_profile_save(&one, &saving->bytes);
}

/* A file of this size in memory, with its room on the disk: a full disk must not end the program later.  NULL: there is none. */
static void *map_new(const char *path, size_t size)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    void *map = fd >= 0 && posix_fallocate(fd, 0, (off_t)size) == 0
                    ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                    : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    return map == MAP_FAILED ? NULL : map;
}

void *profile_share(const struct cy_profile *profile, struct cy_profile_kernel *kernel, size_t block_size)
{
    char path[4096], first[4096];
    struct saving saving = {.profile = profile, .kernel = kernel};
    const int length =
        snprintf(path, sizeof(path), "%s.%06zu" CY_PROFILE_SHARED, profile->shared, profile->kernels.count);
    if (length < 0 || (size_t)length + 4 >= sizeof(path) || !cy_mem_try(save_kernel, &saving))
        return NULL;
    snprintf(first, sizeof(first), "%s.%06zu.tmp", profile->shared, profile->kernels.count);
    struct header header = {.magic = MAGIC, .saved_size = saving.bytes.size, .sms = kernel->sms};
    header.has_sampled = kernel->sampled != NULL;
    header.kernel_at = round_up(sizeof(header) + saving.bytes.size);
    header.block_at = header.kernel_at + round_up(sizeof(*kernel));
    header.size = header.block_at + block_size;
    char *map = map_new(first, header.size);
    if (map) {
        memcpy(map, &header, sizeof(header));
        memcpy(map + sizeof(header), saving.bytes.data, saving.bytes.size);
        rename(first, path);
        kernel->map = map;
        kernel->map_size = header.size;
        kernel->shared = (struct cy_profile_kernel *)(void *)(map + header.kernel_at);
    } else {
        unlink(first);
    }
    cy_buf_free(&saving.bytes);
    return map ? map + header.block_at : NULL;
}

void profile_unshare(struct cy_profile_kernel *kernel)
{
    if (kernel->map)
        munmap(kernel->map, kernel->map_size);
}

/* ---- what is left of a process ---- */

/* Adds what launches had counted to a kernel that has counted nothing. */
static void recover(struct cy_profile *one, const struct cy_profile_kernel *left, unsigned char *block,
                    bool has_sampled)
{
    struct cy_profile_kernel *kernel = &one->kernels.at[0], whole = *left;
    const size_t words = one->programs.at[0].words;
    whole.name = kernel->name;
    whole.program = 0;
    whole.block = whole.map = NULL;
    profile_place(&whole, block, words, true, has_sampled, one->is_timed);
    profile_add_counted(&whole, words, kernel->sums);
    if (one->is_timed)
        memcpy(kernel->cycles, whole.cycles, words * sizeof(kernel->cycles[0]));
    one->is_partial = whole.ended < whole.begun;
    whole.block = kernel->block;
    whole.counts = whole.sampled = NULL;
    whole.sums = kernel->sums;
    whole.cycles = kernel->cycles;
    whole.shared = NULL;
    *kernel = whole;
}

bool cy_profile_recover(const char *name, const void *bytes, size_t size, struct cy_buf *out, struct cy_diags *diags)
{
    struct header header = {0};
    struct cy_profile one = {0};
    struct cy_profile_kernel left;
    const unsigned char *at = bytes;
    if (size >= sizeof(header))
        memcpy(&header, bytes, sizeof(header));
    bool ok = !memcmp(header.magic, MAGIC, sizeof(header.magic)) && header.size == size &&
              header.saved_size < header.kernel_at && header.kernel_at < header.block_at &&
              header.block_at - header.kernel_at >= sizeof(left) && header.block_at < size &&
              cy_profile_load(&one, name, at + sizeof(header), header.saved_size, diags) && one.kernels.count == 1 &&
              header.sms == one.config.sms;
    const size_t block_size =
        ok ? profile_block_size(header.sms, one.programs.at[0].words, true, header.has_sampled, one.is_timed) : 0;
    ok = ok && block_size == size - header.block_at;
    if (ok) {
        unsigned char *block = cy_xrealloc(NULL, block_size); /* sums are made in it */
        memcpy(block, at + header.block_at, block_size);
        memcpy(&left, at + header.kernel_at, sizeof(left));
        recover(&one, &left, block, header.has_sampled);
        cy_profile_save(&one, out);
        cy_free(block);
    } else if (!diags->errors) {
        cy_diag_file(diags, CY_ERROR, name, "not what a profiled process leaves");
    }
    cy_profile_free(&one);
    return ok;
}
