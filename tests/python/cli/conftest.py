"""The command line in a process of its own, and files for it."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def fairlead():
    """fairlead("inspect", path): the finished process."""

    def run(*arguments, **options) -> subprocess.CompletedProcess:
        command = [sys.executable, "-m", "fairlead", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)

    return run


@pytest.fixture
def images() -> Path:
    """CUBINs, fatbins and PTX made by NVIDIA's tools."""
    pytest.importorskip("fairlead._compiler")
    return Path(__file__).resolve().parents[2] / "unit" / "runtime" / "cuda" / "images"


@pytest.fixture(scope="session")
def library(tmp_path_factory) -> str:
    """A library made from C++: documented functions, one that reports errors, and an embedded image."""
    from fairlead.ffi import cpp

    image = (
        Path(__file__).resolve().parents[2]
        / "unit"
        / "runtime"
        / "cuda"
        / "images"
        / "cuda13_sm_90a.cubin"
    )
    folder = tmp_path_factory.mktemp("library")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TVM_FFI_CACHE_DIR", str(folder / "cache"))
        return _build(cpp, image, folder)


def _build(cpp, image: Path, folder: Path) -> str:
    return cpp.build_inline(
        "sample",
        cpp_sources="""
        #include <cstdio>
        #include <cstdlib>
        #include <string>
        using tvm::ffi::TensorView;
        void add_one(TensorView x, TensorView y) {
          for (int64_t i = 0; i < x.numel(); ++i)
            static_cast<float *>(y.data_ptr())[i] = static_cast<float *>(x.data_ptr())[i] + 1;
        }
        double join(int a, double b, bool c) { return c ? a + b : a - b; }
        int64_t ndim(TensorView x) { return x.ndim(); }
        void refuse(tvm::ffi::String why) { TVM_FFI_THROW(ValueError) << "refused: " << std::string(why); }
        extern "C" const char __tvm_ffi__cubin_my_image[];
        int64_t first() { return __tvm_ffi__cubin_my_image[0]; }
        __attribute__((constructor)) static void whenLoaded() {
          if (const char *path = std::getenv("SAMPLE_LOADED"))
            std::fclose(std::fopen(path, "w"));
        }
        """,
        functions={
            "add_one": "Adds 1.\nElement by element.",
            "join": "",
            "ndim": "",
            "refuse": "",
            "first": "",
        },
        embed_cubin={"my_image": image.read_bytes()},
        output=folder / "libsample.so",
    )
