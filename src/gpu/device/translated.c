#define _POSIX_C_SOURCE 200809L /* strnlen, getpid */
#include "gpu/device/translated.h"

#include "jit/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- translations of a program ---- */

/* NEW: the cache was not asked.  TRANSLATED: or found to be impossible; then there is no code. */
enum { NEW, ABSENT, WANTED, TRANSLATING, TRANSLATED };

/* A kernel in one shape of launch. */
struct cy_translation {
    struct cy_translation *next, *next_wanted;
    struct cy_jit_request request; /* without the code: what it was made for */
    struct cy_program *program;
    struct cy_translator translator;
    atomic_int state;
    atomic_bool was_run;      /* by a launch of the engine verify */
    atomic_ullong ran;        /* instructions of launches that the interpreter has run */
    atomic_ullong wanted_for; /* the same with those of the running launch, while it is wanted */
    struct cy_jit_code *code; /* NULL: it cannot be translated; good when state says so, as why */
    char why[CY_TRANSLATION_WHY];
    char interpreted[CY_TRANSLATION_WHY]; /* instructions that are left to the interpreter */
};

void cy_translated_forget(struct cy_program *program)
{
    while (program->translations) {
        struct cy_translation *translation = program->translations;
        program->translations = translation->next;
        cy_jit_unload(translation->code);
        cy_free(translation);
    }
    cy_free(atomic_exchange(&program->digest, NULL));
}

/* Of code that the caller has got; NULL: no memory.  Every kernel of the program asks for it, on any thread. */
static const struct cy_digest *digest_of(struct cy_program *program, const uint8_t *code, size_t size)
{
    struct cy_digest *known = atomic_load(&program->digest), *own;
    if (known || !(own = cy_try_alloc(sizeof(*own))))
        return known;
    *own = cy_sha256(code, size);
    if (atomic_compare_exchange_strong(&program->digest, &known, own))
        return own;
    cy_free(own);
    return known;
}

static bool is_marked(const struct cy_launch *launch, enum cy_mark mark)
{
    const char *names = launch->program->marks[mark].names, *name = launch->kernel.name;
    for (size_t at = 0, size = launch->program->marks[mark].size; at < size;) {
        const size_t length = strnlen(names + at, size - at);
        if (length == strlen(name) && memcmp(names + at, name, length) == 0)
            return true;
        at += length + 1;
    }
    return false;
}

/* Workgroups are taken in the order of their numbers: those of one row wait for earlier ones only.  How long shows where turns are
 * counted. */
static bool follows_groups(const struct cy_launch *launch)
{
    return launch->grid[1] == 1 && launch->grid[2] == 1 && !launch->counts && !launch->count_lanes &&
           is_marked(launch, CY_MARK_ROWS);
}

static bool has_independent_lanes(const struct cy_launch *launch)
{
    return is_marked(launch, CY_MARK_LANES) || is_marked(launch, CY_MARK_LOCKS) || follows_groups(launch);
}

bool cy_translated_follows(const struct cy_launch *launch)
{
    return !is_marked(launch, CY_MARK_LANES) && !is_marked(launch, CY_MARK_WARPS);
}

bool cy_translated_is_first(const struct cy_launch *launch)
{
    struct cy_translation *translation = launch->program->translations;
    while (translation && translation->code != launch->translated)
        translation = translation->next;
    return translation && !atomic_exchange(&translation->was_run, true);
}

