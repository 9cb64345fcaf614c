"""Objects that run-time regions change: structs, mutating methods, the protocol of dynamic expressions."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
from support.dsl_support import vector

import fairlead
from fairlead import Boolean, Float16, Float32, Int32, cute, pipeline
from fairlead._tracing import regions
from fairlead.cute.nvgpu import warpgroup

CPU = "--target cpu"


def run(function, *inputs, n=4):
    """``function(out, inputs)`` compiled for Int32 vectors and run."""
    out = np.full(n, -7, np.int32)
    arrays = [np.array(values, np.int32) for values in inputs]
    host = cute.jit(function)
    compiled = cute.compile(host, vector(Int32), *[vector(Int32) for _ in arrays], options=CPU)
    compiled(out, *arrays)
    return out.tolist()


@cute.native_struct
class State:
    index: Int32
    phase: Int32
    stages: fairlead.Constexpr

    def advance(self):
        self.index = self.index + 1
        self.wrap()

    @cute.jit
    def wrap(self):
        if self.index == self.stages:
            self.index = 0
            self.phase = self.phase ^ 1


def expected_state(steps, stages):
    return [steps % stages, steps // stages % 2]


@pytest.mark.parametrize("steps", [0, 1, 3, 7, 100])
def test_native_struct_in_a_loop(steps):
    def pipeline(out, a):
        state = State(stages=3)
        for _ in range(a[0]):
            state.advance()
        out[0] = state.index
        out[1] = state.phase

    assert run(pipeline, [steps])[:2] == expected_state(steps, 3)


def test_native_struct_in_branches():
    def branches(out, a):
        state = State(Int32(5), Int32(0), stages=9)
        if a[0] > 0:
            state.index += 10
        else:
            state.phase = 4
        out[0], out[1] = state.index, state.phase

    assert run(branches, [1])[:2] == [15, 0]
    assert run(branches, [-1])[:2] == [5, 4]


class Scheduler:
    """A plain class: its values of the program are carried."""

    def __init__(self, limit, step):
        self.limit = limit
        self.step = step
        self.position = Int32(0)
        self.state = State(stages=4)

    def valid(self):
        return self.position < self.limit

    def advance(self):
        self.position = self.position + self.step
        self.state.advance()


@pytest.mark.parametrize("limit", [0, 1, 10, 23])
def test_plain_objects_of_any_depth(limit):
    def walk(out, a):
        work = Scheduler(a[0], 3)
        count = 0
        while work.valid():
            count += 1
            work.advance()
        out[0], out[1], out[2], out[3] = count, work.position, work.state.index, work.state.phase

    steps = -(-limit // 3)
    assert run(walk, [limit]) == [steps, steps * 3, *expected_state(steps, 4)]


def test_self_is_carried():
    class Kernel:
        def __init__(self, tile):
            self.tile = tile

        def bump(self, by):
            self.total = self.total + by * self.tile

        @cute.jit
        def __call__(self, out: cute.Tensor, a: cute.Tensor):
            self.total = Int32(0)
            for i in range(a.shape[0]):
                if a[i] > 0:
                    self.bump(a[i])
            out[0] = self.total

    out, a = np.zeros(1, np.int32), np.array([1, -2, 3, 4], np.int32)
    compiled = cute.compile(Kernel(10), vector(Int32), vector(Int32), options=CPU)
    compiled(out, a)
    assert out[0] == 80


def test_helpers_that_change_what_they_are_given():
    def advance(state):
        state.advance()

    def loop(out, a):
        state = State(stages=5)
        for _ in range(a[0]):
            advance(state)
        out[0] = state.index

    assert run(loop, [13])[0] == 3


@dataclasses.dataclass(frozen=True)
class Point:
    x: Int32
    y: Int32
    name: str = "p"


def test_frozen_objects_are_assigned_anew():
    def swap(out, a):
        point = Point(a[0], 5)
        for i in range(a[1]):
            point = Point(point.y, point.x + i)
        if a[2] > 0:
            point = dataclasses.replace(point, x=point.x + 100)
        out[0], out[1] = point.x, point.y

    x, y = 2, 5
    for i in range(7):
        x, y = y, x + i
    assert run(swap, [2, 7, 1])[:2] == [x + 100, y]
    assert run(swap, [2, 7, 0])[:2] == [x, y]


class Counter:
    """Has the protocol."""

    def __init__(self, value, scale):
        self._value, self.scale = value, scale

    def __extract_mlir_values__(self):
        return [self._value]

    def __new_from_mlir_values__(self, values):
        return Counter(values[0], self.scale)

    def add(self, other):
        self._value = self._value + other * self.scale


def test_protocol_of_dynamic_expressions():
    def count(out, a):
        counter = Counter(Int32(1), 3)
        for i in range(a[0]):
            counter.add(i)
        if a[0] > 100:
            counter = Counter(Int32(0), 3)
        out[0] = counter._value

    assert run(count, [6])[0] == 1 + 3 * 15
    assert run(count, [101])[0] == 0


def test_aliases_stay_one_object():
    def alias(out, a):
        state = State(stages=100)
        other = state
        for _ in range(a[0]):
            state.advance()
        other.index = other.index + 1000
        out[0] = state.index

    assert run(alias, [9])[0] == 1009


def test_constants_that_a_region_changes_become_numbers():
    class Holder:
        def __init__(self):
            self.count, self.name = 0, "a"

        def bump(self):
            self.count = self.count + 1

        def rename(self):
            self.name = "b"

    def host(out, a):
        holder = Holder()
        for _ in range(a[0]):
            holder.bump()
        out[0] = holder.count

    assert run(host, [3])[0] == 3

    def renaming(out, a):
        holder = Holder()
        for _ in range(a[0]):
            holder.rename()
        out[0] = 1

    message = "`holder.name` cannot change .*from the constant 'a' to the constant 'b'"
    with pytest.raises(TypeError, match=message):
        run(renaming, [3])


def test_numbers_in_attributes_that_a_region_assigns():
    """Like items of lists and names that are bound again, they become numbers of the program."""

    def host(out, a):
        place = SimpleNamespace(tile=127, inner=SimpleNamespace(seen=0), stages=2)
        for i in range(a[0]):
            place.tile = a[0] - i
            place.inner.seen += i
        if a[1] > 0:
            place.stages = 3
        out[0], out[1], out[2] = place.tile, place.inner.seen, place.stages

    assert list(run(host, [5, 1])[:3]) == [1, 10, 3]
    assert list(run(host, [0, 0])[:3]) == [127, 0, 2]


def test_types_of_attributes_may_not_change():
    def host(out, a):
        holder = Scheduler(3, 1)
        if a[0] > 0:
            holder.position = Float32(1.0)
        out[0] = 1

    message = "`holder.position` must keep .*was Int32 .*is Float32"
    with pytest.raises(TypeError, match=message):
        run(host, [3])


def test_objects_are_clean_after_an_error():
    class Kernel:
        def __init__(self):
            self.state = State(Int32(0), Int32(0), stages=2)
            self.fail = True

        @cute.jit
        def __call__(self, out: cute.Tensor, a: cute.Tensor):
            for _ in range(a[0]):
                self.state.advance()
                if fairlead.const_expr(self.fail):
                    raise KeyError("mine")
            out[0] = self.state.index

    kernel = Kernel()
    before = kernel.state.index
    with pytest.raises(KeyError, match="mine"):
        cute.compile(kernel, vector(Int32), vector(Int32), options=CPU)
    assert kernel.state.index is before
    kernel.fail = False
    out = np.zeros(1, np.int32)
    cute.compile(kernel, vector(Int32), vector(Int32), options=CPU)(out, np.array([5], np.int32))
    assert out[0] == 1


def test_struct_fields_convert():
    state = State(True, 2, stages=3)
    assert type(state.index) is Int32 and type(state.phase) is Int32 and state.stages == 3

    @cute.native_struct()
    class Flags:
        on: Boolean
        weight: Float32

    flags = Flags()
    assert type(flags.on) is Boolean and type(flags.weight) is Float32
    flags.weight = 3
    assert type(flags.weight) is Float32


def test_structs_cross_every_boundary():
    @cute.kernel
    def device(out: cute.Tensor, state: State, point: Point):
        thread, _, _ = cute.arch.thread_idx()
        if thread < 4:
            state.advance()
            out[thread] = state.index * 100 + point.x + point.y

    @cute.jit
    def host(out: cute.Tensor, state: State, point: Point):
        device(out, state, point).launch(grid=1, block=32)

    fakes = State(Int32(0), Int32(0), stages=3), Point(1, 2)
    compiled = cute.compile(host, vector(Int32), *fakes, options=CPU)
    out = np.zeros(4, np.int32)
    compiled(out, State(1, 0, stages=3), Point(3, 4))
    assert out.tolist() == [207] * 4
    with pytest.raises(ValueError, match="state.stages"):
        compiled(out, State(1, 0, stages=4), Point(3, 4))


@pytest.mark.parametrize("method", ["advance", "reverse"])
def test_loops_that_count_stages_are_traced_once(method, monkeypatch):
    traces = []

    class Counted(regions.Loop):
        def __init__(self, *args):
            traces.append(args)
            super().__init__(*args)

    @cute.jit
    def stages(a: cute.Tensor, count: cute.Int32):
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 3)
        for _ in cute.range(count):
            if count > 2:
                a[state.index] += state.count
            if cute.const_expr(method == "advance"):
                state.advance()
            else:
                state.reverse()

    monkeypatch.setattr(regions, "Loop", Counted)
    a = np.zeros(3, np.int32)
    stages(a, 5)
    assert len(traces) == 1
    assert a.tolist() == ([3, 5, 2] if method == "advance" else [-3, -2, -5])


@pytest.mark.parametrize("what", ["sets", "restores", "nothing"])
def test_loops_that_set_a_field_of_an_mma_carry_it_from_their_first_trace(what, monkeypatch):
    """Loops that leave the field as it was are traced again, and do not carry it."""
    carried = []

    class Counted(regions.Loop):
        def __init__(self, *args):
            super().__init__(*args)
            carried.append(self.names)

    major = warpgroup.OperandMajorMode.K
    op = warpgroup.MmaF16BF16Op(
        Float16, Float32, (64, 64, 16), warpgroup.OperandSource.SMEM, major, major
    )
    field = warpgroup.Field.ACCUMULATE

    @cute.kernel
    def device(a: cute.Tensor, count: cute.Int32):
        mma = cute.make_tiled_mma(op)
        mma.set(field, False)
        for i in cute.range(count):
            before = mma.get(field)
            if cute.const_expr(what != "nothing"):
                mma.set(warpgroup.Field.ACCUMULATE, i != 1)
            a[i] = Int32(before) * 10 + Int32(mma.get(field))
            if cute.const_expr(what == "restores"):
                mma.set(warpgroup.Field.ACCUMULATE, before)
        a[count] = Int32(mma.get(field))

    @cute.jit
    def host(a: cute.Tensor, count: cute.Int32):
        device(a, count).launch(grid=1, block=1)

    monkeypatch.setattr(regions, "Loop", Counted)
    a = np.full(4, -1, np.int32)
    host(a, 3)
    assert carried == [["mma._accumulate"]] + [[]] * (what != "sets")
    expected = {"sets": [1, 10, 1, 1], "restores": [1, 0, 1, 0], "nothing": [0] * 4}
    assert a.tolist() == expected[what]
