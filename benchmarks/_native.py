"""For benchmarks of C++ programs: compiling one with Fairlead's headers and library, and with the peer's."""

import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from _harness import ROOT, peers_python

from fairlead import config

PEER = "apache-tvm-ffi"
OWN = "fairlead"
_FIND = (
    "from importlib.util import find_spec; print(*find_spec('tvm_ffi').submodule_search_locations)"
)


@dataclass(frozen=True)
class Side:
    """One project's headers and library."""

    name: str
    include: Path
    library: Path

    def compile_command(self, source: Path, output: Path) -> list[str | Path]:
        """Compiles a source file to an object."""
        return [*_compiler(), "-fPIC", f"-I{self.include}", "-c", source, "-o", output]

    def build(self, source: Path, output: Path) -> Path:
        """A program of one source file."""
        link = [f"-L{self.library}", "-ltvm_ffi", f"-Wl,-rpath,{self.library}"]
        subprocess.run([*_compiler(), f"-I{self.include}", source, *link, "-o", output], check=True)
        return output

    def build_library(self, source: Path, output: Path) -> Path:
        """A shared library of one source file, with the metadata of its functions."""
        flags = ["-shared", "-fPIC", "-DTVM_FFI_DLL_EXPORT_INCLUDE_METADATA=1"]
        link = [f"-L{self.library}", "-ltvm_ffi", f"-Wl,-rpath,{self.library}"]
        subprocess.run(
            [*_compiler(), *flags, f"-I{self.include}", source, *link, "-o", output], check=True
        )
        return output


def _compiler() -> list[str]:
    return [*shlex.split(os.environ.get("CXX", "g++")), "-std=c++17", "-O2"]


def sides() -> list[Side]:
    """Fairlead, and the peer where its package is installed; says so where it is not."""
    found = [Side(OWN, Path(config.include_dir()).resolve(), Path(config.lib_dir()))]
    python = peers_python() or ROOT / ".venv-peers" / "bin" / "python"
    if python.exists():
        done = subprocess.run([python, "-c", _FIND], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            package = Path(done.stdout.strip())
            found.append(Side(PEER, package / "include", package / "lib"))
    if len(found) == 1:
        print(
            f"skipped: the comparison with {PEER}, which is not installed (FAIRLEAD_PEERS_PYTHON)"
        )
    return found
