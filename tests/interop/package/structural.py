"""Visiting, walking, mapping and mutating values by their structure."""

import typing

import tvm_ffi
from show import show
from tvm_ffi.dataclasses import field, py_class

WalkResult = tvm_ffi.structural.WalkResult
Kind = tvm_ffi.structural.DefRegionKind


def name(value):
    if isinstance(value, Var):
        return f"Var({value.name})"
    if isinstance(value, (Let, Function, Pair, Opaque, Leaf, Shared)):
        return type(value).__name__
    if isinstance(value, tvm_ffi.Object) or hasattr(value, "same_as"):
        return type(value).__name__
    return repr(value)


@py_class("structural.Var", structural_eq="var")
class Var(tvm_ffi.Object):
    name: str = field(structural_eq="ignore")
    type: typing.Any = None


@py_class("structural.Pair")
class Pair(tvm_ffi.Object):
    lhs: typing.Any
    rhs: typing.Any
    span: typing.Any = field(default=None, structural_eq="ignore")


@py_class("structural.Let")
class Let(tvm_ffi.Object):
    var: typing.Any = field(structural_eq="def-simple")
    value: typing.Any
    body: typing.Any


@py_class("structural.Function")
class Function(tvm_ffi.Object):
    params: typing.Any = field(structural_eq="def-pattern")
    body: typing.Any


@py_class("structural.Opaque", structural_eq=None)
class Opaque(tvm_ffi.Object):
    inside: typing.Any


@py_class("structural.Shared", structural_eq="dag")
class Shared(tvm_ffi.Object):
    inside: typing.Any


@py_class("structural.Const", structural_eq="const-tree")
class Const(tvm_ffi.Object):
    inside: typing.Any


@py_class("structural.Singleton", structural_eq="singleton")
class Singleton(tvm_ffi.Object):
    inside: typing.Any


@py_class("structural.Leaf")
class Leaf(tvm_ffi.Object):
    value: int


x, y, z = Var("x"), Var("y"), Var("z")
typed = Var("typed", Pair(x, 1))
VALUES = {
    "none": None,
    "int": 3,
    "float": 1.5,
    "bool": True,
    "str": "text that is long enough",
    "bytes": b"bytes",
    "dtype": tvm_ffi.dtype("int32"),
    "device": tvm_ffi.device("cpu:0"),
    "shape": tvm_ffi.Shape((1, 2)),
    "array": tvm_ffi.convert([1, "a", None, [2.5, b"x"]]),
    "map": tvm_ffi.convert({"k": 1, 2: [3]}),
    "list": tvm_ffi.List([1, [2]]),
    "dict": tvm_ffi.Dict({"k": tvm_ffi.List([1])}),
    "pair": Pair(1, Pair(2, "deep"), span=99),
    "let": Let(x, 1, Pair(x, y)),
    "function": Function([x, typed], Let(z, x, Pair(z, typed))),
    "function of pair": Function(Pair(x, Let(y, 1, z)), x),
    "opaque": Opaque(Pair(1, 2)),
    "shared": (lambda s: Pair(s, s))(Shared(Leaf(5))),
    "const": Const(Pair(1, x)),
    "singleton": Singleton(Pair(1, x)),
    "var": typed,
    "function value": tvm_ffi.convert(lambda: 1),
}


def outcome(call):
    try:
        result = call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if isinstance(result, tvm_ffi.VisitInterrupt):
        return f"interrupt {result.value!r}"
    return str(result) if not isinstance(result, tvm_ffi.Object) else repr(result)


for label, value in VALUES.items():
    for order in ("pre", "post"):
        seen = []
        result = outcome(
            lambda: tvm_ffi.structural_walk(
                value, lambda v: seen.append(name(v)) and None, order=order
            )
        )
        print(f"walk {order} {label}: {seen} -> {result}")
    seen = []
    result = outcome(
        lambda: tvm_ffi.structural_walk(
            value,
            with_def_region_kind=lambda v, kind: seen.append((name(v), int(kind))) and None,
            order="pre",
        )
    )
    print(f"regions {label}: {seen} -> {result}")


def skipper(value):
    SEEN.append(name(value))
    return WalkResult.SKIP if isinstance(value, (Pair, tvm_ffi.Array)) else WalkResult.ADVANCE


def stopper(value):
    SEEN.append(name(value))
    return tvm_ffi.VisitInterrupt(value) if value == 2 or value is x else None


def failing(value):
    SEEN.append(name(value))
    if isinstance(value, Leaf) or value == 2 or (isinstance(value, Var) and value.name == "z"):
        raise ValueError(f"no {name(value)}")


