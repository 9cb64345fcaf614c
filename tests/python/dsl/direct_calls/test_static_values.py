"""Static values of direct calls: differences that make another program, and values that a program keeps alive."""

import dataclasses
import weakref
from typing import Any

import numpy as np
import pytest

from fairlead import Constexpr, cute


@pytest.fixture(autouse=True)
def on_the_cpu(monkeypatch):
    monkeypatch.setenv("FAIRLEAD_TARGET", "cpu")


def zeros(*shape):
    return np.zeros(shape, np.float32)


@dataclasses.dataclass(frozen=True)
class Config:
    sizes: Any


@pytest.mark.parametrize("wrap", [lambda part: part, lambda part: (part,), lambda part: {0: part}])
def test_a_list_that_changes_makes_another_program(wrap):
    @cute.jit
    def host(a: cute.Tensor, sizes: Constexpr):
        a[0] = sizes[0][0]

    a, part = zeros(1), [1]
    given = wrap([part]) if wrap(part) is part else wrap(part)
    for number in (1, 7, 7, 1):
        part[0] = number
        host(a, given)
        assert a[0] == number
    assert len(host.compiled) == 2


@pytest.mark.parametrize("change", ["append", "value"])
def test_a_dict_in_a_structure_that_changes_makes_another_program(change):
    @cute.jit
    def host(pair: Any):
        pair[0][0] = len(pair[1]) + pair[1]["n"]

    a, numbers = zeros(1), {"n": 1}
    host((a, numbers))
    assert a[0] == 2
    numbers["more" if change == "append" else "n"] = 5
    host((a, numbers))
    assert a[0] == (3 if change == "append" else 6)
    assert len(host.compiled) == 2


def test_an_unhashable_object_counts_by_identity():
    @cute.jit
    def host(a: cute.Tensor, config: Constexpr):
        a[0] = a[0] + config.sizes[0]

    a, config = zeros(1), Config([2])  # hashing it asks its list
    for _ in range(2):
        host(a, config)
    host(a, Config([2]))
    assert a[0] == 6 and len(host.compiled) == 2


def test_equal_numbers_of_other_types_are_other_values():
    traced = []

    @cute.jit
    def host(a: cute.Tensor, value: Constexpr):
        traced.append(value)

    a = zeros(1)
    values = [
        1,
        1.0,
        True,
        0.0,
        -0.0,
        (1,),
        [1],
        [1.0],
        {1},
        {True},
        frozenset({1}),
        {1: 1},
        {1: True},
    ]
    for _ in range(2):
        for value in values:
            host(a, value)
    assert list(map(repr, traced)) == list(map(repr, values))


def test_programs_of_any_number_of_arguments_are_found_again():
    traced = []

    @cute.jit
    def host(*tensors: cute.Tensor, **more: cute.Tensor):
        traced.append((len(tensors), sorted(more)))
        tensors[0][0] = tensors[0][0] + 1

    a, b = zeros(4), zeros(3)
    for _ in range(2):
        host(a)
        host(a, b)
        host(a, b=b)
    assert traced == [(1, []), (2, []), (1, ["b"])] and a[0] == 6
    host(a, zeros(2, 2))
    assert traced[3:] == [(2, [])]


def test_none_and_constants_of_structures_keep_their_places():
    traced = []

    @cute.jit
    def host(a: cute.Tensor, *parts: Any):
        traced.append(parts[0])

    a = zeros(1)
    values = [(None, 5), (5, None), (5,), (5, None, None), ((5,),), ()]
    for _ in range(2):
        for value in values:
            host(a, value)
    assert traced == values


def test_a_program_keeps_no_tensor_of_its_first_call():
    @cute.jit
    def one(a: cute.Tensor):
        a[0] = 1

    @cute.jit
    def several(*tensors: cute.Tensor):
        tensors[0][0] = 1

    for host in (one, several):
        first = zeros(4)
        gone = weakref.ref(first)
        host(first)
        assert first[0] == 1
        del first
        assert gone() is None and len(host.compiled) == 1


def test_an_object_known_by_identity_lives_as_long_as_the_program():
    @cute.jit
    def host(a: cute.Tensor, values: Constexpr):
        a[0] = values[0][0]

    a, values = zeros(1), [np.full(1, 3.0)]  # an array has no hash
    gone = weakref.ref(values[0])
    host(a, values)
    values.clear()
    assert gone() is not None
    host.forget()
    assert gone() is None


def test_reasons_name_what_changed(monkeypatch):
    from fairlead.cute import _direct

    reasons = []
    reason = _direct._reason
    monkeypatch.setattr(_direct, "_reason", lambda *a: reasons.append(reason(*a)) or reasons[-1])

    @cute.jit
    def host(a: cute.Tensor, pair: Any, size: Constexpr = 1):
        a[0] = size + pair[1]

    a = zeros(1)
    host(a, (a, 1))
    host(a, (a, 2))
    host(zeros(1, 1), (a, 2))
    host(a, (a, 1), 2)
    monkeypatch.setenv("FAIRLEAD_CHECK", "bounds")
    host(a, (a, 3), no_cache=True)
    assert reasons == [
        "the first call",
        "changed: argument `pair[1]`",
        "changed: argument `a`",
        "changed: argument `size`",
        "changed: FAIRLEAD_CHECK, argument `pair[1]`",
    ]
