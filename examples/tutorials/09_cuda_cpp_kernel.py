# %% [markdown]
# # 9. A CUDA C++ kernel with a signature
#
# You have a kernel in CUDA C++, as text, PTX or a CUBIN. `fairlead.kernel` makes a checked function of it: a
# **signature** lists the parameters of a call, and a **launch** computes the grid from them. You will
#
# - write both as text,
# - look at the errors that they give, before the kernel could read beyond an array, and
# - export the function as a library.
#
# CUDA C++ is compiled by NVRTC, which comes with a toolkit or by `pip install "fairlead[nvrtc]"`. To compile, no GPU is
# needed; to call the function, one is.

# %%
import sys

from tutorial import Tutorial

import fairlead

tutorial = Tutorial("09_cuda_cpp_kernel")

SOURCE = r"""
extern "C" __global__ void scale_rows(const float *x, const float *factors, float *y, int columns) {
  int row = blockIdx.x;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[row * columns + i] = factors[row] * x[row * columns + i];
}
"""

# %% [markdown]
# ## Signature and launch
#
# `[rows, columns]` are symbols: any extents, the same wherever they occur. `args` are the kernel's parameters, in its
# order: tensors become pointers, and `int32(columns)` passes the extent as CUDA's `int`. Expressions may use
# `+ - * // %`, `ceil_div`, `min` and `max`.

# %%
try:
    scale_rows = fairlead.kernel(
        SOURCE,
        "scale_rows",
        "scale_rows(x: Tensor([rows, columns], float32), factors: Tensor([rows], float32),"
        " y: Tensor([rows, columns], float32))",
        grid="rows",
        block=256,
        args=("x", "factors", "y", "int32(columns)"),
        arch="compute_80",
    )
except RuntimeError as error:
    if "NVRTC" not in str(error):
        raise
    print(f"left out: {str(error).splitlines()[0]}")
    sys.exit(0)
print(scale_rows)

# %% [markdown]
# The kernel's parameters are compared with the machine code when the function is made. Had `args` forgotten `columns`,
# that would have been an error now, not a crash later:

# %%
try:
    fairlead.kernel(
        SOURCE,
        "scale_rows",
        "scale_rows(x: Tensor([rows, columns], float32), factors: Tensor([rows], float32),"
        " y: Tensor([rows, columns], float32))",
        grid="rows",
        block=256,
        arch="compute_80",
    )
except ValueError as error:
    print(f"ValueError: {error}")
else:
    raise SystemExit("a missing parameter was not noticed")

# %% [markdown]
# ## Call it
#
# On a machine with a GPU of compute capability 8.x (or with `arch=` for yours):
#
# ```python
# x = torch.rand(100, 1000, device="cuda")
# scale_rows(x, torch.rand(100, device="cuda"), torch.empty_like(x))
# ```
#
# Arrays that do not fit are errors that name the argument. Without a GPU, arrays of the CPU show one of them:

# %%
import numpy as np  # noqa: E402

x = np.ones((3, 4), np.float32)
try:
    scale_rows(x, np.ones(3, np.float32), np.empty_like(x))
except (ValueError, RuntimeError) as error:
    print(f"{type(error).__name__}: {error}")
else:
    raise SystemExit("an array of the CPU was taken")

# %% [markdown]
# ## As a library
#
# `export_to_c` and `export_library` write what any other compiled function writes: [tutorial 11](11_export.py). More on
# kernels from source, also on templates and several architectures: [kernels](../../docs/kernels.md).
#
# Next: [a library of kernels, and a wheel](10_library.py).
