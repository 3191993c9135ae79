/* The checker's life, what the host tells it, and launches. */
#define _POSIX_C_SOURCE 200809L
#include "check/check_priv.h"

#include "base/file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_REPORTS = 10 };

/* ---- options ---- */

static const struct {
    const char *name;
    unsigned tool;
} tool_names[] = {{"memory", CY_CHECK_MEMORY}, {"init", CY_CHECK_INIT}, {"race", CY_CHECK_RACE},
                  {"sync", CY_CHECK_SYNC},     {"api", CY_CHECK_API},   {"all", CY_CHECK_ALL}};

bool cy_check_parse_tools(const char *text, unsigned *tools, const char **bad, size_t *bad_length)
{
    *tools = 0;
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, ",");
        unsigned found = 0;
        for (size_t i = 0; i < CY_COUNT(tool_names); i++)
            if (strlen(tool_names[i].name) == length && !memcmp(tool_names[i].name, at, length))
                found = tool_names[i].tool;
        if (!found) {
            *bad = at;
            *bad_length = length;
            return false;
        }
        *tools |= found;
        at += length + (at[length] == ',');
    }
    return *tools != 0;
}

bool cy_check_from_environment(struct cy_check_options *options)
{
    const char *text = getenv("CHENGYING_CHECK"), *bad, *most = getenv("CHENGYING_CHECK_MAX");
    size_t length;
    if (!text || !*text || !strcmp(text, "0"))
        return false;
    *options = (struct cy_check_options){.log = getenv("CHENGYING_CHECK_LOG")};
    if (!strcmp(text, "1") || !cy_check_parse_tools(text, &options->tools, &bad, &length))
        options->tools = CY_CHECK_ALL;
    options->max_reports = most ? (unsigned)strtoul(most, NULL, 10) : 0;
    options->sarif = getenv("CHENGYING_CHECK_SARIF") != NULL;
    options->quiet = getenv("CHENGYING_CHECK_QUIET") != NULL;
    options->stop = getenv("CHENGYING_CHECK_STOP") != NULL;
    options->no_same_value = getenv("CHENGYING_CHECK_NO_SAME_VALUE") != NULL;
    options->suppressions = getenv("CHENGYING_CHECK_SUPPRESSIONS");
    return true;
}

/* Lines of "kind kernel file", each a pattern with *, of which the last ones may be missing; # begins a comment. */
static void read_suppressions(struct cy_check *check, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        char line[256];
        snprintf(line, sizeof(line), "%.*s", (int)(length < sizeof(line) ? length : sizeof(line) - 1), text);
        line[strcspn(line, "#")] = 0;
        struct suppression s = {"*", "*", "*"};
        if (sscanf(line, "%47s %63s %127s", s.kind, s.kernel, s.file) > 0) {
            struct suppression *entry = cy_vec_try_push(&check->suppressions);
            if (entry)
                *entry = s;
        }
        text += length + (text[length] == '\n');
    }
}

