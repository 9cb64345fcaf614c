"""Internal names of the peer's package that a published library of kernels uses: in its own process, because names that
fairlead.compat defines in the process change other tests."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "name",
    [
        "published_arguments.py",
        "published_carries.py",
        "published_dialects.py",
        "published_generated.py",
        "published_integers.py",
        "published_layouts.py",
        "published_memory.py",
        "published_narrow.py",
        "published_numbers.py",
        "published_numeric_classes.py",
        "published_objects.py",
        "published_own_tests.py",
        "published_pipelines.py",
        "published_products.py",
        "published_semantics.py",
        "published_signs.py",
        "published_small_names.py",
        "published_values.py",
        "published_whole_tensors.py",
    ],
)
def test_published_dialects(name):
    program = Path(__file__).with_name(name)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", program]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr
