"""Files that earlier versions exported: they run, or are refused with both versions named."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from fairlead import cute

DATA = Path(__file__).resolve().parent / "data"


@pytest.mark.parametrize("name", ["plain_0_1_0.o", "open_0_1_0.o"])
def test_runs_or_is_refused(name, tmp_path):
    shutil.copy(DATA / name, tmp_path)
    a, b = np.arange(200, dtype=np.float32), np.zeros(200, np.float32)
    try:
        function = cute.runtime.load_module(tmp_path / name).add_one
    except RuntimeError as error:
        assert "exported by Fairlead 0.1.0 for version 1 " in str(error)
        return
    function(a, b)
    np.testing.assert_array_equal(b, a + 1)
