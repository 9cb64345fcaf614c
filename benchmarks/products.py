"""A sweep of products of matrices: fairlead.ops.matmul on a GPU beside torch.matmul (cuBLAS), by turns, in GPU time.

Calls are timed as _graphs.py says. The last line says how many products have at least 95 % of cuBLAS' speed.

    python benchmarks/products.py --dtypes f16,bf16
    python benchmarks/products.py --forms 0.98       # for those below that speed also the fastest tiles
    python benchmarks/products.py --only "768 x 768" --tiles "64,64,2,1,8,1,1;128,128,1,1,8,2,1"    # also with these:
        rows, columns, blocks of a cluster along them, neighbouring columns, blocks that share a depth, parts of it
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

from _graphs import TURN, timer
from _harness import Row, compare, interleave, main

#: Rows, columns, depth, how many at once.
SHAPES = [
    *((n, n, n, 1) for n in (512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192)),
    # tall
    (8192, 512, 1024, 1), (8192, 1024, 8192, 1), (16384, 1024, 4096, 1), (16384, 2048, 2048, 1),
    (32768, 512, 512, 1), (65536, 256, 1024, 1),
    # wide
    (256, 32768, 1024, 1), (512, 8192, 2048, 1), (1024, 16384, 4096, 1), (1024, 4096, 16384, 1),
    (2048, 8192, 1024, 1), (4096, 14336, 4096, 1),
    # deep
    (512, 512, 16384, 1), (1024, 1024, 8192, 1), (2048, 2048, 16384, 1),
    # ragged: multiples of 8; an odd number of rows; of columns; even numbers alone
    (1000, 1000, 1000, 1), (1992, 3016, 520, 1), (3000, 5000, 2000, 1), (4088, 4104, 4120, 1),
    (5001, 4096, 4096, 1), (4095, 4097, 4096, 1), (2046, 2050, 2054, 1),
    # few rows
    (8, 4096, 4096, 1), (16, 4096, 14336, 1), (32, 14336, 4096, 1), (64, 4096, 4096, 1),
    (128, 4096, 14336, 1), (256, 4096, 4096, 1),
    # several at once
    (1024, 1024, 1024, 16), (256, 256, 512, 64), (2048, 1024, 512, 8),
]  # fmt: skip
_DTYPES = {"f16": "float16", "bf16": "bfloat16"}


class Case:
    """Operands of a product, and its two calls."""

    def __init__(self, shape: tuple[int, int, int, int], dtype: str) -> None:
        import torch

        from fairlead import ops

        m, n, k, count = self.shape = shape
        outer = (count,) if count > 1 else ()
        made = {"dtype": getattr(torch, _DTYPES[dtype]), "device": "cuda"}
        self.a = torch.randn(*outer, m, k, **made)
        self.b = torch.randn(*outer, n, k, **made).transpose(-1, -2)
        self.out = torch.empty(*outer, m, n, **made)
        self.ours = lambda: ops.matmul(self.a, self.b, out=self.out)
        self.torch = lambda: torch.matmul(self.a, self.b, out=self.out)
        self.work = 2.0 * m * n * k * count
        self.name = f"{m} x {n} x {k}" + (f", {count} of them" if count > 1 else "") + f" {dtype}"

    def form(self, tiles: Any) -> Callable[[], Any]:
        """The call with these tiles; None for the chosen ones."""
        product = self.product()
        if tiles is not None:
            product.take(tiles)
        return product.run

    def product(self) -> Any:
        from fairlead.ops import _arrays, _gemm
        from fairlead.ops._epilogue import Epilogue

        left, right = _arrays.describe(self.a, "a"), _arrays.describe(self.b, "b")
        return _gemm._Product(left, right, [], self.out, True, Epilogue(1.0, None, False, 0.0))

    def forms(self, rounds: int, given: list[Any]) -> list[Row]:
        """Measure these tiles, or those that tuning would try, beside torch's call; the fastest first."""
        timers = {"torch": timer(self.torch)}
        for each in given or self.product().candidates():
            try:
                timers[str(tuple(each))] = timer(self.form(each))
            except Exception as error:
                print(f"    {tuple(each)}: {str(error).splitlines()[0]}", flush=True)
        samples = interleave(timers, rounds, TURN)
        rows = [compare(name, samples, name, "torch", "us") for name in timers if name != "torch"]
        return sorted(rows, key=lambda row: row.ratio or 0.0)


def tiles_of(text: str) -> Any:
    from fairlead.ops._tiles import Tiles

    m, n, x, y, group, split, parts = (int(word) for word in text.split(","))
    return Tiles(m, n, (x, y), group, split, 0, parts)


def measure(rounds: int, dtypes: list[str], forms: float, only: str, tiles: str) -> list[Row]:
    import torch

    if not torch.cuda.is_available():
        print("no GPU: nothing to measure")
        return []
    rows = []
    given = [tiles_of(each) for each in tiles.split(";") if each]
    for dtype in dtypes:
        for shape in SHAPES:
            case = Case(shape, dtype)
            if not any(part in case.name for part in only.split(";")):
                continue
            timers = {"fairlead": timer(case.ours), "torch": timer(case.torch)}
            row = compare(case.name, interleave(timers, rounds, TURN), "fairlead", "torch", "us")
            speed = 1 / row.ratio
            product = case.product()
            chosen = tuple(product.tiles or product.small)
            row.detail = f"{case.work / row.value * 1e-6:.0f} TFLOP/s, {speed:.3f} of cuBLAS' speed"
            print(
                f"{case.name}: {row.value:.2f} us, torch {row.peer:.2f}; {row.detail}; {chosen}",
                flush=True,
            )
            rows.append(row)
            if given or speed < forms:
                for each in case.forms(max(5, rounds // 2), given)[: len(given) or 6]:
                    print(f"    {each.value:.2f} us, {1 / each.ratio:.3f}: {each.case}", flush=True)
    good = sum(1 / row.ratio >= 0.95 for row in rows)
    print(f"{good} of {len(rows)} products have at least 0.95 of cuBLAS' speed")
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--dtypes", default="f16,bf16")
    parser.add_argument("--forms", type=float, default=0.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--tiles", default="")
    options, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    dtypes = options.dtypes.split(",")
    sys.exit(
        main(
            __doc__,
            lambda rounds: measure(rounds, dtypes, options.forms, options.only, options.tiles),
            with_peers=False,
        )
    )
