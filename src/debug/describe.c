/* The machine, its threads and its program as XML for GDB. */
#include "debug/debug_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put_escaped(struct cy_buf *out, const char *text)
{
    for (; *text; text++)
        if (strchr("&<>\"'", *text))
            cy_buf_printf(out, "&#%d;", *text);
        else
            cy_buf_putc(out, *text);
}

static void put_wide_register(struct cy_buf *out, const char *name, unsigned bits, unsigned number, const char *type,
                              const char *group)
{
    cy_buf_printf(out, "<reg name=\"%s\" bitsize=\"%u\" regnum=\"%u\" type=\"%s\" group=\"%s\"/>", name, bits, number,
                  type, group);
}

static void put_register(struct cy_buf *out, const char *name, unsigned number, const char *type, const char *group)
{
    put_wide_register(out, name, 32, number, type, group);
}

/* GDB knows the features of RISC-V; x32 to x63, v32 to v255 and the CSRs of Ventus are ours.  A vector register is the
 * lane's word, as an integer or a number. */
void debug_describe_target(bool is_wide, struct cy_buf *out)
{
    static const char word[] =
        "<union id=\"word\"><field name=\"u\" type=\"uint32\"/><field name=\"i\" type=\"int32\"/>"
        "<field name=\"f\" type=\"ieee_single\"/></union>";
    const unsigned bits = is_wide ? 64 : 32;
    char name[8];
    cy_buf_printf(out,
                  "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
                  "<architecture>riscv:rv%u</architecture><osabi>none</osabi>"
                  "<feature name=\"org.gnu.gdb.riscv.cpu\">",
                  bits);
    for (unsigned i = 0; i < 32; i++)
        put_wide_register(out, cy_xreg_name(i), bits, i,
                          i == CY_REG_RA                                       ? "code_ptr"
                          : i == CY_REG_SP || i == CY_REG_GP || i == CY_REG_TP ? "data_ptr"
                                                                               : "int",
                          "general");
    put_wide_register(out, "pc", bits, DEBUG_PC, "code_ptr", "general");
    cy_buf_printf(out, "</feature><feature name=\"org.chengying.ventus\">%s", word);
    for (unsigned i = 32; i < CY_SGPRS; i++) {
        snprintf(name, sizeof(name), "x%u", i);
        put_register(out, name, DEBUG_X32 + i - 32, "int", "general");
    }
    for (unsigned i = 32; i < CY_VGPRS; i++) {
        snprintf(name, sizeof(name), "v%u", i);
        put_register(out, name, DEBUG_V + i, "word", "vector");
    }
    for (unsigned i = 0; debug_csr_name(i); i++)
        put_register(out, debug_csr_name(i), DEBUG_CSR + i, "uint32", "system");
    cy_buf_printf(out, "</feature><feature name=\"org.gnu.gdb.riscv.vector\">%s", word);
    for (unsigned i = 0; i < 32; i++) {
        snprintf(name, sizeof(name), "v%u", i);
        put_register(out, name, DEBUG_V + i, "word", "vector");
    }
    cy_buf_puts(out, "</feature></target>");
}

void debug_describe_threads(const struct cy_debugger *debugger, struct cy_buf *out)
{
    struct debug_item item = {0};
    cy_buf_puts(out, "<?xml version=\"1.0\"?><threads>");
    while (debug_next(debugger, &item)) {
        cy_buf_printf(out, "<thread id=\"%" PRIx64 "\" core=\"%u\" name=\"",
                      debug_thread(debugger, item.slot, item.lane), item.slot->sm->index);
        debug_put_name(out, debugger, &item);
        cy_buf_puts(out, "\"/>");
    }
    cy_buf_puts(out, "</threads>");
}

void debug_program_name(const struct cy_debugger *debugger, struct cy_buf *out)
{
    const char *name = debugger->program ? debugger->program->name : "";
    const char *slash = strrchr(name, '/');
    cy_buf_printf(out, "/chengying/%u/%s", debugger->programs, slash ? slash + 1 : name);
}

void debug_describe_libraries(const struct cy_debugger *debugger, struct cy_buf *out)
{
    struct cy_buf name = {0};
    cy_buf_puts(out, "<library-list version=\"1.0\">");
    if (debugger->program) {
        debug_program_name(debugger, &name);
        cy_buf_puts(out, "<library name=\"");
        put_escaped(out, name.data);
        cy_buf_printf(out, "\"><segment address=\"0x%x\"/></library>", CY_IMAGE_BASE);
    }
    cy_buf_puts(out, "</library-list>");
    cy_buf_free(&name);
}
