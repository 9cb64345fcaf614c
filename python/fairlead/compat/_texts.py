"""What published programs print: types and values in the published form."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from fairlead import _compiler, cute
from fairlead.compat import _operation_texts
from fairlead.cute import _dlpack

__all__ = ["install"]

_LAYOUTS = (_compiler.Layout, _compiler.ComposedLayout, _compiler.Swizzle)


def _type_of_tensor(tensor: Any) -> str:
    """``!cute.memref<f16, gmem, "(64,512):(8192,1)">``, ``!cute.coord_tensor<"(0,0)", "(2,3):(1@0,1@1)">``."""
    own = str(tensor)
    if parts := re.fullmatch(r"tensor<ptr<(.*)> o (.*)>", own):
        return f'!cute.memref<{parts[1]}, "{parts[2]}">'
    parts = re.fullmatch(r"tensor<(.*) o (.*)>", own)
    return f'!cute.coord_tensor<"{parts[1]}", "{parts[2]}">' if parts else own


def _composed(layout: Any) -> str:
    """``(<function f at 0x...> o (1, 0) o (8,4):(1@0,1@1))`` where a function gives the elements."""
    inner = layout.inner
    if callable(inner) and not isinstance(inner, _LAYOUTS):
        return f"({inner} o {layout.offset} o {layout.outer})"
    return layout._own_text()


def _lines(title: str, rows: dict[str, Any], width: int) -> str:
    return "\n".join([title, *(f"  {name + ':':{width}}{value}" for name, value in rows.items())])


def _tiler(tiler: Any) -> str:
    """``(_,4:1,(2,2):(1,4))`` of ``(None, 4, layout)``."""
    if isinstance(tiler, tuple):
        return "(" + ",".join(map(_tiler, tiler)) + ")"
    return "_" if tiler is None else f"{tiler}:1" if isinstance(tiler, int) else str(tiler)


def _mma_atom(atom: Any, width: int = 13) -> str:
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


def _tiled_mma(mma: Any) -> str:
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


def _permutation(mma: Any) -> tuple[Any, ...]:
    """The tiler along M, N and K, extents as layouts."""
    return tuple(
        cute.make_layout(entry) if isinstance(entry, int) else entry
        for entry in mma._own_permutation
    )


def _pretty(value: Any) -> str:
    """Tuples without blanks, what is None as ``_``, anything else as ``str`` has it."""
    if isinstance(value, tuple | list):
        return "(" + ",".join(map(_pretty, value)) + ")"
    return "_" if value is None else str(value)


def _text(cls: type, text: Callable[[Any], str]) -> None:
    """Has ``str`` of the class be what ``text`` says; its own remains as ``_own_text``."""
    if "_own_text" not in vars(cls):
        cls._own_text = cls.__repr__  # type: ignore[attr-defined]
    cls.__str__ = text  # type: ignore[assignment, method-assign]


def _type(cls: type, text: Callable[[Any], str]) -> None:
    cls.type = property(text, doc="Its type, as published programs print it.")  # type: ignore[attr-defined]


class _PointerType(str):
    """The text, which also knows the swizzle of addresses."""

    swizzle_type: _compiler.Swizzle

    def __new__(cls, pointer: _compiler.Pointer) -> _PointerType:
        text = super().__new__(cls, f"!cute.{pointer}")
        text.swizzle_type = (
            pointer._swizzle if pointer._swizzle.num_bits else _compiler.Swizzle(0, 4, 3)
        )
        return text


def _settle(name: str) -> None:
    """Parts of tensors whose layouts have swizzles tell layouts and addresses of plain tensors, as far as they can:
    published programs put the layout of one part and the address of another one together."""
    own = vars(_compiler.Tensor)[
        f"_own_{name}" if f"_own_{name}" in vars(_compiler.Tensor) else name
    ]
    setattr(_compiler.Tensor, f"_own_{name}", own)
    told = property(lambda tensor: own.__get__(_compiler.settled(tensor)), doc=own.__doc__)
    setattr(_compiler.Tensor, name, told)


def install() -> None:
    """Has types, layouts, atoms and values print in the published form; again, it changes nothing."""
    _compiler.use_published_form(True)
    _compiler.Tensor._dtype = property(lambda tensor: tensor.element_type)  # type: ignore[attr-defined]
    _type(_compiler.Tensor, _type_of_tensor)
    _type(_compiler.Layout, lambda layout: f'!cute.layout<"{layout}">')
    _type(_compiler.ComposedLayout, lambda layout: f'!cute.composed_layout<"{layout}">')
    _type(_compiler.Swizzle, lambda swizzle: f'!cute.swizzle<"{swizzle}">')
    _type(_compiler.Pointer, _PointerType)
    for name in ("layout", "iterator"):
        _settle(name)
    _type(_compiler.TensorExpr, lambda values: values._own_text().partition(" o ")[0])
    _text(_compiler.TensorExpr, lambda values: f"tensor_value<{values._own_text()}>")
    _text(_compiler.ComposedLayout, _composed)
    _text(_compiler.MmaAtom, _mma_atom)
    _text(_compiler.TiledMma, _tiled_mma)
    if not hasattr(_compiler.TiledMma, "_own_permutation"):
        _compiler.TiledMma._own_permutation = _compiler.TiledMma.permutation_mnk  # type: ignore[attr-defined]
    _compiler.TiledMma.permutation_mnk = property(_permutation)  # type: ignore[assignment, method-assign]
    _operation_texts.install()
    _text(_compiler.CopyAtom, _copy_atom)
    _text(_compiler.TiledCopy, _tiled_copy)
    _text(_dlpack.RuntimeTensor, lambda tensor: tensor._own_text().replace(", ", ","))
    # In tuples, as shapes are, a number names its class: (Int32(?), 4).
    _text(_compiler.Numeric, lambda number: number._own_text())
    _compiler.Numeric.__repr__ = lambda number: f"{type(number)}({number})"  # type: ignore[method-assign]
    _compiler.TensorExpr.__repr__ = _compiler.TensorExpr.__str__  # type: ignore[method-assign]
    cute.pretty_str = _pretty  # type: ignore[attr-defined]
