"""Direct calls see what changes in classes, in objects inside of others, in installed modules, in slots and arrays."""

import collections
import dataclasses
import functools
import json
import types

import numpy as np
import pytest

import fairlead
from fairlead import Float32, cute


def result(function, *args):
    a = np.zeros(4, np.float32)
    function(a, *args)
    return a[0]


def program(value):
    """A program whose result is what ``value`` gives while it is traced."""

    @cute.kernel
    def device(a: cute.Tensor):
        a[cute.arch.thread_idx()[0]] = Float32(value())

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=4)

    return host


def check(value, *changes):
    """After each change the program gives what ``value`` gives then, and is compiled once for each state."""
    host = program(value)
    assert [result(host), result(host)] == [value()] * 2
    for number, change in enumerate(changes, 2):
        change()
        assert [result(host), result(host)] == [value()] * 2
        assert len(host.compiled) == number
    return host


def setting(owner, name, value):
    return lambda: setattr(owner, name, value)


def making():
    """Classes that each test may change."""

    class Base:
        bias = 1.0

        def shift(self, x):
            return x + self.bias

    class Op(Base):
        scale = 2.0
        table = [1.0, 2.0]

        def __init__(self, config=None):
            self.config = config

        def apply(self, x):
            return self.shift(x) * self.scale

        @property
        def twice(self):
            return self.scale * 2

        @staticmethod
        def fixed():
            return 3.0

        @classmethod
        def of_class(cls):
            return cls.scale

        def __add__(self, other):
            return self.bias + other

    return Base, Op


def test_class_attributes():
    base, op = making()
    own = op()
    check(
        lambda: own.apply(1.0) + op.scale + op.table[1] + own.twice + op.of_class() + (own + 1.0),
        setting(op, "scale", 3.0),
        setting(base, "bias", 5.0),
        lambda: op.table.append(4.0),
        lambda: op.table.__setitem__(1, 7.0),
        setting(op, "bias", 6.0),  # in front of that of the base
        lambda: delattr(op, "bias") or setattr(op, "scale", 3.5),
        setting(own, "scale", 9.0),  # in front of that of the class
        setting(op, "shift", lambda self, x: x - 1.0),
        setting(op, "twice", property(lambda self: 11.0)),
    )


def test_a_method_that_a_subclass_calls_of_its_base():
    base, op = making()
    factor = [1.0]
    base.shift = lambda self, x: x * factor[0]

    class Derived(op):
        def shift(self, x):
            return super().shift(x) + 1.0

    own = Derived()
    check(
        lambda: own.apply(2.0),
        lambda: factor.__setitem__(0, 4.0),
        setting(base, "shift", lambda self, x: 0.0),
    )


def test_objects_in_objects():
    @dataclasses.dataclass
    class Config:
        block: float = 1.0
        inner: object = None

    _, op = making()
    configs = [op(Config(2.0, Config(3.0))), op(Config(4.0, {"a": (Config(5.0), [6.0])}))]

    def value():
        first, second = configs
        config = first.config
        return (
            config.inner.block + second.config.inner["a"][0].block + second.config.inner["a"][1][0]
        )

    check(
        value,
        setting(configs[0].config.inner, "block", 30.0),
        setting(configs[1].config.inner["a"][0], "block", 50.0),
        lambda: configs[1].config.inner["a"][1].__setitem__(0, 60.0),
        setting(configs[0], "config", Config(0.0, Config(31.0))),
        lambda: configs.reverse() or configs.reverse() or configs[0].config.inner.__init__(32.0),
    )


def test_attributes_of_self():
    class Config:
        block = 1.0

    class Kernel:
        shift = 0.5

        def __init__(self):
            self.config = Config()

        @cute.kernel
        def device(self, a: cute.Tensor):
            a[cute.arch.thread_idx()[0]] = Float32(self.config.block + self.shift + Kernel.shift)

        @cute.jit
        def __call__(self, a: cute.Tensor):
            self.device(a).launch(grid=1, block=4)

    kernel = Kernel()
    assert [result(kernel), result(kernel)] == [2, 2]
    kernel.config.block = 3.0
    assert [result(kernel), result(kernel)] == [4, 4]
    Kernel.shift = 1.0
    assert [result(kernel), result(kernel)] == [5, 5]
    kernel.config = Config()
    assert [result(kernel), result(kernel)] == [3, 3]
    kernel.__dict__ = {"config": types.SimpleNamespace(block=7.0)}
    assert [result(kernel), result(kernel)] == [9, 9]


class Other:
    def value(self):
        return 9.0


