"""Fits the trees that correct the model of tiles (TREES of fairlead/ops/_tile_trees.py) to measured times.

    python benchmarks/fit_tiles.py times1.jsonl times2.jsonl --judge times3.jsonl
    python benchmarks/fit_tiles.py --write

It reads files of tile_times.py, by default tile_times.jsonl.xz beside this program, to which the stored trees are
fitted. Equal files give equal trees. A time counts only if its tiles start early where the model lets them.

Each tree asks six questions: is this feature of ProductTiles.cpp greater than this threshold? It asks the same six of
all forms of tiles. The answers number a leaf. The sum of all trees' leaves is added to the logarithm of the cycles that
the model counts. Each tree is fitted to the error that the trees before it leave; forms that are nearly the fastest of
their product have the largest weights.

The program prints how fast the chosen tiles are among those measured, before and after. With --write it replaces the
file of the trees. Judge them by shapes of another seed, or with --folds: trees that fit here may be worse there. The
file holds a digest of the times, of this program and of the trees; a test fails if one of them has changed.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import lzma
import math
import pathlib
import textwrap
from collections import defaultdict
from typing import Any

import numpy as np

from fairlead import _compiler
from fairlead.ops import _tiles

_BLOCKS = 132
#: Levels of a tree; the shares of products and of features that it is fitted to; the part of the error it corrects.
_LEVELS, _PRODUCTS, _FEATURES, _PART = 6, 0.8, 0.7, 0.15
_THRESHOLDS = 64
#: This much weight of errors of 0 is added to each leaf.
_PRIOR = 4.0
#: The features' integers are at most this.
_MOST = 32767
_HERE = pathlib.Path(__file__).parent
_PATH = _HERE.parent / "python/fairlead/ops/_tile_trees.py"
#: The times that the stored trees were fitted to.
STORED = str(_HERE / "tile_times.jsonl.xz")
_HEAD = '''"""Trees that correct times of tiles. benchmarks/fit_tiles.py writes this file."""

from base64 import b64decode

# SHA-256 of the times, of the program, and of the trees:
# {digest}
#: Ranges of the features of ProductTiles.cpp, and the trees, in the order of its fields.
TREES = b64decode("""
'''
_TAIL = '""")\n'


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
        self.shapes: list[Any] = []
        for shape, forms in shapes.items():
            batch, m, n, k, majors, _ = shape
            described = _compiler.product_features(m, n, k, batch, _BLOCKS, majors, _tiles.TIMES)
            of_shape = [
                (features, math.log(cycles), math.log(forms[tuple(form)]), len(self.shapes))
                for (cycles, *form), features in described
                if tuple(form) in forms
            ]
            if len(of_shape) > 1:
                rows += of_shape
                self.shapes.append(shape)
        features, self.cycles, self.times, self.shape = map(np.array, zip(*rows, strict=True))
        self.features = features.astype(np.float32)
        self.peers = np.log([shape[-1] for shape in self.shapes])
        self.begins = np.searchsorted(self.shape, np.arange(len(self.shapes)))
        self.least = np.minimum.reduceat(self.times, self.begins)

    def of_shapes(self, which: np.ndarray) -> Times:
        """Return the forms of some shapes."""
        part = object.__new__(Times)
        rows = which[self.shape]
        part.features, part.cycles, part.times = (
            values[rows] for values in (self.features, self.cycles, self.times)
        )
        part.shape = (np.cumsum(which) - 1)[self.shape[rows]]
        part.shapes = [shape for shape, is_in in zip(self.shapes, which, strict=True) if is_in]
        part.peers, part.least = self.peers[which], self.least[which]
        part.begins = np.searchsorted(part.shape, np.arange(len(part.shapes)))
        return part

    def targets(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the error of the cycles' logarithms, up to an addend that all forms of a shape have in common, and the
        forms' weights."""
        lost = self.times - self.least[self.shape]
        weights = np.exp(-lost / 0.2)
        missing = lost - self.cycles
        means = np.add.reduceat(weights * missing, self.begins) / np.add.reduceat(
            weights, self.begins
        )
        return missing - means[self.shape], weights

    def report(self, label: str, predicted: np.ndarray) -> None:
        """Print the speed of the forms with the least predicted time."""
        fastest = np.minimum.reduceat(predicted, self.begins)[self.shape]
        chosen = np.minimum.reduceat(
            np.where(predicted == fastest, self.times, np.inf), self.begins
        )
        speeds, lost = np.exp(self.peers - chosen), np.expm1(chosen - self.least)
        print(
            f"{label}: {len(speeds)} shapes, {np.mean(speeds >= 0.95):.1%} at 0.95 of torch's speed, "
            f"{sum(speeds < 0.9)} below 0.90, geometric mean {np.exp(np.log(speeds).mean()):.3f}, "
            f"least {speeds.min():.3f}; slower than the fastest tiles by {lost.mean():.2%}, "
            f"by over 10 % for {sum(lost > 0.1)}"
        )


class Trees:
    """Trees as ProductTiles.cpp evaluates them."""

    def __init__(self, features: np.ndarray) -> None:
        least, most = features.min(0), features.max(0)
        self.begins = (least + most) / np.float32(2)
        self.scales = np.float32(_MOST) / np.maximum(most - least, np.float32(1e-3)) * np.float32(2)
        self.trees: list[Any] = []

    def integers(self, features: np.ndarray) -> np.ndarray:
        scaled = (features - self.begins) * self.scales
        return np.clip(scaled, -_MOST, _MOST).astype(np.int16)

    def __call__(self, features: np.ndarray) -> np.ndarray:
        integers = self.integers(features)
        return sum(
            (unit * leaves[leaf_of(integers, asked, thresholds)] for unit, thresholds, asked, leaves in self.trees),
            start=np.zeros(len(features)),
        )  # fmt: skip

    def table(self) -> bytes:
        """Return the trees as ProductTiles.cpp reads them."""
        ranges = np.stack([self.begins, self.scales]).astype("<f4").tobytes()
        return ranges + b"".join(
            np.float32(unit).astype("<f4").tobytes()
            + np.array(thresholds, "<i2").tobytes()
            + bytes(asked)
            + leaves.astype(np.int8).tobytes()
            + bytes(2)
            for unit, thresholds, asked, leaves in self.trees
        )


def leaf_of(integers: np.ndarray, asked: list[int], thresholds: list[int]) -> np.ndarray:
    leaf = np.zeros(len(integers), np.int32)
    for feature, threshold in zip(asked, thresholds, strict=True):
        leaf = 2 * leaf + (integers[:, feature] > threshold)
    return leaf


def thresholds_of(values: np.ndarray) -> np.ndarray:
    """Return integers between which about as many values lie, or all that differ."""
    different = np.unique(values)
    if len(different) > _THRESHOLDS:
        parts = np.linspace(0, 1, _THRESHOLDS + 1)[1:-1]
        different = np.unique(np.quantile(values, parts, method="lower"))
        return different
    return different[:-1]


def questions(
    places: np.ndarray, counts: list[int], missing: np.ndarray, weights: np.ndarray
) -> tuple[list[Any], np.ndarray]:
    """Features and numbers of thresholds that a tree asks for, and the leaf of each form, by the greatest decrease of
    the squared error on each level. ``places`` are numbers of thresholds that values are above."""
    features, numbers = places.shape[1], _THRESHOLDS + 1
    leaf, asked = np.zeros(len(places), np.int32), []
    offset = places + np.arange(features, dtype=np.int32) * numbers
    all_missing, all_weights = (
        np.repeat(values, features) for values in (weights * missing, weights)
    )
    is_none = np.arange(numbers) >= np.array(counts)[:, None]
    for level in range(_LEVELS):
        cells = (leaf[:, None] * (features * numbers) + offset).ravel()
        below, heavy = (
            np.bincount(cells, values, (features * numbers) << level)
            .reshape(-1, features, numbers)
            .cumsum(2)
            for values in (all_missing, all_weights)
        )
        above, light = below[:, :, -1:] - below, heavy[:, :, -1:] - heavy
        gains = (below**2 / (heavy + _PRIOR) + above**2 / (light + _PRIOR)).sum(0)
        feature, threshold = divmod(int(np.where(is_none, -1, gains).argmax()), numbers)
        asked.append((feature, threshold))
        leaf = 2 * leaf + (places[:, feature] > threshold)
    return asked, leaf


def fitted(times: Times, count: int) -> Trees:
    random = np.random.default_rng(0)
    trees = Trees(times.features)
    integers = trees.integers(times.features)
    thresholds = [thresholds_of(column) for column in integers.T]
    places = np.stack(
        [np.searchsorted(of, column) for of, column in zip(thresholds, integers.T, strict=True)], axis=1
    ).astype(np.int32)  # fmt: skip
    missing, weights = times.targets()
    for _ in range(count):
        rows = np.flatnonzero((random.random(len(times.shapes)) < _PRODUCTS)[times.shape])
        among = np.flatnonzero(random.random(len(thresholds)) < _FEATURES)
        asked, leaf = questions(
            places[rows][:, among], [len(thresholds[feature]) for feature in among], missing[rows], weights[rows]
        )  # fmt: skip
        sums, of_leaves = (
            np.bincount(leaf, values, 1 << _LEVELS)
            for values in (weights[rows] * missing[rows], weights[rows])
        )
        leaves = _PART * sums / (of_leaves + _PRIOR)
        unit = float(np.float32(max(np.abs(leaves).max(), 1e-9) / 127))
        features = [int(among[feature]) for feature, _ in asked]
        bounds = [int(thresholds[among[feature]][place]) for feature, place in asked]
        rounded = np.rint(leaves / unit)
        trees.trees.append((unit, bounds, features, rounded))
        missing = missing - unit * rounded[leaf_of(integers, features, bounds)]
    return trees


def judged_by_folds(times: Times, count: int, folds: int) -> None:
    """Report products that the trees are not fitted to."""
    names = [str(shape[:-1]).encode() for shape in times.shapes]
    fold = np.array([hashlib.sha256(name).digest()[0] % folds for name in names])
    predicted = times.cycles.copy()
    for judged in range(folds):
        trees = fitted(times.of_shapes(fold != judged), count)
        rows = (fold == judged)[times.shape]
        predicted[rows] += trees(times.features[rows])
    times.report(f"{folds} folds", predicted)


def digest(paths: list[str], text: str) -> str:
    """Return the digest of files of times, of this program, and of the lines of trees."""
    combined = hashlib.sha256()
    for path in [*paths, __file__]:
        combined.update(hashlib.sha256(pathlib.Path(path).read_bytes()).digest())
    combined.update(text.encode())
    return combined.hexdigest()


def module_of(trees: Trees, paths: list[str]) -> str:
    """Return the text of the module that holds these trees, which are fitted to times of these files."""
    lines = "\n".join(textwrap.wrap(base64.b64encode(trees.table()).decode(), 116)) + "\n"
    return f"{_HEAD.format(digest=digest(paths, lines))}{lines}{_TAIL}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", default=[STORED])
    parser.add_argument("--judge", nargs="*", default=[], help="files that are not fitted to")
    parser.add_argument(
        "--folds", type=int, help="fit to all products but one part of so many, and judge that part"
    )
    parser.add_argument("--trees", type=int, default=900)
    parser.add_argument(
        "--write", nargs="?", const=_PATH, type=pathlib.Path, help=f"file; default {_PATH.name}"
    )
    options = parser.parse_args()
    times = Times(options.files)
    if options.folds:
        return judged_by_folds(times, options.trees, options.folds)
    trees = fitted(times, options.trees)
    for name, judged in [
        ("fitted", times),
        *((path, Times([path])) for path in options.judge),
    ]:
        judged.report(f"{name}, model", judged.cycles)
        judged.report(f"{name}, corrected", judged.cycles + trees(judged.features))
    if options.write:
        options.write.write_text(module_of(trees, options.files))


if __name__ == "__main__":
    main()
