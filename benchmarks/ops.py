"""fairlead.ops on a GPU beside torch: products of matrices, attention, norms; by turns, in GPU time.

Calls are timed as _graphs.py says.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

from _graphs import TURN, timer
from _harness import Row, compare, interleave, main

PRODUCTS = (
    (4096, 4096, 4096),
    (8192, 8192, 8192),
    (2048, 2048, 2048),
    (1024, 1024, 1024),
    (16384, 1024, 4096),
    (1024, 16384, 4096),
    (3000, 5000, 2000),
    (4096, 14336, 4096),
)


def cases() -> list[tuple[str, Callable[[], Any], Callable[[], Any], float]]:
    """Name, ours, torch's, and operations, or bytes of keys and values of ``decode``."""
    import torch
    from torch.nn import functional

    from fairlead import ops

    def random(*shape: int, dtype: Any = torch.float16) -> Any:
        return torch.randn(*shape, dtype=dtype, device="cuda")

    report: list[Any] = []

    def product(name: str, m: int, n: int, k: int, dtype: Any, turned: bool = True) -> None:
        a = random(m, k, dtype=dtype)
        b = random(n, k, dtype=dtype).T if turned else random(k, n, dtype=dtype)
        out = torch.empty(m, n, dtype=dtype, device="cuda")
        report.append((
            name, lambda: ops.matmul(a, b, out=out), lambda: torch.mm(a, b, out=out), 2.0 * m * n * k,
        ))  # fmt: skip

    for m, n, k in PRODUCTS:
        product(f"matmul {m} x {n} x {k} f16", m, n, k, torch.float16)
    product("matmul 4096^3 bf16", 4096, 4096, 4096, torch.bfloat16)
    product("matmul 4096^3 f16, rows of b", 4096, 4096, 4096, torch.float16, False)
    a, w, bias = random(4096, 4096), random(4096, 4096), random(4096)
    report.append((
        "gelu(4096^3 + bias)", lambda: ops.matmul(a, w.T, bias=bias, activation="gelu"),
        lambda: functional.gelu(functional.linear(a, w, bias)), 2.0 * 4096**3,
    ))  # fmt: skip
    x, y = random(16, 1024, 1024), random(16, 1024, 1024)
    report.append(("16 x 1024^3", lambda: ops.matmul(x, y), lambda: x @ y, 32.0 * 1024**3))
    ends = torch.arange(1, 17, device="cuda").int() * 1024
    tokens = random(16384, 4096, dtype=torch.bfloat16)
    weights = random(16, 4096, 4096, dtype=torch.bfloat16)
    if hasattr(torch, "_grouped_mm"):
        report.append((
            "grouped 16 x (1024 x 4096 x 4096) bf16", lambda: ops.grouped_matmul(tokens, weights, ends),
            lambda: torch._grouped_mm(tokens, weights, offs=ends), 2.0 * 16384 * 4096**2,
        ))  # fmt: skip
    narrow = [random(4096, 4096).to(torch.float8_e4m3fn) for _ in range(2)]
    one = torch.ones(1, device="cuda")
    report.append((
        "matmul 4096^3 e4m3", lambda: ops.matmul(narrow[0], narrow[1].T, scale_a=one, scale_b=one),
        lambda: torch._scaled_mm(
            narrow[0], narrow[1].T, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True
        ), 2.0 * 4096**3,
    ))  # fmt: skip

    def attention(name: str, shape: tuple, kv_heads: int, causal: bool) -> None:
        q = random(*shape)
        k, v = (random(shape[0], kv_heads, *shape[2:]) for _ in range(2))
        work = 4.0 * shape[0] * shape[1] * shape[2] ** 2 * shape[3] / (2 if causal else 1)
        report.append((
            f"attention {name}", lambda: ops.attention(q, k, v, causal=causal),
            lambda: cudnn(q, k, v, causal), work,
        ))  # fmt: skip

    def cudnn(q: Any, k: Any, v: Any, causal: bool) -> Any:
        from torch.nn.attention import SDPBackend, sdpa_kernel

        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return functional.scaled_dot_product_attention(
                q, k, v, is_causal=causal, enable_gqa=q.shape[1] != k.shape[1]
            )

    attention("2 x 16 x 4096 x 128", (2, 16, 4096, 128), 16, False)
    attention("2 x 16 x 4096 x 128, causal", (2, 16, 4096, 128), 16, True)
    attention("2 x 16 x 8192 x 128", (2, 16, 8192, 128), 16, False)
    attention("2 x 16 x 8192 x 128, causal", (2, 16, 8192, 128), 16, True)
    attention("2 x 16 x 4096 x 64", (2, 16, 4096, 64), 16, False)
    attention("2 x 32 x 4096 x 128, 8 shared heads, causal", (2, 32, 4096, 128), 8, True)

    def decode(
        batch: int, heads: int, kv_heads: int, queries: int, keys: int, head_dim: int
    ) -> None:
        q = random(batch, heads, queries, head_dim)
        k, v = (random(batch, kv_heads, keys, head_dim) for _ in range(2))
        report.append((
            f"decode {batch} x {heads}/{kv_heads} x {queries} x {keys} x {head_dim}",
            lambda: ops.attention(q, k, v),
            lambda: functional.scaled_dot_product_attention(q, k, v, enable_gqa=heads != kv_heads),
            float(k.nbytes + v.nbytes),
        ))  # fmt: skip

    decode(64, 32, 8, 1, 4096, 128)
    decode(8, 32, 8, 1, 8192, 128)
    decode(1, 32, 8, 1, 32768, 128)
    decode(16, 16, 16, 1, 2048, 128)
    decode(32, 32, 8, 4, 4096, 128)
    decode(16, 32, 8, 1, 4096, 256)
    decode(4, 128, 1, 1, 8192, 128)

    rows, weight = random(8192, 4096), random(4096)
    for name, ours, theirs in (
        ("softmax", lambda: ops.softmax(rows), lambda: torch.softmax(rows, -1)),
        (
            "rms_norm",
            lambda: ops.rms_norm(rows, weight),
            lambda: functional.rms_norm(rows, (4096,), weight),
        ),
        (
            "layer_norm",
            lambda: ops.layer_norm(rows, weight),
            lambda: functional.layer_norm(rows, (4096,), weight),
        ),
    ):
        report.append((f"{name} 8192 x 4096", ours, theirs, 0.0))

    def vocabulary(columns: int) -> None:
        logits = random(1024, columns, dtype=torch.bfloat16)
        report.append((
            f"softmax 1024 x {columns} bf16", lambda: ops.softmax(logits), lambda: torch.softmax(logits, -1), 0.0,
        ))  # fmt: skip

    for columns in (50257, 128256, 151936, 256000):
        vocabulary(columns)
    return report


def measure(rounds: int, only: str = "") -> list[Row]:
    import torch

    if not torch.cuda.is_available():
        print("no GPU: nothing to measure")
        return []
    rows = []
    for name, ours, theirs, work in cases():
        if only not in name:
            continue
        try:
            timers = {"fairlead": timer(ours), "torch": timer(theirs)}
        except RuntimeError as error:
            print(f"{name}: {str(error).splitlines()[0]}", flush=True)
            continue
        row = compare(name, interleave(timers, rounds, TURN), "fairlead", "torch", "us")
        if work:
            unit, factor = ("GB/s", 1e-3) if name.startswith("decode") else ("TFLOP/s", 1e-6)
            row.detail = (
                f"{work / row.value * factor:.0f} {unit}, torch {work / row.peer * factor:.0f}"
            )
        print(f"{name}: {row.value:.1f} us, torch {row.peer:.1f} us, {row.ratio:.3f}x", flush=True)
        rows.append(row)
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--only", default="")
    options, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    sys.exit(main(__doc__, lambda rounds: measure(rounds, options.only), with_peers=False))
