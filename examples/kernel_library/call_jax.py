"""Calls the kernel library with JAX arrays: python call_jax.py scale_cpu.so

JAX arrays do not change, so the output is an array of NumPy that JAX takes over.
"""

import sys

import jax.numpy as jnp
import numpy as np

from fairlead import ffi

library = ffi.load_module(sys.argv[1])
x = jnp.arange(1000, dtype=jnp.float32)
y = np.empty(x.shape, x.dtype)
library.scale(y, x, 2.5)
assert (jnp.asarray(y) == x * 2.5).all()
print("JAX: done")
