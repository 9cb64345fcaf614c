"""Structures that cannot be arguments: with a field missing, or inside themselves."""

import dataclasses

import numpy as np
import pytest

from fairlead import cute


@pytest.fixture(autouse=True)
def on_the_cpu(monkeypatch):
    monkeypatch.setenv("FAIRLEAD_TARGET", "cpu")


@dataclasses.dataclass(frozen=True)
class Pair:
    a: int
    b: float


@cute.jit
def scale(x: cute.Tensor, pair: Pair):
    x[0] = x[0] * pair.b


@cute.jit
def count(x: cute.Tensor, items):
    x[0] = float(len(items))


def ways(function, name, value):
    """Calling it, by name too, and compiling it."""
    x = np.ones(4, np.float32)
    return (
        lambda: function(x, value),
        lambda: function(x, **{name: value}),
        lambda: cute.compile(function, x, value),
    )


@pytest.mark.parametrize("way", range(3))
def test_missing_field(way):
    broken = Pair(1, 2.0)
    object.__delattr__(broken, "b")
    with pytest.raises(TypeError, match="`Pair` cannot be an argument: its field `b` is missing"):
        ways(scale, "pair", broken)[way]()
    ways(scale, "pair", Pair(1, 2.0))[way]()


@pytest.mark.parametrize("way", range(3))
@pytest.mark.parametrize("outer", [lambda items: items, lambda items: (1, items)])
def test_inside_itself(way, outer):
    items = [1]
    items.append(items)
    with pytest.raises(TypeError, match=r"contains itself.* as argument #1 \(items\)"):
        ways(count, "items", outer(items))[way]()
    ways(count, "items", [[[1]]])[way]()


def test_calls_of_the_compiled_function():
    x, items = np.ones(4, np.float32), [1]
    items.append(items)
    compiled = cute.compile(count, x, [1, 2])
    with pytest.raises(ValueError, match=r"Mismatched items\[1\] on argument #1 when calling"):
        compiled(x, items)
