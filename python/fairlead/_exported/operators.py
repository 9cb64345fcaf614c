"""The description of an operator of torch in an exported file."""

from __future__ import annotations

from typing import Any, TypedDict

__all__ = ["ExportedOperator"]


class ExportedOperator(TypedDict):
    """The arguments of ``fairlead.torch.op``, and the operators as C registers them."""

    name: str  #: ``namespace::name``
    outputs: list[str]
    mutates: list[str]
    may_alias: dict[str, str]
    registered: list[dict[str, Any]]  #: by the members of FairleadTorchOperator
