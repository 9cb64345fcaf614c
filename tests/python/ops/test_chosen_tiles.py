"""The tiles that the model of fairlead.ops.matmul chooses."""

import base64
import importlib.util
import itertools
import math
import pathlib
import statistics
import struct
import subprocess
import sys

import pytest
from support.thinned import IS_SHORT

from fairlead import _compiler
from fairlead.ops import _tile_trees, _tiles
from fairlead.ops._tile_trees import TREES
from fairlead.ops._tiles import TIMES, WARPGROUPS, Tiles, candidates, choose

HERE = pathlib.Path(__file__).parent
BENCHMARKS = HERE.parents[2] / "benchmarks"
#: Features of a form, and bytes of a tree, in ProductTiles.cpp.
FEATURES, TREE = 35, 88
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
            m, n, x, y, group, split, parts, swapped, alternating = numbers[4:]
            found[tuple(numbers[:4])] = Tiles(
                m, n, (x, y), group, split, 0, parts, swapped == 1, alternating=alternating == 1
            )
    return found


def test_as_measured():
    expected = measured()
    assert {shape: choose(*shape, 132, swap=True) for shape in expected} == expected


def test_what_the_benchmark_measures(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    spec = importlib.util.spec_from_file_location("products", BENCHMARKS / "products.py")
    products = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(products)
    assert list(measured()) != [] and set(measured()) == set(products.SHAPES)


@pytest.mark.parametrize("blocks", [132, 114, 78, 8])
@pytest.mark.parametrize("bits", [16, 8])
@pytest.mark.parametrize("majors, swap", [("kk", False), ("kk", True), ("kn", True), ("mk", True)])
def test_chosen_tiles_fit(blocks, bits, majors, swap):
    """Clusters divide the tiles, and each block that shares a depth, and each part of one, has a step of it."""
    for m, n, k in SHAPES:
        for batch in (1, 3):
            tiles = choose(m, n, k, batch, blocks, bits, True, majors, swap)
            fit(tiles, m, n, k, batch, blocks, bits, majors, swap)
            plain = choose(m, n, k, batch, blocks, bits, False, majors, swap)
            assert (plain.split, plain.parts) == (1, 1)
            assert swap or not (tiles.swapped or plain.swapped)
    for shape in SHAPES[::7]:
        for each in candidates(*shape, 1, blocks, bits, majors, swap):
            fit(each, *shape, 1, blocks, bits, majors, swap)


def fit(tiles, m, n, k, batch, blocks, bits, majors, swap):
    if tiles.swapped:
        m, n, majors = n, m, majors[::-1]
    steps, down, along = -(-k * bits // 1024), -(-m // tiles.m), -(-n // tiles.n)
    x, y = tiles.cluster
    # Sums of a thread are in registers: of 64 rows of each warpgroup, or of twice 64.
    groups = 1 if tiles.alternating else WARPGROUPS[tiles.m]
    assert (
        tiles.m // 64 // groups * tiles.n <= (128 if groups == 3 else 256) * 3 // 2
        or tiles.m == 192
    )
    is_fine = tiles.swapped or (swap and bits == 16 and m <= 128)
    assert tiles.n % (8 if is_fine else 16) == 0 and (majors[1] == "k" or tiles.n % 32 == 0)
    assert tiles.group >= 1 and tiles.group & (tiles.group - 1) == 0
    assert down % x == 0 and along % y == 0 and x * y * tiles.split <= 8
    assert tiles.split == 1 or tiles.parts == 1
    assert tiles.parts == 1 or x * y <= 2
    assert tiles.split <= steps and tiles.n % (8 * tiles.split) == 0
    assert tiles.split == 1 or down * along * batch * tiles.split <= blocks
    assert not tiles.alternating or (
        down * along * batch > blocks and (tiles.split, tiles.parts) == (1, 1)
    )
    assert tiles.parts == 1 or (batch == 1 and (tiles.parts - 1) * -(-steps // tiles.parts) < steps)


def test_large_and_small_products():
    """Large products have the largest tiles; small ones as many as there are multiprocessors, if possible."""
    large = choose(4096, 4096, 4096, 1, 132, swap=True)
    assert large.m * large.n * (1 + large.alternating) >= 128 * 192
    small = choose(1024, 1024, 1024, 1, 132)
    assert -(-1024 // small.m) * -(-1024 // small.n) * small.split > 64
    deep = choose(512, 512, 16384, 1, 132)
    assert deep.parts * deep.split > 1
    assert choose(16, 4096, 4096, 1, 132).m == 64


def test_rows_that_are_not_there():
    """Few rows have tiles of the transposed product that hold little else, and 264 rows no tile of 8 rows alone."""
    for m in (1, 8, 13, 24, 40, 72):
        tiles = choose(m, 8192, 8192, 1, 132, swap=True)
        assert not tiles.swapped or tiles.n <= m + 31
    tiles = choose(264, 4096, 2048, 1, 132, swap=True)
    assert tiles.swapped and -264 % tiles.n <= 24
    assert tiles == choose(264, 4096, 2048, 1, 132, swap=True)


def test_operands_that_just_fit_the_cache():
    """Their tiles take one turn, and no block starts early, so that each finds what it read in the call before."""
    for m in (2, 8, 24, 48):
        tiles = choose(m, 11264, 2048, 1, 132, swap=True)
        assert not tiles.overlaps and (tiles.split, tiles.parts) == (1, 1)
        rows, columns = (11264, m) if tiles.swapped else (m, 11264)
        assert -(-rows // tiles.m) * -(-columns // tiles.n) <= 132
        assert choose(m, 8192, 2048, 1, 132, swap=True).overlaps
        assert choose(m, 12288, 2048, 1, 132, swap=True).overlaps
        # The depth of fewer columns than all multiprocessors need is divided.
        deep = choose(m, 1792, 12288, 1, 132, swap=True)
        assert not deep.overlaps and deep.split * deep.parts > 1
    assert choose(512, 11264, 2048, 1, 132, swap=True).overlaps


def test_few_blocks_do_not_start_early():
    """Operands of 30 to 40 MB stay in the cache if few blocks, no pairs, read them and none starts early."""
    tiles = choose(64, 4608, 3584, 1, 132, majors="mn", swap=True)
    assert not tiles.overlaps and tiles.parts == 1
    overlaps = {}
    for m, n, k in ((16, 4608, 3584), (64, 4608, 3584), (64, 3968, 4544)):
        for each in candidates(m, n, k, 1, 132, swap=True):
            rows, columns = (n, m) if each.swapped else (m, n)
            blocks = -(-rows // each.m) * -(-columns // each.n) * each.split
            are_few = blocks <= 99 and each.parts == 1 and math.prod(each.cluster) != 2
            overlaps.setdefault(are_few, set()).add(each.overlaps)
    assert overlaps == {True: {False}, False: {True}}
    assert all(each.overlaps for each in candidates(160, 4608, 3584, 1, 132, swap=True))


def test_columns_in_multiples_of_8():
    """Few rows have tiles by which all multiprocessors have one, though their columns are no multiple of 16."""
    tiles = {each.n for each in candidates(16, 11264, 2048, 1, 132, swap=True) if not each.swapped}
    assert 88 in tiles
    tiles = {each.n for each in candidates(256, 11264, 2048, 1, 132, swap=True) if not each.swapped}
    assert tiles and not any(columns % 16 for columns in tiles)


def test_trees():
    """They change only products that they were fitted to, and their table has the size that the features need."""
    arguments = 256, 6144, 4096, 1, 132
    plain = _compiler.product_tiles(*arguments, 16, "kk", True, True, 1, TIMES, None)
    corrected = _compiler.product_tiles(*arguments, 16, "kk", True, True, 1, TIMES, _tiles._TREES)
    assert plain[0][0] != corrected[0][0]
    for bits, swap in ((8, True), (16, False)):
        only = _compiler.product_tiles(*arguments, bits, "kk", True, swap, 1, TIMES, None)
        tiles = choose(*arguments, bits, swap=swap)
        assert not tiles.alternating
        assert (tiles.m, tiles.n, tiles.cluster, tiles.split, tiles.parts, tiles.swapped) == only[
            0
        ][1:-2]
    expected = f"expected {FEATURES * 8} bytes, and {TREE} for each tree"
    for wrong in (TREES[:-4], TREES[: FEATURES * 8], TREES[:8]):
        with pytest.raises(ValueError, match=expected):
            _compiler.ProductTrees(wrong)
    wrong = bytearray(TREES)
    wrong[FEATURES * 8 + 16] = FEATURES
    with pytest.raises(ValueError, match=f"expected features below {FEATURES}, but got {FEATURES}"):
        _compiler.ProductTrees(bytes(wrong))


def test_trees_add_what_their_leaves_say():
    """Two trees that ask for columns of a tile and for cycles, beside the same computed here."""
    arguments = 256, 6144, 4096, 1
    described = _compiler.product_features(*arguments, 132, "kk", TIMES)
    bounds = {
        feature: int(1000 * statistics.median(features[feature] for _, features in described))
        for feature in (11, 33)
    }
    tables = [
        struct.pack("<f6h6B64b2x", 0.01, *[bound] * 6, *[feature] * 6, *range(-32, 32))
        for feature, bound in bounds.items()
    ]
    trees = _compiler.ProductTrees(
        struct.pack(f"<{2 * FEATURES}f", *[0] * FEATURES, *[1000] * FEATURES) + b"".join(tables)
    )
    found = _compiler.product_tiles(
        *arguments, 132, 16, "kk", True, True, len(described), TIMES, trees
    )
    factors = {
        tuple(form): math.exp(
            sum(0.31 if int(1000 * features[i]) > bound else -0.32 for i, bound in bounds.items())
        )
        for (_, *form), features in described
    }
    assert len(set(factors.values())) == 3
    expected = {tuple(form): cycles * factors[tuple(form)] for (cycles, *form), _ in described}
    assert {tuple(form): cycles for cycles, *form in found} == pytest.approx(expected, rel=1e-5)


def test_later_trees_correct_the_fastest_forms():
    """Asked for one form, the tiles are nearly always those of all trees for all forms."""
    differ = 0
    for m, (n, k) in itertools.product(
        (3, 16, 48, 100, 256, 700, 2048), ((4096, 4096), (3584, 18944), (10240, 1280))
    ):
        arguments = m, n, k, 1, 132, 16, "kk", True, True
        one = _compiler.product_tiles(*arguments, 1, TIMES, _tiles._TREES)
        every = _compiler.product_tiles(*arguments, 1000, TIMES, _tiles._TREES)
        assert len(every) > 1
        differ += one[0][1:] != every[0][1:]
    assert differ <= 1


def test_file_of_trees_was_written_from_the_stored_times():
    """Its digest is that of the times, of the fitting program and of its trees, which are as they were written."""
    spec = importlib.util.spec_from_file_location("fit_tiles", BENCHMARKS / "fit_tiles.py")
    fit_tiles = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fit_tiles)
    text = pathlib.Path(_tile_trees.__file__).read_text()
    lines = text.partition('b64decode("""\n')[2].partition('""")')[0]
    assert base64.b64decode(lines) == TREES
    assert fit_tiles.digest([fit_tiles.STORED], lines) in text


@pytest.mark.skipif(
    IS_SHORT, reason="the fit takes minutes; --long repeats it, the digest is tested"
)
def test_trees_come_from_the_stored_times(tmp_path):
    path = tmp_path / "trees.py"
    subprocess.run([sys.executable, BENCHMARKS / "fit_tiles.py", "--write", path], check=True)
    assert path.read_text() == pathlib.Path(_tile_trees.__file__).read_text()


@pytest.mark.parametrize("m, n, cluster, swapped, goes_down", [
    (512, 1024, (1, 1), False, True),
    (1024, 512, (1, 1), False, False),
    (512, 1024, (1, 1), True, False),
    (640, 832, (1, 1), False, False),
    (512, 1024, (2, 1), False, False),
    (512, 1024, (1, 2), False, True),
])  # fmt: skip
def test_order_of_tiles_of_one_turn(m, n, cluster, swapped, goes_down):
    """Neighbouring blocks go along the extent of fewer tiles, and not along a cluster."""
    group = _tiles._group(Tiles(64, 64, cluster, swapped=swapped), m, n, 1, 132)
    assert group == (1 if goes_down else 256)
    assert _tiles._group(Tiles(64, 64, cluster), 4096, 4096, 1, 132) in (8, 4)


def test_depths_that_no_parts_divide():
    """A depth of 71 steps may be divided: its last part is shorter."""
    parts = {each.parts for each in candidates(16, 4544, 4544, 1, 132, swap=True)}
    assert parts & {3, 5, 6}
