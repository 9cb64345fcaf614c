"""The tutorials run on the CPU, with small sizes, and draw their measurements."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TUTORIALS = sorted((ROOT / "examples" / "tutorials").glob("[0-9]*.py"))


def run(path: Path, folder: Path, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, path, "--quick", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "FAIRLEAD_TARGET": "cpu"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_tutorial(path, tmp_path):
    plots = tmp_path / "plots"
    said = run(path, tmp_path, "--plots", str(plots))
    if "left out" in said and path.stem.startswith("09"):
        pytest.skip(said.strip())
    if "plot(" not in path.read_text() and "show(" not in path.read_text():
        return
    if importlib.util.find_spec("matplotlib") is None and "show(" not in path.read_text():
        assert "no plot: matplotlib is not installed" in said
        pytest.skip("ran; its plot needs matplotlib")
    drawn = [each for each in plots.iterdir() if each.stem.startswith(path.stem[:2])]
    assert drawn and all("<svg" in each.read_text() for each in drawn)


def test_there_are_fifteen_and_they_follow_one_another():
    assert [int(path.stem[:2]) for path in TUTORIALS] == list(range(1, 16))
    for path, following in zip(TUTORIALS, TUTORIALS[1:]):
        assert f"({following.name})" in path.read_text(), path.name


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)", path.read_text()):
        assert target.startswith("http") or (path.parent / target).exists(), target
