"""Derivatives of fairlead.ops for autograd of PyTorch, against float64. FAIRLEAD_RANDOM_SEED is the first seed of
random shapes (default 0)."""

import itertools
import os

import pytest
from support import gradients
from support.thinned import crossed, thinned

import fairlead.ops as ops
from fairlead.ops import _cross_entropy

torch = pytest.importorskip("torch")
functional = torch.nn.functional
FIRST = int(os.environ.get("FAIRLEAD_RANDOM_SEED", "0"))


# In the default run, each operation has two of the four shapes.
TWO_SHAPES = [
    (name, gradients.ROWS[(i + step) % 4])
    for i, name in enumerate(gradients.ROW_OPERATIONS)
    for step in (0, 2)
]


@pytest.mark.parametrize("name, case", thinned(
    itertools.product(gradients.ROW_OPERATIONS, gradients.ROWS), TWO_SHAPES
))  # fmt: skip
def test_rows(name, case):
    shape, dtype = case
    gradients.check_rows(name, shape, dtype, "cpu")


@pytest.mark.parametrize("seed", range(FIRST, FIRST + 4))
def test_random_shapes(seed):
    gradients.check_random(seed, "cpu")


def test_rows_of_several_blocks():
    gradients.check_rows("softmax", (2, 131072), torch.float32, "cpu")
    gradients.check_rows("layer_norm", (2, 40000), torch.float32, "cpu")


@pytest.mark.parametrize("case, options", crossed(gradients.LOGITS, gradients.LOSS_OPTIONS))
def test_cross_entropy(case, options):
    shape, dtype = case
    gradients.check_cross_entropy(shape, dtype, options, "cpu")


def test_cross_entropy_of_odd_rows():
    inf = float("inf")
    x = torch.tensor([[-inf, -inf, 1.0], [-inf] * 3, [float("nan"), 1, 2], [inf, 1, 2]])
    target = torch.tensor([2, 0, 1, 1])
    expected = functional.cross_entropy(x, target, reduction="none")
    losses = ops.cross_entropy(x, target, reduction="none")
    torch.testing.assert_close(losses, expected, equal_nan=True)
    # No class of that number; torch refuses such.
    assert (
        ops.cross_entropy(x[:1].expand(3, 3), torch.tensor([3, -1, 2]), reduction="none")[:2]
        .isnan()
        .all()
    )
    assert ops.cross_entropy(x, torch.full((4,), -100)).isnan()


