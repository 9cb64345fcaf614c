"""Products of floats of 8 bits with scales of 1 x 128 and 128 x 128 on a GPU: fairlead.ops beside torch._scaled_mm.

Shapes are drawn by a seed from layers of public models. Each result is first compared with float64. A line is printed
as soon as its product is measured; the last ones are the distribution of ratios and TFLOP/s. It stops after --seconds.

    python benchmarks/fp8_gemm.py
    python benchmarks/fp8_gemm.py --seed 3 --shapes 60
    python benchmarks/fp8_gemm.py --shape 4096,7168,2048 --variants      # also with other tiles, the fastest first
    python benchmarks/fp8_gemm.py --shape 4096,7168,2048 --tiles "128,192,2,1,8,2,0,1,0;128,128,1,1,8,2,0,1,4"
        # rows, columns, cluster along both, columns together, warpgroups, columns of a product, overlapping steps,
        # stages (0: as many as there is room for)
    python benchmarks/fp8_gemm.py --grouped                             # groups of rows alone
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from _graphs import timer
from _harness import interleave

#: (N, K) of layers.
LAYERS = {
    "DeepSeek V3": [
        (2112, 7168), (24576, 1536), (32768, 512), (7168, 16384), (4096, 7168), (7168, 2048), (36864, 7168),
        (7168, 18432),
    ],
    "Kimi K2": [(12288, 1536), (7168, 8192), (16384, 512)],
    "Qwen3 235B": [(9216, 4096), (4096, 8192), (3072, 4096), (4096, 1536)],
    "Qwen3 30B": [(5120, 2048), (2048, 4096), (1536, 2048), (2048, 768)],
    "GLM 4.5": [(14336, 5120), (5120, 12288), (3072, 5120), (5120, 1536)],
    "Llama 3 8B": [(6144, 4096), (4096, 4096), (28672, 4096), (4096, 14336)],
    "Llama 3 70B": [(10240, 8192), (8192, 8192), (57344, 8192), (8192, 28672)],
    "Qwen2.5 7B": [(4608, 3584), (3584, 3584), (37888, 3584), (3584, 18944)],
    "Mixtral 8x22B": [(8192, 6144), (6144, 6144), (32768, 6144), (6144, 16384)],
}  # fmt: skip
#: Always measured: M, N, K of DeepGEMM's table.
FIXED = [
    (64, 2112, 7168), (64, 24576, 1536), (64, 7168, 16384), (128, 4096, 7168), (128, 7168, 2048),
    (4096, 2112, 7168), (4096, 24576, 1536), (4096, 32768, 512), (4096, 7168, 16384), (4096, 4096, 7168),
    (4096, 7168, 2048),
]  # fmt: skip
#: Kind of groups, number of groups, rows of each, N, K.
GROUPED = [
    ("offsets", 4, 8192, 4096, 7168), ("offsets", 4, 8192, 7168, 2048), ("indices", 8, 4096, 4096, 7168),
    ("offsets", 8, 4096, 7168, 2048), ("offsets", 32, 256, 4096, 7168), ("offsets", 128, 50, 3072, 4096),
    ("counts", 1, 1024, 4096, 7168), ("counts", 2, 512, 7168, 2048), ("counts", 4, 256, 4096, 7168),
    ("counts", 32, 40, 7168, 2048),
]  # fmt: skip
#: What --variants tries, as --tiles writes it.
VARIANTS = [
    "128,128,1,1,8,2,0,1,0", "128,128,2,1,8,2,0,1,0", "128,128,1,2,8,2,0,1,0", "128,128,2,1,16,2,0,1,0",
    "128,192,1,1,8,2,0,1,0", "128,192,2,1,8,2,0,1,0", "128,160,2,1,8,2,0,1,0", "128,160,1,1,8,2,0,1,0",
    "128,256,1,1,8,2,128,1,0", "128,256,2,1,8,2,128,1,0", "256,128,1,2,8,2,0,1,0", "256,128,1,1,8,2,0,1,0",
    "192,128,1,1,8,3,0,1,0", "192,128,1,2,8,3,0,1,0",
    "128,96,2,1,8,2,0,1,0", "128,64,2,1,8,2,0,1,0", "64,128,1,1,8,1,0,1,0", "64,64,1,1,8,1,0,1,0",
    "128,128,2,1,8,2,0,1,4", "128,128,2,1,8,2,0,2,0", "128,128,2,1,8,2,0,4,0", "128,128,1,1,8,2,0,4,0",
    "64,128,1,1,8,1,0,4,0",
]  # fmt: skip
DEVICE = "cuda"
ROW_SCALES = False
_ROUNDS, _TURN = 5, 1.5e-3


def tiles_of(text: str) -> Any:
    from fairlead.ops._scaled_tiles import ScaledTiles

    m, n, x, y, group, warpgroups, unit, steps, stages = map(int, text.split(","))
    return ScaledTiles(m, n, (x, y), group, warpgroups, unit, steps, stages)


def operand(*shape: int) -> Any:
    """Random floats of 8 bits."""
    import torch

    return (torch.randn(*shape, device=DEVICE, dtype=torch.bfloat16)).to(torch.float8_e4m3fn)


def scale(*shape: int) -> Any:
    import torch

    return torch.rand(*shape, device=DEVICE) + 0.5


def ceil_div(extent: int, by: int) -> int:
    return -(-extent // by)


def dequantised(q: Any, factors: Any, rows: int = 1) -> Any:
    wide = factors.double().repeat_interleave(128, -1)[..., : q.shape[-1]]
    if rows > 1:
        wide = wide.repeat_interleave(rows, -2)[..., : q.shape[-2], :]
    return q.double() * wide


def error_of(result: Any, expected: Any) -> float:
    if not bool(result.isfinite().all()):
        return float("inf")
    return ((result.double() - expected).abs().max() / expected.abs().max()).item()


class Case:
    """Operands of a product."""

    def __init__(self, m: int, n: int, k: int) -> None:
        import torch

        self.extents = m, n, k
        self.name = f"{m} x {n} x {k}"
        self.a, self.b = operand(m, k), operand(n, k)
        # As a quantising kernel for TMA leaves them: neighbouring rows' scales side by side.
        self.scale_a = scale(ceil_div(k, 128), m).T
        if ROW_SCALES:
            self.scale_a = self.scale_a.contiguous()
        self.scale_b = scale(ceil_div(n, 128), ceil_div(k, 128))
        self.out = torch.empty(m, n, dtype=torch.bfloat16, device=DEVICE)
        self.work = 2.0 * m * n * k

    def ours(self) -> Any:
        from fairlead import ops

        return ops.scaled_matmul(self.a, self.b, self.scale_a, self.scale_b, out=self.out)

    def with_tiles(self, tiles: Any) -> Callable[[], Any]:
        """The call with these tiles; None for those that the model chooses."""
        product = self.product()
        if tiles is not None:
            product.tiles = tiles
        return product.run().run

    def product(self) -> Any:
        from fairlead.ops import _arrays, _scaled

        left, right = _arrays.describe(self.a, "a"), _arrays.describe(self.b, "b")
        scales = self.scale_a, self.scale_b
        return _scaled._Product(left, right, *scales, None, self.out, None, None, self.extents[0])

    def error(self, call: Callable[[], Any]) -> float:
        """The largest error of some rows, of the largest result; infinity if any element is not finite."""
        import torch

        m = self.extents[0]
        self.out.fill_(float("nan"))
        call()
        rows = (
            torch.arange(m, device=DEVICE) if m <= 256 else torch.randperm(m, device=DEVICE)[:256]
        )
        expected = (
            dequantised(self.a[rows], self.scale_a[rows]) @ dequantised(self.b, self.scale_b, 128).T
        )
        if not bool(self.out.isfinite().all()):
            return float("inf")
        return error_of(self.out[rows], expected)

    def peers(self) -> dict[str, Callable[[], Any]]:
        """torch._scaled_mm by blocks and by rows, as far as this torch has them."""
        import torch

        m, n, k = self.extents
        right = self.b.T
        # cuBLAS reads rows of these scales that begin at multiples of 16 bytes.
        blocks = self.scale_b.shape[1]
        padded = torch.zeros(self.scale_b.shape[0], ceil_div(blocks, 4) * 4, device=self.b.device)
        padded[:, :blocks] = self.scale_b
        forms = {
            "blocks": (self.scale_a, padded[:, :blocks].T),
            "rows": (scale(m, 1), scale(1, n)),
        }
        calls: dict[str, Callable[[], Any]] = {}
        for name, (of_a, of_b) in forms.items():
            try:
                call = _scaled_mm(self.a, right, of_a, of_b)
                call()
                torch.cuda.synchronize()
            except Exception as error:
                if name not in _REFUSED:
                    _REFUSED[name] = str(error).splitlines()[0]
                continue
            calls[name] = call
        return calls


#: Why torch refused a form of scales, the first time.
_REFUSED: dict[str, str] = {}


def _scaled_mm(a: Any, b: Any, scale_a: Any, scale_b: Any) -> Callable[[], Any]:
    import torch

    return lambda: torch._scaled_mm(
        a, b, scale_a=scale_a, scale_b=scale_b, out_dtype=torch.bfloat16
    )


class Groups:
    """Operands of a grouped product."""

    def __init__(
        self, kind: str, groups: int, rows: int, n: int, k: int, generator: random.Random
    ) -> None:
        import torch

        self.kind = kind
        self.name = f"{kind}: {groups} groups of about {rows} x {n} x {k}"
        sizes = [max(0, round(rows * generator.uniform(0.7, 1.3))) for _ in range(groups)]
        if kind == "indices":
            sizes = [ceil_div(size, 128) * 128 for size in sizes]
        outer = (groups,) if kind == "counts" else ()
        most = 2 * rows if kind == "counts" else sum(sizes)
        self.sizes = sizes
        self.a, self.b = operand(*outer, most, k), operand(groups, n, k)
        self.scale_a = scale(*outer, ceil_div(k, 128), most).mT
        self.scale_b = scale(groups, ceil_div(n, 128), ceil_div(k, 128))
        self.out = torch.full((*outer, most, n), float("nan"), dtype=torch.bfloat16, device=DEVICE)
        numbers = {
            "counts": sizes,
            "offsets": [sum(sizes[: i + 1]) for i in range(groups)],
            "indices": [group for group, size in enumerate(sizes) for _ in range(size)],
        }[kind]
        self.index = torch.tensor(numbers, dtype=torch.int32, device=DEVICE)
        self.expected_rows = rows
        self.work = 2.0 * sum(sizes) * n * k

    def ours(self) -> Any:
        from fairlead import ops

        return ops.grouped_scaled_matmul(
            self.a, self.b, self.scale_a, self.scale_b, out=self.out, expected_rows=self.expected_rows,
            **{self.kind: self.index},
        )  # fmt: skip

    def error(self) -> float:
        self.ours()
        worst, start = 0.0, 0
        for group, size in enumerate(self.sizes):
            if size == 0:
                continue
            first, at = (0, (group,)) if self.kind == "counts" else (start, ())
            # The last rows are those beside the next group.
            rows = slice(max(first, first + size - 130), first + size)
            left = dequantised(self.a[at][rows], self.scale_a[at][rows])
            expected = left @ dequantised(self.b[group], self.scale_b[group], 128).T
            worst = max(worst, error_of(self.out[at][rows], expected))
            start += size
        return worst


def measure_quantize(block: tuple[int, int | None], swiglu: bool) -> None:
    """Print the rate of quantizing a matrix of bfloat16."""
    import torch

    from fairlead import ops

    m, n = 16384, 7168
    x = torch.randn(m, n * (1 + swiglu), dtype=torch.bfloat16, device=DEVICE)
    out = ops.quantize(x, block, swiglu=swiglu)
    call = lambda: ops.quantize(x, block, swiglu=swiglu, out=out)  # noqa: E731
    seconds = statistics.median(interleave({"": timer(call)}, _ROUNDS, _TURN)[""])
    bytes_ = 2 * x.numel() + m * n + 4 * out[1].numel()
    what = f"quantize {block}{', swiglu' * swiglu} of {m} x {n}"
    print(f"{what}: {seconds * 1e6:.2f} us {bytes_ / seconds * 1e-9:.0f} GB/s", flush=True)


def host_time() -> float:
    """Microseconds of a warm call."""
    import torch

    case = Case(64, 128, 128)
    for _ in range(50):
        case.ours()
    times = []
    for _ in range(20):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(50):
            case.ours()
        times.append((time.perf_counter() - start) / 50 * 1e6)
    return statistics.median(times)


def measure_tiles(case: Case, texts: list[str]) -> None:
    """Print the speed of a product with other tiles, the fastest first."""
    timers: dict[str, Any] = {}
    for text in texts:
        try:
            call = case.with_tiles(tiles_of(text))
            error = case.error(call)
            if error > 1e-2:
                print(f"    {text}: WRONG, error {error:.2e}", flush=True)
                continue
            timers[text] = timer(call)
        except Exception as error:
            print(f"    {text}: {str(error).splitlines()[0]}", flush=True)
    samples = interleave(timers, _ROUNDS, _TURN)
    for text in sorted(timers, key=lambda text: statistics.median(samples[text])):
        seconds = statistics.median(samples[text])
        print(
            f"    {seconds * 1e6:8.2f} us {case.work / seconds * 1e-12:6.0f} TFLOP/s  {text}",
            flush=True,
        )


def measure(case: Case) -> tuple[float, float | None, bool]:
    """TFLOP/s, the speed as a share of torch's best form, and whether the result is right; print them."""
    error = case.error(case.ours)
    is_right = error <= 1e-2
    peers = case.peers()
    timers = {"ours": timer(case.ours), **{name: timer(call) for name, call in peers.items()}}
    samples = interleave(timers, _ROUNDS, _TURN)
    medians = {name: statistics.median(values) for name, values in samples.items()}
    speed = case.work / medians["ours"] * 1e-12
    ratios = {name: medians[name] / medians["ours"] for name in peers}
    text = ", ".join(f"{ratio:.3f} of torch by {name}" for name, ratio in ratios.items())
    m, n, k = case.extents
    bytes_ = m * k + n * k + 2 * m * n
    rate = bytes_ / medians["ours"] * 1e-9
    print(
        f"{case.name:>22}: {medians['ours'] * 1e6:8.2f} us {speed:6.0f} TFLOP/s {rate:6.0f} GB/s"
        f"  {text}  error {error:.1e}{'' if is_right else ' WRONG'}  {_short(case.product().tiles)}",
        flush=True,
    )  # fmt: skip
    return speed, ratios.get("blocks", ratios.get("rows")), is_right


