/* Shared virtual memory, on devices of generation 2: an allocation is mapped into the machines at its host address, so a
 * pointer is the same everywhere, and host and kernels see each other's writes and atomic operations at once.  That makes
 * every allocation fine-grained; mapping and migrating only keep the order of commands.  A kernel reaches nothing else of
 * the process: other addresses are not mapped in the machine, and fault. */
#include "cl/memory/memory.h"

const struct cy_cl_class cy_cl_svm_class = {.plural = "blocks of shared virtual memory"};

bool cy_cl_svm_exists(cl_context context)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (cy_cl_has_svm(context->devices[i]))
            return true;
    return false;
}

static size_t machines_of(cl_context context, struct cy_device *machines[CY_CL_MAX_DEVICES])
{
    size_t count = 0, known;
    for (cl_uint i = 0; i < context->device_count; i++) {
        struct cy_device *machine = context->devices[i]->machine;
        for (known = 0; known < count && machines[known] != machine; known++) /* parts of a device share one */
            ;
        if (cy_cl_has_svm(context->devices[i]) && known == count)
            machines[count++] = machine;
    }
    return count;
}

/* The context's lock is held. */
static struct cy_cl_svm *find(cl_context context, const void *pointer, size_t size)
{
    for (struct cy_cl_svm *svm = context->svms; svm; svm = svm->next) {
        const uintptr_t offset = (uintptr_t)pointer - (uintptr_t)svm->pointer;
        if (offset <= svm->size && size <= svm->size - offset)
            return svm;
    }
    return NULL;
}

char *cy_cl_svm_find(cl_context context, const void *pointer, size_t size)
{
    pthread_mutex_lock(&context->lock);
    const struct cy_cl_svm *svm = find(context, pointer, size);
    char *start = svm ? svm->pointer : NULL;
    pthread_mutex_unlock(&context->lock);
    return start;
}

static bool flags_valid(cl_svm_mem_flags flags)
{
    const cl_svm_mem_flags access = flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY),
                           fine = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    return !(flags & ~(access | fine)) && !(access & (access - 1)) && (flags & fine) != CL_MEM_SVM_ATOMICS;
}

/* The end of the context: whatever the application has not freed. */
static void free_all(cl_context context)
{
    struct cy_device *machines[CY_CL_MAX_DEVICES];
    const size_t count = machines_of(context, machines);
    for (struct cy_cl_svm *svm = context->svms, *next; svm; svm = next) {
        next = svm->next;
        cy_device_free_svm(machines, count, svm->pointer);
        cy_free(svm);
    }
}

/* Behind those that are there, under the context's lock. */
static void append(cl_context context, struct cy_cl_svm *svm)
{
    struct cy_cl_svm **link = &context->svms;
    while (*link)
        link = &(*link)->next;
    *link = svm;
    context->free_svms = free_all;
}

static void tell_allocated(cl_context context, const struct cy_cl_svm *svm)
{
    CY_CL_TELL(counts, &cy_cl_svm_class, 1);
    for (cl_uint i = 0; i < context->device_count; i++)
        if (cy_cl_has_svm(context->devices[i])) /* the host writes there without telling anybody */
            CY_CL_TELL(allocated, context->devices[i], (uintptr_t)svm->pointer, svm->size, true);
}

CL_API_ENTRY void *CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint align)
{
    struct cy_device *machines[CY_CL_MAX_DEVICES];
    void *pointer = NULL;
    CHECK(cy_cl_is(context, &cy_cl_context_class) && flags_valid(flags) && size && !(align & (align - 1)), NULL);
    for (cl_uint i = 0; i < context->device_count; i++)
        CHECK(!cy_cl_has_svm(context->devices[i]) ||
                  (size <= cy_cl_memory_bytes(context->devices[i]) / 2 && cy_cl_has_room(context->devices[i], size)),
              NULL);
    const size_t count = machines_of(context, machines);
    CHECK(count && cy_device_alloc_svm(machines, count, size, align, &pointer) == CY_OK, NULL);
    struct cy_cl_svm *svm = cy_try_alloc(sizeof(*svm));
    if (!svm) {
        cy_device_free_svm(machines, count, pointer);
        return NULL;
    }
    *svm = (struct cy_cl_svm){.pointer = pointer, .size = size, .is_fine = flags & CL_MEM_SVM_FINE_GRAIN_BUFFER};
    pthread_mutex_lock(&context->lock);
    append(context, svm);
    pthread_mutex_unlock(&context->lock);
    tell_allocated(context, svm);
    return pointer;
}

static void tell_freed(cl_context context, const struct cy_cl_svm *svm, bool by_host)
{
    CY_CL_TELL(frees_svm, svm->pointer, svm->size, by_host);
    CY_CL_TELL(counts, &cy_cl_svm_class, -1);
    for (cl_uint i = 0; i < context->device_count; i++)
        if (cy_cl_has_svm(context->devices[i]))
            CY_CL_TELL(freed, context->devices[i], (uintptr_t)svm->pointer);
}

void cy_cl_svm_free(cl_context context, void *pointer, bool by_host)
{
    struct cy_device *machines[CY_CL_MAX_DEVICES];
    pthread_mutex_lock(&context->lock);
    struct cy_cl_svm **link = &context->svms, *svm;
    while (*link && (*link)->pointer != pointer)
        link = &(*link)->next;
    svm = *link;
    if (svm)
        *link = svm->next;
    pthread_mutex_unlock(&context->lock);
    if (!svm)
        return;
    tell_freed(context, svm, by_host);
    cy_device_free_svm(machines, machines_of(context, machines), pointer);
    cy_free(svm);
}

CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context context, void *pointer)
{
    if (cy_cl_is(context, &cy_cl_context_class) && pointer)
        cy_cl_svm_free(context, pointer, true);
}
