"""Says what Fairlead finds on this machine: the runtime library of the process and why it is that one, versions, the
CUDA driver, NVRTC and toolkit, compilers and frameworks; and every variable that chooses what code is loaded or run,
with what it chose.

    fairlead doctor
    fairlead doctor --json
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from typing import Any

HELP = "say what is found: libraries, driver, toolkit, compilers, frameworks"

_FRAMEWORKS = ("numpy", "torch", "jax", "cupy", "apache-tvm-ffi")


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options: argparse.Namespace) -> int:
    report = examine()
    print(json.dumps(report, indent=2) if options.json else _text(report))
    return 0


def examine() -> dict[str, Any]:
    """What is found, as JSON has it; None for what is not there."""
    from fairlead import __version__, ffi
    from fairlead.cli._choices import choices
    from fairlead.ffi import _library

    return {
        "fairlead": __version__,
        "python": sys.version.split()[0],
        "runtime_library": {
            "path": _library.path(),
            "why": _library.reason,
            "abi_version": ".".join(map(str, ffi.ffi_version)),
        },
        "compiler": _has_compiler(),
        "driver": _driver(),
        "nvrtc": _nvrtc(),
        "toolkit": _toolkit(),
        "compilers": {name: shutil.which(name) for name in ("g++", "clang++", "nvcc", "ninja")},
        "chosen_by": choices(),
        "frameworks": {name: _version(name) for name in _FRAMEWORKS},
    }


def _has_compiler() -> bool:
    import importlib.util

    return importlib.util.find_spec("fairlead._compiler") is not None


def _version(name: str) -> str | None:
    """The version of an installed package, which is not imported."""
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
    if name != "cupy":
        return None
    # Its wheels are named after the toolkit.
    for variant in ("cupy-cuda13x", "cupy-cuda12x"):
        try:
            return metadata.version(variant)
        except metadata.PackageNotFoundError:
            continue
    return None


def _driver() -> dict[str, Any] | None:
    import ctypes

    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    version, count = ctypes.c_int(), ctypes.c_int()
    if driver.cuDriverGetVersion(ctypes.byref(version)):
        return {"cuda": None, "devices": 0}
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
        count.value = 0
    return {"cuda": f"{version.value // 1000}.{version.value % 1000 // 10}", "devices": count.value}


def _nvrtc() -> str | None:
    """The version of the NVRTC that the linker or a package of NVIDIA offers."""
    import ctypes
    import glob

    places = [f"libnvrtc.so.{major}" for major in (13, 12)]
    for folder in sys.path:
        places += sorted(glob.glob(os.path.join(folder, "nvidia", "*", "lib", "libnvrtc.so.*")))
    for place in places:
        try:
            library = ctypes.CDLL(place)
            major, minor = ctypes.c_int(), ctypes.c_int()
            if not library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)):
                return f"{major.value}.{minor.value} ({place})"
        except (OSError, AttributeError):
            continue
    return None


def _toolkit() -> str | None:
    for folder in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if folder and os.path.isdir(os.path.join(folder, "include")):
            return folder
    nvcc = shutil.which("nvcc")
    return os.path.dirname(os.path.dirname(nvcc)) if nvcc else None


def _text(report: dict[str, Any]) -> str:
    lines = []
    for name, value in report.items():
        if isinstance(value, dict):
            lines.append(f"{name.replace('_', ' ')}")
            lines += [f"  {part:<20} {_shown(each)}" for part, each in value.items()]
        elif isinstance(value, list):
            lines.append(f"{name.replace('_', ' ')} the environment")
            for row in value:
                given = "" if row["value"] is None else f" (={row['value']})"
                lines.append(f"  {row['variable']}{given}: {_shown(row['chose'])}")
        else:
            lines.append(f"{name.replace('_', ' '):<22} {_shown(value)}")
    return "\n".join(lines)


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
