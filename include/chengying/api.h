/* What marks the functions of Chengying's C interface: everything else stays inside the shared libraries. */
#ifndef CHENGYING_API_H
#define CHENGYING_API_H

#if defined(__GNUC__)
#define CY_API __attribute__((visibility("default")))
#else
#define CY_API
#endif

#endif
