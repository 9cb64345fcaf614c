"""fairlead run and fairlead bench."""

import json

import numpy as np
import pytest


def test_tensors(fairlead, library):
    x, y = "tensor:float32[4]=arange", "tensor:float32[4]"
    done = fairlead("run", library, "add_one", "--arg", x, "--arg", y)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "result: None",
        "argument 0: float32[4] on cpu: 0, 1, 2, 3",
        "argument 1: float32[4] on cpu: 1, 2, 3, 4",
    ]


def test_long_tensors(fairlead, library):
    x = "tensor:float32[10,10]=ones"
    done = fairlead("run", library, "add_one", "--arg", x, "--arg", x, "--json")
    found = json.loads(done.stdout)
    assert found["result"] is None
    assert found["arguments"][1] == {
        "dtype": "float32",
        "shape": [10, 10],
        "device": "cpu",
        "first": [2.0] * 16,
        "sum": 200.0,
    }
    text = fairlead("run", library, "add_one", "--arg", x, "--arg", x).stdout
    assert text.endswith("2, 2, ... sum 200\n")


def test_scalars(fairlead, library):
    arguments = ["--arg", "int:0x10", "--arg", "float:2.5", "--arg", "bool:True"]
    assert fairlead("run", library, "join", *arguments).stdout == "result: 18.5\n"
    arguments[-1] = "bool:false"
    assert (
        json.loads(fairlead("run", library, "join", "--json", *arguments).stdout)["result"] == 13.5
    )


@pytest.mark.parametrize("shape, ndim", [("[]", 0), ("[3]", 1), ("[2, 0, 4]", 3)])
def test_shapes(fairlead, library, shape, ndim):
    done = fairlead("run", library, "ndim", "--arg", f"tensor:int64{shape}=7")
    assert done.stdout.startswith(f"result: {ndim}\n"), done.stderr


def test_random_tensors_are_of_the_seed(fairlead, library):
    def first(*options) -> list[float]:
        x = "tensor:float32[8]=random"
        done = fairlead("run", library, "add_one", "--arg", x, "--arg", x, "--json", *options)
        return json.loads(done.stdout)["arguments"][0]["first"]

    assert first() == first("--seed", "0") != first("--seed", "1")


def test_dtypes_that_numpy_lacks(fairlead, library):
    pytest.importorskip("torch")
    done = fairlead("run", library, "ndim", "--arg", "tensor:bfloat16[2]=1.5")
    assert done.stdout.splitlines() == ["result: 1", "argument 0: bfloat16[2] on cpu: 1.5, 1.5"]


def test_the_functions_error(fairlead, library):
    done = fairlead("run", library, "refuse", "--arg", "str:no")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "fairlead run: refuse: ValueError: refused: no\n"
    done = fairlead("run", library, "join", "--arg", "none")
    assert done.returncode == 1 and "join: TypeError: " in done.stderr


def test_missing_function(fairlead, library):
    done = fairlead("run", library, "nothing")
    assert done.returncode == 1
    assert "no function 'nothing'; it exports add_one, first, join, ndim, refuse" in done.stderr


def test_missing_library(fairlead, tmp_path):
    done = fairlead("run", tmp_path / "none.so", "f")
    assert done.returncode == 1 and "there is no module file" in done.stderr
    (tmp_path / "text.so").write_text("text")
    done = fairlead("bench", tmp_path / "text.so", "f")
    assert done.returncode == 1 and done.stderr.startswith("fairlead bench: ")


@pytest.mark.parametrize(
    "argument, text",
    [
        ("5", "expected tensor:, int:, float:, bool: or str: with a value, or none"),
        ("int:five", "'int:five' is no int"),
        ("float:", "'float:' is no float"),
        ("bool:maybe", "'bool:maybe' is no bool"),
        ("tensor:float32", "expected DTYPE[SHAPE]"),
        ("tensor:float32[-1]", "expected DTYPE[SHAPE]"),
        ("tensor:float32[4]=some", "'tensor:float32[4]=some' is no tensor"),
    ],
)
def test_bad_arguments(fairlead, library, argument, text):
    done = fairlead("run", library, "ndim", "--arg", argument)
    assert done.returncode == 2 and text in done.stderr


@pytest.mark.parametrize(
    "argument, text",
    [
        ("tensor:nothing[4]", "argument 0: cannot make the tensor: unknown dtype 'nothing'"),
        ("tensor:float64[99999999,99999999,9]", "argument 0: cannot make the tensor: "),
        ("tensor:int8[2]=1000", "argument 0: cannot make the tensor: "),
    ],
)
def test_tensors_that_cannot_be(fairlead, library, argument, text):
    pytest.importorskip("torch")
    done = fairlead("run", library, "ndim", "--arg", argument)
    assert done.returncode == 1 and text in done.stderr


def test_bench(fairlead, library):
    x = "tensor:float32[4]"
    arguments = ["bench", library, "add_one", "--arg", x, "--arg", x, "--samples", "5"]
    found = json.loads(fairlead(*arguments, "--json").stdout)
    assert found["function"] == "add_one" and found["samples"] == 5
    assert 0 < found["least_ns"] <= found["median_ns"] < 1e6
    assert 0 < found["empty_median_ns"] < found["median_ns"] * 10
    assert found["calls_per_sample"] >= 100
    assert "ns a call (median of 5 samples" in fairlead(*arguments).stdout


def test_bench_of_a_failure(fairlead, library):
    done = fairlead("bench", library, "refuse", "--arg", "str:no")
    assert done.returncode == 1 and "refuse: ValueError: refused: no" in done.stderr
    assert fairlead("bench", library, "refuse", "--samples", "0").returncode == 2


@pytest.mark.parametrize("command", ["inspect", "run", "bench"])
def test_help(fairlead, command):
    done = fairlead(command, "--help")
    assert done.returncode == 0 and f"    fairlead {command} lib" in done.stdout


def test_dtypes_of_numpy():
    from fairlead.cli._arguments import _numpy_has, parse, plain

    assert _numpy_has("float16") and _numpy_has("bool") and not _numpy_has("bfloat16")
    assert not _numpy_has("f4") and not _numpy_has("complex64")
    assert parse("str:a:b") == ("str", "a:b") and parse("none") == ("none", None)
    assert plain(np.array([np.inf], np.float32))["sum"] is None
