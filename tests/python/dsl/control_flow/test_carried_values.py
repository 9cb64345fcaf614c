"""The rules for values that a region of control flow carries: lists, dicts, objects, memory; against Python's run."""

import re

import numpy as np
from support import dsl_support as support
from test_control_flow import check
from test_control_flow_rules import COUNTS, X, failing, generator

from fairlead import Float32, cute


def test_how_many_items_there_are_is_part_of_the_program():
    @cute.jit
    def branch(x):
        items = [x, x + 1]
        if x > 0:
            items.append(7)
        return items[0] + len(items)

    @cute.jit
    def loop(x):
        items = [x]
        for _ in range(3):
            items.append(x * 2)
        return items[1]

    @cute.jit
    def own(x):
        items = [x]
        if x > 0:
            fresh = [x]
            fresh.append(x + 1)
            items[0] = fresh[1]
        return items[0]

    for function, text in ((branch, "`items` cannot change .*from 2 to 3 items"), (loop, "items")):
        error = failing(function)
        assert isinstance(error, TypeError) and re.search(text, str(error))
        assert "items.append(" in str(error)  # the line
    np.testing.assert_array_equal(support.run_map(own, np.int32, X), X + (X > 0))


def test_dicts_are_carried():
    @cute.jit
    def function(x, n):
        state = {"sum": x, "factor": 3, "name": "s"}
        for i in range(n):
            if i % 2 == 0:
                state["sum"] = state["sum"] + i * state["factor"]
            else:
                state["sum"] = state["sum"] - 1
        return state["sum"] * state["factor"]

    check(function, X, COUNTS)

    @cute.jit
    def constant(x):
        state = {"factor": 3}
        if x > 0:
            state["factor"] = 4
        return x * state["factor"]

    np.testing.assert_array_equal(
        support.run_map(constant, np.int32, X), [x * (4 if x > 0 else 3) for x in X.tolist()]
    )

    @cute.jit
    def name(x):
        state = {"name": "a"}
        if x > 0:
            state["name"] = "b"
        return x + len(state["name"])

    error = failing(name)
    assert isinstance(error, TypeError) and "state['name']" in str(error)


def test_lists_are_indexed_with_what_is_known():
    @cute.jit
    def function(x):
        return [1, 2, 3][x]

    error = failing(function)
    assert isinstance(error, TypeError) and "Int32" in str(error)


class Counter:
    def __init__(self, value, step):
        self.value, self.step = value, step

    def advance(self):
        self.value = self.value + self.step


def test_objects_changed_in_a_region_are_carried():
    @cute.jit
    def function(x, n):
        counter = Counter(x, 3)
        for i in range(n):
            if i % 3 != 1:
                counter.advance()
        return counter.value

    expected = [
        x + 3 * sum(i % 3 != 1 for i in range(n))
        for x, n in zip(X.tolist(), COUNTS.tolist(), strict=True)
    ]
    np.testing.assert_array_equal(support.run_map(function, np.int32, X, COUNTS), expected)


def test_memory_is_not_carried_but_names_of_tensors_are():
    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        row = a[0, None]
        if t % 2 == 1:
            row = a[1, None]
            out[t, 0] = 5.0  # a store needs no carrying
        else:
            out[t, 0] = 6.0
        for i in range(2):
            row = a[2, None] if i == 1 and t > 5 else row
        out[t, 1] = row[t]

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=1, block=8)

    a = generator.standard_normal((3, 8)).astype(np.float32)
    out = support.poisoned((8, 2), np.float32)
    fakes = [
        cute.runtime.make_fake_compact_tensor(Float32, shape, stride_order=(1, 0))
        for shape in ((3, 8), (8, 2))
    ]
    cute.compile(host, *fakes, options="--target cpu")(a, out)
    t = np.arange(8)
    np.testing.assert_array_equal(out[:, 0], np.where(t % 2, 5, 6))
    np.testing.assert_array_equal(out[:, 1], a[np.where(t > 5, 2, t % 2), t])
