"""Rules about state of Python in run-time regions that the programs of test_state_programs.py do not reach."""

import dataclasses

import numpy as np
import pytest
from support import dsl_support as support
from test_control_flow_rules import X

import fairlead
from fairlead import Int32, cute


class Counter:
    def __init__(self, value):
        self.value = value


def test_the_condition_of_a_while_runs_once_for_each_iteration():
    """Its stores happen once per test: the trial trace of the condition leaves nothing in front of the loop."""

    @cute.jit
    def counted(cell):
        cell[0] = cell[0] + 1
        return cell[0]

    @cute.jit
    def function(x):
        cell = cute.make_rmem_tensor((1,), Int32)
        cell[0] = 0
        iterations = Int32(0)
        while counted(cell) < x:
            iterations = iterations + 1
        return cell[0] * 100 + iterations

    expected = [max(x, 1) * 100 + max(x - 1, 0) for x in X.tolist()]
    np.testing.assert_array_equal(support.run_map(function, np.int32, X), expected)


def test_branches_and_loops_as_calls():
    counter = Counter(0)

    def put(value):
        counter.value = value
        return value

    def branch(x):
        counter.value = x
        cute.if_generate(x > 2, lambda: put(x * 2))
        return counter.value

    got = support.run_map(cute.jit(preprocess=False)(branch), np.int32, X)
    np.testing.assert_array_equal(got, [x * 2 if x > 2 else x for x in X.tolist()])

    def loop(x):
        counter.value = x
        with cute.for_generate(3) as i:
            put(i)
            cute.yield_out()
        return counter.value

    with pytest.raises(TypeError, match="`counter.value` cannot change in a run-time `for`"):
        support.run_map(cute.jit(preprocess=False)(loop), np.int32, X)


def test_a_loop_is_traced_again_for_what_its_body_changes():
    traced = support.Notes()
    holders = [Counter(None) for _ in range(3)]

    def add(number):
        for holder in holders:
            holder.value = holder.value + number

    @cute.jit
    def function(x):
        for index in fairlead.range_constexpr(3):
            holders[index].value = x * index
        for i in range(3):
            for j in range(2):
                traced.append("inner")
                add(i + j)
        return holders[0].value + holders[1].value * 10 + holders[2].value * 100

    for holder in holders:
        holder.value = 0
    total = sum(i + j for i in range(3) for j in range(2))
    expected = [210 * x + 111 * total for x in X.tolist()]
    np.testing.assert_array_equal(support.run_map(function, np.int32, X), expected)
    assert (
        len(traced) <= 4
    )  # twice in the first trace of the outer loop, once or twice in its second


def test_errors_name_the_innermost_line_and_leave_the_state():
    kept = [1]

    def change(values):
        values.append(2)  # the line

    @cute.jit
    def function(x):
        if x > 0:
            change(kept)
        return x

    with pytest.raises(TypeError, match=r"`kept` cannot change .*from 1 to 2 items") as caught:
        support.run_map(function, np.int32, X)
    assert "values.append(2)" in str(caught.value) and kept == [1]


def test_errors_about_the_order_of_attributes_name_the_line():
    @cute.jit
    def function(x):
        counter = Counter(x)
        counter.second = x
        for i in range(3):
            if x > 4:
                counter.value = i
            for j in range(2):
                del counter.value
                counter.value = j  # the line
        return counter.value + list(vars(counter)).index("value")

    with pytest.raises(TypeError, match="`counter` cannot change .*as a whole") as caught:
        support.run_map(function, np.int32, X)
    assert "counter.value = j  # the line" in str(caught.value)


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    first: Int32
    second: int


def test_frozen_dataclasses_with_slots():
    @cute.jit
    def function(x):
        pair = Pair(x, 3)
        for i in range(3):
            pair = Pair(pair.first + i, pair.second)
        if x > 2:
            pair = Pair(pair.first * 2, pair.second)
        return pair.first + pair.second

    expected = [(x + 3) * (2 if x > 2 else 1) + 3 for x in X.tolist()]
    np.testing.assert_array_equal(support.run_map(function, np.int32, X), expected)


def test_a_list_with_another_name():
    """After a region that binds a variable to another list, it holds a copy of the one that the run has chosen."""

    @cute.jit
    def summed(items):
        for i in range(3):
            items = [item + i for item in items]
        return items[0] + items[1]

    @cute.jit
    def function(x):
        values = [x, x]
        return summed(values) + values[0]

    np.testing.assert_array_equal(support.run_map(function, np.int32, X), 3 * X + 6)

    @cute.jit
    def later(x):
        values = [x, x]
        total = summed(values)  # its list is gone
        values[0] = 1
        return total + values[0]

    np.testing.assert_array_equal(support.run_map(later, np.int32, X), 2 * X + 7)

    @cute.jit
    def beside(x):
        values = [x, x]
        other = values
        if x > 2:
            values = [x + 1, x]
        return values[0] + other[0]

    expected = [2 * x + (x > 2) for x in X.tolist()]
    np.testing.assert_array_equal(support.run_map(beside, np.int32, X), expected)


@cute.jit
def chosen(items, n):
    if n > 2:
        items = [n + 1, n]  # bound anew
    return items


class Holder:
    def traced(self):  # a name that functions of the language have, too
        return self.values


def _changed_copy(x):
    values = [x, x]
    items = chosen(values, x)
    items[0] = x
    return items[0] + values[0]


def _changed_original(x):
    values = [x, x]
    items = chosen(values, x)
    values[0] = x + 1
    return items[0] + values[0]


def _changed_attribute(x):
    holder = Holder()
    holder.values = [x, x]
    items = chosen(holder.values, x)
    holder.values[0] = x + 1
    return items[0]


def _changed_and_put_back(x):
    values = [x, x]
    items = chosen(values, x)
    before = values[0]
    values[0] = 5
    found = items[0]
    values[0] = before
    return found


@pytest.mark.parametrize(
    "function", [_changed_copy, _changed_original, _changed_attribute, _changed_and_put_back]
)
def test_copies_and_originals_that_change(function):
    with pytest.raises(TypeError, match="`items` cannot change .* another list") as caught:
        support.run_map(cute.jit(function), np.int32, X)
    assert "items = [n + 1, n]  # bound anew" in str(caught.value)


def test_copies_of_expressions_that_change():
    @cute.jit
    def function(x):
        values = [x, x]
        items = values if x > 2 else [x + 1, x]  # the line
        values[0] = x * 2
        return items[0]

    with pytest.raises(TypeError, match="the value` cannot change .* another list") as caught:
        support.run_map(function, np.int32, X)
    assert "# the line" in str(caught.value)


def test_copies_made_in_operands_are_not_looked_at_behind_them():
    @cute.jit
    def moved(items, n):
        items[0] = n * 2
        if n > 3:
            items = [n + 1, n]
        return items[1]

    @cute.jit
    def function(x):
        values = [x, x]
        return x if x <= 2 else moved(values, x)

    @cute.jit(preprocess=False)  # looks at copies when it ends
    def host(x: Int32, out: cute.Tensor):
        out[0] = function(x)

    out = np.zeros(1, np.int32)
    host(5, out)
    assert out[0] == 5


def test_two_variables_with_one_new_list():
    @cute.jit
    def function(x):
        first = [x, x]
        second = [x, 1]
        if x > 2:
            first = second = [x + 1, x]
        first[0] = 5
        return second[0]

    with pytest.raises(TypeError, match="cannot change .* another list"):
        support.run_map(function, np.int32, X)
