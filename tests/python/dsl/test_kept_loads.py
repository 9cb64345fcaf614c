"""Loads and stores of 16 bytes, more of them live than the assembler has groups of registers for."""

import numpy as np
import pytest

from fairlead import Float32, cute
from fairlead.utils import SmemAllocator

THREADS = 64


class Scaled:
    """Each thread's vectors of a row, times the sum of the threads' first elements, which needs all of them."""

    def __init__(self, vectors):
        self.vectors = vectors

    @cute.jit
    def __call__(self, a: cute.Tensor, out: cute.Tensor):
        self.kernel(a, out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor, out: cute.Tensor):
        thread, _, _ = cute.arch.thread_idx()
        values = cute.make_rmem_tensor((4, self.vectors), Float32)
        for i in cute.range_constexpr(self.vectors):
            cute.autovec_copy(self.part(a, i, thread), values[None, i])
        shared = SmemAllocator().allocate_tensor(Float32, cute.make_layout(THREADS), 16)
        shared[thread] = values.load().reduce(cute.ReductionOp.ADD, 0.0, 0)
        cute.arch.sync_threads()
        total = shared.load().reduce(cute.ReductionOp.ADD, 0.0, 0)
        values.store(values.load() * total)
        for i in cute.range_constexpr(self.vectors):
            cute.autovec_copy(values[None, i], self.part(out, i, thread))

    def part(self, tensor, i, thread):
        pointer = tensor.iterator + cute.assume((i * THREADS + thread) * 4, divby=4)
        return cute.make_tensor(pointer, cute.make_layout(4))


@pytest.mark.parametrize("vectors, wide", [(16, True), (64, False)])
def test_kept_loads(vectors, wide, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # PTX that is kept is also written to a file
    fake = cute.make_fake_compact_tensor(Float32, (vectors * THREADS * 4,), assumed_align=16)
    text = cute.compile(Scaled(vectors), fake, fake, options="--target cuda:sm_90a").__ptx__
    assert text.count("ld.global.v4") == (vectors if wide else 0)
    assert text.count("ld.global.b32") == (0 if wide else 4 * vectors)
    assert text.count("st.global.v4") == (vectors if wide else 0)
    assert text.count("st.global.v2") == (0 if wide else 2 * vectors)
    a = np.random.default_rng(0).integers(-2, 3, vectors * THREADS * 4).astype(np.float32)
    out = np.full_like(a, np.nan)
    cute.compile(Scaled(vectors), fake, fake, options="--target cpu")(a, out)
    np.testing.assert_array_equal(out, a * a.sum())
