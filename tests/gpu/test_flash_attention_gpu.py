"""FlashAttention of examples/python on a GPU, against float64."""

import importlib.util
from pathlib import Path

import pytest

import fairlead

torch = pytest.importorskip("torch")

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "python" / "flash_attention.py"


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    ("dtype", "head_dim"), [("Float16", 64), ("BFloat16", 128), ("Float16", 40)]
)
def test_attention(dtype, head_dim, causal):
    spec = importlib.util.spec_from_file_location("flash_attention", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    compiled = module.compiled(getattr(fairlead, dtype), head_dim, is_causal=causal)
    stream = torch.cuda.current_stream().cuda_stream
    for queries, keys in ((256, 256), (100, 120), (1, 1000), (300, 33)):
        kind = getattr(torch, dtype.lower())
        q = torch.randn(2, queries, 3, head_dim, device="cuda").to(kind)
        k, v = (torch.randn(2, keys, 3, head_dim, device="cuda").to(kind) for _ in range(2))
        o = torch.full_like(q, torch.nan)
        compiled(q, k, v, o, 0.3, stream)
        heads = [x.double().transpose(1, 2) for x in (q, k, v)]
        scores = heads[0] @ heads[1].transpose(-1, -2) * 0.3
        if causal:
            hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device="cuda").triu(1)
            scores = scores.masked_fill(hidden, -torch.inf)
        expected = (torch.softmax(scores, -1) @ heads[2]).transpose(1, 2)
        torch.testing.assert_close(o.double(), expected, atol=2e-2, rtol=1e-2)
