"""The notebooks hold the tutorials as they are now, and their cells run without a file."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
from fairlead_dev import notebooks_verb  # noqa: E402

SCRIPTS = sorted(notebooks_verb.TUTORIALS.glob("[0-9]*.py"))
# Run cells as a notebook does: each cell is a source of its own, which `linecache` knows; there is no `__file__`.
RUN = """
import json, linecache, sys
path = sys.argv.pop(1)
sys.path.insert(0, path.rpartition("/")[0])
import __main__
for name in ("__file__", "__cached__"):
    vars(__main__).pop(name, None)
for index, cell in enumerate(json.load(open(path))["cells"]):
    if cell["cell_type"] == "code":
        source, file = "".join(cell["source"]) + "\\n", f"/cells/{index}.py"
        linecache.cache[file] = len(source), None, source.splitlines(True), file
        exec(compile(source, file, "exec"), vars(__main__))
"""


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_notebook_is_current(script):
    text = script.with_suffix(".ipynb").read_text()
    assert text == notebooks_verb.notebook(script.read_text()), "run ./run notebooks"


def test_cells_hold_every_line_of_a_script():
    for script in SCRIPTS:
        notebook = json.loads(script.with_suffix(".ipynb").read_text())
        code = "".join(
            "".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"
        )
        lines = [
            line for line in script.read_text().split("\n") if line and not line.startswith("# ")
        ]
        assert all(line in code for line in lines if line != "#"), script.name


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_cells_run_without_a_file(script, tmp_path):
    environment = {**os.environ, "FAIRLEAD_TARGET": "cpu"}
    command = [sys.executable, "-c", RUN, script.with_suffix(".ipynb"), "--quick"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stdout + run.stderr
