"""Direct calls with tensors of known layout, pointers, tuples and objects: one program for each kind, found again."""

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

from fairlead import Constexpr, Float32, Int32, cute
from fairlead.cute import _direct
from fairlead.cute.runtime import from_dlpack, make_ptr


@pytest.fixture
def slow(monkeypatch):
    """How often Python code looked at a call."""
    calls = []
    call = _direct.call
    monkeypatch.setattr(_direct, "call", lambda *a, **k: calls.append(1) or call(*a, **k))
    return calls


@pytest.fixture(autouse=True)
def on_the_cpu(monkeypatch):
    monkeypatch.setenv("FAIRLEAD_TARGET", "cpu")


def zeros(*shape):
    return np.zeros(shape, np.float32)


class Pair(NamedTuple):
    x: cute.Tensor
    scale: Float32


class OtherPair(NamedTuple):
    x: cute.Tensor
    scale: Float32


@dataclasses.dataclass(frozen=True)
class Parameters:
    tensors: Any
    count: Int32


def test_tensors_of_known_layout(slow):
    traced = []

    @cute.jit
    def host(a: cute.Tensor):
        traced.append(str(a.layout))
        a[0] = a[0] + 1

    four, five = from_dlpack(zeros(4)), from_dlpack(zeros(5))
    for _ in range(3):
        host(four)
        host(five)
        host(from_dlpack(zeros(4)))
    assert traced == ["(4):(1)", "(5):(1)"]
    assert len(slow) == 2
    assert four._producer[0] == 3 and five._producer[0] == 3
    dynamic = from_dlpack(zeros(4)).mark_layout_dynamic()
    host(dynamic)
    host(from_dlpack(zeros(9)).mark_layout_dynamic())
    assert len(traced) == 3 and len(slow) == 3
    # The array itself is of another kind than a tensor of it whose layout is known.
    host(four._producer)
    host(zeros(5))
    assert len(slow) == 4 and four._producer[0] == 4


def test_one_example_for_two_parameters_does_not_tie_later_tensors():
    def host(a: cute.Tensor, b: cute.Tensor):
        a[0] = Float32(cute.size(a))
        b[0] = Float32(cute.size(b))

    direct, example = cute.jit(host), from_dlpack(zeros(3, 4)).mark_layout_dynamic()
    direct(example, example)
    compact = from_dlpack(zeros(3, 4)).mark_compact_shape_dynamic(0)
    compiled = cute.compile(cute.jit(host), compact, compact)
    for call in (direct, compiled):
        a, b = zeros(5, 4), zeros(2, 4)
        if call is direct:
            call(*(from_dlpack(x).mark_layout_dynamic() for x in (a, b)))
        else:
            call(a, b)
        assert (a[0, 0], b[0, 0]) == (20, 8)


def test_strides_of_one_and_zero_are_known(slow):
    """The last mode of stride 1 and modes that repeat their elements; the call path tells them as compiles do."""
    traced = []

    @cute.jit
    def host(a: cute.Tensor):
        traced.append(str(a.layout))

    def strided(shape, strides):
        return np.lib.stride_tricks.as_strided(zeros(64), shape, [4 * each for each in strides])

    layouts = [(8, 1), (1, 8), (8, 2), (0, 1), (1, 1), (0, 0)]
    for rows in (2, 3, 4):
        for strides in layouts:
            host(strided((rows, 2), strides))
        assert traced == [
            "(?,?):(?{i64},1)",
            "(?,?):(1,?{i64})",
            "(?,?):(?{i64},?{i64})",
            "(?,?):(0,1)",
            "(?,?):(0,0)",
        ]
    assert len(slow) == len(traced)
    # The stride of a single row says nothing.
    host(strided((1, 2), (0, 1)))
    assert len(slow) == len(traced) == 5


def test_what_is_marked_later_is_another_kind(slow):
    traced = []

    @cute.jit
    def host(a: cute.Tensor):
        traced.append(str(a.layout))

    tensor = from_dlpack(zeros(6, 4))
    host(tensor)
    host(tensor.mark_compact_shape_dynamic(0, divisibility=2))
    host(tensor)
    assert traced == ["(6,4):(4,1)", "(?{div=2},4):(4,1)"]
    # With another divisor, calls with 3 rows differ from calls with an even number of rows.
    host(from_dlpack(zeros(3, 4)).mark_compact_shape_dynamic(0, divisibility=3))
    assert traced[2:] == ["(?{div=3},4):(4,1)"]
    assert len(slow) == 3


