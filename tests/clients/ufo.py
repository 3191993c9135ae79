#!/usr/bin/env python3
"""UFO's filters (tomography, image processing) on our platform against numpy and scipy."""
import os
import subprocess
import sys

from client import on_our_platform

on_our_platform()
import numpy as np
from scipy import ndimage

WIDTH, HEIGHT = 64, 48
directory = os.environ["CY_TMP"]
picture = np.random.default_rng(1).random((HEIGHT, WIDTH)).astype(np.float32)
kernel = os.path.join(directory, "own.cl")
with open(kernel, "w") as file:
    file.write("kernel void own(global float *in, global float *out)\n"
               "{ size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0); out[i] = sqrt(in[i]) + i; }\n")


def launch(filters, source, shape):
    """What a chain of filters makes of an array."""
    before, after = os.path.join(directory, "in.raw"), os.path.join(directory, "out.raw")
    source.astype(np.float32).tofile(before)
    if os.path.exists(after):
        os.remove(after)
    height, width = source.shape
    command = ["ufo-launch", "-q", "read", f"path={before}", f"raw-width={width}", f"raw-height={height}", "raw-bitdepth=32", "!"]
    done = subprocess.run([*command, *filters.split(), "!", "write", f"filename={after}"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode or not os.path.exists(after):
        print(done.stdout)
        return np.full(shape, np.nan, np.float32)
    return np.fromfile(after, np.float32).reshape(shape)


def resized(factor):
    rows, columns = (np.arange(int(n * factor)) / factor + 1 / (2 * factor) - 0.5 for n in (HEIGHT, WIDTH))
    return ndimage.map_coordinates(picture, np.meshgrid(rows, columns, indexing="ij"), order=1, mode="nearest")


inner = (slice(2, -2), slice(2, -2))
everything = (slice(None), slice(None))
spectrum = np.fft.fft(picture, axis=1)
# filters, the part of the result that is defined, what it should be
CASES = [
    ("blur size=9 sigma=1.5", (slice(5, -5), slice(5, -5)), None),  # see compare()
    ("median-filter size=5", inner, ndimage.median_filter(picture, 5)),
    ("gradient direction=horizontal", inner, np.gradient(picture, axis=1)),
    ("gradient direction=vertical", inner, np.gradient(picture, axis=0)),
    ("flip direction=horizontal", everything, picture[:, ::-1]),
    ("flip direction=vertical", everything, picture[::-1]),
    ("transpose", everything, picture.T),
    ("rescale factor=2 interpolation=linear", everything, resized(2)),
    ("rescale factor=0.5 interpolation=linear", everything, resized(0.5)),
    ("bin size=2", everything, picture.reshape(HEIGHT // 2, 2, WIDTH // 2, 2).sum((1, 3))),
    ("bin size=4", everything, picture.reshape(HEIGHT // 4, 4, WIDTH // 4, 4).sum((1, 3))),
    ("crop x=5 y=7 width=30 height=20", everything, picture[7:27, 5:35]),
    ("pad x=8 y=4 width=80 height=56 addressing-mode=clamp_to_edge", everything, np.pad(picture, ((4, 4), (8, 8)), "edge")),
    ("binarize threshold=0.4", everything, (picture >= np.float32(0.4)).astype(np.float32)),
    ("clip min=0.3 max=0.6", everything, picture.clip(0.3, 0.6)),
    ("calculate expression='sin(v)*x+exp(v)'", everything, np.sin(picture) * (np.arange(WIDTH * HEIGHT).reshape(HEIGHT, WIDTH)) +
     np.exp(picture)),
    (f"opencl filename={kernel} kernel=own", everything, np.sqrt(picture) + np.arange(WIDTH * HEIGHT).reshape(HEIGHT, WIDTH)),
    ("fft ! ifft", everything, picture / WIDTH),  # both UFO and clFFT, which it calls, divide
    ("fft dimensions=2 ! ifft dimensions=2", everything, None),
    ("fft", everything, np.stack([spectrum.real, spectrum.imag], -1).reshape(HEIGHT, 2 * WIDTH)),
]


def check(title, error, limit):
    good = error <= limit
    print(f"{'ok  ' if good else 'BAD '} {title}: error {error:.2g}, at most {limit:.2g}")
    return good


def compare(filters, part, expected):
    if filters.startswith("blur"):
        # the picture of a point; near the border the weights are others
        impulse = np.zeros_like(picture)
        impulse[HEIGHT // 2, WIDTH // 2] = 1
        point = launch(filters, impulse, impulse.shape)[HEIGHT // 2 - 9:HEIGHT // 2 + 10, WIDTH // 2 - 9:WIDTH // 2 + 10]
        assert 0.9 < point.sum() < 1.1 and 0.02 < point.max() < 0.2, "not a blur"
        expected = ndimage.convolve(picture.astype(float), point)
    if expected is None:
        side = 32  # a power of two in both directions
        square = picture[:side, :side]
        return check(filters, abs(launch(filters, square, square.shape) * side**2 - square).max(), 1e-5)
    got = launch(filters, picture, expected.shape)
    return check(filters, abs(got[part] - expected[part]).max() / max(1, abs(expected).max()), 2e-5)


def tomography():
    """A phantom, its projections, and back."""
    side, angles = 64, 128
    y, x = np.mgrid[:side, :side] - side / 2 + 0.5
    phantom = (np.hypot(x, y) < 24) * 1.0 - (np.hypot(x - 6, y + 8) < 7) * 0.5
    sinogram = launch(f"forwardproject number={angles} angle-step={np.pi / angles} axis-pos={side / 2}", phantom, (angles, side))
    turned = np.array([ndimage.rotate(phantom, step * 180 / angles, reshape=False, order=1).sum(0) for step in range(angles)])
    mirrored = min(abs(sinogram - other).mean() for other in (turned, turned[:, ::-1]))
    good = check("forwardproject", mirrored / turned.max(), 0.02)
    back = launch(f"fft ! filter ! ifft ! backproject axis-pos={side / 2} angle-step={np.pi / angles}", sinogram, (side, side))
    likeness = max(np.corrcoef(back.ravel(), other.ravel())[0, 1] for other in (phantom, phantom[::-1]))
    return good & check("filter and backproject", 1 - likeness, 0.1)


passed = [compare(*case) for case in CASES] + [tomography()]
print(f"UFO: {sum(passed)} of {len(passed)} agree")
sys.exit(0 if all(passed) else 1)
