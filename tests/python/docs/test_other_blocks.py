"""Blocks of pages that are not Python: commands are parsed by their programs, C++ is part of tested files."""

import ast
import re
import shlex
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted(
    [
        *(ROOT / "docs").glob("**/*.md"),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "HACKING.md",
        *(ROOT / "examples").glob("*/README.md"),
    ]
)
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
INDENTED = re.compile(r"(?<=\n\n)(?: {4}.*\n|\n(?= {4}))+")
# Variables set before a command.
SETTING = re.compile(r"^(?:\w+=\S*\s+)+")
# test_config.py and test_page_commands.py compile and run programs that begin with their file's name.
COMPILED_AS_WRITTEN = {"// sum.cpp", "// main.c", "// load.c", "// k.cpp"}


def shell(page: Path) -> list[str]:
    """The command lines of a page, without comments; a line that ends in a backslash goes on in the next one."""
    text = page.read_text()
    parts = [body for language, body in FENCED.findall(text) if language == "sh"]
    parts += [textwrap.dedent(part) for part in INDENTED.findall(FENCED.sub("", text))]
    lines = "\n".join(parts).replace("\\\n", " ").splitlines()
    return [SETTING.sub("", re.sub(r"\s{2,}#.*", "", line)).strip() for line in lines]


def words(line: str) -> list[str]:
    """The words of a command, up to where its output goes."""
    return shlex.split(re.split(r"\s[>|]", line)[0])


COMMANDS = [
    (page.name, line) for page in PAGES for line in shell(page) if line.startswith("fairlead ")
]


@pytest.mark.parametrize(("page", "line"), COMMANDS, ids=[" ".join(entry) for entry in COMMANDS])
def test_commands_are_understood(page, line):
    from fairlead.cli import parser_of

    arguments = words(line)[1:]
    assert parser_of(arguments).parse_args(arguments).command == arguments[0]


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_python_stands_in_blocks_that_run(page):
    """Text that is only indented is commands, messages or another language."""
    unchecked = []
    for part in INDENTED.findall(FENCED.sub("", page.read_text())):
        try:
            unchecked += ast.parse(textwrap.dedent(part)).body and [part]
        except SyntaxError:
            pass
    assert unchecked == []


CONFIG = sorted(
    {
        found
        for page in PAGES
        for found in re.findall(r"\$\(fairlead-config ([^)]*)\)", page.read_text())
    }
)


@pytest.mark.parametrize("options", CONFIG)
def test_questions_to_the_configuration_are_answered(options, capsys):
    from fairlead import config

    assert config.main(options.split()) == 0, capsys.readouterr().err


RUN = sorted({line for page in PAGES for line in shell(page) if line.startswith("./run ")})


@pytest.mark.parametrize("line", RUN)
def test_verbs_of_run_and_their_options_exist(line):
    command = re.sub(r"\s{2,}.*|\s*&&.*", "", line)
    verb, *options = words(command)[1:]
    module = verb.replace("-", "_")
    source = (ROOT / "scripts" / "fairlead_dev" / f"{module}_verb.py").read_text()
    assert [option for option in options if option[0] == "-" and f'"{option}"' not in source] == []


CPP = [
    (page.name, body)
    for page in PAGES
    for language, body in FENCED.findall(page.read_text())
    if language in ("c", "cpp") and body.partition("\n")[0] not in COMPILED_AS_WRITTEN
]


def plain(text: str) -> str:
    """Without indentation and empty lines."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


@pytest.mark.parametrize(("page", "body"), CPP, ids=[page for page, _ in CPP])
def test_cpp_is_from_a_tested_file(page, body):
    tested = [
        *(ROOT / "examples").rglob("*.c*"),
        *(ROOT / "examples").rglob("*.py"),
        *(ROOT / "tests" / "python").rglob("*.py"),
    ]
    assert any(plain(body) in plain(path.read_text()) for path in tested), body


def test_something_is_found():
    assert len(COMMANDS) > 20 and CONFIG and RUN and CPP
