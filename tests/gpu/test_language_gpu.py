"""Attributes of loops and mathematical functions on a GPU."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from support import dsl_support as support  # noqa: E402

import fairlead  # noqa: E402
from fairlead import cute  # noqa: E402


def compact(array):
    """Return the stand-in for an array."""
    order = tuple(reversed(range(array.ndim)))
    return cute.runtime.make_fake_compact_tensor(
        support.CLASSES[array.dtype], array.shape, stride_order=order
    )


@pytest.mark.parametrize("stages", [0, 1, 4])
def test_prefetching(stages):
    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        total = cute.Float32(0.0)
        for i in fairlead.range(a.shape[0] // 64, prefetch_stages=stages):
            total += a[i * 64 + t]
        out[t] = total

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=64)

    a = torch.arange(6400, device="cuda", dtype=torch.float32) % 17
    out = torch.full((64,), float("nan"), device="cuda")
    cute.compile(host, support.vector(cute.Float32), support.vector(cute.Float32))(a, out)
    torch.testing.assert_close(out, a.reshape(100, 64).sum(0))


def test_own_math_functions(monkeypatch):
    """Results without libdevice are near those with it."""
    monkeypatch.setenv("FAIRLEAD_LIBDEVICE", "builtin")
    names = ["exp", "exp2", "log", "log2", "log10", "sin", "cos", "tan", "tanh", "sqrt", "rsqrt"]
    names += ["erf", "floor", "ceil"]

    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        for k in fairlead.range_constexpr(len(names)):
            out[k, i] = getattr(cute.math, names[k])(a[i])
        out[len(names), i] = a[i] ** 1.7
        out[len(names) + 1, i] = a[i] % 0.3

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=256)

    a = np.random.default_rng(3).uniform(0.01, 9, 256)
    for kind in (np.float32, np.float64):
        given = a.astype(kind)
        out = np.zeros((len(names) + 2, 256), kind)
        on_gpu = torch.from_numpy(out).cuda()
        cute.compile(host, compact(given), compact(out), options="--no-cache")(
            torch.from_numpy(given).cuda(), on_gpu
        )
        exact = given.astype(np.float64)
        others = {"rsqrt": 1 / np.sqrt(exact), "erf": torch.erf(torch.from_numpy(exact)).numpy()}
        expected = [others[n] if n in others else getattr(np, n)(exact) for n in names]
        expected += [exact ** float(np.float32(1.7)) if kind is np.float32 else exact**1.7]
        expected += [np.mod(exact, float(np.float32(0.3)) if kind is np.float32 else 0.3)]
        tolerance = 1e-6 if kind is np.float32 else 1e-12
        np.testing.assert_allclose(
            on_gpu.cpu().numpy(), np.array(expected), rtol=tolerance, atol=tolerance
        )
