"""The package on a processor or a Python that it is not built for: the import says both, and which wheel to install."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

AARCH64 = b"\xb7\x00"
X86_64 = b"\x3e\x00"


@pytest.fixture
def package(tmp_path, package_dir) -> Path:
    """Return a copy of the libraries that `import fairlead.ffi` loads."""
    copied = tmp_path / "fairlead"
    (copied / "lib").mkdir(parents=True)
    for path in [
        *package_dir.glob("*.py"),
        *package_dir.glob("_core*.so"),
        *package_dir.glob("lib/*.so"),
    ]:
        shutil.copy(path, copied / path.relative_to(package_dir))
    shutil.copytree(package_dir / "ffi", copied / "ffi")
    return copied


def import_error(package: Path) -> str:
    """Return the last line that a failing import prints."""
    done = subprocess.run(
        [sys.executable, "-c", "import fairlead.ffi"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(package.parent), "FAIRLEAD_FORCE_OWN_FFI": "1"},
    )
    assert done.returncode == 1, done.stderr
    return done.stderr.strip().splitlines()[-1]


def test_another_processor(package):
    here = platform.machine()
    other, machine = ("x86_64", X86_64) if here == "aarch64" else ("aarch64", AARCH64)
    for library in [*package.glob("*.so"), *package.glob("lib/*.so")]:
        with library.open("r+b") as file:
            file.seek(18)  # e_machine
            file.write(machine)
    assert import_error(package) == (
        f"ImportError: this fairlead is built for {other}, but this machine is {here}: install the wheel for it, "
        f"fairlead-..._{here}.whl"
    )


def test_another_python(package):
    (module,) = package.glob("_core*.so")
    module.rename(package / "_core.cpython-39-x86_64-linux-gnu.so")
    message = import_error(package)
    assert (
        "built for another Python (_core.cpython-39-x86_64-linux-gnu.so), but this is 3." in message
    )
    assert message.endswith(f"install the wheel for it with {sys.executable} -m pip")
