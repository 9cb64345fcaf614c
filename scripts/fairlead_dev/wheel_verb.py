"""./run wheel: self-contained wheels in dist/, each tried in an empty environment.

./run wheel                  for the Python that runs this
./run wheel 3.12 3.13t       for these Pythons (3.13t: free-threaded)
./run wheel all              for every supported Python, for x86-64 and AArch64

dist/ is a folder for pip to choose from: pip install --no-index --find-links dist fairlead
"""

import argparse
import os
import platform
import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from . import aarch64_build, aarch64_smoke, build, environment, interpreters, steps

DIST = steps.ROOT / "dist"
WORK = build.BUILD / "wheel"
# The oldest glibc that wheels are for.
_GLIBC = (2, 28)
# Largest wheel that passes, in megabytes.
_SIZE_LIMIT = 25.0
# Pythons that wheels are released for.
_VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.13t", "3.14")


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    steps.verbose = options.verbose
    versions = [
        version
        for named in options.versions or [None]
        for version in (_VERSIONS if named == "all" else [named])
    ]
    # Only the extension modules differ between Pythons: all of them share one build of the libraries.
    for version in _obtained(versions):
        for arch in options.arch:
            start = time.monotonic()
            wheel = build_and_try(version, smoke=not options.no_smoke, arch=arch)
            seconds = time.monotonic() - start
            print(f"{wheel.relative_to(steps.ROOT)}: {seconds:.0f} s", flush=True)
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./run wheel",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "versions",
        nargs="*",
        metavar="X.Y",
        help="Python versions to build for (3.13t: free-threaded); all: " + ", ".join(_VERSIONS),
    )
    parser.add_argument(
        "--arch",
        choices=("x86_64", "aarch64"),
        action="append",
        help="the processors to build for (default: this machine's; of all Pythons, both)",
    )
    parser.add_argument("--no-smoke", action="store_true", help="do not try the wheel")
    parser.add_argument("--verbose", action="store_true", help="show the output of every step")
    options = parser.parse_args(arguments)
    for version in options.versions:
        if version != "all" and not re.fullmatch(r"3\.\d+t?", version):
            parser.error(
                f"expected a Python version such as 3.12 or 3.13t, or all, but got {version!r}"
            )
    here = platform.machine()
    if here != "x86_64" and "x86_64" in (options.arch or []):
        parser.error(f"expected aarch64 as --arch on {here}, but got x86_64")
    if not options.arch:
        both = "all" in options.versions and here == "x86_64"
        options.arch = ["x86_64", "aarch64"] if both else [here]
    return options


def _obtained(versions: Sequence[str | None]) -> Sequence[str | None]:
    """Return the versions after obtaining their interpreters. Raises StepFailed that names all missing ones."""
    failures = []
    for version in versions:
        try:
            interpreters.find(version)
        except steps.StepFailed as failure:
            failures.append(str(failure))
    if failures:
        raise steps.StepFailed("\n".join(failures))
    return versions


def build_and_try(version: str | None = None, smoke: bool = True, arch: str | None = None) -> Path:
    """Builds the wheel for one Python version and runs its smoke test; returns its path."""
    interpreter = interpreters.find(version)
    is_foreign = arch is not None and arch != platform.machine()
    if is_foreign:
        aarch64_build.build_all("fairlead_wheel")
        libraries = _strip_libraries(aarch64_build.BUILD)
    else:
        environment.ensure("build")
        build.build("fairlead_wheel")
        libraries = _strip_libraries(build.BUILD)
    wheel = _pack(interpreter, libraries, is_foreign)
    size = wheel.stat().st_size / 1e6
    print(f"  {wheel.name}: {size:.1f} MB (limit {_SIZE_LIMIT} MB)", flush=True)
    if size > _SIZE_LIMIT:
        raise steps.StepFailed(f"{wheel.name} is larger than {_SIZE_LIMIT} MB")
    if smoke and is_foreign and not aarch64_smoke.python_of(wheel):
        print(f"  {wheel.name} is not tried: Debian has no such Python for arm64", flush=True)
    elif smoke and is_foreign:
        aarch64_smoke.run(wheel)
    elif smoke:
        _try(interpreter, wheel)
    return wheel


def _strip_libraries(tree: Path) -> Path:
    """Install and strip once what all Python versions share, and the modules for the Python of the build."""
    prefix = tree / "wheel" / "libraries"
    shutil.rmtree(
        prefix, ignore_errors=True
    )  # Modules of an earlier build's Python would be packed.
    steps.run(
        "strip the libraries",
        ["cmake", "--install", tree, "--component", "wheel", "--strip", "--prefix", prefix],
        # CMake takes a file of the same second for the one that is there.
        env={"CMAKE_INSTALL_ALWAYS": "1"},
    )
    return prefix / "fairlead"


