/* Kernel properties that the host can query: workgroup sizes and arguments, from clang's metadata. */
#include "cc/import/import_priv.h"

#include "cc/llvm/observes_workgroup.h"
#include "cc/llvm/row_dimension.h"
#include "chengying/cc.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Linker.h>

#include <string.h>

struct metadata {
    struct importer *im;
    LLVMValueMetadataEntry *entries;
    size_t count;
};

/* The operands of the node called `name`, at most `room`; returns how many. */
static unsigned operands_of(const struct metadata *metadata, const char *name, LLVMValueRef *operands, unsigned room)
{
    unsigned kind = LLVMGetMDKindIDInContext(metadata->im->context, name, (unsigned)strlen(name));
    for (size_t i = 0; i < metadata->count; i++) {
        if (LLVMValueMetadataEntriesGetKind(metadata->entries, (unsigned)i) != kind)
            continue;
        LLVMValueRef node = LLVMMetadataAsValue(metadata->im->context,
                                                LLVMValueMetadataEntriesGetMetadata(metadata->entries, (unsigned)i));
        unsigned count = LLVMGetMDNodeNumOperands(node);
        if (count <= room)
            LLVMGetMDNodeOperands(node, operands);
        return count <= room ? count : 0;
    }
    return 0;
}

static void read_sizes(const struct metadata *metadata, const char *name, uint32_t sizes[3])
{
    LLVMValueRef operands[3];
    if (operands_of(metadata, name, operands, 3) == 3)
        for (int d = 0; d < 3; d++)
            sizes[d] = (uint32_t)LLVMConstIntGetZExtValue(operands[d]);
}

static const char *text_of(const struct metadata *metadata, LLVMValueRef operand)
{
    unsigned length = 0;
    const char *text = LLVMGetMDString(operand, &length);
    return cy_arena_strndup(&metadata->im->module->arena, text ? text : "", text ? length : 0);
}

/* ---- CL_KERNEL_ATTRIBUTES: as written in the source, without spaces except one between attributes ---- */

static void vector_type_hint(const struct metadata *metadata, struct cy_buf *out)
{
    static const char *const integers[] = {"char", "short", "int", "long"};
    LLVMValueRef operands[2];
    unsigned count;
    if (operands_of(metadata, "vec_type_hint", operands, 2) != 2)
        return;
    LLVMTypeRef type = import_element(LLVMTypeOf(operands[0]), &count);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    bool is_signed = LLVMConstIntGetZExtValue(operands[1]) != 0;
    cy_buf_puts(out, "vec_type_hint(");
    if (kind == LLVMIntegerTypeKind)
        cy_buf_printf(out, "%s%s", is_signed ? "" : "u", integers[__builtin_ctz(LLVMGetIntTypeWidth(type) / 8) & 3]);
    else
        cy_buf_puts(out, kind == LLVMHalfTypeKind ? "half" : kind == LLVMDoubleTypeKind ? "double" : "float");
    if (count > 1)
        cy_buf_printf(out, "%u", count);
    cy_buf_puts(out, ")");
}

static void size_attribute(const struct metadata *metadata, const char *name, struct cy_buf *out)
{
    uint32_t sizes[3] = {0};
    read_sizes(metadata, name, sizes);
    if (sizes[0])
        cy_buf_printf(out, "%s%s(%u,%u,%u)", out->size ? " " : "", name, sizes[0], sizes[1], sizes[2]);
}

static uint32_t sub_group_size(const struct metadata *metadata)
{
    LLVMValueRef size;
    return operands_of(metadata, "intel_reqd_sub_group_size", &size, 1) == 1 ? (uint32_t)LLVMConstIntGetZExtValue(size)
                                                                             : 0;
}

static const char *attributes_of(const struct metadata *metadata)
{
    struct cy_buf out = {0};
    vector_type_hint(metadata, &out);
    size_attribute(metadata, "work_group_size_hint", &out);
    size_attribute(metadata, "reqd_work_group_size", &out);
    if (sub_group_size(metadata))
        cy_buf_printf(&out, "%sintel_reqd_sub_group_size(%u)", out.size ? " " : "", sub_group_size(metadata));
    const char *text = cy_arena_strndup(&metadata->im->module->arena, out.size ? out.data : "", out.size);
    cy_buf_free(&out);
    return text;
}

/* ---- arguments ---- */

static uint32_t qualifiers_of(const char *text)
{
    return (strstr(text, "const") ? CY_TYPE_CONST : 0) | (strstr(text, "restrict") ? CY_TYPE_RESTRICT : 0) |
           (strstr(text, "volatile") ? CY_TYPE_VOLATILE : 0) | (strstr(text, "pipe") ? CY_TYPE_PIPE : 0);
}

/* Of an image, a sampler or a pipe. */
static uint32_t opaque_qualifiers(const char *type, const char *access)
{
    static const char *const images[] = {
        [CY_IMAGE_1D] = "image1d_t",
        [CY_IMAGE_1D_BUFFER] = "image1d_buffer_t",
        [CY_IMAGE_1D_ARRAY] = "image1d_array_t",
        [CY_IMAGE_2D] = "image2d_t",
        [CY_IMAGE_2D_ARRAY] = "image2d_array_t",
        [CY_IMAGE_3D] = "image3d_t",
        [CY_IMAGE_2D_DEPTH] = "image2d_depth_t",
        [CY_IMAGE_2D_ARRAY_DEPTH] = "image2d_array_depth_t",
    };
    uint32_t bits = !strcmp(type, "sampler_t") ? CY_TYPE_SAMPLER : 0;
    for (uint32_t i = 0; i < CY_COUNT(images); i++)
        if (!strcmp(type, images[i]))
            bits = CY_TYPE_IMAGE | i << CY_IMAGE_TYPE_SHIFT;
    if (!strcmp(access, "read_only") || !strcmp(access, "read_write"))
        bits |= CY_ACCESS_READ;
    if (!strcmp(access, "write_only") || !strcmp(access, "read_write"))
        bits |= CY_ACCESS_WRITE;
    return bits;
}

