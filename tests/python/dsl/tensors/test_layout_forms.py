"""Forms of calls of functions on layouts, tuples and tensors, and values that cannot be iterated over."""

import pytest

import fairlead
from fairlead import cute, utils

make = cute.make_layout
LAYOUT = make((9, (4, 8)), stride=(59, (13, 1)))


def traced(check):
    """Runs ``check(tensor)`` while a function is traced for a (4,8):(8,1) tensor of Float32."""

    @cute.jit
    def function(a: cute.Tensor):
        check(a)

    fake = cute.runtime.make_fake_compact_tensor(cute.Float32, (4, 8), stride_order=(1, 0))
    cute.compile(function, fake)


def test_modes_of_queries():
    assert cute.cosize(LAYOUT, mode=[1]) == 3 * 13 + 7 + 1 and cute.cosize(LAYOUT) == 519
    assert (cute.rank(LAYOUT, mode=[1]), cute.rank(LAYOUT, mode=[0]), cute.rank((2, 3))) == (
        2,
        1,
        2,
    )
    assert (cute.depth(LAYOUT), cute.depth(LAYOUT, mode=[1]), cute.depth(LAYOUT, mode=[0])) == (
        2,
        1,
        0,
    )
    assert cute.size(LAYOUT, mode=[1, 0]) == 4


def test_coalesce_takes_a_profile_by_place():
    layout = make((2, (1, 6)), stride=(1, (6, 2)))
    assert repr(cute.coalesce(layout, (1, 1))) == "(2,6):(1,2)"
    assert repr(cute.coalesce(layout, target_profile=(1, 1))) == "(2,6):(1,2)"


def test_append_and_prepend():
    one = make(1, stride=0)
    assert cute.append((1, 2), 3) == (1, 2, 3) and cute.prepend((1, 2), 3) == (3, 1, 2)
    assert cute.append(5, 1, up_to_rank=3) == (5, 1, 1) and cute.prepend(
        (4, 5), 1, up_to_rank=2
    ) == (4, 5)
    assert repr(cute.append(LAYOUT, one, up_to_rank=4)) == "(9,(4,8),1,1):(59,(13,1),0,0)"
    assert repr(cute.prepend(LAYOUT, one)) == "(1,9,(4,8)):(0,59,(13,1))"
    assert cute.append_ones((2,), up_to_rank=3) == (2, 1, 1)
    assert cute.prepend_ones((2,), up_to_rank=3) == (1, 1, 2)

    def check(a):
        assert repr(cute.prepend(a, one).layout) == "(1,4,8):(0,8,1)"
        assert repr(cute.append_ones(a, up_to_rank=4).layout) == "(4,8,1,1):(8,1,0,0)"
        assert repr(cute.prepend_ones(a, up_to_rank=4).layout) == "(1,1,4,8):(0,0,8,1)"
        assert a.type == repr(a)

    traced(check)


def test_elementwise_on_tuples_of_other_lengths():
    assert cute.ceil_div((7, 9, 3), (2, 4)) == (4, 3, 3)
    assert cute.ceil_div((7, (9, 5)), (2, (4, 2))) == (4, (3, 3))
    assert cute.round_up((7, 9, 3), (4, 4)) == (8, 12, 3)
    with pytest.raises(ValueError, match="ceil_div is not defined"):
        cute.ceil_div((7,), (2, 4))


def test_steps_along_modes_multiply():
    assert repr(cute.E(1) * 3) == repr(3 * cute.E(1)) == "3@1"
    assert cute.ScaledBasis(2, 0) * 4 == cute.ScaledBasis(8, 0)
    with pytest.raises(TypeError, match="one integer"):
        cute.E(0) * cute.E(1)
    with pytest.raises(TypeError, match="an integer to multiply a ScaledBasis by"):
        cute.E(0) * "x"


def test_modes_of_a_layout():
    assert [repr(mode) for mode in LAYOUT] == ["9:59", "(4,8):(13,1)"] and len(LAYOUT) == 2
    assert repr(LAYOUT[-1]) == "(4,8):(13,1)"
    for mode in (2, -3):
        with pytest.raises(IndexError, match="out of range"):
            LAYOUT[mode]


