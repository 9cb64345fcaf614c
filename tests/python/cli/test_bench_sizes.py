"""fairlead bench with sizes: bytes and operations per second, comparisons, pictures."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from fairlead.cli import bench

VECTORS = ["--arg", "tensor:float32[n]", "--arg", "tensor:float32[n]"]


def test_sizes(fairlead, library, tmp_path):
    picture = tmp_path / "add.svg"
    arguments = ["bench", library, "add_one", *VECTORS, "--n", "2^10..2^12"]
    done = fairlead(*arguments, "--flops", "n", "--plot", picture, "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert [row["n"] for row in rows] == [1024, 2048, 4096]
    for row in rows:
        assert row["bytes"] == 8 * row["n"]
        assert row["gb_per_s"] == pytest.approx(row["bytes"] / row["median_us"] / 1e3)
        assert row["gflop_per_s"] == pytest.approx(row["n"] / row["median_us"] / 1e3)
        assert 0 < row["p20_us"] <= row["median_us"] <= row["p80_us"] and 0 < row["of_copy"]
    root = ElementTree.fromstring(picture.read_text())
    circles = root.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(circles) == 3  # GFLOP/s, without a copy
    text = fairlead(*arguments).stdout.splitlines()
    assert text[0].split() == ["n", "median", "us", "p20", "p80", "GB/s", "of", "a", "copy"]
    assert len({len(line) for line in text}) == 1 and text[1].split()[0] == "1024"


def test_comparison(fairlead, library, tmp_path):
    old = tmp_path / "old.json"
    arguments = ["bench", library, "add_one", *VECTORS, "--n", "1000,3000", "--bytes", "4*n"]
    rows = json.loads(fairlead(*arguments, "--json").stdout)["rows"]
    assert rows[0]["bytes"] == 4000
    for row, factor in zip(rows, (10, 0.1), strict=True):
        for key in ("median_us", "p20_us", "p80_us"):
            row[key] *= factor
    old.write_text(json.dumps({"rows": rows}))
    done = fairlead(*arguments[:-4], "--n", "1000,3000,5000", "--compare", old)
    assert [line.split()[-1] for line in done.stdout.splitlines()[1:]] == [
        "FASTER",
        "SLOWER",
        "NEW",
    ]
    assert "\x1b" not in done.stdout
    old.write_text("[]")
    done = fairlead(*arguments, "--compare", old)
    assert done.returncode == 1 and "is not what `fairlead bench --json` writes" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ((10, 9, 11), (10.1, 9, 11), "SAME"),
        ((10, 9, 11), (8, 7, 8.5), "FASTER"),
        ((10, 9, 11), (12, 11.5, 13), "SLOWER"),
        ((10, 9, 11), (10.8, 9.5, 12), "UNSURE"),
    ],
)
def test_verdicts(old, new, told):
    before, after = (
        dict(zip(("median_us", "p20_us", "p80_us"), values, strict=True)) for values in (old, new)
    )
    assert bench.verdict(before, after) == told


@pytest.mark.parametrize(
    ("more", "status", "text"),
    [
        (["--n", "0..4"], 2, "expected sizes such as"),
        (["--n", "2^3..", ""], 2, "expected sizes such as"),
        (["--n", "4", "--flops", "m*2"], 2, "expected numbers, n"),
        (["--n", "4", "--flops", "__import__('os')"], 2, "expected numbers, n"),
        ([], 1, "an argument has the extent n: say its sizes"),
        (["--n", "4", "--plot", "/dev/null/x.svg"], 1, "no folder"),
    ],
)
def test_bad_sizes(fairlead, library, more, status, text):
    done = fairlead("bench", library, "add_one", *VECTORS, *more)
    assert done.returncode == status and text in done.stderr, done.stderr


def test_a_picture_takes_sizes(fairlead, library):
    vectors = ["--arg", "tensor:float32[4]", "--arg", "tensor:float32[4]"]
    done = fairlead("bench", library, "add_one", *vectors, "--plot", "x.svg")
    assert done.returncode == 1 and "--plot takes sizes" in done.stderr
    done = fairlead("run", library, "add_one", *VECTORS)
    assert done.returncode == 1 and "argument 0 depends on n" in done.stderr
