"""Direct calls see what changes outside of their functions: globals, captured variables, helpers, kernels."""

import gc
import types
import weakref

import numpy as np
import pytest

from fairlead import Float32, cute
from fairlead.cute._guards import Dependencies

OFFSET = 1.0
TABLE = {"factor": 1.0, "more": [{"bias": 0.0}]}
shape = "a global with the name of an attribute"


def helper(x):
    return x + OFFSET


class Policy:
    def apply(self, x):
        return helper(x) * TABLE["factor"] + TABLE["more"][0]["bias"]


@cute.kernel
def add_kernel(a: cute.Tensor):
    i = cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        a[i] = Policy().apply(a[i])


@cute.jit
def add(a: cute.Tensor):
    add_kernel(a).launch(grid=1, block=4)


def result(function=add):
    a = np.zeros(4, np.float32)
    function(a)
    assert (a == a[0]).all()
    return a[0]


@cute.kernel
def other_kernel(a: cute.Tensor):
    a[cute.arch.thread_idx()[0]] = Float32(9.0)


CHANGES = {
    "number": ({"OFFSET": 5.0}, 5),
    "equal number": ({"OFFSET": float("1.0")}, 1),
    "number of another type": ({"OFFSET": 2}, 2),
    "table": ({"TABLE": {"factor": 7.0, "more": [{"bias": 0.0}]}}, 7),
    "helper": ({"helper": lambda x: x - 3.0}, -3),
    "kernel": ({"add_kernel": other_kernel}, 9),
    "class": ({"Policy": types.SimpleNamespace(apply=None)}, None),
}


@pytest.mark.parametrize("name", CHANGES)
def test_another_value(monkeypatch, name):
    assert result() == 1
    for changed, wanted in CHANGES[name][0].items():
        monkeypatch.setitem(globals(), changed, wanted)
    if name == "class":
        with pytest.raises(TypeError):
            result()
    else:
        assert [result(), result()] == [CHANGES[name][1]] * 2
    monkeypatch.undo()
    assert [result(), result()] == [1, 1]


def test_changed_containers(monkeypatch):
    monkeypatch.setitem(TABLE, "factor", 4.0)
    assert [result(), result()] == [4, 4]
    TABLE["factor"] = 6.0
    assert result() == 6
    monkeypatch.setitem(TABLE["more"][0], "bias", 0.5)
    assert [result(), result()] == [6.5, 6.5]
    monkeypatch.undo()
    assert result() == 1


def test_what_was_compiled_is_kept(monkeypatch):
    function = cute.jit(add.function)
    seen = []
    for value in (1.0, 2.0, 1.0, 2.0, 1.0):
        monkeypatch.setitem(globals(), "OFFSET", value)
        assert result(function) == value
        seen.append(len(function.compiled))
    assert seen == [1, 2, 2, 2, 2]


def test_names_of_attributes_do_not_count(monkeypatch):
    function = cute.jit(add.function)
    assert result(function) == 1
    monkeypatch.setitem(globals(), "shape", 3)
    monkeypatch.setitem(globals(), "unused", 3)
    assert result(function) == 1 and len(function.compiled) == 1


def test_captured_variables():
    amount = 1.0

    @cute.kernel
    def device(a: cute.Tensor):
        a[cute.arch.thread_idx()[0]] = Float32(amount)

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=4)

    assert [result(host), result(host)] == [1, 1]
    amount = 2.0
    assert [result(host), result(host)] == [2, 2]
    assert len(host.compiled) == 2


def test_inlined_functions(monkeypatch):
    @cute.jit
    def outer(a: cute.Tensor):
        add(a)

    assert result(outer) == 1
    monkeypatch.setitem(globals(), "OFFSET", 8.0)
    assert result(outer) == 8


def test_constants_of_each_kind_of_call(monkeypatch):
    @cute.jit
    def constant(a: cute.Tensor, n: cute.Constexpr):
        for _ in cutlass_range(n):
            add_kernel(a).launch(grid=1, block=4)

    def cutlass_range(n):
        return range(n)

    def run(n):
        a = np.zeros(4, np.float32)
        constant(a, n)
        return a[0]

    assert [run(1), run(2), run(1)] == [1, 2, 1]
    monkeypatch.setitem(globals(), "OFFSET", 3.0)
    assert [run(1), run(2), run(1), run(2)] == [3, 6, 3, 6]


def test_installed_packages_are_not_followed():
    from unittest.mock import patch

    def uses(x):
        return patch(x)

    # The captured variable, and what fairlead.checks.on, coverage and timelines ask for.
    watched = [name for _, name in Dependencies(uses).entries]
    assert watched == ["", "active", "threads", "active", "active"]


