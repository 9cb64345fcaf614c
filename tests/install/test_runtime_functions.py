"""Generated code calls functions by their rows of RuntimeFunctions.def, and by no other name."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = (ROOT / "lib" / "runtime" / "RuntimeFunctions.def").read_text()
NAMES = set(re.findall(r"^FAIRLEAD_\w+_FUNCTION\(\w+, (\w+)\)", TABLE, re.MULTILINE))


@pytest.mark.parametrize("folder", ["artifact", "check", "dsl", "entry", "foreign", "lower"])
def test_no_function_of_the_table_is_named_by_text(folder):
    sources = [*(ROOT / "lib" / folder).rglob("*.h"), *(ROOT / "lib" / folder).rglob("*.cpp")]
    assert sources and len(NAMES) > 60
    texts = [
        f"{source.relative_to(ROOT)}: {text}"
        for source in sources
        for text in re.findall(r'"(\w+)"', source.read_text())
        if text in NAMES
    ]
    assert not texts, "use runtime::NAME"
