"""Uses all of a library of Library.cpp: `uses.py LIBRARY PREFIX tvm_ffi|fairlead.ffi OTHER [module]`.

The Python package named third provides the runtime. OTHER, a library of other headers, makes the maps that LIBRARY
reads, and the reverse. "module" leaves the library's module out. Prints one line for each thing that is wrong.
"""

import importlib
import json
import sys

import numpy as np

failures = 0


def expect(what, got, expected):
    global failures
    if got != expected or type(got) is not type(expected):
        failures += 1
        print(f"{what}: got {got!r}, expected {expected!r}")


def use_values(library, ffi):
    expect("int", library.add_one(41), 42)
    expect("short text", str(library.repeat("ab", 2)), "abab")
    expect("long text", str(library.repeat("abc", 20)), "abc" * 20)
    expect("shape", tuple(library.reversed(ffi.Shape((2, 3, 5)))), (5, 3, 2))
    expect("optional given", str(library.describe(7, "text", [1, 2], 5)), "7,text,2,int 5")
    expect("optional absent", str(library.describe(None, None, None, "x")), "none,none,none,text x")
    expect("no result", library.found(False), None)
    expect("result", str(library.found(True)), "a text that no cell holds inline")
    x, y = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    library.scale(ffi.from_dlpack(x), ffi.from_dlpack(y), 2.0)
    expect("tensor", y.tolist(), [0.0, 2.0, 4.0, 6.0, 8.0])


def use_containers(library, other):
    words = [f"word {i % 7} of a list" for i in range(100)]
    counts = library.count(words)
    read = {str(key): counts[key] for key in counts}
    expect("map", read, {word: words.count(word) for word in words})
    expect("map of the runtime", library.total({i: i for i in range(50)}), 50 * 49 // 2 + 50_000)
    expect("own map", library.total(counts), 100 + 7000)
    expect("structural keys", library.distinct([1, 2], [1, 2], [2, 1]), 2)
    expect("map of the other library", library.total(other.count(words)), 100 + 7000)
    expect("map for the other library", other.total(counts), 100 + 7000)


def use_functions(library, ffi):
    expect("callback", str(library.call_back(lambda x, text: f"{x} {text}", 3)), "3 of the library")

    def raise_error():
        raise ValueError("of Python")

    expect("error of a callback", str(library.caught(raise_error)), "ValueError: of Python")
    for call, kind, text in (
        (lambda: library.fail("a message"), IndexError, "a message"),
        (lambda: library.add_one("x"), TypeError, "add_one"),
        (lambda: library.scale(*[ffi.from_dlpack(np.zeros(n, "float32")) for n in (2, 3)], 1.0),
         ValueError, "extents 2 and 3 differ"),
    ):  # fmt: skip
        try:
            call()
        except Exception as error:
            expect("kind of error", type(error).__name__, kind.__name__)
            expect(f"{text} in {error}", text in str(error), True)
        else:
            expect("error", None, text)


def use_objects(library, ffi, prefix):
    @ffi.register_object(f"{prefix}.Counter")
    class Counter(ffi.Object):
        pass

    counter = library.make_counter(3)
    expect("class", type(counter), Counter)
    expect(
        "fields", (counter.start, counter.limit, counter.name, counter.either), (3, None, None, 3)
    )
    counter.limit, counter.name, counter.either = 6, "a name of some length", "no number"
    expect("method", (counter.add(2), counter.add(5)), (5, 6))
    expect(
        "texts", (str(counter.name), str(counter.either)), ("a name of some length", "no number")
    )
    expect("history", list(counter.history), [5, 6])
    expect("global function", ffi.get_global_func(f"{prefix}.add_one")(1), 2)
    metadata = ffi.get_global_func_metadata(f"{prefix}.add_one")
    expect("metadata", metadata.get("takes"), 1)
    expect("JSON", json.loads(str(library.to_json({"a": [1, None]}))), {"a": [1, None]})
    expect("indented", "\n  " in str(library.to_json({"a": 1})), True)


def use_module(library):
    module = library.make_module()
    expect("function of a module", module.get_function("double")(21), 42)
    expect("kind of a module", str(module.kind), "abi_matrix")
    try:
        module.get_function("triple")
    except AttributeError:
        pass
    else:
        expect("a function that a module lacks", "found", "AttributeError")


def main(path, prefix, package, other, *without):
    ffi = importlib.import_module(package)
    library = ffi.load_module(path)
    use_values(library, ffi)
    use_containers(library, ffi.load_module(other))
    use_functions(library, ffi)
    use_objects(library, ffi, prefix)
    if "module" not in without:
        use_module(library)
    print("all as expected" if not failures else f"{failures} things are wrong")


if __name__ == "__main__":
    main(*sys.argv[1:])
