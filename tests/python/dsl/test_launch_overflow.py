"""Grids whose computation leaves 32 bits, wherever it stands: an error of the call, never another grid."""

import re

import dsl_support as support
import numpy as np
import pytest

from fairlead import Int32, Int64, cute

WRONG = "Invalid grid\\[0\\] when launching `mark`, expected an integer of 32 bits, but got "


@cute.kernel
def mark(out: cute.Tensor):
    x, _, _ = cute.arch.block_idx()
    if x < out.shape[0]:
        out[x] = x + 1


def compiled(body):
    @cute.jit
    def function(n: Int32, m: Int32, out: cute.Tensor):
        body(n, m, out)

    return cute.compile(function, Int32, Int32, support.vector(Int32), options="--target cpu")


def blocks(function, n, m):
    """The extent of the grid that was launched, up to 64."""
    out = np.zeros(64, np.int32)
    function(n, m, out)
    return int(out.max())


@cute.jit
def launch_in_a_branch(n, m, out):
    if n > 1:
        mark(out).launch(grid=n * m, block=1)


@cute.jit
def grid_of_a_branch(n, m, out):
    grid = n
    if n > 1:
        grid = n * m
    mark(out).launch(grid=grid, block=1)


@cute.jit
def grid_of_nested_branches(n, m, out):
    grid, rows = n, n + 1
    if n > 1:
        rows = n * m
        if m > 1:
            grid = rows
        else:
            grid = rows + 1
    mark(out).launch(grid=grid, block=1)


@cute.jit
def grid_of_a_loop(n, m, out):
    grid = 1
    for _ in range(m):
        grid = grid * n
    mark(out).launch(grid=grid, block=1)


@cute.jit
def grid_of_a_loop_in_a_branch(n, m, out):
    grid = n
    if n > 1:
        for _ in range(m):
            if n > m:
                grid = grid * n
            else:
                grid = grid * n * 1
    mark(out).launch(grid=grid, block=1)


@cute.jit
def grid_of_a_ternary(n, m, out):
    mark(out).launch(grid=n * m if n > 1 else n, block=1)


@cute.jit
def launch_in_a_loop(n, m, out):
    for i in range(1):
        mark(out).launch(grid=n * m + i, block=1)


@cute.jit
def divided_after(n, m, out):
    grid = n
    if n > 1:
        grid = n * m
    mark(out).launch(grid=cute.ceil_div(grid, 4), block=1)


def least(value):
    return int(re.search("got (-?\\d+)", str(value)).group(1))


@pytest.mark.parametrize(
    ("body", "values", "got"),
    [
        (launch_in_a_branch, (65536, 65536), 2**32),
        (grid_of_a_branch, (65536, 65536), 2**32),
        (grid_of_a_branch, (50000, 50000), 50000**2),
        (grid_of_a_ternary, (65536, 65537), 65536 * 65537),
        (launch_in_a_loop, (65536, 65536), 2**32),
        (grid_of_a_loop, (2, 32), 2**32),
        (grid_of_a_loop, (65536, 2), 2**32),
        (grid_of_a_loop_in_a_branch, (2, 31), 2**32),
        (grid_of_a_loop_in_a_branch, (65536, 1), 2**32),
        (divided_after, (65536, 65536), 2**30),
    ],
)
def test_grids_that_wrap(body, values, got):
    function = compiled(body)
    with pytest.raises(ValueError, match=WRONG) as caught:
        blocks(function, *values)
    assert least(caught.value) == got


@pytest.mark.parametrize("values", [(2, 200), (3, 33), (-2, 67)])
def test_grids_that_wrap_again_and_again(values):
    """In loops the number stays where it left 32 bits."""
    function = compiled(grid_of_a_loop)
    with pytest.raises(ValueError, match=WRONG):
        blocks(function, *values)


@pytest.mark.parametrize(
    ("body", "values", "expected"),
    [
        (launch_in_a_branch, (4, 5), 20),
        (launch_in_a_branch, (1, 2**31 - 1), 0),
        (grid_of_a_branch, (4, 5), 20),
        (grid_of_a_branch, (1, 2**31 - 1), 1),
        (grid_of_nested_branches, (4, 5), 20),
        (grid_of_nested_branches, (4, 1), 5),
        (grid_of_nested_branches, (1, 5), 1),
        (grid_of_a_loop, (2, 5), 32),
        (grid_of_a_loop, (2, 0), 1),
        (grid_of_a_loop_in_a_branch, (2, 5), 64),
        (grid_of_a_loop_in_a_branch, (1, 5), 1),
        (grid_of_a_ternary, (4, 5), 20),
        (launch_in_a_loop, (4, 5), 20),
        (divided_after, (5, 5), 7),
    ],
)
def test_grids_that_fit(body, values, expected):
    assert blocks(compiled(body), *values) == expected


def test_loops_of_other_values_beside():
    """The loop that computes the grid again carries what the first one does."""

    @cute.jit
    def body(n, m, out):
        grid, weight = n, Int64(1)
        scale = 1.5
        for i in range(m):
            weight = weight * 3
            scale = scale + 1.0
            if_odd = grid + i if i % 2 == 1 else grid
            grid = if_odd + (weight % 2).to(Int32)
        mark(out).launch(grid=grid, block=1)

    grid = 3
    for i in range(5):
        grid = (grid + i if i % 2 else grid) + 1
    assert blocks(compiled(body), 3, 5) == grid
    with pytest.raises(ValueError, match=WRONG):
        blocks(compiled(body), 2**31 - 3, 5)
