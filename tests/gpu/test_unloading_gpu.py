"""Device code of functions that are gone: unloaded when its work has ended, and not while a graph holds it."""

import gc
import time

import pytest

from fairlead import cute

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.gpu_memory


@cute.kernel
def device_add(a: cute.Tensor, c: cute.Constexpr):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < cute.size(a):
        a[i] = a[i] + c


@cute.jit
def add(a: cute.Tensor, c: cute.Constexpr):
    device_add(a, c).launch(grid=cute.ceil_div(cute.size(a), 128), block=128)


def compiled(a, c):
    return cute.compile(add, a, float(c), options="--no-cache")


def test_device_memory_is_flat():
    a = torch.zeros(1000, device="cuda")
    for number in range(80):
        compiled(a, number)(a)
    gc.collect()
    assert cute.cuda.unload_dropped() > 0
    free, _ = torch.cuda.mem_get_info()
    for number in range(400):
        a.zero_()
        compiled(a, 100 + number)(a)
        assert a[0].item() == 100 + number
    gc.collect()
    cute.cuda.unload_dropped()
    after, _ = torch.cuda.mem_get_info()
    print(f"400 compiled and dropped: {(free - after) >> 10} KiB of the GPU's memory")
    assert free - after < 8 << 20


def test_work_that_waits_is_done():
    """The functions go while their launches wait in a stream."""
    stream = torch.cuda.Stream()
    a = torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        for _ in range(40):
            compiled(a, 1)(a)
    gc.collect()
    other = torch.zeros(1000, device="cuda")
    for number in range(40):
        compiled(other, number)(other)
    torch.cuda.synchronize()
    assert (a == 40).all() and (other == sum(range(40))).all()


def test_a_graph_keeps_its_code():
    a = torch.zeros(1000, device="cuda")
    function = compiled(a, 3)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        function(a)
    del function
    gc.collect()
    for number in range(100):
        other = torch.zeros(1000, device="cuda")
        compiled(other, number)(other)
    gc.collect()
    assert cute.cuda.unload_dropped() > 0
    for number in range(100, 150):
        compiled(other, number)
    a.zero_()
    graph.replay()
    torch.cuda.synchronize()
    assert (a == 3).all()


def test_functions_go_while_a_graph_is_captured():
    """The collector may find them at any time: it asks nothing of the driver."""
    a = torch.zeros(1000, device="cuda")
    dropped = [compiled(a, number) for number in range(64)]
    for function in dropped:
        function(a)
    kept = compiled(a, 2)
    gc.collect()  # what other tests left, whose memory CUDA does not free while it captures
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept(a)
        dropped.clear()
        del function
        gc.collect()
    a.zero_()
    graph.replay()
    torch.cuda.synchronize()
    assert (a == 2).all()


@pytest.mark.parametrize("side", [False, True])
def test_price_of_a_launch(side):
    """Launches on streams that could be captured ask the driver whether they are: to compare, run with -s."""
    stream = torch.cuda.Stream() if side else torch.cuda.default_stream()
    a = torch.zeros(1000, device="cuda")
    function = compiled(a, 1)
    with torch.cuda.stream(stream):
        best = 1e9
        for _ in range(30):
            torch.cuda.synchronize()
            begun = time.perf_counter()
            for _ in range(200):
                function(a)
            best = min(best, (time.perf_counter() - begun) / 200)
        torch.cuda.synchronize()
    print(f"{'side' if side else 'default'} stream: {best * 1e6:.2f} us a launch")
    assert (a == 30 * 200).all()
