"""The page of errors lists the errors that are raised."""

import re

import error_page

from fairlead import _compiler


def test_page_is_current():
    assert error_page.PAGE.read_text() == error_page.page(), (
        "run: python tests/errors/error_page.py"
    )


def test_no_row_is_lost():
    """Every diagnostic that is defined is one that the compiler has, and stands on the page."""
    defined = set(re.findall(r"^FAIRLEAD_DIAGNOSTIC\((\w+)", error_page.TABLE.read_text(), re.M))
    assert defined == {id for id, _, _ in _compiler.diagnostics()}
    assert defined == {id for _, entries in error_page.templates() for id, _, _ in entries}
    rows = re.findall(r'^\| <a id="(\w+)"></a>\1 \|', error_page.PAGE.read_text(), re.M)
    assert defined <= set(rows)
