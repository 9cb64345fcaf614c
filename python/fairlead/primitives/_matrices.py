"""Matrices that the lanes of a warp load from shared memory and store there together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute._types import Choice, DType, PointerLike
from fairlead.errors import make_error
from fairlead.primitives import _enums
from fairlead.primitives._operands import emit, member, needs, shared, word32

__all__ = ["ldmatrix", "stmatrix"]

_Int32 = _compiler.Int32


def _is_transposed(layout: Choice, function: str) -> bool:
    is_transposed: bool = member(_enums.MMALayout, layout, function, "layout").value == "col"
    return is_transposed


def _vector(values: Sequence[Any], dtype: DType) -> Any:
    from fairlead.primitives._vector import Vector

    return Vector.from_elements(list(values), dtype)


def ldmatrix(
    ptr: PointerLike,
    num: int,
    layout: Choice,
    *,
    shape: Choice | None = None,
    src_format: Choice | None = None,
) -> Any:
    """Load matrices of 8 rows of 16 bytes from shared memory; all lanes of the warp do it together.

    For sm_75 and newer GPUs, and the CPU; shapes other than M8N8 for sm_100a, sm_120a and their families.

    Args:
        ptr: in lane 8 j + i the address of row i of matrix j, a multiple of 16 bytes.
        num: number of registers of each lane: 1, 2 or 4.
        layout: an ``MMALayout``: ROW, or COL to transpose matrices of elements of 16 bits.
        shape: a ``LoadShape``, default M8N8.
        src_format: a ``LoadSrcFormat``, for the other shapes.

    Returns:
        An Int32, or a Vector of `num` of them.
    """
    function = "ldmatrix"
    if num not in (1, 2, 4):
        raise make_error(
            "ArgumentValue", function=function, expected="1, 2 or 4 as num", got=repr(num)
        )
    transposed = _is_transposed(layout, function)
    row = shared(ptr, function, "ptr")
    form = "m8n8" if shape is None else member(_enums.LoadShape, shape, function, "shape").value
    if form == "m8n8" and src_format is None:
        needs(function, "ldmatrix")
        attributes = {"transposed": True} if transposed else {}
        words = _compiler.operation("load_matrix", [row.toint()], attributes, [_Int32] * num)
    else:
        words = _load_bytes(row, num, form, transposed, src_format)
    return words[0] if num == 1 else _vector(words, _Int32)


#: Bits of an element in shared memory.
_SOURCE_BITS = {"b8": 8, "b6x16_p32": 6, "b4x16_p64": 4}


def _load_bytes(
    row: _compiler.Pointer, num: int, form: str, transposed: bool, src_format: Choice | None
) -> list[Any]:
    """Matrices whose elements are bytes in registers."""
    function = f"ldmatrix of {form}"
    source = "b8" if src_format is None else member(
        _enums.LoadSrcFormat, src_format, function, "src_format"
    ).value  # fmt: skip
    needs(function, "ldmatrix_b8")
    is_square = form == "m16n16"
    if transposed != is_square or (is_square and num == 1) or (not is_square and source == "b8"):
        raise make_error(
            "ArgumentValue",
            function=function,
            expected="layout COL, and 2 or 4 as num"
            if is_square
            else "layout ROW, and b6x16_p32 or b4x16_p64 as src_format",
            got=f"{'COL' if transposed else 'ROW'}, {num}, {source}",
        )
    attributes: dict[str, Any] = {"bits": _SOURCE_BITS[source]}
    if transposed:
        attributes["transposed"] = True
    words = _compiler.operation("load_byte_matrix", [row.toint()], attributes, [_Int32] * num)
    return list(words)


def _sources(sources: object) -> list[Any]:
    elements = getattr(sources, "to_elements", None)
    if elements is not None:
        return list(elements())
    return list(sources) if isinstance(sources, (tuple, list)) else [sources]


def stmatrix(
    ptr: PointerLike, sources: object, layout: Choice, *, shape: Choice | None = None
) -> None:
    """Store matrices of 8 rows of 16 bytes in shared memory: the inverse of ldmatrix.

    For sm_90 and newer GPUs, and the CPU; M16N8 for sm_100a.

    Args:
        ptr, layout: see ldmatrix.
        sources: the registers of the lane: an Int32, or a Vector, a tuple or a list of 1, 2 or 4.
        shape: a ``StoreShape``, default M8N8.
    """
    function = "stmatrix"
    words = [word32(source, function, "sources") for source in _sources(sources)]
    count = len(words)
    if count not in (1, 2, 4):
        raise make_error(
            "ArgumentValue", function=function, expected="1, 2 or 4 sources", got=str(count)
        )
    words = [word if type(word) is _Int32 else word.bitcast(_Int32) for word in words]
    transposed = _is_transposed(layout, function)
    row = shared(ptr, function, "ptr")
    form = "m8n8" if shape is None else member(_enums.StoreShape, shape, function, "shape").value
    if form == "m8n8":
        needs(function, "stmatrix")
        attributes = {"transposed": True} if transposed else {}
        _compiler.operation("store_matrix", [row.toint(), *words], attributes)
        return
    needs(f"{function} of {form}", "tcgen05", cpu=False)
    places = ", ".join(f"${place + 1}" for place in range(count))
    text = f"stmatrix.sync.aligned.m16n8.x{count}.trans.shared.b8 [$0], {{{places}}};"
    emit(text, [], [row, *words])