struct cy_check *cy_check_create(const struct cy_check_options *options)
{
    struct cy_check *check = cy_try_alloc(sizeof(*check));
    if (!check)
        return NULL;
    check->options = *options;
    check->options.tools = options->tools ? options->tools : CY_CHECK_ALL;
    check->options.max_reports = options->max_reports ? options->max_reports : MAX_REPORTS;
    check->log = options->log ? open(options->log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    pthread_mutex_init(&check->lock, NULL);
    pthread_cond_init(&check->idle, NULL);
    if (options->suppressions)
        read_suppressions(check, options->suppressions);
    return check;
}

unsigned cy_check_tools(const struct cy_check *check)
{
    return check->options.tools;
}

void cy_check_destroy(struct cy_check *check)
{
    if (!check)
        return;
    for (size_t i = 0; i < check->machines.count; i++) {
        shadow_free(&check->machines.at[i]->shadow);
        cy_vec_free(&check->machines.at[i]->regions);
        cy_free(check->machines.at[i]);
    }
    for (size_t i = 0; i < check->reports.count; i++) {
        cy_free(check->reports.at[i].kernel);
        cy_free(check->reports.at[i].api);
    }
    cy_vec_free(&check->machines);
    cy_vec_free(&check->reports);
    cy_vec_free(&check->suppressions);
    if (check->log >= 0)
        close(check->log);
    pthread_cond_destroy(&check->idle);
    pthread_mutex_destroy(&check->lock);
    cy_free(check);
}

/* ---- the host's side ---- */

static struct machine *machine_of(struct cy_check *check, const void *key)
{
    for (size_t i = 0; i < check->machines.count; i++)
        if (check->machines.at[i]->key == key)
            return check->machines.at[i];
    struct machine *made = cy_try_alloc(sizeof(*made)), **entry = made ? cy_vec_try_push(&check->machines) : NULL;
    if (!entry || !shadow_init(&made->shadow)) {
        if (entry)
            check->machines.count--;
        cy_free(made);
        return NULL;
    }
    made->key = key;
    *entry = made;
    return made;
}

/* Locks the checker while no launch runs. */
static void enter(struct cy_check *check)
{
    pthread_mutex_lock(&check->lock);
    while (check->busy)
        pthread_cond_wait(&check->idle, &check->lock);
}

void cy_check_allocated(struct cy_check *check, const void *key, uint64_t address, uint64_t size)
{
    enter(check);
    struct machine *machine = machine_of(check, key);
    if (machine) {
        size_t kept = 0;
        for (size_t i = 0; i < machine->regions.count; i++) { /* what was here before is gone for good */
            const struct region r = machine->regions.at[i];
            if (r.address + r.size <= address || r.address >= address + size)
                machine->regions.at[kept++] = r;
        }
        machine->regions.count = kept;
        struct region *fresh = cy_vec_try_push(&machine->regions);
        if (fresh)
            *fresh = (struct region){address, size, false};
        shadow_define(&machine->shadow, address, size, false);
    }
    pthread_mutex_unlock(&check->lock);
}

void cy_check_freed(struct cy_check *check, const void *key, uint64_t address)
{
    enter(check);
    struct machine *machine = machine_of(check, key);
    for (size_t i = 0; machine && i < machine->regions.count; i++)
        if (machine->regions.at[i].address == address)
            machine->regions.at[i].freed = true;
    pthread_mutex_unlock(&check->lock);
}

void cy_check_written(struct cy_check *check, const void *key, uint64_t address, uint64_t size, bool defined)
{
    enter(check);
    struct machine *machine = machine_of(check, key);
    if (machine)
        shadow_define(&machine->shadow, address, size, defined);
    pthread_mutex_unlock(&check->lock);
}

void cy_check_copied(struct cy_check *check, const void *key, uint64_t to, uint64_t from, uint64_t size)
{
    enter(check);
    struct machine *machine = machine_of(check, key);
    if (machine)
        shadow_copy(&machine->shadow, to, from, size);
    pthread_mutex_unlock(&check->lock);
}

bool cy_check_is_defined(struct cy_check *check, const void *key, uint64_t address, uint64_t size)
{
    bool defined = true;
    enter(check);
    struct machine *machine = machine_of(check, key);
    for (uint64_t i = 0; machine && defined && i < size; i++)
        defined = shadow_is_defined(&machine->shadow, address + i);
    pthread_mutex_unlock(&check->lock);
    return defined;
}

/* ---- the objects of a launch ---- */

/* Accesses to an object that is not in the list would be reported. */
static void lack_objects(struct cy_check_launch *l)
{
    l->no_memory = true;
    l->tools &= ~(unsigned)CY_CHECK_MEMORY;
}

static void add_object(struct cy_check_launch *l, struct objects *to, struct object object)
{
    struct object *fresh = cy_vec_try_push(&to->at);
    if (!fresh) {
        lack_objects(l);
        return;
    }
    for (; fresh > to->at.at && fresh[-1].start > object.start; fresh--)
        *fresh = fresh[-1];
    *fresh = object;
}

static void add_arguments(struct cy_check_launch *l)
{
    for (unsigned i = 0; i < l->info.argument_count; i++) {
        const struct cy_check_argument *argument = &l->arguments[i];
        if (argument->is_buffer && argument->address)
            add_object(l, &l->global,
                       (struct object){.name = argument->name,
                                       .start = argument->address,
                                       .size = argument->size,
                                       .rights = (uint8_t)argument->rights,
                                       .mapped = (uint8_t)argument->mapped,
                                       .is_argument = !argument->is_shared,
                                       .index = argument->parameter});
    }
}

/* Program-scope variables by their symbols; a section without symbols as a whole. */
static void add_variables(struct cy_check_launch *l)
{
    const struct cy_object *object = &l->program.object;
    for (uint32_t s = 0; s < object->sections.count; s++) {
        const struct cy_section *section = &object->sections.at[s];
        const unsigned rights = CY_CHECK_READ | (section->flags & CY_SHF_WRITE ? CY_CHECK_WRITE : 0);
        bool any = false;
        if (!(section->flags & CY_SHF_ALLOC) || section->flags & CY_SHF_EXECINSTR || !section->size)
            continue;
        for (size_t i = 0; i < object->symbols.count; i++) {
            const struct cy_symbol *symbol = &object->symbols.at[i];
            if (symbol->section != s + 1 || symbol->type != CY_STT_OBJECT || !symbol->size)
                continue;
            any = true;
            add_object(
                l, &l->global,
                (struct object){
                    .name = symbol->name, .start = symbol->value, .size = symbol->size, .rights = (uint8_t)rights});
        }
        if (!any)
            add_object(l, &l->global,
                       (struct object){.name = section->name,
                                       .start = section->address,
                                       .size = section->size,
                                       .rights = (uint8_t)rights});
        shadow_define(&l->machine->shadow, section->address, section->size, true);
    }
}

/* Before the first report: assembly, and a binary that others made, or that does not carry its source. */
static void say_what_is_not_seen(const struct cy_check_launch *l)
{
    struct cy_check *check = l->check;
    if (!check->options.quiet && !check->said_what_is_not_seen)
        fprintf(stderr,
                "note: '%s' is not compiled for the checker: registers that nobody wrote, and accesses outside of "
                "single local and private variables, are not seen; accesses outside of buffers, races and barriers "
                "are\n",
                l->kernel);
    check->said_what_is_not_seen = true;
}

/* The compiler's table: lines of "L kernel offset size name" and "P kernel ...", "K kernel" for every kernel that
 * the table is complete for, and "C kernel" for one that calls functions. */
static void add_table(struct cy_check_launch *l)
{
    const struct cy_section *section = cy_object_find_section(&l->program.object, CY_CHECK_SECTION);
    if (!section)
        say_what_is_not_seen(l);
    const char *at = section ? section->data.data : NULL, *end = at ? at + section->data.size : NULL;
    for (const char *next; at && at < end; at = next) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        char kind, kernel[256], name[128];
        uint32_t offset, size;
        char line[512];
        next = stop ? stop + 1 : end;
        snprintf(line, sizeof(line), "%.*s", (int)(next - at < 511 ? next - at : 511), at);
        const int fields = sscanf(line, "%c %255s %" SCNu32 " %" SCNu32 " %127s", &kind, kernel, &offset, &size, name);
        if (fields < 2 || strcmp(kernel, l->kernel) != 0)
            continue;
        if (kind == 'K')
            l->has_local = l->has_private = true;
        if (kind == 'C') /* it calls functions, whose frames are part of what comes after its own variables */
            l->has_calls = true;
        if (fields < 5 || (kind != 'L' && kind != 'P'))
            continue;
        char *copy = cy_try_alloc(strlen(name) + 1);
        if (!copy) {
            lack_objects(l);
            return;
        }
        char **entry = cy_vec_try_push(&l->names);
        strcpy(copy, name);
        if (!entry) {
            cy_free(copy);
            lack_objects(l);
            return;
        }
        *entry = copy;
        add_object(l, kind == 'L' ? &l->local : &l->private_,
                   (struct object){.name = copy, .start = offset, .size = size});
        if (kind == 'L' && !strncmp(name, "__cy_", 5)) {
            l->ours_start = l->ours_end && l->ours_start < offset ? l->ours_start : offset;
            l->ours_end = l->ours_end > offset + size ? l->ours_end : offset + size;
        }
    }
}

