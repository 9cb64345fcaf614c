"""docs/debug.md: its programs print the text that follows them.

``python tests/python/docs/test_debug_page.py`` (with the built package on PYTHONPATH) rewrites the outputs.
"""

import contextlib
import io
import re
import runpy
import sys
import tempfile
from pathlib import Path
from unittest import mock

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "debug.md"
PROGRAM = re.compile(r"```python\n# (\w+\.py)\n(.*?)```\n\n```text\n(.*?)```", re.S)


def output(folder: Path, name: str, text: str) -> str:
    """Return the output of the program."""
    path = folder / name
    path.write_text(f"# {name}\n{text}")
    no_terminal = mock.patch("sys.stdin", io.StringIO())
    with contextlib.redirect_stdout(io.StringIO()) as stream, no_terminal:
        runpy.run_path(str(path))
    return stream.getvalue()


@pytest.mark.parametrize(
    "program", PROGRAM.findall(PAGE.read_text()), ids=lambda program: program[0]
)
def test_programs_print_what_the_page_says(program, tmp_path, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_TARGET", "cpu")
    name, text, printed = program
    assert printed and output(tmp_path, name, text) == printed


def test_there_are_programs():
    assert len(PROGRAM.findall(PAGE.read_text())) == 7


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:

        def renewed(match: re.Match[str]) -> str:
            made = output(Path(folder), match[1], match[2])
            return match[0][: match.start(3) - match.start()] + made + "```"

        PAGE.write_text(PROGRAM.sub(renewed, PAGE.read_text()))
    sys.exit(0)
