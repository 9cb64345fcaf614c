"""Objects of the package's testing library, of classes defined in Python, access paths and enums."""

import copy

import tvm_ffi
from show import show
from tvm_ffi import dataclasses, testing
from tvm_ffi.access_path import AccessPath

pair = testing.TestIntPair(3, 4)
show("pair", lambda: pair)
show("pair fields", lambda: (pair.a, pair.b))
show("pair set", lambda: setattr(pair, "a", 5))
show("pair bad", lambda: testing.TestIntPair("x", 1))
show("pair too many", lambda: testing.TestIntPair(1, 2, 3))
show("base", lambda: testing.create_object("testing.TestObjectBase", v_i64=10, v_f64=0.5))
show("base default", lambda: testing.create_object("testing.TestObjectBase"))
show("base wrong field", lambda: testing.create_object("testing.TestObjectBase", nothing=1))
show("base wrong type", lambda: testing.create_object("testing.TestObjectBase", v_i64="x"))
base = testing.create_object("testing.TestObjectBase", v_i64=10)
show("method", lambda: base.add_i64(5))
show("write", lambda: (setattr(base, "v_i64", 11), base.v_i64)[1])
show("write wrong", lambda: setattr(base, "v_i64", "text"))
show("unknown attribute", lambda: base.nothing)
show("deepcopy", lambda: copy.deepcopy(base))
show("copy", lambda: copy.copy(base).same_as(base))
show("eq", lambda: testing.TestCompare(1, "a", 2) == testing.TestCompare(1, "a", 3))
show("lt", lambda: testing.TestCompare(1, "a", 2) < testing.TestCompare(2, "a", 3))
show("hash", lambda: hash(testing.TestHash(1, "a", 2)) == hash(testing.TestHash(1, "a", 3)))
show(
    "custom hash",
    lambda: hash(testing.TestCustomHash(1, "a")) == hash(testing.TestCustomHash(1, "b")),
)
show(
    "custom compare", lambda: testing.TestCustomCompare(1, "a") == testing.TestCustomCompare(1, "b")
)
show(
    "eq without hash",
    lambda: tvm_ffi.get_global_func("ffi.RecursiveHash")(testing.TestEqWithoutHash(1, "a")),
)
for name in [
    "_TestCxxAutoInit",
    "_TestCxxAutoInitSimple",
    "_TestCxxAutoInitAllInitOff",
    "_TestCxxKwOnly",
    "_TestCxxAutoInitKwOnlyDefaults",
    "_TestCxxAutoInitChild",
    "_TestCxxInitSubset",
    "_TestCxxNoAutoInit",
]:
    cls = getattr(testing, name)
    for args, kwargs in [
        ((), {}),
        ((1,), {}),
        ((1, 2), {}),
        ((1, 2, 3), {}),
        ((1, 2, 3, 4, 5), {}),
        ((1,), {"c": 3}),
        ((), {"x": 1, "y": 2, "z": 3}),
        (("x",), {}),
        ((), {"nothing": 1}),
    ]:
        show(
            f"{name} {args} {kwargs}",
            lambda cls=cls, args=args, kwargs=kwargs: cls(*args, **kwargs),
        )


@dataclasses.py_class("package.Node")
class Node(tvm_ffi.Object):
    value: int
    name: str = "node"
    children: list[int] = dataclasses.field(default_factory=list)
    scale: float = dataclasses.field(default=1.5, kw_only=True)
    hidden: bool = dataclasses.field(default=False, repr=False)


node = show("node", lambda: Node(1))
show("node keywords", lambda: Node(value=2, name="two", scale=2.5))
show("node missing", lambda: Node())
show("node wrong", lambda: Node("x"))
show("node unknown", lambda: Node(1, nothing=2))
show("node write", lambda: (setattr(node, "value", 7), node)[1])
show("node write wrong", lambda: setattr(node, "value", "x"))
show("node copy", lambda: copy.copy(node))
show("node deepcopy", lambda: copy.deepcopy(node))
show("node replace", lambda: dataclasses.replace(node, value=9))
show("node fields", lambda: [f.name for f in dataclasses.fields(Node)])
show("node asdict", lambda: dataclasses.asdict(node))
show("node through a call", lambda: tvm_ffi.get_global_func("testing.echo")(node).same_as(node))


@tvm_ffi.register_object("testing.TestObjectDerived")
class Derived(tvm_ffi.Object):
    pass


show("unknown key", lambda: tvm_ffi.register_object("package.NoSuchType")(Derived))

path = AccessPath.root().attr("a").array_item(3).map_item("k")
show("path", lambda: path)
show("path parent", lambda: path.parent)
show("path steps", lambda: [(int(s.kind), s.key) for s in path.to_steps()])
show("path prefix", lambda: (path.parent.is_prefix_of(path), path.is_prefix_of(path.parent)))
show("path equal", lambda: path == AccessPath.root().attr("a").array_item(3).map_item("k"))
show(
    "path missing",
    lambda: AccessPath.root().map_item_missing("z").attr_missing("q").array_item_missing(2),
)

show("cxx int enum", lambda: list(testing._TestCxxIntEnum))
show("cxx int enum value", lambda: [e.value for e in testing._TestCxxIntEnum])
show("cxx str enum value", lambda: [e.value for e in testing._TestCxxStrEnum])


class Level(dataclasses.IntEnum, type_key="package.Level"):
    low = 1
    high = 10


show("enum", lambda: (Level.low, Level.high.value, Level.low.same_as(Level.low)))
show(
    "enum holder",
    lambda: testing._TestCxxEnumHolder(testing._TestCxxIntEnum.low, testing._TestCxxStrEnum("+")),
)
