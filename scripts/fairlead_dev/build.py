"""Configuring and building with CMake: the preset `release`, in build/."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from . import environment, peer_source, steps

BUILD = steps.ROOT / "build"
# The package as a wheel holds it, assembled from links into the source and build trees.
PACKAGE_PATH = BUILD / "python"


def jobs() -> int:
    return max(1, len(os.sched_getaffinity(0)))


def nanobind_folder(python: Path) -> str:
    return subprocess.run(
        [python, "-m", "nanobind", "--cmake_dir"], check=True, capture_output=True, text=True
    ).stdout.strip()


def apache_folder() -> str:
    """The peer's package, for the interop tests; empty where it is not installed."""
    packages = sorted((steps.ROOT / ".venv-peers").glob("lib/python*/site-packages/tvm_ffi"))
    return str(packages[-1]) if packages else ""


def configure(preset: str = "release", definitions: Sequence[str] = ()) -> None:
    """Configures when there is no build yet or the interpreter is another one; else ninja does."""
    python = environment.python()
    arguments = [
        f"-DPython_EXECUTABLE={python}",
        f"-Dnanobind_DIR={nanobind_folder(python)}",
        f"-DFAIRLEAD_APACHE_TVM_FFI_DIR={apache_folder()}",
        f"-DFAIRLEAD_APACHE_SOURCE_DIR={peer_source.folder() or ''}",
        *definitions,
    ]
    stamp = BUILD / "configured.txt"
    settings = "\n".join(arguments)
    if (BUILD / "build.ninja").exists() and stamp.exists() and stamp.read_text() == settings:
        return
    steps.run("configure", ["cmake", "--preset", preset, *arguments])
    stamp.write_text(settings)


def build(*targets: str) -> None:
    """Builds the targets (everything, if none are named) in build/."""
    configure()
    # One more than processors, as files wait for memory and disk.
    command = ["cmake", "--build", BUILD, "--parallel", str(jobs() + 1)]
    if targets:
        command += ["--target", *targets]
    steps.run("build", command)


def package_environment() -> dict[str, str]:
    """Return environment variables that make `import fairlead` find the package of the build tree."""
    return {"PYTHONPATH": str(PACKAGE_PATH), "PYTHONDONTWRITEBYTECODE": "1"}
