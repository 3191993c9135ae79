#!/usr/bin/env python3
"""CLBlast's iHAMAX, the index of the largest of halves, against numpy: its own test program cannot compare it."""
import ctypes

from client import on_our_platform

on_our_platform()
import numpy as np
import pyopencl as cl

blas = ctypes.CDLL("libclblast.so.1")
context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
random = np.random.default_rng(3)
for n, step in ((7, 1), (7, 2), (93, 7), (144, 1), (4096, 1), (4096, 2), (4096, 7)):
    x = random.standard_normal(n * step).astype(np.float16)
    buffer = cl.Buffer(context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
    found = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4)
    handle = ctypes.c_void_p(queue.int_ptr)
    size = ctypes.c_size_t
    status = blas.CLBlastiHamax(size(n), ctypes.c_void_p(found.int_ptr), size(0), ctypes.c_void_p(buffer.int_ptr), size(0),
                                size(step), ctypes.byref(handle), None)
    assert status == 0, status
    index = np.zeros(1, np.uint32)
    cl.enqueue_copy(queue, index, found)
    largest = np.abs(x[::step]).argmax() * step
    assert index[0] == largest, f"n={n} step={step}: {index[0]}, not {largest}"
print("CLBlast iHAMAX: as numpy has it")
