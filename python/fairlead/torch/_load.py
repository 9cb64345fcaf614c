"""Operators of exported libraries."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from fairlead._exported.operators import ExportedOperator
from fairlead._hints import name_keywords
from fairlead.errors import make_error, require
from fairlead.ffi import Module, load_module
from fairlead.torch._op import Operator, op

__all__ = ["load"]


def load(
    path: str | os.PathLike[str],
    outputs: Mapping[str, str | Iterable[str]] | None = None,
    *,
    namespace: str | None = None,
) -> dict[str, Operator]:
    """Registers functions of an exported object or library as operators, and gives them by the functions' names.

    Args:
        path: what ``export_to_c`` or ``export_library`` wrote, or a bundle of such functions.
        outputs: of each function its outputs, as ``op`` takes them; functions that are left out are no operators.
            Default the functions that were operators when they were exported, as they were.
        namespace: default the file's name; without `outputs`, each operator's own name and namespace.

    Raises what ``fairlead.cute.runtime.load_module`` and ``op`` raise.
    """
    require(load, outputs=outputs, namespace=namespace)
    module = load_module(path)
    operators = {}
    if outputs is None:
        for name in module._names():
            if description := _known(module, name):
                qualified = description["name"] if namespace is None else f"{namespace}::{name}"
                function = getattr(module, name)
                operators[name] = op(
                    function,
                    qualified,
                    description["outputs"],
                    mutates=description["mutates"],
                    may_alias=description.get("may_alias"),  # files of before have none
                )
        return operators
    if namespace is None:
        namespace = os.path.basename(os.fspath(path)).split(".")[0].removeprefix("lib")
    for name, names in outputs.items():
        if name not in module._names():
            raise make_error(
                "FrameworkOption",
                option="outputs",
                expected=f"functions of {os.fspath(path)} ({', '.join(module._names())})",
                got=repr(name),
            )
        operators[name] = op(getattr(module, name), f"{namespace}::{name}", names)
    return operators


def _known(module: Module, name: str) -> ExportedOperator | None:
    """The file's description of the operator that the function was; None if it was none."""
    entries: ExportedOperator | None = (
        getattr(module, name).__dict__.get("_exported", {}).get("operator")
    )
    return entries


name_keywords(__all__, globals())