for callback in (skipper, stopper, failing, lambda v: 7, lambda v: "text", lambda v: v):
    for label, value in VALUES.items():
        for order in ("pre", "post"):
            SEEN = []
            result = outcome(lambda: tvm_ffi.structural_walk(value, callback, order=order))
            print(f"{getattr(callback, '__name__', '')} {order} {label}: {SEEN} -> {result}")

# The callback for a value.
for entries in (
    (int, lambda v: SEEN.append(("int", v))),
    [(int, lambda v: SEEN.append(("int", v))), (float, lambda v: SEEN.append(("float", v)))],
    [((int, float, str), lambda v: SEEN.append(("some", v)))],
    [(str, lambda v: SEEN.append(("str", v))), (bytes, lambda v: SEEN.append(("bytes", v)))],
    [(bool, lambda v: SEEN.append(("bool", v))), (int, lambda v: SEEN.append(("int", v)))],
    [(tvm_ffi.Object, lambda v: SEEN.append(("object", name(v))))],
    [(Pair, lambda v: SEEN.append(("pair",))), (object, lambda v: SEEN.append(("any", name(v))))],
    [(tvm_ffi.Array, lambda v: SEEN.append(("array",)))],
    [(tvm_ffi.Tensor, lambda v: SEEN.append(("tensor",)))],
):
    for label in ("int", "float", "bool", "str", "bytes", "array", "map", "list", "dict", "pair"):
        SEEN = []
        result = outcome(lambda: tvm_ffi.structural_walk(VALUES[label], entries))
        print(f"entries {label}: {SEEN} -> {result}")
SEEN = []
result = outcome(
    lambda: tvm_ffi.structural_walk(
        VALUES["function"],
        (Pair, lambda v: SEEN.append("pair") and None),
        (Var, lambda v, kind: SEEN.append((name(v), int(kind))) and None),
    )
)
print("both", SEEN, result)


# Callbacks that descend themselves.
def descend(how):
    def callback(value, visitor):
        SEEN.append((name(value), int(visitor.def_region_kind())))
        return how(value, visitor)

    return callback


def scoped(kind):
    def how(value, visitor):
        if isinstance(value, Pair):
            return visitor.with_def_region_kind(
                kind, lambda: (visitor.visit(value.lhs), visitor.visit(value.rhs))[1]
            )
        return visitor.default_visit(value)

    return how


def scoped_error(value, visitor):
    if isinstance(value, Pair):
        try:
            visitor.with_def_region_kind(Kind.DEF_PATTERN, lambda: 1 / 0)
        except Exception as error:
            SEEN.append(type(error).__name__)
        SEEN.append(int(visitor.def_region_kind()))
    return visitor.default_visit(value)


for number, how in enumerate(
    (
        lambda value, visitor: None,
        lambda value, visitor: visitor.default_visit(value),
        lambda value, visitor: visitor.visit(value.lhs) if isinstance(value, Pair) else None,
        lambda value, visitor: (
            tvm_ffi.VisitInterrupt(value) if value == 2 else visitor.default_visit(value)
        ),
        lambda value, visitor: 5,
        scoped(Kind.DEF_PATTERN),
        scoped(Kind.DEF_SIMPLE),
        scoped(Kind.NONE),
        scoped_error,
    )
):
    for label, value in VALUES.items():
        SEEN = []
        result = outcome(lambda: tvm_ffi.structural_visit(value, descend(how)))
        print(f"visit {number} {label}: {SEEN} -> {result}")


# Mapping.
def content(value, depth=0):
    if isinstance(value, Var):
        return f"{value.name}:{content(value.type)}" if value.type is not None else value.name
    if isinstance(value, (Pair,)):
        return f"Pair({content(value.lhs)}, {content(value.rhs)}, {content(value.span)})"
    if isinstance(value, Let):
        return f"Let({content(value.var)} = {content(value.value)}; {content(value.body)})"
    if isinstance(value, Function):
        return f"Function({content(value.params)} -> {content(value.body)})"
    if isinstance(value, (Opaque, Shared, Const, Singleton)):
        return f"{type(value).__name__}({content(value.inside)})"
    if isinstance(value, Leaf):
        return f"Leaf({value.value})"
    if isinstance(value, (tvm_ffi.Array, tvm_ffi.List)):
        return f"{type(value).__name__}[{', '.join(content(v) for v in value)}]"
    if isinstance(value, (tvm_ffi.Map, tvm_ffi.Dict)):
        return f"{type(value).__name__}{{{', '.join(f'{content(k)}: {content(v)}' for k, v in value.items())}}}"
    if isinstance(value, tvm_ffi.Function):
        return "a function"
    return repr(value)


