"""Structs, swizzled layouts, loop attributes and printing on the GPU, as the CPU's tests have them."""

import re

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import test_print  # noqa: E402
import test_structs  # noqa: E402
from support import dsl_support as support  # noqa: E402

import fairlead  # noqa: E402
from fairlead import cute  # noqa: E402


def compact(array):
    """Return the stand-in for an array."""
    order = tuple(reversed(range(array.ndim)))
    return cute.runtime.make_fake_compact_tensor(
        support.CLASSES[array.dtype], array.shape, stride_order=order
    )


def run_block(function, out, *inputs, threads=test_structs.THREADS):
    device = cute.kernel(function)

    @cute.jit
    def host(out: cute.Tensor, a: cute.Tensor):
        device(out, a).launch(grid=1, block=threads)

    given = inputs[0] if inputs else np.zeros(1, np.float32)
    compiled = cute.compile(host, compact(out), compact(given))
    on_gpu = torch.from_numpy(out).cuda()
    compiled(on_gpu, torch.from_numpy(given).cuda())
    out[...] = on_gpu.cpu().numpy()
    return out


PLAIN = [
    test_structs.test_structs_in_shared_memory,
    test_structs.test_traced_sizes_and_casts,
    test_structs.test_unions_overlap,
    test_structs.test_a_struct_is_used_in_branches_and_loops,
    test_structs.test_views_of_swizzled_tensors,
    test_structs.test_composed_layouts_in_shared_memory_and_registers,
    test_structs.test_layouts_in_layouts,
]


@pytest.mark.parametrize("test", PLAIN, ids=lambda test: test.__name__)
def test_memory(test, monkeypatch):
    monkeypatch.setattr(test_structs, "run_block", run_block)
    test()


@pytest.mark.parametrize("numbers", test_structs.SWIZZLES)
def test_swizzled_tensors_of_elements(numbers, monkeypatch):
    monkeypatch.setattr(test_structs, "run_block", run_block)
    test_structs.test_swizzled_tensors_of_elements(numbers)


@pytest.mark.parametrize("numbers", [(3, 4, 3), (2, 4, 3), (1, 4, 3), (3, 3, 3)])
def test_swizzled_shared_memory(numbers, monkeypatch):
    monkeypatch.setattr(test_structs, "run_block", run_block)
    test_structs.test_swizzled_shared_memory(numbers)


def printed(capfd, function, *arguments, fakes=None):
    device = cute.kernel(function)

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=1)

    array = arguments[0]
    compiled = cute.compile(host, compact(array) if fakes is None else fakes)
    compiled(torch.from_numpy(array).cuda())
    torch.cuda.synchronize()
    return re.sub(r"0x[0-9a-f]{16}", "ADDR", capfd.readouterr().out)


@pytest.mark.parametrize(
    "test",
    [
        test_print.test_formats,
        test_print.test_tensors_and_pointers,
        test_print.test_print_tensor,
        test_print.test_print_tensor_verbose,
        test_print.test_print_tensor_of_other_kinds,
    ],
    ids=lambda test: test.__name__,
)
def test_prints(test, monkeypatch, capfd):
    monkeypatch.setattr(test_print, "printed", printed)
    test(capfd)


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
