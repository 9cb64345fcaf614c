"""Kernels for common operations, written in the language: products of matrices, attention, norms, softmax, losses.

For tensors of PyTorch, NumPy and JAX, on CPUs and NVIDIA GPUs. Each function checks its arguments, compiles a kernel
for their types at the first call, and runs in the framework's current stream. Functions of JAX arrays work under
``jax.jit``.

    y = fairlead.ops.rms_norm(x, weight)
    c = fairlead.ops.matmul(a, b, bias=bias, activation="gelu")

Autograd of PyTorch differentiates all but ``reduce_rows``, ``top_k``, ``sample``, ``quantize`` and products of groups
and of floats of 8 bits; nothing has derivatives for JAX.
"""

from __future__ import annotations

from fairlead._hints import missing
from fairlead.ops._attention import attention
from fairlead.ops._cross_entropy import cross_entropy
from fairlead.ops._gemm import matmul
from fairlead.ops._grouped import grouped_matmul
from fairlead.ops._quantize import quantize
from fairlead.ops._rows import layer_norm, log_softmax, reduce_rows, rms_norm, softmax
from fairlead.ops._sampling import sample, top_k
from fairlead.ops._scaled import grouped_scaled_matmul, scaled_matmul
from fairlead.ops._transpose import transpose

__all__ = [
    "attention",
    "cross_entropy",
    "grouped_matmul",
    "grouped_scaled_matmul",
    "layer_norm",
    "log_softmax",
    "matmul",
    "quantize",
    "reduce_rows",
    "rms_norm",
    "sample",
    "scaled_matmul",
    "softmax",
    "top_k",
    "transpose",
]

__getattr__ = missing(__name__)
