"""Composition, division, products and tiles with extents and strides known only at run time."""

import re

import dynamic_layout_programs as programs
import numpy as np
import pytest

import fairlead
from fairlead import Int32, cute

make = cute.make_layout


def traced(build, *numbers, options="--target cpu"):
    """What ``build`` makes of numbers of the call: the printed layout, and the one it is when the program runs."""
    texts = []

    @cute.kernel
    def device(numbers, out: cute.Tensor):
        layout = build(*numbers)
        texts.append(repr(layout))
        values = (*cute.flatten((layout.shape,)), *cute.flatten((layout.stride,)))
        for i in fairlead.range_constexpr(len(values)):
            out[i] = values[i]

    @cute.jit
    def host(numbers: tuple, out: cute.Tensor):
        device(numbers, out).launch(grid=1, block=1)

    out = np.full(32, -7, np.int32)
    example = cute.runtime.make_fake_compact_tensor(Int32, (32,))
    function = cute.compile(host, tuple(map(Int32, numbers)), example, options=options)
    function(tuple(numbers), out)
    values = iter(out.tolist())

    def known(part):
        return re.sub(r"\?(\{[^}]*\})?|\d+(?![^{]*\})", lambda _: str(next(values)), part)

    shape, stride = texts[0].split(":")
    return texts[0], known(shape) + ":" + known(stride)


def test_vectors_of_composition():
    assert traced(
        lambda s: cute.composition(make((6, 2), stride=(s, 2)), make((4, 3), stride=(3, 1))), 40
    ) == ("((2,2),3):((?{div=3},2),?)", "((2,2),3):((120,2),40)")
    text, values = traced(
        lambda m, n, s, t, p, q, u, v: cute.composition(
            make((m, n), stride=(s, t)), make((p, q), stride=(u, v))
        ),
        *(10, 2, 16, 4, 5, 4, 1, 5),
    )
    assert text == "((?,?),(?,?)):((?,?),(?,?))"
    assert values == "((5,1),(2,2)):((16,4),(80,4))"
    assert traced(
        lambda k, m, n, s, t, u: cute.composition(
            make((k, (m, n)), stride=(s, (t, u))), (make(3), make(8))
        ),
        *(12, 4, 8, 59, 13, 1),
    ) == ("(3,(?,?)):(?,(?,?))", "(3,(4,2)):(59,(13,1))")


def test_vectors_of_coalesce_and_division():
    assert traced(lambda s: cute.coalesce(make((2, (1, 6)), stride=(1, (s, 2)))), 99) == (
        "12:1",
        "12:1",
    )
    # (4,2,3):(2,1,8) by 4:2, all dynamic.
    text, values = traced(
        lambda a, b, c, s, t, u: cute.logical_divide(
            make((a, b, c), stride=(s, t, u)), make(4, stride=2)
        ),
        *(4, 2, 3, 2, 1, 8),
    )
    layout = cute.logical_divide(make((4, 2, 3), stride=(2, 1, 8)), make(4, stride=2))
    assert _function(values) == _function(repr(layout)) and "?" in text
    text, values = traced(
        lambda k, m, n, s, t, u: cute.zipped_divide(
            make((k, (m, n)), stride=(s, (t, u))), (make(3, stride=3), make((2, 4), stride=(1, 8)))
        ),
        *(9, 4, 8, 59, 13, 1),
    )
    expected = "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"
    assert _function(values) == _function(expected)


def test_vectors_of_products_and_complements():
    text, values = traced(
        lambda m, n: cute.blocked_product(make((m, n), stride=(5, 1)), make((3, 4))), 2, 5
    )
    assert _function(values) == _function("((2,3),(5,4)):((5,10),(1,30))"), text
    text, values = traced(
        lambda m, n: cute.raked_product(make((2, 5), stride=(5, 1)), make((m, n))), 3, 4
    )
    assert _function(values) == _function("((3,2),(4,5)):((10,5),(30,1))"), text
    assert traced(lambda n: cute.complement(make(n), 24), 4)[1] == "6:4"
    assert traced(lambda n: cute.complement(make(4, stride=2), n), 24)[1] == "(2,3):(1,8)"
    assert traced(lambda n: cute.complement(make(4), n * 8), 3) == ("?{div=2}:4", "6:4")


def _function(text):
    """The indices of a layout's text."""
    shape, stride = (eval(part) for part in text.split(":"))
    return programs.indices(shape, stride)


@pytest.mark.parametrize("seed", range(12))
def test_random_compositions(seed):
    programs.check_compositions(seed)


def test_tiles_of_dynamic_tensors():
    function = cute.compile(
        programs.tiles, *(programs.any_tensor() for _ in range(4)), options="--target cpu"
    )
    # The nested mode (n,k) is tiled by 8: along n, along k too, or by whole columns.
    for shape in ((4, 8, 1), (8, 16, 2), (4, 4, 2), (12, 2, 8), (8, 1, 24)):
        programs.check_tiles(function, shape)


def test_tile_over_all_modes():
    """A tile of a two-dimensional tensor as one, of any extents that it divides."""

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        tiles = cute.zipped_divide(a, 8)
        assert repr(tiles.layout) == "((?,?),(?,?)):((?,1),(?{div=8},?))"
        for i in range(cute.size(a) // 8):
            tile = tiles[None, i]
            for j in range(8):
                out[i, j] = tile[j]

    fake = cute.runtime.make_fake_compact_tensor
    function = cute.compile(
        host,
        fake(Int32, (cute.sym_int(), cute.sym_int()), stride_order=(1, 0)),
        fake(Int32, (cute.sym_int(), 8), stride_order=(1, 0)),
        options="--target cpu",
    )
    for shape in ((16, 3), (4, 6), (1, 24), (8, 1), (2, 4)):
        a = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
        out = np.full((a.size // 8, 8), -1, np.int32)
        function(a, out)
        assert np.array_equal(out.ravel(), a.T.ravel()), shape


def unfit(options):
    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        out[0] = cute.size(cute.composition(a.layout, make(8)))

    fake = cute.runtime.make_fake_compact_tensor
    return cute.compile(
        host,
        fake(Int32, (cute.sym_int(), cute.sym_int()), stride_order=(1, 0)),
        fake(Int32, (1,)),
        options="--target cpu " + options,
    )


def test_what_does_not_divide_is_asserted():
    checked = unfit("--enable-assertions")
    out = np.zeros(1, np.int32)
    for shape in ((4, 6), (8, 1), (10, 1), (2, 4), (16, 2), (0, 3)):
        checked(np.zeros(shape, np.int32), out)
        assert out[0] == (0 if 0 in shape else 8), shape
    for shape in ((6, 4), (3, 8), (7, 2)):
        with pytest.raises(AssertionError, match="composition of layouts: extents and strides"):
            checked(np.zeros(shape, np.int32), out)
    unfit("")(np.zeros((6, 4), np.int32), out)  # taken for granted


def test_known_factors():
    """What divides for sure keeps its static form."""
    assert traced(lambda n: cute.composition(make((n * 8, 3)), make(8)), 2)[0] == "8:1"
    assert traced(lambda n: cute.logical_divide(make((n, 3)), (8, None)), 16)[0] == (
        "((8,?),3):((1,8),?)"
    )
    assert traced(lambda n: cute.logical_divide(make(n * 8), 8), 3)[0] == "(8,?):(1,8)"


def test_composition_that_never_fits():
    with pytest.raises(ValueError, match="composition"):
        traced(lambda n: cute.composition(make((4, 3), stride=(3, 1)), make(n, stride=6)), 2)
