"""Warm calls of fairlead.ops: found in C++, with the same results and errors as the first call."""

import threading

import numpy as np
import pytest

from fairlead import ops

torch = pytest.importorskip("torch")
functional = torch.nn.functional


def random(*shape, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))).to(dtype)


def heads(*shape):
    return random(*shape, dtype=torch.float16)


def softmax(x, **options):
    return torch.softmax(x, -1)


def attention(q, k, v, **options):
    return functional.scaled_dot_product_attention(q.float(), k.float(), v.float()).half()


def grouped(a, b, **options):
    return [x @ y for x, y in zip(a, b, strict=True)]


CASES = {
    "matmul": (ops.matmul, (random(8, 16), random(16, 4)), torch.matmul),
    "matmul of batches": (ops.matmul, (random(2, 8, 16), random(2, 16, 4)), torch.matmul),
    "softmax": (ops.softmax, (random(5, 64),), softmax),
    "softmax of 3 dimensions": (ops.softmax, (random(2, 5, 64),), softmax),
    "rms_norm": (ops.rms_norm, (random(2, 5, 64),), lambda x: functional.rms_norm(x, (64,), eps=1e-6)),
    "layer_norm": (ops.layer_norm, (random(5, 64),), lambda x: functional.layer_norm(x, (64,))),
    "reduce_rows": (ops.reduce_rows, (random(2, 5, 64),), lambda x: x.sum(-1)),
    "transpose": (ops.transpose, (random(2, 5, 6),), lambda x: x.mT),
    "grouped_matmul": (
        ops.grouped_matmul, ([random(8, 16), random(4, 16)], [random(16, 4), random(16, 4)]), grouped
    ),
    "attention": (ops.attention, [heads(1, 2, 8, 64) for _ in range(3)], attention),
}  # fmt: skip


@pytest.fixture(autouse=True)
def forget():
    for function, *_ in CASES.values():
        function.forget()


def calls(function, work):
    """Return how many hits and misses the calls of ``work`` are."""
    before = function.info()
    work()
    after = function.info()
    return after.hits - before.hits, after.misses - before.misses


@pytest.mark.parametrize("case", CASES)
def test_second_call_is_a_hit(case):
    function, args, wanted = CASES[case]

    def twice():
        for _ in range(3):
            torch.testing.assert_close(function(*args), wanted(*args), atol=2e-3, rtol=2e-3)

    assert calls(function, twice) == (2, 1)


def test_out_is_filled_and_returned():
    a, b, x = random(8, 16), random(16, 4), random(2, 5, 64)
    product, p = torch.empty(8, 4), torch.empty(2, 5, 64)

    def work():
        for _ in range(3):
            product.zero_(), p.zero_()
            assert ops.matmul(a, b, out=product) is product
            torch.testing.assert_close(product, a @ b)
            assert ops.softmax(x, out=p) is p
            torch.testing.assert_close(p, softmax(x))

    assert calls(ops.matmul, work) == (2, 1) and ops.softmax.info().plans == 1


def test_options_are_part_of_the_key():
    a, b, bias = random(8, 16), random(16, 4), random(4)
    options = [
        {}, {"bias": bias}, {"activation": "relu"}, {"activation": "silu"}, {"alpha": 0.5},
        {"residual": random(8, 4)}, {"out_dtype": "float16"}, {"bias": bias, "out": torch.empty(8, 4)},
    ]  # fmt: skip

    def work():
        for _ in range(2):
            results = [ops.matmul(a, b, **each) for each in options]
            torch.testing.assert_close(results[2], torch.relu(a @ b))
            torch.testing.assert_close(results[3], functional.silu(a @ b))
            torch.testing.assert_close(results[4], 0.5 * (a @ b))
            torch.testing.assert_close(results[7], a @ b + bias)
            assert results[6].dtype is torch.float16

    assert calls(ops.matmul, work) == (8, 8)


def test_same_tensor_for_several_arguments():
    x, y = heads(1, 2, 8, 64), heads(1, 2, 8, 64) + 1
    torch.testing.assert_close(ops.attention(x, x, x), attention(x, x, x), atol=2e-3, rtol=2e-3)
    for q, k, v in ((x, y, y), (x, x, y), (x, y, x), (y, x, x)):
        for _ in range(2):
            found = ops.attention(q, k, v)
            torch.testing.assert_close(found, attention(q, k, v), atol=4e-3, rtol=2e-3)


def test_calls_that_copy_are_not_remembered():
    x = random(64, 5).T
    assert calls(ops.softmax, lambda: [ops.softmax(x), ops.softmax(x)]) == (0, 2)
    torch.testing.assert_close(ops.softmax(x), softmax(x))
    assert ops.softmax.info().plans == 0


def test_misaligned_tensors_have_plans_of_their_own():
    memory, b = random(8 * 16 + 4), random(16, 4)
    views = [memory[offset:][: 8 * 16].view(8, 16) for offset in range(5)]
    for _ in range(2):
        for a in views:
            torch.testing.assert_close(ops.matmul(a, b), a @ b)
    assert ops.matmul.info().plans == 3  # multiples of 16, 4 and 8 bytes


