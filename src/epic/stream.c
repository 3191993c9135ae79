/* The command stream from host to GPU:  xstart n, address  (xinstr instruction)*  xend  for each program. */
#include "epic/epic_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The state after the words so far.  Programs stay in `slots` until the whole stream has been validated. */
struct loader {
    const uint32_t *words;
    size_t count, at; /* at: the current word */
    int open;         /* slot between xstart and xend, or -1 */
    struct slot slots[CY_EPIC_PROGRAMS];
    enum cy_epic_status status;
    struct cy_epic_stream_error error;
};

static bool fail(struct loader *loader, size_t word, const char *format, ...) CY_PRINTF(3, 4);
static bool fail(struct loader *loader, size_t word, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    loader->status = CY_EPIC_BAD_STREAM;
    loader->error.word = word;
    vsnprintf(loader->error.text, sizeof(loader->error.text), format, args);
    va_end(args);
    return false;
}

/* The words of a program are counted first, so that they need one allocation: they end where the pairs of xinstr and
 * instruction end. */
static size_t count_instructions(const struct loader *loader)
{
    struct cy_insn insn;
    size_t count = 0;
    for (size_t at = loader->at + 1; at + 1 < loader->count; at += 2, count++)
        if (!cy_decode_word(CY_EPIC, loader->words[at], &insn) || insn.op != CY_OP_epic_xinstr)
            break;
    return count;
}

bool cy_command_epic_xstart(struct loader *loader, const struct cy_insn *insn)
{
    const unsigned number = (unsigned)cy_insn_field(insn, CY_FIELD_eprog, 0);
    struct slot *slot = &loader->slots[number];
    if (loader->open >= 0)
        return fail(loader, loader->at, "xstart %u inside program %d: xend is missing before it", number, loader->open);
    if (slot->loaded)
        return fail(loader, loader->at, "program %u is opened twice", number);
    slot->loaded = true;
    slot->address = (uint32_t)cy_insn_field(insn, CY_FIELD_eaddr, 0);
    slot->words = malloc(count_instructions(loader) * sizeof(uint32_t) + 1);
    if (!slot->words) {
        loader->status = CY_EPIC_NO_MEMORY;
        return false;
    }
    loader->open = (int)number;
    loader->at++;
    return true;
}

static bool overlaps(const struct slot *a, const struct slot *b)
{
    return a->address < b->address + b->count && b->address < a->address + a->count;
}

bool cy_command_epic_xinstr(struct loader *loader, const struct cy_insn *insn)
{
    (void)insn;
    if (loader->open < 0)
        return fail(loader, loader->at, "xinstr outside a program: xstart is missing before it");
    if (loader->at + 1 == loader->count)
        return fail(loader, loader->count, "the stream ends after an xinstr, without its instruction");
    struct slot *slot = &loader->slots[loader->open];
    if (slot->address + slot->count >= MAX_WORDS)
        return fail(loader, loader->at, "program %d exceeds instruction memory (%u words)", loader->open,
                    (unsigned)MAX_WORDS);
    slot->words[slot->count++] = loader->words[loader->at + 1];
    for (int n = 0; n < CY_EPIC_PROGRAMS; n++)
        if (n != loader->open && loader->slots[n].loaded && overlaps(slot, &loader->slots[n]))
            return fail(loader, loader->at, "program %d overlaps program %d at instruction word 0x%x", loader->open, n,
                        slot->address + slot->count - 1);
    loader->at += 2;
    return true;
}

bool cy_command_epic_xend(struct loader *loader, const struct cy_insn *insn)
{
    (void)insn;
    if (loader->open < 0)
        return fail(loader, loader->at, "xend without xstart");
    loader->open = -1;
    loader->at++;
    return true;
}

/* Every command row and its function. */
static bool run_command(struct loader *loader, const struct cy_insn *insn)
{
    switch (insn->op) {
#define EXPR(id, mnemonic, format, match, gens, sched, flags, ...)
#define HOOK(id, mnemonic, format, match, gens, sched, flags, text) COMMAND_##sched(id)
#define COMMAND_ealu(id)
#define COMMAND_emem(id)
#define COMMAND_ectl(id)
#define COMMAND_ecmd(id)                                                                                               \
    case CY_OP_##id:                                                                                                   \
        return cy_command_##id(loader, insn);
#include "isa/epic.def"
#undef EXPR
#undef HOOK
    default:
        if (loader->open >= 0)
            return fail(loader, loader->at, "0x%08x inside program %d: expected xinstr or xend", insn->word,
                        loader->open);
        return fail(loader, loader->at, "0x%08x is not a command: expected xstart", insn->word);
    }
}

