"""What published programs print while they are traced: types and values in the published form."""

from __future__ import annotations

import re
from typing import Any

from fairlead import _compiler

__all__ = ["install"]


def _type_of(tensor: Any) -> str:
    """``!cute.memref<f16, gmem, align<16>, "(64,512):(8192,1)">``; tensors of coordinates as they are."""
    own = str(tensor)
    parts = re.fullmatch(r"tensor<ptr<(.*)> o (.*)>", own)
    return f'!cute.memref<{parts[1]}, "{parts[2]}">' if parts else own


def install() -> None:
    """Has ``Tensor.type`` and the text of values of tensors be the published ones; again, it changes nothing."""
    _compiler.Tensor.type = property(_type_of, doc="Its type, as published programs print it.")
    if "_own_text" in vars(_compiler.TensorExpr):
        return
    own_text = _compiler.TensorExpr._own_text = _compiler.TensorExpr.__str__
    _compiler.TensorExpr.__str__ = lambda values: f"tensor_value<{own_text(values)}>"
