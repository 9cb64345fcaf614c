"""The dispatcher sees at once whether names outside a program still mean the same."""

import gc
import itertools
import sys
import types
import weakref

import pytest

from fairlead import ffi
from fairlead._core import CallDescription, Dispatcher, Guards


class Thing:
    """Compared by identity."""


class Watching(Dispatcher):
    """Makes a function for the names of its scopes as they are, and counts."""

    def __init__(self, *places, statics=False):
        self.made = 0
        self.places = places
        self._describe(CallDescription(["a"], (...,), 1), (statics,))

    def _direct(self, a):
        self.made += 1
        function = ffi.convert(lambda *args, number=self.made: number)
        function.guards = Guards(self.places)
        assert self._remember((a,), function)
        return -self.made


def names(count, scope="x"):
    return {f"{scope}{i}": Thing() for i in range(count)}


def watching(scope, **options):
    f = Watching(*((scope, name) for name in scope), **options)
    assert [f(0), f(0), f(0)] == [-1, 1, 1]
    return f


def as_module(scope):
    module = types.ModuleType("made")
    module.__dict__.update(scope)
    return module


CHANGES = {
    "item": lambda d: d.__setitem__("x1", Thing()),
    "deleted": lambda d: d.__delitem__("x1"),
    "pop": lambda d: d.pop("x1"),
    "popitem": lambda d: d.popitem(),
    "cleared": lambda d: d.clear(),
    "update": lambda d: d.update(x1=Thing(), other=1),
    "update of a dict": lambda d: d.update({"x1": Thing()}),
    "merged": lambda d: d.__ior__({"x1": Thing()}),
    "cleared and filled": lambda d: (d.clear(), d.update({f"x{i}": 0 for i in range(3)})),
    "statement": lambda d: exec("global x1\nx1 = 5", d),
    "del statement": lambda d: exec("del x1", d),
    "in a function": lambda d: exec("def f():\n  global x1\n  x1 = 5\nf()", d),
    "loop variable": lambda d: exec("for x1 in range(3): pass", d),
    "import": lambda d: exec("import sys as x1", d),
    "another str that is equal": lambda d: d.__setitem__("".join(["x", "1"]), Thing()),
}


@pytest.mark.parametrize("name", CHANGES)
def test_every_way_to_change_a_name(name):
    scope = names(3)
    f = watching(scope)
    CHANGES[name](scope)
    assert [f(0), f(0)] == [-2, 2]


def test_attribute_of_a_module():
    module = as_module(names(3))
    f = Watching((module.__dict__, "x0"), (module.__dict__, "x1"))
    assert [f(0), f(0)] == [-1, 1]
    module.x1 = Thing()
    assert [f(0), f(0)] == [-2, 2]
    del module.x0
    assert f(0) == -3


def test_names_that_stay():
    scope = names(40)
    f = watching(scope)
    for i in range(2000):  # the dict grows, and moves what it holds
        scope[f"other{i}"] = i
        assert f(0) == 1
    scope["x7"] = scope["x7"]
    del scope["other3"]
    scope.update(other5=1)
    exec("for i in range(10): pass", scope)
    assert f(0) == 1 and f.made == 1


def test_a_name_that_comes_back():
    scope = names(3)
    first, second = scope["x2"], Thing()
    f = watching(scope)
    scope["x2"] = second
    assert f(0) == -2
    for _ in range(3):
        scope["x2"] = first
        assert [f(0), f(0)] == [1, 1]
        scope["x2"] = second
        assert [f(0), f(0)] == [2, 2]
    assert f.made == 2


def test_names_of_several_dicts():
    scopes = [names(2, scope) for scope in "uvw"]
    f = Watching(*((scope, name) for scope in scopes for name in scope))
    assert [f(0), f(0)] == [-1, 1]
    for number, scope in enumerate(scopes, 2):
        scope[next(iter(scope))] = Thing()
        assert [f(0), f(0)] == [-number, number]


def test_several_dispatchers_of_one_dict():
    scope = names(4)
    all_of_them, some = watching(scope), Watching((scope, "x1"))
    assert some(0) == -1
    scope["x0"] = Thing()
    assert (all_of_them(0), some(0)) == (-2, 1)
    del all_of_them
    gc.collect()
    scope["x1"] = Thing()
    assert [some(0), some(0)] == [-2, 2]


