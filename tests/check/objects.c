/* Images and shared virtual memory under `cy check`: `objects wrong_NAME` does something wrong, `objects right_NAME` is the
 * same program mended. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 8, HEIGHT = 4, LAYERS = 2, TEXELS = WIDTH * HEIGHT * LAYERS };

struct scenario {
    const char *name;
    const char *wrong, *right; /* statements of the kernel */
    cl_mem_object_type type;   /* of the images; 0: buffers of shared virtual memory */
    int is_unwritten;          /* the wrong one's image has no contents */
};

#define P2 "int2 p = (int2)(get_global_id(0), get_global_id(1)); "
static const struct scenario scenarios[] = {
    {"write", P2 "write_imagef(out, p + (int2)(0, 1), 1);", P2 "write_imagef(out, p, 1);", CL_MEM_OBJECT_IMAGE2D, 0},
    {"write_negative", P2 "write_imagef(out, p - 1, 1);", P2 "if (p.x > 0 && p.y > 0) write_imagef(out, p - 1, 1);",
     CL_MEM_OBJECT_IMAGE2D, 0},
    {"read_none", P2 "write_imagef(out, p, read_imagef(in, none, p + (int2)(1, 0)));",
     P2 "write_imagef(out, p, read_imagef(in, edge, p + (int2)(1, 0)));", CL_MEM_OBJECT_IMAGE2D, 0},
    {"read_none_float", P2 "write_imagef(out, p, read_imagef(in, none, convert_float2(p) - 0.5f));",
     P2 "write_imagef(out, p, read_imagef(in, none, convert_float2(p) + 0.5f));", CL_MEM_OBJECT_IMAGE2D, 0},
    {"read_no_sampler", P2 "write_imagef(out, p, read_imagef(in, p.yx));",
     P2 "write_imagef(out, p, read_imagef(in, p));", CL_MEM_OBJECT_IMAGE2D, 0},
    {"read_normalised", P2 "write_imagef(out, p, read_imagef(in, share, convert_float2(p)));",
     P2 "write_imagef(out, p, read_imagef(in, share, (convert_float2(p) + 0.5f) / (float2)(8, 4)));",
     CL_MEM_OBJECT_IMAGE2D, 0},
    {"layer", P2 "write_imagef(out, (int4)(p, 2, 0), 1);", P2 "write_imagef(out, (int4)(p, 1, 0), 1);",
     CL_MEM_OBJECT_IMAGE2D_ARRAY, 0},
    {"race", P2 "write_imagef(out, (int2)(p.x, 0), p.y);", P2 "write_imagef(out, p, p.y);", CL_MEM_OBJECT_IMAGE2D, 0},
    {"uninitialised", P2 "write_imagef(out, p, read_imagef(in, none, p));",
     P2 "write_imagef(out, p, read_imagef(in, none, p));", CL_MEM_OBJECT_IMAGE2D, 1},
    {"svm", "out[get_global_id(0)] = in[get_global_id(0) + 1];", "out[get_global_id(0)] = in[get_global_id(0)];", 0, 0},
    {"svm_race", "out[get_global_id(0) / 2] = get_global_id(0);", "out[get_global_id(0)] = get_global_id(0);", 0, 0},
    {"svm_freed", "out[get_global_id(0)] = in[get_global_id(0)];", "out[get_global_id(0)] = in[get_global_id(0)];", 0,
     0},
};

static void must(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, error);
        exit(1);
    }
}

static void make_source(char *out, size_t size, const struct scenario *s, int wrong)
{
    const char *parameters = s->type == CL_MEM_OBJECT_IMAGE2D ? "read_only image2d_t in, write_only image2d_t out"
                             : s->type ? "read_only image2d_array_t in, write_only image2d_array_t out"
                                       : "global int *in, global int *out";
    snprintf(out, size,
             "constant sampler_t none = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;\n"
             "constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
             "constant sampler_t share = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;\n"
             "kernel void k(%s)\n{\n    %s\n}\n",
             parameters, wrong ? s->wrong : s->right);
}

static cl_mem make_image(cl_context context, cl_mem_object_type type, cl_mem_flags flags, void *contents)
{
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc desc = {.image_type = type,
                                .image_width = WIDTH,
                                .image_height = HEIGHT,
                                .image_depth = 1,
                                .image_array_size = type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? LAYERS : 1};
    cl_int error;
    cl_mem made =
        clCreateImage(context, flags | (contents ? CL_MEM_COPY_HOST_PTR : 0), &format, &desc, contents, &error);
    must(error, "image");
    return made;
}

static void run_images(const struct scenario *s, int wrong, cl_context context, cl_command_queue queue,
                       cl_kernel kernel)
{
    static float texels[4 * TEXELS];
    cl_mem in = make_image(context, s->type, CL_MEM_READ_ONLY, wrong && s->is_unwritten ? NULL : texels);
    cl_mem out = make_image(context, s->type, CL_MEM_WRITE_ONLY, NULL);
    const size_t global[] = {WIDTH, HEIGHT};
    must(clSetKernelArg(kernel, 0, sizeof(in), &in), "argument");
    must(clSetKernelArg(kernel, 1, sizeof(out), &out), "argument");
    must(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL), "launch");
    must(clFinish(queue), "finish");
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static void run_shared(const struct scenario *s, int wrong, cl_context context, cl_command_queue queue,
                       cl_kernel kernel)
{
    const size_t bytes = 64 * sizeof(int);
    int *in = clSVMAlloc(context, CL_MEM_READ_WRITE, bytes, 0), *out = clSVMAlloc(context, CL_MEM_READ_WRITE, bytes, 0);
    if (!in || !out)
        must(CL_OUT_OF_RESOURCES, "shared virtual memory");
    memset(in, 0, bytes);
    must(clSetKernelArgSVMPointer(kernel, 0, in), "argument");
    must(clSetKernelArgSVMPointer(kernel, 1, out), "argument");
    if (wrong && !strcmp(s->name, "svm_freed")) {
        clSVMFree(context, in);
        in = NULL;
    }
    must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &(size_t){64}, NULL, 0, NULL, NULL), "launch");
    must(clFinish(queue), "finish");
    clSVMFree(context, in);
    clSVMFree(context, out);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "", *what = strchr(name, '_') ? strchr(name, '_') + 1 : name;
    const int wrong = strncmp(name, "wrong_", 6) == 0;
    const struct scenario *s = NULL;
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
        if (!strcmp(scenarios[i].name, what))
            s = &scenarios[i];
    if (!s) {
        fprintf(stderr, "no scenario '%s'\n", name);
        return 1;
    }
    char text[2048];
    const char *source = text;
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    make_source(text, sizeof(text), s, wrong);
    must(clGetPlatformIDs(1, &platform, NULL), "platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error, "context");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    must(error, "queue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    must(error, "program");
    error = clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(text), text, NULL);
    must(error, text);
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    must(error, "kernel");
    (s->type ? run_images : run_shared)(s, wrong, context, queue, kernel);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
