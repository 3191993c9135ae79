/* Runs a program on one warp for the scripts that compare it with qemu:
 *
 *     gpu_runner TARGET LANES CODE DATA BYTES OUT
 *
 * Puts the files CODE at 0x80000000 and DATA at 0x90000000 (BYTES of memory there), runs until an ecall, which the
 * machine does not have, and writes the memory from 0x90000000 to OUT.  Atomics have their scalar meaning. */
#include "gpu/harness.h"

#include "base/file.h"

#define ECALL 0x00000073u

int main(int argc, char **argv)
{
    struct harness h;
    struct cy_buf code = {0}, data = {0};
    struct cy_diags diags = {0};
    enum cy_target target;
    if (argc != 7 || !cy_target_find(argv[1], &target) || !harness_init(&h, target, (unsigned)atoi(argv[2])) ||
        !cy_file_read(argv[3], &code, &diags) || !cy_file_read(argv[4], &data, &diags)) {
        fprintf(stderr, "usage: gpu_runner TARGET LANES CODE DATA BYTES OUT\n%.*s", (int)diags.text.size,
                diags.text.data);
        return 2;
    }
    uint32_t size = (uint32_t)strtoul(argv[5], NULL, 0);
    cy_memory_free(&h.memory, DATA);
    if (!cy_memory_alloc_at(&h.memory, DATA, size, CY_READ | CY_WRITE) || data.size > size)
        return 2;
    memcpy(h.memory.base + DATA, data.data, data.size);
    h.run.scalar_atomics = true;
    harness_code(&h, code.data, code.size);
    enum cy_stop stop = cy_warp_run(&h.warp, 100000000);
    if (stop != CY_STOP_FAULT || h.warp.fault.kind != CY_FAULT_ILLEGAL || h.warp.fault.word != ECALL) {
        struct cy_buf text = {0};
        struct cy_insn insn = {0};
        if (cy_decode_word(target, h.warp.fault.word, &insn))
            cy_print(&text, target, &insn, h.warp.fault.pc, 0);
        fprintf(stderr, "stopped by %d, fault %d at %#x (%.*s), address %#llx\n", stop, h.warp.fault.kind,
                h.warp.fault.pc, (int)text.size, text.data, (unsigned long long)h.warp.fault.address);
        return 1;
    }
    bool written = cy_file_write(argv[6], h.memory.base + DATA, size, false, &diags);
    harness_close(&h);
    cy_buf_free(&code);
    cy_buf_free(&data);
    cy_diags_free(&diags);
    return written ? 0 : 2;
}
