"""Arguments of published programs: numbers in tuples and dataclasses, and the descriptor of a tensor."""

import ctypes
import dataclasses
import typing

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32


def test_numbers_in_tuples_are_arguments():
    """What compile() makes takes other numbers; those of a shape, of a Constexpr or of a named tuple are fixed."""

    class Pair(typing.NamedTuple):
        first: int

    kinds = {}

    @cute.jit
    def host(
        out: cute.Tensor,
        sizes: tuple,
        typed: tuple[int, float],
        values: list,
        tile: cute.Shape,
        fixed: cutlass.Constexpr,
        pair: Pair,
        several=None,
    ):
        kinds.update(
            sizes=[type(size) for size in sizes],
            typed=[type(number) for number in typed],
            values=[type(value) for value in values],
            tile=type(tile[1][0]),
            fixed=type(fixed[0]),
            pair=type(pair.first),
            several=type(several[0][1]),
        )
        out[0] = sizes[0] * 100 + sizes[1]
        out[1] = typed[0] + typed[1]
        out[2] = values[0]
        out[3] = several[0][1]

    array = np.zeros(4, np.float32)
    out = cute.runtime.from_dlpack(array)
    tile, pair = (8, (2, 4)), Pair(6)
    compiled = cute.compile(host, out, (0, 0), (0, 0.0), [0], tile, (5,), pair, ((0, 0), 0))
    assert kinds == {
        "sizes": [Int32, Int32],
        "typed": [Int32, Float32],
        "values": [Int32],
        "tile": int,
        "fixed": int,
        "pair": int,
        "several": Int32,
    }
    compiled(out, (3, 4), (5, 0.5), [7], tile, pair, ((8, 9), 1))
    assert array.tolist() == [304, 5.5, 7, 9]
    with pytest.raises(ValueError, match=r"Mismatched tile\[1\]\[0\] .* expected 2, .* got 3"):
        compiled(out, (3, 4), (5, 0.5), [7], (8, (3, 4)), pair, ((8, 9), 1))


def test_a_shape_of_numbers_in_a_tuple():
    """A layout of scale factors has the extents of the call."""
    from cutlass.utils import blockscaled_layout

    @cute.jit
    def host(out: cute.Tensor, problem: tuple):
        m, k, batch = problem
        layout = blockscaled_layout.tile_atom_to_shape_SF((m, cute.assume(k, 32), batch), 16)
        out[0] = cute.size(layout)

    array = np.zeros(1, np.int32)
    compiled = cute.compile(host, cute.runtime.from_dlpack(array), (0, 0, 0))
    compiled(cute.runtime.from_dlpack(array), (256, 512, 2))
    assert array.tolist() == [256 * 512 * 2]


def test_the_address_in_the_descriptor_of_a_tensor():
    """Programs write another address to the first field of what ``__c_pointers__`` gives, and pass the tensor again."""

    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        out[t] = a[t] + 1

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        kernel(a, out).launch(grid=1, block=4)

    first, second, out = (
        np.arange(4, dtype=np.int32),
        np.arange(4, dtype=np.int32) * 10,
        np.zeros(4, np.int32),
    )
    tensor = cute.runtime.from_dlpack(first).mark_layout_dynamic()
    compiled = cute.compile(host, tensor, out)
    address = ctypes.cast(tensor.__c_pointers__()[0], ctypes.POINTER(ctypes.c_int64))
    assert address[0] == first.ctypes.data
    assert int(tensor.__c_pointers__()[0]) == ctypes.cast(address, ctypes.c_void_p).value
    for call in (compiled, host):
        for array in (first, second, first):
            address[0] = array.ctypes.data
            assert tensor.iterator.address == array.ctypes.data
            call(tensor, out)
            np.testing.assert_array_equal(out, array + 1)


def test_numbers_in_dataclasses_are_arguments():
    """What compile() makes takes other numbers, also of tuples in fields; other fields are parts of the program."""

    @dataclasses.dataclass(frozen=True)
    class Inner:
        size: int
        pair: tuple = (1, 2)
        name: str = "x"

    @dataclasses.dataclass
    class Settings:
        inner: Inner
        scale: float
        fixed: cutlass.Constexpr[int]

    kinds = []

    @cute.jit
    def host(out: cute.Tensor, settings: Settings):
        inner = settings.inner
        kinds[:] = [
            type(number) for number in (inner.size, inner.pair[0], settings.scale, settings.fixed)
        ]
        out[0], out[1], out[2] = inner.size, inner.pair[1], settings.scale

    array = np.zeros(3, np.float32)
    out = cute.runtime.from_dlpack(array)
    compiled = cute.compile(host, out, Settings(Inner(0), 0.0, 3))
    assert kinds == [Int32, Int32, Float32, int]
    compiled(out, Settings(Inner(5, (6, 7)), 8.5, 3))
    assert array.tolist() == [5, 7, 8.5]
    with pytest.raises(ValueError, match=r"Mismatched settings.fixed .* expected 3, .* got 4"):
        compiled(out, Settings(Inner(5), 8.5, 4))
