"""Programs written for `cutlass.jax` and `jax_tvm_ffi`, unmodified.

If FAIRLEAD_DSL_TUTORIALS names a folder with the published programs (`jax` and `tvm_ffi` in it), they also run.
"""

import os
from pathlib import Path

import pytest
from support import forked

pytest.importorskip("jax")

_PROGRAM = """
import cuda.bindings.driver as cuda
import jax
import jax.numpy as jnp
import jax_tvm_ffi
import numpy as np
import cutlass
import cutlass.cute as cute
import cutlass.jax as cjax
from cutlass.jax.testing import create_tensor


@cute.kernel
def blend_kernel(x: cute.Tensor, y: cute.Tensor, out: cute.Tensor, weight: float):
    i, j = cute.arch.block_idx()[0], cute.arch.thread_idx()[0]
    out[i, j] = weight * x[i, j] + (1.0 - weight) * y[i, j]


@cute.jit
def blend(stream: cuda.CUstream, x: cute.Tensor, y: cute.Tensor, out: cute.Tensor, *, weight: float):
    blend_kernel(x, y, out, weight).launch(
        grid=[x.shape[0], 1, 1], block=[x.shape[1], 1, 1], stream=stream
    )


@cute.kernel
def double_kernel(x: cute.Tensor):
    x[cute.arch.thread_idx()[0]] = x[cute.arch.thread_idx()[0]] * 2


@cute.jit
def double(x: cute.Tensor, stream: cuda.CUstream):
    double_kernel(x).launch(grid=[1, 1, 1], block=[x.shape[0], 1, 1], stream=stream)


x = create_tensor((6, 8), jnp.float32, jax.random.key(0))
y = create_tensor((6, 8), jnp.float32, jax.random.key(1))
expected = 0.25 * np.asarray(x) + 0.75 * np.asarray(y)

for static in (False, True):
    call = cjax.cutlass_call(
        blend, output_shape_dtype=jax.ShapeDtypeStruct(x.shape, x.dtype), use_static_tensors=static, weight=0.25
    )
    np.testing.assert_allclose(jax.jit(call)(x, y), expected, rtol=1e-6)

# The kernel sees the modes of x and of its result the other way around.
turned = cjax.TensorSpec(mode=(1, 0), divisibility=(2, None))
call = cjax.cutlass_call(
    lambda stream, x, y, out, *, weight: blend(stream, x, y, out, weight=weight),
    output_shape_dtype=(jax.ShapeDtypeStruct(x.shape, x.dtype),),
    input_spec=(turned, turned),
    output_spec=(turned,),
    weight=0.25,
)
(made,) = jax.jit(call)(x, y)
np.testing.assert_allclose(made, expected, rtol=1e-6)

call = cjax.cutlass_call(
    lambda stream, pair, out: blend(stream, pair[0], pair[1], out, weight=0.25),
    output_shape_dtype=x,
)
np.testing.assert_allclose(call([x, y]), expected, rtol=1e-6)

call = cjax.cutlass_call(
    lambda stream, x: double(x, stream), output_shape_dtype=x[0], input_output_aliases={0: 0}
)
np.testing.assert_allclose(jax.jit(call, donate_argnums=0)(x[0] + 0), 2 * np.asarray(x[0]))

assert cjax.cutlass_to_jax_dtype(cutlass.BFloat16) == jnp.bfloat16
assert cjax.jax_to_cutlass_dtype(jnp.int8) is cutlass.Int8

n = cute.sym_int()
fake = cute.runtime.make_fake_compact_tensor(cutlass.Float32, (n,))


@cute.jit
def scale(a: cute.Tensor, factor: cutlass.Float32, b: cute.Tensor):
    b[0] = a[0] * factor


compiled = cute.compile(scale, fake, cutlass.Float32, fake, options="--enable-tvm-ffi")
jax_tvm_ffi.register_ffi_target("scale", compiled, ["args", "attrs.factor", "rets"], platform="cpu")
made = jax.ffi.ffi_call("scale", jax.ShapeDtypeStruct((1,), jnp.float32))(jnp.ones(1), factor=np.float32(3))
assert made[0] == 3
print("done")
"""


def run(*command, cwd=None):
    done = forked.run("-m", "fairlead.compat", "--device", "cpu", *command, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_names(tmp_path):
    (tmp_path / "program.py").write_text(_PROGRAM)
    assert run(str(tmp_path / "program.py")).endswith("done\n")


@pytest.fixture
def tutorials():
    if not os.environ.get("FAIRLEAD_DSL_TUTORIALS"):
        pytest.skip("FAIRLEAD_DSL_TUTORIALS names no folder with the published programs")
    return Path(os.environ["FAIRLEAD_DSL_TUTORIALS"])


PUBLISHED = [
    ["jax/cute_dsl_jax_kernels.py"],
    ["jax/cutlass_call_basic.py"],
    ["jax/cutlass_call_export.py", "--M", "64", "--N", "64"],
    ["jax/cutlass_call_sharding.py"],
    ["jax/elementwise_apply_example.py", "--M", "256", "--N", "512"],
    ["tvm_ffi/jit_and_use_in_jax.py"],
]


@pytest.mark.parametrize("command", PUBLISHED, ids=[each[0] for each in PUBLISHED])
def test_published(tutorials, command, tmp_path):
    run(str(tutorials / command[0]), *command[1:], cwd=tmp_path)


def test_published_export(tutorials, tmp_path):
    pytest.importorskip("torch")
    run(str(tutorials / "tvm_ffi" / "aot_export.py"), cwd=tmp_path)
    made = run(str(tutorials / "tvm_ffi" / "aot_use_in_jax.py"), cwd=tmp_path)
    assert made.endswith("[ 1.  2.  3.  4.  5.  6.  7.  8.  9. 10.]\n")
