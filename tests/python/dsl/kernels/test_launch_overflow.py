"""Grids whose computation leaves 32 bits, wherever it stands: an error of the call, never another grid."""

import re

import numpy as np
import pytest
from support import dsl_support as support

import fairlead
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
def grid_of_a_while(n, m, out):
    grid, left = 1, m
    while left > 0:
        grid = grid * n
        left -= 1
    mark(out).launch(grid=grid, block=1)


@cute.jit
def grid_of_a_while_in_a_branch(n, m, out):
    grid, left = n, m
    if n > 1:
        while left > 0 and grid > 0:
            grid = grid * n if left % 2 == 1 else grid + grid
            left -= 1
    mark(out).launch(grid=grid, block=1)


@cute.jit
def grid_of_loops_in_a_while(n, m, out):
    grid, left = 1, m
    while left > 0:
        for _ in range(n):
            inner = 2
            while inner > 1:
                grid += n
                inner -= 1
        left -= 1
    mark(out).launch(grid=grid, block=1)


@cute.jit
def grid_that_follows_in_a_while(n, m, out):
    """The loop passes on another variable's value."""
    grid, ahead, left = 1, n, m
    while left > 0:
        grid = ahead
        ahead = ahead * n
        left -= 1
    mark(out).launch(grid=grid, block=1)


@cute.jit
def grid_that_follows_in_a_loop(n, m, out):
    grid, ahead = 1, n
    for _ in range(m):
        grid = ahead
        ahead = ahead * n
    mark(out).launch(grid=grid, block=1)


@cute.jit
def launch_in_a_while(n, m, out):
    left = 1
    while left > 0:
        mark(out).launch(grid=n * m, block=1)
        left -= 1


@cute.jit
def doubled_until_enough(n, m, out):
    """The extent is rounded up to a power of two."""
    grid = 1
    while grid < n:
        grid *= 2
    mark(out).launch(grid=grid * m, block=1)


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
        (grid_of_a_loop, (2, 32), 2**31),
        (grid_of_a_loop, (65536, 2), 2**32),
        (grid_of_a_loop_in_a_branch, (2, 31), 2**31),
        (grid_of_a_loop_in_a_branch, (65536, 1), 2**32),
        (grid_of_a_while, (2, 32), 2**31),
        (grid_of_a_while, (65536, 2), 2**32),
        (grid_of_a_while_in_a_branch, (65536, 1), 2**32),
        (grid_of_loops_in_a_while, (65536, 1), 2**31 + 1),
        (grid_that_follows_in_a_while, (65536, 2), 2**32),
        (grid_that_follows_in_a_loop, (65536, 2), 2**32),
        (launch_in_a_while, (65536, 65536), 2**32),
        (doubled_until_enough, (2**30, 4), 2**32),
        (divided_after, (65536, 65536), 2**32),
    ],
)
def test_grids_that_wrap(body, values, got):
    """The error says what left 32 bits first."""
    function = compiled(body)
    with pytest.raises(ValueError, match=WRONG) as caught:
        blocks(function, *values)
    assert least(caught.value) == got


@pytest.mark.parametrize("values", [(2, 200), (3, 33), (-2, 67)])
def test_grids_that_wrap_again_and_again(values):
    """A later round that comes back into 32 bits changes nothing."""
    for body in (grid_of_a_loop, grid_of_a_while, grid_that_follows_in_a_while):
        with pytest.raises(ValueError, match=WRONG):
            blocks(compiled(body), *values)


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
        (grid_of_a_while, (2, 5), 32),
        (grid_of_a_while, (7, 0), 1),
        (grid_of_a_while, (-1, 6), 1),
        (grid_of_a_while_in_a_branch, (3, 3), 54),
        (grid_of_a_while_in_a_branch, (1, 5), 1),
        (grid_of_loops_in_a_while, (3, 4), 37),
        (grid_that_follows_in_a_while, (3, 2), 9),
        (grid_that_follows_in_a_loop, (3, 2), 9),
        (launch_in_a_while, (4, 5), 20),
        (doubled_until_enough, (5, 3), 24),
        (grid_of_a_ternary, (4, 5), 20),
        (launch_in_a_loop, (4, 5), 20),
        (divided_after, (5, 5), 7),
    ],
)
def test_grids_that_fit(body, values, expected):
    assert blocks(compiled(body), *values) == expected


def test_loops_of_other_values_beside():

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


def test_whiles_of_other_values_beside():

    @cute.jit
    def body(n, m, out):
        grid, weight, i = n, Int64(1), Int32(0)
        scale = 1.5
        while i < m and (scale < 100.0 or grid < 0):
            weight = weight * 3
            scale = scale * 2.0
            other = grid + i if i % 2 == 1 else grid
            grid = other + (weight % 2).to(Int32)
            i += 1
        mark(out).launch(grid=grid, block=1)

    grid, i, scale = 3, 0, 1.5
    while i < 12 and scale < 100:
        scale *= 2
        grid = (grid + i if i % 2 else grid) + 1
        i += 1
    assert blocks(compiled(body), 3, 12) == grid
    with pytest.raises(ValueError, match=WRONG):
        blocks(compiled(body), 2**31 - 3, 5)


def test_long_chains_are_looked_at_once():
    """Neither the check nor the compile takes time that doubles with each step."""

    @cute.jit
    def body(n, m, out):
        grid = n // 1
        for _ in fairlead.range_constexpr(60):
            grid = fairlead.min(grid, grid)
        wide = n * m
        for _ in fairlead.range_constexpr(60):
            wide = fairlead.min(wide, wide)
        if m > 0:
            grid = fairlead.min(grid, wide)
        mark(out).launch(grid=grid, block=1)

    assert blocks(compiled(body), 3, 1) == 3
    with pytest.raises(ValueError, match=WRONG):
        blocks(compiled(body), -(2**16), 2**16)


@cute.jit
def two_launches(n, m, out):
    mark(out).launch(grid=n * 65536, block=1)
    mark(out).launch(grid=m * 65537, block=1)


@cute.jit
def launches_around_an_assertion(n, m, out):
    mark(out).launch(grid=n * 65536, block=1)
    cute.testing.assert_(m < 3, "m is too large")
    mark(out).launch(grid=m * 65537, block=1)


@pytest.mark.parametrize(
    ("body", "values", "message"),
    [
        (two_launches, (65536, 65537), "got 4294967296$"),
        (two_launches, (65536, 0), "got 4294967296$"),
        (two_launches, (0, 65537), f"got {65537**2}$"),
        (launches_around_an_assertion, (65536, 65537), "got 4294967296$"),
        (launches_around_an_assertion, (0, 65537), "m is too large"),
        (launches_around_an_assertion, (65536, 1), "got 4294967296$"),
    ],
)
def test_the_first_error_of_a_call(body, values, message):
    """The statements behind it do not run."""

    @cute.jit
    def function(n: Int32, m: Int32, out: cute.Tensor):
        body(n, m, out)
        mark(out).launch(grid=4, block=1)

    arguments = function, Int32, Int32, support.vector(Int32)
    made = cute.compile(*arguments, options="--target cpu --enable-assertions")
    out = np.zeros(64, np.int32)
    with pytest.raises((ValueError, AssertionError), match=message):
        made(*values, out)
    assert out.max() == 0
    made(0, 0, out)  # the next call begins anew
    assert out.max() == 4
