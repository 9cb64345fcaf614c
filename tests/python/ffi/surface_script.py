"""Uses of the ABI besides calls, with the package named on the command line: prints the results."""

import importlib
import sys

ffi = importlib.import_module(sys.argv[1])


def part(name):
    return importlib.import_module(f"{sys.argv[1]}.{name}")


access_path, serialization = part("access_path"), part("serialization")
registry, core = part("registry"), part("core")
echo = ffi.convert(lambda x: x)


def show(*values):
    print(*values)


def error(function, *args):
    try:
        function(*args)
    except Exception as raised:
        show(type(raised).__name__)
    else:
        show("no error")


key = ffi.StructuralKey([1, "two"])
same = ffi.StructuralKey([1, "two"])
show(key == same, key != ffi.StructuralKey([2]), hash(key) == hash(same), key == 3)
show(key.hash_i64, list(key.key), len(ffi.Map({key: 1, same: 2})))
for a, b in (
    ([1, [2]], [1, [3]]),
    ({"a": 1}, {"a": 2}),
    ({"a": 1}, {"b": 1}),
    ([1], [1, 2]),
    ("x", "x"),
    (1, 1.0),
    ([1, {"k": [None]}], [1, {"k": [0]}]),
):
    found = ffi.get_first_structural_mismatch(a, b)
    show(ffi.structural_equal(a, b), ffi.structural_hash(a), found)
    show(found and [[(step.kind, step.key) for step in path.to_steps()] for path in found])

root = access_path.AccessPath.root()
path = root.attr("x").array_item(1).map_item("k")
show(path, path.depth, path.parent, path.step.kind, path.step.key)
show(root.parent, root.step, root.depth)
show(path == root.attr("x").array_item(1).map_item("k"), path != root, path == "x")
show(root.array_item_missing(3).attr_missing("b").map_item_missing("c"), root.map_item(5))
show(root.is_prefix_of(path), path.is_prefix_of(root), type(root.attr("a")).__name__)
show([(kind.name, int(kind)) for kind in access_path.AccessKind])
error(access_path.AccessPath)
error(access_path.AccessStep)

for value in (1, None, [1, {"a": 2}], "text", 2.5, {"k": [1, 2]}, True, 2**70, (1, (2, 3))):
    text = serialization.to_json_graph_str(value)
    show(text, ffi.structural_equal(serialization.from_json_graph_str(text), value))
show(serialization.to_json_graph_str([1], {"v": "1"}))
error(serialization.from_json_graph_str, "{")
error(serialization.from_json_graph_str, '{"root_index":7,"nodes":[]}')


class Convertible(ffi.ObjectConvertible):
    def asobject(self):
        return ffi.Array([1, 2])


show(list(echo(Convertible())), list(ffi.convert(Convertible())), list(echo([Convertible()])[0]))
error(echo, ffi.ObjectConvertible())


class Address:
    pass


class Derived(Address):
    pass


class Wrong:
    pass


core._OPAQUE_PTR_HANDLERS[Address] = lambda address: 0x40
core._OPAQUE_PTR_HANDLERS[Wrong] = lambda address: "no int"
show(echo(Address()), type(echo(Derived())).__name__)
error(echo, Wrong())

show("ffi.Array" in list(registry.get_registered_type_keys()), type(ffi.LIB).__name__)
show("ffi.Array" in registry.list_global_func_names(), core.MISSING is not None)
show(part("module").ModulePropertyMask.RUNNABLE == 2, part("container").Map is ffi.Map)
show(part("stream").use_raw_stream is ffi.use_raw_stream, core.Function is ffi.Function)
show(registry.register_object is ffi.register_object, part("error").register_error is not None)
show(core.Tensor is ffi.Tensor, core.ObjectConvertible is ffi.ObjectConvertible)
show(".".join(map(str, ffi.__version_tuple__[:3])) == ".".join(ffi.__version__.split(".")[:3]))
