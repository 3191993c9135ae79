#include "cc/driver/driver.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef CY_LIBDIR
#define CY_LIBDIR "lib"
#endif

/* The directory of the file that this function is loaded from. */
static bool own_directory(char *path, size_t room)
{
    char line[8192];
    bool found = false;
    uintptr_t here = (uintptr_t)&own_directory;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && !found && fgets(line, sizeof(line), maps)) {
        unsigned long from, to;
        char *file = strchr(line, '/'), *end = strchr(line, '\n');
        if (!file || !end || sscanf(line, "%lx-%lx", &from, &to) != 2 || here < from || here >= to)
            continue;
        *strrchr(file, '/') = 0;
        found = snprintf(path, room, "%s/", file) < (int)room; /* "/" for a file in the root */
    }
    if (maps)
        fclose(maps);
    return found;
}

/* The first of the places, relative to our own, that contains the file. */
static bool find(char *path, size_t room, const char *own, const char *const *places, size_t count, const char *file)
{
    char probe[4096 + 32];
    for (size_t i = 0; i < count; i++) {
        snprintf(path, room, "%s%s", own, places[i]);
        snprintf(probe, sizeof(probe), "%s/%s", path, file);
        if (!access(probe, R_OK))
            return true;
    }
    return false;
}

void cc_find_places(struct cc_places *places)
{
    static const char *const helpers[] = {"chengying", "../lib/chengying", "../" CY_LIBDIR "/chengying"};
    static const char *const libraries[] = {"ventus", "../lib/ventus", "../share/chengying/ventus",
                                            "../../share/chengying/ventus"};
    char own[3072];
    if (!own_directory(own, sizeof(own)))
        *own = 0;
    find(places->helpers, sizeof(places->helpers), own, helpers, CY_COUNT(helpers), "compile-server");
    places->has_library =
        find(places->library_dir, sizeof(places->library_dir), own, libraries, CY_COUNT(libraries), "builtins");
}
