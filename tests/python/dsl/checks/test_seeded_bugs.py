"""Each mistake of seeds_*.py in a program that works without it: found, with the lines that matter.

``python test_seeded_bugs.py`` prints the table of mistakes and findings.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path

import pytest
from seed import Seed
from support.seeds_elements import ELEMENTS
from support.seeds_known import KNOWN
from support.seeds_order import ORDER
from support.seeds_pipelines import PIPELINES
from support.seeds_tensors import TENSORS

import fairlead

PROGRAMS = Path(__file__).parent / "seeded"
MORE = ELEMENTS + ORDER + PIPELINES + TENSORS


def run(path: Path, checks: str = "all") -> None:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with fairlead.checks.on(checks):
        module.run()


def line_of(part: str, program: str) -> int:
    (number,) = [i for i, line in enumerate(program.splitlines(), 1) if part in line]
    return number


def seeded(seed: Seed, folder: Path) -> Path:
    text = (PROGRAMS / f"{seed.program}.py").read_text()
    changes = [(seed.old, seed.new)]
    if isinstance(seed.old, tuple):
        changes = zip(seed.old, seed.new, strict=True)
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = folder / f"{seed.program}_with_a_mistake.py"
    path.write_text(text)
    return path


def found_in(path: Path, kind: str) -> list[tuple[str, list[int], str]]:
    """Return (kind, lines, message) of the findings."""
    try:
        run(path, "float" if kind == "float" else "all")
    except fairlead.CheckError as error:
        return [
            (each.kind, sorted(access.line for access in each.accesses), each.message)
            for each in error.findings
        ]
    except fairlead.DSLError as error:
        place, _, message = str(error).partition(": ")
        return [("tracing", [int(place.rpartition(":")[2])], message.splitlines()[0])]
    except AssertionError:  # the result is wrong, and nothing says why
        pass
    return []


def expected_of(seed: Seed) -> tuple[str, list[int]]:
    program = (PROGRAMS / f"{seed.program}.py").read_text()
    return seed.kind, sorted(line_of(part, program) for part in seed.lines)


@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.py")), ids=lambda path: path.stem)
@pytest.mark.parametrize("coroutines", ["0", "1"])
def test_right_programs(path, coroutines, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", coroutines)
    run(path)
    run(path, "float")


@pytest.mark.parametrize(
    "seed", KNOWN + MORE, ids=lambda seed: f"{seed.program}: {seed.mistake}".replace(" ", "-")
)
def test_mistakes(seed, tmp_path):
    findings = found_in(seeded(seed, tmp_path), seed.kind)
    kind, lines = expected_of(seed)
    assert (kind, lines) in [each[:2] for each in findings], findings


def test_ten_times_as_many_of_our_own():
    assert len(MORE) >= 10 * len(KNOWN)
    assert len({(seed.program, seed.mistake) for seed in KNOWN + MORE}) == len(KNOWN + MORE)


def table() -> str:
    rows = ["| program | mistake | found | lines | what is said |", "|---|---|---|---|---|"]
    for seed in KNOWN + MORE:
        with tempfile.TemporaryDirectory() as folder:
            path = seeded(seed, Path(folder))
            text = path.read_text().splitlines()
            kind, lines = expected_of(seed)
            found = next(
                (each for each in found_in(path, seed.kind) if each[:2] == (kind, lines)), None
            )
            said = found[2].replace("|", "\\|") if found else ""
            where = "<br>".join(f"{line}: `{text[line - 1].strip()}`" for line in lines)
            rows.append(
                f"| {seed.program} | {seed.mistake} | {kind if found else 'NO'} | {where} | {said} |"
            )
    return "\n".join(rows)


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
