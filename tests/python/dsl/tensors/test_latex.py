"""Pictures of layouts: what each place of the table shows."""

import re
import shutil
import subprocess

import pytest
from support import dsl_support as support

from fairlead import Float32, Int32, cute, utils

NODE = re.compile(r"\\node\[fill=(.*)\] at \((\d+),(\d+)\) \{(.*)\};")


def table(capsys):
    """{(row, column): text} of the picture that was printed."""
    text = capsys.readouterr().out
    assert text.startswith("%% Layout") and text.endswith("\\end{document}\n")
    assert text.count("\\begin{") == text.count("\\end{") == 2
    return {(int(i), int(j)): what for _, i, j, what in NODE.findall(text)}, text


@pytest.mark.parametrize(
    ("shape", "stride"),
    [((4, 8), (8, 1)), ((4, 8), (1, 4)), (((2, 2), (2, 4)), ((1, 8), (2, 16))), ((1, 1), (0, 0))],
)
def test_every_place_shows_its_index(shape, stride, capsys):
    layout = cute.make_layout(shape, stride=stride)
    utils.print_latex(layout)
    found, text = table(capsys)
    rows, columns = cute.size(layout, mode=[0]), cute.size(layout, mode=[1])
    assert text.splitlines()[0] == f"%% Layout: {layout}"
    assert found == {(i, j): str(layout((i, j))) for i in range(rows) for j in range(columns)}
    assert f"grid ({rows},{columns})" in text


def test_one_mode_is_a_column(capsys):
    utils.print_latex(cute.make_layout(5, stride=3))
    assert table(capsys)[0] == {(i, 0): str(3 * i) for i in range(5)}


def test_swizzled_layouts(capsys):
    layout = cute.make_composed_layout(
        cute.make_swizzle(2, 0, 3), 0, cute.make_layout((8, 8), stride=(8, 1))
    )
    utils.print_latex(layout)
    found, _ = table(capsys)
    assert found == {(i, j): str(i * 8 + (j ^ (i & 3))) for i in range(8) for j in range(8)}


def test_while_tracing(capsys):
    @cute.jit
    def function(out: cute.Tensor, n: Int32):
        utils.print_latex(cute.make_layout((2, 3)))
        out[0] = 1.0

    cute.compile(function, support.vector(Float32), Int32, options="--target cpu")
    assert table(capsys)[0][(1, 2)] == "5"

    @cute.jit
    def dynamic(out: cute.Tensor, n: Int32):
        utils.print_latex(cute.make_layout((2, n)))

    with pytest.raises(TypeError, match="a picture needs a static layout, but got an extent of ?"):
        cute.compile(dynamic, support.vector(Float32), Int32, options="--target cpu")


def test_three_modes_are_no_picture():
    with pytest.raises(ValueError, match="one or two modes, but the layout has 3"):
        utils.print_latex(cute.make_layout((2, 3, 4)))


def test_threads_and_values(capsys):
    """Each of four threads holds two neighbours of a row."""
    layout = cute.make_layout(((2, 2), 2), stride=((1, 4), 2))
    utils.print_latex_tv(layout, (2, 4))
    found, text = table(capsys)
    assert text.splitlines()[0] == f"%% Layout TV: {layout}"
    for thread in range(4):
        for value in range(2):
            place = layout((thread, value))
            assert found[place % 2, place // 2] == f"\\shortstack{{T{thread} \\\\ V{value}}}"
    assert len(found) == 8


def test_places_without_an_owner(capsys):
    utils.print_latex_tv(cute.make_layout((2, 1)), cute.make_layout((2, 2)))
    found, _ = table(capsys)
    assert found[0, 1] == found[1, 1] == "" and "T1" in found[1, 0]


def test_values_outside_of_the_tile():
    with pytest.raises(
        ValueError, match="value 1 of thread 0 lies at 4, outside of the tile's 4 places"
    ):
        utils.print_latex_tv(cute.make_layout((2, 2), stride=(1, 4)), (2, 2))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX")
def test_latex_takes_it(capsys, tmp_path):
    utils.print_latex(cute.make_layout((4, 8)))
    (tmp_path / "picture.tex").write_text(capsys.readouterr().out)
    subprocess.run(["pdflatex", "-interaction=batchmode", "picture"], cwd=tmp_path, check=True)
