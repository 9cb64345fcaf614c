"""Times of products of drawn shapes by many tiles each, and by torch (cuBLAS), as lines of JSON for fit_tiles.py.

It tries the tiles that the model of fairlead.ops predicts to be fastest, and compares each result with torch's first.

    python benchmarks/tile_times.py --seed 4101 --products 60 --budget 100 times.jsonl
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import held_out
from _graphs import TURN, timer
from _harness import interleave

_ROUNDS = 3
#: Larger products take too long.
_MOST_PRODUCTS = 2e12


def shapes(seed: int, count: int) -> list[tuple[int, int, int, int, str]]:
    """Batch, M, N, K and majors of drawn products."""
    generator, drawn = random.Random(seed), []
    while len(drawn) < count:
        _, batch, m, n, k, majors, _ = held_out.product(generator)
        if batch * m * n * k < _MOST_PRODUCTS:
            drawn.append((batch, m, n, k, majors))
    return drawn


def calls_of(a: Any, b: Any, out: Any, forms: int) -> tuple[str, dict[Any, Callable[[], Any]]]:
    """The majors that the kernel sees, which copies may change; for each form of tiles, a compiled call."""
    from fairlead.ops import _arrays, _gemm, _tiles
    from fairlead.ops._epilogue import Epilogue

    def product() -> Any:
        plain = Epilogue(1.0, None, False, 0.0)
        return _gemm._Product(
            _arrays.describe(a, "a"), _arrays.describe(b, "b"), [], out, True, plain
        )

    def compiled(tiles: _tiles.Tiles) -> Callable[[], Any]:
        chosen = product()
        chosen.take(chosen.with_rows(tiles))
        run = chosen.run()
        run.run()
        return lambda: run.run()

    first = product()
    if first.tiles is None:
        return "", {}
    tried = _tiles._forms(
        *first.extents(), first.contiguous(), not first.direct, first.can_swap(), forms
    )
    every = [tiles._replace(group=first.tiles.group) for _, tiles in tried]
    with ThreadPoolExecutor(14) as pool:
        return first.contiguous(), dict(zip(every, pool.map(compiled, every), strict=True))


def measure(shape: tuple[int, int, int, int, str], forms: int) -> list[list[Any]]:
    import torch

    batch, m, n, k, majors = shape
    outer, options = (batch,) if batch > 1 else (), {"dtype": torch.bfloat16, "device": "cuda"}

    def matrix(rows: int, columns: int, is_turned: bool) -> Any:
        if is_turned:
            return torch.randn(*outer, columns, rows, **options).transpose(-1, -2)
        return torch.randn(*outer, rows, columns, **options)

    a, b = matrix(m, k, majors[0] == "m"), matrix(k, n, majors[1] == "k")
    out, other = torch.zeros(*outer, m, n, **options), torch.empty(*outer, m, n, **options)
    expected = torch.matmul(a, b).float()
    timers = {"torch": timer(lambda: torch.matmul(a, b, out=other))}
    majors, calls = calls_of(a, b, out, forms)
    for tiles, call in calls.items():
        out.zero_()
        call()
        difference = (out.float() - expected).abs().max() / expected.abs().max()
        if not difference < 0.01:
            raise SystemExit(f"{shape}: {tiles} is wrong by {difference:.3g}")
        timers[tiles] = timer(call)
    times = {
        key: sorted(values)[len(values) // 2] * 1e6
        for key, values in interleave(timers, _ROUNDS, TURN).items()
    }
    return [
        [batch, m, n, k, majors, times["torch"], key, value]
        for key, value in times.items()
        if key != "torch"
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--products", type=int, default=60)
    parser.add_argument("--forms", type=int, default=40, help="tiles of each product")
    parser.add_argument("--budget", type=float, default=90.0, help="seconds")
    options = parser.parse_args()
    end = time.monotonic() + options.budget
    with open(options.file, "w") as file:
        for shape in shapes(options.seed, options.products):
            if time.monotonic() > end:
                break
            for line in measure(shape, options.forms):
                print(json.dumps(line), file=file, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
