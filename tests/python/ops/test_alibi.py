"""ALiBi of fairlead.ops.attention: scores that fall with the distance of their keys, against float64."""

import math
import subprocess

import numpy as np
import pytest
from test_attention import close, random
from test_hopper_kernels import PTXAS, needs_ptxas
from test_narrow_attention import random8
from test_sequences import ends
from test_sinks import check, given

import fairlead.ops as ops
from fairlead import BFloat16, Float16, cute
from fairlead.ops import _attention
from fairlead.ops._attention import _fakes, _with_extras
from fairlead.ops._hopper_attention import HopperAttention

torch = pytest.importorskip("torch")

HALF = torch.float16
#: Of heads: steep, none, negative, slight.
SLOPES = torch.tensor([0.7, 0.0, -0.02, 0.004])
OF_BATCHES = torch.stack((SLOPES, SLOPES.flip(0) / 2))


def reference(q, k, v, slopes, causal=False, scale=None, softcap=None, sinks=None):
    """The result and the logarithms."""
    k, v = (each.repeat_interleave(q.shape[1] // each.shape[1], 1).double() for each in (k, v))
    scores = q.double() @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    queries, keys = scores.shape[-2:]
    apart = torch.arange(queries)[:, None] + keys - queries - torch.arange(keys)
    scores = scores - slopes.double()[..., None, None] * apart.abs()
    if causal:
        scores = scores.masked_fill(apart < 0, -math.inf)
    if sinks is not None:
        column = sinks.double()[None, :, None, None].expand(*scores.shape[:3], 1)
        scores, v = torch.cat((scores, column), -1), torch.nn.functional.pad(v, (0, 0, 0, 1))
    return torch.softmax(scores, -1).nan_to_num(0) @ v, torch.logsumexp(scores, -1)


@pytest.mark.parametrize("queries, keys, options", [
    (70, 90, {"causal": True}),
    (250, 210, {}),  # keys before and after a query, and queries before all keys
    (90, 70, {"causal": True, "softcap": 2.0}),  # some queries see no key
    (70, 90, {"scale": -0.1, "sinks": torch.tensor([0.5, -1.0, 2.0, -math.inf])}),
    (3, 200, {}),
    (6, 4, {"causal": True}),
])  # fmt: skip
@pytest.mark.parametrize("slopes", [SLOPES, OF_BATCHES], ids=["heads", "batches"])
def test_slopes(queries, keys, options, slopes):
    q, k, v = given(queries, keys)
    found = ops.attention(q, k, v, alibi_slopes=slopes, return_lse=True, **options)
    check(found, reference(q, k, v, slopes, **options))


def test_slopes_of_zero():
    q, k, v = given(70, 90)
    assert torch.equal(ops.attention(q, k, v, alibi_slopes=torch.zeros(4)), ops.attention(q, k, v))


def test_kernels_of_gpus(monkeypatch):
    """Those of warps, which the CPU runs here."""
    monkeypatch.setattr(_attention, "_for_cpus", lambda query: False)
    ops.attention.forget()
    test_slopes(70, 90, {"causal": True}, OF_BATCHES)
    test_slopes(90, 70, {"softcap": 2.0}, SLOPES)
    test_sequences()
    ops.attention.forget()


def test_windows():
    q, k, v = given(70, 90)
    found = ops.attention(q, k, v, window=(20, 5), alibi_slopes=SLOPES)
    apart = torch.arange(70)[:, None] + 20 - torch.arange(90)
    scores = q.double() @ k.repeat_interleave(2, 1).double().mT / 8
    scores = scores - SLOPES.double()[:, None, None] * apart.abs()
    scores = scores.masked_fill((apart > 20) | (apart < -5), -math.inf)
    close(found, torch.softmax(scores, -1) @ v.repeat_interleave(2, 1).double())


def test_caches():
    """The last query stands at the last key that is there."""
    q, k, v = given(3, 96)
    lengths = torch.tensor([60, 17]).int()
    result, logs = ops.attention(
        q, k, v, seqlens_k=lengths, alibi_slopes=OF_BATCHES, return_lse=True
    )
    parts = [
        reference(q[i : i + 1], k[i : i + 1, :, :n], v[i : i + 1, :, :n], OF_BATCHES[i : i + 1])
        for i, n in enumerate([60, 17])
    ]
    check((result, logs), tuple(torch.cat(part) for part in zip(*parts, strict=True)))
    order = torch.tensor([[2, 0, 5], [1, 4, 3]])
    pages = [torch.empty(6, 2, 32, 64, dtype=HALF) for _ in range(2)]
    for page, whole in zip(pages, (k, v), strict=True):
        page[order] = whole.unflatten(2, (3, 32)).movedim(2, 1)
    paged = ops.attention(
        q, *pages, seqlens_k=lengths, page_table=order.int(), alibi_slopes=OF_BATCHES
    )
    assert torch.equal(paged, result)


def test_sequences():
    q, k, v = (random(rows, heads, 64, dtype=HALF) for rows, heads in ((90, 4), (120, 2), (120, 2)))
    of_q, of_k = ends([30, 0, 60]), ends([50, 10, 60])
    out, logs = ops.attention(
        q, k, v, cu_seqlens_q=of_q, cu_seqlens_k=of_k, alibi_slopes=SLOPES, return_lse=True
    )
    for rows, keys in (((0, 30), (0, 50)), ((30, 90), (60, 120))):
        parts = [x[slice(*at)].transpose(0, 1)[None] for x, at in ((q, rows), (k, keys), (v, keys))]
        found = out[slice(*rows)].transpose(0, 1)[None], logs[None, :, slice(*rows)]
        check(found, reference(*parts, SLOPES))


def test_numpy():
    q, k, v = (x.numpy() for x in given(9, 20))
    found = ops.attention(q, k, v, alibi_slopes=SLOPES.numpy())
    expected, _ = reference(*map(torch.from_numpy, (q, k, v)), SLOPES)
    np.testing.assert_allclose(found, expected, atol=3e-3)


@pytest.mark.parametrize("slopes, message", [
    (torch.zeros(3), r"alibi_slopes: expected the shape \[4\] of the heads or \[2, 4\], but got .*\[3\]"),
    (torch.zeros(4, 2), r"alibi_slopes: expected the shape \[4\] of the heads or \[2, 4\]"),
    (torch.zeros(4, dtype=HALF), "alibi_slopes: expected elements of float32"),
    (torch.zeros(4, device="meta"), "alibi_slopes: expected"),
    (0.5, "alibi_slopes: expected a tensor of PyTorch"),
])  # fmt: skip
def test_bad_slopes(slopes, message):
    with pytest.raises((TypeError, ValueError), match=message):
        ops.attention(*given(5, 9), alibi_slopes=slopes)


def test_bad_combinations():
    q, k, v = (random(20, heads, 64, dtype=HALF) for heads in (4, 2, 2))
    with pytest.raises(
        ValueError, match=r"alibi_slopes: expected the shape \[4\] of the heads, but got"
    ):
        ops.attention(q, k, v, cu_seqlens_q=ends([12, 8]), alibi_slopes=OF_BATCHES)
    with pytest.raises(ValueError, match="alibi_slopes: expected None for float8_e4m3fn"):
        narrow = [random8(2, heads, 20, 64) for heads in (4, 2, 2)]
        ops.attention(*narrow, alibi_slopes=SLOPES)
    q, k, v = given(5, 9)
    with pytest.raises(ValueError, match="alibi_slopes: expected None where a gradient is needed"):
        ops.attention(q.requires_grad_(), k, v, alibi_slopes=SLOPES)
    with pytest.raises((RuntimeError, ValueError), match="alibi_slopes"):
        ops.attention(*given(5, 9), alibi_slopes=SLOPES.clone().requires_grad_())


def test_warm_calls_have_a_plan():
    q, k, v = given(5, 9)
    ops.attention(q, k, v, alibi_slopes=SLOPES)
    hits = ops.attention.info().hits
    ops.attention(q, k, v, alibi_slopes=SLOPES)
    assert ops.attention.info().hits == hits + 1


@pytest.mark.parametrize("causal, queries, keys", [
    (True, 200, 150), (False, 200, 150), (False, 150, 400)
])  # fmt: skip
def test_warpgroups(causal, queries, keys):
    """Tiles of keys before, around and behind the queries' places."""
    kernel = HopperAttention(Float16, 64, 2, causal, 0.125, 3, keys=64, with_slopes=True)
    q, k, v = given(queries, keys)
    out, logs = torch.full_like(q, math.nan), torch.full(q.shape[:3], math.nan)
    compiled(kernel, Float16, "cpu")(q, k, v, OF_BATCHES, out, logs)
    check((out, logs), reference(q, k, v, OF_BATCHES, causal=causal))


def compiled(kernel, dtype, target):
    arguments = _with_extras(_fakes(dtype, 64, 64, 4), [OF_BATCHES], True)
    return cute.compile(kernel, *arguments, options=f"--target {target}")


@needs_ptxas
def test_assembles(tmp_path):
    kernel = HopperAttention(BFloat16, 64, 2, True, 0.125, 132, keys=128, with_slopes=True)
    path = tmp_path / "kernel.ptx"
    path.write_text(compiled(kernel, BFloat16, "cuda:sm_90a").__ptx__)
    command = [PTXAS, "-arch=sm_90a", "-v", path, "-o", tmp_path / "kernel.cubin"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and " 0 bytes spill stores" in done.stderr, done.stderr
