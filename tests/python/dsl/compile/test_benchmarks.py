"""Time of calls, and the choice of parameters by it."""

import time

import numpy as np
import pytest

import fairlead as cutlass
from fairlead import cute
from fairlead.cute import testing


@cute.jit
def fill(x: cute.Tensor, value: cutlass.Int32, width: cutlass.Constexpr = 1):
    fill_kernel(x, value, width).launch(grid=x.shape[0] // width, block=width)


@cute.kernel
def fill_kernel(x: cute.Tensor, value: cutlass.Int32, width: cutlass.Constexpr):
    x[cute.arch.block_idx()[0] * width + cute.arch.thread_idx()[0]] = value + width


def array(n=64):
    return np.zeros(n, np.int32)


def test_benchmark_calls_as_often_as_asked():
    calls = []
    started = time.perf_counter()
    taken = testing.benchmark(
        lambda *args, **kwargs: calls.append((args, kwargs)) or time.sleep(0.002),
        warmup_iterations=3,
        iterations=5,
        kernel_arguments=testing.JitArguments(1, b=2),
    )
    assert calls == [((1,), {"b": 2})] * 8
    # Microseconds of one call: five of them took no longer than all that was done.
    assert 2000 <= taken <= (time.perf_counter() - started) * 1e6 / 5


def test_workspaces_take_turns():
    made, calls = [], []

    def make():
        made.append(len(made))
        return testing.JitArguments(made[-1])

    testing.benchmark(
        calls.append,
        warmup_iterations=2,
        iterations=5,
        workspace_generator=make,
        workspace_count=3,
    )
    assert made == [0, 1, 2]
    assert calls == [0, 1, 2, 0, 1, 2, 0]


def test_workspaces_exceed_the_cache():
    assert testing.get_workspace_count(1 << 50, 2, 10) == 1
    assert testing.get_workspace_count(1, 2, 10) == 12
    with pytest.raises(ValueError, match="at least 1, but got 0"):
        testing.get_workspace_count(0, 2, 10)


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"iterations": 0}, "expected iterations >= 1, but got 0"),
        ({"warmup_iterations": -1}, "expected warmup_iterations >= 0, but got -1"),
        ({"workspace_count": 0}, "expected workspace_count >= 1, but got 0"),
        (
            {"kernel_arguments": testing.JitArguments(), "workspace_generator": dict},
            "but got both",
        ),
    ],
)
def test_wrong_arguments_of_benchmark(wrong, expected):
    with pytest.raises(ValueError, match=expected):
        testing.benchmark(lambda: None, **wrong)


def test_workspaces_are_arguments():
    with pytest.raises(TypeError, match="expected JitArguments, but got tuple"):
        testing.benchmark(lambda: None, workspace_generator=tuple)


def test_tune_finds_the_fastest_and_leaves_out_what_cannot_run():
    def make(unit, *, count, kind):
        if kind == "none":
            raise testing.CantImplementError("no such kind")
        return lambda: time.sleep(unit * count)

    best = testing.tune(
        make,
        params_dict={"kind": ["none", "some"], "count": [30, 1, 20]},
        kernel_arguments=testing.JitArguments(0.0005),
        warmup_iterations=1,
        iterations=3,
    )
    assert best == {"kind": "some", "count": 1}


def test_tune_without_a_choice_left():
    def make(*, kind):
        raise testing.CantImplementError("no such kind")

    with pytest.raises(ValueError, match="can be run on this device") as caught:
        testing.tune(make, params_dict={"kind": [1, 2]})
    assert isinstance(caught.value.__cause__, testing.CantImplementError)
    with pytest.raises(ValueError, match="kind to be values to choose from, but got none"):
        testing.tune(make, params_dict={"kind": []})


def test_autotune_tries_again_when_a_watched_argument_changes(capsys, monkeypatch):
    monkeypatch.setenv("CUTE_DSL_LOG_AUTOTUNE", "1")
    tuned = testing.autotune_jit(
        params_dict={"width": [1, 3, 16]},
        update_on_change=["value"],
        warmup_iterations=1,
        iterations=2,
    )(fill)
    for value, tries in ((5, 3), (5, 0), (6, 3), (5, 0)):
        x = array(48)
        tuned(x, value)
        lines = capsys.readouterr().out.splitlines()
        assert sum(line.startswith("Tuning configuration: {'width'") for line in lines) == tries
        assert sum(line.startswith("Using cached") for line in lines) == (tries == 0)
        width = int(x[0]) - value
        assert width in (1, 3, 16)
        np.testing.assert_array_equal(x, np.full(48, value + width))


def test_autotune_knows_the_parameters():
    with pytest.raises(TypeError, match="no parameter `length`"):
        testing.autotune_jit(params_dict={"length": [1]})(fill)
    with pytest.raises(TypeError, match="no parameter `rows`"):
        testing.autotune_jit(params_dict={"width": [1]}, update_on_change=["rows"])(fill)


def test_compile_takes_the_function_below():
    tuned = testing.autotune_jit(params_dict={"width": [1, 2]})(fill)
    x = array(12)
    cute.compile(tuned, x, 5, width=3)(x, 7)
    np.testing.assert_array_equal(x, np.full(12, 10))

    @cute.jit
    def around(x: cute.Tensor):
        tuned(x, 1, width=4)

    around(x)
    np.testing.assert_array_equal(x, np.full(12, 5))


def test_autotune_of_methods(capsys, monkeypatch):
    monkeypatch.setenv("CUTE_DSL_LOG_AUTOTUNE", "1")

    class Filler:
        def __init__(self, more):
            self.more = more

        @testing.autotune_jit(params_dict={"width": [2, 4]}, warmup_iterations=0, iterations=1)
        @cute.jit
        def __call__(self, x: cute.Tensor, value: cutlass.Int32, width: cutlass.Constexpr = 1):
            fill_kernel(x, value + self.more, width).launch(grid=x.shape[0] // width, block=width)

    ten, twenty = Filler(10), Filler(20)
    for filler, tries in ((ten, 2), (twenty, 2), (ten, 0)):
        x = array(8)
        filler(x, 1)
        assert capsys.readouterr().out.count("Tuning configuration") == tries
        assert set(x - filler.more - 1) <= {2, 4}