/* What of the launch is part of the code. */
static bool describe(const struct cy_launch *launch, bool counts, struct cy_jit_request *request)
{
    const struct cy_program *program = launch->program;
    const uint32_t *local = launch->local;
    memset(request, 0, sizeof(*request));
    request->version = CY_JIT_VERSION;
    request->frame_bytes = sizeof(struct cy_jit_frame);
    request->target = program->target;
    request->host = cy_jit_host(cy_code_level(program->code), &request->level, &request->forms);
    request->threads = launch->device->config.threads;
    request->exchanges = is_marked(launch, CY_MARK_WARPS);
    request->counts = launch->count_lanes ? CY_JIT_COUNT_LANES : counts ? CY_JIT_COUNT_INSNS : CY_JIT_COUNT_NOTHING;
    request->strip = cy_jit_strip(request->threads, local);
    const uint32_t asked = launch->device->config.strip;
    if (asked && asked <= request->threads) {
        request->strip = asked;
        request->is_fixed = true;
    }
    if ((request->exchanges || request->counts) && request->threads <= CY_JIT_MAX_STRIP)
        request->strip = request->threads;
    request->uses_sir = launch->device->config.sir;
    request->warps = launch->warps;
    memcpy(request->local, local, sizeof(request->local));
    request->start = program->object.entry;
    request->code_base = program->code_base;
    request->code_bytes = program->code_size & ~3u;
    request->argument_bytes = (uint32_t)launch->arguments.bytes.size;
    request->private_bytes = launch->pds_bytes;
    uint32_t *metadata = request->metadata;
    metadata[CY_KNL_ENTRY / 4] = launch->kernel.entry;
    metadata[CY_KNL_WORK_DIM / 4] = launch->dimensions;
    for (unsigned i = 0; i < 3; i++)
        metadata[CY_KNL_LC_SIZE / 4 + i] = local[i];
    metadata[CY_KNL_LDS_STACK_SIZE_PER_WF / 4] = launch->stack_bytes;
    metadata[CY_KNL_PDS_SIZE_PER_THREAD / 4] = launch->pds_bytes;
    request->known = 1u << CY_KNL_ENTRY / 4 | 1u << CY_KNL_WORK_DIM / 4 | 7u << CY_KNL_LC_SIZE / 4 |
                     1u << CY_KNL_LDS_STACK_SIZE_PER_WF / 4 | 1u << CY_KNL_PDS_SIZE_PER_THREAD / 4;
    for (unsigned i = 0; i < 3; i++) /* usual, and less to compute */
        if (!launch->offset[i])
            request->known |= 1u << (CY_KNL_GL_OFFSET / 4 + i) | 1u << (CY_KNL_GL_OFFSET_HIGH / 4 + i);
    for (unsigned i = 0; i < 3; i++)
        if (!(launch->global[i] >> 32))
            request->known |= 1u << (CY_KNL_GL_SIZE_HIGH / 4 + i);
    request->whole = true;
    for (unsigned i = 0; i < 3; i++)
        request->whole &= launch->global[i] % local[i] == 0;
    return request->host && request->strip <= request->threads;
}
_Static_assert(CY_KNL_GL_OFFSET_HIGH / 4 + 3 == CY_JIT_METADATA_WORDS && CY_JIT_METADATA_WORDS <= 32 &&
                   CY_KNL_GL_SIZE / 4 == CY_JIT_GLOBAL_SIZE && CY_KNL_GL_SIZE_HIGH / 4 == CY_JIT_GLOBAL_SIZE_HIGH,
               "the translator knows the metadata's words");

bool cy_translated_request(const struct cy_launch *launch, struct cy_buf *request)
{
    struct cy_jit_request head;
    if (!describe(launch, launch->counts, &head))
        return false;
    cy_buf_append(request, &head, sizeof(head));
    cy_buf_zeros(request, head.code_bytes);
    cy_program_code(launch->program, (uint8_t *)request->data + sizeof(head));
    return true;
}

static struct cy_translation *find(const struct cy_program *program, const struct cy_jit_request *request)
{
    struct cy_translation *translation = program->translations;
    while (translation && memcmp(&translation->request, request, sizeof(*request)) != 0)
        translation = translation->next;
    return translation;
}

/* With the translator's `translate` or `find`: what the latter does not know is left as it is. */
static void translate(struct cy_translation *translation, cy_translate_fn *how)
{
    const struct cy_translator *translator = &translation->translator;
    const struct cy_jit_request *request = &translation->request;
    const size_t size = sizeof(*request) + request->code_bytes;
    uint8_t *bytes = cy_try_alloc(size), *code = bytes + sizeof(*request);
    const struct cy_digest *digest = NULL;
    void *image = NULL;
    size_t image_size = 0;
    snprintf(translation->why, sizeof(translation->why), "no memory");
    if (bytes) {
        cy_program_code(translation->program, code);
        digest = digest_of(translation->program, code, request->code_bytes);
    }
    if (digest) {
        memcpy(bytes, request, sizeof(*request));
        memcpy(((struct cy_jit_request *)(void *)bytes)->digest, digest, sizeof(*digest));
        if (how(translator->context, bytes, size, &image, &image_size, translation->why, sizeof(translation->why))) {
            translation->code = cy_jit_load(image, image_size);
            snprintf(translation->why, sizeof(translation->why), "an image that cannot be used");
            if (translation->code)
                cy_jit_list_interpreted(translation->code, translation->interpreted, sizeof(translation->interpreted));
            cy_free(image);
        }
    }
    cy_free(bytes);
    if (how != translator->find || translation->code || *translation->why)
        atomic_store_explicit(&translation->state, TRANSLATED, memory_order_release);
}

/* ---- in the background ---- */

/* What is to be translated while the interpreter runs it, one after the other: translators would take the processors from it.  Shared
 * by all devices, as they share the compile server. */
static struct {
    pthread_mutex_t lock;
    struct cy_translation *first; /* each with a reference to its program */
    atomic_bool has_thread;       /* that translates them */
    atomic_ullong ran;            /* instructions of kernels that wait, in launches that have ended */
    pid_t process;                /* that leaves them to the compile server when it ends, not a forked child */
} wanted = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock_wanted(void)
{
    pthread_mutex_lock(&wanted.lock);
}

static void unlock_wanted(void)
{
    pthread_mutex_unlock(&wanted.lock);
}

/* The thread is the parent's. */
static void unlock_in_child(void)
{
    atomic_store(&wanted.has_thread, false);
    unlock_wanted();
}

