/* Mnemonics to rows and aliases: a hash per target, built once. */
#include "isa/isa_priv.h"

#include "base/strmap.h"

#include <pthread.h>
#include <string.h>

#define SLOTS 2048 /* a power of two, at least twice the number of mnemonics of a target */

static const struct cy_spelling *slots[CY_TARGET_COUNT][SLOTS];
/* Copies of the spellings, so that `next` can be per target. */
static struct cy_spelling chains[CY_TARGET_COUNT][CY_SPELLING_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct cy_spelling **find_slot(enum cy_target target, const char *mnemonic, size_t length)
{
    uint32_t slot = cy_hash(mnemonic, length) & (SLOTS - 1);
    for (;; slot = (slot + 1) & (SLOTS - 1)) {
        const struct cy_spelling **entry = &slots[target][slot];
        if (!*entry || cy_text_is(mnemonic, length, (*entry)->mnemonic))
            return entry;
    }
}

static bool parses(const struct cy_syntaxes *all, size_t spelling)
{
    return !all->spellings[spelling].is_alias || cy_aliases[spelling - CY_OP_COUNT].use & CY_ALIAS_PARSE;
}

static void build(void)
{
    const struct cy_syntaxes *all = cy_syntaxes();
    for (int t = 0; t < CY_TARGET_COUNT; t++) {
        memcpy(chains[t], all->spellings, sizeof(chains[t]));
        for (size_t i = CY_SPELLING_COUNT; i-- > 1;) { /* backwards, so that chains are in table order */
            struct cy_spelling *spelling = &chains[t][i];
            if (!parses(all, i) || !(cy_insns[spelling->op].gens & (1 << t)))
                continue;
            const struct cy_spelling **slot =
                find_slot((enum cy_target)t, spelling->mnemonic, strlen(spelling->mnemonic));
            spelling->next = *slot;
            *slot = spelling;
        }
    }
}

const struct cy_spelling *cy_spelling_find(enum cy_target target, const char *mnemonic, size_t length)
{
    pthread_once(&once, build);
    const struct cy_spelling *found = *find_slot(target, mnemonic, length);
    if (found)
        return found;
    for (size_t dot = length; dot-- > 1;) { /* amoadd.w.aqrl: try after the last dot */
        int32_t order;
        if (mnemonic[dot] != '.')
            continue;
        if (!cy_parse_aqrl(mnemonic + dot + 1, length - dot - 1, &order))
            break;
        found = *find_slot(target, mnemonic, dot);
        return found && found->piece_count && found->pieces[0].kind == CY_PIECE_SUFFIX ? found : NULL;
    }
    return NULL;
}

enum cy_op cy_op_find(enum cy_target target, const char *mnemonic, size_t length)
{
    const struct cy_spelling *spelling = cy_spelling_find(target, mnemonic, length);
    while (spelling && spelling->is_alias)
        spelling = spelling->next;
    return spelling ? spelling->op : CY_OP_INVALID;
}

void cy_spelling_start(const struct cy_spelling *spelling, struct cy_insn *insn)
{
    const struct cy_format_syntax *syntax = &cy_syntaxes()->formats[cy_insns[spelling->op].format];
    *insn = (struct cy_insn){.op = spelling->op, .size = 4, .operand_count = syntax->operand_count};
    for (unsigned i = 0; i < syntax->operand_count; i++)
        insn->operand[i] = cy_operand_default((enum cy_field)syntax->operands[i]);
}

void cy_spelling_finish(const struct cy_spelling *spelling, struct cy_insn *insn)
{
    for (unsigned i = 0; i < spelling->fixed_count; i++) {
        const struct cy_fixed *fixed = &spelling->fixed[i];
        insn->operand[fixed->operand] = fixed->other >= 0 ? insn->operand[fixed->other] : fixed->value;
    }
}

const char *cy_mnemonic_nearest(enum cy_target target, const char *mnemonic, size_t length)
{
    pthread_once(&once, build);
    const char *best = NULL;
    unsigned limit = length < 4 ? 1 : length < 9 ? 2 : 3, best_distance = limit + 1;
    for (size_t i = 0; i < SLOTS; i++) {
        const struct cy_spelling *spelling = slots[target][i];
        if (!spelling)
            continue;
        unsigned distance =
            cy_edit_distance(mnemonic, length, spelling->mnemonic, strlen(spelling->mnemonic), best_distance + 1);
        if (distance < best_distance || (distance == best_distance && best && strcmp(spelling->mnemonic, best) < 0)) {
            best_distance = distance;
            best = spelling->mnemonic;
        }
    }
    return best_distance <= limit ? best : NULL;
}