def test_captured_variables():
    x = Thing()

    def function():
        return x, later  # noqa: F821

    later_cell, x_cell = function.__closure__
    f = Watching((x_cell, "x"), (later_cell, "later"))
    assert [f(0), f(0)] == [-1, 1]
    later = 3
    assert [f(0), f(0)] == [-2, 2]
    x = Thing()
    assert [f(0), f(0)] == [-3, 3]
    del later
    assert [f(0), f(0)] == [-4, 4]


def test_parts_of_functions():
    def one(x=1):
        return x

    def two(x=1, y=2):
        return x

    f = Watching((one, "__code__"), (one, "__defaults__"))
    assert [f(0), f(0)] == [-1, 1]
    old, one.__code__ = one.__code__, two.__code__
    assert [f(0), f(0)] == [-2, 2]
    one.__code__ = old
    assert f(0) == 1
    one.__defaults__ = None
    assert [f(0), f(0)] == [-3, 3]
    one.__defaults__ = (5,)
    assert [f(0), f(0)] == [-4, 4]


@pytest.mark.parametrize(
    ("value", "change"),
    [
        ([1, 2], lambda v: v.append(3)),
        ([1, 2], lambda v: v.__setitem__(0, 5)),
        ({"a": 1}, lambda v: v.update(a=2)),
        ({1, 2}, lambda v: v.add(3)),
    ],
)
def test_containers(value, change):
    scope = {"x": value, "y": Thing()}
    f = watching(scope)
    scope["x"] = value.copy()
    assert f(0) == 1  # an equal one
    change(scope["x"])
    assert [f(0), f(0)] == [-2, 2]
    scope["x"] = tuple(value)
    assert [f(0), f(0)] == [-3, 3]


def test_random_changes():
    """Against looking at every name."""
    import random

    random.seed(3)
    things = [Thing() for _ in range(3)]
    scope = {f"x{i}": things[0] for i in range(6)}
    f = Watching(*((scope, name) for name in list(scope)[:4]))
    made: dict[tuple, int] = {}
    for _ in range(3000):
        name = f"x{random.randrange(6)}"
        if random.random() < 0.7:
            scope[name] = random.choice(things)
        elif random.random() < 0.5:
            scope.pop(name, None)
            scope[name] = things[1]
        state = tuple(scope[f"x{i}"] for i in range(4))
        result = f(0)
        if result < 0:
            assert made.get(state, -result) <= -result
            made[state] = -result
        else:
            assert made[state] == result
    assert f.made < 300


def test_comparing_that_drops_what_was_compiled():
    scope = {}

    class Odd:
        def __eq__(self, other):
            f._forget()
            gc.collect()
            return True

        __hash__ = None

    scope["x"] = [Odd()]
    f = Watching((scope, "x"), (scope, "y"))
    scope["y"] = Thing()
    assert f(0) == -1
    scope["x"] = [Odd()]
    for number in itertools.count(2):
        assert f(0) == -number
        if number > 4:
            break
        scope["x"] = [Odd()]

    class Hashable(Odd):
        __hash__ = object.__hash__

    f = Watching(statics=True)
    assert [f(Hashable()) for _ in range(3)] == [-1, -2, -3]


def test_nothing_leaks():
    thing = Thing()
    scope = {"x": thing, "y": [thing]}
    before = sys.getrefcount(thing), sys.getrefcount(scope)
    for _ in range(50):
        f = watching(scope)
        scope["z"] = 0
        assert f(0) == 1
        f._forget()
        assert f(0) == -2
        del f
    gc.collect()
    assert (sys.getrefcount(thing), sys.getrefcount(scope)) == before


def test_a_module_with_its_dispatcher_is_collected():
    module = as_module(names(2))
    module.f = watching(module.__dict__ | {"f": None})
    module.f = Watching((module.__dict__, "x0"), (module.__dict__, "f"))
    assert [module.f(0), module.f(0)] == [-1, 1]
    alive = weakref.ref(module), weakref.ref(module.x0)
    del module
    gc.collect()
    assert alive[0]() is None and alive[1]() is None


