"""Fits the network that corrects the model of tiles (NETWORK of fairlead/ops/_tile_network.py) to measured times.

    python benchmarks/fit_tiles.py times1.jsonl times2.jsonl --judge times3.jsonl
    python benchmarks/fit_tiles.py --write

Reads files of tile_times.py. The default is tile_times.jsonl.xz beside this program: the stored network is fitted to
it. The same files give the same network. Times count only of tiles that start early where the model lets them. The
network has one hidden layer; it gets the features of ProductTiles.cpp, and adds to the logarithm of the cycles that the
model counts. Training minimizes how much slower the chosen tiles are than the fastest measured ones. It prints the
speed of the tiles that are chosen among those measured, before and after, and with --write replaces the file of the
network. Judge it by shapes of another seed: a network that fits here may be worse there. The file holds a digest of the
times, of this program and of the weights, so that a test sees at once that one of them has changed since.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import math
import pathlib
import textwrap
from collections import defaultdict
from typing import Any

import torch

from fairlead import _compiler
from fairlead.ops import _tiles

_BLOCKS, _UNITS = 132, 64
_HERE = pathlib.Path(__file__).parent
_PATH = _HERE.parent / "python/fairlead/ops/_tile_network.py"
#: The times that the stored network was fitted to.
STORED = str(_HERE / "tile_times.jsonl.xz")
_HEAD = '''"""Weights of the network that corrects times of tiles. benchmarks/fit_tiles.py writes this file."""

from array import array

# SHA-256 of the times, of the program, and of the weights:
# {digest}
#: For 64 units each: biases, weights of the output, and weights of each feature of ProductTiles.cpp.
NETWORK = array("f", [
'''
_TAIL = "]).tobytes()  # fmt: skip\n"


class Times:
    """Forms of tiles of all shapes in a row: their features, logarithms of cycles and of times, numbers of shapes."""

    def __init__(self, paths: list[str]) -> None:
        shapes: dict[Any, dict[Any, float]] = defaultdict(dict)
        for path in paths:
            with (lzma.open if path.endswith(".xz") else open)(path, "rt") as file:
                for line in file:
                    *shape, tiles, microseconds = json.loads(line)
                    m, n, cluster, _, split, _, parts, swapped, overlaps, *alternating = tiles
                    form = m, n, tuple(cluster), split, parts, bool(swapped), alternating == [True]
                    shapes[tuple(shape)][(*form, bool(overlaps))] = microseconds
        rows: list[Any] = []
        self.peers: list[float] = []
        for (batch, m, n, k, majors, torch_time), forms in shapes.items():
            described = _compiler.product_features(m, n, k, batch, _BLOCKS, majors, _tiles.TIMES)
            of_shape = [
                (features, math.log(cycles), math.log(forms[tuple(form)]), len(self.peers))
                for (cycles, *form), features in described
                if tuple(form) in forms
            ]
            if len(of_shape) > 1:
                rows += of_shape
                self.peers.append(math.log(torch_time))
        columns = list(zip(*rows, strict=True))
        # In double precision, rounding does not change the digits that are stored.
        self.features, self.cycles, self.times = (
            torch.tensor(column, dtype=torch.double) for column in columns[:3]
        )
        self.shape = torch.tensor(columns[3])
        self.least = self.per_shape(self.times, "amin")
        #: The logarithm of how much slower a form is than the fastest one of its shape.
        self.lost = self.times - self.least[self.shape]

    def per_shape(self, values: torch.Tensor, reduce: str) -> torch.Tensor:
        empty = torch.zeros(len(self.peers), dtype=torch.double)
        return empty.scatter_reduce(0, self.shape, values, reduce, include_self=False)

    def report(self, label: str, predicted: torch.Tensor) -> None:
        """Print the speed of the forms with the least predicted time."""
        is_chosen = predicted == self.per_shape(predicted, "amin")[self.shape]
        chosen = self.per_shape(torch.where(is_chosen, self.times, math.inf), "amin")
        speeds = (torch.tensor(self.peers) - chosen).exp()
        print(
            f"{label}: {len(speeds)} shapes, {(speeds >= 0.95).double().mean():.1%} at 0.95 of torch's speed, "
            f"geometric mean {speeds.log().mean().exp():.3f}, least {speeds.min():.3f}; "
            f"slower than the fastest tiles by {(chosen - self.least).mean().expm1():.2%}"
        )


class Network(torch.nn.Module):
    """The logarithm of a form's time, up to an addend that all forms of a shape have in common."""

    def __init__(self, times: Times) -> None:
        super().__init__()
        count = times.features.shape[1]
        self.mean, self.deviation = times.features.mean(0), times.features.std(0) + 1e-3
        self.weights = torch.nn.Parameter(
            torch.randn(count, _UNITS, dtype=torch.double) / count**0.5
        )
        self.biases = torch.nn.Parameter(torch.randn(_UNITS, dtype=torch.double) / 2)
        self.outputs = torch.nn.Parameter(torch.randn(_UNITS, dtype=torch.double) / 50)

    def forward(self, times: Times) -> torch.Tensor:
        features = (times.features - self.mean) / self.deviation
        units = torch.nn.functional.softsign(features @ self.weights + self.biases)
        return times.cycles + units @ self.outputs

    def table(self) -> torch.Tensor:
        """Return the weights as ProductTiles.cpp reads them, for features that are not normalized."""
        weights = self.weights / self.deviation[:, None]
        return torch.stack([self.biases - self.mean @ weights, self.outputs, *weights]).detach()


