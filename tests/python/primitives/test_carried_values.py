"""Arrays, pointers and vectors that change in run-time loops and branches, and objects that consist of them."""

import re

import numpy as np
import pytest
from support.primitives_support import floats, run

import fairlead
from fairlead import Float32, Int32, cute
from fairlead._tracing.value_trees import set_dynamic_debug, value_tree
from fairlead.primitives import Array, Pointer


def test_a_pointer_walks():
    def body(a, n, out):
        place, total = Pointer(a), Float32(0)
        for _ in range(n[0]):
            total += place.load()
            place = place + 2
        out[0], out[1] = total, place[0]

    a, out = floats(10), np.zeros(2, np.float32)
    run(body, a, np.array([4], np.int32), out)
    assert list(out) == [1 + 3 + 5 + 7, 9]


def test_an_array_moves_and_a_vector_adds_up():
    def body(a, n, out):
        rows, total = Array(a.iterator, (4, 4)), Array(a).load(0, 4) * 0.0
        for _ in range(n[0]):
            total = total + rows.load((0, 0), 4)
            rows = rows.subview((1, 0))
        Array(out).store(total)

    a, out = floats(4, 4), np.zeros(4, np.float32)
    run(body, a.reshape(-1), np.array([3], np.int32), out)
    np.testing.assert_array_equal(out, a[:3].sum(0))


def test_branches_choose():
    def body(a, b, n, out):
        source, vector = Array(a), Array(a).load(0, 2)
        if n[0] > 0:
            source = Array(b)
            vector = source.load(2, 2)
        out[0] = source[1]
        Array(out).store(vector, 1)

    a, b = floats(4), floats(4) * 10
    for choice, expected in ((0, [2, 1, 2]), (1, [20, 30, 40])):
        out = np.zeros(3, np.float32)
        run(body, a, b, np.array([choice], np.int32), out)
        assert list(out) == expected


def test_a_while_loop_that_only_asks():
    def body(flag, out):
        memory = Array(Int32, 1, space="smem")
        memory[0] = 0
        while next_of(memory) < flag[0]:
            pass
        out[0] = memory[0]

    def next_of(memory):
        memory[0] = memory[0] + 1
        return memory[0]

    out = np.zeros(1, np.int32)
    run(body, np.array([7], np.int32), out)
    assert out[0] == 7


def test_another_shape_is_refused():
    def body(a, n):
        view = Array(a.iterator, (4, 2))
        for _ in range(n[0]):
            view = Array(a.iterator, (2, 4))
        view[0] = 1.0

    with pytest.raises(TypeError, match="`view` cannot change"):
        run(body, floats(8), np.array([1], np.int32))


def test_a_vector_of_another_length_is_refused():
    def body(a, n):
        values = Array(a).load(0, 4)
        if n[0] > 1:
            values = Array(a).load(0, 2)
        Array(a).store(values)

    with pytest.raises(TypeError, match="`values` cannot change"):
        run(body, floats(8), np.array([1], np.int32))


class Particle:
    """An object that gives its values as a dict."""

    def __init__(self, position, forces):
        self.position, self.forces = position, forces

    def __extract_mlir_values__(self):
        return {
            "position": fairlead.extract_mlir_values(self.position, structured=True),
            "forces": [fairlead.extract_mlir_values(f, structured=True) for f in self.forces],
        }

    def __new_from_mlir_values__(self, values):
        position = fairlead.new_from_mlir_values(self.position, values["position"], structured=True)
        forces = [
            fairlead.new_from_mlir_values(old, new, structured=True)
            for old, new in zip(self.forces, values["forces"])
        ]
        return Particle(position, forces)


def moving(step):
    def body(n, out):
        particle = Particle((Float32(1), Int32(2)), [Float32(i) for i in range(3)])
        for _ in range(n[0]):
            particle = step(particle)
        out[0], out[1] = particle.position[0], particle.forces[2]

    return body


def test_objects_of_named_values_are_carried():
    def step(particle):
        x, y = particle.position
        return Particle((x + 1.0, y), [force * 2.0 for force in particle.forces])

    out = np.zeros(2, np.float32)
    run(moving(step), np.array([3], np.int32), out)
    assert list(out) == [4, 16]


def test_objects_of_named_values_go_to_kernels():
    @cute.kernel
    def device(particle, out: Array):
        out[0] = particle.position[0] + particle.forces[1]

    @cute.jit
    def host(x: Float32, out: Array):
        device(Particle((x, 3), [x, x * 2.0]), out).launch(grid=1, block=1)

    out = np.zeros(1, np.float32)
    host(2.0, out)
    assert out[0] == 6


CHANGES = {
    "the type of an item": (
        lambda p: Particle(p.position, [p.forces[0], Int32(5), p.forces[2]]),
        "`particle.forces[1]` must keep its type in a run-time `for`, but it was Float32 before and is Int32",
    ),
    "the type of a field": (
        lambda p: Particle((Int32(1), p.position[1]), p.forces),
        "`particle.position[0]` must keep its type",
    ),
    "the length of a list": (
        lambda p: Particle(p.position, [*p.forces, Float32(1)]),
        "`particle.forces` cannot change from 3 parts to 4",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changes_of_structure_name_the_part(name):
    step, text = CHANGES[name]
    with pytest.raises(TypeError, match=re.escape(text)):
        run(moving(step), np.array([3], np.int32), np.zeros(2, np.float32))


class Growing:
    def __init__(self, value, extra=None):
        self.value, self.extra = value, extra

    def __extract_mlir_values__(self):
        return {name: part for name, part in vars(self).items() if part is not None}

    def __new_from_mlir_values__(self, values):
        return Growing(**values)


def test_a_new_field_is_named():
    def body(n):
        growing = Growing(Float32(1))
        for _ in range(n[0]):
            growing = Growing(growing.value, Float32(2))

    text = "`growing` cannot change from the fields (value) to the fields (value, extra)"
    with pytest.raises(TypeError, match=re.escape(text)):
        run(body, np.array([3], np.int32))


def test_loops_show_what_they_carry(capsys):
    set_dynamic_debug(True, max_depth=0)
    try:
        run(moving(lambda particle: particle), np.array([3], np.int32), np.zeros(2, np.float32))
    finally:
        set_dynamic_debug(False)
    text = capsys.readouterr().out
    assert "particle = Particle:" in text and "5 values in all" in text
    run(moving(lambda particle: particle), np.array([3], np.int32), np.zeros(2, np.float32))
    assert capsys.readouterr().out == ""


def test_value_trees():
    texts = []

    def body(out):
        texts.append(value_tree(Particle((Float32(1), Int32(2)), [Float32(3)])))

    run(body, np.zeros(1, np.float32))
    assert texts == [
        "Particle:\n  position:\n    [0]: Float32\n    [1]: Int32\n  forces:\n    [0]: Float32"
    ]
