"""The programs on the pages about frameworks run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.mark.parametrize(("page", "needs"), [("pytorch", "torch"), ("jax", "flatbuffers")])
def test_page(page, needs, tmp_path):
    pytest.importorskip(needs)
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / f"{page}.md").read_text(), re.M | re.S)
    assert len(blocks) >= 3
    # One after the other, in one module; a file, since the source of functions is read.
    program = tmp_path / f"{page}_page.py"
    program.write_text("\n".join(blocks))
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
