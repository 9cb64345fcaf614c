"""Complements, inverses and products of layouts whose strides are known only at run time."""

import numpy as np
import pytest
from support import dynamic_layout_programs as programs
from test_dynamic_layouts import traced

from fairlead import Int32, cute

make = cute.make_layout


def indices(text):
    """Return those of a layout's text."""
    return programs.indices(*(eval(part) for part in text.split(":")))


def test_complements_by_rows():
    """The stride of one mode is where another ends: known, so nothing is sorted."""
    text, values = traced(lambda m, n: cute.complement(make((m, n), stride=(n, 1)), 48), 4, 6)
    assert (text, values) == ("?:?", "2:24")
    assert traced(
        lambda m, n: cute.complement(cute.make_ordered_layout((m, n, 2), (1, 0, 2)), 96), 4, 6
    ) == ("?:?{div=2}", "2:48")


@pytest.mark.parametrize("s, t", [(1, 6), (6, 1)])
def test_complements_find_the_order(s, t):
    text, values = traced(lambda s, t: cute.complement(make((2, 2), stride=(s, t)), 24), s, t)
    assert text == "(?,?,?):(1,?{div=2},?{div=2})" and values == "(1,3,2):(1,2,12)"


def test_complements_of_one_stride_of_several():
    assert traced(lambda s: cute.complement(make((4, 2), stride=(1, s)), 32), 8) == (
        "(?,?):(4,?{div=2})",
        "(2,2):(4,16)",
    )


def test_inverses():
    assert traced(lambda m, n: cute.right_inverse(make((m, n), stride=(n, 1))), 4, 6) == (
        "(?,?):(?,1)",
        "(6,4):(4,1)",
    )
    # Modes that are not known to continue at another's end are left out.
    assert traced(lambda s: cute.right_inverse(make((8, 2), stride=(1, s))), 8)[0] == "8:1"
    # Rows of 6 elements, 12 apart: index 12 * i + j is that of the coordinate i + 4 * j.
    _, values = traced(lambda m, n, s: cute.left_inverse(make((m, n), stride=(s, 1))), 4, 6, 12)
    back = indices(values)
    assert [back[12 * i + j] for j in range(6) for i in range(4)] == list(range(24))


@pytest.mark.parametrize("product", [cute.raked_product, cute.blocked_product])
def test_products_of_blocks_of_any_strides(product):
    _, values = traced(lambda s, t: product(make((2, 4), stride=(s, t)), make((3, 2))), 4, 1)
    expected = product(make((2, 4), stride=(4, 1)), make((3, 2)))
    assert indices(values) == indices(repr(expected))


@pytest.mark.parametrize("divide", [cute.logical_divide, cute.zipped_divide])
def test_tiles_of_any_strides(divide):
    _, values = traced(lambda s: divide(make((4, 6)), make((2, 2), stride=(s, 1))), 4)
    expected = divide(make((4, 6)), make((2, 2), stride=(4, 1)))
    assert indices(values) == indices(repr(expected))


def test_a_lone_mode_of_a_product_keeps_its_leaves():
    """The repetitions fill the gaps of the block, and go on behind it."""
    block = make(4, stride=2)
    assert repr(cute.raked_product(block, make(4))) == "((2,2,4)):((1,8,2))"
    assert repr(cute.blocked_product(block, make(4))) == "((4,(2,2))):((2,(1,8)))"


def test_threads_of_run_time_extents():
    """Every element of the tile has one thread and one value."""
    values = make((4, 8), stride=(8, 1))

    @cute.kernel
    def device(m: Int32, n: Int32, out: cute.Tensor):
        tile, layout = cute.make_layout_tv(make((m, n), stride=(n, 1)), values)
        t, _, _ = cute.arch.thread_idx()
        for v in range(32):
            out[layout((t, v))] = 32 * t + v
        out[1024], out[1025] = tile[0], tile[1]

    @cute.jit
    def host(m: Int32, n: Int32, out: cute.Tensor):
        device(m, n, out).launch(grid=1, block=m * n)

    function = cute.compile(
        host, 1, 1, cute.runtime.make_fake_compact_tensor(Int32, (1026,)), options="--target cpu"
    )
    for m, n in [(4, 8), (2, 16), (1, 32)]:
        out = np.full(1026, -1, np.int32)
        function(m, n, out)
        tile, layout = cute.make_layout_tv(make((m, n), stride=(n, 1)), values)
        expected = np.empty(1024, np.int32)
        for t in range(32):
            for v in range(32):
                expected[layout((t, v))] = 32 * t + v
        np.testing.assert_array_equal(out[:1024], expected)
        assert tuple(out[1024:]) == tile


def test_tiled_copies_of_threads_of_run_time_extents():
    @cute.kernel
    def device(m: Int32, n: Int32, a: cute.Tensor, b: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        x, y, _ = cute.arch.block_idx()
        tiled = cute.make_tiled_copy_tv(
            cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), Int32),
            make((m, n), stride=(n, 1)),
            make((2, 4), stride=(4, 1)),
        )
        part = tiled.get_slice(t)
        source, target = part.partition_S(a), part.partition_D(b)
        for i in range(8):
            target[i, x, y] = source[i, x, y] + t * 1000

    @cute.jit
    def host(m: Int32, n: Int32, a: cute.Tensor, b: cute.Tensor):
        grid = (a.shape[0] // (2 * m), a.shape[1] // (4 * n))
        device(m, n, a, b).launch(grid=grid, block=m * n)

    shape = (cute.sym_int(), cute.sym_int())
    fakes = [
        cute.runtime.make_fake_compact_tensor(Int32, shape, stride_order=(1, 0)) for _ in range(2)
    ]
    function = cute.compile(host, 1, 1, *fakes, options="--target cpu --enable-assertions")
    for m, n in ((2, 4), (4, 2), (1, 8)):
        a = np.arange(16 * 64, dtype=np.int32).reshape(16, 64)
        b = np.full_like(a, -1)
        function(m, n, a, b)
        threads = np.arange(16)[:, None] // 2 % m * n + np.arange(64) // 4 % n
        np.testing.assert_array_equal(b, a + 1000 * threads)


def test_threads_that_are_not_known_to_be_one_to_one():
    def build(s):
        return cute.make_layout_tv(make((4, 8), stride=(s, 1)), make(2))[1]

    with pytest.raises(
        ValueError, match=r"make_layout_tv.*\(4,8\):\(\?,1\) and 2:1.*provably not overlap"
    ):
        traced(build, 8)


def test_strides_that_go_backwards_are_refused():
    with pytest.raises(ValueError, match=r"complement is not.*\(2,2\):\(-1,4\).*negative"):
        cute.complement(make((2, 2), stride=(-1, 4)), 8)


def test_what_does_not_lie_inside_is_asserted():
    @cute.kernel
    def device(s: Int32, out: cute.Tensor):
        out[0] = cute.size(cute.complement(make((4, 2), stride=(1, s)), 24))

    @cute.jit
    def host(s: Int32, out: cute.Tensor):
        device(s, out).launch(grid=1, block=1)

    function = cute.compile(
        host,
        1,
        cute.runtime.make_fake_compact_tensor(Int32, (1,)),
        options="--target cpu --enable-assertions",
    )
    out = np.zeros(1, np.int32)
    function(8, out)
    assert out[0] == 2 * 2
    with pytest.raises(AssertionError, match="complement of a layout: modes lie inside"):
        function(6, out)
