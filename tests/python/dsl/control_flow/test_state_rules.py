"""Rules about state of Python in run-time regions that the programs of test_state_programs.py do not reach."""

import dsl_support as support
import numpy as np
import pytest
from test_control_flow_rules import X

import fairlead
from fairlead import Int32, cute


class Counter:
    def __init__(self, value):
        self.value = value


def test_the_condition_of_a_while_runs_once_for_each_iteration():
    """Its stores, too: nothing of what is traced to see whether the run decides stays in front of the loop."""

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
