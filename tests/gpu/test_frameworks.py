"""Arrays of other frameworks on the GPU."""

import kernels
import numpy as np
import pytest


def test_cupy():
    cupy = pytest.importorskip("cupy")
    a = cupy.arange(1000, dtype=cupy.float32)
    b = cupy.full(1000, cupy.nan, dtype=cupy.float32)
    kernels.compiled("add_one")(a, b)
    cupy.cuda.runtime.deviceSynchronize()
    np.testing.assert_array_equal(cupy.asnumpy(b), np.arange(1000, dtype=np.float32) + 1)


def test_cupy_current_stream():
    """The call is queued between the work of CuPy's current stream, which waits for no other one."""
    cupy = pytest.importorskip("cupy")
    compiled = kernels.compiled("add_one")
    a, b = cupy.zeros(1 << 22, dtype=cupy.float32), cupy.zeros(1 << 22, dtype=cupy.float32)
    cupy.cuda.runtime.deviceSynchronize()
    with cupy.cuda.Stream(non_blocking=True) as stream:
        for _ in range(50):
            a += 1
            compiled(a, b)
            a = b * 1
        stream.synchronize()
    assert float(a[0]) == float(a[-1]) == 100


def test_jax_input(monkeypatch):
    # JAX takes most of the GPU's memory at its start unless told not to.
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = pytest.importorskip("jax")
    torch = pytest.importorskip("torch")
    if jax.default_backend() != "gpu":
        pytest.skip(f"JAX runs on {jax.default_backend()} here")
    a = jax.numpy.arange(1000, dtype=jax.numpy.float32).block_until_ready()
    b = torch.full((1000,), float("nan"), device="cuda")
    kernels.compiled("add_one")(a, b)
    np.testing.assert_array_equal(b.cpu().numpy(), np.arange(1000, dtype=np.float32) + 1)


def test_dlpack_producer():
    torch = pytest.importorskip("torch")

    class Producer:
        """An array with the protocol alone."""

        def __init__(self, tensor):
            self.tensor = tensor

        def __dlpack__(self, **options):
            return self.tensor.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

    a = torch.zeros(100, device="cuda")
    b = torch.zeros(100, device="cuda")
    kernels.compiled("add_one")(Producer(a), Producer(b))
    assert (b == 1).all()
