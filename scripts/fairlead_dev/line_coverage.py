"""Report the lines that the chosen tests execute: in Python by coverage.py, in C++ by llvm-cov. Information only."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from . import build, environment, steps

# Unit tests of their own build: clang's, with counters in the code (preset `coverage`).
BUILD = steps.ROOT / "build-coverage"
_PACKAGE = steps.ROOT / "python" / "fairlead"
_UNIT_TEST = re.compile(r"^fairlead_add_unit_test\(\s*(\w+)", re.MULTILINE)


def python_command(data: Path) -> list[str | Path]:
    """The command that runs a module with the lines of the package counted in a file. Processes that tests start are
    not counted."""
    data.unlink(missing_ok=True)
    python = environment.python()
    return [python, "-m", "coverage", "run", f"--data-file={data}", f"--include={_PACKAGE}/*", "-m"]


def show_python(data: Path) -> None:
    """Print the share of lines that ran of each file of the package that the tests imported, and the lines that did
    not."""
    command = [environment.python(), "-m", "coverage", "report", "--show-missing", "--skip-empty"]
    _, table = steps.run("coverage of Python", [*command, f"--data-file={data}"], quiet=True)
    print(table)


def build_unit_tests(folders: Sequence[Path]) -> list[Path]:
    """Build the unit tests of folders in the coverage build, and return their programs."""
    names = [
        name
        for folder in folders
        for file in sorted(folder.rglob("CMakeLists.txt"))
        for name in _UNIT_TEST.findall(file.read_text())
    ]
    if not names:
        raise steps.StepFailed(f"no unit tests in {', '.join(map(str, folders))}")
    _require_tools()
    if not (BUILD / "build.ninja").exists():
        nanobind = build.nanobind_folder(environment.python())
        preset = ["cmake", "--preset", "coverage", f"-Dnanobind_DIR={nanobind}"]
        steps.run("configure for coverage", preset)
    command = ["cmake", "--build", BUILD, "--parallel", str(build.jobs()), "--target", *names]
    steps.run("build for coverage", command)
    return [BUILD / "bin" / name for name in names]


def _require_tools() -> None:
    """Raise StepFailed if a tool of LLVM is missing, or the library that writes the counters."""
    tools = ("clang-22", "clang++-22", "llvm-profdata-22", "llvm-cov-22")
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if not missing:
        command = ["clang-22", "-print-resource-dir"]
        folder = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        if not any(Path(folder).glob("lib/*/libclang_rt.profile*.a")):
            missing = ["libclang_rt.profile"]
    if missing:
        packages = "clang-22, llvm-22 and libclang-rt-22-dev"
        raise steps.StepFailed(
            f"coverage of C++ needs {', '.join(missing)}: packages {packages} of apt.llvm.org"
        )


def profiles(folder: Path) -> dict[str, str]:
    """Empty the folder, and return environment variables that make programs of the coverage build write there."""
    shutil.rmtree(folder, ignore_errors=True)
    return {"LLVM_PROFILE_FILE": str(folder / "%p-%m.profraw")}


def show_cpp(programs: Sequence[Path], folder: Path) -> None:
    """Print lines, functions and branches of each file of lib/ that the counters in a folder are about."""
    counters = sorted(folder.glob("*.profraw"))
    if not counters:
        raise steps.StepFailed(f"the tests wrote no counters to {folder}")
    merged = folder / "all.profdata"
    merge = ["llvm-profdata-22", "merge", "-sparse", *counters, "-o", merged]
    steps.run("merge the counters", merge, quiet=True)
    objects = [f"-object={program}" for program in programs[1:]]
    sources = [f"-instr-profile={merged}", steps.ROOT / "lib"]
    command = ["llvm-cov-22", "report", "--show-region-summary=0", programs[0], *objects, *sources]
    _, table = steps.run("coverage of C++", command, quiet=True)
    print(table)