def _short(tiles: Any) -> str:
    flat = [tiles.m, tiles.n, *tiles.cluster, *tiles[3:]]
    return ",".join(map(str, flat))


def shapes_of(seed: int, count: int) -> list[tuple[int, int, int]]:
    generator = random.Random(seed)
    layers = [layer for of_model in LAYERS.values() for layer in of_model]
    shapes = []
    for _ in range(count):
        m = round(2 ** generator.uniform(0, 14))
        if generator.random() < 0.5:
            m = 1 << (m - 1).bit_length()
        shapes.append((m, *generator.choice(layers)))
    return shapes


def summary(rows: list[tuple[float, float | None, bool]]) -> None:
    ratios = sorted(ratio for _, ratio, _ in rows if ratio is not None)
    wrong = sum(not is_right for *_, is_right in rows)
    print(f"{len(rows)} products, {wrong} wrong; fastest {max(row[0] for row in rows):.0f} TFLOP/s")
    if ratios:
        mean = statistics.geometric_mean(ratios)
        print(
            f"of torch's speed: geometric mean {mean:.3f}, least {ratios[0]:.3f}, median "
            f"{statistics.median(ratios):.3f}, {sum(ratio >= 0.95 for ratio in ratios)} of {len(ratios)} at least 0.95"
        )
    for name, reason in _REFUSED.items():
        print(f"torch refused scales by {name}: {reason}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=20261129)
    parser.add_argument(
        "--shapes", type=int, default=30, help="how many are drawn, besides DeepGEMM's"
    )
    parser.add_argument(
        "--shape", action="append", default=[], help="M,N,K: this one alone; may be repeated"
    )
    parser.add_argument("--variants", action="store_true", help="also try other tiles")
    parser.add_argument("--tiles", default="", help="also try these tiles")
    parser.add_argument("--grouped", action="store_true", help="groups of rows alone")
    parser.add_argument("--row-scales", action="store_true", help="scales of a row side by side")
    parser.add_argument("--seconds", type=float, default=55.0)
    options = parser.parse_args()
    global ROW_SCALES
    ROW_SCALES = options.row_scales
    import torch

    if not torch.cuda.is_available() or torch.cuda.get_device_capability()[0] != 9:
        print("no GPU of compute capability 9.0: nothing to measure")
        return 0
    stop = time.perf_counter() + options.seconds
    torch.manual_seed(options.seed)
    print(f"{torch.cuda.get_device_name()}, seed {options.seed}", flush=True)
    shapes = [tuple(map(int, text.split(","))) for text in options.shape]
    if not shapes and not options.grouped:
        # The most important ones first, in case that time is short.
        shapes = [*reversed(FIXED), *shapes_of(options.seed, options.shapes)]
    texts = VARIANTS if options.variants else [text for text in options.tiles.split(";") if text]
    rows = []
    for number, (m, n, k) in enumerate(shapes):
        if time.perf_counter() > stop:
            print(f"out of time: {len(shapes) - number} products left")
            break
        case = Case(m, n, k)
        rows.append(measure(case))
        if texts:
            measure_tiles(case, texts)
    generator = random.Random(options.seed)
    wrong = sum(not row[2] for row in rows)
    for entry in GROUPED if not options.shape else []:
        if time.perf_counter() > stop:
            print("out of time: groups left")
            break
        groups = Groups(*entry, generator)
        error = groups.error()
        seconds = statistics.median(interleave({"": timer(groups.ours)}, _ROUNDS, _TURN)[""])
        wrong += error > 1e-2
        print(
            f"{groups.name}: {seconds * 1e6:.2f} us {groups.work / seconds * 1e-12:.0f} TFLOP/s  error {error:.1e}"
            f"{'' if error <= 1e-2 else ' WRONG'}",
            flush=True,
        )
    for block, swiglu in (
        ((1, 128), False),
        ((1, 128), True),
        ((1, None), False),
        ((128, 128), False),
    ):
        if not options.shape and time.perf_counter() < stop:
            measure_quantize(block, swiglu)
    print(f"host time of a warm call: {host_time():.2f} us")
    if rows:
        summary(rows)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