def test_the_class_and_the_dict_of_an_object():
    class One:
        def value(self):
            return self.number

    one = One()
    one.number = 1.0
    check(
        lambda: one.value(),
        setting(one, "__dict__", {"number": 2.0}),
        setting(one, "__class__", Other),
    )


def test_slots():
    class Slots:
        __slots__ = ("number", "table", "unset")

        def value(self):
            return self.number + self.table[0] + getattr(self, "unset", 0.0)

    class Derived(Slots):
        __slots__ = ("more",)

    for cls in (Slots, Derived):
        one = cls()
        one.number, one.table = 1.0, [2.0]
        check(
            lambda: one.value(),
            setting(one, "number", 3.0),
            lambda: one.table.__setitem__(0, 4.0),
            setting(one, "unset", 5.0),
            lambda: delattr(one, "unset") or setattr(one, "number", 8.0),
        )


def test_installed_modules(monkeypatch):
    monkeypatch.setattr(json, "SETTING", 1.0, raising=False)
    monkeypatch.setattr(json, "inner", types.SimpleNamespace(block=2.0), raising=False)

    def imported():
        from json import SETTING

        return SETTING

    check(
        lambda: json.SETTING + json.inner.block + imported(),
        setting(json, "SETTING", 3.0),
        setting(json.inner, "block", 4.0),
    )


def test_names_that_the_code_makes_up():
    _, op = making()
    own = op(types.SimpleNamespace(tile_0=1.0, tile_1=2.0))

    def value():
        total = sum(getattr(own.config, f"tile_{i}", 0.0) for i in range(4))
        return total + getattr(op, "factor", 0.0) + vars(own.config).get("other", 0.0)

    check(
        value,
        setting(own.config, "tile_1", 5.0),
        setting(op, "factor", 10.0),
        setting(own.config, "other", 20.0),
    )


def test_objects_that_look_attributes_up():
    class Config(dict):
        def __getattr__(self, name):
            return self._find(name)

        def _find(self, name):
            return self[name]

    class Stored:
        def __init__(self):
            self.store = {"block": 3.0}

        def __getattr__(self, name):
            return object.__getattribute__(self, "store")[name]

    config, stored = Config(block=1.0), Stored()
    check(
        lambda: config.block + stored.block,
        lambda: config.__setitem__("block", 2.0),
        lambda: stored.store.__setitem__("block", 4.0),
    )


def test_functions_behind_others():
    table = {"factor": 2.0}

    def inner(x, y=1.0, *, z=0.0):
        return x * table["factor"] + y + z

    @functools.wraps(inner)
    def wrapped(*args):
        return inner(*args)

    class Bound:
        offset = 1.0

        def method(self, x):
            return x + self.offset

    bound = Bound()
    partial, method = functools.partial(inner, 3.0, z=bound.offset), bound.method
    numbers = collections.namedtuple("Numbers", "a, b")(wrapped, [1.0])

    def value():
        return partial() + method(1.0) + numbers.a(2.0) + numbers.b[0]

    check(
        value,
        lambda: table.update(factor=3.0),
        setting(Bound, "offset", 5.0),
        lambda: numbers.b.__setitem__(0, 6.0),
        setting(inner, "__kwdefaults__", {"z": 2.0}),
        setting(inner, "__defaults__", (4.0,)),
    )


def test_what_compares_as_equal_is_not_the_same():
    table, pair, flags = [1, 2], ([3], 4), {1: 1.0}
    typed = lambda x: len(str(type(x)))  # noqa: E731

    def value():
        return sum(map(typed, table)) + typed(pair[0][0]) + pair[0][0] + sum(map(typed, flags))

    check(
        value,
        lambda: table.__setitem__(0, 1.0),
        lambda: table.__setitem__(0, True),
        lambda: pair[0].__setitem__(0, 3.0),
        lambda: flags.clear() or flags.update({True: 1.0}),
    )


def test_zero_and_minus_zero():
    zeros = [0.0]
    check(lambda: np.copysign(1.0, zeros[0]), lambda: zeros.__setitem__(0, -0.0))


def test_arrays_that_are_constants():
    weights, raw = np.array([1.0, 2.0]), bytearray(b"\1\2")
    view = weights[::-1]
    check(
        lambda: float(weights[0]) + raw[1] + float(view[0]),
        lambda: weights.__setitem__(0, 5.0),
        lambda: weights.__setitem__(1, 6.0),
        lambda: raw.__setitem__(1, 7),
    )


def test_many_elements():
    """More than were watched once."""
    table = list(range(1000))
    check(lambda: float(table[700]), lambda: table.__setitem__(700, 5))


