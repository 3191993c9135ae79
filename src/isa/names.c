/* Names of registers and CSRs, and the words that stand for numbers in an instruction's text. */
#include "isa/isa_priv.h"

#include "base/strmap.h"

#include <ctype.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

static const char *const x_names[64] = {
    "zero", "ra",  "sp",  "gp",  "tp",  "t0",  "t1",  "t2",  "s0",  "s1",  "a0",  "a1",  "a2",  "a3",  "a4",  "a5",
    "a6",   "a7",  "s2",  "s3",  "s4",  "s5",  "s6",  "s7",  "s8",  "s9",  "s10", "s11", "t3",  "t4",  "t5",  "t6",
    "x32",  "x33", "x34", "x35", "x36", "x37", "x38", "x39", "x40", "x41", "x42", "x43", "x44", "x45", "x46", "x47",
    "x48",  "x49", "x50", "x51", "x52", "x53", "x54", "x55", "x56", "x57", "x58", "x59", "x60", "x61", "x62", "x63",
};

const char *cy_xreg_name(unsigned number)
{
    return x_names[number & 63];
}

/* "<letter><number>", the number without leading zeros and at most `limit`; -1: not of that form. */
static int numbered(const char *text, size_t length, char letter, int limit)
{
    if (length < 2 || length > 4 || text[0] != letter || (text[1] == '0' && length > 2))
        return -1;
    int number = 0;
    for (size_t i = 1; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        number = number * 10 + (text[i] - '0');
    }
    return number <= limit ? number : -1;
}

int cy_parse_xreg(const char *text, size_t length)
{
    int number;
    if (length < 2 || length > 4)
        return -1;
    switch (text[0]) {
    case 'x': return numbered(text, length, 'x', 63);
    case 'a': number = numbered(text, length, 'a', 7); return number < 0 ? -1 : 10 + number;
    case 's':
        number = numbered(text, length, 's', 11);
        return number < 0 ? cy_text_is(text, length, "sp") ? 2 : -1 : number < 2 ? 8 + number : 16 + number;
    case 't':
        number = numbered(text, length, 't', 6);
        return number < 0 ? cy_text_is(text, length, "tp") ? 4 : -1 : number < 3 ? 5 + number : 25 + number;
    case 'z': return cy_text_is(text, length, "zero") ? 0 : -1;
    case 'r': return cy_text_is(text, length, "ra") ? 1 : -1;
    case 'g': return cy_text_is(text, length, "gp") ? 3 : -1;
    case 'f': return cy_text_is(text, length, "fp") ? 8 : -1;
    default: return -1;
    }
}

int cy_parse_vreg(const char *text, size_t length)
{
    return numbered(text, length, 'v', 255);
}

int cy_parse_ereg(const char *text, size_t length)
{
    static const struct {
        const char *name;
        int number;
    } special[] = {{"%BlockIdx", 1}, {"%BlockDim", 2}, {"%ThreadIdx", 3}};
    for (size_t i = 0; i < CY_COUNT(special); i++)
        if (length == strlen(special[i].name) && !strncasecmp(text, special[i].name, length))
            return special[i].number;
    return numbered(text, length, 'r', 31);
}

/* CSR names by hash, in lower case; built once. */
#define CSR_SLOTS 2048
#define CSR_NAME_ROOM 32
static uint16_t csr_slots[CSR_SLOTS]; /* index + 1 */
static pthread_once_t csr_once = PTHREAD_ONCE_INIT;

