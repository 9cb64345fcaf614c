"""Right programs run under --check all without a finding.

FAIRLEAD_CHECKED_BLOCKS sets how many random programs of blocks (default 20), FAIRLEAD_CHECKED_PROGRAMS how many of
single threads (default 50), FAIRLEAD_CHECKED_SMALL how many small ones of blocks (default 20), which compile quickly
for their number and are only looked at for findings; FAIRLEAD_CHECKED_EXAMPLES=1 runs all tutorials and not only a few.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support import random_blocks, random_programs
from support.check_support import findings

import fairlead

BLOCKS = int(os.environ.get("FAIRLEAD_CHECKED_BLOCKS", "20"))
PROGRAMS = int(os.environ.get("FAIRLEAD_CHECKED_PROGRAMS", "50"))
SMALL = int(os.environ.get("FAIRLEAD_CHECKED_SMALL", "20"))
FIRST = int(os.environ.get("FAIRLEAD_RANDOM_SEED", "0"))
TUTORIALS = Path(__file__).resolve().parents[4] / "examples" / "tutorials"
#: These call tools for GPUs, or make mistakes on purpose.
LEFT_OUT = ("09_cuda_cpp_kernel", "13_debug", "14_check_a_pipeline", "15_blackwell_gemm")
FEW = ("02_reduction", "04_stencil", "07_matmul")


@pytest.mark.parametrize("first", range(FIRST, FIRST + BLOCKS, 20))
def test_blocks(first, monkeypatch):
    for seed in range(first, min(first + 20, FIRST + BLOCKS)):
        program = random_blocks.BlockProgram(seed)
        results = []
        for checks, form in (("", "0"), ("all", "0"), ("all", "1")):
            monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", form)
            arrays = program.arrays()
            with fairlead.checks.on(checks):
                program.function()(*arrays, seed % 3)
            results.append(arrays[2:])
        for other in results[1:]:
            for expected, got in zip(results[0], other, strict=True):
                np.testing.assert_array_equal(expected, got, f"seed {seed}\n{program.text}")


@pytest.mark.parametrize("first", range(FIRST, FIRST + SMALL, 20))
def test_small_blocks(first, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", str(first // 20 % 2))
    monkeypatch.setenv("CUTE_DSL_COMPILER_OPT", "--opt-level 0")
    programs = [random_blocks.BlockProgram(first + i, statements=3, depth=2) for i in range(20)]
    run = random_blocks.pack(programs)
    for n in range(3):
        assert findings(run, *random_blocks.arrays_of_pack(first, len(programs)), n) == []


@pytest.mark.parametrize("first", range(FIRST, FIRST + PROGRAMS, 50))
def test_programs(first):
    programs = random_programs.make(first, min(50, FIRST + PROGRAMS - first))
    given, results = random_programs.inputs(first), random_programs.outputs(len(programs))
    with fairlead.checks.on("all"):
        random_programs.pack(programs)(*given, *results)
    random_programs.check(programs, given, results)


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in sorted(TUTORIALS.glob("[0-9]*.py"))
        if path.stem not in LEFT_OUT
        and (path.stem in FEW or os.environ.get("FAIRLEAD_CHECKED_EXAMPLES"))
    ],
    ids=lambda path: path.stem,
)
def test_tutorials(path, tmp_path):
    done = subprocess.run(
        [sys.executable, path, "--quick"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "FAIRLEAD_TARGET": "cpu", "FAIRLEAD_CHECK": "all"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
