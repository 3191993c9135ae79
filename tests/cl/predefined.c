/* The macros that programs ask for extensions and features say the same as the device. */
#include "cl_test.h"

#include <string.h>

/* Every name that clang knows of; the device's lists say which of them are defined. */
static const char *const extensions[] = {
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_byte_addressable_store",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_3d_image_writes",
    "cl_khr_depth_images",
    "cl_khr_gl_depth_images",
    "cl_khr_gl_msaa_sharing",
    "cl_khr_mipmap_image",
    "cl_khr_mipmap_image_writes",
    "cl_khr_srgb_image_writes",
    "cl_khr_select_fprounding_mode",
    "cl_khr_device_enqueue_local_arg_types",
    "cles_khr_int64",
    "cl_khr_subgroup_named_barrier",
    "cl_khr_subgroups",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_extended_async_copies",
    "cl_khr_extended_bit_ops",
    "cl_khr_integer_dot_product",
    "cl_khr_kernel_clock",
    "cl_ext_float_atomics",
    "cl_intel_required_subgroup_size",
};
static const char *const features[] = {
    "__opencl_c_3d_image_writes",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_device_enqueue",
    "__opencl_c_fp64",
    "__opencl_c_images",
    "__opencl_c_int64",
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "__opencl_c_pipes",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
};

static void define(const char *macro, const char *condition, const char *options)
{
    char source[256];
    snprintf(source, sizeof(source), "#if !(%s)\n#error %s\n#endif\nkernel void k(void) {}\n", condition, macro);
    cl_program program = build(source, options);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
}

/* Builds a program that has an error for each macro which is defined and should not be, or the other way round. */
static void compare(const char *const *names, size_t count, const char *have, const char *options)
{
    char *source = malloc(256 * count + 64), *end = source;
    for (size_t i = 0; i < count; i++) {
        char word[128];
        snprintf(word, sizeof(word), " %s ", names[i]);
        end += sprintf(end, "#if%s %s\n#error %s\n#endif\n", strstr(have, word) ? "ndef" : "def", names[i], names[i]);
    }
    strcpy(end, "kernel void k(void) {}\n");
    cl_program program = build(source, options);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    free(source);
}

static void test_extensions(void)
{
    char text[2048] = " ", option[32];
    cl_name_version list[8];
    size_t size = 0;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof(text) - 2, text + 1, NULL), CL_SUCCESS);
    strcat(text, " ");
    compare(extensions, sizeof(extensions) / sizeof(*extensions), text, "");
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof(list), list, &size), CL_SUCCESS);
    CHECK(size / sizeof(*list) >= 4); /* 1.0, 1.1, 1.2, 3.0 */
    for (size_t i = 0; i < size / sizeof(*list); i++) {
        snprintf(option, sizeof(option), "-cl-std=CL%u.%u", CL_VERSION_MAJOR(list[i].version),
                 CL_VERSION_MINOR(list[i].version));
        compare(extensions, sizeof(extensions) / sizeof(*extensions), text, option);
    }
    cl_program depth = build("kernel void k(read_only image2d_depth_t i, sampler_t s, global float *o)\n"
                             "{ *o = read_imagef(i, s, (int2)(0, 0)); }\n",
                             "-cl-std=CL1.1");
    CHECK_EQ(clReleaseProgram(depth), CL_SUCCESS);
}

static void test_features(void)
{
    char text[4096] = " ";
    cl_name_version list[64];
    size_t size = 0;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof(list), list, &size), CL_SUCCESS);
    for (size_t i = 0; i < size / sizeof(*list); i++) {
        strcat(text, list[i].name);
        strcat(text, " ");
    }
    compare(features, sizeof(features) / sizeof(*features), text, "-cl-std=CL3.0");
}

static void test_versions(void)
{
    cl_bool images;
    CHECK_EQ(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(images), &images, NULL), CL_SUCCESS);
    define("image support", images ? "__IMAGE_SUPPORT__ == 1" : "!defined __IMAGE_SUPPORT__", "");
    define("device version", "__OPENCL_VERSION__ == 300", "");
    define("default language", "__OPENCL_C_VERSION__ == 120", "");
    define("language", "__OPENCL_C_VERSION__ == 300", "-cl-std=CL3.0");
    define("byte order", "__ENDIAN_LITTLE__ == 1", "");
    define("profile", "!defined __EMBEDDED_PROFILE__", "");
    define("fast math", "!defined __FAST_RELAXED_MATH__", "");
    define("fast math", "__FAST_RELAXED_MATH__ == 1", "-cl-fast-relaxed-math");
}

int main(void)
{
    set_up(0);
    test_extensions();
    test_features();
    test_versions();
    tear_down();
    return test_finish();
}