/* Those of programs that the application has released are for later runs only. */
static uint64_t urgency(const struct cy_translation *translation)
{
    if (atomic_load_explicit(&translation->program->references, memory_order_relaxed) == 1)
        return 0;
    return atomic_load_explicit(&translation->wanted_for, memory_order_relaxed);
}

/* The one of which the interpreter has run most; NULL: there is none.  The lock is held. */
static struct cy_translation *take_wanted(void)
{
    struct cy_translation **most = &wanted.first;
    for (struct cy_translation **at = most; *at; at = &(*at)->next_wanted)
        if (urgency(*at) > urgency(*most))
            most = at;
    struct cy_translation *translation = *most;
    if (translation) {
        *most = translation->next_wanted;
        atomic_store_explicit(&translation->state, TRANSLATING, memory_order_relaxed);
    }
    return translation;
}

/* Uses only translations, their programs, and the compiler: the device may be closed, and the process may end, before it is
 * done. */
static void *translate_main(void *unused)
{
    struct cy_translation *translation;
    (void)unused;
    lock_wanted();
    while ((translation = take_wanted())) {
        struct cy_program *program = translation->program;
        unlock_wanted();
        translate(translation, translation->translator.translate);
        cy_program_release(program);
        lock_wanted();
    }
    atomic_store(&wanted.has_thread, false);
    unlock_wanted();
    return NULL;
}

/* The process ends before it was worth starting a compile server: that costs as much as many a kernel.  Now it disturbs nobody, and
 * the next run finds the translations. */
static void leave_wanted(void)
{
    struct cy_translation *translation;
    lock_wanted();
    while (wanted.process == getpid() && (translation = take_wanted())) {
        struct cy_program *program = translation->program;
        if (translation->translator.leave)
            translate(translation, translation->translator.leave);
        cy_program_release(program);
    }
    unlock_wanted();
}

static void watch_process(void)
{
    pthread_atfork(lock_wanted, unlock_wanted, unlock_in_child);
    atexit(leave_wanted);
}

static void want(struct cy_translation *translation)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_process);
    atomic_fetch_add(&translation->program->references, 1);
    lock_wanted();
    wanted.process = getpid();
    translation->next_wanted = wanted.first;
    wanted.first = translation;
    unlock_wanted();
}

/* Starts the thread, unless there is one. */
static void translate_beside(void)
{
    pthread_t thread;
    pthread_attr_t detached;
    if (atomic_load_explicit(&wanted.has_thread, memory_order_relaxed) || atomic_exchange(&wanted.has_thread, true))
        return;
    bool ok = pthread_attr_init(&detached) == 0;
    if (ok) {
        pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
        ok = pthread_create(&thread, &detached, translate_main, NULL) == 0;
        pthread_attr_destroy(&detached);
    }
    if (!ok)
        atomic_store(&wanted.has_thread, false);
}

/* NULL: it may run translated. */
static const char *why_interpreted(const struct cy_launch *launch)
{
    static const struct cy_observers nobody;
    const struct cy_config *config = &launch->device->config;
    const struct {
        bool holds;
        const char *why;
    } reasons[] = {
        {config->engine == CY_ENGINE_INTERP, "the interpreter was asked for"},
        {!launch->device->translator.translate, "there is no translator"},
        {!has_independent_lanes(launch) && !is_marked(launch, CY_MARK_WARPS),
         "its lanes are not marked as independent"},
        {launch->run.observer || launch->run.watch || memcmp(&launch->observers, &nobody, sizeof(nobody)) != 0,
         "an observer"},
        {launch->controller, "a debugger"},
        {launch->counts && launch->count_lanes, "instructions and lanes are counted"},
        {launch->ptbr, "page tables"},
        {launch->scalar_atomics, "scalar atomics"},
        {config->deterministic, "a deterministic device"},
        {config->watchdog_instructions, "a limit of instructions"},
        {!config->checking, "checking is off"},
    };
    for (size_t i = 0; i < CY_COUNT(reasons); i++)
        if (reasons[i].holds)
            return reasons[i].why;
    return NULL;
}

/* Asking the cache takes as long as the interpreter takes for this many instructions; a warp executes at least some twenty. */
enum { WORTH_LOOKING_UP = 3000, LEAST_OF_WARP = 20 };

static void look_up(struct cy_translation *translation, uint64_t instructions)
{
    int state = NEW;
    if (instructions < WORTH_LOOKING_UP || !atomic_compare_exchange_strong(&translation->state, &state, TRANSLATING))
        return;
    if (translation->translator.find)
        translate(translation, translation->translator.find);
    state = TRANSLATING;
    atomic_compare_exchange_strong(&translation->state, &state, ABSENT);
}

