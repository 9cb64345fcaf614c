"""``cutlass.base_dsl.runtime.jit_arg_adapters``: adapters of objects that are arguments."""

from __future__ import annotations

from collections.abc import Callable

from fairlead.cute._protocols import adapter_of, adapters, register_jit_arg_adapter

__all__ = ["JitArgAdapterRegistry"]


class JitArgAdapterRegistry:
    """The adapters of classes, which all functions share; ``jit_arg_adapter_registry`` has them by class."""

    jit_arg_adapter_registry = adapters

    @classmethod
    def register_jit_arg_adapter(cls, *types: type, **_: object) -> Callable[[type], type]:
        """Return a decorator that makes a class the adapter of ``types``; see
        ``cutlass.base_dsl.register_jit_arg_adapter``."""
        return register_jit_arg_adapter(*types)

    @classmethod
    def get_registered_adapter(cls, of: type, **_: object) -> type | None:
        """Return the adapter of a class or of its nearest base, or None."""
        return adapter_of(of)
