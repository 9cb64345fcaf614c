"""Programs of the kernel language, as users' type checkers see them: mypy and pyright."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# The lines of wrong_program.py, each with one mistake.
WRONG_LINES = {"wrong_program.py": [3, 4, 5, 6]}


def mypy(packageDir, folder):
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(folder), "--follow-imports=silent"]
    return subprocess.run(
        [*command, "user_program.py", "wrong_program.py"],
        cwd=HERE,
        env={**os.environ, "MYPYPATH": str(packageDir.parent)},
        capture_output=True,
        text=True,
    )


@pytest.mark.timeout(300)
def test_mypy(packageDir, tmp_path):
    pytest.importorskip("mypy")
    done = mypy(packageDir, tmp_path)
    found: dict[str, list[int]] = {}
    for name, line in re.findall(r"^(\w+\.py):(\d+): error", done.stdout, re.M):
        found.setdefault(name, []).append(int(line))
    assert found == WRONG_LINES, done.stdout + done.stderr


@pytest.mark.timeout(300)
def test_pyright(packageDir, tmp_path):
    program = os.environ.get("FAIRLEAD_PYRIGHT") or shutil.which(
        "pyright", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    )
    if program is None:
        pytest.skip("needs pyright: scripts/requirements/test.txt")
    for name in ("user_program.py", "wrong_program.py"):
        shutil.copy(HERE / name, tmp_path)
    settings = {"extraPaths": [str(packageDir.parent)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [program, "--outputjson", "--pythonpath", sys.executable],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    if not done.stdout.strip():
        pytest.skip(f"pyright does not start: {done.stderr[-200:]}")
    found: dict[str, list[int]] = {}
    for each in json.loads(done.stdout)["generalDiagnostics"]:
        if each["severity"] == "error":
            line = each["range"]["start"]["line"] + 1
            found.setdefault(Path(each["file"]).name, []).append(line)
    assert found == WRONG_LINES, done.stdout
