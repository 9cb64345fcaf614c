"""Atoms as values of the IR: copies by TMA of an explicit tile, MMAs of a warp by their types. Other names are
stand-ins."""

from __future__ import annotations

import enum
from typing import Any

from fairlead import _compiler
from fairlead.compat._later_gpus import stand_in
from fairlead.compat._mlir._attributes import Attribute
from fairlead.compat._mlir._memory import TensorMap
from fairlead.cute._types import Choice, DType
from fairlead.cute.nvgpu import cpasync

__all__ = [
    "MmaAtomSM80Type",
    "MmaAtomSM89Type",
    "TmaDataFormat",
    "TmaDescriptorTiledType",
    "atom_get_value",
    "atom_make_exec_tma",
    "atom_make_non_exec_tiled_tma_load",
    "atom_make_non_exec_tiled_tma_reduce",
    "atom_make_non_exec_tiled_tma_store",
    "get_default_tma_format",
]


class TmaDescriptorTiledType:
    """The type of a tensor map, as the bytes that it consists of."""

    @staticmethod
    def get(*_: object) -> Any:
        """Return the type of a byte of it."""
        return _compiler.Uint8


class TmaDataFormat(enum.Enum):
    """The elements of a copy by TMA, by the name of their numeric class."""

    UINT8 = "Uint8"
    UINT16 = "Uint16"
    UINT32 = "Uint32"
    INT32 = "Int32"
    UINT64 = "Uint64"
    INT64 = "Int64"
    FLOAT16 = "Float16"
    FLOAT32 = "Float32"
    FLOAT64 = "Float64"
    BFLOAT16 = "BFloat16"
    TFLOAT32 = "TFloat32"

    @classmethod
    def _missing_(cls, value: object) -> Any:
        return value if isinstance(value, cls) else None


def get_default_tma_format(dtype: DType, use_unpack: bool = False, *_: object, **__: object) -> Any:
    """Return the TmaDataFormat of a numeric class: narrow floats are bytes.

    Raises NotImplementedError for ``use_unpack`` (elements of less than a byte, each put into one), which is for
    compute capability 10.0.
    """
    if use_unpack:
        raise NotImplementedError("copies that unpack elements are for compute capability 10.0")
    names = {form.value for form in TmaDataFormat}
    return TmaDataFormat(dtype.__name__ if dtype.__name__ in names else f"Uint{dtype.width}")


def _internal_type(tma_format: object) -> Any:
    return None if tma_format is None else getattr(_compiler, TmaDataFormat(tma_format).value)


def atom_make_non_exec_tiled_tma_load(
    gmem_tensor: Any,
    smem_layout: Any,
    cta_v_map: Any,
    op: Any,
    *,
    num_multicast: int = 1,
    tma_format: Choice | None = None,
    loc: object = None,
    ip: object = None,
) -> tuple[Any, Any]:
    """Return the atom that loads a tile by TMA, and the tensor's coordinates.

    Args:
        gmem_tensor, smem_layout, num_multicast: as of ``cpasync.make_tiled_tma_atom``.
        cta_v_map: the tile, as the layout of its coordinates.
        op: ``op._to_ir()`` of an operation such as CopyBulkTensorTileG2SOp.
        tma_format: the TmaDataFormat of the elements; default that of the tensor's type.
    """
    atom, coordinates, *_ = cpasync.make_tiled_tma_atom(
        op,
        gmem_tensor,
        smem_layout,
        cta_v_map,
        num_multicast,
        internal_type=_internal_type(tma_format),
    )
    return atom, coordinates


def atom_make_non_exec_tiled_tma_store(
    gmem_tensor: object,
    smem_layout: object,
    cta_v_map: object,
    *,
    tma_format: Choice | None = None,
    loc: object = None,
    ip: object = None,
) -> tuple[Any, Any]:
    """Return the atom that stores a tile by TMA, and the tensor's coordinates; see
    atom_make_non_exec_tiled_tma_load."""
    op = cpasync.CopyBulkTensorTileS2GOp()
    return atom_make_non_exec_tiled_tma_load(
        gmem_tensor, smem_layout, cta_v_map, op, tma_format=tma_format
    )


def atom_make_non_exec_tiled_tma_reduce(
    gmem_tensor: object,
    smem_layout: object,
    cta_v_map: object,
    op: Choice,
    *,
    tma_format: Choice | None = None,
    loc: object = None,
    ip: object = None,
) -> tuple[Any, Any]:
    """Return the atom that combines a tile with the tensor by TMA, and the tensor's coordinates; see
    atom_make_non_exec_tiled_tma_load."""
    return atom_make_non_exec_tiled_tma_load(
        gmem_tensor, smem_layout, cta_v_map, op, tma_format=tma_format
    )


def atom_make_exec_tma(atom: _compiler.CopyAtom, *_: object, **__: object) -> Any:
    """Return the atom: one that was made on the host can be executed."""
    return atom


def atom_get_value(
    result: object,
    atom: _compiler.TensorCopyAtom,
    field: Attribute,
    *,
    loc: object = None,
    ip: object = None,
) -> Any:
    """Return the tensor map of an atom, for ``llvm.store``.

    Args:
        result: the type of the result; not looked at.
        atom: an atom of ``make_tiled_tma_atom``.
        field: an attribute such as ``#cute_nvgpu.atom_copy_field_non_exec_tma_load<tma_desc>``.

    Raises NotImplementedError for another field.
    """
    if not str(field).endswith("<tma_desc>") or not isinstance(atom, _compiler.TensorCopyAtom):
        raise NotImplementedError(
            f"atom_get_value: expected the field <tma_desc> of an atom of make_tiled_tma_atom, but got {field} of "
            f"{type(atom).__name__}"
        )
    return TensorMap(atom)


class _WarpMmaType:
    """The type of an MMA atom of a warp; ``make_atom`` makes the atom from it."""

    def __init__(self, shape_mnk: Any, a: Any, b: Any, accumulator: Any) -> None:
        self.shape_mnk, self.types = tuple(shape_mnk), (a, b, accumulator)

    @classmethod
    def get(
        cls, shape_mnk: object, a_type: object, b_type: object, acc_type: object, *_: object
    ) -> Any:
        """Return the type.

        Args:
            shape_mnk: the instruction's extents, as ``_pack_shape(shape).type.attribute`` gives them.
            a_type, b_type, acc_type: numeric classes, as ``dtype.mlir_type`` gives them.
        """
        return cls(shape_mnk, a_type, b_type, acc_type)

    def _make_atom(self, op: Any) -> Any:
        return _compiler.make_warp_mma_atom(op, *self.types, list(self.shape_mnk))


class MmaAtomSM80Type(_WarpMmaType):
    """The type of an MMA of 16-bit floats, TFloat32, integers or Float64."""


class MmaAtomSM89Type(_WarpMmaType):
    """The type of an MMA of floats of 8 bits."""


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return globals().setdefault(name, stand_in(name))
