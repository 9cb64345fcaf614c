"""What completion, `help` and `repr` show of modules and functions."""

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
