"""Pictures of layouts: the texts of their cells, and the counts below them."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
from support import dsl_support as support

from fairlead import Float16, Float32, Int32, cute, pictures
from fairlead._compiler import ptx_assembler
from fairlead.cute import _notebook

SVG = "{http://www.w3.org/2000/svg}"


def cells(picture):
    """[(hover, texts, whether it is outlined)] of a picture, row by row."""
    root = ElementTree.fromstring(picture.svg)
    found = []
    for group in root.iter(f"{SVG}g"):
        rectangle = group.find(f"{SVG}rect")
        texts = [each.text or "" for each in group.iter(f"{SVG}text")]
        found.append(
            (group.find(f"{SVG}title").text, texts, rectangle.get("stroke-width") == "2.5")
        )
    return found


def notes(picture):
    return [each.text for each in ElementTree.fromstring(picture.svg).iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("shape", "stride"),
    [((4, 8), (8, 1)), ((4, (2, 4)), (2, (1, 8))), (((2, 2), 3), ((1, 6), 2)), (5, 3)],
)
def test_a_layout_shows_every_index(shape, stride):
    layout = cute.make_layout(shape, stride=stride)
    picture = pictures.layout(layout)
    rows = cute.size(layout, mode=[0])
    columns = cute.size(layout) // rows
    expected = []
    for i in range(rows):
        for j in range(columns):
            index = layout((i, j)) if isinstance(shape, tuple) else layout(i)
            expected.append((f"({i},{j}) -> {index}", [str(index)], False))
    assert cells(picture) == expected
    assert str(picture).splitlines()[0] == picture.title == str(layout)
    assert picture.svg == pictures.layout(layout).svg


def test_rules_separate_the_parts_of_nested_modes():
    flat = pictures.layout(cute.make_layout((4, 8)))
    nested = pictures.layout(cute.make_layout(((2, 2), (2, (2, 2)))))
    assert flat.svg.count("<path") == 0
    # After row 2; after columns 2, 4, 6, and a thicker one after column 4.
    assert nested.svg.count("<path") == 1 + 3 + 1
    assert nested.svg.count('stroke-width="2"/>') == 1


def test_large_layouts_are_cut_off():
    picture = pictures.layout(cute.make_layout((100, 3)))
    assert len(cells(picture)) == 64 * 3
    assert "the first 64 x 3 of 100 x 3" in notes(picture)
    assert str(picture).endswith("the first 64 x 3 of 100 x 3")


def test_threads_and_values():
    tile, tv = cute.make_layout_tv(
        cute.make_layout((2, 4), stride=(4, 1)), cute.make_layout((1, 2))
    )
    picture = pictures.thread_values(tv, tile, thread=5)
    found = cells(picture)
    assert len(found) == 2 * 8
    for place, (hover, texts, outlined) in enumerate(found):
        i, j = divmod(place, 8)
        thread, value = 4 * i + j // 2, j % 2
        assert hover == f"({i},{j}): thread {thread}, value {value}"
        assert texts == [f"T{thread}", f"V{value}"]
        assert outlined == (thread == 5)


def test_a_partition_outlines_what_one_thread_has():
    _, tv = cute.make_layout_tv(cute.make_layout((2, 2)), cute.make_layout((2, 1)))
    layout = cute.make_layout((4, 2), stride=(2, 1))
    found = cells(pictures.partition(layout, tv, thread=3))
    assert [hover for hover, _, outlined in found if outlined] == [
        "(2,1) -> 5: value 0",
        "(3,1) -> 7: value 1",
    ]
    with pytest.raises(ValueError, match="but got thread 4, which holds none"):
        pictures.partition(layout, tv, thread=4)


MATRIX = cute.make_layout((32, 32), stride=(32, 1))
BY_COLUMNS = cute.make_layout((32, 32), stride=(1, 32))  # thread t has row t, value v column v
BY_ROWS = cute.make_layout((32, 32), stride=(32, 1))


@pytest.mark.parametrize(
    ("layout", "threads", "conflicts"),
    [
        (MATRIX, BY_COLUMNS, 31),
        (MATRIX, BY_ROWS, 0),
        (cute.make_layout((32, 32), stride=(33, 1)), BY_COLUMNS, 0),
        (cute.make_layout((32, 32), stride=(34, 1)), BY_COLUMNS, 1),
        (cute.make_composed_layout(cute.make_swizzle(5, 0, 5), 0, MATRIX), BY_COLUMNS, 0),
        (cute.make_composed_layout(cute.make_swizzle(3, 0, 5), 0, MATRIX), BY_COLUMNS, 3),
    ],
)
def test_conflicts_of_banks(layout, threads, conflicts):
    picture = pictures.banks(layout, Float32, threads)
    assert [each.conflicts for each in picture.accesses] == [conflicts] * 32
    assert all(each.ways == conflicts + 1 for each in picture.accesses)
    worst = f"{32 * conflicts} conflicts; outlined: the worst, {conflicts + 1}-way"
    assert f"32 accesses of a warp: {worst if conflicts else 'no conflicts'}" in notes(picture)
    outlined = 0
    for hover, texts, bold in cells(picture):
        index = int(re.search(r"-> (\d+)", hover)[1])
        assert texts[0] == str(index % 32)
        assert texts[1:] == ([f"T{re.search('thread (.*)', hover)[1]}"] if bold else [])
        outlined += bold
    assert outlined == (32 if conflicts else 0)


def test_cells_hold_their_numbers():
    """Cells of six digits are wider, so that numbers do not run into each other."""
    root = ElementTree.fromstring(pictures.layout(cute.make_layout((2, 2), stride=(100000, 7))).svg)
    rectangles = [each for each in root.iter(f"{SVG}rect")]
    assert all(float(each.get("width")) >= 6 * len("100007") for each in rectangles)
    left = sorted({float(each.get("x")) for each in rectangles})
    assert left[1] - left[0] == float(rectangles[0].get("width"))


def test_banks_of_halves_and_wide_accesses():
    """Two Float16 share a word: no conflict. Eight threads at a time read 16 bytes, as ldmatrix reads its rows."""
    rows = cute.make_layout((32, 32), stride=(32, 1))
    pairs = cute.make_layout((16, 2), stride=(64, 32))  # two neighbours of a row each
    picture = pictures.banks(rows, Float16, cute.make_layout((32, 1), stride=(32, 0)))
    assert picture.accesses[0].conflicts == 0
    assert pictures.banks(rows, 16, pairs).accesses[0].conflicts == 0
    # Thread t: 8 halves at the start of row t. Rows are 64 bytes, so rows two apart share their banks.
    wide = cute.make_layout((32, 8), stride=(1, 32))
    plain = pictures.banks(rows, Float16, wide, access_bits=128).accesses
    assert [each.ways for each in plain] == [4] * 4
    swizzled = cute.make_composed_layout(cute.make_swizzle(2, 3, 3), 0, rows)
    assert [
        each.ways for each in pictures.banks(swizzled, Float16, wide, access_bits=128).accesses
    ] == [1] * 4
    with pytest.raises(ValueError, match="values 0 and 1 of thread 0, which are not"):
        pictures.banks(rows, Float16, cute.make_layout((32, 2), stride=(32, 1)), access_bits=32)
    with pytest.raises(ValueError, match="access_bits"):
        pictures.banks(rows, Float16, wide, access_bits=24)


@pytest.mark.parametrize(
    ("stride", "lines", "used"), [((1, 32), "1 line", "100%"), ((32, 1), "32 lines", "3%")]
)
def test_coalescing(stride, lines, used):
    layout = cute.make_layout((32, 32), stride=stride)
    threads = cute.make_layout((32, 32), stride=(1, 32))
    picture = pictures.coalescing(layout, Float32, threads)
    text = f"32 threads touch {lines} of 128 bytes, of which they use {used}"
    assert text in notes(picture)
    assert sum(outlined for _, _, outlined in cells(picture)) == 32


def test_the_results_of_an_mma():
    """The picture of PTX's documentation: a row has four threads with two neighbours each; values 2 and 3 below."""
    atom = cute.make_mma_atom(cute.nvgpu.warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)))
    found = cells(pictures.mma(atom, "C"))
    for place, (_, texts, _) in enumerate(found):
        i, j = divmod(place, 8)
        assert texts == [f"T{i % 8 * 4 + j // 2}", f"V{i // 8 * 2 + j % 2}"]
    assert len(cells(pictures.mma(atom, "A"))) == 16 * 16
    with pytest.raises(ValueError, match='"A", "B" or "C"'):
        pictures.mma(atom, "D")


