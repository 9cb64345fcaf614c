"""The runtime library that a process gets."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import apache

PROGRAM = """
import os
{before}
from fairlead import ffi
maps = open("/proc/self/maps").read().split()
print(*sorted({{os.path.realpath(word) for word in maps if word.endswith("/libtvm_ffi.so")}}))
{after}
"""


def libraries(before="", after="", **environment) -> list[str]:
    code = PROGRAM.format(before=before, after=after)
    inherited = {
        name: value for name, value in os.environ.items() if name != "FAIRLEAD_FORCE_OWN_FFI"
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**inherited, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture
def own(package_dir) -> str:
    path = package_dir / "lib" / "libtvm_ffi.so"
    if not path.exists():
        pytest.skip("this build has no libtvm_ffi.so of its own")
    return os.path.realpath(path)


@pytest.fixture
def packaged() -> str:
    spec = apache.package()
    if spec is None:
        pytest.skip("apache-tvm-ffi is not installed")
    return os.path.realpath(Path(spec.origin).parent / "lib" / "libtvm_ffi.so")


def test_own_without_another(own):
    if apache.package():
        pytest.skip("apache-tvm-ffi is installed")
    assert libraries() == [own]


def test_own_where_forced(own):
    assert libraries(FAIRLEAD_FORCE_OWN_FFI="1") == [own]


def test_that_of_the_package(packaged):
    assert libraries() == [packaged]
    assert libraries(after="import tvm_ffi; assert tvm_ffi.convert(lambda x: x)(3) == 3") == [
        packaged
    ]


def test_that_in_the_process(packaged):
    assert libraries(before="import tvm_ffi") == [packaged]


def test_that_in_the_process_even_if_another(own, packaged):
    before = f"import ctypes; ctypes.CDLL({own!r})"
    assert libraries(before=before) == [own]


def test_import_loads_no_framework():
    libraries(
        after="import sys; assert not {'torch', 'numpy', 'jax', 'fairlead._compiler'} & {*sys.modules}"
    )
