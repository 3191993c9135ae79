/* cl_khr_extended_async_copies: lines and planes of elements of every size, both ways, with gaps that stay as they are; on both
 * devices (the second by CHENGYING_DEVICES), next to the same copy on the host. */
#include "cl_test.h"

#include "support/xorshift.h"

#include <string.h>

enum { ROOM = 4096, GROUPS = 3 };

static const char source[] =
    "kernel void in(global const uchar *from, global uchar *to, local uchar *room, uint size, uint elements, uint "
    "lines,\n"
    "               uint planes, uint4 of, uint4 at)\n"
    "{\n"
    "    for (uint i = get_local_id(0); i < ROOM; i += get_local_size(0))\n"
    "        room[i] = to[get_group_id(0) * ROOM + i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    from += get_group_id(0) * ROOM;\n"
    "    event_t e = planes ? async_work_group_copy_3D3D(room, at.x, from, of.x, size, elements, lines, planes,\n"
    "                                                    of.y, of.z, at.y, at.z, 0)\n"
    "                       : async_work_group_copy_2D2D(room, at.x, from, of.x, size, elements, lines, of.y, at.y, "
    "0);\n"
    "    wait_group_events(1, &e);\n"
    "    for (uint i = get_local_id(0); i < ROOM; i += get_local_size(0))\n"
    "        to[get_group_id(0) * ROOM + i] = room[i];\n"
    "}\n"
    "kernel void out(global const uchar *from, global uchar *to, local uchar *room, uint size, uint elements, uint "
    "lines,\n"
    "                uint planes, uint4 of, uint4 at)\n"
    "{\n"
    "    for (uint i = get_local_id(0); i < ROOM; i += get_local_size(0))\n"
    "        room[i] = from[get_group_id(0) * ROOM + i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    to += get_group_id(0) * ROOM;\n"
    "    event_t e = planes ? async_work_group_copy_3D3D(to, at.x, room, of.x, size, elements, lines, planes,\n"
    "                                                    of.y, of.z, at.y, at.z, 0)\n"
    "                       : async_work_group_copy_2D2D(to, at.x, room, of.x, size, elements, lines, of.y, at.y, 0);\n"
    "    wait_group_events(1, &e);\n"
    "}\n";

/* Where the elements are, in elements: the first one, and the distances of lines and planes. */
struct layout {
    cl_uint offset, line, plane, none;
};

struct copy {
    cl_uint size, elements, lines, planes; /* planes 0: the form with two dimensions */
    struct layout from, to;
};

static unsigned char from[GROUPS * ROOM], to[GROUPS * ROOM], expected[GROUPS * ROOM];

static cl_uint below(cl_uint limit)
{
    return (cl_uint)(random_bits() % limit);
}

static struct layout random_layout(const struct copy *c)
{
    struct layout l = {.offset = below(5)};
    l.line = c->elements + below(4);
    l.plane = l.line * c->lines + below(4);
    return l;
}

static struct copy random_copy(void)
{
    static const cl_uint sizes[] = {1, 2, 3, 4, 8, 12, 16, 32};
    struct copy c = {.size = sizes[below(8)]};
    c.planes = below(4);
    /* ROOM holds it: 32 * (4 + 3 * (4 * (5 + 3) + 3)) < 4096 */
    c.elements = 1 + below(5);
    c.lines = 1 + below(4);
    c.from = random_layout(&c);
    c.to = random_layout(&c);
    return c;
}

static size_t element(const struct copy *c, const struct layout *l, cl_uint plane, cl_uint line, cl_uint i)
{
    return (size_t)(l->offset + plane * (c->planes ? l->plane : 0) + line * l->line + i) * c->size;
}

static void on_the_host(const struct copy *c)
{
    for (unsigned g = 0; g < GROUPS; g++)
        for (cl_uint p = 0; p < (c->planes ? c->planes : 1); p++)
            for (cl_uint l = 0; l < c->lines; l++)
                for (cl_uint i = 0; i < c->elements; i++)
                    memcpy(expected + g * ROOM + element(c, &c->to, p, l, i),
                           from + g * ROOM + element(c, &c->from, p, l, i), c->size);
}

static void check(cl_kernel kernel, const struct copy *c)
{
    for (size_t i = 0; i < sizeof(from); i++) {
        from[i] = (unsigned char)random_bits();
        to[i] = (unsigned char)random_bits();
    }
    memcpy(expected, to, sizeof(to));
    on_the_host(c);
    cl_mem source_buffer = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(from), from);
    cl_mem target_buffer = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(to), to);
    CHECK_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), &source_buffer), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), &target_buffer), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 2, ROOM, NULL), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 3, sizeof(cl_uint), &c->size), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 4, sizeof(cl_uint), &c->elements), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 5, sizeof(cl_uint), &c->lines), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 6, sizeof(cl_uint), &c->planes), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 7, sizeof(struct layout), &c->from), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 8, sizeof(struct layout), &c->to), CL_SUCCESS);
    const size_t local = 1 + below(70), global = local * GROUPS;
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, target_buffer, CL_TRUE, 0, sizeof(to), to, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(memcmp(to, expected, sizeof(to)), 0);
    clReleaseMemObject(source_buffer);
    clReleaseMemObject(target_buffer);
}

static void test_lines(void)
{
    set_up(0);
    cl_program program = build(source, "-DROOM=4096");
    cl_kernel in = kernel_of(program, "in"), out = kernel_of(program, "out");
    for (unsigned i = 0; i < 60; i++) {
        struct copy c = random_copy();
        check(i % 2 ? in : out, &c);
    }
    clReleaseKernel(in);
    clReleaseKernel(out);
    clReleaseProgram(program);
    tear_down();
}

TEST_MAIN(test_lines)
