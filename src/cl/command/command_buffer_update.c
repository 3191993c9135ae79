/* cl_khr_command_buffer_mutable_dispatch: changes of recorded launches.  All changes of a call are made to copies, which
 * replace the originals at its end, so that a call with an error changes nothing. */
#include "cl/command/command_buffer_priv.h"

static cl_int change_sizes(cl_mutable_command_khr command, const struct cy_cl_dispatch_config *config)
{
    struct cy_cl_dispatch *staged = command->staged;
    const size_t bytes = command->dimensions * sizeof(size_t);
    CHECK(!config->work_dim || config->work_dim == command->dimensions, CL_INVALID_VALUE);
    CHECK(!config->global_work_offset || (command->updatable & CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR),
          CL_INVALID_OPERATION);
    CHECK(!config->global_work_size || (command->updatable & CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR),
          CL_INVALID_OPERATION);
    CHECK(!config->local_work_size || (command->updatable & CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR), CL_INVALID_OPERATION);
    if (config->global_work_offset)
        memcpy(staged->offset, config->global_work_offset, bytes);
    if (config->global_work_size)
        memcpy(staged->global, config->global_work_size, bytes);
    if (config->local_work_size) {
        memcpy(staged->local, config->local_work_size, bytes);
        staged->has_local = true;
    }
    cl_int error = cy_cl_check_launch(command->buffer->queue, staged->state, command->dimensions, staged->offset,
                                      staged->global, staged->has_local ? staged->local : NULL, true);
    CHECK(error == CL_SUCCESS, error);
    if (staged->has_local && (command->asserts & CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR)) {
        size_t groups = 1;
        for (cl_uint d = 0; d < command->dimensions; d++)
            groups *= (staged->global[d] + staged->local[d] - 1) / staged->local[d];
        CHECK(groups <= command->most_groups, CL_INVALID_OPERATION);
    }
    return CL_SUCCESS;
}

static cl_int change_arguments(cl_mutable_command_khr command, const struct cy_cl_dispatch_config *config)
{
    CHECK(!config->num_args == !config->arg_list, CL_INVALID_VALUE);
    CHECK(!config->num_svm_args == !config->arg_svm_list, CL_INVALID_VALUE);
    CHECK(!config->num_exec_infos == !config->exec_info_list, CL_INVALID_VALUE);
    CHECK(!config->num_args || (command->updatable & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR), CL_INVALID_OPERATION);
    CHECK(!config->num_svm_args || (command->updatable & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR), CL_INVALID_OPERATION);
    CHECK(!config->num_svm_args || cy_cl_has_svm(command->buffer->queue->device), CL_INVALID_OPERATION);
    CHECK(!config->num_exec_infos, CL_INVALID_OPERATION); /* never updatable */
    for (cl_uint i = 0; i < config->num_svm_args; i++) {
        const cl_mutable_dispatch_arg_khr *arg = &config->arg_svm_list[i];
        cl_int error = clSetKernelArgSVMPointer(command->staged->state, arg->arg_index, arg->arg_value);
        CHECK(error == CL_SUCCESS, error);
    }
    for (cl_uint i = 0; i < config->num_args; i++) {
        const cl_mutable_dispatch_arg_khr *arg = &config->arg_list[i];
        cl_int error = clSetKernelArg(command->staged->state, arg->arg_index, arg->arg_size, arg->arg_value);
        CHECK(error == CL_SUCCESS, error);
    }
    return CL_SUCCESS;
}

/* The buffer's lock is held. */
static cl_int stage(cl_command_buffer_khr buffer, const struct cy_cl_dispatch_config *config)
{
    CHECK(config, CL_INVALID_VALUE);
    cl_mutable_command_khr command = config->command;
    CHECK(cy_cl_is(command, &cy_cl_mutable_command_class) && command->buffer == buffer && command->dispatch,
          CL_INVALID_MUTABLE_COMMAND_KHR);
    if (!command->staged)
        command->staged = cy_cl_dispatch_clone(command->dispatch);
    CHECK(command->staged, CL_OUT_OF_HOST_MEMORY);
    cl_int error = change_arguments(command, config);
    CHECK(error == CL_SUCCESS, error);
    return change_sizes(command, config);
}