ERRORS = {
    "shape": (ValueError, "b: expected the shape", lambda x: (x(3, 4),), {}),
    "out": (ValueError, "out: expected the shape", lambda x: (x(16, 4),), {"out": torch.empty(2, 2)}),
    "activation": (ValueError, "activation: expected", lambda x: (x(16, 4),), {"activation": "swish"}),
    "type": (TypeError, "b: expected a tensor", lambda x: ([1.0],), {}),
    "elements": (ValueError, "b: expected elements", lambda x: (x(16, 4).double(),), {}),
}  # fmt: skip


@pytest.mark.parametrize("what", ERRORS)
def test_errors_after_a_hit(what):
    a = random(8, 16)
    for _ in range(2):
        ops.matmul(a, random(16, 4))
    kind, message, others, options = ERRORS[what]
    for _ in range(2):
        with pytest.raises(kind, match=message):
            ops.matmul(a, *others(random), **options)
    assert ops.matmul.info().plans == 1


def test_tensors_that_require_grad():
    x = random(5, 64)
    ops.softmax(x)
    leaf = x.clone().requires_grad_()
    # Autograd must see such calls: no plan is remembered for them.
    assert calls(ops.softmax, lambda: ops.softmax(leaf)) == (1, 1)
    assert ops.softmax(leaf).requires_grad and ops.softmax.info().plans == 1
    with torch.no_grad():
        assert calls(ops.softmax, lambda: ops.softmax(leaf)) == (1, 0)


def test_tuning_drops_plans():
    a, b = random(96, 64, dtype=torch.float16), random(64, 80, dtype=torch.float16)
    ops.matmul(a, b)
    assert ops.matmul.info().plans == 1
    ops.matmul(a, b, tune=True)
    assert ops.matmul.info().plans == 0
    torch.testing.assert_close(
        ops.matmul(a, b), (a.float() @ b.float()).half(), atol=0.1, rtol=1e-2
    )


def test_numpy():
    x = np.random.default_rng(1).standard_normal((2, 5, 64), dtype=np.float32)
    out = np.empty_like(x)
    for _ in range(2):
        found = ops.softmax(x)
        assert isinstance(found, np.ndarray) and found.shape == x.shape
        np.testing.assert_allclose(found, softmax(torch.from_numpy(x)), atol=1e-6)
        assert ops.softmax(x, out=out) is out
    assert ops.softmax.info().plans == 2


def test_threads():
    inputs = [random(4, size) for size in (32, 64, 96)]
    wanted = [softmax(x) for x in inputs]
    problems = []

    def work(seed):
        for turn in range(200):
            index = (turn + seed) % 3
            if not torch.allclose(ops.softmax(inputs[index]), wanted[index], atol=1e-6):
                problems.append((seed, turn))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems and ops.softmax.info().plans == 3


def test_operator_under_torch_compile():
    @torch.library.custom_op("fairlead_tests::planned_softmax", mutates_args=())
    def operator(x: torch.Tensor) -> torch.Tensor:
        return ops.softmax(x)

    @operator.register_fake
    def _(x):
        return torch.empty_like(x)

    x = random(5, 64)
    compiled = torch.compile(lambda x: operator(x) + 1, backend="eager", fullgraph=True)

    def work():
        for _ in range(3):
            torch.testing.assert_close(compiled(x), softmax(x) + 1)

    assert calls(ops.softmax, work) == (2, 1)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
class TestGpu:
    def test_devices_and_streams(self):
        x = random(5, 64)
        stream = torch.cuda.Stream()
        for _ in range(3):
            torch.testing.assert_close(ops.softmax(x), softmax(x))
            for index in range(torch.cuda.device_count()):
                there = x.to(f"cuda:{index}")
                found = ops.softmax(there)
                assert found.device == there.device
                torch.testing.assert_close(found.cpu(), softmax(x), atol=1e-5, rtol=1e-5)
            there = x.cuda()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                torch.cuda._sleep(1_000_000)
                found = ops.softmax(there)
            stream.synchronize()
            torch.testing.assert_close(found.cpu(), softmax(x), atol=1e-5, rtol=1e-5)
        assert ops.softmax.info().plans == 1 + torch.cuda.device_count()

    def test_graphs(self):
        a, b = (random(64, 64, dtype=torch.bfloat16).cuda() for _ in range(2))
        out = torch.empty_like(a)
        ops.matmul(a, b, out=out), ops.matmul(a, b)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()

        def capture():
            with torch.cuda.graph(graph):
                ops.matmul(a, b, out=out)
                results.append(ops.matmul(a, b))

        results = []
        assert calls(ops.matmul, capture) == (2, 0)
        a.copy_(random(64, 65, dtype=torch.bfloat16)[:, 1:])
        graph.replay()
        torch.cuda.synchronize()
        wanted = (a.float() @ b.float()).bfloat16()
        for found in (out, *results):
            torch.testing.assert_close(found, wanted, atol=0.5, rtol=2e-2)