/* The translation of a launch, known already or new; NULL: no memory. */
static struct cy_translation *obtain(const struct cy_launch *launch, const struct cy_jit_request *request)
{
    struct cy_translation *translation = find(launch->program, request);
    if (!translation && (translation = cy_try_alloc(sizeof(*translation)))) {
        translation->request = *request;
        translation->program = launch->program;
        translation->translator = launch->device->translator;
        translation->next = launch->program->translations;
        launch->program->translations = translation;
        if (launch->device->config.engine != CY_ENGINE_AUTO)
            translate(translation, translation->translator.translate);
    }
    if (translation && launch->device->config.engine == CY_ENGINE_AUTO)
        look_up(translation, atomic_load_explicit(&translation->ran, memory_order_relaxed) +
                                 launch->group_count * launch->warps * LEAST_OF_WARP);
    return translation;
}

void cy_translated_prepare(struct cy_launch *launch)
{
    struct cy_jit_request request;
    launch->translated = NULL;
    launch->awaited = NULL;
    launch->counter = NULL;
    launch->interpreted = "";
    launch->not_translated = why_interpreted(launch);
    if (launch->not_translated)
        return;
    launch->not_translated = "a host or shape without translator";
    if (!describe(launch, launch->counts && !launch->sampled, &request))
        return;
    struct cy_translation *translation = obtain(launch, &request);
    launch->not_translated = "no memory";
    if (!translation)
        return;
    if (launch->sampled && describe(launch, true, &request))
        launch->counter = obtain(launch, &request);
    switch (atomic_load_explicit(&translation->state, memory_order_acquire)) {
    case NEW:
    case ABSENT:
    case WANTED:
        launch->awaited = translation;
        launch->not_translated = "it has not run for long";
        break;
    case TRANSLATING:
        launch->awaited = translation;
        launch->not_translated = "it is still being translated";
        break;
    case TRANSLATED:
        launch->not_translated = !translation->code                        ? translation->why
                                 : cy_jit_is_for_thread(translation->code) ? "workgroups that are counted one by one"
                                                                           : "vector registers of another length";
        launch->translated = translation->code;
        launch->interpreted = translation->interpreted;
        break;
    }
}

/* Translating takes as long as the interpreter takes for some million instructions, but beside it, and once: later runs of
 * the program find the result in the cache.  Kernels that run for less than the first, half a millisecond, gain nothing.  Calling the
 * compile server takes a quarter of a millisecond, starting it one to two, and it runs on a core that may share its resources with this
 * one: until all kernels together have run for the second or third, some ten or eighty milliseconds, it waits for the process's end. */
enum { WORTH_TRANSLATING = 30000, WORTH_CALLING = 2000000, WORTH_STARTING = 16000000 };

static bool is_worth_it(const struct cy_translator *translator, uint64_t ran)
{
    if (ran < WORTH_CALLING)
        return false;
    return ran >= WORTH_STARTING || (translator->is_started && translator->is_started(translator->context));
}

/* The state of a translation, which is wanted once the interpreter has run enough. */
static int urge(struct cy_translation *translation, const struct cy_launch *launch, uint64_t fresh)
{
    int state = atomic_load_explicit(&translation->state, memory_order_acquire);
    if (state == NEW || state == ABSENT || state == WANTED) {
        const uint64_t now = atomic_load_explicit(&launch->instructions, memory_order_relaxed) + fresh;
        const uint64_t ran = atomic_load_explicit(&translation->ran, memory_order_relaxed) + now;
        atomic_store_explicit(&translation->wanted_for, ran, memory_order_relaxed);
        if (state == NEW && ran >= WORTH_TRANSLATING)
            look_up(translation, ran);
        else if (state == ABSENT && ran >= WORTH_TRANSLATING &&
                 atomic_compare_exchange_strong(&translation->state, &state, WANTED))
            want(translation);
        else if (state == WANTED &&
                 is_worth_it(&translation->translator, atomic_load_explicit(&wanted.ran, memory_order_relaxed) + now))
            translate_beside();
    }
    return state;
}

bool cy_translated_arrived(struct cy_launch *launch, uint64_t fresh)
{
    const struct cy_translation *translation = launch->awaited;
    const int state = urge(launch->awaited, launch, fresh);
    /* the interpreter may have stopped a warp that has a lock, or for which others wait */
    return state == TRANSLATED && translation->code && !is_marked(launch, CY_MARK_LOCKS) && !follows_groups(launch);
}

/* ---- workers ---- */

static bool is_late(void *context)
{
    const struct cy_launch *launch = context;
    const uint64_t limit_ns = launch->device->config.watchdog_seconds * 1000000000ull;
    return limit_ns && launch->ran_ns + (cy_now_ns() - launch->turn_start_ns) > limit_ns;
}

static void print(void *context, uint32_t buffer)
{
    struct cy_launch *launch = context;
    cy_print_drain_at(launch, launch->memory, buffer);
}