def test_a_tiled_mma_is_drawn_whole():
    op = cute.nvgpu.warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16))
    tiled = cute.make_tiled_mma(op, cute.make_layout((2, 2, 1)))
    assert [tiled.get_tile_size(mode) for mode in range(3)] == [32, 16, 16]
    one = cells(pictures.mma(cute.make_mma_atom(op), "C"))
    found = cells(pictures.mma(tiled, "C"))
    assert len(found) == 32 * 16
    for place, (_, texts, _) in enumerate(found):
        i, j = divmod(place, 16)
        (thread,), (value,) = (
            [text[1:] for text in one[i % 16 * 8 + j % 8][1] if text[0] == kind] for kind in "TV"
        )
        warp = i // 16 + 2 * (j // 8)
        assert texts == [f"T{32 * warp + int(thread)}", f"V{value}"]
    assert len(cells(pictures.mma(tiled, "A"))) == 32 * 16
    assert len(cells(pictures.mma(tiled, "B"))) == 16 * 16
    assert str(pictures.draw(tiled)) == str(pictures.mma(tiled, "C"))


def test_draw_and_notebooks():
    layout = cute.make_layout((4, 8))
    assert pictures.draw(layout).svg == pictures.layout(layout).svg == layout._repr_html_()
    atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), Float32)
    copy = cute.make_tiled_copy_tv(
        atom, cute.make_layout((4, 8), stride=(8, 1)), cute.make_layout((2, 2))
    )
    assert len(cells(pictures.draw(copy))) == 8 * 16
    assert copy._repr_html_() == pictures.draw(copy).svg
    with pytest.raises(
        TypeError, match="needs a layout, a tensor, a tiled copy or an MMA, but got int"
    ):
        pictures.draw(3)


