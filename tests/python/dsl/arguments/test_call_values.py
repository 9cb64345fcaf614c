"""How Python's arguments become those of a function: structs, None, keywords, defaults; kinds of direct calls."""

import dataclasses
import gc
import pickle
import sys
import threading
import typing
import weakref

import numpy as np
import pytest

from fairlead import ffi
from fairlead._core import CallDescription, Dispatcher, Form, _trace


class Pair(typing.NamedTuple):
    x: object
    y: object


@dataclasses.dataclass(frozen=True)
class Scale:
    factor: object
    offset: object


class Probe:
    pass


ARGUMENT, NONE, OMITTED = Form("argument"), Form("none"), Form("omitted")


def constant(value):
    return Form("constant", value)


def items(*children):
    return Form("tuple", None, children)


def fields(**children):
    return Form("fields", tuple(children), tuple(children.values()))


def described(names, forms, defaults=None, positional=None):
    """A function that gives back the arguments it was called with."""
    function = ffi.convert(lambda *args: list(args))
    call = CallDescription(
        names,
        tuple(defaults or (...,) * len(names)),
        len(names) if positional is None else positional,
        tuple(forms),
    )
    function._configure(name="f", call=call)
    return function


def test_structures_are_taken_apart():
    f = described(
        ["a", "p", "s"],
        [
            ARGUMENT,
            items(ARGUMENT, items(ARGUMENT, NONE)),
            fields(factor=ARGUMENT, offset=constant(4)),
        ],
    )
    expected = [1, 2, 3, 5]
    assert list(f(1, (2, (3, None)), Scale(5, 4))) == expected
    assert list(f(1, Pair(2, [3, None]), (5, 4))) == expected
    assert list(f(1, [2, Pair(3, None)], s=Scale(5, 4.0))) == expected
    assert list(f(s=Scale(5, 4), p=(2, (3, None)), a=1)) == expected


def test_shape_is_a_tuple():
    f = described(["shape"], [items(ARGUMENT, constant(8))])
    assert list(f(ffi.Shape((3, 8)))) == [3]


def test_skipped_places_may_be_left_out():
    f = described(["p"], [items(ARGUMENT, OMITTED, ARGUMENT)])
    assert list(f((1, 2))) == list(f((1, object(), 2))) == [1, 2]


def test_none_is_no_argument():
    f = described(["a", "mask", "b"], [ARGUMENT, NONE, ARGUMENT], (..., None, 7))
    assert list(f(1)) == [1, 7]
    assert list(f(1, None, 2)) == [1, 2]


def test_keyword_only():
    f = described(["a", "b"], [ARGUMENT, ARGUMENT], (..., 3), positional=1)
    assert list(f(1)) == [1, 3]
    assert list(f(1, b=2)) == [1, 2]
    with pytest.raises(TypeError, match=r"at most 1 positional arguments, but got 2 .*`f`"):
        f(1, 2)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda f: f(1, 2, 3), TypeError, "type of p on argument #1 .*expected a tuple of 2, but got int"),
        (lambda f: f(1, None, 3), TypeError, "type of p on argument #1 .*a tuple of 2, but got None"),
        (lambda f: f(1, (1, 2, 3), 3), TypeError, "length of p on argument #1 .*of 2, but got 3"),
        (lambda f: f(1, (2, 3), Scale(1, 5)), ValueError, r"Mismatched s.offset on argument #2 .*expected 4.*got 5"),
        (lambda f: f(1, (2, 3), object()), TypeError, "the field s.factor, but got object"),
        (lambda f: f(1, (2, 3)), TypeError, "missing argument #2 .`s`."),
        (lambda f: f(1, (2, 3), s=1, t=2), TypeError, "unexpected keyword argument 't'"),
        (lambda f: f(1, (2, 3), (1, 4), s=1), TypeError, "multiple values for argument 's'"),
        (lambda f: f(1, 2, 3, 4), TypeError, "at most 3 arguments, but got 4"),
    ],
)  # fmt: skip
def test_errors_name_the_place(call, kind, message):
    f = described(
        ["a", "p", "s"],
        [ARGUMENT, items(ARGUMENT, ARGUMENT), fields(factor=ARGUMENT, offset=constant(4))],
    )
    with pytest.raises(kind, match=message):
        call(f)


