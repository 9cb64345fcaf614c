"""The plugin of pytest. ``--fairlead-check`` checks the kernels that tests run on the CPU. ``--fairlead-coverage``
writes which of their lines threads execute."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

import importlib.util
import os


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option to pytest's own."""
    parser.getgroup("fairlead").addoption(
        "--fairlead-check",
        nargs="?",
        const="all",
        metavar="CHECKS",
        help="check kernels on the CPU: bounds, memory, init, race, sync, float, schedule, joined by commas; default: "
        "all, which is bounds, init, race and sync",
    )
    parser.getgroup("fairlead").addoption(
        "--fairlead-coverage",
        nargs="?",
        const="branch",
        choices=("branch", "line"),
        metavar="KIND",
        help="write the lines of kernels that threads execute on the CPU, for `coverage combine`: branch or line",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Calls that find something raise fairlead.CheckError in the test that makes them."""
    if checks := config.getoption("--fairlead-check"):
        os.environ["FAIRLEAD_CHECK"] = checks
    if kind := config.getoption("--fairlead-coverage"):
        if importlib.util.find_spec("coverage") is None:
            from pytest import UsageError  # late: only where pytest runs this

            raise UsageError("--fairlead-coverage needs the package coverage: pip install coverage")
        os.environ["FAIRLEAD_COVERAGE"] = kind