static uint16_t *csr_slot(const char *name, size_t length)
{
    char lower[CSR_NAME_ROOM];
    if (length >= sizeof(lower))
        return NULL;
    for (size_t i = 0; i < length; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    uint32_t slot = cy_hash(lower, length) & (CSR_SLOTS - 1);
    while (csr_slots[slot] && !cy_text_is(lower, length, cy_csrs[csr_slots[slot] - 1].short_name))
        slot = (slot + 1) & (CSR_SLOTS - 1);
    return &csr_slots[slot];
}

static void build_csr_slots(void)
{
    for (size_t i = 0; i < cy_csr_count; i++)
        *csr_slot(cy_csrs[i].short_name, strlen(cy_csrs[i].short_name)) = (uint16_t)(i + 1);
}

const struct cy_csr_info *cy_csr_find(const char *name, size_t length)
{
    static const char *const old_names[][2] = {{"gdx", "gidx"}, {"gdy", "gidy"}, {"gdz", "gidz"}};
    pthread_once(&csr_once, build_csr_slots);
    if (length > 4 && !strncasecmp(name, "CSR_", 4))
        name += 4, length -= 4;
    for (size_t i = 0; i < CY_COUNT(old_names); i++)
        if (length == 3 && !strncasecmp(name, old_names[i][0], 3))
            name = old_names[i][1], length = 4;
    const uint16_t *slot = csr_slot(name, length);
    return slot && *slot ? &cy_csrs[*slot - 1] : NULL;
}

const struct cy_csr_info *cy_csr_by_number(unsigned number)
{
    size_t low = 0, high = cy_csr_count;
    while (low < high) { /* they are sorted */
        size_t middle = (low + high) / 2;
        if (cy_csrs[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < cy_csr_count && cy_csrs[low].number == number ? &cy_csrs[low] : NULL;
}

static bool one_of(const char *text, size_t length, const char *const *words, size_t count, int32_t *value)
{
    for (size_t i = 0; i < count; i++)
        if (words[i] && cy_text_is(text, length, words[i])) {
            *value = (int32_t)i;
            return true;
        }
    return false;
}

bool cy_parse_rm(const char *text, size_t length, int32_t *value)
{
    static const char *const words[] = {"rne", "rtz", "rdn", "rup", "rmm", NULL, NULL, "dyn"};
    return one_of(text, length, words, CY_COUNT(words), value);
}

bool cy_parse_aqrl(const char *text, size_t length, int32_t *value)
{
    static const char *const words[] = {NULL, "rl", "aq", "aqrl"};
    return one_of(text, length, words, CY_COUNT(words), value);
}

bool cy_parse_fence(const char *text, size_t length, int32_t *value)
{
    static const char letters[] = "wroi"; /* bit 0 = w */
    if (cy_text_is(text, length, "0")) {
        *value = 0;
        return true;
    }
    int32_t set = 0;
    int last = 4;
    for (size_t i = 0; i < length; i++) {
        const char *letter = text[i] ? strchr(letters, text[i]) : NULL;
        int bit = letter ? (int)(letter - letters) : 4;
        if (bit >= last) /* unknown, repeated or out of order */
            return false;
        set |= 1 << bit;
        last = bit;
    }
    *value = set;
    return length > 0;
}

bool cy_parse_vtype_word(const char *text, size_t length, int32_t *value)
{
    static const char *const sew[] = {"e8", "e16", "e32", "e64"};
    static const char *const lmul[] = {"m1", "m2", "m4", "m8", NULL, "mf8", "mf4", "mf2"};
    int32_t index;
    if (one_of(text, length, sew, CY_COUNT(sew), &index))
        *value |= index << 3;
    else if (one_of(text, length, lmul, CY_COUNT(lmul), &index))
        *value |= index;
    else if (cy_text_is(text, length, "ta"))
        *value |= 1 << 6;
    else if (cy_text_is(text, length, "ma"))
        *value |= 1 << 7;
    else if (!cy_text_is(text, length, "tu") && !cy_text_is(text, length, "mu"))
        return false;
    return true;
}

static const struct {
    const char *name;
    enum cy_target target;
} target_names[] = {
    {"ventus", CY_GEN1}, {"ventus-gen1", CY_GEN1}, {"gen1", CY_GEN1},           {"ventus-gen2", CY_GEN2},
    {"gen2", CY_GEN2},   {"epic", CY_EPIC},        {"epic-fpga", CY_EPIC_FPGA},
};

bool cy_target_find(const char *name, enum cy_target *target)
{
    for (size_t i = 0; i < CY_COUNT(target_names); i++)
        if (!strcmp(target_names[i].name, name)) {
            *target = target_names[i].target;
            return true;
        }
    return false;
}

const char *cy_target_name(enum cy_target target)
{
    static const char *const names[] = {"ventus", "ventus-gen2", "epic", "epic-fpga"};
    return names[target];
}
