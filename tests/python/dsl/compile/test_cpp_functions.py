"""Functions of the C++ language as Python calls them: by keyword, with defaults, tuples whole."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from fairlead import cute

_PROGRAM = "example_export_for_python"


def _program():
    build = os.environ.get("FAIRLEAD_BUILD_DIR")
    found = sorted(Path(build).rglob(_PROGRAM)) if build else []
    if not found:
        pytest.skip(f"{_PROGRAM} is not built")
    return found[0]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    path = tmp_path_factory.mktemp("cpp") / "place.o"
    run = subprocess.run([_program(), path], capture_output=True, text=True, check=True)
    assert run.stdout.endswith("all places are right\n")
    return cute.runtime.load_module(path).place


def expected(start, stride, scale, count=8):
    first = start[0] + start[1] * stride
    return [(first + i % 4 + i // 4 * stride) * scale for i in range(count)]


def test_tuples_and_layouts_are_passed_whole(place):
    out = np.full(8, -1, np.int32)
    place(out, (1, 2), ((4, 8), (1, 4)), 3)
    assert out.tolist() == expected((1, 2), 4, 3)
    place(out, [3, 0], [[4, 2], [1, 100]], 1)
    assert out.tolist() == expected((3, 0), 100, 1)


def test_keywords_and_defaults(place):
    out = np.full(8, -1, np.int32)
    place(out, layout=((4, 8), (1, 5)), start=(0, 1))
    assert out.tolist() == expected((0, 1), 5, 2)
    place(layout=((4, 8), (1, 5)), out=out, scale=7, start=(0, 1), bias=None)
    assert out.tolist() == expected((0, 1), 5, 7)


def test_what_does_not_fit(place):
    out = np.full(8, -1, np.int32)
    layout = ((4, 8), (1, 4))
    with pytest.raises(TypeError, match=r"layout"):
        place(out, (1, 2), (4, 8, 1, 4))
    with pytest.raises((TypeError, ValueError), match=r"layout\[0\]\[0\]"):
        place(out, (1, 2), ((5, 8), (1, 4)))  # the extent 4 is part of the program
    with pytest.raises(TypeError, match="bias"):
        place(out, (1, 2), layout, 1, 5)
    with pytest.raises(TypeError, match="start"):
        place(out, layout=layout)
    with pytest.raises(TypeError, match="factor"):
        place(out, (1, 2), layout, factor=3)
    assert (out == -1).all()