def test_a_list_in_itself():
    table = [1.0]
    table.append(table)
    check(lambda: table[1][1][0], lambda: table.__setitem__(0, 5.0))


def test_types_of_the_language(monkeypatch):
    chosen = types.SimpleNamespace(dtype=fairlead.Int32)
    kind = fairlead.Int32

    def value():
        return chosen.dtype(1).dtype.width + kind.width

    def change():
        nonlocal kind
        kind = fairlead.Float16

    check(value, setting(chosen, "dtype", fairlead.Float64), change)


def test_static_arguments():
    class Config:
        block = 1.0

        def __init__(self, table):
            self.table = table

    @cute.kernel
    def device(a: cute.Tensor, value: fairlead.Constexpr):
        a[cute.arch.thread_idx()[0]] = Float32(value)

    @cute.jit
    def host(a: cute.Tensor, config: fairlead.Constexpr):
        device(a, config.block + config.table[0]).launch(grid=1, block=4)

    one, two = Config([1.0]), Config([2.0])
    assert [result(host, each) for each in (one, two, one, two)] == [2, 3, 2, 3]
    one.table[0] = 5.0
    assert [result(host, each) for each in (one, two, one, two)] == [6, 3, 6, 3]
    two.block = 7.0
    assert [result(host, each) for each in (one, two, one, two)] == [6, 9, 6, 9]
    Config.block = 3.0
    assert [result(host, each) for each in (one, two, one, two)] == [8, 9, 8, 9]
    held = (one,)
    later = cute.jit(lambda a, config: None)
    del later

    @cute.jit
    def nested(a: cute.Tensor, configs: fairlead.Constexpr):
        device(a, configs[0].block).launch(grid=1, block=4)

    assert [result(nested, held), result(nested, held)] == [3, 3]
    one.block = 4.0
    assert [result(nested, held), result(nested, held)] == [4, 4]


def test_a_global_that_hides_a_function_of_python(monkeypatch):
    host = program(lambda: max(1.0, 2.0))
    assert [result(host), result(host)] == [2, 2]
    monkeypatch.setitem(globals(), "max", lambda *args: 5.0)
    assert [result(host), result(host)] == [5, 5]
    monkeypatch.undo()
    assert result(host) == 2 and len(host.compiled) == 2


def test_what_is_not_read_is_not_compiled_for():
    _, op = making()
    own = op(types.SimpleNamespace(block=1.0, unread=0))

    class Counting:
        calls = 0
        factor = 2.0

        def run(self, host):
            self.calls += 1
            return result(host)

    counting = Counting()
    host = program(lambda: own.apply(1.0) + own.config.block + counting.factor)
    assert counting.run(host) == 7
    for number in range(5):
        own.config.unread = op.unread = own.other = number
        Counting.more = number
        assert counting.run(host) == 7
    assert len(host.compiled) == 1


def test_what_tracing_sets_once():
    class Lazy:
        block = None

        @cute.kernel
        def device(self, a: cute.Tensor):
            a[cute.arch.thread_idx()[0]] = Float32(self.block)

        @cute.jit
        def __call__(self, a: cute.Tensor):
            if self.block is None:
                self.block = 2.0
            self.device(a).launch(grid=1, block=4)

    for _ in range(3):
        lazy = Lazy()
        assert [result(lazy), result(lazy)] == [2, 2]
        lazy.block = 5.0
        assert [result(lazy), result(lazy)] == [5, 5]


def test_another_object_at_the_address_of_one_that_is_gone():
    class Counted:
        def __init__(self):
            self.number = 1.0

        @cute.kernel
        def device(self, a: cute.Tensor):
            a[cute.arch.thread_idx()[0]] = Float32(self.number)

        @cute.jit
        def __call__(self, a: cute.Tensor):
            self.traces = getattr(self, "traces", 0) + 1
            self.device(a).launch(grid=1, block=4)

    for number in range(80):
        counted = Counted()
        counted.number = float(number)
        assert [result(counted), result(counted)] == [number, number]
        counted.number += 0.5
        assert result(counted) == number + 0.5


@pytest.mark.parametrize("count", [5000])
def test_large_graphs_end(count):
    """Very many objects are not all compared; the call neither fails nor takes long."""
    nodes = [types.SimpleNamespace(value=1.0, next=None) for _ in range(count)]
    for node, after in zip(nodes, nodes[1:], strict=False):
        node.next = after
    head = nodes[0]
    host = program(lambda: head.value + head.next.value)
    assert [result(host), result(host)] == [2, 2]
    head.next.value = 5.0
    assert result(host) == 6
