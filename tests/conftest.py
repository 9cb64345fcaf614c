"""Shared by all Python tests: the package of the build tree, and the marker `gpu`.

`./run test` says where the build is; by hand, `pytest tests/python` finds build/ itself.
"""

import atexit
import ctypes
import functools
import gc
import importlib
import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from support.devices import Device

_ROOT = Path(__file__).resolve().parents[1]


def _use_build_tree() -> None:
    build = Path(os.environ.setdefault("FAIRLEAD_BUILD_DIR", str(_ROOT / "build")))
    if importlib.util.find_spec("fairlead") is None:
        package = str(build / "python")
        sys.path.insert(0, package)
        # For the processes that tests start.
        inherited = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (package, inherited)))


_use_build_tree()


def _share_support() -> None:
    """Let the processes that tests start import `support`, as tests do: pytest puts this folder on `sys.path`."""
    inherited = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (inherited, str(_ROOT / "tests"))))


_share_support()

# Programs and checks of the language's tests, which those for GPUs run as well.
_LANGUAGE = _ROOT / "tests" / "python" / "dsl"
sys.path += [str(_LANGUAGE), *(str(each) for each in sorted(_LANGUAGE.glob("[a-z]*/")))]


def _use_own_cache() -> None:
    """Tests neither fill nor depend on the user's disk cache; and every compile in them is one, unless it asks for the
    fixture `cache_dir`."""
    folder = tempfile.mkdtemp(prefix="fairlead-tests-")
    os.environ["FAIRLEAD_CACHE_DIR"] = folder
    os.environ["FAIRLEAD_NO_CACHE"] = "1"
    for name in list(os.environ):
        if name.startswith(
            ("FAIRLEAD_CACHE_S", "FAIRLEAD_NEVER", "FAIRLEAD_REMOTE", "FAIRLEAD_TRUST")
        ):
            del os.environ[name]
    atexit.register(shutil.rmtree, folder, ignore_errors=True)


_use_own_cache()


def _hurry_inductor() -> None:
    """Programs of torch's Inductor in C++ are compiled with little optimisation: tests wait for the compiler."""
    os.environ.setdefault("AOT_INDUCTOR_COMPILE_WRAPPER_OPT_LEVEL", "O0")
    os.environ.setdefault("AOT_INDUCTOR_ENABLE_LINE_TABLES", "0")
    # Its own loops have no vectors then, whose headers are long, and it tries no instruction set of this machine.
    os.environ.setdefault("TORCHINDUCTOR_VEC_ISA_OK", "0")


_hurry_inductor()


def _import_compat_first() -> None:
    """If FAIRLEAD_TEST_COMPAT_FIRST=1, import the published names first, so that native programs run beside them."""
    if os.environ.get("FAIRLEAD_TEST_COMPAT_FIRST", "0") not in ("", "0"):
        importlib.import_module("fairlead.compat")


_import_compat_first()


@functools.cache
def gpu_count() -> int:
    """NVIDIA GPUs that the driver shows; 0 without a driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


#: The file whose tests run. Objects that earlier files have left are frozen.
_current_file: Path | None = None


def _freeze_earlier_objects(file: Path | None) -> None:
    """Exclude the objects of imports and of earlier files from garbage collection. Tests collect hundreds of times,
    and with those objects each collection takes half a second."""
    global _current_file
    if file != _current_file:
        _current_file = file
        gc.collect()
        gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    _freeze_earlier_objects(item.path)
    marker = item.get_closest_marker("gpu")
    if marker is None:
        return
    wanted = marker.kwargs.get("count", 1)
    if gpu_count() < wanted:
        few = "an NVIDIA GPU" if wanted == 1 else f"{wanted} NVIDIA GPUs"
        pytest.skip(f"needs {few}; this machine shows {gpu_count()}")


@pytest.fixture
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A disk cache for this test alone, turned on."""
    monkeypatch.delenv("FAIRLEAD_NO_CACHE")
    monkeypatch.setenv("FAIRLEAD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def device(request: pytest.FixtureRequest) -> Device:
    """Run the test on the CPU, and once more on a GPU if there is one."""
    if request.param == "cuda":
        pytest.importorskip("torch")
    return Device(request.param)


@pytest.fixture(scope="session")
def build_dir() -> Path:
    """The CMake build tree under test."""
    return Path(os.environ["FAIRLEAD_BUILD_DIR"])


@pytest.fixture(scope="session")
def package_dir() -> Path:
    """The folder of the imported fairlead package, with its lib and include."""
    found = importlib.util.find_spec("fairlead")
    assert found is not None and found.origin is not None
    return Path(found.origin).parent
