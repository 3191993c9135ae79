#!/usr/bin/env python3
"""OpenCV's functions with OpenCL kernels (the "transparent API") on our platform, against OpenCV's own code for the host."""
import sys

from client import on_our_platform

on_our_platform()
import cv2
import numpy as np

cv2.ocl.setUseOpenCL(True)
device = cv2.ocl.Device.getDefault()
assert device.name().startswith("Chengying Ventus"), device.name()

random = np.random.default_rng(1)
grey = random.integers(0, 256, (120, 161), dtype=np.uint8)
other = random.integers(0, 256, (120, 161), dtype=np.uint8)
colour = random.integers(0, 256, (120, 161, 3), dtype=np.uint8)
real = random.random((120, 161), dtype=np.float32)
more = random.random((120, 161), dtype=np.float32)
shapes = cv2.circle(cv2.rectangle(np.zeros_like(grey), (20, 30), (90, 70), 200, -1), (110, 80), 25, 90, -1)
square = random.random((65, 65), dtype=np.float32)
kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
turn = cv2.getRotationMatrix2D((80, 60), 30, 0.8)

doubles, more_doubles = real.astype(np.float64), more.astype(np.float64)
smooth = cv2.GaussianBlur(cv2.resize(grey[:30, :40], (161, 120), interpolation=cv2.INTER_CUBIC), (0, 0), 2)
moved = cv2.warpAffine(smooth, np.float32([[1, 0, 1.5], [0, 1, -0.75]]), (161, 120))
points = np.float32([[x, y] for y in range(20, 101, 10) for x in range(20, 141, 10)]).reshape(-1, 1, 2)
swirl_x, swirl_y = np.float32(np.meshgrid(np.arange(161), np.arange(120)))
swirl_x, swirl_y = swirl_x + 4 * np.sin(swirl_y / 9), swirl_y + 4 * np.cos(swirl_x / 9)
tilt = np.float64([[1.02, 0.03, -2], [0.01, 0.98, 1], [1e-4, -2e-4, 1]])
features, other_features = (random.random((50, 32), dtype=np.float32) for _ in range(2))


def background(first, second):
    model = cv2.createBackgroundSubtractorMOG2()
    model.apply(first)
    return model.apply(second)


def infer(matrix):
    """The answer of a small network with random weights, described in Darknet's format; where the matrix is."""
    def layer(kind, **options):
        return f"[{kind}]\n" + "".join(f"{name}={value}\n" for name, value in options.items())
    description = (layer("net", width=32, height=32, channels=3)
                   + layer("convolutional", filters=8, size=3, stride=1, pad=1, activation="leaky")
                   + layer("maxpool", size=2, stride=2)
                   + layer("convolutional", filters=16, size=3, stride=1, pad=1, activation="leaky")
                   + layer("avgpool") + layer("softmax"))
    weights = np.random.default_rng(2).standard_normal(8 + 8 * 27 + 16 + 16 * 72).astype(np.float32) / 4
    net = cv2.dnn.readNetFromDarknet(description.encode(), np.int32([0, 2, 5, 0, 0]).tobytes() + weights.tobytes())
    net.setPreferableBackend(cv2.dnn.DNN_BACKEND_OPENCV)
    net.setPreferableTarget(cv2.dnn.DNN_TARGET_OPENCL if isinstance(matrix, cv2.UMat) else cv2.dnn.DNN_TARGET_CPU)
    net.setInput(cv2.dnn.blobFromImage(colour[:32, :32], 1 / 255))
    return net.forward()


