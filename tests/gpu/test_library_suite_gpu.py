"""The runner of a library's own tests, with a test file that asks about the GPU when it is imported."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.gpu

SUITE = Path(__file__).parent / "library_suite.py"
ASKS = """import torch
COUNT = torch.cuda.get_device_properties("cuda").multi_processor_count
def test_the_gpu():
    assert torch.zeros(1, device="cuda").item() == 0
    assert torch.cuda.get_device_properties(0).multi_processor_count == COUNT > 0
"""
MAKES = """import torch
ONE = torch.ones(1, device="cuda")
def test_nothing():
    pass
"""


def outcome(path, text):
    file = path / "test_file.py"
    file.write_text(text)
    command = [sys.executable, str(SUITE), str(file), "--path", str(path), "--ran", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def test_a_file_that_asks_about_the_gpu(tmp_path):
    status, text = outcome(tmp_path, ASKS)
    assert (status, "1 passed" in text) == (0, True), text


def test_a_file_that_makes_a_context(tmp_path):
    status, text = outcome(tmp_path, MAKES)
    assert status != 0
    assert "a test file makes a CUDA context when it is imported" in text
