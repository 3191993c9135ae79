//! buffer where float 85528 noise
//! buffer out float 42764 zero
//! loop 4
//! launch nearest 42880 / 64 : where out 42764 30.0 90.0
typedef struct { float lat, lng; } place;
kernel void nearest(global place *where, global float *out, int n, float lat, float lng)
{
    int i = get_global_id(0);
    if (i < n) {
        global place *at = where + i;
        out[i] = sqrt((lat - at->lat) * (lat - at->lat) + (lng - at->lng) * (lng - at->lng));
    }
}
