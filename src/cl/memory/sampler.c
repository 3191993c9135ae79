/* Samplers. */
#include "cl/memory/memory.h"

static bool is_addressing(cl_addressing_mode mode)
{
    return mode >= CL_ADDRESS_NONE && mode <= CL_ADDRESS_MIRRORED_REPEAT;
}

static bool is_filter(cl_filter_mode filter)
{
    return filter == CL_FILTER_NEAREST || filter == CL_FILTER_LINEAR;
}

static cl_sampler create(cl_context context, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
                         cl_int *errcode_ret)
{
    CHECK_CREATE(normalized == CL_TRUE || normalized == CL_FALSE, CL_INVALID_VALUE);
    CHECK_CREATE(is_addressing(addressing) && is_filter(filter), CL_INVALID_VALUE);
    cl_sampler sampler = cy_cl_create(&cy_cl_sampler_class, sizeof(*sampler));
    CHECK_CREATE(sampler, CL_OUT_OF_HOST_MEMORY);
    sampler->context = context;
    sampler->normalized = normalized;
    sampler->addressing = addressing;
    sampler->filter = filter;
    cy_cl_retain(context);
    cy_cl_set_error(errcode_ret, CL_SUCCESS);
    return sampler;
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized,
                                                    cl_addressing_mode addressing, cl_filter_mode filter,
                                                    cl_int *errcode_ret)
{
    CHECK_CREATE(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    return create(context, normalized, addressing, filter, errcode_ret);
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context,
                                                                  const cl_sampler_properties *properties,
                                                                  cl_int *errcode_ret)
{
    cl_sampler_properties values[3] = {CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST};
    bool is_given[3] = {false};
    size_t count = 0;
    CHECK_CREATE(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    for (; properties && properties[count]; count += 2) {
        cl_sampler_properties name = properties[count];
        size_t which = name - CL_SAMPLER_NORMALIZED_COORDS;
        CHECK_CREATE(name >= CL_SAMPLER_NORMALIZED_COORDS && name <= CL_SAMPLER_FILTER_MODE, CL_INVALID_VALUE);
        CHECK_CREATE(!is_given[which], CL_INVALID_VALUE);
        is_given[which] = true;
        values[which] = properties[count + 1];
    }
    count += properties != NULL; /* the closing 0 */
    cl_sampler_properties *copy = count ? cy_try_alloc(count * sizeof(*copy)) : NULL;
    CHECK_CREATE(copy || !count, CL_OUT_OF_HOST_MEMORY);
    if (count)
        memcpy(copy, properties, count * sizeof(*copy));
    cl_sampler sampler =
        create(context, (cl_bool)values[0], (cl_addressing_mode)values[1], (cl_filter_mode)values[2], errcode_ret);
    if (!sampler) {
        cy_free(copy);
        return NULL;
    }
    sampler->properties = copy;
    sampler->property_count = count;
    return sampler;
}

static void destroy(void *object)
{
    cl_sampler sampler = object;
    cy_free(sampler->properties);
    cy_cl_release(sampler->context);
}

const struct cy_cl_class cy_cl_sampler_class = {.plural = "samplers", .destroy = destroy, .is_argument = true};
CY_CL_COUNTED(Sampler, cl_sampler, cy_cl_sampler_class, CL_INVALID_SAMPLER)

uint32_t cy_cl_sampler_word(cl_sampler sampler)
{
    static const uint32_t addressing[] = {0, 2, 4, 6, 8}; /* none, to the edge, clamp, repeat, mirrored */
    return (sampler->normalized ? 1 : 0) | addressing[sampler->addressing - CL_ADDRESS_NONE] |
           (sampler->filter == CL_FILTER_LINEAR ? 0x20u : 0x10u);
}

CL_API_ENTRY cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, size_t size, void *value,
                                                 size_t *size_ret)
{
    CHECK(cy_cl_is(sampler, &cy_cl_sampler_class), CL_INVALID_SAMPLER);
    switch (name) {
    case CL_SAMPLER_REFERENCE_COUNT: INFO(cl_uint, atomic_load(&sampler->object.references));
    case CL_SAMPLER_CONTEXT: INFO(cl_context, sampler->context);
    case CL_SAMPLER_NORMALIZED_COORDS: INFO(cl_bool, sampler->normalized);
    case CL_SAMPLER_ADDRESSING_MODE: INFO(cl_addressing_mode, sampler->addressing);
    case CL_SAMPLER_FILTER_MODE: INFO(cl_filter_mode, sampler->filter);
    case CL_SAMPLER_PROPERTIES: INFO_DATA(sampler->properties, sampler->property_count * sizeof(*sampler->properties));
    default: return CL_INVALID_VALUE;
    }
}