def test_values_that_compare_in_their_own_way(monkeypatch):
    """They are known by identity: neither asked whether they are equal, nor for a hash."""

    class Odd:
        def __eq__(self, other):
            raise RuntimeError("not to be asked")

        __hash__ = None

    monkeypatch.setitem(globals(), "OFFSET", Odd())
    monkeypatch.setitem(globals(), "helper", lambda x: x + (2.0 if OFFSET else 0.0))
    assert [result(), result()] == [2, 2]
    monkeypatch.setitem(globals(), "OFFSET", [Odd()])
    assert [result(), result()] == [2, 2]
    assert Dependencies(add.function).key == Dependencies(add.function).key


def test_nothing_is_kept_alive_by_itself():
    """A function that captures its own dispatcher is collected."""

    class Held:
        pass

    def use():
        held = Held()

        @cute.jit
        def host(a: cute.Tensor):
            assert held is not None and host is not None
            add_kernel(a).launch(grid=1, block=4)

        assert result(host) == 1
        return weakref.ref(held)

    alive = use()
    gc.collect()
    assert alive() is None


class Settings:
    """A class of a user; ``scale`` is in the object, ``bias`` in the class."""

    bias = 1.0

    def __init__(self):
        self.scale, self.table, self.unread = 1.0, [1.0], 0


def test_attributes_of_modules_and_objects(monkeypatch):
    module, settings = types.ModuleType("made"), Settings()
    module.inner = types.ModuleType("made.inner")
    module.inner.value = 1.0
    module.helper = lambda x: x * 1.0

    @cute.kernel
    def device(a: cute.Tensor):
        value = module.helper(settings.scale) * module.inner.value + settings.table[0]
        a[cute.arch.thread_idx()[0]] = Float32(value)

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=4)

    assert [result(host), result(host)] == [2, 2]
    settings.unread, module.other = 5, 7
    assert result(host) == 2 and len(host.compiled) == 1
    settings.scale = 3.0
    assert [result(host), result(host)] == [4, 4]
    module.inner.value = 2.0
    assert [result(host), result(host)] == [7, 7]
    module.helper = lambda x: x * 10.0
    assert [result(host), result(host)] == [61, 61]
    settings.table[0] = 5.0
    assert [result(host), result(host)] == [65, 65]
    module.inner = types.SimpleNamespace(value=1.0)
    assert [result(host), result(host)] == [35, 35]
    del settings.scale
    with pytest.raises(AttributeError):
        result(host)


def test_objects_of_the_language_are_not_looked_into():
    typed = Float32

    def uses(x):
        return np.float32(x) + typed.width + gc.isenabled() + cute.arch.WARP_SIZE

    names = {name for _, name in Dependencies(uses).entries}
    assert names == {"np", "gc", "cute", "", "float32", "isenabled", "active", "threads"}


def test_functions_whose_code_is_replaced():
    """Tools that load modules again do this."""

    def inner(x, factor=1.0):
        return x * factor + 1.0

    @cute.kernel
    def device(a: cute.Tensor):
        a[cute.arch.thread_idx()[0]] = Float32(inner(1.0))

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=4)

    assert [result(host), result(host)] == [2, 2]
    inner.__code__ = (lambda x, factor=1.0: x * factor + OFFSET + 4.0).__code__
    assert [result(host), result(host)] == [6, 6]
    inner.__defaults__ = (3.0,)
    assert [result(host), result(host)] == [8, 8]
    inner.__defaults__ = None
    with pytest.raises(TypeError):
        result(host)


def test_objects_that_tracing_changes():
    """A count that tracing itself changes is no other program."""
    counter = types.SimpleNamespace(traced=0)

    @cute.jit
    def host(a: cute.Tensor):
        counter.traced = counter.traced + 1
        add_kernel(a).launch(grid=1, block=4)

    assert [result(host), result(host), result(host)] == [1, 1, 1]
    assert counter.traced == 1


class Scaled:
    """Kernels that are classes are written in this way."""

    def __init__(self, scale):
        self.scale, self.table, self.unread = scale, [0.0], 0

    @property
    def bias(self):
        return self.table[0]

    def of(self, x):
        return x * self.scale + self.bias

    @cute.kernel
    def device(self, a: cute.Tensor):
        i = cute.arch.thread_idx()[0]
        a[i] = self.of(Float32(1.0)) + self.extra

    @cute.jit
    def __call__(self, a: cute.Tensor):
        self.extra = 1.0  # set while tracing
        self.traced = getattr(self, "traced", 0) + 1
        self.device(a).launch(grid=1, block=4)


def test_attributes_of_self():
    one, two = Scaled(2.0), Scaled(3.0)
    assert [result(one), result(one), result(two), result(one)] == [3, 3, 4, 3]
    assert (one.traced, two.traced) == (1, 1)
    one.scale = 5.0
    assert [result(one), result(one), result(two)] == [6, 6, 4]
    one.table[0] = 2.0
    assert [result(one), result(one), result(two)] == [8, 8, 4]
    one.unread = 3
    assert result(one) == 8
    assert (one.traced, two.traced) == (3, 1)
    del two.table
    with pytest.raises(AttributeError):
        result(two)
