"""Copies by TMA of tiles that take several boxes."""

import pytest

torch = pytest.importorskip("torch")
from support.boxed_copies import ROWS, Moved, fake  # noqa: E402

from fairlead import Float16, Float32, cute  # noqa: E402


@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize(
    "dtype, rows, columns, swizzles",
    [(Float32, 2, 512, False), (Float32, 512, 8, False), (Float16, ROWS, 128, True)],
)
def test_tiles_arrive(dtype, rows, columns, swizzles, stores):
    numbers = torch.arange(4 * rows * columns, device="cuda") % 1999
    source = numbers.reshape(2 * rows, 2 * columns).to(getattr(torch, dtype.__name__.lower()))
    target = torch.full((rows, columns), -1, dtype=source.dtype, device="cuda")
    moved = cute.compile(
        Moved(dtype, columns, stores, rows, swizzles),
        fake(dtype, 2 * columns),
        fake(dtype, columns),
    )
    moved(source, target)
    torch.testing.assert_close(target, source[rows:, columns:], rtol=0, atol=0)
