"""Stores of numbers that are converted to 16 bits: all are converted before the first store."""

import re

import numpy as np
import pytest

from fairlead import BFloat16, Float16, Float32, cute

THREADS = 64


class Scaled:
    """Each thread's vectors of eight numbers, doubled and converted."""

    def __init__(self, vectors):
        self.vectors = vectors

    @cute.jit
    def __call__(self, a: cute.Tensor, out: cute.Tensor):
        self.kernel(a, out).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor, out: cute.Tensor):
        thread, _, _ = cute.arch.thread_idx()
        values = cute.make_rmem_tensor((8, self.vectors), Float32)
        for i in cute.range_constexpr(self.vectors):
            cute.autovec_copy(self.part(a, i, thread), values[None, i])
        converted = cute.make_rmem_tensor((8, self.vectors), out.element_type)
        converted.store((values.load() * 2.0).to(out.element_type))
        for i in cute.range_constexpr(self.vectors):
            cute.autovec_copy(converted[None, i], self.part(out, i, thread))

    def part(self, tensor, i, thread):
        pointer = tensor.iterator + cute.assume((i * THREADS + thread) * 8, divby=8)
        return cute.make_tensor(pointer, cute.make_layout(8))


@pytest.mark.parametrize("dtype", [Float16, BFloat16])
@pytest.mark.parametrize("vectors, gathered", [(1, True), (2, True), (8, True), (9, False)])
def test_converted_before_the_first_store(dtype, vectors, gathered, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # PTX that is kept is also written to a file
    count = vectors * THREADS * 8
    arguments = [
        cute.make_fake_compact_tensor(element, (count,), assumed_align=16)
        for element in (Float32, dtype)
    ]
    text = cute.compile(Scaled(vectors), *arguments, options="--target cuda:sm_90a").__ptx__
    conversions, stores = (
        [found.start() for found in re.finditer(pattern, text)]
        for pattern in (r"cvt\.rn\.(bf16x2|f16x2)\.f32", r"st\.global\.v4")
    )
    assert (len(conversions), len(stores)) == (4 * vectors, vectors)
    assert (conversions[-1] < stores[0]) is gathered


def test_results(tmp_path):
    a = np.random.default_rng(0).standard_normal(2 * THREADS * 8).astype(np.float32)
    out = np.zeros(a.shape, np.float16)
    fakes = [
        cute.make_fake_compact_tensor(element, a.shape, assumed_align=16)
        for element in (Float32, Float16)
    ]
    cute.compile(Scaled(2), *fakes, options="--target cpu")(a, out)
    np.testing.assert_array_equal(out, (a * 2).astype(np.float16))
