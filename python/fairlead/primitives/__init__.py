"""The layer below tensors: pointers, arrays and vectors, and a function for each instruction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairlead._hints import missing
from fairlead.primitives import cuda, vector
from fairlead.primitives._accesses import MemOrdering
from fairlead.primitives._arithmetic import *  # noqa: F403
from fairlead.primitives._array import Array, GridConstant, align, make_array_view
from fairlead.primitives._barriers import *  # noqa: F403
from fairlead.primitives._control import *  # noqa: F403
from fairlead.primitives._conversions import *  # noqa: F403
from fairlead.primitives._copies import *  # noqa: F403
from fairlead.primitives._descriptors import *  # noqa: F403
from fairlead.primitives._enums import *  # noqa: F403
from fairlead.primitives._fences import *  # noqa: F403
from fairlead.primitives._functions import FUNCTIONS
from fairlead.primitives._later import *  # noqa: F403
from fairlead.primitives._launch_control import *  # noqa: F403
from fairlead.primitives._matrices import *  # noqa: F403
from fairlead.primitives._mbarriers import *  # noqa: F403
from fairlead.primitives._memory_ops import *  # noqa: F403
from fairlead.primitives._pointer import AddressSpace, Pointer, inttoptr
from fairlead.primitives._tensor_memory import *  # noqa: F403
from fairlead.primitives._tensor_products import *  # noqa: F403
from fairlead.primitives._vector import Vector
from fairlead.primitives._warp import *  # noqa: F403

__all__ = [
    "AddressSpace",
    "Array",
    "GridConstant",
    "MemOrdering",
    "Pointer",
    "Vector",
    "align",
    "cuda",
    "inttoptr",
    "make_array_view",
    "vector",
]
__all__ += sorted(FUNCTIONS)

if TYPE_CHECKING:
    # Enumerations and names that are not supported yet come from tables.
    from fairlead.primitives._enums import __getattr__
else:
    globals().update(FUNCTIONS)
    __getattr__ = missing(__name__)