@cute.jit
def doubles_on_a_gpu(a: cute.Tensor, b: cute.Tensor):
    double_one(a, b).launch(grid=1, block=32, smem=256)


@cute.kernel
def double_one(a: cute.Tensor, b: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    b[t] = a[t] * 2.0


def test_a_compiled_function_as_a_card():
    @cute.jit
    def doubles(a: cute.Tensor, b: cute.Tensor):
        b[:] = a[:] * 2.0

    compiled = cute.compile(
        doubles, support.vector(Float32), support.vector(Float32), options="--target cpu"
    )
    card = compiled._repr_html_()
    assert str(compiled.signature) in card and "cpu" in card and "trace" in card


def test_a_card_of_gpu_code(monkeypatch):
    """Registers say how many warps fit; without a GPU the card shows the rest."""
    compiled = cute.compile(
        doubles_on_a_gpu,
        support.vector(Float32),
        support.vector(Float32),
        options="--target cuda:sm_90a",
    )
    attributes = {"name": "k", "registers": 40}

    class WithGpu:
        signature, targets, phases, cached = compiled.signature, compiled.targets, {}, False
        kernel_attributes = staticmethod(lambda: [attributes])

    assert "registers 40, registers for 48 warps" in _notebook.card(WithGpu())
    attributes["registers"] = 255
    assert "registers for 8 warps" in _notebook.card(WithGpu())

    def no_driver(device=0):
        raise RuntimeError("no driver")

    monkeypatch.setattr(type(compiled), "kernel_attributes", lambda self, device=0: no_driver())
    monkeypatch.setattr(type(compiled), "__cubin__", property(no_driver))
    card = compiled._repr_html_()
    assert "cuda:sm_90a" in card and "registers" not in card
    assert "dynamic_shared_bytes 256, max_threads 32" in card


@pytest.mark.skipif(not ptx_assembler(), reason="there is no ptxas")
def test_a_card_of_machine_code():
    compiled = cute.compile(
        doubles_on_a_gpu,
        support.vector(Float32),
        support.vector(Float32),
        options="--target cuda:sm_90a",
    )
    assert compiled.artifact.shared_memory == {"double_one": 256}
    assert re.search(
        r"registers \d+, shared_bytes 0, dynamic_shared_bytes 256, local_bytes 0, max_threads 32, "
        r"registers for 64 warps",
        compiled._repr_html_(),
    )


def test_what_is_no_picture(tmp_path):
    with pytest.raises(ValueError, match="one or two modes, but got 3 modes"):
        pictures.layout(cute.make_layout((2, 3, 4)))

    @cute.jit
    def dynamic(out: cute.Tensor, n: Int32):
        layout = cute.make_layout((2, n))
        assert layout._repr_html_() is None
        pictures.layout(layout)

    with pytest.raises(TypeError, match="a picture needs a static layout, but got an extent of ?"):
        cute.compile(dynamic, support.vector(Float32), Int32, options="--target cpu")
    picture = pictures.layout(cute.make_layout((2, 2)))
    picture.save(tmp_path / "layout.svg")
    assert (tmp_path / "layout.svg").read_text() == picture.svg == picture._repr_svg_()
