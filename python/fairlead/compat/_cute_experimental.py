"""``cutlass.cute.experimental``: Fairlead's, with decorators that put the published dialect on their functions."""

from __future__ import annotations

from typing import Any

from fairlead.compat._cute import jit  # noqa: F401
from fairlead.compat._device_workspaces import CompileWithWorkspace
from fairlead.compat._dialect import PUBLISHED
from fairlead.compat._experimental_memory import *  # noqa: F403
from fairlead.compat._experimental_memory import __all__ as memory
from fairlead.compat._experimental_pipelines import *  # noqa: F403
from fairlead.compat._experimental_pipelines import __all__ as pipelines
from fairlead.compat._experimental_products import *  # noqa: F403
from fairlead.compat._experimental_products import __all__ as products
from fairlead.compat._parameter_boxes import *  # noqa: F403
from fairlead.compat._parameter_boxes import BoxKernel
from fairlead.compat._parameter_boxes import __all__ as boxes
from fairlead.compat._places import forwarding
from fairlead.cute import experimental
from fairlead.cute._decorated import decorate

__all__ = [*experimental.__all__, *boxes, *memory, *pipelines, *products]

compile = CompileWithWorkspace(dialect=PUBLISHED)


def kernel(function: object = None, **options: Any) -> Any:
    """Make a Python function a kernel, as ``fairlead.cute.experimental.kernel`` does."""
    return decorate(BoxKernel, function, options, PUBLISHED)


__getattr__, __dir__ = forwarding(globals(), experimental)
