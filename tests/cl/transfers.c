/* Random transfers: writes, fills, copies, maps and kernels on buffers and parts of them, in queues of both kinds,
 * compared with arrays on the host. */
#include "cl_test.h"

enum { ROOTS = 3, VIEWS = 3 * ROOTS, STEPS = 120, ROUNDS = 60 };

/* A buffer (part 0 of its root) or a sub-buffer; `model` is what it should hold. */
struct view {
    cl_mem mem;
    unsigned char *model;
    size_t size;
    int root;
};

/* The memory of the host that a command reads or writes, until the queue is finished; `want` is what it should hold. */
struct block {
    unsigned char *data, *want;
    size_t size;
};

static cl_kernel add;
static cl_command_queue own;
static struct view views[VIEWS];
static struct block blocks[STEPS];
static size_t block_count;
static cl_event last; /* every command waits for the one before it */
static uint64_t state;

static size_t pick(size_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % below;
}

static void scatter(unsigned char *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        data[i] = (unsigned char)pick(256);
}

static struct block *new_block(size_t size)
{
    struct block *block = &blocks[block_count++];
    *block = (struct block){malloc(size), malloc(size), size};
    scatter(block->data, size);
    memcpy(block->want, block->data, size);
    return block;
}

static void check_blocks(void)
{
    for (size_t i = 0; i < block_count; i++) {
        CHECK(memcmp(blocks[i].data, blocks[i].want, blocks[i].size) == 0);
        free(blocks[i].data);
        free(blocks[i].want);
    }
    block_count = 0;
}

/* A place in a view: sometimes a few bytes, sometimes much of it. */
static size_t place(const struct view *view, size_t *size)
{
    size_t offset = pick(view->size);
    *size = 1 + pick(view->size - offset);
    if (pick(2) && *size > 64)
        *size = 64;
    return offset;
}

static cl_event write_or_read(struct view *view, cl_bool blocking)
{
    size_t size, offset = place(view, &size);
    struct block *block = new_block(size);
    cl_event event = NULL;
    if (pick(2)) {
        CHECK_EQ(clEnqueueWriteBuffer(own, view->mem, blocking, offset, size, block->data, 1, &last, &event),
                 CL_SUCCESS);
        memcpy(view->model + offset, block->data, size);
    } else {
        CHECK_EQ(clEnqueueReadBuffer(own, view->mem, blocking, offset, size, block->data, 1, &last, &event),
                 CL_SUCCESS);
        memcpy(block->want, view->model + offset, size);
    }
    return event;
}

static void pick_each(size_t *out, const size_t *below)
{
    for (unsigned i = 0; i < 3; i++)
        out[i] = pick(below[i]);
}

/* Rows in layers: the pitches of the two sides differ. */
static cl_event rectangle(struct view *view, cl_bool blocking)
{
    size_t region[3], at[3], host_at[3];
    pick_each(region, (size_t[]){20, 6, 3});
    for (unsigned i = 0; i < 3; i++)
        region[i]++;
    pick_each(at, (size_t[]){5, 3, 2});
    size_t row = region[0] + at[0] + pick(10), layer = row * (region[1] + pick(3));
    pick_each(host_at, (size_t[]){4, 2, 2});
    size_t host_row = region[0] + host_at[0] + pick(7), host_layer = host_row * (region[1] + pick(3));
    size_t end = (at[2] + region[2]) * layer + (at[1] + region[1]) * row;
    bool is_write = pick(2);
    cl_event event = NULL;
    if (end > view->size)
        return NULL;
    struct block *block = new_block((host_at[2] + region[2]) * host_layer + (host_at[1] + region[1]) * host_row);
    for (size_t z = 0; z < region[2]; z++) {
        for (size_t y = 0; y < region[1]; y++) {
            unsigned char *there = view->model + (at[2] + z) * layer + (at[1] + y) * row + at[0];
            size_t here = (host_at[2] + z) * host_layer + (host_at[1] + y) * host_row + host_at[0];
            if (is_write)
                memcpy(there, block->data + here, region[0]);
            else
                memcpy(block->want + here, there, region[0]);
        }
    }
    if (is_write)
        CHECK_EQ(clEnqueueWriteBufferRect(own, view->mem, blocking, at, host_at, region, row, layer, host_row,
                                          host_layer, block->data, 1, &last, &event),
                 CL_SUCCESS);
    else
        CHECK_EQ(clEnqueueReadBufferRect(own, view->mem, blocking, at, host_at, region, row, layer, host_row,
                                         host_layer, block->data, 1, &last, &event),
                 CL_SUCCESS);
    return event;
}

static cl_event copy(struct view *from)
{
    struct view *to = &views[pick(VIEWS)];
    size_t size, at = place(from, &size), to_at = pick(to->size);
    cl_event event = NULL;
    if (size > to->size - to_at)
        size = to->size - to_at;
    const unsigned char *a = from->model + at, *b = to->model + to_at;
    bool overlap = from->root == to->root && a < b + size && b < a + size;
    CHECK_EQ(clEnqueueCopyBuffer(own, from->mem, to->mem, at, to_at, size, 1, &last, &event),
             overlap ? CL_MEM_COPY_OVERLAP : CL_SUCCESS);
    if (!overlap)
        memcpy(to->model + to_at, from->model + at, size);
    return event;
}

