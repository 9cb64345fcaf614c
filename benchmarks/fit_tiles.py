"""Fits the numbers of the model that chooses tiles of products (TIMES of fairlead/ops/_tiles.py) to measured times.

    python benchmarks/fit_tiles.py times1.jsonl times2.jsonl

Reads the files of tile_times.py. A random walk changes a few numbers at a time and keeps a change if the chosen tiles
become faster. It prints the numbers and the speed of the tiles that they choose. Judge them by shapes of another seed
(held_out.py): numbers that fit here may be worse there.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections import defaultdict
from typing import Any

from fairlead import _compiler
from fairlead.ops import _tiles

_BLOCKS, _ELEMENT_BITS, _MOST = 132, 16, 60
#: The time of a shape if no chosen tiles were measured, as a multiple of the fastest time.
_UNKNOWN = 1.3


#: Batch, M, N, K, majors, and the time that torch takes; microseconds by tiles.
Shape = tuple[Any, ...]
Times = dict[tuple[Any, ...], float]


def read(paths: list[str]) -> dict[Shape, Times]:
    times: dict[Shape, Times] = defaultdict(dict)
    for path in paths:
        with open(path) as file:
            for line in file:
                *shape, torch_time, tiles, microseconds = json.loads(line)
                m, n, cluster, _, split, _, parts, swapped = tiles
                form = m, n, tuple(cluster), split, parts, bool(swapped)
                times[(*shape, torch_time)][form] = microseconds
    return times


def chosen(shape: Shape, forms: Times, numbers: dict[str, float]) -> float | None:
    """The time of the tiles that are chosen among those measured."""
    batch, m, n, k, majors, _ = shape
    tried = _compiler.product_tiles(
        m, n, k, batch, _BLOCKS, _ELEMENT_BITS, majors, True, True, _MOST, numbers
    )
    return next((forms[form] for _, *rest in tried if (form := tuple(rest)) in forms), None)


def losses(times: dict[Shape, Times], numbers: dict[str, float]) -> list[float]:
    """For each shape, the logarithm of the time of the chosen tiles divided by that of the fastest ones."""
    return [
        math.log((chosen(shape, forms, numbers) or _UNKNOWN * min(forms.values())) / min(forms.values()))
        for shape, forms in times.items()
    ]  # fmt: skip


def score(values: list[float]) -> float:
    return sum(value + 3 * value * value for value in values) / len(values)


def report(times: dict[Shape, Times], numbers: dict[str, float]) -> None:
    speeds = []
    for shape, forms in times.items():
        time_of_chosen = chosen(shape, forms, numbers)
        if time_of_chosen is not None:
            speeds.append(shape[-1] / time_of_chosen)
    mean = math.exp(sum(map(math.log, speeds)) / len(speeds))
    good = sum(speed >= 0.95 for speed in speeds) / len(speeds)
    lost = math.expm1(sum(losses(times, numbers)) / len(times))
    print(
        f"{len(speeds)} of {len(times)} shapes: {good:.1%} at 0.95 of torch's speed, geometric mean {mean:.3f}, "
        f"least {min(speeds):.3f}; slower than the fastest tiles by {lost:.1%}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    times, generator = read(options.files), random.Random(options.seed)
    best = dict(_tiles.TIMES)
    report(times, best)
    least, end = score(losses(times, best)), time.monotonic() + options.seconds
    while time.monotonic() < end:
        tried = dict(best)
        for name in generator.sample(sorted(tried), generator.choice((1, 2, 3))):
            tried[name] *= math.exp(generator.gauss(0, 0.15))
        value = score(losses(times, tried))
        if value < least:
            least, best = value, tried
    report(times, best)
    print(json.dumps({name: float(f"{value:.3g}") for name, value in best.items()}, indent=4))
    return 0


if __name__ == "__main__":
    sys.exit(main())
