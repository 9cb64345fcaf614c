"""The rule of vmap of an operator that has none of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from fairlead.errors import make_error
from fairlead.torch._schema import Overload

__all__ = ["Loop"]


class Loop:
    """One call for each member of the batch. ``operator``: the name in messages; ``call``: the overload in torch."""

    def __init__(self, operator: str, overload: Overload, call: Callable[..., Any]) -> None:
        self._operator, self._overload, self._call = operator, overload, call

    def __call__(self, info: Any, in_dims: tuple[int | None, ...], *args: Any) -> Any:
        names, written = self._overload.inputs, self._overload.written
        for name, dim in zip(names, in_dims, strict=True):
            if name in written and dim is None:
                raise make_error("TorchBatch", function=self._operator, name=name)
        results = []
        for index in range(info.batch_size):
            member, copies = [], []
            for name, batch, dim in zip(names, args, in_dims, strict=True):
                value = batch if dim is None else batch.select(dim, index)
                if dim is not None and not value.is_contiguous():
                    view, value = value, value.contiguous()
                    if name in written:
                        copies.append((view, value))
                member.append(value)
            results.append(self._call(*member))
            for view, value in copies:
                view.copy_(value)
        return self._stacked(results)

    def _stacked(self, results: list[Any]) -> tuple[Any, Any]:
        """Return the batch of results and its dimensions, as a rule of vmap does."""
        count = len(self._overload.results)
        if count == 0:
            return None, None
        if count == 1:
            return torch.stack(results), 0
        return tuple(torch.stack(parts) for parts in zip(*results, strict=True)), (0,) * count