/* Retains what the changed arguments refer to; the original's references end with it. */
static bool retain_staged(cl_command_buffer_khr buffer)
{
    for (size_t i = 0; i < buffer->commands.count; i++) {
        struct cy_cl_dispatch *staged = buffer->commands.at[i]->staged;
        if (!staged)
            continue;
        for (size_t j = 0; j < staged->mems.count; j++)
            cy_cl_release(staged->mems.at[j]);
        staged->mems.count = 0;
        if (!cy_cl_dispatch_retain(staged))
            return false;
    }
    return true;
}

static cl_int CL_API_CALL update_commands(cl_command_buffer_khr buffer, cl_uint config_count,
                                          const cl_command_buffer_update_type_khr *types, const void **configs)
{
    CHECK(cy_cl_is(buffer, &cy_cl_command_buffer_class), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK(buffer->flags & CL_COMMAND_BUFFER_MUTABLE_KHR, CL_INVALID_OPERATION);
    CHECK(!config_count == !types && !config_count == !configs, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < config_count; i++)
        CHECK(types[i] == CY_CL_UPDATE_DISPATCH, CL_INVALID_VALUE);
    struct cy_cl_dispatch *dropped = NULL;
    pthread_mutex_lock(&buffer->lock);
    cl_int error = buffer->is_finalized ? CL_SUCCESS : CL_INVALID_OPERATION;
    for (cl_uint i = 0; error == CL_SUCCESS && i < config_count; i++)
        error = stage(buffer, configs[i]);
    if (error == CL_SUCCESS && !retain_staged(buffer))
        error = CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < buffer->commands.count; i++) {
        cl_mutable_command_khr command = buffer->commands.at[i];
        if (!command->staged)
            continue;
        struct cy_cl_dispatch *old = error == CL_SUCCESS ? command->dispatch : command->staged;
        if (error == CL_SUCCESS)
            command->dispatch = command->staged;
        command->staged = NULL;
        old->next = dropped;
        dropped = old;
    }
    pthread_mutex_unlock(&buffer->lock);
    while (dropped) { /* may call destructors of the application */
        struct cy_cl_dispatch *next = dropped->next;
        cy_cl_dispatch_free(dropped);
        dropped = next;
    }
    return error;
}

static cl_int CL_API_CALL mutable_command_info(cl_mutable_command_khr command, cl_mutable_command_info_khr name,
                                               size_t size, void *value, size_t *size_ret)
{
    size_t offset[3], global[3], local[3];
    CHECK(cy_cl_is(command, &cy_cl_mutable_command_class), CL_INVALID_MUTABLE_COMMAND_KHR);
    const size_t bytes = command->dimensions * sizeof(size_t);
    pthread_mutex_lock(&command->buffer->lock);
    memcpy(offset, command->dispatch->offset, sizeof(offset));
    memcpy(global, command->dispatch->global, sizeof(global));
    memcpy(local, command->dispatch->local, sizeof(local)); /* zeros: left to us */
    pthread_mutex_unlock(&command->buffer->lock);
    switch (name) {
    case CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR: INFO(cl_command_queue, command->buffer->queue);
    case CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR: INFO(cl_command_buffer_khr, command->buffer);
    case CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR: INFO(cl_command_type, command->type);
    case CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR:
        INFO_DATA(command->properties, command->property_count * sizeof(*command->properties));
    case CL_MUTABLE_DISPATCH_KERNEL_KHR: INFO(cl_kernel, command->kernel);
    case CL_MUTABLE_DISPATCH_DIMENSIONS_KHR: INFO(cl_uint, command->dimensions);
    case CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR: INFO_DATA(offset, bytes);
    case CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR: INFO_DATA(global, bytes);
    case CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR: INFO_DATA(local, bytes);
    default: return CL_INVALID_VALUE;
    }
}

const struct cy_cl_entry_point cy_cl_mutable_functions[] = {
    {"clUpdateMutableCommandsKHR", (cy_cl_function)update_commands},
    {"clGetMutableCommandInfoKHR", (cy_cl_function)mutable_command_info},
    {NULL, NULL},
};
