"""Products and attention of shapes that no list of ours holds: drawn by a seed from layers of public models.

Each is run by fairlead.ops and by torch (cuBLAS; the fastest backend of its attention) by turns, in GPU time
(_graphs.py says how), after its result was compared with torch's. The last lines give, for each kind, the share of
cases with at least 0.95 of torch's speed, the geometric mean of the speeds, and the ten slowest.

    python benchmarks/held_out.py --seed 7 --products 200 --attention 40 --budget 240
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from _graphs import TURN, timer
from _harness import Row, compare, interleave, main

#: Columns and depth of the linear layers of public models: joined queries, keys and values; their output; the gate and
#: up projections, joined; the down projection; of some the vocabulary.
LAYERS = {
    "Llama 3 8B": ((6144, 4096), (4096, 4096), (28672, 4096), (4096, 14336), (128256, 4096)),
    "Llama 3 70B, 8 ways": ((1280, 8192), (8192, 1024), (7168, 8192), (8192, 3584)),
    "Mistral 7B": ((6144, 4096), (28672, 4096), (4096, 14336), (32768, 4096)),
    "Qwen 2.5 7B": ((4608, 3584), (3584, 3584), (37888, 3584), (3584, 18944)),
    "Qwen 3 0.6B": ((4096, 1024), (1024, 2048), (6144, 1024), (1024, 3072)),
    "Gemma 2 9B": ((8192, 3584), (3584, 4096), (28672, 3584), (3584, 14336)),
    "Phi 3 mini": ((9216, 3072), (3072, 3072), (16384, 3072), (3072, 8192)),
    "GPT-NeoX 20B": ((18432, 6144), (6144, 6144), (24576, 6144), (6144, 24576)),
    "Falcon 7B": ((4672, 4544), (4544, 4544), (18176, 4544), (4544, 18176)),
    "OLMo 2 7B": ((12288, 4096), (4096, 4096), (22016, 4096), (4096, 11008)),
    "StableLM 2 1.6B": ((6144, 2048), (2048, 2048), (11264, 2048), (2048, 5632)),
    "ViT-H": ((3840, 1280), (1280, 1280), (5120, 1280), (1280, 5120)),
    "BERT large": ((3072, 1024), (1024, 1024), (4096, 1024), (1024, 4096)),
    "DeepSeek V2 lite": ((3072, 2048), (576, 2048), (4096, 512), (2048, 1408)),
    "T5 XXL": ((4096, 4096), (10240, 4096), (4096, 10240)),
}
#: Heads of queries, heads of keys and values, elements of a head.
HEADS = (
    (32, 8, 128), (64, 8, 128), (28, 4, 128), (16, 8, 256), (32, 32, 96), (16, 16, 80), (12, 12, 64), (24, 24, 64),
    (40, 40, 128), (16, 16, 64), (71, 1, 64), (8, 1, 128),
)  # fmt: skip
#: Elements of the largest operand or result of a product, and of the scores of attention.
_LARGEST, _MOST_SCORES = 1 << 30, 1 << 34
_GOOD = 0.95


class Case:
    """Two calls that compute the same, their name, and how far their results may differ."""

    def __init__(
        self, name: str, ours: Callable[[], Any], theirs: list[Callable[[], Any]], work: float
    ) -> None:
        self.name, self.ours, self.theirs, self.work = name, ours, theirs, work

    def difference(self) -> float:
        """The largest difference of the results, as a share of the largest element of torch's."""
        own, other = self.ours().float(), self.theirs[0]().float()
        return float((own - other).abs().max() / other.abs().max())


def _rows(generator: random.Random) -> int:
    """From 1 to 16384, each power of two as likely; a third of them a multiple of nothing."""
    rows = min(16384, int(2 ** generator.uniform(0, 14.01)))
    return rows if generator.random() < 1 / 3 else 1 << round(math.log2(rows))


