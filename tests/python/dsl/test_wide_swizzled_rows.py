"""Copies by TMA of tiles that take several boxes: rows longer than those of the swizzle, a box for each 128 bytes, and
dimensions of more than 256 elements."""

from __future__ import annotations

import numpy as np
import pytest
from support.boxed_copies import ROWS, Moved, fake

from fairlead import Float16, Float32, cute


@pytest.mark.parametrize("stores", [False, True])
@pytest.mark.parametrize("dtype, columns", [(Float16, 64), (Float16, 128), (Float32, 96)])
def test_tiles_arrive(dtype, columns, stores):
    """Rows of 128, 256 and 384 bytes."""
    numbers = np.arange(3 * ROWS * 2 * columns, dtype=np.float32) % 1999
    source = numbers.reshape(3 * ROWS, 2 * columns).astype(np.dtype(f"f{dtype.width // 8}"))
    target = np.full((ROWS, columns), -1, source.dtype)
    moved = cute.compile(
        Moved(dtype, columns, stores),
        fake(dtype, 2 * columns),
        fake(dtype, columns),
        options="--target cpu",
    )
    moved(source, target)
    np.testing.assert_array_equal(target, source[ROWS : 2 * ROWS, columns:])


@pytest.mark.parametrize("rows, columns, boxes", [(2, 512, 4), (512, 8, 2)])
def test_dimensions_of_more_than_256_elements(rows, columns, boxes):
    source = np.arange(4 * rows * columns, dtype=np.float32).reshape(2 * rows, 2 * columns)
    target = np.full((rows, columns), -1, np.float32)
    moved = cute.compile(
        Moved(Float32, columns, True, rows, swizzles=False),
        fake(Float32, 2 * columns),
        fake(Float32, columns),
        options="--target cpu,cuda:sm_90a --keep-ptx",
    )
    moved(source, target)
    np.testing.assert_array_equal(target, source[rows:, columns:])
    assert moved.__ptx__.count("cp.async.bulk.tensor.2d.shared::cluster.global") == boxes


def test_a_box_for_each_part_of_a_row():
    moved = cute.compile(
        Moved(Float16, 128, True), fake(Float16, 256), fake(Float16, 128),
        options="--gpu-arch sm_90a --keep-ptx",
    )  # fmt: skip
    text = moved.__ptx__
    assert text.count("cp.async.bulk.tensor.2d.shared::cluster.global") == 2 * ROWS
    assert text.count("cp.async.bulk.tensor.2d.global.shared::cta") == 2 * ROWS
