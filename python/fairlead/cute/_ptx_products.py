"""``mma.sync`` of inline PTX on the CPU: the MMA of a warp that ``cute.nvgpu.warp`` has, on the registers of PTX."""

from __future__ import annotations

import re
from typing import Any

from fairlead import _compiler as c
from fairlead.cute._layout import make_layout, recast_tensor
from fairlead.cute._ptx_values import UnknownPtx

__all__ = ["Product"]

_TYPES = {
    "f16": c.Float16,
    "bf16": c.BFloat16,
    "tf32": c.TFloat32,
    "e4m3": c.Float8E4M3FN,
    "e5m2": c.Float8E5M2,
    "s8": c.Int8,
    "u8": c.Uint8,
    "f32": c.Float32,
    "s32": c.Int32,
}
_FORM = re.compile(
    r"sync\.aligned\.m(\d+)n(\d+)k(\d+)\.row\.col\.(\w+)\.(\w+)\.(\w+)\.(\w+)(?:\.satfinite)?"
)


class Product:
    """An ``mma.sync``, by the words of its name.

    Attributes:
        register: the numeric class of the registers of C and D; those of A and B are Uint32.

    Raises UnknownPtx for products that ``cute.nvgpu.warp`` does not have.
    """

    def __init__(self, words: list[str]) -> None:
        form = _FORM.fullmatch(".".join(words))
        if form is None or form[4] != form[7]:
            raise UnknownPtx
        m, n, k = (int(extent) for extent in form.groups()[:3])
        try:
            self._a, self._b, self._accumulator = (_TYPES[form[place]] for place in (5, 6, 4))
            self._atom = c.make_warp_mma_atom(
                "mma.sync", self._a, self._b, self._accumulator, [m, n, k]
            )
        except (KeyError, ValueError):
            raise UnknownPtx from None
        self.register = c.Uint32 if self._accumulator.width < 32 else self._accumulator
        # Registers of 32 bits that each of the 32 lanes has of A, B and C.
        self.counts = [
            rows * columns * dtype.width // 1024
            for rows, columns, dtype in (
                (m, k, self._a),
                (n, k, self._b),
                (m, n, self._accumulator),
            )
        ]

    def computed(self, a: list[Any], b: list[Any], addends: list[Any]) -> list[Any]:
        """Return the registers of D, computed from the registers of A, B and C."""
        if [len(a), len(b), len(addends)] != self.counts:
            raise UnknownPtx
        result = _held(addends, self.register)
        d = recast_tensor(result, self._accumulator)
        of_a = recast_tensor(_held(a, c.Uint32), self._a)
        of_b = recast_tensor(_held(b, c.Uint32), self._b)
        c.mma_atom_call(self._atom, d, of_a, of_b, d)
        return [result[place] for place in range(len(addends))]


def _held(words: list[Any], dtype: type[c.Numeric]) -> c.Tensor:
    tensor = c.make_rmem_tensor(make_layout(len(words)), dtype)
    for place, word in enumerate(words):
        tensor[place] = word
    return tensor
