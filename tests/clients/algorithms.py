#!/usr/bin/env python3
"""pyopencl's larger parts on our platform against numpy: mathematics, random numbers, sorting, selecting, structures, events."""
import sys

from client import on_our_platform

on_our_platform()
import numpy as np
import pyopencl as cl
import pyopencl.algorithm as algorithm
import pyopencl.array as cla
import pyopencl.clmath as clmath
import pyopencl.clrandom as clrandom
import pyopencl.tools
from pyopencl.bitonic_sort import BitonicSort
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import GenericScanKernel

context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
assert context.devices[0].name.startswith("Chengying Ventus")
random = np.random.default_rng(1)


def mathematics():
    x = random.random(3000, dtype=np.float32) * 0.9 + 0.05
    for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10", "sqrt", "fabs", "ceil",
                 "floor"):
        expected = getattr(np, {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(name, name))(x.astype(np.float64))
        assert np.allclose(getattr(clmath, name)(cla.to_device(queue, x)).get(), expected, rtol=2e-6), name
    pair = (x + 1j * x[::-1]).astype(np.complex64)
    on_device = cla.to_device(queue, pair)
    assert np.allclose((on_device * on_device).get(), pair * pair, rtol=1e-5)
    assert np.allclose((on_device / (on_device + 1)).get(), pair / (pair + 1), rtol=1e-5)
    assert np.allclose(on_device.conj().get(), pair.conj()) and np.allclose(abs(on_device).get(), abs(pair), rtol=1e-6)


def random_numbers():
    for engine in (clrandom.PhiloxGenerator(context, seed=1), clrandom.ThreefryGenerator(context, seed=1)):
        uniform = engine.uniform(queue, 20000, np.float32).get()
        assert 0 <= uniform.min() and uniform.max() <= 1 and abs(uniform.mean() - 0.5) < 0.02 and abs(uniform.var() - 1 / 12) < 0.01
        normal = engine.normal(queue, 20000, np.float32, mu=3, sigma=2).get()
        assert abs(normal.mean() - 3) < 0.1 and abs(normal.std() - 2) < 0.1
        whole = engine.uniform(queue, 20000, np.int32, a=10, b=20).get()
        assert set(whole) == set(range(10, 20))


def sorting():
    numbers = random.integers(0, 1 << 30, 4096).astype(np.int32)
    for dtype in (np.int32, np.float32, np.uint8):
        keys = numbers.astype(dtype)
        got, done = BitonicSort(context)(cla.to_device(queue, keys))
        done.wait()
        assert (got.get() == np.sort(keys)).all(), dtype
    for count in (1, 1000, 20000):
        keys = random.integers(0, 1 << 16, count).astype(np.int32)
        sort = algorithm.RadixSort(context, "int *keys, int *values", key_expr="keys[i]", sort_arg_names=["keys", "values"])
        (got_keys, got_values), done = sort(cla.to_device(queue, keys), cla.arange(queue, count, dtype=np.int32), key_bits=16)
        done.wait()
        order = np.argsort(keys, kind="stable")
        assert (got_keys.get() == keys[order]).all() and (got_values.get() == order).all(), count


def selecting():
    numbers = random.integers(0, 100, 10000).astype(np.int32)
    on_device = cla.to_device(queue, numbers)
    kept, count, _ = algorithm.copy_if(on_device, "ary[i] > 50")
    assert (kept.get()[:count.get()] == numbers[numbers > 50]).all()
    yes, no, count, _ = algorithm.partition(on_device, "ary[i] % 3 == 0")
    count = int(count.get())
    assert (yes.get()[:count] == numbers[numbers % 3 == 0]).all() and (no.get()[:len(numbers) - count] == numbers[numbers % 3 != 0]).all()
    ordered = np.sort(numbers)
    kept, count, _ = algorithm.unique(cla.to_device(queue, ordered))
    assert (kept.get()[:count.get()] == np.unique(numbers)).all()
    builder = algorithm.ListOfListsBuilder(context, [("found", np.int32)], """//CL//
        void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)
        {
            for (int j = 0; j < i % 4; ++j)
                APPEND_found(10 * i + j);
        }""", arg_decls=[])
    result, done = builder(queue, 500)
    done.wait()
    lists = [[10 * i + j for j in range(i % 4)] for i in range(500)]
    assert result["found"].starts.get().tolist() == np.cumsum([0] + [len(items) for items in lists]).tolist()
    assert result["found"].lists.get().tolist() == sum(lists, [])


def structures():
    """A reduction and a scan over structures that the program declares itself."""
    dtype = np.dtype([("low", np.int32), ("high", np.int32)])
    dtype, declaration = cl.tools.match_dtype_to_c_struct(context.devices[0], "span", dtype)
    dtype = cl.tools.get_or_register_dtype("span", dtype)
    preamble = declaration + """//CL//
        span span_of(int x) { span s; s.low = x; s.high = x; return s; }
        span join(span a, span b) { a.low = min(a.low, b.low); a.high = max(a.high, b.high); return a; }
        span nothing(void) { span s; s.low = INT_MAX; s.high = INT_MIN; return s; }"""
    numbers = random.integers(-1000, 1000, 5000).astype(np.int32)
    reduce = ReductionKernel(context, dtype, neutral="nothing()", reduce_expr="join(a, b)", map_expr="span_of(x[i])",
                             arguments="__global int *x", preamble=preamble)
    got = reduce(cla.to_device(queue, numbers)).get()
    assert got["low"] == numbers.min() and got["high"] == numbers.max()
    scan = GenericScanKernel(context, np.int32, arguments="__global int *x, __global int *starts, __global int *out",
                             input_expr="x[i]", scan_expr="across_seg_boundary ? b : a + b", neutral="0",
                             is_segment_start_expr="starts[i] != 0", output_statement="out[i] = item;")
    starts = (random.random(5000) < 0.01).astype(np.int32)
    starts[0] = 1
    out = cla.empty(queue, 5000, np.int32)
    scan(cla.to_device(queue, numbers), cla.to_device(queue, starts), out)
    expected = np.concatenate([np.cumsum(part) for part in np.split(numbers, np.flatnonzero(starts)) if len(part)])
    assert (out.get() == expected).all()


def objects():
    """Rectangles, sub-buffers, mapping, user events, binaries."""
    grid = random.integers(0, 100, (40, 50)).astype(np.int32)
    source, target = (cl.Buffer(context, cl.mem_flags.READ_WRITE, grid.nbytes) for _ in range(2))
    cl.enqueue_copy(queue, source, grid)
    cl.enqueue_copy(queue, target, source, src_origin=(40, 5), dst_origin=(0, 10), region=(80, 20), src_pitches=(200,), dst_pitches=(200,))
    result = np.empty_like(grid)
    cl.enqueue_copy(queue, result, target)
    assert (result[10:30, :20] == grid[5:25, 10:30]).all()
    part = source.get_sub_region(1024, 400)
    mapped, _ = cl.enqueue_map_buffer(queue, part, cl.map_flags.WRITE, 0, (100,), np.int32)
    mapped[:] = np.arange(100)
    mapped.base.release(queue)
    cl.enqueue_copy(queue, result, source)
    assert (result.ravel()[256:356] == np.arange(100)).all()
    gate = cl.UserEvent(context)
    waiting = cl.enqueue_copy(queue, result, target, is_blocking=False, wait_for=[gate])
    assert waiting.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    waiting.wait()
    built = cl.Program(context, "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }").build()
    again = cl.Program(context, context.devices, built.get_info(cl.program_info.BINARIES)).build()
    numbers = cla.to_device(queue, grid.ravel())
    again.twice(queue, numbers.shape, None, numbers.data)
    assert (numbers.get() == 2 * grid.ravel()).all()
    try:
        cl.Program(context, "kernel void broken(global int *x) { x[0] = nonsense; }").build()
    except cl.RuntimeError as error:
        assert "nonsense" in str(error)
    else:
        sys.exit("a program that is wrong was built")


for part in (mathematics, random_numbers, sorting, selecting, structures, objects):
    part()
    print("ok  ", part.__doc__ or part.__name__.replace("_", " "), flush=True)
