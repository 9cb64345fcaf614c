"""Classes of the ABI that Python defines, and their objects on the other side."""

import copy
import inspect
import json
import pickle
from dataclasses import KW_ONLY
from typing import Any, ClassVar

import pytest

from fairlead import ffi
from fairlead.ffi import core, dataclasses, serialization
from fairlead.ffi.dataclasses import (
    asdict,
    astuple,
    field,
    fields,
    init_property,
    is_dataclass,
    py_class,
    replace,
)

echo = ffi.convert_func(lambda value: value)
make = ffi.get_global_func("ffi.MakeObjectFromPackedArgs")


@py_class("fairlead.test.Point")
class Point(ffi.Object):
    """Two numbers."""

    x: int
    y: float = 1.5
    tags: list[int] = field(default_factory=list)
    _: KW_ONLY
    name: str = "point"


@py_class("fairlead.test.Point3", eq=True, order=True, unsafe_hash=True)
class Point3(Point):
    z: int | None = None

    @ffi.method
    def total(self) -> int:
        """The sum."""
        return self.x + (self.z or 0)

    @ffi.method
    @staticmethod
    def zero():
        return Point3(0)


def test_init():
    point = Point(1)
    assert (point.x, point.y, list(point.tags), point.name) == (1, 1.5, [], "point")
    assert repr(point) == 'fairlead.test.Point(x=1, y=1.5, tags=[], name="point")'
    assert Point(1, name="n", y=2).y == 2.0 and Point(x=3).x == 3
    assert not Point(1).tags.same_as(Point(1).tags)
    assert str(inspect.signature(Point)) == "(x, y=<MISSING>, tags=<MISSING>, *, name=<MISSING>)"
    for args, words, text in (
        ((), {}, "missing required argument: 'x'"),
        ((1, 2, [], "n"), {}, "takes at most 3 positional"),
        ((1,), {"q": 2}, "unexpected keyword argument 'q'"),
        ((1,), {"x": 2}, "multiple values for argument 'x'"),
        (("a",), {}, "field 'x':\n  expected int, got str"),
        ((2**70,), {}, "out of int64 range"),
        ((1, 2, [1, "a"]), {}, r"element \[1\]: expected int, got str"),
    ):
        with pytest.raises(TypeError, match=text):
            Point(*args, **words)


def test_fields_are_typed():
    point = Point(1)
    point.x, point.y, point.tags = 2, 3, (4, True)
    assert (point.x, point.y, list(point.tags)) == (2, 3.0, [4, 1])
    with pytest.raises(TypeError, match="^expected int, got str$"):
        point.x = "a"
    assert point.x == 2
    with pytest.raises(AttributeError):
        point.other = 1
    with pytest.raises(AttributeError):
        del point.x
    kept = ffi.List([1, 2])
    point.tags = kept
    assert point.tags.same_as(kept)


def test_inherits():
    point = Point3(1, z=4)
    assert isinstance(point, Point) and [f.name for f in fields(Point3)] == [
        *("x", "y", "tags", "name", "z")
    ]
    assert point.total() == 5 and Point3.zero().x == 0
    assert point == Point3(1, z=4) and point != Point3(2, z=4) and Point3(1) < Point3(2)
    assert hash(point) == hash(Point3(1, z=4)) and Point(1) != Point(1)
    assert (point == 1) is False
    with pytest.raises(TypeError):
        _ = point < 1
    match Point(1, 2.0):
        case Point(x, y):
            assert (x, y) == (1, 2.0)


def test_across_the_abi():
    """Objects and their class go through functions; other code makes, reads, copies and compares them."""
    point = Point3(1, z=4)
    again = echo(point)
    assert again.same_as(point) and type(again) is Point3
    assert type(ffi.Array([point])[0]) is Point3
    made = make("fairlead.test.Point", "x", 3, "name", "made")
    assert type(made) is Point and (made.x, made.y, made.name) == (3, 1.5, "made")
    with pytest.raises(TypeError, match="expected int, got str"):
        make("fairlead.test.Point", "x", "a")
    assert ffi.structural_equal(Point(1), Point(1)) and not ffi.structural_equal(Point(1), Point(2))
    left, _ = ffi.get_first_structural_mismatch(Point(1), Point(2))
    assert repr(left) == "<root>.x"
    assert ffi.structural_hash(Point(1)) == ffi.structural_hash(Point(1))
    doubled = ffi.structural_map(Point(2, tags=[3]), (int, lambda value: 2 * value))
    assert (doubled.x, list(doubled.tags)) == (4, [6])
    text = serialization.to_json_graph_str(Point(1, tags=[4]))
    assert json.loads(text)["nodes"][-1]["type"] == "fairlead.test.Point"
    assert repr(serialization.from_json_graph_str(text)) == repr(Point(1, tags=[4]))


