"""Ways to change the state of a Python program, as text: where the state is kept, and how it is changed.

A ``Holder`` makes some state from the numbers ``x`` and ``y``. Its ``ways`` are statements that change it; ``{v}`` is
the new value. ``calls`` are expressions that change it and give a number. ``seen`` are numbers that show the state.
"""

from __future__ import annotations

from typing import NamedTuple

#: The beginning of all programs. ``traced`` is ``cute.jit``, or nothing when Python runs the program.
PRELUDE = '''
import array
import collections
import functools
import operator
import types

import numpy

def total(values):
    """A number for the values of a list, their order and how many there are."""
    found = 0
    for value in list(values):
        found = found * 3 + value
    return found + 10000 * len(list(values))

def totals(named):
    """A number for the values of a dict, their keys and their order."""
    found = 0
    for key, value in list(named.items()):
        found = found * 3 + value * len(str(key))
    return found + 10000 * len(named)

class Plain:
    shared = 4
    items = None

    def __init__(self, value):
        self.value, self.second = value, 3

    @traced
    def put(self, value):
        self.value = value
        return value

    def put_plain(self, value):
        self.value = value
        return value

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    @property
    def prop(self):
        return self.value

    @prop.setter
    def prop(self, value):
        self.value = value

    @property
    def moving(self):
        self.value = self.value + 1
        return self.value

    @classmethod
    def put_shared(cls, value):
        cls.shared = value
        return value

    def __iadd__(self, value):
        self.value = self.value + value
        return self

    def __call__(self, value):
        self.value = value
        return value

class Logged(Plain):
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        object.__setattr__(self, "last", value)

class Slotted:
    __slots__ = ("value", "second")

    def __init__(self, value):
        self.value, self.second = value, 3

    def put_plain(self, value):
        self.value = value
        return value

@dataclass
class Record:
    value: Int32
    second: Int32

@struct
class Native:
    value: Int32
    second: Int32

class Row(list):
    pass

class Table(dict):
    pass

@traced
def put_item(values, key, value):
    values[key] = value
    return value

def put_item_plain(values, key, value):
    values[key] = value
    return value

@traced
def put_attribute(owner, value):
    owner.value = value
    return value

def appended(values, value):
    values.append(value)
    return value

def kept_in_default(value, kept=[0]):
    kept[0] = value
    return value

def read_default():
    return kept_in_default.__defaults__[0][0]

def called(value):
    called.value = value
    return value

def make_closure(value):
    def put(new):
        nonlocal value
        value = new
        return new
    return put, lambda: value

def make_class(value):
    kept = [value]
    class Closed:
        def put(self, new):
            kept[0] = new
            return new
        def get(self):
            return kept[0]
    return Closed()

NUMBER = 0
LIST = []
OBJECT = Plain(0)

def put_global(value):
    global NUMBER
    NUMBER = value
    return value

def get_global():
    return NUMBER

def reset(x):
    """State of the module as at the beginning of a call."""
    global NUMBER
    NUMBER = x
    LIST[:] = [x, 3]
    OBJECT.value, OBJECT.second = x, 3
    vars(OBJECT).pop("fresh", None)
    Plain.shared = x
    called.value = x
    kept_in_default.__defaults__[0][0] = x
    module.value = x
    module.items = [x, 3]

module = types.ModuleType("module")
'''


class Holder(NamedTuple):
    name: str
    setup: list[str]
    ways: list[str]
    calls: list[str]
    seen: list[str]


def _list_ways(name: str) -> list[str]:
    return [
        f"{name}[0] = {{v}}",
        f"{name}[-1] += {{v}}",
        f"{name}[0], {name}[1] = {name}[1], {{v}}",
        f"{name}.append({{v}})",
        f"{name}.insert(0, {{v}})",
        f"{name}.pop()",
        f"{name}.reverse()",
        f"{name}.extend([{{v}}])",
        f"{name}[:] = [{{v}}, 2]",
        f"{name} += [{{v}}]",
        f"del {name}[0]",
        f"{name}.clear()",
        f"{name}.__setitem__(1, {{v}})",
        f"operator.setitem({name}, 1, {{v}})",
    ]


