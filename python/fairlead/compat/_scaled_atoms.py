"""MMA atoms of warps with block scaling, whose scale factors programs set before each product."""

from __future__ import annotations

import enum
from typing import Any

from fairlead import _compiler, cute
from fairlead.cute._types import Choice
from fairlead.errors import make_error

__all__ = ["Field", "ScaledWarpAtom", "plain_atom"]


class Field(enum.Enum):
    """The settings of an MMA of a warp: with block scaling, pointers to a thread's scale factors of A and B."""

    ACCUMULATE = "accumulate"
    SFA = "sfa"
    SFB = "sfb"


class ScaledWarpAtom:
    """An MMA atom of ``warp`` with block scaling. ``set`` gives the scale factors of the next product."""

    def __init__(self, atom: cute.MmaAtom) -> None:
        self._atom = atom
        self._factors_of_a: Any = None
        self._factors_of_b: Any = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_atom":
            raise AttributeError(name)
        return getattr(self._atom, name)

    def __repr__(self) -> str:
        return repr(self._atom)

    def set(self, field: Choice, value: object, *, loc: object = None, ip: object = None) -> None:
        """Give the scale factors of the next product of one instruction.

        Args:
            field: Field.SFA or Field.SFB.
            value: a pointer to the thread's scale factors in registers, of 8 bits each, one after the other.

        Raises TypeError (AtomUse) for another field, or another value.
        """
        if field not in (Field.SFA, Field.SFB):
            raise make_error(
                "AtomUse", expected=f"Field.SFA or Field.SFB of {self._atom.op}", got=str(field)
            )
        if (
            not isinstance(value, _compiler.Pointer)
            or value.memspace is not _compiler.AddressSpace.rmem
            or value.dtype.width != 8
        ):
            raise make_error(
                "AtomUse",
                expected=f"a pointer to scale factors of 8 bits in registers as {field} of {self._atom.op}",
                got=str(value),
            )
        if field is Field.SFA:
            self._factors_of_a = value
        else:
            self._factors_of_b = value

    def multiply(
        self, d: _compiler.Tensor, a: _compiler.Tensor, b: _compiler.Tensor, c: _compiler.Tensor
    ) -> None:
        """``d = a * b + c`` of one instruction's fragments. The next product needs its own scale factors.

        Raises TypeError (AtomUse) if scale factors of A or B have not been set since the last product.
        """
        scales = [
            self._tensor(Field.SFA, self._factors_of_a),
            self._tensor(Field.SFB, self._factors_of_b),
        ]
        self._factors_of_a = self._factors_of_b = None
        left: Any = [a, scales[0]]
        right: Any = [b, scales[1]]
        cute.gemm(self._atom, d, left, right, c)

    def _tensor(self, field: Field, pointer: _compiler.Pointer | None) -> Any:
        """Return the scale factors as a tensor of one for each value."""
        op = self._atom.op
        if pointer is None:
            raise make_error(
                "AtomUse",
                expected=f"{field} of {self._atom.op}, set before each product",
                got="none",
            )
        count = self._atom.shape_mnk[2] // op.sf_vec_size
        layout = cute.make_layout((op.sf_vec_size, count), stride=(0, 1))
        return cute.make_tensor(cute.recast_ptr(pointer, dtype=op.sf_dtype), layout)


def plain_atom(atom: object) -> Any:
    """Return Fairlead's atom of a ScaledWarpAtom; anything else as it is."""
    return atom._atom if isinstance(atom, ScaledWarpAtom) else atom
