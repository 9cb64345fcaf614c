"""Casts between types of the IR, which only programs that build operations themselves make."""

from __future__ import annotations

from fairlead.compat._later_gpus import stand_in
from fairlead.compat._mlir._memory import TensorMap

__all__ = ["unrealized_conversion_cast"]

_cast = stand_in("unrealized_conversion_cast", "a cast between types of another compiler's IR")


def unrealized_conversion_cast(
    results: object, inputs: list[object], *, loc: object = None, ip: object = None
) -> object:
    """Return a tensor map as a struct of 16 integers of 64 bits.

    Args:
        results: the type of the result; not looked at.
        inputs: the result of ``atom_get_value``.

    Raises NotImplementedError for another value.
    """
    if len(inputs) == 1 and isinstance(inputs[0], TensorMap):
        return inputs[0]
    return _cast(results, inputs)
