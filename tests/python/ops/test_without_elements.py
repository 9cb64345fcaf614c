"""Arrays without rows: results without elements, and gradients that are 0, as PyTorch gives them."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from fairlead import ops  # noqa: E402


def tensor(*shape, dtype=torch.float32):
    return torch.ones(*shape, dtype=dtype)


ROWS = {
    "softmax": lambda x: ops.softmax(x),
    "log_softmax": lambda x: ops.log_softmax(x),
    "rms_norm": lambda x: ops.rms_norm(x, tensor(7)),
    "layer_norm": lambda x: ops.layer_norm(x, tensor(7), tensor(7), residual=x),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("shape", [(0, 7), (3, 0, 7)])
def test_rows(name, shape):
    x = tensor(*shape)
    for _ in range(2):  # the second call has a plan
        y = ROWS[name](x)
        assert y.shape == x.shape
        assert y.dtype == x.dtype
        assert y is not x


def test_the_given_result_is_returned():
    for out in (
        tensor(0, 7),
        tensor(3, 0, 2, 7),
    ):  # the strides of the second one are not those of its extents
        for _ in range(2):
            assert ops.softmax(torch.empty_like(out), out=out) is out
    y = np.zeros((0, 7), np.float32)[:, ::2]
    assert ops.softmax(np.zeros((0, 4), np.float32), out=y) is y


def test_numpy():
    y = ops.softmax(np.zeros((0, 7), np.float32))
    assert isinstance(y, np.ndarray)
    assert y.shape == (0, 7)


def test_sums_of_rows():
    assert ops.reduce_rows(tensor(2, 0, 7)).shape == (2, 0)


@pytest.mark.parametrize(
    ("a", "b"), [((0, 3), (3, 5)), ((4, 3), (3, 0)), ((0, 4, 3), (0, 3, 5)), ((2, 0, 3), (2, 3, 5))]
)
def test_products(a, b):
    expected = torch.matmul(tensor(*a), tensor(*b))
    for _ in range(2):
        result = ops.matmul(tensor(*a), tensor(*b))
        assert result.shape == expected.shape
        assert result.dtype == expected.dtype


def test_a_wrong_shape_is_still_an_error():
    with pytest.raises(ValueError, match=r"b: expected the shape \[3, 5\]"):
        ops.matmul(tensor(0, 3), tensor(4, 5))


@pytest.mark.parametrize("shape", [(3, 0), (0, 4), (2, 0, 4)])
def test_transpose(shape):
    assert ops.transpose(tensor(*shape)).shape == tensor(*shape).mT.shape


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy(reduction):
    x, target = tensor(0, 7), torch.zeros(0, dtype=torch.int64)
    found = ops.cross_entropy(x, target, reduction=reduction)
    expected = torch.nn.functional.cross_entropy(x, target, reduction=reduction)
    assert torch.equal(found.isnan(), expected.isnan())
    assert torch.equal(found.nan_to_num(), expected.nan_to_num())


def test_gradients_are_zero():
    a, b = tensor(0, 3).requires_grad_(), tensor(3, 5).requires_grad_()
    ops.matmul(a, b).sum().backward()
    assert torch.equal(a.grad, torch.zeros(0, 3))
    assert torch.equal(b.grad, torch.zeros(3, 5))
    x, weight = tensor(0, 7).requires_grad_(), tensor(7).requires_grad_()
    ops.rms_norm(x, weight).sum().backward()
    assert torch.equal(x.grad, torch.zeros(0, 7))
    assert torch.equal(weight.grad, torch.zeros(7))


def test_jax():
    jax = pytest.importorskip("jax")
    assert ops.softmax(jax.numpy.zeros((0, 7))).shape == (0, 7)
    assert ops.matmul(jax.numpy.zeros((0, 3)), jax.numpy.zeros((3, 5))).shape == (0, 5)
