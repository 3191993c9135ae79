/* printf: a record {bytes, format, arguments} in the print buffer after its header {cursor, dropped}; the host formats
 * it. */
#include "abi/abi.h"
#include "cc/import/import_priv.h"

#include "isa/isa.h"

#include <string.h>

struct record {
    ir_value words[IMPORT_MAX_WORDS];
    uint32_t sizes[IMPORT_MAX_WORDS], offsets[IMPORT_MAX_WORDS];
    unsigned count;
    uint32_t bytes;
};

static const char *format_text(struct importer *im, LLVMValueRef call, size_t *length)
{
    LLVMValueRef format = LLVMGetOperand(call, 0);
    while (LLVMIsAConstantExpr(format))
        format = LLVMGetOperand(format, 0);
    LLVMValueRef text = LLVMIsAGlobalVariable(format) ? LLVMGetInitializer(format) : NULL;
    const char *bytes = "";
    *length = 0;
    if (text && LLVMIsAConstantDataSequential(text))
        bytes = LLVMGetAsString(text, length);
    else if (!text || !LLVMIsNull(text))
        import_error(im, call, "printf needs a format that is a string literal");
    const char *end = memchr(bytes, 0, *length);
    *length = end ? (size_t)(end - bytes) : *length;
    return cy_arena_strndup(&im->module->arena, bytes, *length);
}

/* A format's offset in the list of all formats. */
static uint32_t format_place(struct importer *im, const char *text, size_t length)
{
    uint32_t place = 0;
    for (size_t i = 0; i < im->module->formats.count; i++) {
        if (!strcmp(im->module->formats.at[i].text, text))
            return place;
        place += im->module->formats.at[i].length + 1;
    }
    *cy_vec_push(&im->module->formats) = (struct ir_format){text, (uint32_t)length};
    return place;
}

/* The next conversion: its letter, 0 at the end, and whether it takes 64 bits. */
static char next_conversion(const char **format, bool *is_long)
{
    const char *at = *format;
    while (*at && (*at != '%' || at[1] == '%'))
        at += *at == '%' ? 2 : 1;
    at += *at == '%';
    at += strspn(at, "-+ #0123456789.v");
    size_t length = strspn(at, "hl");
    *is_long = length && at[0] == 'l';
    *format = at + length + (at[length] != 0);
    return at[length];
}

static void add_argument(struct importer *im, LLVMValueRef call, LLVMValueRef argument, char letter, bool is_long,
                         struct record *record)
{
    LLVMTypeRef type = LLVMTypeOf(argument);
    unsigned elements, total = import_word_count(im, type);
    LLVMTypeRef element = import_element(type, &elements);
    ir_value *words = record->words + record->count;
    if (record->count + total + 1 > IMPORT_MAX_WORDS) {
        import_error(im, call, "printf with too many arguments");
        return;
    }
    import_get(im, argument, words, total);
    bool is_vector = import_is(type, LLVMVectorTypeKind), is_signed = letter == 'd' || letter == 'i';
    unsigned bits = import_bits(im, element), size = is_vector && bits < 32 ? bits / 8 : 4;
    if (!is_vector && bits < 32)
        words[0] = build_sext(im, words[0], bits);
    const bool is_plain = import_is(type, LLVMIntegerTypeKind) || import_is(type, LLVMPointerTypeKind);
    if (is_plain && letter && strchr("diouxXcsp", letter)) {
        /* an argument that does not match its conversion must not shift those after it: size_t can have 32 bits */
        const unsigned wanted = letter == 's' || letter == 'p' ? import_pointer_words(im) : is_long ? 2 : 1;
        if (wanted == 2 && total == 1)
            words[1] = is_signed ? build_imm(im, IR_SHRS, words[0], 31) : build_const(im, 0);
        total = wanted;
    }
    for (unsigned w = 0; w < total; w++, record->count++, record->bytes += size) {
        record->sizes[record->count] = size;
        record->offsets[record->count] = record->bytes;
    }
    record->bytes = (record->bytes + 3) & ~3u;
}

static ir_value build_amo_add(struct importer *im, ir_value address, uint32_t value)
{
    ir_value old = build(im, IR_AMO, address, build_const(im, value));
    ir_at(im->func, old)->imm = CY_OP_amoadd_w;
    return old;
}

/* Reserves space in the buffer; records that do not fit are counted. */
static void write_record(struct importer *im, const struct record *record, uint32_t format)
{
    ir_value buffer = import_metadata(im, CY_KNL_PRINT_ADDR), size = import_metadata(im, CY_KNL_PRINT_SIZE);
    ir_value start = build_amo_add(im, buffer, record->bytes);
    ir_value fits = build(im, IR_GEU, size, build_imm(im, IR_ADD, start, record->bytes + CY_PRINT_RECORDS));
    uint32_t write = ir_new_block(im->func), drop = ir_new_block(im->func), after = ir_new_block(im->func);
    ir_set_branch(im->func, im->block, fits, write, drop);
    im->block = write;
    ir_value at = build(im, IR_ADD, buffer, start);
    build_store(im, at, CY_PRINT_RECORDS + CY_RECORD_BYTES, 4, build_const(im, record->bytes), false);
    build_store(im, at, CY_PRINT_RECORDS + CY_RECORD_FORMAT, 4, build_const(im, format), false);
    for (unsigned i = 0; i < record->count; i++)
        build_store(im, at, (int32_t)(CY_PRINT_RECORDS + record->offsets[i]), (int)record->sizes[i], record->words[i],
                    false);
    ir_set_jump(im->func, im->block, after);
    im->block = drop;
    build_amo_add(im, build_imm(im, IR_ADD, buffer, CY_PRINT_DROPPED), 1);
    ir_set_jump(im->func, im->block, after);
    im->block = after;
    build(im, IR_PRINTED, 0, 0);
}

void import_printf(struct importer *im, LLVMValueRef call)
{
    struct record record = {.bytes = CY_RECORD_ARGUMENTS};
    size_t length;
    const char *format = format_text(im, call, &length), *at = format;
    for (unsigned i = 1; i < LLVMGetNumArgOperands(call) && !im->failed; i++) {
        bool is_long;
        char letter = next_conversion(&at, &is_long);
        add_argument(im, call, LLVMGetOperand(call, i), letter, is_long, &record);
    }
    write_record(im, &record, format_place(im, format, length));
    ir_value result = build_const(im, 0);
    import_set(im, call, &result, 1);
}