def _list_calls(name: str) -> list[str]:
    return [
        f"put_item({name}, 0, {{v}})",
        f"put_item_plain({name}, 1, {{v}})",
        f"appended({name}, {{v}})",
        f"({name}.append({{v}}), {{v}})[1]",
    ]


def _dict_ways(name: str) -> list[str]:
    return [
        f'{name}["a"] = {{v}}',
        f'{name}["a"] += {{v}}',
        f'{name}["new"] = {{v}}',
        f"{name}.update(bb={{v}})",
        f'{name}.pop("a")',
        f'del {name}["bb"]',
        f"{name}.clear()",
        f'{name}.setdefault("c", {{v}})',
        f'{name} |= {{"a": {{v}}}}'.replace('{"a"', '{{"a"').replace("{v}}", "{v}}}"),
    ]


def _object_ways(name: str) -> list[str]:
    return [
        f"{name}.value = {{v}}",
        f"{name}.value += {{v}}",
        f"{name}.value, {name}.second = {name}.second, {{v}}",
        f'setattr({name}, "value", {{v}})',
        f"put_attribute({name}, {{v}})",
        f"new = {name}; new.value = {{v}}",
        f"for each in ({name}, other): each.value = {{v}}",
    ]


def _plain_ways(name: str) -> list[str]:
    return [
        *_object_ways(name),
        f"{name}.put({{v}})",
        f"{name}.put_plain({{v}})",
        f"{name}.prop = {{v}}",
        f"{name}.fresh = {{v}}",
        f"del {name}.second",
        f"{name} += {{v}}",
        f"{name}.__dict__['value'] = {{v}}",
        f"vars({name}).update(value={{v}})",
        f"{name}.__init__({{v}})",
        f"{name}.second = None",
        f"function = {name}.put_plain; function({{v}})",
        f"(lambda: {name}.put({{v}}))()",
        f"functools.partial(put_attribute, {name})({{v}})",
        f"functools.partial({name}.put_plain, {{v}})()",
        f"with {name} as c: c.value = {{v}}",
        f"def inner(): {name}.value = {{v}}\ninner()",
    ]


def _plain_calls(name: str) -> list[str]:
    return [
        f"{name}.put({{v}})",
        f"{name}.put_plain({{v}})",
        f"put_attribute({name}, {{v}})",
        f"{name}({{v}})",
        f"({name}.moving + {{v}})",
        f'(setattr({name}, "value", {{v}}), {{v}})[1]',
    ]


_OTHER = "other = Plain(y)"
_SHOWN = ["{0}.value", "{0}.second"]


def _shown(name: str) -> list[str]:
    return [each.format(name) for each in _SHOWN]


def _lists() -> list[Holder]:
    row = ["total(l)"]
    alias = ["total(l)", "total(a)"]
    return [
        Holder("list", ["l = [x, 3]"], _list_ways("l"), _list_calls("l"), row),
        Holder("alias", ["l = [x, 3]", "a = l"], _list_ways("a"), _list_calls("a"), alias),
        Holder("constants", ["l = [2, 3]"], _list_ways("l"), _list_calls("l"), row),
        Holder(
            "list of an object",
            ["o = Plain(x)", "o.l = [x, 3]", "l = o.l"],
            [*_list_ways("o.l"), "o.l = [{v}, {v}]"],
            _list_calls("o.l"),
            ["total(o.l)", "total(l)"],
        ),
        Holder(
            "nested list",
            ["l = [[x, 3], [y, 4]]", "a = l[0]"],
            [*_list_ways("l[0]"), "for each in l: each[0] = {v}", "l[0] = [{v}, 1]", "l.reverse()"],
            _list_calls("l[1]"),
            ["total(l[0])", "total(l[1])", "total(a)"],
        ),
        Holder(
            "list in a dict",
            ['d = {"l": [x, 3]}', 'l = d["l"]'],
            _list_ways('d["l"]'),
            _list_calls("l"),
            ['total(d["l"])', "total(l)"],
        ),
    ]


