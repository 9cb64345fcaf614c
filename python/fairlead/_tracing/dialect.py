"""Dialects of names: what differs between functions of native programs and those of programs for another package.

A decorator puts a dialect on its functions. While the body of a function is traced, ``state.dialect`` is the function's
own; plain Python functions that it calls inherit it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["NATIVE", "Dialect"]


@dataclass(frozen=True, eq=False)
class Dialect:
    """Names, texts and leniency of the programs of one package. The defaults are those of native programs.

    Attributes:
        name: for messages and debuggers.
        checks_known_indices: True if an out-of-range index that is known while tracing is an error.
        published_form: True if operators give the types of published programs, a block with too many threads is an
            error of the call, programs print in the published form when they run, parts of swizzled tensors have plain
            layouts, and register tensors are aligned to 32 bytes.
        lenient: True if launches may leave out the grid and reserve less shared memory than kernels use, kernels may
            return values, every parameter may be None, ``--check all`` allows an index outside of its mode that stays
            inside of the tensor's memory, and attributes that a run-time region makes are forgotten behind it.
        narrow_sizes: True if sizes that are known only at run time are as wide as the extents, instead of Int64.
        passes_numbers: True if calls of what ``compile()`` makes pass the numbers in tuples, lists and dataclasses,
            unless an annotation such as ``Shape`` or ``Constexpr`` makes them parts of the program.
        detaches: True if compiled functions take tensors that require a gradient without a warning.
        kernel_prefix: what the symbols of kernels begin with, before an underscore.
        ignored_keywords: keywords that methods of the language take without effect.
        ignored_launch_options: options that ``launch`` takes without effect.
        members: name -> class -> function of an object: attributes that objects of these classes have besides or
            instead of their own, ``__str__`` and ``__repr__`` among them.
    """

    name: str
    checks_known_indices: bool = True
    published_form: bool = False
    lenient: bool = False
    narrow_sizes: bool = False
    passes_numbers: bool = False
    detaches: bool = False
    kernel_prefix: str = ""
    ignored_keywords: frozenset[str] = frozenset()
    ignored_launch_options: frozenset[str] = frozenset()
    members: Mapping[str, Mapping[type, Callable[[Any], Any]]] = field(default_factory=dict)


NATIVE = Dialect("fairlead")
