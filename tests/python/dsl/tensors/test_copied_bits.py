"""Copies between element types of one width move the bits."""

import numpy as np
import pytest

from fairlead import BFloat16, Float16, Float32, Int32, Uint8, Uint16, cute

THREADS, EACH = 32, 4
COUNT = THREADS * EACH


class Staged:
    """Copies ``a`` to memory of elements of ``dtype``, and from there to ``b``."""

    def __init__(self, dtype, space="shared", swizzle=False, predicate=False):
        self.dtype, self.space, self.swizzle, self.predicate = dtype, space, swizzle, predicate

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor):
        self.kernel(a, b).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))

    @cute.kernel
    def kernel(self, a: cute.Tensor, b: cute.Tensor):
        thread, _, _ = cute.arch.thread_idx()
        atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), a.element_type)
        tiled = cute.make_tiled_copy_tv(atom, cute.make_layout(THREADS), cute.make_layout(EACH))
        mine = tiled.get_slice(thread)
        source, target = mine.partition_S(a)[None, 0], mine.partition_D(b)[None, 0]
        if cute.const_expr(self.space == "shared"):
            layout = cute.make_layout(COUNT)
            if cute.const_expr(self.swizzle):
                layout = cute.make_composed_layout(cute.make_swizzle(2, 2, 3), 0, layout)
            memory = cute.SmemAllocator().allocate_tensor(self.dtype, layout, 16)
            staged = mine.partition_D(memory)[None, 0]
        else:
            staged = cute.make_rmem_tensor(source.shape, self.dtype)
        predicate = None
        if cute.const_expr(self.predicate):
            predicate = cute.make_rmem_tensor(source.shape, cute.Boolean)
            predicate.fill(True)
        cute.copy(tiled, source, staged, pred=predicate)
        for i in cute.range_constexpr(EACH):
            staged[i] = staged[i] + self.dtype(1)
        cute.copy(tiled, staged, target)


def expected(a, dtype):
    """One added to elements that are ``dtype``'s by their bits."""
    if dtype is BFloat16:
        floats = (a.view(np.uint16).astype(np.uint32) << 16).view(np.float32) + np.float32(1)
        bits = floats.view(np.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16).view(a.dtype)
    numpy_type = {Float16: np.float16, Float32: np.float32, Int32: np.int32, Uint16: np.uint16}
    view = a.view(numpy_type[dtype])
    return (view + view.dtype.type(1)).view(a.dtype)


@pytest.mark.parametrize(
    ("numpy_type", "dtype"),
    [
        (np.float32, Int32),
        (np.int32, Float32),
        (np.float16, BFloat16),
        (np.float16, Uint16),
        (np.uint16, Float16),
    ],
)
@pytest.mark.parametrize(
    "options",
    [{}, {"space": "registers"}, {"swizzle": True}, {"predicate": True}],
    ids=["shared", "registers", "swizzle", "predicate"],
)
def test_copies_by_atoms(numpy_type, dtype, options):
    a = np.random.default_rng(0).integers(1, 100, COUNT).astype(numpy_type)
    b = np.zeros_like(a)
    Staged(dtype, **options)(a, b)
    np.testing.assert_array_equal(b.view(np.uint8), expected(a, dtype).view(np.uint8))


def test_other_widths():
    with pytest.raises(TypeError, match="elements of as many bits"):
        Staged(Uint8)(np.zeros(COUNT, np.float32), np.zeros(COUNT, np.float32))
