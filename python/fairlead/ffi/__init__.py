"""The runtime's side of Fairlead: functions, modules, tensors and devices of the open TVM FFI ABI.

Importing it loads the runtime libraries and the call path, neither the compiler nor a framework.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fairlead.ffi import _library  # First: picks the library that the extension module below needs.

try:
    from fairlead._core import (
        Function,
        Object,
        ObjectRValueRef,
        Tensor,
        _set_classes,
        convert_func,
        ffi_version,
        make_function,
    )
except ModuleNotFoundError as missing:
    raise ImportError(_library.mismatch() or str(missing)) from missing
from fairlead.ffi import _traced  # noqa: F401  before classes are made of what it changes
from fairlead.ffi._containers import Array, Dict, List, Map
from fairlead.ffi._convert import convert
from fairlead.ffi._dtypes import (
    bfloat16,
    bool,
    float4_e2m1fn,
    float4_e2m1fnx2,
    float6_e2m3fn,
    float6_e3m2fn,
    float8_e3m4,
    float8_e4m3,
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from fairlead.ffi._loading import load_module, system_lib
from fairlead.ffi._module import Module
from fairlead.ffi._objects import (
    Error,
    ObjectConvertible,
    Shape,
    provide_type_info,
    register_object,
)
from fairlead.ffi._registry import (
    get_global_func,
    get_global_func_metadata,
    init_ffi_api,
    list_global_func_names,
    register_error,
    register_global_func,
    remove_global_func,
)
from fairlead.ffi._stream import StreamContext, get_raw_stream, use_raw_stream, use_torch_stream
from fairlead.ffi._tensor import from_dlpack
from fairlead.ffi._values import Device, DLDeviceType, device, dtype

if TYPE_CHECKING:  # What __getattr__ gives.
    from fairlead.ffi import (
        access_path,
        container,
        core,
        cpp,
        dataclasses,
        error,
        libinfo,
        module,
        registry,
        serialization,
        stream,
        structural,
        utils,
    )
    from fairlead.ffi.dataclasses._field import method
    from fairlead.ffi.structural import (
        DefRegionKind,
        InplaceMode,
        StructuralKey,
        StructuralMutator,
        StructuralVisitor,
        VisitInterrupt,
        WalkOrder,
        WalkResult,
        get_first_structural_mismatch,
        structural_equal,
        structural_hash,
        structural_map,
        structural_mutate,
        structural_visit,
        structural_walk,
    )


def _type_info(index: int) -> Any:
    from fairlead.ffi._typeinfo import (
        type_info,  # late: few programs ask, and dataclasses take long
    )

    return type_info(index)


provide_type_info(_type_info)
_set_classes(dtype=dtype, device=Device, module=Module, shape=Shape, convertible=ObjectConvertible)

#: The library of the ABI in this process.
LIB = _library.ffi_library
#: The release of apache-tvm-ffi whose surface this is.
__version__ = "0.1.15"
__version_tuple__ = (0, 1, 15)

#: Text and bytes come back as Python's own types: other packages of the ABI call them by these names.
String, Bytes = str, bytes

__all__ = [
    "LIB",
    "Array",
    "Bytes",
    "DLDeviceType",
    "DefRegionKind",
    "Device",
    "Dict",
    "Error",
    "Function",
    "InplaceMode",
    "List",
    "Map",
    "Module",
    "Object",
    "ObjectConvertible",
    "ObjectRValueRef",
    "Shape",
    "StreamContext",
    "String",
    "StructuralKey",
    "StructuralMutator",
    "StructuralVisitor",
    "Tensor",
    "VisitInterrupt",
    "WalkOrder",
    "WalkResult",
    "access_path",
    "bfloat16",
    "bool",
    "convert",
    "convert_func",
    "cpp",
    "dataclasses",
    "device",
    "dtype",
    "ffi_version",
    "float16",
    "float32",
    "float4_e2m1fn",
    "float4_e2m1fnx2",
    "float64",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "from_dlpack",
    "get_first_structural_mismatch",
    "get_global_func",
    "get_global_func_metadata",
    "get_raw_stream",
    "init_ffi_api",
    "int16",
    "int32",
    "int64",
    "int8",
    "list_global_func_names",
    "load_module",
    "make_function",
    "method",
    "register_error",
    "register_global_func",
    "register_object",
    "remove_global_func",
    "serialization",
    "structural",
    "structural_equal",
    "structural_hash",
    "structural_map",
    "structural_mutate",
    "structural_visit",
    "structural_walk",
    "system_lib",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "use_raw_stream",
    "use_torch_stream",
]


#: Parts that few programs need, imported when they are first asked for.
_MODULES = (
    "access_path",
    "container",
    "core",
    "cpp",
    "dataclasses",
    "error",
    "libinfo",
    "module",
    "registry",
    "serialization",
    "stream",
    "structural",
    "utils",
)
_STRUCTURAL = (
    "DefRegionKind",
    "InplaceMode",
    "StructuralKey",
    "StructuralMutator",
    "StructuralVisitor",
    "VisitInterrupt",
    "WalkOrder",
    "WalkResult",
    "get_first_structural_mismatch",
    "structural_equal",
    "structural_hash",
    "structural_map",
    "structural_mutate",
    "structural_visit",
    "structural_walk",
)


if not TYPE_CHECKING:  # A type checker knows the names, and finds wrong ones.

    def __getattr__(name: str) -> Any:
        import importlib

        if name in _MODULES:
            return importlib.import_module(f"fairlead.ffi.{name}")
        if name in _STRUCTURAL:
            return getattr(importlib.import_module("fairlead.ffi.structural"), name)
        if name == "method":
            return importlib.import_module("fairlead.ffi.dataclasses._field").method
        raise importlib.import_module("fairlead._hints").no_attribute(__name__, name)
