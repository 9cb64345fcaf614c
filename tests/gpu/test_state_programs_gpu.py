"""State of Python under run-time control flow on the GPU: programs give what Python gives.

FAIRLEAD_STATE_PROGRAMS sets how many random ones there are (default 1000; half of them also with ptxas at level 1),
FAIRLEAD_RANDOM_SEED the first seed (default 0).
"""

import os

import pytest

torch = pytest.importorskip("torch")
from support import state_programs  # noqa: E402

COUNT = int(os.environ.get("FAIRLEAD_STATE_PROGRAMS", "1000"))
FIRST = int(os.environ.get("FAIRLEAD_RANDOM_SEED", "0"))
PACK = 50


def check(programs, folder, options):
    def run(batch):
        return state_programs.run_in_kernel(
            batch, options, lambda array: torch.from_numpy(array).cuda()
        )

    _, problems = state_programs.check(programs, folder, run)
    assert not problems, "\n\n".join(problems[:3])


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, PACK))
def test_random_programs(first, tmp_path):
    print(f"seeds {first} to {first + PACK - 1}")
    check(state_programs.make(first, PACK), tmp_path, "")


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT // 2, PACK))
def test_random_programs_with_less_optimisation(first, tmp_path):
    check(state_programs.make(first, PACK), tmp_path, "--ptxas-options -O1")


@pytest.mark.parametrize("part", range(16))
def test_ways_in_constructs(part, tmp_path):
    programs = state_programs.table()[part::64]
    for first in range(0, len(programs), PACK):
        check(programs[first : first + PACK], tmp_path, "")
