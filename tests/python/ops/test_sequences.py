"""fairlead.ops.attention of sequences of different lengths, against float64; its kernels for GPUs also on the CPU, and
the assembler's remarks on them."""

import itertools
import math

import numpy as np
import pytest
from test_attention import reference, reference_and_logs
from test_hopper_kernels import assembled, needs_ptxas

import fairlead.ops as ops
from fairlead import BFloat16, Float16, Float32, Int32, cute
from fairlead.ops._attention import _fakes
from fairlead.ops._hopper_sequences import ROW, HopperSequences
from fairlead.ops._sequences import Together
from fairlead.ops._warp_attention import WarpAttention

torch = pytest.importorskip("torch")

TOLERANCE = {torch.float16: 4e-3, torch.bfloat16: 2e-2}
QUERIES, KEYS = [5, 0, 130, 64, 1, 3], [7, 3, 140, 60, 200, 0]


def ends(lengths):
    return torch.tensor([0, *itertools.accumulate(lengths)], dtype=torch.int32)


def given(heads, kv_heads, head_dim, dtype, spare=0):
    rows = sum(QUERIES) + spare, sum(KEYS) + spare
    generator = torch.Generator().manual_seed(head_dim)
    shapes = (rows[0], heads, head_dim), *[(rows[1], kv_heads, head_dim)] * 2
    return [torch.randn(*shape, generator=generator).to(dtype) for shape in shapes]


def check(found, q, k, v, causal=False, scale=None):
    of_q, of_k = ends(QUERIES).tolist(), ends(KEYS).tolist()
    for i, keys in enumerate(KEYS):
        rows, others = slice(*of_q[i : i + 2]), slice(*of_k[i : i + 2])
        parts = [each.transpose(0, 1)[None] for each in (q[rows], k[others], v[others])]
        wanted = reference(*parts, causal, scale) if keys else torch.zeros(1)
        error = (found[rows].transpose(0, 1)[None].double() - wanted).abs()
        assert error.numel() == 0 or error.max() <= TOLERANCE[found.dtype], (i, error.max())


@pytest.mark.parametrize("heads, kv_heads, head_dim, causal, dtype", [
    (2, 2, 64, False, torch.float16),
    (4, 2, 64, True, torch.bfloat16),
    (3, 1, 40, True, torch.float16),
    (1, 1, 256, True, torch.float16),
])  # fmt: skip
def test_attention_of_sequences(heads, kv_heads, head_dim, causal, dtype):
    q, k, v = given(heads, kv_heads, head_dim, dtype)
    found = ops.attention(
        q, k, v, causal=causal, cu_seqlens_q=ends(QUERIES), cu_seqlens_k=ends(KEYS)
    )
    assert found.shape == q.shape and found.dtype == dtype
    check(found, q, k, v, causal)


def test_one_division_for_queries_and_keys():
    rows = ends([30, 0, 71])
    q, k, v = (torch.randn(101, 2, 64).half() for _ in range(3))
    found = ops.attention(q, k, v, scale=0.3, cu_seqlens_q=rows)
    again = ops.attention(q, k, v, scale=0.3, cu_seqlens_q=rows, cu_seqlens_k=rows)
    assert torch.equal(found, again)
    parts = [each[30:].transpose(0, 1)[None] for each in (q, k, v)]
    torch.testing.assert_close(
        found[30:].transpose(0, 1)[None].double(), reference(*parts, scale=0.3), atol=4e-3, rtol=0
    )


def test_other_layouts_given_results_and_frameworks():
    """Heads before rows; rows from the last end on stay as they are."""
    q, k, v = given(2, 2, 64, torch.float16, spare=9)
    turned = [each.transpose(0, 1).contiguous().transpose(0, 1) for each in (q, k, v)]
    out = torch.full_like(q, 7)
    of_q, of_k = ends(QUERIES), ends(KEYS)
    assert ops.attention(*turned, cu_seqlens_q=of_q, cu_seqlens_k=of_k, out=out) is out
    check(out, q, k, v)
    assert (out[sum(QUERIES) :] == 7).all()
    arrays = [each.numpy() for each in (q, k, v, of_q, of_k)]
    call = lambda q, k, v, a, b: ops.attention(q, k, v, cu_seqlens_q=a, cu_seqlens_k=b)  # noqa: E731
    np.testing.assert_array_equal(call(*arrays)[: sum(QUERIES)], out[: sum(QUERIES)])
    jax = pytest.importorskip("jax")
    if jax.default_backend() == "cpu":
        found = jax.jit(call)(*map(jax.numpy.asarray, arrays))
        np.testing.assert_array_equal(found[: sum(QUERIES)], out[: sum(QUERIES)])


def zeros(*shape):
    return torch.zeros(*shape).half()


