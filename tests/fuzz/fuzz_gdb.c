/* The debugger: any packets, against a kernel of a few instructions.  The input is what GDB sends; every frame gets a correct
 * checksum, so that most of it is read. */
#define _POSIX_C_SOURCE 200809L
#include "base/mem.h"
#include "chengying/asm.h"
#include "chengying/device.h"
#include "debug/debug.h"

#include "ld/link.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A loop of eight turns, private and local memory, a divergent branch. */
static const char kernel[] =
    "\t.ventus_kernel k, vgpr=8, sgpr=16, lds=128, pds=64\n"
    "k:\tli t0, 8\n\tvid.v v0\n\tvmv.v.x v1, zero\n"
    ".Lup:\tauipc t1, %pcrel_hi(.Ljoin)\n\tsetrpc zero, t1, %pcrel_lo(.Lup)\n"
    "\tvmv.v.x v2, t0\n\tvblt v2, v0, .Ljoin\n\tvadd.vi v1, v1, 1\n"
    ".Ljoin:\tjoin zero, zero, 0\n\tvsw.v v1, 4(v1)\n\taddi t0, t0, -1\n\tbnez t0, .Lup\n\tret\n";

static struct cy_device *device;
static struct cy_program *program;

static void start(void)
{
    struct cy_asm_result assembled;
    struct cy_config config;
    struct cy_diags diags = {0};
    struct cy_object object = {0}, image = {0};
    struct cy_buf elf = {0};
    cy_config_default(&config);
    config.sms = 1;
    config.warps = 2;
    config.threads = 4;
    config.watchdog_instructions = 20000; /* packets may write registers */
    if (!cy_asm("k.s", kernel, strlen(kernel), &(struct cy_asm_options){0}, &assembled) ||
        !cy_object_read(&object, "k.o", assembled.object, assembled.object_size, &diags))
        abort();
    const struct cy_object *objects[] = {&object};
    struct cy_buf directory = {0};
    cy_buf_printf(&directory, "%s/lib/ventus", getenv("CY_BUILD") ? getenv("CY_BUILD") : ".");
    struct cy_library *library = cy_library_open(directory.data, &diags);
    const struct cy_library *libraries[] = {library};
    struct cy_link_job job = {
        .objects = objects, .object_count = 1, .libraries = libraries, .library_count = library != NULL};
    if (!library || !cy_link(&job, &image, &diags))
        abort();
    cy_object_write(&image, &elf);
    if (cy_device_open(&config, &device, NULL) != CY_OK ||
        cy_program_load(device, "k", elf.data, elf.size, &program, NULL) != CY_OK)
        abort();
    cy_buf_free(&elf);
    cy_buf_free(&directory);
    cy_library_close(library);
    cy_object_free(&image);
    cy_object_free(&object);
    cy_asm_result_free(&assembled);
}

/* Lines become packets; a byte 3 is Ctrl-C; the rest is sent as it is. */
static void frame(const uint8_t *data, size_t size, struct cy_buf *out)
{
    cy_buf_puts(out, "$QStartNoAckMode#b0");
    for (size_t at = 0; at < size;) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - data) - at : size - at;
        cy_buf_putc(out, '$');
        cy_buf_append(out, data + at, length);
        cy_buf_puts(out, "#00");
        at += length + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int sockets[2];
    struct cy_buf packets = {0};
    if (!device)
        start();
    if (size > 4096 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
        return 0;
    frame(data, size, &packets);
    const int room = 1 << 20; /* nobody reads the replies: they must fit, or be dropped */
    setsockopt(sockets[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    const struct timeval patience = {0, 1};
    setsockopt(sockets[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (write(sockets[1], packets.data, packets.size) == (ssize_t)packets.size) {
        shutdown(sockets[1], SHUT_WR);
        struct cy_debugger *debugger = cy_debugger_on(sockets[0], sockets[0]);
        struct cy_launch_desc desc = {.program = program,
                                      .kernel = "k",
                                      .dimensions = 1,
                                      .global = {16, 1, 1},
                                      .local = {8, 1, 1},
                                      .controller = cy_debugger_controller(debugger)};
        struct cy_launch *launch;
        cy_launch_run(device, &desc, &launch, NULL);
        cy_launch_release(launch);
        cy_debugger_close(debugger, 0);
    } else {
        close(sockets[0]);
    }
    close(sockets[1]);
    cy_buf_free(&packets);
    return 0;
}
