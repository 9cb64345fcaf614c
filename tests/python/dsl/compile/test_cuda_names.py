"""The names of CUDA that programs import: streams, contexts, checks, and the class of errors with a number."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from fairlead import DSLError, _core
from fairlead.cute import cuda

ERRORS = Path(__file__).resolve().parents[4] / "lib/runtime/cuda/ErrorText.cpp"
TOO_LARGE = "CUDA Error: cudaErrorCooperativeLaunchTooLarge (CUDA_ERROR_X: too many blocks) when launching `k`"


def raised(message):
    """The exception that a call raises for an error of this text."""
    return _core._error_exception(_core._make_error("RuntimeError", message, ""))


def test_the_class_has_the_number():
    expected = cuda.DSLCudaRuntimeError  # named: raised from now on
    error = raised(TOO_LARGE)
    assert type(error) is expected
    assert isinstance(error, RuntimeError) and isinstance(error, DSLError)
    assert error.error_code == cuda.cudaError_t.cudaErrorCooperativeLaunchTooLarge == 720
    assert str(error) == TOO_LARGE
    assert raised("CUDA Error: error 12345 when launching `k`").error_code is None
    assert type(raised("Something else: CUDA Error: ")) is RuntimeError
    with pytest.raises(RuntimeError, match="too many blocks"):
        raise error


def test_until_then_it_is_a_runtime_error():
    program = f"""
from fairlead import _core, cute
import fairlead.compat, cutlass, cutlass.cutlass_dsl
made = _core._make_error("RuntimeError", {TOO_LARGE!r}, "")
assert type(_core._error_exception(made)) is RuntimeError
from cutlass.cutlass_dsl import DSLCudaRuntimeError
assert type(_core._error_exception(made)) is DSLCudaRuntimeError
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_numbers_are_those_of_the_runtime_library():
    known = dict(re.findall(r'\{(\d+), "(cudaError\w+)"\}', ERRORS.read_text()))
    assert len(known) > 30
    own = {str(int(each)): each.name for each in cuda._Error if each}
    assert own == known


class Result(int):
    """An error of cuda.bindings: an int with a name."""

    name = "CUDA_ERROR_INVALID_VALUE"


def test_check_cuda_errors():
    ok = Result(0)
    assert cuda.checkCudaErrors((ok,)) is None
    assert cuda.checkCudaErrors((ok, 5)) == 5
    assert cuda.checkCudaErrors((ok, 5, 6)) == (5, 6)
    with pytest.raises(
        cuda.DSLCudaRuntimeError, match="CUDA Error: CUDA_ERROR_INVALID_VALUE"
    ) as caught:
        cuda.checkCudaErrors((Result(1), 5))
    assert caught.value.error_code == 1


def test_the_default_stream():
    assert int(cuda.default_stream()) == 0
    assert type(cuda.default_stream()) is cuda.CUstream


def test_without_a_driver(monkeypatch):
    def missing(name):
        raise OSError("no such file")

    monkeypatch.delenv("FAIRLEAD_TARGET", raising=False)
    monkeypatch.setattr(cuda.ctypes, "CDLL", missing)
    cuda._driver.cache_clear()
    for call in (cuda.initialize_cuda_context, lambda: cuda.stream_sync(cuda.default_stream())):
        with pytest.raises(RuntimeError, match="cudaErrorNoDevice: there is no driver") as caught:
            call()
        assert caught.value.error_code == 100
    cuda._driver.cache_clear()


def test_published_names():
    """The imports of programs written for them, module by module."""
    program = """
import fairlead.compat
import cutlass, cutlass.cuda, cutlass.cute.cuda, cutlass.base_dsl, cutlass.cute.typing, cutlass.cute.core
from cutlass.base_dsl.runtime.cuda import checkCudaErrors
from cutlass.base_dsl.dsl import extract_mlir_values, new_from_mlir_values
from cutlass.base_dsl.typing import Int32, Integer, Numeric
from cutlass.cuda import default_stream, initialize_cuda_context, stream_sync
from cutlass.cutlass_dsl import (
    T, Boolean, Constexpr, DSLCudaRuntimeError, DSLRuntimeError, Float32, Int64, Uint32, const_expr, dsl_user_op,
    dynamic_expr, max, min, range_constexpr, range_dynamic, register_jit_arg_adapter,
)
from cutlass.testing import assert_
from cutlass.runtime import from_dlpack, load_module
from cutlass.cute.export import aot_config
from cutlass._mlir import ir
from cutlass._mlir.dialects import llvm
from cutlass.utils import SmemAllocator, print_latex, print_latex_tv
assert T.i32() is Int32.mlir_type is ir.IntegerType.get_signless(32)
assert T.f32() is Float32 and T.i64() is Int64 and T.bool() is Boolean and T.bf16() is cutlass.BFloat16
assert type(T.ptr()) is type(llvm.PointerType.get())
import fairlead.cute
assert assert_ is fairlead.cute.testing.assert_
assert issubclass(Int32, Integer) and issubclass(Float32, Numeric)
try:
    cutlass.cutlass_dsl.nothing
except AttributeError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "module 'cutlass.cutlass_dsl' has no attribute 'nothing'\n"
