"""Tables, colour, and what doctor and trace say."""

import json
import os

import pytest

from fairlead.cli import _terminal

PROGRAM = """
import numpy as np
from fairlead import cute

@cute.jit
def scale(x: cute.Tensor, by: cute.Constexpr):
    x[0] = x[0] * by

x = np.ones(4, np.float32)
scale(x, 2.0)
scale(x, 3.0)
scale(x, 3.0)
scale(np.ones(4, np.float64), 3.0)
"""


def test_tables_are_aligned(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    text = _terminal.table(("name", "n"), [("a", 5), ("longer", 1234)], "-r")
    assert text.splitlines() == ["name       n", "a          5", "longer  1234"]


def test_colour(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert _terminal.styled("text", "red") == "text"  # no terminal
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert _terminal.styled("text", "red") == "\x1b[31mtext\x1b[0m"
    table = _terminal.table(("a", "b"), [(_terminal.styled("x", "red"), "y")])
    assert table.splitlines()[1].endswith("  y")
    monkeypatch.setenv("NO_COLOR", "1")
    assert _terminal.styled("text", "red") == "text"


@pytest.mark.parametrize(
    ("value", "text"), [(None, "-"), (0.123456, "0.1235"), (12345.6, "12,350"), (3.0, "3")]
)
def test_numbers(value, text):
    assert _terminal.number(value) == text


def test_doctor_has_a_verdict_and_a_remedy_in_each_line(fairlead, tmp_path):
    environment = {**os.environ, "FAIRLEAD_CACHE_DIR": str(tmp_path)}
    environment.pop("FAIRLEAD_NO_CACHE", None)
    done = fairlead("doctor", "--json", env=environment)
    found = {each["what"]: each for each in json.loads(done.stdout)["checks"]}
    assert found["runtime library"]["verdict"] == found["compiler"]["verdict"] == "ok"
    assert found["cache"] == {
        "what": "cache", "verdict": "ok", "found": str(tmp_path), "remedy": "",
    }  # fmt: skip
    assert all(each["remedy"] for each in found.values() if each["verdict"] != "ok")
    broken = any(each["verdict"] == "broken" for each in found.values())
    assert done.returncode == int(broken)
    environment["FAIRLEAD_CACHE_DIR"] = "relative"
    done = fairlead("doctor", env=environment)
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("broken  cache")]
    assert done.returncode == 1 and line.endswith("-> give an absolute path")
    environment |= {"FAIRLEAD_CACHE_DIR": str(tmp_path), "FAIRLEAD_NO_CACHE": "1"}
    text = fairlead("doctor", env=environment).stdout
    assert (
        "off, by FAIRLEAD_NO_CACHE: every process compiles anew -> unset FAIRLEAD_NO_CACHE" in text
    )


def test_doctor_lists_what_chooses_code(fairlead):
    options = {"CUTE_DSL_COMPILER_OPT": "--generate-line-info", "FAIRLEAD_CPU_LEVEL": "3"}
    done = fairlead("doctor", "--json", env={**os.environ, **options})
    chosen = {each["variable"]: each["value"] for each in json.loads(done.stdout)["chosen_by"]}
    assert options.items() <= chosen.items()


def test_trace(fairlead, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = fairlead("trace", "-o", tmp_path / "trace.json", program)
    assert done.returncode == 0, done.stderr
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    calls = [each for each in events if each.get("cat") == "direct call"]
    assert [each["args"]["reason"] for each in calls] == [
        "the first call",
        "changed: argument `by`",
        "changed: argument `x`",
    ]
    compiles = [each for each in events if each.get("cat") == "compile"]
    assert len(compiles) == 3 and not any(each["args"]["cached"] for each in compiles)
    assert "float64" in compiles[2]["args"]["signature"]
    stages = [each for each in events if each.get("cat") == "stage"]
    assert {"trace", "lower", "codegen"} <= {each["name"] for each in stages}
    for call, compile in zip(calls, compiles, strict=True):
        assert call["ts"] <= compile["ts"] and compile["dur"] <= call["dur"] * 1.01
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["what", "name", "times", "from", "cache", "ms", "last", "reason"]
    assert any(line.startswith("compile") and " scale " in line for line in lines)
    failing = fairlead("trace", "-o", tmp_path / "none.json", "--", "-c", "exit(3)")
    assert failing.returncode == 3 and "compiled, loaded and launched nothing" in failing.stderr


LAUNCHES = """
import sys
import numpy as np
from fairlead import cute

@cute.kernel
def fill_rows(x: cute.Tensor):
    i, j = cute.arch.block_idx()[0], cute.arch.thread_idx()[0]
    x[i, j] = cute.math.exp(x[i, j])

@cute.jit
def fill(x: cute.Tensor):
    fill_rows(x).launch(grid=x.shape[0], block=x.shape[1])

x = np.ones((5000, 64), np.float32)
if len(sys.argv) > 1:
    compiled = cute.compile(fill, x, options="--target cpu")
    compiled.export_library(sys.argv[1])
    cute.runtime.load_module(sys.argv[1]).fill(x)
else:
    fill(x)
    fill(x)
"""


@pytest.mark.parametrize("exported", [False, True])
def test_trace_has_launches_and_their_blocks(fairlead, tmp_path, exported):
    (tmp_path / "program.py").write_text(LAUNCHES)
    arguments = [tmp_path / "fill.so"] if exported else []
    done = fairlead(
        "trace", "-o", tmp_path / "t.json", tmp_path / "program.py", *arguments,
        env={**os.environ, "FAIRLEAD_NUM_THREADS": "2"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    launches = [each for each in events if each.get("cat") == "launch"]
    assert len(launches) == (1 if exported else 2)
    blocks = [each for each in events if each.get("cat") == "blocks"]
    for launch in launches:
        assert "fill_rows" in launch["name"]
        assert launch["args"] == {"device": "cpu", "grid": "(5000, 1, 1)", "block": "(64, 1, 1)"}
        start, end = launch["ts"], launch["ts"] + launch["dur"]
        inside = [each for each in blocks if start <= each["ts"] and each["ts"] <= end]
        ran = sorted((each["args"]["first"], each["args"]["blocks"]) for each in inside)
        assert ran[0][0] == 0 and sum(count for _, count in ran) == 5000
        assert all(a + count == b for (a, count), (b, _) in zip(ran, ran[1:], strict=False))
        assert sum(each["dur"] for each in inside) > 0
    # Compiles and launches are on one clock.
    if not exported:
        call = next(each for each in events if each.get("cat") == "direct call")
        assert launches[0]["ts"] > call["ts"] + call["dur"] * 0.5
    named = {each["tid"] for each in events if each["ph"] == "M"}
    assert named >= {each["tid"] for each in events if each["ph"] == "X"}
    assert any(line.startswith("launch") for line in done.stdout.splitlines())
    assert not any(line.startswith("blocks") for line in done.stdout.splitlines())


def test_completion(fairlead):
    pytest.importorskip("argcomplete")
    environment = {
        **os.environ,
        "_ARGCOMPLETE": "1",
        "COMP_LINE": "fairlead doc",
        "COMP_POINT": "12",
    }
    environment |= {"_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_STDOUT_FILENAME": "/dev/stdout"}
    assert "doctor" in fairlead(env=environment).stdout
