#include "asm/listing_priv.h"
bool cy_listing_source(const struct cy_listing *listing, const struct cy_object *object, struct cy_buf *out,
                       struct cy_diags *diags)
{ (void)listing;(void)object;(void)out;(void)diags; return true; }
