"""Streams and graphs: the framework's current stream, an explicit one, and capture."""

import kernels
import pytest

torch = pytest.importorskip("torch")


def slow(stream):
    """Keeps the stream busy for some milliseconds."""
    with torch.cuda.stream(stream):
        torch.cuda._sleep(20_000_000)


def test_call_runs_on_the_current_stream():
    function = kernels.compiled("add_one")
    stream = torch.cuda.Stream()
    a = torch.zeros(1000, device="cuda")
    b = torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    slow(stream)
    with torch.cuda.stream(stream):
        function(a, b)
    # Behind the sleep on its stream: not done yet.
    assert not stream.query()
    stream.synchronize()
    assert (b == 1).all()


def test_stream_argument():
    function = kernels.compiled("add_one_on_stream")
    stream = torch.cuda.Stream()
    a = torch.zeros(1000, device="cuda")
    b = torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    slow(stream)
    function(a, b, stream)
    assert not stream.query()
    stream.synchronize()
    assert (b == 1).all()


def test_capture_and_replay():
    function = kernels.compiled("add_one")
    a = torch.zeros(1000, device="cuda")
    b = torch.zeros(1000, device="cuda")
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        function(a, b)
    for value in (1.0, 5.0):
        a.fill_(value)
        b.zero_()
        graph.replay()
        torch.cuda.synchronize()
        assert (b == value + 1).all()


def test_first_call_may_lie_in_a_capture():
    """Compile loads the module, so that nothing is loaded while capturing."""
    function = kernels.compiled.__wrapped__("add_one")
    a = torch.zeros(64, device="cuda")
    b = torch.zeros(64, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        function(a, b)
    graph.replay()
    torch.cuda.synchronize()
    assert (b == 1).all()
