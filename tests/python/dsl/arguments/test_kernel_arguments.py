"""Arguments that a host function passes to a kernel besides tensors and numbers."""

import dataclasses
import typing

import numpy as np

import fairlead
from fairlead import Int32, cute
from fairlead.utils import SmemAllocator


@cute.struct
class Storage:
    values: cute.struct.MemRange[Int32, 4]


@dataclasses.dataclass(frozen=True)
class Options:
    count: Int32
    steps: int
    out: cute.Tensor


class Corner(typing.NamedTuple):
    x: Int32
    y: Int32


def test_layouts_swizzles_copies_and_none():
    seen = []

    @cute.kernel
    def device(
        out: cute.Tensor,
        layout: cute.Layout,
        composed,
        swizzle,
        places: cute.Tensor,
        storage: fairlead.Constexpr,
        nothing,
        tiled,
        atom,
    ):
        shared = SmemAllocator().allocate(storage)
        shared.values[0] = cute.size(layout)
        out[0] = shared.values[0]
        out[1] = composed((2, 1))
        out[2] = 1 if nothing is None else 2
        out[3] = places[1, 2][1]
        tile = cute.make_tensor(out.iterator, cute.make_layout(8))
        part = tiled.get_slice(1).partition_S(tile)
        target = cute.make_tensor(out.iterator + 8, cute.make_layout(8))
        cute.copy(atom, part, tiled.get_slice(1).partition_D(target))
        seen.append(str(swizzle))

    @cute.jit
    def host(out: cute.Tensor, n: Int32):
        swizzle = cute.make_swizzle(2, 0, 3)
        composed = cute.make_composed_layout(swizzle, 0, cute.make_layout((8, 8), stride=(8, 1)))
        atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), Int32)
        tiled = cute.make_tiled_copy_tv(atom, cute.make_layout(4), cute.make_layout(1))
        places = cute.make_identity_tensor((3, 4))
        layout = cute.make_layout((n, 2))
        device(out, layout, composed, swizzle, places, Storage, None, tiled, atom).launch(
            grid=1, block=1
        )

    out = np.arange(16, dtype=np.int32)
    host(out, 5)
    assert seen == ["S<2,0,3>"]
    assert out[:4].tolist() == [10, 2 * 8 + (1 ^ 2), 1, 2]
    # The second of four threads moves elements 1 and 5.
    assert out[8:].tolist() == [8, out[1], 10, 11, 12, 5, 14, 15]


def test_structures_made_on_the_host():
    @cute.kernel
    def device(options: Options, corner: Corner, tensors, named: typing.Any):
        for i in fairlead.range_constexpr(options.steps):
            options.out[i] = options.count + i
        moved = Corner(corner.y, corner.x)
        if corner.x > 1:
            moved = Corner(moved.x + 1, moved.y)
        (a, (b, scale)), last = tensors
        b[0] = a[0] * scale + moved.x * 10 + moved.y
        last[1] = named[1]

    @cute.jit
    def host(out: cute.Tensor, other: cute.Tensor, corner: Corner, n: Int32):
        options = Options(n, 3, out)
        tensors = [(out, (other, n)), other]
        device(options, Corner(corner.x, corner.y), tensors, (None, n + 1)).launch(grid=1, block=1)

    for x in (1, 2):
        out, other = np.zeros(4, np.int32), np.zeros(4, np.int32)
        host(out, other, Corner(Int32(x), Int32(5)), 7)
        assert out.tolist() == [7, 8, 9, 0]
        assert other.tolist() == [7 * 7 + (5 + (x > 1)) * 10 + x, 8, 0, 0]


def test_functions_and_classes():
    class Doubler:
        def __init__(self, times):
            self.times = times

        @cute.jit
        def __call__(self, x):
            for _ in range(self.times):
                x = x * 2
            return x

    @cute.kernel
    def device(out: cute.Tensor, function: fairlead.Constexpr, kind: fairlead.Constexpr):
        thread, _, _ = cute.arch.thread_idx()
        out[thread] = kind(function(thread) + 0.75).to(Int32)

    @cute.jit
    def host(out: cute.Tensor, function: fairlead.Constexpr):
        device(out, function, cute.Float32).launch(grid=1, block=4)

    for function, expected in (
        (Doubler(2), [0, 4, 8, 12]),
        (lambda x: x + 1, [1, 2, 3, 4]),
        (cute.jit(lambda x: x if x > 1 else x - 1), [0, 0, 2, 3]),
    ):
        out = np.zeros(4, np.int32)
        host(out, function)
        assert out.tolist() == expected, function