def test_many_arguments():
    names = [f"a{i}" for i in range(40)]
    f = described(names, [ARGUMENT] * 39 + [items(*(ARGUMENT,) * 30)])
    assert list(f(*range(39), tuple(range(30)))) == [*range(39), *range(30)]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Form("leaf"),
        lambda: Form("argument", None, (ARGUMENT,)),
        lambda: Form("tuple", None, (0,)),
        lambda: Form("tuple", None, [ARGUMENT]),
        lambda: Form("fields", ("x",), ()),
        lambda: Form("fields", (1,), (ARGUMENT,)),
        lambda: Form("custom", 3, (ARGUMENT,)),
        lambda: CallDescription(["a"], (), 1),
        lambda: CallDescription(["a"], (...,), 2),
        lambda: CallDescription(["a"], (...,), -1),
        lambda: CallDescription([1], (...,), 1),
        lambda: CallDescription(["a"], (...,), 1, ()),
        lambda: CallDescription(["a"], (...,), 1, (0,)),
        lambda: ffi.convert(lambda *args: None)._configure(call=("a",)),
    ],
)
def test_malformed_descriptions_are_refused(make):
    with pytest.raises((TypeError, ValueError)):
        make()


def test_descriptions_tell_what_they_were_made_of():
    form = fields(factor=ARGUMENT, offset=constant(4))
    call = CallDescription(["a", "s"], (1, ...), 1, (ARGUMENT, form))
    assert (call.names, call.defaults, call.num_positional) == (("a", "s"), (1, ...), 1)
    assert call.forms[1].children[1].value == 4 and call.forms[1].value == ("factor", "offset")
    assert not call.is_plain and call.last_defaults == ()
    again = pickle.loads(pickle.dumps(call))
    assert repr(again.forms) == repr(call.forms) and again.defaults == call.defaults
    plain = CallDescription(["a", "b"], (..., 2), 2)
    assert plain.is_plain and plain.last_defaults == (2,) and plain.forms is None


@pytest.mark.parametrize(
    "call",
    [
        CallDescription([], (), 0),
        CallDescription(["a", "é"], (..., "ü"), 1),
        CallDescription(["a", "b", "c"], (None, (1, (2.5, True)), -(1 << 63)), 3),
        CallDescription(
            ["a", "s", "n"],
            (..., ..., None),
            3,
            (ARGUMENT, fields(x=items(ARGUMENT, OMITTED, constant(("k", 4))), y=NONE), NONE),
        ),
    ],
)
def test_descriptions_come_back_from_text(call):
    again = CallDescription.from_text(call.text)
    assert (again.names, again.num_positional) == (call.names, call.num_positional)
    assert repr(again.defaults) == repr(call.defaults) and repr(again.forms) == repr(call.forms)
    assert again.text == call.text


def test_what_text_cannot_tell():
    infinite = float("inf")
    some = CallDescription(["a", "b", "c", "d"], (1, infinite, 1 << 63, Probe()), 4)
    assert CallDescription.from_text(some.text).defaults == (1, ..., ..., ...)
    assert CallDescription(["\ud800"], (...,), 1).text is None
    # For a part of the program that no file can hold, calls from files give what else does for it: None.
    told = items(ARGUMENT, Form("constant", Probe(), (NONE,)))
    again = CallDescription.from_text(CallDescription(["a"], (...,), 1, (told,)).text)
    assert repr(again.forms) == repr((items(ARGUMENT, NONE),))
    for form in (
        constant("\ud800"),
        constant(Probe()),
        constant(infinite),
        Form("custom", len, (ARGUMENT,)),
    ):
        assert CallDescription(["a"], (...,), 1, (items(form),)).text is None


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "{}", '{"names":["a"]}', '{"names":[1],"positional":1}', '{"names":["a"],"positional":2}',
        '{"names":["a"],"positional":-1}', '{"names":["a"],"positional":1,"defaults":[]}',
        '{"names":["a"],"positional":1,"defaults":[1]}', '{"names":["a"],"positional":1,"defaults":[[1,2]]}',
        '{"names":["a"],"positional":1,"defaults":[[{}]]}', '{"names":["a"],"positional":1,"forms":[2]}',
        '{"names":["a"],"positional":1,"forms":[{}]}', '{"names":["a"],"positional":1,"forms":[{"t":0}]}',
        '{"names":["a"],"positional":1,"forms":[{"f":["x"],"forms":[]}]}', 3, None,
    ],
)  # fmt: skip
def test_other_text_is_refused(text):
    with pytest.raises(ValueError):
        CallDescription.from_text(text)


