"""The tiles that the model of fairlead.ops.matmul chooses."""

import importlib.util
import itertools
import pathlib
import sys

import pytest

from fairlead.ops._tiles import CANDIDATES, Tiles, candidates, choose

HERE = pathlib.Path(__file__).parent
BENCHMARKS = HERE.parents[2] / "benchmarks"
SHAPES = [
    *itertools.product((1, 100, 513, 4096), repeat=3),
    *((m, n, k) for m, n in ((8, 4096), (512, 512), (1024, 1000)) for k in (16384 + 8, 16384 + 64, 8192)),
]  # fmt: skip


def measured():
    """Shapes, and the tiles that are the fastest, of chosen_tiles.txt."""
    found = {}
    for line in (HERE / "chosen_tiles.txt").read_text().splitlines():
        numbers = [int(word) for word in line.partition("#")[0].split()]
        if numbers:
            m, n, x, y, group, split, parts = numbers[4:]
            found[tuple(numbers[:4])] = Tiles(m, n, (x, y), group, split, 0, parts)
    return found


def test_as_measured():
    expected = measured()
    assert {shape: choose(*shape, 132) for shape in expected} == expected


def test_what_the_benchmark_measures(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    spec = importlib.util.spec_from_file_location("products", BENCHMARKS / "products.py")
    products = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(products)
    assert list(measured()) != [] and set(measured()) == set(products.SHAPES)


@pytest.mark.parametrize("blocks", [132, 114, 78, 8])
@pytest.mark.parametrize("bits", [16, 8])
def test_chosen_tiles_fit(blocks, bits):
    """Clusters divide the tiles, blocks that share a depth have a step of it each, and parts divide it."""
    for m, n, k in SHAPES:
        for batch in (1, 3):
            found = choose(m, n, k, batch, blocks, bits)
            fit(found, m, n, k, batch, blocks, bits)
            assert found.cluster == (1, 1) or (found.split, found.parts) == (1, 1)
            plain = choose(m, n, k, batch, blocks, bits, split=False)
            assert (plain.split, plain.parts) == (1, 1)
            for each in candidates(m, n, k, batch, blocks, bits):
                fit(each, m, n, k, batch, blocks, bits)


def fit(tiles, m, n, k, batch, blocks, bits):
    steps, down, along = -(-k * bits // 1024), -(-m // tiles.m), -(-n // tiles.n)
    x, y = tiles.cluster
    assert tiles[:2] in CANDIDATES
    assert tiles.group >= 1 and tiles.group & (tiles.group - 1) == 0
    assert down % x == 0 and along % y == 0 and x * y * tiles.split <= 8
    assert tiles.split <= steps and tiles.n % (16 * tiles.split) == 0
    assert tiles.parts == 1 or (batch == 1 and k * bits % (1024 * tiles.parts) == 0)
    if tiles.split * tiles.parts > 1:
        assert down * along * batch * tiles.split * tiles.parts <= blocks


def test_large_and_small_products():
    """Large products have the largest tiles; small ones as many as there are multiprocessors, if possible."""
    assert choose(4096, 4096, 4096, 1, 132)[:2] in ((128, 256), (256, 128))
    small = choose(1024, 1024, 1024, 1, 132)
    assert -(-1024 // small.m) * -(-1024 // small.n) * small.split > 64
    assert choose(64, 4096, 4096, 1, 132).split > 1
    assert choose(512, 512, 16384, 1, 132).parts > 1
    assert choose(16, 4096, 4096, 1, 132).m == 64