/* One of an earlier launch, if it fits, becomes the first; programs repeat the same few launches. */
static struct cy_jit_worker *find_worker(struct cy_sm *sm, const struct cy_jit_code *code,
                                         const struct cy_jit_shape *shape)
{
    unsigned i = 0;
    while (i < CY_SM_WORKERS && !(sm->workers[i] && cy_jit_worker_renew(sm->workers[i], code, shape)))
        i++;
    struct cy_jit_worker *found = i < CY_SM_WORKERS ? sm->workers[i] : cy_jit_worker_create(code, shape);
    if (!found)
        return NULL;
    if (i == CY_SM_WORKERS)
        cy_jit_worker_free(sm->workers[--i]);
    memmove(&sm->workers[1], &sm->workers[0], i * sizeof(found));
    sm->workers[0] = found;
    return found;
}

/* `worker`: that of this launch for the code; NULL: this is its first turn, and workers are those of earlier launches. */
static struct cy_jit_worker *place_worker(struct cy_sm *sm, struct cy_launch *launch, const struct cy_jit_code *code,
                                          struct cy_jit_worker *worker)
{
    const struct cy_config *config = &sm->device->config;
    const uint32_t lds = CY_LDS_BASE + sm->index * cy_config_lds_slice(config);
    const uint32_t view = launch->constants + (launch->views ? sm->index * config->warps * launch->view_bytes : 0);
    const uint32_t prints = launch->print_bytes ? launch->prints + sm->index * config->warps * launch->print_bytes
                                                : 0; /* of its first warp */
    if (!worker) {
        struct cy_jit_shape shape = {
            .memory = launch->memory,
            .run = &launch->run,
            .threads = config->threads,
            .private_bytes = launch->pds_bytes,
            .local_bytes = launch->needs.of[CY_RES_LDS],
            .stop = &launch->stop,
            .cancel = &launch->cancel,
            .is_late = is_late,
            .context = launch,
            .print = launch->print_bytes ? print : NULL,
        };
        memcpy(shape.local, launch->local, sizeof(shape.local));
        memcpy(shape.grid, launch->grid, sizeof(shape.grid));
        worker = find_worker(sm, code, &shape);
        if (!worker)
            return NULL;
    }
    if (launch->views)
        cy_sm_write_view(launch, launch->memory, view, prints, lds);
    const struct cy_jit_place place = {
        .metadata = view,
        .arguments = view + CY_METADATA_BYTES,
        .lds = lds,
        .print = prints,
        .pds = launch->pds + sm->index * launch->slots_per_sm * launch->warps * config->threads * launch->pds_bytes,
    };
    cy_jit_worker_place(worker, &place);
    return worker;
}

/* Why a launch that waited for a translation has ended without it. */
static const char *why_not_arrived(const struct cy_launch *launch, const struct cy_translation *translation)
{
    switch (atomic_load_explicit(&translation->state, memory_order_acquire)) {
    case NEW:
    case ABSENT: return "it has not run for long";
    case WANTED: /* for the thread, or until it is worth starting a compile server */
        return atomic_load(&wanted.has_thread) ? "other kernels are being translated before it"
                                               : "it has not run for long";
    case TRANSLATING: return "it is still being translated";
    default: break;
    }
    if (!translation->code)
        return translation->why;
    return is_marked(launch, CY_MARK_LOCKS) || follows_groups(launch)
               ? "it was translated while it ran, and a launch whose work-items wait for each other does not change"
               : "it was translated while it ran";
}

/* What the counting version of a translated kernel did not run. */
static const char *why_not_counted(const struct cy_translation *counter, const char *otherwise)
{
    if (!counter)
        return otherwise;
    if (atomic_load_explicit(&counter->state, memory_order_acquire) != TRANSLATED)
        return "workgroups that are counted, until there is code for it";
    return counter->code ? otherwise : counter->why;
}

void cy_translated_end(struct cy_launch *launch)
{
    const uint64_t ran = atomic_load_explicit(&launch->instructions, memory_order_relaxed);
    struct cy_translation *counter = launch->counter;
    const char *why = launch->awaited      ? why_not_arrived(launch, launch->awaited)
                      : launch->translated ? why_not_counted(counter, launch->not_translated)
                                           : launch->not_translated;
    pthread_mutex_lock(&launch->lock);
    launch->not_translated = why;
    pthread_mutex_unlock(&launch->lock);
    if (counter && atomic_load_explicit(&counter->state, memory_order_relaxed) == TRANSLATED)
        counter = NULL;
    if (launch->awaited)
        atomic_fetch_add_explicit(&launch->awaited->ran, ran, memory_order_relaxed);
    if (counter)
        atomic_fetch_add_explicit(&counter->ran, ran, memory_order_relaxed);
    if (launch->awaited || counter)
        atomic_fetch_add_explicit(&wanted.ran, ran, memory_order_relaxed);
    launch->awaited = launch->counter = NULL;
}

void cy_translated_leave(struct cy_sm *sm)
{
    for (unsigned i = 0; i < CY_SM_WORKERS; i++)
        cy_jit_worker_free(sm->workers[i]);
}

/* ---- turns ---- */

