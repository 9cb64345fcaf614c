"""A build cache of the test's own."""

import shutil

import pytest


@pytest.fixture(autouse=True)
def build_cache(tmp_path, monkeypatch):
    """The folder of kept builds; nothing else in the environment changes how builds go."""
    for name in ("CXX", "CC", "MAX_JOBS", "CUDA_HOME", "CUDA_PATH", "FAIRLEAD_CUDA_ARCH_LIST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("TVM_FFI_CUDA_ARCH_LIST", raising=False)
    folder = tmp_path / "cache"
    monkeypatch.setenv("TVM_FFI_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def needs_nvcc(monkeypatch):
    """Skips without CUDA's compiler; builds for one architecture, as there may be no GPU."""
    from fairlead.ffi.cpp import BuildError, _toolchain

    try:
        _toolchain.cuda_root(_toolchain.nvcc())
    except BuildError:
        pytest.skip("needs nvcc")
    monkeypatch.setenv("TVM_FFI_CUDA_ARCH_LIST", "9.0a")


@pytest.fixture
def only_tools(tmp_path, monkeypatch):
    """only_tools("g++", ...): a PATH that holds these programs and no others."""

    def use(*names: str):
        folder = tmp_path / "only"
        folder.mkdir()
        for name in names:
            path = shutil.which(name)
            if path is None:
                pytest.skip(f"needs {name}")
            (folder / name).symlink_to(path)
        monkeypatch.setenv("PATH", str(folder))

    return use
