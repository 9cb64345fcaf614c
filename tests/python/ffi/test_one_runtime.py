"""Fairlead and apache-tvm-ffi in one process, imported in every order; and what `fairlead doctor` says of it."""

import itertools
import json
import os
import subprocess
import sys

import pytest
from support import apache

CROSSING = """
from fairlead import ffi
import tvm_ffi
array = ffi.Array([1, "two"])
assert tvm_ffi.convert(lambda x: x[1])(array) == "two"
assert ffi.convert_func(lambda x: x[0])(tvm_ffi.Array([7])) == 7
ffi.register_global_func("test.ours", lambda x: x + 1)
assert tvm_ffi.get_global_func("test.ours")(1) == 2
tvm_ffi.register_global_func("test.theirs", lambda x: x + 2)
assert ffi.get_global_func("test.theirs")(1) == 3
def fail():
    raise KeyError("crossed")
for function in (ffi.convert_func(lambda f: f()), tvm_ffi.convert(lambda f: f())):
    for callback in (ffi.convert_func(fail), tvm_ffi.convert(fail)):
        try:
            function(callback)
        except KeyError as error:
            assert "crossed" in str(error)
        else:
            raise SystemExit("no error")
device = ffi.device("cuda:0")
with ffi.use_raw_stream(device, 64):
    assert tvm_ffi.get_raw_stream(tvm_ffi.device("cuda:0")) == 64
assert ffi.convert_func(lambda x: x)(2**80) == tvm_ffi.convert(lambda x: x)(2**80) == 2**80
paths = {line.split()[-1] for line in open("/proc/self/maps") if line.endswith("/libtvm_ffi.so\\n")}
assert len(paths) == 1, paths
"""


def run(code, **environment):
    inherited = {key: value for key, value in os.environ.items() if key != "FAIRLEAD_FORCE_OWN_FFI"}
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**inherited, **environment},
    )


@pytest.mark.parametrize(
    "order", list(itertools.permutations(["fairlead.ffi", "tvm_ffi", "torch"])), ids="-".join
)
def test_orders(order):
    if apache.package() is None:
        pytest.skip("apache-tvm-ffi is not installed")
    done = run("\n".join(f"import {name}" for name in order) + CROSSING)
    assert done.returncode == 0, done.stderr


def doctor(before="", **environment):
    done = run(
        f"{before}\nimport sys; from fairlead.cli import main; sys.exit(main(['doctor', '--json']))",
        **environment,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_doctor_says_why(package_dir):
    own = package_dir / "lib" / "libtvm_ffi.so"
    if own.exists():
        forced = doctor(FAIRLEAD_FORCE_OWN_FFI="1")["runtime_library"]
        assert forced["path"] == os.path.realpath(own) and "FORCE" in forced["why"]
        present = doctor(f"import ctypes; ctypes.CDLL({str(own)!r})")["runtime_library"]
        assert "already" in present["why"]
    found = doctor()["runtime_library"]
    packaged = apache.package() is not None
    assert ("package" in found["why"]) == packaged
    assert ("tvm_ffi/lib" in found["path"]) == packaged


def test_doctor_tells_what_variables_chose(tmp_path):
    """Each variable that chooses code, set or not."""
    root = tmp_path / "cache"
    (root / "programs").mkdir(parents=True)
    (root / "programs").chmod(0o777)
    found = doctor(
        FAIRLEAD_CACHE_DIR=str(root),
        FAIRLEAD_PTXAS="/none/ptxas",
        CXX="g++ -O1",
        TVM_FFI_CACHE_DIR="",
    )
    rows = {row["variable"]: row for row in found["chosen_by"]}
    assert rows["FAIRLEAD_CACHE_DIR"]["value"] == str(root)
    chose = rows["FAIRLEAD_CACHE_DIR"]["chose"]
    assert chose.startswith(f"{root}, not used: others may write to `{root}/programs`"), chose
    assert rows["TVM_FFI_CACHE_DIR"]["chose"] == f"{root}/cpp"
    assert rows["FAIRLEAD_PTXAS"]["chose"] == "nothing: it is not there"
    assert "-O1" in rows["CXX"]["chose"]
    for variable in ("FAIRLEAD_NVRTC", "FAIRLEAD_LIBDEVICE", "FAIRLEAD_CACHE_SHARED", "LD_PRELOAD"):
        assert rows[variable] == {"variable": variable, "value": None, "chose": None}
    for variable in (
        "CUTE_DSL_ARCH",
        "FAIRLEAD_CHECK",
        "FAIRLEAD_CPU_COROUTINES",
        "FAIRLEAD_CUDA_ARCH_LIST",
        "FAIRLEAD_NEVER_TUNE",
    ):
        assert variable in rows
    relative = {
        row["variable"]: row["chose"] for row in doctor(FAIRLEAD_CACHE_DIR="relative")["chosen_by"]
    }
    assert "expected a folder by its absolute path" in relative["FAIRLEAD_CACHE_DIR"]
    trusted = doctor(FAIRLEAD_CACHE_DIR=str(root), FAIRLEAD_CACHE_TRUST=str(root))["chosen_by"]
    assert "trusted whoever wrote it" in trusted[0]["chose"]


def test_doctor_finds_packages():
    report = doctor()
    import numpy

    assert report["frameworks"]["numpy"] == numpy.__version__
    assert report["python"] == sys.version.split()[0]
