"""``cutlass.experimental``: the layer of primitives."""

from fairlead.compat import _primitives as primitives
from fairlead.primitives import cuda

__all__ = ["cuda", "primitives"]