static cl_event fill(struct view *view)
{
    unsigned char pattern[128];
    size_t width = (size_t)1 << pick(8), at = pick(view->size) / width * width, places = (view->size - at) / width;
    cl_event event = NULL;
    if (!places)
        return NULL;
    size_t size = (1 + pick(places)) * width;
    scatter(pattern, width);
    CHECK_EQ(clEnqueueFillBuffer(own, view->mem, pattern, width, at, size, 1, &last, &event), CL_SUCCESS);
    for (size_t i = 0; i < size; i++)
        view->model[at + i] = pattern[i % width];
    return event;
}

static cl_event map(struct view *view, cl_bool blocking)
{
    static const cl_map_flags kinds[] = {CL_MAP_READ, CL_MAP_READ | CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION};
    cl_map_flags flags = kinds[pick(3)];
    size_t size, at = place(view, &size);
    cl_event mapped = NULL, event = NULL;
    cl_int error;
    unsigned char *data = clEnqueueMapBuffer(own, view->mem, blocking, flags, at, size, 1, &last, &mapped, &error);
    CHECK_EQ(error, CL_SUCCESS);
    if (!blocking)
        CHECK_EQ(clWaitForEvents(1, &mapped), CL_SUCCESS);
    if (flags & CL_MAP_READ)
        CHECK(memcmp(data, view->model + at, size) == 0);
    if (flags != CL_MAP_READ) {
        scatter(data, size);
        memcpy(view->model + at, data, size);
    }
    CHECK_EQ(clEnqueueUnmapMemObject(own, view->mem, data, 1, &mapped, &event), CL_SUCCESS);
    clReleaseEvent(mapped);
    return event;
}

static cl_event compute(struct view *view)
{
    size_t size, at = place(view, &size);
    cl_uint from = (cl_uint)at, step = (cl_uint)pick(256);
    cl_event event = NULL;
    clSetKernelArg(add, 0, sizeof(view->mem), &view->mem);
    clSetKernelArg(add, 1, sizeof(from), &from);
    clSetKernelArg(add, 2, sizeof(step), &step);
    CHECK_EQ(clEnqueueNDRangeKernel(own, add, 1, NULL, &size, NULL, 1, &last, &event), CL_SUCCESS);
    for (size_t i = 0; i < size; i++)
        view->model[at + i] = (unsigned char)(view->model[at + i] + step + i);
    return event;
}

static cl_event step(void)
{
    struct view *view = &views[pick(VIEWS)];
    cl_bool blocking = pick(3) == 0;
    switch (pick(6)) {
    case 0: return write_or_read(view, blocking);
    case 1: return rectangle(view, blocking);
    case 2: return copy(view);
    case 3: return fill(view);
    case 4: return map(view, blocking);
    default: return compute(view);
    }
}

static void test_round(unsigned round)
{
    static const cl_mem_flags kinds[ROOTS] = {CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR,
                                              CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR};
    unsigned char *models[ROOTS], *hosts[ROOTS];
    cl_int error;
    state = round;
    own = clCreateCommandQueue(context, device, round % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error);
    for (int i = 0; i < ROOTS; i++) {
        struct view *root = &views[3 * i];
        size_t size = 256 + pick(i ? 4000 : 100000);
        models[i] = malloc(size);
        hosts[i] = malloc(size);
        scatter(models[i], size);
        memcpy(hosts[i], models[i], size);
        root[0] = (struct view){buffer_of(kinds[i], size, hosts[i]), models[i], size, i};
        for (int part = 1; part < 3; part++) {
            cl_buffer_region region = {pick(size / 128) * 128, 0};
            region.size = 1 + pick(size - region.origin);
            cl_mem mem = clCreateSubBuffer(root[0].mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
            CHECK_EQ(error, CL_SUCCESS);
            root[part] = (struct view){mem, models[i] + region.origin, region.size, i};
        }
    }
    CHECK_EQ(clEnqueueMarkerWithWaitList(own, 0, NULL, &last), CL_SUCCESS);
    for (int i = 0; i < STEPS; i++) {
        cl_event event = step();
        if (event) {
            clReleaseEvent(last);
            last = event;
        }
    }
    CHECK_EQ(clFinish(own), CL_SUCCESS);
    clReleaseEvent(last);
    check_blocks();
    for (int i = 0; i < ROOTS; i++) {
        size_t size = views[3 * i].size;
        unsigned char *got = malloc(size);
        CHECK_EQ(clEnqueueReadBuffer(own, views[3 * i].mem, CL_TRUE, 0, size, got, 0, NULL, NULL), CL_SUCCESS);
        CHECK(memcmp(got, models[i], size) == 0);
        free(got);
    }
    for (int i = 0; i < VIEWS; i++)
        clReleaseMemObject(views[i].mem);
    clReleaseCommandQueue(own);
    for (int i = 0; i < ROOTS; i++) {
        free(models[i]);
        free(hosts[i]);
    }
}

int main(void)
{
    set_up(0);
    cl_program program = build("kernel void add(global uchar *data, uint from, uint step) {\n"
                               "    uint i = get_global_id(0);\n"
                               "    data[from + i] += (uchar)(step + i);\n"
                               "}\n",
                               NULL);
    add = kernel_of(program, "add");
    for (unsigned round = 0; round < ROUNDS && !test_counts.failed; round++) {
        test_round(round);
        if (test_counts.failed)
            fprintf(stderr, "in round %u\n", round);
    }
    clReleaseKernel(add);
    clReleaseProgram(program);
    tear_down();
    return test_finish();
}
