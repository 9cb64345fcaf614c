"""The greatest elements of rows, and samples: against sorted rows and sums of float64."""

import math
import re
import subprocess

import numpy as np
import pytest
from test_hopper_kernels import PTXAS, needs_ptxas

from fairlead import BFloat16, Float32, Int32, Int64, cute, ops
from fairlead.ops import _sampling
from fairlead.ops._row_search import GreatestOfRows, SamplesOfGreatest, SamplesOfRows

torch = pytest.importorskip("torch")


def random(*shape, dtype=torch.float32):
    return (3 * torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))).to(dtype)


def by_threads(monkeypatch, threads, blocks):
    """Make clusters of so many blocks and threads, as on a GPU."""
    form = _sampling._form
    monkeypatch.setattr(
        _sampling, "_form", lambda *arguments: (*form(*arguments)[:3], threads, blocks)
    )


def in_order(x):
    """Return the columns of rows by their elements, the greatest first: NaN before all, equal ones by their columns."""
    keys = np.where(np.isnan(x), np.inf, x)
    return np.stack(
        [
            np.lexsort((np.arange(row.size), -row, ~np.isnan(o)))
            for row, o in zip(keys, x, strict=True)
        ]
    )


def check_greatest(x, k):
    values, columns = ops.top_k(x, k)
    assert values.dtype == x.dtype and columns.dtype == torch.int64
    assert values.shape == columns.shape == (*x.shape[:-1], k)
    expected = in_order(x.reshape(-1, x.shape[-1]).double().numpy())[:, :k]
    np.testing.assert_array_equal(columns.reshape(-1, k).numpy(), expected)
    torch.testing.assert_close(values, x.gather(-1, columns), equal_nan=True, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_greatest(dtype):
    x = random(2, 2, 601, dtype=dtype)
    x[0, 0, 5], x[0, 0, 50], x[0, 1, 7] = math.nan, math.inf, -math.inf
    x[1, 0, :] = 2.0  # all equal
    x[1, 1, ::2], x[1, 1, 1::2] = 0.0, -0.0
    for k in (1, 50):
        check_greatest(x, k)


@pytest.mark.parametrize("threads, blocks", [(32, 1), (128, 1), (32, 4), (64, 8)])
def test_threads_of_blocks(monkeypatch, threads, blocks):
    by_threads(monkeypatch, threads, blocks)
    ops.top_k.forget()
    x = random(3, 1031, dtype=torch.bfloat16)  # has equal elements, and an odd number of columns
    check_greatest(x, 37)
    check_greatest(x, 30)
    x[0], x[1, :700] = 1.0, 2.0  # more equal elements than a block has room for
    x[2, 5], x[2, 6:20] = math.nan, math.inf
    check_greatest(x, 30)
    check_samples(random(3, 1031), torch.tensor([0.0, 0.4, 0.999]), top_k=300, top_p=0.8)
    ops.top_k.forget()


def test_samples_of_the_greatest(monkeypatch):
    """GPUs sort a few greatest elements, and choose the same columns as by reading rows again and again."""
    by_threads(monkeypatch, 64, 4)
    x = random(12, 1031, dtype=torch.bfloat16)
    x[0], x[1, :700], x[2, 5], x[3, 9], x[4] = 1.0, 2.0, math.nan, math.inf, -math.inf
    uniform, temperature = torch.rand(2, 12, generator=torch.Generator().manual_seed(1))
    uniform[5], uniform[6], temperature[7] = 0, 1, 0
    few_and_others = torch.tensor([50, 1, 1030, 0, -1, 64, 65, 9, 40, 1031, 2**30, 3]).int()
    problems = [
        (1, 1.0),
        (2, 0.3),
        (50, 0.9),
        (64, 1e-6),
        (few_and_others, torch.linspace(0.05, 1, 12)),
    ]
    columns = []
    for most in (
        lambda *arguments: 0,
        lambda x, top_k, columns: 64 if isinstance(top_k, int) else 300,
    ):
        monkeypatch.setattr(_sampling, "_most_of_samples", most)
        ops.sample.forget()
        columns.append([
            ops.sample(x, uniform, top_k=top_k, top_p=top_p, temperature=temperature).tolist()
            for top_k, top_p in problems
        ])  # fmt: skip
    assert columns[0] == columns[1] and columns[0][2][2:5] == [-1, -1, -1]
    check_samples(x[5:], uniform[5:], top_k=50, top_p=0.9, temperature=temperature[5:])
    ops.sample.forget()


def test_vocabularies():
    x = random(2, 50257, dtype=torch.bfloat16)
    check_greatest(x, 64)
    check_samples(x, torch.tensor([0.3, 0.97]), top_k=1000, top_p=0.9)


def probabilities(row, temperature, top_k, top_p):
    """Return the probabilities of a row in float64, and those that are left in with limits a little smaller and
    greater: two numbers for each column."""
    row = row.double().numpy()
    order = in_order(row[None])[0]
    powers = (
        np.exp((row - row.max()) / temperature) if temperature else (row == row.max()).astype(float)
    )
    kept = np.zeros_like(powers)
    kept[order[: top_k if top_k and top_k > 0 else None]] = 1
    powers *= kept
    if top_p is None or top_p >= 1:
        return powers, powers
    sums = np.cumsum(powers[order]) - powers[order]
    sides = []
    for share in (max(top_p - 1e-5, 1e-12), top_p + 1e-5):
        side = np.zeros_like(powers)
        inside = order[sums < share * powers.sum()]
        side[inside] = powers[inside]
        sides.append(side)
    return tuple(sides)


def check_samples(x, uniform, temperature=1.0, top_k=None, top_p=None):
    columns = ops.sample(x, uniform, temperature=temperature, top_k=top_k, top_p=top_p)
    assert columns.dtype == torch.int64 and columns.shape == uniform.shape

    def of_row(value, row):
        return value[row].item() if isinstance(value, torch.Tensor) else value

    for row in range(len(uniform)):
        column = columns[row].item()
        fewer, more = probabilities(
            x[row], *(of_row(value, row) for value in (temperature, top_k, top_p))
        )
        assert more[column] > 0
        u = uniform[row].item()
        # The sums before and at the column enclose the number, but for rounding and the limits' two sides.
        before = min(side[:column].sum() / side.sum() for side in (fewer, more))
        at = max(side[: column + 1].sum() / side.sum() for side in (fewer, more))
        assert before - 1e-4 <= u <= at + 1e-4, (row, column, before, u, at)
    return columns


OPTIONS = [
    {},
    {"temperature": 0.3},
    {"top_k": 5},
    {"top_p": 0.7},
    {"top_k": 40, "top_p": 0.5, "temperature": 2.0},
    {"top_k": torch.tensor([1, 0, 700, 3]).int(), "top_p": torch.tensor([0.5, 0.9, 1.0, 1e-6])},
    {"temperature": torch.tensor([1.0, 0.0, 5.0, 0.1])},
]


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
def test_samples(options):
    x = random(4, 601)
    for uniform in ([0.0, 0.25, 0.5, 0.99], [0.9, 0.0, 1.0, 0.5]):
        first = check_samples(x, torch.tensor(uniform), **options)
        assert torch.equal(first, ops.sample(x, torch.tensor(uniform), **options))


def test_all_columns_are_chosen_as_often_as_probable():
    x = torch.tensor([0.0, 1.0, -1.0, 2.0, 2.0])
    uniform = (torch.arange(1000) + 0.5) / 1000
    columns = ops.sample(x.expand(1000, 5), uniform, top_p=0.9)
    counts = torch.bincount(columns, minlength=5)
    # exp(-1) is beyond the share: the four others have 0.96 of the sum, the two greatest 0.77.
    expected = torch.softmax(torch.tensor([-math.inf, 1, -math.inf, 2, 2]), -1) * 1000
    assert (counts - expected).abs().max() <= 1


def test_equal_elements_are_left_in_by_their_columns():
    x = torch.zeros(1, 64, dtype=torch.bfloat16).expand(4, 64)
    uniform = torch.tensor([0.0, 0.3, 0.6, 0.999])
    assert ops.sample(x, uniform, top_k=10).tolist() == [0, 3, 6, 9]
    assert ops.sample(x, uniform, top_p=0.25).tolist() == [0, 4, 9, 15]
    assert ops.sample(x, uniform, top_k=32, top_p=0.25).tolist() == [0, 2, 4, 7]


def test_rows_without_probabilities():
    x = torch.zeros(5, 40)
    x[0, 3], x[1, 4], x[2, :], x[3, 0] = math.nan, math.inf, -math.inf, -math.inf
    columns = ops.sample(x, torch.full((5,), 0.0), top_p=0.9)
    assert columns.tolist() == [-1, -1, -1, 1, 0]


def test_no_rows():
    values, columns = ops.top_k(torch.zeros(0, 7), 3)
    assert values.shape == columns.shape == (0, 3)
    assert ops.sample(torch.zeros(0, 7), torch.zeros(0)).shape == (0,)


def test_numpy_and_jax():
    x = random(3, 90).numpy()
    values, columns = ops.top_k(x, 4)
    expected = in_order(x.astype(float))[:, :4]
    np.testing.assert_array_equal(columns, expected)
    np.testing.assert_array_equal(values, np.take_along_axis(x, expected, 1))
    uniform = np.array([0.1, 0.5, 0.9], np.float32)
    chosen = ops.sample(x, uniform, top_p=0.9)
    assert isinstance(chosen, np.ndarray) and chosen.dtype == np.int64
    jax = pytest.importorskip("jax")
    if jax.default_backend() == "cpu":
        of_jax = jax.jit(lambda x: ops.top_k(x, 4))(jax.numpy.asarray(x))
        np.testing.assert_array_equal(of_jax[1], expected)
        arrays = jax.numpy.asarray(x), jax.numpy.asarray(uniform)
        np.testing.assert_array_equal(ops.sample(*arrays, top_p=0.9), chosen)


def test_warm_calls_have_a_plan():
    x, uniform = random(2, 40), torch.tensor([0.1, 0.8])
    for call, function in (
        (lambda: ops.top_k(x, 2), ops.top_k),
        (lambda: ops.sample(x, uniform, top_k=3, top_p=0.5), ops.sample),
    ):
        call()
        before = function.info()
        call()
        assert function.info().hits == before.hits + 1


X, U = torch.zeros(2, 8), torch.zeros(2)


@pytest.mark.parametrize("call, message", [
    (lambda: ops.top_k(X, 9), "k: expected a number from 1 to 8, but got 9"),
    (lambda: ops.top_k(X, 0), "k: expected a number from 1 to 8, but got 0"),
    (lambda: ops.top_k(torch.zeros(1, 2000), 1025), "k: expected a number from 1 to 1024, but got 1025"),
    (lambda: ops.top_k(X, 2.0), "k: expected a number from 1 to 8, but got 2.0"),
    (lambda: ops.top_k(X.int(), 2), "x: expected elements of float16"),
    (lambda: ops.top_k(torch.zeros(2, 0), 1), "x: expected a last dimension of 1 to"),
    (lambda: ops.top_k(X.clone().requires_grad_(), 2), "x: expected no tensor that requires a gradient"),
    (lambda: ops.sample(X, torch.zeros(3)), r"uniform: expected the shape \[2\], that of x without"),
    (lambda: ops.sample(X, U.double()), "uniform: expected elements of float32"),
    (lambda: ops.sample(X, U, temperature=-1.0), "temperature: expected a finite number from 0 on"),
    (lambda: ops.sample(X, U, temperature=math.inf), "temperature: expected a finite number from 0 on"),
    (lambda: ops.sample(X, U, temperature=torch.ones(3)), r"temperature: expected a number, or the shape \[2\]"),
    (lambda: ops.sample(X, U, top_k=0), "top_k: expected None, a whole number from 1 on, or an array, but got 0"),
    (lambda: ops.sample(X, U, top_k=2.5), "top_k: expected None, a whole number from 1 on"),
    (lambda: ops.sample(X, U, top_k=True), "top_k: expected a number or an array, but got True"),
    (lambda: ops.sample(X, U, top_k=torch.ones(2)), "top_k: expected elements of int32"),
    (lambda: ops.sample(X, U, top_p=0.0), "top_p: expected None, a number above 0 up to 1"),
    (lambda: ops.sample(X, U, top_p=1.5), "top_p: expected None, a number above 0 up to 1"),
    (lambda: ops.sample(X, U, top_p=[0.5, 0.5]), "top_p: expected a tensor of PyTorch"),
])  # fmt: skip
def test_bad_arguments(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@needs_ptxas
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
def test_assembles(arch, tmp_path):
    rows = cute.sym_int()

    def compact(dtype, *shape):
        order = tuple(reversed(range(len(shape))))
        return cute.make_fake_compact_tensor(dtype, shape, stride_order=order, assumed_align=16)

    form = (BFloat16, 128256, 8, 512, 8 if arch == "sm_90a" else 1)
    x, of_rows = compact(BFloat16, rows, 128256), lambda dtype: compact(dtype, rows)
    programs = [
        (GreatestOfRows(64, *form), (x, compact(BFloat16, rows, 64), compact(Int64, rows, 64))),
        (SamplesOfRows(True, True, *form), (
            x, of_rows(Float32), of_rows(Float32), of_rows(Int32), of_rows(Float32), of_rows(Int64)
        )),
        (SamplesOfGreatest(1024, True, True, *form), (
            x, of_rows(Float32), of_rows(Float32), of_rows(Int32), of_rows(Float32), of_rows(Int64)
        )),
    ]  # fmt: skip
    for program, arguments in programs:
        ptx = cute.compile(program, *arguments, options=f"--target cuda:{arch}").__ptx__
        path = tmp_path / "kernel.ptx"
        path.write_text(ptx)
        command = [PTXAS, f"-arch={arch}", "-v", path, "-o", tmp_path / "kernel.cubin"]
        done = subprocess.run(command, capture_output=True, text=True)
        spilled = re.search(r"(\d+) bytes spill stores", done.stderr)
        assert done.returncode == 0 and spilled and int(spilled[1]) <= 8, done.stderr