def test_no_loop_over_a_tensor():
    def over_tensor(a):
        list(a)

    def over_values(a):
        next(iter(a.load()))

    def over_coordinates(a):
        for _ in cute.make_identity_tensor(a.shape):
            pass

    def unpacked(a):
        (*_,) = a

    for check in (over_tensor, over_values, over_coordinates, unpacked):
        with pytest.raises(TypeError, match="for i in range"):
            traced(check)

    @cute.jit
    def loop(a: cute.Tensor):
        for x in a:
            fairlead.cute.printf(x)

    with pytest.raises(TypeError, match="for i in range"):
        cute.compile(loop, cute.runtime.make_fake_compact_tensor(cute.Float32, (4,)))


def test_coordinate_tensors_say_their_size():
    def check(a):
        places = cute.make_identity_tensor(a.shape)
        assert places.size == 32 and places.ndim == 2

    traced(check)


@pytest.mark.parametrize(
    ("shape", "stride", "like", "fragment"),
    [
        (4, 1, "4:1", "4:1"),
        ((4,), (1,), "(4):(1)", "(4):(1)"),
        ((4, 3, 2), (6, 2, 1), "(4,3,2):(6,2,1)", "(4,3,2):(1,8,4)"),
        ((4, 3, 2), (1, 0, 4), "(4,3,2):(1,0,4)", "(4,3,2):(1,4,12)"),
        ((1, 8), (64, 16), "(1,8):(0,1)", "(1,8):(0,1)"),
        (
            ((2, 2, 2), 4, 4),
            ((128, 8, 1024), 32, 2048),
            "((2,2,2),4,4):((8,1,16),2,32)",
            "((2,2,2),4,4):((1,2,4),8,32)",
        ),
    ],
)
def test_layouts_like_others(shape, stride, like, fragment):
    layout = cute.make_layout(shape, stride=stride)

    def check(_):
        tensor = cute.make_rmem_tensor(layout, cute.Float32)
        assert (tensor.shape, tensor.stride) == (shape, layout.stride)
        assert repr(cute.make_layout_like(layout)) == like
        assert repr(cute.make_rmem_tensor_like(tensor).layout) == like
        assert cute.make_rmem_tensor_like(layout, cute.Float16).shape == shape
        assert repr(cute.make_fragment_like(tensor, cute.Float16).layout) == like
        assert repr(cute.make_fragment_like(layout)) == fragment
        assert repr(cute.make_fragment_like(layout, cute.Float16).layout) == fragment

    traced(check)


def test_what_two_layouts_share():
    rows, columns = cute.make_layout((4, 8), stride=(8, 1)), cute.make_layout((4, 8))
    assert repr(cute.max_common_layout(rows, rows)) == "(8,4):(4,1)"
    assert cute.max_common_vector(columns, cute.make_layout((4, 8), stride=(1, 16))) == 4
    assert cute.max_common_vector(rows, columns) == 1


def test_tiles_keep_the_atom_and_its_repetitions():
    atom = cute.make_layout((8, 64), stride=(64, 1))
    assert repr(cute.tile_to_shape(atom, (16, 64, 3), (0, 1, 2))) == (
        "((8,2),(64,1),(1,3)):((64,512),(1,0),(0,1024))"
    )


@pytest.mark.parametrize(
    ("shape", "stride", "major"),
    [
        ((4, 8), (8, 1), "ROW_MAJOR"),
        (((2, 4), 8, 1), ((64, 128), 1, 0), "ROW_MAJOR"),
        (((2, 4), 8, 1), ((1, 2), 8, 0), "COL_MAJOR"),
    ],
)
def test_which_mode_is_contiguous(shape, stride, major):
    """Also of modes that consist of modes."""

    @cute.jit
    def host(a: cute.Tensor):
        tensor = cute.make_tensor(a.iterator, cute.make_layout(shape, stride=stride))
        assert utils.LayoutEnum.from_tensor(tensor) is utils.LayoutEnum[major]

    cute.compile(host, cute.runtime.make_fake_compact_tensor(cute.Float32, (1024,)))


def test_the_shape_of_a_tiler():
    """Its layouts have a shape each."""
    tiler = (cute.make_layout((4, 2), stride=(1, 8)), 3)
    assert cute.shape(tiler) == ((4, 2), 3)
    assert cute.shape(tiler, mode=[0, 1]) == 2
    assert cute.size(cute.shape(tiler)) == 24
