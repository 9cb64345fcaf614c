"""All tests of this folder need an NVIDIA GPU, and PyTorch to make tensors for it."""

import os
import zlib
from pathlib import Path

import pytest

_HERE = Path(__file__).resolve().parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.gpu)


@pytest.fixture(autouse=True)
def seeded(request: pytest.FixtureRequest) -> None:
    """Give each test random tensors of its own, the same in any order of tests; FAIRLEAD_RANDOM_SEED gives others."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(
        zlib.crc32(request.node.nodeid.encode()) + int(os.environ.get("FAIRLEAD_RANDOM_SEED", "0"))
    )


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Print a failure at once: a time limit may end the run before its summary."""
    if report.failed:
        causes = [line for line in report.longreprtext.splitlines() if line.startswith("E ")]
        print(f"\nFAILED {report.nodeid}: {' '.join(causes[:2])[:300]}", flush=True)
