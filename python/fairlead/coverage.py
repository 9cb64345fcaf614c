"""Coverage of kernels and traced host functions that run on the CPU, in the format of coverage.py.

``FAIRLEAD_COVERAGE=1``, ``pytest --fairlead-coverage`` and :func:`start` turn it on. A line counts if a thread executed
it, a branch if a thread went from its line to the next one. Each process writes a file at its end, which
``coverage combine`` takes.
"""

from __future__ import annotations

import atexit
import importlib
import linecache
import os
from typing import Any

from fairlead import _compiler
from fairlead._hints import name_keywords
from fairlead._tracing import covered, covering
from fairlead.errors import make_error, require

__all__ = ["arcs", "report", "save", "start", "stop", "threads"]

_FIELDS, _RECORDS = "\x1f", "\x1e"  # separators: fairlead/Coverage.h
# The folder where the process began: relative names of data files start there.
_FOLDER = os.getcwd()


def start() -> None:
    """Let programs that are traced from now on report the lines that they execute on the CPU."""
    covering.active = True


def stop() -> None:
    """Let the programs that are traced from now on report nothing. What was reported stays."""
    covering.active = False


def arcs() -> dict[str, set[tuple[int, int]]]:
    """Return the pairs of lines that were executed one after the other in this process, by file.

    As in coverage.py, the negative first line of a function means its entry or its exit.
    """
    pairs_by_file = {file: set(pairs) for file, pairs in covered.python_arcs.items()}
    for record in _compiler.cover_arcs().split(_RECORDS):
        if record:
            file, before, line = record.split(_FIELDS)
            pairs_by_file.setdefault(os.path.abspath(file), set()).add((int(before), int(line)))
    return pairs_by_file


def threads() -> dict[str, dict[int, int]]:
    """Return how many threads of this process executed each line, by file and line.

    A thread counts once for each time that it enters the line's function. Host functions have one thread.
    """
    counts_by_file: dict[str, dict[int, int]] = {}
    for record in _compiler.cover_threads().split(_RECORDS):
        if record:
            file, line, count = record.split(_FIELDS)
            counts = counts_by_file.setdefault(os.path.abspath(file), {})
            counts[int(line)] = counts.get(int(line), 0) + int(count)
    return counts_by_file


def report() -> str:
    """Return the lines of traced functions with the number of threads that executed them, as :func:`threads` counts.

    Each file is listed from its first to its last counted line. Other lines have no number.
    """
    parts = []
    for file, counts in sorted(threads().items()):
        parts.append(f"{file}\n")
        for line in range(min(counts), max(counts) + 1):
            number = f"{counts[line]:,}" if line in counts else ""
            parts.append(f"{number:>12} {line:>5}  {linecache.getline(file, line).rstrip()}\n")
    return "".join(parts)


def save(file: str | os.PathLike[str] | None = None, *, branches: bool = True) -> str | None:
    """Write the lines that this process has executed so far as a data file of coverage.py, and return its name.

    Args:
        file: its name; by default a new name next to coverage.py's own file, for ``coverage combine``.
        branches: False writes lines alone, to be combined with data that ``coverage run`` without ``--branch`` wrote.

    Returns None, and writes nothing, if nothing was executed.
    """
    require(save, file=file)
    pairs_by_file = arcs()
    if not pairs_by_file:
        return None
    data = _data_file(file)
    if branches:
        data.add_arcs(pairs_by_file)
    else:
        data.add_lines(
            {
                name: {line for arc in pairs for line in arc if line > 0}
                for name, pairs in pairs_by_file.items()
            }
        )
    data.write()
    return str(data.data_filename())


def _data_file(file: str | os.PathLike[str] | None) -> Any:
    try:
        package = importlib.import_module("coverage")
    except ImportError:
        raise make_error(
            "OptionValue",
            option="FAIRLEAD_COVERAGE",
            expected="the package `coverage` to be installed (pip install coverage)",
            got="an environment without it",
        ) from None
    if file is not None:
        name = os.fspath(file)
        if os.path.exists(name):
            os.remove(name)
        return package.CoverageData(basename=name)
    # The name is that of coverage.py's configuration, which also reads COVERAGE_FILE.
    base = os.path.join(_FOLDER, package.Coverage().config.data_file)
    return package.CoverageData(
        basename=base, suffix=f"fairlead.{os.getpid()}.{os.urandom(4).hex()}"
    )


def _save_at_exit() -> None:
    kind = covering.kind_of_environment()
    if kind is not None:
        save(branches=kind == "branch")


atexit.register(_save_at_exit)


name_keywords(__all__, globals())
