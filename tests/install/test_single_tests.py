"""`./run test PATH -k EXPRESSION`: which tests a path and an expression choose."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from fairlead_dev import build, line_coverage, single_tests, steps, test_verb  # noqa: E402


@pytest.fixture(autouse=True)
def built_here(build_dir, monkeypatch):
    monkeypatch.setattr(build, "BUILD", build_dir)


def chosen(path, expression=None):
    return single_tests._unit_names([single_tests._located(path)], expression)


def test_a_file_chooses_its_unit_tests():
    names = chosen("tests/unit/runtime/cuda/ArchTest.cpp")
    assert "Arch.Parses" in names
    assert [name for name in names if name.startswith("Table/RunsOn.Answers/")]
    assert not [name for name in names if "Assembler" in name]


def test_a_folder_chooses_those_of_its_files():
    names = chosen("unit/base")
    assert "DType.Sizes" in names and "Diagnostics.EveryEntryIsWhole" in names
    assert "Arch.Parses" not in names


def test_an_expression_chooses_among_them():
    assert chosen("tests/unit/base", "DType.Si") == ["DType.Sizes"]
    result = single_tests._unit(
        [str(ROOT / "tests/unit/base")], "no such name", 1, {}, Path("unused.xml")
    )
    assert result.failed == 1 and "no test of" in result.failures[0]


def test_a_path_that_does_not_exist_is_named():
    with pytest.raises(
        steps.StepFailed, match="a file or folder of tests, but got `tests/nowhere.py`"
    ):
        single_tests._located("tests/nowhere.py")
    located = single_tests._located("tests/aot/test_loading.py::test_name")
    assert located == f"{ROOT}/tests/aot/test_loading.py::test_name"


def test_python_tests_run_with_their_runner(tmp_path, monkeypatch):
    monkeypatch.setattr(steps, "LOGS", tmp_path)
    monkeypatch.setattr(single_tests.environment, "python", lambda: Path(sys.executable))
    file = tmp_path / "test_some.py"
    file.write_text("def test_right():\n    pass\ndef test_wrong():\n    assert False\n")
    (result,) = single_tests.run([str(file)], None, 1, {}, tmp_path)
    assert (result.passed, result.failed) == (1, 1)
    (result,) = single_tests.run([f"{file}::test_right"], None, 2, {}, tmp_path)
    assert (result.passed, result.failed) == (1, 0)
    (result,) = single_tests.run([str(file)], "neither", 1, {}, tmp_path)
    assert result.failures == ["no test was chosen"]


def test_lines_that_python_tests_execute(tmp_path, monkeypatch, capsys):
    package = tmp_path / "package"
    package.mkdir()
    (package / "halves.py").write_text(
        "def half(x):\n    if x < 0:\n        return 0\n    return x / 2\n"
    )
    file = tmp_path / "test_half.py"
    file.write_text("from halves import half\ndef test_half():\n    assert half(4) == 2\n")
    monkeypatch.setattr(steps, "LOGS", tmp_path)
    monkeypatch.setattr(single_tests.environment, "python", lambda: Path(sys.executable))
    monkeypatch.setattr(line_coverage, "_PACKAGE", package)
    variables = {"PYTHONPATH": str(package)}
    (result,) = single_tests.run([str(file)], None, 1, variables, tmp_path, True)
    assert (result.passed, result.failed) == (1, 0)
    assert re.search(r"halves\.py +4 +1 +75% +3", capsys.readouterr().out)


def test_counters_that_are_missing_are_an_error(tmp_path):
    with pytest.raises(steps.StepFailed, match="wrote no counters"):
        line_coverage.show_cpp([tmp_path / "program"], tmp_path)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["tests/aot", "--quick"], "PATH and -k name single tests"),
        (["-k", "word", "--only", "aot"], "PATH and -k name single tests"),
        (["--coverage", "--only", "python"], "give a PATH"),
        (["--coverage", "tests/aot", "-n", "2"], "--coverage counts in one process"),
        (["-n", "0"], "expected 1 or more as JOBS of -n, but got 0"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments, message, capsys):
    with pytest.raises(SystemExit) as caught:
        test_verb._options(arguments)
    assert caught.value.code == 2 and message in capsys.readouterr().err
