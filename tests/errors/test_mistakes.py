"""Each mistake of the table has a message that names the remedy, for every target."""

import mistakes_of_cuda  # noqa: F401  further rows
import mistakes_page
import pytest
from mistakes import MISTAKES

#: Mistakes in code that is compiled for a target: their programs take it.
TRACED = [name for name, (_, program, _) in MISTAKES.items() if hasattr(program, "source")]
#: Host code for a GPU reads no elements, which is another error.
ON_HOST = {"value_on_one_way", "random_number_of_the_host"}


@pytest.mark.parametrize("name", MISTAKES)
def test_the_message_names_the_remedy(name):
    _, program, texts = MISTAKES[name]
    message = mistakes_page.message_of(program)
    missing = [text for text in texts if text not in message]
    assert not missing, message


@pytest.mark.parametrize("name", [name for name in TRACED if name not in ON_HOST])
def test_the_message_names_the_remedy_for_gpus(name):
    _, program, texts = MISTAKES[name]
    message = mistakes_page.message_of(lambda: program("cuda:sm_90a"))
    missing = [text for text in texts if text not in message]
    assert not missing, message


def test_there_are_two_hundred():
    assert len(MISTAKES) >= 200


def test_page_is_current():
    assert mistakes_page.PAGE.read_text() == mistakes_page.page()
