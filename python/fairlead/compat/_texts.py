"""The printed form of published programs: types and values in the published form."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from fairlead import _compiler, cute, primitives
from fairlead.compat._mlir._vectors import VectorType
from fairlead.compat._traits import Trait
from fairlead.cute._types import Number, Tiler
from fairlead.cute.nvgpu._operations import Operation

__all__ = ["MEMBERS", "pretty_str"]

_LAYOUTS = (_compiler.Layout, _compiler.ComposedLayout, _compiler.Swizzle)


def _type_of_tensor(tensor: _compiler.Tensor) -> str:
    """``!cute.memref<f16, gmem, "(64,512):(8192,1)">``, ``!cute.coord_tensor<"(0,0)", "(2,3):(1@0,1@1)">``."""
    text = str(tensor)
    if parts := re.fullmatch(r"tensor<ptr<(.*)> o (.*)>", text):
        return f'!cute.memref<{parts[1]}, "{parts[2]}">'
    parts = re.fullmatch(r"tensor<(.*) o (.*)>", text)
    return f'!cute.coord_tensor<"{parts[1]}", "{parts[2]}">' if parts else text


def _type_of_values(values: Any) -> VectorType:
    """``vector<16xf32>``."""
    text = values._own_text().partition(" o ")[0]
    elements = int(text.partition("<")[2].partition("x")[0])
    return VectorType(([elements], values.element_type), text)


def _composed(layout: Any) -> str:
    """``(<function f at 0x...> o (1, 0) o (8,4):(1@0,1@1))`` where a function gives the elements."""
    inner = layout.inner
    if callable(inner) and not isinstance(inner, _LAYOUTS):
        return f"({inner} o {layout.offset} o {layout.outer})"
    return repr(layout)


def _values(values: Any) -> str:
    return f"tensor_value<{values._own_text()}>"


def _lines(title: str, rows: dict[str, Any], width: int) -> str:
    return "\n".join([title, *(f"  {name + ':':{width}}{value}" for name, value in rows.items())])


def _tiler(tiler: Tiler) -> str:
    """``(_,4:1,(2,2):(1,4))`` of ``(None, 4, layout)``."""
    if isinstance(tiler, tuple):
        return "(" + ",".join(map(_tiler, tiler)) + ")"
    return "_" if tiler is None else f"{tiler}:1" if isinstance(tiler, int) else str(tiler)


def _mma_atom(atom: _compiler.MmaAtom, width: int = 13) -> str:
    return _lines(
        "MMA Atom",
        {
            "ThrID": atom.thr_id,
            "Shape MNK": "({},{},{})".format(*atom.shape_mnk),
            "TV Layout A": atom.tv_layout_A,
            "TV Layout B": atom.tv_layout_B,
            "TV Layout C": atom.tv_layout_C,
        },
        width,
    )


def _tiled_mma(mma: _compiler.TiledMma) -> str:
    rows = {"Thr Layout VMNK": mma.thr_layout_vmnk, "Permutation MNK": _tiler(mma.permutation_mnk)}
    return _lines("Tiled MMA", rows, 17) + "\n" + _mma_atom(mma, 17)


def _copy_atom(atom: Any, width: int = 15) -> str:
    return _lines(
        "Copy Atom",
        {
            "ThrID": atom.thr_id,
            "TV Layout Src": atom.layout_src_tv,
            "TV Layout Dst": atom.layout_dst_tv,
            "Value type": atom._type_name,
        },
        width,
    )


def _tiled_copy(copy: Any) -> str:
    rows = {"Tiler MN": _tiler(copy.tiler_mn), "TV Layout tiled": copy.layout_tv_tiled}
    return _lines("Tiled Copy", rows, 17) + "\n" + _copy_atom(copy, 17)


def _permutation(mma: _compiler.TiledMma) -> tuple[Any, ...]:
    """The tiler along M, N and K, extents as layouts."""
    return tuple(
        cute.make_layout(entry) if isinstance(entry, int) else entry
        for entry in mma._own_permutation
    )


#: For operations of copy atoms, the text of the atom's type before the element type and behind it.
_COPIES: dict[str, tuple[str, str]] = {
    "CopyUniversalOp": ("atom.universal_copy<", ", {bits} b>"),
    "CopyG2SOp": ("atom.simt_async_copy<", ", cache = {cache}, {bits} b>"),
    "LdMatrix8x8x16bOp": (
        "atom.ldsm<val_type = ",
        ', mode = <"(8,8)">, sz_pattern = u16, num_matrices = {matrices}, {form}>',
    ),
    "StMatrix8x8x16bOp": ("atom.stsm<", ', mode = <"(8,8)">, num_matrices = {matrices}, {form}>'),
    "CopyBulkTensorTileG2SOp": (
        "atom.non_exec_tiled_tma_load<sm_{generation}, ", ", copy_bits = {bits}>",
    ),
    "CopyBulkTensorTileG2SMulticastOp": (
        "atom.non_exec_tiled_tma_load<sm_{generation}_multicast, ", ", copy_bits = {bits}>",
    ),
    "CopyBulkTensorTileS2GOp": ("atom.non_exec_tiled_tma_store<", ", copy_bits = {bits}>"),
    "CopyReduceBulkTensorTileS2GOp": (
        "atom.non_exec_tiled_tma_reduce<{reduction}, ", ", copy_bits = {bits}>",
    ),
}  # fmt: skip


def _type_of_copy(atom: _compiler.CopyAtom) -> str:
    """``!cute_nvgpu.atom.universal_copy<f16, 128 b>``; AttributeError for an operation without a text."""
    op = atom.op
    if type(op).__name__ not in _COPIES:
        raise AttributeError(f"{type(atom).__name__} of {type(op).__name__} has no type")
    before, behind = _COPIES[type(op).__name__]
    options = {
        "bits": atom.num_elements * atom.value_type.width,
        "cache": getattr(getattr(op, "cache_mode", None), "name", "").lower(),
        "matrices": getattr(op, "num_matrices", None),
        "form": "t" if getattr(op, "transpose", False) else "n",
        "generation": 90 if getattr(op, "cta_group", None) is None else 100,
        "reduction": getattr(getattr(op, "reduction_kind", None), "name", None),
    }
    return f"!cute_nvgpu.{before}{atom._type_name}{behind}".format_map(options)


def _type_of_tiled_copy(copy: _compiler.TiledCopy) -> str:
    tiler = "[" + ";".join(_tiler(entry) for entry in copy.tiler_mn) + "]"
    return (
        f'!cute.tiled_copy<{_type_of_copy(copy)}, layout_copy_tv = <"{copy.layout_tv_tiled}">, '
        f'tiler_mn = <"{tiler}">>'
    )


def pretty_str(value: object) -> str:
    """Return the text of ``value``: tuples without blanks, None as ``_``, anything else as ``str`` has it."""
    if isinstance(value, tuple | list):
        return "(" + ",".join(map(pretty_str, value)) + ")"
    return "_" if value is None else str(value)


class _PointerType(str):
    """The text, which also knows the swizzle of addresses."""

    swizzle_type: _compiler.Swizzle

    def __new__(cls, pointer: _compiler.Pointer) -> _PointerType:
        text = super().__new__(cls, f"!cute.{pointer}")
        text.swizzle_type = (
            pointer._swizzle if pointer._swizzle.num_bits else _compiler.Swizzle(0, 4, 3)
        )
        return text


def _itself(value: Number) -> Callable[..., Any]:
    """A method that returns its object."""
    return lambda *_, **__: value


def _identity(value: Number) -> Any:
    return value


def _raw_pointer(pointer: _compiler.Pointer) -> Callable[..., Any]:
    return lambda **_: primitives.Pointer(pointer)


#: name -> class -> function of an object: attributes as published programs know them.
MEMBERS: dict[str, dict[type, Callable[[Any], Any]]] = {
    "__str__": {
        _compiler.ComposedLayout: _composed,
        _compiler.CopyAtom: _copy_atom,
        _compiler.MmaAtom: _mma_atom,
        _compiler.Numeric: lambda number: number._own_text(),
        _compiler.TensorExpr: _values,
        _compiler.TiledCopy: _tiled_copy,
        _compiler.TiledMma: _tiled_mma,
    },
    "__repr__": {
        # In tuples, as shapes are, a number names its class: (Int32(?), 4).
        _compiler.Numeric: lambda number: f"{type(number)}({number})",
        _compiler.TensorExpr: _values,
    },
    "type": {
        _compiler.ComposedLayout: lambda layout: f'!cute.composed_layout<"{layout}">',
        _compiler.CopyAtom: _type_of_copy,
        _compiler.Layout: lambda layout: f'!cute.layout<"{layout}">',
        _compiler.Pointer: _PointerType,
        _compiler.Swizzle: lambda swizzle: f'!cute.swizzle<"{swizzle}">',
        _compiler.Tensor: _type_of_tensor,
        _compiler.TensorExpr: _type_of_values,
        _compiler.TiledCopy: _type_of_tiled_copy,
    },
    "_to_ir": {Operation: _itself},
    "_trait": {_compiler.CopyAtom: Trait, _compiler.MmaAtom: Trait},
    "raw_ptr": {_compiler.Pointer: _raw_pointer},
    # Themselves, as values of the IR.
    "value": {
        _compiler.ComposedLayout: _identity,
        _compiler.Layout: _identity,
        _compiler.Pointer: _identity,
        _compiler.Tensor: _identity,
    },
    "_dtype": {_compiler.Tensor: lambda tensor: tensor.element_type},
    "ir_value": {_compiler.Pointer: _itself, _compiler.TensorExpr: _itself},
    "permutation_mnk": {_compiler.TiledMma: _permutation},
    "to_llvm_ptr": {_compiler.Pointer: _itself},
}
