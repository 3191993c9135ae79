/* Small objects for the tests of this directory. */
#ifndef CY_TESTS_OBJ_BUILD_H
#define CY_TESTS_OBJ_BUILD_H

#include "obj/obj.h"

/* A section with `size` bytes of contents (or of nothing, for CY_SHT_NOBITS); its number as symbols use it. */
uint32_t build_section(struct cy_object *object, const char *name, uint32_t type, uint32_t flags, uint32_t address,
                       const void *bytes, uint32_t size);
void build_symbol(struct cy_object *object, const char *name, uint32_t section, uint32_t value, uint8_t binding,
                  uint8_t type);
void build_reloc(struct cy_object *object, uint32_t section, uint32_t offset, uint32_t type, uint32_t symbol,
                 int32_t addend);

/* An object with two sections with contents, one without, relocations and symbols of every kind. */
void build_relocatable(struct cy_object *object);
/* An executable with code, constants, data and bss. */
void build_executable(struct cy_object *object);

#endif
