"""Coverage of kernels: the lines and branches that threads executed, as coverage.py reads them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

coverage = pytest.importorskip("coverage")

# Comments name the lines that tests ask for.
KERNELS = """\
import numpy as np
from fairlead import Float32, cute


def scale(value):
    if isinstance(value, int):  # is it a number
        return 2  # of Python
    return value * 2.0


@cute.jit
def clamp(value: Float32, most: cute.Constexpr):
    if value > most:  # is it large
        return most * 1.0  # clamped
    return value


@cute.kernel
def kernel(a: cute.Tensor, n: cute.Int32, most: cute.Constexpr):
    \"\"\"Text.\"\"\"
    t, _, _ = cute.arch.thread_idx()
    if t >= n:
        return
    x = scale(a[t])
    if x > 1000.0:  # is it huge
        x = 0.0  # huge
    else:
        x = x + 1.0  # not huge
    for i in range(4):
        if i > t:
            break
        x = x + 1.0
        if i == 77:  # is it 77
            continue  # 77
        x = x + 1.0
    while x < 0.0:  # is it negative
        x = x + 1.0  # negative
    if cute.const_expr(most > 5):  # is it above 5
        x = clamp(x, most)
    else:
        x = -x  # at most 5
    cute.arch.sync_threads()
    a[t] = x  # the end


@cute.jit
def host(a: cute.Tensor, n: cute.Int32, most: cute.Constexpr):
    if n > 0:  # are there any
        kernel(a, n, most).launch(grid=1, block=64)
    else:
        a[0] = 0.0  # none


def test_host():
    host(np.ones(64, np.float32), 40, 100)  # the call


if __name__ == "__main__":
    test_host()  # the script