def test_copies():
    point = Point(1, tags=[1])
    shallow, deep = copy.copy(point), copy.deepcopy(point)
    assert shallow.tags.same_as(point.tags) and not deep.tags.same_as(point.tags)
    assert repr(shallow) == repr(deep) == repr(pickle.loads(pickle.dumps(point))) == repr(point)
    assert replace(point, x=9).x == 9 and point.x == 1
    with pytest.raises(AttributeError):
        replace(point, other=1)
    assert asdict(Point(1, tags=[2])) == {"x": 1, "y": 1.5, "tags": [2], "name": "point"}
    assert astuple(Point(1, tags=[2])) == (1, 1.5, [2], "point")
    for wrong in (3, Point):
        with pytest.raises(TypeError):
            asdict(wrong)


def test_frozen():
    @py_class("fairlead.test.Frozen", frozen=True)
    class Frozen(ffi.Object):
        x: int

        def __post_init__(self):
            Frozen.x.set(self, self.x + 1)

    value = Frozen(1)
    assert value.x == 2
    with pytest.raises(AttributeError):
        value.x = 5
    assert replace(value, x=7).x == 7


def test_own_methods():
    @py_class("fairlead.test.Own")
    class Own(ffi.Object):
        x: int
        other: ClassVar[int] = 7
        plain = 8

        def __init__(self, text):
            self.__ffi_init__(len(text))

        def __ffi_repr__(self, show):
            return f"<own {show(self.x)}>"

        @init_property
        def double(self) -> int:
            return 2 * self.x

    own = Own("four")
    assert (own.x, own.double, Own.other, Own.plain) == (4, 8, 7, 8)
    assert repr(own) == "<own 4>" and repr(ffi.Array([own])) == "(<own 4>,)"

    @py_class("fairlead.test.Assigning")
    class Assigning(ffi.Object):
        x: int
        y: int = 3

        def __init__(self, x):
            self.x = x

    assert Assigning(4).x == 4

    @py_class("fairlead.test.NoInit", init=False)
    class NoInit(ffi.Object):
        x: int

    with pytest.raises(TypeError, match="cannot be constructed directly"):
        NoInit(1)
    assert make("fairlead.test.NoInit", "x", 1).x == 1


def test_later_names():
    """Annotations may name the class itself and classes that come later."""

    @py_class("fairlead.test.Node")
    class Node(ffi.Object):
        next: "Node | None" = None  # noqa: UP037

    assert Node(Node()).next.next is None

    @py_class("fairlead.test.Early")
    class Early(ffi.Object):
        late: "Late | None" = None  # noqa: F821, UP037

    with pytest.raises(TypeError, match="unresolved forward references.*Late"):
        Early()
    globals()["Late"] = Point
    try:
        assert Early(Point(1)).late.x == 1
    finally:
        del globals()["Late"]


def test_kinds():
    """How objects take part in structural comparison."""

    @py_class("fairlead.test.Var", structural_eq="var")
    class Var(ffi.Object):
        name: str = field(structural_eq="ignore")

    @py_class("fairlead.test.Lambda")
    class Lambda(ffi.Object):
        params: Any = field(structural_eq="def")
        body: Any

    x, y = Var("x"), Var("y")
    assert ffi.structural_equal(Lambda([x], x), Lambda([y], y))
    assert not ffi.structural_equal(x, y) and ffi.structural_equal(x, y, map_free_vars=True)
    assert not ffi.structural_equal(Lambda([x, y], x), Lambda([x, y], y))
    kinds = []
    ffi.structural_walk(
        Lambda([x], x), with_def_region_kind=(Var, lambda var, kind: kinds.append(kind) and None)
    )
    assert kinds == [ffi.DefRegionKind.DEF_PATTERN, ffi.DefRegionKind.NONE]

    @py_class("fairlead.test.Single", structural_eq="singleton")
    class Single(ffi.Object):
        x: int

    one = Single(1)
    assert ffi.structural_equal(one, one) and not ffi.structural_equal(one, Single(1))


