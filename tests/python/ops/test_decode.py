"""fairlead.ops.attention of few queries to many keys, and to caches of keys, against float64."""

import itertools

import numpy as np
import pytest
from support.thinned import thinned

import fairlead.ops as ops
from fairlead.ops import _attention
from fairlead.ops._arrays import Described, describe

torch = pytest.importorskip("torch")

TOLERANCE = {torch.float16: 3e-3, torch.bfloat16: 2e-2}


def random(*shape, dtype=torch.float16, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def reference(q, k, v, causal=False, lengths=None):
    """Return attention over a cache of which the first ``lengths`` keys are valid."""
    k, v = (each.repeat_interleave(q.shape[1] // each.shape[1], 1).double() for each in (k, v))
    batch, _, queries, head_dim = q.shape
    keys = k.shape[2]
    count = torch.full((batch,), keys) if lengths is None else lengths.clamp(0, keys).long()
    count = count[:, None, None, None]
    key, query = torch.arange(keys), torch.arange(queries)[:, None]
    seen = (key < count) & ((key <= query + count - queries) | (not causal))
    scores = (q.double() @ k.mT * head_dim**-0.5).masked_fill(~seen, -float("inf"))
    # For missing keys, 0 times anything is 0.
    return torch.softmax(scores, -1).nan_to_num(0) @ v.nan_to_num(0)


def close(result, expected):
    assert result.shape == expected.shape and not result.isnan().any()
    error = (result.double() - expected).abs().max()
    assert error <= TOLERANCE[result.dtype], error


def in_pages(cache, size):
    """Return the cache in pages of ``size`` keys in a random order, with NaN for missing keys, and the table."""
    batch, heads, keys, head_dim = cache.shape
    count = -(-keys // size)
    table = torch.randperm(batch * count, generator=torch.Generator().manual_seed(1)).int()
    table = table.view(batch, count)
    pages = torch.full((batch * count, heads, size, head_dim), torch.nan, dtype=cache.dtype)
    for sequence in range(batch):
        for number, page in enumerate(table[sequence]):
            rows = cache[sequence, :, number * size : (number + 1) * size]
            pages[page, :, : rows.shape[1]] = rows
    return pages, table


# Heads, heads of keys, queries, keys, head_dim, causal, dtype.
FEW_QUERIES = [
    (8, 2, 1, 300, 64, False, torch.float16),
    (4, 4, 3, 130, 128, True, torch.bfloat16),
    (12, 2, 6, 200, 40, True, torch.float16),
    (20, 1, 8, 65, 72, False, torch.float16),
]


@pytest.mark.parametrize("shares, problem", thinned(
    itertools.product([1, 3, 50], FEW_QUERIES),
    [*((shares, FEW_QUERIES[0]) for shares in (1, 3, 50)), *zip((3, 50, 3), FEW_QUERIES[1:], strict=True)],
))  # fmt: skip
def test_few_queries(monkeypatch, shares, problem):
    """However the keys are split, shares without keys among them."""
    heads, kv_heads, queries, keys, head_dim, causal, dtype = problem
    monkeypatch.setattr(_attention, "_shares", lambda *_: shares)
    q = random(2, heads, queries, head_dim, dtype=dtype)
    k, v = (random(2, kv_heads, keys, head_dim, dtype=dtype, seed=seed) for seed in (1, 2))
    close(ops.attention(q, k, v, causal=causal), reference(q, k, v, causal))


@pytest.mark.parametrize("blocks, tiles, rows, head_dim, shares", [
    (8, 512, 16, 128, 64), (32, 256, 16, 128, 16), (512, 64, 16, 128, 1), (128, 64, 16, 256, 3), (8, 128, 64, 128, 43),
])  # fmt: skip
def test_shares_of_an_h200(blocks, tiles, rows, head_dim, shares, monkeypatch):
    monkeypatch.setattr(Described, "multiprocessors", 132)
    query = describe(random(1, 1, 1, head_dim), "q")
    query.device = "cuda:0"
    assert _attention._shares(query, blocks, tiles, rows, 64) == shares


@pytest.mark.parametrize("queries, size, causal", [
    (1, None, False), (1, 16, False), (5, 64, True), (70, 100, True),
])  # fmt: skip
def test_caches(queries, size, causal):
    """Lengths of 0, beyond the end, and between; in one piece or in pages."""
    lengths = torch.tensor([0, 1, 77, 500, -3, 150], dtype=torch.int32)
    q = random(6, 4, queries, 64)
    k, v = (random(6, 2, 150, 64, seed=seed) for seed in (1, 2))
    expected = reference(q, k, v, causal, lengths)
    if size is None:
        beyond = torch.arange(150)[:, None] >= lengths.clamp(0)[:, None, None, None]
        k, v = (each.masked_fill(beyond, torch.nan) for each in (k, v))
        close(ops.attention(q, k, v, causal=causal, seqlens_k=lengths), expected)
        return
    (k, table), (v, _) = in_pages(k, size), in_pages(v, size)
    # The table may be anything beyond a sequence's last key.
    unused = torch.arange(table.shape[1]) * size >= lengths[:, None].clamp(0)
    table = table.masked_fill(unused, 2**30)
    lengths = lengths.clamp(max=150)
    result = ops.attention(q, k, v, causal=causal, seqlens_k=lengths, page_table=table)
    close(result, expected)


def test_whole_pages_need_no_lengths():
    q = random(2, 4, 1, 64)
    k, v = (random(2, 2, 96, 64, seed=seed) for seed in (1, 2))
    (pages_k, table), (pages_v, _) = in_pages(k, 32), in_pages(v, 32)
    close(ops.attention(q, pages_k, pages_v, page_table=table), reference(q, k, v))


def test_layouts_and_given_results():
    """A cache with sequences before heads; the result is written to ``out``."""
    q = random(2, 3, 6, 64).transpose(1, 2)
    k, v = (random(2, 90, 2, 64, seed=seed).transpose(1, 2) for seed in (1, 2))
    out = torch.full((2, 6, 3, 64), torch.nan, dtype=torch.float16)
    assert ops.attention(q, k, v, out=out) is out
    close(out, reference(q, k, v))


def test_numpy_and_jax():
    q = random(2, 4, 1, 64)
    k, v = (random(2, 2, 100, 64, seed=seed) for seed in (1, 2))
    lengths = torch.tensor([60, 100], dtype=torch.int32)
    expected = ops.attention(q, k, v, seqlens_k=lengths).numpy()
    arrays = [each.numpy() for each in (q, k, v)]
    result = ops.attention(*arrays, seqlens_k=lengths.numpy())
    np.testing.assert_array_equal(result, expected)
    jax = pytest.importorskip("jax")
    if jax.default_backend() == "cpu":
        call = jax.jit(lambda q, k, v, lengths: ops.attention(q, k, v, seqlens_k=lengths))
        result = call(*map(jax.numpy.asarray, (*arrays, lengths.numpy())))
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("arguments, message", [
    ({"seqlens_k": torch.zeros(2).int()}, r"seqlens_k: expected the shape \[batch\] with batch 3, but got"),
    ({"seqlens_k": torch.zeros(3)}, "seqlens_k: expected elements of int32"),
    ({"page_table": torch.zeros(3).int()}, r"page_table: expected the shape \[batch, pages of a sequence\]"),
    ({"page_table": torch.zeros(3, 0).int()}, r"page_table: expected the shape"),
    ({"seqlens_k": torch.zeros(3).int(), "cu_seqlens_q": torch.zeros(2).int()},
     "seqlens_k: expected None with cu_seqlens_q"),
])  # fmt: skip
def test_bad_caches(arguments, message):
    q, k = random(3, 2, 1, 64), random(3, 2, 8, 64)
    with pytest.raises(ValueError, match=message):
        ops.attention(q, k, k, **arguments)


def test_pages_have_the_right_shape():
    table = torch.zeros(3, 2, dtype=torch.int32)
    with pytest.raises(
        ValueError, match=r"k: expected the shape \[pages, kv_heads, page_size, 64\]"
    ):
        ops.attention(random(3, 2, 1, 64), *[random(5, 2, 8, 32)] * 2, page_table=table)


def test_a_batch_of_any_size(monkeypatch):
    """With deterministic="batch", keys are split among as many blocks in each batch."""
    monkeypatch.setattr(_attention.os, "cpu_count", lambda: 16)
    q, k, v = random(6, 4, 1, 64), random(6, 2, 300, 64, seed=1), random(6, 2, 300, 64, seed=2)
    of_all = ops.attention(q, k, v, deterministic="batch")
    close(of_all, reference(q, k, v))
    for batch in (1, 2, 5):
        part = (tensor[:batch] for tensor in (q, k, v))
        assert torch.equal(ops.attention(*part, deterministic="batch"), of_all[:batch])
    # Otherwise the number of blocks depends on the batch, and so do the last bits.
    assert not torch.equal(ops.attention(q, k, v), of_all)