def _more_lists() -> list[Holder]:
    row = ["total(l)"]
    return [
        Holder("list subclass", ["l = Row([x, 3])"], [*_list_ways("l"), "l.value = {v}"], [], row),
        Holder(
            "captured list",
            ["l = [x, 3]", "def put(value):", "    l[0] = value", "    return value"],
            ["put({v})"],
            ["put({v})"],
            row,
        ),
        Holder("global list", ["l = LIST"], _list_ways("LIST")[:9], _list_calls("LIST"), row),
        Holder(
            "deque",
            ["q = collections.deque([x, 3])"],
            [
                "q[0] = {v}",
                "q.append({v})",
                "q.appendleft({v})",
                "q.pop()",
                "q.rotate(1)",
                "q.clear()",
            ],
            ["appended(q, {v})", "put_item_plain(q, 0, {v})"],
            ["total(q)"],
        ),
        Holder(
            "set",
            ["s = {1, 2}"],
            ["s.add(5)", "s.discard(1)", "s |= {{9}}", "s.clear()"],
            ["(s.add(7), {v})[1]"],
            ["total(sorted(s))"],
        ),
        Holder(
            "memory",
            ["b = bytearray([1, 2])", 'c = array.array("i", [1, 2])', "e = numpy.array([1, 2])"],
            ["b[0] = 7", "c[1] = 7", "e[0] = 7", "b.append(3)", "e += 1"],
            ["(e.__setitem__(0, 5), {v})[1]"],
            ["total(b)", "total(c)", "int(e[0]) * 10 + int(e[1])"],
        ),
        Holder(
            "iterator",
            ["r = iter([1, 2, 3, 4, 5, 6, 7, 8, 9])", "g = (k for k in (1, 2, 3, 4, 5, 6, 7, 8))"],
            ["next(r)", "next(g)"],
            ["next(r)", "(next(g) + {v})"],
            ["next(r)", "next(g)"],
        ),
    ]


def _dicts() -> list[Holder]:
    made = '{"a": x, "bb": 3}'
    calls = ['put_item(d, "a", {v})', 'put_item_plain(d, "bb", {v})', "(d.update(a={v}), {v})[1]"]
    return [
        Holder("dict", [f"d = {made}"], _dict_ways("d"), calls, ["totals(d)"]),
        Holder(
            "dict alias",
            [f"d = {made}", "a = d"],
            _dict_ways("a"),
            calls,
            ["totals(d)", "totals(a)"],
        ),
        Holder(
            "dict of an object",
            ["o = Plain(x)", f"o.d = {made}", "d = o.d"],
            _dict_ways("o.d"),
            calls,
            ["totals(o.d)", "totals(d)"],
        ),
        Holder(
            "ordered dict",
            [f"d = collections.OrderedDict({made})"],
            [*_dict_ways("d")[:7], 'd.move_to_end("a")'],
            calls,
            ["totals(d)"],
        ),
        Holder(
            "default dict",
            [f"d = collections.defaultdict(int, {made})"],
            [*_dict_ways("d")[:7], 'd["e"] += {v}'],
            calls,
            ["totals(d)"],
        ),
        Holder("dict subclass", [f"d = Table({made})"], _dict_ways("d")[:7], calls, ["totals(d)"]),
    ]


