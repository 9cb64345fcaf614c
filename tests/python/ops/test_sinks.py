"""Sinks of fairlead.ops.attention: a logit of each head beside the scores, against float64."""

import math
import subprocess

import numpy as np
import pytest
from test_attention import close, random
from test_hopper_kernels import PTXAS, needs_ptxas
from test_narrow_attention import FLOAT8, random8
from test_sequences import ends

import fairlead.ops as ops
from fairlead import BFloat16, Float16, cute
from fairlead.ops import _attention
from fairlead.ops._attention import _fakes, _with_extras
from fairlead.ops._blackwell_attention import BlackwellAttention
from fairlead.ops._hopper_attention import HopperAttention

torch = pytest.importorskip("torch")

HALF = torch.float16


def reference(q, k, v, sinks, causal=False, scale=None, softcap=None):
    """The result and the logarithms, of scores with a column of sinks and values with a row of zeros."""
    k, v = (each.repeat_interleave(q.shape[1] // each.shape[1], 1).double() for each in (k, v))
    scores = q.double() @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    queries, keys = scores.shape[-2:]
    if causal:
        last = torch.arange(queries)[:, None] + keys - queries
        scores = scores.masked_fill(torch.arange(keys) > last, -math.inf)
    column = sinks.double()[None, :, None, None].expand(*scores.shape[:3], 1)
    scores = torch.cat((scores, column), -1)
    return torch.softmax(scores, -1).nan_to_num(0)[..., :-1] @ v, torch.logsumexp(scores, -1)


def check(found, wanted):
    close(found[0], wanted[0])
    torch.testing.assert_close(found[1].double(), wanted[1], atol=1e-4, rtol=1e-4)


def given(queries, keys, head_dim=64, heads=4, kv_heads=2):
    q = random(2, heads, queries, head_dim, dtype=HALF)
    k, v = (random(2, kv_heads, keys, head_dim, dtype=HALF) + i for i in range(2))
    return q, k, v


#: One whose power is subnormal, about as great as the scores, much greater, none.
SINKS = torch.tensor([-95.0, 1.5, 300.0, -math.inf])


@pytest.mark.parametrize("queries, keys, options", [
    (70, 90, {"causal": True}),
    (90, 70, {"causal": True, "softcap": 2.0}),  # some queries see no key
    (3, 200, {}),
    (6, 4, {"causal": True}),
])  # fmt: skip
def test_sinks(queries, keys, options):
    q, k, v = given(queries, keys)
    found = ops.attention(q, k, v, sinks=SINKS, return_lse=True, **options)
    check(found, reference(q, k, v, SINKS, **options))
    plain = ops.attention(q, k, v, sinks=torch.full((4,), -math.inf), **options)
    assert torch.equal(plain, ops.attention(q, k, v, **options))


def test_kernels_of_gpus(monkeypatch):
    """Those of warps, which the CPU runs here."""
    monkeypatch.setattr(_attention, "_for_cpus", lambda query: False)
    ops.attention.forget()
    test_sinks(70, 90, {"causal": True})
    test_sequences()
    ops.attention.forget()


def test_caches():
    q, k, v = given(3, 96)
    lengths = torch.tensor([60, 0]).int()
    result, logs = ops.attention(q, k, v, seqlens_k=lengths, sinks=SINKS, return_lse=True)
    parts = [
        reference(q[i : i + 1], k[i : i + 1, :, :n], v[i : i + 1, :, :n], SINKS)
        for i, n in enumerate([60, 0])
    ]
    check((result, logs), tuple(torch.cat(part) for part in zip(*parts, strict=True)))
    order = torch.tensor([[2, 0, 5], [1, 4, 3]])
    pages = [torch.empty(6, 2, 32, 64, dtype=HALF) for _ in range(2)]
    for page, whole in zip(pages, (k, v), strict=True):
        page[order] = whole.unflatten(2, (3, 32)).movedim(2, 1)
    paged = ops.attention(
        q, *pages, seqlens_k=lengths, page_table=order.int(), sinks=SINKS, return_lse=True
    )
    assert torch.equal(paged[0], result) and torch.equal(paged[1], logs)


def test_sequences():
    q, k, v = (random(rows, heads, 64, dtype=HALF) for rows, heads in ((90, 4), (120, 2), (120, 2)))
    of_q, of_k = ends([30, 0, 60]), ends([50, 70, 0])
    out, logs = ops.attention(
        q, k, v, cu_seqlens_q=of_q, cu_seqlens_k=of_k, sinks=SINKS, return_lse=True
    )
    for rows, keys in (((0, 30), (0, 50)), ((30, 90), (120, 120))):
        parts = [x[slice(*at)].transpose(0, 1)[None] for x, at in ((q, rows), (k, keys), (v, keys))]
        found = out[slice(*rows)].transpose(0, 1)[None], logs[None, :, slice(*rows)]
        check(found, reference(*parts, SINKS))


def test_floats_of_8_bits():
    q, k, v = (random8(2, heads, 70, 64, seed=i) for i, heads in enumerate((4, 2, 2)))
    scales = (torch.tensor(0.5), None, torch.tensor([2.0]))
    sinks = torch.tensor([-2.0, 1.5, 300.0, -math.inf])
    found, logs = ops.attention(q, k, v, scales=scales, sinks=sinks, return_lse=True)
    wanted, sums = reference(q.double() * 0.5, k, v.double() * 2, sinks)
    assert q.dtype == FLOAT8
    torch.testing.assert_close(found.double(), wanted, atol=6e-2, rtol=6e-2)
    torch.testing.assert_close(logs.double(), sums, atol=1e-4, rtol=1e-4)


def test_values_that_are_not_numbers():
    q, k, v = given(20, 30)
    sinks = torch.tensor([math.nan, 0.0, math.inf, 0.0])
    out, logs = ops.attention(q, k, v, sinks=sinks, return_lse=True)
    assert out[:, 0].isnan().all() and logs[:, 0].isnan().all()
    assert (out[:, 2] == 0).all() and (logs[:, 2] == math.inf).all()
    assert out[:, 1::2].isfinite().all()


def test_without_keys():
    q, k, v = given(5, 0)
    out, logs = ops.attention(q, k, v, sinks=SINKS, return_lse=True)
    assert (out == 0).all() and torch.equal(logs, SINKS[None, :, None].expand(2, 4, 5))


def test_numpy():
    q, k, v = (x.numpy() for x in given(9, 20))
    found = ops.attention(q, k, v, sinks=SINKS.numpy())
    wanted, _ = reference(*map(torch.from_numpy, (q, k, v)), SINKS)
    np.testing.assert_allclose(found, wanted, atol=3e-3)


@pytest.mark.parametrize("causal, only", [(True, False), (False, True)])
def test_gradients(causal, only):
    """``only``: of the sinks alone."""
    arrays = [x.clone() for x in given(70, 50)]
    sinks = torch.tensor([-2.0, 1.5, 4.0, -9.0])
    leaves = [x.requires_grad_(not only) for x in arrays] + [sinks.requires_grad_()]
    wide = [x.detach().double().requires_grad_() for x in leaves]
    expected, _ = reference(*wide, causal=causal)
    gradient = random(*expected.shape, dtype=HALF)
    expected.backward(gradient.double())
    ops.attention(*leaves[:3], causal=causal, sinks=sinks).backward(gradient)
    for leaf, other in zip(leaves, wide, strict=True):
        if leaf.requires_grad:
            scale = other.grad.abs().max()
            assert (leaf.grad.double() - other.grad).abs().max() <= 6e-3 * scale
        else:
            assert leaf.grad is None


@pytest.mark.parametrize("sinks, message", [
    (torch.zeros(3), r"sinks: expected the shape \[4\] of the heads"),
    (torch.zeros(4, dtype=HALF), "sinks: expected elements of float32"),
    (1.0, "sinks: expected a tensor of PyTorch"),
])  # fmt: skip
def test_bad_arguments(sinks, message):
    with pytest.raises((TypeError, ValueError), match=message):
        ops.attention(*given(5, 9), sinks=sinks)


def test_warm_calls_have_a_plan():
    q, k, v = given(5, 9)
    ops.attention(q, k, v, sinks=SINKS)
    hits = ops.attention.info().hits
    ops.attention(q, k, v, sinks=SINKS)
    assert ops.attention.info().hits == hits + 1


def test_warpgroups():
    kernel = HopperAttention(Float16, 64, 2, True, 0.125, 3, keys=64, with_sinks=True)
    q, k, v = given(200, 150)
    out, logs = torch.full_like(q, math.nan), torch.full(q.shape[:3], math.nan)
    f = compiled(kernel, Float16, "cpu")
    f(q, k, v, SINKS, out, logs)
    check((out, logs), reference(q, k, v, SINKS, causal=True))


def compiled(kernel, dtype, target):
    tensors = _fakes(dtype, 64, 64, 4)
    return cute.compile(kernel, *_with_extras(tensors, [SINKS], True), options=f"--target {target}")


@needs_ptxas
@pytest.mark.parametrize("arch", ["sm_90a", "sm_100a"])
def test_assembles(arch, tmp_path):
    kernel = HopperAttention(BFloat16, 64, 2, True, 0.125, 132, keys=128, with_sinks=True)
    if arch == "sm_100a":
        kernel = BlackwellAttention(BFloat16, 64, 2, True, 0.125, with_sinks=True)
    path = tmp_path / "kernel.ptx"
    path.write_text(compiled(kernel, BFloat16, f"cuda:{arch}").__ptx__)
    command = [PTXAS, f"-arch={arch}", "-v", path, "-o", tmp_path / "kernel.cubin"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and " 0 bytes spill stores" in done.stderr, done.stderr
