"""What an exported file says of a function that was an operator of torch."""

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
