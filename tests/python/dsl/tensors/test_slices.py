"""Slicing keeps a mode for each open entry of a coordinate, also of nested ones."""

import numpy as np
import pytest

import fairlead as cutlass
from fairlead import cute
from fairlead.cute.runtime import from_dlpack


def traced(function, *args):
    """Return the answer of a function about layouts while it is traced."""
    said = []

    @cute.jit
    def host(args):
        said.append(function(*args))

    cute.compile(host, args)
    return said[0]


def test_a_lone_mode_stays_a_mode():
    def texts():
        layout = cute.make_layout(((2, 4), (3, 5), 7))
        return [
            str(cute.slice_(layout, coordinate))
            for coordinate in (
                (None, (0, 0), 0),
                (0, None, 0),
                (0, 0, None),
                (None, 0, None),
                None,
            )
        ]

    assert traced(texts) == [
        "((2,4)):((1,2))",
        "((3,5)):((8,24))",
        "(7):(120)",
        "((2,4),7):((1,2),120)",
        "((2,4),(3,5),7):((1,2),(8,24),120)",
    ]


def test_open_entries_inside_nested_coordinates_are_modes_of_the_result():
    def texts():
        layout = cute.make_layout(((2, 4), (3, (5, 6)), 7))
        return [
            str(cute.slice_(layout, coordinate))
            for coordinate in (
                ((None, None), 0, 0),
                ((None, 1), (None, 0), None),
                (0, (0, (None, 2)), 0),
                (0, (0, (None, None)), None),
                ((0, None), None, 0),
            )
        ]

    assert traced(texts) == [
        "(2,4):(1,2)",
        "(2,3,7):(1,8,720)",
        "(5):(24)",
        "(5,6,7):(24,120,720)",
        "(4,(3,(5,6))):(2,(8,(24,120)))",
    ]


def test_tuples_are_sliced_and_diced_as_layouts_are():
    def results():
        shape = (2, (3, 4), 5)
        layout = cute.make_layout(shape)
        found = []
        for coordinate in ((None, 0, 0), (0, (None, 0), None), (0, (None, None), 0), (0, None, 0)):
            found.append(cute.slice_(shape, coordinate) == cute.slice_(layout, coordinate).shape)
            found.append(cute.dice(shape, coordinate) == cute.dice(layout, coordinate).shape)
        return (
            found,
            cute.slice_(shape, (0, (None, 0), None)),
            cute.dice(shape, (0, (None, 0), None)),
        )

    same, sliced, diced = traced(results)
    assert all(same)
    assert sliced == (3, 5)
    assert diced == (2, 4)


def test_slices_of_tensors_keep_profiles():
    data = np.arange(4 * 8, dtype=np.float32).reshape(4, 8)
    said = []

    @cute.kernel
    def device(x: cute.Tensor, out: cute.Tensor):
        row, quarter = cute.arch.thread_idx()[0] // 2, cute.arch.thread_idx()[0] % 2
        tiles = cute.zipped_divide(x, (1, 4))
        part = tiles[None, (row, quarter)]
        said.append((part.shape, cute.size(part, mode=[0]), cute.size(tiles[0, None], mode=[0])))
        same = tiles[(None, None), (row, quarter)]
        said.append((same.shape, cute.rank(same)))
        values = part.load()
        said.append(values.shape)
        tile = cute.local_tile(x, (1, 4), (row, None))
        said.append(tile.shape)
        for i in cutlass.range_constexpr(4):
            out[row, quarter * 4 + i] = part[i] + same[0, i] + tile[0, i, quarter]

    @cute.jit
    def host(x: cute.Tensor, out: cute.Tensor):
        device(x, out).launch(grid=1, block=8)

    out = np.zeros_like(data)
    host(from_dlpack(data), from_dlpack(out))
    np.testing.assert_array_equal(out, 3 * data)
    assert said[0] == (((1, 4),), 4, 8)
    assert said[1] == ((1, 4), 2)
    assert said[2] == ((1, 4),)
    assert said[3] == (1, 4, 2)


def test_coordinate_tensors_are_sliced_likewise():
    def texts():
        tensor = cute.zipped_divide(cute.make_identity_tensor((4, 8)), (2, 4))
        whole = tensor[None, (1, 1)]
        return [
            str(whole),
            str(tensor[(None, None), (1, 1)]),
            str(tensor[(0, 0), None]),
            whole.type == str(whole),
        ]

    assert traced(texts) == [
        "tensor<(2,4) o ((2,4)):((1@0,1@1))>",
        "tensor<(2,4) o (2,4):(1@0,1@1)>",
        "tensor<(0,0) o ((2,2)):((2@0,4@1))>",
        True,
    ]


@pytest.mark.parametrize("coordinate", [(None, 0), (None, (0, 0, 0), 0), ((None, 0, 0), 0, 0)])
def test_a_coordinate_that_does_not_fit_is_an_error(coordinate):
    with pytest.raises(ValueError, match="slice_"):
        traced(lambda: cute.slice_(cute.make_layout(((2, 4), (3, 5), 7)), coordinate))
