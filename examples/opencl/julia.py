#!/usr/bin/env python3
"""A Julia set with pyopencl, checked with numpy and written as PNG.

    cy exec -- python3 examples/opencl/julia.py julia.png
"""
import struct
import sys
import zlib

import numpy as np
import pyopencl as cl
import pyopencl.array

WIDTH, HEIGHT, LIMIT = 480, 320, 64
C = np.complex64(-0.8 + 0.156j)

SOURCE = """
#pragma OPENCL FP_CONTRACT OFF /* numpy does not fuse either */
kernel void julia(global uchar *counts, float2 c, int limit)
{
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1), n = 0;
    float2 z = (float2)((x - w / 2) / 150.0f, (y - h / 2) / 150.0f);
    while (n < limit && z.x * z.x + z.y * z.y < 4) {
        z = (float2)(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
        n++;
    }
    counts[y * w + x] = n;
}
"""


def julia_on_host():
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    x, y = (((i - n // 2) / np.float32(150)).astype(np.float32) for i, n in ((x, WIDTH), (y, HEIGHT)))
    counts = np.zeros((HEIGHT, WIDTH), np.uint8)
    for _ in range(LIMIT):
        inside = x * x + y * y < 4
        counts += inside
        x, y = (np.where(inside, a, b) for a, b in ((x * x - y * y + C.real, x), (2 * x * y + C.imag, y)))
    return counts


def write_png(path, pixels):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def main():
    device = cl.get_platforms()[0].get_devices()[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    counts = cl.array.zeros(queue, (HEIGHT, WIDTH), np.uint8)
    program = cl.Program(context, SOURCE).build()
    program.julia(queue, (WIDTH, HEIGHT), None, counts.data, np.array([C.real, C.imag], np.float32), np.int32(LIMIT))
    result = counts.get()
    wrong = int((result != julia_on_host()).sum())
    n = result.astype(np.uint16)[..., None]
    write_png(sys.argv[1] if len(sys.argv) > 1 else "julia.png", (n * np.array([9, 5, 3]) % 256).astype(np.uint8))
    print(f"{device.name}: {WIDTH}x{HEIGHT} pixels, {wrong} differ from numpy's")
    return 1 if wrong else 0


sys.exit(main())
