"""Random kernels over ragged tiles give NumPy's results: narrow floats, integers of several widths, copies under
predicates, branches and loops of the run.

FAIRLEAD_RANDOM_TILES sets how many (default 40), FAIRLEAD_RANDOM_SEED the first seed (default 0).
"""

import os

import numpy as np
import pytest
from support.random_tiles import Tiles

COUNT = int(os.environ.get("FAIRLEAD_RANDOM_TILES", "40"))
FIRST = int(os.environ.get("FAIRLEAD_RANDOM_SEED", "0"))
PACK = 10


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, PACK))
def test_tiles(first):
    for seed in range(first, min(first + PACK, FIRST + COUNT)):
        Tiles(seed).check()


def test_a_wrong_element_is_seen(monkeypatch):
    tiles = Tiles(0)
    expected = tiles.expected

    def with_a_mistake(a, b, k):
        result = expected(a, b, k)
        result[-1, -1] = result[-1, -1] + np.float32(1)
        return result

    monkeypatch.setattr(tiles, "expected", with_a_mistake)
    with pytest.raises(AssertionError, match="seed 0, k = "):
        tiles.check()
