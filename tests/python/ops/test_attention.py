"""fairlead.ops.attention against float64."""

import numpy as np
import pytest

import fairlead.ops as ops

torch = pytest.importorskip("torch")

TOLERANCE = {torch.float16: 3e-3, torch.bfloat16: 2e-2}


def random(*shape, dtype):
    generator = torch.Generator().manual_seed(shape[-2])
    return torch.randn(*shape, generator=generator).to(dtype)


def reference(q, k, v, causal=False, scale=None):
    k, v = (each.repeat_interleave(q.shape[1] // each.shape[1], 1).double() for each in (k, v))
    scores = q.double() @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        queries, keys = scores.shape[-2:]
        seen = torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries
        scores = scores.masked_fill(~seen, -float("inf"))
    return torch.softmax(scores, -1).nan_to_num(0) @ v


def close(found, wanted):
    assert found.shape == wanted.shape
    error = (found.double() - wanted).abs().max()
    assert error <= TOLERANCE[found.dtype], error


@pytest.mark.parametrize("heads, kv_heads, queries, keys, head_dim, causal, dtype", [
    (1, 1, 64, 64, 64, False, torch.float16),
    (1, 1, 64, 64, 64, True, torch.float16),
    (4, 2, 100, 100, 64, True, torch.float16),
    (4, 2, 100, 100, 64, True, torch.bfloat16),
    (2, 2, 1, 77, 64, True, torch.float16),
    (2, 2, 70, 30, 64, True, torch.float16),
    (3, 1, 130, 200, 40, False, torch.float16),
    (1, 1, 129, 257, 128, True, torch.bfloat16),
])  # fmt: skip
def test_attention(heads, kv_heads, queries, keys, head_dim, causal, dtype):
    q = random(2, heads, queries, head_dim, dtype=dtype)
    k, v = (random(2, kv_heads, keys, head_dim, dtype=dtype) + i for i in range(2))
    close(ops.attention(q, k, v, causal=causal), reference(q, k, v, causal))


def test_great_scores_and_given_results():
    q, k, v = (random(1, 2, 80, 64, dtype=torch.float16) for _ in range(3))
    out = torch.full_like(q, float("nan"))
    assert ops.attention(20 * q, k, v, scale=0.5, out=out) is out
    close(out, reference(20 * q, k, v, scale=0.5))


def test_other_layouts():
    """Sequences before heads, as models have them, and rows that are not aligned."""
    q, k, v = (random(2, 90, 3, 64, dtype=torch.float16).transpose(1, 2) for _ in range(3))
    close(ops.attention(q, k, v), reference(q, k, v))
    apart = [random(1, 2, 70, 65, dtype=torch.float16)[..., 1:] for _ in range(3)]
    close(ops.attention(*apart), reference(*apart))


def test_numpy_and_jax():
    q, k, v = (random(1, 2, 50, 64, dtype=torch.float16) for _ in range(3))
    wanted = ops.attention(q, k, v).numpy()
    arrays = [each.numpy() for each in (q, k, v)]
    np.testing.assert_array_equal(ops.attention(*arrays), wanted)
    jax = pytest.importorskip("jax")
    if jax.default_backend() == "cpu":
        found = jax.jit(ops.attention)(*map(jax.numpy.asarray, arrays))
        np.testing.assert_array_equal(found, wanted)


def zeros(*shape, dtype=torch.float16):
    return torch.zeros(*shape, dtype=dtype)


@pytest.mark.parametrize("shapes, message", [
    (((1, 2, 8, 64), (1, 3, 8, 64), (1, 3, 8, 64)), "k: expected a number of heads that divides 2"),
    (((1, 2, 8, 64), (1, 2, 8, 32), (1, 2, 8, 32)), r"k: expected the shape \[1, kv_heads, keys, 64\]"),
    (((1, 2, 8, 64), (1, 2, 8, 64), (1, 2, 9, 64)), r"v: expected the shape \[1, 2, 8, 64\] of k"),
    (((1, 2, 8, 63), (1, 2, 8, 63), (1, 2, 8, 63)), "q: expected head_dim in multiples of 8 up to 256"),
    (((2, 8, 64), (2, 8, 64), (2, 8, 64)), "q: expected the dimensions"),
    (((1, 2, 0, 64), (1, 2, 8, 64), (1, 2, 8, 64)), "q: expected elements"),
])  # fmt: skip
def test_bad_shapes(shapes, message):
    with pytest.raises(ValueError, match=message):
        ops.attention(*(zeros(*shape) for shape in shapes))


def test_bad_types():
    q = zeros(1, 1, 8, 64)
    with pytest.raises(
        ValueError, match="q: expected elements of float16, bfloat16, but got torch float32"
    ):
        ops.attention(*[q.float()] * 3)
    with pytest.raises(ValueError, match="k: expected elements of float16"):
        ops.attention(q, q.bfloat16(), q)
    with pytest.raises(ValueError, match="out: expected the shape"):
        ops.attention(q, q, q, out=zeros(1, 1, 9, 64))
