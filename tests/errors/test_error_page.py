"""The page of errors says what is raised."""

import error_page


def test_page_is_current():
    assert error_page.PAGE.read_text() == error_page.page(), (
        "run: python tests/errors/error_page.py"
    )