def _objects() -> list[Holder]:
    def plain(name: str, setup: list[str], of: str, *seen: str) -> Holder:
        shown = [*_shown(of), f'getattr({of}, "fresh", 77)', "other.value", *seen]
        return Holder(name, [*setup, _OTHER], _plain_ways(of), _plain_calls(of), shown)

    fields = ["o.value", "o.second", "other.value"]
    return [
        plain("object", ["o = Plain(x)"], "o"),
        plain("object alias", ["o = Plain(x)", "b = o"], "b", "o.value"),
        plain("object with __setattr__", ["o = Logged(x)"], "o", 'getattr(o, "last", 5) is None'),
        plain(
            "object of an object",
            ["o = Plain(x)", "o.inner = Plain(y)", "b = o.inner"],
            "o.inner",
            "b.value",
        ),
        plain("object in a list", ["l = [Plain(x), Plain(y)]", "o = l[0]"], "l[0]", "o.value"),
        plain("object in a tuple", ["t = (Plain(x), 1)", "o = t[0]"], "t[0]", "o.value"),
        plain("object in a dict", ['d = {"o": Plain(x)}', 'o = d["o"]'], 'd["o"]', "o.value"),
        plain("global object", [], "OBJECT"),
        Holder(
            "slots", ["o = Slotted(x)", _OTHER], _object_ways("o"), ["o.put_plain({v})"], fields
        ),
        Holder(
            "dataclass",
            ["o = Record(x, 3)", _OTHER],
            _object_ways("o"),
            ["put_attribute(o, {v})"],
            fields,
        ),
        Holder(
            "native struct",
            ["o = Native(x, 3)", _OTHER],
            _object_ways("o"),
            ["put_attribute(o, {v})"],
            fields,
        ),
        Holder(
            "tuple of an object",
            ["o = Plain(x)", "o.t = (x, 3)"],
            ["o.t = ({v}, {v})", "o.t = (o.t[1], {v})", "o.t += ({v},)", "o.t = {v}"],
            ['(setattr(o, "t", (7, {v})), {v})[1]'],
            ["total(o.t) if isinstance(o.t, tuple) else o.t"],
        ),
        Holder(
            "constants of an object",
            ["o = Plain(x)", "o.flag, o.none, o.text = True, None, 'a'"],
            ["o.flag = False", "o.none = {v}", "o.text = 'b'", "o.flag = None", "o.flag = {v}"],
            ['(setattr(o, "flag", False), {v})[1]'],
            ["1 if o.flag else 2", "o.none is None", "o.text == 'a'"],
        ),
        Holder(
            "choice of an object",
            ["o = Plain(x)", "p1 = Plain(y)", "p2 = Plain(3)", "o.inner = p1"],
            ["o.inner = p2", "o.inner = Plain({v})", "p1 = p2"],
            ['(setattr(o, "inner", p2), {v})[1]'],
            ["o.inner.value", "p1.value"],
        ),
        Holder(
            "sum in place",
            ["o = Plain(x)", "o.inner = Plain(y)", "l = [o.inner]"],
            ["o.inner += {v}", "l[0] += {v}", "operator.iadd(o.inner, {v})"],
            [],
            ["o.inner.value", "l[0].value"],
        ),
    ]


def _spaces() -> list[Holder]:
    return [
        Holder(
            "class",
            ["o = Plain(x)"],
            [
                "Plain.shared = {v}",
                "type(o).shared = {v}",
                "o.put_shared({v})",
                "o.shared = {v}",
                "Plain.fresh = 4",
            ],
            ["Plain.put_shared({v})", "o.put_shared({v})"],
            ["Plain.shared", "o.shared"],
        ),
        Holder(
            "function",
            [],
            ["called.value = {v}", "called({v})", "called.value += {v}"],
            ["called({v})"],
            ["called.value"],
        ),
        Holder(
            "module",
            [],
            [
                "module.value = {v}",
                "module.items[0] = {v}",
                'setattr(module, "value", {v})',
                "module.items.append({v})",
            ],
            ['(setattr(module, "value", {v}), {v})[1]'],
            ["module.value", "total(module.items)"],
        ),
        Holder(
            "global",
            [],
            ["put_global({v})", "globals().update(NUMBER={v})"],
            ["put_global({v})"],
            ["get_global()"],
        ),
        Holder(
            "default", [], ["kept_in_default({v})"], ["kept_in_default({v})"], ["read_default()"]
        ),
        Holder("closure", ["put, get = make_closure(x)"], ["put({v})"], ["put({v})"], ["get()"]),
        Holder(
            "closure of a method",
            ["c = make_class(x)"],
            ["c.put({v})"],
            ["c.put({v})"],
            ["c.get()"],
        ),
        Holder(
            "nonlocal",
            ["k = x", "def put(value):", "    nonlocal k", "    k = value", "    return value"],
            ["put({v})", "k = {v}; put(k + 1)"],
            ["put({v})"],
            ["k"],
        ),
    ]


HOLDERS = [*_lists(), *_more_lists(), *_dicts(), *_objects(), *_spaces()]
