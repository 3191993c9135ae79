#define _XOPEN_SOURCE 700
#include "base/file.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

static const char *in_tmp(const char *name)
{
    static char paths[4][4096]; /* the last four stay */
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", test_env("CY_TMP"), name);
    return path;
}

static void expect_message(struct cy_diags *diags, const char *name, const char *rest)
{
    char text[5000];
    snprintf(text, sizeof(text), "%s: error: %s\n", name, rest);
    CHECK_STR(diags->text.data ? diags->text.data : "", text);
    cy_diags_free(diags);
}

static void test_round_trip(void)
{
    struct cy_diags diags = {0};
    struct cy_buf bytes = {0}, back = {0};
    for (uint32_t i = 0; i < 300000; i++)
        cy_buf_putc(&bytes, (char)(i * i >> 7));
    const char *path = in_tmp("a.bin");
    for (size_t size = 0; size <= bytes.size; size = size * 3 + 1) {
        CHECK(cy_file_write(path, bytes.data, size, false, &diags));
        back.size = 0;
        CHECK(cy_file_read(path, &back, &diags));
        CHECK_EQ(back.size, size);
        CHECK(memcmp(back.data, bytes.data, size) == 0 && back.data[size] == 0);
    }
    CHECK_EQ(diags.text.size, 0);

    struct stat status;
    mode_t mask = umask(0);
    umask(mask);
    CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == (0666 & ~mask));
    CHECK(cy_file_write(path, "x", 1, true, &diags));
    CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == (0777 & ~mask));

    /* a symbolic link is written through */
    const char *link = in_tmp("link");
    CHECK(symlink("a.bin", link) == 0);
    CHECK(cy_file_write(link, "through", 7, false, &diags));
    CHECK(lstat(link, &status) == 0 && S_ISLNK(status.st_mode));
    back.size = 0;
    CHECK(cy_file_read(path, &back, &diags));
    CHECK_STR(back.data, "through");

    /* devices stay devices */
    CHECK(cy_file_write("/dev/null", "x", 1, false, &diags));
    CHECK(stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode));
    CHECK_EQ(diags.text.size, 0);
    cy_buf_free(&bytes);
    cy_buf_free(&back);
}

static void test_failures(void)
{
    struct cy_diags diags = {0};
    struct cy_buf buf = {0};
    const char *missing = in_tmp("missing/file");
    CHECK(!cy_file_read(missing, &buf, &diags));
    expect_message(&diags, missing, "cannot open: No such file or directory");
    CHECK(!cy_file_write(missing, "x", 1, false, &diags));
    expect_message(&diags, missing, "cannot write: No such file or directory");
    const char *directory = in_tmp("");
    CHECK(!cy_file_read(directory, &buf, &diags));
    expect_message(&diags, directory, "cannot read: Is a directory");
    CHECK(!cy_file_write(directory, "x", 1, false, &diags));
    expect_message(&diags, directory, "cannot write: Is a directory");
    CHECK(!cy_file_write("/dev/full", "x", 1, false, &diags));
    expect_message(&diags, "/dev/full", "cannot write: No space left on device");
    cy_buf_free(&buf);

    /* no partial files are left */
    unsigned left = 0;
    DIR *dir = opendir(directory);
    if (!CHECK(dir != NULL))
        return;
    for (struct dirent *entry; (entry = readdir(dir));)
        left += strstr(entry->d_name, ".tmp") != NULL;
    closedir(dir);
    CHECK_EQ(left, 0);
}

TEST_MAIN(test_round_trip, test_failures)
