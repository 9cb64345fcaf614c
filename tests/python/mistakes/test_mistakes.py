"""Each mistake of the table is answered with a message that names the remedy."""

import mistakes_page
import pytest
from mistakes import MISTAKES


@pytest.mark.parametrize("name", MISTAKES)
def test_the_message_names_the_remedy(name):
    _, program, texts = MISTAKES[name]
    message = mistakes_page.message_of(program)
    missing = [text for text in texts if text not in message]
    assert not missing, message


def test_there_are_sixty():
    assert len(MISTAKES) >= 60


def test_page_is_current():
    assert mistakes_page.PAGE.read_text() == mistakes_page.page()
