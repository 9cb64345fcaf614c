"""A small model of a norm, an attention and products of ours in torch.compile: steps of training match torch's own."""

import pytest
import torch
from support.torch_support import make

import fairlead
from fairlead import cute


@cute.kernel
def _norm(x: cute.Tensor, w: cute.Tensor, y: cute.Tensor):
    i = cute.arch.block_idx()[0]
    total = fairlead.Float32(0)
    for j in range(x.shape[1]):
        total += x[i, j] * x[i, j]
    by = cute.math.rsqrt(total / x.shape[1] + 1e-5)
    for j in range(x.shape[1]):
        y[i, j] = x[i, j] * by * w[j]


@cute.jit
def norm(x: cute.Tensor, w: cute.Tensor, y: cute.Tensor):
    """Each row divided by the root of its mean square, times w."""
    _norm(x, w, y).launch(grid=x.shape[0], block=1)


@cute.kernel
def _product(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    i, j = cute.arch.block_idx()[0], cute.arch.thread_idx()[0]
    total = fairlead.Float32(0)
    for k in range(a.shape[1]):
        total += a[i, k] * b[k, j]
    c[i, j] = total


@cute.jit
def product(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    """c = a @ b"""
    _product(a, b, c).launch(grid=a.shape[0], block=b.shape[1])


@cute.kernel
def _attend(q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, o: cute.Tensor):
    i, j = cute.arch.block_idx()[0], cute.arch.thread_idx()[0]
    most = fairlead.Float32(-1e30)
    total = fairlead.Float32(0)
    value = fairlead.Float32(0)
    for row in range(k.shape[0]):
        score = fairlead.Float32(0)
        for at in range(q.shape[1]):
            score += q[i, at] * k[row, at]
        higher = max(most, score)
        keep = cute.math.exp(most - higher)
        weight = cute.math.exp(score - higher)
        total = total * keep + weight
        value = value * keep + weight * v[row, j]
        most = higher
    o[i, j] = value / total


@cute.jit
def attend(q: cute.Tensor, k: cute.Tensor, v: cute.Tensor, o: cute.Tensor):
    """o = softmax(q @ k.T) @ v"""
    _attend(q, k, v, o).launch(grid=q.shape[0], block=v.shape[1])


def matrix(*extents):
    order = tuple(reversed(range(len(extents))))
    return cute.runtime.make_fake_compact_tensor(fairlead.Float32, extents, stride_order=order)


def torch_norm(x, w):
    return torch.nn.functional.rms_norm(x, (x.shape[1],), w, 1e-5)


def torch_attend(q, k, v):
    return torch.softmax(q @ k.t(), 1) @ v


def by_torch(function):
    """A backward function: torch's own derivative of the operator's result."""

    def backward(inputs, outputs, gradients):
        _, derivative = torch.func.vjp(function, *inputs)
        return derivative(gradients[0])

    return backward


@pytest.fixture(scope="module")
def operators():
    n, m, k = (cute.sym_int() for _ in range(3))
    on_cpu = {"options": "--target cpu"}
    return {
        "norm": make(
            cute.compile(norm, matrix(n, m), matrix(m), matrix(n, m), **on_cpu),
            "y",
            backward=by_torch(torch_norm),
        ),
        "product": make(
            cute.compile(product, matrix(n, k), matrix(k, m), matrix(n, m), **on_cpu),
            "c",
            backward=by_torch(torch.mm),
        ),
        "attend": make(
            cute.compile(attend, matrix(n, m), matrix(n, m), matrix(n, k), matrix(n, k), **on_cpu),
            "o",
            backward=by_torch(torch_attend),
        ),
    }


class Model(torch.nn.Module):
    def __init__(self, norm, product, attend):
        super().__init__()
        self.norm, self.product, self.attend = norm, product, attend
        torch.manual_seed(15)
        self.scale = torch.nn.Parameter(torch.rand(16) + 0.5)
        self.q, self.k, self.v, self.out = (
            torch.nn.Parameter(torch.randn(16, 16) / 4) for _ in range(4)
        )

    def forward(self, x):
        y = self.norm(x, self.scale)
        q, k, v = (self.product(y, each) for each in (self.q, self.k, self.v))
        return x + self.product(self.attend(q, k, v), self.out)


def test_inference_and_training(operators):
    torch._dynamo.reset()
    ours, theirs = Model(**operators), Model(torch_norm, torch.mm, torch_attend)
    compiled = torch.compile(ours, fullgraph=True)
    x, target = torch.randn(8, 16), torch.randn(8, 16)
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), theirs(x), rtol=1e-4, atol=1e-5)
    optimisers = [torch.optim.SGD(each.parameters(), lr=0.1) for each in (ours, theirs)]
    losses = []
    for _ in range(4):
        for model, optimiser in zip((compiled, theirs), optimisers, strict=True):
            optimiser.zero_grad()
            loss = (model(x) - target).square().mean()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
    assert losses[-2] < losses[0]
    for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)
