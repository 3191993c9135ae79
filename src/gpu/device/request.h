/* What would be translated for a launch (jit/abi.h), without running it. */
#ifndef CY_GPU_DEVICE_REQUEST_H
#define CY_GPU_DEVICE_REQUEST_H

#include "base/mem.h"
#include "chengying/device.h"

/* Appends the request and the code.  The launch is checked like any other; what it counts is part of the request. */
enum cy_status cy_launch_request(struct cy_device *device, const struct cy_launch_desc *desc, struct cy_buf *request,
                                 char **message);

#endif
