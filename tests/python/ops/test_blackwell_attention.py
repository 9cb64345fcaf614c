"""Attention of fairlead.ops in tensor memory: results on the CPU against float64, and the assembler's remarks on its
PTX. No GPU with tensor memory has run it."""

import pytest
from support.assemblers import ASSEMBLERS, assemble_without_spills

from fairlead import BFloat16, cute, ops
from fairlead.ops import _attention
from fairlead.ops._arrays import Described
from fairlead.ops._attention import _fakes, _with_extras
from fairlead.ops._blackwell_attention import BlackwellAttention
from fairlead.ops._warp_attention import WarpAttention

torch = pytest.importorskip("torch")


def tensors(heads, kv_heads, queries, keys, head_dim, value_dim=None, dtype=torch.bfloat16):
    """Q, K and V of a batch of two. The first keys have greater scores than the last ones, whose tiles come first."""
    torch.manual_seed(queries)
    extents = (
        (heads, queries, head_dim),
        (kv_heads, keys, head_dim),
        (kv_heads, keys, value_dim or head_dim),
    )
    q, k, v = (torch.randn(2, *extent) for extent in extents)
    k[:, :, : keys // 2] *= 4
    return q.to(dtype), k.to(dtype), v.to(dtype)


def reference(q, k, v, window=(None, None), scale=None, softcap=None):
    """Return the result and the logarithms as float64."""
    group = q.shape[1] // k.shape[1]
    q, k, v = q.double(), *(x.double().repeat_interleave(group, 1) for x in (k, v))
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if softcap is not None:
        scores = softcap * torch.tanh(scores / softcap)
    queries, keys = scores.shape[-2:]
    ahead = torch.arange(keys)[None] - (torch.arange(queries)[:, None] + keys - queries)
    left, right = window
    hidden = torch.zeros_like(ahead, dtype=torch.bool)
    if right is not None:
        hidden |= ahead > right
    if left is not None:
        hidden |= ahead < -left
    scores = scores.masked_fill(hidden, float("-inf"))
    return torch.softmax(scores, -1).nan_to_num(0) @ v, torch.logsumexp(scores, -1)


def check(found, wanted):
    (result, logs), (expected, expected_logs) = found, wanted
    torch.testing.assert_close(result.double(), expected, atol=2e-2, rtol=2e-2)
    torch.testing.assert_close(logs.double(), expected_logs, atol=1e-3, rtol=1e-3)


@pytest.fixture
def on_blackwell(monkeypatch):
    """Arrays of the CPU stand for those of such a GPU. Return the programs that are made."""
    made = []

    class Noted(BlackwellAttention):
        def __init__(self, *arguments, **options):
            made.append(arguments)
            super().__init__(*arguments, **options)

    monkeypatch.setattr(_attention, "BlackwellAttention", Noted)
    monkeypatch.setattr(Described, "has", lambda _, feature: feature == "tcgen05")
    ops.attention.forget()
    yield made
    ops.attention.forget()


def test_heads_that_share_keys(on_blackwell):
    q, k, v = tensors(4, 2, 130, 200, 64)
    check(ops.attention(q, k, v, return_lse=True), reference(q, k, v))
    # Heads in rows, as models have them; other extents have the same program.
    q, k, v = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in tensors(2, 1, 300, 129, 64))
    check(ops.attention(q, k, v, return_lse=True), reference(q, k, v))
    assert len(on_blackwell) == 1


def test_causal(on_blackwell):
    """Also more queries than keys: the first ones see none."""
    for queries, keys in ((300, 333), (290, 40)):
        q, k, v = tensors(2, 1, queries, keys, 128)
        found = ops.attention(q, k, v, causal=True, return_lse=True)
        check(found, reference(q, k, v, (None, 0)))
    assert (found[0][:, :, :250] == 0).all() and (found[1][:, :, :250] == -float("inf")).all()
    assert len(on_blackwell) == 1


def test_windows_caps_and_other_heads(on_blackwell):
    q, k, v = tensors(1, 1, 140, 400, 72, 40, torch.float16)
    options = {"window": (150, 3), "scale": -0.2, "softcap": 5.0}
    check(ops.attention(q, k, v, return_lse=True, **options), reference(q, k, v, **options))
    assert len(on_blackwell) == 1


def test_other_arguments_have_other_kernels(on_blackwell):
    q, k, v = tensors(1, 1, 20, 24, 136)
    torch.testing.assert_close(
        ops.attention(q, k, v).double(), reference(q, k, v)[0], atol=2e-2, rtol=2e-2
    )
    assert not on_blackwell


def program(head_dim, causal, target, softcap=0.0):
    attention = BlackwellAttention(BFloat16, head_dim, 2, causal, head_dim**-0.5, softcap)
    fakes = _with_extras(_fakes(BFloat16, head_dim, head_dim, 4), [], True)
    return cute.compile(attention, *fakes, options=f"--target {target}")


def test_passes_all_checks():
    q, k, v = tensors(2, 1, 20, 140, 64)
    out, logs = torch.full_like(q, float("nan")), torch.full(q.shape[:3], float("nan"))
    program(64, True, "cpu --check all")(q, k, v, out, logs)
    check((out, logs), reference(q, k, v, (None, 0)))


@pytest.mark.parametrize("assembler", ASSEMBLERS)
@pytest.mark.parametrize("head_dim, causal, softcap, arch", [
    (128, True, 30.0, "sm_100a"), (128, True, 0.0, "sm_103a"), (64, False, 0.0, "sm_100a"),
])  # fmt: skip
def test_assembles_without_spills(head_dim, causal, softcap, arch, assembler, tmp_path):
    text = program(head_dim, causal, f"cuda:{arch}", softcap).__ptx__
    assert "tcgen05.mma.cta_group::1.kind::f16" in text
    assemble_without_spills(text, arch, tmp_path, assembler)


@pytest.mark.parametrize("assembler", ASSEMBLERS)
@pytest.mark.parametrize("head_dim", [64, 128])
def test_attention_of_warps_assembles_without_spills(head_dim, assembler, tmp_path):
    """GPUs without tensor memory multiply by warps."""
    attention = WarpAttention(head_dim, 4, True, head_dim**-0.5, 64)
    fakes = _with_extras(_fakes(BFloat16, head_dim, head_dim, 4), [], True)
    text = cute.compile(attention, *fakes, options="--target cuda:sm_120a").__ptx__
    assert "mma.sync.aligned.m16n8k16" in text
    assemble_without_spills(text, "sm_120a", tmp_path, assembler)