def _tag(interpreter: str) -> str:
    """The interpreter and the ABI as a wheel's name has them, such as ``cp313-cp313t``."""
    probe = (
        "import sys, sysconfig; name = 'cp%d%d' % sys.version_info[:2];"
        "print(name, name + 't' * bool(sysconfig.get_config_var('Py_GIL_DISABLED')), sep='-')"
    )
    return subprocess.run(
        [interpreter, "-c", probe], check=True, capture_output=True, text=True
    ).stdout.strip()


def _pack(interpreter: str, libraries: Path, is_foreign: bool) -> Path:
    tag = _tag(interpreter)
    settings, variables = aarch64_build.wheel_options(interpreter) if is_foreign else ([], {})
    name = (WORK / f"env-{tag}").relative_to(steps.ROOT)
    python = environment.ensure("wheel", name=str(name), interpreter=interpreter)
    folder = libraries.parents[1]
    output = folder / f"new-{tag}"
    shutil.rmtree(output, ignore_errors=True)
    steps.run(
        f"pack the wheel for {tag}",
        [
            python, "-m", "pip", "wheel", ".", "--no-build-isolation", "--no-deps",
            f"--wheel-dir={output}",
            f"--config-settings=build-dir={folder / tag}",
            f"--config-settings=cmake.define.FAIRLEAD_PREBUILT={libraries}",
            *(f"--config-settings=cmake.define.{setting}" for setting in settings),
        ],
        env=variables,
    )  # fmt: skip
    (built,) = output.glob("fairlead-*.whl")
    built = _tagged(python, built)
    DIST.mkdir(exist_ok=True)
    machine = built.stem.rpartition("_2_28_")[2]
    for old in DIST.glob(f"fairlead-*-{tag}-*_{machine}.whl"):
        old.unlink()
    return _compressed(python, built, DIST / built.name)


def _compressed(python: Path, wheel: Path, destination: Path) -> Path:
    """Writes the same files as small as deflate can make them, by libdeflate: what builds wheels uses zlib."""
    program = Path(__file__).with_name("smallest_wheel.py")
    steps.run("compress the wheel", [python, program, wheel, destination])
    return destination


def _tagged(python: Path, wheel: Path) -> Path:
    """The wheel under its platform tag. Raises StepFailed if a library needs a newer glibc or libstdc++."""
    shown = subprocess.run(
        [python, "-m", "auditwheel", "show", wheel], check=True, capture_output=True, text=True
    ).stdout
    tag_match = re.search(r"platform\s+tag:\s+\"(manylinux_(\d+)_(\d+)_(\w+))\"", shown)
    if tag_match is None:
        raise steps.StepFailed(f"auditwheel finds no manylinux tag for {wheel.name}:\n{shown}")
    if (int(tag_match[2]), int(tag_match[3])) > _GLIBC:
        raise steps.StepFailed(
            f"{wheel.name} is to run with glibc {_GLIBC[0]}.{_GLIBC[1]}, but auditwheel says {tag_match[1]}:\n{shown}"
        )
    tag = f"manylinux_{_GLIBC[0]}_{_GLIBC[1]}_{tag_match[4]}"
    steps.run(
        f"tag the wheel {tag}",
        [python, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, wheel],
    )
    (tagged,) = wheel.parent.glob("fairlead-*.whl")
    return tagged


def _try(interpreter: str, wheel: Path) -> None:
    """Install the wheel with NumPy alone, and run tests/install/smoke.py there."""
    folder = WORK / f"smoke-{_tag(interpreter)}"
    shutil.rmtree(folder, ignore_errors=True)
    steps.run("create an empty environment", [interpreter, "-m", "venv", folder])
    python = folder / "bin" / "python"
    steps.run(
        "install the wheel",
        [
            *(python, "-m", "pip", "install", "--progress-bar=off"),
            *("--only-binary=numpy", wheel, "numpy"),
        ],
    )
    # The environment may not help: no library path, no Python path, no toolkit on PATH.
    clean = dict.fromkeys(os.environ, "")
    clean |= {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "FAIRLEAD_TARGET": "cpu",
    }
    steps.run(
        "smoke test of the wheel",
        [python, "-I", steps.ROOT / "tests" / "install" / "smoke.py"],
        env=clean,
        cwd=folder,
        timeout=300,
    )
