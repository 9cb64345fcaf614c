"""Array, List, Map, Dict and Shape as Python sees them."""

import copy

import tvm_ffi
from show import show

array = tvm_ffi.Array([1, 2.5, "three", None, [4, 5]])
show("array", lambda: array)
show("array len", lambda: len(array))
show("array items", lambda: [array[0], array[-1], array[1:3]])
show("array past the end", lambda: array[9])
show("array contains", lambda: ("three" in array, 7 in array))
show(
    "array eq",
    lambda: (array == tvm_ffi.Array([1, 2.5, "three", None, [4, 5]]), array == tvm_ffi.Array([1])),
)
show("array add", lambda: array + [6])
show("array iter", lambda: [repr(x) for x in array])
show("array hash", lambda: hash(tvm_ffi.Array([1, 2])) == hash(tvm_ffi.Array([1, 2])))
show("array deepcopy", lambda: copy.deepcopy(array))
show("array deepcopy same", lambda: copy.deepcopy(array).same_as(array))
show("array copy", lambda: copy.copy(array))
show("array bool", lambda: (bool(array), bool(tvm_ffi.Array([]))))
show(
    "array order",
    lambda: tvm_ffi.get_global_func("ffi.RecursiveLt")(
        tvm_ffi.Array([1, 2]), tvm_ffi.Array([1, 3])
    ),
)

items = tvm_ffi.List([1, 2, 3])
show("list append", lambda: (items.append(4), items)[1])
show("list insert", lambda: (items.insert(0, "zero"), items)[1])
show("list pop", lambda: (items.pop(), items))
show("list pop at", lambda: (items.pop(0), items))
show("list set", lambda: (items.__setitem__(1, "two"), items)[1])
show("list del", lambda: (items.__delitem__(0), items)[1])
show("list extend", lambda: (items.extend([7, 8, 9]), items)[1])
show("list slice", lambda: items[1:3])
show("list set slice", lambda: (items.__setitem__(slice(0, 2), ["a", "b", "c"]), items)[1])
show("list reverse", lambda: (items.reverse(), items)[1])
show("list contains", lambda: (9 in items, "q" in items))
show("list remove", lambda: (items.remove(9), items)[1])
show("list remove missing", lambda: items.remove("missing"))
show("list index error", lambda: items[100])
show("list eq", lambda: items == tvm_ffi.List(list(items)))
show("list deepcopy", lambda: copy.deepcopy(items))
show("list clear", lambda: (items.clear(), items)[1])
show("list pop empty", lambda: items.pop())
nested = tvm_ffi.List([1])
nested.append(nested)
show("list in itself", lambda: nested)
show("list in itself copied", lambda: (lambda c: (c, c[1].same_as(c)))(copy.deepcopy(nested)))

mapping = tvm_ffi.Map({"a": 1, 2: "b", "c": [1, 2], "d": {"e": None}})
show("map", lambda: mapping)
show("map get", lambda: (mapping["a"], mapping[2], mapping.get("z"), mapping.get("z", 5)))
show("map missing", lambda: mapping["z"])
show("map keys", lambda: list(mapping.keys()))
show("map values", lambda: [repr(v) for v in mapping.values()])
show("map items", lambda: [repr(v) for v in mapping.items()])
show("map contains", lambda: ("a" in mapping, "z" in mapping))
show("map len", lambda: len(mapping))
show("map eq", lambda: mapping == tvm_ffi.Map({"a": 1, 2: "b", "c": [1, 2], "d": {"e": None}}))
show("map ne", lambda: mapping == tvm_ffi.Map({"a": 1}))
show("map hash", lambda: hash(tvm_ffi.Map({"a": 1, "b": 2})) == hash(tvm_ffi.Map({"b": 2, "a": 1})))
show("map deepcopy", lambda: copy.deepcopy(mapping))
show(
    "map big",
    lambda: list(tvm_ffi.Map({str(i): i for i in range(1000)}).values()) == list(range(1000)),
)

table = tvm_ffi.Dict({"a": 1})
show("dict set", lambda: (table.__setitem__("b", [1]), table)[1])
show("dict set again", lambda: (table.__setitem__("a", 2), table)[1])
show("dict del", lambda: (table.__delitem__("b"), table)[1])
show("dict del missing", lambda: table.__delitem__("zz"))
show("dict pop", lambda: (table.pop("a"), table))
show("dict pop default", lambda: table.pop("zz", 3))
show("dict update", lambda: (table.update({"x": 1, "y": 2}), table)[1])
show("dict setdefault", lambda: (table.setdefault("x", 9), table.setdefault("w", 9), table))
show("dict eq", lambda: table == tvm_ffi.Dict({"x": 1, "y": 2, "w": 9}))
show("dict deepcopy", lambda: copy.deepcopy(table))
show("dict clear", lambda: (table.clear(), len(table)))

shape = tvm_ffi.Shape((1, 2, 3))
show("shape", lambda: (shape, shape[1], len(shape), shape == (1, 2, 3)))
show("shape of text", lambda: tvm_ffi.Shape(("a",)))
show("convert", lambda: tvm_ffi.convert([1, {"k": (2, 3)}]))
show("big ints", lambda: tvm_ffi.Map({2**70: -(2**80)}))
for value in [
    1.0,
    0.1,
    1e-7,
    1e16,
    'quote" back\\slash\n\t\x01 é 漢 😀',
    b'bytes\n"\\\x00\xff',
    True,
    None,
]:
    show(f"repr {value!r}", lambda value=value: tvm_ffi.Array([value]))
