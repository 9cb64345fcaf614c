"""Layouts in Python, and tensors taken apart with them inside kernels."""

import numpy as np
import pytest

from fairlead import cute
from fairlead.utils import SmemAllocator

make = cute.make_layout


def test_making_and_printing():
    layout = make((2, (3, 4)), stride=(1, (2, 6)))
    assert repr(layout) == "(2,(3,4)):(1,(2,6))"
    assert layout.shape == (2, (3, 4)) and layout.stride == (1, (2, 6))
    assert repr(make((4, 8))) == "(4,8):(1,4)" and repr(make(7)) == "7:1"
    assert repr(cute.make_ordered_layout((4, 8, 2), (1, 0, 2))) == "(4,8,2):(8,1,32)"
    assert repr(make([make(4), make((2, 3))])) == "(4,(2,3)):(1,(1,2))"
    assert layout == make((2, (3, 4))) and layout != make((2, 12))
    assert (cute.size(layout), cute.rank(layout), cute.depth(layout), cute.cosize(layout)) == (
        24,
        2,
        2,
        24,
    )


def test_coordinates():
    layout = make((2, (3, 4)), stride=(12, (4, 1)))
    indices = [layout((i, (j, k))) for k in range(4) for j in range(3) for i in range(2)]
    assert indices == [layout(c) for c in range(24)]
    assert layout((1, 4)) == layout((1, (1, 1))) == 17
    assert layout.get_hier_coord(23) == (1, (2, 3)) and layout.get_flat_coord(23) == (1, 11)
    assert cute.crd2idx((1, 2), make((3, 5))) == 7 and cute.idx2crd(7, (3, 5)) == (1, 2)


@pytest.mark.parametrize(
    "function, expected",
    [
        (cute.logical_divide, "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))"),
        (cute.zipped_divide, "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"),
        (cute.tiled_divide, "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))"),
        (cute.flat_divide, "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))"),
    ],
)
def test_divide(function, expected):
    layout = make((9, (4, 8)), stride=(59, (13, 1)))
    tiler = (make(3, stride=3), make((2, 4), stride=(1, 8)))
    assert repr(function(layout, tiler)) == expected


@pytest.mark.parametrize(
    "function, expected",
    [
        (cute.blocked_product, "((2,3),(5,4)):((5,10),(1,30))"),
        (cute.raked_product, "((3,2),(4,5)):((10,5),(30,1))"),
        (cute.zipped_product, "((2,5),(3,4)):((5,1),(10,30))"),
        (cute.tiled_product, "((2,5),3,4):((5,1),10,30)"),
        (cute.flat_product, "(2,5,3,4):(5,1,10,30)"),
    ],
)
def test_product(function, expected):
    layout, tiler = make((2, 5), stride=(5, 1)), make((3, 4))
    assert repr(function(layout, tiler)) == expected


def test_modes():
    layout = make((2, (3, 4), 5))
    assert repr(cute.select(layout, [2, 0])) == "(5,2):(24,1)"
    assert repr(cute.get(layout, [1, 1])) == "4:6"
    assert repr(cute.group_modes(layout, 1, 3)) == "(2,((3,4),5)):(1,((2,6),24))"
    assert repr(cute.flatten(layout)) == "(2,3,4,5):(1,2,6,24)"
    assert repr(cute.slice_(layout, (0, None, 3))) == "((3,4)):((2,6))"
    assert repr(cute.dice(layout, (0, None, 3))) == "(2,5):(1,24)"
    assert repr(cute.coalesce(layout)) == "120:1"
    assert repr(cute.coalesce(make((2, (1, 6)), stride=(1, (6, 2))), target_profile=(1, 1))) == (
        "(2,6):(1,2)"
    )
    assert repr(cute.complement(make(4, stride=2), 24)) == "(2,3):(1,8)"
    assert repr(cute.composition(make((6, 2), stride=(8, 2)), make((4, 3), stride=(3, 1)))) == (
        "((2,2),3):((24,2),8)"
    )
    assert cute.flatten((1, (2, (3, 4)))) == (1, 2, 3, 4)
    assert repr(cute.right_inverse(make((2, 4), stride=(4, 1)))) == "(4,2):(2,1)"


