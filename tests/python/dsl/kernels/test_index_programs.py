"""Random index expressions on the CPU give what NumPy gives, at several levels and for several processors.

FAIRLEAD_RANDOM_INDICES sets how many (default 500), FAIRLEAD_RANDOM_SEED the first seed (default 0). For hours and many
processes run `index_programs.py` itself.
"""

import os

import index_programs
import pytest

COUNT = int(os.environ.get("FAIRLEAD_RANDOM_INDICES", "500"))
FIRST = int(os.environ.get("FAIRLEAD_RANDOM_SEED", "0")) // index_programs.PACK
#: Programs that a pack has at least.
FEWEST = 45


@pytest.mark.parametrize("pack", range(FIRST, FIRST + -(-COUNT // FEWEST)))
def test_programs(pack):
    first = pack * index_programs.PACK
    print(f"seeds {first} to {first + index_programs.PACK - 1}")
    assert index_programs.check(first) >= FEWEST


def test_programs_as_suspended_threads(monkeypatch):
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", "1")
    index_programs.check(FIRST * index_programs.PACK)


def test_a_wrong_program_is_shown_alone(monkeypatch):
    def executed(nests, *_):
        a, out = index_programs.arrays(nests[0].element)
        for nest in nests:
            nest.expect(a, out)
            if nest.seed == 5:
                out[nest.base + index_programs.SLOT] ^= 1  # an element of its second program
        return out

    monkeypatch.setattr(index_programs, "executed", executed)
    with pytest.raises(AssertionError, match=r"seed 5, Int32, cpu, options ''.*:\n") as caught:
        index_programs.check(0)
    assert str(caught.value).count("seed ") == 1
