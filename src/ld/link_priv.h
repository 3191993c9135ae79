/* Shared by the linker's passes, which are, in order (link.c calls them):
 *
 *   link_resolve.c  files and symbols: which definition wins, which library objects are needed
 *   link_gc.c       which input sections are kept
 *   link_scan.c     every relocation of those: known, in bounds, its symbol defined; GOT entries
 *   link_layout.c   output sections and addresses
 *   link_reloc.c    contents, relocated
 *   link.c          the executable's sections and symbols */
#ifndef CY_LD_LINK_PRIV_H
#define CY_LD_LINK_PRIV_H

#include "ld/link.h"
#include "base/strmap.h"

/* Section types, flags and header flags used only by the linker, under their standard names. */
enum {
    LINK_SHT_GROUP = 17,
    LINK_SHT_LLVM_FIRST = 0x6fff4c00, /* .llvm_addrsig and the like: hints for optimising linkers */
    LINK_SHT_LLVM_LAST = 0x6fff4cff,
    LINK_SHF_TIES = 0x2c0, /* group, link order, info link: relations between the sections of an object */
    LINK_SHF_TLS = 0x400,
    LINK_SHF_COMPRESSED = 0x800,
    LINK_EF_RVC = 1,
    LINK_EF_FLOAT_ABI = 6,
};
#define LINK_SHF_EXCLUDE 0x80000000u
#define LINK_PAGE_BYTES 4096u
#define LINK_GOT_RESERVED 4u /* the psABI reserves the first entry for a dynamic linker */

/* R_RISCV_ALIGN: from offset `at` of the section as read, `removed` bytes in total are gone. */
struct link_cut {
    uint32_t at, removed;
};

/* One section of one file, or one that the linker creates (a common symbol, the GOT): then `section` is NULL. */
struct link_input {
    struct link_file *file;
    const struct cy_section *section;
    const char *name;
    uint32_t type, flags, align, entry_size;
    const struct cy_reloc *relocs; /* by offset */
    size_t reloc_count;
    uint32_t size; /* without the bytes that the cuts removed */
    struct link_cut *cuts;
    uint32_t cut_count;
    bool ignored; /* not part of any program: hints, attributes */
    bool live;
    struct link_output *output;
    uint32_t offset; /* in the output section */
};

struct link_file {
    const struct cy_object *object;
    struct link_input *inputs;    /* one per section of the object */
    struct link_symbol **globals; /* one per symbol of the object; NULL for local ones */
    bool from_library;
};

enum link_state { LINK_UNDEFINED, LINK_DEFINED, LINK_COMMON, LINK_PROVIDED };

/* A global name. */
struct link_symbol {
    const char *name;
    enum link_state state;
    bool weak; /* the definition is weak; while undefined: every reference is */
    uint8_t type, visibility;
    struct link_file *file;   /* the one that defines it */
    struct link_input *input; /* NULL: absolute */
    uint32_t value;           /* offset in the section as read; absolute value; alignment of a common symbol */
    uint32_t size;
    struct link_output *output; /* LINK_PROVIDED: the symbol's section, once there is a layout */
};

struct link_output {
    const char *name;
    uint32_t type, flags, align, entry_size, address;
    uint64_t size;
    uint32_t rank;  /* order in the image: permission class, then kind */
    uint32_t order; /* of appearance */
    uint32_t index; /* in the executable */
    CY_VEC(struct link_input *) inputs;
    struct cy_buf data;
};

/* The target of a relocation: a location in an input section, or a number. */
struct link_target {
    const char *name;
    struct link_symbol *global; /* NULL: a local symbol */
    struct link_input *input;   /* NULL: `value` is the address itself */
    uint32_t value;             /* offset in the section as read */
    bool weak_undefined;
    bool is_section;
};

struct link {
    const struct cy_link_job *job;
    struct cy_diags *diags;
    uint32_t errors_before; /* diags->errors when the job began */
    struct cy_arena arena;
    uint16_t machine;
    uint32_t flags;
    bool gc;
    CY_VEC(struct link_file *) files;
    struct cy_strmap names;
    CY_VEC(struct link_symbol *) symbols; /* by id of the name */
    CY_VEC(struct link_input *) extra;    /* inputs that the linker created */
    CY_VEC(struct link_target) got;
    struct link_input *got_input;
    CY_VEC(struct link_output *) outputs;
    uint32_t base, entry, global_pointer;
};

/* A library, as seen by the linker. */
const struct cy_object *link_library_find(const struct cy_library *library, const char *name, size_t length);
void link_library_names(const struct cy_library *library, void (*visit)(void *context, const char *name),
                        void *context);

/* The passes.  Each returns false after a diagnostic. */
bool link_resolve(struct link *link);
bool link_gc(struct link *link);
bool link_scan(struct link *link);
bool link_layout(struct link *link);
bool link_relocate(struct link *link);

struct link_symbol *link_find(const struct link *link, const char *name); /* or NULL */
/* Is this a symbol that the linker defines if nothing else does? */
bool link_is_provided(const char *name);
/* `__start_NAME` or `__stop_NAME`: NAME, else NULL. */
const char *link_start_stop(const char *name);
/* Is this the section of a kernel's resource record?  Returns the kernel's name. */
const char *link_resource_kernel(const char *section);

void link_find_cuts(struct link *link, struct link_input *input);
uint32_t link_cut_offset(const struct link_input *input, uint32_t offset);

struct link_target link_target_of(const struct link_file *file, uint32_t symbol);
/* Its address once there is a layout (0 if it was dropped). */
uint32_t link_target_address(const struct link_target *target, int32_t addend);
/* How many bytes this relocation patches; -1: no such type, or not allowed in a program (`why` says which). */
int link_reloc_bytes(const struct link *link, uint32_t type, const char **why);
uint32_t link_got_offset(const struct link *link, const struct link_target *target);
/* The location of a relocation that cannot be applied, for messages. */
struct link_report {
    struct cy_diags *diags;
    const char *type, *file, *section;
    uint32_t offset;
    const char *target;
};
void link_report_range(const struct link_report *report, int64_t distance, int64_t reach, unsigned step);

int link_reloc_bytes_epic(uint32_t type, const char **why);
bool link_apply_epic(struct link *link, const struct link_input *input, const struct cy_reloc *reloc, uint8_t *at,
                     uint32_t value, uint32_t address, const char *target);

bool link_is_got(const struct link *link, uint32_t type);

/* The nearest defined name, for "did you mean"; NULL: none is near. */
const char *link_nearest(struct link *link, const char *name);

/* Attributes of all inputs, merged into one section's contents. */
void link_attributes(struct link *link, struct cy_buf *out);

void link_map(const struct link *link, struct cy_buf *out);

#endif
