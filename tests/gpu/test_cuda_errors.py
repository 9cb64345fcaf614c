"""Errors of the driver: the launch, the reason, and whose fault it is."""

import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

from fairlead import cute  # noqa: E402


@cute.kernel
def device(out: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    out[t] = t


def run(block, **options):
    @cute.jit
    def run(
        out: cute.Tensor, x: cute.Int32
    ):  # tracing refuses blocks that it knows to be too large
        device(out).launch(grid=[1, 1, 1], block=[x, *block[1:]], **options)

    run(torch.zeros(4096, dtype=torch.int32, device="cuda"), block[0])


@pytest.mark.parametrize(
    ("block", "options", "hint"),
    [
        ([2048, 2, 1], {}, "block=(2048, 2, 1), .*; a block has at most 1024 threads, but this one has 4096"),
        ([1, 1, 65], {}, "; the z extent of a block is at most 64, but this one has 65"),
    ],
)  # fmt: skip
def test_launches_that_cannot_be(block, options, hint):
    pattern = hint.replace("(", "\\(").replace(")", "\\)")
    with pytest.raises(RuntimeError, match="CUDA Error: cudaError.*`device` on cuda:0.*" + pattern):
        run(block, **options)
    # No error remains for the next call.
    run([32, 1, 1])
    torch.cuda.synchronize()


PROGRAM = """
import os
import torch
from fairlead import cute

@cute.kernel
def device_bad(out: cute.Tensor, i: cute.Int64):
    out[i] = 1

@cute.kernel
def device_good(out: cute.Tensor):
    out[0] = 2

@cute.jit
def bad(out: cute.Tensor, i: cute.Int64):
    device_bad(out, i).launch(grid=1, block=1)

@cute.jit
def good(out: cute.Tensor):
    device_good(out).launch(grid=1, block=1)

out = torch.zeros(8, dtype=torch.int32, device="cuda")
bad(out, 0)
good(out)
torch.cuda.synchronize()
for call in (lambda: bad(out, 1 << 45), lambda: torch.cuda.synchronize(), lambda: good(out)):
    try:
        call()
    except RuntimeError as error:
        print(str(error).splitlines()[0])
    else:
        print("nothing")
"""


def test_earlier_work_is_not_this_launch(tmp_path):
    """In a process of its own, whose device context is lost."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 3, done.stdout + done.stderr
    first, _, last = lines
    assert first == "nothing", done.stdout + done.stderr
    assert "cudaErrorIllegalAddress" in last and "this launch did not cause it" in last
