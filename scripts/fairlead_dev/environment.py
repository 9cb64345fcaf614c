"""Python environments: .venv for building and testing, .venv-peers for packages of others.

An environment is updated when a requirements file changes; a stamp file records the installed
requirements. The index and its options are pip's own configuration.
"""

import hashlib
import os
import sys
from pathlib import Path

from . import steps

REQUIREMENTS = steps.ROOT / "scripts" / "requirements"


def python(name: str = ".venv") -> Path:
    return steps.ROOT / name / "bin" / "python"


def ensure(
    *groups: str, name: str = ".venv", interpreter: str = sys.executable, aside: bool = False
) -> Path:
    """Make the environment `name` with the requirement files `groups`; return its python.

    `aside`: True to run at the same time as another step.
    """
    folder = steps.ROOT / name
    executable = python(name)
    if folder.is_symlink() and executable.exists():
        return executable  # another checkout's, which others may be using: it stays as it is
    identity = f"{os.path.realpath(interpreter)}\n"
    marker = folder / "interpreter.txt"
    if not executable.exists() or not marker.exists() or marker.read_text() != identity:
        if folder.is_symlink():
            raise steps.StepFailed(
                f"{name} is a link to {folder.resolve()}, which another Python than {interpreter} made: remove it, "
                "or run with the Python of that environment (FAIRLEAD_PYTHON)"
            )
        steps.run(f"create {name}", [interpreter, "-m", "venv", "--clear", folder])
        marker.write_text(identity)
    missing = [group for group in groups if not _installed(folder, group)]
    if missing:
        files = [argument for group in missing for argument in ("-r", str(_file(group)))]
        # Without compiling: Python compiles the few modules that are imported, when they are.
        steps.run(
            f"pip install {' '.join(missing)} ({name})",
            [executable, "-m", "pip", "install", "--progress-bar=off", "--no-compile", *files],
            on_line=_pip_progress,
            aside=aside,
        )
        for group in missing:
            _stamp(folder, group).write_text(_hash(group))
    return executable


def _pip_progress(line: str) -> str | None:
    words = line.split()
    if len(words) > 1 and words[0] in ("Collecting", "Downloading", "Installing", "Processing"):
        return f"{words[0].lower()} {Path(words[1]).name[:40]}"
    return None


def _file(group: str) -> Path:
    return REQUIREMENTS / f"{group}.txt"


def _hash(group: str) -> str:
    return hashlib.sha256(_file(group).read_bytes()).hexdigest()


def _stamp(folder: Path, group: str) -> Path:
    return folder / f"installed-{group}.txt"


def _installed(folder: Path, group: str) -> bool:
    stamp = _stamp(folder, group)
    return stamp.exists() and stamp.read_text() == _hash(group)