def product(generator: random.Random) -> tuple[str, int, int, int, int, str, str]:
    """Draw a product: name, batch, M, N, K, the majors of its operands, the dtype."""
    model = generator.choice(sorted(LAYERS))
    n, k = generator.choice(LAYERS[model])
    m = _rows(generator)
    batch = 1
    if generator.random() < 0.1:
        batch, m = generator.choice((2, 4, 8, 16)), min(m, 1024)
    if generator.random() < 0.1:
        n, k = n - 8 * generator.randrange(1, 8), k - 8 * generator.randrange(1, 8)
    batch = max(1, min(batch, _LARGEST // (n * k)))
    while m > 1 and batch * m * max(n, k) > _LARGEST:
        m //= 2
    # Mostly x @ weight.T; sometimes x @ weight, and x.T @ y of a backward pass.
    majors = generator.choice(("kk", "kk", "kk", "kn", "mn"))
    dtype = generator.choice(("bfloat16", "bfloat16", "float16"))
    return model, batch, m, n, k, majors, dtype


def product_case(drawn: tuple[str, int, int, int, int, str, str]) -> Case:
    import torch

    from fairlead import ops

    model, batch, m, n, k, majors, name = drawn
    outer = (batch,) if batch > 1 else ()
    options: dict[str, Any] = {"dtype": getattr(torch, name), "device": "cuda"}

    def matrix(rows: int, columns: int, is_turned: bool) -> Any:
        if is_turned:
            return torch.randn(*outer, columns, rows, **options).transpose(-1, -2)
        return torch.randn(*outer, rows, columns, **options)

    a, b = matrix(m, k, majors[0] == "m"), matrix(k, n, majors[1] == "k")
    own, other = (torch.empty(*outer, m, n, **options) for _ in range(2))
    text = f"{'' if batch == 1 else f'{batch} of '}{m} x {n} x {k} {majors} {name} ({model})"
    return Case(
        text,
        lambda: ops.matmul(a, b, out=own),
        [lambda: torch.matmul(a, b, out=other)],
        2.0 * batch * m * n * k,
    )


def attention(generator: random.Random) -> tuple[int, int, int, int, int, int, bool, str]:
    """Draw attention: batch, queries, keys, heads of both, elements of a head, causal, dtype."""
    heads, kv_heads, size = generator.choice(HEADS)
    keys = int(2 ** generator.uniform(8, 14.01))
    if generator.random() < 2 / 3:
        keys = keys // 128 * 128
    causal = generator.random() < 0.5
    queries = keys if causal or generator.random() < 0.7 else max(64, keys // 4)
    batch = 1 << generator.randrange(0, 6)
    while batch > 1 and batch * heads * queries * keys > _MOST_SCORES:
        batch //= 2
    return (
        batch,
        queries,
        keys,
        heads,
        kv_heads,
        size,
        causal,
        generator.choice(("bfloat16", "float16")),
    )


def attention_case(drawn: tuple[int, int, int, int, int, int, bool, str]) -> Case:
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention

    from fairlead import ops

    batch, queries, keys, heads, kv_heads, size, causal, name = drawn
    options: dict[str, Any] = {"dtype": getattr(torch, name), "device": "cuda"}
    q = torch.randn(batch, heads, queries, size, **options)
    k, v = (torch.randn(batch, kv_heads, keys, size, **options) for _ in range(2))
    out = torch.empty_like(q)

    def by(backend: Any) -> Callable[[], Any]:
        def call() -> Any:
            with sdpa_kernel(backend):
                return scaled_dot_product_attention(
                    q, k, v, is_causal=causal, enable_gqa=heads != kv_heads
                )

        return call

    theirs = []
    for backend in (SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION):
        try:
            by(backend)()
            theirs.append(by(backend))
        except RuntimeError:
            continue
    text = f"{batch} x {heads}/{kv_heads} x {queries}/{keys} x {size}{' causal' if causal else ''} {name}"
    work = 4.0 * batch * heads * queries * keys * size * (0.5 if causal else 1)
    return Case(text, lambda: ops.attention(q, k, v, causal=causal, out=out), theirs, work)


def _compile(drawn: list[Any], make: Callable[[Any], Case]) -> None:
    """Call each once, many at a time: most of the time goes into compiling."""

    def call(shape: Any) -> None:
        try:
            make(shape).ours()
        except Exception as error:
            print(f"{shape}: {str(error).splitlines()[0]}", flush=True)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(call, drawn))


def measured(
    kind: str, drawn: list[Any], make: Callable[[Any], Case], rounds: int, seconds: float
) -> list[Row]:
    """Measure these cases until the time is over, and print what the distribution is."""
    import torch

    end = time.monotonic() + seconds
    rows: list[Row] = []
    wrong = 0
    for start in range(0, len(drawn), 8):
        _compile(drawn[start : start + 8], make)
        for shape in drawn[start : start + 8]:
            case = make(shape)
            if not case.theirs:
                print(f"{case.name}: torch has no fast kernel", flush=True)
                continue
            difference = case.difference()
            wrong += difference > 0.02
            timers = {"fairlead": timer(case.ours)}
            timers.update({f"torch {i}": timer(call) for i, call in enumerate(case.theirs)})
            samples = interleave(timers, rounds, TURN)
            pairs = [
                compare(case.name, samples, "fairlead", name, "us")
                for name in timers
                if name != "fairlead"
            ]
            row = max(pairs, key=lambda pair: pair.ratio or 0.0)
            row.detail = f"{case.work / row.value * 1e-6:.0f} TFLOP/s, {1 / (row.ratio or 1):.3f} of torch's speed"
            print(
                f"{row.case}: {row.value:.1f} us, torch {row.peer:.1f}; {row.detail}; difference {difference:.4f}"
                + (" WRONG" if difference > 0.02 else ""),
                flush=True,
            )
            rows.append(row)
            del case
        torch.cuda.empty_cache()
        if time.monotonic() > end:
            break
    summary(kind, rows, len(drawn), wrong)
    return rows


def summary(kind: str, rows: list[Row], drawn: int, wrong: int) -> None:
    speeds = sorted(1 / row.ratio for row in rows if row.ratio)
    if not speeds:
        return
    mean = math.exp(sum(map(math.log, speeds)) / len(speeds))
    good = sum(speed >= _GOOD for speed in speeds) / len(speeds)
    tenths = " ".join(f"{speeds[int(i / 10 * (len(speeds) - 1))]:.3f}" for i in range(11))
    print(
        f"{kind}: {len(rows)} of {drawn} measured, {wrong} wrong; at least {_GOOD} of torch's speed: {good:.1%}; "
        f"geometric mean {mean:.3f}; tenths {tenths}"
    )
    for row in sorted(rows, key=lambda row: -(row.ratio or 0.0))[:10]:
        print(
            f"    {1 / (row.ratio or 1):.3f} {row.case}: {row.value:.1f} us, torch {row.peer:.1f}"
        )


def measure(rounds: int, options: argparse.Namespace) -> list[Row]:
    import torch

    if not torch.cuda.is_available():
        print("no GPU: nothing to measure")
        return []
    generator = random.Random(options.seed)
    products = [product(generator) for _ in range(options.products)]
    heads = [attention(generator) for _ in range(options.attention)]
    torch.manual_seed(options.seed)
    share = options.products / max(1, options.products + 2 * options.attention)
    rows = measured("products", products, product_case, rounds, options.budget * share)
    return rows + measured("attention", heads, attention_case, rounds, options.budget * (1 - share))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--products", type=int, default=60)
    parser.add_argument("--attention", type=int, default=20)
    parser.add_argument("--budget", type=float, default=90.0)
    options, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    sys.exit(main(__doc__, lambda rounds: measure(rounds, options), with_peers=False))
