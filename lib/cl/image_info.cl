/* Queries of images. */
#include "image.h"

#define SIZES(type, access)                                                                                            \
    OVL int get_image_width(access type##_t i) { return (int)of(__cy_image(i), CY_IMG_WIDTH); }                        \
    OVL int get_image_channel_data_type(access type##_t i) { return (int)of(__cy_image(i), CY_IMG_TYPE); }             \
    OVL int get_image_channel_order(access type##_t i) { return (int)of(__cy_image(i), CY_IMG_ORDER); }
COLOUR_IMAGES(ANY_ACCESS, SIZES)
DEPTH_IMAGES(ANY_ACCESS, SIZES)

#define HEIGHT(type, access)                                                                                           \
    OVL int get_image_height(access type##_t i) { return (int)of(__cy_image(i), CY_IMG_HEIGHT); }
ANY_ACCESS(HEIGHT, image2d)
ANY_ACCESS(HEIGHT, image2d_array)
ANY_ACCESS(HEIGHT, image3d)
DEPTH_IMAGES(ANY_ACCESS, HEIGHT)

#define LAYERS(type, access)                                                                                           \
    OVL size_t get_image_array_size(access type##_t i) { return of(__cy_image(i), CY_IMG_LAYERS); }
ANY_ACCESS(LAYERS, image1d_array)
ANY_ACCESS(LAYERS, image2d_array)
ANY_ACCESS(LAYERS, image2d_array_depth)

#define EXTENT2(type, access)                                                                                          \
    OVL int2 get_image_dim(access type##_t i) { return (int2)(get_image_width(i), get_image_height(i)); }
ANY_ACCESS(EXTENT2, image2d)
ANY_ACCESS(EXTENT2, image2d_array)
DEPTH_IMAGES(ANY_ACCESS, EXTENT2)

#define EXTENT3(type, access)                                                                                          \
    OVL int get_image_depth(access type##_t i) { return (int)of(__cy_image(i), CY_IMG_DEPTH); }                        \
    OVL int4 get_image_dim(access type##_t i)                                                                          \
    {                                                                                                                  \
        return (int4)(get_image_width(i), get_image_height(i), get_image_depth(i), 0);                                 \
    }
ANY_ACCESS(EXTENT3, image3d)