/* The variables come after the stacks, the arguments after the variables, each on a multiple of the granule. */
void place_locals(struct cy_check_launch *l, uint32_t stacks)
{
    l->stacks = stacks;
    l->ours_start += stacks;
    l->ours_end += l->ours_end ? stacks : 0;
    for (size_t i = 0; i < l->local.at.count; i++)
        l->local.at.at[i].start += stacks;
    uint32_t at = (stacks + l->lds_bytes + CY_LDS_GRANULE - 1) & ~(CY_LDS_GRANULE - 1u);
    for (unsigned i = 0; i < l->info.argument_count; i++) {
        const struct cy_check_argument *argument = &l->arguments[i];
        if (!argument->is_local)
            continue;
        add_object(l, &l->local,
                   (struct object){.name = argument->name,
                                   .start = at,
                                   .size = argument->size,
                                   .is_argument = true,
                                   .index = argument->parameter});
        at += ((uint32_t)argument->size + CY_LDS_GRANULE - 1) & ~(CY_LDS_GRANULE - 1u);
    }
}

/* ---- launches ---- */

static const char *keep_name(struct cy_check_launch *l, const char *name, unsigned index)
{
    char text[160];
    if (!name || !*name)
        snprintf(text, sizeof(text), "argument%u", index);
    else
        snprintf(text, sizeof(text), "%.159s", name);
    char *copy = cy_try_alloc(strlen(text) + 1), **entry = copy ? cy_vec_try_push(&l->names) : NULL;
    if (!entry) {
        cy_free(copy);
        return "?";
    }
    *entry = copy;
    return strcpy(copy, text);
}