static bool read_stream(struct loader *loader)
{
    struct cy_insn insn;
    while (loader->at < loader->count) {
        if (!cy_decode_word(CY_EPIC, loader->words[loader->at], &insn))
            insn.word = loader->words[loader->at];
        if (!run_command(loader, &insn))
            return false;
    }
    if (loader->open >= 0)
        return fail(loader, loader->count, "the stream ends inside program %d: xend is missing", loader->open);
    return true;
}

static void free_slot(struct slot *slot)
{
    free(slot->words);
    free(slot->file);
    free(slot->lines);
    *slot = (struct slot){0};
}

void cy_epic_free_slots(struct slot slots[CY_EPIC_PROGRAMS])
{
    for (unsigned n = 0; n < CY_EPIC_PROGRAMS; n++)
        free_slot(&slots[n]);
}

static bool is_written_over(const struct loader *loader, const struct slot *slot)
{
    for (unsigned n = 0; n < CY_EPIC_PROGRAMS; n++)
        if (loader->slots[n].loaded && overlaps(slot, &loader->slots[n]))
            return true;
    return false;
}

/* The new programs take their slots; unless CY_EPIC_OK nothing has changed. */
static enum cy_epic_status take_programs(struct cy_epic *device, struct loader *loader)
{
    struct slot slots[CY_EPIC_PROGRAMS];
    bool kept[CY_EPIC_PROGRAMS];
    for (unsigned n = 0; n < CY_EPIC_PROGRAMS; n++) {
        const struct slot *old = &device->slots[n];
        kept[n] = old->loaded && !loader->slots[n].loaded && !is_written_over(loader, old);
        slots[n] = kept[n] ? *old : loader->slots[n];
    }
    struct image image;
    if (!cy_epic_image_build(&image, slots, device->target, device->cores[0].stride))
        return CY_EPIC_NO_MEMORY;
    free(device->image.insns);
    device->image = image;
    for (unsigned n = 0; n < CY_EPIC_PROGRAMS; n++) {
        if (!kept[n])
            free_slot(&device->slots[n]);
        device->slots[n] = slots[n];
        loader->slots[n] = (struct slot){0};
    }
    return CY_EPIC_OK;
}

enum cy_epic_status cy_epic_load(struct cy_epic *device, const uint32_t *words, size_t count,
                                 struct cy_epic_stream_error *error)
{
    struct loader loader = {.words = words, .count = count, .open = -1, .status = CY_EPIC_OK};
    if (!cy_epic_enter(device))
        return CY_EPIC_BUSY;
    if (read_stream(&loader))
        loader.status = take_programs(device, &loader);
    cy_epic_free_slots(loader.slots);
    cy_epic_leave(device);
    if (error)
        *error = loader.error;
    return loader.status;
}

/* ---- packing ---- */

size_t cy_epic_pack_words(size_t count)
{
    return 2 * count + 2;
}

static uint32_t command(enum cy_op op, int32_t first, int32_t second)
{
    struct cy_insn insn = {.op = op, .operand = {first, second}};
    const char *problem = cy_encode(CY_EPIC, &insn, NULL);
    return problem ? 0 : insn.word;
}

size_t cy_epic_pack(unsigned program, uint32_t word_address, const uint32_t *code, size_t count, uint32_t *stream)
{
    if (program >= CY_EPIC_PROGRAMS || word_address >= MAX_WORDS || count > MAX_WORDS - word_address)
        return 0;
    const uint32_t xinstr = command(CY_OP_epic_xinstr, 0, 0);
    size_t at = 0;
    stream[at++] = command(CY_OP_epic_xstart, (int32_t)program, (int32_t)word_address);
    for (size_t i = 0; i < count; i++) {
        stream[at++] = xinstr;
        stream[at++] = code[i];
    }
    stream[at++] = command(CY_OP_epic_xend, 0, 0);
    return at;
}

enum cy_epic_status cy_epic_set_lines(struct cy_epic *device, unsigned program, const char *file,
                                      const struct cy_epic_line *lines, size_t count)
{
    if (!cy_epic_enter(device))
        return CY_EPIC_BUSY;
    enum cy_epic_status status = CY_EPIC_OK;
    if (program >= CY_EPIC_PROGRAMS || !file || !device->slots[program].loaded) {
        status = program < CY_EPIC_PROGRAMS && file ? CY_EPIC_EMPTY : CY_EPIC_BAD_ARGUMENT;
    } else {
        struct slot *slot = &device->slots[program];
        struct cy_epic_line *copy = malloc(count * sizeof(*copy) + 1);
        char *name = malloc(strlen(file) + 1);
        if (copy && name) {
            if (count)
                memcpy(copy, lines, count * sizeof(*copy));
            strcpy(name, file);
            free(slot->lines);
            free(slot->file);
            slot->lines = copy;
            slot->line_count = count;
            slot->file = name;
        } else {
            free(copy);
            free(name);
            status = CY_EPIC_NO_MEMORY;
        }
    }
    cy_epic_leave(device);
    return status;
}
