#!/usr/bin/env python3
"""pyopencl on our platform: arrays, elementwise kernels, reductions and scans against numpy."""
from client import on_our_platform

on_our_platform()
import numpy as np
import pyopencl as cl
import pyopencl.array as cla
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import ExclusiveScanKernel, InclusiveScanKernel

context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
assert context.devices[0].name.startswith("Chengying Ventus")

numbers = np.arange(5000, dtype=np.int32) * 7919 % 1000
floats = (numbers / 16).astype(np.float32)
device_numbers = cla.to_device(queue, numbers)
device_floats = cla.to_device(queue, floats)

# arrays
assert ((2 * device_numbers + 1).get() == 2 * numbers + 1).all()
assert (cla.arange(queue, 1000, dtype=np.int32).get() == np.arange(1000)).all()
assert np.allclose((device_floats * device_floats - device_floats).get(), floats * floats - floats)
assert (cla.to_device(queue, numbers)[100:200].get() == numbers[100:200]).all()
assert cla.sum(device_numbers).get() == numbers.sum()
assert cla.max(device_floats).get() == floats.max()
assert cla.min(device_numbers).get() == numbers.min()
assert np.isclose(cla.dot(device_floats, device_floats).get(), np.dot(floats.astype(np.float64), floats), rtol=1e-5)

# elementwise
scale = ElementwiseKernel(context, "float *x, float *y, float s", "y[i] = s * x[i] * x[i]", "scale")
result = cla.empty_like(device_floats)
scale(device_floats, result, np.float32(3))
assert np.allclose(result.get(), 3 * floats * floats)

# reductions
squares = ReductionKernel(context, np.int32, neutral="0", reduce_expr="a+b", map_expr="x[i]*x[i]",
                          arguments="__global int *x")
for count in (1, 31, 257, 5000):
    assert squares(cla.to_device(queue, numbers[:count])).get() == (numbers[:count] ** 2).sum()

# scans
for count in (1, 100, 5000):
    scanned = cla.to_device(queue, numbers[:count].copy())
    InclusiveScanKernel(context, np.int32, "a+b", neutral="0")(scanned)
    assert (scanned.get() == np.cumsum(numbers[:count])).all()
    scanned = cla.to_device(queue, numbers[:count].copy())
    ExclusiveScanKernel(context, np.int32, "a+b", neutral="0")(scanned)
    assert (scanned.get() == np.cumsum(numbers[:count]) - numbers[:count]).all()

print("pyopencl", cl.VERSION_TEXT, "on", context.devices[0].name, "- everything as numpy has it")
