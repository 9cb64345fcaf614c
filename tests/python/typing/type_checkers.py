"""Running type checkers over programs that use the package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def mypy(package: Path, folder: Path, *files: Path) -> subprocess.CompletedProcess[str]:
    """Have mypy check programs as it checks a user's, in `folder`, where it keeps its cache."""
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--config-file=", "--cache-dir", str(folder)]
    return subprocess.run(
        [*command, "--follow-imports=silent", *map(str, files)],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(package.parent)},
        capture_output=True,
        text=True,
    )
