/* What the host has mapped of a memory object. */
#include "cl/memory/memory.h"

static bool meet(cl_mem mem, const struct cy_cl_mapping *a, const struct cy_cl_mapping *b)
{
    if (!mem->image)
        return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
    for (int d = 0; d < 3; d++)
        if (a->rect.origin[d] >= b->rect.origin[d] + b->region[d] ||
            b->rect.origin[d] >= a->rect.origin[d] + a->region[d])
            return false;
    return true;
}

static bool writes_meet(cl_mem mem, const struct cy_cl_mapping *mapping)
{
    for (size_t i = 0; i < mem->mappings.count && (mapping->flags & cy_cl_map_writes); i++) {
        const struct cy_cl_mapping *other = &mem->mappings.at[i];
        if ((other->flags & cy_cl_map_writes) && meet(mem, mapping, other))
            return true;
    }
    return false;
}

cl_int cy_cl_mapping_add(cl_mem mem, const struct cy_cl_mapping *mapping)
{
    CHECK(!writes_meet(mem, mapping), CL_INVALID_OPERATION);
    struct cy_cl_mapping *place = cy_vec_try_push(&mem->mappings);
    CHECK(place, CL_OUT_OF_HOST_MEMORY);
    *place = *mapping;
    return CL_SUCCESS;
}

struct cy_cl_mapping cy_cl_mapping_take(cl_mem mem, const void *pointer)
{
    struct cy_cl_mapping mapping = {0};
    for (size_t i = 0; i < mem->mappings.count && !mapping.pointer; i++)
        if (mem->mappings.at[i].pointer == pointer) {
            mapping = mem->mappings.at[i];
            mem->mappings.at[i] = mem->mappings.at[--mem->mappings.count];
        }
    return mapping;
}

/* There is room: the removed one leaves it.  Unless the object has been mapped meanwhile; then it needs memory, and
 * without that the mapping is lost from the list, which only counts them. */
void cy_cl_mapping_give_back(cl_mem mem, const struct cy_cl_mapping *mapping)
{
    struct cy_cl_mapping *place = cy_vec_try_push(&mem->mappings);
    if (place)
        *place = *mapping;
}