bool cy_translated_is_long(const struct cy_launch *launch)
{
    enum { STRAIGHT = 4 }; /* code without loops runs each of its instructions once at most, and many in a nanosecond */
    const struct cy_jit_image *header = cy_jit_header(launch->translated);
    const uint64_t least = header->loops ? CY_ALONE_INSTRUCTIONS : STRAIGHT * CY_ALONE_INSTRUCTIONS;
    return launch->group_count * launch->warps * header->instructions >= least;
}

static void report(struct cy_sm *sm, struct cy_launch *launch, const uint32_t id[3], const struct cy_fault *fault,
                   uint32_t item)
{
    const uint32_t threads = sm->device->config.threads;
    struct cy_warp_slot *slot = cy_try_alloc(sizeof(*slot)); /* only what the report needs */
    if (!slot) {
        atomic_store(&launch->stop, true);
        return;
    }
    slot->warp.run = &launch->run;
    slot->warp.wid = item / threads;
    slot->warp.tid = item / threads * threads;
    slot->warp.numt = threads;
    slot->warp.lds = CY_LDS_BASE + sm->index * cy_config_lds_slice(&sm->device->config);
    slot->warp.lds_size = launch->needs.of[CY_RES_LDS];
    slot->warp.pds_size = launch->pds_bytes;
    slot->warp.pc = fault->pc;
    memcpy(slot->warp.gid, id, sizeof(slot->warp.gid));
    cy_report_fault(launch, sm, slot, fault);
    cy_free(slot);
}

/* How many workgroups from this one on, in the order of their numbers, are as whole as it is: those up to the end of the
 * dimensions that the local size divides, and of the next one. */
static uint64_t whole_groups(const struct cy_launch *launch, const uint32_t id[3])
{
    uint64_t size = 1, before = 0; /* of a part of the grid; workgroups of it that come before this one */
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t whole = launch->global[i] / launch->local[i];
        if (id[i] >= whole)
            return i ? size - before : 1;
        before += size * id[i];
        size *= whole;
        if (launch->global[i] % launch->local[i])
            break;
    }
    return size - before;
}

/* Warps of a workgroup that have work-items: at the range's end not all do. */
static uint64_t warps_inside(const struct cy_launch *launch, const uint32_t inside[3])
{
    const uint32_t *local = launch->local, threads = launch->device->config.threads;
    uint64_t count = 0, next = 0;
    if (memcmp(inside, local, sizeof(launch->local)) == 0)
        return launch->warps;
    for (uint32_t z = 0; z < inside[2]; z++)
        for (uint32_t y = 0; y < inside[1]; y++) {
            const uint64_t row = ((uint64_t)z * local[1] + y) * local[0];
            const uint64_t first = row / threads, end = (row + inside[0] - 1) / threads + 1;
            count += end - (first > next ? first : next < end ? next : end);
            next = end;
        }
    return count;
}

/* The workgroup's position, and how many from it on, in the order of their numbers, lie beside each other. */
static uint64_t locate(const struct cy_launch *launch, uint64_t number, uint32_t id[3])
{
    const struct cy_sm *owner = launch->sms;
    while (launch->ranges && number >= owner->end_group)
        owner++;
    if (!launch->ranges || !owner->columns) {
        cy_sm_locate(launch->grid, number, id);
        return UINT64_MAX;
    }
    cy_sm_locate((uint32_t[3]){owner->columns, launch->grid[1], launch->grid[2]}, number - owner->first_group, id);
    const uint32_t beside = owner->columns - id[0];
    id[0] += owner->first_column;
    return beside;
}

/* Workgroup `number` and up to `most` in all, as many as can run in one call.  Returns their number; 0: the
 * launch is stopped. */
static uint64_t run_groups(struct cy_sm *sm, struct cy_launch *launch, struct cy_jit_worker *worker, uint64_t number,
                           uint64_t most)
{
    uint32_t id[3], inside[3], item = 0;
    struct cy_fault fault = {0};
    const uint64_t beside = locate(launch, number, id);
    uint64_t items = 1;
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t left = launch->global[i] - (uint64_t)id[i] * launch->local[i];
        inside[i] = left < launch->local[i] ? (uint32_t)left : launch->local[i];
        items *= inside[i];
    }
    const uint32_t stacks = launch->stack_bytes * launch->warps, local = launch->needs.of[CY_RES_LDS];
    uint64_t count = whole_groups(launch, id);
    count = count < most ? count : most;
    count = count < beside ? count : beside;
    if (local > stacks) {
        count = 1;
        memset(launch->memory->base + CY_LDS_BASE + sm->index * cy_config_lds_slice(&sm->device->config) + stacks, 0,
               local - stacks);
    }
    if (!cy_jit_run(worker, id, inside, (uint32_t)count, &fault, &item)) {
        if (fault.kind != CY_FAULT_NONE)
            report(sm, launch, id, &fault, item);
        else if (is_late(launch))
            cy_report_watchdog(launch, sm, true);
        else
            atomic_store(&launch->stop, true);
        return 0;
    }
    if (launch->print_bytes) /* records that no warp has announced */
        print(launch, launch->prints + sm->index * sm->device->config.warps * launch->print_bytes);
    sm->fresh.groups += count;
    sm->fresh.warps += count * warps_inside(launch, inside);
    sm->fresh.items += count * items;
    sm->fresh.translated += count * items;
    return count;
}

