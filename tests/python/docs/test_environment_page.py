"""docs/environment.md lists every environment variable that the sources read, and no other."""

import re
from pathlib import Path

from fairlead.cli import _choices

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "environment.md"
#: A name in quotes; macros and symbols are written without.
QUOTED = re.compile(r'"((?:FAIRLEAD|CUTE_DSL|TVM_FFI)_[A-Z_]*[A-Z])"')
#: Quoted names that are no variables: a macro of the ABI that builds pass to the compiler.
NOT_VARIABLES = {"TVM_FFI_DLL_EXPORT_INCLUDE_METADATA"}
#: Variables whose names are composed: the source of `fairlead.cute._log`.
COMPOSED = {"CUTE_DSL_LOG_TO_CONSOLE", "CUTE_DSL_LOG_TO_FILE"}


def listed() -> set[str]:
    rows = re.findall(r"^\| (`[A-Z].*?) \|", PAGE.read_text(), re.M)
    return {name for row in rows for name in re.findall(r"`([A-Z_]+)`", row)}


def read_by_the_sources() -> set[str]:
    folders = ("lib", "include", "python/src", "python/fairlead")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    sources = [path for path in files if path.suffix in {".h", ".cpp", ".c", ".py"}]
    return {name for path in sources for name in QUOTED.findall(path.read_text())}


def test_the_page_lists_what_the_sources_read():
    assert listed() == (read_by_the_sources() | COMPOSED) - NOT_VARIABLES


def test_the_page_lists_what_doctor_shows():
    shown = {row["variable"] for row in _choices.choices()}
    own = {name for name in shown if name.startswith(("FAIRLEAD_", "CUTE_DSL_", "TVM_FFI_"))}
    assert own <= listed()