def loss(times: Times, predicted: torch.Tensor) -> torch.Tensor:
    """How much slower chosen tiles are, where close forms are chosen with close probabilities, and how wrong the times
    are, of fast forms most."""
    least = times.per_shape(predicted.detach(), "amin")[times.shape]
    likely = torch.exp((least - predicted) / 0.025)
    likely = likely / times.per_shape(likely, "sum")[times.shape]
    chosen = (likely * (times.lost + 3 * times.lost**2)).sum() / len(times.peers)
    weights, error = torch.exp(-times.lost / 0.2), predicted - times.lost
    mean = times.per_shape(error * weights, "sum") / times.per_shape(weights, "sum")
    return chosen + 4 * (weights * (error - mean[times.shape]) ** 2).mean()


def fitted(times: Times, steps: int = 800, seed: int = 0) -> Network:
    torch.manual_seed(seed)
    # Sums in one order.
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    network = Network(times)
    optimizer = torch.optim.AdamW(network.parameters(), 0.01, weight_decay=1.0)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = 0.01 * min(1, (step + 1) / 20) * (1 - step / steps)
        optimizer.zero_grad()
        loss(times, network(times)).backward()
        optimizer.step()
    return network


def digest(paths: list[str], weights: str) -> str:
    """Return the digest of files of times, of this program, and of the lines of weights."""
    combined = hashlib.sha256()
    for path in [*paths, __file__]:
        combined.update(hashlib.sha256(pathlib.Path(path).read_bytes()).digest())
    combined.update(weights.encode())
    return combined.hexdigest()


def module_of(network: Network, paths: list[str]) -> str:
    """Return the text of the module that holds this network, which is fitted to times of these files."""
    numbers = ", ".join(f"{value:.4g}" for row in network.table() for value in row)
    lines = textwrap.fill(numbers, 116, initial_indent="    ", subsequent_indent="    ")
    return f"{_HEAD.format(digest=digest(paths, lines))}{lines},\n{_TAIL}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", default=[STORED])
    parser.add_argument("--judge", nargs="*", default=[], help="files that are not fitted to")
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--write", nargs="?", const=_PATH, type=pathlib.Path, help=f"file; default {_PATH.name}"
    )
    options = parser.parse_args()
    times = Times(options.files)
    network = fitted(times, options.steps, options.seed)
    for name, judged in [
        ("fitted", times),
        *((path, Times([path])) for path in options.judge),
    ]:
        judged.report(f"{name}, model", judged.cycles)
        judged.report(f"{name}, corrected", network(judged).detach())
    if options.write:
        options.write.write_text(module_of(network, options.files))


if __name__ == "__main__":
    main()
