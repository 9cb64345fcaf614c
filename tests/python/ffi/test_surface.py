"""The names that programs import from the package of the ABI, and that they do the same as there."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from support import apache

from fairlead import ffi
from fairlead.ffi import access_path, core, serialization

SCRIPT = Path(__file__).with_name("surface_script.py")


def seen(package):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), package], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_same_as_the_other_package():
    if apache.package() is None:
        pytest.skip("apache-tvm-ffi is not installed")
    own, other = seen("fairlead.ffi"), seen("tvm_ffi")
    assert len(own) > 40
    assert own == other


#: Modules of the other package that programs import, with the names that we leave out.
MODULES = {
    "": set(),
    "access_path": set(),
    "container": set(),
    # Classes of its Cython module that no program makes: views of an argument, wrappers for its own tests, and the
    # accessors of fields, which are builtins here.
    "core": {
        "ByteArrayArg",
        "CContainerBase",
        "DLTensorTestWrapper",
        "FieldGetter",
        "FieldSetter",
        "OpaquePyObject",
        "PyNativeObject",
    },
    "cpp": set(),
    "cpp.nvrtc": set(),
    "dataclasses": set(),
    "dataclasses.common": set(),
    "dataclasses.enum": set(),
    # Frames of tracebacks are made in C++ here.
    "error": {"TracebackManager"},
    # Names of its sources, its Cython module and Windows.
    "libinfo": {
        "find_cython_lib",
        "find_python_helper_include_path",
        "find_source_path",
        "find_windows_implib",
    },
    "module": set(),
    "registry": set(),
    "serialization": set(),
    "stream": set(),
    "structural": set(),
    "utils": set(),
    "utils.embed_cubin": set(),
    "utils.kwargs_wrapper": set(),
    "utils.lockfile": set(),
    "utils.unpack_dataclass": set(),
}
#: Members of classes that we leave out.
MEMBERS = {
    ("core", "ObjectRValueRef"): {"obj"},
    ("core", "TypeField"): {"normalize_value"},
}
LIST_NAMES = """
import importlib, json, sys
found = {}
for name in json.loads(sys.argv[1]):
    module = importlib.import_module("tvm_ffi" + ("." + name if name else ""))
    public = getattr(module, "__all__", None)
    names = [n for n in public or dir(module) if not n.startswith("_")]
    if public is None:
        names = [n for n in names
                 if getattr(getattr(module, n), "__module__", "") == module.__name__]
    found[name] = {
        n: [a for a in dir(getattr(module, n)) if not a.startswith("_")]
        if isinstance(getattr(module, n), type) else None
        for n in names
    }
print(json.dumps(found))
"""


def test_names_of_the_other_package():
    """Every public name of its modules, and every public member of its classes, except for the listed ones."""
    if apache.package() is None:
        pytest.skip("apache-tvm-ffi is not installed")
    done = subprocess.run(
        [sys.executable, "-c", LIST_NAMES, json.dumps(list(MODULES))],
        capture_output=True,
        text=True,
        check=True,
    )
    theirs = json.loads(done.stdout.splitlines()[-1])
    assert len(theirs[""]) > 50 and len(theirs["dataclasses"]) > 20
    missing, lacking = {}, {}
    for name, names in theirs.items():
        own = importlib.import_module("fairlead.ffi" + (f".{name}" if name else ""))
        missing[name] = {each for each in names if not hasattr(own, each)}
        for each, members in names.items():
            cls = getattr(own, each, None)
            absent = {m for m in members or () if cls is not None and not hasattr(cls, m)}
            if absent:
                lacking[name, each] = absent
    assert missing == MODULES
    assert lacking == MEMBERS


def test_structural():
    assert ffi.structural_equal([1, {"a": (2, "x")}], (1, {"a": [2, "x"]}))
    assert not ffi.structural_equal([1, 2], [1, 3])
    assert ffi.structural_hash([1, 2]) == ffi.structural_hash((1, 2)) != ffi.structural_hash([2])
    assert 0 <= ffi.structural_hash("a") < 2**64
    left, right = ffi.get_first_structural_mismatch([1, {"k": [2]}], [1, {"k": [3]}])
    assert repr(left) == repr(right) == '<root>[1]["k"][0]'
    assert ffi.get_first_structural_mismatch([1], [1]) is None
    keys = {ffi.StructuralKey([1, 2]): "a"}
    assert keys[ffi.StructuralKey((1, 2))] == "a" and ffi.StructuralKey([2]) not in keys


def test_paths():
    root = access_path.AccessPath.root()
    path = root.attr("x").array_item(1)
    assert repr(path) == "<root>.x[1]" and path.depth == 2
    assert path == root.attr("x").array_item(1) and len({path, root.attr("x").array_item(1)}) == 1
    assert root.is_prefix_of(path) and not path.is_prefix_of(root)
    with pytest.raises(ValueError, match="root"):
        access_path.AccessPath()
    with pytest.raises(TypeError, match="to_steps"):
        access_path.AccessStep()


@pytest.mark.parametrize("value", [1, None, "text", 2**70, [1, {"a": [2.5, True]}]], ids=str)
def test_json_graphs(value):
    text = serialization.to_json_graph_str(value)
    assert ffi.structural_equal(serialization.from_json_graph_str(text), value)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"root_index":7,"nodes":[]}', "null"])
def test_wrong_json_graphs(text):
    with pytest.raises((ValueError, TypeError, KeyError, IndexError, RuntimeError)):
        serialization.from_json_graph_str(text)
    with pytest.raises(TypeError, match="expected str"):
        serialization.from_json_graph_str(None)


def test_convertible(kernels):
    class Own(ffi.ObjectConvertible):
        def asobject(self):
            return ffi.Array([1, 2])

    class Endless(ffi.ObjectConvertible):
        def asobject(self):
            return self

    assert list(kernels.echo(Own())) == [1, 2] and list(ffi.convert(Own())) == [1, 2]
    with pytest.raises(NotImplementedError, match="asobject"):
        kernels.echo(ffi.ObjectConvertible())
    with pytest.raises(RecursionError):
        kernels.echo(Endless())


def test_opaque_handlers(kernels):
    class Address:
        pass

    class Late:
        pass

    core._OPAQUE_PTR_HANDLERS[Address] = lambda address: 0x40
    core._OPAQUE_PTR_HANDLERS[Late] = lambda address: 1 / 0
    try:
        assert kernels.echo(Address()).value == 0x40
        with pytest.raises(ZeroDivisionError):
            kernels.echo(Late())
    finally:
        del core._OPAQUE_PTR_HANDLERS[Address], core._OPAQUE_PTR_HANDLERS[Late]
    with pytest.raises(TypeError, match="handler of Address"):
        kernels.echo(Address())