/* Arguments are packed: each aligned to its size rounded up to a power of two, structures as C does, all to 4. */
static void measure(struct importer *im, LLVMValueRef function, unsigned index, struct ir_argument *argument)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(function, index));
    LLVMAttributeRef byval =
        LLVMGetEnumAttributeAtIndex(function, index + 1, LLVMGetEnumAttributeKindForName("byval", 5));
    argument->is_struct = byval;
    argument->is_pointer = !byval && import_is(type, LLVMPointerTypeKind);
    argument->address_space = argument->is_pointer ? LLVMGetPointerAddressSpace(type) : 0;
    if (byval)
        type = LLVMGetTypeAttributeValue(byval);
    argument->size = (uint32_t)LLVMABISizeOfType(im->layout, type);
    argument->align = 4;
    if (import_is(type, LLVMStructTypeKind) || import_is(type, LLVMArrayTypeKind)) {
        if (LLVMABIAlignmentOfType(im->layout, type) > 4)
            argument->align = (uint32_t)LLVMABIAlignmentOfType(im->layout, type);
    } else {
        while (argument->align < argument->size && argument->align < 128)
            argument->align *= 2;
    }
}

void import_kernel_info(struct importer *im, LLVMValueRef function)
{
    struct metadata metadata = {.im = im};
    metadata.entries = LLVMGlobalCopyAllMetadata(function, &metadata.count);
    read_sizes(&metadata, "reqd_work_group_size", im->func->reqd_size);
    im->func->reqd_sub_group = sub_group_size(&metadata);
    im->func->attributes = attributes_of(&metadata);
    im->func->observes_workgroup = cc_sees_groups(function);
    im->func->may_spin = cc_may_wait(function);
    im->func->row_dimension = cc_row_dimension(function);
    unsigned count = LLVMCountParams(function);
    im->func->argument_count = count;
    im->func->arguments = cy_arena_alloc(&im->module->arena, (count + 1) * sizeof(*im->func->arguments));
    LLVMValueRef *operands = cy_arena_alloc(&im->module->arena, (count + 1) * sizeof(*operands));
    for (unsigned i = 0; i < count; i++) {
        im->func->arguments[i].name = im->func->arguments[i].type = "";
        measure(im, function, i, &im->func->arguments[i]);
        im->func->observes_workgroup |=
            im->func->arguments[i].is_pointer && im->func->arguments[i].address_space == CY_ADDRESS_LOCAL;
    }
    if (operands_of(&metadata, "kernel_arg_name", operands, count) == count)
        for (unsigned i = 0; i < count; i++)
            im->func->arguments[i].name = text_of(&metadata, operands[i]);
    if (operands_of(&metadata, "kernel_arg_type", operands, count) == count)
        for (unsigned i = 0; i < count; i++)
            im->func->arguments[i].type = text_of(&metadata, operands[i]);
    if (operands_of(&metadata, "kernel_arg_type_qual", operands, count) == count)
        for (unsigned i = 0; i < count; i++)
            im->func->arguments[i].qualifiers = qualifiers_of(text_of(&metadata, operands[i]));
    LLVMValueRef *access = cy_arena_alloc(&im->module->arena, (count + 1) * sizeof(*access));
    if (operands_of(&metadata, "kernel_arg_base_type", operands, count) == count &&
        operands_of(&metadata, "kernel_arg_access_qual", access, count) == count)
        for (unsigned i = 0; i < count; i++)
            im->func->arguments[i].qualifiers |=
                opaque_qualifiers(text_of(&metadata, operands[i]), text_of(&metadata, access[i]));
    for (unsigned i = 0; i < count; i++) /* the translator of SPIR-V makes pointers of them */
        if (im->func->arguments[i].qualifiers & (CY_TYPE_IMAGE | CY_TYPE_SAMPLER | CY_TYPE_PIPE)) {
            im->func->arguments[i].is_pointer = false;
            im->func->arguments[i].address_space = 0;
        }
    LLVMDisposeValueMetadataEntries(metadata.entries);
}

void cc_on_llvm_diagnostic(LLVMDiagnosticInfoRef info, void *context)
{
    struct cy_diags *diags = context;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    cy_diag_file(diags, CY_ERROR, NULL, "%s", text);
    LLVMDisposeMessage(text);
}

bool cc_link_parts(const char *name, const struct cy_cc_part *parts, size_t count, struct cy_buf *bitcode,
                   struct cy_diags *diags)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef whole = NULL;
    bool ok = true;
    LLVMContextSetDiagnosticHandler(context, cc_on_llvm_diagnostic, diags);
    for (size_t i = 0; i < count && ok; i++) {
        LLVMModuleRef module = NULL;
        LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(parts[i].bitcode, parts[i].size, name);
        ok = !LLVMParseBitcodeInContext2(context, buffer, &module);
        LLVMDisposeMemoryBuffer(buffer);
        if (!ok)
            cy_diag_file(diags, CY_ERROR, name, "part %zu is not bitcode", i);
        else if (!whole)
            whole = module;
        else
            ok = !LLVMLinkModules2(whole, module);
    }
    if (ok && whole) {
        LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(whole);
        cy_buf_append(bitcode, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
        LLVMDisposeMemoryBuffer(buffer);
    }
    if (whole)
        LLVMDisposeModule(whole);
    LLVMContextDispose(context);
    return ok && whole;
}
