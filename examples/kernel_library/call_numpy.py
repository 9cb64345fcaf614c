"""Calls the kernel library with NumPy arrays: python call_numpy.py scale_cpu.so"""

import sys

import numpy as np

from fairlead import ffi

library = ffi.load_module(sys.argv[1])
for dtype in (np.float32, np.float64):
    x = np.random.default_rng(0).standard_normal(1000).astype(dtype)
    y = np.full_like(x, np.nan)
    library.scale(y, x, 2.5)
    np.testing.assert_allclose(y, x * 2.5, rtol=1e-6)

try:
    library.scale(np.zeros(3, np.int32), np.zeros(3, np.int32), 1.0)
except TypeError as error:
    print(f"TypeError: {error}")
