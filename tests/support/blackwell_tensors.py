"""Tensors of narrow types for products of compute capability 10.0, and ptxas for that."""

from __future__ import annotations

import subprocess
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from fairlead import (
    BFloat16,
    Float8E4M3FN,
    Float8E5M2,
    Float16,
    Float32,
    Int8,
    Int32,
    TFloat32,
    Uint8,
    cute,
)

PTXAS = "/usr/local/cuda/bin/ptxas"
NUMPY = {
    Float16: np.float16,
    BFloat16: ml_dtypes.bfloat16,
    TFloat32: np.float32,
    Float32: np.float32,
    Float8E4M3FN: ml_dtypes.float8_e4m3fn,
    Float8E5M2: ml_dtypes.float8_e5m2,
    Int8: np.int8,
    Uint8: np.uint8,
    Int32: np.int32,
}


def wrapped(array, dtype):
    """A tensor of these elements, whose bits NumPy may know under another name."""
    bits = array.view(np.dtype(f"u{array.itemsize}")) if dtype not in (Int8, Int32) else array
    tensor = cute.runtime.from_dlpack(bits, assumed_align=16)
    tensor.element_type = dtype
    return tensor


def product_on_the_cpu(program, dtype, result, shape, leading=(1, 1, 1), options=""):
    """Return C and its expected value, for small integers, whose sums are exact in any order.

    ``leading``: of A, B and C, which mode is contiguous.
    """
    m, n, k = shape
    rng = np.random.default_rng(m + n + k)
    low = 0 if dtype is Uint8 else -3
    numbers = [rng.integers(low, 4, (rows, k)).astype(np.float32) for rows in (m, n)]
    a, b = (
        np.array(each, NUMPY[dtype], order="C" if mode else "F")
        for each, mode in zip(numbers, leading[:2], strict=True)
    )
    c = np.zeros((m, n), NUMPY[result], order="C" if leading[2] else "F")
    arguments = [wrapped(a, dtype), wrapped(b, dtype), wrapped(c, result)]
    cute.compile(program, *arguments, options=f"--target cpu {options}")(*arguments)
    expected = (numbers[0] @ numbers[1].T).astype(NUMPY[result])
    return c.astype(np.float32), expected.astype(np.float32)


def fake(dtype, leading):
    """A matrix of unknown extents, mode ``leading`` contiguous."""
    extents = tuple(cute.sym_int(divisibility=128) for _ in range(2))
    order = (0, 1) if leading == 0 else (1, 0)
    return cute.make_fake_compact_tensor(dtype, extents, stride_order=order, assumed_align=16)


def assemble(text, folder, arch="sm_100a"):
    """Have ptxas assemble PTX, without spills."""
    if not Path(PTXAS).exists():
        pytest.skip("no ptxas here")
    path = folder / "kernel.ptx"
    path.write_text(text)
    run = subprocess.run(
        [PTXAS, f"-arch={arch}", "-v", path, "-o", folder / "kernel.cubin"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert "0 bytes spill stores" in run.stderr, run.stderr
