"""The package and programs that use it, as type checkers see them: mypy and pyright.

`accepted/` has programs without mistakes. In those of `rejected/` the lines with a mistake end in `# error`.
"""

import shutil
from pathlib import Path

import pytest
from support import type_checkers
from support.thinned import IS_SHORT

HERE = Path(__file__).parent
PROGRAMS = sorted([*HERE.glob("accepted/*.py"), *HERE.glob("rejected/*.py")])
MARKED = {
    path.name: [
        number
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if line.endswith("# error")
    ]
    for path in PROGRAMS
}
WRONG = {name: numbers for name, numbers in MARKED.items() if numbers}


def test_programs_are_marked():
    assert len(PROGRAMS) > 8
    assert {path.name for path in PROGRAMS if path.parent.name == "rejected"} == WRONG.keys()


@pytest.mark.timeout(600)
def test_mypy_finds_nothing_in_the_package(tmp_path):
    """With the settings of pyproject.toml: strict."""
    output = type_checkers.mypy_of_package(tmp_path)
    assert output.startswith("Success: no issues found in "), output


@pytest.mark.skipif(IS_SHORT, reason="mypy checks the package; --long has pyright check it, too")
@pytest.mark.timeout(600)
def test_pyright_finds_nothing_in_the_package():
    """With the settings of pyproject.toml."""
    assert type_checkers.pyright_errors(type_checkers.ROOT) == []


@pytest.mark.timeout(600)
@pytest.mark.parametrize("strict", [False, True], ids=["default", "strict"])
def test_mypy(package_dir, strict):
    output = type_checkers.mypy_of_programs(PROGRAMS, package_dir, strict)
    assert type_checkers.mypy_lines(output) == WRONG, output


@pytest.mark.timeout(600)
def test_pyright(package_dir, tmp_path):
    for path in PROGRAMS:
        shutil.copy(path, tmp_path)
    assert type_checkers.pyright_lines(tmp_path, package_dir) == WRONG
