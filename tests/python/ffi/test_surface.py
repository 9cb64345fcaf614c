"""The names that programs import from the package of the ABI, and that they do the same as there."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from fairlead import ffi
from fairlead.ffi import access_path, core, serialization

SCRIPT = Path(__file__).with_name("surface_script.py")


def seen(package):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), package], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_sameAsTheOtherPackage():
    if importlib.util.find_spec("tvm_ffi") is None:
        pytest.skip("apache-tvm-ffi is not installed")
    own, other = seen("fairlead.ffi"), seen("tvm_ffi")
    assert len(own) > 40
    assert own == other


def test_namesOfTheOtherPackage():
    """What this package does not have is named here."""
    if importlib.util.find_spec("tvm_ffi") is None:
        pytest.skip("apache-tvm-ffi is not installed")
    code = "import tvm_ffi; print(*tvm_ffi.__all__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    missing = {name for name in done.stdout.split() if not hasattr(ffi, name)}
    assert missing == ABSENT


#: Visiting and changing structures, and classes that Python defines for the ABI.
ABSENT = {
    "DefRegionKind",
    "InplaceMode",
    "StructuralMutator",
    "StructuralVisitor",
    "VisitInterrupt",
    "WalkOrder",
    "WalkResult",
    "dataclasses",
    "method",
    "structural_map",
    "structural_mutate",
    "structural_visit",
    "structural_walk",
}


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
def test_jsonGraphs(value):
    text = serialization.to_json_graph_str(value)
    assert ffi.structural_equal(serialization.from_json_graph_str(text), value)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"root_index":7,"nodes":[]}', "null"])
def test_wrongJsonGraphs(text):
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


def test_opaqueHandlers(kernels):
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
