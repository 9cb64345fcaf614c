"""Random index expressions on the GPU give what NumPy gives, by default and with ptxas's optimiser at its lowest level.

FAIRLEAD_RANDOM_INDICES sets how many of each (default 10000), FAIRLEAD_RANDOM_SEED the first seed (default 0).
"""

import os

import index_programs
import pytest

pytest.importorskip("torch")

COUNT = int(os.environ.get("FAIRLEAD_RANDOM_INDICES", "10000"))
FIRST = (
    int(os.environ.get("FAIRLEAD_RANDOM_SEED", "0")) // index_programs.PACK * index_programs.PACK
)


@pytest.mark.parametrize("options", ["", "--ptxas-options -O1"])
def test_programs(options, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_NO_CACHE", "1")
    processes = max(1, min(16, (os.cpu_count() or 1) - 1, COUNT // 500))
    done, errors = 0, []
    for count, found in index_programs.run_many(FIRST, COUNT, "cuda", processes, options):
        done += count
        errors += found
    print(f"{done} programs from seed {FIRST} on")
    assert not errors, "\n\n".join(errors[:5])
    assert done >= COUNT
