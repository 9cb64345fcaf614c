"""``cutlass.experimental``: the layer of primitives."""

from fairlead.compat import _primitives as primitives
from fairlead.compat import _tensor_maps as cuda

__all__ = ["cuda", "primitives"]
