"""Building for AArch64 on this machine, in build-aarch64/: CMake's toolchain file is cmake/aarch64-linux-gnu.cmake."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

from . import aarch64_system, build, environment, steps

BUILD = steps.ROOT / "build-aarch64"
TOOLCHAIN = steps.ROOT / "cmake" / "aarch64-linux-gnu.cmake"
_PROGRAMS = {
    "aarch64-linux-gnu-g++-12": "g++-12-aarch64-linux-gnu",
    os.environ.get("FAIRLEAD_QEMU", "qemu-aarch64-static"): "qemu-user-static",
}


def ensure() -> Path:
    """Prepare the sysroot, and return an emulated Python with the packages that tests need.

    Raise StepFailed if the machine lacks a tool.
    """
    missing = [package for program, package in _PROGRAMS.items() if not shutil.which(program)]
    if missing:
        raise steps.StepFailed(
            f"Building for AArch64 needs {' and '.join(_PROGRAMS)}; on Debian 12 as root:\n"
            f"  apt-get install --no-install-recommends {' '.join(missing)}"
        )
    environment.ensure("build")
    aarch64_system.ensure_sysroot()
    return aarch64_system.ensure_python("aarch64")


def definitions(python: Path) -> list[str]:
    """Return CMake's options. CMake does not ask an interpreter for another processor for its headers."""
    return [
        f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}",
        f"-DFAIRLEAD_SYSROOT={aarch64_system.SYSROOT}",
        f"-DPython_EXECUTABLE={python}",
        f"-DPython_INCLUDE_DIR={aarch64_system.python_headers()}",
        f"-Dnanobind_DIR={build.nanobind_folder(environment.python())}",
    ]


def wheel_options(interpreter: str) -> tuple[list[str], dict[str, str]]:
    """CMake's variables and the environment of a wheel for AArch64 that an interpreter of this machine makes.

    Its headers serve both processors: they differ in no type or structure that extension modules see.
    """
    probe = "import sysconfig as s; print(s.get_config_var('SOABI'), s.get_path('include'))"
    abi, headers = subprocess.run(
        [interpreter, "-c", probe], check=True, capture_output=True, text=True
    ).stdout.split()
    variables = {
        "_PYTHON_HOST_PLATFORM": "linux-aarch64",
        "SETUPTOOLS_EXT_SUFFIX": f".{abi.replace(platform.machine(), 'aarch64')}.so",
    }
    settings = [
        f"CMAKE_TOOLCHAIN_FILE={TOOLCHAIN}",
        f"FAIRLEAD_SYSROOT={aarch64_system.SYSROOT}",
        f"Python_INCLUDE_DIR={headers}",
    ]
    return settings, variables


def build_all(*targets: str) -> Path:
    """Build the targets (everything, if none are named); return the emulated Python."""
    python = ensure()
    arguments = definitions(python)
    stamp = BUILD / "configured.txt"
    if not stamp.exists() or stamp.read_text() != "\n".join(arguments):
        steps.run(
            "configure for AArch64",
            ["cmake", "-G", "Ninja", "-S", steps.ROOT, "-B", BUILD, "-DCMAKE_BUILD_TYPE=Release", *arguments],
        )  # fmt: skip
        stamp.write_text("\n".join(arguments))
    command = ["cmake", "--build", BUILD, "--parallel", str(build.jobs())]
    steps.run("build for AArch64", [*command, *(("--target", *targets) if targets else ())])
    return python
