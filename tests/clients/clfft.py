#!/usr/bin/env python3
"""clFFT on our platform against numpy: one to three dimensions, every radix, complex and real, in and out of place, batches.

The library is called through its C interface; pyopencl holds the buffers.
"""
import ctypes
import itertools
import sys

from client import on_our_platform

on_our_platform()
import numpy as np
import pyopencl as cl

fft = ctypes.CDLL("libclFFT.so.2")
INTERLEAVED, PLANAR, HERMITIAN, REAL = 1, 2, 3, 5
FORWARD, BACKWARD = ctypes.c_int(-1), ctypes.c_int(1)
IN_PLACE, OUT_OF_PLACE = 1, 2
SINGLE, DOUBLE = 1, 2

device = cl.get_platforms()[0].get_devices()[0]
assert device.name.startswith("Chengying Ventus")
context = cl.Context([device])
queue = cl.CommandQueue(context)


class SetupData(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint), ("minor", ctypes.c_uint), ("patch", ctypes.c_uint), ("debug", ctypes.c_ulong)]


def call(name, *arguments):
    status = getattr(fft, name)(*arguments)
    if status:
        raise RuntimeError(f"{name}: {status}")


def sizes(values):
    return (ctypes.c_size_t * len(values))(*values)


class Plan:
    """Lengths are given as numpy has them: the last one is that of neighbours in memory."""

    def __init__(self, precision, shape, batch, layouts, place, distances, strides):
        self.handle = ctypes.c_size_t()
        call("clfftCreateDefaultPlan", ctypes.byref(self.handle), ctypes.c_void_p(context.int_ptr), len(shape), sizes(shape[::-1]))
        call("clfftSetPlanPrecision", self.handle, precision)
        call("clfftSetLayout", self.handle, *layouts)
        call("clfftSetResultLocation", self.handle, place)
        call("clfftSetPlanBatchSize", self.handle, ctypes.c_size_t(batch))
        call("clfftSetPlanDistance", self.handle, *map(ctypes.c_size_t, distances))
        call("clfftSetPlanInStride", self.handle, len(shape), sizes(strides[0]))
        call("clfftSetPlanOutStride", self.handle, len(shape), sizes(strides[1]))
        self.queue = ctypes.c_void_p(queue.int_ptr)
        call("clfftBakePlan", self.handle, 1, ctypes.byref(self.queue), None, None)

    def run(self, direction, inputs, outputs=()):
        ins = (ctypes.c_void_p * 2)(*[b.int_ptr for b in inputs])
        outs = (ctypes.c_void_p * 2)(*[b.int_ptr for b in outputs]) if outputs else None
        call("clfftEnqueueTransform", self.handle, direction, 1, ctypes.byref(self.queue), 0, None, None, ins, outs, None)
        queue.finish()
        call("clfftDestroyPlan", ctypes.byref(self.handle))


def strides_of(shape):
    return [int(np.prod(shape[i + 1:])) for i in range(len(shape))][::-1]


def upload(array):
    return cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.ascontiguousarray(array))


def download(buffer, shape, dtype):
    result = np.empty(shape, dtype)
    cl.enqueue_copy(queue, result, buffer)
    return result


random = np.random.default_rng(1)


REALS = {SINGLE: np.float32, DOUBLE: np.float64}
COMPLEXES = {SINGLE: np.complex64, DOUBLE: np.complex128}


def signal(precision, batch, shape):
    return (random.standard_normal((batch, *shape)) + 1j * random.standard_normal((batch, *shape))).astype(COMPLEXES[precision])


def error_of(got, expected):
    return np.abs(got - expected).max() / np.abs(expected).max()


def complex_case(precision, shape, batch, layout, place, direction):
    x = signal(precision, batch, shape)
    axes = tuple(range(1, x.ndim))
    expected = np.fft.fftn(x, axes=axes) if direction is FORWARD else np.fft.ifftn(x, axes=axes)
    distance = int(np.prod(shape))
    plan = Plan(precision, shape, batch, (layout, layout), place, (distance, distance), (strides_of(shape),) * 2)
    parts = [x] if layout == INTERLEAVED else [x.real, x.imag]
    inputs = [upload(part) for part in parts]
    outputs = inputs if place == IN_PLACE else [upload(np.zeros_like(part)) for part in parts]
    plan.run(direction, inputs, () if place == IN_PLACE else outputs)
    if layout == INTERLEAVED:
        got = download(outputs[0], x.shape, x.dtype)
    else:
        got = download(outputs[0], x.shape, REALS[precision]) + 1j * download(outputs[1], x.shape, REALS[precision])
    return error_of(got, expected)


def real_case(precision, shape, batch):
    """Forth to half a spectrum, and back."""
    x = random.standard_normal((batch, *shape)).astype(REALS[precision])
    half = (*shape[:-1], shape[-1] // 2 + 1)
    distances = int(np.prod(shape)), int(np.prod(half))
    expected = np.fft.rfftn(x, axes=tuple(range(1, x.ndim)))
    spectrum, back = upload(np.zeros((batch, *half), COMPLEXES[precision])), upload(np.zeros_like(x))
    Plan(precision, shape, batch, (REAL, HERMITIAN), OUT_OF_PLACE, distances, (strides_of(shape), strides_of(half))).run(
        FORWARD, [upload(x)], [spectrum])
    forth = error_of(download(spectrum, (batch, *half), COMPLEXES[precision]), expected)
    Plan(precision, shape, batch, (HERMITIAN, REAL), OUT_OF_PLACE, distances[::-1], (strides_of(half), strides_of(shape))).run(
        BACKWARD, [spectrum], [back])
    return max(forth, error_of(download(back, x.shape, x.dtype), x))


def cases():
    for n in (2, 3, 5, 7, 8, 11, 13, 16, 27, 49, 60, 105, 121, 143, 625, 1024, 1155):
        yield f"1D {n}", complex_case, ((n,), 3, INTERLEAVED, OUT_OF_PLACE, FORWARD)
    for layout, place, direction in itertools.product((INTERLEAVED, PLANAR), (IN_PLACE, OUT_OF_PLACE), (FORWARD, BACKWARD)):
        for shape in ((240,), (16, 20), (4, 6, 10)):
            title = f"{shape} {'planar' if layout == PLANAR else 'interleaved'} place {place} direction {direction.value}"
            yield title, complex_case, (shape, 2, layout, place, direction)
    yield "large", complex_case, ((16384,), 1, INTERLEAVED, OUT_OF_PLACE, FORWARD)
    yield "many", complex_case, ((64,), 100, INTERLEAVED, IN_PLACE, FORWARD)
    for shape in ((8,), (30,), (1024,), (21,), (8, 12), (15, 14), (4, 6, 8)):
        yield f"real {shape}", real_case, (shape, 2)


def main():
    call("clfftSetup", ctypes.byref(SetupData(2, 12, 2, 0)))
    passed = count = 0
    for precision, (title, case, arguments) in itertools.product((SINGLE, DOUBLE), cases()):
        title = f"{'single' if precision == SINGLE else 'double'} {title}"
        count += 1
        try:
            error = case(precision, *arguments)
        except RuntimeError as trouble:
            print(f"FAIL {title}: {trouble}")
            continue
        if error < (2e-6 if precision == SINGLE else 4e-15):
            passed += 1
        else:
            print(f"FAIL {title}: relative error {error}")
    call("clfftTeardown")
    print(f"clFFT: {passed} of {count} transforms agree with numpy")
    return 0 if passed == count else 1


sys.exit(main())
