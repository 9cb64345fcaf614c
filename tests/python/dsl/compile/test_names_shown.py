"""Modules and functions in completion, `help` and `repr`."""

import sys
import traceback

import numpy as np
import pytest

import fairlead
from fairlead import cute


@pytest.mark.parametrize(
    "module",
    [cute.runtime, cute.testing, cute.arch, cute.math, cute.nvgpu.warp, fairlead.tuning],
    ids=lambda module: module.__name__,
)
def test_completion_offers_public_names_alone(module):
    assert dir(module) == sorted(module.__all__)
    assert all(hasattr(module, name) for name in dir(module))


def test_one_import_has_all_that_kernels_need():
    names = "range range_constexpr const_expr Constexpr SmemAllocator Float32 Int32 Boolean Tensor"
    for name in names.split():
        assert hasattr(cute, name) and name in dir(cute), name


def test_loaded_functions_say_what_they_do(tmp_path):
    @cute.jit
    def halve(x: cute.Tensor):
        """Halves the first element."""
        x[0] = x[0] * 0.5

    vector = cute.runtime.make_fake_compact_tensor(cute.Float32, (cute.sym_int(),))
    compiled = cute.compile(halve, vector, options="--target cpu")
    compiled.export_library(tmp_path / "halve.so")
    compiled.export_to_c(tmp_path / "halve.o")
    for module in (
        cute.runtime.load_module(str(tmp_path / "halve.so")),
        cute.runtime.load_module(str(tmp_path / "halve.o")),
        fairlead.ffi.load_module(str(tmp_path / "halve.so")),
    ):
        assert module.halve.__doc__ == "Halves the first element."
        assert "halve" in dir(module) and repr(module).endswith(": halve>")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="frames are made from Python 3.11 on")
def test_tracebacks_of_loaded_functions_show_no_names_of_the_compiler(tmp_path, monkeypatch):
    monkeypatch.delenv("FAIRLEAD_DEBUG", raising=False)

    @cute.kernel
    def nothing(x: cute.Tensor):
        pass

    @cute.jit
    def start(x: cute.Tensor, threads: cute.Int32):
        nothing(x).launch(grid=1, block=threads)

    vector = cute.runtime.make_fake_compact_tensor(cute.Float32, (cute.sym_int(),))
    compiled = cute.compile(start, vector, cute.Int32, options="--target cpu")
    compiled.export_library(tmp_path / "start.so")
    loaded = fairlead.ffi.load_module(str(tmp_path / "start.so")).start
    for function in (compiled, loaded):
        with pytest.raises(ValueError, match="expected 1 to 1024 threads") as caught:
            function(np.ones(2, np.float32), 4000)
        names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)][1:]
        assert names == (["__tvm_ffi_start"] if function is loaded else []), names
