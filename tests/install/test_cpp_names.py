"""Messages for C++ programs name functions of the C++ API."""

import re
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_ROWS = re.findall(
    r'^FAIRLEAD_CPP_NAME\("(.*)", "(.*)"\)$',
    (_ROOT / "lib/base/CppNames.def").read_text(),
    re.MULTILINE,
)


def test_each_name_is_declared_in_a_header():
    headers = "".join(
        path.read_text() for path in sorted((_ROOT / "include/fairlead/dsl").rglob("*.h"))
    )
    words = set(re.findall(r"\w+", headers))
    assert _ROWS
    for _, cpp in _ROWS:
        named = re.findall(r"[A-Za-z]\w*[A-Z]\w*", cpp) or re.findall(r"^\w+$", cpp)
        assert set(named) <= words, cpp


def test_rows_are_sorted_and_unique():
    names = [python for python, _ in _ROWS]
    assert names == sorted(set(names))
