"""Every operation, every pair of types: as docs/language-numbers.md says, on a GPU. `FAIRLEAD_MODEL=SECONDS` goes on
with random numbers until the time is up."""

import os
import time

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from support import arithmetic_model as model  # noqa: E402
from support import arithmetic_programs as programs  # noqa: E402

pytestmark = pytest.mark.gpu

LONG = float(os.environ.get("FAIRLEAD_MODEL", "0"))
PAIRS = [(a, b) for a in model.TYPES for b in model.TYPES]


def on_gpu(raw):
    """Bits of unsigned integers, which torch has not all of, as a tensor of that type."""
    unsigned = getattr(torch, f"uint{raw.dtype.itemsize * 8}")
    signed = torch.from_numpy(
        np.ascontiguousarray(raw).view(f"i{raw.dtype.itemsize}").copy()
    ).cuda()
    return signed.view(unsigned)


def run_pair(a, b, generator=None, count=0, level=3):
    x, y = programs.pairs(a, b, generator, count)
    results = programs.results_of(a, x, b, y)
    function = programs.compiled(results, a, b, f"--target cuda --opt-level {level}")
    out = on_gpu(np.zeros((len(results), len(x)), np.uint64))
    function(on_gpu(programs.stored(a, x)), on_gpu(programs.stored(b, y)), out)
    raw = out.view(torch.int64).cpu().numpy().view(np.uint64)
    return raw.size, list(programs.differences(results, raw, x, y, f"on a GPU at level {level}"))


@pytest.mark.parametrize("a", model.TYPES)
def test_edges(a):
    wrong = []
    for index, b in enumerate(model.TYPES):
        wrong += run_pair(a, b, level=3 if index % 2 else 0)[1]
    assert not wrong, "\n".join(wrong)


@pytest.mark.skipif(not LONG, reason="FAIRLEAD_MODEL=SECONDS runs it")
@pytest.mark.timeout(LONG + 300)
def test_long():
    end, seed = time.monotonic() + LONG, int(time.time())
    generator = np.random.default_rng(seed)
    compared, wrong = 0, []
    while time.monotonic() < end and len(wrong) < 20:
        a, b = PAIRS[generator.integers(len(PAIRS))]
        count, found = run_pair(a, b, generator, 200_000, int(generator.integers(4)))
        compared += count
        wrong += found
    print(f"seed {seed}: {compared:,} values compared, {len(wrong)} operations differ")
    assert not wrong, "\n".join(wrong)
