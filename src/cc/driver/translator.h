/* A device's translator (chengying/device.h) that is the compile server, or the cache. */
#ifndef CY_CC_DRIVER_TRANSLATOR_H
#define CY_CC_DRIVER_TRANSLATOR_H

#include "cc/driver/driver.h"
#include "chengying/device.h"

/* The driver and what it points to are kept, and stay: translations may outlive the device. */
struct cy_translator cc_translator(struct cc_driver *driver);

#endif
