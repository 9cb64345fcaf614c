"""Twenty-four mistakes in small kernels, half of them in published names: found, and nothing is found without them."""

import numpy as np
import pytest
from support import checked_mistakes_published  # noqa: F401  more entries
from support.check_support import checked, found
from support.checked_mistakes import MISTAKES


@pytest.mark.parametrize("name", MISTAKES)
def test_without_the_mistake(name, capfd):
    one = MISTAKES[name]
    checked(one.host, *one.arguments, False)
    np.testing.assert_allclose(one.arguments[-1], one.expected, rtol=1e-6)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", MISTAKES)
def test_the_mistake(name):
    one = MISTAKES[name]
    findings = [each for each in found(one.host, *one.arguments, True) if each.kind == one.kind]
    texts = [
        each.message + "".join(access.source for access in each.accesses) + each.hint
        for each in findings
    ]
    assert any(one.text in text for text in texts), texts
    assert all(each.hint for each in findings)


def test_there_are_twenty_four():
    assert len(MISTAKES) == 24