def same(a, b):
    if isinstance(a, tvm_ffi.Object) and isinstance(b, tvm_ffi.Object):
        return a.same_as(b)
    return a is b


def mapped(label, value, call):
    try:
        result = call()
    except Exception as error:
        print(f"{label}: {type(error).__name__}: {error}")
        return
    print(f"{label}: {content(result)} same={same(result, value)} was {content(value)}")


def fresh():
    x, y, z = Var("x"), Var("y"), Var("z")
    typed = Var("typed", Pair(x, 1))
    shared = Shared(Leaf(5))
    return {
        "int": 3,
        "str": "text that is long enough",
        "bytes": b"some bytes that are long",
        "none": None,
        "float": 1.5,
        "array": tvm_ffi.convert([1, "a", None, [2.5, b"x", 2]]),
        "map": tvm_ffi.convert({"k": 1, 2: [3]}),
        "list": tvm_ffi.List([1, [2]]),
        "dict": tvm_ffi.Dict({"k": tvm_ffi.List([1])}),
        "pair": Pair(1, Pair(2, "deep"), span=99),
        "let": Let(x, 1, Pair(x, y)),
        "function": Function([x, typed], Let(z, x, Pair(z, typed))),
        "function of pair": Function(Pair(x, Let(y, 1, z)), Pair(x, y)),
        "opaque": Opaque(Pair(1, 2)),
        "shared": Pair(shared, shared),
        "const": Const(Pair(1, x)),
        "singleton": Singleton(Pair(1, x)),
        "var": typed,
        "use before": Pair(typed, Function([typed], typed)),
        "leaf": Leaf(5),
        "big": 2**80,
    }


def rename(v):
    return Var(v.name + "'", v.type)


