"""What inline PTX computes on the CPU, for tests: one number a thread, and numbers to compute with."""

import numpy as np

from fairlead import Float32, Int32, Uint32, Uint64, cute
from fairlead.cute._assembly import inline_asm

NUMPY = {Int32: np.int32, Uint32: np.uint32, Uint64: np.uint64, Float32: np.float32}


def computed(assembly, constraints, result, *arrays):
    """The result for each element, one a thread; of 32."""
    kinds = {np.dtype(array): kind for kind, array in NUMPY.items()}
    given = [kinds[array.dtype] for array in arrays]

    @cute.kernel
    def device(out: cute.Tensor, inputs: list):
        t = cute.arch.thread_idx()[0]
        values = [each[t] for each in inputs]
        out[t] = inline_asm(result, values, assembly, constraints, has_side_effects=True)

    @cute.jit
    def run(out: cute.Tensor, inputs: list):
        device(out, inputs).launch(grid=1, block=32)

    out = np.zeros(32, NUMPY[result])
    assert given
    cute.compile(run, out, list(arrays), options="--target cpu")(out, list(arrays))
    return out


RANDOM = np.random.default_rng(7)
A, B = (RANDOM.integers(0, 1 << 32, 32, dtype=np.uint32) for _ in range(2))
S = A.view(np.int32)
SMALL = RANDOM.integers(0, 40, 32, dtype=np.uint32)
F, G = (RANDOM.standard_normal(32).astype(np.float32) for _ in range(2))
W = RANDOM.integers(0, 1 << 63, 32, dtype=np.uint64)

#: Numbers that are rounded, beyond the largest of 16 bits, subnormal there, or no numbers.
HARD = np.tile(
    np.array([1.0009765, -1.0009765, 65519, -65520, 7e4, 3e38, np.inf, -np.inf, np.nan, 1e-6, -3e-8, -0.0],
        np.float32), 3)[:32]  # fmt: skip