/* Each thread has a range of workgroups of its own, the same in every launch of this size: what an earlier launch has left in its
 * core's caches is there.  One that is done with its own goes on with the others'.  Not for kernels that may wait for
 * workgroups before them.
 *
 * Where a grid has several rows and the kernel loops, as a product of matrices does, the next row of workgroups reads again what the
 * last one has read: ranges of columns make that less for each thread, and it stays in the core's own cache. */
void cy_translated_divide(struct cy_launch *launch, unsigned parts)
{
    enum { FEWEST_COLUMNS = 4 };
    const uint64_t first = atomic_load_explicit(&launch->next_group, memory_order_relaxed);
    const uint64_t count = launch->group_count - first;
    if (!launch->translated || launch->kernel.may_spin || first >= launch->group_count)
        return;
    const uint64_t columns = launch->grid[0], rows = launch->group_count / columns;
    const bool by_columns = !first && rows > 1 && columns >= (uint64_t)FEWEST_COLUMNS * parts && !launch->counts &&
                            cy_jit_header(launch->translated)->loops;
    for (unsigned i = 0; i < parts; i++) {
        struct cy_sm *sm = &launch->sms[i];
        const uint64_t from = columns * i / parts, to = columns * (i + 1) / parts;
        sm->first_column = by_columns ? (uint32_t)from : 0;
        sm->columns = by_columns ? (uint32_t)(to - from) : 0;
        sm->first_group = by_columns ? from * rows : first + count / parts * i;
        sm->end_group = by_columns ? to * rows : first + count / parts * (i + 1);
        atomic_store_explicit(&sm->next_group, sm->first_group, memory_order_relaxed);
        atomic_store_explicit(&sm->takes_own, false, memory_order_relaxed);
    }
    launch->sms[parts - 1].end_group = launch->group_count;
    launch->ranges = parts;
}

/* A thread that is at its range and will soon be done with it keeps the rest: what that needs is in its core's cache.  One that was
 * called too late will never be. */
static bool is_worth_taking(const struct cy_sm *owner, const struct cy_launch *launch)
{
    const double soon_ns = 4000;
    const uint64_t next = atomic_load_explicit(&owner->next_group, memory_order_relaxed);
    if (next >= owner->end_group || !atomic_load_explicit(&owner->takes_own, memory_order_relaxed))
        return next < owner->end_group;
    const double each_ns = (double)(cy_now_ns() - launch->turn_start_ns) / (double)(next - owner->first_group);
    return (double)(owner->end_group - next) * each_ns > soon_ns;
}

/* The SM whose range it takes workgroups from: itself, or the next one with enough left; NULL: there is none. */
static struct cy_sm *find_range(struct cy_sm *sm, const struct cy_launch *launch)
{
    if (atomic_load_explicit(&sm->next_group, memory_order_relaxed) < sm->end_group)
        return sm;
    for (unsigned i = 1; i < launch->ranges; i++) {
        struct cy_sm *owner = &launch->sms[(sm->index + i) % launch->ranges];
        if (is_worth_taking(owner, launch))
            return owner;
    }
    return NULL;
}

/* How many workgroups to take of those left, which so many threads may share: at first a few, or as many as run before other threads
 * are asked to help; then, by the time that these took, so many that a turn takes a fraction of a millisecond, and, since each turn
 * asks for what other threads have changed, some microseconds at least. */
static uint64_t turn_size(struct cy_sm *sm, const struct cy_launch *launch, uint64_t left, unsigned threads)
{
    enum { FEW = 16, MANY = 4096, LEAST_NS = 2000, MOST_NS = 100000, FASTER = 8 };
    const struct cy_jit_image *header = cy_jit_header(launch->translated ? launch->translated : launch->awaited->code);
    const bool is_first = !sm->at_once;
    const uint64_t now = is_first ? launch->turn_start_ns : cy_now_ns(), took = now - sm->taken_ns;
    uint64_t least = 1, most = header->loops ? 2 : FEW; /* nobody knows for how long */
    if (!is_first) {
        const uint64_t at_most = sm->at_once * FASTER < MANY ? sm->at_once * FASTER : MANY;
        most = sm->at_once * (uint64_t)MOST_NS / (took + 1);
        most = most < at_most ? most : at_most;
        least = sm->at_once * (uint64_t)LEAST_NS / (took + 1);
    } else if (!header->loops) {
        const uint64_t each = launch->warps * (uint64_t)header->instructions;
        least = CY_ALONE_INSTRUCTIONS / (each ? each : 1);
        most = most > least ? most : least;
    }
    sm->taken_ns = now;
    uint64_t size = launch->parts == 1 ? left : left / ((is_first ? 4 : 2) * threads);
    size = size > least ? size : least;
    size = size < most ? size : most;
    sm->at_once = (unsigned)(size ? size : 1);
    return sm->at_once;
}

