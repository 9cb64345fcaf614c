"""Reports which parts work on this machine and how to get the others, a line for each; and their versions: the runtime
library of the process and why it is that one, versions, the CUDA driver, NVRTC and toolkit, compilers and frameworks;
and every variable that chooses the code to load or run, with its choice.

    fairlead doctor
    fairlead doctor --json

With a file it names the code that runs on this machine's GPU or on that of --gpu, and the missing parts:

    fairlead doctor libkernels.so
    fairlead doctor libkernels.so --gpu sm_103 --driver 12.9

Exit status 1 if something is broken; an absent part is a note.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from typing import Any

from fairlead.cli import CommandError

HELP = "say what is found: libraries, driver, toolkit, compilers, frameworks"

_FRAMEWORKS = ("numpy", "torch", "jax", "cupy", "apache-tvm-ffi")


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help="a .so, .o, .cubin, .fatbin or .ptx"
    )
    parser.add_argument("--gpu", metavar="ARCH", help="the GPU to ask about, such as sm_90")
    parser.add_argument(
        "--driver", metavar="X.Y", help="the CUDA version of its driver; that of this machine"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options: argparse.Namespace) -> int:
    if options.file:
        return _run_for_file(options)
    if options.gpu or options.driver:
        raise CommandError("--gpu and --driver say where a file is to run: give the file, too")
    report = examine()
    rows = checks(report)
    if options.json:
        print(json.dumps({**report, "checks": rows}, indent=2))
    else:
        print(_verdicts(rows), _text(report), sep="\n\n")
    return 1 if any(row["verdict"] == "broken" for row in rows) else 0


def _run_for_file(options: argparse.Namespace) -> int:
    """Report which code of the file runs on a GPU."""
    from fairlead.cli import _suitability

    name = options.gpu or _first_gpu()
    gpu = _suitability.gpu_row(name)
    driver = None
    if options.driver:
        driver = _suitability.driver_version(options.driver)
    elif not options.gpu and (here := _driver()) and here["cuda"]:
        driver = _suitability.driver_version(here["cuda"])
    rows = _suitability.suitability(options.file, gpu, driver)
    if options.json:
        print(json.dumps({"file": options.file, "gpu": gpu, "checks": rows}, indent=2))
    else:
        print(f"{options.file} on {gpu['name']}", _verdicts(rows), sep="\n")
    return 1 if any(row["verdict"] == "broken" for row in rows) else 0


def _first_gpu() -> str:
    """The architecture of this machine's first GPU."""
    try:
        from fairlead._compiler import device_arch
    except ImportError as error:
        raise CommandError(f"reading device images needs Fairlead's compiler: {error}") from None
    name = device_arch(0)
    if not name:
        raise CommandError("this machine has no GPU: name one, such as --gpu sm_90")
    return name


