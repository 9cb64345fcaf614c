"""FlashAttention of examples/python: on the CPU against float64, and assembled for GPUs."""

import importlib.util
import subprocess
from pathlib import Path

import pytest

import fairlead

torch = pytest.importorskip("torch")

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "python" / "flash_attention.py"
PTXAS = "/usr/local/cuda/bin/ptxas"
SMALL = {"m_block": 32, "n_block": 32, "num_threads": 64}


@pytest.fixture(scope="module")
def attention():
    spec = importlib.util.spec_from_file_location("flash_attention", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def exact(q, k, v, scale, causal):
    """Heads first in float64; a row that sees no key is 0."""
    q, k, v = (x.double().transpose(1, 2) for x in (q, k, v))
    scores = q @ k.transpose(-1, -2) * scale
    if causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(hidden, -torch.inf)
    return (torch.softmax(scores, -1) @ v).transpose(1, 2)


@pytest.mark.parametrize(
    ("dtype", "head_dim", "causal"),
    [("Float16", 64, False), ("BFloat16", 64, True), ("Float16", 40, True)],
)
def test_on_the_cpu(attention, dtype, head_dim, causal):
    compiled = attention.compiled(
        getattr(fairlead, dtype), head_dim, "--target cpu", is_causal=causal, **SMALL
    )
    for queries, keys in ((64, 64), (45, 71), (1, 100), (70, 33)):
        torch.manual_seed(queries)
        kind = getattr(torch, dtype.lower())
        q, o = torch.randn(2, queries, 3, head_dim).to(kind), torch.empty(0)
        k, v = (torch.randn(2, keys, 3, head_dim).to(kind) for _ in range(2))
        o = torch.full_like(q, torch.nan)
        compiled(q, k, v, o, 0.3, 0)
        expected = exact(q, k, v, 0.3, causal)
        torch.testing.assert_close(o.double(), expected, atol=2e-2, rtol=1e-2)


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
def test_for_gpus(attention, arch, tmp_path, monkeypatch):
    if not Path(PTXAS).exists():
        pytest.skip("there is no ptxas")
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    attention.compiled(fairlead.BFloat16, 128, f"--target cuda:{arch} --keep-ptx")
    (ptx,) = tmp_path.glob("*.ptx")
    text = ptx.read_text()
    # Probabilities are converted in pairs, and exponentials are one instruction.
    assert "cvt.rn.bf16x2.f32" in text and "cvt.rn.bf16.f32" not in text
    assert "ex2.approx.ftz.f32" in text and "ex2.approx.f32" not in text
    done = subprocess.run(
        [PTXAS, "-v", f"-arch={arch}", str(ptx), "-o", str(tmp_path / "out")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_bad_blocks(attention):
    with pytest.raises(ValueError, match="head_dim is a multiple of 8"):
        attention.FlashAttention(12)