/* Takes workgroups for a turn; false: there are none left. */
static bool take_groups(struct cy_sm *sm, struct cy_launch *launch, uint64_t *first, uint64_t *end)
{
    struct cy_sm *owner = launch->ranges ? find_range(sm, launch) : NULL;
    if (launch->ranges && !owner)
        return false;
    atomic_ullong *next = owner ? &owner->next_group : &launch->next_group;
    const uint64_t last = owner ? owner->end_group : launch->group_count;
    const uint64_t seen = atomic_load_explicit(next, memory_order_relaxed);
    const unsigned threads = owner ? owner == sm ? 1 : 2 : launch->parts ? launch->parts : launch->sm_count;
    const uint64_t count = turn_size(sm, launch, seen < last ? last - seen : 0, threads);
    *first = atomic_fetch_add_explicit(next, count, memory_order_relaxed);
    *end = *first + count < last ? *first + count : last;
    if (owner == sm && *first < *end)
        atomic_store_explicit(&sm->takes_own, true, memory_order_relaxed);
    if (owner && *first < *end) /* so that others see how many are left in all */
        atomic_fetch_add_explicit(&launch->next_group, *end - *first, memory_order_relaxed);
    return *first < *end || owner; /* of that range another thread has just taken the last ones */
}

/* What a worker has counted beside instructions. */
static void collect(struct cy_sm *sm, struct cy_jit_worker *worker)
{
    uint64_t interpreted = 0;
    uint64_t counted = cy_jit_counted(worker, &sm->fresh.lanes, &interpreted);
    sm->fresh.instructions += counted;
    sm->fresh.instructions_translated += counted - interpreted;
    sm->fresh.barriers += cy_jit_barriers(worker);
}

/* A workgroup that is counted for others, which are not.  Returns 1; 0: the launch is stopped. */
static uint64_t run_sample(struct cy_sm *sm, struct cy_launch *launch, uint64_t number)
{
    struct cy_translation *counter = launch->counter;
    if (!sm->counter) {
        if (!counter || urge(counter, launch, sm->fresh.instructions) != TRANSLATED || !counter->code)
            return cy_sm_interpret(sm, launch, number);
        sm->counter = place_worker(sm, launch, counter->code, NULL);
    }
    if (!sm->counter) {
        cy_launch_no_memory(launch);
        return 0;
    }
    const uint64_t done = run_groups(sm, launch, sm->counter, number, 1);
    sm->fresh.sampled += done;
    collect(sm, sm->counter);
    return done;
}

bool cy_translated_turn(struct cy_sm *sm, struct cy_launch *launch)
{
    const struct cy_jit_code *code = launch->translated ? launch->translated : launch->awaited->code;
    struct cy_jit_worker *worker = place_worker(sm, launch, code, sm->at_once ? sm->worker : NULL);
    sm->worker = worker;
    if (!worker) {
        cy_launch_no_memory(launch);
        return false;
    }
    if (sm->counter)
        place_worker(sm, launch, launch->counter->code, sm->counter);
    uint64_t first = 0, end = 0;
    bool ok = take_groups(sm, launch, &first, &end);
    const bool fits = cy_jit_is_for_thread(code);
    uint64_t looked = cy_sm_next_looked(launch, first);
    for (uint64_t i = first, done; i < end && ok; i += done) {
        const uint64_t sampled = cy_sm_next_sampled(launch, i);
        looked = looked < i ? cy_sm_next_looked(launch, i) : looked;
        const uint64_t other = looked < sampled ? looked : sampled;
        if (looked == i || !fits) {
            done = cy_sm_interpret(sm, launch, i);
        } else if (other == i) {
            done = run_sample(sm, launch, i);
        } else {
            done = run_groups(sm, launch, worker, i, (other < end ? other : end) - i);
            sm->fresh.counted += launch->counts && !launch->sampled ? done : 0;
        }
        ok = done;
    }
    collect(sm, worker);
    sm->most_groups = 1;
    sm->most_warps = launch->warps;
    return ok;
}

void cy_translated_tally(struct cy_sm *sm, struct cy_launch *launch)
{
    struct cy_jit_worker *worker = !sm->at_once ? NULL : launch->sampled ? sm->counter : sm->worker;
    if (!launch->counts || !worker)
        return;
    struct cy_insn_counts *counts = launch->sampled ? launch->sampled : launch->counts;
    const uint64_t counted = cy_jit_tallied(worker, counts + sm->index * launch->count_words, launch->count_words);
    sm->fresh.instructions += counted;
    sm->fresh.instructions_translated += counted;
}
