"""Programs are typed operations between tracing and machine code: nothing is written as text and read again."""

import re
from pathlib import Path

import pytest

LIB = Path(__file__).resolve().parents[2] / "lib"
COMMENT = re.compile(r"//[^\n]*")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# Places of operands, registers and their declarations, qualifiers, instructions with a qualifier. Names such as
# "cp.async" in messages are no PTX.
PTX = re.compile(
    r"\$\d|%\w+;|\w::\w|\.(reg|pred|sync|aligned|[bu](16|32|64))\b"
    r"|\b(tcgen05|wgmma|elect|mapa|setp|selp|mov|ld|st|fence|mbarrier|bar)\.\w"
)
# An accessor of an attribute compared with a literal.
COMPARE = re.compile(r'\b(get\w+)\(\)\s*[=!]=\s*"')
# Accessors of names of functions and dialects.
NAMES = {"getCallee", "getNamespace", "getSyncscope"}
# Texts that messages show, and names of the user's files.
DESCRIPTIONS = {"tensor", "file"}


def code(*folders: str) -> dict[str, str]:
    """Return the sources of folders of lib/ without comments."""
    return {
        str(path.relative_to(LIB)): COMMENT.sub("", path.read_text())
        for folder in folders
        for path in sorted((LIB / folder).rglob("*"))
        if path.suffix in (".h", ".cpp", ".def")
    }


def test_tracing_writes_no_ptx():
    """lib/dsl/ptx reads the PTX that programs hold."""
    found = [
        f"{name}: {text}"
        for name, source in code("dsl").items()
        if not name.startswith("dsl/ptx/")
        for text in LITERAL.findall(source)
        if PTX.search(text)
    ]
    assert found == []


def test_attributes_are_not_compared_with_text():
    found = [
        f"{name}: {accessor}"
        for name, source in code("ir", "dsl", "lower").items()
        for accessor in COMPARE.findall(source)
        if accessor not in NAMES
    ]
    assert found == []


def test_operations_have_types_and_enums_in_place_of_strings():
    tables = sorted((LIB / "ir").glob("*.td"))
    assert len(tables) > 5
    found = {name for path in tables for name in re.findall(r"StrAttr:\$(\w+)", path.read_text())}
    assert found == DESCRIPTIONS


@pytest.mark.parametrize(
    "text",
    ["tcgen05.wait::ld.sync.aligned;", "mov.u32 $0, %dynamic_smem_size;", "{ .reg .pred p; "],
)
def test_ptx_is_recognised(text):
    assert PTX.search(text)


@pytest.mark.parametrize("text", ["cp.async", "ldmatrix", " of the MMA atom ", "at program.py:7"])
def test_messages_are_no_ptx(text):
    assert not PTX.search(text)


def test_compares_are_recognised():
    assert COMPARE.findall('if (op.getAtom() == "m16n8k16")') == ["getAtom"]
