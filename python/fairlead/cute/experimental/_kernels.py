"""The decorator ``kernel`` of ``cute.experimental``: kernels whose copies know where their parameters end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead.cute._decorated import decorate
from fairlead.cute._derivation import deriving
from fairlead.cute._kernels import KernelFunction, P

__all__ = ["FollowingKernel", "kernel"]


class FollowingKernel(KernelFunction[P]):
    """A kernel that follows the views of its parameters, for ``cute.experimental.copy``."""

    @property
    def traced(self) -> Callable[..., Any]:
        function = super().traced

        def body(*args: object, **kwargs: object) -> Any:
            with deriving((*args, *kwargs.values())):
                return function(*args, **kwargs)

        return body


def kernel(function: object = None, **options: bool) -> Any:
    """Make a Python function a kernel, as ``cute.kernel`` does; ``copy`` stops where the kernel's parameters end.

    Args:
        function: the function; without it a decorator that takes the ``options`` of ``cute.jit``.
    """
    return decorate(FollowingKernel, function, options)
