"""Files that earlier versions exported load and run (docs/compatibility.md says for how long)."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from fairlead import _compiler, cute
from fairlead._exported.contents import contents
from fairlead._exported.format import FORMATS

DATA = Path(__file__).resolve().parent / "data"


def load(name, folder):
    if os.uname().machine != "x86_64":
        pytest.skip("the files were exported on x86-64")
    shutil.copy(DATA / name, folder)
    return cute.runtime.load_module(folder / name)


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.glob("*_format_*.o")))
def test_functions_with_structures_and_defaults(name, tmp_path):
    function = load(name, tmp_path).clip
    a, b = np.array([-1.0, 0.25, 3.0], np.float32), np.zeros(3, np.float32)
    function(a, b, (0.0, 1.0))
    np.testing.assert_array_equal(b, np.array([0.0, 0.5, 1.0], np.float32))
    function(a, b, limits=(-9.0, 2.0), scale=1.0)
    np.testing.assert_array_equal(b, np.array([-1.0, 0.25, 2.0], np.float32))
    with pytest.raises(TypeError, match="limits"):
        function(a, b, 1.0)
    with pytest.raises(ValueError, match=r"Mismatched b.shape\[0\] on argument #1"):
        function(a, b[:2], (0.0, 1.0))


def test_every_format_that_loads_has_a_file():
    formats = set()
    for path in DATA.glob("*.o"):
        for function in contents(path.read_bytes())["functions"]:
            formats.add(function["metadata"]["fairlead"].get("format", 1))
    assert formats == set(FORMATS)


def test_device_code_of_old_files_is_found():
    report = contents((DATA / "open_0_1_0_format_2.o").read_bytes())
    (part,) = [part for image in report["images"] for part in image["parts"]]
    assert part["arch"] == "compute_80"
    assert _compiler.image_fit(part["arch"], "sm_90a") == 1
