"""FAIRLEAD_TRACE: launches on a GPU."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.gpu

PROGRAM = """
import torch
from fairlead import cute

@cute.kernel
def fill_kernel(x: cute.Tensor):
    x[cute.arch.block_idx()[0] * 32 + cute.arch.thread_idx()[0]] = 1.0

@cute.jit
def fill(x: cute.Tensor):
    fill_kernel(x).launch(grid=x.shape[0] // 32, block=32)

x = torch.zeros(320, device="cuda")
for _ in range(3):
    fill(x)
assert x.sum().item() == 320
"""


def test_launches_are_recorded(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "FAIRLEAD_TRACE": str(tmp_path / "trace.json")}
    done = subprocess.run(
        [sys.executable, tmp_path / "program.py"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    launches = [each for each in events if each.get("cat") == "launch"]
    assert [each["args"] for each in launches] == [
        {"device": "cuda:0", "grid": "(10, 1, 1)", "block": "(32, 1, 1)"}
    ] * 3
    assert not any(each.get("cat") == "blocks" for each in events)
