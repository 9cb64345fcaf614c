"""The plugin of pytest: ``pytest --fairlead-check`` checks the kernels that tests run on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

import os


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option to pytest's own."""
    parser.getgroup("fairlead").addoption(
        "--fairlead-check",
        nargs="?",
        const="all",
        metavar="CHECKS",
        help="check kernels on the CPU: bounds, memory, init, race, sync, float, joined by commas; default all",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Calls that find something raise fairlead.CheckError in the test that makes them."""
    if checks := config.getoption("--fairlead-check"):
        os.environ["FAIRLEAD_CHECK"] = checks