def test_type_info():
    info = Point3.__tvm_ffi_type_info__
    assert (info.type_key, info.type_cls, info.total_size) == ("fairlead.test.Point3", Point3, 80)
    assert info.parent_type_info.type_key == "fairlead.test.Point"
    seen = [(f.name, f.offset, f.size, repr(f.ty)) for f in info.all_fields]
    assert seen == [
        ("x", 24, 8, "int"),
        ("y", 32, 8, "float"),
        ("tags", 40, 8, "List[int]"),
        ("name", 48, 16, "str"),
        ("z", 64, 16, "int | None"),
    ]
    assert [(m.name, m.is_static, m.doc) for m in info.methods] == [
        ("total", False, "The sum."),
        ("zero", True, None),
    ]
    assert info.methods[0].func(Point3(2, z=3)) == 5
    assert is_dataclass(Point) and is_dataclass(Point(1)) and not is_dataclass(ffi.Array)


WRONG = {
    "not an object": (TypeError, "must inherit", "@py_class('w.a')\nclass W:\n  a: int"),
    "taken": (ValueError, "already registered", "@py_class('ffi.Map')\nclass W(O):\n  a: int"),
    "no type": (TypeError, "Cannot convert .*set", "@py_class('w.b')\nclass W(O):\n  a: set"),
    "option": (TypeError, "W.a: .*: foo", "@py_class('w.c')\nclass W(O):\n  a: int = field(foo=1)"),
    "kind": (
        ValueError,
        "structural_eq must",
        "@py_class('w.d', structural_eq='q')\nclass W(O): 0",
    ),
    "order": (ValueError, "requires eq", "@py_class('w.e', order=True)\nclass W(O): 0"),
    "default": (
        TypeError,
        "default for field 'a'",
        "@py_class('w.f')\nclass W(O):\n  a: int='x'\nW()",
    ),
    "twice": (ValueError, "duplicate", "@py_class('w.g')\nclass W(P):\n  x: int"),
    "defaults": (ValueError, "both default", "field(default=1, default_factory=list)"),
    "factory": (TypeError, "must be a callable, got int", "field(default_factory=3)"),
    "field kind": (ValueError, "structural_eq must", "field(structural_eq='q')"),
    "fields": (TypeError, "got int", "fields(3)"),
    "classmethod": (TypeError, "classmethod", "method(classmethod(len))"),
    "no method": (TypeError, "got int", "method(3)"),
    "no key": (ValueError, "w.none", "c_class('w.none')(type('W', (O,), {}))"),
}


@pytest.mark.parametrize("label", WRONG)
def test_wrong(label):
    error, text, source = WRONG[label]
    names = {**vars(dataclasses), "O": ffi.Object, "P": Point, "method": ffi.method}
    with pytest.raises(error, match=text):
        exec(source, {**names, "__name__": __name__})


def test_failed_class_leaves_its_key():
    for annotation, works in (("set", False), ("int", True)):
        source = f"@py_class('fairlead.test.Again')\nclass Again(O):\n  a: {annotation}"
        names = {**vars(dataclasses), "O": ffi.Object, "__name__": __name__}
        if works:
            exec(source, names)
            assert names["Again"](3).a == 3
        else:
            with pytest.raises(TypeError):
                exec(source, names)


def test_schemas():
    """Types as values: from annotations and metadata, as text and JSON, checking and converting."""
    schema = core.TypeSchema.from_annotation(dict[str, list[int] | None])
    assert repr(schema) == "Dict[str, List[int] | None]"
    assert core.TypeSchema.from_json_obj(schema.to_json()) == schema
    assert schema.convert({"a": [1], "b": None}).to_py()["a"] == [1]
    with pytest.raises(TypeError, match="value for key 'a': element .0.: expected int, got str"):
        schema.check_value({"a": ["x"]})
    text = '{"type":"ffi.Function","named_args":{"return":[{"type":"None"}],"params":[]}}'
    assert repr(core.TypeSchema.from_json_str(text)) == "Callable[[], None]"
    with pytest.raises(ValueError, match="exactly one argument"):
        core.TypeSchema("Optional")
    with pytest.raises(TypeError, match="'type' key"):
        core.TypeSchema.from_json_str("[]")


@pytest.mark.parametrize("kind", ["views", "kept"])
def test_objects_do_not_leak(kind):
    """Fields that hold objects release them with their owner."""

    @py_class(f"fairlead.test.Holder.{kind}")
    class Holder(ffi.Object):
        inside: Any

    class Marker:
        alive = 0

        def __init__(self):
            Marker.alive += 1

        def __del__(self):
            Marker.alive -= 1

    for _ in range(100):
        holder = Holder([Marker(), Holder(Marker())])
        holder.inside = Marker()
        holder = copy.copy(holder)
    del holder
    echo(None)
    assert Marker.alive == 0