MAPS = {
    "none": [],
    "ints": (int, lambda v: v + 1),
    "none back": lambda v: None,
    "same": lambda v: v,
    "floats": (float, lambda v: v * 2),
    "text": (str, lambda v: v.upper()),
    "vars": (Var, rename),
    "vars to int": (Var, lambda v: 7),
    "pairs": (Pair, lambda v: Pair(v.rhs, v.lhs)),
    "pair to int": (Pair, lambda v: 0),
    "arrays": (tvm_ffi.Array, lambda v: [0]),
    "maps": (tvm_ffi.Map, lambda v: {"new": 1}),
    "fail": (int, lambda v: 1 // 0),
    "leaf wrong": [(Leaf, lambda v: "text"), (int, lambda v: "text")],
}
for label, callbacks in MAPS.items():
    for key in fresh():
        for order in ("pre", "post"):
            value = fresh()[key]
            mapped(
                f"map {label} {order} {key}",
                value,
                lambda: tvm_ffi.structural_map(value, callbacks, order=order),
            )
for key in fresh():
    value = fresh()[key]
    SEEN = []
    mapped(
        f"map regions {key}",
        value,
        lambda: tvm_ffi.structural_map(
            value,
            with_def_region_kind=[
                (Var, lambda v, kind: SEEN.append((v.name, int(kind))) or v),
                (int, lambda v, kind: v + 10 * (1 + int(kind))),
            ],
        ),
    )
    print(SEEN)

# Owned roots: in place along unique paths.
for key in fresh():
    value = fresh()[key]
    if not isinstance(value, tvm_ffi.Object) or isinstance(
        value, (tvm_ffi.core.String, tvm_ffi.core.Bytes)
    ):
        continue
    try:
        handle = value.__chandle__()
        if isinstance(value, Pair):
            value_inner = None
        result = tvm_ffi.structural_map(value._move(), (int, lambda v: v + 1))
        print(f"moved {key}: {content(result)} in place={handle == result.__chandle__()}")
    except Exception as error:
        print(f"moved {key}: {type(error).__name__}: {error}")

MUTATES = {
    "none": [],
    "stop": lambda v, m: v,
    "default": lambda v, m: m.default_mutate(v),
    "ints": (int, lambda v, m: v + 1),
    "pairs": (Pair, lambda v, m: Pair(m.mutate(v.rhs), v.lhs)),
    "modes": lambda v, m, mode: SEEN.append((name(v), int(mode))) or m.default_mutate(v),
    "remap": (Let, lambda v, m: (m.var_remap_set(v.var, 42), m.default_mutate(v))[1]),
    "remap wrong": (int, lambda v, m: m.var_remap_set(v, 1)),
    "remap get wrong": (int, lambda v, m: m.var_remap_get(v)),
    "remap pair": (Pair, lambda v, m: m.var_remap_set(v, 1)),
    "regions": (
        Pair,
        lambda v, m: m.with_def_region_kind(
            Kind.DEF_SIMPLE, lambda: (SEEN.append(int(m.def_region_kind())), m.mutate(v.lhs))[1]
        ),
    ),
    "fail": (int, lambda v, m: 1 // 0),
    "nothing": (int, lambda v, m: None),
}
for label, callbacks in MUTATES.items():
    for key in fresh():
        value = fresh()[key]
        SEEN = []
        mapped(f"mutate {label} {key}", value, lambda: tvm_ffi.structural_mutate(value, callbacks))
        print(SEEN)
for key in fresh():
    value = fresh()[key]
    if not isinstance(value, tvm_ffi.Object) or isinstance(
        value, (tvm_ffi.core.String, tvm_ffi.core.Bytes)
    ):
        continue
    SEEN = []
    handle = value.__chandle__()
    result = tvm_ffi.structural_mutate(value._move(), MUTATES["modes"])
    print(f"moved modes {key}: {SEEN} {content(result)} in place={handle == result.__chandle__()}")

# A class's own visiting and mutation.


@py_class("structural.Hooked")
class Hooked(tvm_ffi.Object):
    first: typing.Any
    second: typing.Any

    @staticmethod
    def __s_visit__(visitor, value):
        SEEN.append("hook")
        return visitor.visit(value.second)


@py_class("structural.HookedMutate")
class HookedMutate(tvm_ffi.Object):
    first: typing.Any
    second: typing.Any

    @staticmethod
    def __s_mutate__(mutator, value):
        SEEN.append("hook")
        return HookedMutate(value.first, mutator.mutate(value.second))


@py_class("structural.HookedBad")
class HookedBad(tvm_ffi.Object):
    first: typing.Any

    @staticmethod
    def __s_visit__(visitor, value):
        return 5

    @staticmethod
    def __s_mutate__(mutator, value):
        raise KeyError("bad")


for cls, args in ((Hooked, (1, Pair(2, 3))), (HookedMutate, (1, Pair(2, 3))), (HookedBad, (1,))):
    value = Pair(cls(*args), 4)
    SEEN = []
    print(
        outcome(lambda: tvm_ffi.structural_walk(value, lambda v: SEEN.append(name(v)) and None)),
        SEEN,
    )
    SEEN = []
    print(outcome(lambda: content(tvm_ffi.structural_map(value, (int, lambda v: v + 1)))), SEEN)

# Errors know the way to where they were. (Not through containers, and not through objects of no
# structural kind, with apache-tvm-ffi's library.)
paths = tvm_ffi.get_global_func("ffi.VisitErrorContext.FindAccessPaths")
for label in ("pair", "let", "function", "function of pair", "shared", "const", "var"):
    for order in ("pre", "post"):
        SEEN = []
        try:
            tvm_ffi.structural_walk(VALUES[label], failing, order=order)
        except Exception as error:
            context = error.__tvm_ffi_error__.extra_context
            print(f"{label} {order}: {type(error).__name__} {error} {type(context).__name__}")
            pattern = [name(node) for node in context.reverse_visit_pattern]
            show("pattern", lambda: (pattern, context.prev_error_context))
            for prefix in (False, True):
                show("paths", lambda: paths(VALUES[label], context, prefix))

for label, f, args in (
    ("no arguments", "ffi.StructuralWalk", ()),
    ("index", "ffi.StructuralWalk", (1, [(-5, lambda v: 1)], [], 0)),
    ("unknown index", "ffi.StructuralWalk", (1, [(100000, lambda v: 1)], [], 0)),
    ("any index", "ffi.StructuralMap", (1, [(-1, lambda v: 9)], [], 0)),
    ("unchanged", "ffi.StructuralMap", ([1, 2], [(1, lambda v: 9)], [], 0)),
    ("mutate", "ffi.StructuralMutate", (1, [(1, lambda v, m: 9, False)])),
    ("interrupt", "ffi.VisitInterrupt", (5,)),
):
    show(label, tvm_ffi.get_global_func(f), *args)
graph = tvm_ffi.get_global_func("testing.make_visit_region_graph")
for flag in (False, True):
    seen = []
    value = graph(flag)
    print(repr(value))
    print(
        outcome(
            lambda: tvm_ffi.structural_walk(
                value,
                with_def_region_kind=lambda v, k: seen.append((type(v).__name__, int(k))) and None,
            )
        ),
        seen,
    )
