"""Building and running C and C++ programs with exported functions."""

import subprocess
from pathlib import Path

import pytest

STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]


class Toolbox:
    """Compilers, and the libraries of the package."""

    def __init__(self, package: Path, folder: Path) -> None:
        self.include, self.lib, self.folder = package / "include", package / "lib", folder

    def run(self, *command, check=True, **options) -> subprocess.CompletedProcess:
        done = subprocess.run(
            [str(part) for part in command],
            capture_output=True,
            text=True,
            timeout=120,
            cwd=self.folder,
            **options,
        )
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    def object(self, source: str, *flags, compiler="gcc", suffix=".c", name="main") -> Path:
        path = self.folder / f"{name}{suffix}"
        path.write_text(source)
        out = self.folder / f"{name}.main.o"
        self.run(compiler, *STRICT, *flags, f"-I{self.include}", "-I.", "-c", path, "-o", out)
        return out

    def static(self, *objects, check=True, name="program"):
        """Linked as published: with the archive, and nothing else of the package."""
        command = ["g++", *objects, self.lib / "libcuda_dialect_runtime_static.a"]
        out = self.folder / name
        done = self.run(*command, "-ldl", "-lrt", "-lpthread", "-o", out, check=check)
        return out if check else done

    def shared(self, *objects, library="cuda_dialect_runtime", name="program") -> Path:
        out = self.folder / name
        libraries = [library] if isinstance(library, str) else library
        flags = [
            f"-L{self.lib}",
            *(name if name.startswith("-") else f"-l{name}" for name in libraries),
            f"-Wl,-rpath,{self.lib}",
            f"-Wl,-rpath-link,{self.lib}",
        ]
        self.run("g++", *objects, *flags, "-o", out)
        return out


@pytest.fixture
def tools(package_dir, tmp_path) -> Toolbox:
    return Toolbox(package_dir, tmp_path)
