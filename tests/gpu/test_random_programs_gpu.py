"""Random programs give the evaluator's results on the GPU; fused ones, and those of blocks, the CPU's results."""

import os

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from support import random_blocks, random_programs  # noqa: E402

COUNT = int(os.environ.get("FAIRLEAD_RANDOM_PROGRAMS", "500"))
FIRST = int(os.environ.get("FAIRLEAD_RANDOM_SEED", "0"))
PACK = 50


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, PACK))
def test_programs(first):
    programs = random_programs.make(first, min(PACK, FIRST + COUNT - first))
    given = random_programs.inputs(first)
    results = random_programs.outputs(len(programs))
    on_gpu = [torch.from_numpy(array).cuda() for array in (*given, *results)]
    random_programs.pack(programs)(*on_gpu)
    random_programs.check(programs, given, [array.cpu().numpy() for array in on_gpu[3:]])


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, PACK))
def test_fused_programs(first):
    programs = random_programs.make(first, min(PACK, FIRST + COUNT - first))
    given, results = random_programs.inputs(first), random_programs.outputs(len(programs))
    on_gpu = [torch.from_numpy(array.copy()).cuda() for array in (*given, *results)]
    run = random_programs.pack(programs, "")
    run(*given, *results)
    run(*on_gpu)
    random_programs.check_same(programs, results, [array.cpu().numpy() for array in on_gpu[3:]])


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT // 5, 10))
def test_blocks(first):
    for seed in range(first, first + 10):
        program = random_blocks.BlockProgram(seed)
        arrays = program.arrays()
        on_gpu = [torch.from_numpy(array.copy()).cuda() for array in arrays]
        function = program.function()
        function(*arrays, seed % 3)
        function(*on_gpu, seed % 3)
        for cpu, gpu in zip(arrays[2:], on_gpu[2:], strict=True):
            np.testing.assert_array_equal(gpu.cpu().numpy(), cpu, f"seed {seed}\n{program.text}")
