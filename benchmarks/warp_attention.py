"""Attention by the tensor cores of warps (``mma.sync``) on a GPU, beside torch's FlashAttention 2, in GPU time.

On compute capability 9.0 fairlead.ops.attention takes warpgroups; this measures what older GPUs get. Calls go by turns
and are timed as _graphs.py says.

    python benchmarks/warp_attention.py --tiles 128x64x128,128x32x128     # queries x keys of a tile x threads
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

from _graphs import TURN, timer
from _harness import Row, compare, interleave, main

SHAPE = (4, 16, 8192, 128)


def ours(q: Any, k: Any, v: Any, tiles: tuple[int, ...]) -> Callable[[], Any]:
    import torch

    from fairlead import cute
    from fairlead.ops._attention import _fakes
    from fairlead.ops._warp_attention import WarpAttention

    program = WarpAttention(q.shape[-1], 1, False, q.shape[-1] ** -0.5, *tiles)
    head_dim = q.shape[-1]
    fakes = _fakes(cute.runtime.from_dlpack(q).element_type, head_dim, head_dim, 4)
    compiled = cute.compile(program, *fakes)
    out = torch.empty_like(q)

    def call() -> Any:
        compiled(q, k, v, out)
        return out

    return call


def flash(q: Any, k: Any, v: Any) -> Any:
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention

    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        return scaled_dot_product_attention(q, k, v)


def measure(rounds: int, tiles: list[tuple[int, ...]]) -> list[Row]:
    import torch

    if not torch.cuda.is_available():
        print("no GPU: nothing to measure")
        return []
    q, k, v = (torch.randn(SHAPE, dtype=torch.bfloat16, device="cuda") for _ in range(3))
    expected = flash(q, k, v)
    timers = {"torch": timer(lambda: flash(q, k, v))}
    calls = {each: ours(q, k, v, each) for each in tiles}  # their graphs write to their memory
    for each, call in calls.items():
        torch.testing.assert_close(call(), expected, atol=5e-3, rtol=2e-2)
        timers[" x ".join(map(str, each))] = timer(call)
    samples = interleave(timers, rounds, TURN)
    work = 4.0 * SHAPE[0] * SHAPE[1] * SHAPE[2] ** 2 * SHAPE[3]
    rows = [compare(name, samples, name, "torch", "us") for name in timers if name != "torch"]
    for row in rows:
        row.detail = f"{work / row.value * 1e-6:.0f} TFLOP/s"
        print(f"{row.case}: {row.value:.1f} us, torch {row.peer:.1f} us; {row.detail}", flush=True)
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--tiles", default="128x64x128")
    options, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    tiles = [tuple(map(int, each.split("x"))) for each in options.tiles.split(",")]
    sys.exit(main(__doc__, lambda rounds: measure(rounds, tiles), with_peers=False))