@pytest.mark.parametrize("shapes, keywords, message", [
    (((8, 2, 64),) * 3, {"cu_seqlens_k": ends([8])}, "cu_seqlens_k: expected None without cu_seqlens_q"),
    (((8, 2, 64),) * 3, {}, "q: expected the dimensions"),
    (((1, 2, 8, 64),) * 3, {"cu_seqlens_q": ends([8])}, "q: expected the dimensions"),
    (((8, 2, 64),) * 3, {"cu_seqlens_q": ends([8]).long()}, "cu_seqlens_q: expected elements of int32"),
    (((8, 2, 64),) * 3, {"cu_seqlens_q": ends([])}, r"cu_seqlens_q: expected the shape \[sequences \+ 1\]"),
    (((8, 2, 64),) * 3, {"cu_seqlens_q": ends([8]), "cu_seqlens_k": ends([4, 4])}, "cu_seqlens_k: expected the shape"),
    (((8, 2, 64), (8, 3, 64), (8, 3, 64)), {"cu_seqlens_q": ends([8])}, "k: expected a number of heads"),
    (((8, 2, 64), (8, 2, 32), (8, 2, 32)), {"cu_seqlens_q": ends([8])}, r"k: expected the shape \[rows, kv_heads"),
    (((8, 2, 64), (8, 2, 64), (9, 2, 64)), {"cu_seqlens_q": ends([8])}, "v: expected the shape"),
])  # fmt: skip
def test_bad_arguments(shapes, keywords, message):
    with pytest.raises((TypeError, ValueError), match=message):
        ops.attention(*(zeros(*shape) for shape in shapes), **keywords)


def test_no_rows():
    """Without queries or without keys: no elements, zeros, and logarithms of 0."""
    for rows, others in ((0, 8), (8, 0)):
        q, k = zeros(rows, 2, 64) + 1, zeros(others, 2, 64)
        found, logs = ops.attention(
            q, k, k, cu_seqlens_q=ends([rows]), cu_seqlens_k=ends([others]), return_lse=True
        )
        assert found.shape == q.shape and (found == 0).all()
        assert logs.shape == (2, rows) and (logs == -math.inf).all()


# --- the kernels for GPUs


def compiled(program, dtype, head_dim, target, table, with_logs=False, value_dim=None):
    *tensors, done = _fakes(dtype, head_dim, value_dim or head_dim, 3)
    done = [done]
    if with_logs:
        shape = tensors[0].shape[1], tensors[0].shape[0]
        done.append(cute.make_fake_compact_tensor(Float32, shape, stride_order=(1, 0)))
    extent = cute.sym_int()
    vectors = [cute.make_fake_compact_tensor(Int32, (extent,)) for _ in range(2)]
    space = cute.make_fake_compact_tensor(
        Int32, (cute.sym_int(), 2 * ROW), stride_order=(1, 0), assumed_align=16
    )
    more = [space] if table else []
    return cute.compile(program, *tensors, *vectors, *done, *more, options=f"--target {target}")


@pytest.mark.parametrize("head_dim, group, causal, options", [
    (64, 1, False, {"keys": 64}),
    (64, 2, True, {"keys": 32, "in_turn": True}),
    (256, 2, True, {"keys": 64, "in_turn": True}),
    (128, 1, True, {"keys": 32, "value_dim": 64}),
    (64, 2, True, {"keys": 32, "in_turn": True, "groups": 3}),
])  # fmt: skip
def test_warpgroups_with_a_table(head_dim, group, causal, options):
    q, k, v = given(2, 2 // group, head_dim, torch.float16)
    value_dim = options.get("value_dim", head_dim)
    v = v[..., :value_dim]
    program = HopperSequences(Float16, head_dim, group, causal, head_dim**-0.5, 3, **options)
    space = torch.zeros(len(QUERIES) + 1, 2 * ROW, dtype=torch.int32)
    out = torch.full((*q.shape[:2], value_dim), math.nan).half()
    f = compiled(program, Float16, head_dim, "cpu", True, with_logs=True, value_dim=value_dim)
    logs = torch.full((2, len(q)), 7.0)
    f(q, k, v, ends(QUERIES), ends(KEYS), out, logs, space)
    check(out, q, k, v, causal)
    of_q, of_k = ends(QUERIES).tolist(), ends(KEYS).tolist()
    for i, keys in enumerate(KEYS):
        rows, others = slice(*of_q[i : i + 2]), slice(*of_k[i : i + 2])
        parts = [each.transpose(0, 1)[None] for each in (q[rows], k[others], v[others])]
        wanted = torch.full((2, QUERIES[i]), -math.inf, dtype=torch.double)
        if keys:
            wanted = reference_and_logs(*parts, causal)[1][0]
        torch.testing.assert_close(logs[:, rows].double(), wanted, atol=1e-4, rtol=1e-4)


@needs_ptxas
@pytest.mark.parametrize("program, dtype, head_dim, table", [
    (lambda: HopperSequences(Float16, 128, 4, True, 0.1, 132, 128), Float16, 128, True),
    (lambda: HopperSequences(BFloat16, 64, 1, False, 0.1, 132, 128, True), BFloat16, 64, True),
    (lambda: Together(WarpAttention(128, 4, True, 0.1, 64)), Float16, 128, False),
])  # fmt: skip
def test_assembles(program, dtype, head_dim, table, tmp_path):
    f = compiled(program(), dtype, head_dim, "cuda:sm_90a", table, with_logs=True)
    assembled(f.__ptx__, tmp_path)
