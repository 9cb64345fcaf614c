"""Shared by the tests of --check."""

from pathlib import Path

import numpy as np
import pytest

import fairlead
from fairlead import cute


def checked(host, *arguments, checks="all"):
    """Compiles with checks and calls."""
    with fairlead.checks.on(checks):
        host(*arguments)


def found(host, *arguments, checks="all"):
    """The findings of a call, at least one."""
    with pytest.raises(fairlead.CheckError) as caught:
        checked(host, *arguments, checks=checks)
    assert caught.value.findings
    return caught.value.findings


def findings(host, *arguments, checks="all"):
    """The findings of a call; an empty list if it is right."""
    try:
        checked(host, *arguments, checks=checks)
    except fairlead.CheckError as error:
        return error.findings
    return []


def raced(host, *arguments):
    """The races of a call, at least one."""
    return found(host, *arguments, checks="race")


def lines_of(finding):
    """Return the lines of its accesses, as written in the program."""
    for access in finding.accesses:
        lines = Path(access.file).read_text().splitlines()
        assert lines[access.line - 1].strip() == access.source
    return [access.source for access in finding.accesses]


def zeros(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


__all__ = ["checked", "cute", "findings", "found", "lines_of", "raced", "zeros"]
