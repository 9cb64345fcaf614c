"""Import every module of an unpacked package whose text names the language, over fairlead.compat.

    python tests/libraries/probe.py FOLDER [--path FOLDER...] [--limit 60] [--json FILE] [--again ROW]

FOLDER is where the package's wheel is unpacked; ``--path`` names folders of packages that it needs. Modules are
imported in one process, and in another one after a module that dies or hangs. With ``--again``, a row of an earlier
run, only modules that failed in it are imported, and the others count as importing.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import json
import math
import os
import re
import resource
import select
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

import names
import own_loaders

#: The outcome of a module that imports.
IMPORTS = "imports"
ENDED = "ended"
# Failures that no other module can cause.
_ITS_OWN = (
    IMPORTS,
    "needs ",
    "ImportError",
    "ModuleNotFoundError",
    "NameError",
    "ValueError",
    "hangs",
)
_LANGUAGE = "cutlass"
# Modules whose absence is ours: the names that fairlead.compat gives.
_OURS = ("cutlass", "tvm_ffi", "fairlead")


def language_modules(folder: Path) -> dict[str, Path]:
    """Name -> file of the folder's modules whose text names the language: most import it, some by other modules."""
    modules = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        named = parts and all(part.isidentifier() for part in parts)
        if named and _LANGUAGE in path.read_text(encoding="utf-8", errors="replace"):
            modules[".".join(parts)] = path
    return modules


def outcome_of_import(module: str, own: set[str]) -> str:
    """Return `imports`, ``needs NAME`` for a missing package that is not ours, or the exception."""
    try:
        (own_loaders.loader_of(module) or importlib.import_module)(module)
    except ModuleNotFoundError as error:
        top = (error.name or "").partition(".")[0]
        if top and top not in _OURS and top not in own:
            return f"needs {top}"
        return described(error)
    except BaseException as error:  # a module may call sys.exit
        return described(error)
    return IMPORTS


def described(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [""]
    frames = traceback.extract_tb(error.__traceback__)
    frame = next((f for f in reversed(frames) if "importlib" not in f.filename), frames[-1])
    where = f"{Path(frame.filename).name}:{frame.lineno}"
    # Addresses and folders differ from run to run.
    text = re.sub(r" \(/[^)]*\)| \(unknown location\)|0x[0-9a-f]+", "", lines[0])
    text = re.sub(r"/\S*/(?:site-packages|packages/[^/\s]+)/", "", text)
    return f"{type(error).__name__}: {text[:160]} ({where})"


def _import_in_turn(modules: list[str], own: set[str], writing: int, limit: float) -> None:
    """Write the outcome of each module to the pipe as soon as it is known; does not return.

    ``limit`` is in seconds of processor time, which other processes of the machine do not take away.
    """
    os.setpgid(0, 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    for module in modules:
        spent = resource.getrusage(resource.RUSAGE_SELF)
        most = spent.ru_utime + spent.ru_stime + limit
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(most), resource.RLIM_INFINITY))
        line = json.dumps([module, outcome_of_import(module, own)]) + "\n"
        os.write(writing, line.encode())
    os._exit(0)


def probe(modules: list[str], limit: float) -> dict[str, str]:
    """Module -> outcome. They share a process; after one that dies or hangs, the rest has another.

    A module that another one may have disturbed is tried once more in its own process.
    """
    own = {module.partition(".")[0] for module in modules} - {"cutlass"}
    outcomes: dict[str, str] = {}
    while left := [module for module in modules if module not in outcomes]:
        _import_together(left, own, outcomes, limit)
    for module in [module for module in modules if not outcomes[module].startswith(_ITS_OWN)]:
        del outcomes[module]
        _import_together([module], own, outcomes, limit)
    return outcomes


def _import_together(
    modules: list[str], own: set[str], outcomes: dict[str, str], limit: float
) -> None:
    """Add the outcomes of the modules, up to one that dies or hangs."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _import_in_turn(modules, own, writing, limit)
    os.close(writing)
    # One that waits for something takes no processor time.
    end = read_outcomes(reading, outcomes, 10 * limit)
    if end != ENDED:
        os.killpg(child, signal.SIGKILL)
    os.close(reading)
    _, status = os.waitpid(child, 0)
    stopped = next((module for module in modules if module not in outcomes), None)
    if stopped:
        code = os.waitstatus_to_exitcode(status)
        if code == -signal.SIGXCPU:
            end = f"hangs: over {limit:.0f} s of processor time"
        outcomes[stopped] = end if end != ENDED else f"dies: {code}"


def read_outcomes(reading: int, outcomes: dict[str, str], limit: float) -> str:
    """Add the lines of the pipe; return why there are no more."""
    text = b""
    while select.select([reading], [], [], limit)[0]:
        part = os.read(reading, 1 << 16)
        if not part:
            return ENDED
        *lines, text = (text + part).split(b"\n")
        outcomes.update(json.loads(line) for line in lines)
    return f"hangs: over {limit:.0f} s"


def _is_template(outcome: str, path: Path) -> bool:
    """True if a module cannot be imported as it is shipped: it reads a name that its text gives no meaning."""
    unknown = re.fullmatch(r"NameError: name '(\w+)' is not defined \((.*):\d+\)", outcome)
    return unknown is not None and unknown[2] == path.name and not names.binds(path, unknown[1])


def measure(folder: Path, limit: float, failed: list[str] | None = None) -> dict[str, Any]:
    """Return the table's entry of a package: counts, outcomes of modules that do not import, missing names.

    Only the modules of ``failed`` are imported, by default all.
    """
    modules = language_modules(folder)
    outcomes = dict.fromkeys(modules, IMPORTS)
    outcomes |= probe(list(modules) if failed is None else failed, limit)
    extensions = tuple(
        f"cutlass.{path.name}" for path in folder.glob("cutlass/*") if path.suffix in ("", ".py")
    )
    missing: collections.Counter[str] = collections.Counter()
    complete = 0
    for path in modules.values():
        absent = names.missing_names(path, extensions)
        missing.update(absent)
        complete += not absent
    return {
        "modules": len(modules),
        "imports": sum(outcome == IMPORTS for outcome in outcomes.values()),
        "templates": sum(_is_template(outcomes[name], path) for name, path in modules.items()),
        "complete": complete,
        "failing": {m: outcome for m, outcome in outcomes.items() if outcome != IMPORTS},
        "missing": dict(sorted(missing.items())),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--path", nargs="*", default=[])
    parser.add_argument(
        "--limit", type=float, default=60, help="seconds of processor time for a module"
    )
    parser.add_argument("--json", type=Path, help="write what was found to a file")
    parser.add_argument("--again", type=Path, help="a row of the table, as JSON")
    options = parser.parse_args()
    failed = None
    if options.again:
        failed = list(json.loads(options.again.read_text(encoding="utf-8"))["failing"])
    sys.path[:0] = [str(options.folder), *options.path]
    import fairlead.compat
    from fairlead.compat import _cpu_device

    assert fairlead.compat
    _cpu_device.install()
    found = measure(options.folder, options.limit, failed)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    print({key: found[key] for key in ("modules", "imports", "templates", "complete")})
    without_line = (re.sub(r" \([^()]*:\d+\)$", "", text) for text in found["failing"].values())
    for outcome, count in collections.Counter(without_line).most_common():
        print(f"{count:4} {outcome}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