@pytest.mark.parametrize(
    "dtype, columns", [(torch.bfloat16, 17001), (torch.float32, 1031), (torch.float16, 41)]
)
def test_cross_entropy_of_shifted_rows(dtype, columns, monkeypatch):
    """As on GPUs, if rows begin within 16 bytes."""
    form = lambda matrix: (128 // matrix.numeric.width, True)  # noqa: E731
    monkeypatch.setattr(_cross_entropy, "_form", form)
    for planned in (_cross_entropy._losses, _cross_entropy._logit_gradients):
        planned.forget()
    gradients.check_cross_entropy((9, columns), dtype, {"label_smoothing": 0.1}, "cpu")
    for planned in (_cross_entropy._losses, _cross_entropy._logit_gradients):
        planned.forget()


def test_cross_entropy_of_numpy_and_jax():
    np = pytest.importorskip("numpy")
    x = np.linspace(-3, 3, 24, dtype=np.float32).reshape(2, 3, 4)
    target = np.array([[0, 1, 2], [3, -100, 1]], np.int32)
    expected = functional.cross_entropy(
        torch.from_numpy(x).reshape(6, 4), torch.from_numpy(target).reshape(6).long()
    )
    assert ops.cross_entropy(x, target) == pytest.approx(expected.item(), rel=1e-6)
    jax = pytest.importorskip("jax")
    arrays = jax.numpy.asarray(x), jax.numpy.asarray(target)
    assert float(jax.jit(ops.cross_entropy)(*arrays)) == pytest.approx(expected.item(), rel=1e-6)
    assert ops.cross_entropy(*arrays, reduction="none").shape == (2, 3)


@pytest.mark.parametrize("activation, batch", crossed(
    [None, "relu", "silu", "gelu", "gelu_tanh"], [(), (3,)]
))  # fmt: skip
def test_matmul(activation, batch):
    gradients.check_matmul(activation, batch, torch.float32, "cpu")


def test_matmul_of_bfloat16():
    gradients.check_matmul("silu", (), torch.bfloat16, "cpu")


@pytest.mark.parametrize("problem", gradients.ATTENTION)
def test_attention(problem):
    gradients.check_attention(*problem, device="cpu")


@pytest.mark.parametrize("queries, keys", [(50, 70), (60, 25)])
def test_attention_gradients_of_windows(queries, keys):
    problem = 1, 4, 2, queries, keys, 16, False, torch.float16, None
    gradients.check_attention(*problem, device="cpu", window=(20, 10))


@pytest.mark.parametrize("needed", [1, 2])
def test_attention_gradient_of_one(needed):
    """Gradients of keys or of values alone use other kernels."""
    gradients.check_attention(*gradients.ATTENTION[0], device="cpu", needed=[needed])


def test_attention_gradients_are_the_same_each_time():
    q, k, v = (torch.randn(1, 2, 40, 16).half().requires_grad_() for _ in range(3))
    runs = [
        torch.autograd.grad(ops.attention(q, k, v, causal=True).sum(), (q, k, v)) for _ in range(2)
    ]
    assert all(torch.equal(first, second) for first, second in zip(*runs, strict=True))


def test_transpose():
    x = torch.randn(2, 5, 7, requires_grad=True)
    gradient = torch.randn(2, 7, 5)
    ops.transpose(x).backward(gradient)
    assert torch.equal(x.grad, gradient.mT)


def test_only_what_is_needed():
    """Arguments that require no gradient get none, and without autograd nothing is recorded."""
    x, weight = torch.randn(3, 8), torch.randn(8, requires_grad=True)
    y = ops.rms_norm(x, weight)
    y.sum().backward()
    assert x.grad is None and weight.grad.shape == (8,)
    with torch.no_grad():
        assert not ops.rms_norm(x, weight).requires_grad
    assert not ops.rms_norm(x, weight.detach()).requires_grad


def test_a_model_learns():
    """A layer of all operations: the loss after some steps equals the loss of torch's layer."""

    def loss_of(norm, product, attend, cross_entropy):
        torch.manual_seed(0)
        x, target = torch.randn(2, 2, 16, 16), torch.randint(0, 50, (2, 2, 16))
        weights = [torch.randn(16), torch.randn(48, 16) * 0.2, torch.randn(50, 16) * 0.2]
        parameters = [torch.nn.Parameter(weight) for weight in weights]
        optimizer = torch.optim.SGD(parameters, lr=0.5)
        for _ in range(4):
            scale, projection, head = parameters
            rows = norm(x, scale).reshape(-1, 16)
            q, k, v = product(rows, projection.T).reshape(2, 2, 16, 48).half().split(16, -1)
            mixed = attend(q, k, v).float().reshape(-1, 16)
            loss = cross_entropy(product(mixed, head.T), target.reshape(-1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return loss.item()

    ours = loss_of(
        ops.rms_norm, ops.matmul, lambda *args: ops.attention(*args, causal=True), ops.cross_entropy
    )
    theirs = loss_of(
        lambda x, weight: functional.rms_norm(x, (16,), weight, 1e-6), torch.matmul,
        lambda *args: functional.scaled_dot_product_attention(*args, is_causal=True),
        functional.cross_entropy,
    )  # fmt: skip
    assert ours == pytest.approx(theirs, rel=1e-3)


def needs(*shape):
    return torch.zeros(*shape, requires_grad=True)


SEQUENCES = torch.tensor([0, 4], dtype=torch.int32)


@pytest.mark.parametrize("call, message", [
    (lambda: ops.softmax(needs(2, 8), out=torch.zeros(2, 8)), "out: expected None where a gradient is needed"),
    (lambda: ops.reduce_rows(needs(2, 8)), "x: expected no tensor that requires a gradient, since fair"),
    (lambda: ops.grouped_matmul([needs(2, 8)], [torch.zeros(8, 3)]),
     "a: expected no tensor that requires a gradient"),
    (lambda: ops.matmul(needs(2, 8), torch.zeros(8, 3), scale_a=torch.ones(1), scale_b=torch.ones(1)),
     "scale_a: expected None where a gradient is needed"),
    (lambda: ops.attention(needs(4, 2, 8).half(), needs(4, 2, 8).half(), needs(4, 2, 8).half(), cu_seqlens_q=SEQUENCES),
     "cu_seqlens_q: expected None where a gradient is needed"),
    (lambda: ops.attention(*[needs(1, 2, 4, 8).half()] * 3, cu_seqlens_k=SEQUENCES),
     "cu_seqlens_k: expected None where a gradient is needed"),
    (lambda: ops.attention(*[needs(3).half()] * 3), "q: expected the dimensions"),
    (lambda: ops.attention(*[needs(1, 2, 4, 8).half()] * 3, deterministic=True), "deterministic: expected run or b"),
    (lambda: ops.attention(*[needs(1, 2, 4, 8).half()] * 3, softcap=3.0), "softcap: expected None where a gradient is"),
    (lambda: ops.attention(*[needs(1, 2, 4, 8).half()] * 3, return_lse=True), "return_lse: expected False where a gr"),
    (lambda: ops.softmax(needs(2, 300000)), "a last dimension of 1 to 262144"),
    (lambda: ops.cross_entropy(torch.zeros(2, 8), torch.zeros(2)), "target: expected elements of int32, int64"),
    (lambda: ops.cross_entropy(torch.zeros(2, 8), torch.zeros(3).long()), r"target: expected the shape \[2\]"),
    (lambda: ops.cross_entropy(torch.zeros(2, 8), torch.zeros(2).long(), reduction="max"), "reduction: expected mean"),
    (lambda: ops.cross_entropy(torch.zeros(2, 8), torch.zeros(2).long(), label_smoothing=2), "label_smoothing: exp"),
    (lambda: ops.cross_entropy(torch.zeros(2, 8), torch.zeros(2).long(), label_smoothing="a"), "but got 'a'"),
])  # fmt: skip
def test_bad_arguments(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()
