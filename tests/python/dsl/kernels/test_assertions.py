"""cute.testing.assert_: checked under --enable-assertions, on the host and in kernels."""

import numpy as np
import pytest

from fairlead import cute
from fairlead.utils import SmemAllocator

CHECKED = "--target cpu --enable-assertions"


def line_of(mark: str) -> int:
    with open(__file__) as file:
        return next(i for i, text in enumerate(file, 1) if text.rstrip().endswith("# " + mark))


@cute.kernel
def device(a: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    cute.testing.assert_(a[x, t] >= 0, "negative")  # KERNEL
    a[x, t] = a[x, t] + 1


@cute.jit
def run(a: cute.Tensor):
    device(a).launch(grid=[a.shape[0], 1, 1], block=[32, 1, 1])


def values(wrong=None, blocks=6):
    a = np.zeros((blocks, 32), np.int32)
    if wrong:
        a[wrong] = -5
    return a


def test_in_kernels():
    compiled = cute.compile(run, values(), options=CHECKED)
    good = values()
    compiled(good)
    assert (good == 1).all()
    place = (
        rf"negative \(.*test_assertions.py:{line_of('KERNEL')}\), in block \(3, 0, 0\) of `device`"
    )
    with pytest.raises(AssertionError, match=place):
        compiled(values(wrong=(3, 7)))
    compiled(good)
    assert (good == 2).all()


def test_without_the_option():
    wrong = values(wrong=(3, 7))
    cute.compile(run, wrong, options="--target cpu")(wrong)
    assert wrong[3, 7] == -4
    assert "FairleadCpuAssert" not in cute.compile(run, wrong, options="--target cpu").ir


@cute.kernel
def device_waiting(a: cute.Tensor, divergent: cute.Constexpr):
    t, _, _ = cute.arch.thread_idx()
    tile = SmemAllocator().allocate_tensor(cute.Int32, 64)
    tile[t] = a[t]
    cute.arch.sync_threads()
    if divergent:
        if t < 32:
            cute.arch.barrier(barrier_id=1, number_of_threads=32)
    cute.testing.assert_(tile[63 - t] < 100, "too large")
    cute.arch.sync_threads()
    a[t] = tile[63 - t]


@pytest.mark.parametrize("divergent", [False, True])
@pytest.mark.parametrize("coroutines", ["0", "1"])
def test_where_threads_wait(divergent, coroutines, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", coroutines)

    @cute.jit
    def waiting(a: cute.Tensor):
        device_waiting(a, divergent).launch(grid=1, block=[64, 1, 1])

    a = np.arange(64, dtype=np.int32)
    compiled = cute.compile(waiting, a, options=CHECKED)
    for _ in range(3):
        compiled(a)
        a[5] = 100
        before = a.copy()
        with pytest.raises(AssertionError, match="too large"):
            compiled(a)
        np.testing.assert_array_equal(a, before)
        a[5] = 5


def test_on_the_host():
    @cute.jit
    def host(a: cute.Tensor, n: cute.Int32):
        cute.testing.assert_(n > 3, "n is small")  # HOST
        device(a).launch(grid=[1, 1, 1], block=[32, 1, 1])

    a = values()
    compiled = cute.compile(host, a, 4, options=CHECKED)
    compiled(a, 4)
    assert (a[0] == 1).all()
    with pytest.raises(
        AssertionError, match=rf"n is small \(.*test_assertions.py:{line_of('HOST')}\)"
    ):
        compiled(a, 3)
    assert (a[0] == 1).all()


def test_known_while_tracing():
    @cute.jit
    def host(a: cute.Tensor):
        cute.testing.assert_(a.shape[0] == 7, "seven")

    n7, n6 = np.zeros((7, 1), np.int32), np.zeros((6, 1), np.int32)
    static = cute.runtime.from_dlpack
    cute.compile(host, static(n7), options=CHECKED)
    with pytest.raises(AssertionError, match="seven"):
        cute.compile(host, static(n6), options=CHECKED)
    cute.compile(host, static(n6), options="--target cpu")


def test_for_cuda():
    text = cute.compile(run, values(), options="--target cuda:sm_90a --enable-assertions").__ptx__
    assert "__assertfail" in text
    assert "__assertfail" not in cute.compile(run, values(), options="--target cuda:sm_90a").__ptx__


def test_from_python():
    cute.testing.assert_(True)
    with pytest.raises(AssertionError, match="no"):
        cute.testing.assert_(False, "no")
