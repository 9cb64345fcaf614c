"""Operators of torch and calls of JAX on the GPU."""

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "python" / "frameworks"))

pytestmark = pytest.mark.gpu

_numbers = itertools.count()


@pytest.fixture(scope="module")
def programs():
    import framework_programs

    from fairlead import _compiler

    framework_programs.here = str(_compiler.Target.detect())
    return framework_programs


def test_operator(programs):
    torch = pytest.importorskip("torch")
    import fairlead.torch

    for target in (programs.here, f"cpu,{programs.here}"):
        name = f"fairlead_gpu_tests::op{next(_numbers)}"
        operator = fairlead.torch.op(programs.compiled_outer(target), name, "z")
        x, y = torch.randn(40, device="cuda"), torch.randn(50, device="cuda")
        torch.testing.assert_close(operator(x, y), torch.outer(x, y))
        results = torch.library.opcheck(operator.default, (x, y))
        assert set(results.values()) == {"SUCCESS"}, results
        if "cpu" in target:
            torch.testing.assert_close(operator(x.cpu(), y.cpu()), torch.outer(x, y).cpu())
        else:
            with pytest.raises(NotImplementedError):
                operator(x.cpu(), y.cpu())


def test_operator_on_other_streams(programs):
    torch = pytest.importorskip("torch")
    import fairlead.torch

    name = f"fairlead_gpu_tests::op{next(_numbers)}"
    operator = fairlead.torch.op(programs.compiled_add_one(target=programs.here), name, "b")
    stream = torch.cuda.Stream()
    x = torch.zeros(1 << 20, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(100_000_000)
        x.add_(1)
        made = operator(x)
    stream.synchronize()
    assert torch.equal(made, torch.full_like(x, 2))


KERNEL = """
extern "C" __global__ void add_one(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + 1;
}
"""
SIGNATURE = "add_one(x: Tensor([n], float32), y: Tensor([n], float32))"


@pytest.fixture(scope="module")
def kernel():
    import fairlead

    launch = "grid=(ceil_div(n, 256),), block=256, args=(x, y, int32(n))"
    return fairlead.kernel(KERNEL, "add_one", SIGNATURE, launch)


def test_operator_of_a_kernel(kernel):
    torch = pytest.importorskip("torch")
    import fairlead.torch

    operator = fairlead.torch.op(kernel, f"fairlead_gpu_tests::op{next(_numbers)}", "y")
    x = torch.randn(1000, device="cuda")
    torch.testing.assert_close(operator(x), x + 1)
    results = torch.library.opcheck(operator.default, (x,))
    assert set(results.values()) == {"SUCCESS"}, results
    model = torch.compile(lambda x: operator(x.sin()) * 2, fullgraph=True)
    torch.testing.assert_close(model(x), (x.sin() + 1) * 2)


def test_jax_call_of_a_kernel(kernel):
    jax, call = _jax()
    add = call(kernel)
    x = jax.numpy.arange(1000.0)
    np.testing.assert_array_equal(jax.jit(lambda x: add(add(x)))(x), np.arange(1000.0) + 2)


def test_operator_that_overlaps(programs):
    torch = pytest.importorskip("torch")
    import fairlead.torch

    function = programs.compiled_add_one(target=programs.here)
    operator = fairlead.torch.op(function, f"fairlead_gpu_tests::op{next(_numbers)}", "b")
    memory = torch.arange(1000.0, device="cuda")
    with pytest.raises((ValueError, RuntimeError), match=r"argument #1 \(b\), which is written"):
        operator(memory[:900], memory[100:])
    operator(memory[:500], memory[500:])
    assert torch.equal(memory[500:], memory[:500] + 1)


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_compiled_graphs(programs, mode):
    torch = pytest.importorskip("torch")
    import fairlead.torch

    name = f"fairlead_gpu_tests::op{next(_numbers)}"
    operator = fairlead.torch.op(programs.compiled_add_one(target=programs.here), name, "b")
    torch._dynamo.reset()
    model = torch.compile(lambda x: operator(x.sin()) * 2, fullgraph=True, mode=mode)
    for _ in range(4):
        x = torch.randn(1000, device="cuda")
        torch.testing.assert_close(model(x).clone(), (x.sin() + 1) * 2)


def _jax():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip(f"JAX runs on {jax.default_backend()} here")
    import fairlead.jax

    return jax, fairlead.jax.call


def test_jax(programs):
    jax, call = _jax()
    outer = call(programs.compiled_outer(programs.here))
    x, y = jax.numpy.arange(40.0), jax.numpy.arange(50.0)
    expected = np.outer(x, y)
    np.testing.assert_array_equal(outer(x, y), expected)
    run = jax.jit(lambda x, y: outer(outer(x, y)[:, 1], y) + 1)  # a graph of several launches
    for _ in range(3):
        np.testing.assert_array_equal(run(x, y), expected + 1)
    batch = jax.numpy.stack([x, x + 1, x * 2])
    made = jax.jit(jax.vmap(outer, in_axes=(0, None)))(batch, y)
    np.testing.assert_array_equal(made, np.einsum("bi,j->bij", batch, y))


def test_jax_in_place(programs):
    jax, call = _jax()
    axpy = call(programs.compiled_axpy(programs.here), aliases="y", cuda_graph=False)
    x, y = jax.numpy.arange(1000.0), jax.numpy.ones(1000)
    made = jax.jit(lambda x, y: axpy(x, y, alpha=2.0), donate_argnums=1)(x, y)
    np.testing.assert_array_equal(made, 2 * np.arange(1000.0) + 1)


def test_jax_programs_bring_their_code_along(programs):
    pytest.importorskip("flatbuffers")
    jax, call = _jax()
    from jax import export

    import fairlead.jax

    outer = call(programs.compiled_outer(programs.here), embed=True)
    checks = [export.DisabledSafetyCheck.custom_call(fairlead.jax.TARGET)]
    shape = jax.ShapeDtypeStruct((30,), jax.numpy.float32)
    saved = export.export(jax.jit(outer), disabled_checks=checks)(shape, shape).serialize()
    x = jax.numpy.arange(30.0)
    np.testing.assert_array_equal(export.deserialize(saved).call(x, x), np.outer(x, x))


@pytest.mark.gpu(count=2)
def test_jax_on_two_gpus(programs):
    jax, call = _jax()
    from jax.sharding import NamedSharding
    from jax.sharding import PartitionSpec as P

    add = call(programs.compiled_add_one(target=programs.here))
    mesh = jax.make_mesh((2,), ("d",), devices=jax.devices()[:2])
    x = jax.device_put(jax.numpy.arange(64.0), NamedSharding(mesh, P("d")))
    run = jax.jit(jax.shard_map(add, mesh=mesh, in_specs=P("d"), out_specs=P("d")))
    np.testing.assert_array_equal(run(x), np.arange(64.0) + 1)
