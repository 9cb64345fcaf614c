"""Random programs on the CPU target give the evaluator's results, fused ones the same at every level, and those of
blocks the same in both forms.

FAIRLEAD_RANDOM_PROGRAMS sets how many (default 100), FAIRLEAD_RANDOM_BLOCKS how many
of blocks (default a quarter), FAIRLEAD_RANDOM_LEVELS how many at every level of the processor (default 10),
FAIRLEAD_RANDOM_SEED the first seed (default 0).
"""

import os

import numpy as np
import pytest
from support import random_blocks, random_programs
from test_math_everywhere import highest_level

COUNT = int(os.environ.get("FAIRLEAD_RANDOM_PROGRAMS", "100"))
FIRST = int(os.environ.get("FAIRLEAD_RANDOM_SEED", "0"))
PACK = 50


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, PACK))
def test_programs(first):
    programs = random_programs.make(first, min(PACK, FIRST + COUNT - first))
    print(f"seeds {first} to {first + len(programs) - 1}")
    given = random_programs.inputs(first)
    results = random_programs.outputs(len(programs))
    random_programs.pack(programs)(*given, *results)
    random_programs.check(programs, given, results)


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT // 4, PACK))
def test_fused_programs(first):
    """With fused multiply-adds, the same at every optimization level."""
    programs = random_programs.make(first, min(PACK, FIRST + COUNT // 4 - first))
    given = random_programs.inputs(first)
    results = {}
    for options in ("", "--opt-level 0"):
        results[options] = random_programs.outputs(len(programs))
        random_programs.pack(programs, options)(*given, *results[options])
    random_programs.check_same(programs, *results.values())


LEVELS = int(os.environ.get("FAIRLEAD_RANDOM_LEVELS", "10"))


@pytest.mark.parametrize("first", range(FIRST, FIRST + LEVELS, 20))
def test_programs_at_every_level(first):
    """Levels of the processor and of optimisation."""
    programs = random_programs.make(first, min(20, FIRST + LEVELS - first))
    given = random_programs.inputs(first)
    targets = ["cpu", "cpu:x86-64", *(f"cpu:x86-64-v{n}" for n in range(2, highest_level() + 1))]
    for target in targets:
        for level in (0, 3):
            results = random_programs.outputs(len(programs))
            options = f"{random_programs.ROUNDED} --target {target} --opt-level {level}"
            random_programs.pack(programs, options)(*given, *results)
            random_programs.check(programs, given, results)


BLOCKS = int(os.environ.get("FAIRLEAD_RANDOM_BLOCKS", str(COUNT // 4)))


@pytest.mark.parametrize("first", range(FIRST, FIRST + BLOCKS, 10))
def test_blocks(first, monkeypatch):
    """Blocks as loops over their threads, and as threads that are suspended."""
    for seed in range(first, first + 10):
        program = random_blocks.BlockProgram(seed)
        results = {}
        for form in ("0", "1"):
            monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", form)
            arrays = program.arrays()
            program.function()(*arrays, seed % 3)
            results[form] = arrays[2:]
        for loops, suspended in zip(results["0"], results["1"], strict=True):
            np.testing.assert_array_equal(loops, suspended, f"seed {seed}\n{program.text}")
