"""Programs that change state of Python under run-time control flow give what Python gives, or are refused at the line.

FAIRLEAD_STATE_PROGRAMS sets how many random ones there are (default 200), FAIRLEAD_RANDOM_SEED the first seed (default
0). FAIRLEAD_STATE_HOURS, a number, goes on with further seeds for so long (run with -s to see them).
"""

import os
import time

import pytest
from support import caller_programs, state_programs, state_ways

COUNT = int(os.environ.get("FAIRLEAD_STATE_PROGRAMS", "200"))
FIRST = int(os.environ.get("FAIRLEAD_RANDOM_SEED", "0"))
HOURS = float(os.environ.get("FAIRLEAD_STATE_HOURS", "0"))
PACK = 100
# One in so many of the table; all of it if hours are given.
STRIDE = 1 if HOURS else 8


def test_there_are_many_ways():
    ways = {way for holder in state_ways.HOLDERS for way in (*holder.ways, *holder.calls)}
    assert len(ways) >= 169
    assert len({program.body for program in state_programs.table()}) >= 5000


@pytest.mark.parametrize("part", range(8))
def test_ways_in_constructs(part, tmp_path):
    programs = state_programs.table()[part::8]
    programs = programs[FIRST % STRIDE :: STRIDE]
    for first in range(0, len(programs), PACK):
        _, problems = state_programs.check(programs[first : first + PACK], tmp_path)
        assert not problems, "\n\n".join(problems[:3])


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, PACK))
def test_random_programs(first, tmp_path):
    programs = state_programs.make(first, min(PACK, FIRST + COUNT - first))
    print(f"seeds {first} to {first + len(programs) - 1}")
    refused, problems = state_programs.check(programs, tmp_path)
    assert not problems, "\n\n".join(problems[:3])
    assert refused < len(programs) * 0.7  # most are programs that run


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, PACK))
def test_random_programs_with_helpers(first, tmp_path):
    programs = caller_programs.make(first, min(PACK, FIRST + COUNT - first))
    print(f"seeds {first} to {first + len(programs) - 1}")
    refused, problems = state_programs.check(programs, tmp_path)
    assert not problems, "\n\n".join(problems[:3])
    assert refused < len(programs) * 0.7


def test_in_a_kernel(tmp_path):
    programs = state_programs.make(FIRST, 60)

    def run(batch):
        return state_programs.run_in_kernel(batch, "--target cpu")

    _, problems = state_programs.check(programs, tmp_path, run)
    assert not problems, "\n\n".join(problems[:3])
    batch = state_programs.Batch(programs[:20], tmp_path)
    assert state_programs.compiled_kernel(batch, "--target cuda:sm_90a").ptx


@pytest.mark.skipif(not HOURS, reason="FAIRLEAD_STATE_HOURS is not set")
@pytest.mark.timeout(0)
def test_random_programs_for_hours(tmp_path):
    end, first, wrong, refused = time.monotonic() + HOURS * 3600, FIRST + COUNT, [], 0
    limit = first + int(os.environ.get("FAIRLEAD_STATE_MOST", "100000000"))
    while time.monotonic() < end and first < limit:
        maker = (state_programs, caller_programs)[first // PACK % 2]
        more, problems = state_programs.check(maker.make(first, PACK), tmp_path)
        first, refused, wrong = first + PACK, refused + more, wrong + problems
        for problem in problems:
            print(problem, flush=True)
        if first % (PACK * 50) == 0:
            print(f"seeds to {first}: {refused} refused, {len(wrong)} wrong", flush=True)
    print(f"seeds to {first}: {refused} refused, {len(wrong)} wrong", flush=True)
    assert not wrong
