"""Functions of kernel libraries as operators of torch and as JAX calls: their signature is given in one line."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from framework_programs import compiled_axpy, compiled_outer
from support import forked
from support.torch_support import MISMATCH, check, make

import fairlead
from fairlead import ffi
from fairlead.config import runtime_libraries
from fairlead.errors import DSLError
from fairlead.ffi import cpp

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

import fairlead.jax  # noqa: E402

AXPY = "axpy(x: Tensor([n], float32), alpha: float32, y: Tensor([n], float32))"
SCALE = "scale(x: Tensor([n], float32), by: float64, y: Tensor([n], float32))"
SOURCE = """
void scale(tvm::ffi::TensorView x, double by, tvm::ffi::TensorView y) {
  TVM_FFI_CHECK(x.numel() == y.numel(), ValueError) << "sizes differ";
  for (int64_t i = 0; i < x.numel(); ++i)
    static_cast<float *>(y.data_ptr())[i] = static_cast<float *>(x.data_ptr())[i] * by;
}
"""


@pytest.fixture(scope="module")
def inline(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("inline"))
    made = cpp.load_inline(
        "scale_of_test", cpp_sources=SOURCE, functions="scale", build_directory=folder
    )
    return made.scale


def loaded(tmp_path):
    """One that its file says nothing of to ``ffi.load_module``."""
    compiled_axpy().export_library(tmp_path / "axpy.so", function_name="axpy")
    return ffi.load_module(tmp_path / "axpy.so").axpy


def test_operators_of_source(inline):
    operator = make(inline, "y", signature=SCALE)
    x = torch.randn(7)
    torch.testing.assert_close(operator(x, 2.5), x * 2.5)
    check(operator, x, 0.5, out=(torch.zeros(7),))
    model = torch.compile(lambda x: operator(x.sin(), 3.0) + 1, fullgraph=True, dynamic=True)
    torch.testing.assert_close(model(x), x.sin() * 3 + 1)
    with pytest.raises(MISMATCH, match="sizes differ"):
        operator(x, 2.0, torch.zeros(8))
    with pytest.raises(DSLError, match="`scale`, which tells no signature"):
        make(inline, "y")


def test_operators_of_loaded_modules(tmp_path):
    function = loaded(tmp_path)
    operator = make(function, mutates="y", signature=AXPY)
    x, y = torch.randn(5), torch.randn(5)
    expected = y + 2 * x
    operator(x, 2.0, y)
    torch.testing.assert_close(y, expected)
    check(operator, x, 2.0, y)

    def step(x, y):
        function(x, 0.5, y)  # traced as the operator
        return y * 2

    made = torch.compile(step, fullgraph=True)(x, y.clone())
    torch.testing.assert_close(made, (y + 0.5 * x) * 2)


def test_calls_of_jax(inline, tmp_path):
    x, y = jnp.arange(6.0), jnp.ones(6)
    scale = fairlead.jax.call(inline, signature=SCALE)
    np.testing.assert_array_equal(jax.jit(lambda x: scale(x, by=2.5))(x), np.arange(6) * 2.5)
    batch = jnp.stack([x, x + 1])
    np.testing.assert_array_equal(
        jax.vmap(lambda x: scale(x, by=3.0))(batch), np.asarray(batch) * 3
    )
    axpy = fairlead.jax.call(loaded(tmp_path), aliases="y", signature=AXPY)
    np.testing.assert_array_equal(axpy(x, y, alpha=2.0), 1 + 2 * np.arange(6))
    with pytest.raises(DSLError, match="`scale`, which tells no signature"):
        fairlead.jax.call(inline)


_HANDLER = """
import ctypes, sys
import jax, jax.numpy as jnp, numpy as np

for path in {runtime!r}:
    ctypes.CDLL(path)
library = ctypes.CDLL({path!r})
jax.ffi.register_ffi_target("outer", jax.ffi.pycapsule(library["__xla_ffi_outer"]), platform="cpu")
x, y = jnp.arange(3.0), jnp.arange(4.0)
call = jax.ffi.ffi_call("outer", jax.ShapeDtypeStruct((3, 4), jnp.float32))
np.testing.assert_array_equal(jax.jit(call)(x, y), np.outer(x, y))
try:
    jax.block_until_ready(jax.ffi.ffi_call("outer", jax.ShapeDtypeStruct((5, 4), jnp.float32))(x, y))
except Exception as error:
    assert "INVALID_ARGUMENT: Mismatched z.shape[0]" in str(error), error
else:
    raise AssertionError("no error")
assert not any(name.startswith("fairlead") for name in sys.modules)
"""


def test_handlers_of_exported_libraries(tmp_path):
    """Each function of a library is a handler of XLA's, too, for programs that do not import fairlead."""
    compiled_outer().export_library(tmp_path / "outer.so", function_name="outer")
    program = _HANDLER.format(runtime=runtime_libraries(), path=str(tmp_path / "outer.so"))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


_KERNEL = """
import torch, jax.numpy as jnp
from torch._subclasses.fake_tensor import FakeTensorMode
import fairlead, fairlead.jax, fairlead.torch

PTX = '''
.version 8.0
.target sm_80
.address_size 64
.visible .entry add_one(.param .u64 x, .param .u64 y, .param .u32 n) { ret; }
'''
kernel = fairlead.kernel(
    PTX, "add_one", "add_one(x: Tensor([n], float32), y: Tensor([n], float32))",
    "grid=(ceil_div(n, 256),), block=256, args=(x, y, int32(n))",
)
operator = fairlead.torch.op(kernel, "kernels::add_one", "y")
with FakeTensorMode():
    made = operator(torch.empty(9))
    assert made.shape == (9,) and made.dtype == torch.float32
for call in (lambda: operator(torch.zeros(3)), lambda: fairlead.jax.call(kernel)(jnp.zeros(3))):
    try:
        call()
    except (NotImplementedError, ValueError, RuntimeError) as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""


def test_kernels():
    """Kernels have code for GPUs (tests/gpu runs them there); here their operator is traced, and the CPU refused."""
    done = forked.run("-c", _KERNEL)
    assert done.returncode == 0, done.stderr
    of_torch, of_jax = done.stdout.splitlines()
    assert of_torch.startswith(
        "NotImplementedError Could not run 'kernels::add_one' with arguments from the 'CPU'"
    )
    assert of_jax.startswith(
        "JaxRuntimeError INVALID_ARGUMENT: Mismatched device on argument #0 when calling: `add_one("
    )
