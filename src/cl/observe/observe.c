/* What the tools keep with a launch. */
#include "cl/observe/observe_priv.h"

struct cy_cl_watched *cy_cl_watched(cl_event event, size_t argument_count)
{
    struct cy_cl_command *command = &event->command;
    if (command->watched)
        return command->watched;
    command->watched =
        cy_try_alloc(sizeof(*command->watched) + argument_count * sizeof(command->watched->arguments[0]));
    if (command->watched)
        command->watched->cycles = UINT64_MAX;
    return command->watched;
}
