"""The places where the sources raise diagnostics, with the parameters passed: read from Python and C++ text."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from error_page import ROOT, TABLE

_PLACE = re.compile(r"\{([^{}]*)\}")


class Parameters(NamedTuple):
    """The parameters of a diagnostic."""

    needed: set[str]  #: places of the text
    allowed: set[str]  #: these, and those of its help texts and their conditions


class Call(NamedTuple):
    """A place that raises a diagnostic."""

    where: str  #: file:line
    function: str
    id: str | None  #: None if it is not written there
    parameters: set[str]


def help_rows() -> list[tuple[str, str, str]]:
    """The help texts of the table: (id, condition, text)."""
    pattern = r'^FAIRLEAD_HELP\((\w+), "([^"]*)", "(.*)"\)$'
    rows = re.findall(pattern, TABLE.read_text(), re.M)
    return [(id, condition, text.replace('\\"', '"')) for id, condition, text in rows]


def table() -> dict[str, Parameters]:
    """The parameters of each diagnostic."""
    rows = re.findall(r'^FAIRLEAD_DIAGNOSTIC\((\w+), "\w+", "(.*)"\)$', TABLE.read_text(), re.M)
    parameters = {id: Parameters(set(_PLACE.findall(text)), set()) for id, text in rows}
    for entry in parameters.values():
        entry.allowed.update(entry.needed)
    for id, condition, text in help_rows():
        clauses = [clause.partition("=")[0] for clause in condition.split("; ") if clause]
        names = [name for clause in clauses for name in clause.split("/")]
        parameters[id].allowed.update(_PLACE.findall(text), names)
    return parameters


def python_calls(folder: Path) -> Iterator[Call]:
    """The calls of make_error in the Python files of a folder."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else None
            if isinstance(node.func, ast.Attribute):
                name = node.func.attr
            if name != "make_error":
                continue
            first = node.args[0] if node.args else None
            id = first.value if isinstance(first, ast.Constant) else None
            keywords = {keyword.arg or "**" for keyword in node.keywords} - {"help"}
            yield Call(f"{path.relative_to(ROOT)}:{node.lineno}", name, id, keywords)


def _to_closing(text: str, start: int) -> int:
    """The position after the bracket that closes the one at ``start``; brackets in strings do not count."""
    depth = 0
    for token in re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|[(){}]', re.S).finditer(
        text, start
    ):
        depth += (token[0] in "({") - (token[0] in ")}")
        if depth == 0:
            return token.end()
    raise ValueError("a bracket without an end")


def cpp_calls(folder: Path) -> Iterator[Call]:
    """The calls of makeError, and of the runtime's raise, in the C++ files of a folder, where an id is written."""
    pattern = re.compile(r"\b(makeError|raise)(\()")
    for path in sorted(path for path in folder.rglob("*") if path.suffix in (".h", ".cpp")):
        text = path.read_text()
        for match in pattern.finditer(text):
            call = text[match.start(2) : _to_closing(text, match.start(2))]
            id = re.match(r"\([^{\"]*?Diagnostic::(\w+)", call)
            if id is None:
                continue
            names = re.findall(
                r'\{\s*"([\w:]+)",', call[id.end() + call[id.end() :].find("{") + 1 :]
            )
            line = text.count("\n", 0, match.start()) + 1
            yield Call(f"{path.relative_to(ROOT)}:{line}", match[1], id[1], set(names))
