"""Running type checkers over the package, and over programs that use it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def mypy(folder: Path, *arguments: object, package: Path | None = None) -> str:
    """Return what mypy says; it keeps its cache in `folder`, and finds the package in `package`'s folder."""
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--cache-dir", folder / "cache", *arguments]
    path = {} if package is None else {"MYPYPATH": str(package.parent)}
    done = subprocess.run(
        [*map(str, command)],
        cwd=ROOT if package is None else folder,
        env={**os.environ, **path},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def mypy_lines(output: str) -> dict[str, list[int]]:
    """Return the lines with errors, by the name of the file."""
    lines: dict[str, list[int]] = {}
    for path, line in re.findall(r"^(.+?):(\d+): error", output, re.M):
        lines.setdefault(Path(path).name, []).append(int(line))
    return {name: sorted(set(numbers)) for name, numbers in lines.items()}


def pyright_lines(folder: Path, package: Path) -> dict[str, list[int]]:
    """Return the lines with errors that pyright finds in the programs in `folder`, by file name."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    program = os.environ.get("FAIRLEAD_PYRIGHT") or shutil.which("pyright", path=places)
    if program is None:
        pytest.skip("needs pyright: scripts/requirements/test.txt")
    settings = {"extraPaths": [str(package.parent)]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [program, "--outputjson", "--pythonpath", sys.executable],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    if not done.stdout.strip():
        pytest.skip(f"pyright does not start: {done.stderr[-200:]}")
    lines: dict[str, list[int]] = {}
    for finding in json.loads(done.stdout)["generalDiagnostics"]:
        if finding["severity"] == "error":
            line = finding["range"]["start"]["line"] + 1
            lines.setdefault(Path(finding["file"]).name, []).append(line)
    return {name: sorted(set(numbers)) for name, numbers in lines.items()}