static void leave(struct cy_check *check)
{
    pthread_mutex_lock(&check->lock);
    check->busy = false;
    pthread_cond_broadcast(&check->idle);
    pthread_mutex_unlock(&check->lock);
}

struct cy_check_launch *cy_check_begin(struct cy_check *check, const struct cy_check_info *info)
{
    struct cy_check_launch *l = cy_try_alloc(sizeof(*l));
    if (!l)
        return NULL;
    enter(check);
    l->machine = machine_of(check, info->machine);
    check->busy = l->machine != NULL;
    pthread_mutex_unlock(&check->lock);
    l->check = check;
    l->info = *info;
    l->tools = check->options.tools;
    l->arguments = cy_try_alloc((info->argument_count + 1) * sizeof(*l->arguments));
    if (!l->machine || !l->arguments) {
        cy_free(l->arguments);
        cy_free(l);
        leave(check);
        return NULL;
    }
    l->kernel = keep_name(l, info->kernel, 0);
    for (unsigned i = 0; i < info->argument_count; i++) {
        l->arguments[i] = info->arguments[i];
        l->arguments[i].name = keep_name(l, info->arguments[i].name, i);
    }
    l->lds_bytes = info->lds_bytes;
    l->check->has_launched = true;
    l->tracks_sync = info->may_spin;
    l->knl_bytes = CY_METADATA_BYTES + info->argument_bytes;
    l->program.elf = info->elf;
    l->program.size = info->elf_size;
    program_read(&l->program);
    add_arguments(l);
    if (l->program.is_read) {
        add_variables(l);
        add_table(l);
    }
    observe_init(l);
    return l;
}

const struct cy_observer *cy_check_observer(struct cy_check_launch *launch)
{
    return &launch->observer;
}

void cy_check_end(struct cy_check_launch *l)
{
    if (!l)
        return;
    if (l->no_memory)
        fprintf(stderr, "check: the host has no memory for all of the shadow: kernel %s was not checked completely\n",
                l->kernel);
    shadow_forget(&l->machine->shadow);
    observe_free(l);
    program_free(&l->program);
    cy_vec_free(&l->global.at);
    cy_vec_free(&l->local.at);
    cy_vec_free(&l->private_.at);
    cy_free(l->private_undefined);
    order_free(l);
    cy_vec_free(&l->apart);
    cy_free(l->arguments);
    for (size_t i = 0; i < l->names.count; i++)
        cy_free(l->names.at[i]);
    cy_vec_free(&l->names);
    leave(l->check);
    cy_free(l);
}