# name: (tolerance, function, arguments); arrays become matrices of the device
CASES = {
    "add": (0, cv2.add, grey, other),
    "subtract": (0, cv2.subtract, grey, other),
    "absdiff": (0, cv2.absdiff, colour, colour[::-1].copy()),
    "multiply": (1e-6, cv2.multiply, real, more),
    "divide": (1e-5, cv2.divide, real, more + 1),
    "addWeighted": (1, cv2.addWeighted, grey, 0.3, other, 0.7, 0),
    "bitwise_xor": (0, cv2.bitwise_xor, grey, other),
    "compare": (0, lambda a, b: cv2.compare(a, b, cv2.CMP_GT), grey, other),
    "min": (0, cv2.min, real, more),
    "exp": (1e-5, cv2.exp, real),
    "log": (1e-4, cv2.log, more + 1),
    "sqrt": (1e-6, cv2.sqrt, real),
    "pow": (1e-5, cv2.pow, real, 3),
    "magnitude": (1e-5, cv2.magnitude, real, more),
    "phase": (1e-2, cv2.phase, real + 1, more),
    "threshold": (0, lambda a: cv2.threshold(a, 99, 200, cv2.THRESH_BINARY)[1], grey),
    "adaptiveThreshold": (0, lambda a: cv2.adaptiveThreshold(a, 200, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 7, 2), grey),
    "LUT": (0, lambda a: cv2.LUT(a, np.arange(256, dtype=np.uint8)[::-1].copy()), grey),
    "inRange": (0, lambda a: cv2.inRange(a, (20, 30, 40), (220, 210, 200)), colour),
    "cvtColor grey": (1, lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2GRAY), colour),
    "cvtColor HSV": (1, lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2HSV), colour),
    "cvtColor YCrCb": (1, lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2YCrCb), colour),
    "split": (0, lambda a: cv2.split(a)[1], colour),
    "flip": (0, lambda a: cv2.flip(a, -1), colour),
    "transpose": (0, cv2.transpose, colour),
    "resize": (1, lambda a: cv2.resize(a, (97, 71), interpolation=cv2.INTER_LINEAR), grey),
    "resize area": (1, lambda a: cv2.resize(a, (80, 60), interpolation=cv2.INTER_AREA), colour),
    "warpAffine": (1, lambda a: cv2.warpAffine(a, turn, (161, 120)), grey),
    "pyrDown": (1, cv2.pyrDown, grey),
    "pyrUp": (1, cv2.pyrUp, grey),
    "blur": (1, lambda a: cv2.blur(a, (5, 5)), grey),
    "GaussianBlur": (1e-5, lambda a: cv2.GaussianBlur(a, (7, 7), 1.5), real),
    "medianBlur": (0, lambda a: cv2.medianBlur(a, 5), grey),
    "bilateralFilter": (1, lambda a: cv2.bilateralFilter(a, 5, 40, 40), grey),
    "Sobel": (0, lambda a: cv2.Sobel(a, cv2.CV_16S, 1, 1), grey),
    "Laplacian": (1e-4, lambda a: cv2.Laplacian(a, cv2.CV_32F, ksize=3), real),
    "Canny": (0, lambda a: cv2.Canny(a, 100, 200), shapes),
    "erode": (0, lambda a: cv2.erode(a, kernel), grey),
    "morphologyEx": (0, lambda a: cv2.morphologyEx(a, cv2.MORPH_GRADIENT, kernel), grey),
    "filter2D": (1e-4, lambda a: cv2.filter2D(a, -1, np.full((3, 3), 0.2, np.float32)), real),
    "equalizeHist": (1, cv2.equalizeHist, grey),
    "calcHist": (0, lambda a: cv2.calcHist([a], [0], None, [256], [0, 256]), grey),
    "integral": (0, cv2.integral, grey),
    "cornerHarris": (1e-4, lambda a: cv2.cornerHarris(a, 3, 3, 0.04), real),
    "matchTemplate": (1e-2, lambda a: cv2.matchTemplate(a, real[30:50, 40:70].copy(), cv2.TM_SQDIFF), real),
    "gemm": (1e-4, lambda a, b: cv2.gemm(a, b, 1, None, 0), square, square.T.copy()),
    "dft": (1e-2, lambda a: cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT), real),
    "normalize": (1e-5, lambda a: cv2.normalize(a, None, 0, 1, cv2.NORM_MINMAX), real),
    "reduce": (1e-3, lambda a: cv2.reduce(a, 0, cv2.REDUCE_SUM), real),
    "norm": (1e-3, lambda a: np.float64(cv2.norm(a, cv2.NORM_L2)), real),
    "sum": (1e-3, lambda a: np.array(cv2.sumElems(a)), grey),
    "minMaxLoc": (0, lambda a: np.array(cv2.minMaxLoc(a)[:2]), real),
    "add double": (0, cv2.add, doubles, more_doubles),
    "divide double": (1e-15, cv2.divide, doubles, more_doubles + 1),
    "exp double": (2e-12, cv2.exp, doubles),
    "log double": (1e-14, cv2.log, doubles + 1),
    "pow double": (1e-12, cv2.pow, doubles, 2.5),
    "magnitude double": (1e-14, cv2.magnitude, doubles, more_doubles),
    "GaussianBlur double": (5e-7, lambda a: cv2.GaussianBlur(a, (7, 7), 1.5), doubles),  # its weights are single
    "Sobel double": (5e-7, lambda a: cv2.Sobel(a, cv2.CV_64F, 1, 0), doubles),
    "gemm double": (1e-12, lambda a, b: cv2.gemm(a, b, 1, None, 0), doubles[:65, :65].copy(), doubles[50:115, :65].copy()),
    "dft double": (1e-9, lambda a: cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT), doubles),
    "norm double": (1e-11, lambda a: np.float64(cv2.norm(a, cv2.NORM_L2)), doubles),
    "meanStdDev double": (1e-12, lambda a: np.array([m.get() if isinstance(m, cv2.UMat) else m for m in cv2.meanStdDev(a)]), doubles),
    "convertFp16": (0, cv2.convertFp16, real),
    "remap": (2, lambda a, x, y: cv2.remap(a, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), smooth, swirl_x, swirl_y),
    "warpPerspective": (2, lambda a: cv2.warpPerspective(a, tilt, (161, 120)), smooth),
    "CLAHE": (1, lambda a: cv2.createCLAHE(2, (4, 4)).apply(a), grey),
    "fastNlMeansDenoising": (1, lambda a: cv2.fastNlMeansDenoising(a, None, 10, 5, 11), grey),
    "MOG2": (0, background, smooth, moved),
    "BFMatcher": (0, lambda a, b: np.array([m.trainIdx for m in cv2.BFMatcher().match(a, b)]), features, other_features),
    "calcOpticalFlowPyrLK": (0.05, lambda a, b: cv2.calcOpticalFlowPyrLK(a, b, points, None)[0], smooth, moved),  # images
    "calcOpticalFlowFarneback": (0.5, lambda a, b: cv2.calcOpticalFlowFarneback(a, b, None, 0.5, 3, 15, 3, 5, 1.2, 0), smooth, moved),
    "DISOpticalFlow": (0.5, lambda a, b: cv2.DISOpticalFlow_create(0).calc(a, b, None), smooth, moved),
    "dnn": (1e-5, infer, grey),
    "countNonZero": (0, lambda a: np.array(cv2.countNonZero(a)), grey),
}


def run(function, arguments, device):
    """What the function gives, as an array, with its matrices on the host or on the device."""
    result = function(*[cv2.UMat(a) if device and isinstance(a, np.ndarray) else a for a in arguments])
    return np.asarray(result.get() if isinstance(result, cv2.UMat) else result, dtype=np.float64)


bad = []
for name, (tolerance, function, *arguments) in CASES.items():
    try:
        difference = np.abs(run(function, arguments, True) - run(function, arguments, False)).max()
    except cv2.error as error:
        print(error)
        difference = float("inf")
    if not difference <= tolerance:
        print(f"FAIL {name}: differs by {difference}, {tolerance} is allowed")
        bad.append(name)
print(f"OpenCV {cv2.__version__}: {len(CASES) - len(bad)} of {len(CASES)} functions agree with the host")
sys.exit(1 if bad else 0)