@pytest.mark.skipif(sys.version_info < (3, 12), reason="dicts have watchers from 3.12 on")
def test_without_a_watcher_that_is_free():
    """If other code uses all watchers, every name is compared."""
    import subprocess

    program = """
import ctypes
callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, *[ctypes.c_void_p] * 3)(lambda *args: 0)
add = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(("PyDict_AddWatcher", ctypes.pythonapi))
try:
    for _ in range(20):
        add(ctypes.cast(callback, ctypes.c_void_p))
except RuntimeError:
    pass
else:
    raise SystemExit("there is no limit")
import test_guards as tests
for name in tests.CHANGES:
    tests.test_every_way_to_change_a_name(name)
tests.test_names_that_stay()
tests.test_a_name_that_comes_back()
"""
    from pathlib import Path

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=Path(__file__).parent, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_classes_slots_and_objects():
    class Base:
        __slots__ = ()
        x = Thing()

    class Slots(Base):
        __slots__ = ("y", "__dict__")

    one = Slots()
    one.y = Thing()
    f = Watching((Slots, "x"), (one, "y"), (one, "__dict__"))
    assert [f(0), f(0)] == [-1, 1]
    changes = [
        lambda: setattr(Base, "x", Thing()),
        lambda: setattr(Slots, "x", Thing()),
        lambda: delattr(Slots, "x") or delattr(Base, "x"),
        lambda: setattr(one, "y", Thing()),
        lambda: delattr(one, "y"),
        lambda: setattr(one, "__dict__", {"z": 1}),
        lambda: setattr(one, "__class__", type("Other", (Base,), {"__slots__": ("y", "__dict__")})),
    ]
    for number, change in enumerate(changes, 2):
        one.z = Slots.other = number  # not asked for
        assert f(0) == number - 1
        change()
        assert [f(0), f(0)] == [-number, number]


@pytest.mark.parametrize("name", CHANGES)
def test_every_way_to_change_an_attribute(name):
    """Attributes of an object, whose values are stored elsewhere than a module's."""
    for touched in (False, True):
        one = Thing()
        for i in range(3):
            setattr(one, f"x{i}", Thing())
        if touched:
            assert one.__dict__ is not None
        f = Watching((one, "__dict__"), *((one.__dict__, f"x{i}") for i in range(3)))
        assert [f(0), f(0)] == [-1, 1]
        CHANGES[name](one.__dict__)
        assert [f(0), f(0)] == [-2, 2]


def test_attributes_set_by_statements():
    """Specialised code sets attributes of many objects of one class in this way."""

    def change(target, value):
        target.x = value

    things = [Thing() for _ in range(50)]
    for thing in things:
        thing.x = None
    watched = [Watching((thing, "__dict__"), (thing.__dict__, "x")) for thing in things[::2]]
    for f in watched:
        assert [f(0), f(0)] == [-1, 1]
    for number in range(2, 40):
        for thing in things:
            change(thing, Thing())
        for f in watched:
            assert [f(0), f(0)] == [-number, number]


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (5, "not iterable"),
        ([5], "tuples of a place and a name"),
        ([({}, 5)], "tuples of a place and a name"),
        ([({},)], "tuples of a place and a name"),
        ([(5, "x")], "a int has no 'x' that can be watched"),
        ([(watching, "__name__")], "a function has no '__name__' that can be watched"),
    ],
)
def test_what_cannot_be_watched(entries, message):
    with pytest.raises(TypeError, match=message):
        Guards(entries)


def test_keys():
    scope = {"a": 1, "b": [1.0, {"x": (1, 2)}], "c": Thing(), "d": {1, 2}, "e": bytearray(b"12")}

    def key():
        return Guards([(scope, name) for name in scope]).key()

    first = key()
    scope.update(b=[1.0, {"x": (1, 2)}], d={1, 2}, e=bytearray(b"12"))
    assert key() == first and hash(key()) == hash(first)
    for name, value in {"a": True, "b": [1, {"x": (1, 2)}], "c": Thing(), "e": b"12"}.items():
        old, scope[name] = scope[name], value
        assert key() != first
        scope[name] = old
    assert Guards([(scope, "missing")]).key() != Guards([(scope | {"missing": 0}, "missing")]).key()