@cute.kernel
def device_transpose(a: cute.Tensor, b: cute.Tensor):
    x, y, _ = cute.arch.block_idx()
    t, _, _ = cute.arch.thread_idx()
    source = cute.local_tile(a, (8, 4), (x, y))
    target = cute.local_tile(b, (4, 8), (y, x))
    assert source.shape == (8, 4) and target.shape == (4, 8)
    tile = SmemAllocator().allocate_tensor(cute.Float32, make((8, 4), stride=(4, 1)))
    row, column = t // 4, t % 4
    tile[row, column] = source[row, column]
    cute.arch.sync_threads()
    target[t // 8, t % 8] = tile[t % 8, t // 8]


@cute.jit
def transpose(a: cute.Tensor, b: cute.Tensor):
    grid = [a.shape[0] // 8, a.shape[1] // 4, 1]
    device_transpose(a, b).launch(grid=grid, block=[32, 1, 1])


def test_local_tile():
    a = np.random.default_rng(0).standard_normal((24, 20)).astype(np.float32)
    b = np.zeros((20, 24), np.float32)
    transpose(a, b)
    np.testing.assert_array_equal(b, a.T)


@cute.kernel
def device_values(a: cute.Tensor, b: cute.Tensor):
    """A tile of 4 values for each thread, by nested coordinates."""
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    tiles_a, tiles_b = cute.zipped_divide(a, 128), cute.zipped_divide(b, 128)
    block_a = cute.logical_divide(tiles_a[None, x], 4)
    block_b = cute.logical_divide(tiles_b[None, x], 4)
    mine = block_a[None, t]
    assert mine.shape == (4,) or mine.shape == 4
    for v in range(4):
        block_b[v, t] = mine[v] * 2.0


@cute.jit
def values(a: cute.Tensor, b: cute.Tensor):
    device_values(a, b).launch(grid=[cute.size(a) // 128, 1, 1], block=[32, 1, 1])


def test_values_of_threads():
    a = np.random.default_rng(1).standard_normal(128 * 9).astype(np.float32)
    b = np.zeros_like(a)
    values(a, b)
    np.testing.assert_array_equal(b, a * 2)


@cute.kernel
def device_partition(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    threads = make((4, 8), stride=(8, 1))
    mine, theirs = cute.local_partition(a, threads, t), cute.local_partition(b, threads, t)
    for i in range(cute.size(mine)):
        theirs[i] = mine[i] + t


@cute.jit
def partition(a: cute.Tensor, b: cute.Tensor):
    device_partition(a, b).launch(grid=[1, 1, 1], block=[32, 1, 1])


def test_local_partition():
    a = np.random.default_rng(2).integers(0, 99, (12, 24)).astype(np.int32)
    b = np.zeros_like(a)
    partition(a, b)
    thread = (np.arange(12)[:, None] % 4) * 8 + np.arange(24) % 8
    np.testing.assert_array_equal(b, a + thread)


@cute.kernel
def device_nested(a: cute.Tensor, out: cute.Tensor):
    pairs = cute.make_tensor(a.iterator, make(((2, 3), 4), stride=((12, 4), 1)))
    assert repr(pairs.layout) == "((2,3),4):((12,4),1)"
    out[0] = pairs[(1, 2), 3]
    out[1] = pairs[5, 3]
    out[2] = pairs[23]
    rest = pairs[(None, 1), 2]
    assert rest.shape == (2,)
    out[3] = rest[1]
    moved = cute.domain_offset((2, 1), pairs)
    assert moved.shape == pairs.shape
    out[4] = moved[0]


@cute.jit
def nested(a: cute.Tensor, out: cute.Tensor):
    device_nested(a, out).launch(grid=1, block=1)


@cute.jit
def other_views(a: cute.Tensor, out: cute.Tensor):
    out[0] = cute.make_tensor(a, cute.make_layout((4, 3), stride=(3, 1)))[1, 2]
    out[1] = cute.make_tensor(cute.domain_offset((2,), a), 4)[1]
    with pytest.raises(
        TypeError,
        match="make_tensor takes a pointer, a tensor or a coordinate, but got the class Float32",
    ):
        cute.make_tensor(cute.Float32, 4)
    with pytest.raises(TypeError, match="but got torch.Tensor"):
        cute.make_tensor(_ForeignTensor(), 4)


_ForeignTensor = type("Tensor", (), {"__module__": "torch"})


def test_tensors_of_tensors():
    """make_tensor begins at the first element of a tensor."""
    a = np.arange(24, dtype=np.float32)
    out = np.zeros(2, np.float32)
    other_views(a, out)
    assert list(out) == [5.0, 3.0]


def test_nested_tensors():
    a = np.arange(24, dtype=np.float32)
    out = np.zeros(5, np.float32)
    nested(a, out)
    assert out.tolist() == [12 + 8 + 3, 23, 23, 12 + 4 + 2, 4 + 1]


def test_tiles_of_run_time_extents_round_up():
    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        tiled = cute.zipped_divide(a, (4, None))
        out[0] = cute.size(tiled, mode=[1])
        out[1] = cute.size(tiled)

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=1)

    n, m = cute.sym_int(), cute.sym_int()
    a = cute.runtime.make_fake_compact_tensor(cute.Float32, (n, m), stride_order=(1, 0))
    out = cute.runtime.make_fake_compact_tensor(cute.Int32, (2,))
    compiled = cute.compile(host, a, out)
    result = np.zeros(2, np.int32)
    compiled(np.zeros((10, 3), np.float32), result)
    assert result.tolist() == [9, 36]


def test_local_tile_takes_its_tensor_by_name():
    @cute.jit
    def host(a: cute.Tensor):
        tile = cute.local_tile(input=a, tiler=(2, 4), coord=(1, None))
        assert cute.rank(tile) == 3
        with pytest.raises(TypeError, match="'input'"):
            cute.local_tile(tiler=(2, 4), coord=(1, None))

    host(np.zeros((4, 8), np.float32))
