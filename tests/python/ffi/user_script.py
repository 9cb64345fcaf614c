"""A user's program with full types: test_typing.py checks it with mypy, and runs it."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

from fairlead import ffi
from fairlead.ffi import core
from fairlead.ffi.dataclasses import (
    IntEnum,
    asdict,
    field,
    fields,
    gen_abi_cpp,
    is_dataclass,
    py_class,
    replace,
)
from fairlead.ffi.utils.kwargs_wrapper import make_kwargs_wrapper


@ffi.register_error("ScriptError")
class ScriptError(RuntimeError):
    """An error of this script's own kind."""


@ffi.register_global_func("fairlead.script.twice", override=True)
def twice(value: int) -> int:
    """Twice the value."""
    return 2 * value


def use_module(path: str) -> int:
    """Functions of a library, by attribute, by key and by name."""
    module: ffi.Module = ffi.load_module(path)
    echo: ffi.Function = module.echo
    assert module["echo"].same_as(echo) and module.implements_function("echo")
    assert module.get_function("echo")("text") == "text"
    kind: str = module.kind
    metadata: dict[str, Any] | None = module.get_function_metadata("add")
    return len(kind) + len(metadata or {}) + len(module.imports)


def use_functions() -> int:
    """Global functions and functions made of callables."""
    function: ffi.Function = ffi.get_global_func("fairlead.script.twice")
    missing: ffi.Function | None = ffi.get_global_func("fairlead.none", allow_missing=True)
    assert missing is None
    double = ffi.convert_func(lambda value: value * 2.0)
    named = make_kwargs_wrapper(function, ["value"], (3,))
    return int(function(2)) + int(double(0.5)) + int(named(value=1))


def use_tensors(array: object) -> int:
    """A tensor of another framework."""
    tensor: ffi.Tensor = ffi.from_dlpack(array, require_alignment=1, require_contiguous=True)
    shape: tuple[int, ...] = tensor.shape
    dtype: ffi.dtype = tensor.dtype
    device: ffi.Device = tensor.device
    assert dtype == ffi.float32 and device == ffi.device("cpu", 0) and tensor.is_contiguous()
    assert device.dlpack_device_type() == ffi.DLDeviceType.kDLCPU
    return tensor.numel() + tensor.size(0) + shape[-1] + dtype.itemsize + dtype.with_lanes(4).lanes


def use_containers() -> int:
    """Containers of the ABI."""
    array = ffi.Array([1, 2])
    items = ffi.List([1])
    items.append(2)
    table = ffi.Dict({"a": 1})
    table["b"] = 2
    fixed = ffi.Map({"a": 1})
    shape = ffi.Shape((2, 3))
    return len(array) + len(items) + len(table) + int(fixed["a"]) + shape[1]


def use_stream(address: int) -> int:
    """The thread's stream of a device."""
    with ffi.use_raw_stream(ffi.device("cuda:0"), ctypes.c_void_p(address)):
        return ffi.get_raw_stream("cuda:0")


def use_errors() -> str:
    """An error that a callback raised."""

    def fail() -> None:
        raise ScriptError("text")

    try:
        ffi.convert_func(fail)()
    except ScriptError as error:
        return str(error)
    return str(ffi.Error("ValueError", "message").kind)


class Pair(ffi.ObjectConvertible):
    """Stands for an Array."""

    def asobject(self) -> ffi.Array:
        return ffi.Array([1, 2])


def use_structures() -> str:
    """Comparing, text, and the ways into values."""
    value = ffi.serialization.from_json_graph_str(ffi.serialization.to_json_graph_str([1, 2]))
    number: int = ffi.structural_hash(value)
    keys: dict[ffi.StructuralKey, str] = {ffi.StructuralKey(value): "found"}
    mismatch = ffi.get_first_structural_mismatch([1, 3], ffi.convert(Pair()))
    assert mismatch is not None and ffi.structural_hash([1, 2]) == number
    path: ffi.access_path.AccessPath = mismatch[0]
    return keys[ffi.StructuralKey([1, 2])] + repr(path)


@py_class("fairlead.script.Point")
class Point(ffi.Object):
    """A class of the ABI."""

    x: int
    label: str = "point"
    parts: list[int] = field(default_factory=list)

    @ffi.method
    def double(self) -> int:
        """Twice x."""
        return 2 * self.x


class Mode(IntEnum, type_key="fairlead.script.Mode"):
    """An enum of the ABI."""

    slow = 1
    fast = 2


def use_classes() -> int:
    """Objects of classes that Python defines."""
    point = Point(3, label="three", parts=[1, 2])
    other: Point = replace(point, x=4)
    names: list[str | None] = [each.name for each in fields(Point)]
    content: dict[str, Any] = asdict(point)
    assert is_dataclass(point) and names == ["x", "label", "parts"] and content["x"] == 3
    schema: core.TypeSchema = core.TypeSchema.from_annotation(list[int])
    schema.check_value([1])
    header: str = gen_abi_cpp("fairlead.script.Point")
    assert "PointObj" in header and Mode.get(2) is not None
    doubled: int = point.double()
    return doubled + other.x + len(list(Mode.all_entries()))


def use_visits() -> int:
    """Walking over values and changing them."""
    seen: list[int] = []

    def look(value: int) -> ffi.VisitInterrupt | ffi.WalkResult | None:
        seen.append(value)
        return ffi.VisitInterrupt(value) if value == 3 else None

    found: ffi.VisitInterrupt | None = ffi.structural_walk(
        [1, [2, 3], 4], (int, look), order=ffi.WalkOrder.PREORDER
    )
    assert found is not None and found.value == 3

    def descend(value: Any, visitor: ffi.StructuralVisitor) -> ffi.VisitInterrupt | None:
        assert visitor.def_region_kind() == ffi.DefRegionKind.NONE
        return visitor.default_visit(value)

    assert ffi.structural_visit([1], descend) is None

    def change(value: Any, mutator: ffi.StructuralMutator, mode: int) -> Any:
        assert mode in (ffi.InplaceMode.ALLOW, ffi.InplaceMode.DISALLOW)
        return mutator.default_mutate(value)

    changed = ffi.structural_mutate(
        ffi.structural_map([1, 2], (int, lambda value: value + 1)), change
    )
    return len(seen) + int(changed[1])


def main(path: str) -> None:
    """Prints what all parts gave."""
    import numpy

    print(
        use_module(path),
        use_functions(),
        use_tensors(numpy.zeros((2, 3), numpy.float32)),
        use_containers(),
        use_stream(4096),
        use_errors(),
        use_structures(),
        use_classes(),
        use_visits(),
        ffi.libinfo.find_include_path() in ffi.libinfo.include_paths(),
    )


if __name__ == "__main__":
    main(sys.argv[1])
