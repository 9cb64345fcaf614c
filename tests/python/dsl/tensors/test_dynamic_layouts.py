"""Composition, division, products and tiles with extents and strides known only at run time."""

import re

import numpy as np
import pytest
from support import dynamic_layout_programs as programs

import fairlead
from fairlead import Int32, cute

make = cute.make_layout


def traced(build, *numbers, options="--target cpu"):
    """Return the layout that ``build`` prints for numbers of the call, and the one when the program runs."""
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
    """A certain divisor keeps its static form."""
    assert traced(lambda n: cute.composition(make((n * 8, 3)), make(8)), 2)[0] == "8:1"
    assert traced(lambda n: cute.logical_divide(make((n, 3)), (8, None)), 16)[0] == (
        "((8,?),3):((1,8),?)"
    )
    assert traced(lambda n: cute.logical_divide(make(n * 8), 8), 3)[0] == "(8,?):(1,8)"


def test_composition_that_never_fits():
    with pytest.raises(ValueError, match="composition"):
        traced(lambda n: cute.composition(make((4, 3), stride=(3, 1)), make(n, stride=6)), 2)


def test_factors_of_numbers():
    """Known factors go through arithmetic; the computed values agree."""
    cases = [
        ("n * 2", "?{div=8}"), ("2 * n", "?{div=8}"), ("n + 8", "?{div=4}"), ("n - 2", "?{div=2}"),
        ("n // 2", "?{div=2}"), ("n // 4", "?"), ("n // 3", "?"), ("n // -2", "?"),
        ("n % 8", "?{div=4}"), ("n % 6", "?{div=2}"), ("n % m", "?"), ("n * n", "?{div=16}"),
        ("n << 1", "?{div=8}"), ("n >> 1", "?{div=2}"), ("n >> 3", "?"), ("m & ~15", "?{div=16}"),
        ("n & m", "?{div=4}"), ("n | 6", "?{div=2}"), ("n ^ 8", "?{div=4}"), ("-n", "?{div=4}"),
        ("cute.ceil_div(n, 2)", "?{div=2}"), ("cute.ceil_div(m, 4)", "?"),
        ("cute.round_up(m, 8)", "?{div=8}"), ("fairlead.min(n, 8)", "?{div=4}"),
    ]  # fmt: skip
    texts = []

    @cute.jit
    def host(a: Int32, m: Int32, out: cute.Tensor):
        n = cute.assume(a, divby=4)
        for i in fairlead.range_constexpr(len(cases)):
            value = eval(cases[i][0], {"n": n, "m": m, "cute": cute, "fairlead": fairlead})
            texts.append(repr(value))
            out[i] = value

    example = cute.runtime.make_fake_compact_tensor(Int32, (len(cases),))
    function = cute.compile(host, Int32(4), Int32(4), example, options="--target cpu")
    assert dict(zip((case for case, _ in cases), texts, strict=True)) == dict(cases)
    for n, m in ((0, 1), (4, 7), (36, 5), (-12, 31)):
        out = np.zeros(len(cases), np.int32)
        function(n, m, out)
        for (case, text), value in zip(cases, out.tolist(), strict=True):
            assert value % int(re.sub(r"\D", "", text) or 1) == 0, (case, n, m, value)


def test_values_are_sliced():
    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        values = a.load()
        assert values[None, 1].shape == (4,) and values[None, None].shape == (4, 3)
        out[None, 0].store(values[None, 2])
        out[None, 1].store(values[None, 0] * values[None, 1])
        row = values[3, None]
        assert row.shape == (3,)
        out[0, 2] = row.reduce(cute.ReductionOp.ADD, Int32(0), 0)
        for wrong in ((None, 3), (4, None), (None, -1), (None, 0, 0)):
            with pytest.raises(IndexError):
                values[wrong]

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=1)

    a, out = np.arange(12, dtype=np.int32).reshape(4, 3), np.full((4, 3), -1, np.int32)
    fakes = [
        cute.runtime.make_fake_compact_tensor(Int32, (4, 3), stride_order=(1, 0)) for _ in range(2)
    ]
    cute.compile(host, *fakes, options="--target cpu")(a, out)
    assert out[:, 0].tolist() == a[:, 2].tolist()
    assert out[:, 1].tolist() == (a[:, 0] * a[:, 1]).tolist()
    assert out[:, 2].tolist() == [a[3].sum(), -1, -1, -1]


def test_composition_with_coordinates():
    """Steps along modes, as those of an identity layout, choose the modes."""
    assert repr(
        cute.composition(make((8, 6), stride=(6, 1)), make((3, 4), stride=(cute.E(1), cute.E(0))))
    ) == ("(3,4):(1,6)")
    text, values = traced(
        lambda s: cute.composition(
            make((8, 6), stride=(s, 1)), make((3, 4), stride=(cute.E(1), cute.ScaledBasis(2, 0)))
        ),
        50,
    )
    assert (text, values) == ("(3,4):(1,?{div=2})", "(3,4):(1,100)")


def test_arguments_that_are_no_layouts():
    places = cute.make_identity_tensor((8, 16))
    with pytest.raises(
        TypeError, match=r"an entry for each of proj=\(1, None\), but got \(4, 4, 4\)"
    ):
        cute.local_tile(places, (4, 4, 4), (0, 0), proj=(1, None))
    with pytest.raises(TypeError, match="an entry for each of proj"):
        cute.local_tile(places, (4, 4), 0, proj=(1, 1))

    def body(n):
        # A shape stands for its compact layout.
        part = cute.local_partition(places, (4, 8), n)
        assert repr(part) == repr(cute.local_partition(places, make((4, 8)), n))
        return make((n, 4))

    traced(body, 3)


def test_empty_modes_divide_nothing():
    """Coordinates of modes of extent 0, and threads that do not move, are 0; the compiler lives on."""
    empty = make((0, 4))
    assert empty(0) == 0 and cute.idx2crd(3, (0, 4)) == (0, 0)
    assert empty.get_hier_coord(5) == (0, 0)

    def body(n):
        assert repr(cute.idx2crd(n, (0, 4))) == "(0, 0)" and empty(n) == 0
        places = cute.make_identity_tensor((8, 8))
        part = cute.local_partition(places, make((4, 8), stride=(0, 1)), n)
        assert repr(part.layout) == "(2,1):(4@0,0)"
        return make((n, 4))

    traced(body, 3)
    with pytest.raises(ValueError, match="tile_to_shape"):
        cute.tile_to_shape(make((0, 4)), (8, 8), (0, 1))
