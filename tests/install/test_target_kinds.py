"""Code asks `TargetInfo` about a kind of target: only lib/target and the choice of a back end tell kinds apart."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("lib", "include", "python/src", "tests", "examples", "benchmarks")
#: Files that name kinds: the type, its table, and the choice of a back end.
OWNERS = {
    "include/fairlead/Target.h",
    "lib/lower/Lowering.cpp",
    "lib/target/Target.cpp",
}
#: An enumerator, the type, or the member of a target.
KIND = re.compile(r"\bTarget::Kind\b|\b[tT]argets?(\.front\(\)|\[\w+\]|\(\))?(\.|->)kind\b")
#: An aggregate with an architecture but without a factory, as `{Kind::Cuda, "sm_80"}`.
KIND_OF_AGGREGATE = re.compile(r"\bKind::(Cpu|Cuda)\b")
COMMENT = re.compile(r"//[^\n]*")


def names_kind(text: str) -> bool:
    text = COMMENT.sub("", text)
    return bool(KIND.search(text) or KIND_OF_AGGREGATE.search(text))


def test_only_the_owners_name_kinds_of_targets():
    files = [
        path
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".h", ".cpp", ".def") and path.is_file()
    ]
    found = {str(path.relative_to(ROOT)) for path in files if names_kind(path.read_text())}
    assert found == OWNERS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if (target.kind == other)", True),
        ("targets.front().kind", True),
        ("variant.target.kind", True),
        ("void f(Target::Kind);", True),
        ('Target sm80{Kind::Cuda, "sm_80"};', True),
        ("target.info().kernelsInImages", False),
        ("// Target::Kind", False),
        ("root.kind == Root::Kind::Shared", False),
        ("event.kind = Kind::CpuLaunch;", False),
    ],
)
def test_search(text, expected):
    assert names_kind(text) == expected
