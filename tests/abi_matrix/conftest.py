"""Versions of apache-tvm-ffi that `./run test --only abi-matrix` fetched, and Library.cpp compiled with each."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
BUILD = Path(os.environ.get("FAIRLEAD_BUILD_DIR", HERE.parents[1] / "build"))
FETCHED = BUILD / "abi-versions"


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.replace("post", "").split(".")]


VERSIONS = sorted((path.name for path in FETCHED.glob("apache-tvm-ffi/[0-9]*[0-9]")), key=_numbers)
if not VERSIONS:
    collect_ignore_glob = ["test_*.py"]


def package(version: str) -> Path:
    """The folder to put on PYTHONPATH for a version of apache-tvm-ffi."""
    return FETCHED / "apache-tvm-ffi" / version


def run(program: Path, *arguments, path: list[Path]) -> str:
    """Run a Python program with `path` as PYTHONPATH; return the text that it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"PYTHONPATH": os.pathsep.join(map(str, path)), "FAIRLEAD_TARGET": "cpu"}
    done = subprocess.run(
        [sys.executable, program, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\nexit status {done.returncode}"
    return done.stdout


@pytest.fixture(scope="session")
def libraries(tmp_path_factory, package_dir) -> dict[str, Path]:
    """Library.cpp, compiled with the headers of each version and with ours ("ours")."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("needs g++")
    folder = tmp_path_factory.mktemp("libraries")
    packages = {version: package(version) / "tvm_ffi" for version in VERSIONS}
    built, processes = {}, []
    for name, root in {**packages, "ours": package_dir}.items():
        built[name] = folder / f"{name}.so"
        command = [compiler, "-std=c++17", "-O1", "-fPIC", "-shared", HERE / "Library.cpp"]
        command += [f'-DABI_MATRIX_PREFIX="{prefix(name)}"', f"-I{root / 'include'}"]
        command += [f"-L{root / 'lib'}", "-ltvm_ffi", "-o", built[name]]
        processes.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
        if len(processes) % 2 == 0:  # two at a time
            processes[-1].wait()
    for name, process in zip(built, processes):
        message = process.communicate()[1]
        assert process.returncode == 0, f"{name}: {message}"
    return built


def prefix(name: str) -> str:
    """Return the prefix of a library's global names, so that two libraries of one process do not collide."""
    return "abi_matrix_" + name.replace(".", "_")