def test_nothing_leaks():
    class Thing:
        pass

    thing = Thing()
    alive = weakref.ref(thing)
    f = described(["a", "s"], [ARGUMENT, constant(thing)], (..., thing))
    before = sys.getrefcount(thing)
    for _ in range(100):
        f(1)
        with pytest.raises(ValueError, match="expected"):
            f(1, 2)
    assert sys.getrefcount(thing) == before
    del f, thing
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("where", ["default", "constant"])
def test_functions_that_their_own_descriptions_hold_are_collected(where):
    f = described(
        ["a", "s"], [ARGUMENT, constant(holder := [])], (..., holder if where == "default" else 1)
    )
    holder.append(f)
    f.alive = probe = Probe()
    alive = weakref.ref(probe)
    del f, holder, probe
    gc.collect()
    assert alive() is None


class Counted(Dispatcher):
    """Makes a function for each kind, and counts."""

    def __init__(self, names=("a", "b"), defaults=(..., 2), statics=(False, False)):
        self.made = 0
        self._describe(CallDescription(names, defaults, len(names)), statics)

    def _direct(self, *args, **kwargs):
        self.made += 1
        names = ["a", "b"]
        full = (*args, *[kwargs.get(name, 2) for name in names[len(args) :]])
        function = ffi.convert(lambda *values, number=self.made: (number, len(values)))
        self._remember(full, function)
        return "compiled"

    def _inline(self, *args, **kwargs):
        return "inlined"


def number_of(result):
    return result if isinstance(result, str) else result[0]


KINDS = [
    (1, 2),
    (1.0, 2),
    (True, 2),
    (None, 2),
    (np.zeros(3, np.float32), 2),
    (np.zeros(3, np.float64), 2),
    (np.zeros((3, 4), np.float32), 2),
    (np.zeros((4, 3), np.float32).T, 2),
    (np.lib.stride_tricks.as_strided(np.zeros(4, np.float32), (3, 4), (0, 4)), 2),
    (np.zeros((3, 8), np.float32)[:, ::2], 2),
    (1, None),
    (1, 2.5),
]


def test_one_function_for_each_kind():
    f = Counted()
    assert [f(*args) for args in KINDS] == ["compiled"] * len(KINDS)
    for number, args in enumerate(KINDS, 1):
        assert number_of(f(*args)) == number
    assert f.made == len(KINDS)


def test_of_one_kind():
    f = Counted()
    f(np.zeros((3, 4), np.float32), 2)
    others = [np.ones((5, 1), np.float32), np.ones((1, 9), np.float32), np.ones((6, 8), np.float32)]
    others[2] = others[2][:, :4]
    for other in others:
        assert number_of(f(other, 5)) == 1
    assert number_of(f(other)) == 1
    assert number_of(f(b=3, a=other)) == 1
    f._forget()
    assert f(other) == "compiled"


def test_statics_are_compared_with_their_types():
    f = Counted(statics=(False, True))
    values = [1, 1.0, True, "1", 0.0, -0.0, (1, 2), (1.0, 2), (1, True), None, int]
    assert [f(0, value) for value in values] == ["compiled"] * len(values)
    assert [number_of(f(0, value)) for value in values] == [*range(1, len(values) + 1)]
    assert number_of(f(0, (1, 2))) == 7


def test_what_the_dispatcher_cannot_tell_is_left_to_python():
    f = Counted()
    for args in [((1, 2), 2), ("text", 2), (1, 2, 3), ()]:
        assert f(*args) == f(*args) == "compiled"
    assert f(1, 2, no_such=1) == "compiled"


def test_kinds_are_bounded():
    f = Counted(statics=(False, True))
    for i in range(100):
        f(0, i)
    assert number_of(f(0, 99)) == 100
    assert f(0, 0) == "compiled"


def test_tracing_is_of_one_thread():
    f = Counted()
    f(1, 2)
    _trace(1)
    try:
        assert f(1, 2) == f("anything") == "inlined"
        results = []
        thread = threading.Thread(target=lambda: results.append(number_of(f(1, 2))))
        thread.start()
        thread.join()
        assert results == [1]
    finally:
        _trace(-1)
    assert number_of(f(1, 2)) == 1


def test_dispatchers_go():
    f = Counted(statics=(False, True))
    f.probe = probe = Probe()
    f(0, f)  # a cycle
    alive = weakref.ref(probe)
    del f, probe
    gc.collect()
    assert alive() is None
