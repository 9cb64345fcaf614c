"""Extension modules of other projects that link libtvm_ffi.so share the one of the process, whoever comes first."""

import itertools
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from support import apache

from fairlead import config

SOURCE = Path(__file__).parent / "kernels" / "Extension.c"
CROSSING = """
import os
import fairlead_test_extension as extension
from fairlead import ffi
extension.publish("test.of_extension")
assert ffi.get_global_func("test.of_extension")(1) == 101
ffi.register_global_func("test.of_python", lambda x: x * 2)
assert extension.call("test.of_python", 21) == 42
try:
    ffi.get_global_func("test.of_extension")("no int")
except ValueError as error:
    assert "takes an int" in str(error)
else:
    raise SystemExit("no error")
if os.environ.get("FAIRLEAD_TEST_OTHER"):
    import tvm_ffi
    assert tvm_ffi.get_global_func("test.of_extension")(2) == 102
words = {line.split()[-1] for line in open("/proc/self/maps")}
(path,) = {os.path.realpath(word) for word in words if word.endswith("/libtvm_ffi.so")}
from fairlead.ffi import _library
assert path == _library.path()
print(path)
print(_library.reason)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Folders of the extension: linked to find Fairlead's library, a copy of it, the other package's, or by chance."""
    compiler = shutil.which("cc")
    if compiler is None or not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        pytest.skip("needs a C compiler and Python's headers")
    own = Path(config.lib_dir())
    if not (own / "libtvm_ffi.so").exists():
        pytest.skip("this build has no libtvm_ffi.so of its own")
    root = tmp_path_factory.mktemp("extensions")
    copy = root / "elsewhere"
    copy.mkdir()
    shutil.copy(own / "libtvm_ffi.so", copy / "libtvm_ffi.so")
    places = {"own": own, "copy": copy, "none": None}
    other = apache.package()
    if other is not None:
        places["other"] = Path(other.origin).parent / "lib"
    folders = {}
    for name, place in places.items():
        folder = folders[name] = root / name
        folder.mkdir()
        output = folder / ("fairlead_test_extension" + sysconfig.get_config_var("EXT_SUFFIX"))
        rpath = [f"-Wl,-rpath,{place}"] if place else []
        subprocess.run(
            [compiler, "-shared", "-fPIC", "-o", output, SOURCE]
            + [f"-I{sysconfig.get_path('include')}", f"-I{Path(config.include_dir()).resolve()}"]
            + [f"-L{own}", "-ltvm_ffi", *rpath],
            check=True,
        )
    return folders, {name: place and str(place / "libtvm_ffi.so") for name, place in places.items()}


def run(folder, code, **environment):
    inherited = {key: value for key, value in os.environ.items() if key != "FAIRLEAD_FORCE_OWN_FFI"}
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**inherited, "PYTHONPATH": path, **environment},
    )


OTHER = apache.package() is not None
MODULES = ["fairlead_test_extension", "fairlead.ffi"] + (["tvm_ffi"] if OTHER else [])
ORDERS = list(itertools.permutations(MODULES))


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
@pytest.mark.parametrize("place", ["own", "copy", "other"])
def test_orders(built, order, place):
    """Whichever library the extension would find: the one that is loaded first serves everybody."""
    folders, libraries = built
    if place not in folders:
        pytest.skip("apache-tvm-ffi is not installed")
    first = order[0] == "fairlead_test_extension"
    # The package tvm_ffi loads its own library by path, so the extension has to find that one.
    if OTHER and first and place != "other":
        order = tuple(name for name in order if name != "tvm_ffi")
    environment = {"FAIRLEAD_TEST_OTHER": "1"} if "tvm_ffi" in order else {}
    done = run(
        folders[place], "\n".join(f"import {name}" for name in order) + CROSSING, **environment
    )
    assert done.returncode == 0, done.stderr
    path, reason = done.stdout.splitlines()
    if first:
        assert path == os.path.realpath(libraries[place]) and "already" in reason
    else:
        assert path == os.path.realpath(libraries["other" if OTHER else "own"])


def test_without_a_place_of_its_own(built):
    """An extension that finds no library alone works after Fairlead."""
    folders, _ = built
    done = run(folders["none"], "import fairlead.ffi" + CROSSING)
    assert done.returncode == 0, done.stderr
    done = run(folders["none"], "import fairlead_test_extension", LD_LIBRARY_PATH="")
    assert done.returncode == 1 and "libtvm_ffi.so" in done.stderr


def test_forced(built):
    """FAIRLEAD_FORCE_OWN_FFI takes Fairlead's own, and says so where another is in the process."""
    folders, libraries = built
    forced = {"FAIRLEAD_FORCE_OWN_FFI": "1"}
    for place in ("own", "copy", "none"):
        done = run(folders[place], "import fairlead.ffi" + CROSSING, **forced)
        assert done.returncode == 0, done.stderr
        path, reason = done.stdout.splitlines()
        assert path == os.path.realpath(libraries["own"]) and "FAIRLEAD_FORCE_OWN_FFI" in reason
    done = run(folders["own"], "import fairlead_test_extension" + CROSSING, **forced)
    assert done.returncode == 0, done.stderr
    done = run(folders["copy"], "import fairlead_test_extension, fairlead.ffi", **forced)
    assert done.returncode == 1
    assert "ImportError" in done.stderr and libraries["copy"] in done.stderr


def test_doctor(built):
    folders, libraries = built
    code = ("import {}, sys; from fairlead.cli import main; sys.exit(main(['doctor']))").format
    done = run(folders["copy"], code("fairlead_test_extension"))
    assert done.returncode == 0, done.stderr
    assert libraries["copy"] in done.stdout and "already" in done.stdout