def test_named_tuples(slow):
    traced = []

    @cute.jit
    def host(pair: Any, y: cute.Tensor):
        traced.append(type(pair))
        y[0] = pair.x[0] * pair.scale

    y = zeros(3)
    for scale in (2.0, 3.0, -0.5):
        host(Pair(np.ones(2, np.float32), scale), y)
        assert y[0] == scale
    assert traced == [Pair] and len(slow) == 1
    host(OtherPair(np.ones(2, np.float32), 2.0), y)
    host(pair=OtherPair(np.ones(2, np.float32), 4.0), y=y)
    assert traced == [Pair, OtherPair] and len(slow) == 2 and y[0] == 4
    host(Pair(from_dlpack(np.ones(2, np.float32)), 5.0), y)
    assert traced == [Pair, OtherPair, Pair] and len(slow) == 3 and y[0] == 5
    host(Pair(np.ones(2, np.float32), 6.0), y)
    assert len(traced) == 3 and len(slow) == 3 and y[0] == 6


def test_nested_objects_with_static_parts(slow):
    traced = []

    @cute.jit
    def host(p: Parameters, y: cute.Tensor):
        traced.append(p.tensors[1])
        y[0] = p.tensors[0][0] + p.tensors[1] + p.count

    y = zeros(1)
    one = np.ones(1, np.float32)
    for given in (1, 7, 7, 1):
        for count in (0, 10):
            host(Parameters((one, given), count), y)
            assert y[0] == 1 + given + count
    assert traced == [1, 7] and len(slow) == 2
    with pytest.raises(Exception, match="list|tuple|length|fields|Mismatched|index"):
        host(Parameters((one,), 1), y)


def test_a_list_is_not_a_tuple(slow):
    traced = []

    @cute.jit
    def host(pair: Any, y: cute.Tensor):
        traced.append(type(pair))
        y[0] = pair[0][0] + pair[1][0]

    y, one = zeros(1), np.ones(1, np.float32)
    for _ in range(2):
        host((one, one), y)
        host([one, one * 2], y)
    assert y[0] == 3
    assert len(traced) == 2 and len(slow) == 2


def test_none_and_a_tuple_in_turn(slow):
    @cute.jit
    def host(pair: Any, y: cute.Tensor):
        if pair is None:
            y[0] = 1
        else:
            y[0] = pair[0][0]

    y = zeros(1)
    for _ in range(3):
        host(None, y)
        assert y[0] == 1
        host((np.full(1, 5, np.float32),), y)
        assert y[0] == 5
    assert len(slow) == 2


def test_pointers(slow):
    traced = []

    @cute.jit
    def host(p: cute.Pointer):
        traced.append(p.alignment)
        p.store(p.load() + 1)

    memory = np.zeros(64, np.float32)
    address = -(-memory.ctypes.data // 64) * 64
    for _ in range(2):
        host(make_ptr(Float32, address, cute.AddressSpace.generic, assumed_align=4))
        host(make_ptr(Float32, address, cute.AddressSpace.generic, assumed_align=64))
    assert traced == [4, 64] and len(slow) == 2
    assert memory.sum() == 4


def test_checks_are_made_in_structures_too(slow):
    @cute.jit
    def host(pair: Any):
        pair[0][0] = pair[1][0]

    host((zeros(3), zeros(4)))
    with pytest.raises(TypeError):
        host((zeros(3), "text"))
    host((zeros(8), zeros(9)))
    assert len(slow) == 2


def test_each_program_is_kept_in_one_place():
    @cute.jit
    def host(a: cute.Tensor, sizes: Constexpr = ()):
        a[0] = a[0] + len(sizes)

    a = zeros(4)
    for _ in range(2):
        host(a)
        host(a, (1, 2))
    assert len(host._remembered()) == 2 and not host.by_key
    for _ in range(2):
        host(a, [1, 2, 3])  # which may change: only Python code compares it
    assert len(host._remembered()) == 2 and len(host.by_key) == 1
    assert a[0] == 10 and len(host.compiled) == 3
    assert {id(each) for each in host.compiled} == {
        *map(id, host._remembered()),
        *map(id, host.by_key.values()),
    }
    host.forget()
    assert host.compiled == []
    host(a)
    assert len(host.compiled) == 1 and a[0] == 10
