#!/usr/bin/env python3
"""sasmodels, small-angle scattering, on our platform: scattering curves in single precision, with sizes that vary, against
the same models compiled for the host in double precision."""
import os
import sys
import warnings

from client import on_our_platform

on_our_platform()
os.environ["SAS_OPENCL"] = "0"
os.environ["SAS_DLL_PATH"] = os.environ["CY_TMP"]
warnings.simplefilter("ignore")  # the compiler has warnings for some models

import numpy as np  # noqa: E402
from sasmodels.core import build_model, load_model_info  # noqa: E402
from sasmodels.data import empty_data1D, empty_data2D  # noqa: E402
from sasmodels.direct_model import DirectModel  # noqa: E402

MODELS = ["sphere", "cylinder", "ellipsoid", "core_shell_sphere", "vesicle", "lamellar", "hardsphere", "barbell"]


def curves(info, precision, platform):
    """The intensities over one and two dimensions."""
    model = build_model(info, dtype=precision, platform=platform)
    varied = {f"{p.name}_pd{what}": value for p in info.parameters.kernel_parameters if p.polydisperse and p.type == "volume"
              for what, value in (("", 0.1), ("_n", 5))}
    one = empty_data1D(np.logspace(-3, -0.5, 60))
    two = empty_data2D(np.linspace(-0.2, 0.2, 12))
    return np.concatenate([np.ravel(DirectModel(data, model)(**varied)) for data in (one, two)])


failed = 0
for name in MODELS:
    info = load_model_info(name)
    ours, host = curves(info, "single", "ocl"), curves(info, "double", "dll")
    error = float(np.max(np.abs(ours - host) / np.abs(host)))
    right = np.all(np.isfinite(host)) and error < 1e-3
    failed += not right
    print(f"sasmodels {name}: {len(ours)} intensities, {error:.1e} apart{'' if right else ': too far'}")
sys.exit(1 if failed else 0)