def checks(report: dict[str, Any]) -> list[dict[str, str]]:
    """The checks: dicts of ``what``, ``verdict`` (ok, note, broken), ``found`` and ``remedy``."""
    rows: list[dict[str, str]] = []

    def add(what: str, verdict: str, text: str, remedy: str = "") -> None:
        rows.append({"what": what, "verdict": verdict, "found": text, "remedy": remedy})

    def either(what: str, value: object, absent: str, remedy: str) -> None:
        if value:
            add(what, "ok", str(value))
        else:
            add(what, "note", absent, remedy)

    library = report["runtime_library"]
    versions = f"ABI {library['abi_version']}, used as apache-tvm-ffi {library['release']}"
    add("runtime library", "ok", f"{library['path']} ({versions})")
    if report["compiler"]:
        add("compiler", "ok", "kernels are compiled here")
    else:
        add(
            "compiler",
            "broken",
            "this installation has none: exported functions load, kernels do not compile",
            "install a wheel for this Python, or build one: ./run wheel",
        )
    driver = report["driver"]
    if driver is None:
        add("GPU", "note", "no NVIDIA driver: kernels run on the CPU", "install NVIDIA's driver")
    elif not driver["devices"]:
        remedy = "see nvidia-smi; in a container, start it with --gpus all"
        add("GPU", "broken", "the driver shows no GPU", remedy)
    else:
        noun = "GPU" if driver["devices"] == 1 else "GPUs"
        add("GPU", "ok", f"{driver['devices']} {noun}, CUDA {driver['cuda']}")
    assembler = os.environ.get("FAIRLEAD_PTXAS") or shutil.which("ptxas") or _packaged("ptxas")
    either(
        "assembler",
        assembler,
        "no ptxas: the driver assembles kernels, some of them wrongly; exports hold PTX alone",
        'pip install "fairlead[cuda]"',
    )
    either(
        "NVRTC",
        report["nvrtc"],
        "kernels in CUDA C++ cannot be compiled",
        'pip install "fairlead[nvrtc]"',
    )
    either(
        "C++ compiler",
        report["compilers"]["g++"] or report["compilers"]["clang++"],
        "libraries cannot be linked, C++ sources not built",
        "apt-get install g++",
    )
    ninja = report["compilers"]["ninja"]
    either("ninja", ninja, "C++ sources are not built from Python", 'pip install "fairlead[cpp]"')
    add("cache", *_cache())
    frameworks = [f"{name} {version}" for name, version in report["frameworks"].items() if version]
    either("frameworks", ", ".join(frameworks), "none", "pip install numpy")
    return rows


def _packaged(program: str) -> str | None:
    """A program in a package of NVIDIA's."""
    import glob

    for folder in sys.path:
        for path in glob.glob(os.path.join(folder, "nvidia", "*", "bin", program)):
            return path
    return None


def _cache() -> tuple[str, str, str]:
    """Verdict, finding, and remedy, of the compile cache."""
    from fairlead.ffi.cpp import _cache as cache
    from fairlead.ffi.cpp._trust import distrust

    for variable in ("FAIRLEAD_NO_CACHE", "CUTE_DSL_DISABLE_FILE_CACHING"):
        if os.environ.get(variable, "0") not in ("", "0"):
            return "note", f"off, by {variable}: every process compiles anew", f"unset {variable}"
    try:
        root = cache.cache_root()
    except ValueError as error:
        return "broken", str(error), "give an absolute path"
    if reason := distrust(root, root) if os.path.isdir(root) else None:
        return "broken", f"{root} is not used: {reason}", "FAIRLEAD_CACHE_DIR=... to one of yours"
    place = root
    while not os.path.exists(place):
        place = os.path.dirname(place)
    if not os.access(place, os.W_OK):
        return "broken", f"{root} cannot be written", "FAIRLEAD_CACHE_DIR=... to a folder that can"
    free = shutil.disk_usage(place).free
    if free < 100e6:
        return "broken", f"{root}: {free / 1e6:.0f} MB are free", "free some, or FAIRLEAD_CACHE_DIR"
    return "ok", root, ""


def _verdicts(checks_done: list[dict[str, str]]) -> str:
    from fairlead.cli import _terminal

    colours = {"ok": "green", "note": "yellow", "broken": "red"}
    rows = [
        (
            _terminal.styled(row["verdict"], colours[row["verdict"]]),
            row["what"],
            row["found"] + (f" -> {row['remedy']}" if row["remedy"] else ""),
        )
        for row in checks_done
    ]
    return _terminal.table(("", "what", "found -> what to do"), rows)


def examine() -> dict[str, Any]:
    """A finding in the form of JSON; None for an absent part."""
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
            "release": ffi.__version__,
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
            lines += [f"  {part:<20} {_shown(item)}" for part, item in value.items()]
        elif isinstance(value, list):
            lines.append(f"{name.replace('_', ' ')} the environment")
            for row in value:
                shown = "" if row["value"] is None else f" (={row['value']})"
                lines.append(f"  {row['variable']}{shown}: {_shown(row['chose'])}")
        else:
            lines.append(f"{name.replace('_', ' '):<22} {_shown(value)}")
    return "\n".join(lines)


def _shown(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
