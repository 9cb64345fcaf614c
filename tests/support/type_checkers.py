"""Running type checkers over the package, and over programs that use it."""

from __future__ import annotations

import atexit
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The options that --strict stands for.
STRICT = """
    disallow-any-generics, disallow-subclassing-any, disallow-untyped-calls, disallow-untyped-defs,
    disallow-incomplete-defs, check-untyped-defs, disallow-untyped-decorators, warn-redundant-casts,
    warn-unused-ignores, warn-return-any, no-implicit-reexport, strict-equality, extra-checks
""".split(",")


@functools.cache
def shared_folder() -> Path:
    """Return a folder of this process. mypy keeps its cache there: most of its time goes into the frameworks, which
    are the same for all programs."""
    folder = tempfile.mkdtemp(prefix="fairlead-mypy-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def mypy_of_package(cache: Path) -> str:
    """Return what mypy says about the package, with the settings of pyproject.toml."""
    return _mypy(ROOT, ["--cache-dir", cache], {})


def mypy_of_programs(paths: Sequence[Path], package: Path, strict: bool = False) -> str:
    """Return what mypy says about programs that use the package in the folder `package`."""
    folder = Path(tempfile.mkdtemp(dir=shared_folder()))
    copies = [folder / path.name for path in paths]
    comment = "\n" + "".join(f"# mypy: {option.strip()}\n" for option in STRICT) if strict else ""
    for path, copy in zip(paths, copies, strict=True):
        # An option of the command would make mypy read all that is imported again.
        copy.write_text(path.read_text() + comment)
    options = ["--config-file=", "--follow-imports=silent", "--ignore-missing-imports"]
    options += ["--disable-error-code=import-untyped", "--cache-dir", shared_folder() / "cache"]
    return _mypy(folder, [*options, *copies], {"MYPYPATH": str(package.parent)})


def _mypy(folder: Path, arguments: Iterable[object], variables: dict[str, str]) -> str:
    pytest.importorskip("mypy")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **variables},
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
    settings = {"extraPaths": [str(package.parent)]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    lines: dict[str, list[int]] = {}
    for error in pyright_errors(folder):
        line = error["range"]["start"]["line"] + 1
        lines.setdefault(Path(error["file"]).name, []).append(line)
    return {name: sorted(set(numbers)) for name, numbers in lines.items()}


def pyright_errors(folder: Path) -> list[dict[str, Any]]:
    """Return the errors that pyright finds, with the settings in `folder`."""
    places = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    program = os.environ.get("FAIRLEAD_PYRIGHT") or shutil.which("pyright", path=places)
    if program is None:
        pytest.skip("needs pyright: scripts/requirements/test.txt")
    done = subprocess.run(
        [program, "--outputjson", "--pythonpath", sys.executable],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    if not done.stdout.strip():
        pytest.skip(f"pyright does not start: {done.stderr[-200:]}")
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] > 0, done.stdout
    return [error for error in report["generalDiagnostics"] if error["severity"] == "error"]