"""
#: Each branch that no thread takes: the names of its first line and of the line that it leads to.
UNTAKEN = {
    ("is it a number", "of Python"),
    ("is it large", "clamped"),
    ("is it huge", "huge"),
    ("is it 77", "77"),
    ("is it negative", "negative"),
    ("is it above 5", "at most 5"),
    ("are there any", "none"),
}


def line(name):
    """Return the number of the line that this comment names."""
    (number,) = [
        i for i, text in enumerate(KERNELS.splitlines(), 1) if text.endswith(f"  # {name}")
    ]
    return number


def environment(**variables):
    kept = {name: value for name, value in os.environ.items() if "FAIRLEAD_CHECK" not in name}
    return {**kept, **variables}


def run(*command, **variables):
    ended = subprocess.run(
        [sys.executable, *map(str, command)],
        capture_output=True,
        text=True,
        timeout=200,
        env=environment(**variables),
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernels_test.py").write_text(KERNELS)
    return tmp_path


def combined(folder):
    """Return the data that coverage.py reads from the files of the folder."""
    measured = coverage.Coverage(data_file=str(folder / ".coverage"), branch=True)
    measured.combine([str(folder)], strict=True)
    measured.save()
    return measured


def missing(measured, folder):
    """The missing lines inside of functions, and the missing arcs."""
    path = str(folder / "kernels_test.py")
    _, _, _, lines, _ = measured.analysis2(path)
    inside = [number for number in lines if KERNELS.splitlines()[number - 1].startswith(" ")]
    arcs = measured._analyze(path).missing_branch_arcs()
    return inside, {(first, last) for first, lasts in arcs.items() for last in lasts}


@pytest.mark.parametrize("coroutines", ["0", "1"])
def test_missing_lines_and_arcs(folder, coroutines):
    run("kernels_test.py", FAIRLEAD_COVERAGE="1", FAIRLEAD_CPU_COROUTINES=coroutines)
    lines, arcs = missing(combined(folder), folder)
    of_python = {line("the call"), line("the script")}
    assert set(lines) - of_python == {line(last) for _, last in UNTAKEN}
    assert {arc for arc in arcs if arc[1] not in of_python and arc[1] > 0} == {
        (line(first), line(last)) for first, last in UNTAKEN
    }


def test_pytest_and_coverage_of_python_are_combined(folder):
    run(
        *("-m", "coverage", "run", "--parallel-mode", "--branch", "-m", "pytest", "-q"),
        *("-p", "no:cacheprovider", "-p", "fairlead._pytest", "kernels_test.py"),
        "--fairlead-coverage",
    )
    files = sorted(path.name for path in folder.glob(".coverage.*"))
    assert len(files) == 2 and sum("fairlead" in name for name in files) == 1
    measured = combined(folder)
    lines, _ = missing(measured, folder)
    assert line("the call") not in lines
    assert {line("huge"), line("clamped")} <= set(lines)
    report = run("-m", "coverage", "report", "--show-missing", "--include", "*/kernels_test.py")
    assert "kernels_test.py" in report
    run("-m", "coverage", "html", "--include", "*/kernels_test.py")
    assert (folder / "htmlcov" / "index.html").exists()


def test_lines_alone(folder):
    run(
        *("-m", "coverage", "run", "--parallel-mode", "kernels_test.py"),
        FAIRLEAD_COVERAGE="line",
    )
    run("-m", "coverage", "combine")
    data = coverage.CoverageData(str(folder / ".coverage"))
    data.read()
    lines = set(data.lines(str(folder / "kernels_test.py")))
    assert line("the end") in lines and line("the script") in lines
    assert line("huge") not in lines


API = """
import numpy as np
import fairlead.coverage
from fairlead import cute
from kernels_test import host
host(np.ones(64, np.float32), 40, 100)
assert not fairlead.coverage.arcs()
fairlead.coverage.start()
host(np.ones(64, np.float32), 40, 100)
fairlead.coverage.stop()
before = fairlead.coverage.arcs()
(counts,) = fairlead.coverage.threads().values()
lines = open("kernels_test.py").read().splitlines()
numbers = {text.split("  # ")[1]: counts.get(line) for line, text in enumerate(lines, 1) if "  # " in text}
assert [numbers[name] for name in ("is it huge", "is it 77", "is it large", "are there any")] == [40, 40, 40, 1]
assert numbers["huge"] is None and counts[lines.index("    if t >= n:") + 1] == 64
assert f"{40:>12} {lines.index('    a[t] = x  # the end') + 1:>5}      a[t] = x" in fairlead.coverage.report()
host(np.ones(64, np.float32), 40, 2)
assert fairlead.coverage.arcs() == before
print(fairlead.coverage.save("own.coverage"))

tensor = cute.runtime.make_fake_compact_tensor(cute.Float32, (64,))
plain = cute.compile(host, tensor, 1, 2, options="--target cpu")
covered = cute.compile(host, tensor, 1, 2, options="--target cpu --coverage")
plain(np.ones(64, np.float32), 1)
assert fairlead.coverage.arcs() == before
covered(np.ones(64, np.float32), 1)
assert fairlead.coverage.arcs() != before
"""


def test_the_interface_of_python(folder):
    (folder / "api.py").write_text(API)
    run("api.py")
    data = coverage.CoverageData("own.coverage")
    data.read()
    name = str(folder / "kernels_test.py")
    assert line("the end") in data.lines(name)
    assert (line("is it huge"), line("not huge")) in data.arcs(name)
    assert (line("is it huge"), line("huge")) not in data.arcs(name)


def test_a_wrong_value_of_the_variable(folder):
    ended = subprocess.run(
        [sys.executable, "kernels_test.py"],
        capture_output=True,
        text=True,
        env=environment(FAIRLEAD_COVERAGE="lines"),
    )
    assert ended.returncode != 0
    assert "FAIRLEAD_COVERAGE" in ended.stderr and "0, 1, branch or line" in ended.stderr


def test_nothing_is_written_without_it(folder):
    run("kernels_test.py")
    assert not list(Path(folder).glob(".coverage*"))
